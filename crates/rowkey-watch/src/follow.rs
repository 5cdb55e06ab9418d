//! Following counts from reading to reading: they begin again when a region is opened elsewhere.

mod late;
mod recreated;

use rowkey_simulate::recording::Run;
use rowkey_simulate::run::{Key, Known, Merge, Move, Recreation, Region, Settings, Split};

use self::late::until;
use self::recreated::is_recreated;
use crate::options::Options;
use crate::reading::{Counts, Reading, RegionReading, ServerRun};
use crate::servers::Servers;
use crate::timeline::{Requests, Timeline};

/// The most splits, merges or moves that are kept.
const MOST_MARKS: usize = 1 << 16;

/// The readings of one table as intervals.
///
/// No count is negative: those of a region that was opened anew begin at 0. A region's requests between the last
/// reading before its closing and that closing are told by no server any more, and are in no interval. What was counted
/// between two readings is spread evenly over the time between them.
#[derive(Clone, Debug)]
pub struct Follow {
    timeline: Timeline,
    servers: Servers,
    splits: Vec<Split>,
    merges: Vec<Merge>,
    moves: Vec<Move>,
    recreations: Vec<Recreation>,
    /// The first keys of the regions at the first reading.
    first: Vec<Key>,
    first_ms: Option<u64>,
    now_ms: u64,
    seen: Vec<Seen>,
    latest: Latest,
    options: Options,
}

/// The regions at the last reading, with their requests since the one before.
#[derive(Clone, Debug, Default)]
pub struct Latest {
    /// The time since the reading before, in milliseconds.
    pub length_ms: u64,
    /// The regions, in the order of their keys. Their server is known by its number.
    pub regions: Vec<Region>,
    /// The number of those whose requests are of a longer time, as no server told of them at the reading before.
    pub of_longer: usize,
}

/// A region as it was told of last.
#[derive(Clone, Debug)]
struct Seen {
    start: Key,
    id: u64,
    opening: Option<i64>,
    /// The number of the server that it is on, or else was on, or the region that it came from.
    place: u32,
    /// The server and its counts; 0 of any server, if the region was opened since and no server has told of it yet.
    told: Option<(Option<ServerRun>, Counts)>,
    /// The time of that reading, and of the counts, which may be later.
    told_ms: u64,
    counted_ms: u64,
    /// The requests of these counts that are in intervals.
    put: Requests,
}

/// The requests since a time, and how much is known of them.
#[derive(Clone, Copy)]
struct Counted {
    requests: Requests,
    /// The requests since its opening that are in intervals with these.
    put: Requests,
    since_ms: u64,
    known: Known,
}

impl Default for Follow {
    fn default() -> Self {
        Self::new(Options::default())
    }
}

impl Follow {
    /// Follows a table of which nothing was read yet.
    pub fn new(options: Options) -> Self {
        let (servers, splits, merges, moves, recreations, first, seen, latest) = <_>::default();
        let (timeline, first_ms, now_ms) = (Timeline::new(options), None, 0);
        Self { timeline, servers, splits, merges, moves, recreations, first, first_ms, now_ms, seen, latest, options }
    }

    /// The addresses of the servers, by number.
    pub fn servers(&self) -> &[String] {
        &self.servers.names
    }

    /// The regions now, with their requests since the reading before the last.
    pub const fn latest(&self) -> &Latest {
        &self.latest
    }

    /// The time between the first reading and the last, in milliseconds.
    pub const fn elapsed_ms(&self) -> u64 {
        self.now_ms
    }

    /// Adds a reading. The first one is where counts begin.
    pub fn add(&mut self, reading: &Reading) {
        let is_first = self.first_ms.is_none();
        let first_ms = *self.first_ms.get_or_insert(reading.t_ms);
        let from_ms = self.now_ms;
        let t_ms = reading.t_ms.saturating_sub(first_ms).max(from_ms);
        self.servers.look(reading, from_ms, t_ms);
        let before = std::mem::take(&mut self.seen);
        let is_recreated = is_recreated(&before, &reading.regions);
        if is_recreated && self.recreations.len() < MOST_MARKS {
            self.recreations.push(Recreation { t_ms });
        }
        let (mut regions, mut counted) = (Vec::new(), Vec::new());
        for (place, region) in reading.regions.iter().enumerate() {
            let end = reading.regions.get(place + 1).map(|next| &next.start);
            let overlapped = overlapped(&before, &region.start, end);
            let same = overlapped.iter().find(|seen| seen.start == region.start && seen.id == region.id);
            let is_opened_since = !overlapped.is_empty() && overlapped.iter().all(|seen| seen.id < region.id);
            if is_opened_since && !is_recreated {
                self.note_change(t_ms, overlapped, region);
            }
            let server = self.server_of(t_ms, same, overlapped, region);
            let own = count(same, region, is_opened_since, (from_ms, t_ms));
            regions.push(bare(region, same, server));
            self.seen.push(seen(same, region, is_opened_since, (from_ms, t_ms), own.put, server));
            counted.push(own);
        }
        self.now_ms = t_ms;
        if is_first {
            self.first = regions.into_iter().map(|region| region.start).collect();
        } else {
            self.put(from_ms, t_ms, regions, &counted);
        }
    }

