//! The shares of servers and regions, of as many events as there are of the same load.

use super::layouts;
use super::moving::{Moving, moving};
use super::windows::{Window, parts, windows};
use crate::chance::Counted;
use crate::recording::Run;
use crate::run::{Interval, Region};

/// The times as much chance as there is in reads of rows that are a sample: where as many rows are written as read, the
/// first are read most, and add twice as much.
const OF_ROWS: f64 = 3.0;

/// The shares in an interval.
#[derive(Clone, Debug)]
pub(super) struct Share<'i> {
    pub(super) interval: &'i Interval,
    /// The busiest server.
    pub(super) server: Place,
    /// The hottest region: the place in the order of keys.
    pub(super) region: Place,
    /// The same at the beginning of the interval, where regions were on other servers and the pace is known.
    pub(super) begins: Option<Begins>,
    /// Gini's coefficient of the regions.
    pub(super) gini: f64,
    /// The events of the window that the interval is in; none where it is alone in it.
    pub(super) pooled: Option<f64>,
    /// The events of the interval.
    pub(super) events: Option<f64>,
    /// The part that each region has.
    pub(super) parts: Vec<f64>,
    /// The part that one server has at a moment, where it is another one at others.
    pub(super) moving: Option<Moving>,
}

impl Share<'_> {
    /// The part that the busiest server has at a moment.
    pub(super) fn busiest(&self) -> f64 {
        self.moving.map_or(0.0, |moving| moving.part).max(self.server.share)
    }
}

/// A place and its share.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub(super) at: usize,
    pub(super) share: f64,
}

/// The busiest server and the hottest region where regions are as at the beginning of an interval.
#[derive(Clone, Copy, Debug)]
pub(super) struct Begins {
    pub(super) server: Place,
    pub(super) region: Place,
}

/// The shares in each interval with a load.
#[derive(Clone, Debug, Default)]
pub(super) struct Shares<'i> {
    pub(super) of: Vec<Share<'i>>,
    /// The number of loads that differ.
    pub(super) windows: usize,
}

impl<'i> Shares<'i> {
    /// Those of a run, of its writes or its reads.
    pub(super) fn of(run: &'i Run, reads: bool) -> Self {
        let parts = parts(run, reads);
        let windows = windows(&parts);
        let of =
            windows.iter().flat_map(|window| window.parts.iter().map(|part| share(run, reads, window, part.interval)));
        let mut of: Vec<Share<'_>> = of.collect();
        let intervals: Vec<&Interval> = of.iter().map(|share| share.interval).collect();
        of.iter_mut().zip(moving(run, &intervals, reads)).for_each(|(share, moving)| share.moving = moving);
        Self { of, windows: windows.len() }
    }

    /// The later half of them.
    pub(super) fn later(&self) -> &[Share<'i>] {
        &self.of[self.of.len() / 2..]
    }

    /// The share in an interval, if it has a load.
    pub(super) fn at(&self, interval: &Interval) -> Option<&Share<'i>> {
        let at = self.of.partition_point(|share| share.interval.t_ms < interval.t_ms);
        self.of.get(at).filter(|share| share.interval.t_ms == interval.t_ms)
    }
}

fn share<'i>(run: &Run, reads: bool, window: &Window<'_, 'i>, interval: &'i Interval) -> Share<'i> {
    let servers = interval.servers.len().max(1);
    let times = if reads && run.settings.rows_per_event.is_some() { OF_ROWS } else { 1.0 };
    let asked = Asked::of(window, &interval.regions, servers, times);
    let chance = run.chance(interval, reads).servers(interval, reads);
    let server = match window.parts.len() {
        1 => Place { at: most(&chance.counts).unwrap_or(0), share: chance.busiest().unwrap_or(0.0) },
        _ => asked.server(),
    };
    let begins = layouts::before(run, reads, interval).map(|regions| {
        let asked = Asked::of(window, &regions, servers, times);
        Begins { server: asked.server(), region: asked.region() }
    });
    let gini = if asked.are_even { 0.0 } else { gini(&asked.regions) };
    let pooled = asked.regions.events().filter(|_| window.parts.len() > 1);
    let (region, parts) = (asked.region(), asked.parts());
    Share { interval, server, begins, region, gini, pooled, events: chance.events(), parts, moving: None }
}

/// The load of a window, on regions that are on these servers.
struct Asked {
    regions: Counted,
    by_server: Counted,
    /// The counts of regions, and of servers, of every other interval and in those between.
    halves: [[Vec<f64>; 2]; 2],
    /// The part of the servers, were all regions alike.
    of_even: Vec<f64>,
    are_even: bool,
    are_servers_even: bool,
}

