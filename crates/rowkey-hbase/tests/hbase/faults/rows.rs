//! Rows of a salted key that are overwritten, deleted and put again, among others that stay; and scans of all.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join_all;
use rowkey::error::RowError;
use rowkey::nonblocking::{AsyncDatabase, AsyncTable, AsyncWideTable};
use rowkey::store::NewTable;
use rowkey::wide::{Columns, Condition, FamilySchema, Mutation, OneColumnDatabase, Row, TableSchema};
use rowkey::{Error, RowKey, WriteBatch};
use rowkey_hbase::HBase;
use rowkey_testkit::Random;

use super::held::{Held, Late};
use super::load::{Load, in_time};

/// Buckets, each of which is a region at first.
pub(super) const BUCKETS: u8 = 16;

#[derive(RowKey, Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[rowkey(salt(buckets = 16))]
pub(super) struct Item {
    pub(super) group: u8,
    #[rowkey(desc)]
    pub(super) number: u16,
}

const GROUPS: u8 = 16;
const NUMBERS: u16 = 64;
/// The writers of each process.
const WRITERS: u16 = 6;
/// The owner of the rows that stay, after the writers of two processes.
const FIXED: u16 = 2 * WRITERS;
/// The period of the numbers of a group: one of each writer, and four that stay.
const PERIOD: u16 = FIXED + 4;

impl Item {
    /// The only writer of the row.
    fn owner(self) -> u16 {
        (self.number % PERIOD).min(FIXED)
    }

    fn all() -> impl Iterator<Item = Self> {
        (0..GROUPS).flat_map(|group| (0..NUMBERS).rev().map(move |number| Self { group, number }))
    }

    fn of(owner: u16) -> Vec<Self> {
        Self::all().filter(|item| item.owner() == owner).collect()
    }
}

/// A table of items, in either form. Values tell their writer.
pub(super) trait Rows {
    const NAME: &'static str;

    /// The same table, whose calls end with the load's timeout.
    fn in_time(&self) -> Self;
    async fn get(&self, item: Item) -> Result<Option<u64>, Error>;
    async fn write(&self, item: Item, value: Option<u64>) -> Result<(), Error>;
    async fn write_many(&self, rows: &[(Item, Option<u64>)]) -> Result<(), Error>;
    /// Writes a row that has this value. Returns whether it has it.
    async fn replace(&self, item: Item, has: Option<u64>, value: Option<u64>) -> Result<bool, Error>;
    /// Reads all rows, one after the other.
    async fn scan(&self, load: &Load, reverse: bool, row: impl AsyncFnMut(Item, u64)) -> Result<(), Error>;

    /// Checks the rows of this process, and that those of all are there.
    async fn check(&self, load: &Load, held: &BTreeMap<Item, Held<u64>>)
    where
        Self: Sized,
    {
        for (item, held) in held {
            let found = self.get(*item).await.unwrap();
            load.found(Self::NAME, *item, held, &found);
            load.add(format!("{} rows {}", Self::NAME, if held.is_sure() { "sure" } else { "unsure" }), 1);
        }
        scan(load, self, false).await.unwrap();
    }
}

/// Wide rows, stamped by the servers.
pub(super) struct Wide(AsyncWideTable<Item, HBase>);

fn families() -> TableSchema {
    TableSchema::new().family("f", FamilySchema::new()).family("g", FamilySchema::new())
}

fn split() -> NewTable {
    NewTable::new().split_at((1..BUCKETS).map(|bucket| [bucket]))
}

impl Wide {
    pub(super) async fn create(database: HBase) {
        let table = AsyncWideTable::<Item, _>::create(database, Self::NAME, &families(), &split()).await.unwrap();
        let rows = Item::of(FIXED).into_iter().map(|item| (item, Self::mutation(Some(u64::from(FIXED)))));
        table.mutate_many(rows).await.unwrap();
    }

    pub(super) async fn open(database: HBase) -> Self {
        Self(AsyncWideTable::open_existing(database, Self::NAME, &families()).await.unwrap())
    }

    fn mutation(value: Option<u64>) -> Mutation {
        let Some(value) = value else { return Mutation::new().delete_row() };
        Mutation::new().put("f:q", value.to_string()).put("g:q", value.to_string())
    }

    /// Both families are written at once.
    fn value(row: &Row) -> Option<u64> {
        let [f, g] = ["f:q", "g:q"].map(|column| row.value(column).map(parse));
        assert_eq!(f, g, "half of a write is read");
        f
    }
}

