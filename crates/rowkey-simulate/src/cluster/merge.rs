//! Merges: what a flush or compaction keeps of rows.

use super::rows::{Kind, Part, Row, Rows};

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

/// The rows of these parts in the order of their keys, without those that were deleted later, have expired or were
/// replaced.
///
/// Of each key older rows are before newer ones, in a part and in the parts.
pub(crate) fn merged(parts: &[Part<'_>], keep: Keep) -> Rows {
    let mut merged = Rows::default();
    merged.reserve(parts);
    for group in in_order(parts).chunk_by(|a, b| a.key(parts) == b.key(parts)) {
        let tombstone = group.iter().rposition(|place| place.row(parts).kind != Kind::Put);
        if let Some(tombstone) = tombstone
            && !keep.drops_tombstones
        {
            let mut row = *group[tombstone].row(parts);
            if group[..tombstone].iter().any(|place| place.row(parts).kind != Kind::Tombstone) {
                row.kind = Kind::Spent;
            }
            merged.push(group[tombstone].key(parts), row);
        }
        let puts = &group[tombstone.map_or(0, |tombstone| tombstone + 1)..];
        let puts = if keep.last_alone { &puts[puts.len().saturating_sub(1)..] } else { puts };
        for place in puts {
            let row = place.row(parts);
            if row.t_s >= keep.since_s {
                merged.push(place.key(parts), *row);
            }
        }
    }
    merged.fit();
    merged
}

/// All rows of these parts in the order of their keys.
pub(crate) fn sorted(parts: &[Part<'_>]) -> Rows {
    let mut sorted = Rows::default();
    sorted.reserve(parts);
    in_order(parts).into_iter().for_each(|place| sorted.push(place.key(parts), *place.row(parts)));
    sorted
}

/// A row's place: its part in the upper 16 bits, where it is there in the lower 48.
#[derive(Clone, Copy, Debug)]
struct Place(u64);

impl Place {
    const BITS: u32 = 48;

    fn new(part: usize, at: usize) -> Self {
        Self((part as u64) << Self::BITS | at as u64)
    }

    fn key<'r>(self, parts: &[Part<'r>]) -> &'r [u8] {
        let (part, at) = self.split();
        parts[part].0.key(at)
    }

    fn row<'r>(self, parts: &[Part<'r>]) -> &'r Row {
        let (part, at) = self.split();
        parts[part].0.row(at)
    }

    fn split(self) -> (usize, usize) {
        ((self.0 >> Self::BITS) as usize, (self.0 & ((1 << Self::BITS) - 1)) as usize)
    }
}

/// The places of the rows in the order of their keys, of one key in the order of the parts.
fn in_order(parts: &[Part<'_>]) -> Vec<Place> {
    let shared = shared_prefix(parts);
    let mut order: Vec<(u64, Place)> = Vec::with_capacity(parts.iter().map(|(_, range)| range.len()).sum());
    for (part, (rows, range)) in parts.iter().enumerate() {
        order.extend(range.clone().map(|at| (head(&rows.key(at)[shared..]), Place::new(part, at))));
    }
    // A stable sort: it finds the runs of files, which are in order already.
    order.sort_by(|(a_head, a), (b_head, b)| {
        a_head.cmp(b_head).then_with(|| a.key(parts)[shared..].cmp(&b.key(parts)[shared..]))
    });
    order.into_iter().map(|(_, place)| place).collect()
}

/// The number of bytes with which all keys begin.
fn shared_prefix(parts: &[Part<'_>]) -> usize {
    let mut keys = parts.iter().flat_map(|(rows, range)| range.clone().map(|at| rows.key(at)));
    let Some(first) = keys.next() else { return 0 };
    keys.fold(first.len(), |shared, key| {
        if key.get(..shared) == Some(&first[..shared]) {
            return shared;
        }
        first[..shared].iter().zip(key).take_while(|(a, b)| a == b).count()
    })
}

/// The first eight bytes as a number that compares as they do.
fn head(bytes: &[u8]) -> u64 {
    let mut head = [0; 8];
    let len = bytes.len().min(8);
    head[..len].copy_from_slice(&bytes[..len]);
    u64::from_be_bytes(head)
}