impl Asked {
    fn of(window: &Window<'_, '_>, layout: &[Region], servers: usize, times: f64) -> Self {
        let (regions, halves) = window.at(layout);
        let by_server = |parts: &[f64]| {
            let mut sums = vec![0.0; servers];
            for (part, region) in parts.iter().zip(layout) {
                if let Some(sum) = sums.get_mut(region.server as usize) {
                    *sum += part;
                }
            }
            sums
        };
        let evenly = vec![1.0 / regions.counts.len().max(1) as f64; regions.counts.len()];
        let of_even = by_server(&evenly);
        let counted = Counted { counts: by_server(&regions.counts), squares: window.by_server(), ..regions };
        let fewer = counted.of_fewer(times);
        let are_even = regions.of_fewer(times).is_as(&evenly) && fewer.is_as(&of_even);
        let are_servers_even = fewer.is_as(&vec![1.0 / servers as f64; servers]);
        let [some, others] = halves.map(|half| half.counts);
        let of_servers = [by_server(&some), by_server(&others)];
        let halves = [[some, others], of_servers];
        Self { regions, by_server: counted, halves, of_even, are_even, are_servers_even }
    }

    /// The part that each region has.
    fn parts(&self) -> Vec<f64> {
        let (all, even) = (self.regions.all(), 1.0 / self.regions.counts.len().max(1) as f64);
        self.regions.counts.iter().map(|count| if self.are_even { even } else { count / all }).collect()
    }

    fn region(&self) -> Place {
        let counts = &self.regions.counts;
        match self.are_even {
            true => Place { at: most(counts).unwrap_or(0), share: 1.0 / counts.len().max(1) as f64 },
            false => crossed(counts, &self.halves[0]),
        }
    }

    fn server(&self) -> Place {
        let counts = &self.by_server.counts;
        if self.are_even {
            let at = most(&self.of_even).unwrap_or(0);
            Place { at, share: self.of_even.get(at).copied().unwrap_or(0.0) }
        } else if self.are_servers_even {
            Place { at: most(counts).unwrap_or(0), share: 1.0 / counts.len() as f64 }
        } else {
            crossed(counts, &self.halves[1])
        }
    }
}

/// The place that is asked for most. Chance finds which one it is in one half of the events, and its part in the other:
/// what it has put on it in the former it has not in the latter.
fn crossed(all: &[f64], [some, others]: &[Vec<f64>; 2]) -> Place {
    let sum: f64 = all.iter().sum();
    let Some(at) = most(all) else { return Place { at: 0, share: 0.0 } };
    let (Some(hot), Some(hot_others)) = (most(some), most(others)) else { return Place { at, share: all[at] / sum } };
    let share = (others[hot] + some[hot_others]) / sum;
    // None is more than all alike.
    Place { at, share: share.max(1.0 / all.len() as f64) }
}

/// The first of those that are asked for most; none of nothing.
fn most(counts: &[f64]) -> Option<usize> {
    let counts = counts.iter().enumerate().rev().filter(|(_, count)| **count > 0.0);
    counts.max_by(|(_, a), (_, b)| a.total_cmp(b)).map(|(at, _)| at)
}

/// Gini's coefficient of places: half of the mean difference of two of them, in parts of the mean, by as much less as
/// chance has put between them.
fn gini(counted: &Counted) -> f64 {
    let [uneven, chance] = counted.uneven();
    let own = if uneven > 0.0 { (1.0 - chance / uneven).max(0.0).sqrt() } else { 1.0 };
    let mut counts = counted.counts.clone();
    counts.sort_unstable_by(f64::total_cmp);
    let sum = counted.all();
    let ranked: f64 = (1..).zip(&counts).map(|(rank, count)| f64::from(rank) * count).sum();
    let n = counts.len() as f64;
    own * (2.0 * ranked / (n * sum) - (n + 1.0) / n)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gini_is_what_its_definition_says() {
        for counts in [vec![1.0, 1.0, 1.0, 1.0], vec![0.0, 0.0, 0.0, 4.0], vec![1.0, 2.0, 3.0, 4.0, 10.0], vec![5.0]] {
            let n = counts.len() as f64;
            let mean = counts.iter().sum::<f64>() / n;
            let differences: f64 = counts.iter().flat_map(|a| counts.iter().map(move |b| (a - b).abs())).sum();
            let found = gini(&Counted { counts: counts.clone(), ..Counted::default() });
            assert!((found - differences / (n * n) / (2.0 * mean)).abs() < 1e-12, "{counts:?}: {found}");
        }
    }

    #[test]
    fn chance_is_not_counted_twice() {
        // Each half has another one that is hottest.
        let halves = [[30.0, 20.0, 20.0], [20.0, 30.0, 20.0]].map(Vec::from);
        let found = crossed(&[50.0, 50.0, 40.0], &halves);
        assert!((found.share - 40.0 / 140.0).abs() < 0.05 && found.share >= 1.0 / 3.0, "{found:?}");
        // Nothing is known of chance.
        assert_eq!(crossed(&[3.0, 1.0], &[[3.0, 1.0], [0.0, 0.0]].map(Vec::from)).share.to_bits(), 0.75_f64.to_bits());
    }
}
