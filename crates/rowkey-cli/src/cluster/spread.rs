//! Places between two keys, spread evenly as numbers of the bytes that keys have.

use std::collections::BTreeSet;

use super::alphabet::{self, Position};

/// The keys between two of them, as numbers: each position has the bytes that keys have there.
#[derive(Debug)]
pub(super) struct Spread {
    /// The bytes that all keys begin with.
    shared: Vec<u8>,
    /// The bytes of each position behind, in order.
    bytes: Vec<Vec<u8>>,
    from: u64,
    span: u64,
}

impl Spread {
    /// The keys from one to another, of which some are known; these are first.
    pub(super) fn new(first: &[u8], last: &[u8], known: &[Vec<u8>]) -> Self {
        let shared = first.iter().zip(last).take_while(|(a, b)| a == b).count();
        let keys = || known.iter().map(Vec::as_slice).chain([first, last]);
        let positions = (shared..first.len().max(last.len())).map(|at| {
            let seen: BTreeSet<u8> = keys().filter_map(|key| key.get(at).copied()).collect();
            Position { seen, keys: keys().filter(|key| key.len() > at).count() }
        });
        let (mut bytes, mut all): (Vec<Vec<u8>>, u64) = (Vec::new(), 1);
        for found in alphabet::members(&positions.collect::<Vec<_>>()) {
            let Some(product) = all.checked_mul(found.len().max(1) as u64) else { break };
            all = product;
            bytes.push(found);
        }
        let mut spread = Self { shared: first[..shared].to_vec(), bytes, from: 0, span: 0 };
        spread.from = spread.number(first);
        spread.span = spread.number(last).saturating_sub(spread.from);
        spread
    }

    /// The place behind a part of these keys: of 2^64 parts.
    pub(super) fn at(&self, part: u64) -> Vec<u8> {
        let offset = (u128::from(self.span) * u128::from(part)) >> 64;
        let mut number = self.from.saturating_add(u64::try_from(offset).unwrap_or(self.span));
        let mut key: Vec<u8> = Vec::new();
        for bytes in self.bytes.iter().rev().filter(|bytes| !bytes.is_empty()) {
            let radix = bytes.len() as u64;
            key.extend(usize::try_from(number % radix).ok().and_then(|digit| bytes.get(digit)));
            number /= radix;
        }
        self.shared.iter().copied().chain(key.into_iter().rev()).collect()
    }

    fn number(&self, key: &[u8]) -> u64 {
        let digit = |at: usize, bytes: &[u8]| {
            let byte = key.get(self.shared.len() + at)?;
            Some(bytes.partition_point(|other| other < byte).min(bytes.len().saturating_sub(1)) as u64)
        };
        let places = self.bytes.iter().enumerate();
        places.fold(0, |number, (at, bytes)| number * bytes.len().max(1) as u64 + digit(at, bytes).unwrap_or(0))
    }
}

#[cfg(test)]
mod tests {
    use super::Spread;

    fn places(first: &[u8], last: &[u8], known: &[Vec<u8>]) -> Vec<Vec<u8>> {
        let spread = Spread::new(first, last, known);
        (0..4).map(|part| spread.at(part << 62)).collect()
    }

    #[test]
    fn places_lie_evenly_among_the_bytes_that_keys_have() {
        let digits = [b"a123".to_vec(), b"a456".to_vec()];
        assert_eq!(places(b"a000", b"a800", &digits), [b"a000", b"a200", b"a400", b"a600"]);
        assert_eq!(places(&[0, 0, 0], &[255, 255, 255], &[])[1..3], [[0x3f, 0xff, 0xff], [0x7f, 0xff, 0xff]]);
        let digits = [b"1|x".to_vec(), b"5|x".to_vec(), b"7|x".to_vec()];
        assert_eq!(places(b"0|x", b"8|x", &digits), [b"0|x", b"2|x", b"4|x", b"6|x"]);
        // Two keys show no letters: these are numbers.
        assert_eq!(places(b"\x10AB", b"\x12YZ", &[])[2], [0x11, 0x4d, 0x4e]);
        // Digits and letters of a hash.
        assert_eq!(places(b"0000", b"ffff", &[b"5abe".to_vec()])[2], b"7fff");
        // A key that is the beginning of another, one key alone, and none.
        assert_eq!(places(b"abc", b"abc\x80", &[]), [b"abc\0", b"abc ", b"abc@", b"abc`"]);
        assert_eq!(places(b"abc", b"abc", &[]), [b"abc"; 4]);
        assert_eq!(places(b"", b"", &[]), [b""; 4]);
    }

    #[test]
    fn places_are_in_order_and_none_is_behind_the_last() {
        let (mut keys, mut random): (Vec<Vec<u8>>, _) = (Vec::new(), 7u64);
        for length in 0..60 {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let alphabet: &[u8] = [&b"0123"[..], b"09afz", &[0, 1, 254, 255]][length % 3];
            let bytes = random.to_be_bytes().repeat(2);
            keys.push(bytes[..length % 14].iter().map(|byte| alphabet[usize::from(*byte) % alphabet.len()]).collect());
        }
        keys.sort();
        for pair in keys.windows(2) {
            let spread = Spread::new(&pair[0], &pair[1], &keys[..0]);
            let all: Vec<Vec<u8>> = (0..9).map(|part| spread.at(part << 60)).collect();
            assert!(all.is_sorted(), "{pair:?} {all:?}");
            let end = [&pair[1][..], &[255; 16]].concat();
            assert!(all.iter().all(|point| *point <= end), "{pair:?} {all:?}");
        }
    }
}
