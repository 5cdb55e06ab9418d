//! Databases that declare regions.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use rowkey::store::{Database, Guarantees, Memory, NewTable, Readable, Rows, Scan, Store};
use rowkey::wide::{
    CellKey, Cells, CellsDatabase, Entry, FamilySchema, OneColumn, Place, TableSchema, WideDatabase, WideStore,
};
use rowkey::{Error, KeyRange, RowKey, conformance};
use rowkey_testkit::{DatabaseOver, Over, StoreOver};

use crate::broken_stores::refused;

#[derive(Clone, Copy, Debug, PartialEq)]
enum Fault {
    Sound,
    Forgotten,
    LastForgotten,
    Reversed,
    OfTheTableBefore,
    RowsOfTheLastRegionLost,
}
use Fault::*;

refused! { Regions::new, database:
    Forgotten => "split-points",
    LastForgotten => "split-points",
    Reversed => "split-points",
    OfTheTableBefore => "split-points",
    RowsOfTheLastRegionLost => "split-points",
}

#[test]
fn a_database_with_regions_passes() {
    conformance::database(|| Regions::new(Sound));
}

/// Wide tables are split between rows, whatever bytes these have.
#[test]
fn wide_tables_have_the_regions_of_their_rows() {
    conformance::wide_database(|| CellsDatabase::new(Regions::new(Sound)));
    conformance::database(|| OneColumn::database(CellsDatabase::new(Regions::new(Sound))));
    let db = CellsDatabase::new(Regions::new(Sound));
    let schema = TableSchema::new().family("f", FamilySchema::new());
    let points = [&b"\0"[..], b"\0\x01", b"\x01", b"a", b"a\0", b"a\x01\x02", b"\xff\xff"].map(<[u8]>::to_vec);
    let new = NewTable::new().split_at(points.clone());
    let table = db.create_table("t", &schema, &new).unwrap();
    assert_eq!(table.split_points().unwrap(), points);
    let one = OneColumn::new(table, "f:");
    assert_eq!(one.split_points().unwrap(), points);
    // Of a region that begins within a row, the row.
    let within = CellKey { row: b"row".into(), place: Place { family: "f", entry: Entry::FamilyDeleted { until: 7 } } };
    let plain = Regions::new(Sound);
    plain.create_table("t", &NewTable::new().split_at([&b"beginning"[..], &within.encode()])).unwrap();
    let cells = Cells::over(plain.table("t").unwrap(), schema).unwrap();
    assert_eq!(cells.split_points().unwrap(), [b"beginning".to_vec(), b"row".to_vec()]);
}

/// A [`Memory`] that keeps the split points of its tables.
struct Regions {
    inner: Arc<dyn Database>,
    fault: Fault,
    points: Arc<Mutex<BTreeMap<String, Vec<Vec<u8>>>>>,
}

impl Regions {
    fn new(fault: Fault) -> Over<Self> {
        Over(Self { inner: Arc::new(Memory::new()), fault, points: Arc::default() })
    }

    fn of(&self, name: &str, table: Arc<dyn Store>) -> Arc<dyn Store> {
        let points = self.points.lock().unwrap().get(name).cloned().unwrap_or_default();
        Arc::new(Over(Split { table, points, fault: self.fault }))
    }
}

impl DatabaseOver for Regions {
    fn inner(&self) -> &Arc<dyn Database> {
        &self.inner
    }

    fn over(&self, inner: Arc<dyn Database>) -> Self {
        Self { inner, fault: self.fault, points: Arc::clone(&self.points) }
    }

    fn guarantees(&self) -> Guarantees {
        self.inner.guarantees().split_points(true)
    }

    fn table(&self, name: &str) -> Result<Arc<dyn Store>, Error> {
        Ok(self.of(name, self.inner.table(name)?))
    }

    fn open_table(&self, name: &str) -> Result<Arc<dyn Store>, Error> {
        Ok(self.of(name, self.inner.open_table(name)?))
    }

    fn create_table(&self, name: &str, new: &NewTable) -> Result<Arc<dyn Store>, Error> {
        let table = self.inner.create_table(name, new)?;
        let mut kept = new.split_points.clone();
        match self.fault {
            Forgotten => kept.clear(),
            LastForgotten => drop(kept.pop()),
            Reversed => kept.reverse(),
            _ => {}
        }
        if kept.is_empty() && self.fault == OfTheTableBefore {
            kept = self.points.lock().unwrap().values().next().cloned().unwrap_or_default();
        }
        self.points.lock().unwrap().insert(name.to_owned(), kept);
        Ok(self.of(name, table))
    }

    fn drop_table(&self, name: &str) -> Result<(), Error> {
        self.points.lock().unwrap().remove(name);
        self.inner.drop_table(name)
    }
}

struct Split {
    table: Arc<dyn Store>,
    points: Vec<Vec<u8>>,
    fault: Fault,
}

impl StoreOver for Split {
    fn inner(&self) -> &Arc<dyn Store> {
        &self.table
    }

    fn over(&self, table: Arc<dyn Store>) -> Self {
        Self { table, points: self.points.clone(), fault: self.fault }
    }

    fn scan(&self, scan: &Scan) -> Box<dyn Rows> {
        let mut scan = scan.clone();
        if let (Some(last), RowsOfTheLastRegionLost) = (self.points.last(), self.fault) {
            let before = KeyRange::new([], Some(last.as_slice())).unwrap();
            scan.ranges = scan.ranges.iter().filter_map(|range| range.intersect(&before)).collect();
        }
        self.table.scan(&scan)
    }

    fn guarantees(&self) -> Guarantees {
        self.table.guarantees().split_points(true)
    }

    fn split_points(&self) -> Result<Vec<Vec<u8>>, Error> {
        Ok(self.points.clone())
    }
}
