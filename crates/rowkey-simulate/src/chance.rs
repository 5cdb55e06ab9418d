//! The part of an uneven load that is chance: a sample of events puts more on one server than its share.

use crate::run::{Interval, Region, Server};

/// The sums by which it is known how far the shares of servers are chance, of writes or of reads.
///
/// Calls are independent of each other. What one call asks of all servers alike is no chance: of a read of each salt
/// bucket all servers have their share each time.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Chance {
    /// The squares of what each call asks of each server.
    pub(crate) by_server: f64,
    /// The squares of what each call asks of each region.
    pub(crate) by_region: f64,
    /// The squares of what each call asks of all.
    pub(crate) by_call: f64,
    /// The events that are one moment apart, and two.
    pub(crate) apart: [Apart; 2],
}

/// The calls of some places, servers or regions, and the squares of what each call asks of each of them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Counted {
    pub(crate) counts: Vec<f64>,
    pub(crate) squares: f64,
    pub(crate) by_call: f64,
}

impl Counted {
    pub(crate) fn all(&self) -> f64 {
        self.counts.iter().sum()
    }

    /// Adds those of the same places at another time.
    pub(crate) fn add(&mut self, more: &Self) {
        self.counts.iter_mut().zip(&more.counts).for_each(|(count, more)| *count += more);
        (self.squares, self.by_call) = (self.squares + more.squares, self.by_call + more.by_call);
    }

    /// The events that they are known by, where each stands for as much: Kish's effective size of a sample. None where
    /// nothing is known of calls.
    pub(crate) fn events(&self) -> Option<f64> {
        let all = self.all();
        (self.by_call > 0.0).then(|| all * all / self.by_call)
    }

    /// The pairs of what different calls ask, and those of them that ask the same place: no chance makes them more.
    pub(crate) fn pairs(&self) -> [f64; 2] {
        let all = self.all();
        let same: f64 = self.counts.iter().map(|count| count * count).sum();
        [(all * all - self.by_call).max(0.0), (same - self.squares).max(0.0)]
    }

    /// The part of these pairs that ask the same place.
    pub(crate) fn same(&self) -> f64 {
        part_of_pairs(std::iter::once(self.pairs())).unwrap_or(0.0)
    }

    /// The part that asks the same place of the pairs of a call of these and another of those of all, which have these.
    pub(crate) fn same_as(&self, all: &Self) -> f64 {
        let same: f64 = self.counts.iter().zip(&all.counts).map(|(own, of_all)| own * of_all).sum();
        let pairs = [self.all() * all.all() - self.by_call, (same - self.squares).max(0.0)];
        part_of_pairs(std::iter::once(pairs)).unwrap_or(0.0)
    }

    /// The squares of the distances from the mean; and what chance makes of them.
    pub(crate) fn uneven(&self) -> [f64; 2] {
        let (all, places) = (self.all(), self.counts.len() as f64);
        let mean = all / places;
        let uneven = self.counts.iter().map(|count| (count - mean) * (count - mean)).sum();
        [uneven, (self.squares - self.by_call / places).max(0.0)]
    }

    /// The same, known by so many times fewer calls.
    pub(crate) fn of_fewer(&self, times: f64) -> Self {
        Self { counts: self.counts.clone(), squares: times * self.squares, by_call: times * self.by_call }
    }

    /// True if places are asked for these parts of the load, as far as chance tells: together they are no further from
    /// them than it puts them, and none has more.
    pub(crate) fn is_as(&self, parts: &[f64]) -> bool {
        let all = self.all();
        let places = parts.iter().filter(|part| **part > 0.0).count() as f64;
        let Some(events) = self.events() else { return false };
        let above = || self.counts.iter().zip(parts).map(|(count, part)| (count - part * all, part * events));
        let squares: f64 = parts.iter().map(|part| part * part).sum();
        let chance = (self.squares - self.by_call * squares).max(0.0);
        let most = chance * most_uneven(places) + ROUNDED * all * all;
        above().map(|(above, _)| above * above).sum::<f64>() <= most
            && above().all(|(above, mean)| above * events <= all * most_above(mean, RARE * places))
    }

    /// The chance in the squares of the distances from the mean, of shares that are as uneven as these.
    pub(crate) fn of_chance(&self) -> f64 {
        let (all, calls) = (self.all(), self.events().unwrap_or(1.0));
        let own = self.counts.iter().map(|count| count * count).sum::<f64>() / (all * all);
        if calls > 1.0 { (self.squares - self.by_call * own).max(0.0) / (1.0 - 1.0 / calls) } else { 0.0 }
    }

    /// The part that the busiest place has of the load, without what chance has put on it; none of nothing.
    ///
    /// The greatest of several samples is more than the greatest share. Samples are as uneven as shares are, and as
    /// chance makes them; so much of their distance from the mean is left as is not chance (James and Stein).
    pub(crate) fn busiest(&self) -> Option<f64> {
        let (all, places) = (self.all(), self.counts.len() as f64);
        let most = self.counts.iter().copied().fold(0.0, f64::max);
        let (most, mean) = ((most > 0.0).then(|| most / all)?, 1.0 / places);
        let [uneven, even] = self.uneven().map(|squares| squares / (all * all));
        // Shares of one call say nothing of others.
        if self.events().is_none_or(|calls| calls <= 1.0) || uneven <= 0.0 {
            return Some(most);
        }
        if most - mean > most_of_chance(places) * (even / places).sqrt() {
            return Some(most);
        }
        let chance = self.of_chance() / (all * all);
        // Samples of even shares are more uneven than their mean in one of two: so much more is chance too.
        let chance = chance * (1.0 + HALF * (2.0 / (places - 1.0)).sqrt());
        Some(mean + (1.0 - chance / uneven).max(0.0) * (most - mean))
    }
}

