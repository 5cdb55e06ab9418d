//! Windows: as many intervals together as the load by key range stays the same in, whatever becomes of the regions.

use std::ops::Range;

use crate::chance::{Counted, part_of_pairs};
use crate::recording::{Run, SHORTEST_MS};
use crate::run::{Interval, Region};

/// The greater part of pairs, in standard deviations, that is chance.
const OF_CHANCE: f64 = 4.0;

/// An interval with a load, and what its regions are asked for.
pub(super) struct Part<'i> {
    pub(super) interval: &'i Interval,
    regions: Counted,
    /// The load of the regions of the interval before, of which these are parts: where one was split in this
    /// interval, it is not known how much came after.
    before: (&'i [Region], Counted),
    /// The squares of what each call asks of each server.
    pub(super) by_server: f64,
    /// True if each row is an event, as far as is known: of a watched table.
    is_by_row: bool,
}

/// Intervals in which the load by key range is the same. What they count is of the regions of the last of them: regions
/// are split and never joined, so these are the smallest.
pub(super) struct Window<'p, 'i> {
    pub(super) parts: &'p [Part<'i>],
    smallest: &'i [Region],
    all: Counted,
    /// The counts of every other interval, and in those between.
    halves: [Counted; 2],
}

/// The intervals that have a load of writes, or of reads.
pub(super) fn parts<'r>(run: &'r Run, reads: bool) -> Vec<Part<'r>> {
    // Where regions were split in the first interval, all that is known of it is of the whole table.
    let first = run.intervals.first().map(|first| &first.regions[..]).unwrap_or_default();
    let is_split = first.len() > run.settings.splits.len() + 1;
    let before = first.get(..if is_split { 1 } else { first.len() }).unwrap_or_default();
    let befores = std::iter::once(before).chain(run.intervals.iter().map(|interval| &interval.regions[..]));
    let part = |(before, interval): (&'r [Region], &'r Interval)| {
        let chance = run.chance(interval, reads);
        let part = Part::of(before, interval, chance.regions(interval, reads), chance.by_server);
        Part { is_by_row: run.is_watched(), ..part }
    };
    let intervals = befores.zip(&run.intervals);
    intervals.map(part).filter(|part| part.regions.all() > 0.0).collect()
}

impl<'i> Part<'i> {
    fn of(before: &'i [Region], interval: &'i Interval, regions: Counted, by_server: f64) -> Self {
        let places = places(before, &interval.regions);
        let before = match places.filter(|places| places.len() < regions.counts.len()) {
            Some(places) => (before, joined(&regions, &places)),
            None => (&interval.regions[..], regions.clone()),
        };
        Self { interval, regions, before, by_server, is_by_row: false }
    }

    /// The counts of its regions, or of others of the same load, with the chance that there is in them.
    fn with_chance(&self, counted: &Counted) -> Counted {
        match self.is_by_row {
            true => Counted { counts: counted.counts.clone(), squares: counted.all(), by_call: counted.all() },
            false => counted.clone(),
        }
    }
}

/// The windows of a run, one after the other: each is halved until the load is the same in it.
pub(super) fn windows<'p, 'i>(parts: &'p [Part<'i>]) -> Vec<Window<'p, 'i>> {
    let Some(last) = parts.last() else { return Vec::new() };
    let smallest = &last.interval.regions[..];
    let pool = |first, step| pooled(parts.iter().skip(first).step_by(step), last);
    let length_ms = last.interval.t_ms - parts.first().map_or(0, |first| first.interval.t_ms);
    let is_short = parts.len() == 1 || length_ms < SHORTEST_MS && !last.is_by_row;
    let all = pool(0, 1).filter(|all| is_short || is_same(parts, smallest, all));
    if let Some(all) = all
        && let (Some(some), Some(others)) = (pool(0, 2), pool(1, 2))
    {
        return vec![Window { parts, smallest, all, halves: [some, others] }];
    }
    if parts.len() == 1 {
        return Vec::new();
    }
    let (before, after) = parts.split_at(parts.len() / 2);
    let mut found = windows(before);
    found.extend(windows(after));
    found
}

impl Window<'_, '_> {
    /// The load of the regions of an interval in the whole window; and in its halves.
    pub(super) fn at(&self, regions: &[Region]) -> (Counted, [Counted; 2]) {
        let places = places(regions, self.smallest).unwrap_or_default();
        (joined(&self.all, &places), self.halves.each_ref().map(|half| joined(half, &places)))
    }

    /// The squares of what each call asks of each server.
    pub(super) fn by_server(&self) -> f64 {
        self.parts.iter().map(|part| part.by_server).sum()
    }
}

/// The places among the smallest regions that each of others has; none if they are no parts of these.
fn places(regions: &[Region], smallest: &[Region]) -> Option<Vec<Range<usize>>> {
    let mut from = 0;
    let place = |(at, region): (usize, &Region)| {
        let end = regions.get(at + 1).map(|next| &next.start);
        let count = smallest[from..].iter().take_while(|of| end.is_none_or(|end| of.start < *end)).count();
        let begins = smallest.get(from).is_some_and(|first| first.start == region.start);
        let place = from..from + count;
        from += count;
        begins.then_some(place)
    };
    regions.iter().enumerate().map(place).collect()
}

fn joined(counted: &Counted, places: &[Range<usize>]) -> Counted {
    let counts = places.iter().map(|place| counted.counts[place.clone()].iter().sum()).collect();
    Counted { counts, ..*counted }
}

