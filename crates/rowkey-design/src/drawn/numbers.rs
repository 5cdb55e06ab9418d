//! Numbers that look random: the same of the same seed on any machine, and each by itself, so that the values of any
//! row are known without those of the rows before it.

/// The numbers of one thing, such as the values of a field.
#[derive(Clone, Copy, Debug)]
pub struct Numbers(u64);

impl Numbers {
    /// Those of a seed.
    pub fn new(seed: u64) -> Self {
        Self(mix(seed))
    }

    /// Those of a thing with this name, beside others of the same seed.
    pub fn named(self, name: &str) -> Self {
        self.of(xxhash_rust::xxh3::xxh3_64(name.as_bytes()))
    }

    /// Those of the thing with this number.
    pub fn of(self, number: u64) -> Self {
        Self(mix(self.0 ^ number.wrapping_mul(STEP)))
    }

    /// The k-th.
    #[inline]
    pub fn at(self, k: u64) -> u64 {
        mix(self.0.wrapping_add(k.wrapping_mul(STEP)))
    }

    /// The k-th of those below a bound.
    #[inline]
    pub fn below(self, bound: u64, k: u64) -> u64 {
        ((u128::from(self.at(k)) * u128::from(bound)) >> 64) as u64
    }
}

const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

/// A bijection each bit of which depends on all of the number's: the finalizer of SplitMix64.
#[inline]
pub fn mix(number: u64) -> u64 {
    let mut z = number.wrapping_add(STEP);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
