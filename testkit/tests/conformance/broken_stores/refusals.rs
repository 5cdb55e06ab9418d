//! Stores that write rows one by one and have limits, sound ones and such with one fault each.

use std::sync::Arc;

use rowkey::error::RowErrors;
use rowkey::store::{Batch, Database, Guarantees, Limits, NewTable, Readable, Store, SubStore, Write};
use rowkey::{Error, Table, conformance};
use rowkey_testkit::{Over, StoreOver};

use crate::broken_stores::{refused, table};

#[derive(Clone, Copy, Debug, PartialEq)]
enum Fault {
    Sound,
    SoundAndNames,
    OthersWrittenUnsaid,
    NextNamed,
    AllNamed,
    NamedButNothingWritten,
    WrongTotal,
    KeyTooShort,
    KeyTooLong,
    KeyCut,
    ValueTooShort,
    ValueTooLong,
    RefusedInOtherWords,
    DeleteUnlimited,
    IncrementUnlimited,
    CompareUnlimited,
    TransactionUnlimited,
}
use Fault::*;

refused! { Limited::new, store:
    OthersWrittenUnsaid => "failed-rows",
    NextNamed => "failed-rows",
    AllNamed => "failed-rows",
    NamedButNothingWritten => "failed-rows",
    WrongTotal => "failed-rows",
    KeyTooShort => "limits",
    KeyTooLong => "failed-rows",
    KeyCut => "failed-rows",
    ValueTooShort => "limits",
    ValueTooLong => "failed-rows",
    RefusedInOtherWords => "limits",
    DeleteUnlimited => "limits",
    IncrementUnlimited => "limits",
    CompareUnlimited => "limits",
    TransactionUnlimited => "limits",
}

#[test]
fn stores_that_name_rows_or_write_none_pass() {
    conformance::store(|| Limited::new(Sound));
    conformance::store(|| Limited::new(SoundAndNames));
}

/// The keys of its tables are shorter by their prefixes.
#[test]
fn tables_in_a_store_with_limits_pass() {
    conformance::database(|| SubStore::new(Limited::new(Sound)));
    conformance::database(|| SubStore::new(Limited::new(SoundAndNames)));
    let db = SubStore::new(Limited::new(Sound));
    let limits = |name: &str| db.table(name).unwrap().guarantees().limits;
    assert_eq!((limits("abc").key, limits("a\0").key, limits("").value), (Some(296), Some(296), Some(5000)));
    assert_eq!((db.guarantees().limits.key, db.guarantees().limits.table_name), (None, None));
    db.table(&"n".repeat(298)).unwrap().write(Batch::new().put("k", "v")).unwrap();
    let longer = "n".repeat(299);
    let refused = [
        db.table(&longer).map(drop),
        db.create_table(&longer, &NewTable::new()).map(drop),
        db.write(&[("t", Batch::new().put("k", "v")), (&longer, &Batch::new())]),
    ];
    for refused in refused {
        assert!(matches!(refused, Err(Error::TooLarge { what: "a table's name", len: 299, max: 298, .. })));
    }
    assert!(matches!(db.open_table(&longer), Err(Error::NoSuchTable(_))));
    assert_eq!(db.tables().unwrap().len(), 4);
    // A name that the store has room for, and the catalog does not.
    let unkept = "u".repeat(290);
    let refused = [
        Table::<u8, u8, _>::create(&db, &unkept, &NewTable::new()).map(drop),
        Table::<u8, u8, _>::open(&db, &unkept).map(drop),
    ];
    for refused in refused {
        assert!(
            matches!(refused, Err(Error::TooLarge { what: "a table's name", len: 290, max: 284, .. })),
            "{refused:?}"
        );
    }
    assert!(!db.tables().unwrap().contains(&unkept));
}

const LIMITS: Limits = Limits::none().key(300).value(5000);

/// A table of a [`Memory`](rowkey::Memory), with limits.
struct Limited {
    inner: Arc<dyn Store>,
    fault: Fault,
}

impl Limited {
    fn new(fault: Fault) -> Over<Self> {
        Over(Self { inner: table(), fault })
    }

