//! Bulk loads: many writes, in batches, with several threads.

use std::fmt;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, sync_channel};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;

use crate::store::error::Error;
use crate::store::reentry::Inherited;
use crate::store::{DEFAULT_BATCH_BYTES, Store, Write};
use crate::wide::{Edit, Mutation, WideStore};

/// Writes the items of an iterator, in batches, with several threads.
///
/// With more than one thread the order of batches is undefined: of two writes to one key in different batches, either
/// may be the last. So write each key once, or use one thread.
///
/// ```
/// use std::ops::ControlFlow;
/// use std::sync::Mutex;
///
/// use rowkey::jobs::BulkLoad;
///
/// let written = Mutex::new(Vec::new());
/// let load = BulkLoad::new(|batch: Vec<u32>| {
///     written.lock().unwrap().extend(batch);
///     Ok(())
/// });
/// let loaded = load.threads(2).batch(100).run_watched((0..).map(Ok), |so_far| match so_far.batches {
///     5.. => ControlFlow::Break(()),
///     _ => ControlFlow::Continue(()),
/// })?;
/// assert!(loaded.stopped && loaded.writes >= 500);
/// assert_eq!(written.lock().unwrap().len() as u64, loaded.writes);
/// # Ok::<(), rowkey::jobs::LoadError>(())
/// ```
pub struct BulkLoad<W, F> {
    write: F,
    size: fn(&W) -> usize,
    threads: usize,
    batch: usize,
    batch_bytes: usize,
}

/// The writes that the store has acknowledged: whole batches, and those writes of a partly failed batch that succeeded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Loaded {
    /// Writes.
    pub writes: u64,
    /// Batches that were written whole.
    pub batches: u64,
    /// True if the load was stopped before the last write.
    pub stopped: bool,
}

/// A load that failed. After a write fails no other batch is started; batches under way are awaited and counted. If the
/// iterator fails, everything read before the error is written.
#[derive(Debug, thiserror::Error)]
#[error("the load failed; the store acknowledged {} writes ({} whole batches)", .loaded.writes, .loaded.batches)]
#[non_exhaustive]
pub struct LoadError {
    /// The writes that the store has acknowledged. A batch that failed may be written too if the
    /// [kind](crate::ErrorKind) of the error is `OutcomeUnknown`.
    pub loaded: Loaded,
    /// The first error of a write, or else the error of the iterator. [`Error::Rows`] names the writes that failed, by
    /// their place in the iterator, from 0, including those of other batches that partly failed at the same time.
    pub source: Error,
}

impl BulkLoad<(), ()> {
    /// A load into a store, of keys and values.
    ///
    /// ```
    /// use rowkey::Memory;
    /// use rowkey::jobs::BulkLoad;
    /// use rowkey::store::Database;
    ///
    /// let store = Memory::new().table("words")?;
    /// let words = ["b", "a"].map(|word| Ok((word, [])));
    /// assert_eq!(BulkLoad::to_store(&store).run(words)?.writes, 2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[expect(clippy::type_complexity, reason = "a write is a key and its value")]
    pub fn to_store<K: AsRef<[u8]>, V: AsRef<[u8]>>(
        store: &(impl Store + ?Sized),
    ) -> BulkLoad<(K, V), impl Fn(Vec<(K, V)>) -> Result<(), Error> + Sync> {
        BulkLoad::new(move |rows: Vec<(K, V)>| {
            store.write(&rows.iter().map(|(key, value)| Write::Put(key.as_ref(), value.as_ref())).collect())
        })
        .sized(|(key, value)| key.as_ref().len() + value.as_ref().len())
    }
}

impl BulkLoad<(), ()> {
    /// A load into a wide store, of rows and their mutations.
    ///
    /// ```
    /// use rowkey::Memory;
    /// use rowkey::jobs::BulkLoad;
    /// use rowkey::wide::{Cells, FamilySchema, Mutation, TableSchema};
    ///
    /// let schema = TableSchema::new().family("a", FamilySchema::new());
    /// let wide = Cells::open(&Memory::new(), "words", &schema)?;
    /// let words = ["b", "a"].map(|word| Ok((word.as_bytes().to_vec(), Mutation::new().put("a:n", word))));
    /// assert_eq!(BulkLoad::to_wide(&wide).run(words)?.writes, 2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[expect(clippy::type_complexity, reason = "a write is a row and what is written to it")]
    pub fn to_wide(
        wide: &(impl WideStore + ?Sized),
    ) -> BulkLoad<(Vec<u8>, Mutation), impl Fn(Vec<(Vec<u8>, Mutation)>) -> Result<(), Error> + Sync> {
        BulkLoad::new(move |rows: Vec<_>| wide.mutate_many(&rows))
            .sized(|(row, mutation)| row.len() + mutation.edits().iter().map(Edit::bytes).sum::<usize>())
    }
}

