//! Many tables in one, for an engine with a single key space, or a table that is to hold several.
//!
//! A table's rows have a prefix: the name in the text encoding of the crate's own keys.
//!
//! ```text
//! name, 00 → 01 01, 01 → 01 02 │ 00 │ the row's key      a row of the table
//!                           FF │ name                    the table exists
//! ```
//!
//! No table's prefix is a prefix of another's, as 00 stands only at its end. No name begins with FF, which is not a
//! valid byte of UTF-8, so the list of tables sorts after all rows.

mod keys;
mod table;

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use self::keys::{REGISTER, across_tables, of_table, prefix, register_key, stray_row, under};
use self::table::{SubTable, SubView};
use super::options::Within;
use super::{
    Atomicity, Batch, CallOptions, Database, DatabaseId, Guarantees, NewTable, Readable, RowBatch, Rows, Scan, Store,
    check_batches, check_len,
};
use crate::keys::range::KeyRange;
use crate::store::error::{Error, RowErrors};

/// Many tables in one: a [`Database`] over one [`Store`], in which each table has a key prefix.
///
/// It owns the store's key space: other writers must not put rows there. The tables make the same promises as the
/// store, except that they have no regions and that the maximum key length is shorter by the prefix. If the store's
/// batches are atomic, batches across tables are atomic too, as they are one batch of the store.
#[doc(alias = "keyspace")]
#[doc(alias = "subspace")]
#[doc(alias = "column family")]
///
/// ```
/// use rowkey::Memory;
/// use rowkey::store::{Atomicity, Batch, Database, SubStore};
///
/// let store = Memory::new().table("everything")?;
/// let database = SubStore::new(store);
///
/// let (mut users, mut by_email) = (Batch::new(), Batch::new());
/// users.put("7", "ada@example.org");
/// by_email.put("ada@example.org", "7");
/// database.write(&[("users", &users), ("by_email", &by_email)])?;
///
/// assert_eq!(database.guarantees().batch, Atomicity::Database);
/// assert_eq!(database.table("users")?.get(b"7")?.as_deref(), Some(&b"ada@example.org"[..]));
/// assert_eq!(database.tables()?, ["by_email", "users"]);
/// # Ok::<(), rowkey::Error>(())
/// ```
///
/// A table is listed from when it is opened until it is dropped, with or without rows. A handle from before a drop
/// still writes under the table's prefix. Those rows are not listed until the table is opened again.
///
/// Of several concurrent calls of [`create_table`](Database::create_table) for one name, one succeeds: in all processes
/// if the store has `compare_and_write`, otherwise among the clones of one `SubStore`.
pub struct SubStore<S> {
    id: DatabaseId,
    store: Arc<S>,
    /// Held while a table is created in a store without compare-and-write.
    making: Arc<Mutex<()>>,
}

impl<S: Store> SubStore<S> {
    /// A database in `store`.
    pub fn new(store: S) -> Self {
        Self { id: DatabaseId::within(store.id()), store: Arc::new(store), making: Arc::default() }
    }

    /// A table that is registered.
    fn opened(&self, name: &str) -> SubTable<S> {
        let (id, prefix) = (self.id.table(name), prefix(name));
        let guarantees = of_table(self.store.guarantees(), &prefix);
        SubTable { id, store: Arc::clone(&self.store), prefix, limits: guarantees.limits }
    }

    fn is_registered(&self, store: &dyn Store, name: &str) -> Result<bool, Error> {
        Ok(self.check_name(name).is_ok() && store.get(&register_key(name))?.is_some())
    }

    /// Creates a table; `false` if it exists.
    fn register(&self, store: &dyn Store, name: &str) -> Result<bool, Error> {
        let registered = register_key(name);
        if store.guarantees().compare_and_write {
            return store.compare_and_write(&registered, None, Some(&[]));
        }
        let _making = self.making.lock().unwrap_or_else(PoisonError::into_inner);
        let absent = store.get(&registered)?.is_none();
        if absent {
            store.write(Batch::new().put(registered, []))?;
        }
        Ok(absent)
    }

    /// Checks that the store's keys have room for the table's entry in the list and for a row key of one byte.
    fn check_name(&self, name: &str) -> Result<(), Error> {
        let longest = (prefix(name).len() + 1).max(register_key(name).len());
        let max = self.store.guarantees().limits.key;
        match max {
            Some(max) if longest > max => {
                // The bytes around the name, and those that escapes add, are needed for any name of this kind.
                let most = max.saturating_sub(longest - name.len());
                check_len("a table's name", name, &[], name.len(), Some(most))
            }
            _ => Ok(()),
        }
    }
}

