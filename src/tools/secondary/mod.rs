//! Secondary indexes: tables that hold the rows of another table under other keys, kept in step by every write.
//!
//! A [`Primary`] is a table with secondary tables. Each secondary table is an index: a closure returns the index keys
//! and values of a row: none (the row is not in the index), one, or several (for example one per tag).
//!
//! ```
//! use rowkey::secondary::Primary;
//! use rowkey::{Error, Memory};
//!
//! let db = Memory::new();
//! // Users by their number. The value is an e-mail address.
//! let mut users = Primary::<u64, String, _>::open(&db, "users")?;
//! let by_email = users.secondary("users.by_email", |id: &u64, email: &String| [(email.clone(), *id)])?;
//! let by_domain = users.secondary("users.by_domain", |id: &u64, email: &String| {
//!     email.split_once('@').map(|(_, domain)| ((domain.to_owned(), *id), ()))
//! })?;
//!
//! users.put(&7, &"ada@example.org".into())?;
//! users.put(&8, &"bob@example.org".into())?;
//! assert_eq!(by_email.get(&"ada@example.org".into())?, Some(7));
//! assert_eq!(by_domain.scan(..).count(), 2);
//!
//! // Another user can't have Ada's address. Nothing is written.
//! let refused = users.put(&9, &"ada@example.org".into());
//! assert!(matches!(refused, Err(Error::SecondaryConflict { .. })));
//!
//! // Ada changes her address. The old address finds no user.
//! users.put(&7, &"ada@lovelace.org".into())?;
//! assert_eq!(by_email.get(&"ada@example.org".into())?, None);
//! assert_eq!(by_email.get_row(&"ada@lovelace.org".into())?, Some((7, "ada@lovelace.org".into())));
//! # Ok::<(), Error>(())
//! ```
//!
//! A secondary key leads to exactly one row, so an index is unique. If several rows share a value, end the key with the
//! fields of the primary key, as `users.by_domain` does. A key with a salt, a digest or a raw field can't be a field
//! itself: write `(email, key.at, key.id)`.
//!
//! All writes have to go through a `Primary` that has declared all its secondary tables. [`Secondary::rebuild`] adds
//! the rows that were there before. Only plain tables have secondary tables. For a wide table, make the index a column
//! of the row.
//!
//! Secondary rows hold keys of the primary table. After a [migration](crate::migrate) of the primary table they still
//! hold the old keys: declare the secondary tables under other names, and `rebuild` them, before reading the new table
//! through them.
//!
//! # The format of a secondary row
//!
//! Its key is the secondary key. Its value is a list of claims of primary rows, usually one:
//!
//! ```text
//! 00                    │ length, primary key │ length, value    written by a transaction
//! 01 │ token (16 bytes) │ length, primary key │ length, value    the primary row was written
//! 02 │ token (16 bytes) │ length, primary key │ length, note     mark: the primary row is about to get the key
//! 03 │ token (16 bytes) │ length, primary key │ length, note     mark: it is about to leave the key, or change the value
//! ```
//!
//! A length has eight bytes, big-endian. A token is a time (milliseconds since 1970, eight bytes) and eight bytes that
//! make it unique. A mark that finishes next to another mark of the same primary row leaves its token there as a note.
//!
//! # With transactions
//!
//! If the database has [transactions](crate::store::Guarantees::transactions), a write is one transaction over the
//! primary table and all its secondary tables. They are in step at every moment, also after a crash. A scan of a
//! secondary table reads the stored values.
//!
//! # Without transactions
//!
//! A write has three steps:
//!
//! 1. It marks every secondary row that it will change, with a token of its own: `02` if the primary row gets the key,
//!    `03` if it leaves the key or changes the value. A `02` is refused if another row has the key or is about to get
//!    it. It removes claims of other rows that are out of date. A `03` does not keep other rows from the key.
//! 2. It writes the primary row by compare-and-write.
//! 3. It finishes each secondary row: it reads it, then the primary row. Then one compare-and-write removes its mark
//!    and makes the primary row's claims what follows from the row as it is: one claim with the value, or none. It
//!    leaves a note in the marks of other writes of the same primary row.
//!
//! Readers check every claim against the primary row, and compute the value from it, so they never see a wrong row. A
//! key is claimed before the row is written, and released after, so they never miss a row either.
//!
//! **A secondary row without marks is right.** The write that finishes it has read the primary row after setting its
//! own mark. If another write had changed the primary row since, that write would have set a mark before, and left a
//! note in this write's mark when it finished: the compare-and-write would fail, and be repeated. Tokens are never
//! reused, so values that come back (A → B → A) do no harm. When all writes have returned there are no marks.
//!
//! **Two rows do not have one key.** All claims of a secondary row belong to one primary row: a new claim removes those
//! of other rows, and is refused while one of them holds or is about to. A claim is removed only if the primary row was
//! read after it and did not lead to the key. So a row that leads to a key has a claim there, and no other row gets
//! one.
//!
//! ## Crashes and writers that stall
//!
//! A crash leaves marks, claims that are out of date and old values, never a row without its claim. Readers skip them,
//! [`Secondary::verify`] names them, and [`Secondary::rebuild`] removes them. A mark older than
//! [`Primary::write_timeout`], a minute, is treated as that of a killed writer, and no longer keeps other rows from the
//! key; the clocks of all processes have to agree to within that time. A writer may also stall for that long, and
//! continue:
//!
//! - Before it writes its row it checks its own age, and starts again if it is too old.
//! - It may still stall in the compare-and-write of its row. When it finishes, it finds its mark gone, and sets it
//!   again. Until then readers may miss its row under the key. If another row has the key by now, it writes its own row
//!   back to what it was, as any other write would, and returns [`SecondaryConflict`](Error::SecondaryConflict).
//! - If its row was changed since, or one of its old keys belongs to another row by now, it leaves the row as it is and
//!   returns [`SecondaryDuplicate`](Error::SecondaryDuplicate). Readers take the row whose claim comes first: the other
//!   one. A verification names the conflict until one of the two rows is changed.
//! - If it is killed at that moment, no error is returned: a verification names the conflict.
//!
//! A write that times out or is cancelled between its steps ([`CallOptions`](crate::store::CallOptions)) leaves what a
//! crash there leaves. Its error says which side of step 2 that was: [`OutcomeUnknown`](Error::OutcomeUnknown) if the
//! primary row is written, or may be, and before it any other, with which it is not. Until the mark that it left is
//! older than the timeout, other rows that want the key get [`SecondaryBusy`](Error::SecondaryBusy): try again. A
//! write of the same row does not wait.
//!
//! A row is written back only if it still has the bytes that were written. If another writer has put the same bytes
//! there in the meantime, that write is undone too. A batch is applied row by row.

