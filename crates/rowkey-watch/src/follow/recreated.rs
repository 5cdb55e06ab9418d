//! Tables that were dropped and created again, or truncated, between two readings.

use super::Seen;
use crate::reading::RegionReading;

/// Returns whether all regions are new, and came to be neither by a split nor by a merge.
///
/// The number of a region is the time of its creation in HBase, which is one for all regions of a new table. Many
/// regions are never split or merged all in one millisecond, and none keeps its first key with another number but by
/// becoming another table's. Where one region becomes two, or many one, only the bytes tell: a new table has none.
pub(super) fn is_recreated(before: &[Seen], regions: &[RegionReading]) -> bool {
    let (Some(first), Some(last)) = (regions.first(), before.iter().map(|seen| seen.id).max()) else { return false };
    if regions.iter().any(|region| region.id <= last) {
        return false;
    }
    let are_as_before =
        before.len() == regions.len() && before.iter().zip(regions).all(|(seen, region)| seen.start == region.start);
    let are_of_one_time = || regions.iter().all(|region| region.id == first.id);
    are_as_before
        || are_of_one_time()
            && match (before.len(), regions.len()) {
                (1, 2) | (_, 1) => is_emptied(before, regions),
                _ => true,
            }
}

/// True if there were bytes, and are none.
fn is_emptied(before: &[Seen], regions: &[RegionReading]) -> bool {
    let had = before.iter().any(|seen| seen.told.as_ref().is_some_and(|(_, counts)| counts.bytes > 0));
    had && regions.iter().all(|region| region.counts.as_ref().is_some_and(|(_, counts)| counts.bytes == 0))
}
