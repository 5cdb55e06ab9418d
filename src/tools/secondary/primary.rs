//! The primary table, and all writes to it.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use super::follow::Follower;
use super::ordered::{self, Writer};
use super::{Secondary, exact};
use crate::keys::key::OwnedKey;
use crate::keys::prefix::Select;
use crate::store::error::{CommitPoint, Error};
use crate::store::options::Within;
use crate::store::value::RowValue;
use crate::store::{CallOptions, Database, RowBatch, Scan, TimeSlice, add_to_counter};
use crate::table::Table;

/// A table with secondary indexes, which every write keeps in step.
///
/// See [the module](crate::secondary) for an example, and for the guarantees with and without transactions.
#[doc(alias = "index")]
#[doc(alias = "secondary index")]
pub struct Primary<K, V, D> {
    table: Table<K, V, D>,
    followers: Vec<Arc<Follower>>,
    timeout: Duration,
}

impl<K, V, D> std::fmt::Debug for Primary<K, V, D> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let names: Vec<_> = self.followers.iter().map(|follower| &follower.name).collect();
        f.debug_struct("Primary").field("table", &self.table).field("secondaries", &names).finish()
    }
}

impl<K, V, D> Primary<K, V, D>
where
    K: OwnedKey + 'static,
    V: RowValue + 'static,
    D: Database + Clone,
{
    /// Opens a table that will have secondary tables.
    ///
    /// # Errors
    ///
    /// As [`Table::open`]; [`Error::Unsupported`] if the database has neither transactions nor compare-and-write.
    pub fn open(db: D, name: &str) -> Result<Self, Error> {
        let guarantees = db.guarantees();
        if !guarantees.transactions && !guarantees.compare_and_write {
            return Err(Error::Unsupported("transactions or compare-and-write"));
        }
        Ok(Self { table: Table::open(db, name)?, followers: Vec::new(), timeout: ordered::WRITE_TIMEOUT })
    }

    /// Sets the timeout of a write on a database without transactions. Default: 60 seconds.
    ///
    /// A write that takes longer is treated as that of a killed process, and other rows may get its keys: see [the
    /// module](crate::secondary#crashes-and-writers-that-stall). All processes that write the table should use the same
    /// timeout. Set it before declaring secondary tables: their jobs use it too.
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// use rowkey::Memory;
    /// use rowkey::secondary::Primary;
    ///
    /// let mut users =
    ///     Primary::<u64, String, _>::open(Memory::new(), "users")?.write_timeout(Duration::from_secs(10));
    /// let by_email = users.secondary("users.by_email", |id: &u64, email: &String| [(email.clone(), *id)])?;
    /// # drop(by_email);
    /// # Ok::<(), rowkey::Error>(())
    /// ```
    #[must_use]
    pub fn write_timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// Declares a secondary table. The closure returns the keys and values of a row in it. If it returns a key twice,
    /// the last value wins. A write to the database inside the closure returns [`Error::Reentrant`].
    ///
    /// The result of the closure must depend on the row alone. If the table has rows already, [`Secondary::rebuild`]
    /// adds them.
    ///
    /// # Errors
    ///
    /// [`Error::SecondaryName`] if `name` is the primary table's name, or was declared already; [`Error::Layout`] if
    /// the secondary table has keys of another shape.
    #[doc(alias = "index")]
    #[doc(alias = "create_index")]
    pub fn secondary<K2, V2, I>(
        &mut self,
        name: &str,
        entries: impl Fn(&K, &V) -> I + Send + Sync + 'static,
    ) -> Result<Secondary<K2, V2, K, V, D>, Error>
    where
        K2: OwnedKey + 'static,
        V2: RowValue + 'static,
        I: IntoIterator<Item = (K2, V2)>,
    {
        let refused = |what| {
            let (primary, secondary) = (self.table.name().to_owned(), name.to_owned());
            Err(Error::SecondaryName { primary, secondary, what })
        };
        if name == self.table.name() {
            return refused("it is the name of the primary table");
        }
        if self.followers.iter().any(|follower| *follower.name == *name) {
            return refused("a secondary table of that name is declared already");
        }
        let secondary = Secondary::open(&self.table, name, self.timeout, entries)?;
        self.followers.push(Arc::clone(&secondary.follower));
        Ok(secondary)
    }

    /// A handle to the same tables with these [`CallOptions`] in place of those of this handle.
    ///
    /// On a database without transactions, a write that is ended between its steps leaves marks, as that of a killed
    /// process does: other rows can't get its secondary keys for [`write_timeout`](Self::write_timeout).
    #[must_use]
    pub fn with_options(&self, options: &CallOptions) -> Self {
        Self {
            table: self.table.with_options(options),
            followers: self.followers.iter().map(|follower| follower.with_options(options)).collect(),
            timeout: self.timeout,
        }
    }

    /// The primary table alone, for reads. Secondary tables do not follow writes that are made to it directly.
    pub fn table(&self) -> &Table<K, V, D> {
        &self.table
    }

    /// Returns the value of a row, or `None` if the row does not exist.
    pub fn get(&self, key: &K) -> Result<Option<V>, Error> {
        self.table.get(key)
    }

    /// Writes a row.
    ///
    /// # Errors
    ///
    /// [`Error::SecondaryConflict`] if another row has one of its secondary keys; nothing is written.
    ///
    /// Without transactions also [`Error::SecondaryBusy`] if the write of another row is about to give it one of the
    /// keys, or was stopped on its way to it: nothing is written, try again. [`Error::OutcomeUnknown`] if the write was
    /// stopped after the row was written. [`Error::SecondaryDuplicate`] if the write took longer than
    /// [`write_timeout`](Self::write_timeout).
    pub fn put(&self, key: &K, value: &V) -> Result<(), Error> {
        let value = self.table.encode(value)?;
        self.change(&[key.encode()], &mut |_, _| Ok(Some(value.clone())))
    }

    /// Deletes a row.
    pub fn delete(&self, key: &K) -> Result<(), Error> {
        self.change(&[key.encode()], &mut |_, _| Ok(None))
    }

    /// Changes a row and returns its new value, as [`Table::update`] does.
    ///
    /// # Errors
    ///
    /// As [`put`](Self::put).
    pub fn update(&self, key: &K, mut change: impl FnMut(Option<V>) -> Option<V>) -> Result<Option<V>, Error> {
        let key = key.encode();
        let mut after = None;
        self.change(std::slice::from_ref(&key), &mut |_, before| {
            let _inside = self.table.store().id().database().enter();
            after = change(before.map(|value| self.table.decode(&key, value)).transpose()?);
            after.as_ref().map(|value| self.table.encode(value)).transpose()
        })?;
        Ok(after)
    }

    /// Deletes the selected rows, in batches that take some 10 ms each; without transactions, row by row. It is not
    /// atomic.
    ///
    /// # Errors
    ///
    /// [`Error::OutcomeUnknown`] if some of the rows are deleted, or may be: call it again. With any other error none
    /// is.
    pub fn delete_rows(&self, select: impl Select<K>) -> Result<(), Error> {
        let bounded = self.table.options().is_timed().then(|| self.with_options(&self.table.options().from_now()));
        let this = bounded.as_ref().unwrap_or(self);
        let mut rows = this.table.store().scan(&Scan::new(select.ranges()));
        let (mut batch, mut at_once, commit) = (RowBatch::new(), 16, CommitPoint::default());
        loop {
            commit.outcome(self.table.name(), rows.next_batch(&mut batch))?;
            if batch.is_empty() {
                return Ok(());
            }
            let keys: Vec<_> = batch.iter().map(|(key, _)| key.to_vec()).collect();
            let mut left = keys.as_slice();
            while !left.is_empty() {
                let (some, rest) = left.split_at(left.len().min(at_once));
                let slice = TimeSlice::begin();
                let deleted = commit.decided(this.change(some, &mut |_, _| Ok(None)));
                commit.outcome(self.table.name(), deleted)?;
                commit.pass();
                at_once = if slice.is_over() { (at_once / 2).max(1) } else { (at_once * 2).min(256) };
                left = rest;
            }
        }
    }

    /// Begins a batch of writes, which is applied atomically if the database has transactions.
    ///
    /// ```
    /// use rowkey::Memory;
    /// use rowkey::secondary::Primary;
    ///
    /// let mut seats = Primary::<u32, String, _>::open(Memory::new(), "seats")?;
    /// let by_guest = seats.secondary("seats.by_guest", |seat: &u32, guest: &String| [(guest.clone(), *seat)])?;
    /// seats.put(&1, &"Ada".into())?;
    /// // Ada moves, and Bob takes her seat. One after the other, the puts would be refused.
    /// seats.batch().put(&2, &"Ada".into())?.put(&1, &"Bob".into())?.write()?;
    /// assert_eq!(by_guest.get(&"Ada".into())?, Some(2));
    /// # Ok::<(), rowkey::Error>(())
    /// ```
    pub fn batch(&self) -> PrimaryBatch<'_, K, V, D> {
        PrimaryBatch { primary: self, writes: BTreeMap::new() }
    }

    fn change(&self, keys: &[Vec<u8>], decide: &mut exact::Decide<'_>) -> Result<(), Error> {
        self.table.store().id().check_write()?;
        if self.table.database().guarantees().transactions {
            return exact::change(&*self.table.own_database(), self.table.store().id(), &self.followers, keys, decide);
        }
        let rows = Within::one_call(&**self.table.store());
        let followers: Vec<_> = match &rows {
            Within::As(_) => self.followers.clone(),
            Within::Made(rows) => self.followers.iter().map(|one| one.with_options(rows.options())).collect(),
        };
        Writer { rows: &*rows, followers: &followers, timeout: self.timeout }.change(keys, decide)
    }
}

