//! Writes where there is compare-and-write alone: new claims, then the primary row, then the claims that are left over.

use std::sync::Arc;
use std::thread;
use std::time::Duration;

use super::claim::{Claim, Claims, State, Token};
use super::exact::Decide;
use super::follow::{Entries, Follower, Live};
use crate::error::Error;
use crate::store::Store;

/// What becomes of a row, by what it was.
type DecideRow<'d> = dyn FnMut(Option<&[u8]>) -> Result<Option<Vec<u8>>, Error> + 'd;

/// How long a write that is not finished is taken for one under way, and not for one that was cut off.
pub(super) const WRITE_TIMEOUT: Duration = Duration::from_secs(60);

/// How often, a millisecond apart, a write looks again whether another one under way claims the same key.
const LOOKS: u32 = 20;

/// Changes rows of distinct keys, one by one.
pub(super) fn change(
    rows: &dyn Store,
    followers: &[Arc<Follower>],
    timeout: Duration,
    keys: &[Vec<u8>],
    decide: &mut Decide<'_>,
) -> Result<(), Error> {
    for (at, key) in keys.iter().enumerate() {
        change_row(rows, followers, timeout, key, &mut |old| decide(at, old))?;
    }
    Ok(())
}

fn change_row(
    rows: &dyn Store,
    followers: &[Arc<Follower>],
    timeout: Duration,
    key: &[u8],
    decide: &mut DecideRow<'_>,
) -> Result<(), Error> {
    crate::store::check_key(key)?;
    loop {
        let old = rows.get(key)?;
        let new = decide(old.as_deref())?;
        let mut diffs = Vec::with_capacity(followers.len());
        for follower in followers {
            let before = follower.entries(key, old.as_deref())?;
            diffs.push((&**follower, before, follower.entries(key, new.as_deref())?));
        }
        let token = Token::new();
        let mut claimed = Vec::new();
        for (follower, before, after) in &diffs {
            for (entry, value) in after.iter().filter(|(entry, _)| !before.contains_key(*entry)) {
                claimed.push((*follower, entry));
                if let Err(error) = claim(rows, follower, entry, key, value, token, timeout) {
                    withdraw(&claimed, token)?;
                    return Err(error);
                }
            }
        }
        if rows.compare_and_write(key, old.as_deref(), new.as_deref())? {
            return diffs
                .iter()
                .try_for_each(|(follower, before, after)| finish(rows, follower, key, (before, after), token, timeout));
        }
        withdraw(&claimed, token)?;
    }
}

/// Behind the write of the primary row: claims are done, values are the new ones, what is left over goes.
fn finish(
    rows: &dyn Store,
    follower: &Follower,
    key: &[u8],
    (before, after): (&Entries, &Entries),
    token: Token,
    timeout: Duration,
) -> Result<(), Error> {
    for (entry, value) in after {
        match before.get(entry) {
            None => settle(follower, entry, key, value, token)?,
            Some(old) if old != value => set_value(rows, follower, entry, key)?,
            Some(_) => {}
        }
    }
    before.keys().filter(|entry| !after.contains_key(*entry)).try_for_each(|entry| {
        sweep(rows, follower, entry, key, timeout)?;
        Ok(())
    })
}

/// Changes the claims of a secondary row; `edit` answers whether it did, and is called again where somebody else did.
fn edit(
    follower: &Follower,
    entry: &[u8],
    mut edit: impl FnMut(&mut Claims) -> Result<bool, Error>,
) -> Result<bool, Error> {
    loop {
        let stored = follower.store.get(entry)?;
        let mut claims = follower.claims(entry, stored.as_deref())?;
        if !edit(&mut claims)? {
            return Ok(false);
        }
        if follower.store.compare_and_write(entry, stored.as_deref(), claims.to_bytes().as_deref())? {
            return Ok(true);
        }
    }
}

/// Claims a secondary key for a write that is to come; refused where another row has it, or is about to.
fn claim(
    rows: &dyn Store,
    follower: &Follower,
    entry: &[u8],
    key: &[u8],
    value: &[u8],
    token: Token,
    timeout: Duration,
) -> Result<(), Error> {
    let mut looks = LOOKS;
    edit(follower, entry, |claims| {
        while let Some((other, under_way)) = holder(rows, follower, entry, key, claims, timeout)? {
            if !under_way || looks == 0 {
                return Err(follower.conflict(entry, &other, key));
            }
            looks -= 1;
            thread::sleep(Duration::from_millis(1));
            *claims = follower.claims(entry, follower.store.get(entry)?.as_deref())?;
        }
        claims.0.push(Claim { state: State::UnderWay(token), primary: key.to_vec(), value: value.to_vec() });
        Ok(true)
    })?;
    Ok(())
}

