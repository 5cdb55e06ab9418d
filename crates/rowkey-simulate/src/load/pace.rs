//! The pace of a drawn load: its rate at each time, which its design says, and which no event needs to be counted for.

use super::Drawn;
use super::clock::Clock;
use super::drawn::{Does, Source};

/// The pace of the writes and of the reads of a load. None of them, where several go by other shapes and it is not known
/// how much each counts.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pace {
    writes: Vec<Paced>,
    reads: Vec<Paced>,
}

/// What comes by a clock: so many times so much.
#[derive(Clone, Debug)]
struct Paced {
    clock: Clock,
    count: u64,
    each: f64,
}

impl Pace {
    fn of(&self, reads: bool) -> &[Paced] {
        if reads { &self.reads } else { &self.writes }
    }

    /// What comes between two times in seconds, in some measure; none if it is not known.
    pub(crate) fn between(&self, reads: bool, from: f64, to: f64) -> Option<f64> {
        let of = self.of(reads);
        (!of.is_empty()).then(|| of.iter().map(|paced| paced.before(to) - paced.before(from)).sum())
    }
}

impl Paced {
    fn before(&self, time: f64) -> f64 {
        self.each * self.clock.before(time).min(self.count as f64)
    }
}

impl Drawn<'_> {
    /// The pace of its events.
    pub(crate) fn pace(&self) -> Pace {
        let paced = |source: &Source<'_>, each: f64| Paced { clock: source.clock.clone(), count: source.count, each };
        let writes = self.sources.iter().filter(|source| !source.reads());
        let writes =
            writes.map(|source| paced(source, if matches!(source.does, Does::Replace(_)) { 2.0 } else { 1.0 }));
        let reads = |source: &&Source<'_>| source.reads() || matches!(source.does, Does::Put(_, true));
        let mut reads: Vec<Paced> = self.sources.iter().filter(reads).map(|source| paced(source, 1.0)).collect();
        if !reads.windows(2).all(|two| two[0].clock.goes_as(&two[1].clock)) {
            reads.clear();
        }
        Pace { writes: writes.collect(), reads }
    }
}
