//! Sets of rows: ranges of keys as Bigtable takes them, and what is left of a set after a key.

use rowkey::KeyRange;
use rowkey::store::{Scan, Walk};

use super::proto::row_range::{EndKey, StartKey};
use super::proto::{RowRange, RowSet};

/// The maximum length of a row's key.
pub(crate) const LONGEST_KEY: usize = 4 << 10;

/// A range of Bigtable. No key is longer than [`LONGEST_KEY`], nor may a bound be.
pub(crate) fn row_range(range: &KeyRange) -> RowRange {
    let start_key = match (range.start(), range.start().get(..LONGEST_KEY)) {
        ([], _) => None,
        (start, Some(cut)) if cut.len() < start.len() => Some(StartKey::StartKeyOpen(cut.to_vec())),
        // After a key: Google's conformance test demands an open start of a resumed scan.
        ([key @ .., 0], _) if !key.is_empty() => Some(StartKey::StartKeyOpen(key.to_vec())),
        (start, _) => Some(StartKey::StartKeyClosed(start.to_vec())),
    };
    let end_key = range.end().map(|end| match end.get(..LONGEST_KEY) {
        Some(cut) if cut.len() < end.len() => EndKey::EndKeyClosed(cut.to_vec()),
        _ => EndKey::EndKeyOpen(end.to_vec()),
    });
    RowRange { start_key, end_key }
}

/// Returns whether the range can have a key of a permitted length.
pub(crate) fn has_keys(range: &KeyRange) -> bool {
    let cut = |bound: &[u8]| bound.get(..LONGEST_KEY).filter(|cut| cut.len() < bound.len()).map(<[u8]>::to_vec);
    // Between two long bounds with the same beginning there are only longer keys.
    cut(range.start())
        .is_none_or(|start| range.end().is_none_or(|end| *end > *start && cut(end).as_ref() != Some(&start)))
}

/// The keys of a range of Bigtable; `None` if it has none. An empty end is the end of the table.
fn key_range(range: &RowRange) -> Option<KeyRange> {
    let after = |key: &[u8]| [key, &[0]].concat();
    let start = match &range.start_key {
        None => Vec::new(),
        Some(StartKey::StartKeyClosed(start)) => start.clone(),
        Some(StartKey::StartKeyOpen(start)) => after(start),
    };
    let end = match &range.end_key {
        None => None,
        Some(EndKey::EndKeyClosed(end) | EndKey::EndKeyOpen(end)) if end.is_empty() => None,
        Some(EndKey::EndKeyClosed(end)) => Some(after(end)),
        Some(EndKey::EndKeyOpen(end)) => Some(end.clone()),
    };
    KeyRange::new(start, end)
}

/// The rest of `rows` after `last`, in the order of the scan; `None` if nothing is left. An empty set must not be sent:
/// it means the whole table.
pub(crate) fn after(rows: Option<RowSet>, last: &[u8], reverse: bool) -> Option<RowSet> {
    let RowSet { mut row_keys, row_ranges } = rows.unwrap_or_default();
    let ranges = match row_keys.is_empty() && row_ranges.is_empty() {
        true => vec![KeyRange::all()],
        false => row_ranges.iter().filter_map(key_range).collect(),
    };
    let mut walk = Walk::new(&Scan::new(ranges).reverse(reverse));
    walk.took(0, last);
    row_keys.retain(|key| if reverse { key.as_slice() < last } else { key.as_slice() > last });
    let row_ranges: Vec<_> = walk.rest().ranges.iter().filter(|range| has_keys(range)).map(row_range).collect();
    (!row_keys.is_empty() || !row_ranges.is_empty()).then_some(RowSet { row_keys, row_ranges })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Keys of at most two of these bytes.
    fn universe() -> Vec<Vec<u8>> {
        let bytes = [0u8, 1, 0xff];
        let of_two = bytes.iter().flat_map(|a| bytes.iter().map(|b| vec![*a, *b]));
        bytes.iter().map(|a| vec![*a]).chain(of_two).collect()
    }

    fn has(rows: &RowSet, key: &[u8]) -> bool {
        let in_range = |range: &RowRange| {
            let starts = match &range.start_key {
                None => true,
                Some(StartKey::StartKeyClosed(start)) => key >= start.as_slice(),
                Some(StartKey::StartKeyOpen(start)) => key > start.as_slice(),
            };
            let ends = match &range.end_key {
                None => true,
                Some(EndKey::EndKeyClosed(end)) => end.is_empty() || key <= end.as_slice(),
                Some(EndKey::EndKeyOpen(end)) => end.is_empty() || key < end.as_slice(),
            };
            starts && ends
        };
        rows.row_keys.iter().any(|one| one == key) || rows.row_ranges.iter().any(in_range)
    }

    fn key() -> impl Strategy<Value = Vec<u8>> {
        prop::collection::vec(prop_oneof![Just(0u8), Just(1), Just(0xff)], 0..3)
    }

    fn range() -> impl Strategy<Value = RowRange> {
        let start_key = prop_oneof![
            Just(None),
            key().prop_map(|key| Some(StartKey::StartKeyClosed(key))),
            key().prop_map(|key| Some(StartKey::StartKeyOpen(key))),
        ];
        let end_key = prop_oneof![
            Just(None),
            key().prop_map(|key| Some(EndKey::EndKeyClosed(key))),
            key().prop_map(|key| Some(EndKey::EndKeyOpen(key))),
        ];
        (start_key, end_key).prop_map(|(start_key, end_key)| RowRange { start_key, end_key })
    }

    #[test]
    fn a_resumed_scan_has_an_open_start() {
        for last in [&b"a"[..], b"a\0", &[7; LONGEST_KEY]] {
            let left = after(None, last, false).unwrap();
            let start_key = Some(StartKey::StartKeyOpen(last.to_vec()));
            assert_eq!(left.row_ranges, [RowRange { start_key, end_key: None }]);
        }
        assert_eq!(
            row_range(&KeyRange::new(vec![0], Some(vec![1])).unwrap()).start_key,
            Some(StartKey::StartKeyClosed(vec![0]))
        );
    }

    proptest! {
        #[test]
        fn what_is_left_is_what_is_after(
            keys in prop::collection::vec(key(), 0..3),
            ranges in prop::collection::vec(range(), 0..3),
            // No row's key is empty.
            last in prop::collection::vec(prop_oneof![Just(0u8), Just(1), Just(0xff)], 1..3),
            reverse: bool,
        ) {
            let rows = RowSet { row_keys: keys, row_ranges: ranges };
            let is_all = rows.row_keys.is_empty() && rows.row_ranges.is_empty();
            let left = after(Some(rows.clone()), &last, reverse);
            for key in universe() {
                let is_after = if reverse { key < last } else { key > last };
                let expected = (is_all || has(&rows, &key)) && is_after;
                prop_assert_eq!(left.as_ref().is_some_and(|left| has(left, &key)), expected, "{:?}: {:?}", key, left);
            }
            // The set that is sent is never the whole table by mistake, and never refused as backward.
            if let Some(left) = left {
                prop_assert!(!left.row_keys.is_empty() || !left.row_ranges.is_empty());
                prop_assert!(!left.row_ranges.iter().any(|range| key_range(range).is_none()));
            }
        }
    }
}
