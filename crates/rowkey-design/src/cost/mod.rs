//! The cost of each query of a design: its ranges, by the same code as a program's, and its rows, from what is known of
//! the fields.

mod grown;
mod order;
mod partitions;
mod read_cost;
mod reads;
mod regions;
mod rows;
mod sampled;
mod select;
mod stored;
mod values;
mod witness;

use rowkey::lead::Lead;
use rowkey::splits::Splits as SplitPoints;
use rowkey::{KeyRange, Value};

pub use self::grown::{Asked, regions_of_declared, regions_of_grown};
pub(crate) use self::grown::{reads_of, reads_of_writes};
pub use self::order::OrderFit;
pub use self::partitions::Partitioned;
pub use self::read_cost::ReadCost;
pub use self::reads::ReadLoad;
pub(crate) use self::rows::span_of_buckets;
use self::sampled::Sample;
pub use self::select::with_known_hash;
pub use self::stored::{retention, span};
pub use self::witness::value;
pub(crate) use self::{
    regions::points,
    select::{Condition, Selection, add, all_of, ascending, is_coarse, most_made, ranges_of},
    stored::{deletes_most, rows, rows_of, rows_per_second, unlikely_rows},
    witness::{at, of_field},
};
use crate::design::{Cluster, Query, Secondary, Width};
use crate::facts::KeyFacts;
use crate::problem::Located;
use crate::profile::Profile;
use crate::resolve::TableDesign;
pub(crate) use crate::row_bytes::{CELL, per_row, unsaid};
pub use crate::row_bytes::{bytes_per_put, bytes_per_row, cells_per_put, name_bytes_per_put, on_disk};
pub use crate::write_cost::WriteCost;
use crate::{file, load};

/// The number of ranges of a query that are kept; its regions and the number of its ranges are of all.
const KEPT: usize = 1024;

/// Rows of a scan that take as long as the start of a range: a seek and a call beside the next row in memory. It is
/// between the ratio of an in-memory get to a scanned row (some 50) and that of a disk's seek (1000 and more).
pub(crate) const ROWS_PER_RANGE: f64 = 100.0;

/// The cost of one run of a query.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct QueryCost<'d> {
    /// The query.
    pub query: &'d Located<Query>,
    /// The secondary table that serves it; none for the table itself.
    pub secondary: Option<usize>,
    /// The number of leading fields of the key of which it has one value.
    pub leading: usize,
    /// True if it selects by the fields after those: several values, a range, the beginning of one.
    pub next: bool,
    /// The fields and columns that rows are filtered by after they are read.
    pub filter: Vec<&'d str>,
    /// True if its ranges are the whole table.
    pub full_scan: bool,
    /// True if the key begins with a digest of fields that it has no value of: its other fields do not help.
    pub hashed: bool,
    /// The ranges of one run, with values of the sample or made up: a list for each salt bucket. The first 1024 ranges.
    pub ranges: Vec<Vec<KeyRange>>,
    /// True if these ranges are of values that no sample has.
    pub(crate) are_made_up: bool,
    /// The number of salt buckets that one run scans; 1 without a salt.
    pub buckets: usize,
    /// The fit of its order to the key.
    pub order: OrderFit,
    /// The rows in its ranges.
    pub rows_selected: Option<f64>,
    /// The rows in its ranges for the value that has the most, or more than 99 of 100 values have.
    pub rows_worst: Option<f64>,
    /// The rows that one run reads.
    pub rows_read: Option<f64>,
    /// The rows that one run returns.
    pub rows_returned: Option<f64>,
    /// The bytes that one run reads, keys and values.
    pub bytes_read: Option<f64>,
    /// The regions of the new table that its ranges are in, where the splits are declared: at most, where a value of
    /// the ranges is not given.
    pub regions: Option<usize>,
    /// The servers that it asks, at most.
    pub servers: Option<f64>,
    /// The rows in its ranges at most: where a condition's share is not known, those that meet the others.
    pub(crate) rows_at_most: Option<f64>,
    /// The keys that its ranges can have at most, by the values of the fields; none where one's are not known.
    keys_at_most: Option<f64>,
    pub(crate) selection: Selection<'d>,
    /// The bytes of a row, all columns together.
    row_bytes: f64,
    count: f64,
}

