//! Stores and databases that ask before each operation what becomes of it.

use std::ops::Deref;
use std::sync::Arc;

use rowkey::store::{
    Batch, CallOptions, Database, DatabaseId, Guarantees, NewTable, Readable, RowBatch, Rows, Scan, Store, TableId,
};
use rowkey::{Error, KeyRange};

/// An operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Op {
    /// A table is opened.
    Open,
    /// A table is made.
    Create,
    /// The tables are listed.
    List,
    /// A table is dropped.
    Drop,
    /// One row is read.
    Get,
    /// A batch of a scan is read. After the end of its rows a scan asks no more.
    Rows,
    /// A batch, a counter, a compare-and-write, a transaction, a deletion of ranges.
    Write,
    /// A row, or a batch of a scan, is read in a transaction.
    Readable,
    /// The body of a transaction has returned, and what it returned is going to be written.
    Commit,
}

/// The fate of an operation, as its [`Cue`] decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It is done.
    Done,
    /// It is done, and then it fails.
    Unsaid,
    /// It is done, and its response comes too late: [`Cue::late`].
    Late,
    /// It fails.
    Fails,
}

/// Decides which operations fail or wait. Clones share the decisions.
pub trait Cue: Clone + Send + Sync + 'static {
    /// Comes before each operation; may wait.
    fn before(&self, op: Op) -> Fate;

    /// The reason why a response came [too late](Fate::Late). Comes after the operation.
    fn late(&self) -> Error {
        dead()
    }
}

/// A store (`Cued<dyn Store, C>`) or a database that asks its cue before each operation. Its guarantees are those of
/// the one beneath. It derefs to its cue.
pub struct Cued<T: ?Sized, C> {
    inner: Arc<T>,
    cue: C,
}

impl<T: ?Sized, C> Cued<T, C> {
    /// Asks `cue` before each operation of `inner`.
    pub fn over(inner: Arc<T>, cue: C) -> Self {
        Self { inner, cue }
    }

    /// Changes the cue before it is asked for the first time.
    #[must_use]
    pub fn with(mut self, change: impl FnOnce(&mut C)) -> Self {
        change(&mut self.cue);
        self
    }
}

impl<T: ?Sized, C: Clone> Clone for Cued<T, C> {
    fn clone(&self) -> Self {
        Self { inner: Arc::clone(&self.inner), cue: self.cue.clone() }
    }
}

impl<T: ?Sized, C> Deref for Cued<T, C> {
    type Target = C;

    fn deref(&self) -> &C {
        &self.cue
    }
}

fn dead() -> Error {
    Error::engine("the process is dead")
}

fn ask<R>(cue: &impl Cue, op: Op, run: impl FnOnce() -> Result<R, Error>) -> Result<R, Error> {
    asked(cue, op, run, |late| late)
}

/// As [`ask`], for an operation that writes to a table: if its answer comes too late, its outcome is unknown.
fn ask_write<R>(cue: &impl Cue, op: Op, table: &str, run: impl FnOnce() -> Result<R, Error>) -> Result<R, Error> {
    asked(cue, op, run, |late| Error::OutcomeUnknown { table: table.to_owned(), source: Box::new(late) })
}

fn asked<R>(
    cue: &impl Cue,
    op: Op,
    run: impl FnOnce() -> Result<R, Error>,
    late: impl FnOnce(Error) -> Error,
) -> Result<R, Error> {
    match cue.before(op) {
        Fate::Done => run(),
        Fate::Unsaid => run().and_then(|_| Err(dead())),
        Fate::Late => run().and_then(|_| Err(late(cue.late()))),
        Fate::Fails => Err(dead()),
    }
}

impl<C: Cue> Cued<dyn Database, C> {
    fn handle(&self, inner: Arc<dyn Store>) -> Arc<dyn Store> {
        Arc::new(Cued { inner, cue: self.cue.clone() })
    }
}

impl<C: Cue> Database for Cued<dyn Database, C> {
    fn id(&self) -> DatabaseId {
        self.inner.id()
    }

    fn options(&self) -> &CallOptions {
        self.inner.options()
    }

    fn with_options(&self, options: &CallOptions) -> Arc<dyn Database> {
        Arc::new(Self { inner: self.inner.with_options(options), cue: self.cue.clone() })
    }

    fn guarantees(&self) -> Guarantees {
        self.inner.guarantees()
    }

    fn table(&self, name: &str) -> Result<Arc<dyn Store>, Error> {
        Ok(self.handle(ask_write(&self.cue, Op::Open, name, || self.inner.table(name))?))
    }

    fn open_table(&self, name: &str) -> Result<Arc<dyn Store>, Error> {
        Ok(self.handle(ask(&self.cue, Op::Open, || self.inner.open_table(name))?))
    }

    fn create_table(&self, name: &str, new: &NewTable) -> Result<Arc<dyn Store>, Error> {
        Ok(self.handle(ask_write(&self.cue, Op::Create, name, || self.inner.create_table(name, new))?))
    }

