//! Scans of a secondary table: claims in, valid rows out.

use std::collections::VecDeque;
use std::sync::Arc;

use super::claim::{Claims, State};
use super::follow::Follower;
use crate::keys::cursor::{Cursor, IntoCursor};
use crate::keys::key::OwnedKey;
use crate::store::error::Error;
use crate::store::options::Within;
use crate::store::{DEFAULT_BATCH_BYTES, Store};
use crate::table::{Page, TableScan};

/// A valid secondary row.
pub(super) struct Found {
    pub(super) primary: Vec<u8>,
    /// The primary row's value, if it was read.
    pub(super) row: Vec<u8>,
    pub(super) value: Vec<u8>,
}

/// Reads what secondary rows lead to.
pub(super) struct Reader {
    pub(super) follower: Arc<Follower>,
    pub(super) rows: Arc<dyn Store>,
    /// True if primary rows are read, and claims checked against them.
    pub(super) check: bool,
}

impl Reader {
    /// The same reader for one call: all that it reads shares one deadline from now on.
    fn in_one_call(&self) -> Self {
        let (follower, rows) = (Arc::clone(&self.follower), Within::one_call_of(Arc::clone(&self.rows)));
        Self { follower, rows, check: self.check }
    }

    /// The valid ones among secondary rows, one for one. If two primary rows have one key, because a write that took
    /// too long was not undone yet or can't be, it is the row whose claim comes first.
    pub(super) fn read(&self, entries: &[(Vec<u8>, Claims)]) -> Result<Vec<Option<Found>>, Error> {
        let is_exact = |claims: &Claims| claims.0.iter().all(|claim| claim.state == State::Exact);
        if !self.check && entries.iter().all(|(_, claims)| is_exact(claims)) {
            let trusted = entries.iter().map(|(_, claims)| {
                let claim = claims.0.first()?;
                Some(Found { primary: claim.primary.clone(), row: Vec::new(), value: claim.value.clone() })
            });
            return Ok(trusted.collect());
        }
        let claimed: Vec<(usize, &[u8])> = entries
            .iter()
            .enumerate()
            .flat_map(|(at, (_, claims))| claims.primaries().into_iter().map(move |primary| (at, primary)))
            .collect();
        let keys: Vec<&[u8]> = claimed.iter().map(|&(_, primary)| primary).collect();
        let mut found: Vec<Option<Found>> = entries.iter().map(|_| None).collect();
        for ((at, primary), row) in claimed.into_iter().zip(self.rows.get_many(&keys)?) {
            let Some(row) = row.filter(|_| found[at].is_none()) else { continue };
            if let Some(value) = (self.follower.derive)(primary, &row)?.remove(&entries[at].0) {
                found[at] = Some(Found { primary: primary.to_vec(), row, value });
            }
        }
        Ok(found)
    }
}

/// Makes an item of a key and its valid row.
type Make<T> = Box<dyn Fn(&[u8], &Found) -> Result<T, Error> + Send>;

/// A scan of a secondary table: set its options, then iterate over it. Items are secondary keys and what they lead to.
///
/// Secondary rows that are out of date are skipped: they do not count for a limit or a page. After an error the scan
/// ends. After a panic of a codec or of the closure that derives the rows, which the program has caught, the next item
/// is [`Error::Value`], and then the scan has ended.
#[must_use = "a scan reads nothing before it is iterated"]
pub struct SecondaryScan<K2, T> {
    scan: TableScan<K2, Claims>,
    reader: Reader,
    make: Make<T>,
    ready: VecDeque<(K2, T, Cursor)>,
    together: u64,
    cursor: Option<Cursor>,
    left: u64,
    run: Run,
}

enum Run {
    Open,
    /// A row is read. If that is still so at the next one, it panicked.
    Reads,
    Ended,
}

/// Number of secondary rows that are checked against their primary rows at once, at first and at most. The size of the
/// primary rows is not known before they are read: the number is as many as fit into [`DEFAULT_BATCH_BYTES`], by the
/// largest seen so far.
const FIRST_TOGETHER: u64 = 16;
const TOGETHER: u64 = 256;

impl<K2: OwnedKey, T> SecondaryScan<K2, T> {
    pub(super) fn new(scan: TableScan<K2, Claims>, reader: Reader, make: Make<T>) -> Self {
        let (ready, together) = (VecDeque::new(), FIRST_TOGETHER);
        Self { scan, reader, make, ready, together, cursor: None, left: u64::MAX, run: Run::Open }
    }

