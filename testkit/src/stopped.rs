//! A database one of whose calls takes longer than it may.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};

use rowkey::Error;
use rowkey::store::{Atomicity, Cancel, Database};

use crate::{Cue, Cued, Fate, Op, Restrict};

/// A database whose calls are cancelled at one of them: before it is carried out, or after that and before its answer.
///
/// Of a write whose answer does not come the outcome is unknown, as with a server at the end of a line that breaks.
pub type Stopped = Cued<dyn Database, Stop>;

/// The call at which a [`Stopped`] cancels its calls.
#[derive(Clone)]
pub struct Stop {
    token: Cancel,
    /// The number of further calls that are made in time.
    left: Arc<AtomicI64>,
    after: Arc<AtomicBool>,
}

impl Stopped {
    /// Over `db`, with or without transactions; without, only writes of one row are atomic.
    pub fn new(db: Arc<dyn Database>, transactions: bool) -> Self {
        let mut promised = db.guarantees().transactions(transactions);
        if !transactions {
            promised.batch = Atomicity::Row;
        }
        let stop = Stop { token: Cancel::new(), left: Arc::new(AtomicI64::new(-1)), after: Arc::default() };
        Self::over(Arc::new(Restrict::database(db, promised)), stop)
    }
}

impl Stop {
    /// The token of the calls that are cancelled.
    pub fn token(&self) -> &Cancel {
        &self.token
    }

    /// Cancels after `calls` more calls: before the next one is carried out, or `after` that.
    pub fn stop_after(&self, calls: u32, after: bool) {
        self.after.store(after, Ordering::SeqCst);
        self.left.store(calls.into(), Ordering::SeqCst);
    }

    /// Returns whether the calls were cancelled.
    pub fn has_stopped(&self) -> bool {
        self.token.is_cancelled()
    }
}

impl Cue for Stop {
    fn before(&self, op: Op) -> Fate {
        // An operation inside a transaction is a part of it, and has no response of its own.
        let after = self.after.load(Ordering::SeqCst);
        if after && matches!(op, Op::Readable | Op::Commit) || self.left.fetch_sub(1, Ordering::SeqCst) != 0 {
            return Fate::Done;
        }
        if after {
            return Fate::Late;
        }
        self.token.cancel();
        Fate::Done
    }

    fn late(&self) -> Error {
        self.token.cancel();
        Error::Cancelled { doing: "call", table: String::new() }
    }
}
