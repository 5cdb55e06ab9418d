//! Writes inside a closure that is itself part of a write: found, and refused.
//!
//! A thread that is in such a closure (the body of a transaction, what [`Table::update`](crate::Table::update) calls) has
//! entered its database. A write to the same engine by the same thread would wait for the lock that the thread holds, or
//! change what the closure was called with; so whatever writes asks first.

use std::cell::RefCell;
use std::marker::PhantomData;

use super::id::{DatabaseId, TableId};
use crate::store::error::Error;

thread_local! {
    /// The engines that this thread has entered, each as often as it did.
    static ENTERED: RefCell<Vec<u64>> = const { RefCell::new(Vec::new()) };
}

impl DatabaseId {
    /// Marks that this thread is in a closure that belongs to a write to this database. Until the guard is dropped,
    /// [`check_write`](Self::check_write) refuses the thread's writes to it, whatever handle they go through. An engine
    /// enters before it calls the body of a transaction, and leaves before it applies what the body returned.
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
        // A thread that is ending keeps no list any more, and runs no closure but its own destructors.
        let _ = ENTERED.try_with(|entered| entered.borrow_mut().push(self.engine));
        Entered { engine: self.engine, of_this_thread: PhantomData }
    }

    /// Whether this thread may write to the database: an engine asks before it takes a lock, in every method that writes,
    /// opens a transaction, or makes or drops a table. `tables` are named in the error.
    ///
    /// # Errors
    ///
    /// [`Error::Reentrant`] inside a closure that belongs to a write to the same engine.
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
    /// Whether this thread may write to the table, as [`DatabaseId::check_write`].
    ///
    /// # Errors
    ///
    /// [`Error::Reentrant`] inside a closure that belongs to a write to the same engine.
    #[inline]
    pub fn check_write(&self) -> Result<(), Error> {
        self.database().check_write([self.name()])
    }
}

#[cold]
fn reentrant<'t>(tables: impl IntoIterator<Item = &'t str>) -> Error {
    Error::Reentrant { tables: tables.into_iter().map(str::to_owned).collect() }
}

/// A thread is in a closure that belongs to a write, until this is dropped: [`DatabaseId::enter`].
#[derive(Debug)]
#[must_use = "the thread has left the closure when this is dropped"]
pub struct Entered {
    engine: u64,
    /// It is not sent to another thread, whose list is another.
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

/// What a thread has entered, for threads that work for it: it waits for them, so they must not wait for it.
#[derive(Clone)]
pub(crate) struct Inherited(Vec<u64>);

impl Inherited {
    /// What this thread has entered.
    pub(crate) fn of_this_thread() -> Self {
        Self(ENTERED.try_with(|entered| entered.borrow().clone()).unwrap_or_default())
    }

    /// Enters the same in this thread, for good: it is the start of one that works for another.
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
