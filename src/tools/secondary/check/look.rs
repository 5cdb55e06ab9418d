//! One batch of a verification or rebuild, as bytes.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::store::error::Error;
use crate::store::{Batch, Database, Readable, RowBatch, Rows, Store};
use crate::tools::job::DifferenceKind;
use crate::tools::piece::Piece;
use crate::tools::secondary::claim::Claims;
use crate::tools::secondary::follow::Follower;
use crate::tools::secondary::mark::Pair;

/// Maximum number of times that a secondary row that others write is read again.
const LOOKS: u32 = 16;

/// The tables of a verification or rebuild, and how to read them.
pub(super) struct Look<'l> {
    pub(super) db: &'l dyn Database,
    pub(super) primary: &'l str,
    pub(super) rows: &'l dyn Store,
    pub(super) follower: &'l Follower,
    pub(super) limit: usize,
    pub(super) bytes: usize,
    pub(super) repair: bool,
    pub(super) timeout: Duration,
}

/// The work and the findings of a batch.
#[derive(Default)]
pub(super) struct Seen {
    pub(super) rows: u64,
    pub(super) repaired: u64,
    /// The key of its last row; `None` after the table's last.
    pub(super) last: Option<Vec<u8>>,
    pub(super) findings: Vec<Finding>,
    /// Secondary and primary keys of marks that killed writers left.
    left: Vec<(Vec<u8>, Vec<u8>)>,
    /// The first primary row that lacks a secondary key.
    planned: BTreeMap<Vec<u8>, Vec<u8>>,
    bytes: usize,
    /// True if the batch goes on with another piece.
    is_cut: bool,
}

pub(super) struct Finding {
    pub(super) kind: DifferenceKind,
    /// The primary row's key.
    pub(super) key: Vec<u8>,
    /// The secondary key.
    pub(super) entry: Vec<u8>,
    value: Vec<u8>,
}

