//! Ranges of key bytes: what a prefix becomes, and what the scan of any store takes.
//!
//! Two traps are handled here, once. An empty range can't be made, because most engines read an empty end as "to the
//! end of the table". The end of a prefix is not the prefix followed by FF, which longer keys pass. It is the prefix up
//! to its last byte below FF, with that byte raised by one; a prefix of FF bytes alone has no end.

use std::ops::{Bound, RangeBounds};

/// A non-empty range of row keys, in the order of their bytes, for the scan of any store.
///
/// `start` is included, `end` is excluded; a range without `end` goes on to the end of the table.
///
/// ```
/// use rowkey::KeyRange;
///
/// let range = KeyRange::prefix(b"user1");
/// assert_eq!(range.start(), b"user1");
/// assert_eq!(range.end(), Some(&b"user2"[..]));
/// assert_eq!(KeyRange::prefix(b"\xff\xff").end(), None);
/// assert_eq!(KeyRange::new("b", Some("b")), None, "the range would be empty");
/// ```
///
/// It is a `RangeBounds<[u8]>`, which the standard library's sorted maps take:
///
/// ```
/// use std::collections::BTreeMap;
///
/// use rowkey::KeyRange;
///
/// let rows: BTreeMap<Vec<u8>, u32> = BTreeMap::from([(b"user1".into(), 1), (b"user12".into(), 2), (b"user2".into(), 3)]);
/// let found: Vec<u32> = rows.range(&KeyRange::prefix("user1")).map(|(_, value)| *value).collect();
/// assert_eq!(found, [1, 2]);
/// ```
#[doc(alias = "row range")]
#[doc(alias = "scan range")]
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct KeyRange {
    start: Vec<u8>,
    end: Option<Vec<u8>>,
}

impl KeyRange {
    /// Every key: the whole table.
    pub const fn all() -> Self {
        Self { start: Vec::new(), end: None }
    }

    /// The keys from `start`, included, to `end`, excluded; without `end`, to the end of the table. Returns `None` if
    /// the range would be empty.
    pub fn new(start: impl Into<Vec<u8>>, end: Option<impl Into<Vec<u8>>>) -> Option<Self> {
        let (start, end) = (start.into(), end.map(Into::into));
        match &end {
            Some(end) if *end <= start => None,
            _ => Some(Self { start, end }),
        }
    }

    /// The keys from `start`, included, to the end of the table.
    ///
    /// ```
    /// use rowkey::KeyRange;
    ///
    /// let range = KeyRange::from_start("b");
    /// assert!(range.contains(b"b") && range.contains(b"\xff") && !range.contains(b"a"));
    /// ```
    pub fn from_start(start: impl Into<Vec<u8>>) -> Self {
        Self { start: start.into(), end: None }
    }

    /// The keys greater than `key`, to the end of the table: where a scan goes on after its last row.
    ///
    /// ```
    /// use rowkey::KeyRange;
    ///
    /// let range = KeyRange::after("b");
    /// assert!(range.contains(b"b\0") && !range.contains(b"b"));
    /// ```
    #[doc(alias = "resume")]
    pub fn after(key: impl Into<Vec<u8>>) -> Self {
        let mut start = key.into();
        start.push(0);
        Self { start, end: None }
    }

    /// This one key.
    pub fn point(key: impl Into<Vec<u8>>) -> Self {
        let start = key.into();
        let mut end = Vec::with_capacity(start.len() + 1);
        end.extend_from_slice(&start);
        end.push(0);
        Self { start, end: Some(end) }
    }

    /// Every key that begins with these bytes, `prefix` itself included.
    pub fn prefix(prefix: impl Into<Vec<u8>>) -> Self {
        let start = prefix.into();
        let end = successor(&start);
        Self { start, end }
    }

    /// The range's first possible key.
    pub fn start(&self) -> &[u8] {
        &self.start
    }

    /// The first key after the range; `None` if the range goes to the end of the table.
    pub fn end(&self) -> Option<&[u8]> {
        self.end.as_deref()
    }

    /// Returns whether `key` is in the range.
    pub fn contains(&self, key: &[u8]) -> bool {
        self.start.as_slice() <= key && !self.ends_by(key)
    }

    /// Returns whether `key` is in one of the ranges, which are sorted and do not overlap, as [`merged`](Self::merged) ones.
    ///
    /// ```
    /// use rowkey::KeyRange;
    ///
    /// let ranges = [KeyRange::prefix("b"), KeyRange::prefix("d"), KeyRange::from_start("x")];
    /// let found = ["a", "b7", "c", "d", "e", "x", "zz"].map(|key| KeyRange::any_contains(&ranges, key.as_bytes()));
    /// assert_eq!(found, [false, true, false, true, false, true, true]);
    /// assert!(!KeyRange::any_contains(&[], b"a"));
    /// ```
    pub fn any_contains(ranges: &[Self], key: &[u8]) -> bool {
        let begun = ranges.partition_point(|range| range.start() <= key);
        ranges[..begun].last().is_some_and(|range| !range.ends_by(key))
    }

