//! The order of keys, and their first bytes as integers.

use std::cmp::Ordering;

/// The order of keys: without their first `skip` bytes, ascending or descending.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Order {
    pub(super) skip: usize,
    pub(super) reverse: bool,
}

impl Order {
    pub(super) fn rest(self, key: &[u8]) -> &[u8] {
        key.get(self.skip..).unwrap_or_default()
    }

    pub(super) fn compare(self, a: &[u8], b: &[u8]) -> Ordering {
        let order = self.rest(a).cmp(self.rest(b));
        if self.reverse { order.reverse() } else { order }
    }

    /// The *head* of a key: its first eight bytes after `prefix`, as an integer. Of two keys the one with the smaller
    /// head comes first; equal heads decide nothing. A key without the prefix comes after all keys that have it,
    /// because sources are sorted and all began with the prefix.
    #[inline]
    pub(super) fn head(self, prefix: &[u8], key: &[u8]) -> u64 {
        let rest = match key.split_at_checked(self.skip + prefix.len()) {
            Some((start, rest)) if prefix.is_empty() || start[self.skip..] == *prefix => rest,
            None if prefix.is_empty() => &[],
            _ => return u64::MAX,
        };
        let head = rest.first_chunk().map_or_else(|| short_head(rest), |bytes| u64::from_be_bytes(*bytes));
        if self.reverse { !head } else { head }
    }
}

#[cold]
fn short_head(rest: &[u8]) -> u64 {
    rest.iter().fold(0, |head, byte| head << 8 | u64::from(*byte)) << (64 - 8 * rest.len()).min(63)
}

/// Computes the heads of keys.
#[derive(Clone, Copy)]
pub(super) struct Heads<'t> {
    pub(super) order: Order,
    pub(super) prefix: &'t [u8],
}

impl Heads<'_> {
    #[inline]
    pub(super) fn of(self, key: &[u8]) -> u64 {
        self.order.head(self.prefix, key)
    }
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn heads_never_contradict_the_keys(
            prefix in vec(any::<u8>(), 0..4),
            keys in vec(vec(prop_oneof![Just(0), Just(0xff), any::<u8>()], 0..12), 2..6),
            skip in 0..3_usize,
            reverse: bool,
        ) {
            let order = Order { skip, reverse };
            let mut keys: Vec<_> = keys.iter().map(|key| [&[9, 9][..skip], &prefix, key].concat()).collect();
            keys.sort_by(|a, b| order.compare(a, b));
            // The last key of a source may be past the prefix that all began with.
            keys.push(if reverse { vec![] } else { vec![0xff; 20] });
            let heads: Vec<_> = keys.iter().map(|key| order.head(&prefix, key)).collect();
            prop_assert!(heads.is_sorted(), "{:?}", heads);
        }
    }

    #[test]
    fn a_head_is_padded() {
        let order = Order { skip: 1, reverse: false };
        assert_eq!(order.head(&[], b"sab"), u64::from_be_bytes(*b"ab\0\0\0\0\0\0"));
        assert_eq!(order.head(b"a", b"sab"), u64::from_be_bytes(*b"b\0\0\0\0\0\0\0"));
        assert_eq!(order.head(&[], b""), 0);
        assert_eq!(order.head(b"b", b"sab"), u64::MAX);
    }
}
