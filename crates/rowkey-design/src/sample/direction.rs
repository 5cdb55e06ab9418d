//! The direction in which values move: a few of them, chosen at random, and how many later ones are on either side of
//! each.

use std::cmp::Ordering;

use fastrand::Rng;

use crate::profile::Direction;

/// As many as CockroachDB's load splitter keeps.
const PIVOTS: usize = 20;

struct Pivot<T> {
    at: T,
    left: u64,
    right: u64,
    equal: u64,
}

/// Values chosen at random, each as likely as any other, and the later ones on either side of each.
pub(super) struct Front<T> {
    pivots: Vec<Pivot<T>>,
    seen: u64,
}

impl<T> Front<T> {
    pub(super) fn new() -> Self {
        Self { pivots: Vec::new(), seen: 0 }
    }

    /// Takes the next value, which stands for `weight` values.
    pub(super) fn add<V: ?Sized>(
        &mut self,
        value: &V,
        weight: u64,
        rng: &mut Rng,
        order: impl Fn(&V, &T) -> Ordering,
        owned: impl FnOnce(&V) -> T,
    ) {
        for pivot in &mut self.pivots {
            match order(value, &pivot.at) {
                Ordering::Less => pivot.left += weight,
                Ordering::Equal => pivot.equal += weight,
                Ordering::Greater => pivot.right += weight,
            }
        }
        self.seen += weight;
        if self.pivots.len() < PIVOTS {
            self.pivots.push(Pivot { at: owned(value), left: 0, right: 0, equal: 0 });
        } else if let Some(pivot) = self.pivots.get_mut((rng.u64(..self.seen) / weight) as usize) {
            *pivot = Pivot { at: owned(value), left: 0, right: 0, equal: 0 };
        }
    }

    /// The mean over the values of the shares on either side.
    pub(super) fn direction(&self) -> Direction {
        let mut sum = Direction::default();
        let mut counted = 0.0;
        for pivot in &self.pivots {
            let later = (pivot.left + pivot.right + pivot.equal) as f64;
            if later > 0.0 {
                sum.left += pivot.left as f64 / later;
                sum.right += pivot.right as f64 / later;
                counted += 1.0;
            }
        }
        if counted == 0.0 {
            return sum;
        }
        Direction { left: sum.left / counted, right: sum.right / counted }
    }
}
