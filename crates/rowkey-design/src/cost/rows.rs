//! The rows of a query: in its ranges, and of these the ones that it wants. From what is known of the fields.

use rowkey::lead::Lead;
use rowkey::untyped::TypeBuf;

use crate::design::{Meaning, Width};
use crate::facts::{FieldFacts, Growth, KeyFacts};
use crate::file::Count;
use crate::resolve::TableDesign;

use super::select::{Condition, Selection};
use super::values::values;
use super::{OrderFit, QueryCost, stored};

/// The seconds that rows are taken to be kept where nothing says it: rows of a time are as many for any.
const YEAR: f64 = 365.0 * 86_400.0;

/// The rows of a table, where a value that no other row has is of one of them, however many there are: a power of two,
/// by which nothing is rounded.
const HOWEVER_MANY: f64 = (1u64 << 60) as f64;

/// The rows of a query.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Rows {
    /// In its ranges.
    pub(super) selected: Option<f64>,
    /// Of these, those that pass its filters.
    pub(super) matching: Option<f64>,
    /// Those that meet its conditions at most: where the share that meets one is not known, all rows that meet the
    /// others.
    pub(super) matching_at_most: Option<f64>,
    /// In its ranges, for a value that has more rows than 99 of 100.
    pub(super) worst: Option<f64>,
    /// In its ranges at most: where the share that meets one of its conditions is not known, all rows that meet the
    /// others.
    pub(super) at_most: Option<f64>,
    /// The keys that its ranges can have, as far as the values of each field are known.
    pub(super) keys: Option<f64>,
    /// The positions of the rows that pass its first filter among those in its ranges.
    pub(super) clusters: Option<Clusters>,
}

/// A filter by a field of the key: the fields before it divide the rows into groups, and in each group those that have
/// one value are side by side.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Clusters {
    /// The number of clusters that pass.
    passing: f64,
    /// The share of the rows that pass.
    pub(super) share: f64,
    /// True if they lie at random among the others: a digest is also of the filter's field, or it has several values.
    scattered: bool,
}

impl Clusters {
    /// The number of `rows` rows that are read, in key order, until `wanted` of those that pass are.
    pub(super) fn read(&self, rows: f64, wanted: f64) -> f64 {
        let all = self.passing.max(1.0) / self.share;
        let size = rows / all;
        if size <= 1.0 || !size.is_finite() {
            return wanted / self.share;
        }
        let whole = (wanted / size).floor();
        let left = wanted - whole * size;
        let started = if left > 0.0 { whole + 1.0 } else { whole };
        let before = if self.scattered {
            started * (all + 1.0) / (self.passing.max(1.0) + 1.0) - started
        } else {
            // They lie anywhere in the last group.
            let others = 1.0 / self.share - 1.0;
            whole * others + (started - whole) * others / 2.0
        };
        before * size + wanted
    }
}

/// The condition of a query on a field.
type Asked<'k> = (&'k FieldFacts<'k>, Condition);

struct Known {
    rows: Option<f64>,
    /// The seconds that the rows were written in.
    span: Option<f64>,
    /// The rows written a second.
    rate: Option<f64>,
}

