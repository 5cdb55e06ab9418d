//! Parts that tasks share: a mutex that a panic does not poison, and work in tasks of their own.

use std::sync::{Mutex, MutexGuard, PoisonError};

use rowkey_retry::Work;

/// A mutex that is held for a few instructions, none of which leaves the value half changed: a panic elsewhere doesn't
/// matter to it.
#[derive(Debug, Default)]
pub(crate) struct Locked<T>(Mutex<T>);

impl<T> Locked<T> {
    pub(crate) fn new(value: T) -> Self {
        Self(Mutex::new(value))
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, T> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Has a task of the current runtime do the work.
pub(crate) fn spawn(work: Work) {
    tokio::spawn(work);
}
