//! The catalog: what a database stores about its tables, in a table of its own, `rowkey.layouts`. These are the shape
//! of the keys, the names and units of their fields, and the codec of the values. [`Table::open`](crate::Table::open)
//! checks a program's types against it.
//!
//! If a program renames a field, rename it in the catalog first:
//!
//! ```
//! use rowkey::{Error, Memory, RowKey, Table, catalog};
//!
//! mod before {
//!     #[derive(rowkey::RowKey)]
//!     pub struct Edge {
//!         pub from: u64,
//!         pub to: u64,
//!     }
//! }
//!
//! #[derive(RowKey)]
//! struct Edge {
//!     source: u64,
//!     to: u64,
//! }
//!
//! let db = Memory::new();
//! Table::<before::Edge, (), _>::open(&db, "edges")?;
//! assert!(matches!(Table::<Edge, (), _>::open(&db, "edges"), Err(Error::Fields { .. })));
//!
//! catalog::rename_field(&db, "edges", "from", "source")?;
//! Table::<Edge, (), _>::open(&db, "edges")?;
//! // A program from before the rename can still open it.
//! Table::<before::Edge, (), _>::open(&db, "edges")?;
//! # Ok::<(), rowkey::Error>(())
//! ```

mod fields;
pub(crate) mod moved;

use std::borrow::Cow;
use std::sync::Arc;

pub(crate) use self::fields::KeyFields;
use crate::keys::fingerprint::Fingerprint;
use crate::keys::layout::Layout;
use crate::keys::range::KeyRange;
use crate::keys::untyped::LayoutBuf;
use crate::store::error::{CommitPoint, Error, ErrorKind};
use crate::store::options::Within;
use crate::store::value::RowValue;
use crate::store::{Batch, Database, OpenMode, RowBatch, Rows, Scan, Store};

/// The name of the catalog's table.
pub(crate) const CATALOG: &str = "rowkey.layouts";

/// The table that stores the state of migrations.
pub(crate) const MIGRATIONS: &str = "rowkey.migrations";

/// Prefix of the names that are reserved for the crate's own tables.
pub(crate) const RESERVED: &str = "rowkey.";

/// Prefix of the wide tables that store the crate's own plain tables, where plain tables are stored in wide ones.
pub(crate) const PLAIN: &str = "rowkey.plain.";

/// The content of a row of the catalog: the first byte of its key, before the table's name.
#[derive(Clone, Copy, Debug)]
#[repr(u8)]
enum Kind {
    /// The shape of the keys.
    Shape = b't',
    /// Earlier shapes of the keys, one per line.
    Earlier = b'b',
    /// The fields of the keys: [`KeyFields`].
    Fields = b'f',
    /// The codec of the values.
    Codec = b'v',
    /// The schema of a wide table.
    Schema = b'w',
    /// Earlier shapes of a wide table's row keys.
    EarlierOfRows = b'B',
    /// The fields of a wide table's row keys.
    FieldsOfRows = b'F',
    /// Marks a table that is being dropped.
    Dropping = b'x',
}

impl Kind {
    const OF_A_TABLE: [Self; 7] =
        [Self::Shape, Self::Earlier, Self::Fields, Self::Codec, Self::Schema, Self::EarlierOfRows, Self::FieldsOfRows];

    fn key(self, table: &str) -> Vec<u8> {
        [&[self as u8], table.as_bytes()].concat()
    }
}

/// Refuses reserved names.
pub(crate) fn check_name(table: &str) -> Result<(), Error> {
    if table.starts_with(RESERVED) { Err(Error::ReservedName(table.to_owned())) } else { Ok(()) }
}

/// The types that a program opens a table with.
pub(crate) struct Given<'g> {
    layout: LayoutBuf,
    /// The names and units of the keys' fields. `None`: not to be stored.
    fields: Option<KeyFields>,
    codec: Option<&'g str>,
}

impl<'g> Given<'g> {
    /// A table of these keys and values.
    pub(crate) fn new(layout: &Layout, codec: Option<&'g str>) -> Self {
        Self { layout: layout.into(), fields: Some(KeyFields::of(layout)), codec }
    }

    /// A table with the crate's own entries.
    pub(crate) fn entries(layout: &Layout) -> Self {
        Self { layout: layout.into(), fields: None, codec: None }
    }

