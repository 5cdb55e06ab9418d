//! An asynchronous engine in synchronous code.

mod rows;
mod store;
mod wide;

use std::fmt;
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::time::Duration;

use self::rows::StreamRows;
use super::{Batches, BoxFuture, StoreFuture};
use crate::store::error::Error;
use crate::store::{CallOptions, DatabaseId, Rows, Scan};

/// An asynchronous engine as a synchronous one: a [`Store`](crate::store::Store) over an
/// [`AsyncStore`](super::AsyncStore), and so on for databases and wide tables.
///
/// The engine's futures and streams run on a runtime with threads of its own ([`Blocking::new`],
/// [`Blocking::connect`], with the feature `tokio`) or where you say ([`on`](Self::on)). The thread that calls waits
/// for a channel, and never runs a future. So calls can be made inside another runtime, of one thread too: there they
/// block its thread for as long as the engine takes.
///
/// Scans are read ahead by one batch, on the runtime, beside what the engine itself reads ahead. So the buckets of a
/// salted key are read at the same time without threads, and [`slow_scans`](crate::store::Guarantees::slow_scans) is
/// not declared.
///
/// Timeouts, deadlines and cancellation are the engine's, and a call ends when the engine's does. If its runtime is
/// blocked, a call ends a second after them: a write with [`Error::OutcomeUnknown`].
///
/// ```
/// use rowkey::nonblocking::{Blocking, Unblock};
/// use rowkey::{Memory, Table};
///
/// // In place of `Unblock`: a connection to HBase or Bigtable.
/// let db = Blocking::new(Unblock::new(Memory::new()))?;
/// let squares: Table<u32, u64, _> = Table::open(db, "squares")?;
/// squares.put(&3, &9)?;
/// assert_eq!(squares.get(&3)?, Some(9));
/// # Ok::<(), rowkey::Error>(())
/// ```
#[cfg_attr(
    not(feature = "tokio"),
    doc = "\n[`Blocking::new`]: https://docs.rs/rowkey/latest/rowkey/nonblocking/struct.Blocking.html#method.new\n[`Blocking::connect`]: https://docs.rs/rowkey/latest/rowkey/nonblocking/struct.Blocking.html#method.connect"
)]
pub struct Blocking<T> {
    engine: Arc<T>,
    runtime: Runtime,
}

impl<T> Clone for Blocking<T> {
    fn clone(&self) -> Self {
        Self { engine: self.engine.clone(), runtime: self.runtime.clone() }
    }
}

impl<T> fmt::Debug for Blocking<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Blocking").finish_non_exhaustive()
    }
}

/// The runtime of the engine's futures.
#[derive(Clone)]
struct Runtime(Arc<dyn Fn(BoxFuture<'static, ()>) + Send + Sync>);

impl Runtime {
    /// Waits for a call of the engine on tables, within the call's bounds.
    fn wait<T: Send + 'static>(
        &self,
        options: &CallOptions,
        tables: &str,
        call: impl Future<Output = Result<T, Error>> + Send + 'static,
    ) -> Result<T, Error> {
        let (tell, told) = sync_channel(1);
        (self.0)(Box::pin(async move {
            // If nobody waits any more, nobody has to know.
            let _ = tell.try_send(call.await);
        }));
        within(options, tables, |time| match told.recv_timeout(time) {
            Ok(answered) => Some(answered),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => Some(Err(stopped())),
        })?
    }
}

/// Waits within the bounds of a call on tables, and a little longer: an engine that runs ends the call itself. One
/// whose runtime is blocked, such as by the thread that waits here, does not.
fn within<T>(options: &CallOptions, tables: &str, mut wait: impl FnMut(Duration) -> Option<T>) -> Result<T, Error> {
    let bounds = options.begin("wait for the runtime of the engine", tables);
    bounds.and_then(|bounds| bounds.wait(&mut wait)).or_else(|ended| wait(GRACE).ok_or(ended))
}

/// The time that the engine may take to end a call after its bounds.
const GRACE: Duration = Duration::from_secs(1);

#[cold]
fn stopped() -> Error {
    Error::engine("the runtime of the engine has stopped, or a call panicked in it")
}

impl<T> Blocking<T> {
    /// An engine whose futures `spawn` runs to their ends, on threads that are not blocked by callers of this handle. A
    /// future that is dropped instead is an error of the call.
    ///
    /// Do not call from a task of that runtime: the task would block a thread that is to run the call, and may wait
    /// until the end of its bounds, or for ever without. [`Blocking::new`] has a runtime that nothing else uses.
    #[cfg_attr(
        not(feature = "tokio"),
        doc = "",
        doc = "[`Blocking::new`]: https://docs.rs/rowkey/latest/rowkey/nonblocking/struct.Blocking.html#method.new"
    )]
    ///
    /// ```
    /// use rowkey::nonblocking::{Blocking, BoxFuture, Unblock};
    /// use rowkey::{Memory, Table};
    ///
    /// let runtime = tokio::runtime::Runtime::new()?;
    /// let handle = runtime.handle().clone();
    /// let db = Blocking::on(Unblock::new(Memory::new()), move |future: BoxFuture<'static, ()>| drop(handle.spawn(future)));
    /// let names: Table<u32, String, _> = Table::open(db, "names")?;
    /// names.put(&7, &"Ada".into())?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn on(engine: T, spawn: impl Fn(BoxFuture<'static, ()>) + Send + Sync + 'static) -> Self {
        Self { engine: Arc::new(engine), runtime: Runtime(Arc::new(spawn)) }
    }

    /// The asynchronous engine.
    pub fn get_ref(&self) -> &T {
        &self.engine
    }

    fn on_same<U>(&self, engine: U) -> Blocking<U> {
        Blocking { engine: Arc::new(engine), runtime: self.runtime.clone() }
    }
}