    fn limits(&self) -> Limits {
        match self.fault {
            KeyTooShort => LIMITS.key(299),
            KeyTooLong | KeyCut => LIMITS.key(301),
            ValueTooShort => LIMITS.value(4999),
            ValueTooLong => LIMITS.value(5001),
            _ => LIMITS,
        }
    }

    fn check(&self, write: Write<'_>) -> Result<(), Error> {
        match self.fault {
            DeleteUnlimited if write.value().is_none() => Limits::none().check_row("rows", write.key(), None),
            RefusedInOtherWords => LIMITS.check_row("rows", write.key(), write.value()).map_err(|error| match error {
                Error::EmptyKey => Error::EmptyKey,
                other => Error::engine(other),
            }),
            _ => self.limits().check_row("rows", write.key(), write.value()),
        }
    }

    fn put(&self, write: Write<'_>) -> Result<(), Error> {
        let mut batch = Batch::new();
        match write {
            Write::Put(key, value) if self.fault == KeyCut => batch.put(&key[..key.len().min(300)], value),
            write => batch.push(write),
        };
        self.inner.write(&batch)
    }
}

impl StoreOver for Limited {
    fn inner(&self) -> &Arc<dyn Store> {
        &self.inner
    }

    fn over(&self, inner: Arc<dyn Store>) -> Self {
        Self { inner, fault: self.fault }
    }

    fn guarantees(&self) -> Guarantees {
        let beneath = self.inner.guarantees();
        // No existing store has transactions and names rows; one of those faults needs them.
        let transactions = !matches!(self.fault, Sound | SoundAndNames);
        Guarantees::none()
            .snapshot_scans(true)
            .increment(beneath.increment)
            .compare_and_write(beneath.compare_and_write)
            .transactions(transactions)
            .limits(LIMITS)
    }

    fn write(&self, batch: &Batch) -> Result<(), Error> {
        self.id().check_write()?;
        let names = matches!(self.fault, SoundAndNames | NextNamed | AllNamed | NamedButNothingWritten | WrongTotal);
        let invalid = batch.writes().find_map(|write| self.check(write).err());
        if let (Some(error), false) = (invalid, names || self.fault == OthersWrittenUnsaid) {
            return Err(error);
        }
        let total = batch.len() + usize::from(self.fault == WrongTotal && batch.len() > 1);
        let (mut failed, any) = (RowErrors::new(total), batch.writes().any(|write| self.check(write).is_err()));
        let mut unsaid = None;
        for (index, write) in batch.writes().enumerate() {
            match (self.check(write), self.fault) {
                (Err(error), OthersWrittenUnsaid) => unsaid = Some(error),
                (Err(error), NextNamed) => failed.push((index + 1) % batch.len(), "rows", write.key(), error),
                (Err(error), _) => failed.push(index, "rows", write.key(), error),
                (Ok(()), NamedButNothingWritten) if any => {}
                (Ok(()), fault) => {
                    self.put(write)?;
                    if any && fault == AllNamed {
                        failed.push(index, "rows", write.key(), Error::engine("another one failed"));
                    }
                }
            }
        }
        unsaid.map_or_else(|| if any { failed.into_result() } else { Ok(()) }, Err)
    }

    fn increment(&self, key: &[u8], by: i64) -> Result<i64, Error> {
        let limits = if self.fault == IncrementUnlimited { Limits::none() } else { self.limits() };
        limits.check_row("rows", key, None)?;
        self.inner.increment(key, by)
    }

    fn compare_and_write(&self, key: &[u8], expected: Option<&[u8]>, new: Option<&[u8]>) -> Result<bool, Error> {
        let limits = if self.fault == CompareUnlimited { Limits::none() } else { self.limits() };
        limits.check_row("rows", key, new)?;
        self.inner.compare_and_write(key, expected, new)
    }

    fn transact(&self, body: &mut dyn FnMut(&dyn Readable) -> Result<Batch, Error>) -> Result<(), Error> {
        if !self.guarantees().transactions {
            return Err(Error::Unsupported("transactions"));
        }
        self.inner.transact(&mut |view| {
            let batch = body(view)?;
            if self.fault != TransactionUnlimited {
                self.limits().check("rows", &batch)?;
            }
            Ok(batch)
        })
    }
}
