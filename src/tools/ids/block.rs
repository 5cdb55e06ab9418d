//! Numbers from a counter in a store, reserved block by block.

use std::ops::Range;
use std::sync::Mutex;

use super::IdError;
use crate::store::Store;
use crate::store::error::Error;
use crate::store::options::Within;

/// Unique numbers from 0 on. Each is returned once, across all threads, processes and machines that count at the same
/// key.
///
/// A handle reserves `block` numbers with one [`Store::increment`] and returns them from memory, in order. Across
/// handles there is no order, only uniqueness. There are gaps: numbers that a handle has reserved and not returned are
/// lost when it is dropped or its process ends, and so is a block whose increment failed after it was applied.
///
/// The counter's row holds the first number that no handle has reserved. If anybody writes another value there, or
/// deletes it, numbers can repeat.
///
/// ```
/// use rowkey::Memory;
/// use rowkey::ids::BlockCounter;
/// use rowkey::store::Database;
///
/// let store = Memory::new().table("counters")?;
/// let (here, there) = (BlockCounter::new(store.clone(), "orders", 100)?, BlockCounter::new(store, "orders", 100)?);
/// assert_eq!((here.next()?, here.next()?), (0, 1));
/// assert_eq!((there.next()?, here.next()?), (100, 2));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
#[doc(alias = "sequence")]
#[doc(alias = "auto increment")]
pub struct BlockCounter<S> {
    store: S,
    key: Vec<u8>,
    block: u32,
    taken: Mutex<Taken>,
}

#[derive(Debug)]
enum Taken {
    Numbers(Range<i64>),
    /// The counter's value when no numbers were left. It is not read again, as reading it increments it.
    Spent(i64),
}

impl<S: Store> BlockCounter<S> {
    /// A counter at `key`, from which `block` numbers are reserved at a time. Handles may have different blocks.
    ///
    /// # Errors
    /// [`IdError::EmptyBlock`] if `block` is 0; as [`IdError::Store`], [`Error::EmptyKey`], and [`Error::Unsupported`]
    /// if the store has no increment.
    pub fn new(store: S, key: impl Into<Vec<u8>>, block: u32) -> Result<Self, IdError> {
        let key = key.into();
        crate::store::check_key(&key)?;
        if !store.guarantees().increment {
            return Err(Error::Unsupported("increment").into());
        }
        if block == 0 {
            return Err(IdError::EmptyBlock);
        }
        Ok(Self { store, key, block, taken: Mutex::new(Taken::Numbers(0..0)) })
    }

    /// Returns the next number.
    ///
    /// # Errors
    /// The store's error, as [`IdError::Store`]; the next call tries again. [`IdError::Spent`] if the counter is beyond
    /// `i64::MAX` or below zero; then this handle returns nothing else.
    pub fn next(&self) -> Result<u64, IdError> {
        // Another thread may hold the lock while it waits for the store.
        let call = self.store.options().begin("increment", self.store.id().name())?;
        let mut taken = call.lock_mutex(&self.taken)?;
        loop {
            match &mut *taken {
                &mut Taken::Spent(value) => return Err(IdError::Spent { value }),
                Taken::Numbers(numbers) => {
                    if let Some(number) = numbers.next() {
                        return Ok(number as u64);
                    }
                }
            }
            let store = Within::options(&self.store as &dyn Store, &call.rest());
            let end = store.increment(&self.key, self.block.into())?;
            *taken = match end.checked_sub(self.block.into()) {
                Some(start @ 0..) => Taken::Numbers(start..end),
                _ => Taken::Spent(end),
            };
        }
    }
}