    /// Adds what was counted of regions since the reading before.
    fn put(&mut self, from_ms: u64, t_ms: u64, mut regions: Vec<Region>, counted: &[Counted]) {
        self.timeline.go_on(t_ms, &regions, self.servers.names.len());
        for (region, counted) in regions.iter_mut().zip(counted) {
            self.timeline.add(&region.start, counted.since_ms, t_ms, counted.requests);
            match counted.since_ms < from_ms {
                true => self.timeline.mark_as_part(&region.start, counted.since_ms, t_ms),
                false => self.timeline.mark(&region.start, from_ms, t_ms, counted.known),
            }
            region.rows_this_interval = counted.requests.writes;
            region.reads_this_interval = counted.requests.reads;
            region.known = counted.known;
        }
        let of_longer = counted.iter().filter(|counted| counted.since_ms < from_ms).count();
        self.latest = Latest { length_ms: t_ms - from_ms, regions, of_longer };
    }

    /// Notes the split or the merge by which a region came to be.
    fn note_change(&mut self, t_ms: u64, overlapped: &[Seen], region: &RegionReading) {
        let first = &overlapped[0];
        if first.start < region.start && self.splits.len() < MOST_MARKS {
            let split = Split { t_ms, start: first.start.clone(), at: region.start.clone(), files: Vec::new() };
            self.splits.push(split);
        }
        let others: Vec<Key> = overlapped[1..].iter().map(|seen| seen.start.clone()).collect();
        if !others.is_empty() && self.merges.len() < MOST_MARKS {
            self.merges.push(Merge { t_ms, start: region.start.clone(), others });
        }
    }

    /// The number of a region's server, or of its last one, or that of the region it came from; a move is noted.
    fn server_of(&mut self, t_ms: u64, same: Option<&Seen>, overlapped: &[Seen], region: &RegionReading) -> u32 {
        let before = same.and_then(|seen| seen.told.as_ref()?.0.as_ref());
        let before = before.map(|server| self.servers.number(t_ms, server));
        let now = region.counts.as_ref().map(|(server, _)| self.servers.number(t_ms, server));
        if let (Some(from), Some(to)) = (before, now)
            && from != to
            && self.moves.len() < MOST_MARKS
        {
            self.moves.push(Move { t_ms, start: region.start.clone(), from, to });
        }
        now.or_else(|| overlapped.first().map(|seen| seen.place)).unwrap_or(0)
    }

    /// The run of what was read: that of these settings, but for its servers, intervals and first regions.
    pub fn into_run(self, settings: Settings) -> Run {
        let asked_ms = self.options.interval_ms;
        let (interval_ms, intervals) = self.timeline.end();
        let servers = u32::try_from(self.servers.names.len()).unwrap_or(u32::MAX).max(1);
        let splits = self.first.into_iter().filter(|start| !start.0.is_empty()).collect();
        let names = self.servers.names;
        let mut run = Run::new(Settings { servers, server_names: names, interval_ms, splits, ..settings });
        if interval_ms > asked_ms {
            let (now, asked) = (interval_ms as f64 / 1000.0, asked_ms as f64 / 1000.0);
            run.assumed.push(format!("its regions are told each {now} s, not {asked} s: they would be too many"));
        }
        if [self.splits.len(), self.merges.len(), self.moves.len()].contains(&MOST_MARKS) {
            run.assumed.push(format!("of splits, merges and moves the first {MOST_MARKS} each are told"));
        }
        (run.splits, run.merges, run.moves) = (self.splits, self.merges, self.moves);
        run.recreations = self.recreations;
        (run.restarts, run.silences) = (self.servers.restarts, self.servers.silences);
        run.intervals = intervals;
        run
    }
}

