//! Lists to the end of keys.

use std::collections::{BTreeMap, BTreeSet};

use super::binary;
use super::bits::{self, Repeats};
use super::search::Graph;
use super::span::{Model, Span, best};
use super::textual::is_printable;

impl Graph<'_> {
    /// Items of one width to the end of keys, as the tags of OpenTSDB: pairs of ids.
    pub(super) fn list(&self, node: usize) -> Option<Model> {
        let mut counts = BTreeMap::<usize, u32>::new();
        self.rest(node).for_each(|rest| *counts.entry(rest.len()).or_default() += 1);
        let lengths: BTreeSet<usize> = counts.keys().copied().collect();
        if lengths.len() < 2 || lengths.last()? > &512 {
            return None;
        }
        let width = lengths.iter().map(|length| *length as u64).reduce(bits::common)? as usize;
        let width = [2, 3, 4, 6, 8, 12, 16].into_iter().rev().find(|of| width.is_multiple_of(*of))?;
        let items = || self.rest(node).flat_map(move |rest| rest.chunks_exact(width));
        let count = items().count();
        if count == 0 || items().all(|item| item.iter().all(|byte| is_printable(*byte))) {
            return None;
        }
        let repeats = Repeats::of(count);
        let of = |from: usize, to: usize| {
            let span = Span::new(items().map(|item| &item[from..to]), &repeats);
            best(binary::models(&span, to - from)).into_iter().next()
        };
        let lengths = 4.0 * counts.len() as f64 + self.repeats.bits(&counts.into_values().collect::<Vec<_>>());
        let whole = of(0, width).map(|model| Model::new(format!("list<{}> raw", model.shape), model.bits + lengths));
        let halves = (1..width).filter_map(|at| {
            let (first, second) = (of(0, at)?, of(at, width)?);
            let shape = format!("list<({}, {})> raw", first.shape, second.shape);
            // Ids are mostly as wide as each other.
            let uneven = if 2 * at == width { 0.0 } else { 30.0 };
            Some(Model::new(shape, first.bits + second.bits + lengths + uneven))
        });
        whole.into_iter().chain(halves).min_by(|a, b| a.bits.total_cmp(&b.bits))
    }
}
