//! Writes with transactions: primary rows and their secondary rows in one transaction.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::claim::Claims;
use super::follow::{Entries, Follower};
use crate::store::error::Error;
use crate::store::{Batch, Database, Readable, TableId};

/// The new value of a row, from the index of its key and its old value.
pub(super) type Decide<'d> = dyn FnMut(usize, Option<&[u8]>) -> Result<Option<Vec<u8>>, Error> + 'd;

/// A primary row, before and after.
struct Change<'k> {
    key: &'k [u8],
    old: Option<Vec<u8>>,
    new: Option<Vec<u8>>,
}

/// Changes rows with distinct keys.
pub(super) fn change(
    db: &dyn Database,
    primary: &TableId,
    followers: &[Arc<Follower>],
    keys: &[Vec<u8>],
    decide: &mut Decide<'_>,
) -> Result<(), Error> {
    let ids: Vec<_> = std::iter::once(primary).chain(followers.iter().map(|follower| follower.store.id())).collect();
    let names: Vec<&str> = ids.iter().map(|id| id.name()).collect();
    // The transaction opens tables by name, and creates those that are gone.
    let check = || ids.iter().try_for_each(|id| id.check_dropped());
    check()?;
    db.transact(&names, &mut |views| {
        check()?;
        let (rows, views) = views.split_first().ok_or_else(|| Error::engine("a transaction has no table"))?;
        let mut changes = Vec::with_capacity(keys.len());
        let mut batch = Batch::new();
        for (at, key) in keys.iter().enumerate() {
            let old = rows.get(key)?;
            let new = decide(at, old.as_deref())?;
            match &new {
                Some(value) => batch.put(key.as_slice(), value.as_slice()),
                None => batch.delete(key.as_slice()),
            };
            changes.push(Change { key, old, new });
        }
        let mut batches = vec![batch];
        for (follower, view) in followers.iter().zip(views) {
            batches.push(follow(*rows, *view, follower, &changes)?);
        }
        Ok(batches)
    })
}

/// The writes to a secondary table.
fn follow(
    rows: &dyn Readable,
    secondary: &dyn Readable,
    follower: &Follower,
    changes: &[Change<'_>],
) -> Result<Batch, Error> {
    let mut wanted: BTreeMap<Vec<u8>, (&[u8], Vec<u8>)> = BTreeMap::new();
    let mut left: BTreeMap<Vec<u8>, BTreeSet<&[u8]>> = BTreeMap::new();
    for Change { key, old, new } in changes {
        let after = follower.entries(key, new.as_deref())?;
        let before: Entries = follower.entries(key, old.as_deref())?;
        for gone in before.into_keys().filter(|gone| !after.contains_key(gone)) {
            left.entry(gone).or_default().insert(key);
        }
        for (entry, value) in after {
            if let Some((other, _)) = wanted.get(&entry) {
                return Err(follower.conflict(&entry, other, key));
            }
            wanted.insert(entry, (key, value));
        }
    }
    let mut batch = Batch::new();
    for (entry, (key, value)) in &wanted {
        let stored = secondary.get(entry)?;
        let claims = follower.claims(entry, stored.as_deref())?;
        for other in claims.primaries().into_iter().filter(|other| other != key) {
            // A row that is changed here too gives up the key, or it would be in `wanted`.
            let stays = changes.iter().all(|change| change.key != other);
            if stays && follower.derived(rows, other, entry)?.is_some() {
                return Err(follower.conflict(entry, other, key));
            }
        }
        let claims = Claims::exact(key, value).to_bytes();
        if let Some(claims) = claims.filter(|claims| Some(claims) != stored.as_ref()) {
            batch.put(entry.as_slice(), claims);
        }
    }
    for (entry, by) in left.iter().filter(|(entry, _)| !wanted.contains_key(*entry)) {
        let mut claims = follower.claims(entry, secondary.get(entry)?.as_deref())?;
        claims.0.retain(|claim| !by.contains(claim.primary.as_slice()));
        match claims.to_bytes() {
            Some(claims) => batch.put(entry.as_slice(), claims),
            None => batch.delete(entry.as_slice()),
        };
    }
    Ok(batch)
}