/// The regions that have keys from one up to another.
fn overlapped<'k>(seen: &'k [Seen], start: &Key, end: Option<&Key>) -> &'k [Seen] {
    let from = seen.partition_point(|region| region.start <= *start).saturating_sub(1);
    let until = seen.partition_point(|region| end.is_none_or(|end| region.start < *end));
    &seen[from..until.max(from)]
}

/// The requests since a region was told of last; or since its opening, if that was later. Nothing, if it is told of
/// for the first time and may have been open before.
fn count(same: Option<&Seen>, region: &RegionReading, is_opened_since: bool, (from_ms, t_ms): (u64, u64)) -> Counted {
    let told_now = region.counts.as_ref().map_or_else(Requests::default, |(_, now)| requests(now));
    let none = Counted { requests: Requests::default(), put: told_now, since_ms: from_ms, known: Known::None };
    let Some((server, now)) = &region.counts else { return none };
    let told = same.and_then(|seen| Some((seen, seen.told.as_ref()?)));
    let is_opened_anew = same.is_some_and(|seen| seen.opening.zip(region.opening).is_some_and(|(of, now)| of != now));
    let (before, put, since_ms, known) = match told {
        Some((seen, (of, before))) if !is_opened_anew && continues(of.as_ref(), before, server, now) => {
            let is_all = of.is_some() && seen.told_ms == from_ms;
            let known = if is_all { Known::All } else { Known::Part };
            ((seen.counted_ms, requests(before)), seen.put, seen.told_ms, known)
        }
        None if !is_opened_since => return none,
        // What came before it was closed is not known.
        _ => ((from_ms, Requests::default()), Requests::default(), from_ms, Known::Part),
    };
    let until = until(t_ms, before, (t_ms.saturating_add(region.late_ms), told_now));
    let requests = Requests { writes: until.writes - put.writes, reads: until.reads - put.reads };
    Counted { requests, put: until, since_ms, known }
}

fn requests(counts: &Counts) -> Requests {
    Requests { writes: counts.writes, reads: counts.reads }
}

/// Returns whether counts go on from those before. A region that was opened anew at the same run of a server, and has
/// more requests since than before, is told from one that stayed open by the number of its opening alone.
fn continues(of: Option<&ServerRun>, before: &Counts, server: &ServerRun, now: &Counts) -> bool {
    of.is_none_or(|of| of == server) && before.writes <= now.writes && before.reads <= now.reads
}

/// The number of a region's opening; none where its counts began anew and `hbase:meta` still has the number of before.
fn opening(same: Option<&Seen>, region: &RegionReading) -> Option<i64> {
    let before = same.filter(|seen| seen.opening == region.opening).and_then(|seen| seen.told.as_ref());
    match (before, &region.counts) {
        (Some((of, before)), Some((server, now))) if !continues(of.as_ref(), before, server, now) => None,
        _ => region.opening,
    }
}

fn seen(
    same: Option<&Seen>,
    region: &RegionReading,
    is_opened_since: bool,
    (from_ms, t_ms): (u64, u64),
    put: Requests,
    place: u32,
) -> Seen {
    let (start, id, opening) = (region.start.clone(), region.id, opening(same, region));
    match (&region.counts, same) {
        (Some((server, counts)), _) => {
            let (told, counted_ms) = (Some((Some(server.clone()), *counts)), t_ms.saturating_add(region.late_ms));
            Seen { start, id, opening, place, told, told_ms: t_ms, counted_ms, put }
        }
        (None, Some(same)) => same.clone(),
        (None, None) => {
            let told = is_opened_since.then(|| (None, Counts::default()));
            Seen { start, id, opening, place, told, told_ms: from_ms, counted_ms: from_ms, put }
        }
    }
}

/// A region without its requests, with the sizes that were told of it last.
fn bare(region: &RegionReading, same: Option<&Seen>, server: u32) -> Region {
    let told = region.counts.as_ref().map(|(_, counts)| counts);
    let told = told.or_else(|| Some(&same?.told.as_ref()?.1));
    let counts = told.copied().unwrap_or_default();
    Region {
        start: region.start.clone(),
        server,
        rows: 0,
        rows_this_interval: 0,
        reads_this_interval: 0,
        bytes: counts.bytes,
        files: counts.files,
        known: Known::All,
    }
}
