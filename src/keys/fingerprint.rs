//! The fingerprint of a key's layout.

use std::fmt;

/// Identifies a key's layout in eight bytes: XXH3-64 of its shape, shown as 16 lower-case hex digits.
///
/// Tables keep it, so that a table is not opened with another key type; cursors keep it too.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Fingerprint(pub u64);

impl Fingerprint {
    /// The fingerprint of a shape.
    pub(crate) fn of(shape: &str) -> Self {
        Self(xxhash_rust::xxh3::xxh3_64(shape.as_bytes()))
    }

    /// Reads its text: 16 lower-case hex digits.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let fingerprint = Self(u64::from_str_radix(text, 16).ok()?);
        (fingerprint.to_string() == text).then_some(fingerprint)
    }
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}
