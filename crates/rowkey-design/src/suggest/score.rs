//! The cost of a key: the writes that its servers cannot take, and the work of its queries.

use rowkey::LayoutBuf;

use crate::cost::{OrderFit, QueryCost, ROWS_PER_RANGE};
use crate::design::{Cluster, Engine, QueryOrder};
use crate::facts::KeyFacts;
use crate::load::{Capacity, WriteLoad, engine_of, mean};
use crate::profile::Profile;
use crate::resolve::TableDesign;

/// The share of rows that begin alike, where nothing tells it: less than all, so that a key that selects by it is
/// better than one that does not.
pub(super) const STARTS_ALIKE: f64 = 1e-3;

/// The cost of a key.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Score {
    /// The writes at the peak, each once.
    pub peak: f64,
    /// The share of them that no server takes, because they land in too few places: more servers would not help.
    pub refused: f64,
    /// The number of places in which the writes land at once: the fewest of all writes and tables.
    pub places: Option<f64>,
    /// The work of all queries and writes a second, in rows read.
    pub work: f64,
    /// The rows a second that queries read from secondary tables.
    pub by_secondary: f64,
    /// The number of tables that a row is in.
    pub tables: usize,
    /// The number of queries that read more than ten rows for each that they return, or the whole table.
    pub unserved: usize,
    /// The number of queries that scan in reverse, or sort what they read.
    pub unordered: usize,
    /// True if the key has a salt.
    pub salted: bool,
    /// The bytes of a key, on average.
    pub key_bytes: f64,
    /// The queries, in the order of the file.
    pub queries: Vec<QueryScore>,
}

/// The cost of a query under a key.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct QueryScore {
    /// Its name.
    pub name: String,
    /// Its runs a second; 1 where the file says nothing.
    pub rate: f64,
    /// The ranges of one run.
    pub ranges: f64,
    /// The rows that one run reads; none where how many values begin alike is not known.
    pub rows_read: Option<f64>,
    /// The rows of `work`: those that are read, or a share of those that can be.
    compared: f64,
    /// The rows read for each returned, where it is known.
    pub amplification: Option<f64>,
    /// True if each run reads the whole table.
    pub full_scan: bool,
    /// True if nobody waits for it.
    pub batch: bool,
    /// True if a scan of the key has the order that it wants: on HBase, where scans in reverse are slower, a forward
    /// one.
    pub in_order: bool,
    /// True if a scan in reverse has it.
    pub(super) is_reverse: bool,
}

impl QueryScore {
    /// The work of one run, in rows read.
    pub fn work(&self) -> f64 {
        ROWS_PER_RANGE * self.ranges + self.compared
    }

    /// True if another key or table would serve it better: it reads more than ten rows for each that it returns.
    pub fn is_unserved(&self) -> bool {
        !self.batch && (self.full_scan || self.amplification.is_some_and(|rows| rows > 10.0))
    }

    /// The same, where all that is selected has to be read and sorted.
    fn sorted(self, cost: &QueryCost<'_>, rows: f64) -> Self {
        let compared = compared(cost, cost.rows_selected, rows);
        let each = |selected: f64, returned: f64| selected / returned.max(1.0).min(selected.max(1.0));
        let amplification =
            cost.rows_selected.zip(cost.rows_returned).map(|(selected, returned)| each(selected, returned));
        Self { rows_read: cost.rows_selected, compared, amplification, in_order: false, is_reverse: false, ..self }
    }

    fn of(cost: &QueryCost<'_>, rows: f64, engine: Engine) -> Self {
        let is_reverse = matches!(cost.order, OrderFit::Reverse);
        let query = &cost.query.value;
        Self {
            name: query.name.value.clone(),
            rate: query.rate.as_ref().map_or(1.0, |rate| rate.0),
            ranges: cost.range_count() as f64,
            rows_read: cost.rows_read,
            compared: compared(cost, cost.rows_read, rows),
            amplification: cost.amplification(),
            full_scan: cost.full_scan && query.limit.as_ref().is_none_or(|_| !cost.filter.is_empty()),
            batch: query.batch == Some(true),
            in_order: match cost.order {
                OrderFit::Sort => false,
                _ => !is_reverse || engine != Engine::HBase,
            },
            is_reverse,
        }
    }
}

/// The rows by which keys are compared: of a table of `rows` rows, those that a query reads, or [`STARTS_ALIKE`].
fn compared(cost: &QueryCost<'_>, read: Option<f64>, rows: f64) -> f64 {
    read.unwrap_or_else(|| cost.rows_at_most.unwrap_or(rows) * STARTS_ALIKE)
}

