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
