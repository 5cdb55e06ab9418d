//! Secondary tables: the rows of a table again, under other keys, kept in step by every write.
//!
//! A [`Primary`] is a table with secondary tables. Each is declared once, by a closure from a row to its secondary keys
//! and values: none (the row is not in it), one, or several (one a tag).
//!
//! ```
//! use rowkey::secondary::Primary;
//! use rowkey::{Error, Memory};
//!
//! let db = Memory::new();
//! // Users by their number; the value is an e-mail address.
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
//! // Another user can't have Ada's address: nothing is written.
//! let refused = users.put(&9, &"ada@example.org".into());
//! assert!(matches!(refused, Err(Error::SecondaryConflict { .. })));
//!
//! // Ada gets another one, and the old one leads to nobody.
//! users.put(&7, &"ada@lovelace.org".into())?;
//! assert_eq!(by_email.get(&"ada@example.org".into())?, None);
//! assert_eq!(by_email.get_row(&"ada@lovelace.org".into())?, Some((7, "ada@lovelace.org".into())));
//! # Ok::<(), Error>(())
//! ```
//!
//! A secondary key leads to one row: end it with the primary key where several rows share what comes before. All writes
//! have to go through a `Primary` that has all its secondary tables; for rows from before there is
//! [`Secondary::rebuild`]. It is plain tables that have secondary ones; what has to change with a wide row is best a column
//! of it.
//!
//! Secondary rows lead to keys of the primary table. After a [migration](crate::migrate) of those they lead to the old ones:
//! declare the secondary tables anew under other names, and `rebuild` them, before the new table is read through them.
//!
//! # What a secondary row is
//!
//! Its key is the secondary key's bytes; its value the claims of primary rows to it, one as a rule, one after another:
//!
//! ```text
//! 00                    │ length, primary key │ length, value    written by a transaction
//! 01 │ token (16 bytes) │ length, primary key │ length, value    the primary row was written
//! 02 │ token (16 bytes) │ length, primary key │ length, note     mark: the primary row is about to get the key
//! 03 │ token (16 bytes) │ length, primary key │ length, note     mark: it is about to leave the key, or change the value
//! ```
//!
//! A length has eight bytes, big-endian. A token is a time (milliseconds since 1970, eight bytes) and eight bytes that no
//! other write has. A mark that is finished beside another of the same primary row leaves its token there as a note.
//!
//! # With transactions
//!
//! Where the database has [transactions](crate::store::Guarantees::transactions), a write is one over the primary table
//! and all its secondary ones, so they are in step at every moment, also after a crash. A secondary table's scan takes
//! the values as it finds them.
//!
//! # Without
//!
//! There a write has three steps:
//!
//! 1. It marks every secondary row that it will change, with a token of its own: `02` where the primary row gets the key,
//!    `03` where it leaves the key or changes the value. A `02` is refused where another row has the key or is about to get
//!    it, and removes claims of other rows that lead nowhere. A `03` keeps nobody from the key.
//! 2. It writes the primary row by compare-and-write.
//! 3. It finishes each secondary row: it reads it, then the primary row, and by one compare-and-write removes its mark and
//!    makes the primary row's claims what follows from the row as it is: one claim with the value, or none. It leaves a note
//!    in the marks of other writes of the same primary row.
//!
//! Readers check every claim against the primary row, and make the value from it: they never see a wrong row. A key is
//! claimed before the row is written, and given up after, so they never miss a row either.
//!
//! **A secondary row without marks is right.** Who finishes it has read the primary row after its own mark. If another write
//! had changed the primary row since, that one would have put a mark before, and a note into this one's mark when it
//! finished: the compare-and-write would fail, and be done again. Tokens do not recur, so values that do (A→B→A) are no
//! matter. When all writes have returned there are no marks.
//!
//! **Two rows do not have one key.** All claims of a secondary row are one primary row's, as a new one removes those of
//! others, and is refused while one of them holds or is about to. A claim is removed only if the primary row was read after
//! it and did not lead there. So a row that leads to a key has its claim there, and no other row gets one.
//!
//! ## Crashes and writers that stall
//!
//! A crash leaves marks, claims that lead nowhere and old values, never a row without its claim. Readers pass over them,
//! [`Secondary::verify`] names them, [`Secondary::rebuild`] clears them. A mark older than
//! [`Primary::write_timeout`], a minute, is taken for that of a killed writer, and keeps nobody from the key any more; the
//! clocks of all processes have to agree that far. A writer may also stall for that long, and go on:
//!
//! - Before it writes its row it looks at its own age, and starts again if it is older.
//! - It may still stall in the compare-and-write of its row itself. When it finishes, it finds its mark gone, and makes it
//!   again. Until then readers may miss its row under the key. If another row has the key by now, it writes its own row back
//!   to what it was, as any write, and returns [`SecondaryConflict`](Error::SecondaryConflict).
//! - If its row was changed since, or one of its old keys is another row's, it leaves the row as it is and returns
//!   [`SecondaryDuplicate`](Error::SecondaryDuplicate). Readers take the row whose claim comes first, the other one. A
//!   verify names the conflict until one of the two rows is changed.
//! - If it is killed at that moment, nobody is told: a verify names the conflict.
//!
//! A write that has to end between its steps, by the [options](crate::store::CallOptions) of its handle, leaves what one leaves that is
//! killed there.
//!
//! What is taken back is told by the row's bytes: a write by others that put the same bytes there meanwhile is taken back
//! too. A batch is applied row by row.

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

