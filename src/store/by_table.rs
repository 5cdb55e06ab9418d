//! Writes across tables, where no batch spans them.

use std::sync::Arc;

use super::Batch;
use crate::error::{Error, RowErrors};

/// Writes batches to several tables, one batch after another, and says which writes failed: for the author of a
/// [`Database`](super::Database) whose batches are not atomic across its tables. All have been checked before.
///
/// `write` is called with each table's name and batch. Where a batch fails as a whole, all its writes are named, and the next
/// one is written.
///
/// # Errors
///
/// [`Error::Rows`]. If the first batch fails as a whole, its error, and no other batch is written.
pub fn write_by_table(
    batches: &[(&str, &Batch)],
    mut write: impl FnMut(&str, &Batch) -> Result<(), Error>,
) -> Result<(), Error> {
    let total = batches.iter().map(|(_, batch)| batch.len()).sum();
    let (mut failed, mut begun) = (RowErrors::new(total), 0);
    for (table, batch) in batches {
        match write(table, batch) {
            Ok(()) => {}
            Err(Error::Rows(rows)) => {
                rows.in_call(&mut failed, Some(table), |row| begun + row.index(), |row| row.key().to_vec());
            }
            Err(error) if begun == 0 => return Err(error),
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
