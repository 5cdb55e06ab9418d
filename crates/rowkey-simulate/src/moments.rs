//! The load at one moment: a load that moves from region to region is even in a time in which it comes to all of them,
//! and yet asks one server at a time.

use libm::sqrt;

use crate::chance::{Apart, Chance, part_of_pairs};
use crate::cluster::Cluster;
use crate::event::{Event, Op};
use rowkey_design::internal::drawn::mix;

/// A moment, in milliseconds: how long a server may be asked for more than it takes, if it is asked for less after it.
const MOMENT_MS: u64 = 1000;

/// The server and the region that an event asks, and its batch.
#[derive(Clone, Copy, Debug)]
struct Asked {
    places: [usize; 2],
    batch: u64,
}

/// One event of each moment: each is as likely as it asks for much.
#[derive(Debug, Default)]
struct Sample {
    moment: u64,
    weight: u64,
    found: Option<Asked>,
    /// Those of the moments before, the last first, and what all of their moment ask.
    before: [Option<(Asked, f64)>; 2],
}

/// The moments of the writes and of the reads of a run.
#[derive(Debug, Default)]
pub(crate) struct Moments {
    samples: [Sample; 2],
    events: u64,
}

impl Moments {
    /// Counts an event that the cluster has had.
    pub(crate) fn count(&mut self, event: &Event<'_>, cluster: &mut Cluster) {
        let (reads, key, weight) = match event.op {
            Op::Put | Op::Delete => (false, Some(event.key), cluster.last_writes),
            Op::Get => (true, Some(event.key), cluster.last_reads),
            // One of all rows asks all servers, whatever others do.
            Op::Scan { end: None, .. } if event.key.is_empty() => return,
            Op::Scan { end, reverse, .. } => (true, if reverse { end } else { Some(event.key) }, cluster.last_reads),
        };
        let Some(key) = key.filter(|_| weight > 0) else { return };
        let (sample, moment) = (&mut self.samples[usize::from(reads)], event.t_ms / MOMENT_MS);
        if moment != sample.moment {
            sample.end(&mut cluster.chances[usize::from(reads)]);
            sample.moment = moment;
        }
        self.events += 1;
        sample.weight = sample.weight.saturating_add(weight);
        let chosen = (u128::from(mix(self.events)) * u128::from(sample.weight)) >> 64;
        if chosen < u128::from(weight) {
            let region = cluster.locate(key);
            sample.found = Some(Asked { places: [cluster.regions[region].server, region], batch: event.batch });
        }
    }
}

impl Sample {
    /// Ends a moment. A pair of moments counts as much as the calls of one and of the other ask, multiplied: so do pairs
    /// of calls. Two of one batch are ranges of one run, which are divided among several: they are no pair of calls.
    fn end(&mut self, chance: &mut Chance) {
        let weight = std::mem::take(&mut self.weight) as f64;
        let Some(found) = self.found.take() else { return };
        for (before, apart) in self.before.iter().zip(&mut chance.apart) {
            let Some((before, of_before)) = before.filter(|(before, _)| before.batch != found.batch) else { continue };
            let pairs = weight * of_before;
            let same = [0, 1].map(|of| if before.places[of] == found.places[of] { pairs } else { 0.0 });
            apart.add(&Apart { pairs, same, squares: pairs * pairs });
        }
        self.before = [Some((found, weight)), self.before[0]];
    }
}

/// The greater part of pairs, in standard deviations, that is chance; and what is of no account.
const OF_CHANCE: f64 = 4.0;
const LITTLE: f64 = 0.02;

impl Chance {
    /// The part that one of so many servers, or regions, has of the load at a moment, where it is another one from
    /// moment to moment; none where it is the same one in the time in which `pairs` were counted: those of each interval.
    ///
    /// Two calls at one moment ask the same place as often as those that are one moment apart, and as often again as
    /// these do more so than those that are two apart. One place is asked for more than the others.
    pub(crate) fn moving(&self, pairs: impl Iterator<Item = [f64; 2]>, places: usize, of_regions: bool) -> Option<f64> {
        let of = usize::from(of_regions);
        let places = places as f64;
        // No load is more even than one that all places are asked alike, however few calls it is known by.
        let within = part_of_pairs(pairs)?.max(1.0 / places);
        let [one, two] = self.apart.map(|apart| apart.same[of] / apart.pairs);
        let squares = if of_regions { self.by_region } else { self.by_server };
        let at_once = (2.0 * one - two).min(squares / self.by_call);
        let deviation = sqrt(5.0 * within * (1.0 - within).max(0.0) / self.apart[0].known());
        if at_once.is_nan() || at_once <= within + OF_CHANCE * deviation + LITTLE {
            return None;
        }
        let part = (1.0 + sqrt(((places - 1.0) * (places * at_once - 1.0)).max(0.0))) / places;
        Some(part.min(1.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chance(one: f64, two: f64) -> Chance {
        let apart = [one, two].map(|part| Apart { pairs: 1000.0, same: [1000.0 * part; 2], squares: 1000.0 });
        Chance { by_server: 1000.0, by_region: 1000.0, by_call: 1000.0, apart }
    }

    #[test]
    fn a_load_that_moves_is_on_one_place_at_a_moment() {
        let of = |one, two, within| chance(one, two).moving([[1.0, within]].into_iter(), 4, false);
        assert_eq!(of(0.25, 0.25, 0.25), None);
        assert_eq!(of(0.3, 0.3, 0.25), None);
        assert_eq!(of(1.0, 1.0, 1.0), None);
        // It stays for a hundred moments, or for ten.
        for stays in [100.0, 10.0] {
            let part = of(1.0 - 1.0 / stays, 1.0 - 2.0 / stays, 0.25).unwrap();
            assert!((part - 1.0).abs() < 1e-9, "{part}");
        }
        // Half of it moves, and half is on all four.
        let part = of(0.4375, 0.4375, 0.25).unwrap();
        assert!((part - 0.625).abs() < 1e-9, "{part}");
        // In turn is no more uneven than by chance; of no pairs nothing is known.
        assert_eq!(of(0.0, 1.0, 0.5), None);
        assert_eq!(Chance::default().moving([[1.0, 0.25]].into_iter(), 4, false), None);
    }

    /// Moments of a small call, which all ask one place, and each tenth of a large one, which asks all of four in turn.
    #[test]
    fn moments_count_by_what_they_ask() {
        let mut sample = Sample::default();
        let mut chance = Chance { by_server: 1.0, by_region: 1.0, by_call: 1.0, ..Chance::default() };
        for moment in 0..4000 {
            let is_large = moment % 10 == 0;
            let place = if is_large { moment / 10 % 4 } else { 0 };
            (sample.weight, sample.found) =
                (if is_large { 1000 } else { 1 }, Some(Asked { places: [place; 2], batch: moment as u64 }));
            sample.end(&mut chance);
        }
        let by_count = chance.apart[0];
        assert!(by_count.same[0] / by_count.pairs < 0.3, "{by_count:?}");
        assert_eq!(chance.moving([[1.0, 0.25]].into_iter(), 4, false), None);
    }

    /// No two of a few calls ask one place: so they do by chance, and those of all moments may.
    #[test]
    fn few_calls_are_no_more_even_than_all_places_alike() {
        let apart = [0.5, 0.3].map(|part| Apart { pairs: 30.0, same: [30.0 * part; 2], squares: 30.0 });
        let few = Chance { by_server: 30.0, by_region: 30.0, by_call: 30.0, apart };
        assert_eq!(few.moving([[6.0, 0.0]].into_iter(), 4, false), None);
    }
}