impl<S> Clone for SubStore<S> {
    fn clone(&self) -> Self {
        Self { id: self.id, store: Arc::clone(&self.store), making: Arc::clone(&self.making) }
    }
}

impl<S> fmt::Debug for SubStore<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SubStore").finish_non_exhaustive()
    }
}

impl<S: Store + 'static> Database for SubStore<S> {
    fn id(&self) -> DatabaseId {
        self.id
    }

    fn options(&self) -> &CallOptions {
        self.store.options()
    }

    fn with_options(&self, options: &CallOptions) -> Arc<dyn Database> {
        let (store, making) = (Arc::new(self.store.with_options(options)), Arc::clone(&self.making));
        Arc::new(SubStore { id: self.id, store, making })
    }

    fn guarantees(&self) -> Guarantees {
        across_tables(self.store.guarantees())
    }

    fn table(&self, name: &str) -> Result<Arc<dyn Store>, Error> {
        self.check_name(name)?;
        let (store, table) = (Within::one_call(&*self.store as &dyn Store), self.opened(name));
        if !table.named(self.is_registered(&*store, name))? {
            self.id.check_write([name])?;
            table.named(store.write(Batch::new().put(register_key(name), [])))?;
        }
        Ok(Arc::new(table))
    }

    fn open_table(&self, name: &str) -> Result<Arc<dyn Store>, Error> {
        let table = self.opened(name);
        match table.named(self.is_registered(&*self.store, name))? {
            true => Ok(Arc::new(table)),
            false => Err(Error::NoSuchTable(name.to_owned())),
        }
    }

    fn create_table(&self, name: &str, new: &NewTable) -> Result<Arc<dyn Store>, Error> {
        self.id.check_write([name])?;
        new.check(name, &[])?;
        self.check_name(name)?;
        let (store, table) = (Within::one_call(&*self.store as &dyn Store), self.opened(name));
        match table.named(self.register(&*store, name))? {
            true => Ok(Arc::new(table)),
            false => Err(Error::TableExists(name.to_owned())),
        }
    }

    fn tables(&self) -> Result<Vec<String>, Error> {
        let mut names = Vec::new();
        let store = Within::one_call(&*self.store as &dyn Store);
        let mut rows = store.scan(&Scan::new(vec![KeyRange::prefix([REGISTER])]));
        let mut batch = RowBatch::new();
        loop {
            rows.next_batch(&mut batch)?;
            if batch.is_empty() {
                return Ok(names);
            }
            for (key, _) in &batch {
                let name = key.strip_prefix(&[REGISTER]).ok_or_else(stray_row)?;
                names.push(str::from_utf8(name).map_err(Error::engine)?.to_owned());
            }
        }
    }

    fn drop_table(&self, name: &str) -> Result<(), Error> {
        self.id.check_write([name])?;
        // The rows first: a failure in between leaves an empty table, not rows that reappear in the next table of that
        // name.
        let ranges = [KeyRange::prefix(prefix(name)), KeyRange::point(register_key(name))];
        self.opened(name).named(self.store.delete_ranges(&ranges))
    }

    fn write(&self, batches: &[(&str, &Batch)]) -> Result<(), Error> {
        self.id.check_write(batches.iter().map(|&(name, _)| name))?;
        let mut tables = Vec::with_capacity(batches.len());
        for &(name, batch) in batches {
            self.check_name(name)?;
            let table = self.opened(name);
            table.limits.check(name, batch)?;
            tables.push(table);
        }
        let (mut registers, mut rows) = (Batch::new(), Batch::new());
        for (table, (name, batch)) in tables.iter().zip(batches) {
            registers.put(register_key(name), []);
            under(&table.prefix, batch, &mut rows);
        }
        if self.store.guarantees().batch >= Atomicity::Table {
            registers.extend(rows.writes());
            return self.store.write(&registers).map_err(|error| of_tables(error, batches));
        }
        let store = Within::one_call(&*self.store as &dyn Store);
        // In a batch of its own, so that a failure names only writes of the caller.
        store.write(&registers).map_err(|error| of_tables(error.before_commit(), batches))?;
        store.write(&rows).map_err(|error| {
            let rows = match error {
                Error::Rows(rows) => rows,
                other => return of_tables(other, batches),
            };
            let mut failed = RowErrors::new(rows.total());
            let mut end = 0;
            for (table, (_, batch)) in tables.iter().zip(batches) {
                let begin = end;
                end += batch.len();
                let of_table = rows.filtered(|row| (begin..end).contains(&row.index()));
                of_table.in_call(&mut failed, Some(table.id.name()), |row| row.index(), |row| table.key_of(row.key()));
            }
            Error::Rows(Box::new(failed))
        })
    }

    fn transact(
        &self,
        tables: &[&str],
        body: &mut dyn FnMut(&[&dyn Readable]) -> Result<Vec<Batch>, Error>,
    ) -> Result<(), Error> {
        self.id.check_write(tables.iter().copied())?;
        tables.iter().try_for_each(|name| self.check_name(name))?;
        let opened: Vec<SubTable<S>> = tables.iter().map(|name| self.opened(name)).collect();
        self.store.transact(&mut |view| {
            let views: Vec<_> = opened.iter().map(|table| SubView { view, prefix: &table.prefix }).collect();
            let views: Vec<&dyn Readable> = views.iter().map(|view| view as &dyn Readable).collect();
            let mut all = Batch::new();
            let batches = body(&views)?;
            check_batches(tables, &batches)?;
            for (table, batch) in opened.iter().zip(batches) {
                table.limits.check(table.id.name(), &batch)?;
                all.put(register_key(table.id.name()), []);
                under(&table.prefix, &batch, &mut all);
            }
            Ok(all)
        })
    }
}