impl<K: OwnedKey + 'static, D: Database + Clone> Primary<K, i64, D> {
    /// Adds `by` to a row's counter and returns the new value. A row that does not exist counts as 0. It is atomic:
    /// concurrent increments all count.
    ///
    /// # Errors
    ///
    /// As [`put`](Self::put).
    pub fn increment(&self, key: &K, by: i64) -> Result<i64, Error> {
        let key = key.encode();
        let mut sum = 0;
        self.change(std::slice::from_ref(&key), &mut |_, before| {
            sum = add_to_counter(&key, before, by)?;
            Ok(Some(sum.to_be_bytes().to_vec()))
        })?;
        Ok(sum)
    }
}

/// A batch of writes to a [`Primary`]. Of two writes to one row the later one wins.
#[must_use = "a batch writes nothing before it is written"]
pub struct PrimaryBatch<'p, K, V, D> {
    primary: &'p Primary<K, V, D>,
    writes: BTreeMap<Vec<u8>, Option<Vec<u8>>>,
}

impl<K, V, D> PrimaryBatch<'_, K, V, D>
where
    K: OwnedKey + 'static,
    V: RowValue + 'static,
    D: Database + Clone,
{
    /// Adds a put.
    pub fn put(mut self, key: &K, value: &V) -> Result<Self, Error> {
        self.writes.insert(key.encode(), Some(self.primary.table.encode(value)?));
        Ok(self)
    }

    /// Adds a delete.
    pub fn delete(mut self, key: &K) -> Self {
        self.writes.insert(key.encode(), None);
        self
    }

    /// Writes the batch.
    ///
    /// # Errors
    ///
    /// As [`Primary::put`]. Without transactions [`Error::Rows`] names the writes that failed, by their place in the
    /// order of the keys; all others are written. With any other error none is.
    pub fn write(self) -> Result<(), Error> {
        let (keys, values): (Vec<_>, Vec<_>) = self.writes.into_iter().unzip();
        self.primary.change(&keys, &mut |at, _| Ok(values.get(at).cloned().flatten()))
    }
}

impl<K, V, D> std::fmt::Debug for PrimaryBatch<'_, K, V, D> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PrimaryBatch").field("writes", &self.writes.len()).finish_non_exhaustive()
    }
}