/// The data of a key that all its queries need beside its facts.
#[derive(Default)]
pub(crate) struct Known<'p> {
    splits: Option<SplitPoints>,
    sample: Option<Sample<'p>>,
}

impl<'p> Known<'p> {
    fn of(table: &TableDesign, key: &KeyFacts<'_>, profile: Option<&'p Profile>) -> Self {
        let sample = profile.and_then(|profile| Sample::of(table, key, profile));
        Self { splits: table.split_points(key.secondary), sample }
    }
}

/// The index of the key that a query is served by: the table's, and those of its secondary tables after it.
fn key_of(query: &Query, table: &TableDesign) -> usize {
    let serving = |secondary: &Secondary| secondary.serves.iter().any(|name| **name == *query.name);
    table.table.secondary.iter().position(|secondary| serving(secondary)).map_or(0, |i| i + 1)
}

impl<'d> QueryCost<'d> {
    /// The cost of a query of a table, or of the secondary table that serves it.
    pub fn of(
        query: &'d Located<Query>,
        table: &'d TableDesign,
        keys: &[KeyFacts<'d>],
        cluster: Option<&Cluster>,
        profile: Option<&Profile>,
    ) -> Self {
        let key = &keys[key_of(query, table)];
        Self::by(query, table, key, cluster, &Known::of(table, key, profile))
    }

    /// The costs of the queries that a key serves, the table's own or a secondary table's.
    pub fn served(
        table: &'d TableDesign,
        key: &KeyFacts<'d>,
        cluster: Option<&Cluster>,
        profile: Option<&Profile>,
    ) -> Vec<Self> {
        let known = Known::of(table, key, profile);
        let own = |query: &&Located<Query>| key_of(query, table) == key.secondary.map_or(0, |index| index + 1);
        table.table.query.iter().filter(own).map(|query| Self::by(query, table, key, cluster, &known)).collect()
    }

    /// The number of first fields of the key that it selects by.
    pub fn used(&self) -> usize {
        if self.leading > 0 || self.next { self.selection.used() } else { 0 }
    }

    /// True if a digest is what makes it a full scan: without, the key would serve it.
    pub(crate) fn is_scattered(&self) -> bool {
        self.hashed && (self.selection.leading > 0 || self.selection.next.is_some())
    }

    /// The cost of each query of a table.
    pub(crate) fn all(
        table: &'d TableDesign,
        keys: &[KeyFacts<'d>],
        cluster: Option<&Cluster>,
        profile: Option<&Profile>,
    ) -> Vec<Self> {
        let mut known: Vec<Option<Known<'_>>> = keys.iter().map(|_| None).collect();
        let queries = table.table.query.iter().map(|query| {
            let at = key_of(query, table);
            let known = known[at].get_or_insert_with(|| Known::of(table, &keys[at], profile));
            Self::by(query, table, &keys[at], cluster, known)
        });
        queries.collect()
    }

    /// Its cost by this key.
    pub(crate) fn by(
        query: &'d Located<Query>,
        table: &'d TableDesign,
        key: &KeyFacts<'d>,
        cluster: Option<&Cluster>,
        Known { splits, sample }: &Known<'_>,
    ) -> Self {
        let selection = Selection::of(query, key);
        let made = selection.made();
        let made_up: Vec<_> = (0..made as u64).map(|k| selection.made_up_key(&key.fields, k)).collect();
        let found = selection.ranges(&made_up);
        let no_ranges = found.is_none();
        let hashed = no_ranges && matches!(key.layout.lead(), Lead::Digest(_) | Lead::Hash(_));
        let mut ranges = found.unwrap_or_else(|| vec![vec![KeyRange::all()]]);
        let count = ranges.iter().map(Vec::len).sum::<usize>() as f64 * selection.keys() / made as f64;
        let buckets = ranges.len().max(1);
        let mut are_made_up = !no_ranges && (selection.leading > 0 || selection.next.is_some());
        if let Some(sample) = sample {
            let values = sample.witness(key, selection.leading, made);
            if let Some(of_sample) = selection.ranges(&values).filter(|ranges| !ranges.is_empty()) {
                (ranges, are_made_up) = (of_sample, false);
            }
        }
        let order = order::fit(query, key, &selection);
        let mut cost = Self {
            query,
            secondary: key.secondary,
            leading: if no_ranges { 0 } else { selection.leading },
            next: selection.next.is_some() && !no_ranges,
            filter: if no_ranges { all_of(query) } else { selection.rest.clone() },
            full_scan: no_ranges || (selection.leading == 0 && selection.next.is_none()),
            hashed,
            ranges,
            are_made_up,
            buckets,
            order,
            rows_selected: None,
            rows_worst: None,
            rows_read: None,
            rows_returned: None,
            bytes_read: None,
            regions: None,
            servers: None,
            rows_at_most: None,
            keys_at_most: None,
            selection,
            row_bytes: bytes_per_row(table, key, &[]),
            count,
        };
        cost.count_servers(splits.as_ref(), cluster, true);
        let mut kept = 0;
        cost.ranges.retain_mut(|list| {
            list.truncate(KEPT - kept);
            kept += list.len();
            !list.is_empty()
        });
        cost.count_rows(table, key, sample.as_ref());
        cost
    }

    /// The query with these ranges: of values that are given, or of some of those that it asks for, made up: all are
    /// `more` times as many. `are_given`: whether all are.
    pub(crate) fn set_ranges(
        &mut self,
        ranges: Vec<Vec<KeyRange>>,
        more: f64,
        are_given: bool,
        splits: Option<&SplitPoints>,
        cluster: Option<&Cluster>,
    ) {
        self.buckets = ranges.len().max(1);
        self.count = ranges.iter().map(Vec::len).sum::<usize>() as f64 * more;
        self.ranges = ranges;
        self.count_servers(splits, cluster, !are_given);
    }

    fn count_servers(&mut self, splits: Option<&SplitPoints>, cluster: Option<&Cluster>, at_most: bool) {
        self.regions = splits.map(|splits| match at_most {
            true => regions::touched_at_most(splits, &self.ranges, self.count, &self.selection),
            false => regions::touched(splits, self.ranges.iter().flatten()),
        });
        let servers = load::servers(cluster).zip(self.regions);
        self.servers = servers.map(|(servers, regions)| servers.min(regions as f64));
    }

    /// The number of ranges that one run scans.
    pub fn range_count(&self) -> usize {
        self.count as usize
    }

    /// The number of keys whose values one run asks for: 1, or as many as it has values, ranges and beginnings.
    pub fn keys(&self) -> f64 {
        self.selection.keys()
    }

    /// The most rows that each of its ranges has to return, if the query has a limit that a scan can count to: rows
    /// that are filtered or sorted after they are read are not counted by a scan.
    pub fn limit(&self) -> Option<u64> {
        let counts = self.filter.is_empty()
            && matches!(self.order, OrderFit::Free | OrderFit::Key | OrderFit::Reverse | OrderFit::Merge { .. });
        let query = self.query;
        let limit = query.limit.as_ref().filter(|_| counts)?.0 + query.offset.as_ref().map_or(0.0, |offset| offset.0);
        Some(limit.clamp(1.0, 2f64.powi(53)).ceil() as u64)
    }

    /// The rows read for each returned.
    pub fn amplification(&self) -> Option<f64> {
        let (read, returned) = (self.rows_read?, self.rows_returned?);
        Some(read.max(1.0) / returned.max(1.0).min(read.max(1.0)))
    }

    /// Its ranges by salt bucket, with the values of these keys in key order: the first key's, and the others' too
    /// where the query asks for several values of a field. A range ends with the first key's value.
    ///
    /// None if the key is hashed by fields that the query does not fix, or a key is not of the layout.
    pub fn ranges_with(&self, keys: &[Vec<Value>]) -> Option<Vec<Vec<KeyRange>>> {
        self.selection.ranges(keys)
    }

    fn count_rows(&mut self, table: &TableDesign, key: &KeyFacts<'_>, sample: Option<&Sample<'_>>) {
        let query = self.query;
        let mut rows = rows::estimated(table, key, self);
        if let Some(sample) = sample.filter(|_| !self.hashed && !self.declared(key)) {
            let (keys, clusters) = (rows.keys, rows.clusters);
            rows = sample.run(query, key, &self.selection).unwrap_or(rows);
            (rows.keys, rows.clusters) = (keys, clusters);
        }
        if let Some(returns) = &query.returns {
            rows.matching = Some(rows.selected.map_or(returns.0, |selected| returns.0.min(selected)));
            rows.matching_at_most = rows.matching;
        }
        let passing = match (rows.selected, rows.matching) {
            _ if self.filter.is_empty() => Some(1.0),
            (Some(selected), Some(matching)) => Some((matching / selected.max(1e-12)).clamp(1e-12, 1.0)),
            _ => None,
        };
        let skipped = query.offset.as_ref().map_or(0.0, |offset| offset.0);
        let after = |rows: Option<f64>| rows.map(|rows| (rows - skipped).max(0.0));
        let (left, at_most) = (after(rows.matching), after(rows.matching_at_most));
        (self.rows_selected, self.rows_worst) = (rows.selected, rows.worst);
        self.rows_at_most = rows.selected.or(rows.at_most);
        self.keys_at_most = rows.keys;
        (self.rows_read, self.rows_returned) = match &query.limit {
            None => (rows.selected, left),
            Some(limit) if self.order == OrderFit::Sort => (rows.selected, left.map(|rows| rows.min(limit.0))),
            Some(limit) => {
                let (lists, with_matches) = match self.order {
                    OrderFit::Merge { .. } => (self.count, self.count),
                    _ => (self.occupied(key, false), self.occupied(key, true)),
                };
                let wanted = limit.0 + skipped;
                let read = match (rows.selected, passing, rows.clusters) {
                    // The salt is taken from what is filtered by: a bucket without matches is read to its end.
                    (Some(selected), Some(passing), _) if with_matches < lists => {
                        let (each, passing) = (selected / lists, (passing * lists / with_matches).min(1.0));
                        Some(with_matches * (wanted / passing).min(each) + (lists - with_matches) * each)
                    }
                    (Some(selected), Some(passing), Some(clusters)) => {
                        let others = (passing / clusters.share).clamp(1e-12, 1.0);
                        Some((lists * clusters.read(selected / lists, wanted / others)).min(selected))
                    }
                    (Some(selected), Some(passing), None) => Some((lists * wanted / passing).min(selected)),
                    (None, Some(passing), _) => Some((lists * wanted / passing).min(rows.at_most.unwrap_or(f64::MAX))),
                    (selected, None, _) => selected,
                };
                let bounds = || [read, at_most].into_iter().flatten();
                let most = bounds().fold(limit.0, f64::min);
                // Of rows that are filtered by what is not known, any number may be left.
                let full = passing.is_some() || (read.is_some() && bounds().all(|rows| limit.0 < rows));
                (read, left.or(full.then_some(most)).map(|rows| rows.min(most)))
            }
        };
        self.bytes_read = self.rows_read.map(|rows| rows * bytes_per_row(table, key, &query.columns));
    }

    /// The number of its salt buckets that have rows in its ranges, or rows that pass its filters: not all, where the
    /// fields that the salt is taken from have few values.
    fn occupied(&self, key: &KeyFacts<'_>, matching: bool) -> f64 {
        // Those that made-up values are in say nothing of others.
        let buckets = match key.layout.lead() {
            Lead::Salt(salt) => f64::from(salt.buckets),
            _ => 1.0,
        };
        let mut values = Some(1.0);
        for field in crate::load::by(key).into_iter().filter(|&field| field >= self.leading) {
            let distinct = key.fields[field].spread.map(|spread| spread.distinct);
            let condition =
                Condition::of(self.query, key.fields[field].name).filter(|_| matching || field < self.used());
            let asked = match condition {
                Some(Condition::One) => Some(1.0),
                Some(Condition::Among(count)) => Some(distinct.map_or(count, |distinct| distinct.min(count))),
                Some(Condition::Range(Width::Values(file::Count(count)), parts)) => {
                    let count = count * parts;
                    Some(distinct.map_or(count, |distinct| distinct.min(count)))
                }
                _ => distinct,
            };
            values = values.zip(asked).map(|(values, asked)| values * asked);
        }
        values.map_or(buckets, |values| buckets * (1.0 - (1.0 - 1.0 / buckets).powf(values))).max(1.0)
    }

    /// True if the file has numbers for all that it selects by: they are of the full grown table. It has none of how
    /// values begin.
    fn declared(&self, key: &KeyFacts<'_>) -> bool {
        let known = |name: &&str| {
            !self.query.starts_with.contains_key(*name)
                && key
                    .index(name)
                    .and_then(|i| key.fields[i].stats)
                    .is_some_and(|stats| stats.distinct.is_some() || stats.rows_per.is_some())
        };
        let all = all_of(self.query);
        !all.is_empty() && all.iter().all(known)
    }
}