    /// Scans from the last row to the first.
    pub fn reverse(mut self) -> Self {
        self.scan = self.scan.reverse();
        self
    }

    /// Returns at most this many rows.
    pub fn limit(mut self, rows: u64) -> Self {
        self.left = self.left.min(rows);
        self.scan = self.scan.batch_rows(usize::try_from(self.left.clamp(1, TOGETHER)).unwrap_or(1));
        self
    }

    /// Starts after a cursor, in the scan's direction. `None` starts at the beginning. A cursor that is refused is the
    /// first item, [`Error::Cursor`].
    pub fn after(mut self, cursor: impl IntoCursor) -> Self {
        self.scan = self.scan.after(cursor);
        self
    }

    /// Starts after a secondary key, in the scan's direction. The key need not exist.
    pub fn after_key(mut self, key: &K2) -> Self {
        self.scan = self.scan.after_key(key);
        self
    }

    /// Returns the cursor after the last row returned, or `None` before the first.
    pub fn cursor(&self) -> Option<Cursor> {
        self.cursor.clone()
    }

    /// Returns the number of secondary rows read so far, including those skipped.
    pub fn rows_read(&self) -> u64 {
        self.scan.rows_read()
    }

    /// Returns up to `rows` rows and, if there are more, the cursor to the next page.
    pub fn page(self, rows: usize) -> Result<Page<K2, T>, Error> {
        let mut scan = self.in_one_call().limit(u64::try_from(rows).unwrap_or(u64::MAX).saturating_add(1));
        let mut page = Vec::new();
        while page.len() < rows {
            match scan.next().transpose()? {
                Some(row) => page.push(row),
                None => return Ok(Page { rows: page, next: None, rows_read: scan.rows_read() }),
            }
        }
        let cursor = scan.cursor();
        let more = scan.next().transpose()?.is_some();
        Ok(Page { rows: page, next: cursor.filter(|_| more), rows_read: scan.rows_read() })
    }

    fn in_one_call(self) -> Self {
        Self { reader: self.reader.in_one_call(), scan: self.scan.in_one_call(), ..self }
    }

    fn next_row(&mut self) -> Result<Option<(K2, T)>, Error> {
        while self.ready.is_empty() {
            // With a timeout, a batch and the primary rows that it leads to are one call.
            let (reader, is_timed) = (self.reader.in_one_call(), self.reader.rows.options().is_timed());
            let most = usize::try_from(self.left.min(self.together)).unwrap_or(1);
            let mut keys = Vec::new();
            let mut entries = Vec::new();
            while keys.len() < most {
                let is_read = is_timed && !keys.is_empty();
                let row = if is_read { self.scan.next_of_batch() } else { self.scan.next() };
                let Some(row) = row else { break };
                let (key, claims) = row?;
                entries.push((key.encode(), claims));
                keys.push(key);
            }
            if keys.is_empty() {
                return Ok(None);
            }
            let fingerprint = K2::LAYOUT.fingerprint();
            let read = reader.read(&entries)?;
            let largest = read.iter().flatten().map(|found| (found.row.len() + found.value.len()) as u64).max();
            let room = DEFAULT_BATCH_BYTES as u64 / largest.unwrap_or_default().max(1);
            self.together = room.clamp(1, TOGETHER);
            for ((key, found), (bytes, _)) in keys.into_iter().zip(read).zip(&entries) {
                if let Some(found) = found {
                    let made = (self.make)(bytes, &found)?;
                    self.ready.push_back((key, made, Cursor::new(fingerprint, bytes)));
                }
            }
        }
        Ok(self.ready.pop_front().map(|(key, made, cursor)| {
            self.cursor = Some(cursor);
            (key, made)
        }))
    }
}

impl<K2: OwnedKey, T> Iterator for SecondaryScan<K2, T> {
    type Item = Result<(K2, T), Error>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.left == 0 {
            return None;
        }
        let next = match std::mem::replace(&mut self.run, Run::Reads) {
            Run::Open => self.next_row(),
            Run::Reads => {
                Err(Error::unwound(&self.reader.follower.name, &[], "a codec, or the closure that derives the rows,"))
            }
            Run::Ended => Ok(None),
        };
        self.run = if matches!(next, Ok(Some(_))) { Run::Open } else { Run::Ended };
        self.left -= 1;
        next.transpose()
    }
}

impl<K2: OwnedKey, T> std::iter::FusedIterator for SecondaryScan<K2, T> {}

impl<K2, T> std::fmt::Debug for SecondaryScan<K2, T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SecondaryScan").field("scan", &self.scan).finish_non_exhaustive()
    }
}
