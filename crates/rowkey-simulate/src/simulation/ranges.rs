//! Split points that a run begins with, where the design declares none, or too few.

use std::ops::ControlFlow;

use crate::event::Op;
use crate::load::{Load, LoadError};
use crate::run::Key;

/// The keys that ranges are found with: at least so many, and for each range, so that these are even but for chance.
const KEYS: f64 = 65_536.0;
const KEYS_OF_RANGE: f64 = 256.0;

/// The most regions that a table begins with beside those that are declared: 40 TB of them.
pub(super) const MOST: f64 = 4096.0;

/// The keys that so many ranges are found with.
pub(super) fn keys(ranges: f64) -> u64 {
    (KEYS_OF_RANGE * ranges.min(MOST)).max(KEYS) as u64
}

/// The split points between so many ranges of as many rows each, those that are declared among them.
pub(super) fn equal(load: &mut dyn Load, declared: &[Key], ranges: f64) -> Result<Vec<Key>, LoadError> {
    let mut keys = Vec::new();
    load.events(&mut |event| {
        if event.op == Op::Put {
            keys.push(event.key.to_vec());
        }
        ControlFlow::Continue(())
    })?;
    keys.sort_unstable();
    Ok(divided(&keys, declared, ranges))
}

/// The split points of a table that is full grown: those that are declared, and between them as many as it takes for
/// `regions` in all that have as many of these keys each. The keys are in order.
pub(super) fn of_full(keys: &[Vec<u8>], declared: &[Key], regions: f64) -> Vec<Key> {
    let regions = regions.min(MOST);
    cut(keys, declared, |first, end| (regions * (end - first)).ceil())
}

/// The split points of a table that is divided into so many ranges in all, one at least between two that are declared.
pub(super) fn divided(keys: &[Vec<u8>], declared: &[Key], ranges: f64) -> Vec<Key> {
    let ranges = ranges.min(MOST).ceil();
    cut(keys, declared, |first, end| (ranges * end).round() - (ranges * first).round())
}

/// The split points that are declared, and between them those of `count` ranges of as many keys each: by the parts of
/// all keys that come before the first and before the end.
fn cut(keys: &[Vec<u8>], declared: &[Key], count: impl Fn(f64, f64) -> f64) -> Vec<Key> {
    let mut splits = declared.to_vec();
    let part = |keys_before: usize| keys_before as f64 / keys.len().max(1) as f64;
    let mut first = 0;
    for end in declared.iter().map(Some).chain([None]) {
        let after = first + keys[first..].partition_point(|key| end.is_none_or(|end| *key < end.0));
        let own = &keys[first..after];
        let count = (count(part(first), part(after)) as usize).min(own.len());
        splits.extend((1..count).map(|at| Key(own[at * own.len() / count].clone())));
        first = after;
    }
    splits.sort_unstable();
    splits.dedup();
    splits
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn regions_of_a_full_table_are_as_full_as_each_other() {
        let keys: Vec<Vec<u8>> = (0..=255_u8).map(|byte| vec![byte]).collect();
        let of = |declared: &[u8], regions| {
            let declared: Vec<Key> = declared.iter().map(|byte| Key(vec![*byte])).collect();
            of_full(&keys, &declared, regions).into_iter().map(|key| key.0[0]).collect::<Vec<_>>()
        };
        assert_eq!(of(&[], 4.0), [64, 128, 192]);
        assert!(of(&[], 0.3).is_empty());
        // Three quarters of the rows are in the second of two.
        assert_eq!(of(&[64], 4.0), [64, 128, 192]);
        assert_eq!(of(&[64], 0.0), [64]);
        assert_eq!(of_full(&[], &[Key(vec![64])], 4.0), [Key(vec![64])]);
        assert_eq!(of(&[], 1e18).len(), 255);
    }
}
