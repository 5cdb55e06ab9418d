//! Intervals of one length, whenever the readings come: what was counted between two of them is spread evenly over the
//! time between.

mod coarse;

use rowkey_simulate::run::{Interval, Key, Known, Region, Server};

use self::coarse::{divided, known_at, of_both};
use crate::options::Options;

/// Requests between two times.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Requests {
    pub(crate) writes: u64,
    pub(crate) reads: u64,
}

/// Less than this part of an interval says nothing about how much of it is known: readings come a little late.
const LITTLE: u64 = 20;

/// The intervals from the first reading on, of which the last one is under way. They are joined by two when they are too
/// many, or have too many regions.
#[derive(Clone, Debug)]
pub(crate) struct Timeline {
    intervals: Vec<Interval>,
    length_ms: u64,
    options: Options,
    /// The time of the last reading, and its regions without their requests.
    now_ms: u64,
    regions: Vec<Region>,
}

impl Timeline {
    pub(crate) fn new(options: Options) -> Self {
        Self { intervals: Vec::new(), length_ms: options.interval_ms, options, now_ms: 0, regions: Vec::new() }
    }

    /// Goes on to the time of a reading with these regions, without their requests. Intervals that have ended before the
    /// reading before stay as they are.
    pub(crate) fn go_on(&mut self, t_ms: u64, regions: &[Region], servers: usize) {
        let bare =
            |end_ms| Interval { t_ms: end_ms, regions: regions.to_vec(), servers: vec![Server::default(); servers] };
        if let Some(last) = self.intervals.last_mut().filter(|last| last.t_ms > self.now_ms) {
            let mut fresh = bare(last.t_ms);
            for region in &mut fresh.regions {
                region.known = known_at(&last.regions, region);
            }
            *last = of_both(last, fresh);
        }
        while self.end_ms() < t_ms {
            self.intervals.push(bare(self.end_ms().saturating_add(self.length_ms)));
            self.bound();
        }
        self.now_ms = t_ms;
        self.regions = regions.to_vec();
    }

    fn end_ms(&self) -> u64 {
        self.intervals.last().map_or(0, |last| last.t_ms)
    }

    /// Joins intervals while there are too many. Of an odd number the last would stay half as long as the others.
    fn bound(&mut self) {
        let regions = |intervals: &[Interval]| intervals.iter().map(|interval| interval.regions.len()).sum::<usize>();
        let is_even = |count: usize| count > 0 && count.is_multiple_of(2);
        while is_even(self.intervals.len())
            && (self.intervals.len() >= self.options.most_intervals
                || regions(&self.intervals) > self.options.most_regions)
        {
            let mut pairs = Vec::with_capacity(self.intervals.len() / 2);
            let mut rest = std::mem::take(&mut self.intervals).into_iter();
            while let (Some(first), Some(second)) = (rest.next(), rest.next()) {
                pairs.push(of_both(&first, second));
            }
            self.intervals = pairs;
            self.length_ms = self.length_ms.saturating_mul(2);
        }
    }

    /// The intervals that have a part of the time between two others, each with the first and the last moment of it.
    fn between(&self, from_ms: u64, to_ms: u64) -> impl Iterator<Item = (usize, u64, u64)> + use<> {
        let length_ms = self.length_ms;
        let first = usize::try_from(from_ms / length_ms).unwrap_or(usize::MAX);
        let last = usize::try_from(to_ms.saturating_sub(1).max(from_ms) / length_ms).unwrap_or(usize::MAX);
        (first..=last.min(self.intervals.len().saturating_sub(1))).map(move |at| {
            let begin = length_ms.saturating_mul(at as u64);
            (at, begin.max(from_ms), begin.saturating_add(length_ms).min(to_ms).max(from_ms))
        })
    }

    /// Adds the requests to the region that begins with a key, or had it, between two times.
    pub(crate) fn add(&mut self, start: &Key, from_ms: u64, to_ms: u64, requests: Requests) {
        let Requests { writes, reads } = requests;
        if requests == Requests::default() {
            return;
        }
        let all = to_ms.saturating_sub(from_ms);
        let until = |count: u64, t_ms: u64| match all {
            0 => count,
            all => u64::try_from(u128::from(count) * u128::from(t_ms - from_ms) / u128::from(all)).unwrap_or(count),
        };
        let mut given = Requests::default();
        for (at, _, end_ms) in self.between(from_ms, to_ms) {
            let now = Requests { writes: until(writes, end_ms), reads: until(reads, end_ms) };
            let part = Requests { writes: now.writes - given.writes, reads: now.reads - given.reads };
            add_to(&mut self.intervals[at], start, part);
            given = now;
        }
    }

