//! Whole keys of OrderedCode, and their ranges. Fields that are written one by one have a separator before each, before
//! the first too; and a key has no empty fields at its end.
//!
//! ```text
//! ("A", "")     00 01 41 | 00 01 00 00     the fields
//!               41                         the key
//! ```

use super::ordered::{EMPTY, SEPARATOR};
use crate::keys::range::KeyRange;
use crate::keys::span::{Cut, KeySpan};

/// The length of these bytes of a key, or of its first fields, without the empty fields at their end, or the beginning
/// of one.
pub(crate) fn len(mut bytes: &[u8]) -> usize {
    bytes = bytes.strip_suffix(&SEPARATOR).unwrap_or(bytes);
    while let Some(rest) = bytes.strip_suffix(&EMPTY).and_then(|rest| rest.strip_suffix(&SEPARATOR)) {
        bytes = rest;
    }
    bytes.len()
}

fn without_separator(fields: &[u8]) -> &[u8] {
    fields.strip_prefix(&SEPARATOR).unwrap_or(fields)
}

/// The key of fields that were written one by one.
pub(crate) fn key(fields: &[u8]) -> &[u8] {
    let key = without_separator(fields);
    &key[..len(key)]
}

/// The span of keys that a span of fields is, which were written one by one. `fields` is how many a whole key has.
pub(crate) fn span(span: &KeySpan, fields: usize) -> KeySpan {
    let KeySpan { body, ends, low, high } = span.clone();
    if ends.len() == fields {
        return KeySpan { body: key(&body).to_vec(), ends, low, high };
    }
    let is_first = body.is_empty();
    let cut = |cut: Cut| match cut {
        Cut::Before(bytes) if is_first => Cut::Before(without_separator(&bytes).to_vec()),
        Cut::After(bytes) if is_first => Cut::After(without_separator(&bytes).to_vec()),
        cut => cut,
    };
    KeySpan { body: without_separator(&body).to_vec(), ends, low: cut(low), high: cut(high) }
}

/// Takes the empty fields at the ends of bounds off, which are at the end of no key.
pub(crate) fn narrow(by_bucket: &mut Vec<Vec<KeyRange>>) {
    let cut = |bound: &[u8]| bound[..len(bound)].to_vec();
    for ranges in &mut *by_bucket {
        let cut = |range: KeyRange| KeyRange::new(cut(range.start()), range.end().map(cut));
        *ranges = ranges.drain(..).filter_map(cut).collect();
    }
    by_bucket.retain(|ranges| !ranges.is_empty());
}
