//! Reading ahead of a slow source.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread;

use crate::store::error::Error;
use crate::store::{CallOptions, RowBatch, Rows};

/// Reads a source ahead in a thread of its own, a bounded number of batches.
///
/// Rows and errors come as the source gives them, in its order. The batches go around: the thread fills one only when
/// it has been given one, so it is never further ahead than it was allowed to be, and no memory is taken anew. A panic
/// of the source is an [`Error::Engine`].
///
/// The thread ends at the source's end or first error (the source is dropped before that is handed out) and when the
/// `Prefetch` is dropped. It is not waited for then, for it may be in the middle of a slow read; it ends, and drops the
/// source, when that read returns. Where no thread can be started, the source is read in the caller's.
///
/// ```
/// use rowkey::merge::Prefetch;
/// use rowkey::store::{RowBatch, Rows};
/// # use rowkey::Error;
/// # struct Remote(u8);
/// # impl Rows for Remote {
/// #     fn next_batch(&mut self, batch: &mut RowBatch) -> Result<(), Error> {
/// #         batch.clear();
/// #         if self.0 < 3 {
/// #             self.0 += 1;
/// #             batch.push(&[self.0], b"");
/// #         }
/// #         Ok(())
/// #     }
/// # }
///
/// let mut rows = Prefetch::new(Box::new(Remote(0)), 2);
/// let mut batch = RowBatch::new();
/// let mut keys = Vec::new();
/// loop {
///     rows.next_batch(&mut batch)?;
///     if batch.is_empty() {
///         break;
///     }
///     keys.extend(batch.iter().map(|(key, _)| key.to_vec()));
/// }
/// assert_eq!(keys, [[1], [2], [3]]);
/// # Ok::<(), Error>(())
/// ```
pub struct Prefetch {
    reader: Reader,
    options: CallOptions,
    table: Box<str>,
}

enum Reader {
    Thread { filled: Receiver<Result<RowBatch, Error>>, empty: SyncSender<RowBatch> },
    Direct(Box<dyn Rows>),
    Ended,
}

impl Prefetch {
    /// Starts to read `rows`, up to `batches` batches ahead (1 to 64; others are taken for the nearer of these): so many
    /// are read, or being read, beyond the one that was handed out last.
    pub fn new(rows: Box<dyn Rows>, batches: usize) -> Self {
        let batches = batches.clamp(1, 64);
        let (give, empty) = sync_channel(batches);
        let (fill, filled) = sync_channel(batches);
        // The source follows through a channel: a thread that does not start would take it along.
        let (hand_over, source) = sync_channel(1);
        let started = thread::Builder::new().name("rowkey-prefetch".into()).spawn(move || {
            if let Ok(rows) = source.recv() {
                read_ahead(rows, &empty, &fill);
            }
        });
        if started.is_err() {
            return Self::of(Reader::Direct(rows));
        }
        // As many sends as the channels hold: none of them can block, and none can fail while the thread waits.
        for _ in 0..batches {
            let _ = give.try_send(RowBatch::new());
        }
        let _ = hand_over.try_send(rows);
        Self::of(Reader::Thread { filled, empty: give })
    }

    fn of(reader: Reader) -> Self {
        Self { reader, options: CallOptions::new(), table: Box::default() }
    }

    /// What bounds the wait for the thread: each batch is a call. `table` is the name that errors tell.
    #[must_use]
    pub fn options(mut self, options: &CallOptions, table: &str) -> Self {
        (self.options, self.table) = (options.clone(), table.into());
        self
    }
}

/// Every message answers one empty batch, so no send blocks: the thread waits only for batches, and that ends when the
/// receiver is gone.
fn read_ahead(mut rows: Box<dyn Rows>, empty: &Receiver<RowBatch>, fill: &SyncSender<Result<RowBatch, Error>>) {
    let last = loop {
        let Ok(mut batch) = empty.recv() else { return };
        match catch_unwind(AssertUnwindSafe(|| rows.next_batch(&mut batch))) {
            Ok(Ok(())) if batch.is_empty() => break Ok(batch),
            Ok(Ok(())) => {
                if fill.send(Ok(batch)).is_err() {
                    return;
                }
            }
            Ok(Err(error)) => break Err(error),
            Err(panic) => break Err(Error::panicked("a scan", &*panic)),
        }
    };
    drop(rows);
    // Nobody is there to miss it if this fails.
    let _ = fill.send(last);
}

/// The thread's next message, as far as the options let it be waited for.
fn next_filled(
    filled: &Receiver<Result<RowBatch, Error>>,
    options: &CallOptions,
    table: &str,
) -> Result<RowBatch, Error> {
    let ended = || Err(Error::panicked("a scan", &"while it was dropped"));
    if options.is_unbounded() {
        return filled.recv().unwrap_or_else(|_| ended());
    }
    options.begin("scan", table)?.wait(|slice| match filled.recv_timeout(slice) {
        Ok(next) => Some(next),
        Err(RecvTimeoutError::Disconnected) => Some(ended()),
        Err(RecvTimeoutError::Timeout) => None,
    })?
}

impl Rows for Prefetch {
    fn next_batch(&mut self, batch: &mut RowBatch) -> Result<(), Error> {
        let answer = match &mut self.reader {
            Reader::Thread { filled, empty } => {
                next_filled(filled, &self.options, &self.table).map(|mut next| {
                    std::mem::swap(batch, &mut next);
                    // The thread has ended if it takes no more.
                    let _ = empty.try_send(next);
                })
            }
            Reader::Direct(rows) => rows.next_batch(batch),
            Reader::Ended => {
                batch.clear();
                return Ok(());
            }
        };
        if answer.is_err() {
            batch.clear();
        }
        if batch.is_empty() {
            self.reader = Reader::Ended;
        }
        answer
    }
}

impl fmt::Debug for Prefetch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Prefetch").finish_non_exhaustive()
    }
}
