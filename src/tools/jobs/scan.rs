//! Parallel scans: ranges read by several threads.
//!
//! The reader gives ranges to the threads, each with the channel for its items. In order, each range has a channel of
//! its own, and a range far ahead is not given away before those in front of it are read. Out of order, all ranges
//! share one channel.

use std::collections::VecDeque;
use std::fmt;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvError, RecvTimeoutError, Sender, SyncSender, channel, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};

use crate::keys::range::KeyRange;
use crate::store::error::Error;
use crate::store::reentry::Inherited;
use crate::store::{Call, CallOptions, DEFAULT_BATCH_BYTES, RowBatch, Rows, Scan, Store};
use crate::wide::{Columns, WideStore};

/// The most threads, and the most items that each reads ahead.
const MOST: usize = 1024;

/// The items of one range.
type Items<T> = Box<dyn Iterator<Item = Result<T, Error>> + Send>;
/// Reads a range, in batches that end with the row that brings them to this many bytes.
type Open<T> = dyn Fn(KeyRange, usize) -> Items<T> + Send + Sync;
/// An item's rows and bytes.
type Size<T> = fn(&T) -> (u64, u64);

/// A scan of several ranges with several threads: of a store's rows, or of anything that can be read range by range.
///
/// ```
/// use rowkey::KeyRange;
/// use rowkey::jobs::ParallelScan;
///
/// let ranges = ["a", "b", "c"].map(KeyRange::prefix).to_vec();
/// let scan = ParallelScan::new(ranges, |range| Box::new([1, 2].into_iter().map(move |n| Ok((range.start().to_vec(), n)))));
/// let items: Vec<_> = scan.threads(2).start().collect::<Result<_, _>>()?;
/// assert_eq!(items[2], (b"b".to_vec(), 1));
/// assert_eq!(items.len(), 6);
/// # Ok::<(), rowkey::Error>(())
/// ```
pub struct ParallelScan<T> {
    ranges: Vec<KeyRange>,
    open: Arc<Open<T>>,
    size: Size<T>,
    threads: usize,
    ahead: usize,
    batch_bytes: usize,
    in_order: bool,
    options: CallOptions,
}

/// The progress of a parallel scan, by the items it has returned.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Scanned {
    /// Rows; or items, if the scan does not read rows.
    pub rows: u64,
    /// Bytes of keys and values; 0 if the rows are typed.
    pub bytes: u64,
    /// Ranges that are read to their end.
    pub ranges_done: usize,
    /// All ranges.
    pub ranges: usize,
}

