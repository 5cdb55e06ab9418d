//! The lock of a row, without transactions: the one place in which a write to two tables is decided.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::phase::TABLE;
use super::tables::{Core, Keys, Pair};
use crate::keys::error::Hex;
use crate::store::Store;
use crate::store::error::{CommitPoint, Error, ErrorKind};
use crate::store::phase::Phase;
use crate::tools::token::Token;

/// The row that each table is to have; `Some(None)` is no row. `None` leaves the table alone.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Due {
    pub(super) old: Option<Option<Vec<u8>>>,
    pub(super) new: Option<Option<Vec<u8>>>,
}

/// The value of a lock's row.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Lock {
    holder: Option<Token>,
    /// The rows after the last committed write: none, some or all of it may be done.
    due: Due,
    /// Writers that lost the lock after a commit, and may still write the tables late.
    late: Vec<Token>,
    /// A lock of the first form, which does not say what is due. Its writer may have written the old table and not the
    /// new one.
    plain: bool,
}

const VERSION: u8 = 1;

impl Lock {
    fn is_due(&self) -> bool {
        self.due != Due::default()
    }

    /// The lock after another writer takes it over, whose own earlier tokens are `mine`.
    fn taken_by(self, token: Token, mine: &[Token]) -> Self {
        let mut late = self.late;
        if self.due != Due::default() {
            late.extend(self.holder);
        }
        late.retain(|late| !mine.contains(late));
        Self { holder: Some(token), late, ..self }
    }

    /// The lock after its holder releases it, or `None`. Its row stays while there are late writers.
    fn given_back(&self) -> Option<Self> {
        (!self.late.is_empty()).then(|| Self { holder: None, ..self.clone() })
    }

    /// ```text
    /// token (16 bytes)                                                     the first form
    /// 01 │ 00, or 01 and the holder's token │ number, tokens of late ones │ old row │ new row
    /// ```
    ///
    /// A due row is 00 (left alone), 01 (deleted), or 02, length, value. Numbers and lengths have 8 bytes. No lock of
    /// the second form has 16 bytes.
    fn to_bytes(&self) -> Vec<u8> {
        if let (true, Some(holder)) = (self.plain, self.holder) {
            return holder.to_bytes().to_vec();
        }
        let mut bytes = vec![VERSION, u8::from(self.holder.is_some())];
        bytes.extend(self.holder.into_iter().flat_map(Token::to_bytes));
        bytes.extend((self.late.len() as u64).to_be_bytes());
        bytes.extend(self.late.iter().flat_map(|late| late.to_bytes()));
        for due in [&self.due.old, &self.due.new] {
            match due {
                None => bytes.push(0),
                Some(None) => bytes.push(1),
                Some(Some(value)) => {
                    bytes.push(2);
                    bytes.extend((value.len() as u64).to_be_bytes());
                    bytes.extend(value);
                }
            }
        }
        bytes
    }

    fn parse(bytes: &[u8]) -> Option<Self> {
        if let Ok(token) = bytes.try_into() {
            return Some(Self { holder: Some(Token::from_bytes(token)), plain: true, ..Self::default() });
        }
        let mut bytes = bytes.strip_prefix(&[VERSION])?;
        let holder = match take::<1>(&mut bytes)? {
            [0] => None,
            [1] => Some(Token::from_bytes(take(&mut bytes)?)),
            _ => return None,
        };
        let late = (0..u64::from_be_bytes(take(&mut bytes)?)).map(|_| Some(Token::from_bytes(take(&mut bytes)?)));
        let late = late.collect::<Option<_>>()?;
        let mut row = || match take::<1>(&mut bytes)? {
            [0] => Some(None),
            [1] => Some(Some(None)),
            [2] => {
                let len = usize::try_from(u64::from_be_bytes(take(&mut bytes)?)).ok()?;
                let (value, rest) = bytes.split_at_checked(len)?;
                bytes = rest;
                Some(Some(Some(value.to_vec())))
            }
            _ => None,
        };
        let due = Due { old: row()?, new: row()? };
        bytes.is_empty().then_some(Self { holder, due, late, plain: false })
    }
}

fn take<const N: usize>(bytes: &mut &[u8]) -> Option<[u8; N]> {
    let (taken, rest) = bytes.split_first_chunk()?;
    *bytes = rest;
    Some(*taken)
}

/// The time that a writer sleeps before it checks again whether a lock is free.
const NAP: Duration = Duration::from_micros(200);

/// A row of both tables, for a writer that locks it, writes it, and releases it.
pub(super) struct LockedRow<'r> {
    core: Core<'r>,
    keys: Keys<'r>,
    locks: Arc<dyn Store>,
    key: Vec<u8>,
    held: Lock,
    /// The tokens with which this writer lost the lock after a commit.
    mine: Vec<Token>,
}

