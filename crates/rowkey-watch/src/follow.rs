//! Following counts from reading to reading: they begin again when a region is opened elsewhere.

use rowkey_simulate::run::{Interval, Key, Move, Region, Server, Split};

use crate::reading::{Counts, Reading, RegionReading, ServerRun};

/// Regions that became one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Merge {
    /// The time of the first reading that has it, in milliseconds.
    pub t_ms: u64,
    /// The first key of the region that they became.
    pub start: Key,
    /// The first keys of the others.
    pub others: Vec<Key>,
}

/// The readings of one table as intervals.
///
/// No count is negative: those of a region that was opened anew begin at 0. A region's requests between the last
/// reading before its closing and that closing are told by no server any more, and are in no interval.
#[derive(Clone, Debug, Default)]
pub struct Follow {
    /// The addresses of the servers, by number.
    pub servers: Vec<String>,
    /// The intervals, each from a reading to the next.
    pub intervals: Vec<Interval>,
    /// The splits.
    pub splits: Vec<Split>,
    /// The merges.
    pub merges: Vec<Merge>,
    /// The moves.
    pub moves: Vec<Move>,
    /// The intervals and first keys of the regions of which no server told then. Their counts are 0, or an even part of
    /// what their server told later.
    pub gaps: Vec<(usize, Key)>,
    known: Vec<Known>,
}

/// A region as it was told of last.
#[derive(Clone, Debug)]
struct Known {
    start: Key,
    id: u64,
    /// The server and its counts; 0 of any server, if the region was opened since and no server has told of it yet.
    told: Option<(Option<ServerRun>, Counts)>,
    /// The readings since then.
    silent: usize,
}

/// The requests since the last count, and the number of intervals that they are of.
#[derive(Clone, Copy, Default)]
struct Counted {
    writes: u64,
    reads: u64,
    intervals: usize,
}

impl Counted {
    /// Removes the even part of each interval but the last, and returns it.
    fn take_earlier(&mut self) -> (u64, u64) {
        let all = self.intervals.max(1) as u64;
        let (writes, reads) = (self.writes / all, self.reads / all);
        self.writes -= writes * (all - 1);
        self.reads -= reads * (all - 1);
        (writes, reads)
    }
}

impl Follow {
    /// Adds a reading. The first one is where counts begin; each other one ends an interval.
    pub fn add(&mut self, reading: &Reading) {
        let before = std::mem::take(&mut self.known);
        let at = self.intervals.len();
        let mut regions = Vec::with_capacity(reading.regions.len());
        for (place, region) in reading.regions.iter().enumerate() {
            let end = reading.regions.get(place + 1).map(|next| &next.start);
            let overlapped = overlapped(&before, &region.start, end);
            let same = overlapped.iter().find(|known| known.start == region.start && known.id == region.id);
            let is_opened_since = !overlapped.is_empty() && overlapped.iter().all(|known| known.id < region.id);
            if is_opened_since {
                self.note_change(reading.t_ms, overlapped, region);
            }
            let server = self.server_of(reading.t_ms, same, region);
            let mut counted = counted(same, region, is_opened_since);
            let (writes, reads) = counted.take_earlier();
            for earlier in at.saturating_sub(counted.intervals.saturating_sub(1))..at {
                self.add_to(earlier, &region.start, writes, reads);
            }
            if region.counts.is_none() && !before.is_empty() {
                self.gaps.push((at, region.start.clone()));
            }
            regions.push(interval_region(region, server, counted));
            self.known.push(known(same, region, is_opened_since));
        }
        if !before.is_empty() {
            self.intervals.push(Interval { t_ms: reading.t_ms, servers: sums(&regions, self.servers.len()), regions });
        }
    }

    /// Notes the split or the merge by which a region came to be.
    fn note_change(&mut self, t_ms: u64, overlapped: &[Known], region: &RegionReading) {
        let first = &overlapped[0];
        if first.start < region.start {
            let split = Split { t_ms, start: first.start.clone(), at: region.start.clone(), files: Vec::new() };
            self.splits.push(split);
        }
        let others: Vec<Key> = overlapped[1..].iter().map(|known| known.start.clone()).collect();
        if !others.is_empty() {
            self.merges.push(Merge { t_ms, start: region.start.clone(), others });
        }
    }

