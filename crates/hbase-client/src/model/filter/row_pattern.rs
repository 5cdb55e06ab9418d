//! Patterns of row keys, of fixed bytes and of any.

use std::ops::Range;

use super::tree::Pattern;
use crate::model::names::LONGEST_KEY;

/// A pattern of row keys for [`Filter::fuzzy_row`](super::Filter::fuzzy_row): the bytes that keys begin with, some of
/// which may be any.
///
/// ```
/// use hbase_client::{Filter, RowPattern};
///
/// // The visits of January, of users whose numbers have four digits.
/// let january = Filter::fuzzy_row([RowPattern::new("????-2026-01").any(0..4)]);
/// ```
#[doc(alias = "FuzzyRowFilter")]
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RowPattern {
    bytes: Pattern,
    is_past_end: bool,
}

impl RowPattern {
    /// The pattern of the keys that begin with these bytes.
    pub fn new(bytes: impl AsRef<[u8]>) -> Self {
        Self { bytes: bytes.as_ref().iter().copied().map(Some).collect(), is_past_end: false }
    }

    /// Lets the bytes at these positions, from 0, be any. HBase's mask is 1 there.
    #[must_use]
    pub fn any(mut self, positions: Range<usize>) -> Self {
        match self.bytes.get_mut(positions) {
            Some(bytes) => bytes.fill(None),
            None => self.is_past_end = true,
        }
        self
    }

    /// The pattern as filters have it, or the reason why it is refused.
    pub(super) fn checked(self) -> Result<Pattern, &'static str> {
        match self.bytes.len() {
            _ if self.is_past_end => Err("a filter: a range of any bytes is not within its pattern"),
            0 => Err("a filter: a pattern of rows is empty"),
            1..=LONGEST_KEY => Ok(self.bytes),
            _ => Err("a filter: a pattern of rows is longer than a row key can be"),
        }
    }
}
