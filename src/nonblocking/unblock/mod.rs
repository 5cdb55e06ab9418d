//! An embedded engine in asynchronous code.

mod pool;
mod store;
mod wide;

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use self::pool::{Does, Place};
use super::StoreFuture;
use crate::store::error::Error;
use crate::store::options::Handle;

/// A synchronous engine as an asynchronous one: an [`AsyncStore`](super::AsyncStore) over a
/// [`Store`](crate::store::Store), and so on for databases and wide tables.
///
/// Each call runs in a thread of the pool of the crate `blocking`, which has at most 500 and ends those that are idle.
/// A scan is read there by jobs: the first reads a batch, the next ones as many as are read in some milliseconds and
/// have [`Scan::batch_bytes`](crate::store::Scan::batch_bytes) together. While the rows of one are used, the next one
/// reads. Opening a scan is not handed to the pool: embedded engines do that without input or output.
///
/// - **Bounds.** A call's timeout counts from its first poll, over its wait for a thread too. A write that has begun
///   when it passes has 100 ms more to say what became of it, and is then [`Error::OutcomeUnknown`].
/// - **Drops.** A call whose future is dropped before a thread takes it has no effect. If a thread has taken it, it
///   runs to its end.
/// - **Not within itself.** The pool is one for the whole process, and that of `smol::unblock` too. Code that runs in
///   it must not wait for another call of an `Unblock`, as an engine does that is itself `Blocking` over an `Unblock`:
///   with as many such calls as threads, all of them wait for a thread.
/// - **Transactions** are closures, and not part of [`AsyncStore`](super::AsyncStore). [`run`](Self::run) runs them,
///   and any other synchronous code.
///
/// ```
/// use rowkey::Memory;
/// use rowkey::nonblocking::{AsyncTable, Unblock};
/// # futures_lite::future::block_on(async {
///
/// // With an engine on disk: Unblock::new(rowkey_fjall::Fjall::open(path)?)
/// let db = Unblock::new(Memory::new());
/// let names: AsyncTable<u64, String, _> = AsyncTable::open(&db, "names").await?;
/// names.put(&7, &"Ada".into()).await?;
/// assert_eq!(names.get(&7).await?.as_deref(), Some("Ada"));
/// # Ok::<(), rowkey::Error>(()) }).unwrap();
/// ```
pub struct Unblock<T: ?Sized> {
    place: Place,
    engine: Arc<T>,
}

impl<T: ?Sized> Clone for Unblock<T> {
    fn clone(&self) -> Self {
        Self { place: self.place, engine: Arc::clone(&self.engine) }
    }
}

impl<T: ?Sized> fmt::Debug for Unblock<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Unblock").field("place", &self.place).finish_non_exhaustive()
    }
}

impl<T> Unblock<T> {
    /// An engine whose calls run in the thread pool.
    pub fn new(engine: T) -> Self {
        Self { place: Place::Pool, engine: Arc::new(engine) }
    }

    /// An engine whose calls run where their futures are polled: for one that never waits, such as
    /// [`Memory`](crate::Memory). A scan lets other tasks go on between two batches.
    pub fn in_place(engine: T) -> Self {
        Self { place: Place::Here, engine: Arc::new(engine) }
    }
}

impl<T: ?Sized + Send + Sync + 'static> Unblock<T> {
    /// The synchronous engine.
    pub fn get_ref(&self) -> &T {
        &self.engine
    }

    /// Runs synchronous code with the engine in the thread pool: transactions, secondary tables, migrations.
    ///
    /// The code runs to its end, even if the future is dropped once it has begun. It must not wait for a call of this
    /// or another `Unblock`. Options of this handle do not apply: give them to the tables that the code uses.
    ///
    /// ```
    /// use rowkey::nonblocking::Unblock;
    /// use rowkey::store::{Batch, Database};
    /// use rowkey::{Memory, RowValue};
    /// # futures_lite::future::block_on(async {
    ///
    /// let db = Unblock::new(Memory::new());
    /// db.run(|db| {
    ///     let accounts = db.table("accounts")?;
    ///     accounts.write(Batch::new().put("ada", "3"))?;
    ///     accounts.transact(&mut |view| {
    ///         let mut moved = Batch::new();
    ///         moved.put("bob", view.get(b"ada")?.unwrap_or_default()).delete("ada");
    ///         Ok(moved)
    ///     })
    /// })
    /// .await?;
    /// # Ok::<(), rowkey::Error>(()) }).unwrap();
    /// ```
    ///
    /// # Errors
    ///
    /// The code's error; [`Error::Engine`] if it panics.
    pub fn run<R: Send + 'static>(
        &self,
        code: impl FnOnce(&T) -> Result<R, Error> + Send + 'static,
    ) -> impl Future<Output = Result<R, Error>> + Send + 'static {
        let engine = Arc::clone(&self.engine);
        async move { pool::run(move || code(&engine)).await }
    }

    fn on_same<U: ?Sized>(&self, engine: Arc<U>) -> Unblock<U> {
        Unblock { place: self.place, engine }
    }

    /// Runs a call of a face of the engine, to this table or these, within the bounds of the handle.
    fn on<'s, H: Handle + ?Sized + 'static, R: Send + 'static>(
        &'s self,
        face: fn(&Arc<T>) -> &H,
        does: Does,
        table: impl Into<Cow<'s, str>>,
        call: impl FnOnce(&H) -> Result<R, Error> + Send + 'static,
    ) -> StoreFuture<'s, R> {
        let (engine, table) = (Arc::clone(&self.engine), table.into());
        Box::pin(async move {
            pool::call(self.place, face(&self.engine).call_options(), does, &table, move |bounds| match bounds {
                None => call(face(&engine)),
                Some(bounds) => call(&face(&engine).with_call_options(&bounds)),
            })
            .await
        })
    }
}