    /// The number of a region's server, or of its last one; a move is noted.
    fn server_of(&mut self, t_ms: u64, same: Option<&Known>, region: &RegionReading) -> u32 {
        let before = same.and_then(|known| known.told.as_ref()?.0.as_ref()).map(|server| self.number(&server.address));
        let now = region.counts.as_ref().map(|(server, _)| self.number(&server.address));
        if let (Some(from), Some(to)) = (before, now)
            && from != to
        {
            self.moves.push(Move { t_ms, start: region.start.clone(), from, to });
        }
        now.or(before).unwrap_or(0)
    }

    fn number(&mut self, address: &str) -> u32 {
        let known = self.servers.iter().position(|known| known == address);
        known.unwrap_or_else(|| {
            self.servers.push(address.to_owned());
            self.servers.len() - 1
        }) as u32
    }

    /// Adds counts to an interval that has ended, in which the region was not told of.
    fn add_to(&mut self, interval: usize, start: &Key, writes: u64, reads: u64) {
        let Some(interval) = self.intervals.get_mut(interval) else { return };
        let Ok(at) = interval.regions.binary_search_by(|region| region.start.cmp(start)) else { return };
        let region = &mut interval.regions[at];
        region.rows_this_interval += writes;
        region.reads_this_interval += reads;
        count(&mut interval.servers, region.server, writes, reads);
    }
}

/// Adds requests to those of a server.
fn count(servers: &mut [Server], number: u32, writes: u64, reads: u64) {
    if let Some(server) = servers.get_mut(number as usize) {
        server.writes += writes;
        server.reads += reads;
        server.rows_read += reads;
    }
}

/// The regions that have keys from one up to another.
fn overlapped<'k>(known: &'k [Known], start: &Key, end: Option<&Key>) -> &'k [Known] {
    let from = known.partition_point(|region| region.start <= *start).saturating_sub(1);
    let until = known.partition_point(|region| end.is_none_or(|end| region.start < *end));
    &known[from..until.max(from)]
}

/// The requests since a region was told of last; or since its opening, if that was later. Nothing, if it is told of
/// for the first time and may have been open before.
fn counted(same: Option<&Known>, region: &RegionReading, is_opened_since: bool) -> Counted {
    let Some((server, now)) = &region.counts else { return Counted::default() };
    let told = same.and_then(|known| Some((known.told.as_ref()?, known.silent)));
    let (before, intervals) = match told {
        Some(((of, before), silent)) if continues(of.as_ref(), before, server, now) => (*before, silent + 1),
        Some(_) => (Counts::default(), 1),
        None if is_opened_since => (Counts::default(), 1),
        None => (*now, 1),
    };
    Counted { writes: now.writes - before.writes, reads: now.reads - before.reads, intervals }
}

/// Returns whether counts go on from those before. A region that was opened anew at the same run of a server, and has
/// more requests since than before, can't be told from one that stayed open.
fn continues(of: Option<&ServerRun>, before: &Counts, server: &ServerRun, now: &Counts) -> bool {
    of.is_none_or(|of| of == server) && before.writes <= now.writes && before.reads <= now.reads
}

fn known(same: Option<&Known>, region: &RegionReading, is_opened_since: bool) -> Known {
    let (start, id) = (region.start.clone(), region.id);
    match (&region.counts, same) {
        (Some((server, counts)), _) => Known { start, id, told: Some((Some(server.clone()), *counts)), silent: 0 },
        (None, Some(same)) => Known { silent: same.silent + 1, ..same.clone() },
        (None, None) => Known {
            start,
            id,
            told: is_opened_since.then(|| (None, Counts::default())),
            silent: is_opened_since.into(),
        },
    }
}

fn interval_region(region: &RegionReading, server: u32, counted: Counted) -> Region {
    let counts = region.counts.as_ref().map_or_else(Counts::default, |(_, counts)| *counts);
    Region {
        start: region.start.clone(),
        server,
        rows: 0,
        rows_this_interval: counted.writes,
        reads_this_interval: counted.reads,
        bytes: counts.bytes,
        files: counts.files,
    }
}

/// The requests of regions, by the number of their server.
fn sums(regions: &[Region], servers: usize) -> Vec<Server> {
    let mut sums = vec![Server::default(); servers];
    for region in regions {
        count(&mut sums, region.server, region.rows_this_interval, region.reads_this_interval);
    }
    sums
}