impl<W, F> BulkLoad<W, F> {
    /// A load with a closure that writes one batch.
    pub fn new(write: F) -> Self
    where
        F: Fn(Vec<W>) -> Result<(), Error> + Sync,
    {
        let threads = thread::available_parallelism().map_or(1, usize::from);
        Self { write, size: size_of_val, threads, batch: 1000, batch_bytes: DEFAULT_BATCH_BYTES }
    }

    /// Number of writer threads, clamped to 1..=1024. Default: the available parallelism.
    #[must_use]
    pub fn threads(mut self, threads: usize) -> Self {
        self.threads = threads.clamp(1, 1024);
        self
    }

    /// The most writes in a batch, at least 1. Default: 1000.
    #[must_use]
    pub fn batch(mut self, writes: usize) -> Self {
        self.batch = writes.max(1);
        self
    }

    /// A batch ends with the write that brings it to this many bytes, as [`sized`](Self::sized) counts them; so it has
    /// at least one write. Two batches per thread are held in memory. One that is being written may be held twice: as
    /// it was given, and as it is sent. Default: 4 MiB.
    #[must_use]
    pub fn batch_bytes(mut self, bytes: usize) -> Self {
        self.batch_bytes = bytes.max(1);
        self
    }

    /// Sets the number of bytes that a write counts for in [`batch_bytes`](Self::batch_bytes). Default: for a store or
    /// a wide store, the bytes of keys, qualifiers and values; for a table, those of the key and
    /// [`RowValue::size`](crate::RowValue::size); otherwise `size_of` the write, without what it points to.
    ///
    /// ```
    /// use std::sync::Mutex;
    ///
    /// use rowkey::jobs::BulkLoad;
    ///
    /// let batches = Mutex::new(Vec::new());
    /// let load = BulkLoad::new(|texts: Vec<String>| {
    ///     batches.lock().unwrap().push(texts.len());
    ///     Ok(())
    /// });
    /// let texts = ["a".repeat(600), "b".repeat(600), "c".repeat(600)].map(Ok);
    /// load.threads(1).batch_bytes(1000).sized(String::len).run(texts)?;
    /// assert_eq!(batches.into_inner().unwrap(), [2, 1]);
    /// # Ok::<(), rowkey::jobs::LoadError>(())
    /// ```
    #[must_use]
    pub fn sized(mut self, size: fn(&W) -> usize) -> Self {
        self.size = size;
        self
    }

    /// Writes all items. The iterator runs in the caller's thread, at most two batches per thread ahead.
    ///
    /// # Errors
    /// [`LoadError`] with the first error and the number of writes that the store acknowledged.
    pub fn run(self, writes: impl IntoIterator<Item = Result<W, Error>>) -> Result<Loaded, LoadError>
    where
        W: Send,
        F: Fn(Vec<W>) -> Result<(), Error> + Sync,
    {
        self.run_watched(writes, |_| ControlFlow::Continue(()))
    }