/// From the statistics of the file.
pub(super) fn estimated<'k>(table: &TableDesign, key: &'k KeyFacts<'k>, cost: &QueryCost<'_>) -> Rows {
    let rate = stored::rows_per_second(table).map(|rate| rate * key.share);
    let known = Known { rows: stored::rows_of(table, key.secondary), span: stored::span(table), rate };
    let condition = |field: &'k FieldFacts<'k>| Some((field, Condition::of(cost.query, field.name)?));
    let selecting: Vec<Asked<'_>> = key.fields[..cost.used()].iter().filter_map(condition).collect();
    let filtering = cost.filter.iter().filter_map(|name| condition(&key.fields[key.index(name)?]));
    let all: Vec<_> = selecting.iter().copied().chain(filtering).collect();
    // What it has a value of is there.
    let at_least = |conditions: &[Asked<'_>], rows: Option<f64>| {
        let is_there = |condition| matches!(condition, Condition::One | Condition::StartsWith(..));
        let least = if conditions.iter().all(|(_, condition)| is_there(*condition)) { 1.0 } else { 0.0 };
        rows.map(|rows| rows.max(least))
    };
    let most = |conditions: &[Asked<'_>]| {
        let bounded: Vec<_> =
            conditions.iter().copied().filter(|one| known.selected(&[*one], false).is_some()).collect();
        at_least(conditions, known.selected(&bounded, false))
    };
    let is_one_row = cost.leading == key.fields.len();
    let rows = |rows: Option<f64>| if is_one_row { Some(1.0) } else { rows };
    let in_key = all.len() == selecting.len() + cost.filter.len();
    let keys_of = |conditions: &[Asked<'_>]| {
        let asked = |field: &FieldFacts<'_>| conditions.iter().find(|(of, _)| of.name == field.name);
        let values = key.fields.iter().map(|field| values(field, asked(field).map(|(_, asked)| *asked), known.span));
        values.product::<Option<f64>>()
    };
    let (keys, keys_that_match) = (keys_of(&selecting), keys_of(&all));
    let no_more = |rows: Option<f64>, keys: Option<f64>| rows.map(|rows| rows.min(keys.unwrap_or(f64::MAX)));
    Rows {
        selected: no_more(rows(at_least(&selecting, known.selected(&selecting, false))), keys),
        matching: no_more(rows(at_least(&all, known.selected(&all, false))), keys_that_match).filter(|_| in_key),
        matching_at_most: no_more(rows(most(&all)), keys_that_match),
        worst: no_more(rows(at_least(&selecting, known.selected(&selecting, true))), keys),
        at_most: no_more(rows(most(&selecting)), keys),
        keys,
        clusters: known.clusters(cost, key).filter(|_| !cost.hashed),
    }
}

