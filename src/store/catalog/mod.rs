//! What a database keeps of its tables, in a table of its own, `rowkey.layouts`: the shape of a table's keys, the names and units
//! of their fields, the codec of its values. [`Table::open`](crate::Table::open) holds a program's types to it.
//!
//! A field that got another name in the program, and is the same field, is renamed here first:
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
//! // A program from before the change still opens it.
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
use crate::store::error::Error;
use crate::store::options::Within;
use crate::store::value::RowValue;
use crate::store::{Batch, Database, NewTable, RowBatch, Rows, Scan, Store};

/// The table's name.
pub(crate) const CATALOG: &str = "rowkey.layouts";

/// The table in which migrations are kept.
pub(crate) const MIGRATIONS: &str = "rowkey.migrations";

/// What the names of tables begin with that the crate keeps for itself.
pub(crate) const RESERVED: &str = "rowkey.";

/// What the names of wide tables begin with that hold what the crate keeps of plain tables over them.
pub(crate) const PLAIN: &str = "rowkey.plain.";

/// What is kept of a table: the first byte of a row's key, before the table's name.
#[derive(Clone, Copy, Debug)]
#[repr(u8)]
enum Kind {
    /// The shape of its keys.
    Shape = b't',
    /// The shapes that its keys had before, a line each.
    Earlier = b'b',
    /// The fields of its keys: [`KeyFields`].
    Fields = b'f',
    /// The codec of its values.
    Codec = b'v',
    /// A wide table's schema.
    Schema = b'w',
    /// The shapes that a wide table's row keys had before.
    EarlierOfRows = b'B',
    /// The fields of a wide table's row keys.
    FieldsOfRows = b'F',
    /// The table is being dropped.
    Dropping = b'x',
}

impl Kind {
    const OF_A_TABLE: [Self; 7] =
        [Self::Shape, Self::Earlier, Self::Fields, Self::Codec, Self::Schema, Self::EarlierOfRows, Self::FieldsOfRows];

    fn key(self, table: &str) -> Vec<u8> {
        [&[self as u8], table.as_bytes()].concat()
    }
}

/// Refuses the names that the crate keeps for itself.
pub(crate) fn check_name(table: &str) -> Result<(), Error> {
    if table.starts_with(RESERVED) { Err(Error::ReservedName(table.to_owned())) } else { Ok(()) }
}

/// What a program takes a table for.
pub(crate) struct Given<'g> {
    layout: LayoutBuf,
    /// The names and units of the keys' fields, if they are to be kept.
    fields: Option<KeyFields>,
    codec: Option<&'g str>,
}

impl<'g> Given<'g> {
    /// A table of these keys and values.
    pub(crate) fn new(layout: &Layout, codec: Option<&'g str>) -> Self {
        Self { layout: layout.into(), fields: Some(KeyFields::of(layout)), codec }
    }

    /// A table whose entries are the crate's own.
    pub(crate) fn entries(layout: &Layout) -> Self {
        Self { layout: layout.into(), fields: None, codec: None }
    }

    /// Whether it agrees with what is kept; what has to be kept as the shape then.
    fn check(&self, table: &str, stored: &[Option<Vec<u8>>; 4]) -> Result<Option<String>, Error> {
        let [shape, fields, codec, _] = stored;
        let new_shape = self.shape(table, text(shape).as_deref())?;
        self.fields(table, text(fields).as_deref())?;
        self.codec(table, text(codec).as_deref())?;
        Ok(new_shape)
    }

    /// What has to be kept as the shape; `None` if it is kept already.
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
        let differences = format!("what is kept of them is not understood: {line:?}");
        Error::Fields { table: table.to_owned(), differences }
    })
}

/// Whether a table is to be there before it is opened.
pub(crate) enum How<'n> {
    /// It is made if it is not there.
    OpenOrMake,
    /// It is there.
    Open,
    /// It is not there, and is made so.
    Make(&'n NewTable),
}

/// The catalog, if the database has one; it is not made.
pub(crate) fn existing(db: &(impl Database + ?Sized)) -> Result<Option<Arc<dyn Store>>, Error> {
    match db.open_table(CATALOG) {
        Ok(catalog) => Ok(Some(catalog)),
        Err(Error::NoSuchTable(_)) => Ok(None),
        Err(error) => Err(error),
    }
}

/// A table that was opened.
pub(crate) struct Opened {
    pub(crate) store: Arc<dyn Store>,
    /// The fingerprints of the shapes that its keys had before they got more variants.
    pub(crate) earlier: Arc<[Fingerprint]>,
}

