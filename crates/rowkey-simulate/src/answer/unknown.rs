//! The regions of a watched table of which nothing is known.

use crate::recording::Run;
use crate::run::{Key, Known, Region, Regions};

/// The number of regions at the end of a run of which no server told in all of it: neither of them, nor of those that
/// were in their place before.
pub(super) fn unknown(run: &Run) -> u64 {
    let Some((last, before)) = run.intervals.split_last() else { return 0 };
    let is_unknown = |at: &usize| {
        let region = &last.regions[*at];
        let end = last.regions.get(at + 1).map(|next| &next.start);
        let is_none = |region: &Region| region.known == Known::None;
        is_none(region)
            && before.iter().all(|interval| overlapped(&interval.regions, &region.start, end).iter().all(is_none))
    };
    (0..last.regions.len()).filter(is_unknown).count() as u64
}

/// The regions that have keys from one up to another.
fn overlapped<'r>(regions: &'r [Region], start: &Key, end: Option<&Key>) -> &'r [Region] {
    let from = regions.partition_point(|region| region.start <= *start).saturating_sub(1);
    let until = regions.partition_point(|region| end.is_none_or(|end| region.start < *end));
    &regions[from..until.max(from)]
}

/// The sentence on them, if there are any.
pub(super) fn sentence(regions: &Regions) -> Option<String> {
    let Regions { unknown, count, .. } = regions;
    (*unknown > 0).then(|| {
        format!(
            "Nothing is known of {unknown} of {count} regions, of which no server told: the numbers count no load of \
             them."
        )
    })
}
