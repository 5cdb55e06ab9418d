//! Fields that end with a delimiter: one byte, or several that stand together in every key, as `::`.

use std::collections::BTreeSet;

use memchr::memmem;
use rowkey::foreign::Delimiter;

use super::search::{Edge, Graph};
use super::span::{Model, Span, best};
use super::textual::{self, End, ZERO, is_printable};

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

impl<'k> Graph<'k> {
    pub(super) fn before_delimiters(&mut self, node: usize, edges: &mut Vec<Edge>) {
        for delimiter in self.delimiters.clone() {
            let (bytes, len) = (delimiter.as_bytes(), delimiter.len());
            let finder = memmem::Finder::new(bytes);
            let places: Option<Vec<usize>> = self.rest(node).map(|rest| finder.find(rest)).collect();
            let Some(places) = places else { continue };
            if places.iter().all(|place| *place == 0) {
                continue;
            }
            // It is the beginning of a longer one.
            let is_begun = |longer: &Delimiter| longer.len() > len && longer.as_bytes().starts_with(bytes);
            let goes_on = |longer: &Delimiter| {
                self.rest(node).zip(&places).all(|(rest, place)| rest[*place..].starts_with(longer.as_bytes()))
            };
            if self.delimiters.iter().any(|longer| is_begun(longer) && goes_on(longer)) {
                continue;
            }
            let span = self.span(node, |_, i| places[i]);
            let mut models = textual::models(&span, End::Before(delimiter));
            // Text that has the delimiter again, in some keys more often than in others, is text to its end.
            let after = |(rest, place): (&'k [u8], &usize)| &rest[place + len..];
            let rests: Vec<&[u8]> = self.rest(node).zip(&places).map(after).collect();
            let counts: BTreeSet<usize> = rests.iter().map(|rest| finder.find_iter(rest).count()).collect();
            if counts.len() > 1 && rests.iter().all(|rest| rest.iter().all(|byte| is_printable(*byte))) {
                models.iter_mut().for_each(|model| model.bits += 2.0 * self.keys.len() as f64);
            }
            if models.is_empty() {
                continue;
            }
            let to = self.after(node, |i| places[i] + len);
            edges.extend(best(models).into_iter().map(|model| Edge { to, model }));
        }
    }

    /// Descending text, which ends with an inverted zero.
    pub(super) fn inverted_text(&mut self, node: usize, edges: &mut Vec<Edge>) {
        let places: Option<Vec<usize>> = self.rest(node).map(|rest| memchr::memchr(0xff, rest)).collect();
        let Some(places) = places else { return };
        let inverted: Vec<Vec<u8>> = self
            .rest(node)
            .zip(&places)
            .map(|(rest, place)| rest[..*place].iter().map(|byte| !byte).collect())
            .collect();
        let span = Span::new(inverted.iter().map(Vec::as_slice), &self.repeats);
        if !span.all(is_printable) {
            return;
        }
        let models = textual::models(&span, End::Before(ZERO));
        let models: Vec<Model> = models
            .into_iter()
            .filter(|model| model.shape == "text")
            .map(|model| Model::new("text desc", model.bits + 4.0))
            .collect();
        if !models.is_empty() {
            let to = self.after(node, |i| places[i] + 1);
            edges.extend(models.into_iter().map(|model| Edge { to, model }));
        }
    }
}
