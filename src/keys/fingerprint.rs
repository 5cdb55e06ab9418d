//! What tells a key's layout from every other in eight bytes.

use std::fmt;

/// XXH3-64 of a key's shape; 16 lower-case hex digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Fingerprint(pub u64);

impl Fingerprint {
    /// The fingerprint of a shape.
    pub(crate) fn of(shape: &str) -> Self {
        Self(xxhash_rust::xxh3::xxh3_64(shape.as_bytes()))
    }
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}