impl Score {
    /// `own` has the key whose order is that of queries in the order of the key. `profile` is that of its keys, of
    /// which other keys have the statistics of fields alone. `sample` is that of the table's own keys: queries are run
    /// on it, as `check` does.
    pub(super) fn of(
        table: &TableDesign,
        own: &TableDesign,
        cluster: Option<&Cluster>,
        profile: Option<&Profile>,
        sample: Option<&Profile>,
    ) -> Self {
        let engine = engine_of(cluster);
        let keys = KeyFacts::all(table, profile, cluster);
        let rows = crate::cost::rows(table).unwrap_or(f64::MAX).min(1e12);
        let costs = QueryCost::all(table, &keys, cluster, sample);
        let score = |cost: &QueryCost<'_>| {
            let score = QueryScore::of(cost, rows, engine);
            if keeps_order(cost, table, own) { score } else { score.sorted(cost, rows) }
        };
        let queries: Vec<_> = costs.iter().map(score).collect();
        let writes = Writes::of(table, &keys, &Capacity::of(table, cluster));
        let reading: f64 = queries.iter().map(|query| query.rate * query.work()).sum();
        let secondary = costs.iter().zip(&queries).filter(|(cost, _)| cost.secondary.is_some());
        let by_secondary = secondary.map(|(_, query)| query.rate * query.compared).sum();
        Self {
            by_secondary,
            peak: writes.peak,
            refused: writes.refused,
            places: writes.places,
            work: reading + writes.rate * keys.len() as f64,
            tables: keys.len(),
            unserved: queries.iter().filter(|query| query.is_unserved()).count(),
            unordered: queries.iter().filter(|query| !query.in_order).count(),
            salted: table.table.salt.is_some(),
            key_bytes: keys[0].bytes,
            queries,
        }
    }

    /// True if two keys cost the same.
    pub(super) fn alike(&self, other: &Self) -> bool {
        let near = |a: f64, b: f64| (a - b).abs() <= 0.05 * a.max(b);
        let queries = self.queries.iter().zip(&other.queries);
        near(self.refused, other.refused)
            && self.tables == other.tables
            && self.unordered == other.unordered
            && queries.into_iter().all(|(a, b)| near(a.work(), b.work()))
    }
}

/// True if a query in the order of the key has that of the design's own key: the fields that it does not fix follow
/// each other in the same directions.
fn keeps_order(cost: &QueryCost<'_>, table: &TableDesign, own: &TableDesign) -> bool {
    if cost.query.order.as_deref() != Some(&QueryOrder::Key) {
        return true;
    }
    let served =
        own.table.secondary.iter().position(|other| other.serves.iter().any(|name| **name == *cost.query.name));
    let layout = |table: &TableDesign, index: Option<usize>| match index {
        Some(index) => table.secondary.get(index).cloned(),
        None => Some(table.layout.clone()),
    };
    let (Some(own), Some(layout)) = (layout(own, served), layout(table, cost.secondary)) else { return false };
    let free = |layout: &LayoutBuf| -> Vec<(String, bool)> {
        let fixed = |name: &str| cost.query.fix.iter().any(|fixed| fixed.as_str() == name);
        let free = layout.fields().iter().filter(|field| !fixed(&field.name));
        free.map(|field| (field.name.clone(), field.desc)).collect()
    };
    free(&own) == free(&layout)
}

/// The secondary tables that take fewer writes than there are.
pub(super) fn hot_secondaries(table: &TableDesign, capacity: &Capacity, cluster: Option<&Cluster>) -> Vec<bool> {
    let keys = KeyFacts::of_secondaries(table, None).into_iter().map(|key| key.on(cluster));
    let is_hot = |key: KeyFacts<'_>| {
        let loads: Vec<_> = table.table.write.iter().map(|write| WriteLoad::of(write, &key)).collect();
        loads.iter().any(|load| capacity.refused(load, &loads) > 0.0)
    };
    keys.map(is_hot).collect()
}

struct Writes {
    peak: f64,
    rate: f64,
    refused: f64,
    places: Option<f64>,
}

impl Writes {
    fn of(table: &TableDesign, keys: &[KeyFacts<'_>], capacity: &Capacity) -> Self {
        let mut writes = Self { peak: 0.0, rate: 0.0, refused: 0.0, places: None };
        let mut refused = 0.0f64;
        for key in keys {
            let mut refused_here = 0.0;
            let loads: Vec<_> = table.table.write.iter().map(|write| WriteLoad::of(write, key)).collect();
            for (load, write) in loads.iter().zip(&table.table.write) {
                let peak = load.peak.unwrap_or(0.0);
                if key.secondary.is_none() {
                    writes.peak += peak;
                    writes.rate += mean(write).unwrap_or(peak);
                }
                let places = writes.places.into_iter().chain(load.places);
                writes.places = places.reduce(f64::min);
                refused_here += capacity.refused(load, &loads);
            }
            refused = refused.max(refused_here);
        }
        writes.refused = if writes.peak > 0.0 { refused / writes.peak } else { 0.0 };
        writes
    }
}
