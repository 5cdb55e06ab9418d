//! The numbers of a run.

use super::hottest::Hottest;
use super::peaks::Peaks;
use super::placing::{Placing, heaviest};
use super::recurring::{Anew, Recurring, grows};
use super::shares::{Share, Shares};
use super::takes::Takes;
use super::text::region_word;
use super::unknown::unknown;
use crate::recording::Run;
use crate::run::{Regions, Saturation, Server};
use crate::simulation::{Declared, Simulates};

/// The numbers of one run.
#[derive(Clone, Debug)]
pub(super) struct Numbers {
    pub(super) writes: f64,
    pub(super) reads: f64,
    pub(super) rows_read: f64,
    /// The word for a region; of an engine whose own are not simulated, for a range of keys.
    pub(super) region: &'static str,
    /// The number of them at the end.
    pub(super) regions: usize,
    /// True if there are as many regions as servers in the middle of the run.
    pub(super) are_on_all: bool,
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
    /// The placing of the ranges of what saturates, by writes and by reads.
    pub(super) placings: [Option<Placing>; 2],
    /// The times at which a load that goes elsewhere asks a server for most, by writes and by reads.
    pub(super) recurring: [Option<Recurring>; 2],
    /// The part of all that the heaviest value has, where it is known, and more than a server takes.
    pub(super) heaviest: [Option<f64>; 2],
    /// The most writes and reads a second that one server is asked for.
    pub(super) most: [f64; 2],
    /// The parts of all that these are, where it is known.
    pub(super) parts_of_most: [Option<f64>; 2],
    /// The part of the servers' time in which they work.
    pub(super) used: Option<f64>,
}

impl Numbers {
    pub(super) fn of(run: &Run, takes: Takes, declared: &Declared<'_>) -> Self {
        let total = |of: fn(&Server) -> u64| {
            let servers = run.intervals.iter().flat_map(|interval| &interval.servers);
            servers.map(|server| of(server) as f64).sum::<f64>()
        };
        let all_seconds = run.seconds();
        let shares = [false, true].map(|reads| Shares::of(run, reads));
        let [written, read] = shares.each_ref().map(Shares::later);
        let busiest = |later: &[Share<'_>]| median(later.iter().map(Share::busiest));
        // Of a table that nothing writes, its reads.
        let uneven = if written.is_empty() { read } else { written };
        let busiest_server = busiest(written).unwrap_or(0.0);
        let busiest_reader = busiest(read);
        let later_ms = written.first().map_or(0, |share| share.interval.t_ms);
        let median_of = [busiest_server, busiest_reader.unwrap_or(0.0)];
        let peaks = Peaks::of(run, &shares);
        let recurring = [false, true].map(|reads| {
            let of = usize::from(reads);
            let anew = Anew::of(declared, run.is_watched(), reads);
            grows(declared).then(|| Recurring::of(&peaks, &shares[of], reads, median_of[of], anew)).flatten()
        });
        let mut saturations = saturations(&peaks, takes);
        for saturation in &mut saturations {
            let again = recurring[usize::from(saturation.reads)].filter(|again| again.asked > saturation.takes);
            saturation.passes &= again.is_none();
        }
        let [part_written, part_read] = [0, 1].map(|of| recurring[of].map_or(median_of[of], |again| again.server));
        let heaviest = [false, true].map(|reads| {
            let of = usize::from(reads);
            let stays = recurring[of].is_none() && shares[of].of.iter().all(|share| share.moving.is_none());
            heaviest(run, declared, &peaks, takes.of(reads), reads).filter(|_| stays)
        });
        let placings = [false, true].map(|reads| {
            let (of, saturation) = (usize::from(reads), saturations.iter().find(|found| found.reads == reads)?);
            Placing::of(run, declared, &shares[of], &peaks, saturation, heaviest[of])
        });
        let [writes, reads] = [false, true].map(|reads| run.extension(reads));
        let work =
            total(|server| server.writes) * writes / takes.writes + total(|server| server.reads) * reads / takes.reads;
        let resting = |reads: bool| {
            let of = usize::from(reads);
            recurring[of].is_none().then_some(median_of[of])
        };
        let hours = all_seconds * f64::from(run.settings.servers.max(1));
        let mean = |of, extension| total(of) * extension / all_seconds.max(f64::MIN_POSITIVE);
        Self {
            writes: mean(|server| server.writes, writes),
            reads: mean(|server| server.reads, reads),
            rows_read: mean(|server| server.rows_read, reads),
            region: region_word(declared.simulates == Simulates::Ranges),
            are_on_all: run
                .intervals
                .get(run.intervals.len() / 2)
                .is_some_and(|middle| middle.regions.len() >= run.settings.servers as usize),
            regions: run.intervals.last().map_or(0, |interval| interval.regions.len()),
            sustained: Some(takes.writes / part_written).filter(|rate| rate.is_finite()),
            sustained_reads: busiest_reader.map(|_| takes.reads / part_read).filter(|rate| rate.is_finite()),
            sustained_at_first: peaks.at_first(later_ms, part_written, takes.writes),
            busiest_server,
            busiest_reader,
            hottest_written: Hottest::of(run, written, false, resting(false)),
            hottest_read: Hottest::of(run, read, true, resting(true)),
            gini: median(uneven.iter().map(|share| share.gini)).unwrap_or(0.0),
            saturations,
            placings,
            recurring,
            heaviest,
            most: peaks.most(),
            parts_of_most: [false, true].map(|reads| peaks.part_of_most(reads)),
            used: Some(work / hours).filter(|_| takes.writes.is_finite() && hours > 0.0),
        }
    }
}

/// The saturations by writes and by reads: that of more of the time first.
fn saturations(peaks: &Peaks<'_>, takes: Takes) -> Vec<Saturation> {
    let both = [false, true].map(|reads| peaks.saturation(takes.of(reads), reads));
    let mut found: Vec<Saturation> = both.into_iter().flatten().collect();
    found.sort_by(|a, b| b.part.total_cmp(&a.part));
    found
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
        unknown: unknown(run),
        median_bytes: bytes.get(bytes.len() / 2).copied().unwrap_or(0),
        most_bytes: bytes.last().copied().unwrap_or(0),
    }
}

fn median(of: impl Iterator<Item = f64>) -> Option<f64> {
    let mut of: Vec<f64> = of.collect();
    of.sort_unstable_by(f64::total_cmp);
    of.get(of.len() / 2).copied()
}
