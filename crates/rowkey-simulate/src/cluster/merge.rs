//! Merges: what a flush or compaction keeps of rows.

use super::head::head;
use super::rows::{Kind, Part, Row, Rows};
use super::versions::Keep;

/// The rows of these parts, which are each in order, in the order of their keys, without those that were deleted later,
/// have expired or were replaced.
///
/// Of each key older rows are before newer ones, in a part and in the parts.
pub(crate) fn merged(parts: &[Part<'_>], keep: Keep) -> Rows {
    let is_put = |(rows, range): &Part<'_>| rows.rows(range.clone()).all(|row| row.kind == Kind::Put);
    // Without deletes and versions no row depends on another of its key.
    if keep.versions.is_none() && parts.iter().all(is_put) {
        return joined(parts, |row| row.t_s >= keep.since_s);
    }
    let mut merged = Rows::default();
    merged.reserve(parts);
    let mut order = Vec::new();
    for parts in slices(parts) {
        in_order(&parts, &mut order);
        let same = |(a_head, a): &Ordered, (b_head, b): &Ordered| a_head == b_head && a.key(&parts) == b.key(&parts);
        order.chunk_by(same).for_each(|group| merge_group(group, &parts, keep, &mut merged));
    }
    if let Some(among) = keep.among.filter(|_| keep.versions.is_some()) {
        merged = among.thinned(merged, parts, &keep);
    }
    merged.fit();
    merged
}

/// Adds what is kept of the rows of one key.
fn merge_group(group: &[Ordered], parts: &[Part<'_>], keep: Keep, merged: &mut Rows) {
    let tombstone = group.iter().rposition(|(_, place)| place.row(parts).kind != Kind::Put);
    if let Some(tombstone) = tombstone
        && !keep.drops_tombstones
    {
        let (_, place) = group[tombstone];
        let mut row = *place.row(parts);
        if group[..tombstone].iter().any(|(_, place)| place.row(parts).kind != Kind::Tombstone) {
            row.kind = Kind::Spent;
        }
        merged.push(place.key(parts), row);
    }
    let puts = &group[tombstone.map_or(0, |tombstone| tombstone + 1)..];
    let most = keep.versions.map_or(usize::MAX, |most| most as usize);
    let (older, kept) = puts.split_at(puts.len().saturating_sub(most));
    let others = |kept: &[Ordered]| kept.iter().map(|(_, place)| place.row(parts).count).fold(0, u32::saturating_add);
    for (at, (_, place)) in kept.iter().enumerate() {
        let mut row = *place.row(parts);
        if row.t_s >= keep.since_s {
            let is_last = at + 1 == kept.len();
            if let Some(among) = keep.among.filter(|_| is_last && !older.is_empty()) {
                let left = among.of_key(puts.iter().map(|(_, place)| place.row(parts).count), &keep);
                row.count = row.count.max(left.saturating_sub(others(&kept[..at])));
            }
            merged.push(place.key(parts), row);
        }
    }
}

/// The rows of these parts, which are each in order, in the order of their keys.
pub(crate) fn joined(parts: &[Part<'_>], keeps: impl Fn(&Row) -> bool) -> Rows {
    let mut joined = Rows::default();
    joined.reserve(parts);
    let mut order = Vec::new();
    for parts in slices(parts) {
        in_order(&parts, &mut order);
        for (_, place) in &order {
            let row = place.row(&parts);
            if keeps(row) {
                joined.push(place.key(&parts), *row);
            }
        }
    }
    joined.fit();
    joined
}

/// All rows in the order of their keys.
pub(crate) fn sorted(rows: &Rows) -> Rows {
    let (mut sorted, mut order, parts) = (Rows::default(), Vec::new(), [(rows, 0..rows.len())]);
    sorted.reserve(&parts);
    in_order(&parts, &mut order);
    order.iter().for_each(|(_, place)| sorted.push(place.key(&parts), *place.row(&parts)));
    sorted
}

/// The rows that are put in order together: what they take fits the cache of a processor.
const SLICE: usize = 1 << 14;

/// These parts, which are each in order, in slices of keys that follow each other.
fn slices<'r>(parts: &[Part<'r>]) -> impl Iterator<Item = Vec<Part<'r>>> {
    let count = parts.iter().map(|(_, range)| range.len()).sum::<usize>().div_ceil(SLICE).max(1);
    let longest = parts.iter().max_by_key(|(_, range)| range.len());
    let mut starts: Vec<usize> = parts.iter().map(|(_, range)| range.start).collect();
    (1..=count).map(move |number| {
        let end = longest.filter(|_| number < count);
        let end = end.map(|(rows, range)| rows.key(range.start + range.len() * number / count));
        let slice = parts.iter().zip(&mut starts).map(|((rows, range), start)| {
            let from = *start;
            *start = end.map_or(range.end, |end| rows.rank(end, from..range.end));
            (*rows, from..*start)
        });
        slice.collect()
    })
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

/// A row's head and its place.
type Ordered = (u128, Place);

/// Finds the places of the rows in the order of their keys, of one key in the order of the parts.
fn in_order(parts: &[Part<'_>], order: &mut Vec<Ordered>) {
    let shared = shared_prefix(parts);
    order.clear();
    for (part, (rows, range)) in parts.iter().enumerate() {
        order.extend(range.clone().map(|at| (head(&rows.key(at)[shared..]), Place::new(part, at))));
    }
    // A stable sort: it finds the runs of parts, which are in order already.
    order.sort_by(|(a_head, a), (b_head, b)| {
        a_head.cmp(b_head).then_with(|| a.key(parts)[shared..].cmp(&b.key(parts)[shared..]))
    });
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

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::{merged, sorted};
    use crate::cluster::rows::{Kind, Part, Row, Rows};
    use crate::cluster::versions::Keep;

    /// The rest of the writes of one key, in the order of time.
    fn left(writes: &[Row], keep: Keep) -> Vec<Row> {
        let mut left: Vec<Row> = Vec::new();
        for write in writes {
            if write.kind == Kind::Put {
                left.push(*write);
                continue;
            }
            let hid = left.iter().any(|row| row.kind != Kind::Tombstone);
            let kind = if hid { Kind::Spent } else { write.kind };
            left = vec![Row { kind, ..*write }];
        }
        let most = keep.versions.map_or(usize::MAX, |most| most as usize);
        let first = left.len().saturating_sub(most);
        let is_replaced = |at: usize, row: &Row| row.kind == Kind::Put && at < first;
        let stays = |at: usize, row: &Row| match row.kind {
            Kind::Put => row.t_s >= keep.since_s && !is_replaced(at, row),
            _ => !keep.drops_tombstones,
        };
        left.iter().enumerate().filter(|(at, row)| stays(*at, row)).map(|(_, row)| *row).collect()
    }

    fn row() -> impl Strategy<Value = (Vec<u8>, bool)> {
        (
            prop_oneof![prop::collection::vec(0_u8..3, 0..3), prop::collection::vec(0_u8..2, 8..11)],
            prop::bool::weighted(0.7),
        )
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn merges_keep_what_is_due(
            writes in prop::collection::vec(prop::collection::vec(row(), 0..40), 0..5),
            (since_s, drops_tombstones, versions) in (0_u32..60, any::<bool>(), prop::option::of(1_u32..4)),
        ) {
            let keep = Keep { since_s, drops_tombstones, versions, among: None };
            let mut expected: BTreeMap<Vec<u8>, Vec<Row>> = BTreeMap::new();
            let mut time = 0;
            let mut files = Vec::new();
            for writes in &writes {
                let mut file = Rows::default();
                for (key, is_put) in writes {
                    time += 1;
                    let kind = if *is_put { Kind::Put } else { Kind::Tombstone };
                    let row = Row { kind, count: time, bytes: 1, t_s: time };
                    file.push(key, row);
                    expected.entry(key.clone()).or_default().push(row);
                }
                files.push(sorted(&file));
            }
            let parts: Vec<Part<'_>> = files.iter().map(|file| (file, 0..file.len())).collect();
            let found = merged(&parts, keep);
            let found: Vec<_> = (0..found.len()).map(|at| (found.key(at).to_vec(), *found.row(at))).collect();
            let expected = expected.into_iter().flat_map(|(key, writes)| {
                left(&writes, keep).into_iter().map(move |row| (key.clone(), row))
            });
            prop_assert_eq!(found, expected.collect::<Vec<_>>());
        }
    }
}
