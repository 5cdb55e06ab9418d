//! Merges: what a flush or compaction keeps of rows.

use super::rows::{Kind, Row, Rows};

/// What is kept.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Keep {
    /// Rows from this second on; older ones have expired.
    pub(crate) since_s: u32,
    /// True if tombstones go, as they do where all files of a region become one (`COMPACT_DROP_DELETES`).
    pub(crate) drops_tombstones: bool,
    /// True if of several writes of a key the last is kept.
    pub(crate) last_alone: bool,
}

/// Rows in the order of their keys, without those that were deleted later, have expired or were replaced.
///
/// `rows` is in the order of time, at least of each key.
pub(crate) fn merged(rows: &Rows, keep: Keep) -> Rows {
    let order = rows.order();
    let mut merged = Rows::default();
    for group in order.chunk_by(|a, b| rows.key(*a) == rows.key(*b)) {
        let first_alive = group.iter().rposition(|at| rows.row(*at).kind != Kind::Put);
        if let Some(tombstone) = first_alive
            && !keep.drops_tombstones
        {
            let mut row = *rows.row(group[tombstone]);
            if group[..tombstone].iter().any(|at| rows.row(*at).kind != Kind::Tombstone) {
                row.kind = Kind::Spent;
            }
            merged.push(rows.key(group[tombstone]), row);
        }
        let puts = &group[first_alive.map_or(0, |tombstone| tombstone + 1)..];
        let puts = if keep.last_alone { &puts[puts.len().saturating_sub(1)..] } else { puts };
        for at in puts {
            let row: &Row = rows.row(*at);
            if row.t_s >= keep.since_s {
                merged.push(rows.key(*at), *row);
            }
        }
    }
    merged
}
