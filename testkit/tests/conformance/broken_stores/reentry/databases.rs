//! Databases with one fault each.

use std::sync::{Arc, Mutex, PoisonError};

use rowkey::store::{Batch, Database, DatabaseId, Memory, NewTable, Readable, Store, check_batches};
use rowkey::{Error, conformance};
use rowkey_testkit::{DatabaseOver, Over};

use super::{Live, unasked};
use crate::broken_stores::refused;

#[derive(Clone, Copy, Debug, PartialEq)]
enum Fault {
    AnotherIdEachTime,
    AnIdOfItsOwn,
    TableMade,
    TableCreated,
    TableDropped,
    WriteLetThrough,
    BodyNotEntered,
}
use Fault::*;

refused! { Broken::new, database:
    AnotherIdEachTime => "same-id",
    AnIdOfItsOwn => "same-id",
    TableMade => "reentrant-write",
    TableCreated => "reentrant-write",
    TableDropped => "reentrant-write",
    WriteLetThrough => "reentrant-write",
    BodyNotEntered => "reentrant-write",
}

/// A [`Memory`] with one fault.
struct Broken {
    inner: Arc<dyn Database>,
    fault: Fault,
    own: DatabaseId,
    turn: Arc<Mutex<()>>,
}

impl Broken {
    fn new(fault: Fault) -> Over<Self> {
        Over(Self { inner: Arc::new(Memory::new()), fault, own: DatabaseId::unique(), turn: Arc::default() })
    }
}

impl DatabaseOver for Broken {
    fn inner(&self) -> &Arc<dyn Database> {
        &self.inner
    }

    fn over(&self, inner: Arc<dyn Database>) -> Self {
        Self { inner, fault: self.fault, own: self.own, turn: Arc::clone(&self.turn) }
    }

    fn id(&self) -> DatabaseId {
        match self.fault {
            AnotherIdEachTime => DatabaseId::unique(),
            AnIdOfItsOwn => self.own,
            _ => self.inner.id(),
        }
    }

    fn table(&self, name: &str) -> Result<Arc<dyn Store>, Error> {
        if self.fault == TableMade { unasked(|| self.inner.table(name)) } else { self.inner.table(name) }
    }

    fn create_table(&self, name: &str, new: &NewTable) -> Result<Arc<dyn Store>, Error> {
        let create = || self.inner.create_table(name, new);
        if self.fault == TableCreated { unasked(create) } else { create() }
    }

    fn drop_table(&self, name: &str) -> Result<(), Error> {
        if self.fault == TableDropped { unasked(|| self.inner.drop_table(name)) } else { self.inner.drop_table(name) }
    }

    fn write(&self, batches: &[(&str, &Batch)]) -> Result<(), Error> {
        match self.fault {
            WriteLetThrough => unasked(|| Database::write(&self.inner, batches)),
            _ => Database::write(&self.inner, batches),
        }
    }

    fn transact(
        &self,
        tables: &[&str],
        body: &mut dyn FnMut(&[&dyn Readable]) -> Result<Vec<Batch>, Error>,
    ) -> Result<(), Error> {
        if self.fault != BodyNotEntered {
            return self.inner.transact(tables, body);
        }
        let _turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        let live = tables.iter().map(|name| self.inner.table(name).map(Live)).collect::<Result<Vec<_>, _>>()?;
        let batches = body(&live.iter().map(|view| view as &dyn Readable).collect::<Vec<_>>())?;
        check_batches(tables, &batches)?;
        Database::write(&self.inner, &tables.iter().copied().zip(&batches).collect::<Vec<_>>())
    }
}
