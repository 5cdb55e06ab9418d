//! The bytes that positions of keys may have, by those that they have in some keys.

use std::collections::BTreeSet;
use std::ops::RangeInclusive;

/// The digits of numbers.
const DIGITS: RangeInclusive<u8> = b'0'..=b'9';

/// The letters of words.
const LETTERS: [RangeInclusive<u8>; 2] = [b'a'..=b'z', b'A'..=b'Z'];

/// The letters of hexadecimal numbers.
const HEX: [RangeInclusive<u8>; 2] = [b'a'..=b'f', b'A'..=b'F'];

/// The bits by which keys show that positions side by side have less than all bytes: what chance makes of positions
/// with any bytes once in 2^9.
const SHOWN: f64 = 9.0;

/// The keys that show that a position has one byte alone.
const ALIKE: usize = 3;

/// A position, as some keys have it.
#[derive(Debug)]
pub(super) struct Position {
    /// Its bytes.
    pub(super) seen: BTreeSet<u8>,
    /// The keys that are so long.
    pub(super) keys: usize,
}

/// The bytes that each of positions side by side may have: all, but where keys show that it has one alone, or text. Of
/// two keys alone each shows nothing.
pub(super) fn members(positions: &[Position]) -> Vec<Vec<u8>> {
    let mut members = Vec::with_capacity(positions.len());
    for run in positions.chunk_by(|one, next| one.is_text() == next.is_text()) {
        let is_shown = run.iter().any(|at| at.keys >= ALIKE) && run.iter().map(Position::bits).sum::<f64>() >= SHOWN;
        members.extend(run.iter().map(|at| at.of_text().filter(|_| is_shown).unwrap_or_else(|| at.of_any())));
    }
    members
}

impl Position {
    fn is_text(&self) -> bool {
        self.seen.iter().all(|byte| (0x20..0x7f).contains(byte))
    }

    /// The bytes of any kind of key.
    fn of_any(&self) -> Vec<u8> {
        match (self.seen.len(), self.keys) {
            (1, ALIKE..) => self.seen.iter().copied().collect(),
            _ => (0..=u8::MAX).collect(),
        }
    }

    /// The bytes of text: of the kinds that were seen, and what was seen besides; none of other bytes. A position that
    /// has the same byte in all keys has no others.
    fn of_text(&self) -> Option<Vec<u8>> {
        let seen = &self.seen;
        if !self.is_text() || seen.len() < 2 {
            return self.is_text().then(|| seen.iter().copied().collect());
        }
        let is_hex = |byte: &u8| !byte.is_ascii_alphabetic() || HEX.iter().any(|letters| letters.contains(byte));
        let letters = if seen.iter().all(is_hex) { &HEX[..] } else { &LETTERS[..] };
        let kinds = letters.iter().chain([&DIGITS]);
        let alike = kinds.filter(|kind| seen.iter().any(|byte| kind.contains(byte))).cloned().flatten();
        Some(alike.chain(seen.iter().copied()).collect::<BTreeSet<u8>>().into_iter().collect())
    }

    /// The bits that text saves of the bytes that were seen behind the first.
    fn bits(&self) -> f64 {
        let is_hex = |byte: &u8| HEX.iter().chain([&DIGITS]).any(|kind| kind.contains(byte));
        let kind: f64 = match &self.seen {
            seen if seen.iter().all(|byte| DIGITS.contains(byte)) => 10.0,
            seen if seen.iter().all(is_hex) => 22.0,
            _ => 95.0,
        };
        self.seen.len().saturating_sub(1) as f64 * (256.0 / kind).log2()
    }
}