/// Another row that has a secondary key, and whether it is only about to have it.
fn holder(
    rows: &dyn Store,
    follower: &Follower,
    entry: &[u8],
    key: &[u8],
    claims: &Claims,
    timeout: Duration,
) -> Result<Option<(Vec<u8>, bool)>, Error> {
    for claim in claims.0.iter().filter(|claim| claim.primary != key) {
        if follower.derived(&Live(rows), &claim.primary, entry)?.is_some() {
            return Ok(Some((claim.primary.clone(), false)));
        }
        if matches!(claim.state, State::UnderWay(token) if !token.is_older_than(timeout)) {
            return Ok(Some((claim.primary.clone(), true)));
        }
    }
    Ok(None)
}

/// Takes back claims of a write that did not come.
fn withdraw(claimed: &[(&Follower, &Vec<u8>)], token: Token) -> Result<(), Error> {
    claimed.iter().try_for_each(|(follower, entry)| {
        edit(follower, entry, |claims| {
            let before = claims.0.len();
            claims.0.retain(|claim| claim.state != State::UnderWay(token));
            Ok(claims.0.len() < before)
        })?;
        Ok(())
    })
}

/// Says of a claim that its primary row was written.
fn settle(follower: &Follower, entry: &[u8], key: &[u8], value: &[u8], token: Token) -> Result<(), Error> {
    edit(follower, entry, |claims| {
        // A claim that was taken for one of a writer cut off is made again.
        claims.0.retain(|claim| claim.state != State::UnderWay(token));
        claims.0.push(Claim { state: State::Done(token), primary: key.to_vec(), value: value.to_vec() });
        Ok(true)
    })?;
    Ok(())
}

/// Writes the value that follows from the primary row beside its claims; answers nothing where none follows.
pub(super) fn set_value(rows: &dyn Store, follower: &Follower, entry: &[u8], key: &[u8]) -> Result<(), Error> {
    edit(follower, entry, |claims| {
        let Some(value) = follower.derived(&Live(rows), key, entry)? else { return Ok(false) };
        let mut changed = false;
        for claim in claims.0.iter_mut().filter(|claim| claim.primary == key && claim.value != value) {
            claim.value.clone_from(&value);
            changed = true;
        }
        Ok(changed)
    })?;
    Ok(())
}

/// Takes away a row's claims from which it has moved on, and of writers cut off those that are older than `timeout`.
pub(super) fn sweep(
    rows: &dyn Store,
    follower: &Follower,
    entry: &[u8],
    key: &[u8],
    timeout: Duration,
) -> Result<bool, Error> {
    let mut cut_off = false;
    let swept = edit(follower, entry, |claims| {
        // The claims were read before the row is: what the row says is later than every claim that is done.
        if follower.derived(&Live(rows), key, entry)?.is_some() {
            return Ok(false);
        }
        let before = claims.0.len();
        claims.0.retain(|claim| {
            claim.primary != key
                || match claim.state {
                    State::Exact | State::Done(_) => false,
                    State::UnderWay(token) => {
                        let old = token.is_older_than(timeout);
                        cut_off |= old;
                        !old
                    }
                }
        });
        Ok(claims.0.len() < before)
    })?;
    // A writer taken for cut off may have come after all.
    if cut_off {
        adopt(rows, follower, entry, key, timeout)?;
    }
    Ok(swept)
}

/// Makes the claim that follows from a primary row and is not there; `false` where none follows, or another row has it.
pub(super) fn adopt(
    rows: &dyn Store,
    follower: &Follower,
    entry: &[u8],
    key: &[u8],
    timeout: Duration,
) -> Result<bool, Error> {
    let Some(value) = follower.derived(&Live(rows), key, entry)? else { return Ok(false) };
    let token = Token::new();
    match claim(rows, follower, entry, key, &value, token, timeout) {
        Ok(()) => {}
        Err(Error::SecondaryConflict { .. }) => return Ok(false),
        Err(error) => return Err(error),
    }
    match follower.derived(&Live(rows), key, entry)? {
        Some(value) => settle(follower, entry, key, &value, token).map(|()| true),
        None => withdraw(&[(follower, &entry.to_vec())], token).map(|()| false),
    }
}

/// Puts a claim that is done in place of those whose writers were cut off behind the primary row.
pub(super) fn renew(
    rows: &dyn Store,
    follower: &Follower,
    entry: &[u8],
    key: &[u8],
    timeout: Duration,
) -> Result<(), Error> {
    if !adopt(rows, follower, entry, key, timeout)? {
        return Ok(());
    }
    edit(follower, entry, |claims| {
        let before = claims.0.len();
        let cut_off = |state| matches!(state, State::UnderWay(token) if token.is_older_than(timeout));
        claims.0.retain(|claim| claim.primary != key || !cut_off(claim.state));
        Ok(claims.0.len() < before)
    })?;
    Ok(())
}
