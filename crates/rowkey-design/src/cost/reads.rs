//! The places where a query's reads land.

use super::{OrderFit, QueryCost, ReadCost, bytes_per_row, on_disk, rows_per_second};
use crate::design::Cluster;
use crate::facts::KeyFacts;
use crate::load::{Rates, busiest, engine_of, places, spread_in_partition_key};
use crate::resolve::TableDesign;

/// The size at which a region is split where the file does not say: HBase's default, and a partition of DynamoDB.
const REGION: f64 = 10.0 * 1024.0 * 1024.0 * 1024.0;

/// The reads of a query on the busiest place: a row, or rows side by side.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct ReadLoad {
    /// The reads of all its runs, a second, as [`ReadCost`] counts them.
    pub reads: f64,
    /// Those of the busiest place.
    pub busiest: f64,
    /// The field that grows, if its reads follow it: its index in the key.
    pub front: Option<usize>,
    /// True if each run reads every salt bucket.
    pub fans_out: bool,
}

impl QueryCost<'_> {
    /// The reads of its busiest place; none if it has no rate, reads all places, or too little is known of the values
    /// that it asks for.
    pub fn read_load(&self, table: &TableDesign, key: &KeyFacts<'_>, cluster: Option<&Cluster>) -> Option<ReadLoad> {
        let query = self.query;
        let rate = Rates::of_query(query)?.peak;
        let runs = rate * self.selection.keys();
        if !self.has_places() {
            return None;
        }
        let from_one_end = self.is_from_one_end();
        let key = &key.asked_by(query);
        // Of several values it has one at a time.
        let known = match self.selection.keys() > 1.0 {
            true => self.selection.prefix().max(self.leading + 1),
            false => self.leading,
        };
        let grows = key.growing().filter(|&field| field <= known);
        let mut front = grows.filter(|_| from_one_end || query.recent.is_some());
        let before: Vec<usize> = match key.partition {
            None => (0..front.unwrap_or(known)).collect(),
            Some(partition) => {
                let spread = spread_in_partition_key(key, front.is_some());
                front = front.filter(|front| *front >= partition || !spread.contains(front));
                spread
            }
        };
        if before.is_empty() && front.is_none() {
            return None;
        }
        let fans_out = self.buckets > 1;
        let mut share = if fans_out { busiest(key, &before)? } else { places(key, &before).1? };
        if let Some(recent) = query.recent.as_ref().filter(|_| front.is_some()) {
            let max = cluster.and_then(|cluster| cluster.region.as_ref()).and_then(|region| region.max);
            let rows = rows_per_second(table).map_or(0.0, |rate| rate * recent.seconds());
            let bytes = rows * share * bytes_per_row(table, key, &[]) * on_disk(table, key, &[]);
            share /= (bytes / max.map_or(REGION, |max| max.0)).max(1.0);
        }
        let each = self.reads_of_one(cluster);
        Some(ReadLoad { reads: runs * each, busiest: (runs * share).min(rate) * each, front, fans_out })
    }

    /// The reads of all its runs on all servers together, a second; none if it has no rate, or reads all places.
    pub fn reads_of_all(&self, cluster: Option<&Cluster>) -> Option<f64> {
        let rate = Rates::of_query(self.query)?.peak;
        let parts = self.selection.keys() * self.buckets as f64;
        self.has_places().then(|| rate * parts * self.reads_of_one(cluster))
    }

    /// True if it reads the first or the last rows of the table or of a value.
    fn is_from_one_end(&self) -> bool {
        self.query.limit.is_some() && matches!(self.order, OrderFit::Key | OrderFit::Reverse | OrderFit::Merge { .. })
    }

    fn has_places(&self) -> bool {
        !self.hashed && (!self.full_scan || self.is_from_one_end())
    }

    /// The reads of one run, of one value and in one bucket.
    fn reads_of_one(&self, cluster: Option<&Cluster>) -> f64 {
        ReadCost::of(engine_of(cluster), self.row_bytes).of_range(self.rows_of_range().unwrap_or(1.0))
    }

    /// The rows that one run reads of one value and in one bucket.
    pub fn rows_of_range(&self) -> Option<f64> {
        self.rows_read.map(|rows| rows / (self.selection.keys() * self.buckets as f64))
    }
}
