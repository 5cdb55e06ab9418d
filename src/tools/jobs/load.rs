//! Many writes, in batches, side by side.

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

/// Writes whatever an iterator gives, in batches, by several threads.
///
/// Batches are written in no order when there is more than one thread: of two writes to one key in different batches, either may be
/// the last. So load each key once, or with one thread.
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

/// How much is certain to be written: every write counted was in a batch that the store has answered for, or is one of those
/// that were written of a batch that failed in part.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Loaded {
    /// Writes.
    pub writes: u64,
    /// Batches, those that were written as a whole.
    pub batches: u64,
    /// Whether it was stopped before the last write.
    pub stopped: bool,
}

/// A load that failed. After a write that failed no batch is begun; those under way are awaited and counted. All that was
/// read before an error of the iterator is written.
#[derive(Debug, thiserror::Error)]
#[error("the load failed; {} writes in {} batches are certain to be in", .loaded.writes, .loaded.batches)]
pub struct LoadError {
    /// What is certain to be written. A batch that failed may be in as well if the [kind](crate::ErrorKind) of the error is
    /// `OutcomeUnknown`.
    pub loaded: Loaded,
    /// What went wrong: the first error of a write, else the iterator's. With [`Error::Rows`] it names the writes that failed, by
    /// their place in what the iterator gave, from 0, those of other batches that failed in part at the same time too.
    pub source: Error,
}

impl BulkLoad<(), ()> {
    /// Into a store: keys and values.
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
    /// Into a wide store: rows and what is written to them.
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
    /// By what writes one batch.
    pub fn new(write: F) -> Self
    where
        F: Fn(Vec<W>) -> Result<(), Error> + Sync,
    {
        let threads = thread::available_parallelism().map_or(1, usize::from);
        Self { write, size: size_of_val, threads, batch: 1000, batch_bytes: DEFAULT_BATCH_BYTES }
    }

    /// How many threads write: as many as the machine has processors, if this is not said; 1 to 1024, others are taken for
    /// the nearer of these.
    #[must_use]
    pub fn threads(mut self, threads: usize) -> Self {
        self.threads = threads.clamp(1, 1024);
        self
    }

    /// At most so many writes a batch, 1 at least. Default: 1000.
    #[must_use]
    pub fn batch(mut self, writes: usize) -> Self {
        self.batch = writes.max(1);
        self
    }

    /// A batch ends with the write by which it reaches so many bytes, as [`sized`](Self::sized) counts them, so it has one write
    /// at least. Two batches a thread are held, and one that is written may be held twice: as it was given, and as it is
    /// sent. Default: 4 MiB.
    #[must_use]
    pub fn batch_bytes(mut self, bytes: usize) -> Self {
        self.batch_bytes = bytes.max(1);
        self
    }

    /// How many bytes a write counts for in [`batch_bytes`](Self::batch_bytes). Default: in a load of a store or a wide one
    /// those of keys, qualifiers and values; of a table those of the key and [`RowValue::size`](crate::RowValue::size); else
    /// `size_of` the write, without what it points to.
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

    /// Writes all of them; the iterator is read in the caller's thread, no more than two batches a thread ahead.
    ///
    /// # Errors
    /// [`LoadError`] with the first error, of a write or else of the iterator, and with what is written.
    pub fn run(self, writes: impl IntoIterator<Item = Result<W, Error>>) -> Result<Loaded, LoadError>
    where
        W: Send,
        F: Fn(Vec<W>) -> Result<(), Error> + Sync,
    {
        self.run_watched(writes, |_| ControlFlow::Continue(()))
    }

    /// The same, and asks `watch` before each batch whether to go on; it is told how much is written by then,
    /// which may be as much as the time before. When it
    /// breaks off, the batches that were under way are still written.
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
            // It ends with the scope's closure, however that ends, and with it the threads.
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
            // The rows that are named are not all that failed, so they are not told as if they were.
            (rows @ Some(Error::Rows(_)), error) => *rows = Some(error),
            (Some(_), _) => {}
            (none, error) => *none = Some(error),
        }
    }

    /// A batch of so many writes, the first of them at `begin`, failed.
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

/// Writes batches until there are no more; after an error it only takes them.
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