/// Opens a table that holds what is given, and makes it if it is not there and is to be made. Nothing is written where one of the
/// things given is refused.
///
/// A table that has to be there, or must not be, comes before what is kept of it: one whose making was killed in between is a table
/// of which nothing is kept yet, and whoever opens it completes it.
pub(crate) fn open(
    db: &(impl Database + ?Sized),
    table: &str,
    given: &Given<'_>,
    how: &How<'_>,
) -> Result<Opened, Error> {
    finish_drop(db, table)?;
    let catalog = db.table(CATALOG)?;
    let keys = [Kind::Shape, Kind::Fields, Kind::Codec, Kind::Earlier].map(|kind| kind.key(table));
    let store = match how {
        How::OpenOrMake => None,
        How::Open => Some(db.open_table(table)?),
        How::Make(new) => {
            // Nothing could be kept of it once it was made, and nobody could open it.
            keys.iter().try_for_each(|key| catalog.guarantees().limits.check_row(CATALOG, key, None))?;
            let agrees = given.check(table, &read(&*catalog, &keys)?).map(drop);
            // Of a table that is there, that is what is said of it, whatever it holds.
            match (agrees, db.open_table(table)) {
                (Err(refused), Err(Error::NoSuchTable(_))) => return Err(refused),
                (Err(_), there) => return there.and(Err(Error::TableExists(table.to_owned()))),
                (Ok(()), _) => Some(db.create_table(table, new)?),
            }
        }
    };
    let earlier = loop {
        let stored = read(&*catalog, &keys)?;
        let new_shape = given.check(table, &stored)?;
        let [shape, fields, codec, mut earlier] = stored;
        if let Some(new) = new_shape {
            if let Some(before) = text(&shape) {
                earlier = keep(&*catalog, &keys[3], earlier, |stored| Ok(with_line(stored, &before)))?;
            }
            // Where somebody else wrote one meanwhile, all is asked again.
            if !replace(&*catalog, &keys[0], shape.as_deref(), Some(new.as_bytes()))? {
                continue;
            }
        }
        keep(&*catalog, &keys[1], fields, |stored| given.fields(table, stored))?;
        keep(&*catalog, &keys[2], codec, |stored| given.codec(table, stored))?;
        break earlier;
    };
    let earlier = text(&earlier).unwrap_or_default();
    let store = store.map_or_else(|| db.table(table), Ok)?;
    Ok(Opened { store, earlier: earlier.lines().filter_map(fingerprint).collect() })
}

/// The fingerprint of a shape.
pub(crate) fn fingerprint(shape: &str) -> Option<Fingerprint> {
    Some(shape.parse::<LayoutBuf>().ok()?.fingerprint())
}

/// Gives a field of a table's keys another name: what its program calls it from now on. Programs that know it by the name
/// before still open the table. The rows stay as they are.
///
/// `field` is the path to it, names joined by dots: `at`, or `event.Login.user` for a field of an enum's variant, or
/// `event.Login` for the variant itself; `Login` where the key is the enum. `name` is one that no field beside it has or had:
/// fields that were swapped are not renamed, the program is wrong or the table has to be another. For a wide table see [`WideTable::rename_field`](crate::WideTable::rename_field).
///
/// # Errors
///
/// [`Error::Fields`] if the table has no such field, or the name can't be one; [`Error::NoSuchTable`].
pub fn rename_field(db: &(impl Database + ?Sized), table: &str, field: &str, name: &str) -> Result<(), Error> {
    let refused = |differences| Error::Fields { table: table.to_owned(), differences };
    let db = Within::one_call(&db as &dyn Database);
    let (catalog, key) = (there(&*db, table)?, Kind::Fields.key(table));
    keep(&*catalog, &key, catalog.get(&key)?, |stored| {
        let unknown = || refused("they are not known yet, a table that is opened tells them".to_owned());
        let mut fields = parse_fields(table, stored.ok_or_else(unknown)?)?;
        fields.rename(field, name).map_err(refused)?;
        Ok(Some(fields.to_string()))
    })?;
    Ok(())
}

/// Says that a table's values are those of another codec, `V`. Call it when the new codec reads the same bytes, or after every
/// value was rewritten: the rows stay as they are.
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
    let (catalog, key) = (there(&*db, table)?, Kind::Codec.key(table));
    match V::CODEC {
        Some(codec) => catalog.write(Batch::new().put(key, codec)),
        None => catalog.write(Batch::new().delete(key)),
    }
}

/// The catalog, if it has the table.
fn there(db: &(impl Database + ?Sized), table: &str) -> Result<Arc<dyn Store>, Error> {
    let catalog = db.table(CATALOG)?;
    match catalog.get(&Kind::Shape.key(table))? {
        Some(_) => Ok(catalog),
        None => Err(Error::NoSuchTable(table.to_owned())),
    }
}

/// What is kept of a wide table beside the layout of its entries.
#[derive(Clone, Debug)]
pub(crate) struct WideTexts {
    /// Its families, and the shape of its row keys.
    pub(crate) schema: String,
    /// The fields of its row keys.
    pub(crate) fields: Option<String>,
    /// The shapes that its row keys had before, a line each.
    pub(crate) earlier: Option<String>,
}

