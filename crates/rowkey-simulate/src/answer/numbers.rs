//! The numbers of a run.

use crate::recording::Run;
use crate::run::{Interval, Region, Regions, Saturation, Server};

/// The rows a second that one server takes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Takes {
    pub(super) writes: f64,
    pub(super) reads: f64,
}

/// The numbers of one run.
#[derive(Clone, Debug)]
pub(super) struct Numbers {
    pub(super) writes: f64,
    pub(super) reads: f64,
    pub(super) sustained: Option<f64>,
    pub(super) sustained_reads: Option<f64>,
    pub(super) busiest_server: f64,
    pub(super) hottest_region: f64,
    /// The parts of the reads that the busiest server and the hottest region have, if there are any.
    pub(super) busiest_reader: Option<f64>,
    pub(super) hottest_read: Option<f64>,
    pub(super) gini: f64,
    pub(super) saturates: Option<Saturation>,
    /// The most writes and reads a second that one server is asked for.
    pub(super) most: Takes,
    /// The part of the servers' time in which they work.
    pub(super) used: Option<f64>,
}

impl Numbers {
    pub(super) fn of(run: &Run, takes: Takes) -> Self {
        let seconds = run.settings.interval_ms.max(1) as f64 / 1000.0;
        let total = |of: fn(&Server) -> u64| {
            let servers = run.intervals.iter().flat_map(|interval| &interval.servers);
            servers.map(|server| of(server) as f64).sum::<f64>()
        };
        let all_seconds = seconds * run.intervals.len() as f64;
        let later = &run.intervals[run.intervals.len() / 2..];
        let of_later = |of: &dyn Fn(&Interval) -> Option<f64>| median(later.iter().filter_map(of).collect());
        let of_servers = |of: fn(&Server) -> u64| of_later(&|interval| share(interval.servers.iter().map(of)));
        let of_regions = |of: fn(&Region) -> u64| of_later(&|interval| share(interval.regions.iter().map(of)));
        let most = |of: fn(&Server) -> u64| {
            let servers = run.intervals.iter().flat_map(|interval| &interval.servers);
            servers.map(of).max().unwrap_or(0) as f64 / seconds
        };
        let busiest_server = of_servers(|server| server.writes).unwrap_or(0.0);
        let busiest_reader = of_servers(|server| server.reads);
        let work = total(|server| server.writes) / takes.writes + total(|server| server.reads) / takes.reads;
        let hours = all_seconds * f64::from(run.settings.servers.max(1));
        let mean = |of| total(of) / all_seconds.max(f64::MIN_POSITIVE);
        Self {
            writes: mean(|server| server.writes),
            reads: mean(|server| server.reads),
            sustained: Some(takes.writes / busiest_server).filter(|rate| rate.is_finite()),
            sustained_reads: busiest_reader.map(|part| takes.reads / part).filter(|rate| rate.is_finite()),
            busiest_server,
            hottest_region: of_regions(|region| region.rows_this_interval).unwrap_or(0.0),
            busiest_reader,
            hottest_read: of_regions(|region| region.reads_this_interval),
            gini: of_later(&|interval| gini(interval.regions.iter().map(|region| region.rows_this_interval)))
                .unwrap_or(0.0),
            saturates: saturation(run, takes, seconds),
            most: Takes { writes: most(|server| server.writes), reads: most(|server| server.reads) },
            used: Some(work / hours).filter(|_| takes.writes.is_finite() && hours > 0.0),
        }
    }
}

/// The first server that is asked for more than it takes, by more than what chance has put on it.
fn saturation(run: &Run, takes: Takes, seconds: f64) -> Option<Saturation> {
    // Three standard deviations of a sample in which each event stands for so many rows.
    let weight = run.settings.rows_per_event.unwrap_or(1) as f64;
    let limit = |takes: f64| takes + 3.0 * (takes * weight / seconds).sqrt();
    let rates = [(false, takes.writes), (true, takes.reads)];
    let of = |server: &Server, reads: bool| if reads { server.reads } else { server.writes } as f64 / seconds;
    let over = |server: &Server| rates.into_iter().find(|(reads, takes)| of(server, *reads) > limit(*takes));
    let is_over = |interval: &&Interval| interval.servers.iter().any(|server| over(server).is_some());
    let first = run.intervals.iter().find(is_over)?;
    let (number, (reads, takes)) = (0..).zip(&first.servers).find_map(|(at, server)| Some((at, over(server)?)))?;
    let servers = run.intervals.iter().flat_map(|interval| &interval.servers);
    Some(Saturation {
        reads,
        server: number,
        t_ms: first.t_ms,
        part: run.intervals.iter().filter(is_over).count() as f64 / run.intervals.len() as f64,
        asked: servers.map(|server| of(server, reads)).fold(0.0, f64::max),
        takes,
    })
}

/// The regions at the end of a run.
pub(super) fn regions(run: &Run) -> Regions {
    let regions = run.intervals.last().map_or(&[][..], |interval| &interval.regions);
    let mut bytes: Vec<u64> = regions.iter().map(|region| region.bytes).collect();
    bytes.sort_unstable();
    Regions {
        count: regions.len() as u64,
        empty: regions.iter().filter(|region| region.rows == 0).count() as u64,
        median_bytes: bytes.get(bytes.len() / 2).copied().unwrap_or(0),
        most_bytes: bytes.last().copied().unwrap_or(0),
    }
}

/// The greatest part of a sum; none of nothing.
fn share(counts: impl Iterator<Item = u64>) -> Option<f64> {
    let (mut sum, mut most) = (0u128, 0u64);
    counts.for_each(|count| (sum, most) = (sum + u128::from(count), most.max(count)));
    (sum > 0).then(|| most as f64 / sum as f64)
}

/// Gini's coefficient: half of the mean difference of two of them, in parts of the mean. None of nothing.
fn gini(counts: impl Iterator<Item = u64>) -> Option<f64> {
    let mut counts: Vec<u64> = counts.collect();
    counts.sort_unstable();
    let sum: f64 = counts.iter().map(|count| *count as f64).sum();
    let ranked: f64 = (1..).zip(&counts).map(|(rank, count)| f64::from(rank) * *count as f64).sum();
    let n = counts.len() as f64;
    (sum > 0.0).then(|| 2.0 * ranked / (n * sum) - (n + 1.0) / n)
}

pub(super) fn median(mut of: Vec<f64>) -> Option<f64> {
    of.sort_unstable_by(f64::total_cmp);
    of.get(of.len() / 2).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gini_is_what_its_definition_says() {
        for counts in [vec![1, 1, 1, 1], vec![0, 0, 0, 4], vec![1, 2, 3, 4, 10], vec![5], vec![7, 0]] {
            let n = counts.len() as f64;
            let mean = counts.iter().sum::<u64>() as f64 / n;
            let differences = counts.iter().flat_map(|a| counts.iter().map(|b| a.abs_diff(*b) as f64)).sum::<f64>();
            let found = gini(counts.iter().copied()).unwrap();
            assert!((found - differences / (n * n) / (2.0 * mean)).abs() < 1e-12, "{counts:?}: {found}");
        }
        assert_eq!(gini([0, 0].into_iter()), None);
    }
}
