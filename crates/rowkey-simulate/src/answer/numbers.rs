//! The numbers of a run.

use rowkey_design::internal::cost::ReadCost;

use super::hottest::Hottest;
use super::peaks::Peaks;
use super::takes::Takes;
use crate::recording::Run;
use crate::run::{Interval, Region, Regions, Saturation, Server};
use crate::simulation::{Declared, Simulates};

/// The numbers of one run.
#[derive(Clone, Debug)]
pub(super) struct Numbers {
    pub(super) writes: f64,
    pub(super) reads: f64,
    pub(super) rows_read: f64,
    pub(super) read_cost: ReadCost,
    /// The word for a region; of an engine whose own are not simulated, for a range of keys.
    pub(super) region: &'static str,
    pub(super) sustained: Option<f64>,
    /// The rows written a second that the table takes at first, where it is less.
    pub(super) sustained_at_first: Option<f64>,
    pub(super) sustained_reads: Option<f64>,
    pub(super) busiest_server: f64,
    /// The part of the reads that the busiest server has, if there are any.
    pub(super) busiest_reader: Option<f64>,
    /// The regions that are written and read most.
    pub(super) hottest_written: Option<Hottest>,
    pub(super) hottest_read: Option<Hottest>,
    pub(super) gini: f64,
    /// The servers that saturate, by writes and by reads.
    pub(super) saturations: Vec<Saturation>,
    /// The most writes and reads a second that one server is asked for.
    pub(super) most: Takes,
    /// The part of the servers' time in which they work.
    pub(super) used: Option<f64>,
}

impl Numbers {
    pub(super) fn of(run: &Run, takes: Takes, declared: &Declared<'_>) -> Self {
        let seconds = run.settings.interval_ms.max(1) as f64 / 1000.0;
        let total = |of: fn(&Server) -> u64| {
            let servers = run.intervals.iter().flat_map(|interval| &interval.servers);
            servers.map(|server| of(server) as f64).sum::<f64>()
        };
        let all_seconds = seconds * run.intervals.len() as f64;
        let [written, read] = [later(run, |server| server.writes), later(run, |server| server.reads)];
        let busiest = |later: &[&Interval], reads: bool| {
            let part = median(later.iter().filter_map(|interval| run.busiest(interval, reads)).collect())?;
            Some(run.moving_server(later, reads).unwrap_or(0.0).max(part))
        };
        let of_writes = |region: &Region| region.rows_this_interval;
        // Of a table that nothing writes, its reads.
        let (uneven, of): (_, fn(&Region) -> u64) =
            if written.is_empty() { (&read, |region| region.reads_this_interval) } else { (&written, of_writes) };
        let unevenness = |interval: &&Interval| gini(interval.regions.iter().map(of));
        let busiest_server = busiest(&written, false).unwrap_or(0.0);
        let busiest_reader = busiest(&read, true);
        let later_ms = written.first().map_or(0, |interval| interval.t_ms);
        let peaks = Peaks::of(run);
        let work = total(|server| server.writes) / takes.writes + total(|server| server.reads) / takes.reads;
        let hours = all_seconds * f64::from(run.settings.servers.max(1));
        let mean = |of| total(of) / all_seconds.max(f64::MIN_POSITIVE);
        Self {
            writes: mean(|server| server.writes),
            reads: mean(|server| server.reads),
            rows_read: mean(|server| server.rows_read),
            read_cost: declared.read_cost(),
            region: region_word(declared.simulates == Simulates::Ranges),
            sustained: Some(takes.writes / busiest_server).filter(|rate| rate.is_finite()),
            sustained_reads: busiest_reader.map(|part| takes.reads / part).filter(|rate| rate.is_finite()),
            sustained_at_first: peaks.at_first(later_ms, busiest_server, takes.writes),
            busiest_server,
            busiest_reader,
            hottest_written: Hottest::of(run, &written, false, busiest_server),
            hottest_read: Hottest::of(run, &read, true, busiest_reader.unwrap_or(0.0)),
            gini: median(uneven.iter().filter_map(unevenness).collect()).unwrap_or(0.0),
            saturations: saturations(&peaks, takes),
            most: peaks.most(),
            used: Some(work / hours).filter(|_| takes.writes.is_finite() && hours > 0.0),
        }
    }
}

/// The saturations by writes and by reads: that of more of the time first.
fn saturations(peaks: &Peaks, takes: Takes) -> Vec<Saturation> {
    let both = [false, true].map(|reads| peaks.saturation(takes.of(reads), reads));
    let mut found: Vec<Saturation> = both.into_iter().flatten().collect();
    found.sort_by(|a, b| b.part.total_cmp(&a.part));
    found
}

/// The second half of the intervals in which there is any.
fn later(run: &Run, of: fn(&Server) -> u64) -> Vec<&Interval> {
    let is_any = |interval: &&Interval| interval.servers.iter().any(|server| of(server) > 0);
    let mut found: Vec<&Interval> = run.intervals.iter().filter(is_any).collect();
    found.split_off(found.len() / 2)
}

/// The word for a region, or for a range of an engine whose own are not simulated.
pub(super) const fn region_word(are_ranges: bool) -> &'static str {
    if are_ranges { "range" } else { "region" }
}

/// The regions at the end of a run, or the ranges of keys in place of those of the engine.
pub(super) fn regions(run: &Run, are_ranges: bool) -> Regions {
    let regions = run.intervals.last().map_or(&[][..], |interval| &interval.regions);
    let mut bytes: Vec<u64> = regions.iter().map(|region| region.bytes).collect();
    bytes.sort_unstable();
    Regions {
        count: regions.len() as u64,
        are_ranges,
        empty: regions.iter().filter(|region| region.rows == 0).count() as u64,
        median_bytes: bytes.get(bytes.len() / 2).copied().unwrap_or(0),
        most_bytes: bytes.last().copied().unwrap_or(0),
    }
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

fn median(mut of: Vec<f64>) -> Option<f64> {
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
