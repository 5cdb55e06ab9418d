//! Numbers drawn by a seed: the same on every machine.

use std::ops::Range;

use xxhash_rust::xxh3::xxh3_64_with_seed;

/// Numbers of a seed, one after the other: XXH3 of how many were drawn before.
#[derive(Clone, Debug)]
pub(crate) struct Draws {
    seed: u64,
    drawn: u64,
}

impl Draws {
    pub(crate) fn new(seed: u64) -> Self {
        Self { seed, drawn: 0 }
    }

    /// A number of 64 bits.
    pub(crate) fn draw(&mut self) -> u64 {
        self.drawn += 1;
        xxh3_64_with_seed(&self.drawn.to_le_bytes(), self.seed)
    }

    /// A number of a range; its start, if the range is empty.
    pub(crate) fn within(&mut self, range: Range<u64>) -> u64 {
        let width = u128::from(range.end.saturating_sub(range.start));
        let offset = (u128::from(self.draw()) * width) >> 64;
        range.start + u64::try_from(offset).unwrap_or(0)
    }
}