    /// Checks against the catalog. Returns the shape to store, if any.
    fn check(&self, table: &str, stored: &[Option<Vec<u8>>; 4]) -> Result<Option<String>, Error> {
        let [shape, fields, codec, _] = stored;
        let new_shape = self.shape(table, text(shape).as_deref())?;
        self.fields(table, text(fields).as_deref())?;
        self.codec(table, text(codec).as_deref())?;
        Ok(new_shape)
    }

    /// The shape to store; `None` if it is stored already.
    fn shape(&self, table: &str, stored: Option<&str>) -> Result<Option<String>, Error> {
        let shape = self.layout.shape();
        match stored {
            Some(stored) if stored == shape => Ok(None),
            Some(stored) if !stored.parse().is_ok_and(|stored| self.layout.extends(&stored)) => {
                Err(Error::Layout { table: table.to_owned(), stored: stored.to_owned(), given: shape })
            }
            _ => Ok(Some(shape)),
        }
    }

    fn fields(&self, table: &str, stored: Option<&str>) -> Result<Option<String>, Error> {
        let Some(given) = &self.fields else { return Ok(None) };
        let completed = match stored {
            None => given.clone(),
            Some(stored) => {
                let stored = parse_fields(table, stored)?;
                let refused = |differences| Error::Fields { table: table.to_owned(), differences };
                stored.completed_by(given).map_err(refused)?
            }
        };
        Ok(Some(completed.to_string()).filter(|completed| stored != Some(completed)))
    }

    fn codec(&self, table: &str, stored: Option<&str>) -> Result<Option<String>, Error> {
        match (stored, self.codec) {
            (None, Some(given)) => Ok(Some(given.to_owned())),
            (Some(stored), Some(given)) if stored != given => {
                let (table, stored, given) = (table.to_owned(), stored.to_owned(), given.to_owned());
                Err(Error::ValueCodec { table, stored, given })
            }
            _ => Ok(None),
        }
    }
}

fn parse_fields(table: &str, stored: &str) -> Result<KeyFields, Error> {
    stored.parse().map_err(|line| {
        let differences = format!("the stored line {line:?} does not parse");
        Error::Fields { table: table.to_owned(), differences }
    })
}

/// The catalog, if the database has one. Does not create it.
pub(crate) fn existing(db: &(impl Database + ?Sized)) -> Result<Option<Arc<dyn Store>>, Error> {
    match db.open_table(CATALOG) {
        Ok(catalog) => Ok(Some(catalog)),
        Err(Error::NoSuchTable(_)) => Ok(None),
        Err(error) => Err(error),
    }
}

/// An open table.
pub(crate) struct Opened {
    pub(crate) store: Arc<dyn Store>,
    /// The fingerprints of the earlier shapes of its keys.
    pub(crate) earlier: Arc<[Fingerprint]>,
    /// True if it was created, or something was stored about it.
    #[cfg_attr(
        not(feature = "async"),
        expect(dead_code, reason = "an opening of asynchronous tables goes on after this one")
    )]
    pub(crate) is_new: bool,
}

