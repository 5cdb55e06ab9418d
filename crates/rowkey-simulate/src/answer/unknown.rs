//! The regions of a watched table of which nothing is known, and the time of others.

use std::collections::BTreeSet;

use super::text::percent;
use crate::recording::Run;
use crate::run::{Key, Known, Region, Regions};

/// The number of regions at the end of a run of which no server told in all of it: neither of them, nor of those that
/// were in their place before.
pub(super) fn unknown(run: &Run) -> u64 {
    never(run).len() as u64
}

/// The first keys of these regions.
fn never(run: &Run) -> BTreeSet<&Key> {
    let Some((last, before)) = run.intervals.split_last() else { return BTreeSet::new() };
    let is_unknown = |at: &usize| {
        let region = &last.regions[*at];
        let end = last.regions.get(at + 1).map(|next| &next.start);
        let is_none = |region: &Region| region.known == Known::None;
        is_none(region)
            && before.iter().all(|interval| overlapped(&interval.regions, &region.start, end).iter().all(is_none))
    };
    (0..last.regions.len()).filter(is_unknown).map(|at| &last.regions[at].start).collect()
}

/// The part of the time of the other regions of which their counts are known; none if that is all.
pub(super) fn known_part(run: &Run) -> Option<f64> {
    let (times, never) = (run.times(), never(run));
    let others = times.iter().filter(|(start, _)| !never.contains(*start));
    let [known_ms, all_ms] = others.fold([0, 0], |[known, all], (_, time)| [known + time.known_ms, all + time.all_ms]);
    (known_ms < all_ms).then(|| known_ms as f64 / all_ms as f64)
}

/// The regions that have keys from one up to another.
fn overlapped<'r>(regions: &'r [Region], start: &Key, end: Option<&Key>) -> &'r [Region] {
    let from = regions.partition_point(|region| region.start <= *start).saturating_sub(1);
    let until = regions.partition_point(|region| end.is_none_or(|end| region.start < *end));
    &regions[from..until.max(from)]
}

/// The sentence on them, and on so much of the time that is known, if there are any.
pub(super) fn sentence(regions: &Regions, known: Option<f64>) -> Option<String> {
    let Regions { unknown, count, .. } = regions;
    let never = (*unknown > 0).then(|| {
        format!(
            "Nothing is known of {unknown} of {count} regions, of which no server told: the numbers count no load of \
             them."
        )
    });
    let gap = known.map(|known| 1.0 - known).filter(|gap| *gap >= LEAST).map(|gap| {
        let others = if *unknown > 0 { " of the others" } else { "" };
        format!("No server told of {} of the time{others}: the rates are those of the rest.", percent(gap))
    });
    let told: Vec<String> = never.into_iter().chain(gap).collect();
    (!told.is_empty()).then(|| told.join(" "))
}

/// The least part of the time that is told in the sentence: a region that moves is unknown for a moment.
const LEAST: f64 = 0.01;