impl Look<'_> {
    /// Does the next batch of the primary table, or of the secondary one.
    pub(super) fn batch(&self, of_primary: bool, after: Option<&[u8]>) -> Result<Seen, Error> {
        if self.db.guarantees().transactions {
            return self.in_pieces(of_primary, after);
        }
        let (rows, secondary) = (self.rows, &*self.follower.store);
        let whole = Piece::whole(self.limit, self.bytes);
        let mut seen = self.look((rows, secondary), of_primary, after, whole, &BTreeMap::new())?;
        let mut confirmed = Vec::with_capacity(seen.findings.len());
        for finding in seen.findings {
            let Some(finding) = self.again(&finding)? else { continue };
            let repairable = self.repair && finding.kind != DifferenceKind::Conflict;
            if repairable && self.repair_one(&finding.key, &finding.entry)? {
                seen.repaired += 1;
            }
            confirmed.push(finding);
        }
        for (entry, key) in seen.left.drain(..).filter(|_| self.repair) {
            self.repair_one(&key, &entry)?;
        }
        Ok(Seen { findings: confirmed, ..seen })
    }

    /// A batch, in transactions that others wait for, one by one.
    fn in_pieces(&self, of_primary: bool, after: Option<&[u8]>) -> Result<Seen, Error> {
        let mut seen = Seen::default();
        loop {
            let piece = self.exact(of_primary, seen.last.as_deref().or(after), &seen)?;
            seen.rows += piece.rows;
            seen.repaired += piece.repaired;
            seen.bytes += piece.bytes;
            seen.last = piece.last.or(seen.last);
            seen.findings.extend(piece.findings);
            seen.planned.extend(piece.planned);
            if !piece.is_cut {
                return Ok(seen);
            }
        }
    }

    fn exact(&self, of_primary: bool, after: Option<&[u8]>, before: &Seen) -> Result<Seen, Error> {
        let mut seen = Seen::default();
        let done = self.db.transact(&[self.primary, &self.follower.name], &mut |views| {
            let &[rows, secondary] = views else { return Err(Error::engine("a transaction has other tables")) };
            let left = usize::try_from(before.rows).map_or(0, |rows| self.limit.saturating_sub(rows));
            let piece = Piece::transaction(left, self.bytes.saturating_sub(before.bytes));
            seen = self.look((rows, secondary), of_primary, after, piece, &before.planned)?;
            let mut batch = Batch::new();
            if self.repair {
                for finding in seen.findings.iter().filter(|finding| finding.kind != DifferenceKind::Conflict) {
                    let claims = self.repaired(rows, secondary, finding)?;
                    match claims.to_bytes() {
                        Some(claims) => batch.put(finding.entry.as_slice(), claims),
                        None => batch.delete(finding.entry.as_slice()),
                    };
                    seen.repaired += 1;
                }
            }
            Ok(vec![Batch::new(), batch])
        });
        // A verification writes nothing.
        done.map_err(|error| if self.repair { error } else { error.before_commit() })?;
        Ok(seen)
    }

    /// The claims that a row has to have after a repair.
    fn repaired(&self, rows: &dyn Readable, secondary: &dyn Readable, finding: &Finding) -> Result<Claims, Error> {
        if finding.kind != DifferenceKind::Extra {
            return Ok(Claims::exact(&finding.key, &finding.value));
        }
        let mut claims = self.follower.claims(&finding.entry, secondary.get(&finding.entry)?.as_deref())?;
        let mut held = Vec::new();
        for primary in claims.primaries() {
            held.push((primary.to_vec(), self.follower.derived(rows, primary, &finding.entry)?.is_some()));
        }
        claims.0.retain(|claim| held.contains(&(claim.primary.clone(), true)));
        Ok(claims)
    }

    fn look(
        &self,
        (rows, secondary): (&dyn Readable, &dyn Readable),
        primary: bool,
        after: Option<&[u8]>,
        mut piece: Piece,
        planned: &BTreeMap<Vec<u8>, Vec<u8>>,
    ) -> Result<Seen, Error> {
        let scan = piece.scan(after);
        let mut scan = if primary { rows.scan(&scan) } else { secondary.scan(&scan) };
        let (mut seen, mut batch) = (Seen::default(), RowBatch::new());
        loop {
            scan.next_batch(&mut batch)?;
            if batch.is_empty() {
                return Ok(Seen { bytes: piece.used(), ..seen });
            }
            for (key, value) in batch.iter() {
                if piece.ends() {
                    return Ok(Seen { bytes: piece.used(), is_cut: piece.is_cut(), ..seen });
                }
                piece.row();
                piece.bytes(key.len() + value.len());
                seen.rows += 1;
                seen.last = Some(key.to_vec());
                if primary {
                    for (entry, due) in (self.follower.derive)(key, value)? {
                        let found = self.missing(rows, secondary, key, &entry, &due)?;
                        let Some(mut kind) = found else { continue };
                        piece.bytes(key.len() + entry.len() + due.len());
                        // If two rows lack one key, the first gets it.
                        let first = match planned.get(&entry) {
                            Some(first) => first,
                            None => seen.planned.entry(entry.clone()).or_insert_with(|| key.to_vec()),
                        };
                        if first != key {
                            kind = DifferenceKind::Conflict;
                        }
                        seen.findings.push(Finding { kind, key: key.to_vec(), entry, value: due });
                    }
                } else {
                    let claims = self.follower.claims(key, Some(value))?;
                    for stale in self.stale(rows, key, &claims)? {
                        let (kind, entry) = (DifferenceKind::Extra, key.to_vec());
                        seen.findings.push(Finding { kind, key: stale, entry, value: Vec::new() });
                    }
                    let left = claims.0.iter().filter(|claim| claim.mark().is_some());
                    let left = left.filter(|claim| !claim.is_under_way(self.timeout));
                    seen.left.extend(left.map(|claim| (key.to_vec(), claim.primary.clone())));
                }
            }
        }
    }

    /// The difference of a secondary row that has to exist.
    fn missing(
        &self,
        rows: &dyn Readable,
        secondary: &dyn Readable,
        key: &[u8],
        entry: &[u8],
        value: &[u8],
    ) -> Result<Option<DifferenceKind>, Error> {
        let claims = self.follower.claims(entry, secondary.get(entry)?.as_deref())?;
        if self.is_under_way(&claims) {
            return Ok(None);
        }
        for holder in claims.primaries() {
            if holder == key {
                let mut done = claims.0.iter().filter(|claim| claim.primary == key && claim.mark().is_none());
                return Ok(done.any(|claim| claim.value != value).then_some(DifferenceKind::Different));
            }
            if self.follower.derived(rows, holder, entry)?.is_some() {
                return Ok(Some(DifferenceKind::Conflict));
            }
        }
        Ok(Some(DifferenceKind::Missing))
    }

    /// The primary keys whose claims, or marks of killed writers, are out of date.
    fn stale(&self, rows: &dyn Readable, entry: &[u8], claims: &Claims) -> Result<Vec<Vec<u8>>, Error> {
        let mut stale: Vec<Vec<u8>> = Vec::new();
        if self.is_under_way(claims) {
            return Ok(stale);
        }
        for claim in &claims.0 {
            if !stale.contains(&claim.primary) && self.follower.derived(rows, &claim.primary, entry)?.is_none() {
                stale.push(claim.primary.clone());
            }
        }
        Ok(stale)
    }

    /// Returns whether a write may still change the secondary row, so that it is not judged.
    fn is_under_way(&self, claims: &Claims) -> bool {
        claims.0.iter().any(|claim| claim.is_under_way(self.timeout))
    }

    /// Looks at a finding again.
    fn again(&self, finding: &Finding) -> Result<Option<Finding>, Error> {
        let mut found = None;
        let mut stable = 0;
        for _ in 0..LOOKS {
            let before = self.follower.store.get(&finding.entry)?;
            found = self.now(finding)?;
            if found.is_none() {
                return Ok(None);
            }
            // A row that others have written meanwhile was not seen as it is.
            stable += u32::from(self.follower.store.get(&finding.entry)? == before);
            // A repair looks for itself.
            if stable == 2 || (stable == 1 && self.repair) {
                return Ok(found);
            }
        }
        Ok(found.filter(|_| stable > 0))
    }

    fn now(&self, finding: &Finding) -> Result<Option<Finding>, Error> {
        let Finding { key, entry, .. } = finding;
        let (rows, secondary) = (self.rows, &*self.follower.store);
        let found = |kind, value| Finding { kind, key: key.clone(), entry: entry.clone(), value };
        if finding.kind == DifferenceKind::Extra {
            let claims = self.follower.claims(entry, secondary.get(entry)?.as_deref())?;
            let stale = self.stale(rows, entry, &claims)?.contains(key);
            return Ok(stale.then(|| found(DifferenceKind::Extra, Vec::new())));
        }
        let Some(value) = self.follower.derived(rows, key, entry)? else { return Ok(None) };
        let kind = self.missing(rows, secondary, key, entry, &value)?;
        Ok(kind.map(|kind| found(kind, value)))
    }

    fn repair_one(&self, key: &[u8], entry: &[u8]) -> Result<bool, Error> {
        Pair { rows: self.rows, follower: self.follower, entry, key, timeout: self.timeout }.repair()
    }
}