fn parse(value: &[u8]) -> u64 {
    str::from_utf8(value).unwrap().parse().unwrap()
}

impl Rows for Wide {
    const NAME: &'static str = "wide";

    fn in_time(&self) -> Self {
        Self(self.0.with_options(&in_time()))
    }

    async fn get(&self, item: Item) -> Result<Option<u64>, Error> {
        Ok(Self::value(&self.0.get(&item, &Columns::all()).await?))
    }

    async fn write(&self, item: Item, value: Option<u64>) -> Result<(), Error> {
        self.0.mutate(&item, &Self::mutation(value)).await
    }

    async fn write_many(&self, rows: &[(Item, Option<u64>)]) -> Result<(), Error> {
        self.0.mutate_many(rows.iter().map(|&(item, value)| (item, Self::mutation(value)))).await
    }

    async fn replace(&self, item: Item, has: Option<u64>, value: Option<u64>) -> Result<bool, Error> {
        let has = match has {
            Some(value) => Condition::equal("f:q", value.to_string()),
            None => Condition::absent("f:q"),
        };
        self.0.check_and_mutate(&item, &has, &Self::mutation(value)).await
    }

    async fn scan(&self, load: &Load, reverse: bool, mut row: impl AsyncFnMut(Item, u64)) -> Result<(), Error> {
        let scan = self.0.scan(.., Columns::all()).batch_rows(BATCH);
        let mut scan = if reverse { scan.reverse() } else { scan };
        while let Some(found) = load.within("a batch of a scan", scan.next()).await {
            let (item, cells) = found?;
            row(item, Self::value(&cells).expect("a row has cells")).await;
        }
        Ok(())
    }
}

/// Rows of one column, stamped by this process.
pub(super) struct Plain {
    table: AsyncTable<Item, String, OneColumnDatabase<HBase>>,
    /// With the options of the table.
    database: Arc<dyn AsyncDatabase>,
}

impl Plain {
    pub(super) async fn create(database: OneColumnDatabase<HBase>) {
        let table = AsyncTable::<Item, String, _>::create(database, Self::NAME, &split()).await.unwrap();
        join_all(Item::of(FIXED).iter().map(|item| table.put(item, &FIXED.to_string())).collect::<Vec<_>>())
            .await
            .into_iter()
            .for_each(Result::unwrap);
    }

    pub(super) async fn open(database: OneColumnDatabase<HBase>) -> Self {
        let table = AsyncTable::open_existing(database.clone(), Self::NAME).await.unwrap();
        Self { table, database: Arc::new(database) }
    }
}

impl Rows for Plain {
    const NAME: &'static str = "plain";

    fn in_time(&self) -> Self {
        Self { table: self.table.with_options(&in_time()), database: self.database.with_options(&in_time()) }
    }

    async fn get(&self, item: Item) -> Result<Option<u64>, Error> {
        Ok(self.table.get(&item).await?.map(|value| parse(value.as_bytes())))
    }

    async fn write(&self, item: Item, value: Option<u64>) -> Result<(), Error> {
        match value {
            Some(value) => self.table.put(&item, &value.to_string()).await,
            None => self.table.delete(&item).await,
        }
    }

    async fn write_many(&self, rows: &[(Item, Option<u64>)]) -> Result<(), Error> {
        let mut batch = WriteBatch::new();
        for (item, value) in rows {
            match value {
                Some(value) => batch.put(&self.table, item, &value.to_string()).map(drop)?,
                None => drop(batch.delete(&self.table, item)),
            }
        }
        batch.write_async(&*self.database).await
    }

    async fn replace(&self, item: Item, has: Option<u64>, value: Option<u64>) -> Result<bool, Error> {
        let text = |value: Option<u64>| value.map(|value| value.to_string().into_bytes());
        let (has, value) = (text(has), text(value));
        self.table.store().compare_and_write(&item.encode(), has.as_deref(), value.as_deref()).await
    }

    async fn scan(&self, load: &Load, reverse: bool, mut row: impl AsyncFnMut(Item, u64)) -> Result<(), Error> {
        let scan = self.table.scan(..).batch_rows(BATCH);
        let mut scan = if reverse { scan.reverse() } else { scan };
        while let Some(found) = load.within("a batch of a scan", scan.next()).await {
            let (item, value) = found?;
            row(item, parse(value.as_bytes())).await;
        }
        Ok(())
    }
}

