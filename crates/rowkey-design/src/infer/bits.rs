//! Bits that values take under a description: the measure by which layouts are compared.

/// The bits of a number from 0 on whose size is not known before.
pub(super) fn of_number(number: u128) -> f64 {
    let log = (number as f64 + 1.0).log2();
    log + 2.0 * (log + 1.0).log2() + 1.0
}

/// The bits of numbers: each by itself, all by their least and greatest, or by how long they are.
pub(super) fn of_numbers(numbers: &[u128]) -> f64 {
    let alone: f64 = numbers.iter().map(|number| of_number(*number)).sum();
    let least = numbers.iter().min().copied().unwrap_or(0);
    let above: Vec<u128> = numbers.iter().map(|number| number - least).collect();
    alone.min(of_range(numbers)).min(of_lengths(numbers)).min(of_number(least) + of_lengths(&above))
}

/// The bits of numbers of which some lengths are more frequent than others, as with skewed ids.
fn of_lengths(numbers: &[u128]) -> f64 {
    let length = |number: &u128| (128 - number.leading_zeros()) as usize;
    let most = numbers.iter().map(length).max().unwrap_or(0);
    let mut counts = [0.0; 129];
    let mut bits = of_number(most as u128);
    for (i, number) in numbers.iter().enumerate() {
        let length = length(number);
        bits -= f64::log2((counts[length] + 0.5) / (i as f64 + 0.5 * (most as f64 + 1.0)));
        bits += length.saturating_sub(1) as f64;
        counts[length] += 1.0;
    }
    bits
}

fn of_range(numbers: &[u128]) -> f64 {
    let (Some(least), Some(most)) = (numbers.iter().min(), numbers.iter().max()) else { return 0.0 };
    let range = most - least;
    let exact = of_number(*least) + of_number(range) + within(range, numbers.len());
    exact.min(of_number(least / (range / COARSE).max(1)) + coarse(range, numbers.len()))
}

/// The ends of a range may be rounded to this part of it.
const COARSE: u128 = 16;

/// The bits of `count` numbers of a range.
pub(super) fn within(range: u128, count: usize) -> f64 {
    count as f64 * (range as f64 + 1.0).log2()
}

/// The same, with the range itself, rounded.
pub(super) fn coarse(range: u128, count: usize) -> f64 {
    let rounded = count as f64 * (1.0 + 1.0 / COARSE as f64).log2();
    let log = (range as f64 + 1.0).log2();
    of_number(log as u128) + (COARSE as f64).log2() + rounded + within(range, count)
}

/// The bits that say which keys have the same value of a field as one before: by Pitman and Yor's process, with the
/// discount that fits best.
pub(super) struct Repeats {
    discounts: Vec<Discount>,
    /// Of the number of keys.
    all: f64,
}

struct Discount {
    /// By the number of different values.
    new: Vec<f64>,
    /// By the number of times that a value is there.
    again: Vec<f64>,
}

const DISCOUNTS: [f64; 6] = [0.0, 0.25, 0.5, 0.75, 0.95, 0.999];
const STRENGTH: f64 = 0.5;

impl Repeats {
    pub(super) fn of(keys: usize) -> Self {
        let sums = |each: &dyn Fn(f64) -> f64| {
            let mut sum = 0.0;
            let sums = (1..=keys).map(|i| {
                sum += each(i as f64);
                sum
            });
            [0.0, 0.0].into_iter().chain(sums).take(keys + 1).collect::<Vec<f64>>()
        };
        let discounts = DISCOUNTS.map(|discount| Discount {
            new: sums(&|i| (STRENGTH + i * discount).log2()),
            again: sums(&|i| (i - discount).log2()),
        });
        let all = (1..keys).map(|i| (STRENGTH + i as f64).log2()).sum();
        Self { discounts: discounts.into(), all }
    }

    /// `counts`: of each different value, the keys that have it.
    pub(super) fn bits(&self, counts: &[u32]) -> f64 {
        let of = |discount: &Discount| {
            let again: f64 = counts.iter().filter_map(|count| discount.again.get(*count as usize)).sum();
            self.all - discount.new.get(counts.len()).unwrap_or(&0.0) - again
        };
        let least = self.discounts.iter().map(of).fold(f64::INFINITY, f64::min);
        least + (DISCOUNTS.len() as f64).log2()
    }
}

/// The greatest common divisor.
pub(super) fn common(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { common(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_new_each_time_and_what_is_always_the_same_cost_little() {
        let repeats = Repeats::of(400);
        assert!(repeats.bits(&[1; 400]) < 12.0, "{}", repeats.bits(&[1; 400]));
        assert!(repeats.bits(&[400]) < 12.0, "{}", repeats.bits(&[400]));
        let two = repeats.bits(&[200, 200]);
        assert!((390.0..420.0).contains(&two), "{two}");
    }

    #[test]
    fn numbers_near_each_other_cost_their_distance() {
        let far: Vec<u128> = (0..100).map(|i| 1 << 60 | i).collect();
        assert!(of_numbers(&far) < 900.0, "{}", of_numbers(&far));
        assert!(of_numbers(&[1, 2, 3]) < 20.0, "{}", of_numbers(&[1, 2, 3]));
    }
}
