//! The rows that a table has before the first event: those of a table that nothing writes.

use super::puts::Order;
use super::{Drawn, LoadError};

/// Rows that are there before the first event.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stored {
    /// Their keys, in order.
    pub keys: Vec<Vec<u8>>,
    /// The number of rows that each stands for.
    pub count: u64,
}

impl Drawn<'_> {
    /// The rows that a table has by its design, if nothing puts any.
    ///
    /// # Errors
    /// If values that are drawn are no key.
    pub fn stored(&self) -> Result<Option<Stored>, LoadError> {
        match self.puts.writes.iter().position(|put| put.order == Order::Stored) {
            Some(put) => Ok(Some(Stored { keys: self.sorted(put)?, count: self.puts.weight })),
            None => Ok(None),
        }
    }
}