mod check;
mod claim;
mod exact;
mod follow;
mod mark;
mod ordered;
mod primary;
mod scan;

use std::marker::PhantomData;
use std::sync::Arc;
use std::time::Duration;

use self::check::Check;
use self::claim::Claims;
use self::follow::{Derive, Entries, Follower};
pub use self::primary::{Primary, PrimaryBatch};
pub use self::scan::SecondaryScan;
use self::scan::{Found, Reader};
use crate::keys::key::OwnedKey;
use crate::keys::prefix::Select;
use crate::store::error::Error;
use crate::store::options::Within;
use crate::store::value::{RowValue, decoded, encoded};
use crate::store::{CallOptions, Database};
use crate::table::Table;
use crate::table::stored_key;
use crate::tools::job::Job;

/// A secondary index: rows of a [`Primary`] under keys of type `K2`, with values of type `V2`.
///
/// [`Primary::secondary`] declares it. This handle reads it; every write to the primary table writes it.
#[doc(alias = "index")]
#[doc(alias = "secondary index")]
pub struct Secondary<K2, V2, K, V, D> {
    db: D,
    table: Table<K2, Claims, D>,
    primary: Table<K, V, D>,
    follower: Arc<Follower>,
    timeout: Duration,
    value: PhantomData<fn() -> V2>,
}

impl<K2, V2, K, V, D: Clone> Clone for Secondary<K2, V2, K, V, D> {
    fn clone(&self) -> Self {
        Self {
            db: self.db.clone(),
            table: self.table.clone(),
            primary: self.primary.clone(),
            follower: Arc::clone(&self.follower),
            timeout: self.timeout,
            value: PhantomData,
        }
    }
}

