//! Ranges of bytes: what a prefix becomes, and all that a store has to know of a query.
//!
//! The traps of this small subject live here once. A range is never empty, because an empty end means "to the end of
//! the table" to every engine. The end of a prefix is the next *shorter-or-equal* byte string, not the prefix with an
//! FF behind it; a prefix of nothing but FF has no end.

use std::ops::Bound;

/// A non-empty range of row keys: `start` is in it, `end` is not, no `end` is the end of the table.
///
/// ```
/// use rowkey::KeyRange;
///
/// let range = KeyRange::prefix(b"user1");
/// assert_eq!(range.start(), b"user1");
/// assert_eq!(range.end(), Some(&b"user2"[..]));
/// assert_eq!(KeyRange::prefix(b"\xff\xff").end(), None);
/// assert!(KeyRange::new("b", Some("b")).is_none(), "an empty range is no range");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct KeyRange {
    start: Vec<u8>,
    end: Option<Vec<u8>>,
}

impl KeyRange {
    /// The whole table.
    pub const fn all() -> Self {
        Self { start: Vec::new(), end: None }
    }

    /// From `start` up to, without, `end`; `None` where no key can lie between them.
    pub fn new(start: impl Into<Vec<u8>>, end: Option<impl Into<Vec<u8>>>) -> Option<Self> {
        let (start, end) = (start.into(), end.map(Into::into));
        match &end {
            Some(end) if *end <= start => None,
            _ => Some(Self { start, end }),
        }
    }

    /// One key alone.
    pub fn point(key: impl Into<Vec<u8>>) -> Self {
        let start = key.into();
        let mut end = Vec::with_capacity(start.len() + 1);
        end.extend_from_slice(&start);
        end.push(0);
        Self { start, end: Some(end) }
    }

    /// Every key behind one; behind none, the whole table.
    pub(crate) fn behind(key: Option<&[u8]>) -> Self {
        let start = key.map(|key| [key, b"\0"].concat()).unwrap_or_default();
        Self { start, end: None }
    }

    /// Every key that begins with `prefix`.
    pub fn prefix(prefix: impl Into<Vec<u8>>) -> Self {
        let start = prefix.into();
        let end = successor(&start);
        Self { start, end }
    }

    /// The first key that can be in the range.
    pub fn start(&self) -> &[u8] {
        &self.start
    }

    /// The first key after the range, if there is one.
    pub fn end(&self) -> Option<&[u8]> {
        self.end.as_deref()
    }

    /// The range as the standard library's maps and sets take it.
    pub(crate) fn bounds(&self) -> (Bound<&[u8]>, Bound<&[u8]>) {
        (Bound::Included(&self.start), self.end().map_or(Bound::Unbounded, Bound::Excluded))
    }

    /// Whether `key` is in the range.
    pub fn contains(&self, key: &[u8]) -> bool {
        self.start.as_slice() <= key && !self.ends_by(key)
    }

    /// Whether the whole range lies before `key`.
    pub fn ends_by(&self, key: &[u8]) -> bool {
        self.end.as_deref().is_some_and(|end| end <= key)
    }

    /// Drops the keys before `key`, and `key` itself unless `inclusive`. Of what is dropped whole nothing is changed.
    pub(crate) fn start_at(&mut self, key: &[u8], inclusive: bool) -> Cut {
        if if inclusive { self.start.as_slice() >= key } else { self.start.as_slice() > key } {
            return Cut::Nothing;
        }
        if self.ends_by(key) || !inclusive && self.end.as_deref().is_some_and(|end| is_next(key, end)) {
            return Cut::All;
        }
        self.start.clear();
        self.start.extend_from_slice(key);
        if !inclusive {
            self.start.push(0);
        }
        Cut::Part
    }

    /// Drops the keys after `key`, and `key` itself unless `inclusive`. Of what is dropped whole nothing is changed.
    pub(crate) fn end_at(&mut self, key: &[u8], inclusive: bool) -> Cut {
        if self.end.as_deref().is_some_and(|end| end <= key || inclusive && is_next(key, end)) {
            return Cut::Nothing;
        }
        if if inclusive { self.start.as_slice() > key } else { self.start.as_slice() >= key } {
            return Cut::All;
        }
        let end = self.end.get_or_insert_default();
        end.clear();
        end.extend_from_slice(key);
        if inclusive {
            end.push(0);
        }
        Cut::Part
    }