/// Keeps what `decide` makes of what is kept of a wide table: `None` leaves it.
pub(crate) fn keep_wide(
    db: &(impl Database + ?Sized),
    table: &str,
    mut decide: impl FnMut(Option<&WideTexts>) -> Result<Option<WideTexts>, Error>,
) -> Result<(), Error> {
    finish_drop(db, table)?;
    let (catalog, keys) = (db.table(CATALOG)?, WideTexts::keys(table));
    loop {
        let stored = read(&*catalog, &keys)?;
        let new = match decide(WideTexts::of(&stored).as_ref()) {
            Ok(Some(new)) => new,
            Ok(None) => return Ok(()),
            // Of rows that somebody else wrote while they were read there is nothing to say.
            Err(_) if read(&*catalog, &keys)? != stored => continue,
            Err(refused) => return Err(refused),
        };
        let rows = [new.earlier, new.fields, Some(new.schema)];
        let mut rows: Vec<_> = keys.iter().zip(&stored).zip(&rows).collect();
        // Of several that make the table one writes its schema, first; the others read that. Later the schema is the last, and
        // who reads it finds the rest.
        if stored[2].is_none() {
            rows.reverse();
        }
        let mut kept = true;
        for ((key, before), new) in rows {
            let Some(new) = new.as_deref().map(str::as_bytes) else { continue };
            kept = kept && (before.as_deref() == Some(new) || replace(&*catalog, key, before.as_deref(), Some(new))?);
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

/// What is kept of a wide table, if it is there.
pub(crate) fn wide(db: &(impl Database + ?Sized), table: &str) -> Result<Option<WideTexts>, Error> {
    let Some(catalog) = existing(db)? else { return Ok(None) };
    finish_drop(db, table)?;
    Ok(WideTexts::of(&read(&*catalog, &WideTexts::keys(table))?))
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

/// Drops a table, and forgets what is kept of it. A drop that is cut off anywhere is finished by the next one, or by whoever
/// opens the table next: so no layout stays without its table, and no rows without their layout.
pub(crate) fn drop_table(db: &(impl Database + ?Sized), table: &str) -> Result<(), Error> {
    let catalog = db.table(CATALOG)?;
    catalog.write(Batch::new().put(Kind::Dropping.key(table), []))?;
    db.drop_table(table)?;
    let mut forgotten = Batch::new();
    Kind::OF_A_TABLE.iter().for_each(|kind| _ = forgotten.delete(kind.key(table)));
    catalog.write(&forgotten)?;
    // By itself, where a batch is not atomic.
    catalog.write(Batch::new().delete(Kind::Dropping.key(table)))
}

fn finish_drop(db: &(impl Database + ?Sized), table: &str) -> Result<(), Error> {
    match db.table(CATALOG)?.get(&Kind::Dropping.key(table))? {
        Some(_) => drop_table(db, table),
        None => Ok(()),
    }
}

fn read<const N: usize>(catalog: &dyn Store, keys: &[Vec<u8>; N]) -> Result<[Option<Vec<u8>>; N], Error> {
    let rows = catalog.get_many(&keys.each_ref().map(Vec::as_slice))?;
    rows.try_into().map_err(|_| Error::engine("the store returned another number of rows than it was asked for"))
}

fn text(bytes: &Option<Vec<u8>>) -> Option<Cow<'_, str>> {
    bytes.as_deref().map(String::from_utf8_lossy)
}

/// Lines with one more, unless it is there.
pub(crate) fn with_line(lines: Option<&str>, line: &str) -> Option<String> {
    let lines = lines.unwrap_or_default();
    (!lines.lines().any(|known| known == line)).then(|| format!("{lines}{line}\n"))
}

/// Keeps what `decide` makes of a row (`None` leaves it) that was read as `stored`. Returns what is kept then.
fn keep(
    catalog: &dyn Store,
    key: &[u8],
    mut stored: Option<Vec<u8>>,
    mut decide: impl FnMut(Option<&str>) -> Result<Option<String>, Error>,
) -> Result<Option<Vec<u8>>, Error> {
    loop {
        let Some(new) = decide(text(&stored).as_deref())? else { return Ok(stored) };
        if replace(catalog, key, stored.as_deref(), Some(new.as_bytes()))? {
            return Ok(Some(new.into_bytes()));
        }
        stored = catalog.get(key)?;
    }
}

/// Of two that open a table at once, one writes, and the other is told to read what it wrote.
fn replace(catalog: &dyn Store, key: &[u8], stored: Option<&[u8]>, new: Option<&[u8]>) -> Result<bool, Error> {
    if catalog.guarantees().compare_and_write {
        return catalog.compare_and_write(key, stored, new);
    }
    let mut batch = Batch::new();
    match new {
        Some(new) => batch.put(key, new),
        None => batch.delete(key),
    };
    catalog.write(&batch)?;
    Ok(true)
}