impl Known {
    /// The rows that meet these conditions: for most values, or for the greatest. Where those of the table are not known,
    /// those of a time are, by the rate, and those of values that each row has another of.
    fn selected(&self, conditions: &[Asked<'_>], worst: bool) -> Option<f64> {
        let by_rate = |rate: f64| Self { rows: Some(rate * YEAR), span: Some(YEAR), rate: None };
        let of_time = || self.rate.filter(|_| conditions.iter().any(is_of_time)).map(by_rate);
        let own =
            || conditions.iter().any(is_of_own).then_some(Self { rows: Some(HOWEVER_MANY), span: None, rate: None });
        let others = if self.rows.is_none() { of_time().or_else(own) } else { None };
        others.as_ref().unwrap_or(self).selected_of_all(conditions, worst)
    }

    fn selected_of_all(&self, conditions: &[Asked<'_>], worst: bool) -> Option<f64> {
        let group = |(i, (field, condition)): (usize, &Asked<'_>)| {
            let counted = (*condition == Condition::One).then_some(field.stats?.rows_per.as_ref()?)?;
            let rows = |count: Option<Count>| count.map(|count| count.0);
            let rows = if worst {
                rows(counted.p99).or(rows(counted.max)).or(rows(counted.p50))
            } else {
                rows(counted.p50)
                    .or_else(|| Some(self.rows? * self.fraction(field, Condition::One)?))
                    .or(rows(counted.p99))
            };
            Some((i, rows.or(rows_of(counted.max))?))
        };
        let groups = conditions.iter().enumerate().filter_map(group);
        let smallest = groups.min_by(|a, b| a.1.total_cmp(&b.1));
        let (counted, rows) = match smallest {
            Some((i, rows)) => (Some(i), Some(rows)),
            None => (None, self.rows),
        };
        let others = conditions.iter().enumerate().filter(|(i, _)| Some(*i) != counted);
        let part: Option<f64> = others
            .map(|(_, (field, condition))| {
                let most = field.spread.filter(|_| worst && *condition == Condition::One).map(|spread| spread.p_max);
                most.or_else(|| self.fraction(field, *condition))
            })
            .product();
        // Counts of a field are of the table, of which another key may have fewer rows.
        Some((rows? * part?).min(self.rows.unwrap_or(f64::MAX)))
    }

    fn clusters(&self, cost: &QueryCost<'_>, key: &KeyFacts<'_>) -> Option<Clusters> {
        let Selection { leading, rest, .. } = &cost.selection;
        let first = rest.iter().filter_map(|name| key.index(name)).min()?;
        let values = |field: &FieldFacts<'_>| -> Option<f64> {
            let distinct = field.spread?.distinct;
            Some(match Condition::of(cost.query, field.name) {
                Some(condition) => distinct * self.fraction(field, condition)?,
                None => distinct,
            })
        };
        // What is merged is read by itself for each value of the fields before.
        let is_merged = matches!(cost.order, OrderFit::Merge { .. });
        let from = if is_merged { cost.selection.prefix() } else { *leading };
        let digest = match key.layout.lead() {
            Lead::Digest(_) | Lead::Hash(_) => crate::load::by(key),
            Lead::None | Lead::Salt(_) => Vec::new(),
        };
        let before = from..first;
        let divided = before.chain(digest.iter().copied().filter(|&field| field > first));
        let groups: Option<f64> = divided.map(|field| values(key.fields.get(field)?)).product();
        let field = &key.fields[first];
        let condition = Condition::of(cost.query, field.name)?;
        let share = self.fraction(field, condition)?.max(1e-12);
        let values = if let Condition::Among(count) = condition { count } else { 1.0 };
        let scattered = digest.contains(&first) || values > 1.0;
        Some(Clusters { passing: groups.unwrap_or(f64::MAX) * values, share, scattered })
    }

    /// The share of rows that meet a condition.
    fn fraction(&self, field: &FieldFacts<'_>, condition: Condition) -> Option<f64> {
        let by_growth = || match field.growth {
            Some(Growth::Time(Some(seconds))) => self.span.map(|span| seconds / span),
            Some(Growth::TimeId | Growth::Sequence) => self.rows.map(|rows| 1.0 / rows.max(1.0)),
            _ => None,
        };
        let one = field.spread.map(|spread| 1.0 / spread.distinct.max(1.0)).or_else(by_growth);
        let part = match condition {
            Condition::One => one?,
            Condition::Among(count) => one? * count,
            Condition::Range(Width::Values(count), parts) => match all_values(field) {
                Some(all) => parts * count.0 / all,
                None => one? * parts * count.0,
            },
            // Of a coarse time at least one value.
            Condition::Range(Width::Time(period), parts) => {
                let span = self.span.or_else(|| span_of_buckets(field))?;
                parts * (period.seconds() / span).max(one.unwrap_or(0.0))
            }
            Condition::StartsWith(letters, parts) => parts * field.starting_with(letters)?,
        };
        Some(part.clamp(0.0, 1.0))
    }
}

/// True if a condition is on values of which each row of the table has another.
fn is_of_own((field, condition): &Asked<'_>) -> bool {
    let is_own = matches!(field.growth, Some(Growth::TimeId | Growth::Sequence)) && field.spread.is_none();
    is_own && matches!(condition, Condition::One | Condition::Among(_) | Condition::Range(Width::Values(_), _))
}

/// True if the rows that meet a condition are those of a time, as long as it says.
fn is_of_time((field, condition): &Asked<'_>) -> bool {
    match condition {
        Condition::Range(Width::Time(_), _) => true,
        Condition::StartsWith(..) => false,
        _ => field.spread.is_none() && matches!(field.growth, Some(Growth::Time(Some(_)))),
    }
}

/// The seconds that the buckets of a time are together, one after the other.
pub(crate) fn span_of_buckets(field: &FieldFacts<'_>) -> Option<f64> {
    let Some(Growth::Time(Some(bucket))) = field.growth else { return None };
    let buckets = field.spread.filter(|_| field.meaning == Some(Meaning::TimeBucket))?;
    Some(bucket * buckets.distinct)
}

/// The number of values of the type of a field whose values are anywhere among them.
fn all_values(field: &FieldFacts<'_>) -> Option<f64> {
    let scattered = matches!(field.meaning, Some(Meaning::Random | Meaning::Uuid4 | Meaning::Digest));
    let TypeBuf::Scalar(scalar) = &field.field.ty else { return None };
    let width = scalar.width().filter(|_| scattered)?;
    Some(256f64.powi(i32::try_from(width).unwrap_or(i32::MAX)))
}

fn rows_of(count: Option<Count>) -> Option<f64> {
    count.map(|count| count.0)
}