/// The part of pairs that ask the same place, of all pairs and those that do so; none of none.
pub(crate) fn part_of_pairs(of: impl Iterator<Item = [f64; 2]>) -> Option<f64> {
    let [all, same] = of.fold([0.0; 2], |[all, same], [pairs, alike]| [all + pairs, same + alike]);
    (all > 0.0).then(|| same / all)
}

/// The most events above a mean that chance puts on one of so many samples, but for one run in a hundred: by
/// Bernstein's inequality, and somewhat more.
pub(crate) fn most_above(mean: f64, samples: f64) -> f64 {
    let odds = libm::log(samples.max(1.0)) + 2.0;
    odds / 3.0 + (odds * odds / 9.0 + 2.0 * odds * mean).sqrt()
}

/// The most times the mean by which chance makes so many samples uneven, but for one run in ten thousand: of the
/// distribution of the sum of their squares, by Wilson and Hilferty.
fn most_uneven(places: f64) -> f64 {
    let of_ninths = 2.0 / (9.0 * (places - 1.0).max(1.0));
    let root = 1.0 - of_ninths + 4.0 * of_ninths.sqrt();
    root * root * root
}

/// The part of a share that chance adds to it, where it is known by so many events, and is the greatest of several;
/// none of one alone.
pub(crate) fn added_by_chance(share: f64, events: f64, several: f64) -> f64 {
    let mean = share * (1.0 - share).max(0.0) * events;
    if several > 1.0 { most_above(mean, several) / (share * events) } else { 0.0 }
}

/// The limit of chance, in standard deviations above the mean, of the greatest of a number of shares: one more than the
/// greatest of as many normal deviates is.
fn most_of_chance(servers: f64) -> f64 {
    (2.0 * libm::log(servers)).sqrt() + 1.0
}

/// Pairs of events of which one is so many moments after the other; where events are fewer, so many events.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Apart {
    /// The products of the rows that the two ask for.
    pub(crate) pairs: f64,
    /// Those of them that ask the same server, and the same region.
    pub(crate) same: [f64; 2],
    /// The squares of what each pair asks.
    pub(crate) squares: f64,
}

impl Apart {
    pub(crate) fn add(&mut self, more: &Self) {
        self.pairs += more.pairs;
        self.same.iter_mut().zip(more.same).for_each(|(same, more)| *same += more);
        self.squares += more.squares;
    }

    /// The pairs that they are known by, where each asks for as much: Kish's effective size of a sample.
    pub(crate) fn known(&self) -> f64 {
        if self.squares > 0.0 { self.pairs * self.pairs / self.squares } else { 0.0 }
    }
}

/// Even places are told as uneven so many times as seldom as a peak is told that is none.
const RARE: f64 = 20.0;

/// The part of a square that is rounded off.
const ROUNDED: f64 = 1e-12;

/// Half of a standard deviation of the unevenness of samples.
const HALF: f64 = 0.5;

impl Chance {
    pub(crate) fn add(&mut self, more: &Self) {
        self.by_server += more.by_server;
        self.by_region += more.by_region;
        self.by_call += more.by_call;
        self.apart.iter_mut().zip(&more.apart).for_each(|(apart, more)| apart.add(more));
    }

    pub(crate) fn plus(mut self, more: &Self) -> Self {
        self.add(more);
        self
    }

    /// The calls of the servers of an interval.
    pub(crate) fn servers(&self, interval: &Interval, reads: bool) -> Counted {
        let of = |server: &Server| if reads { server.reads } else { server.writes };
        let counts = interval.servers.iter().map(|server| of(server) as f64).collect();
        Counted { counts, squares: self.by_server, by_call: self.by_call }
    }

    /// The calls of the regions of an interval.
    pub(crate) fn regions(&self, interval: &Interval, reads: bool) -> Counted {
        let of = |region: &Region| if reads { region.reads_this_interval } else { region.rows_this_interval };
        let counts = interval.regions.iter().map(|region| of(region) as f64).collect();
        Counted { counts, squares: self.by_region, by_call: self.by_call }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The chance of so many calls, each of one row on one server.
    fn of_rows(calls: u64) -> Chance {
        Chance { by_server: calls as f64, by_call: calls as f64, ..Chance::default() }
    }

    fn counted(chance: Chance, counts: &[u64]) -> Counted {
        let counts = counts.iter().map(|count| *count as f64).collect();
        Counted { counts, squares: chance.by_server, by_call: chance.by_call }
    }

    fn busiest(chance: Chance, counts: &[u64]) -> f64 {
        counted(chance, counts).busiest().unwrap()
    }

    #[test]
    fn what_chance_has_put_on_a_server_is_left_out() {
        // As uneven as a hundred rows are on four servers, and less.
        assert_eq!(busiest(of_rows(100), &[25, 29, 23, 23]), 0.25);
        // One server has half of them: that is no chance.
        assert_eq!(busiest(of_rows(100), &[50, 17, 17, 16]), 0.5);
        // The same counts are no chance where each row stands for few, or each call asks all servers alike.
        assert_eq!(busiest(of_rows(10_000), &[2500, 2900, 2300, 2300]), 0.29);
        let alike = Chance { by_server: 0.2536, by_call: 1.0, ..Chance::default() };
        assert_eq!(busiest(alike, &[25, 29, 23, 23]), 0.29);
    }

    #[test]
    fn little_is_told_as_it_is() {
        assert_eq!(counted(of_rows(0), &[0, 0]).busiest(), None);
        assert_eq!(busiest(of_rows(1), &[0, 1, 0]), 1.0);
        assert_eq!(busiest(of_rows(9), &[9]), 1.0);
        assert_eq!(busiest(Chance::default(), &[3, 1]), 0.75);
    }
}
