//! The draw of one of a field's values: its rank, the most frequent first, by the frequencies that `check` counts with.

use crate::design::Skew;
use crate::facts::Spread;
use crate::frequencies::Frequencies;

/// Draws of a number from 0 on.
#[derive(Clone, Debug)]
pub struct Ranks {
    /// The number of values.
    pub count: u64,
    groups: Vec<Group>,
    /// For each beginning of a number, the group that has it, or one before.
    guide: Vec<u32>,
}

/// Ranks that are as frequent as each other.
#[derive(Clone, Copy, Debug)]
struct Group {
    /// The greatest number that is one of them.
    last: u64,
    first: u64,
    count: u64,
}

/// The bits of a number that the guide knows.
const BITS: u32 = 10;

impl Ranks {
    /// Those of a field's values.
    pub fn of(spread: &Spread) -> Self {
        let count = whole(spread.distinct);
        match spread.skew {
            Some(Skew::Uniform) => Self::new(count, [(1.0, count)]),
            // A rank alone has its share; behind the first thousand, groups are a hundredth as long as what is before.
            Some(Skew::Zipf(exponent)) => Self::new(count, zipf(count, exponent)),
            Some(Skew::One(share)) => {
                let share = share.max(1.0 / count as f64);
                Self::new(count, [(share, 1), (1.0 - share, count - 1)])
            }
            None => {
                let groups = Frequencies::of(spread);
                let groups: Vec<_> =
                    groups.groups().map(|(count, share)| (count * share, whole(count.round()))).collect();
                Self::new(count, groups)
            }
        }
    }

    /// Groups by their share and the number of their ranks.
    fn new(count: u64, groups: impl IntoIterator<Item = (f64, u64)> + Clone) -> Self {
        let total: f64 = groups.clone().into_iter().map(|(share, _)| share).sum();
        let (mut sum, mut first) = (0.0, 0);
        let mut made = Vec::new();
        for (share, of) in groups.into_iter().filter(|(share, of)| *share > 0.0 && *of > 0) {
            sum += share;
            // A product below 2^64 is cut to a whole number, as on any machine.
            let last = if sum >= total { u64::MAX } else { (sum / total * TWO_64) as u64 };
            made.push(Group { last, first, count: of.min(count - first) });
            first = (first + of).min(count - 1);
        }
        match made.last_mut() {
            Some(last) => last.last = u64::MAX,
            None => made.push(Group { last: u64::MAX, first: 0, count: 1 }),
        }
        let group = |start: u64| made.partition_point(|group| group.last < start) as u32;
        let guide = (0..1u64 << BITS).map(|start| group(start << (64 - BITS))).collect();
        Self { count, groups: made, guide }
    }

    /// The rank that a number is drawn for.
    #[inline]
    pub fn draw(&self, number: u64) -> u64 {
        let start = (number >> (64 - BITS)) as usize;
        let from = self.guide[start] as usize;
        let to = self.guide.get(start + 1).map_or(self.groups.len() - 1, |to| *to as usize);
        let at = from + self.groups[from..to].partition_point(|group| group.last < number);
        let group = self.groups[at];
        let before = if at == 0 { 0 } else { self.groups[at - 1].last };
        // The place within the group is as even as the number is.
        let (place, width) = (u128::from(number - before), u128::from(group.last - before) + 1);
        match group.count {
            1 => group.first,
            u64::MAX => number,
            count => group.first + (place * u128::from(count) / width) as u64,
        }
    }
}

const TWO_64: f64 = 18_446_744_073_709_551_616.0;

/// A number of values, at least one.
fn whole(count: f64) -> u64 {
    count.max(1.0) as u64
}

/// The shares of the ranks `k^-s`: the first one by one, then in groups by the midpoint rule.
fn zipf(count: u64, exponent: f64) -> Vec<(f64, u64)> {
    const ALONE: u64 = 1024;
    let mut groups = Vec::new();
    let mut last = 0;
    while last < count {
        let next = if last < ALONE { last + 1 } else { last.saturating_add(last / 100) }.min(count);
        let share = if next - last == 1 {
            libm::pow(next as f64, -exponent)
        } else {
            let (from, to) = (last as f64 + 0.5, next as f64 + 0.5);
            if (exponent - 1.0).abs() < 1e-9 {
                libm::log(to / from)
            } else {
                (libm::pow(to, 1.0 - exponent) - libm::pow(from, 1.0 - exponent)) / (1.0 - exponent)
            }
        };
        groups.push((share, next - last));
        last = next;
    }
    groups
}
