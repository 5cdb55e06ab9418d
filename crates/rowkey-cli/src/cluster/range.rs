//! Ranges of keys, and the rows of which keys are read.

use super::Keys;

/// Keys that lie side by side.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Range {
    pub(super) start: Vec<u8>,
    /// True if the start is not one of them.
    pub(super) is_after: bool,
    /// The key before which it ends; empty without an end.
    pub(super) end: Vec<u8>,
}

/// An order in which rows are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    Forwards,
    Backwards,
}

/// Rows whose keys are read.
pub(super) trait Rows {
    type Error;

    /// The first `most` keys of a range in an order; all, where it has fewer.
    async fn read(&self, range: &Range, order: Order, most: usize) -> Result<Keys, Self::Error>;
}
