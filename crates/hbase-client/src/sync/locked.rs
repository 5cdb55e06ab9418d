//! A mutex that a panic does not poison.

use std::sync::{Mutex, MutexGuard, PoisonError};

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