    /// What two ranges share.
    pub fn intersect(&self, other: &Self) -> Option<Self> {
        let start = Ord::max(&self.start, &other.start).clone();
        let end = match (&self.end, &other.end) {
            (Some(a), Some(b)) => Some(Ord::min(a, b).clone()),
            (a, b) => a.as_ref().or(b.as_ref()).cloned(),
        };
        Self::new(start, end)
    }

    /// The same keys in as few ranges as hold them, sorted, none touching the next.
    pub fn merged(mut ranges: Vec<Self>) -> Vec<Self> {
        if ranges.len() < 2 {
            return ranges;
        }
        ranges.sort_unstable_by(|a, b| a.start.cmp(&b.start));
        let mut merged: Vec<Self> = Vec::with_capacity(ranges.len());
        for range in ranges {
            match merged.last_mut() {
                Some(last) if last.end.as_ref().is_none_or(|end| range.start <= *end) => {
                    let longer = match (&last.end, &range.end) {
                        (Some(a), Some(b)) => b > a,
                        (last, _) => last.is_some(),
                    };
                    if longer {
                        last.end = range.end;
                    }
                }
                _ => merged.push(range),
            }
        }
        merged
    }
}

/// How much of a range was dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cut {
    Nothing,
    Part,
    All,
}

/// Whether no key lies between `key` and `next`.
fn is_next(key: &[u8], next: &[u8]) -> bool {
    next.split_last() == Some((&0, key))
}

/// The first byte string after everything that begins with `prefix`; `None` for the empty prefix and one of only FF,
/// after which there is nothing.
pub fn successor(prefix: &[u8]) -> Option<Vec<u8>> {
    let last = prefix.iter().rposition(|&byte| byte != 0xff)?;
    let mut next = prefix[..=last].to_vec();
    next[last] += 1;
    Some(next)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::collection::vec;
    use proptest::prelude::*;

    fn bytes() -> impl Strategy<Value = Vec<u8>> {
        vec(prop_oneof![Just(0u8), Just(1), Just(0xfe), Just(0xff)], 0..4)
    }

    fn range() -> impl Strategy<Value = Option<KeyRange>> {
        (bytes(), proptest::option::of(bytes())).prop_map(|(start, end)| KeyRange::new(start, end))
    }

    proptest! {
        #[test]
        fn prefix_holds_what_begins_with_it(prefix in bytes(), key in bytes()) {
            prop_assert_eq!(KeyRange::prefix(prefix.clone()).contains(&key), key.starts_with(&prefix));
        }

        #[test]
        fn point_holds_one_key(point in bytes(), key in bytes()) {
            prop_assert_eq!(KeyRange::point(point.clone()).contains(&key), key == point);
        }

        #[test]
        fn intersection_is_both(a in range(), b in range(), key in bytes()) {
            let (Some(a), Some(b)) = (a, b) else { return Ok(()) };
            let both = a.intersect(&b).is_some_and(|r| r.contains(&key));
            prop_assert_eq!(both, a.contains(&key) && b.contains(&key));
        }

        #[test]
        fn a_range_is_cut(range in range(), at in bytes(), inclusive: bool, key in bytes()) {
            let Some(range) = range else { return Ok(()) };
            let is_after = key > at || inclusive && key == at;
            let is_before = key < at || inclusive && key == at;
            for (is_kept, reverse) in [(is_after, false), (is_before, true)] {
                let mut rest = range.clone();
                let cut = if reverse { rest.end_at(&at, inclusive) } else { rest.start_at(&at, inclusive) };
                prop_assert_eq!(cut != Cut::All && rest.contains(&key), range.contains(&key) && is_kept);
                prop_assert_eq!(cut == Cut::Part, cut != Cut::All && rest != range);
                prop_assert!(KeyRange::new(rest.start, rest.end).is_some());
            }
        }

        #[test]
        fn merged_is_any(ranges in vec(range(), 0..6), key in bytes()) {
            let ranges: Vec<_> = ranges.into_iter().flatten().collect();
            let merged = KeyRange::merged(ranges.clone());
            prop_assert_eq!(merged.iter().any(|r| r.contains(&key)), ranges.iter().any(|r| r.contains(&key)));
            for pair in merged.windows(2) {
                prop_assert!(pair[0].end().is_some_and(|end| end < pair[1].start()));
            }
        }
    }
}
