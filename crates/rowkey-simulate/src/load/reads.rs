//! The reads of a query: each run asks for the values of rows that were written, or of those that it asks for most.

use std::ops::ControlFlow;

use rowkey::{KeyRange, Value};
use rowkey_design::internal::cost::{OrderFit, QueryCost};
use rowkey_design::internal::drawn::{Numbers, Ranks, Row, Rows, mix, skewed};
use rowkey_design::internal::facts::KeyFacts;

use super::LoadError;
use super::counted::{Counted, Window};
use super::options::Options;
use super::portion::MADE;
use super::puts::{Puts, moved};
use crate::event::Op;

/// The most rows whose values one run asks for; of more, each stands for several.
const MOST: f64 = 256.0;

/// The ranges of a run, which it and the runs after it read in turn where they are many.
#[derive(Debug, Default)]
pub(super) struct Asked {
    ranges: Vec<KeyRange>,
    /// True if all rows are read, of no range.
    is_all: bool,
    /// The runs among which they are divided, and those of them that are left.
    runs: usize,
    left: usize,
    /// The rows of each, where what is there does not tell.
    few: Option<f64>,
    /// The number of times that ranges were asked for, these included.
    times: u64,
    /// The batch of all of them.
    batch: u64,
}

impl Asked {
    /// The batch of the next run: `next`, or that of the runs before it that ask for ranges of the same values.
    pub(super) fn batch(&mut self, next: u64) -> u64 {
        if self.left == 0 {
            self.batch = next;
        }
        self.batch
    }

    /// Lets go of what no run reads, where no more than so many come.
    fn keep(&mut self, runs: u64) {
        let runs = usize::try_from(runs).unwrap_or(usize::MAX);
        if runs < self.left {
            self.ranges.truncate(self.place(runs));
            self.ranges.shrink_to_fit();
            (self.runs, self.left) = (runs, runs);
        }
    }

    /// The place of the first range of one of the runs.
    fn place(&self, run: usize) -> usize {
        share(self.ranges.len(), run, self.runs)
    }

    /// The ranges of the next run, and how many times each is counted, of so many that there are: in all of the runs
    /// each is counted as often as the others, and together as often as there are ranges in all of them.
    fn next(&self, all: u64) -> impl Iterator<Item = (&KeyRange, u64)> {
        let (count, runs) = (self.ranges.len() as u128, self.runs as u128);
        let until = move |at: usize| (u128::from(all) * runs * at as u128 / count.max(1)) as u64;
        let of = self.place(self.left)..self.place(self.left + 1);
        let ranges = self.ranges.get(of.clone()).unwrap_or_default();
        ranges.iter().zip(of).map(move |(range, at)| (range, until(at + 1) - until(at)))
    }
}

/// The number of things that come before one of so many even parts of them.
fn share(of: usize, part: usize, parts: usize) -> usize {
    (of as u128 * part as u128 / parts.max(1) as u128) as usize
}

/// A range that has rows of fewer events than this is too coarse to count its rows by them.
const FEW: f64 = 30.0;

/// The golden section, of 2^64: the parts of its multiples lie evenly, however many there are.
const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

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
    /// The rows of a range by the statistics.
    counted: Counted,
    recent: Option<f64>,
    number: u64,
}