impl ParallelScan<RowBatch> {
    /// Scans ranges of a store. Items are batches of rows, none of them empty.
    ///
    /// If the ranges are sorted and do not overlap, as those of [`Splits::parts`](crate::splits::Splits::parts), rows
    /// come in key order. Each range is a scan of its own: there is no snapshot across ranges.
    ///
    /// ```
    /// use rowkey::jobs::ParallelScan;
    /// use rowkey::splits::Splits;
    /// use rowkey::{Memory, RowKey, Select, Table};
    ///
    /// #[derive(RowKey)]
    /// #[rowkey(salt(buckets = 16))]
    /// struct Visit {
    ///     user: u64,
    ///     page: u32,
    /// }
    ///
    /// let visits = Table::<Visit, i64, _>::open(Memory::new(), "visits")?;
    /// for page in 0..100 {
    ///     visits.put(&Visit { user: page % 7, page: page as u32 }, &1)?;
    /// }
    /// // The buckets of one user's rows, in parallel.
    /// let ranges = Visit::prefix().user(3).ranges();
    /// let mut pages = Vec::new();
    /// for batch in ParallelScan::rows(visits.store().clone(), ranges).start() {
    ///     for (key, _) in batch?.iter() {
    ///         pages.push(Visit::decode(key)?.page);
    ///     }
    /// }
    /// assert_eq!(pages.len(), 14);
    /// // The whole table, in four parts.
    /// let whole = ParallelScan::rows(visits.store().clone(), Splits::of_key::<Visit>(4)?.ranges());
    /// assert_eq!(whole.start().map(|batch| batch.map_or(0, |batch| batch.len())).sum::<usize>(), 100);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn rows(store: Arc<dyn Store>, ranges: Vec<KeyRange>) -> Self {
        let options = store.options().clone();
        Self::batches(ranges, move |scan| store.scan(scan)).options(&options)
    }

    /// Scans ranges of a wide store. The value of a row is its cells, as in [`WideStore::scan`].
    pub fn wide_rows(store: Arc<dyn WideStore>, ranges: Vec<KeyRange>, columns: Columns) -> Self {
        let options = store.options().clone();
        Self::batches(ranges, move |scan| store.scan(scan, &columns)).options(&options)
    }

    fn batches(ranges: Vec<KeyRange>, scan: impl Fn(&Scan) -> Box<dyn Rows> + Send + Sync + 'static) -> Self {
        let open = move |range, bytes| -> Items<RowBatch> {
            Box::new(Batches(scan(&Scan::new(vec![range]).batch_rows(1024).batch_bytes(bytes))))
        };
        Self::of(ranges, Arc::new(open)).sized(|batch| (batch.len() as u64, batch.bytes() as u64))
    }

    /// Maps each batch by `read`, in the scan's threads: to decode, count or sum rows.
    ///
    /// ```
    /// use rowkey::jobs::ParallelScan;
    /// use rowkey::splits::Splits;
    /// use rowkey::{Memory, RowKey, Table};
    ///
    /// let squares: Table<u16, i64, _> = Table::open(Memory::new(), "squares")?;
    /// for n in 0..1000 {
    ///     squares.put(&n, &(i64::from(n) * i64::from(n)))?;
    /// }
    /// let scan = ParallelScan::rows(squares.store().clone(), Splits::new([[1, 0], [2, 0], [3, 0]])?.ranges());
    /// let even = |batch: &rowkey::store::RowBatch| {
    ///     batch.iter().try_fold(0, |n, (key, _)| Ok(n + usize::from(u16::decode(key)? % 2 == 0)))
    /// };
    /// assert_eq!(scan.map(even).start().sum::<Result<usize, rowkey::Error>>()?, 500);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn map<T: Send + 'static>(
        self,
        read: impl Fn(&RowBatch) -> Result<T, Error> + Send + Sync + 'static,
    ) -> ParallelScan<T> {
        let Self { ranges, open, size: _, threads, ahead, batch_bytes, in_order, options } = self;
        let read = Arc::new(read);
        let open = move |range, bytes| -> Items<T> {
            let read = Arc::clone(&read);
            Box::new(open(range, bytes).map(move |batch| read(&batch?)))
        };
        ParallelScan { ranges, open: Arc::new(open), size: |_| (1, 0), threads, ahead, batch_bytes, in_order, options }
    }
}

struct Batches(Box<dyn Rows>);

impl Iterator for Batches {
    type Item = Result<RowBatch, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        let mut batch = RowBatch::new();
        self.0.next_batch(&mut batch).map(|()| (!batch.is_empty()).then_some(batch)).transpose()
    }
}