impl<K2, V2, K, V, D> std::fmt::Debug for Secondary<K2, V2, K, V, D> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let names = (self.table.name(), self.primary.name());
        f.debug_struct("Secondary").field("name", &names.0).field("primary", &names.1).finish_non_exhaustive()
    }
}

impl<K2, V2, K, V, D> Secondary<K2, V2, K, V, D>
where
    K2: OwnedKey + 'static,
    V2: RowValue + 'static,
    K: OwnedKey + 'static,
    V: RowValue + 'static,
    D: Database + Clone,
{
    fn open<I>(
        primary: &Table<K, V, D>,
        name: &str,
        timeout: Duration,
        entries: impl Fn(&K, &V) -> I + Send + Sync + 'static,
    ) -> Result<Self, Error>
    where
        I: IntoIterator<Item = (K2, V2)>,
    {
        let db = primary.database().clone();
        let own = primary.own_database();
        let table = Table::<K2, Claims, D>::open_as_part(db.clone(), name, &Within::one_call(&*own))?;
        let table = table.with_options(primary.options());
        let (primary_name, secondary_name) = (primary.name().to_owned(), name.to_owned());
        let database = db.id();
        let derive: Arc<Derive> = Arc::new(move |key, value| {
            let _inside = database.enter();
            let (row, value) = (stored_key::<K>(&primary_name, key)?, decoded(&primary_name, key, value)?);
            let mut bytes = Entries::new();
            for (entry, value) in entries(&row, &value) {
                let value = encoded(&secondary_name, &value)?;
                bytes.insert(entry.encode(), value);
            }
            Ok(bytes)
        });
        let follower = Arc::new(Follower { name: name.into(), store: Arc::clone(table.store()), derive });
        Ok(Self { db, table, primary: primary.clone(), follower, timeout, value: PhantomData })
    }

    /// The table's name.
    pub fn name(&self) -> &str {
        self.table.name()
    }

    /// Returns the value under a secondary key, or `None` if no row has the key.
    pub fn get(&self, key: &K2) -> Result<Option<V2>, Error> {
        let key = key.encode();
        self.found(&key, false)?.map(|found| decoded(self.table.name(), &key, &found.value)).transpose()
    }

    /// Returns the primary row that has a secondary key, or `None`.
    pub fn get_row(&self, key: &K2) -> Result<Option<(K, V)>, Error> {
        let found = self.found(&key.encode(), true)?;
        found.map(|found| row(self.primary.name(), &found)).transpose()
    }

    /// Scans the selected rows in the order of their secondary keys. Items are key and value.
    ///
    /// Pages, reverse and limits work as in a scan of a [`Table`].
    ///
    /// ```
    /// use rowkey::Memory;
    /// use rowkey::secondary::Primary;
    ///
    /// let mut ages = Primary::<String, i64, _>::open(Memory::new(), "ages")?;
    /// let by_age = ages.secondary("ages.by_age", |name: &String, age: &i64| [((*age, name.clone()), ())])?;
    /// for (name, age) in [("Ada", 36), ("Bob", 7), ("Eve", 21)] {
    ///     ages.put(&name.to_owned(), &age)?;
    /// }
    /// let page = by_age.scan(..).reverse().page(2)?;
    /// assert_eq!(page.rows[0].0, (36, "Ada".to_owned()));
    /// let page = by_age.scan(..).reverse().after(page.next).page(2)?;
    /// assert_eq!(page.rows[0].0, (7, "Bob".to_owned()));
    /// # Ok::<(), rowkey::Error>(())
    /// ```
    pub fn scan(&self, select: impl Select<K2>) -> SecondaryScan<K2, V2> {
        let name: Arc<str> = self.table.name().into();
        let value = move |key: &[u8], found: &Found| decoded(&name, key, &found.value);
        SecondaryScan::new(self.table.scan(select), self.reader(false), Box::new(value))
    }

    /// Scans the primary rows that the selected secondary rows lead to, in the order of the secondary keys. Items are
    /// the secondary key and the row.
    ///
    /// Rows are read in batches, without a snapshot: a row that moves to another secondary key during the scan may be
    /// missed, or come twice.
    ///
    /// ```
    /// use rowkey::Memory;
    /// use rowkey::secondary::Primary;
    ///
    /// let mut tags = Primary::<u32, String, _>::open(Memory::new(), "texts")?;
    /// let by_tag = tags.secondary("texts.by_tag", |id: &u32, text: &String| {
    ///     text.split(' ').map(|tag| ((tag.to_owned(), *id), ())).collect::<Vec<_>>()
    /// })?;
    /// tags.put(&1, &"red green".into())?;
    /// let rows = by_tag.scan_rows(..).map(|row| row.map(|((tag, _), (id, _))| (tag, id)));
    /// assert_eq!(rows.collect::<Result<Vec<_>, _>>()?, [("green".to_owned(), 1), ("red".to_owned(), 1)]);
    /// # Ok::<(), rowkey::Error>(())
    /// ```
    #[doc(alias = "join")]
    pub fn scan_rows(&self, select: impl Select<K2>) -> SecondaryScan<K2, (K, V)> {
        let name: Arc<str> = self.primary.name().into();
        let joined = move |_: &[u8], found: &Found| row(&name, found);
        SecondaryScan::new(self.table.scan(select), self.reader(true), Box::new(joined))
    }

    /// A handle to the same table with these [`CallOptions`] in place of those of this handle, also for reads of the
    /// primary table.
    #[must_use]
    pub fn with_options(&self, options: &CallOptions) -> Self {
        Self {
            table: self.table.with_options(options),
            primary: self.primary.with_options(options),
            follower: self.follower.with_options(options),
            ..self.clone()
        }
    }

    /// Drops the secondary table, and keeps the primary one. A [`Primary`] that still has it declared would write it
    /// again.
    pub fn drop_table(self) -> Result<(), Error> {
        self.table.drop_table()
    }

    /// Returns a job that compares the secondary table with the primary one, and names every difference.
    ///
    /// It reads the primary table, then the secondary one, batch by batch, while others write.
    ///
    /// With transactions, each batch is compared as of one moment. Without, the job does not judge a secondary row that
    /// a writer has marked: the write is under way, or is named once the mark is older than
    /// [`write_timeout`](Job::write_timeout). It looks at any other difference twice more, and names it if the
    /// secondary row was the same before and after the primary row was read. So a stale row or an old value that is
    /// named was there. A missing row is named wrongly only if its primary row came to the key and left it during each
    /// look.
    pub fn verify(&self) -> Job<'_, K, K2> {
        Job::new(Check { secondary: self, repair: false })
    }

    /// Returns a job that repairs every difference that [`verify`](Self::verify) names: in a table that was declared
    /// when there were rows already, whose closure was changed, or in which a crash left stale rows and marks. Only a
    /// [conflict](crate::jobs::DifferenceKind::Conflict) of two primary rows stays.
    ///
    /// Without transactions it looks at a difference once more, and repairs it by a write that looks for itself. So it
    /// may count a row that a writer has just finished.
    #[doc(alias = "reindex")]
    #[doc(alias = "repair")]
    pub fn rebuild(&self) -> Job<'_, K, K2> {
        Job::new(Check { secondary: self, repair: true })
    }

    fn found(&self, key: &[u8], with_row: bool) -> Result<Option<Found>, Error> {
        let bounded = self.primary.options().is_timed().then(|| self.with_options(&self.primary.options().from_now()));
        let this = bounded.as_ref().unwrap_or(self);
        let reader = this.reader(with_row);
        let claims = || this.follower.claims(key, this.follower.store.get(key)?.as_deref());
        let mut before = claims()?;
        loop {
            let found = reader.read(&[(key.to_vec(), before.clone())])?.into_iter().flatten().next();
            if found.is_some() {
                return Ok(found);
            }
            // The key may have moved from one row to another between the two reads.
            let now = claims()?;
            if now == before {
                return Ok(None);
            }
            before = now;
        }
    }

    fn reader(&self, with_rows: bool) -> Reader {
        Reader {
            follower: Arc::clone(&self.follower),
            rows: Arc::clone(self.primary.store()),
            check: with_rows || !self.db.guarantees().transactions,
        }
    }
}

fn row<K: OwnedKey, V: RowValue>(table: &str, found: &Found) -> Result<(K, V), Error> {
    Ok((stored_key::<K>(table, &found.primary)?, decoded(table, &found.primary, &found.row)?))
}
