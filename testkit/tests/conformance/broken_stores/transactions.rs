//! Stores whose transactions, or whose skips, have one fault each.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use rowkey::store::{Batch, Guarantees, Readable, Room, RowBatch, Rows, Scan, Store};
use rowkey::{Error, conformance};
use rowkey_testkit::{Over, StoreOver};

use crate::broken_stores::{refused, table};

#[derive(Clone, Copy, Debug, PartialEq)]
enum Fault {
    UpdatesLost,
    IncrementsLetIn,
    WrittenOnError,
    ErrorSwallowed,
    HalfTheBatch,
    ViewStale,
    ViewScansInReverse,
    ViewWithoutEnd,
    DeclaredButAbsent,
    NotDeclared,
    SkipOneTooFar,
    SkipRewinds,
    SkipForgetsTheLimit,
    SkipForwardInReverse,
    SkipGoesBack,
    SkipLeavesTheRanges,
}
use Fault::*;

refused! { Broken::new, store:
    UpdatesLost => "lost-transaction",
    IncrementsLetIn => "lost-transaction",
    WrittenOnError => "transaction",
    ErrorSwallowed => "transaction",
    HalfTheBatch => "transaction",
    ViewStale => "transaction",
    ViewScansInReverse => "sorted",
    ViewWithoutEnd => "ended",
    DeclaredButAbsent => "transaction",
    NotDeclared => "unsupported",
    SkipOneTooFar => "skip-to",
    SkipRewinds => "skip-to",
    SkipForgetsTheLimit => "limit",
    SkipForwardInReverse => "skip-to",
    SkipGoesBack => "skip-to",
    SkipLeavesTheRanges => "skip-to",
}

struct Broken {
    inner: Arc<dyn Store>,
    fault: Fault,
    /// One transaction after another.
    turn: Arc<Mutex<()>>,
    /// The rows as the transaction before left them.
    before: Arc<Mutex<Option<Arc<dyn Store>>>>,
}

impl Broken {
    fn new(fault: Fault) -> Over<Self> {
        Over(Self { inner: table(), fault, turn: Arc::default(), before: Arc::default() })
    }
}

struct Looking<'v>(&'v dyn Store, Fault);

impl Readable for Looking<'_> {
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, Error> {
        self.0.get(key)
    }

    fn scan(&self, scan: &Scan) -> Box<dyn Rows> {
        let reverse = scan.reverse != (self.1 == ViewScansInReverse);
        let rows = self.0.scan(&scan.clone().reverse(reverse));
        match self.1 {
            ViewWithoutEnd => Box::new(Endless(rows, RowBatch::new())),
            _ => rows,
        }
    }
}

/// The last batch once more after the end.
struct Endless(Box<dyn Rows>, RowBatch);

impl Rows for Endless {
    fn next_batch(&mut self, batch: &mut RowBatch) -> Result<(), Error> {
        self.0.next_batch(batch)?;
        if batch.is_empty() {
            batch.clone_from(&self.1);
        }
        self.1.clone_from(batch);
        Ok(())
    }
}

impl StoreOver for Broken {
    fn inner(&self) -> &Arc<dyn Store> {
        &self.inner
    }

    fn over(&self, inner: Arc<dyn Store>) -> Self {
        let (turn, before) = (Arc::clone(&self.turn), Arc::clone(&self.before));
        Self { inner, fault: self.fault, turn, before }
    }

    fn scan(&self, scan: &Scan) -> Box<dyn Rows> {
        match self.fault {
            SkipOneTooFar | SkipRewinds | SkipForgetsTheLimit | SkipForwardInReverse | SkipGoesBack
            | SkipLeavesTheRanges => Box::new(Skipping::new(Arc::clone(&self.inner), scan, self.fault)),
            _ => self.inner.scan(scan),
        }
    }

    fn guarantees(&self) -> Guarantees {
        let mut guarantees = self.inner.guarantees();
        guarantees.transactions = self.fault != NotDeclared;
        guarantees
    }

