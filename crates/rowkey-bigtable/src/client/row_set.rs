//! What is left of a set of rows after a key.

use super::proto::row_range::{EndKey, StartKey};
use super::proto::{RowRange, RowSet};

/// What is left of `rows` after `last`, in the order of the scan; `None` if nothing is. An empty set must not be sent:
/// it means the whole table.
pub(crate) fn after(rows: Option<RowSet>, last: &[u8], reverse: bool) -> Option<RowSet> {
    let mut rows = rows.unwrap_or_default();
    if rows.row_keys.is_empty() && rows.row_ranges.is_empty() {
        rows.row_ranges.push(RowRange::default());
    }
    rows.row_keys.retain(|key| if reverse { key.as_slice() < last } else { key.as_slice() > last });
    rows.row_ranges.retain_mut(|range| {
        if reverse {
            cut_end(range, last);
        } else {
            cut_start(range, last);
        }
        !is_empty(range)
    });
    (!rows.row_keys.is_empty() || !rows.row_ranges.is_empty()).then_some(rows)
}

fn cut_start(range: &mut RowRange, last: &[u8]) {
    let is_before = match &range.start_key {
        None => true,
        Some(StartKey::StartKeyClosed(start)) => start.as_slice() <= last,
        Some(StartKey::StartKeyOpen(start)) => start.as_slice() < last,
    };
    if is_before {
        range.start_key = Some(StartKey::StartKeyOpen(last.to_vec()));
    }
}

fn cut_end(range: &mut RowRange, last: &[u8]) {
    // An empty end is the end of the table.
    let is_after = match &range.end_key {
        None => true,
        Some(EndKey::EndKeyClosed(end)) => end.is_empty() || end.as_slice() >= last,
        Some(EndKey::EndKeyOpen(end)) => end.is_empty() || end.as_slice() > last,
    };
    if is_after {
        range.end_key = Some(EndKey::EndKeyOpen(last.to_vec()));
    }
}

/// Whether no key is in the range. A range whose start is after its end would be refused.
fn is_empty(range: &RowRange) -> bool {
    let (start, starts_after) = match &range.start_key {
        None => (&[][..], false),
        Some(StartKey::StartKeyClosed(start)) => (start.as_slice(), false),
        Some(StartKey::StartKeyOpen(start)) => (start.as_slice(), true),
    };
    match &range.end_key {
        None => false,
        Some(EndKey::EndKeyClosed(end) | EndKey::EndKeyOpen(end)) if end.is_empty() => false,
        Some(EndKey::EndKeyClosed(end)) => start > end.as_slice() || (starts_after && start == end),
        // Between a key and the key with a zero byte more there is none.
        Some(EndKey::EndKeyOpen(end)) => {
            start >= end.as_slice() || (starts_after && end.strip_prefix(start) == Some(&[0]))
        }
    }
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
            // What is sent is never the whole table by mistake, and never refused as backward.
            if let Some(left) = left {
                prop_assert!(!left.row_keys.is_empty() || !left.row_ranges.is_empty());
                prop_assert!(!left.row_ranges.iter().any(is_empty));
            }
        }
    }
}