/// The counts of intervals, by the regions of the last of all. A region that was split later has counted what its parts
/// are asked for, in the proportion in which they are asked for it since, or else in that last one: it is what most
/// likely was.
fn pooled<'p, 'i: 'p>(parts: impl DoubleEndedIterator<Item = &'p Part<'i>>, last: &Part<'_>) -> Option<Counted> {
    let smallest = &last.interval.regions;
    let mut sum = Counted { counts: vec![0.0; smallest.len()], ..Counted::default() };
    for part in parts.rev() {
        let (regions, counted) = &part.before;
        for (count, place) in counted.counts.iter().zip(places(regions, smallest)?) {
            divide(*count, &mut sum.counts[place.clone()], &last.regions.counts[place]);
        }
        sum.squares += counted.squares;
        sum.by_call += counted.by_call;
    }
    Some(sum)
}

/// Divides a count among places as theirs are; where they have none, as others; or else evenly.
fn divide(count: f64, among: &mut [f64], others: &[f64]) {
    let [own, other] = [&*among, others].map(|parts| parts.iter().sum::<f64>());
    let even = count / among.len() as f64;
    for (of, other_of) in among.iter_mut().zip(others) {
        *of += match () {
            () if own > 0.0 => *of / own * count,
            () if other > 0.0 => *other_of / other * count,
            () => even,
        };
    }
}

/// True if the regions of each interval are asked for the same in all of them: by the squares of the distances of an
/// interval's parts from those of all, which are no more than chance makes them. Regions may be others in each.
fn is_same(parts: &[Part<'_>], smallest: &[Region], all: &Counted) -> bool {
    let counted = || parts.iter().map(|part| part.with_chance(&part.before.1));
    let Some(apart) = part_of_pairs(counted().map(|counted| counted.pairs())) else { return false };
    let events: Option<f64> = counted().map(|counted| counted.events().map(|events| events * events)).sum();
    let Some(events) = events else { return false };
    let (mut count, mut own) = (0, Counted::default());
    let together = part_of_pairs(parts.iter().map(|part| {
        let (regions, counted) = &part.before;
        if std::mem::replace(&mut count, regions.len()) != regions.len() {
            own = part.with_chance(&joined(all, &places(regions, smallest).unwrap_or_default()));
        }
        let counted = part.with_chance(counted);
        let [pairs, _] = counted.pairs();
        [pairs, pairs * (2.0 * counted.same_as(&own) - own.same())]
    }));
    together.is_some_and(|together| together >= apart - OF_CHANCE * (2.0 * apart / events).sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::{Key, Known};

    fn interval(minutes: u64, counts: &[(u8, u64)]) -> Interval {
        let region = |(start, count): &(u8, u64)| Region {
            start: Key(if *start == 0 { Vec::new() } else { vec![*start] }),
            server: 0,
            rows: 0,
            rows_this_interval: *count,
            reads_this_interval: 0,
            bytes: 0,
            files: 0,
            known: Known::default(),
        };
        Interval { t_ms: minutes * SHORTEST_MS, regions: counts.iter().map(region).collect(), servers: Vec::new() }
    }

    fn part<'i>(before: &'i Interval, interval: &'i Interval) -> Part<'i> {
        let counts: Vec<f64> = interval.regions.iter().map(|region| region.rows_this_interval as f64).collect();
        let all = counts.iter().sum();
        Part::of(&before.regions, interval, Counted { counts, squares: all, by_call: all }, all)
    }

    /// The numbers of intervals in each window, and what is counted in the last.
    fn of(intervals: &[Interval]) -> (Vec<usize>, Vec<f64>) {
        let parts: Vec<Part<'_>> =
            intervals.first().into_iter().chain(intervals).zip(intervals).map(|(a, b)| part(a, b)).collect();
        let windows = windows(&parts);
        let last = windows.last().map(|window| window.at(&intervals[intervals.len() - 1].regions).0.counts);
        (windows.iter().map(|window| window.parts.len()).collect(), last.unwrap_or_default())
    }

    #[test]
    fn what_a_region_counted_before_it_was_split_is_of_its_parts() {
        let all = [interval(1, &[(0, 60), (9, 40)]), interval(2, &[(0, 45), (5, 15), (9, 40)])];
        assert_eq!(of(&all), (vec![2], vec![90.0, 30.0, 80.0]));
        // Nothing is known of parts that are asked for nothing since.
        let all = [interval(1, &[(0, 60), (9, 40)]), interval(2, &[(0, 0), (5, 0), (9, 1)])];
        assert_eq!(of(&all).1, [30.0, 30.0, 41.0]);
    }

    #[test]
    fn intervals_of_other_loads_are_apart() {
        let even = |minutes| interval(minutes, &[(0, 1000), (5, 1020), (9, 980)]);
        let hot = |minutes| interval(minutes, &[(0, 3000), (5, 10), (9, 10)]);
        assert_eq!(of(&[even(1), even(2), even(3), even(4)]).0, [4]);
        assert_eq!(of(&[even(1), even(2), hot(3), hot(4)]).0, [2, 2]);
        assert_eq!(of(&[even(1), hot(2)]).0, [1, 1]);
        // It moves between the parts of a region that was split.
        let whole = interval(1, &[(0, 1000), (9, 1000)]);
        let lower = |minutes| interval(minutes, &[(0, 1000), (5, 0), (9, 1000)]);
        let upper = |minutes| interval(minutes, &[(0, 0), (5, 1000), (9, 1000)]);
        assert_eq!(of(&[whole.clone(), lower(2)]).0, [2]);
        assert_eq!(of(&[whole, lower(2), lower(3), upper(4), upper(5)]).0, [2, 1, 2]);
        // Less than a minute is one window.
        let within = |ms, counts: &[(u8, u64)]| Interval { t_ms: ms, ..interval(1, counts) };
        assert_eq!(of(&[within(1000, &[(0, 9), (9, 0)]), within(59_000, &[(0, 0), (9, 9)])]).0, [2]);
        assert_eq!(of(&[]), (vec![], vec![]));
    }
}
