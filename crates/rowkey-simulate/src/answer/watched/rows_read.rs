//! The rows that servers of a watched table counted as read: those of queries, and those that increments read.

use rowkey_design::internal::cost::QueryCost;
use rowkey_design::internal::design::WriteKind;
use rowkey_design::internal::load::Rates;

use crate::answer::text::percent;
use crate::recording::Run;
use crate::simulation::Declared;

/// Makes reads of the rows that servers counted as read, and says how: a server that increments a row reads it.
pub(super) fn as_reads(declared: &Declared<'_>, run: &mut Run, costs: &[QueryCost<'_>]) -> Vec<String> {
    let increments = leave_out_increments(declared, run);
    increments.into_iter().chain(of_queries(declared, run, costs)).collect()
}

/// Takes the rows that increments read from those that were read, and says so.
fn leave_out_increments(declared: &Declared<'_>, run: &mut Run) -> Option<String> {
    let part = part_of_increments(declared).filter(|part| *part > 0.0)?;
    let of = |writes: u64| (writes as f64 * part).round() as u64;
    let mut left_out = 0;
    for interval in &mut run.intervals {
        for server in &mut interval.servers {
            let rows = of(server.writes).min(server.rows_read);
            left_out += rows;
            (server.reads, server.rows_read) = (server.reads.saturating_sub(rows), server.rows_read - rows);
        }
        for region in &mut interval.regions {
            region.reads_this_interval = region.reads_this_interval.saturating_sub(of(region.rows_this_interval));
        }
    }
    let which = match part {
        1.0 => "the writes are increments".to_owned(),
        part => format!("{} of the writes are increments by the design", percent(part)),
    };
    (left_out > 0).then(|| format!("{which}, each of which reads its row: these rows are no reads of queries"))
}

/// The part of a table's writes that are increments by the design: by rate, or where none has a rate, by their number.
/// None of a secondary table, which has puts and deletes, and of a table without writes.
fn part_of_increments(declared: &Declared<'_>) -> Option<f64> {
    let writes = &declared.key.table.table.write;
    let rate = |write: &_| Rates::of_write(write).map_or(0.0, |rates| rates.mean);
    let rates: f64 = writes.iter().map(|write| rate(write)).sum();
    let weight = |write: &_| if rates > 0.0 { rate(write) } else { 1.0 };
    let all: f64 = writes.iter().map(|write| weight(write)).sum();
    let increments = writes.iter().filter(|write| write.kind == Some(WriteKind::Increment));
    let part = increments.map(|write| weight(write)).sum::<f64>() / all;
    Some(part).filter(|part| part.is_finite() && declared.key.secondary.is_none())
}

/// Makes reads of the rows that queries read, and says how.
fn of_queries(declared: &Declared<'_>, run: &mut Run, costs: &[QueryCost<'_>]) -> Vec<String> {
    let (mut reads, mut rows) = (0.0, 0.0);
    for cost in costs.iter().filter(|cost| cost.secondary == declared.key.secondary) {
        let rated = Rates::of_query(cost.query).zip(cost.rows_read).zip(cost.reads_of_runs(declared.cluster()));
        if let Some(((rates, read), of_runs)) = rated.filter(|((_, read), _)| *read >= 1.0) {
            reads += of_runs;
            rows += rates.peak * read;
        }
    }
    if !run.intervals.iter().flat_map(|interval| &interval.servers).any(|server| server.rows_read > 0) {
        return Vec::new();
    }
    if rows <= 0.0 || reads >= rows {
        return vec![
            "each row that a server reads is a read, as no query with a rate and rows says otherwise".to_owned(),
        ];
    }
    let part = reads / rows;
    let of = |count: u64| (count as f64 * part).round() as u64;
    for interval in &mut run.intervals {
        interval.servers.iter_mut().for_each(|server| server.reads = of(server.rows_read));
        interval.regions.iter_mut().for_each(|region| region.reads_this_interval = of(region.reads_this_interval));
    }
    vec![format!("{} rows that a server reads are a read, as of the design's queries", (1.0 / part).round())]
}
