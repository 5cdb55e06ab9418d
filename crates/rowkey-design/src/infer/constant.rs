//! Bytes that are the same in every key: a tag of a table or of a kind of rows, as `user#` or four bytes of magic.

use rowkey::foreign::Delimiter;

use super::span::{FIELD, Model};
use super::textual::is_printable;

/// The bits of a byte.
const PRINTABLE: f64 = 5.5;
const BINARY: f64 = 8.0;
/// Constants are more frequent before all fields than between two of them.
const FIRST: f64 = -4.0;
const LATER: f64 = 4.0;
/// The bits of a constant of letters that no punctuation and no binary field ends: it begins names.
const WITHIN_TEXT: f64 = 20.0;
/// The bytes of a number in binary, which are not all printable.
const NEAR: usize = 8;

/// Constants at the beginning of these, each with its width. `are_keys`: no field is before them.
pub(super) fn models(rests: &[&[u8]], are_keys: bool) -> Vec<(usize, Model)> {
    let same = same(rests);
    // Numbers begin with zeros, and descending ones with ff: no constant begins so, or ends where they begin.
    let Some(first) = same.first().filter(|byte| !matches!(byte, 0 | 0xff)) else { return Vec::new() };
    let place = if are_keys { FIRST } else { LATER };
    let of_width = |width: usize| {
        let constant = &same[..width];
        let is_text = constant.iter().all(|byte| is_printable(*byte));
        let last = constant.last().copied().unwrap_or(*first);
        let is_before_binary = |rest: &&[u8]| rest[width..].iter().take(NEAR).any(|byte| !is_printable(*byte));
        let is_ended = last.is_ascii_punctuation() || rests.iter().any(is_before_binary);
        if last == 0 {
            return None;
        }
        let within = match (is_text && !is_ended, width == same.len()) {
            (true, false) => return None,
            (true, true) => WITHIN_TEXT,
            _ => 0.0,
        };
        let bytes: f64 = constant.iter().map(|byte| if is_printable(*byte) { PRINTABLE } else { BINARY }).sum();
        let shape = format!("const[{}]", Delimiter::new(constant)?);
        Some((width, Model::new(shape, FIELD + place + bytes + within)))
    };
    (1..=same.len().min(Delimiter::MOST)).filter_map(of_width).collect()
}

/// The bytes that all begin with, up to a byte before the end of the shortest.
fn same<'r>(rests: &[&'r [u8]]) -> &'r [u8] {
    let Some(first) = rests.first() else { return &[] };
    let common = |rest: &&[u8]| {
        let both = rest.iter().zip(*first).take_while(|(a, b)| a == b).count();
        both.min(rest.len().saturating_sub(1))
    };
    &first[..rests.iter().map(common).min().unwrap_or(0)]
}
