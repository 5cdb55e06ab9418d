//! The reads of a query: each run asks for the values of rows that were written, or of those that it asks for most.

use std::ops::ControlFlow;

use rowkey::{KeyRange, Value};
use rowkey_design::internal::TableDesign;
use rowkey_design::internal::cost::{OrderFit, QueryCost};
use rowkey_design::internal::drawn::{Numbers, Ranks, Rows, mix, skewed};
use rowkey_design::internal::facts::KeyFacts;

use super::LoadError;
use super::options::Options;
use super::portion::MADE;
use super::puts::Puts;
use crate::event::{Most, Op};

/// The most rows whose values one run asks for; of more, each stands for several.
const MOST: f64 = 256.0;

/// The ranges of a run, which it and the runs after it read in turn where they are many.
#[derive(Debug, Default)]
pub(super) struct Asked {
    ranges: Vec<KeyRange>,
    /// True if all rows are read, of no range.
    is_all: bool,
    /// The number of them that a run reads.
    each: usize,
    /// The runs among which they are divided that are left.
    left: usize,
}

impl Asked {
    /// Lets go of what no run reads, where no more than so many come.
    fn keep(&mut self, runs: u64) {
        let runs = usize::try_from(runs).unwrap_or(usize::MAX);
        if runs < self.left {
            self.ranges.truncate(runs.saturating_mul(self.each));
            self.ranges.shrink_to_fit();
            self.left = runs;
        }
    }
}

/// A range that has rows of fewer events than this is too coarse to count its rows by them.
const FEW: f64 = 30.0;

/// Takes a read, its key, and how many times it counts.
type Give<'g> = &'g mut dyn FnMut(Op<'_>, &[u8], u64) -> ControlFlow<()>;

/// The runs of a query.
#[derive(Debug)]
pub(super) struct Reads<'d> {
    cost: QueryCost<'d>,
    /// The fields of which it asks for some values more than for others.
    asked: Vec<(usize, Ranks, Numbers)>,
    is_get: bool,
    reverse: bool,
    limit: Option<u64>,
    /// The rows that `check` counts of a range.
    rows: Option<f64>,
    /// The rows that there can be in a range.
    most: Option<Most>,
    recent: Option<f64>,
    number: u64,
}

impl<'d> Reads<'d> {
    /// Those of a query, by its cost; none if it is not of the table.
    pub(super) fn of(
        cost: QueryCost<'d>,
        table: &'d TableDesign,
        key: &KeyFacts<'d>,
        options: &Options,
    ) -> Option<Self> {
        let query = cost.query;
        let place = table.table.query.iter().position(|other| std::ptr::eq(other, query))?;
        let numbers = Numbers::new(options.seed).named("values that are asked for").of(place as u64);
        let of = key.asked_by(query);
        let fields = of.fields.iter().enumerate().filter(|(_, field)| query.skew.contains_key(field.name));
        let asked = fields.filter_map(|(at, field)| {
            let spread = skewed(&field.spread?, options.skew);
            Some((at, Ranks::of(&spread), numbers.of(at as u64)))
        });
        let is_whole = cost.leading == key.fields.len() && !cost.next;
        Some(Self {
            asked: asked.collect(),
            is_get: !cost.full_scan && is_whole && cost.range_count() == 1,
            reverse: matches!(cost.order, OrderFit::Reverse | OrderFit::Merge { reverse: true }),
            limit: cost.limit(),
            rows: cost.rows_of_range(),
            most: most_of(&cost),
            recent: query.recent.as_ref().map(|recent| recent.seconds()),
            number: numbers.at(0),
            cost,
        })
    }

    /// True if each run reads all: no two differ.
    fn reads_all(&self) -> bool {
        self.cost.full_scan && self.limit.is_none()
    }

    /// The ranges of a run.
    pub(super) fn ranges(&self) -> u64 {
        if self.reads_all() { 1 } else { (self.cost.range_count() as u64).max(1) }
    }

    /// The rows of a range by what `check` counts, where each row that is there stands for so many that a range has
    /// none of them or too many.
    fn few(&self, weight: u64) -> Option<u64> {
        let counted = self.rows.filter(|rows| weight > 1 && *rows < FEW * weight as f64);
        let counted = counted.map(|rows| rows.max(1.0).round() as u64)?;
        Some(self.limit.map_or(counted, |limit| limit.min(counted)))
    }

