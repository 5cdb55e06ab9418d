//! Databases with one fault each.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use rowkey::store::{Batch, Database, Memory, NewTable, Readable, RowBatch, Rows, Scan, Store};
use rowkey::{Error, KeyRange, conformance};
use rowkey_testkit::{DatabaseOver, Over, StoreOver};

use crate::broken_stores::refused;
use crate::in_between;

#[derive(Clone, Copy, Debug, PartialEq)]
enum Fault {
    EachOpeningAnotherTable,
    NamesCutAtNul,
    DeletesReachTheNextTable,
    NoEndReachesTheNextTable,
    ListUnsorted,
    EmptyTablesNotListed,
    DropKeepsRows,
    DropTakesNamesThatBeginAlike,
    DropOfAbsentFails,
    WriteSkipsAbsentTables,
    WriteTableByTable,
    WriteHalfOnError,
    WriteInAnotherOrder,
    OpenMakesIt,
    OpenMakesItAndFails,
    CreateOpensExisting,
    CreateEmptiesExisting,
    CreateTwice,
    SplitPointsUnchecked,
    OptionIgnored,
    MadeBeforeItIsChecked,
}
use Fault::*;

refused! { Broken::new, database:
    EachOpeningAnotherTable => "one-table",
    NamesCutAtNul => "isolated",
    DeletesReachTheNextTable => "isolated",
    NoEndReachesTheNextTable => "isolated",
    ListUnsorted => "tables",
    EmptyTablesNotListed => "tables",
    DropKeepsRows => "drop-table",
    DropTakesNamesThatBeginAlike => "drop-table",
    DropOfAbsentFails => "drop-table",
    WriteSkipsAbsentTables => "write-makes-tables",
    WriteTableByTable => "batch-across-tables",
    WriteHalfOnError => "batch-across-tables",
    WriteInAnotherOrder => "batch-order",
    OpenMakesIt => "open-absent",
    OpenMakesItAndFails => "open-absent",
    CreateOpensExisting => "create-existing",
    CreateEmptiesExisting => "create-existing",
    CreateTwice => "create-once",
    SplitPointsUnchecked => "create-refused",
    OptionIgnored => "create-refused",
    MadeBeforeItIsChecked => "create-refused",
}

/// A [`Memory`] with one fault.
struct Broken {
    inner: Arc<dyn Database>,
    fault: Fault,
    opened: Arc<Mutex<BTreeSet<String>>>,
}

impl Broken {
    fn new(fault: Fault) -> Over<Self> {
        Over(Self { inner: Arc::new(Memory::new()), fault, opened: Arc::default() })
    }

    fn is(&self, fault: Fault) -> bool {
        self.fault == fault
    }

    /// The store that is handed out for a table.
    fn of(&self, name: &str, table: Arc<dyn Store>) -> Result<Arc<dyn Store>, Error> {
        match self.fault {
            EachOpeningAnotherTable => Memory::new().table(name),
            NamesCutAtNul => self.inner.table(name.split('\0').next().unwrap_or(name)),
            DeletesReachTheNextTable | NoEndReachesTheNextTable => {
                let (database, name) = (self.inner.clone(), name.to_owned());
                Ok(Arc::new(Over(Leaking { table, fault: self.fault, database, name })))
            }
            _ => Ok(table),
        }
    }
}

impl DatabaseOver for Broken {
    fn inner(&self) -> &Arc<dyn Database> {
        &self.inner
    }

    fn over(&self, inner: Arc<dyn Database>) -> Self {
        Self { inner, fault: self.fault, opened: Arc::clone(&self.opened) }
    }

    fn table(&self, name: &str) -> Result<Arc<dyn Store>, Error> {
        self.opened.lock().unwrap().insert(name.to_owned());
        self.of(name, self.inner.table(name)?)
    }

    fn open_table(&self, name: &str) -> Result<Arc<dyn Store>, Error> {
        match self.fault {
            OpenMakesIt => self.inner.table(name),
            OpenMakesItAndFails => {
                let opened = self.inner.open_table(name);
                self.inner.table(name)?;
                opened
            }
            _ => self.of(name, self.inner.open_table(name)?),
        }
    }

