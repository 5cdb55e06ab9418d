//! The answer about a table that was watched: by the same rules as of a simulated one, at the rates that were counted.

use rowkey_design::internal::cost::QueryCost;
use rowkey_design::internal::load::Rates;
use rowkey_design::{CheckOptions, Design};

use super::sentence::NOTHING;
use super::text::percent;
use super::{answer, cause, keys, rates};
use crate::page::elapsed;
use crate::recording::Run;
use crate::run::{Answer, HotRegion, Known, Region};
use crate::simulation::Declared;

/// The most restarts, silences and recreations that are told one by one.
const TOLD: usize = 8;

/// The answer of a watched run, whose reads are rows: they become reads as the design says what a server takes of them,
/// by what its queries read. `costs` are of the table's queries.
pub fn watched(
    declared: &mut Declared<'_>,
    run: &mut Run,
    design: &Design,
    check: &CheckOptions,
    costs: &[QueryCost<'_>],
) -> Answer {
    declared.assumed = declared.assumed_of_takes();
    let mut assumed = reads(declared, run, costs);
    assumed.extend(rates::by_counts(declared, run));
    let report = rates::of_counts(design, declared, run, costs).check(check);
    let mut told = answer(declared, run, &[], &report, costs, &assumed);
    // Servers tell of bytes, neither of rows nor of keys.
    if !keys::are_sizes_said(declared.key.table) {
        (told.keys, told.keys_written) = (None, None);
    }
    let regions = run.intervals.last().map_or(&[][..], |interval| &interval.regions);
    let is_empty = |region: &&Region| region.bytes == 0 && region.known != Known::None;
    told.regions.empty = regions.iter().filter(is_empty).count() as u64;
    told.seen = seen(run);
    let passes = told.saturates.as_ref().is_some_and(|saturation| saturation.passes);
    let is_hot = !passes && !told.sentence.starts_with(NOTHING);
    if let Some(hot) = hot(&told, run, regions.len()).filter(|_| is_hot) {
        told.sentence = format!("{hot} {}", told.sentence);
    }
    told
}

/// Makes reads of the rows that servers counted as read, and says how.
fn reads(declared: &Declared<'_>, run: &mut Run, costs: &[QueryCost<'_>]) -> Vec<String> {
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

/// The recreations of the table, and the servers that began again or did not answer, in words.
fn seen(run: &Run) -> Vec<String> {
    let name = |number: u32| run.settings.server_names.get(number as usize).map_or("?", String::as_str);
    let recreations = run.recreations.iter().map(|recreation| {
        let by = elapsed(recreation.t_ms);
        format!("the table was dropped and created again, or truncated, by {by}: all its regions are new")
    });
    let restarts = run.restarts.iter();
    let restarts = restarts.map(|restart| format!("{} began again by {}", name(restart.server), elapsed(restart.t_ms)));
    let silences = run.silences.iter().map(|silence| {
        let who = silence.server.map_or("the master", name);
        format!("{who} told nothing from {} to {}", elapsed(silence.t_ms), elapsed(silence.until_ms))
    });
    let counts = [run.recreations.len(), run.restarts.len(), run.silences.len()];
    let more: usize = counts.map(|count| count.saturating_sub(TOLD)).iter().sum();
    let more = (more > 0).then(|| format!("{more} more of these are in the lines of JSON"));
    recreations.take(TOLD).chain(restarts.take(TOLD)).chain(silences.take(TOLD)).chain(more).collect()
}

/// The hottest region in a sentence, by what saturates, or by writes if there are any; none where all are about alike.
fn hot(told: &Answer, run: &Run, regions: usize) -> Option<String> {
    let is_read = told.saturates.as_ref().map_or(told.hottest_written.is_none(), |saturation| saturation.reads);
    let (hottest, what) = match is_read {
        true => (told.hottest_read.as_ref()?, "reads"),
        false => (told.hottest_written.as_ref()?, "writes"),
    };
    let HotRegion { share, label, server, .. } = hottest;
    let server = run.settings.server_names.get(*server as usize).map_or(String::new(), |name| format!(", on {name}"));
    let of = if what == "reads" { "of" } else { "to" };
    (!cause::are_alike(*share, regions)).then(|| {
        let part = percent(*share);
        format!("{part} of the {what} {of} `{}` go to the region that begins with {label}{server}.", told.table)
    })
}
