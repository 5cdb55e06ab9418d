//! The bytes that a field may have in each key: their different values.

use std::collections::HashMap;

use rowkey::{LayoutBuf, Value};

use super::bits::{self, Repeats};

/// A part of each key.
pub(super) struct Span<'k> {
    /// The different values, in the order of their first keys.
    pub(super) values: Vec<&'k [u8]>,
    /// Of each, the keys that have it.
    counts: Vec<u32>,
    /// The bits that say which of them each key has.
    pub(super) repeats: f64,
    /// The width of all values, if it is one.
    pub(super) width: Option<usize>,
}

impl<'k> Span<'k> {
    pub(super) fn new(parts: impl Iterator<Item = &'k [u8]>, repeats: &Repeats) -> Self {
        let mut places: HashMap<&[u8], usize> = HashMap::new();
        let (mut values, mut counts): (Vec<&[u8]>, Vec<u32>) = (Vec::new(), Vec::new());
        for part in parts {
            let place = *places.entry(part).or_insert(values.len());
            if place == values.len() {
                values.push(part);
                counts.push(0);
            }
            counts[place] += 1;
        }
        let first = values.first().map_or(0, |value| value.len());
        let width = values.iter().all(|value| value.len() == first).then_some(first);
        Self { repeats: repeats.bits(&counts), values, counts, width }
    }

    pub(super) fn all(&self, is_one: impl Fn(u8) -> bool) -> bool {
        self.values.iter().all(|value| value.iter().all(|byte| is_one(*byte)))
    }

    /// The bits of the values, which are these numbers: those of the different ones and which key has which, or those of
    /// all keys.
    pub(super) fn least(&self, different: &[u128], of: impl Fn(&[u128]) -> Option<f64>) -> Option<f64> {
        let once = self.repeats + of(different)?;
        if self.counts.iter().all(|count| *count == 1) {
            return Some(once);
        }
        let times = |(number, count): (&u128, &u32)| std::iter::repeat_n(*number, *count as usize);
        let all: Vec<u128> = different.iter().zip(&self.counts).flat_map(times).collect();
        Some(once.min(of(&all)?))
    }

    pub(super) fn bits_of_numbers(&self, different: &[u128]) -> f64 {
        self.least(different, |numbers| Some(bits::of_numbers(numbers))).unwrap_or(f64::INFINITY)
    }

    /// The values of a field of this shape, which has no delimiter; none if one of them is not valid.
    pub(super) fn decoded(&self, shape: &str) -> Option<Vec<Value>> {
        let layout: LayoutBuf = shape.parse().ok()?;
        self.values.iter().map(|value| layout.decode(value).ok()?.pop()).collect()
    }

    /// The same keys with other bytes for each of the values.
    pub(super) fn with<'b>(&self, values: Vec<&'b [u8]>) -> Span<'b> {
        let first = values.first().map_or(0, |value| value.len());
        let width = values.iter().all(|value| value.len() == first).then_some(first);
        Span { repeats: self.repeats, values, counts: self.counts.clone(), width }
    }

    /// The number of bytes of all values.
    pub(super) fn len(&self) -> usize {
        self.values.iter().map(|value| value.len()).sum()
    }
}

/// A type that the values may have, and what they cost as such.
#[derive(Clone, Debug)]
pub(super) struct Model {
    /// The field in a shape.
    pub(super) shape: String,
    pub(super) bits: f64,
    /// The word that a design has for what the values mean.
    pub(super) means: Option<&'static str>,
}

impl Model {
    pub(super) fn new(shape: impl Into<String>, bits: f64) -> Self {
        Self { shape: shape.into(), bits, means: None }
    }

    pub(super) fn meaning(self, means: &'static str) -> Self {
        Self { means: Some(means), ..self }
    }
}

/// The bits of one more field.
pub(super) const FIELD: f64 = 24.0;

/// The best of several models of one span.
pub(super) fn best(mut models: Vec<Model>) -> Vec<Model> {
    models.sort_by(|a, b| a.bits.total_cmp(&b.bits));
    models.truncate(3);
    models
}