    fn create_table(&self, name: &str, new: &NewTable) -> Result<Arc<dyn Store>, Error> {
        let mut new = new.clone();
        let absent = self.inner.open_table(name).is_err();
        let made = match self.fault {
            CreateOpensExisting if !absent => self.inner.table(name),
            CreateEmptiesExisting if !absent => {
                self.inner.drop_table(name)?;
                self.inner.table(name)?;
                return Err(Error::TableExists(name.to_owned()));
            }
            CreateTwice if absent => {
                new.check(name, &[])?;
                in_between();
                self.inner.table(name)
            }
            MadeBeforeItIsChecked if absent => {
                self.inner.table(name)?;
                new.check(name, &[])?;
                self.inner.table(name)
            }
            SplitPointsUnchecked => self.inner.create_table(name, &new.split_at([""; 0])),
            OptionIgnored => {
                new.options.clear();
                self.inner.create_table(name, &new)
            }
            _ => self.inner.create_table(name, &new),
        };
        let made = made?;
        self.opened.lock().unwrap().insert(name.to_owned());
        self.of(name, made)
    }

    fn tables(&self) -> Result<Vec<String>, Error> {
        let mut names = self.inner.tables()?;
        match self.fault {
            NamesCutAtNul | DropKeepsRows => return Ok(self.opened.lock().unwrap().iter().cloned().collect()),
            ListUnsorted => names.reverse(),
            EmptyTablesNotListed => {
                let mut listed = Vec::new();
                for name in names {
                    let mut batch = RowBatch::new();
                    self.inner.table(&name)?.scan(&Scan::all()).next_batch(&mut batch)?;
                    if !batch.is_empty() {
                        listed.push(name);
                    }
                }
                return Ok(listed);
            }
            _ => {}
        }
        Ok(names)
    }

    fn drop_table(&self, name: &str) -> Result<(), Error> {
        let is_there = self.inner.tables()?.iter().any(|there| there == name);
        match self.fault {
            DropOfAbsentFails if !is_there => Err(Error::engine("there is no such table")),
            DropTakesNamesThatBeginAlike => {
                let mut alike = self.inner.tables()?.into_iter().filter(|there| there.starts_with(name));
                alike.try_for_each(|name| self.inner.drop_table(&name))
            }
            DropKeepsRows => {
                self.opened.lock().unwrap().remove(name);
                Ok(())
            }
            _ => self.inner.drop_table(name),
        }
    }

    fn write(&self, batches: &[(&str, &Batch)]) -> Result<(), Error> {
        let mut batches = batches.to_vec();
        match self.fault {
            WriteSkipsAbsentTables => {
                let there = self.inner.tables()?;
                batches.retain(|(name, _)| there.iter().any(|table| table == name));
            }
            WriteInAnotherOrder => batches.reverse(),
            WriteTableByTable => batches.iter().try_for_each(|(_, batch)| batch.check_keys())?,
            _ => {}
        }
        if self.is(WriteTableByTable) || self.is(WriteHalfOnError) {
            return batches.into_iter().try_for_each(|(name, batch)| {
                self.inner.table(name)?.write(batch)?;
                in_between();
                Ok(())
            });
        }
        Database::write(&self.inner, &batches)
    }
}

/// A table whose end is not where the next one begins.
struct Leaking {
    table: Arc<dyn Store>,
    fault: Fault,
    database: Arc<dyn Database>,
    name: String,
}

impl Leaking {
    /// The table after this one, where a range without an end leads to.
    fn next(&self, ranges: &[KeyRange]) -> Option<Arc<dyn Store>> {
        let next = self.database.tables().ok()?.into_iter().find(|name| *name > self.name)?;
        ranges.iter().any(|range| range.end().is_none()).then(|| self.database.table(&next).ok()).flatten()
    }
}

impl StoreOver for Leaking {
    fn inner(&self) -> &Arc<dyn Store> {
        &self.table
    }

    fn over(&self, table: Arc<dyn Store>) -> Self {
        let database = Arc::clone(&self.database);
        Self { table, fault: self.fault, database, name: self.name.clone() }
    }

    fn scan(&self, scan: &Scan) -> Box<dyn Rows> {
        let rows = self.table.scan(scan);
        match self.next(&scan.ranges) {
            Some(next) if self.fault == NoEndReachesTheNextTable => Box::new(OneThenOther(rows, next.scan(scan))),
            _ => rows,
        }
    }

    fn delete_ranges(&self, ranges: &[KeyRange]) -> Result<(), Error> {
        if let Some(next) = self.next(ranges).filter(|_| self.fault == DeletesReachTheNextTable) {
            next.delete_ranges(ranges)?;
        }
        self.table.delete_ranges(ranges)
    }
}

struct OneThenOther(Box<dyn Rows>, Box<dyn Rows>);

impl Rows for OneThenOther {
    fn next_batch(&mut self, batch: &mut RowBatch) -> Result<(), Error> {
        self.0.next_batch(batch)?;
        if batch.is_empty() { self.1.next_batch(batch) } else { Ok(()) }
    }
}
