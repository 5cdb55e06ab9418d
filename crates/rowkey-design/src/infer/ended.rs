//! Fields that end with a delimiter.

use std::collections::BTreeSet;

use memchr::memmem;
use rowkey::foreign::Delimiter;

use super::search::{Edge, Graph};
use super::span::{Model, Span, best};
use super::textual::{self, End, ZERO, is_printable};

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
