//! The rows that a table has before the first event: all of a table that grows no more, or hardly.

use super::puts::Order;
use super::{Drawn, LoadError};

/// Rows that are there before the first event.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stored {
    /// Their keys, in order.
    pub keys: Vec<Vec<u8>>,
    /// The number of rows that each stands for.
    pub count: u64,
    /// True if no others are written: what is written are versions of these.
    pub are_all: bool,
}

impl Drawn<'_> {
    /// The rows that a table has by its design, if it is full grown from the beginning. No two have one key.
    ///
    /// # Errors
    /// If values that are drawn are no key.
    pub fn stored(&self) -> Result<Option<Stored>, LoadError> {
        let Some(put) = self.puts.writes.iter().position(|put| put.order == Order::Stored) else { return Ok(None) };
        let mut keys = self.sorted(put)?;
        let drawn = keys.len() as u128 * u128::from(self.puts.writes[put].weight);
        keys.dedup();
        let count = (drawn + keys.len() as u128 / 2).checked_div(keys.len() as u128).unwrap_or(1);
        let are_all = self.puts.overwrites || self.puts.writes.len() == 1;
        Ok(Some(Stored { keys, count: u64::try_from(count).unwrap_or(u64::MAX), are_all }))
    }
}
