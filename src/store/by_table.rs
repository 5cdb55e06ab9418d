//! Writes across tables, where no batch spans them.

use std::sync::Arc;

use super::Batch;
use crate::store::error::{Error, RowErrors};

/// Writes batches to several tables, one after another, and says which writes failed: for the author of a
/// [`Database`](super::Database) whose batches are not atomic across its tables. What is not valid, and a write inside a closure of a
/// write, has been refused before.
///
/// `write` is called with each table's name and batch, first for those without a write, which only make their table. Where a batch
/// fails as a whole, all its writes are named, and the next one is written.
///
/// # Errors
///
/// [`Error::Rows`]; what a batch without a write failed with, and then nothing is written; of a single batch its own error.
pub fn write_by_table(
    batches: &[(&str, &Batch)],
    mut write: impl FnMut(&str, &Batch) -> Result<(), Error>,
) -> Result<(), Error> {
    let empty = |batch: &Batch| batch.is_empty();
    batches.iter().filter(|(_, batch)| empty(batch)).try_for_each(|(table, batch)| write(table, batch))?;
    let alone = batches.iter().filter(|(_, batch)| !empty(batch)).count() == 1;
    let total = batches.iter().map(|(_, batch)| batch.len()).sum();
    let (mut failed, mut begun) = (RowErrors::new(total), 0);
    for (table, batch) in batches.iter().filter(|(_, batch)| !empty(batch)) {
        match write(table, batch) {
            Ok(()) => {}
            Err(Error::Rows(rows)) => {
                rows.in_call(&mut failed, Some(table), |row| begun + row.index(), |row| row.key().to_vec());
            }
            Err(error) if alone => return Err(error),
            Err(error) => {
                let error = Arc::new(error);
                for (index, write) in batch.writes().enumerate() {
                    failed.push(begun + index, table, write.key(), Arc::clone(&error));
                }
            }
        }
        begun += batch.len();
    }
    failed.into_result()
}