impl<T: Send + 'static> ParallelScan<T> {
    /// A scan of what `open` returns for each range. `open` is called, and its items are read, in the scan's threads.
    pub fn new(ranges: Vec<KeyRange>, open: impl Fn(KeyRange) -> Items<T> + Send + Sync + 'static) -> Self {
        Self::of(ranges, Arc::new(move |range, _| open(range)))
    }

    fn of(ranges: Vec<KeyRange>, open: Arc<Open<T>>) -> Self {
        let threads = thread::available_parallelism().map_or(1, usize::from);
        let (batch_bytes, options) = (DEFAULT_BATCH_BYTES, CallOptions::new());
        Self { ranges, open, size: |_| (1, 0), threads, ahead: 16, batch_bytes, in_order: true, options }
    }

    /// Number of reader threads, clamped to 1..=1024. Default: the available parallelism.
    #[must_use]
    pub fn threads(mut self, threads: usize) -> Self {
        self.threads = threads.clamp(1, MOST);
        self
    }

    /// Number of items read ahead of each range, clamped to 1..=1024. Default: 16.
    ///
    /// In order, items of `2 × threads` ranges can wait: `2 × threads × ahead` in all. Out of order: `threads × ahead`.
    /// In order, threads wait while the ranges in front of theirs are read, except for what they read ahead. Many small
    /// ranges, of at most `ahead` items (batches of up to 1024 rows), keep them busy.
    #[must_use]
    pub fn ahead(mut self, items: usize) -> Self {
        self.ahead = items.clamp(1, MOST);
        self
    }

    /// About how many bytes of rows each thread holds: what it reads, and what it has read ahead, plus a row for each
    /// batch. Batches have at most 1024 rows, or fewer if this bound, divided by the batches held, requires it. It
    /// applies to batches of rows, and to what is [made](Self::map) of them if that is no larger. Items from
    /// [`new`](Self::new) are not bounded by it. Default: 4 MiB per thread.
    #[must_use]
    pub fn batch_bytes(mut self, bytes: usize) -> Self {
        self.batch_bytes = bytes.max(1);
        self
    }

    /// Sets the number of rows and bytes that an item counts for in [`ParallelIter::progress`]. Default: 1 and 0.
    #[must_use]
    pub fn sized(mut self, size: fn(&T) -> (u64, u64)) -> Self {
        self.size = size;
        self
    }

    /// Sets whether items come in range order. If `false`, ranges are interleaved; the order within a range is kept.
    /// Default: `true`.
    #[must_use]
    pub fn in_order(mut self, in_order: bool) -> Self {
        self.in_order = in_order;
        self
    }

    /// Options that bound the wait for each item; a timeout counts for each item. Default: the options of the store,
    /// or none if the scan does not read a store. A read that has begun is bounded by the options of its store.
    #[must_use]
    pub fn options(mut self, options: &CallOptions) -> Self {
        self.options = options.clone();
        self
    }

    /// Starts the threads.
    pub fn start(self) -> ParallelIter<T> {
        let Self { ranges, open, size, threads, ahead, batch_bytes, in_order, options } = self;
        let progress = Scanned { ranges: ranges.len(), ..Scanned::default() };
        let (give, jobs) = channel();
        // Besides the waiting ones, one is being sent, and one is with the reader.
        let held = ahead.saturating_mul(if in_order { 2 } else { 1 }).saturating_add(2);
        let bytes = batch_bytes / held;
        let worker = Worker { jobs: Arc::new(Mutex::new(jobs)), open, bytes, stopped: Arc::default() };
        let mut iter = ParallelIter {
            waiting: ranges.into(),
            give: Some(give),
            ahead,
            outputs: VecDeque::new(),
            stopped: worker.stopped.clone(),
            threads: Vec::new(),
            not_started: None,
            size,
            progress,
            options,
        };
        for _ in 0..threads.min(progress.ranges) {
            let (worker, inside) = (worker.clone(), Inherited::of_this_thread());
            match thread::Builder::new().name("rowkey-scan".into()).spawn(move || worker.work(inside)) {
                Ok(thread) => iter.threads.push(thread),
                Err(error) => iter.not_started = Some(error),
            }
        }
        match (iter.threads.len(), in_order) {
            (0, _) => iter.waiting.clear(),
            (threads, true) => (0..2 * threads).for_each(|_| iter.give_next()),
            (threads, false) => iter.give_all(ahead.saturating_mul(threads)),
        }
        // Fewer threads than asked for are enough.
        iter.not_started.take_if(|_| !iter.threads.is_empty());
        iter
    }

    /// Reads all items, until `each` returns [`ControlFlow::Break`]. Returns the value of the break, or `None` at the
    /// end.
    ///
    /// # Errors
    /// The first error of a range.
    ///
    /// ```
    /// use std::ops::ControlFlow;
    ///
    /// use rowkey::KeyRange;
    /// use rowkey::jobs::ParallelScan;
    ///
    /// let scan = ParallelScan::new(vec![KeyRange::all()], |_| Box::new((1..).map(Ok)));
    /// let found = scan.run(|n| if n * n > 1000 { ControlFlow::Break(n) } else { ControlFlow::Continue(()) })?;
    /// assert_eq!(found, Some(32));
    /// # Ok::<(), rowkey::Error>(())
    /// ```
    pub fn run<B>(self, mut each: impl FnMut(T) -> ControlFlow<B>) -> Result<Option<B>, Error> {
        for item in self.start() {
            if let ControlFlow::Break(value) = each(item?) {
                return Ok(Some(value));
            }
        }
        Ok(None)
    }
}

impl<T> fmt::Debug for ParallelScan<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { ranges, threads, ahead, in_order, .. } = self;
        let mut debug = f.debug_struct("ParallelScan");
        debug.field("ranges", ranges).field("threads", threads).field("ahead", ahead).field("in_order", in_order);
        debug.finish_non_exhaustive()
    }
}

/// The next item of a range, its end, or an error.
type Message<T> = Result<Option<T>, Error>;

struct Job<T> {
    range: KeyRange,
    output: SyncSender<Message<T>>,
}

struct Worker<T> {
    jobs: Arc<Mutex<Receiver<Job<T>>>>,
    open: Arc<Open<T>>,
    bytes: usize,
    stopped: Arc<AtomicBool>,
}

impl<T> Clone for Worker<T> {
    fn clone(&self) -> Self {
        Self { jobs: self.jobs.clone(), open: self.open.clone(), bytes: self.bytes, stopped: self.stopped.clone() }
    }
}