impl<'r> LockedRow<'r> {
    pub(super) fn new(core: Core<'r>, keys: Keys<'r>) -> Result<Self, Error> {
        // A closure of the lock's own holder would wait for itself.
        core.db().id().check_write([TABLE])?;
        let (locks, key) = (core.db().table(TABLE)?, core.lock_key(keys.0));
        Ok(Self { core, keys, locks, key, held: Lock::default(), mine: Vec::new() })
    }

    /// Locks the row, completes what is due, and returns the phase. The phase is read under the lock: a barrier that is
    /// set later takes this lock before it opens.
    pub(super) fn take(&mut self) -> Result<Phase, Error> {
        loop {
            let came_late = !self.mine.is_empty();
            self.acquire()?;
            let phase = match self.core.kept.state() {
                Ok(state) => state.phase,
                // Whoever takes over the lock completes what is due.
                Err(error) if self.held.is_due() || self.held.plain => return Err(error),
                Err(error) => return self.give_back().and(Err(error)),
            };
            if came_late {
                // This writer may have created a table again that was dropped meanwhile.
                self.core.drop_moved(phase)?;
            }
            if self.complete(phase)? {
                return Ok(phase);
            }
        }
    }

    fn acquire(&mut self) -> Result<(), Error> {
        // Since when this writer waits for a holder: the holder's clock may be ahead, and its token young for long.
        let mut waits: Option<(Token, Instant)> = None;
        loop {
            let token = Token::new();
            let first = Lock { holder: Some(token), ..Lock::default() };
            if self.locks.compare_and_write(&self.key, None, Some(&first.to_bytes()))? {
                self.held = first;
                break;
            }
            let Some((bytes, found)) = self.stored()? else { continue };
            if let Some(holder) = found.holder.filter(|holder| !holder.is_older_than(self.core.timeout)) {
                let since = waits.filter(|(before, _)| *before == holder).map_or_else(Instant::now, |(_, since)| since);
                if since.elapsed() < self.core.timeout {
                    waits = Some((holder, since));
                    self.core.db().options().begin("write", self.core.new_name)?.sleep(NAP)?;
                    continue;
                }
            }
            let taken = found.taken_by(token, &self.mine);
            if self.locks.compare_and_write(&self.key, Some(&bytes), Some(&taken.to_bytes()))? {
                self.held = taken;
                break;
            }
        }
        // Late writes of this writer are applied by now. If one is wrong, `complete` corrects it.
        self.mine.clear();
        Ok(())
    }

    fn stored(&self) -> Result<Option<(Vec<u8>, Lock)>, Error> {
        let Some(bytes) = self.locks.get(&self.key)? else { return Ok(None) };
        let unreadable = || self.core.kept.error(format!("the lock of old key {} can't be read", Hex(self.keys.0)));
        let lock = Lock::parse(&bytes).ok_or_else(unreadable)?;
        Ok(Some((bytes, lock)))
    }

    /// Completes what an earlier holder left; `false` if the lock was lost.
    fn complete(&mut self, phase: Phase) -> Result<bool, Error> {
        if self.held.plain && phase.has_both() {
            let found = self.rows(phase)?;
            let compared = self.core.compare(self.keys.0, &found)?;
            if compared.kind.is_some() {
                return Ok(self.decide(phase, Due { old: None, new: Some(compared.due) })? && self.apply(phase, None)?);
            }
        }
        self.apply(phase, None)
    }

    /// The row in the tables that the phase has.
    pub(super) fn rows(&self, phase: Phase) -> Result<Pair, Error> {
        // A row that was written late is not what was committed.
        let old = match &self.held.due.old {
            _ if !phase.has_old() => None,
            Some(due) => due.clone(),
            None => self.core.old_store()?.get(self.keys.0)?,
        };
        let new = match &self.held.due.new {
            _ if !phase.has_new() => None,
            Some(due) => due.clone(),
            None => self.core.new_store()?.get(self.keys.1)?,
        };
        Ok((old, new))
    }

    /// Changes the row from what was `found` to what is `due`, and releases the lock. `false` if the lock was lost
    /// before the commit: then nothing is written.
    ///
    /// Passes `commit` when it commits.
    pub(super) fn write(&mut self, phase: Phase, found: Pair, due: Due, commit: &CommitPoint) -> Result<bool, Error> {
        let same = |due: &Option<_>, found| due.as_ref().is_none_or(|due| due == found);
        if !self.held.is_due() && same(&due.old, &found.0) && same(&due.new, &found.1) {
            return self.give_back();
        }
        let decided = commit.decided(self.decide(phase, due))?;
        if decided {
            commit.pass();
            if self.apply(phase, Some(found))? {
                self.give_back()?;
            }
        }
        Ok(decided)
    }

