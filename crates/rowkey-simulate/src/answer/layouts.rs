//! Layouts: the servers that regions are on, before the balancer moves any in an interval.

use std::borrow::Cow;

use crate::recording::Run;
use crate::run::{Interval, Key, Move, Region};

/// The regions at the beginning of an interval in which some are moved; none where none are, or the pace of the load is
/// not known.
pub(super) fn before<'r>(run: &'r Run, reads: bool, interval: &Interval) -> Option<Cow<'r, [Region]>> {
    let at = run.intervals.partition_point(|other| other.t_ms < interval.t_ms);
    first_move(run, at).filter(|moved| run.pace.is_known(reads) && moved.t_ms <= interval.t_ms)?;
    Some(match at.checked_sub(1) {
        Some(before) => Cow::Borrowed(&run.intervals[before].regions[..]),
        None => Cow::Owned(at_first(run)),
    })
}

/// True if no region is moved from the beginning of the interval at this place to a time.
pub(super) fn is_as_before(run: &Run, at: usize, t_ms: u64) -> bool {
    first_move(run, at).is_none_or(|moved| moved.t_ms > t_ms)
}

/// The first move after the beginning of the interval at this place.
fn first_move(run: &Run, at: usize) -> Option<&Move> {
    let from_ms = run.begins_ms(at);
    run.moves.get(run.moves.partition_point(|moved| moved.t_ms < from_ms))
}

/// The regions that a table is created with, on the servers in turn.
fn at_first(run: &Run) -> Vec<Region> {
    let mut starts: Vec<&Key> = run.settings.splits.iter().filter(|start| !start.0.is_empty()).collect();
    starts.sort_unstable();
    starts.dedup();
    let starts = std::iter::once(Key::default()).chain(starts.into_iter().cloned());
    let servers = (0..run.settings.servers.max(1)).cycle();
    starts.zip(servers).map(|(start, server)| Region { start, server, ..Region::default() }).collect()
}
