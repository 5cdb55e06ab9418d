//! Calls and scans in the threads of a pool, within their bounds.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::{Duration, Instant};

use blocking::{Task, unblock};
use futures_lite::future::{or, yield_now};
use futures_lite::stream::{StreamExt, unfold};
use futures_timer::Delay;

use crate::nonblocking::Batches;
use crate::store::error::Error;
use crate::store::reentry::Inherited;
use crate::store::{CallOptions, RowBatch, Rows, Scan};

/// The place where calls run.
#[derive(Clone, Copy, Debug)]
pub(super) enum Place {
    Pool,
    Here,
}

/// The time that a write that has begun may take beyond its deadline to report its outcome.
const GRACE: Duration = Duration::from_millis(100);

/// The operation of a call, for its errors.
#[derive(Clone, Copy)]
pub(super) enum Does {
    Read(&'static str),
    /// Its outcome is unknown if it has begun and does not end.
    Write(&'static str),
}

/// The states of a job. It runs at most once, and not after it was abandoned.
const WAITS: u8 = 0;
const BEGUN: u8 = 1;
const GIVEN_UP: u8 = 2;

/// Runs synchronous code in the pool, inside the closures that this thread is in. A panic becomes an error.
pub(super) fn run<R: Send + 'static>(
    code: impl FnOnce() -> Result<R, Error> + Send + 'static,
) -> Task<Result<R, Error>> {
    let inherited = Inherited::of_this_thread();
    unblock(|| {
        let _inside = inherited.for_now();
        let ran = catch_unwind(AssertUnwindSafe(code));
        ran.unwrap_or_else(|panic| Err(Error::panicked("a call of the engine", &*panic)))
    })
}

/// Runs a call of the engine. `call` is given the bounds of the engine's handle, if there are any.
pub(super) async fn call<R: Send + 'static>(
    place: Place,
    options: &CallOptions,
    does: Does,
    table: &str,
    call: impl FnOnce(Option<CallOptions>) -> Result<R, Error> + Send + 'static,
) -> Result<R, Error> {
    let (Does::Read(what) | Does::Write(what)) = does;
    let begun = options.begin(what, table)?;
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
    let ended = match begun.bound(&mut task, Delay::new).await {
        Ok(answered) => return answered,
        Err(ended) => ended,
    };
    if state.swap(GIVEN_UP, Ordering::AcqRel) == WAITS || matches!(does, Does::Read(_)) {
        return Err(ended);
    }
    // The engine has the same bounds, so its response is near, and tells whether anything was written.
    let late = async {
        Delay::new(GRACE).await;
        None
    };
    match or(async { Some((&mut task).await) }, late).await {
        Some(answered) => answered,
        None => {
            // It runs to its end.
            task.detach();
            Err(ended.after_commit(table))
        }
    }
}

/// The approximate time for which the second job of a scan reads batches, and the longest job: each reads for twice as
/// long as the one before. Waking a thread may take longer than reading a batch. The first job reads one: its rows do
/// not wait for others.
const SECOND_JOB: Duration = Duration::from_micros(500);
const LONGEST_JOB: Duration = Duration::from_millis(4);

/// An open scan that is read in the pool or in place, as a stream.
pub(super) fn batches(place: Place, rows: Box<dyn Rows>, scan: &Scan, options: &CallOptions, table: &str) -> Batches {
    let reading = Reading {
        read: VecDeque::new(),
        source: Source::Idle(rows),
        options: options.clone(),
        table: table.into(),
        jobs: Jobs { time: Duration::ZERO, bytes: scan.batch_bytes, size: (0, 0) },
    };
    match place {
        Place::Pool => Box::pin(unfold(reading, Reading::next).fuse()),
        Place::Here => Box::pin(unfold(reading, Reading::next_here).fuse()),
    }
}

struct Reading {
    /// The batches that were read, which are yielded first.
    read: VecDeque<RowBatch>,
    source: Source,
    options: CallOptions,
    table: Arc<str>,
    jobs: Jobs,
}

enum Source {
    Idle(Box<dyn Rows>),
    /// A job reads what comes next.
    Job(Task<Result<Read, Error>>),
    Failed(Error),
    Ended,
}

/// The batches that a job read, and the scan, if that goes on.
type Read = (VecDeque<RowBatch>, Result<Option<Box<dyn Rows>>, Error>);

/// The approximate bounds of the next job.
struct Jobs {
    time: Duration,
    bytes: usize,
    /// Rows and bytes of the last batch.
    size: (usize, usize),
}

impl Reading {
    async fn next(mut self) -> Option<(Result<RowBatch, Error>, Self)> {
        if self.read.is_empty() && matches!(self.source, Source::Ended) {
            return None;
        }
        let batch = self.next_batch().await;
        if batch.is_err() {
            self.read.clear();
            self.source = Source::Ended;
        }
        Some((batch.transpose()?, self))
    }

    async fn next_batch(&mut self) -> Result<Option<RowBatch>, Error> {
        loop {
            let call = self.options.begin("scan", &self.table)?;
            if let Some(batch) = self.read.pop_front() {
                return Ok(Some(batch));
            }
            let mut job = match std::mem::replace(&mut self.source, Source::Ended) {
                Source::Idle(rows) => self.jobs.start(rows),
                Source::Job(job) => job,
                Source::Failed(error) => return Err(error),
                Source::Ended => return Ok(None),
            };
            let (read, rest) = call.bound(&mut job, Delay::new).await??;
            self.read = read;
            if let Some(last) = self.read.back() {
                self.jobs.size = (last.len(), last.bytes());
            }
            self.source = match rest {
                Ok(Some(rows)) => Source::Job(self.jobs.start(rows)),
                Ok(None) => Source::Ended,
                Err(error) => Source::Failed(error),
            };
        }
    }

    async fn next_here(mut self) -> Option<(Result<RowBatch, Error>, Self)> {
        let Source::Idle(rows) = &mut self.source else { return None };
        // Other tasks go on between two batches.
        if self.jobs.size.0 > 0 {
            yield_now().await;
        }
        let mut batch = RowBatch::with_capacity(self.jobs.size.0, self.jobs.size.1);
        let begun = self.options.begin("scan", &self.table).map(drop);
        match begun.and_then(|()| rows.next_batch(&mut batch)) {
            Ok(()) if batch.is_empty() => None,
            Ok(()) => {
                self.jobs.size = (batch.len(), batch.bytes());
                Some((Ok(batch), self))
            }
            Err(error) => {
                self.source = Source::Ended;
                Some((Err(error), self))
            }
        }
    }
}

impl Jobs {
    /// Starts a job that reads a batch, and more of them while there is time and room.
    fn start(&mut self, mut rows: Box<dyn Rows>) -> Task<Result<Read, Error>> {
        let (time, mut room, (len, bytes)) = (self.time, self.bytes, self.size);
        self.time = (time * 2).clamp(SECOND_JOB, LONGEST_JOB);
        run(move || {
            let (begun, mut read) = (Instant::now(), VecDeque::new());
            let rest = loop {
                let mut batch = RowBatch::with_capacity(len, bytes);
                match rows.next_batch(&mut batch) {
                    Ok(()) if batch.is_empty() => break Ok(None),
                    Ok(()) => {}
                    Err(error) => break Err(error),
                }
                let bytes = batch.bytes();
                read.push_back(batch);
                room = room.saturating_sub(bytes);
                if room < bytes || begun.elapsed() >= time {
                    break Ok(Some(rows));
                }
            };
            Ok((read, rest))
        })
    }
}
