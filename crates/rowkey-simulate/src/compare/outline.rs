//! The outline of a run: the numbers that are compared.

use super::{Kind, Ranks};
use crate::recording::Run;
use crate::run::{Interval, Region};

/// The numbers of a run that are compared.
#[derive(Debug)]
pub(super) struct Outline {
    /// The number of regions at each tenth of the rows.
    regions: Vec<u64>,
    /// The boundaries, by rank, ascending.
    boundaries: Vec<u64>,
    hottest_share: f64,
    /// In descending order.
    server_shares: Vec<f64>,
    moved: bool,
}

impl Outline {
    /// That of a run, its boundaries after so many rows.
    pub(super) fn new(run: &Run, ranks: &Ranks, rows: u64) -> Self {
        Self {
            regions: ranks.tenths().map(|rows| regions_at(run, rows).len() as u64).collect(),
            boundaries: regions_at(run, rows).iter().skip(1).map(|region| ranks.rank(&region.start)).collect(),
            hottest_share: hottest_share(run),
            server_shares: server_shares(run),
            moved: !run.moves.is_empty(),
        }
    }

    pub(super) fn distance(&self, kind: Kind, other: &Self, ranks: &Ranks) -> f64 {
        let boundaries = |part| self.of_boundaries(part, other, ranks);
        // The more regions, the narrower.
        let regions = self.boundaries.len().max(other.boundaries.len()) + 1;
        let width = f64::max(ranks.rows() as f64 / regions as f64, 1.0);
        match kind {
            Kind::Regions => self.regions.iter().zip(&other.regions).map(|(a, b)| a.abs_diff(*b)).sum::<u64>() as f64,
            Kind::MedianBlocks => boundaries(0.5) / ranks.rows_per_block(),
            Kind::NinetiethBlocks => boundaries(0.9) / ranks.rows_per_block(),
            Kind::MedianWidths => boundaries(0.5) / width,
            Kind::NinetiethWidths => boundaries(0.9) / width,
            Kind::HottestShare => (self.hottest_share - other.hottest_share).abs(),
            Kind::ServerShares => {
                let servers = 0..self.server_shares.len().max(other.server_shares.len());
                let share = |of: &Self, at: usize| of.server_shares.get(at).copied().unwrap_or_default();
                servers.map(|at| (share(self, at) - share(other, at)).abs()).fold(0.0, f64::max)
            }
            Kind::Moved => f64::from(u8::from(self.moved != other.moved)),
        }
    }

    /// The distance in rows to the nearest boundary of the other run that so great a part does not exceed; of both
    /// ways the greater one.
    fn of_boundaries(&self, part: f64, other: &Self, ranks: &Ranks) -> f64 {
        let one_way = |from: &Self, to: &Self| {
            let distances = ranks.to_nearest(&from.boundaries, &to.boundaries);
            let at = (distances.len() as f64 * part).ceil() as usize;
            distances.get(at.saturating_sub(1)).copied().unwrap_or_default() as f64
        };
        f64::max(one_way(self, other), one_way(other, self))
    }
}

fn rows(interval: &Interval) -> u64 {
    interval.regions.iter().map(|region| region.rows).fold(0, u64::saturating_add)
}

/// The regions at the interval that ended nearest to so many rows.
pub(super) fn regions_at(run: &Run, at: u64) -> &[Region] {
    let nearest = run.intervals.iter().min_by_key(|interval| rows(interval).abs_diff(at));
    nearest.map_or(&[], |interval| &interval.regions)
}

fn hottest_share(run: &Run) -> f64 {
    let share = |interval: &Interval| {
        let writes = interval.regions.iter().map(|region| region.rows_this_interval);
        let all = writes.clone().fold(0, u64::saturating_add);
        (all > 0).then(|| writes.max().unwrap_or_default() as f64 / all as f64)
    };
    let mut shares: Vec<f64> = run.intervals.iter().filter_map(share).collect();
    shares.sort_by(f64::total_cmp);
    shares.get(shares.len() / 2).copied().unwrap_or_default()
}

fn server_shares(run: &Run) -> Vec<f64> {
    let mut writes = vec![0_u64; run.intervals.iter().map(|interval| interval.servers.len()).max().unwrap_or_default()];
    for interval in &run.intervals {
        for (sum, server) in writes.iter_mut().zip(&interval.servers) {
            *sum = sum.saturating_add(server.writes);
        }
    }
    writes.sort_unstable_by(|a, b| b.cmp(a));
    let all = writes.iter().copied().fold(0, u64::saturating_add).max(1);
    writes.into_iter().map(|writes| writes as f64 / all as f64).collect()
}
