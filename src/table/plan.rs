//! The byte ranges that a scan reads: from its selection, start and direction. No store, no I/O.

use crate::keys::cursor::Cursor;
use crate::keys::error::CursorError;
use crate::keys::fingerprint::Fingerprint;
use crate::keys::key::RowKey;
use crate::keys::lead::Lead;
use crate::keys::prefix::Selection;
use crate::keys::range::KeyRange;

/// The place in its selection where a scan starts, in its direction.
pub(crate) enum Start<K> {
    First,
    /// After a cursor, whose key must be in the selection.
    Cursor(Cursor),
    /// At a key, or after it. The key need not exist.
    Key {
        key: Vec<u8>,
        itself: bool,
    },
    /// After all that is selected.
    Selection(Selection<K>),
    /// At these bytes after the salt; in a reverse scan, before them. Nothing follows `None`.
    Bound(Option<Vec<u8>>),
}

impl<K: RowKey> Start<K> {
    /// After a row and its group: the range of the group that contains the row, or the row alone if none does.
    pub(crate) fn after_group(key: &[u8], group: &Selection<K>, reverse: bool) -> Self {
        match group.body_ranges().into_iter().find(|range| range.contains(body::<K>(key))) {
            Some(range) if reverse => Self::Bound(Some(range.start().to_vec())),
            Some(range) => Self::Bound(range.end().map(<[u8]>::to_vec)),
            None => Self::Key { key: key.to_vec(), itself: false },
        }
    }

    /// The bytes after the salt from which the scan goes on; in reverse, they are excluded. `None` if nothing follows
    /// the start.
    fn bound(&self, reverse: bool) -> Option<Vec<u8>> {
        match self {
            Self::First => Some(Vec::new()),
            Self::Cursor(cursor) => Some(at_key(body::<K>(cursor.key()), false, reverse)),
            Self::Key { key, itself } => Some(at_key(body::<K>(key), *itself, reverse)),
            Self::Bound(bound) => bound.clone(),
            Self::Selection(selection) => {
                let ranges = selection.body_ranges();
                match reverse {
                    false => ranges.last()?.end().map(<[u8]>::to_vec),
                    true => ranges.first().map(|first| first.start().to_vec()),
                }
            }
        }
    }
}

/// The bound of a scan that starts at or after a key.
fn at_key(body: &[u8], itself: bool, reverse: bool) -> Vec<u8> {
    let mut bound = body.to_vec();
    // The next key is the same with a zero byte.
    if itself == reverse {
        bound.push(0);
    }
    bound
}

/// The ranges that a scan reads.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Plan {
    /// The ranges of each salt bucket that can hold rows of the scan, sorted. A key without salt has at most one list.
    pub(crate) buckets: Vec<Vec<KeyRange>>,
    /// Number of bytes of a key that are its salt: a merge of the buckets does not compare them.
    pub(crate) salt: usize,
}

impl Plan {
    /// `earlier`: fingerprints of older layouts of the same keys, whose cursors are accepted.
    pub(crate) fn new<K: RowKey>(
        selection: &Selection<K>,
        start: &Start<K>,
        reverse: bool,
        earlier: &[Fingerprint],
    ) -> Result<Self, CursorError> {
        let (buckets, salt) = (selection.ranges_by_bucket(), salt_width::<K>());
        match start {
            Start::First => return Ok(Self { buckets, salt }),
            Start::Cursor(cursor) => check_cursor::<K>(cursor, earlier, &buckets)?,
            _ => {}
        }
        let Some(bound) = start.bound(reverse) else { return Ok(Self { buckets: Vec::new(), salt }) };
        let cut = |range: KeyRange| {
            let bound = [&range.start()[..salt.min(range.start().len())], &bound].concat();
            let rest = if reverse { KeyRange::new([], Some(bound))? } else { KeyRange::from_start(bound) };
            range.intersect(&rest)
        };
        let buckets = buckets.into_iter().map(|ranges| ranges.into_iter().filter_map(cut).collect::<Vec<_>>());
        Ok(Self { buckets: buckets.filter(|ranges| !ranges.is_empty()).collect(), salt })
    }
}

/// Number of bytes of a key that are its salt.
fn salt_width<K: RowKey>() -> usize {
    match K::LAYOUT.lead {
        Lead::Salt(_) => K::LAYOUT.lead.width(),
        _ => 0,
    }
}

/// A key's bytes after its salt.
fn body<K: RowKey>(key: &[u8]) -> &[u8] {
    key.get(salt_width::<K>()..).unwrap_or_default()
}

fn check_cursor<K: RowKey>(
    cursor: &Cursor,
    earlier: &[Fingerprint],
    buckets: &[Vec<KeyRange>],
) -> Result<(), CursorError> {
    let (found, expected) = (cursor.fingerprint(), K::LAYOUT.fingerprint());
    if found != expected && !earlier.contains(&found) {
        return Err(CursorError::OtherLayout { found, expected });
    }
    K::decode(cursor.key()).map_err(CursorError::NotAKey)?;
    if !buckets.iter().flatten().any(|range| range.contains(cursor.key())) {
        return Err(CursorError::OutsideScan);
    }
    Ok(())
}

#[cfg(test)]
mod tests;