/// Opens a table with the given types, and creates it as `mode` says. Nothing is written if one of the types is refused.
/// `commit` is passed once the table is created, or something is stored about it.
///
/// With `Open` and `Make` the table is opened or created first, then its rows in the catalog are written. A crash in
/// between leaves a table without rows in the catalog; the next opening adds them.
pub(crate) fn open(
    db: &(impl Database + ?Sized),
    table: &str,
    given: &Given<'_>,
    mode: &OpenMode,
    commit: &CommitPoint,
) -> Result<Opened, Error> {
    finish_drop(db, table)?;
    let catalog = db.table(CATALOG)?;
    let keys = [Kind::Shape, Kind::Fields, Kind::Codec, Kind::Earlier].map(|kind| kind.key(table));
    let store = match mode {
        OpenMode::OpenOrCreate => None,
        OpenMode::Open => Some(db.open_table(table)?),
        OpenMode::Create(new) => {
            // Without room for the catalog's rows the table could be created but never opened.
            keys.iter().try_for_each(|key| catalog.guarantees().limits.check_row(CATALOG, key, None))?;
            let agrees = given.check(table, &read(&*catalog, &keys)?).map(drop);
            // If the table exists, that is the error, whatever the catalog says about it.
            match (agrees, db.open_table(table)) {
                (Err(refused), Err(Error::NoSuchTable(_))) => return Err(refused),
                (Err(_), there) => return there.and(Err(Error::TableExists(table.to_owned()))),
                (Ok(()), _) => {
                    let created = commit.decided(db.create_table(table, new))?;
                    commit.pass();
                    Some(created)
                }
            }
        }
    };
    let earlier = loop {
        let stored = read(&*catalog, &keys)?;
        let new_shape = given.check(table, &stored)?;
        let [shape, fields, codec, mut earlier] = stored;
        if let Some(new) = new_shape {
            if let Some(before) = text(&shape) {
                earlier = keep(&*catalog, &keys[3], earlier, commit, |stored| Ok(with_line(stored, &before)))?;
            }
            // Somebody else wrote a shape meanwhile: check again.
            if !replace(&*catalog, &keys[0], shape.as_deref(), Some(new.as_bytes()), commit)? {
                continue;
            }
        }
        keep(&*catalog, &keys[1], fields, commit, |stored| given.fields(table, stored))?;
        keep(&*catalog, &keys[2], codec, commit, |stored| given.codec(table, stored))?;
        break earlier;
    };
    let earlier = text(&earlier).unwrap_or_default();
    let store = store.map_or_else(|| open_or_make(db, table, commit), Ok)?;
    let earlier = earlier.lines().filter_map(fingerprint).collect();
    Ok(Opened { store, earlier, is_new: commit.is_passed() })
}

/// Opens a table, and creates it if it does not exist. If a layout was stored before, it mostly does.
fn open_or_make(db: &(impl Database + ?Sized), table: &str, commit: &CommitPoint) -> Result<Arc<dyn Store>, Error> {
    if !commit.is_passed() {
        match db.open_table(table) {
            Err(Error::NoSuchTable(_)) => {}
            opened => return opened,
        }
    }
    let made = commit.decided(db.table(table))?;
    commit.pass();
    Ok(made)
}

/// The fingerprint of a shape.
pub(crate) fn fingerprint(shape: &str) -> Option<Fingerprint> {
    Some(shape.parse::<LayoutBuf>().ok()?.fingerprint())
}

/// Renames a field of a table's keys. Programs that use the old name can still open the table. The rows do not change.
///
/// `field` is the path of the field, names joined by dots: `at`, or `event.Login.user` for a field of an enum's
/// variant, or `event.Login` for the variant itself, or `Login` if the key is the enum. `name` must not be the name,
/// now or before, of another field beside it: fields that were swapped can't be renamed. For a wide table see
/// [`WideTable::rename_field`](crate::WideTable::rename_field).
///
/// # Errors
///
/// [`Error::Fields`] if the table has no such field, or the name is not valid; [`Error::NoSuchTable`].
pub fn rename_field(db: &(impl Database + ?Sized), table: &str, field: &str, name: &str) -> Result<(), Error> {
    let refused = |differences| Error::Fields { table: table.to_owned(), differences };
    let db = Within::one_call(&db as &dyn Database);
    of_catalog("renaming of a field", table, |commit| {
        let (catalog, key) = (there(&*db, table)?, Kind::Fields.key(table));
        keep(&*catalog, &key, catalog.get(&key)?, commit, |stored| {
            let unknown = || refused("they are not known yet: open the table once to store them".to_owned());
            let mut fields = parse_fields(table, stored.ok_or_else(unknown)?)?;
            fields.rename(field, name).map_err(refused)?;
            Ok(Some(fields.to_string()))
        })?;
        Ok(())
    })
}

/// Runs an operation on what the catalog stores about a table. It passes its [`CommitPoint`] with its first write. Its
/// errors name the table.
pub(crate) fn of_catalog<T>(
    doing: &'static str,
    table: &str,
    run: impl FnOnce(&CommitPoint) -> Result<T, Error>,
) -> Result<T, Error> {
    let commit = CommitPoint::default();
    match run(&commit) {
        // Another program has stored something else about the table meanwhile.
        Err(refused) if refused.kind() == ErrorKind::Mismatch => Err(refused),
        result => commit.outcome(table, result).map_err(|error| error.of_catalog(doing, table)),
    }
}

