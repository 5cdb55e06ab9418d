//! The design with the rates of a run in place of its own, so that what `check` finds is about what was run.

use rowkey_design::Design;
use rowkey_design::internal::Located;
use rowkey_design::internal::cost::QueryCost;
use rowkey_design::internal::design::Write;
use rowkey_design::internal::file::Rate;
use rowkey_design::internal::load::{Rates, unsaid_query, unsaid_write};
use rowkey_design::internal::quote::toml_key;

use super::counted;
use crate::load::scale;
use crate::recording::{Ran, Run};
use crate::simulation::{Declared, unsaid_reads};

/// The design with all rates and peaks multiplied by a factor.
#[must_use]
pub fn times(design: &Design, factor: f64) -> Design {
    let mut design = design.clone();
    design.tables.values_mut().for_each(|table| scale(table, factor));
    design
}

/// The design with the rates of a run by a trace or a log, on average and at its peak, in place of those of its table:
/// shared out among its writes, and its queries, as the design's own rates are. `costs` are of the table's queries.
#[must_use]
pub fn of_events(design: &Design, declared: &Declared<'_>, run: &Run, costs: &[QueryCost<'_>]) -> Design {
    let mut design = design.clone();
    let table = declared.key.table;
    let Some(own) = design.tables.get_mut(table.name.as_str()) else { return design };
    let [writes, reads] = [of_rows(declared, run), Ran::of_reads(run)];
    let [has_unsaid_writes, has_unsaid_reads] = unsaid(declared, run);
    if has_unsaid_writes {
        own.table.write.push(unsaid_write(table));
    }
    let mean = |write: &Write| Rates::of_write(write).map(|rates| rates.mean);
    let declared_writes: f64 = table.table.write.iter().filter_map(|write| mean(write)).sum();
    let even = 1.0 / own.table.write.len().max(1) as f64;
    for Located { value: write, place } in &mut own.table.write {
        let part = mean(write).map(|mean| mean / declared_writes);
        let part = part.or((declared_writes == 0.0).then_some(even)).unwrap_or(0.0);
        let rate = |rate: f64| Some(Located { value: Rate(rate * part), place: *place });
        (write.rate, write.peak, write.shape) = (rate(writes.mean), rate(writes.peak), None);
    }
    let of_query = |cost: &QueryCost<'_>| {
        let Rates { mean, peak, .. } = Rates::of_query(cost.query)?;
        Some(cost.reads_of_all(declared.cluster())? * mean / peak)
    };
    let declared_reads: f64 = costs.iter().filter_map(of_query).sum();
    if has_unsaid_reads {
        let mut query = unsaid_query(table);
        let rate = |rate: f64| Some(Located { value: Rate(rate), place: query.place });
        (query.value.rate, query.value.peak) = (rate(reads.mean), rate(reads.peak));
        own.table.query.push(query);
        return design;
    }
    for Located { value: query, place } in &mut own.table.query {
        let runs = Rates::of_query(query).map(|rates| rates.mean / declared_reads).filter(|_| declared_reads > 0.0);
        let rate = |rate: f64| {
            let rate = if rate > 0.0 { rate * runs? } else { 0.0 };
            Some(Located { value: Rate(rate), place: *place })
        };
        (query.rate, query.peak, query.shape) = (rate(reads.mean), rate(reads.peak), None);
    }
    design
}

/// The design of a watched table as its cluster is, with the rates that were counted.
#[must_use]
pub fn of_counts(design: &Design, declared: &Declared<'_>, run: &Run, costs: &[QueryCost<'_>]) -> Design {
    of_events(&counted::of_cluster(design, declared, run), declared, run, costs)
}

/// Labels a run by a trace or a log, as `what` says, with its own rate; and says what is assumed of it.
pub fn by_events(declared: &Declared<'_>, run: &mut Run, what: &str) -> Vec<String> {
    let told = [
        format!("the table is empty before the first event of the {what}, whatever `rows` the design says"),
        format!("what `check` finds is at the rates of the {what}, shared out among the design's writes and queries"),
    ];
    told.into_iter().chain(labelled(declared, run, &format!("by its {what}"))).collect()
}

/// Labels a watched run with its own rate; and says what is assumed of it.
pub(super) fn by_counts(declared: &Declared<'_>, run: &mut Run) -> Vec<String> {
    let told = "what `check` finds is at the rates that were counted, shared out among the design's writes and queries";
    let told = std::iter::once(told.to_owned()).chain(counted::servers(declared, run));
    told.chain(labelled(declared, run, "as it was watched")).collect()
}

/// Labels a run with its own rate; and says what is not said of its writes and reads.
fn labelled(declared: &Declared<'_>, run: &mut Run, load: &str) -> Vec<String> {
    let is_read = Ran::of_reads(run).peak > 0.0;
    run.settings.load = format!("{} {load}", declared.key.name.as_str());
    run.settings.rows_per_second = of_rows(declared, run).mean;
    let [writes, reads] = unsaid(declared, run);
    let table = toml_key(&declared.key.table.name);
    let writes = writes.then(|| {
        let words = "the design has no write of the table: what was written is taken as puts of new rows";
        [Some(format!("{words}; say `[[table.{table}.write]]`")), declared.unsaid_writes()]
    });
    let read = reads.then(|| {
        let words = "the design has no query of the table: what was read is taken as rows by their keys";
        format!("{words}; say `[[table.{table}.query]]`")
    });
    let unsaid_reads = unsaid_reads(declared.cluster()).filter(|_| is_read);
    let told = writes.into_iter().flatten().flatten().chain(read).chain(unsaid_reads);
    told.filter(|unsaid| !declared.assumed.contains(unsaid)).collect()
}

/// True if a run writes, and true if it reads, where the design has no write, and no query, of the table.
fn unsaid(declared: &Declared<'_>, run: &Run) -> [bool; 2] {
    let table = &declared.key.table.table;
    [
        table.write.is_empty() && Ran::of_writes(run).peak > 0.0,
        table.query.is_empty() && declared.key.secondary.is_none() && Ran::of_reads(run).peak > 0.0,
    ]
}

/// The rates of rows that are written, which may be several writes each.
fn of_rows(declared: &Declared<'_>, run: &Run) -> Ran {
    let (of_row, Ran { mean, peak }) = (declared.demand.writes_of_row, Ran::of_writes(run));
    Ran { mean: mean / of_row, peak: peak / of_row }
}
