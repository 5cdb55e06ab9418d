//! Writes without transactions: marks on what will change, then the primary row, then the secondary rows.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::exact::Decide;
use super::follow::Follower;
use super::mark::{LOOKS, Mark, Pair};
use crate::store::Store;
use crate::store::error::{Error, ErrorKind, RowErrors};
use crate::tools::token::Token;

/// The new value of a row, from its old one.
type DecideRow<'d> = dyn FnMut(Option<&[u8]>) -> Result<Option<Vec<u8>>, Error> + 'd;

/// The time for which an unfinished write is treated as one under way, and not as that of a killed process.
pub(super) const WRITE_TIMEOUT: Duration = Duration::from_secs(60);

/// Maximum number of times that a write starts again if it is too old before it writes its row. If writes always take
/// longer than the timeout, it then goes on, and finds out afterwards whether another row has its keys.
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
    /// It is written, and another row has one of its keys by now, or is about to, which the error names.
    TooLate(Error),
}

impl<'w> Writer<'w> {
    /// Changes rows with distinct keys, one by one, and goes on after a failure.
    ///
    /// # Errors
    ///
    /// [`Error::Rows`] if some of several rows are written, or may be. With any other error none is.
    pub(super) fn change(self, keys: &[Vec<u8>], decide: &mut Decide<'_>) -> Result<(), Error> {
        let mut failed = RowErrors::new(keys.len());
        for (at, key) in keys.iter().enumerate() {
            if let Err(error) = self.change_row(key, &mut |old| decide(at, old)) {
                failed.push(at, self.rows.id().name(), key, error);
            }
        }
        let may_be_written = |error: &Error| {
            matches!(error, Error::SecondaryDuplicate { .. }) || error.kind() == ErrorKind::OutcomeUnknown
        };
        let is_any = failed.written() > 0 || failed.iter().any(|row| may_be_written(row.error()));
        if is_any || keys.is_empty() { failed.into_result() } else { Err(failed.into_first()) }
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
                Attempt::TooLate(refused) => {
                    let written = write.take_back().map_err(|error| self.after_commit(error))?;
                    return written.then_some(()).ok_or(refused);
                }
            }
        }
    }

    /// The error of a write whose row is written, unless it says that itself.
    fn after_commit(self, error: Error) -> Error {
        match error {
            duplicate @ Error::SecondaryDuplicate { .. } => duplicate,
            other => other.after_commit(self.rows.id().name()),
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

    /// # Errors
    ///
    /// [`Error::OutcomeUnknown`] if the row is written, or may be. With any other error it is not.
    fn attempt(&self, may_restart: bool) -> Result<Attempt, Error> {
        if let Err(error) = self.mark() {
            return Err(error.before_commit());
        }
        if may_restart && self.started.elapsed() >= self.writer.timeout {
            return self.withdraw(self.touched.len()).map(|()| Attempt::TooOld).map_err(Error::before_commit);
        }
        if !self.writer.rows.compare_and_write(self.key, self.old.as_deref(), self.new.as_deref())? {
            return self.withdraw(self.touched.len()).map(|()| Attempt::Changed).map_err(Error::before_commit);
        }
        match self.finish(false) {
            Ok(()) => Ok(Attempt::Written),
            Err(refused @ (Error::SecondaryConflict { .. } | Error::SecondaryBusy { .. })) => {
                Ok(Attempt::TooLate(refused))
            }
            Err(error) => Err(self.writer.after_commit(error)),
        }
    }

    fn mark(&self) -> Result<(), Error> {
        for (marked, (pair, mark)) in self.pairs().enumerate() {
            if let Err(error) = pair.mark(mark, self.token, LOOKS) {
                // Marks that stay, as this fails too, are treated as those of a killed process.
                let _ = self.withdraw(marked + 1);
                return Err(error);
            }
        }
        Ok(())
    }

    /// Removes the first marks.
    fn withdraw(&self, marked: usize) -> Result<(), Error> {
        self.pairs().take(marked).try_for_each(|(pair, _)| pair.withdraw(self.token))
    }

    fn finish(&self, insist: bool) -> Result<(), Error> {
        self.pairs().try_for_each(|(pair, mark)| pair.finish(mark, self.token, insist).map(drop))
    }

    /// After a write that was too late: writes the row back to what it was, as any other write. Returns whether the
    /// write stays all the same, because another writer has changed the row since, or the other row gave up the key.
    ///
    /// # Errors
    ///
    /// [`Error::SecondaryDuplicate`] if it stays, and two rows have a key.
    fn take_back(self) -> Result<bool, Error> {
        let back = Self::new(self.writer, self.key, self.new.clone(), self.old.clone())?;
        let taken_back = match back.attempt(false) {
            Ok(attempt) => matches!(attempt, Attempt::Written),
            // An old key belongs to another row by now, or is about to.
            Err(Error::SecondaryConflict { .. } | Error::SecondaryBusy { .. }) => false,
            Err(error) => return Err(error),
        };
        self.finish(true)?;
        back.finish(true)?;
        if taken_back {
            return Ok(false);
        }
        for (pair, _) in self.pairs().chain(back.pairs()) {
            if let Some(duplicate) = pair.duplicate()? {
                return Err(duplicate);
            }
        }
        Ok(true)
    }
}
