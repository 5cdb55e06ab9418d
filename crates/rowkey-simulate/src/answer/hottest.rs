//! The hottest region of a run.

use crate::chance::{Chance, Counted, part_of_pairs};
use crate::recording::Run;
use crate::run::{Interval, Key};

/// The hottest region, in intervals in which its part is what it is in the median.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Hottest {
    pub(super) start: Key,
    /// The first key of the next region.
    pub(super) end: Option<Key>,
    pub(super) server: u32,
    pub(super) share: f64,
    /// The end of the last of them.
    pub(super) t_ms: u64,
}

/// The greater part of pairs, in standard deviations, that is chance.
const OF_CHANCE: f64 = 4.0;

/// Two parts that are known by samples are about the same if one is no more than this part of the other.
const ABOUT: f64 = 1.05;

/// An interval, what its regions are asked for, and the chance in it.
pub(super) struct Part<'i> {
    interval: &'i Interval,
    counted: Counted,
}

impl Hottest {
    /// That of intervals, by the writes or the reads of their regions; none if there are none.
    ///
    /// Of few events some region has more than its part by chance: as many intervals are taken together as the load
    /// stays the same in. Of several, or of intervals alone, it is the one in which the hottest has its median part; of
    /// those in which it has the same, the last. It has no more than the busiest server at a moment.
    pub(super) fn of(run: &Run, intervals: &[&Interval], reads: bool, busiest: f64) -> Option<Self> {
        let (mut parts, mut chance) = (Vec::new(), Chance::default());
        for interval in intervals {
            let own = run.chance(interval, reads);
            let counted = own.regions(interval, reads);
            if counted.all() > 0.0 {
                parts.push(Part { interval, counted });
                chance.add(&own);
            }
        }
        let size = together(&parts);
        let mut found: Vec<Self> = parts.rchunks(size).filter_map(|group| of_group(group)).collect();
        found.sort_by(|a, b| a.share.total_cmp(&b.share).then(a.t_ms.cmp(&b.t_ms)));
        let median = found.get(found.len() / 2)?.share;
        let hottest = found.into_iter().rfind(|hottest| hottest.share <= median)?;
        let places = parts.last()?.counted.counts.len();
        let moving = chance.moving(parts.iter().map(|part| part.counted.pairs()), places, true);
        let moving = moving.filter(|part| *part <= ABOUT * busiest);
        Some(Self { share: moving.unwrap_or(0.0).max(hottest.share), ..hottest })
    }
}

/// The number of intervals that are taken together: the greatest in which no region is asked for more in one of them
/// than in all, by more than chance; one where nothing is known of chance.
fn together(parts: &[Part<'_>]) -> usize {
    let Some(apart) = part_of_pairs(parts.iter().map(|part| part.counted.pairs())) else { return 1 };
    let events: Option<f64> = parts.iter().map(|part| part.counted.events().map(|events| events * events)).sum();
    let Some(events) = events else { return 1 };
    let least = apart - OF_CHANCE * (2.0 * apart / events).sqrt();
    let mut size = parts.len();
    while size > 1 {
        let groups = || parts.rchunks(size);
        let pairs = groups().map(|group| sum(group).pairs());
        if groups().all(are_same) && part_of_pairs(pairs).is_some_and(|part| part >= least) {
            break;
        }
        size = size.div_ceil(2);
    }
    size.max(1)
}

/// True if the regions are the same.
fn are_same(group: &[Part<'_>]) -> bool {
    group.windows(2).all(|two| {
        let [first, second] = [0, 1].map(|at| two[at].interval.regions.iter().map(|region| &region.start));
        first.eq(second)
    })
}

fn sum<'g, 'i: 'g>(group: impl IntoIterator<Item = &'g Part<'i>>) -> Counted {
    let mut sum = Counted::default();
    group.into_iter().for_each(|part| sum.add(&part.counted));
    sum
}

/// The hottest region of intervals with the same ones.
fn of_group(group: &[Part<'_>]) -> Option<Hottest> {
    let last = group.last()?.interval;
    let at = most(&sum(group))?;
    let region = last.regions.get(at)?;
    let (start, server) = (region.start.clone(), region.server);
    let end = last.regions.get(at + 1).map(|next| next.start.clone());
    Some(Hottest { start, end, server, share: share(group)?, t_ms: last.t_ms })
}

/// The part of the hottest region. Chance finds which one it is in every other interval, and its part in those between:
/// what it has put on it in the former it has not in the latter.
fn share(group: &[Part<'_>]) -> Option<f64> {
    let halves = [0, 1].map(|first| sum(group.iter().skip(first).step_by(2)));
    let [of_some, of_others] = halves.each_ref().map(Counted::all);
    let [some, others] = &halves;
    let all = of_some + of_others;
    let (Some(hot), Some(hot_others)) = (most(some), most(others)) else {
        let counted = sum(group);
        return most(&counted).map(|at| counted.counts[at] / all);
    };
    let share = (others.counts[hot] + some.counts[hot_others]) / all;
    // None is more than all alike.
    Some(share.max(1.0 / some.counts.len() as f64))
}

/// The first of those that are asked for most; none of nothing.
fn most(counted: &Counted) -> Option<usize> {
    let counts = counted.counts.iter().enumerate().rev().filter(|(_, count)| **count > 0.0);
    counts.max_by(|(_, a), (_, b)| a.total_cmp(b)).map(|(at, _)| at)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::{Region, Settings};

    fn interval(t_ms: u64, counts: &[u64]) -> Interval {
        let region = |(start, count): (u8, &u64)| Region {
            start: Key(vec![start]),
            server: u32::from(start),
            rows: 0,
            rows_this_interval: *count,
            reads_this_interval: 0,
            bytes: 0,
            files: 0,
        };
        Interval { t_ms, regions: (0..).zip(counts).map(region).collect(), servers: Vec::new() }
    }

    #[test]
    fn the_hottest_region_is_that_of_the_median_and_the_last_of_equals() {
        let all = [
            interval(1, &[9, 1]),
            interval(2, &[1, 3]),
            interval(3, &[5, 15]),
            interval(4, &[0, 0]),
            interval(5, &[1, 1]),
        ];
        // Nothing is known of chance.
        let run = Run::new(Settings::default());
        let of = |intervals: &[&Interval]| Hottest::of(&run, intervals, false, 1.0);
        let found = of(&all.iter().collect::<Vec<_>>()).unwrap();
        assert_eq!((found.t_ms, found.server, found.start, found.share), (3, 1, Key(vec![1]), 0.75));
        assert_eq!(found.end, None);
        assert_eq!(of(&[&all[4]]).map(|found| (found.server, found.end)), Some((0, Some(Key(vec![1])))));
        assert_eq!(of(&[&all[3]]), None);
    }
}