#[cfg(feature = "tokio")]
impl<T> Blocking<T> {
    /// An engine on a tokio runtime of its own, with two threads. The runtime stops when the last handle is dropped.
    ///
    /// For an engine that runs tasks of its own, such as a connection, use [`connect`](Self::connect): its tasks are on
    /// the runtime that it was made in, and if that is blocked by a call, the call waits for ever.
    ///
    /// # Errors
    ///
    /// [`Error::Engine`] if no thread can be started.
    pub fn new(engine: T) -> Result<Self, Error> {
        Ok(Self { engine: Arc::new(engine), runtime: owned()? })
    }

    /// Makes an engine on a tokio runtime of its own, with two threads: the future that makes it runs there, and so do
    /// the tasks that it starts. The runtime stops when the last handle is dropped.
    ///
    /// ```
    /// use rowkey::nonblocking::{Blocking, Unblock};
    /// use rowkey::{Memory, Table};
    ///
    /// // In place of the block: the future that connects to HBase or Bigtable.
    /// let db = Blocking::connect(async { rowkey::Result::Ok(Unblock::new(Memory::new())) })?;
    /// let names: Table<u32, String, _> = Table::open(db, "names")?;
    /// # Ok::<(), rowkey::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The future's error; [`Error::Engine`] if no thread can be started.
    pub fn connect(making: impl Future<Output = Result<T, Error>> + Send + 'static) -> Result<Self, Error>
    where
        T: Send + 'static,
    {
        let runtime = owned()?;
        Ok(Self { engine: Arc::new(runtime.wait(CallOptions::none(), "", making)?), runtime })
    }
}

/// A tokio runtime that stops when it is dropped, without waiting: it may be dropped inside another one.
#[cfg(feature = "tokio")]
struct Owned(Option<tokio::runtime::Runtime>);

#[cfg(feature = "tokio")]
impl Drop for Owned {
    fn drop(&mut self) {
        if let Some(runtime) = self.0.take() {
            runtime.shutdown_background();
        }
    }
}

#[cfg(feature = "tokio")]
fn owned() -> Result<Runtime, Error> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .thread_name("rowkey-engine")
        .enable_all()
        .build()
        .map_err(|error| Error::engine(format!("no runtime can be started: {error}")))?;
    let owned = Owned(Some(runtime));
    let spawn = move |future: BoxFuture<'static, ()>| {
        if let Some(runtime) = &owned.0 {
            runtime.spawn(future);
        }
    };
    Ok(Runtime(Arc::new(spawn)))
}

impl<T: Send + Sync + 'static> Blocking<T> {
    /// Waits for a call of the engine on tables.
    fn call<R: Send + 'static>(
        &self,
        options: &CallOptions,
        table: &str,
        call: impl for<'e> FnOnce(&'e T) -> StoreFuture<'e, R> + Send + 'static,
    ) -> Result<R, Error> {
        let engine = Arc::clone(&self.engine);
        self.runtime.wait(options, table, async move { call(&engine).await })
    }

    /// Waits for a call that writes to tables. If the runtime drops it, or does not respond, its outcome is unknown.
    fn write_call<R: Send + 'static>(
        &self,
        options: &CallOptions,
        database: DatabaseId,
        tables: &[&str],
        call: impl for<'e> FnOnce(&'e T) -> StoreFuture<'e, R> + Send + 'static,
    ) -> Result<R, Error> {
        database.check_write(tables.iter().copied())?;
        let (engine, names) = (Arc::clone(&self.engine), tables.join(", "));
        let answered = self.runtime.wait(options, &names, async move { Ok(call(&engine).await) });
        answered.unwrap_or_else(|ended| Err(Error::OutcomeUnknown { table: names, source: Box::new(ended) }))
    }

    /// Opens a table, which `open` does if it exists and `make` in any case. A thread that may not write creates none.
    fn open_call<R: Send + 'static>(
        &self,
        options: &CallOptions,
        database: DatabaseId,
        table: &str,
        open: impl for<'e> FnOnce(&'e T) -> StoreFuture<'e, R> + Send + 'static,
        make: impl for<'e> FnOnce(&'e T) -> StoreFuture<'e, R> + Send + 'static,
    ) -> Result<R, Error> {
        match database.check_write([table]) {
            Ok(()) => self.write_call(options, database, &[table], make),
            Err(reentrant) => match self.call(options, table, open) {
                Err(Error::NoSuchTable(_)) => Err(reentrant),
                opened => opened,
            },
        }
    }

    /// Opens a scan on the runtime. If scans are snapshots, it waits until it is open.
    fn rows(
        &self,
        scan: &Scan,
        is_snapshot: bool,
        options: &CallOptions,
        table: &str,
        open: impl FnOnce(&T, &Scan) -> Batches + Send + 'static,
    ) -> Box<dyn Rows> {
        // One batch that is returned, one ahead, and one that the engine may read ahead itself.
        let (engine, scan) = (Arc::clone(&self.engine), scan.clone().divided(3));
        let rows = StreamRows::start(&self.runtime, options, table, move || open(&engine, &scan));
        if is_snapshot {
            rows.wait_until_open();
        }
        options.rows(table, Box::new(rows))
    }
}