/// A secondary table: rows of a [`Primary`] under keys of type `K2`, with values of type `V2`.
///
/// It is made by [`Primary::secondary`], and reads; it is written by every write to the primary table.
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

    /// The value under a secondary key, if a row has it.
    pub fn get(&self, key: &K2) -> Result<Option<V2>, Error> {
        let key = key.encode();
        self.found(&key, false)?.map(|found| decoded(self.table.name(), &key, &found.value)).transpose()
    }

    /// The primary row that has a secondary key.
    pub fn get_row(&self, key: &K2) -> Result<Option<(K, V)>, Error> {
        let found = self.found(&key.encode(), true)?;
        found.map(|found| row(self.primary.name(), &found)).transpose()
    }

    /// The rows selected, in the order of their secondary keys: key and value.
    ///
    /// A scan in pages, backward and with a limit is as one of a [`Table`].
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

    /// The primary rows of the secondary rows selected, in the order of the secondary keys: that key, and the row.
    ///
    /// Rows are as they are when they are read, in batches; one that moves to another secondary key meanwhile may be passed
    /// over, or come twice.
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
    pub fn scan_rows(&self, select: impl Select<K2>) -> SecondaryScan<K2, (K, V)> {
        let name: Arc<str> = self.primary.name().into();
        let joined = move |_: &[u8], found: &Found| row(&name, found);
        SecondaryScan::new(self.table.scan(select), self.reader(true), Box::new(joined))
    }

    /// A handle to the same table with these [`CallOptions`] in place of those of this handle: to the primary table too, as far as it is
    /// read.
    #[must_use]
    pub fn with_options(&self, options: &CallOptions) -> Self {
        Self {
            table: self.table.with_options(options),
            primary: self.primary.with_options(options),
            follower: self.follower.with_options(options),
            ..self.clone()
        }
    }

    /// Drops the table, and keeps the primary one. A [`Primary`] that still has it would write it again.
    pub fn drop_table(self) -> Result<(), Error> {
        self.table.drop_table()
    }

    /// Returns a job that compares the secondary table with the primary one, and names every difference.
    ///
    /// It reads the primary table, then the secondary one, batch by batch, while others write.
    ///
    /// With transactions, each batch is compared as of one moment. Without, the job does not judge a secondary row that a writer
    /// has marked: the write is under way, or is named once the mark is older than [`write_timeout`](Job::write_timeout). It
    /// looks at any other difference twice more, and names it if the secondary row was the same before and after the primary
    /// row was read. So a stale row or an old value that is named was there. A missing row is named wrongly only if its primary
    /// row came to the key and left it during each look.
    pub fn verify(&self) -> Job<'_, K, K2> {
        Job::new(Check { secondary: self, mend: false })
    }

    /// Returns a job that repairs every difference that [`verify`](Self::verify) names: in a table that was declared when there
    /// were rows already, whose closure was changed, or in which a crash left stale rows and marks. Only a
    /// [conflict](crate::jobs::DifferenceKind::Conflict) of two primary rows stays.
    ///
    /// Without transactions it looks at a difference once more, and repairs it by a write that looks for itself. So it may count
    /// a row that a writer has just finished.
    pub fn rebuild(&self) -> Job<'_, K, K2> {
        Job::new(Check { secondary: self, mend: true })
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
            // The key may have gone from one row to another between the two reads.
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
