//! Simulators that know nothing of how regions split: what they pass proves nothing.

use super::Ranks;
use crate::recording::Run;
use crate::run::{Interval, Region, Server};

/// A run with as many regions as the recorded one at each interval, each with as many of the keys that were written by
/// then, in turn on each server. The balancer moves none.
#[must_use]
pub fn evenly_cut(recorded: &Run, ranks: &Ranks) -> Run {
    run(recorded, ranks, |_, interval| interval.regions.len())
}

/// The same, with a number of regions that is a guess too: as many as the table's bytes fill, but no fewer than it was
/// created with.
#[must_use]
pub fn by_size(recorded: &Run, ranks: &Ranks) -> Run {
    let settings = &recorded.settings;
    run(recorded, ranks, |rows, _| {
        let full = ranks.bytes(rows as u64, settings.block_size) / (settings.max_filesize.max(1) as f64);
        (full.ceil() as usize).max(settings.splits.len() + 1)
    })
}

fn run(recorded: &Run, ranks: &Ranks, regions: impl Fn(usize, &Interval) -> usize) -> Run {
    let mut run = Run::new(recorded.settings.clone());
    let mut before = 0;
    for interval in &recorded.intervals {
        let rows = interval.regions.iter().map(|region| region.rows).fold(0, u64::saturating_add);
        let rows = usize::try_from(rows).unwrap_or(usize::MAX).clamp(before, ranks.places().len().max(before));
        run.intervals.push(even(interval, ranks, before..rows, regions(rows, interval)));
        before = rows;
    }
    run
}

/// An interval in which these rows were written, and those before them earlier.
fn even(interval: &Interval, ranks: &Ranks, new: std::ops::Range<usize>, regions: usize) -> Interval {
    let rows = new.end;
    let mut written = vec![0_u8; ranks.places().len()];
    for (at, &place) in ranks.places()[..rows].iter().enumerate() {
        written[place] = if new.contains(&at) { 2 } else { 1 };
    }
    let regions = regions.clamp(1, rows.max(1));
    let servers = interval.servers.len().max(1);
    let region = |at: usize| Region {
        start: <_>::default(),
        server: u32::try_from(at % servers).unwrap_or_default(),
        rows: 0,
        rows_this_interval: 0,
        reads_this_interval: 0,
        bytes: 0,
        files: 1,
        known: <_>::default(),
    };
    let mut even = vec![region(0)];
    let written = written.iter().enumerate().filter(|(_, kind)| **kind > 0);
    for (sum, (place, &kind)) in written.enumerate() {
        if sum == even.len() * rows / regions && even.len() < regions && sum > 0 {
            even.push(Region { start: ranks.key(place), ..region(even.len()) });
        }
        if let Some(last) = even.last_mut() {
            last.rows += 1;
            last.rows_this_interval += u64::from(kind == 2);
        }
    }
    let mut by_server = vec![Server::default(); servers];
    for region in &even {
        by_server[region.server as usize].writes += region.rows_this_interval;
    }
    Interval { t_ms: interval.t_ms, regions: even, servers: by_server }
}
