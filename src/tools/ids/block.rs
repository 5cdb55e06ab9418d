//! Numbers from a counter in a store, fetched block by block.

use std::ops::Range;
use std::sync::Mutex;

use super::IdError;
use crate::store::Store;
use crate::store::error::Error;
use crate::store::options::Within;

/// Numbers from 0 on that are given once each, to however many threads, processes and machines count at one key.
///
/// A handle takes `block` numbers from the counter by one [`Store::increment`] and gives them out from memory, in order. Across
/// handles there is no order, only that none is given twice. What a handle has not given when it is dropped, or its
/// process ends, is lost, and so is a block whose increment failed after it was made: numbers have gaps.
///
/// The counter's row holds the first number that no handle has taken. Who writes another value there, or deletes it, has
/// numbers given again.
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
pub struct BlockCounter<S> {
    store: S,
    key: Vec<u8>,
    block: u32,
    taken: Mutex<Taken>,
}

#[derive(Debug)]
enum Taken {
    Numbers(Range<i64>),
    /// The counter's value when there were no numbers left. It is not asked again, as asking moves it on.
    Spent(i64),
}

impl<S: Store> BlockCounter<S> {
    /// The counter at `key`, from which `block` numbers are taken at a time. Handles may differ in it.
    ///
    /// # Errors
    /// [`IdError::EmptyBlock`] if `block` is 0; [`Error::EmptyKey`] and, where the store can't increment,
    /// [`Error::Unsupported`], as [`IdError::Store`].
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

    /// The next number.
    ///
    /// # Errors
    /// What the store answers, as [`IdError::Store`]; the next call asks it again. [`IdError::Spent`] if the counter has gone past
    /// `i64::MAX` or stands below zero; this handle then answers nothing else, and never takes a number twice.
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
