//! Calls and scans in the threads of a pool, within their bounds.

use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::task::Poll;
use std::time::Duration;

use blocking::{Task, unblock};
use futures_lite::future::yield_now;
use futures_lite::stream::unfold;
use futures_timer::Delay;

use crate::nonblocking::Batches;
use crate::store::error::Error;
use crate::store::options::Call;
use crate::store::{CallOptions, DatabaseId, RowBatch, Rows};

/// Where calls run.
#[derive(Clone, Copy, Debug)]
pub(super) enum Place {
    Pool,
    Here,
}

/// How long a write that has begun may take beyond its deadline to say what became of it.
const GRACE: Duration = Duration::from_millis(100);

/// After so many batches a scan in place lets other tasks go on.
const BATCHES_A_TURN: u32 = 8;

/// What a call does.
#[derive(Clone, Copy)]
pub(super) enum Does {
    Read(&'static str),
    Write(&'static str),
    /// Opens a table, and creates it if that is needed.
    Open,
}

impl Does {
    /// The call, to this table or these. A thread that is in a closure of a write may not write.
    pub(super) fn to(self, database: DatabaseId, table: &str) -> Result<Doing<'_>, Error> {
        let (what, writes) = match self {
            Self::Read(what) => (what, false),
            Self::Write(what) => (what, true),
            Self::Open => ("opening", true),
        };
        if writes {
            database.check_write([table])?;
        }
        Ok(Doing { what, table, writes })
    }
}

/// A call to a table.
pub(super) struct Doing<'d> {
    what: &'static str,
    table: &'d str,
    writes: bool,
}

/// A job runs at most once, and not after it was given up.
const WAITS: u8 = 0;
const BEGUN: u8 = 1;
const GIVEN_UP: u8 = 2;

/// Runs synchronous code in the pool. A panic becomes an error.
pub(super) fn run<R: Send + 'static>(
    code: impl FnOnce() -> Result<R, Error> + Send + 'static,
) -> Task<Result<R, Error>> {
    unblock(|| {
        let ran = catch_unwind(AssertUnwindSafe(code));
        ran.unwrap_or_else(|panic| Err(Error::panicked("a call of the engine", &*panic)))
    })
}

/// Runs a call of the engine. `call` is given the bounds of the engine's handle, if there are any.
pub(super) async fn call<R: Send + 'static>(
    place: Place,
    options: &CallOptions,
    doing: Doing<'_>,
    call: impl FnOnce(Option<CallOptions>) -> Result<R, Error> + Send + 'static,
) -> Result<R, Error> {
    let begun = options.begin(doing.what, doing.table)?;
    let rest = (!options.is_unbounded()).then(|| begun.rest());
    if let Place::Here = place {
        return call(rest);
    }
    let Some(rest) = rest else { return run(move || call(None)).await };
    let state = Arc::new(AtomicU8::new(WAITS));
    let of_job = Arc::clone(&state);
    let mut task = run(move || match of_job.swap(BEGUN, Ordering::AcqRel) {
        WAITS => call(Some(rest)),
        // Nobody learns of it.
        _ => Err(Error::engine("the call was given up before it began")),
    });
    let ended = match within(&begun, &mut task).await {
        Ok(answered) => return answered,
        Err(ended) => ended,
    };
    if state.swap(GIVEN_UP, Ordering::AcqRel) == WAITS || !doing.writes {
        return Err(ended);
    }
    // The engine has the same bounds, so its answer is near, and says whether anything was written.
    match race(&mut task, Delay::new(GRACE)).await {
        Some(answered) => answered,
        None => {
            // It runs to its end.
            task.detach();
            Err(Error::OutcomeUnknown { table: doing.table.to_owned(), source: Box::new(ended) })
        }
    }
}