    /// Commits: from here on the write takes place, whoever does it. `false` if the lock was lost.
    fn decide(&mut self, phase: Phase, due: Due) -> Result<bool, Error> {
        let mut decided = Lock { due, plain: false, ..self.held.clone() };
        // Late writers may still write a table that this write leaves alone.
        decided.due.old = decided.due.old.or_else(|| self.held.due.old.clone()).filter(|_| phase.has_old());
        decided.due.new = decided.due.new.or_else(|| self.held.due.new.clone()).filter(|_| phase.has_new());
        let done = self.locks.compare_and_write(&self.key, Some(&self.held.to_bytes()), Some(&decided.to_bytes()))?;
        if done {
            self.held = decided;
        } else {
            self.lost();
        }
        Ok(done)
    }

    /// Changes the rows from what was `found` to what is due. `false` if the lock was lost: whoever took it over does
    /// it.
    fn apply(&mut self, phase: Phase, found: Option<Pair>) -> Result<bool, Error> {
        let (old, new) = found.map_or((None, None), |(old, new)| (Some(old), Some(new)));
        let due = self.held.due.clone();
        if let Some(due) = due.old.filter(|_| phase.has_old())
            && !self.make(self.core.old_store()?, self.keys.0, old, due.as_deref())?
        {
            return Ok(false);
        }
        match due.new.filter(|_| phase.has_new()) {
            Some(due) => self.make(self.core.new_store()?, self.keys.1, new, due.as_deref()),
            None => Ok(true),
        }
    }

    fn make(
        &mut self,
        store: &dyn Store,
        key: &[u8],
        found: Option<Option<Vec<u8>>>,
        due: Option<&[u8]>,
    ) -> Result<bool, Error> {
        let mut found = found;
        loop {
            let written = match found.take().map_or_else(|| store.get(key), Ok) {
                Ok(found) if found.as_deref() == due => Ok(true),
                Ok(found) => store.compare_and_write(key, found.as_deref(), due),
                Err(error) => Err(error),
            };
            let missing = match written {
                Ok(true) => return Ok(true),
                Ok(false) => None,
                Err(error) if error.kind() == ErrorKind::NotFound => Some(error),
                Err(error) => return Err(error),
            };
            // The writer that took over the lock wrote the row, or a late one did; the table may have been dropped
            // since.
            if self.stored()?.is_none_or(|(_, stored)| stored.holder != self.held.holder) {
                self.lost();
                return Ok(false);
            }
            if let Some(missing) = missing {
                return Err(missing);
            }
        }
    }

    /// Releases the lock; `false` if it was lost.
    pub(super) fn give_back(&mut self) -> Result<bool, Error> {
        let after = self.held.given_back().map(|lock| lock.to_bytes());
        let held = self.locks.compare_and_write(&self.key, Some(&self.held.to_bytes()), after.as_deref())?;
        if !held {
            self.lost();
        }
        Ok(held)
    }

    /// Releases the lock after an `error` before the commit. If the lock was lost, that is no error, as what was read
    /// was out of date.
    pub(super) fn give_up(&mut self, error: Error) -> Result<(), Error> {
        match self.give_back() {
            Ok(false) => Ok(()),
            Ok(true) | Err(_) => Err(error),
        }
    }

    fn lost(&mut self) {
        if self.held.is_due() {
            self.mine.extend(self.held.holder);
        }
    }

    /// Ends a writer's work on the row. If it lost the lock, it may have written late: that is corrected, and its token
    /// leaves the list of late writers.
    pub(super) fn settle(mut self) -> Result<(), Error> {
        while !self.mine.is_empty() {
            let Some((_, stored)) = self.stored()? else { return Ok(()) };
            if !stored.late.iter().any(|late| self.mine.contains(late)) {
                return Ok(());
            }
            self.take()?;
            self.give_back()?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn locks_come_back_and_cut_ones_are_refused() {
        let rows = [None, Some(None), Some(Some(Vec::new())), Some(Some(b"value".to_vec()))];
        for holder in [None, Some(Token::new())] {
            for late in 0..3 {
                for old in &rows {
                    for new in &rows {
                        let late = (0..late).map(|_| Token::new()).collect();
                        let lock = Lock { holder, due: Due { old: old.clone(), new: new.clone() }, late, plain: false };
                        let bytes = lock.to_bytes();
                        if holder.is_some() || !lock.late.is_empty() {
                            assert_ne!(bytes.len(), 16);
                        }
                        for cut in (0..bytes.len()).filter(|cut| *cut != 16) {
                            assert_eq!(Lock::parse(&bytes[..cut]), None, "cut at {cut}");
                        }
                        assert_eq!(Lock::parse(&bytes), Some(lock));
                    }
                }
            }
        }
        let token = Token::new();
        let plain = Lock { holder: Some(token), plain: true, ..Lock::default() };
        assert_eq!(plain.to_bytes(), token.to_bytes());
        assert_eq!(Lock::parse(&token.to_bytes()), Some(plain));
        assert_eq!(Lock::parse(&[VERSION, 0, 255, 255, 255, 255, 255, 255, 255, 255, 0, 0]), None);
    }
}