impl<T> Worker<T> {
    fn work(self, inside: Inherited) {
        inside.enter();
        loop {
            let job = self.jobs.lock().unwrap_or_else(PoisonError::into_inner).recv();
            let Ok(Job { range, output }) = job else { return };
            if self.is_stopped() {
                return;
            }
            let last = catch_unwind(AssertUnwindSafe(|| self.read(range, &output)));
            // Sending fails if the receiver is gone: then the item is not needed.
            let _ = output.send(last.unwrap_or_else(|panic| Err(Error::panicked("a scan", &*panic))));
        }
    }

    fn read(&self, range: KeyRange, output: &SyncSender<Message<T>>) -> Message<T> {
        for item in (self.open)(range, self.bytes) {
            if self.is_stopped() || output.send(Ok(Some(item?))).is_err() {
                break;
            }
        }
        Ok(None)
    }

    fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }
}

/// An iterator over the items of a [`ParallelScan`]. After an error it ends.
///
/// The iterator joins its threads when it ends or is dropped. Each may first finish reading one item. A panic in a
/// thread becomes an [`Error::Engine`].
pub struct ParallelIter<T> {
    /// Ranges that no thread has yet, and the channel to give them.
    waiting: VecDeque<KeyRange>,
    give: Option<Sender<Job<T>>>,
    ahead: usize,
    /// The channels of the ranges' items, in the order to read them.
    outputs: VecDeque<Receiver<Message<T>>>,
    stopped: Arc<AtomicBool>,
    threads: Vec<JoinHandle<()>>,
    not_started: Option<std::io::Error>,
    size: Size<T>,
    progress: Scanned,
    options: CallOptions,
}

impl<T> ParallelIter<T> {
    /// Returns how far the scan is.
    pub fn progress(&self) -> Scanned {
        self.progress
    }

    /// Gives the next range to a thread, with a channel of its own.
    fn give_next(&mut self) {
        if let (Some(range), Some(give)) = (self.waiting.pop_front(), &self.give) {
            let (output, items) = sync_channel(self.ahead);
            self.outputs.push_back(items);
            let _ = give.send(Job { range, output });
        }
    }

    /// Gives all ranges to the threads, with one channel for all.
    fn give_all(&mut self, ahead: usize) {
        let (output, items) = sync_channel(ahead);
        self.outputs.push_back(items);
        for range in std::mem::take(&mut self.waiting) {
            let _ =
                self.give.iter().try_for_each(|give| give.send(Job { range: range.clone(), output: output.clone() }));
        }
    }

    fn stop(&mut self) {
        self.stopped.store(true, Ordering::Relaxed);
        self.waiting.clear();
        self.outputs.clear();
        self.give = None;
        for thread in self.threads.drain(..) {
            // Its panics are caught already.
            let _ = thread.join();
        }
    }
}

/// The next message, within the time that the call may wait.
fn receive<T>(items: &Receiver<Message<T>>, call: Option<&Call<'_>>) -> Result<Result<Message<T>, RecvError>, Error> {
    match call {
        None => Ok(items.recv()),
        Some(call) => call.wait(|slice| match items.recv_timeout(slice) {
            Ok(message) => Some(Ok(message)),
            Err(RecvTimeoutError::Disconnected) => Some(Err(RecvError)),
            Err(RecvTimeoutError::Timeout) => None,
        }),
    }
}

impl<T> Iterator for ParallelIter<T> {
    type Item = Result<T, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        if let Some(error) = self.not_started.take() {
            return Some(Err(Error::engine(error)));
        }
        if self.outputs.is_empty() {
            self.stop();
            return None;
        }
        let options = self.options.clone();
        let call = match options.begin("parallel scan", "") {
            Ok(call) => Some(call).filter(|_| !options.is_unbounded()),
            Err(error) => {
                self.stop();
                return Some(Err(error));
            }
        };
        while let Some(items) = self.outputs.front() {
            let received = match receive(items, call.as_ref()) {
                Ok(received) => received,
                Err(error) => {
                    self.stop();
                    return Some(Err(error));
                }
            };
            match received {
                Ok(Ok(Some(item))) => {
                    let (rows, bytes) = (self.size)(&item);
                    self.progress.rows += rows;
                    self.progress.bytes += bytes;
                    return Some(Ok(item));
                }
                Ok(Ok(None)) => self.progress.ranges_done += 1,
                Ok(Err(error)) => {
                    self.stop();
                    return Some(Err(error));
                }
                Err(_) => {
                    self.outputs.pop_front();
                    self.give_next();
                }
            }
        }
        self.stop();
        None
    }
}

impl<T> std::iter::FusedIterator for ParallelIter<T> {}

impl<T> Drop for ParallelIter<T> {
    fn drop(&mut self) {
        self.stop();
    }
}

impl<T> fmt::Debug for ParallelIter<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ParallelIter").field("progress", &self.progress).finish_non_exhaustive()
    }
}