    /// The k-th run, at a time in seconds, after which `left` come, itself included: each of its reads, and how many
    /// times it counts. Of more than `each` ranges it reads some, which stand for all.
    pub(super) fn run(
        &self,
        (asked, each, left): (&mut Asked, usize, u64),
        rows: &Rows<'_>,
        puts: &Puts,
        k: u64,
        time: f64,
        give: Give<'_>,
    ) -> Result<ControlFlow<()>, LoadError> {
        if asked.left == 0 {
            *asked = self.asked(each.max(1), rows, puts, k, time);
            asked.keep(left);
        }
        asked.left = asked.left.saturating_sub(1);
        if asked.is_all {
            let most = self.most.filter(|most| puts.all() > most.keys);
            return Ok(give(Op::Scan { end: None, limit: None, reverse: self.reverse, few: None, most }, &[], 1));
        }
        let ranges = asked.ranges.chunks(asked.each.max(1)).nth(asked.left).unwrap_or_default();
        let (all, count, few) = (u128::from(self.ranges()), ranges.len() as u128, self.few(puts.weight));
        let mut counted = 0;
        for (range, until) in ranges.iter().zip(1..) {
            // Together they are counted as often as there are ranges.
            let until = (all * until / count) as u64;
            let times = until - std::mem::replace(&mut counted, until);
            let op = match self.is_get {
                true => Op::Get,
                false => Op::Scan { end: range.end(), limit: self.limit, reverse: self.reverse, few, most: self.most },
            };
            if times > 0 && give(op, range.start(), times).is_break() {
                return Ok(ControlFlow::Break(()));
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    /// The ranges of the k-th run; none while nothing is written.
    fn asked(&self, each: usize, rows: &Rows<'_>, puts: &Puts, k: u64, time: f64) -> Asked {
        let all = self.cost.keys().max(1.0);
        let buckets = (self.cost.range_count() as f64 / all).max(1.0);
        let count = all.min(MOST).min(MADE as f64 / buckets).max(1.0) as u64;
        let mut keys: Vec<Vec<Value>> = Vec::new();
        for number in (0..count).map(|of| k.wrapping_mul(count).wrapping_add(of)) {
            let choice = puts.choice(self.number, number);
            // Where none is recent, it asks all the same.
            let row = puts.chosen(self.recent, time, choice).or_else(|| puts.chosen(None, time, choice));
            let Some(row) = row else { continue };
            let mut values = Vec::new();
            rows.values(row, &mut values);
            for (at, ranks, numbers) in &self.asked {
                values[*at] = rows.value(*at, row, Some(ranks.draw(numbers.at(number))));
            }
            keys.push(values);
        }
        // Nothing is written yet: it finds nothing.
        if keys.is_empty() {
            return Asked::default();
        }
        let is_all = self.reads_all();
        let mut ranges: Vec<KeyRange> = match is_all {
            true => Vec::new(),
            false => match self.cost.ranges_with(&keys) {
                Some(ranges) => ranges.into_iter().flatten().collect(),
                None => vec![KeyRange::all()],
            },
        };
        let runs = ranges.len().div_ceil(each).max(1);
        if runs > 1 {
            // Scattered, so that the ranges of one run are of all servers.
            let mut numbers = 0..;
            ranges.sort_by_cached_key(|_| numbers.next().map(mix));
        }
        Asked { ranges, is_all, each, left: runs }
    }

    /// The words for what is left out, if a run reads so many ranges at most.
    pub(super) fn divided(&self, most: usize) -> Option<String> {
        let (name, all) = (self.cost.query.name.as_str(), self.cost.range_count());
        (all > most).then(|| format!("of the {all} ranges of {name:?} each run reads {most}, which stand for all"))
    }
}

/// The rows that there can be in a range of a query; none where the values of a field are not known.
fn most_of(cost: &QueryCost<'_>) -> Option<Most> {
    let keys = cost.keys_of_range()?.max(1.0);
    let rows = cost.rows_of_range().map_or(keys, |rows| rows.clamp(1.0, keys));
    Some(Most { keys: keys.ceil() as u64, rows: rows.round() as u64 })
}