/// The future's output, if it comes before `end` completes.
async fn race<F: Future + Unpin>(future: &mut F, mut end: impl Future<Output = ()> + Unpin) -> Option<F::Output> {
    poll_fn(|context| match Pin::new(&mut *future).poll(context) {
        Poll::Ready(output) => Poll::Ready(Some(output)),
        Poll::Pending => Pin::new(&mut end).poll(context).map(|()| None),
    })
    .await
}

/// Waits for a future within the bounds of a call.
async fn within<F: Future + Unpin>(call: &Call<'_>, future: &mut F) -> Result<F::Output, Error> {
    let mut cancelled = call.cancelled();
    loop {
        let mut timer = call.remaining().map(Delay::new);
        let end = poll_fn(|context| {
            let is_late = timer.as_mut().is_some_and(|timer| Pin::new(timer).poll(context).is_ready());
            let mut is_cancelled = || cancelled.as_mut().is_some_and(|token| Pin::new(token).poll(context).is_ready());
            if is_late || is_cancelled() { Poll::Ready(()) } else { Poll::Pending }
        });
        if let Some(output) = race(future, end).await {
            return Ok(output);
        }
        // A timer may be early.
        call.check()?;
    }
}

/// A scan that is read in the pool or in place, as a stream.
pub(super) fn batches(place: Place, rows: Box<dyn Rows>, options: &CallOptions, table: &str) -> Batches {
    let scan =
        Scan { source: Source::Idle(rows), options: options.clone(), table: table.into(), size: (0, 0), turn: 0 };
    match place {
        Place::Pool => Box::pin(unfold(scan, Scan::next)),
        Place::Here => Box::pin(unfold(scan, Scan::next_here)),
    }
}

struct Scan {
    source: Source,
    options: CallOptions,
    table: Arc<str>,
    /// Rows and bytes of the last batch.
    size: (usize, usize),
    turn: u32,
}

enum Source {
    Idle(Box<dyn Rows>),
    /// The next batch is being read.
    Reading(Task<Result<Read, Error>>),
    Ended,
}

/// What a job read: the batch, and the scan it is of, if that goes on.
type Read = (RowBatch, Box<dyn Rows>);

impl Scan {
    async fn next(mut self) -> Option<(Result<RowBatch, Error>, Self)> {
        let mut reading = match std::mem::replace(&mut self.source, Source::Ended) {
            Source::Ended => return None,
            Source::Idle(rows) => self.read(rows),
            Source::Reading(task) => task,
        };
        let read = match self.options.begin("scan", &self.table) {
            Ok(call) => within(&call, &mut reading).await.and_then(|read| read),
            Err(ended) => Err(ended),
        };
        match read {
            Ok((batch, _)) if batch.is_empty() => None,
            Ok((batch, rows)) => {
                self.size = (batch.len(), batch.bytes());
                self.source = Source::Reading(self.read(rows));
                Some((Ok(batch), self))
            }
            Err(error) => Some((Err(error), self)),
        }
    }

    fn read(&self, mut rows: Box<dyn Rows>) -> Task<Result<Read, Error>> {
        let mut batch = RowBatch::with_capacity(self.size.0, self.size.1);
        run(move || {
            rows.next_batch(&mut batch)?;
            Ok((batch, rows))
        })
    }

    async fn next_here(mut self) -> Option<(Result<RowBatch, Error>, Self)> {
        let Source::Idle(rows) = &mut self.source else { return None };
        self.turn = self.turn.wrapping_add(1);
        if self.turn.is_multiple_of(BATCHES_A_TURN) {
            yield_now().await;
        }
        let mut batch = RowBatch::with_capacity(self.size.0, self.size.1);
        let begun = self.options.begin("scan", &self.table).map(drop);
        match begun.and_then(|()| rows.next_batch(&mut batch)) {
            Ok(()) if batch.is_empty() => None,
            Ok(()) => {
                self.size = (batch.len(), batch.bytes());
                Some((Ok(batch), self))
            }
            Err(error) => {
                self.source = Source::Ended;
                Some((Err(error), self))
            }
        }
    }
}
