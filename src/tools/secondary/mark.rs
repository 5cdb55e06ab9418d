//! Writes to one secondary row without transactions: the write of a primary row sets a mark before, and removes it
//! after.

use std::time::Duration;

use super::claim::{Claim, Claims, State};
use super::follow::Follower;
use crate::store::Store;
use crate::store::error::Error;
use crate::tools::token::Token;

/// Number of times, a millisecond apart, that a write checks again whether another write still claims the same key.
pub(super) const LOOKS: u32 = 20;

/// The change that a write is about to make to a secondary row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mark {
    /// The primary row gets the key.
    Claim,
    /// The primary row has the key, and leaves it or changes its value.
    Change,
}

/// A secondary row and a primary one.
#[derive(Clone, Copy)]
pub(super) struct Pair<'p> {
    pub(super) rows: &'p dyn Store,
    pub(super) follower: &'p Follower,
    /// The secondary key.
    pub(super) entry: &'p [u8],
    /// The primary row's key.
    pub(super) key: &'p [u8],
    pub(super) timeout: Duration,
}

impl Pair<'_> {
    /// Marks the secondary row before a write.
    ///
    /// # Errors
    ///
    /// If the write is to claim the key: [`Error::SecondaryConflict`] if another row has it, [`Error::SecondaryBusy`]
    /// if another row is about to have it for `looks` milliseconds.
    pub(super) fn mark(&self, mark: Mark, token: Token, mut looks: u32) -> Result<(), Error> {
        loop {
            let (stored, mut claims) = self.read()?;
            let state = match mark {
                Mark::Change => State::Changing(token),
                Mark::Claim => {
                    if let Some((other, under_way)) = self.holder(&claims)? {
                        if !under_way {
                            return Err(self.follower.conflict(self.entry, &other, self.key));
                        }
                        if looks == 0 {
                            return Err(self.follower.busy(self.entry, &other, self.key));
                        }
                        looks -= 1;
                        let call = self.rows.options().begin("write", &self.follower.name)?;
                        call.sleep(Duration::from_millis(1))?;
                        continue;
                    }
                    // By this a writer that stalled finds out that another row has the key.
                    claims.0.retain(|claim| claim.primary == self.key || self.is_foreign_change(claim));
                    State::UnderWay(token)
                }
            };
            claims.0.push(Claim { state, primary: self.key.to_vec(), value: Vec::new() });
            if self.write(stored.as_deref(), &claims)? {
                return Ok(());
            }
        }
    }

    /// Removes the mark of a write that did not happen.
    pub(super) fn withdraw(&self, token: Token) -> Result<(), Error> {
        loop {
            let (stored, mut claims) = self.read()?;
            let before = claims.0.len();
            claims.0.retain(|claim| claim.mark() != Some(token));
            if claims.0.len() == before || self.write(stored.as_deref(), &claims)? {
                return Ok(());
            }
        }
    }

    /// Finishes a write, after the primary row was written: removes the mark, and makes the row's claims what follows
    /// from it as it is now. Returns whether that was possible. It is not if another row has the key, unless `insist`
    /// puts the claim next to that row's.
    ///
    /// # Errors
    ///
    /// [`Error::SecondaryConflict`] or [`Error::SecondaryBusy`] if the write has claimed the key, its mark was treated
    /// as that of a killed writer, and another row has the key by now, or is about to.
    pub(super) fn finish(&self, mark: Mark, mut token: Token, insist: bool) -> Result<bool, Error> {
        loop {
            let (stored, claims) = self.read()?;
            if claims.0.iter().all(|claim| claim.mark() != Some(token)) {
                token = Token::new();
                self.mark(if insist { Mark::Change } else { mark }, token, 0)?;
                continue;
            }
            let (settled, held) = self.settled(&claims, token, insist)?;
            if self.write(stored.as_deref(), &settled)? {
                return Ok(held);
            }
        }
    }

    /// Repairs the row's claims, as a write of the row would. Returns `false` if another row has the key.
    pub(super) fn repair(&self) -> Result<bool, Error> {
        let token = Token::new();
        self.mark(Mark::Change, token, 0)?;
        self.finish(Mark::Change, token, false)
    }

    /// The error if two rows have the key.
    pub(super) fn duplicate(&self) -> Result<Option<Error>, Error> {
        let (_, claims) = self.read()?;
        if self.derived(self.key)?.is_none() {
            return Ok(None);
        }
        Ok(self.holder(&claims)?.map(|(holder, _)| Error::SecondaryDuplicate {
            table: (*self.follower.name).into(),
            key: self.entry.to_vec(),
            holder,
            claimant: self.key.to_vec(),
        }))
    }

    fn settled(&self, claims: &Claims, token: Token, insist: bool) -> Result<(Claims, bool), Error> {
        // Read after the claims: whoever changes the row meanwhile changes the claims, and this is repeated.
        let due = self.derived(self.key)?;
        let is_own = |claim: &Claim| claim.primary == self.key;
        let to_be_placed = due.is_some() && !claims.0.iter().any(|claim| is_own(claim) && claim.claims());
        let held_by_another = to_be_placed && self.holder(claims)?.is_some();
        let mut done = due.filter(|_| insist || !held_by_another).map(|value| Claim {
            state: State::Done(token),
            primary: self.key.to_vec(),
            value,
        });
        let mut settled = Vec::with_capacity(claims.0.len());
        for claim in &claims.0 {
            if !is_own(claim) {
                let goes = to_be_placed && !held_by_another && !self.is_foreign_change(claim);
                settled.extend((!goes).then(|| claim.clone()));
                continue;
            }
            if claim.claims() {
                settled.extend(done.take());
            }
            // By its own mark another write of the same row sees that this one has finished.
            if claim.mark() != Some(token) && claim.is_under_way(self.timeout) {
                settled.push(Claim { value: token.to_bytes().to_vec(), ..claim.clone() });
            }
        }
        settled.extend(done);
        Ok((Claims(settled), !held_by_another))
    }

    /// Another row that has the key, and whether it is only about to have it.
    fn holder(&self, claims: &Claims) -> Result<Option<(Vec<u8>, bool)>, Error> {
        for claim in claims.0.iter().filter(|claim| claim.primary != self.key && claim.claims()) {
            if self.derived(&claim.primary)?.is_some() {
                return Ok(Some((claim.primary.clone(), false)));
            }
            if claim.is_under_way(self.timeout) {
                return Ok(Some((claim.primary.clone(), true)));
            }
        }
        Ok(None)
    }

    /// Returns whether it is a mark, not a claim, of another row, which that row's writer removes.
    fn is_foreign_change(&self, claim: &Claim) -> bool {
        claim.primary != self.key && !claim.claims() && claim.is_under_way(self.timeout)
    }

    fn derived(&self, key: &[u8]) -> Result<Option<Vec<u8>>, Error> {
        self.follower.derived(self.rows, key, self.entry)
    }

    fn read(&self) -> Result<(Option<Vec<u8>>, Claims), Error> {
        let stored = self.follower.store.get(self.entry)?;
        let claims = self.follower.claims(self.entry, stored.as_deref())?;
        Ok((stored, claims))
    }

    fn write(&self, stored: Option<&[u8]>, claims: &Claims) -> Result<bool, Error> {
        self.follower.store.compare_and_write(self.entry, stored, claims.to_bytes().as_deref())
    }
}
