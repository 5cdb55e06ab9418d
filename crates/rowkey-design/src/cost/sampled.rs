//! The rows of a query by running it on a sample of keys, with values taken from the sample.

use std::borrow::Cow;
use std::ops::Bound;

use rowkey::Value;

use crate::design::Query;
use crate::facts::{FieldFacts, KeyFacts};
use crate::profile::Profile;
use crate::resolve::TableDesign;

use super::rows::Rows;
use super::select::{self, Condition, Filter, Selection};
use super::stored;
use super::witness::before;

/// The number of times that a query is run.
const RUNS: usize = 64;

/// The number of values of a field that are taken from the sample; more are as many times more rows.
const VALUES: usize = 64;

/// The number of keys in its ranges on which a filter is tried.
const TRIED: usize = 256;

/// Sorted keys of a table or secondary table, chosen at random, and how many rows it has.
pub(super) struct Sample<'d> {
    keys: Cow<'d, [Vec<u8>]>,
    rows: f64,
}

impl<'d> Sample<'d> {
    /// None if there are no keys, or a secondary table's key has fields that they do not have.
    pub(super) fn of(table: &TableDesign, key: &KeyFacts<'_>, profile: &'d Profile) -> Option<Self> {
        let rows = stored::rows_of(table, key.secondary).unwrap_or(profile.keys as f64);
        let keys = match key.secondary {
            None => Cow::Borrowed(profile.sample.as_slice()),
            Some(_) => Cow::Owned(profile.keys_under(&table.layout, key.layout)?),
        };
        (keys.len() > 1).then(|| Self { rows: rows.max(keys.len() as f64), keys })
    }

    /// The values of a run: a key, and as many more as the query asks for values of the field at `next`, all different
    /// there, from keys at even steps.
    fn values(&self, key: &KeyFacts<'_>, next: usize, run: usize, count: usize) -> Vec<Vec<Value>> {
        let len = self.keys.len();
        // Values that are rare are not found in as many tries.
        let tries = (4 * count).min(len);
        let chosen = (0..tries).map(|i| &self.keys[(run * len / RUNS + i * len / tries) % len]);
        let mut values: Vec<Vec<Value>> = Vec::new();
        for decoded in chosen.filter_map(|bytes| key.layout.decode(bytes).ok()) {
            if values.len() == count {
                break;
            }
            if values.iter().all(|other| other.get(next) != decoded.get(next)) {
                values.push(decoded);
            }
        }
        values
    }

    /// The keys that one run takes its values from: from the middle of the sample.
    pub(super) fn witness(&self, key: &KeyFacts<'_>, next: usize, count: usize) -> Vec<Vec<Value>> {
        self.values(key, next, RUNS / 2, count.min(VALUES))
    }

    /// The values of each run. A range that ends near the field's least value would be cut short: such runs are left
    /// out. If all are, those whose ranges end last are left.
    fn runs(&self, key: &KeyFacts<'_>, selection: &Selection<'_>, count: usize) -> Vec<Vec<Vec<Value>>> {
        let mut runs: Vec<_> =
            (0..RUNS.min(self.keys.len())).map(|run| self.values(key, selection.leading, run, count)).collect();
        if let Some((field, Condition::Range(width, _))) = &selection.next {
            let value = |run: &Vec<Vec<Value>>| run.first().and_then(|key| key.get(selection.prefix())).cloned();
            let ascending = |value: &Value| select::ascending(field, value);
            let least = runs.iter().filter_map(|run| ascending(&value(run)?)).min();
            let starts = |run: &Vec<Vec<Value>>| match before(&value(run)?, field, *width)? {
                Bound::Included(low) | Bound::Excluded(low) => ascending(&low),
                Bound::Unbounded => None,
            };
            runs.sort_by_cached_key(|run| std::cmp::Reverse(value(run).and_then(|value| ascending(&value))));
            let whole = runs.iter().take_while(|run| starts(run) >= least).count();
            runs.truncate(whole.max(runs.len().div_ceil(16)));
        }
        runs
    }

    /// The mean of many runs. A value is asked for as often as it has rows.
    ///
    /// A run finds the rows that its values are of. The others are as many times more as the table has rows for each
    /// key of the sample.
    pub(super) fn run(&self, query: &Query, key: &KeyFacts<'_>, selection: &Selection<'_>) -> Option<Rows> {
        let whole = self.rows;
        let each = (whole - 1.0) / (self.keys.len() as f64 - 1.0);
        let all = |found: usize, own: usize| own as f64 + (found.saturating_sub(own)) as f64 * each;
        let count = selection.keys().min(VALUES as f64) as usize;
        let in_key = selection.rest.iter().all(|name| key.index(name).is_some());
        let (mut selected, mut matching) = (Vec::new(), Vec::new());
        for values in self.runs(key, selection, count) {
            let Some(ranges) = selection.ranges(&values) else { continue };
            let place = |bytes: &[u8]| self.keys.partition_point(|key| key.as_slice() < bytes);
            let parts =
                ranges.iter().flatten().map(|range| place(range.start())..range.end().map_or(self.keys.len(), place));
            let parts: Vec<_> = parts.collect();
            let found: usize = parts.iter().map(ExactSizeIterator::len).sum();
            // After leading fields the values are of other keys, whose rows are elsewhere.
            let own = match (selection.leading, selection.conditions().next()) {
                (0, None) => 0,
                (0, Some((_, Condition::Among(_)))) if selection.between.is_empty() => values.len(),
                _ => 1,
            };
            let own = own.min(found);
            let distinct = |(field, _): &(FieldFacts<'_>, Condition)| field.spread.map(|spread| spread.distinct);
            let only = selection.next.as_ref().filter(|_| selection.between.is_empty());
            let there = only.and_then(distinct).unwrap_or(f64::MAX);
            let more = (selection.keys().min(there) / values.len().max(1) as f64).max(1.0);
            let rows = (all(found, own) * more).min(whole);
            selected.push(rows);
            if !in_key {
                continue;
            }
            let filters = selection.rest.iter().filter_map(|name| {
                let field = key.index(name)?;
                Filter::new(field, &key.fields[field], Condition::of(query, name)?, &values)
            });
            let filters: Vec<Filter> = filters.collect();
            if filters.is_empty() {
                matching.push(rows);
                continue;
            }
            let step = found.div_ceil(TRIED).max(1);
            let tried: Vec<_> = parts.into_iter().flatten().step_by(step).collect();
            let kept = tried.iter().filter_map(|&i| key.layout.decode(&self.keys[i]).ok());
            let kept = kept.filter(|key| filters.iter().all(|filter| filter.keeps(key))).count();
            matching.push((rows * kept as f64 / tried.len().max(1) as f64).max(1.0));
        }
        let mean = |rows: &[f64]| (!rows.is_empty()).then(|| rows.iter().sum::<f64>() / rows.len() as f64);
        let worst = selected.iter().copied().reduce(f64::max);
        let selected = Some(mean(&selected)?);
        Some(Rows { selected, matching: mean(&matching), matching_at_most: selected, worst, ..Default::default() })
    }
}