/// Translates the error of a write across tables: their names in place of the store's.
/// Names the tables of the caller.
fn of_tables(error: Error, batches: &[(&str, &Batch)]) -> Error {
    let names = || batches.iter().map(|&(name, _)| name).collect::<Vec<_>>().join(", ");
    match error {
        Error::OutcomeUnknown { source, .. } => Error::OutcomeUnknown { table: names(), source },
        Error::DeadlineExceeded { doing, .. } => Error::DeadlineExceeded { doing, table: names() },
        Error::Cancelled { doing, .. } => Error::Cancelled { doing, table: names() },
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::table::SubRows;
    use super::*;
    use crate::store::Memory;
    use crate::store::error::ErrorKind;

    #[test]
    fn prefixes_are_as_written_down() {
        assert_eq!(prefix(""), b"\0");
        assert_eq!(prefix("a\0b\x01"), b"a\x01\x01b\x01\x02\0");
        assert_eq!(register_key("ä"), b"\xff\xc3\xa4");
    }

    #[test]
    fn an_error_names_the_key_of_the_table() {
        let table = SubStore::new(Memory::new().table("beneath").unwrap()).table("t").unwrap();
        table.write(Batch::new().put("k", "no counter")).unwrap();
        let error = table.increment(b"k", 1).unwrap_err();
        assert!(matches!(error, Error::NotACounter { key, len: 10 } if key == b"k"));
    }

    /// A scan that fails at a row, which it names.
    struct FailsAt(Vec<u8>);

    impl Rows for FailsAt {
        fn next_batch(&mut self, _: &mut RowBatch) -> Result<(), Error> {
            Err(Error::engine_at(ErrorKind::InvalidInput, self.0.clone(), "too large"))
        }
    }

    #[test]
    fn an_error_at_a_row_has_the_key_of_the_table() {
        for (beneath, key) in [([&prefix("t"), &b"k"[..]].concat(), Some(&b"k"[..])), (b"foreign".to_vec(), None)] {
            let rows: Option<Box<dyn Rows>> = Some(Box::new(FailsAt(beneath)));
            let mut rows = SubRows { rows, prefix: prefix("t"), prefixed: RowBatch::new(), batch_bytes: 1 };
            assert_eq!(rows.next_batch(&mut RowBatch::new()).unwrap_err().row(), key);
        }
    }

    #[test]
    fn a_row_of_a_neighbour_is_an_error_and_then_the_end() {
        let store = Memory::new().table("beneath").unwrap();
        store.write(Batch::new().put("foreign", "")).unwrap();
        let mut rows = SubRows {
            rows: Some(store.scan(&Scan::all())),
            prefix: prefix("t"),
            prefixed: RowBatch::new(),
            batch_bytes: 1,
        };
        let mut batch = RowBatch::new();
        assert!(matches!(rows.next_batch(&mut batch), Err(Error::Engine(_))));
        rows.next_batch(&mut batch).unwrap();
        assert!(batch.is_empty());
    }
}
