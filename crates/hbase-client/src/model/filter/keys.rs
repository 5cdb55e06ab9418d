//! Sets of row keys: what filters of rows let pass, worked out before anything is sent.

use std::cmp::Ordering;

use bytes::Bytes;

use super::Compare;
use crate::model::names::LONGEST_KEY;

/// Ranges of row keys, in their order; between two of them there are keys that are in neither.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Keys(Vec<Range>);

/// Keys from one up to, and without, another. No end is the table's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Range {
    pub(super) start: Bytes,
    pub(super) end: Option<Bytes>,
}

impl Range {
    fn is_empty(&self) -> bool {
        self.end.as_ref().is_some_and(|end| *end <= self.start)
    }
}

fn by_end(a: Option<&Bytes>, b: Option<&Bytes>) -> Ordering {
    (a.is_none(), a).cmp(&(b.is_none(), b))
}

/// The first bytes that come after all that begin with a prefix, if any do.
pub(super) fn prefix_end(prefix: &[u8]) -> Option<Bytes> {
    let last = prefix.iter().rposition(|byte| *byte != u8::MAX)?;
    let mut end = prefix[..=last].to_vec();
    end[last] += 1;
    Some(end.into())
}

/// The first key that is not less than some bytes. No key is as long as they may be.
fn bound(bytes: &[u8]) -> Option<Bytes> {
    match bytes.get(..LONGEST_KEY) {
        Some(longest) if bytes.len() > LONGEST_KEY => prefix_end(longest),
        _ => Some(Bytes::copy_from_slice(bytes)),
    }
}

impl Keys {
    pub(super) fn all() -> Self {
        Self(vec![Range { start: Bytes::new(), end: None }])
    }

    /// The keys that are at least `start` and less than `end`.
    pub(super) fn range(start: &[u8], end: Option<&[u8]>) -> Self {
        let Some(start) = bound(start) else { return Self(Vec::new()) };
        let range = Range { start, end: end.and_then(bound) };
        Self(if range.is_empty() { Vec::new() } else { vec![range] })
    }

    pub(super) fn prefix(prefix: &[u8]) -> Self {
        Self::range(prefix, prefix_end(prefix).as_deref())
    }

    pub(super) fn compared(compare: Compare, key: &[u8]) -> Self {
        let next = [key, &[0]].concat();
        let (before, behind) = (Self::range(b"", Some(key)), Self::range(&next, None));
        match compare {
            Compare::Less => before,
            Compare::LessOrEqual => Self::range(b"", Some(&next)),
            Compare::Equal => Self::range(key, Some(&next)),
            Compare::NotEqual => Self::union([before, behind]),
            Compare::GreaterOrEqual => Self::range(key, None),
            Compare::Greater => behind,
        }
    }

    /// The keys that are in any of these sets.
    pub(super) fn union(sets: impl IntoIterator<Item = Self>) -> Self {
        let mut ranges: Vec<Range> = sets.into_iter().flat_map(|keys| keys.0).collect();
        ranges.sort_by(|a, b| a.start.cmp(&b.start));
        let mut union: Vec<Range> = Vec::with_capacity(ranges.len());
        for range in ranges {
            match union.last_mut() {
                Some(last) if last.end.as_ref().is_none_or(|end| range.start <= *end) => {
                    if by_end(last.end.as_ref(), range.end.as_ref()).is_lt() {
                        last.end = range.end;
                    }
                }
                _ => union.push(range),
            }
        }
        Self(union)
    }

    /// The keys that are in both.
    pub(super) fn intersection(&self, other: &Self) -> Self {
        let (mut ours, mut theirs, mut both) = (self.0.iter().peekable(), other.0.iter().peekable(), Vec::new());
        while let (Some(a), Some(b)) = (ours.peek(), theirs.peek()) {
            let ends_first = by_end(a.end.as_ref(), b.end.as_ref()).is_lt();
            let end = if ends_first { &a.end } else { &b.end };
            let range = Range { start: (&a.start).max(&b.start).clone(), end: end.clone() };
            if !range.is_empty() {
                both.push(range);
            }
            if ends_first {
                ours.next()
            } else {
                theirs.next()
            };
        }
        Self(both)
    }

    pub(super) fn is_all(&self) -> bool {
        *self == Self::all()
    }

    pub(super) fn ranges(&self) -> &[Range] {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All keys of up to three of these bytes.
    fn keys() -> Vec<Vec<u8>> {
        let mut keys = vec![Vec::new()];
        for at in 0..1 + 4 + 16 {
            for byte in [0, 1, b'm', 255] {
                keys.push([&keys[at][..], &[byte]].concat());
            }
        }
        keys.sort();
        keys
    }

    fn contains(set: &Keys, key: &[u8]) -> bool {
        set.0.iter().any(|range| key >= &range.start[..] && range.end.as_ref().is_none_or(|end| key < &end[..]))
    }

    #[test]
    fn a_set_has_the_keys_that_its_filter_means() {
        let keys = keys();
        let mut sets = vec![Keys::all()];
        for by in &keys {
            let compared = |compare| Keys::compared(compare, by);
            for key in &keys {
                assert_eq!(contains(&compared(Compare::Less), key), key < by);
                assert_eq!(contains(&compared(Compare::LessOrEqual), key), key <= by);
                assert_eq!(contains(&compared(Compare::Equal), key), key == by);
                assert_eq!(contains(&compared(Compare::NotEqual), key), key != by);
                assert_eq!(contains(&compared(Compare::GreaterOrEqual), key), key >= by);
                assert_eq!(contains(&compared(Compare::Greater), key), key > by);
                assert_eq!(contains(&Keys::prefix(by), key), key.starts_with(by));
            }
            sets.extend([compared(Compare::NotEqual), compared(Compare::Less), Keys::prefix(by)]);
        }
        let mut random = fastrand::Rng::with_seed(7);
        for _ in 0..2000 {
            let mut any = || sets[random.usize(..sets.len())].clone();
            let (a, b) = (Keys::union([any(), any()]), Keys::union([any(), any().intersection(&any())]));
            let (union, intersection) = (Keys::union([a.clone(), b.clone()]), a.intersection(&b));
            for key in &keys {
                assert_eq!(contains(&union, key), contains(&a, key) || contains(&b, key), "{a:?} {b:?} {key:?}");
                assert_eq!(contains(&intersection, key), contains(&a, key) && contains(&b, key), "{a:?} {b:?} {key:?}");
            }
            for set in [union, intersection] {
                assert!(set.0.windows(2).all(|two| two[0].end.as_ref().is_some_and(|end| *end < two[1].start)));
                assert!(set.0.iter().all(|range| !range.is_empty()), "{set:?}");
            }
        }
    }

    #[test]
    fn no_bound_is_longer_than_a_key() {
        let longest = [7; LONGEST_KEY];
        for keys in [Keys::compared(Compare::Greater, &longest), Keys::compared(Compare::LessOrEqual, &longest)] {
            let [Range { start, end }] = keys.ranges() else { panic!("{} ranges", keys.ranges().len()) };
            assert!(start.len() <= LONGEST_KEY && end.as_ref().is_none_or(|end| end.len() <= LONGEST_KEY));
        }
        let none = Keys::compared(Compare::Greater, &[255; LONGEST_KEY]);
        assert!(none.ranges().is_empty());
    }
}
