//! Reads ahead of a slow source, in a thread.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread;

use crate::store::error::Error;
use crate::store::{CallOptions, RowBatch, Rows};

/// Reads a source ahead in a thread, by a limited number of batches.
///
/// Rows and errors come in the order of the source. Batches are recycled: the thread fills a batch only when it is
/// given one, so it is never further ahead than allowed, and no memory is allocated after the start. A panic of the
/// source becomes an [`Error::Engine`].
///
/// The thread ends at the source's end or first error (the source is dropped before that is returned) and when the
/// `Prefetch` is dropped. The drop does not wait: the thread may be in a slow read. It ends, and drops the source, when
/// that read returns. If no thread can be started, the source is read in the caller's thread.
#[doc(alias = "read-ahead")]
///
/// ```
/// use rowkey::merge::Prefetch;
/// use rowkey::store::{RowBatch, Rows};
/// # use rowkey::Result;
/// # struct Remote(u8);
/// # impl Rows for Remote {
/// #     fn next_batch(&mut self, batch: &mut RowBatch) -> Result<()> {
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
/// # Ok::<(), rowkey::Error>(())
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
    /// Starts to read `rows`, up to `batches` batches ahead of the last one returned, clamped to 1..=64.
    pub fn new(rows: Box<dyn Rows>, batches: usize) -> Self {
        let batches = batches.clamp(1, 64);
        let (give, empty) = sync_channel(batches);
        let (fill, filled) = sync_channel(batches);
        // The source follows through a channel: if the thread does not start, the source is still here.
        let (hand_over, source) = sync_channel(1);
        let started = thread::Builder::new().name("rowkey-prefetch".into()).spawn(move || {
            if let Ok(rows) = source.recv() {
                read_ahead(rows, &empty, &fill);
            }
        });
        if started.is_err() {
            return Self::of(Reader::Direct(rows));
        }
        // As many sends as the channels hold: none can block, and none can fail while the thread waits.
        for _ in 0..batches {
            let _ = give.try_send(RowBatch::new());
        }
        let _ = hand_over.try_send(rows);
        Self::of(Reader::Thread { filled, empty: give })
    }

    fn of(reader: Reader) -> Self {
        Self { reader, options: CallOptions::new(), table: Box::default() }
    }

    /// Bounds the wait for the thread: each batch is a call. Errors name `table`.
    #[must_use]
    pub fn options(mut self, options: &CallOptions, table: &str) -> Self {
        (self.options, self.table) = (options.clone(), table.into());
        self
    }
}

/// Every message responds to one empty batch, so no send blocks. The thread waits only for empty batches, and stops
/// when the receiver is gone.
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
    // If this fails, nobody is left to receive it.
    let _ = fill.send(last);
}

/// The thread's next message, if it comes within the bounds of the options.
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
        let result = match &mut self.reader {
            Reader::Thread { filled, empty } => {
                next_filled(filled, &self.options, &self.table).map(|mut next| {
                    std::mem::swap(batch, &mut next);
                    // If the thread has ended, it takes no more batches.
                    let _ = empty.try_send(next);
                })
            }
            Reader::Direct(rows) => rows.next_batch(batch),
            Reader::Ended => {
                batch.clear();
                return Ok(());
            }
        };
        if result.is_err() {
            batch.clear();
        }
        if batch.is_empty() {
            self.reader = Reader::Ended;
        }
        result
    }
}

impl fmt::Debug for Prefetch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Prefetch").finish_non_exhaustive()
    }
}
