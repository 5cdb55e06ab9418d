//! The answer about a table that was watched: by the same rules as of a simulated one, at the rates that were counted.

mod hot;
mod rows_read;

use rowkey_design::internal::cost::QueryCost;
use rowkey_design::{CheckOptions, Design};

use super::sentence::NOTHING;
use super::{judged, keys, rates};
use crate::page::elapsed;
use crate::recording::Run;
use crate::run::{Answer, Known, Region};
use crate::simulation::Declared;

/// The most restarts, silences and recreations that are told one by one.
const TOLD: usize = 8;

/// The answer of a watched run, whose reads are rows: they become reads as the design says what a server takes of them,
/// by what its queries read, without those that its increments read. `costs` are of the table's queries. Without a check
/// no rule is judged: a design whose layout no key has tells nothing of where rows land.
pub fn watched(
    declared: &mut Declared<'_>,
    run: &mut Run,
    design: &Design,
    check: Option<&CheckOptions>,
    costs: &[QueryCost<'_>],
) -> Answer {
    declared.assumed = declared.assumed_of_takes();
    let mut assumed = rows_read::as_reads(declared, run, costs);
    assumed.extend(rates::by_counts(declared, run));
    let report = check.map(|check| rates::of_counts(design, declared, run, costs).check(check));
    let mut told = judged(declared, run, &[], report.as_ref(), costs, &assumed);
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
    if let Some(hot) = hot::sentence(&told, declared, run).filter(|_| is_hot) {
        told.sentence = format!("{hot} {}", told.sentence);
    }
    told
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
