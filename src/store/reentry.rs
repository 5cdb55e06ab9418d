//! Detects writes inside a closure that is itself part of a write, and refuses them.
//!
//! While a thread runs such a closure (the body of a transaction, the closure of
//! [`Table::update`](crate::Table::update)) it has *entered* its database. A write to the same engine by the same
//! thread would deadlock on the lock that the thread holds, or change what the closure was called with. So every method
//! that writes checks first.

use std::cell::RefCell;
use std::marker::PhantomData;

use super::id::{DatabaseId, TableId};
use crate::store::error::Error;

thread_local! {
    /// The engines that this thread has entered, one entry for each time.
    static ENTERED: RefCell<Vec<u64>> = const { RefCell::new(Vec::new()) };
}

impl DatabaseId {
    /// Marks that this thread runs a closure that is part of a write to this database. Until the guard is dropped,
    /// [`check_write`](Self::check_write) refuses the thread's writes to the database, through any handle. For authors
    /// of engines: enter before the body of a transaction is called, and drop the guard before the returned batch is
    /// applied.
    ///
    /// ```
    /// use rowkey::store::{Batch, Database, Store};
    /// use rowkey::{Error, Memory};
    ///
    /// let db = Memory::new();
    /// let table = db.table("t")?;
    /// let entered = db.id().enter();
    /// assert!(matches!(table.write(Batch::new().put("k", "v")), Err(Error::Reentrant { .. })));
    /// drop(entered);
    /// table.write(Batch::new().put("k", "v"))?;
    /// # Ok::<(), rowkey::Error>(())
    /// ```
    pub fn enter(self) -> Entered {
        // A thread that is ending has no list any more, and runs no closure but its own destructors.
        let _ = ENTERED.try_with(|entered| entered.borrow_mut().push(self.engine));
        Entered { engine: self.engine, of_this_thread: PhantomData }
    }

    /// Checks that this thread may write to the database. For authors of engines, to call before a lock is taken, in
    /// every method that writes, opens a transaction, or creates or drops a table. The error names `tables`.
    ///
    /// # Errors
    ///
    /// [`Error::Reentrant`] inside a closure that is part of a write to the same engine.
    #[inline]
    pub fn check_write<'t>(self, tables: impl IntoIterator<Item = &'t str>) -> Result<(), Error> {
        if self.is_entered() { Err(reentrant(tables)) } else { Ok(()) }
    }

    #[inline]
    fn is_entered(self) -> bool {
        ENTERED.try_with(|entered| entered.borrow().contains(&self.engine)).unwrap_or(false)
    }
}

impl TableId {
    /// [`Error::NoSuchTable`] if the table [was dropped](Self::is_dropped).
    pub fn check_dropped(&self) -> Result<(), Error> {
        match self.is_dropped() {
            true => Err(Error::NoSuchTable(self.name().to_owned())),
            false => Ok(()),
        }
    }

    /// Checks that this thread may write to the table, as [`DatabaseId::check_write`].
    ///
    /// # Errors
    ///
    /// [`Error::Reentrant`] inside a closure that is part of a write to the same engine.
    #[inline]
    pub fn check_write(&self) -> Result<(), Error> {
        self.database().check_write([self.name()])
    }
}

#[cold]
fn reentrant<'t>(tables: impl IntoIterator<Item = &'t str>) -> Error {
    Error::Reentrant { tables: tables.into_iter().map(str::to_owned).collect() }
}

/// Guard of [`DatabaseId::enter`]: while it lives, this thread runs a closure that is part of a write.
#[derive(Debug)]
#[must_use = "the thread has left the closure when this is dropped"]
pub struct Entered {
    engine: u64,
    /// Not `Send`: the list is per thread.
    of_this_thread: PhantomData<*const ()>,
}

impl Drop for Entered {
    fn drop(&mut self) {
        let _ = ENTERED.try_with(|entered| {
            let mut entered = entered.borrow_mut();
            if let Some(at) = entered.iter().rposition(|&engine| engine == self.engine) {
                entered.remove(at);
            }
        });
    }
}

/// The engines that a thread has entered, for the threads that work for it. It waits for them, so they must not wait
/// for its lock.
#[derive(Clone)]
pub(crate) struct Inherited(Vec<u64>);

impl Inherited {
    /// The engines that this thread has entered.
    pub(crate) fn of_this_thread() -> Self {
        Self(ENTERED.try_with(|entered| entered.borrow().clone()).unwrap_or_default())
    }

    /// Enters the same in this thread, until the guards are dropped.
    #[cfg(feature = "unblock")]
    pub(crate) fn for_now(self) -> Vec<Entered> {
        let enter = |engine: u64| {
            let _ = ENTERED.try_with(|entered| entered.borrow_mut().push(engine));
            Entered { engine, of_this_thread: PhantomData }
        };
        self.0.into_iter().map(enter).collect()
    }

    /// Enters the same in this thread, for good. To call at the start of a worker thread.
    pub(crate) fn enter(self) {
        let _ = ENTERED.try_with(|entered| entered.borrow_mut().extend(self.0));
    }
}

#[cfg(test)]
mod tests {
    use std::panic::{catch_unwind, resume_unwind};
    use std::thread;

    use super::*;

    fn may_write(id: DatabaseId) -> bool {
        match id.check_write(["t"]) {
            Ok(()) => true,
            Err(Error::Reentrant { tables }) => {
                assert_eq!(tables, ["t"]);
                false
            }
            Err(other) => panic!("{other}"),
        }
    }

    #[test]
    fn a_thread_is_inside_as_long_as_one_guard_is_held() {
        let (id, other) = (DatabaseId::unique(), DatabaseId::unique());
        let within = DatabaseId::within(&id.table("t"));
        assert!(may_write(id) && may_write(other) && may_write(within));
        let first = id.enter();
        let second = within.enter();
        let third = other.enter();
        drop(first);
        assert!(!may_write(id) && !may_write(within) && !may_write(other));
        drop(second);
        assert!(may_write(id) && may_write(within) && !may_write(other));
        drop(third);
        assert!(may_write(other));
    }

    #[test]
    fn a_thread_is_inside_by_itself() {
        let id = DatabaseId::unique();
        let _inside = id.enter();
        assert!(thread::scope(|scope| scope.spawn(|| may_write(id)).join()).unwrap());
        let inherited = Inherited::of_this_thread();
        let in_worker = || {
            inherited.enter();
            may_write(id)
        };
        assert!(!thread::scope(|scope| scope.spawn(in_worker).join()).unwrap());
    }

    #[test]
    fn a_panic_leaves_nothing_behind() {
        let id = DatabaseId::unique();
        let panicked = catch_unwind(|| {
            let _inside = id.enter();
            resume_unwind(Box::new("a closure's own"))
        });
        assert!(panicked.is_err() && may_write(id));
    }
}