    /// Returns whether every key of the range is less than `key`.
    pub fn ends_by(&self, key: &[u8]) -> bool {
        self.end.as_deref().is_some_and(|end| end <= key)
    }

    /// Drops the keys before `key`, and `key` itself unless `inclusive`. If no key would be left, the range stays as it
    /// is and the result is [`Dropped::All`].
    pub(crate) fn start_at(&mut self, key: &[u8], inclusive: bool) -> Dropped {
        if if inclusive { self.start.as_slice() >= key } else { self.start.as_slice() > key } {
            return Dropped::Nothing;
        }
        if self.ends_by(key) || !inclusive && self.end.as_deref().is_some_and(|end| is_next(key, end)) {
            return Dropped::All;
        }
        self.start.clear();
        self.start.extend_from_slice(key);
        if !inclusive {
            self.start.push(0);
        }
        Dropped::Part
    }

    /// Drops the keys after `key`, and `key` itself unless `inclusive`. If no key would be left, the range stays as it
    /// is and the result is [`Dropped::All`].
    pub(crate) fn end_at(&mut self, key: &[u8], inclusive: bool) -> Dropped {
        if self.end.as_deref().is_some_and(|end| end <= key || inclusive && is_next(key, end)) {
            return Dropped::Nothing;
        }
        if if inclusive { self.start.as_slice() > key } else { self.start.as_slice() >= key } {
            return Dropped::All;
        }
        let end = self.end.get_or_insert_default();
        end.clear();
        end.extend_from_slice(key);
        if inclusive {
            end.push(0);
        }
        Dropped::Part
    }

    /// The keys that are in both ranges; `None` if there can be none.
    pub fn intersect(&self, other: &Self) -> Option<Self> {
        let start = Ord::max(&self.start, &other.start).clone();
        let end = match (&self.end, &other.end) {
            (Some(a), Some(b)) => Some(Ord::min(a, b).clone()),
            (a, b) => a.as_ref().or(b.as_ref()).cloned(),
        };
        Self::new(start, end)
    }

    /// The same keys in the fewest ranges: sorted, with overlapping and adjacent ranges merged.
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

impl RangeBounds<[u8]> for KeyRange {
    fn start_bound(&self) -> Bound<&[u8]> {
        Bound::Included(&self.start)
    }

    fn end_bound(&self) -> Bound<&[u8]> {
        self.end().map_or(Bound::Unbounded, Bound::Excluded)
    }
}

/// Maps take ranges by value; this spares the copy.
impl RangeBounds<[u8]> for &KeyRange {
    fn start_bound(&self) -> Bound<&[u8]> {
        (**self).start_bound()
    }

    fn end_bound(&self) -> Bound<&[u8]> {
        (**self).end_bound()
    }
}

/// The part of a range that was dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dropped {
    Nothing,
    Part,
    All,
}

/// Returns whether no key lies between `key` and `next`.
fn is_next(key: &[u8], next: &[u8]) -> bool {
    next.split_last() == Some((&0, key))
}

/// The first byte string after all those that begin with `prefix`: the exclusive end of a prefix scan. `None` if no
/// byte string is after them: for the empty prefix, and for one of FF bytes alone.
///
/// ```
/// use rowkey::range::successor;
///
/// assert_eq!(successor(b"user1"), Some(b"user2".into()));
/// assert_eq!(successor(b"a\xff"), Some(b"b".into()));
/// assert_eq!(successor(b"\xff"), None);
/// ```
#[doc(alias = "strinc")]
#[doc(alias = "prefix_end")]
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
        fn open_ranges_hold_what_is_not_before_and_what_is_after(at in bytes(), key in bytes()) {
            prop_assert_eq!(KeyRange::from_start(at.clone()).contains(&key), key >= at);
            prop_assert_eq!(KeyRange::after(at.clone()).contains(&key), key > at);
        }

        #[test]
        fn std_s_bounds_hold_the_same_keys(range in range(), key in bytes()) {
            let Some(range) = range else { return Ok(()) };
            prop_assert_eq!(RangeBounds::contains(&range, key.as_slice()), range.contains(&key));
            prop_assert_eq!(RangeBounds::contains(&&range, key.as_slice()), range.contains(&key));
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
                prop_assert_eq!(cut != Dropped::All && rest.contains(&key), range.contains(&key) && is_kept);
                prop_assert_eq!(cut == Dropped::Part, cut != Dropped::All && rest != range);
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
