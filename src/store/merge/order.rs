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
    pub(super) fn head(self, prefix: &[u8], hinge: Option<&Hinge>, key: &[u8]) -> u64 {
        let rest = match key.split_at_checked(self.skip + prefix.len()) {
            Some((start, rest)) if prefix.is_empty() || start[self.skip..] == *prefix => rest,
            None if prefix.is_empty() => &[],
            _ => return u64::MAX,
        };
        let head = match hinge {
            None => first_bytes(rest),
            Some(hinge) => hinge.head(rest),
        };
        if self.reverse { !head } else { head }
    }
}

/// Bytes in the middle of keys that most of them share, such as the first bytes of a time after an id: the head leaves
/// them out, so that it has room for bytes on both sides.
///
/// Instead of them it has one byte: 0, 1 or 2 if they are less than the shared ones, the same, or greater. Only after
/// the same ones do the bytes behind them count.
#[derive(Clone, Debug, Default)]
pub(super) struct Hinge {
    /// The number of bytes before them in the head, 1 to 6.
    before: usize,
    shared: Vec<u8>,
}

impl Hinge {
    pub(super) fn new(before: usize, shared: &[u8]) -> Self {
        Self { before: before.clamp(1, 6), shared: shared.to_vec() }
    }

    #[inline]
    fn head(&self, rest: &[u8]) -> u64 {
        let bits = 64 - 8 * self.before as u32;
        let head = first_bytes(rest) >> bits << bits;
        let after = rest.get(self.before..).unwrap_or_default();
        let (order, behind) = match after.strip_prefix(&self.shared[..]) {
            Some(behind) => (1, first_bytes(behind)),
            None => (2 * u64::from(after > &self.shared[..]), 0),
        };
        head | order << (bits - 8) | behind >> (8 * self.before + 8)
    }
}

/// The first eight bytes as an integer, zeros after the last.
#[inline]
fn first_bytes(rest: &[u8]) -> u64 {
    rest.first_chunk().map_or_else(|| short_head(rest), |bytes| u64::from_be_bytes(*bytes))
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
    pub(super) hinge: Option<&'t Hinge>,
}

impl Heads<'_> {
    #[inline]
    pub(super) fn of(self, key: &[u8]) -> u64 {
        self.order.head(self.prefix, self.hinge, key)
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
            hinge in proptest::option::of((0..8_usize, vec(prop_oneof![Just(0), Just(0xff), any::<u8>()], 0..4))),
        ) {
            let hinge = hinge.map(|(before, shared)| Hinge::new(before, &shared));
            let order = Order { skip, reverse };
            let mut keys: Vec<_> = keys.iter().map(|key| [&[9, 9][..skip], &prefix, key].concat()).collect();
            keys.sort_by(|a, b| order.compare(a, b));
            // The last key of a source may be past the prefix that all began with.
            keys.push(if reverse { vec![] } else { vec![0xff; 20] });
            let heads: Vec<_> = keys.iter().map(|key| order.head(&prefix, hinge.as_ref(), key)).collect();
            prop_assert!(heads.is_sorted(), "{:?}", heads);
        }
    }

    #[test]
    fn a_hinge_stands_for_the_bytes_that_are_shared() {
        let (order, hinge) = (Order::default(), Hinge::new(2, b"--"));
        let head = |key: &[u8]| order.head(b"p", Some(&hinge), key).to_be_bytes();
        assert_eq!(head(b"pab--cdefgh"), *b"ab\x01cdefg");
        assert_eq!(head(b"pab-"), *b"ab\0\0\0\0\0\0");
        assert_eq!(head(b"pab.-cdefgh"), *b"ab\x02\0\0\0\0\0");
        assert_eq!(head(b"pa"), *b"a\0\0\0\0\0\0\0");
    }

    #[test]
    fn a_head_is_padded() {
        let order = Order { skip: 1, reverse: false };
        assert_eq!(order.head(&[], None, b"sab"), u64::from_be_bytes(*b"ab\0\0\0\0\0\0"));
        assert_eq!(order.head(b"a", None, b"sab"), u64::from_be_bytes(*b"b\0\0\0\0\0\0\0"));
        assert_eq!(order.head(&[], None, b""), 0);
        assert_eq!(order.head(b"b", None, b"sab"), u64::MAX);
    }
}