/// Changes the stored codec of a table's values to that of `V`. Call it if the new codec reads the same bytes, or after
/// all values were rewritten. The rows do not change.
///
/// ```
/// use rowkey::{Error, Memory, Table, catalog};
///
/// let db = Memory::new();
/// Table::<u64, i64, _>::open(&db, "counts")?;
/// assert!(matches!(Table::<u64, u64, _>::open(&db, "counts"), Err(Error::ValueCodec { .. })));
/// catalog::change_codec::<u64>(&db, "counts")?;
/// Table::<u64, u64, _>::open(&db, "counts")?;
/// # Ok::<(), rowkey::Error>(())
/// ```
///
/// # Errors
///
/// [`Error::NoSuchTable`].
pub fn change_codec<V: RowValue>(db: &(impl Database + ?Sized), table: &str) -> Result<(), Error> {
    let db = Within::one_call(&db as &dyn Database);
    of_catalog("change of the codec", table, |commit| {
        let (catalog, key) = (there(&*db, table)?, Kind::Codec.key(table));
        commit.decided(match V::CODEC {
            Some(codec) => catalog.write(Batch::new().put(key, codec)),
            None => catalog.write(Batch::new().delete(key)),
        })
    })
}

/// The catalog, if it contains the table.
fn there(db: &(impl Database + ?Sized), table: &str) -> Result<Arc<dyn Store>, Error> {
    let catalog = db.table(CATALOG)?;
    match catalog.get(&Kind::Shape.key(table))? {
        Some(_) => Ok(catalog),
        None => Err(Error::NoSuchTable(table.to_owned())),
    }
}

/// The texts that the catalog stores about a wide table, besides the layout of its entries.
#[derive(Clone, Debug)]
pub(crate) struct WideTexts {
    /// The families, and the shape of the row keys.
    pub(crate) schema: String,
    /// The fields of the row keys.
    pub(crate) fields: Option<String>,
    /// Earlier shapes of the row keys, one per line.
    pub(crate) earlier: Option<String>,
}

/// Updates what the catalog stores about a wide table to what `decide` returns; `None` changes nothing. `commit` is
/// passed once something of it is written.
pub(crate) fn keep_wide(
    db: &(impl Database + ?Sized),
    table: &str,
    commit: &CommitPoint,
    mut decide: impl FnMut(Option<&WideTexts>) -> Result<Option<WideTexts>, Error>,
) -> Result<(), Error> {
    finish_drop(db, table)?;
    let (catalog, keys) = (db.table(CATALOG)?, WideTexts::keys(table));
    loop {
        let stored = read(&*catalog, &keys)?;
        let new = match decide(WideTexts::of(&stored).as_ref()) {
            Ok(Some(new)) => new,
            Ok(None) => return Ok(()),
            // The rows changed while they were read: read them again.
            Err(_) if read(&*catalog, &keys)? != stored => continue,
            Err(refused) => return Err(refused),
        };
        let rows = [new.earlier, new.fields, Some(new.schema)];
        let mut rows: Vec<_> = keys.iter().zip(&stored).zip(&rows).collect();
        // Several openings may create the table at once. The schema is written first then, so that one wins and the
        // others read it. Later it is written last, so that whoever reads it also finds the rest.
        if stored[2].is_none() {
            rows.reverse();
        }
        let mut kept = true;
        for ((key, before), new) in rows {
            let Some(new) = new.as_deref().map(str::as_bytes) else { continue };
            kept = kept
                && (before.as_deref() == Some(new) || replace(&*catalog, key, before.as_deref(), Some(new), commit)?);
        }
        if kept {
            return Ok(());
        }
    }
}

impl WideTexts {
    fn keys(table: &str) -> [Vec<u8>; 3] {
        [Kind::EarlierOfRows, Kind::FieldsOfRows, Kind::Schema].map(|kind| kind.key(table))
    }

    fn of([earlier, fields, schema]: &[Option<Vec<u8>>; 3]) -> Option<Self> {
        let owned = |bytes| text(bytes).map(Cow::into_owned);
        Some(Self { schema: owned(schema)?, fields: owned(fields), earlier: owned(earlier) })
    }
}

/// The texts that the catalog stores about a wide table, if it exists.
pub(crate) fn wide(db: &(impl Database + ?Sized), table: &str) -> Result<Option<WideTexts>, Error> {
    of_catalog("look-up", table, |_| {
        let Some(catalog) = existing(db)? else { return Ok(None) };
        finish_drop(db, table)?;
        Ok(WideTexts::of(&read(&*catalog, &WideTexts::keys(table))?))
    })
}