    fn tables(&self) -> Result<Vec<String>, Error> {
        ask(&self.cue, Op::List, || self.inner.tables())
    }

    fn drop_table(&self, name: &str) -> Result<(), Error> {
        ask_write(&self.cue, Op::Drop, name, || self.inner.drop_table(name))
    }

    fn write(&self, batches: &[(&str, &Batch)]) -> Result<(), Error> {
        let tables: Vec<&str> = batches.iter().map(|&(name, _)| name).collect();
        ask_write(&self.cue, Op::Write, &tables.join(", "), || self.inner.write(batches))
    }

    fn transact(
        &self,
        tables: &[&str],
        body: &mut dyn FnMut(&[&dyn Readable]) -> Result<Vec<Batch>, Error>,
    ) -> Result<(), Error> {
        if !self.guarantees().transactions {
            return Err(Error::Unsupported("transactions"));
        }
        ask_write(&self.cue, Op::Write, &tables.join(", "), || {
            self.inner.transact(tables, &mut |views| {
                let views: Vec<_> = views.iter().map(|view| CuedView { view: *view, cue: &self.cue }).collect();
                let views: Vec<&dyn Readable> = views.iter().map(|view| view as &dyn Readable).collect();
                let batches = body(&views)?;
                ask(&self.cue, Op::Commit, || Ok(batches))
            })
        })
    }
}

impl<C: Cue> Readable for Cued<dyn Store, C> {
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, Error> {
        ask(&self.cue, Op::Get, || self.inner.get(key))
    }

    fn scan(&self, scan: &Scan) -> Box<dyn Rows> {
        Box::new(CuedRows { op: Op::Rows, rows: self.inner.scan(scan), cue: self.cue.clone(), ended: false })
    }
}

impl<C: Cue> Store for Cued<dyn Store, C> {
    fn id(&self) -> &TableId {
        self.inner.id()
    }

    fn options(&self) -> &CallOptions {
        self.inner.options()
    }

    fn with_options(&self, options: &CallOptions) -> Arc<dyn Store> {
        Arc::new(Self { inner: self.inner.with_options(options), cue: self.cue.clone() })
    }

    fn guarantees(&self) -> Guarantees {
        self.inner.guarantees()
    }

    fn write(&self, batch: &Batch) -> Result<(), Error> {
        ask_write(&self.cue, Op::Write, self.id().name(), || self.inner.write(batch))
    }

    fn increment(&self, key: &[u8], by: i64) -> Result<i64, Error> {
        ask_write(&self.cue, Op::Write, self.id().name(), || self.inner.increment(key, by))
    }

    fn compare_and_write(&self, key: &[u8], expected: Option<&[u8]>, new: Option<&[u8]>) -> Result<bool, Error> {
        if !self.guarantees().compare_and_write {
            return Err(Error::Unsupported("compare-and-write"));
        }
        ask_write(&self.cue, Op::Write, self.id().name(), || self.inner.compare_and_write(key, expected, new))
    }

    fn delete_ranges(&self, ranges: &[KeyRange]) -> Result<(), Error> {
        ask_write(&self.cue, Op::Write, self.id().name(), || self.inner.delete_ranges(ranges))
    }

    fn transact(&self, body: &mut dyn FnMut(&dyn Readable) -> Result<Batch, Error>) -> Result<(), Error> {
        if !self.guarantees().transactions {
            return Err(Error::Unsupported("transactions"));
        }
        ask_write(&self.cue, Op::Write, self.id().name(), || {
            self.inner.transact(&mut |view| {
                let batch = body(&CuedView { view, cue: &self.cue })?;
                ask(&self.cue, Op::Commit, || Ok(batch))
            })
        })
    }

    fn split_points(&self) -> Result<Vec<Vec<u8>>, Error> {
        self.inner.split_points()
    }
}

struct CuedView<'v, C> {
    view: &'v dyn Readable,
    cue: &'v C,
}

impl<C: Cue> Readable for CuedView<'_, C> {
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, Error> {
        ask(self.cue, Op::Readable, || self.view.get(key))
    }

    fn scan(&self, scan: &Scan) -> Box<dyn Rows> {
        Box::new(CuedRows { op: Op::Readable, rows: self.view.scan(scan), cue: self.cue.clone(), ended: false })
    }
}

struct CuedRows<C> {
    op: Op,
    rows: Box<dyn Rows>,
    cue: C,
    ended: bool,
}

impl<C: Cue> Rows for CuedRows<C> {
    fn next_batch(&mut self, batch: &mut RowBatch) -> Result<(), Error> {
        batch.clear();
        if self.ended {
            return Ok(());
        }
        let read = ask(&self.cue, self.op, || self.rows.next_batch(batch));
        if read.is_err() {
            batch.clear();
        }
        self.ended = batch.is_empty();
        read
    }

    fn skip_to(&mut self, key: &[u8]) {
        self.rows.skip_to(key);
    }
}
