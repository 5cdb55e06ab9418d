//! Delimiters that fields may end with: one byte, or several that stand together in every key, as `::`.

use std::collections::BTreeSet;

use memchr::memmem;
use rowkey::foreign::Delimiter;

/// The bytes that are tried as delimiters, each with its bits: some are frequent, some are more often a part of names.
const SINGLE: [(u8, f64); 16] = [
    (b'#', 1.0),
    (b'|', 1.0),
    (b':', 2.0),
    (0, 2.0),
    (b'_', 4.0),
    (b'/', 4.0),
    (b'-', 5.0),
    (b',', 4.0),
    (b';', 4.0),
    (b'~', 4.0),
    (b'!', 4.0),
    (b'\t', 4.0),
    (b'+', 6.0),
    (b'=', 6.0),
    (b'$', 6.0),
    (0x1f, 4.0),
];

/// The bits of each byte of a delimiter after its first.
const NEXT: f64 = 4.0;
/// The bytes of the longest delimiter that is tried, and the number of those of several bytes.
const LONGEST: usize = 4;
const MOST: usize = 8;

/// The single bytes that are tried.
pub(super) fn single() -> impl Iterator<Item = u8> {
    SINGLE.into_iter().map(|(byte, _)| byte)
}

/// The bits of a delimiter.
pub(super) fn bits(delimiter: Delimiter) -> f64 {
    let first = delimiter.as_bytes().first();
    let of_first = SINGLE.iter().find(|(byte, _)| Some(byte) == first).map_or(6.0, |(_, bits)| *bits);
    of_first + NEXT * (delimiter.len() - 1) as f64
}

/// The delimiters that fields of these keys may end with.
pub(super) fn of(keys: &[&[u8]]) -> Vec<Delimiter> {
    let single = single().filter_map(|byte| Delimiter::new(&[byte]));
    single.chain(several(keys)).collect()
}

/// Punctuation of several bytes that is in every key. A `/` or `-` after other punctuation begins a path or a number.
fn several(keys: &[&[u8]]) -> Vec<Delimiter> {
    let Some(shortest) = keys.iter().min_by_key(|key| key.len()) else { return Vec::new() };
    let begins_value = |pair: &[u8]| matches!(pair[1], b'/' | b'-') && pair[0] != pair[1];
    let may_be = |bytes: &&[u8]| bytes.iter().all(u8::is_ascii_punctuation) && !bytes.windows(2).any(begins_value);
    let is_in_all = |bytes: &&[u8]| {
        let finder = memmem::Finder::new(bytes);
        keys.iter().all(|key| finder.find(key).is_some())
    };
    // The first bytes of a long key tell enough.
    let beginning = &shortest[..shortest.len().min(256)];
    let tried: BTreeSet<&[u8]> = (2..=LONGEST).flat_map(|width| beginning.windows(width)).filter(may_be).collect();
    let mut found: Vec<&[u8]> = tried.into_iter().filter(is_in_all).collect();
    found.sort_by_key(|bytes| bytes.len());
    found.into_iter().take(MOST).filter_map(Delimiter::new).collect()
}