/// The names of the wide tables.
pub(crate) fn wide_tables(db: &(impl Database + ?Sized)) -> Result<Vec<String>, Error> {
    let mut rows = db.table(CATALOG)?.scan(&Scan::new(vec![KeyRange::prefix([Kind::Schema as u8])]));
    let (mut names, mut batch) = (Vec::new(), RowBatch::new());
    loop {
        rows.next_batch(&mut batch)?;
        if batch.is_empty() {
            return Ok(names);
        }
        names.extend(batch.iter().map(|(key, _)| String::from_utf8_lossy(&key[1..]).into_owned()));
    }
}

/// Drops a table and its rows in the catalog. If this is interrupted, the next drop or the next opening of the table
/// finishes it: a layout never stays without its table, nor rows without their layout.
///
/// # Errors
///
/// [`Error::OutcomeUnknown`] once the drop is marked. With any other error the table is as it was.
pub(crate) fn drop_table(db: &(impl Database + ?Sized), table: &str) -> Result<(), Error> {
    of_catalog("drop", table, |commit| {
        let catalog = db.table(CATALOG)?;
        commit.decided(catalog.write(Batch::new().put(Kind::Dropping.key(table), [])))?;
        commit.pass();
        db.drop_table(table)?;
        let mut forgotten = Batch::new();
        Kind::OF_A_TABLE.iter().for_each(|kind| _ = forgotten.delete(kind.key(table)));
        catalog.write(&forgotten)?;
        // In a write of its own, as the batch may not be atomic.
        catalog.write(Batch::new().delete(Kind::Dropping.key(table)))
    })
}

fn finish_drop(db: &(impl Database + ?Sized), table: &str) -> Result<(), Error> {
    match db.table(CATALOG)?.get(&Kind::Dropping.key(table))? {
        Some(_) => drop_table(db, table),
        None => Ok(()),
    }
}

fn read<const N: usize>(catalog: &dyn Store, keys: &[Vec<u8>; N]) -> Result<[Option<Vec<u8>>; N], Error> {
    let rows = catalog.get_many(&keys.each_ref().map(Vec::as_slice))?;
    rows.try_into().map_err(|_| Error::engine("the store returned the wrong number of rows"))
}

fn text(bytes: &Option<Vec<u8>>) -> Option<Cow<'_, str>> {
    bytes.as_deref().map(String::from_utf8_lossy)
}

/// Appends a line, unless it is there.
pub(crate) fn with_line(lines: Option<&str>, line: &str) -> Option<String> {
    let lines = lines.unwrap_or_default();
    (!lines.lines().any(|known| known == line)).then(|| format!("{lines}{line}\n"))
}

/// Updates a row that was read as `stored` to what `decide` returns; `None` changes nothing. Returns what is stored
/// then.
fn keep(
    catalog: &dyn Store,
    key: &[u8],
    mut stored: Option<Vec<u8>>,
    commit: &CommitPoint,
    mut decide: impl FnMut(Option<&str>) -> Result<Option<String>, Error>,
) -> Result<Option<Vec<u8>>, Error> {
    loop {
        let Some(new) = decide(text(&stored).as_deref())? else { return Ok(stored) };
        if replace(catalog, key, stored.as_deref(), Some(new.as_bytes()), commit)? {
            return Ok(Some(new.into_bytes()));
        }
        stored = catalog.get(key)?;
    }
}

/// Replaces a row. Of two concurrent openings one writes, and the other gets `false` and reads again.
fn replace(
    catalog: &dyn Store,
    key: &[u8],
    stored: Option<&[u8]>,
    new: Option<&[u8]>,
    commit: &CommitPoint,
) -> Result<bool, Error> {
    let replaced = if catalog.guarantees().compare_and_write {
        catalog.compare_and_write(key, stored, new)
    } else {
        let mut batch = Batch::new();
        match new {
            Some(new) => batch.put(key, new),
            None => batch.delete(key),
        };
        catalog.write(&batch).map(|()| true)
    };
    let replaced = commit.decided(replaced)?;
    if replaced {
        commit.pass();
    }
    Ok(replaced)
}