/// The rows of a batch of a scan, so few that a scan has many.
const BATCH: usize = 5;

/// Runs the writers of this process. Returns what their rows may have.
pub(super) async fn write_all<R: Rows>(load: &Load, rows: &R, process: u16, late: Late) -> BTreeMap<Item, Held<u64>> {
    let rows = rows.in_time();
    let writers = (0..WRITERS).map(|writer| write(load, &rows, process * WRITERS + writer, late));
    join_all(writers).await.into_iter().flatten().collect()
}

async fn write<R: Rows>(load: &Load, rows: &R, owner: u16, late: Late) -> BTreeMap<Item, Held<u64>> {
    let (mut random, mut written) = (Random(u64::from(owner)), 0);
    let items = Item::of(owner);
    let mut held: BTreeMap<Item, Held<u64>> = items.iter().map(|item| (*item, Held::new(late))).collect();
    // No value is written twice.
    let mut value = |random: &mut Random| {
        written += 1;
        (!random.chance(3)).then_some(written * u64::from(PERIOD) + u64::from(owner))
    };
    while !load.is_over() {
        if random.chance(4) {
            let first = random.below(items.len() as u64 - 8) as usize;
            let batch: Vec<_> = items[first..first + 8].iter().map(|item| (*item, value(&mut random))).collect();
            for item in &items[first..first + 8] {
                let found = load.within("a get", rows.get(*item)).await;
                if let Some(found) = load.read(R::NAME, found) {
                    load.found(R::NAME, *item, &held[item], &found);
                }
            }
            let result = load.within("a batch", rows.write_many(&batch)).await;
            for (item, value) in batch {
                let error = result.as_ref().err().and_then(|error| of_row(item, error));
                held.get_mut(&item).unwrap().wrote(value, load.wrote(R::NAME, error));
            }
            continue;
        }
        let item = random.one_of(&items);
        let row = held.get_mut(&item).unwrap();
        // One write soon after the other: what comes late would hide the second.
        for _ in 0..2 + random.below(4) {
            let found = load.within("a get", rows.get(item)).await;
            let Some(found) = load.read(R::NAME, found) else { continue };
            load.found(R::NAME, item, row, &found);
            let value = value(&mut random);
            if random.chance(4) {
                let result = load.within("a check", rows.replace(item, found, value)).await;
                match &result {
                    Ok(false) => assert!(!row.is_sure(), "{item:?} is not {found:?} any more: {row:?}"),
                    result => row.wrote(value, load.wrote(R::NAME, result.as_ref().err())),
                }
            } else {
                let result = load.within("a write", rows.write(item, value)).await;
                row.wrote(value, load.wrote(R::NAME, result.err().as_ref()));
            }
        }
    }
    held
}

/// The error of a row in that of a batch.
fn of_row(item: Item, error: &Error) -> Option<&Error> {
    let Error::Rows(rows) = error else { return Some(error) };
    rows.iter().find(|row| row.key() == item.encode()).map(RowError::error)
}

/// Scans until the load is over, forwards and backwards.
pub(super) async fn scan_all<R: Rows>(load: &Load, rows: &R) {
    let rows = rows.in_time();
    for turn in 0.. {
        if load.is_over() {
            return;
        }
        let result = scan(load, &rows, turn % 2 == 1).await;
        if load.read(&format!("{} scans", R::NAME), result).is_some() {
            load.add(format!("{} scans whole", R::NAME), 1);
        }
    }
}

/// Scans, and checks that each row comes once and in order, and that those that stay are all there if the scan ends
/// without an error.
async fn scan<R: Rows>(load: &Load, rows: &R, reverse: bool) -> Result<(), Error> {
    let place = |item: Item| (item.group, Reverse(item.number));
    let (mut last, mut fixed) = (None, Vec::new());
    let read = rows.scan(load, reverse, async |item, value| {
        let in_order =
            last.is_none_or(|last| if reverse { place(item) < place(last) } else { place(item) > place(last) });
        assert!(in_order, "{} scan: {item:?} after {last:?}", R::NAME);
        assert_eq!(value % u64::from(PERIOD), u64::from(item.owner()), "{} scan: {item:?}", R::NAME);
        last = Some(item);
        if item.owner() == FIXED {
            fixed.push(item);
        }
        if item.number == 0 {
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    });
    read.await?;
    let mut all = Item::of(FIXED);
    if reverse {
        all.reverse();
    }
    assert_eq!(fixed, all, "{} scan", R::NAME);
    Ok(())
}
