//! The order of writes in the journals, by their sequence numbers.
//!
//! The engine takes the next number while it holds the lock of the journal. So numbers increase from batch to batch,
//! and from journal to journal; some are left out, as the register of tables and compactions take numbers too. When a
//! database is opened, the engine continues after the highest number of the tables that are there. So numbers of a
//! table that was dropped, or cleared, may come again.

use std::collections::BTreeSet;

use crate::journal::Batch;

/// Numbers from here on are not those of batches.
const RESERVED: u64 = 1 << 63;

/// The order of the batches that were read so far.
pub(crate) struct Order<'r> {
    registered: &'r BTreeSet<u64>,
    /// The number of the last batch that a later opening continues from.
    kept: Option<u64>,
    /// The highest number of any batch.
    pub(crate) highest: Option<u64>,
}

impl<'r> Order<'r> {
    pub(crate) fn new(registered: &'r BTreeSet<u64>) -> Self {
        Self { registered, kept: None, highest: None }
    }

    /// Returns whether a batch can come after those before. If it can, it is the last one from now on.
    pub(crate) fn follows(&mut self, batch: &Batch<'_>) -> bool {
        let sequence = batch.sequence;
        if self.kept.is_some_and(|kept| sequence <= kept) || sequence >= RESERVED - 1 {
            return false;
        }
        self.highest = self.highest.max(Some(sequence));
        for (table, clears) in batch.tables() {
            if clears {
                self.kept = None;
            } else if self.registered.contains(&table) {
                self.kept = Some(sequence);
            }
        }
        true
    }
}