    fn transact(&self, body: &mut dyn FnMut(&dyn Readable) -> Result<Batch, Error>) -> Result<(), Error> {
        let looking = Looking(&*self.inner, self.fault);
        let in_turn = self.turn.lock();
        match self.fault {
            DeclaredButAbsent => Err(Error::Unsupported("transactions")),
            UpdatesLost => {
                drop(in_turn);
                self.inner.write(&body(&looking)?)
            }
            IncrementsLetIn | ViewScansInReverse | ViewWithoutEnd => self.inner.write(&body(&looking)?),
            WrittenOnError => match body(&looking) {
                Ok(batch) => self.inner.write(&batch),
                Err(error) => self.inner.write(Batch::new().put("trace", "")).and(Err(error)),
            },
            ErrorSwallowed => self.inner.transact(&mut |view| Ok(body(view).unwrap_or_default())),
            HalfTheBatch => body(&looking)?.writes().try_for_each(|write| self.inner.write(Batch::new().push(write))),
            ViewStale => {
                let now = table();
                let mut batch = RowBatch::new();
                self.inner.scan(&Scan::all().batch_rows(usize::MAX)).next_batch(&mut batch)?;
                batch.iter().try_for_each(|(key, value)| now.write(Batch::new().put(key, value)))?;
                let before = self.before.lock().unwrap().replace(Arc::clone(&now)).unwrap_or(now);
                self.inner.write(&body(&Looking(&*before, self.fault))?)
            }
            _ => self.inner.transact(body),
        }
    }
}

/// Rows that were read at once, in the way of `scan`.
struct Skipping {
    all: Vec<(Vec<u8>, Vec<u8>)>,
    rows: VecDeque<(Vec<u8>, Vec<u8>)>,
    scan: Scan,
    store: Arc<dyn Store>,
    left: usize,
    fault: Fault,
}

impl Skipping {
    fn new(store: Arc<dyn Store>, scan: &Scan, fault: Fault) -> Self {
        let all = read(&*store, scan.clone().limit(None));
        let left = scan.limit.map_or(usize::MAX, |limit| limit as usize);
        Self { rows: all.clone().into(), all, scan: scan.clone(), store, left, fault }
    }
}

fn read(store: &dyn Store, scan: Scan) -> Vec<(Vec<u8>, Vec<u8>)> {
    let mut batch = RowBatch::new();
    store.scan(&scan.batch_rows(usize::MAX).batch_bytes(usize::MAX)).next_batch(&mut batch).unwrap();
    batch.iter().map(|(key, value)| (key.to_vec(), value.to_vec())).collect()
}

impl Rows for Skipping {
    fn next_batch(&mut self, batch: &mut RowBatch) -> Result<(), Error> {
        batch.clear();
        let mut room = Room::new(batch, self.scan.batch_rows.min(self.left), self.scan.batch_bytes);
        while let (Some((key, value)), false) = (self.rows.front(), room.is_full()) {
            room.push(key, value);
            self.rows.pop_front();
        }
        self.left -= batch.len();
        Ok(())
    }

    fn skip_to(&mut self, to: &[u8]) {
        let reverse = self.scan.reverse && self.fault != SkipForwardInReverse;
        let useless = |key: &[u8]| if reverse { key > to } else { key < to };
        match self.fault {
            SkipRewinds => self.rows = self.all.clone().into(),
            SkipGoesBack => {
                self.rows = self.all.iter().filter(|(key, _)| !useless(key)).cloned().collect();
                return;
            }
            SkipForgetsTheLimit => self.left = usize::MAX,
            SkipLeavesTheRanges if self.left > 0 => {
                let beyond = Scan::all().reverse(reverse);
                let seen = self.all.len() - self.rows.len();
                let last = seen.checked_sub(1).map(|last| self.all[last].0.clone());
                let further =
                    |key: &[u8]| last.as_deref().is_none_or(|last| if reverse { key < last } else { key > last });
                let rows = read(&*self.store, beyond).into_iter();
                self.rows = rows.filter(|(key, _)| further(key)).collect();
            }
            _ => {}
        }
        while self.rows.front().is_some_and(|(key, _)| useless(key)) {
            self.rows.pop_front();
        }
        if self.fault == SkipOneTooFar {
            self.rows.pop_front();
        }
    }
}