impl<'d> Reads<'d> {
    /// Those of a query, by its cost and the rows of its ranges; none if it is not of the table.
    pub(super) fn of(cost: QueryCost<'d>, counted: Counted, key: &KeyFacts<'d>, options: &Options) -> Option<Self> {
        let query = cost.query;
        let place = key.table.table.query.iter().position(|other| std::ptr::eq(other, query))?;
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
            counted,
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

    /// The rows of a range by the statistics, where what is there does not tell them: of each row stand so many that a
    /// range has none or too many, or it is not all written. `rows` are of the ends of ranges.
    fn few(&self, ends: &[(Row, f64)], rows: &Rows<'_>, puts: &Puts, time: f64) -> Option<f64> {
        let counted = self.counted.rows?;
        let of_run = self.counted.of_run.map_or(1.0, |all| puts.until(time) / all);
        let (part, is_written) = match self.counted.window.filter(|_| puts.are_by_time()) {
            None => (of_run, true),
            Some(window) => {
                let part: f64 = ends.iter().map(|(_, end)| puts.part_of_mean(window.seconds, *end)).sum();
                (part / ends.len().max(1) as f64, ends.iter().all(|end| is_written(window, *end, rows, time)))
            }
        };
        // What it has the value of is there.
        let least = if self.counted.window.is_none() { counted.min(1.0) } else { 0.0 };
        let counted = (counted * part).max(least);
        let is_few = counted < 1.0 || (puts.weight > 1 && counted < FEW * puts.weight as f64);
        (is_few || !is_written).then_some(counted)
    }

    /// The rows of the ranges of the k-th run, whole ones: as many on average as the statistics say.
    fn whole(&self, few: Option<f64>, puts: &Puts, k: u64) -> Option<u64> {
        let part = puts.choice(self.number.wrapping_add(2), k) as f64 / 2f64.powi(64);
        // Not less by what is rounded.
        let few = (few? + part.min(1.0 - 1e-9) + 1e-9).floor() as u64;
        Some(self.limit.map_or(few, |limit| limit.min(few)))
    }

    /// A row whose values a run asks for, and the time in seconds at which its ranges of time end. One that ends before
    /// the beginning is where another is, that ends after it.
    fn row(&self, puts: &Puts, number: u64, time: f64) -> Option<(Row, f64)> {
        let choice = puts.choice(self.number, number);
        let recent = puts.chosen(self.recent, time, choice);
        let of_time = self.counted.window.is_some() && puts.are_by_time();
        // A range of time has rows before there are any, too: as many as if there had been some.
        let first = || puts.first().filter(|_| of_time);
        let row = recent.or_else(|| puts.chosen(None, time, choice)).or_else(first)?;
        // Of a range any time is the end, be there rows of it or not; so it is where no row is recent.
        if !puts.are_by_time() || (self.counted.window.is_none() && recent.is_some()) {
            return Some((row, time));
        }
        let oldest = self.counted.window.map_or(f64::INFINITY, |window| window.oldest);
        // Of whole periods, or those of the beginning count for more than others.
        let oldest = self.recent.unwrap_or_else(|| puts.whole_periods(time)).min(oldest);
        let part = |choice: u64| choice as f64 / 2f64.powi(64);
        // Few runs are spread over the times, too: by chance alone they would be so of many.
        let spread = puts.choice(self.number.wrapping_add(1), 0).wrapping_add(number.wrapping_mul(GOLDEN));
        let end = time - part(spread) * oldest;
        // Before the beginning nothing is there.
        let place = if end < 0.0 { time * part(puts.choice(self.number.wrapping_add(3), number)) } else { end };
        Some((moved(row, place), end))
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
            let (times, batch) = (asked.times, asked.batch);
            *asked = Asked { times: times.wrapping_add(1), batch, ..self.asked(each.max(1), rows, puts, times, time) };
            asked.keep(left);
        }
        asked.left = asked.left.saturating_sub(1);
        if asked.is_all {
            let most = self.counted.most.filter(|most| puts.all() > most.keys);
            return Ok(give(Op::Scan { end: None, limit: None, reverse: self.reverse, few: None, most }, &[], 1));
        }
        let (few, most) = (self.whole(asked.few, puts, k), self.counted.most);
        for (range, times) in asked.next(self.ranges()) {
            let op = match self.is_get {
                true => Op::Get,
                false => Op::Scan { end: range.end(), limit: self.limit, reverse: self.reverse, few, most },
            };
            if times > 0 && give(op, range.start(), times).is_break() {
                return Ok(ControlFlow::Break(()));
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    /// The ranges that are asked for next, the k-th time; none while nothing is written.
    fn asked(&self, each: usize, rows: &Rows<'_>, puts: &Puts, k: u64, time: f64) -> Asked {
        let all = self.cost.keys().max(1.0);
        let buckets = (self.cost.range_count() as f64 / all).max(1.0);
        let count = all.min(MOST).min(MADE as f64 / buckets).max(1.0) as u64;
        let (mut keys, mut ends): (Vec<Vec<Value>>, Vec<_>) = (Vec::new(), Vec::new());
        for number in (0..count).map(|of| k.wrapping_mul(count).wrapping_add(of)) {
            let Some((row, end)) = self.row(puts, number, time) else { continue };
            ends.push((row, end));
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
        Asked { ranges, is_all, runs, left: runs, few: self.few(&ends, rows, puts, time), times: k, batch: 0 }
    }

    /// The words for what is left out, if a run reads so many ranges at most.
    pub(super) fn divided(&self, most: usize) -> Option<String> {
        let (name, all) = (self.cost.query.name.as_str(), self.cost.range_count());
        (all > most).then(|| format!("of the {all} ranges of {name:?} each run reads {most}, which stand for all"))
    }
}

/// True if the rows of a range of time are all written at a time, and since the beginning: from its first value to its
/// last, which may be a whole day.
fn is_written(window: Window, (row, end): (Row, f64), rows: &Rows<'_>, time: f64) -> bool {
    let value = |time: f64| rows.value(window.field, moved(row, time), None);
    let first = end - window.seconds;
    end >= 0.0 && (first >= 0.0 || value(first) == value(-1e-6)) && value(end) != value(time)
}