    /// Says how much is known of a region between two times. What is said of the beginning of an interval comes first.
    pub(crate) fn mark(&mut self, start: &Key, from_ms: u64, to_ms: u64, known: Known) {
        let little = self.length_ms / LITTLE;
        for (at, first_ms, end_ms) in self.between(from_ms, to_ms) {
            let begins = first_ms <= self.length_ms.saturating_mul(at as u64).saturating_add(little);
            let is_little = end_ms - first_ms <= little && self.length_ms > 1;
            // Of a region that was split since, its parts are not known.
            let known = if self.has_parts_of(at, start) { Known::Part } else { known };
            if begins && known == Known::None {
                self.give_back(at, start);
            }
            let Some(region) = region_of(&mut self.intervals[at].regions, start) else { continue };
            region.known = match (begins, is_little) {
                (true, _) => known,
                (false, true) => region.known,
                (false, false) => region.known.and(known),
            };
            counted_is_known(region);
        }
    }

    /// True if an interval has a larger region in place of the one that begins with a key now.
    fn has_parts_of(&self, at: usize, start: &Key) -> bool {
        let around = |regions: &[Region]| {
            let next = regions.partition_point(|region| region.start <= *start);
            let key = |at: usize| regions.get(at).map(|region| region.start.clone());
            (next.checked_sub(1).and_then(key), key(next))
        };
        self.intervals.get(at).is_some_and(|interval| around(&interval.regions) != around(&self.regions))
    }

    /// Gives what a region counted in a little time at the beginning of an interval to the interval before: of the rest
    /// nothing is known.
    fn give_back(&mut self, at: usize, start: &Key) {
        let Some(before) = at.checked_sub(1) else { return };
        let Some(region) = region_of(&mut self.intervals[at].regions, start) else { return };
        let requests = Requests { writes: region.rows_this_interval, reads: region.reads_this_interval };
        (region.rows_this_interval, region.reads_this_interval) = (0, 0);
        let number = region.server as usize;
        if let Some(server) = self.intervals[at].servers.get_mut(number) {
            server.writes = server.writes.saturating_sub(requests.writes);
            server.reads = server.reads.saturating_sub(requests.reads);
            server.rows_read = server.rows_read.saturating_sub(requests.reads);
        }
        add_to(&mut self.intervals[before], start, requests);
        if let Some(region) = region_of(&mut self.intervals[before].regions, start) {
            counted_is_known(region);
        }
    }

    /// Says that the counts of a region between two times are a part of what was told at their end.
    pub(crate) fn mark_as_part(&mut self, start: &Key, from_ms: u64, to_ms: u64) {
        for (at, _, _) in self.between(from_ms, to_ms) {
            if let Some(region) = region_of(&mut self.intervals[at].regions, start) {
                region.known = Known::Part;
            }
        }
    }

    /// The length of the intervals, and all up to the last reading, which ends the last of them. One that would be less
    /// than half as long as the others is a part of the one before. Of one alone the length is its own. The last has the
    /// regions that there are at the end.
    pub(crate) fn end(mut self) -> (u64, Vec<Interval>) {
        let begin_ms = self.end_ms().saturating_sub(self.length_ms);
        let rest_ms = self.now_ms.saturating_sub(begin_ms);
        if let Some(last) = self.intervals.last_mut() {
            last.t_ms = last.t_ms.min(self.now_ms);
        }
        let is_short = begin_ms > 0 && rest_ms < self.length_ms.div_ceil(2);
        if let Some(last) = self.intervals.pop_if(|_| is_short)
            && let Some(before) = self.intervals.pop()
        {
            self.intervals.push(ended(&before, last, rest_ms <= self.length_ms / LITTLE));
        }
        if let Some(last) = self.intervals.pop() {
            self.intervals.push(divided(last, self.regions));
        }
        let length_ms = if let [only] = &self.intervals[..] { only.t_ms.min(self.length_ms) } else { self.length_ms };
        (length_ms.max(1), self.intervals)
    }
}

/// The last interval with the rest behind it. A little rest does not say how much is known of it.
fn ended(before: &Interval, rest: Interval, is_little: bool) -> Interval {
    let mut both = of_both(before, rest);
    for region in both.regions.iter_mut().filter(|_| is_little) {
        region.known = known_at(&before.regions, region);
        counted_is_known(region);
    }
    both
}

/// Marks a region with counts as known in part at least.
const fn counted_is_known(region: &mut Region) {
    if matches!(region.known, Known::None) && (region.rows_this_interval > 0 || region.reads_this_interval > 0) {
        region.known = Known::Part;
    }
}

/// The region that has a key.
fn region_of<'r>(regions: &'r mut [Region], key: &Key) -> Option<&'r mut Region> {
    let at = regions.partition_point(|region| region.start <= *key).checked_sub(1)?;
    regions.get_mut(at)
}

fn add_to(interval: &mut Interval, start: &Key, Requests { writes, reads }: Requests) {
    let Some(region) = region_of(&mut interval.regions, start) else { return };
    region.rows_this_interval += writes;
    region.reads_this_interval += reads;
    let at = region.server as usize;
    if interval.servers.len() <= at {
        interval.servers.resize_with(at + 1, Default::default);
    }
    let server = &mut interval.servers[at];
    server.writes += writes;
    server.reads += reads;
    server.rows_read += reads;
}
