//! Writes across tables, for databases without batches that span tables.

use std::sync::Arc;

use super::Batch;
use crate::store::error::{Error, RowErrors};

/// Writes batches to several tables, one after another, and reports which writes failed. For authors of a
/// [`Database`](super::Database) whose batches are not atomic across tables, to call after the batches have been
/// validated.
///
/// `write` is called with each table's name and batch. Empty batches, which only create their table, come first. If a
/// whole batch fails, all its writes are reported as failed, and the next batch is written.
///
/// # Errors
///
/// [`Error::Rows`] names the writes that failed. If an empty batch fails, its error is returned and nothing is written.
/// If there is only one batch with writes, its own error is returned.
pub fn write_by_table(
    batches: &[(&str, &Batch)],
    mut write: impl FnMut(&str, &Batch) -> Result<(), Error>,
) -> Result<(), Error> {
    let mut report = ByTable::new(batches);
    for (table, batch) in in_order(batches) {
        report.add(table, batch, write(table, batch))?;
    }
    report.into_result()
}

/// The order in which [`write_by_table`] writes: empty batches, which only create their table, come first.
pub(crate) fn in_order<'b>(batches: &'b [(&'b str, &'b Batch)]) -> impl Iterator<Item = (&'b str, &'b Batch)> {
    let (empty, filled) = (batches.iter(), batches.iter());
    empty.filter(|(_, batch)| batch.is_empty()).chain(filled.filter(|(_, batch)| !batch.is_empty())).copied()
}

/// The outcome of the batches of [`write_by_table`].
pub(crate) struct ByTable {
    failed: RowErrors,
    /// The number of writes in the batches so far.
    begun: usize,
    /// True if there is only one batch with writes.
    alone: bool,
}

impl ByTable {
    pub(crate) fn new(batches: &[(&str, &Batch)]) -> Self {
        let alone = batches.iter().filter(|(_, batch)| !batch.is_empty()).count() == 1;
        Self { failed: RowErrors::new(batches.iter().map(|(_, batch)| batch.len()).sum()), begun: 0, alone }
    }

    /// Adds what became of the next batch, in the order of [`in_order`]. An error ends the call.
    pub(crate) fn add(&mut self, table: &str, batch: &Batch, written: Result<(), Error>) -> Result<(), Error> {
        match written {
            Ok(()) => {}
            Err(error) if batch.is_empty() => return Err(error),
            Err(Error::Rows(rows)) => {
                rows.in_call(&mut self.failed, Some(table), |row| self.begun + row.index(), |row| row.key().to_vec());
            }
            Err(error) if self.alone => return Err(error),
            Err(error) => {
                let error = Arc::new(error);
                for (index, write) in batch.writes().enumerate() {
                    self.failed.push(self.begun + index, table, write.key(), Arc::clone(&error));
                }
            }
        }
        self.begun += batch.len();
        Ok(())
    }

    pub(crate) fn into_result(self) -> Result<(), Error> {
        self.failed.into_result()
    }
}
