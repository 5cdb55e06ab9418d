//! Batches of writes to several tables.

use super::Table;
use crate::keys::key::RowKey;
use crate::store::error::{CodecError, Error, RowError, RowErrors};
use crate::store::value::{RowValue, encoded};
use crate::store::{Batch, Database, DatabaseId, TableId};

/// A batch of writes to tables of one database. It is applied atomically if the database's
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
    tables: Vec<OfTable>,
    len: usize,
}

/// A table that a [`WriteBatch`] can write to: rows under keys of type `K`, values of type `V`.
pub trait InTable<K, V> {
    /// The id of the table.
    fn id(&self) -> &TableId;
}

impl<K, V, D> InTable<K, V> for Table<K, V, D> {
    fn id(&self) -> &TableId {
        self.store().id()
    }
}

/// About the length of a key, to reserve memory.
const fn key_len<K: RowKey>() -> usize {
    match K::LAYOUT.width() {
        Some(width) => width,
        None => 64,
    }
}

/// A batch of one put, encoded in place.
pub(crate) fn put_row<K: RowKey>(
    key: &K,
    value: impl FnOnce(&mut Vec<u8>) -> Result<(), CodecError>,
) -> Result<Batch, CodecError> {
    Batch::of_put(const { key_len::<K>() }, |bytes| key.encode_to(bytes), value)
}

/// Adds a put, or a delete if there is no value.
pub(crate) fn push_row<'b, K: RowKey>(batch: &'b mut Batch, key: &K, value: Option<&[u8]>) -> &'b mut Batch {
    batch.push_with(const { key_len::<K>() }, |bytes| key.encode_to(bytes), value)
}

/// The writes to one table.
#[derive(Clone, Debug)]
struct OfTable {
    id: TableId,
    batch: Batch,
    /// The place of each in the whole batch.
    places: Vec<usize>,
}

impl WriteBatch {
    /// An empty batch.
    pub const fn new() -> Self {
        Self { tables: Vec::new(), len: 0 }
    }

    /// Adds a put.
    pub fn put<K: RowKey, V: RowValue>(
        &mut self,
        table: &impl InTable<K, V>,
        key: &K::Ref<'_>,
        value: &V,
    ) -> Result<&mut Self, Error> {
        let value = encoded(table.id().name(), value)?;
        push_row(self.of(table.id()), key, Some(&value));
        Ok(self)
    }

    /// Adds a delete.
    pub fn delete<K: RowKey, V: RowValue>(&mut self, table: &impl InTable<K, V>, key: &K::Ref<'_>) -> &mut Self {
        push_row(self.of(table.id()), key, None);
        self
    }

    /// The number of writes.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns whether the batch is empty.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Writes the batch, as durably as `db`, the handle to the tables' database, writes. Of two writes to one row the
    /// later one wins.
    ///
    /// # Errors
    ///
    /// [`Error::OtherDatabase`] if a table is in another database than `db`, [`Error::NoSuchTable`] if it was
    /// dropped since the handle was opened, as far as the engine tells; nothing is written. [`Error::Rows`], if
    /// the database's batches are not atomic, names the writes that failed, by their place in this batch; all others
    /// are written. After any other error nothing is written, unless its [kind](crate::ErrorKind) is `OutcomeUnknown`.
    pub fn write(&self, db: &(impl Database + ?Sized)) -> Result<(), Error> {
        self.check(db.id())?;
        db.write(&self.batches()).map_err(|error| self.error(error))
    }

    /// All tables are in this database, and none is known to be dropped.
    pub(crate) fn check(&self, database: DatabaseId) -> Result<(), Error> {
        for OfTable { id, .. } in &self.tables {
            if id.database() != database {
                return Err(Error::OtherDatabase { table: id.name().to_owned() });
            }
            id.check_dropped()?;
        }
        Ok(())
    }

    pub(crate) fn batches(&self) -> Vec<(&str, &Batch)> {
        self.tables.iter().map(|table| (table.id.name(), &table.batch)).collect()
    }

    /// The error of a write: rows by their places in this batch.
    pub(crate) fn error(&self, error: Error) -> Error {
        let Error::Rows(rows) = error else { return error };
        let places: Vec<usize> = self.tables.iter().flat_map(|table| table.places.iter().copied()).collect();
        let place = |row: &RowError| places.get(row.index()).copied().unwrap_or(row.index());
        let mut failed = RowErrors::new(rows.total());
        rows.in_call(&mut failed, None, place, |row| row.key().to_vec());
        Error::Rows(Box::new(failed))
    }

    fn of(&mut self, table: &TableId) -> &mut Batch {
        let at = self.tables.iter().position(|of_table| of_table.id == *table);
        let at = at.unwrap_or_else(|| {
            self.tables.push(OfTable { id: table.clone(), batch: Batch::new(), places: Vec::new() });
            self.tables.len() - 1
        });
        let of_table = &mut self.tables[at];
        if table.is_dropped() {
            of_table.id = table.clone();
        }
        of_table.places.push(self.len);
        self.len += 1;
        &mut of_table.batch
    }
}
