//! Writes to several tables, applied together.

use super::Table;
use crate::error::Error;
use crate::key::RowKey;
use crate::store::{Batch, Database, DatabaseId};
use crate::value::RowValue;

/// Writes to tables of one database, applied as one where its
/// [`Guarantees`](crate::store::Guarantees) say so.
///
/// ```
/// use rowkey::{Memory, Table, WriteBatch};
///
/// let db = Memory::new();
/// let by_id: Table<u64, String, _> = Table::open(&db, "by_id")?;
/// let by_name: Table<(String, u64), (), _> = Table::open(&db, "by_name")?;
///
/// let mut batch = WriteBatch::new();
/// batch.put(&by_id, &7, &"Ada".into())?;
/// batch.put(&by_name, &("Ada".into(), 7), &())?;
/// batch.write(&db)?;
/// assert_eq!(by_name.count(..)?, 1);
/// # Ok::<(), rowkey::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct WriteBatch {
    tables: Vec<(DatabaseId, String, Batch)>,
}

impl WriteBatch {
    /// No write.
    pub const fn new() -> Self {
        Self { tables: Vec::new() }
    }

    /// Adds: the row has this value.
    pub fn put<K: RowKey, V: RowValue, D>(
        &mut self,
        table: &Table<K, V, D>,
        key: &K::Ref<'_>,
        value: &V,
    ) -> Result<&mut Self, Error> {
        let value = table.encode(value)?;
        self.of(table).push_row(key, Some(&value));
        Ok(self)
    }

    /// Adds: the row is gone.
    pub fn delete<K: RowKey, V, D>(&mut self, table: &Table<K, V, D>, key: &K::Ref<'_>) -> &mut Self {
        self.of(table).push_row(key, None);
        self
    }

    /// How many writes there are.
    pub fn len(&self) -> usize {
        self.tables.iter().map(|(.., batch)| batch.len()).sum()
    }

    /// Whether there is nothing to do.
    pub fn is_empty(&self) -> bool {
        self.tables.iter().all(|(.., batch)| batch.is_empty())
    }

    /// Applies the writes to the database of their tables, as durably as this handle to it writes; of two to one row the later
    /// holds.
    ///
    /// # Errors
    ///
    /// [`Error::OtherDatabase`] if one of the tables is in another database than `db`; nothing is written.
    pub fn write(&self, db: &(impl Database + ?Sized)) -> Result<(), Error> {
        let id = db.id();
        if let Some((_, table, _)) = self.tables.iter().find(|(database, ..)| *database != id) {
            return Err(Error::OtherDatabase { table: table.clone() });
        }
        let batches: Vec<_> = self.tables.iter().map(|(_, name, batch)| (name.as_str(), batch)).collect();
        db.write(&batches)
    }

    fn of<K, V, D>(&mut self, table: &Table<K, V, D>) -> &mut Batch {
        let (id, table) = (table.store().id().database(), table.name());
        let at = self.tables.iter().position(|(database, name, _)| *database == id && name == table);
        let at = at.unwrap_or_else(|| {
            self.tables.push((id, table.to_owned(), Batch::new()));
            self.tables.len() - 1
        });
        &mut self.tables[at].2
    }
}
