//! What is left of a set of rows after a key.

use super::proto::row_range::{EndKey, StartKey};
use super::proto::{RowRange, RowSet};

/// What is left of `rows` after `last`, in the order of the scan; `None` if nothing is. An empty set must not be sent: it
/// means the whole table.
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
