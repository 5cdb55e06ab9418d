//! The frequencies of values, or of the places of the key space that are written.

use crate::design::Skew;
use crate::facts::Spread;

/// Values of about the same share.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Alike {
    count: f64,
    share: f64,
}

/// The frequencies of values: groups of about the same share, the most frequent first.
#[derive(Clone, Debug, PartialEq)]
pub struct Frequencies(Vec<Alike>);

impl Frequencies {
    /// That of one value.
    pub(crate) fn one() -> Self {
        Self(vec![Alike { count: 1.0, share: 1.0 }])
    }

    /// Those of this number of values, as often as each other.
    pub(crate) fn even(count: f64) -> Self {
        Self(vec![Alike { count, share: 1.0 / count.max(1.0) }])
    }

    /// Those of a field's values.
    pub fn of(spread: &Spread) -> Self {
        match spread.skew {
            Some(Skew::Zipf(exponent)) => Self::zipf(spread.distinct, exponent, spread.p_max),
            _ => Self::as_uneven_as(spread.distinct, 1.0 / spread.n_eff.max(1.0), spread.p_max),
        }
    }

    /// Those of this number of values, the greatest of which has the share `most`, and whose shares have this sum of
    /// squares: the others are as even as that leaves them.
    pub(crate) fn as_uneven_as(count: f64, squares: f64, most: f64) -> Self {
        let (count, most) = (count.max(1.0), most.clamp(0.0, 1.0));
        let rest = 1.0 - most;
        if count < 2.0 || rest <= 0.0 {
            return Self::one();
        }
        // None of the others is more frequent than the first, and there are no more of them than are left.
        let left = rest * rest / (squares - most * most).max(f64::MIN_POSITIVE);
        let others = left.max(rest / most.max(f64::MIN_POSITIVE)).min(count - 1.0);
        let groups = [
            Alike { count: 1.0, share: most },
            Alike { count: others, share: rest / others },
            Alike { count: count - 1.0 - others, share: 0.0 },
        ];
        Self(groups.into_iter().filter(|alike| alike.count > 0.0).collect())
    }

    /// The k-th of `count` values in proportion to `k^-s`: the first one by one, then groups whose last is half as far
    /// again as their first.
    fn zipf(count: f64, exponent: f64, most: f64) -> Self {
        const ALONE: f64 = 16.0;
        let mut groups = Vec::new();
        let mut last = 0.0;
        while last < count {
            let next = if last < ALONE { last + 1.0 } else { (last * 1.5).floor() }.min(count);
            // The midpoint rule, of one value exact.
            let sum = if next - last <= 1.0 {
                next.powf(-exponent)
            } else {
                let (from, to) = (last + 0.5, next + 0.5);
                match (exponent - 1.0).abs() < 1e-9 {
                    true => (to / from).ln(),
                    false => (to.powf(1.0 - exponent) - from.powf(1.0 - exponent)) / (1.0 - exponent),
                }
            };
            groups.push(Alike { count: next - last, share: most * sum / (next - last) });
            last = next;
        }
        Self(groups)
    }

    /// Those of pairs, one of these and one of the others, that do not depend on each other.
    pub(crate) fn times(&self, other: &Self) -> Self {
        let pair = |a: &Alike, b: &Alike| Alike { count: a.count * b.count, share: a.share * b.share };
        let mut groups: Vec<_> = self.0.iter().flat_map(|a| other.0.iter().map(move |b| pair(a, b))).collect();
        groups.sort_by(|a, b| b.share.total_cmp(&a.share));
        Self(groups).of_few_groups()
    }

    /// Fewer groups: neighbours, behind the most frequent values, are taken for alike.
    fn of_few_groups(mut self) -> Self {
        const GROUPS: usize = 256;
        const KEPT: usize = 32;
        while self.0.len() > GROUPS {
            let rest = self.0.split_off(KEPT);
            self.0.extend(rest.chunks(2).map(|near| {
                let count: f64 = near.iter().map(|alike| alike.count).sum();
                let share: f64 = near.iter().map(|alike| alike.count * alike.share).sum();
                Alike { count, share: share / count.max(f64::MIN_POSITIVE) }
            }));
        }
        self
    }

    /// The groups: how many values each has, and the share of one of them.
    pub fn groups(&self) -> impl Iterator<Item = (f64, f64)> {
        self.0.iter().map(|alike| (alike.count, alike.share))
    }

    /// The number of values.
    pub fn count(&self) -> f64 {
        self.0.iter().map(|alike| alike.count).sum()
    }

    /// The sum of what each value has above `most`, where all have 1 together.
    pub fn above(&self, most: f64) -> f64 {
        self.0.iter().map(|alike| alike.count * (alike.share - most).max(0.0)).sum()
    }

    /// The shares of the most frequent values, as many as asked for at most.
    pub fn most(&self, values: usize) -> Vec<f64> {
        let each =
            |alike: &Alike| std::iter::repeat_n(alike.share, alike.count.clamp(0.0, values as f64).ceil() as usize);
        self.0.iter().flat_map(each).filter(|share| *share > 0.0).take(values).collect()
    }
}
