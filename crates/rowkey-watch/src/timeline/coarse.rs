//! Two intervals as one, with regions that are no smaller than those that were counted.

use rowkey_simulate::recording::joined;
use rowkey_simulate::run::{Interval, Known, Region};

/// Two intervals, of which one begins where the other ends, as one. A region that was split is told with all that it and
/// its parts counted, on its own server: how much of it is of which part is not known. Regions that were merged are told
/// as the one that they became.
pub(super) fn of_both(first: &Interval, second: Interval) -> Interval {
    joined(first, Interval { regions: coarser(&first.regions, second.regions), ..second })
}

/// Regions, without the borders that others do not have.
fn coarser(first: &[Region], second: Vec<Region>) -> Vec<Region> {
    let mut regions: Vec<Region> = Vec::with_capacity(second.len().min(first.len()));
    for region in second {
        let own = first.binary_search_by(|before| before.start.cmp(&region.start));
        match (own, regions.last_mut()) {
            (Err(at), Some(whole)) => {
                whole.rows_this_interval += region.rows_this_interval;
                whole.reads_this_interval += region.reads_this_interval;
                whole.known = whole.known.and(region.known);
                if let Some(before) = at.checked_sub(1).and_then(|at| first.get(at)) {
                    (whole.server, whole.bytes, whole.files) = (before.server, before.bytes, before.files);
                }
            }
            _ => regions.push(region),
        }
    }
    regions
}

/// An interval with these regions: of what a larger one counted each has a part, by its bytes.
pub(super) fn divided(interval: Interval, mut regions: Vec<Region>) -> Interval {
    let has_own = |at: usize, regions: &[Region]| {
        let own = interval.regions.binary_search_by(|own| own.start.cmp(&regions[at].start));
        own.is_ok_and(|own| start_of(&interval.regions, own + 1) == start_of(regions, at + 1))
    };
    let own: Vec<bool> = (0..regions.len()).map(|at| has_own(at, &regions)).collect();
    if own.iter().all(|own| *own) {
        return interval;
    }
    regions.iter_mut().for_each(|region| region.known = known_at(&interval.regions, region));
    let mut divided = joined(&interval, Interval { t_ms: interval.t_ms, regions, servers: Vec::new() });
    let parts = divided.regions.iter_mut().zip(&own).filter(|(_, own)| !**own);
    parts.for_each(|(region, _)| region.known = if region.known == Known::None { Known::None } else { Known::Part });
    divided
}

fn start_of(regions: &[Region], at: usize) -> Option<&[u8]> {
    regions.get(at).map(|region| &region.start.0[..])
}

/// The part that is known of the region which has the first key of another.
pub(super) fn known_at(regions: &[Region], of: &Region) -> Known {
    let at = regions.partition_point(|region| region.start <= of.start).saturating_sub(1);
    regions.get(at).map_or(Known::All, |region| region.known)
}
