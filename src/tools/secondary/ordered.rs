//! Writes without transactions: marks on what will change, then the primary row, then the secondary rows.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::exact::Decide;
use super::follow::Follower;
use super::mark::{LOOKS, Mark, Pair};
use crate::store::Store;
use crate::store::error::Error;
use crate::tools::token::Token;

/// The new value of a row, from its old one.
type DecideRow<'d> = dyn FnMut(Option<&[u8]>) -> Result<Option<Vec<u8>>, Error> + 'd;

/// How long an unfinished write is treated as one under way, and not as that of a killed process.
pub(super) const WRITE_TIMEOUT: Duration = Duration::from_secs(60);

/// How often a write starts again if it is too old before it writes its row. If writes always take longer than the
/// time-out, it then goes on, and finds out afterwards whether another row has its keys.
const RESTARTS: u32 = 3;

/// The tables to write.
#[derive(Clone, Copy)]
pub(super) struct Writer<'w> {
    pub(super) rows: &'w dyn Store,
    pub(super) followers: &'w [Arc<Follower>],
    pub(super) timeout: Duration,
}

/// A write of one row.
struct Write<'w> {
    writer: Writer<'w>,
    key: &'w [u8],
    old: Option<Vec<u8>>,
    new: Option<Vec<u8>>,
    /// Claims come first, in all secondary tables, as they can be refused.
    touched: Vec<(&'w Follower, Vec<u8>, Mark)>,
    token: Token,
    started: Instant,
}

/// The outcome of a write.
enum Attempt {
    Written,
    /// Another writer has changed the row. Nothing is written.
    Changed,
    /// It may be treated as that of a killed process. Nothing is written.
    TooOld,
    /// It is written, and another row has one of its keys by now, which the error names.
    TooLate(Error),
}

impl<'w> Writer<'w> {
    /// Changes rows with distinct keys, one by one.
    pub(super) fn change(self, keys: &[Vec<u8>], decide: &mut Decide<'_>) -> Result<(), Error> {
        keys.iter().enumerate().try_for_each(|(at, key)| self.change_row(key, &mut |old| decide(at, old)))
    }

    fn change_row(self, key: &[u8], decide: &mut DecideRow<'_>) -> Result<(), Error> {
        crate::store::check_key(key)?;
        let mut restarts = RESTARTS;
        loop {
            let old = self.rows.get(key)?;
            let new = decide(old.as_deref())?;
            let write = Write::new(self, key, old, new)?;
            match write.attempt(restarts > 0)? {
                Attempt::Written => return Ok(()),
                Attempt::Changed => {}
                Attempt::TooOld => restarts -= 1,
                Attempt::TooLate(conflict) => return write.take_back(conflict),
            }
        }
    }
}

impl<'w> Write<'w> {
    fn new(writer: Writer<'w>, key: &'w [u8], old: Option<Vec<u8>>, new: Option<Vec<u8>>) -> Result<Self, Error> {
        let started = Instant::now();
        let (mut claimed, mut changed) = (Vec::new(), Vec::new());
        for follower in writer.followers {
            let before = follower.entries(key, old.as_deref())?;
            let after = follower.entries(key, new.as_deref())?;
            let left = before.keys().filter(|entry| !after.contains_key(*entry)).cloned();
            changed.extend(left.map(|entry| (&**follower, entry, Mark::Change)));
            for (entry, value) in after {
                match before.get(&entry) {
                    None => claimed.push((&**follower, entry, Mark::Claim)),
                    Some(old) if *old != value => changed.push((&**follower, entry, Mark::Change)),
                    Some(_) => {}
                }
            }
        }
        claimed.extend(changed);
        Ok(Self { writer, key, old, new, touched: claimed, token: Token::new(), started })
    }

    fn pairs(&self) -> impl Iterator<Item = (Pair<'_>, Mark)> {
        let Writer { rows, timeout, .. } = self.writer;
        self.touched
            .iter()
            .map(move |&(follower, ref entry, mark)| (Pair { rows, follower, entry, key: self.key, timeout }, mark))
    }

    fn attempt(&self, may_restart: bool) -> Result<Attempt, Error> {
        for (marked, (pair, mark)) in self.pairs().enumerate() {
            if let Err(error) = pair.mark(mark, self.token, LOOKS) {
                self.withdraw(marked + 1)?;
                return Err(error);
            }
        }
        if may_restart && self.started.elapsed() >= self.writer.timeout {
            return self.withdraw(self.touched.len()).map(|()| Attempt::TooOld);
        }
        if !self.writer.rows.compare_and_write(self.key, self.old.as_deref(), self.new.as_deref())? {
            return self.withdraw(self.touched.len()).map(|()| Attempt::Changed);
        }
        for (pair, mark) in self.pairs() {
            match pair.finish(mark, self.token, false) {
                Err(conflict @ Error::SecondaryConflict { .. }) => return Ok(Attempt::TooLate(conflict)),
                finished => finished?,
            };
        }
        Ok(Attempt::Written)
    }

    /// Removes the first marks.
    fn withdraw(&self, marked: usize) -> Result<(), Error> {
        self.pairs().take(marked).try_for_each(|(pair, _)| pair.withdraw(self.token))
    }

    /// After a write that was too late: writes the row back to what it was, as any other write.
    fn take_back(self, conflict: Error) -> Result<(), Error> {
        let back = Self::new(self.writer, self.key, self.new.clone(), self.old.clone())?;
        let taken_back = match back.attempt(false) {
            Ok(attempt) => matches!(attempt, Attempt::Written),
            // An old key belongs to another row by now.
            Err(Error::SecondaryConflict { .. }) => false,
            Err(error) => return Err(error),
        };
        for write in [&self, &back] {
            write.pairs().try_for_each(|(pair, mark)| pair.finish(mark, write.token, true).map(drop))?;
        }
        if taken_back {
            return Err(conflict);
        }
        for (pair, _) in self.pairs().chain(back.pairs()) {
            if let Some(duplicate) = pair.duplicate()? {
                return Err(duplicate);
            }
        }
        // Another writer has changed the row since, or the other row gave up the key.
        Ok(())
    }
}
