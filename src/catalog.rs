//! What a database keeps of its tables, in a table of its own: `t` and a table's name → the shape of its keys, `w` and a
//! wide table's name → its schema.

use crate::error::Error;
use crate::plain::LayoutBuf;
use crate::range::KeyRange;
use crate::store::{Batch, Database, RowBatch, Rows, Scan};

/// The table's name.
pub(crate) const CATALOG: &str = "rowkey.layouts";
const LAYOUT: u8 = b't';
const SCHEMA: u8 = b'w';

fn key(kind: u8, table: &str) -> Vec<u8> {
    [&[kind], table.as_bytes()].concat()
}

/// The table in which migrations are kept.
pub(crate) const MIGRATIONS: &str = "rowkey.migrations";

/// Refuses the name of the catalog.
pub(crate) fn check_name(table: &str) -> Result<(), Error> {
    if table == CATALOG { Err(Error::ReservedName(table.to_owned())) } else { Ok(()) }
}

/// Keeps the shape of a table's keys; refuses another than the one that is kept, unless it extends it.
pub(crate) fn keep_layout(db: &(impl Database + ?Sized), table: &str, given: &LayoutBuf) -> Result<(), Error> {
    check_name(table)?;
    let shape = given.shape();
    keep(db, key(LAYOUT, table), |stored| match stored {
        Some(stored) if stored == shape => Ok(None),
        Some(stored) if !stored.parse().is_ok_and(|stored| given.extends(&stored)) => {
            Err(Error::Layout { table: table.to_owned(), stored: stored.to_owned(), given: shape.clone() })
        }
        _ => Ok(Some(shape.clone())),
    })
}

/// Keeps what `decide` makes of a wide table's schema, as text.
pub(crate) fn keep_schema(
    db: &(impl Database + ?Sized),
    table: &str,
    decide: impl FnMut(Option<&str>) -> Result<Option<String>, Error>,
) -> Result<(), Error> {
    keep(db, key(SCHEMA, table), decide)
}

/// A wide table's schema, as text.
pub(crate) fn schema(db: &(impl Database + ?Sized), table: &str) -> Result<Option<String>, Error> {
    let stored = db.table(CATALOG)?.get(&key(SCHEMA, table))?;
    Ok(stored.map(|schema| String::from_utf8_lossy(&schema).into_owned()))
}

/// The names of the wide tables.
pub(crate) fn wide_tables(db: &(impl Database + ?Sized)) -> Result<Vec<String>, Error> {
    let mut rows = db.table(CATALOG)?.scan(&Scan::new(vec![KeyRange::prefix([SCHEMA])]));
    let (mut names, mut batch) = (Vec::new(), RowBatch::new());
    loop {
        rows.next_batch(&mut batch)?;
        if batch.is_empty() {
            return Ok(names);
        }
        names.extend(batch.iter().map(|(key, _)| String::from_utf8_lossy(&key[1..]).into_owned()));
    }
}

/// Forgets a table that was dropped.
pub(crate) fn forget(db: &(impl Database + ?Sized), table: &str) -> Result<(), Error> {
    db.table(CATALOG)?.write(Batch::new().delete(key(LAYOUT, table)).delete(key(SCHEMA, table)))
}

/// Writes what `decide` makes of what is kept: `None` leaves it.
fn keep(
    db: &(impl Database + ?Sized),
    key: Vec<u8>,
    mut decide: impl FnMut(Option<&str>) -> Result<Option<String>, Error>,
) -> Result<(), Error> {
    let catalog = db.table(CATALOG)?;
    loop {
        let stored = catalog.get(&key)?;
        let Some(new) = decide(stored.as_deref().map(String::from_utf8_lossy).as_deref())? else { return Ok(()) };
        if !db.guarantees().compare_and_write {
            return catalog.write(Batch::new().put(key, new));
        }
        // Of two that open a table at once, one writes, and the other reads what it wrote.
        if catalog.compare_and_write(&key, stored.as_deref(), Some(new.as_bytes()))? {
            return Ok(());
        }
    }
}