    /// Writes the items, and calls `watch` before each batch with how much is written so far. [`ControlFlow::Break`]
    /// stops the load; batches under way are still written.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn run_watched(
        self,
        writes: impl IntoIterator<Item = Result<W, Error>>,
        mut watch: impl FnMut(&Loaded) -> ControlFlow<()>,
    ) -> Result<Loaded, LoadError>
    where
        W: Send,
        F: Fn(Vec<W>) -> Result<(), Error> + Sync,
    {
        let (give, batches) = sync_channel(self.threads);
        let (batches, state) = (Mutex::new(batches), Mutex::new(State::default()));
        let (mut stopped, mut unreadable) = (false, None);
        let inside = Inherited::of_this_thread();
        thread::scope(|scope| {
            // Dropped when the scope's closure ends, however that ends, which ends the threads.
            let give = give;
            let mut started = false;
            for _ in 0..self.threads {
                let inside = inside.clone();
                let (write, batches, state) = (&self.write, &batches, &state);
                let work = move || {
                    inside.enter();
                    write_batches(write, batches, state);
                };
                match thread::Builder::new().name("rowkey-load".into()).spawn_scoped(scope, work) {
                    Ok(_) => started = true,
                    Err(_) if started => break,
                    Err(error) => return locked(state).fail(Error::engine(error)),
                }
            }
            let mut writes = writes.into_iter().fuse();
            let mut begin = 0;
            loop {
                let (mut batch, mut bytes) = (Vec::new(), 0_usize);
                while batch.len() < self.batch && bytes < self.batch_bytes && unreadable.is_none() {
                    match writes.next() {
                        Some(Ok(write)) => {
                            bytes = bytes.saturating_add((self.size)(&write));
                            batch.push(write);
                        }
                        Some(Err(error)) => unreadable = Some(error),
                        None => break,
                    }
                }
                if batch.is_empty() {
                    return;
                }
                let (loaded, failed) = {
                    let state = locked(&state);
                    (state.loaded, state.error.is_some())
                };
                if failed {
                    return;
                }
                if watch(&loaded).is_break() {
                    stopped = true;
                    return;
                }
                let end = begin + batch.len();
                if give.send((begin, batch)).is_err() || unreadable.is_some() {
                    return;
                }
                begin = end;
            }
        });
        let State { loaded, error } = state.into_inner().unwrap_or_else(PoisonError::into_inner);
        let loaded = Loaded { stopped, ..loaded };
        match error.or(unreadable) {
            None => Ok(loaded),
            Some(source) => Err(LoadError { loaded, source }),
        }
    }
}

#[derive(Default)]
struct State {
    loaded: Loaded,
    error: Option<Error>,
}

impl State {
    fn fail(&mut self, error: Error) {
        match (&mut self.error, error) {
            (Some(Error::Rows(before)), Error::Rows(more)) => before.extend(*more),
            // The named rows are not all that failed, so they are not reported as if they were.
            (rows @ Some(Error::Rows(_)), error) => *rows = Some(error),
            (Some(_), _) => {}
            (none, error) => *none = Some(error),
        }
    }

    /// A batch of `writes` writes, the first of them at `begin`, failed.
    fn fail_batch(&mut self, error: Error, begin: usize, writes: u64) {
        let error = match error {
            Error::Rows(rows) if rows.total() as u64 == writes => {
                self.loaded.writes += rows.written() as u64;
                Error::Rows(Box::new(rows.later_by(begin)))
            }
            other => other,
        };
        self.fail(error);
    }
}

fn locked(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Writes batches until there are no more. After an error it only receives them.
fn write_batches<W>(
    write: &impl Fn(Vec<W>) -> Result<(), Error>,
    batches: &Mutex<Receiver<(usize, Vec<W>)>>,
    state: &Mutex<State>,
) {
    loop {
        let batch = batches.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok((begin, batch)) = batch else { return };
        if locked(state).error.is_some() {
            continue;
        }
        let writes = batch.len() as u64;
        let written = catch_unwind(AssertUnwindSafe(|| write(batch)));
        let mut state = locked(state);
        match written.unwrap_or_else(|panic| Err(Error::panicked("a write", &*panic))) {
            Ok(()) => {
                state.loaded.writes += writes;
                state.loaded.batches += 1;
            }
            Err(error) => state.fail_batch(error, begin, writes),
        }
    }
}

impl<W, F> fmt::Debug for BulkLoad<W, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { threads, batch, batch_bytes, .. } = self;
        let mut debug = f.debug_struct("BulkLoad");
        debug.field("threads", threads).field("batch", batch).field("batch_bytes", batch_bytes).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::error::RowErrors;

    #[test]
    fn rows_are_named_only_where_they_are_all_that_failed() {
        let rows = || {
            let mut rows = RowErrors::new(2);
            rows.push(1, "t", b"k", Error::EmptyKey);
            Error::Rows(Box::new(rows))
        };
        let whole = || Error::engine("the connection broke");
        for (errors, named) in [([rows(), rows()], true), ([rows(), whole()], false), ([whole(), rows()], false)] {
            let mut state = State::default();
            errors.into_iter().for_each(|error| state.fail_batch(error, 0, 2));
            assert_eq!(matches!(state.error, Some(Error::Rows(_))), named);
        }
    }
}
