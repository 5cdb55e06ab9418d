//! The closures that are part of a write, each with something to be done inside it.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use rowkey::migrate::{Conversion, Migration};
use rowkey::secondary::Primary;
use rowkey::store::{Batch, Database};
use rowkey::value::CodecError;
use rowkey::{Error, RowValue, Table};

use crate::reentry::Db;

/// What is done inside the closure.
type Inside = Arc<dyn Fn() + Send + Sync>;

pub(crate) struct Closure {
    pub(crate) name: &'static str,
    /// Whether it is the body of a transaction.
    pub(crate) transaction: bool,
    pub(crate) run: fn(&Db, Inside) -> Result<(), Error>,
}

const fn closure(name: &'static str, run: fn(&Db, Inside) -> Result<(), Error>) -> Closure {
    Closure { name, transaction: false, run }
}

pub(crate) const CLOSURES: &[Closure] = &[
    Closure { name: "the body of a transaction", transaction: true, run: store_transact },
    Closure { name: "the body of a transaction across tables", transaction: true, run: database_transact },
    closure("an update", update),
    closure("the codec of a value that is updated", codec),
    closure("an update of a primary row", primary_update),
    closure("what derives secondary rows, of a put", derive_put),
    closure("what derives secondary rows, of a rebuild", derive_rebuild),
    closure("what derives secondary rows, of a read", derive_read),
    closure("an update of a migrated row", migration_update),
    closure("a conversion, of a put", conversion_put),
    closure("a conversion, of a backfill", conversion_backfill),
];

fn batch() -> Batch {
    std::mem::take(Batch::new().put("of the closure", "v"))
}

fn store_transact(db: &Db, inside: Inside) -> Result<(), Error> {
    db.table("rows")?.transact(&mut |_| {
        inside();
        Ok(batch())
    })
}

fn database_transact(db: &Db, inside: Inside) -> Result<(), Error> {
    db.transact(&["rows", "more"], &mut |_| {
        inside();
        Ok(vec![batch(), batch()])
    })
}

fn update(db: &Db, inside: Inside) -> Result<(), Error> {
    let table: Table<u64, u64, _> = Table::open(db, "numbers")?;
    let before = table.get(&1)?.unwrap_or(0);
    let after = table.update(&1, |n| {
        inside();
        Some(n.unwrap_or(0) + 1)
    })?;
    assert_eq!((after, table.get(&1)?), (Some(before + 1), Some(before + 1)));
    Ok(())
}

thread_local! {
    static IN_CODEC: std::cell::RefCell<Option<Inside>> = const { std::cell::RefCell::new(None) };
}

/// A value whose codec does something else, too.
struct Meddling(u64);

fn meddle() {
    if let Some(inside) = IN_CODEC.take() {
        inside();
        IN_CODEC.set(Some(inside));
    }
}

impl RowValue for Meddling {
    fn encode_value(&self, out: &mut Vec<u8>) -> Result<(), CodecError> {
        meddle();
        self.0.encode_value(out)
    }

    fn decode_value(bytes: &[u8]) -> Result<Self, CodecError> {
        meddle();
        u64::decode_value(bytes).map(Self)
    }
}

fn codec(db: &Db, inside: Inside) -> Result<(), Error> {
    let table: Table<u64, Meddling, _> = Table::open(db, "numbers")?;
    IN_CODEC.set(Some(inside));
    let updated = table.update(&1, |n| Some(Meddling(n.map_or(0, |n| n.0) + 1)));
    IN_CODEC.set(None);
    updated.map(drop)
}

fn primary_update(db: &Db, inside: Inside) -> Result<(), Error> {
    let mut users = Primary::<u64, u64, _>::open(Arc::clone(db), "users")?;
    users.secondary("users.by", |id: &u64, n: &u64| [((*n, *id), ())])?;
    let after = users.update(&1, |n| {
        inside();
        Some(n.unwrap_or(0) + 1)
    })?;
    assert_eq!(users.get(&1)?, after);
    Ok(())
}

fn derive_put(db: &Db, inside: Inside) -> Result<(), Error> {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let next = NEXT.fetch_add(1, Ordering::Relaxed);
    let mut users = Primary::<u64, u64, _>::open(Arc::clone(db), "derived")?;
    let by = users.secondary("derived.by", move |id: &u64, n: &u64| {
        inside();
        [((*n, *id), ())]
    })?;
    users.put(&1, &next)?;
    assert_eq!(by.get(&(next, 1))?, Some(()));
    Ok(())
}

fn derive_rebuild(db: &Db, inside: Inside) -> Result<(), Error> {
    let users = Primary::<u64, u64, _>::open(Arc::clone(db), "rebuilt")?;
    users.put(&1, &7)?;
    let mut users = users;
    let by = users.secondary("rebuilt.by", move |id: &u64, n: &u64| {
        inside();
        [((*n, *id), ())]
    })?;
    by.rebuild().run()?;
    assert_eq!(by.get(&(7, 1))?, Some(()));
    Ok(())
}

fn derive_read(db: &Db, inside: Inside) -> Result<(), Error> {
    let mut users = Primary::<u64, u64, _>::open(Arc::clone(db), "read")?;
    let by = users.secondary("read.by", move |id: &u64, n: &u64| {
        inside();
        [((*n, *id), ())]
    })?;
    users.put(&1, &7)?;
    assert_eq!(by.get_row(&(7, 1))?, Some((1, 7)));
    Ok(())
}

type Moving = Migration<u64, u64, (u64, u64), u64, Db>;

/// A migration that is copying; what is done inside its conversions.
fn migration(db: &Db, inside: Option<Inside>) -> Result<Moving, Error> {
    let within = move |n: u64| {
        inside.iter().for_each(|inside| inside());
        n
    };
    let (a, b, c, d) = (within.clone(), within.clone(), within.clone(), within);
    let conversion = Conversion::keys(move |key| (a(key), 0), move |(key, _)| b(key)).values(c, d);
    Migration::open(Arc::clone(db), "moving", "old", "new", conversion)
}

fn migration_update(db: &Db, inside: Inside) -> Result<(), Error> {
    let moving = migration(db, None)?;
    let after = moving.update(&(1, 0), |n| {
        inside();
        Some(n.unwrap_or(0) + 1)
    })?;
    assert_eq!(moving.get(&(1, 0))?, after);
    Ok(())
}

fn conversion_put(db: &Db, inside: Inside) -> Result<(), Error> {
    let moving = migration(db, Some(inside))?;
    moving.put(&(2, 0), &7)?;
    assert_eq!(moving.get(&(2, 0))?, Some(7));
    Ok(())
}

/// Of a migration that is begun, over and forgotten each time.
fn conversion_backfill(db: &Db, inside: Inside) -> Result<(), Error> {
    let table: Table<u64, u64, _> = Table::open(db, "old.2")?;
    table.put(&1, &7)?;
    let (a, b) = (Arc::clone(&inside), inside);
    let conversion = Conversion::keys(
        move |key: u64| {
            a();
            (key, 0_u64)
        },
        move |(key, _): (u64, u64)| {
            b();
            key
        },
    );
    let moving = Migration::<u64, u64, _, _, _>::open(Arc::clone(db), "backfilled", "old.2", "new.2", conversion)?;
    let report = moving.backfill().run()?;
    assert_eq!((report.rows, report.written), (1, 1));
    moving.roll_back()?;
    moving.forget()
}
