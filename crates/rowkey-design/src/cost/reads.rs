//! The places where a query's reads land.

use super::{OrderFit, QueryCost, ReadCost, bytes_per_row, on_disk, rows_per_second};
use crate::design::Cluster;
use crate::facts::KeyFacts;
use crate::load::{Rates, busiest, engine_of, places, region_bytes, spread_in_partition_key};
use crate::resolve::TableDesign;

/// The reads of a query on the busiest place: a row, or rows side by side.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ReadLoad {
    /// The reads of all its runs, a second, as [`ReadCost`] counts them.
    pub reads: f64,
    /// Those of the busiest place.
    pub busiest: f64,
    /// The fields whose values tell its places apart: their indices in the key. Without any, and no front, it reads the
    /// first rows of the table.
    pub fields: Vec<usize>,
    /// The field that grows, if its reads follow it: its index in the key.
    pub front: Option<usize>,
    /// True if each run reads every salt bucket.
    pub fans_out: bool,
}

impl QueryCost<'_> {
    /// The reads of its busiest place; none if it has no rate, reads all places, or too little is known of the values
    /// that it asks for.
    pub fn read_load(&self, table: &TableDesign, key: &KeyFacts<'_>, cluster: Option<&Cluster>) -> Option<ReadLoad> {
        let rate = Rates::of_query(self.query)?.peak;
        let each = self.reads_of_one(cluster);
        let (runs, fans_out) = (rate * self.selection.keys(), self.buckets > 1);
        let of = |fields, front, share: f64| {
            Some(ReadLoad { reads: runs * each, busiest: (runs * share).min(rate) * each, fields, front, fans_out })
        };
        if !self.has_places() {
            let first_rows = self.full_scan && self.limit().is_some();
            return of(Vec::new(), None, 1.0).filter(|_| first_rows);
        }
        let (fields, front) = self.places(&key.asked_by(self.query))?;
        let mut share = self.share(key, &fields)?;
        if let Some(recent) = self.query.recent.as_ref().filter(|_| front.is_some()) {
            let rows = rows_per_second(table).map_or(0.0, |rate| rate * recent.seconds());
            let bytes = rows * share * bytes_per_row(table, key, &[]) * on_disk(table, key, &[]);
            share /= (bytes / region_bytes(cluster)).max(1.0);
        }
        of(fields, front, share)
    }

    /// The fields whose values tell the places of its reads apart, and the field that grows, if they follow it; none
    /// where it reads all places.
    fn places(&self, key: &KeyFacts<'_>) -> Option<(Vec<usize>, Option<usize>)> {
        let from_one_end = self.is_from_one_end();
        // Of several values it has one at a time.
        let known = match self.selection.keys() > 1.0 {
            true => self.selection.prefix().max(self.leading + 1),
            false => self.leading,
        };
        let grows = key.growing().filter(|&field| field <= known);
        let mut front = grows.filter(|_| from_one_end || self.query.recent.is_some());
        let before: Vec<usize> = match key.partition {
            None => (0..front.unwrap_or(known)).collect(),
            Some(partition) => {
                let spread = spread_in_partition_key(key, front.is_some());
                front = front.filter(|front| *front >= partition || !spread.contains(front));
                spread
            }
        };
        (!before.is_empty() || front.is_some()).then_some((before, front))
    }

    /// The share of its runs that ask for the values of these fields that are asked for most.
    fn share(&self, key: &KeyFacts<'_>, fields: &[usize]) -> Option<f64> {
        let key = &key.asked_by(self.query);
        if self.buckets > 1 { busiest(key, fields) } else { places(key, fields).1 }
    }

    /// Its reads, a second, of the place that another query's load is of; 0 where its own are elsewhere.
    pub(crate) fn reads_at(
        &self,
        table: &TableDesign,
        key: &KeyFacts<'_>,
        cluster: Option<&Cluster>,
        at: &ReadLoad,
    ) -> f64 {
        let Some(own) = self.read_load(table, key, cluster) else { return 0.0 };
        // Those of one value are those of all values after it.
        let is_within = own.fields.starts_with(&at.fields) && (at.front == own.front || at.front.is_none());
        match own.fields.len() == at.fields.len() {
            _ if !is_within || (own.fields.is_empty() && own.front != at.front) => 0.0,
            true => own.busiest,
            false if at.fields.is_empty() => 0.0,
            false => {
                self.share(key, &at.fields).map_or(0.0, |share| own.reads * share.min(1.0 / self.selection.keys()))
            }
        }
    }

    /// The reads of all its runs, a second; none if it has no rate. Of a scan of the whole table whose rows are not
    /// known, its start alone.
    pub fn reads_of_runs(&self, cluster: Option<&Cluster>) -> Option<f64> {
        let parts = self.selection.keys() * self.buckets as f64;
        Some(Rates::of_query(self.query)?.peak * parts * self.reads_of_one(cluster))
    }

    /// The reads, a second, of the part of the rows that a region has: of all its places evenly, or of each scan.
    pub(crate) fn reads_of_part(&self, cluster: Option<&Cluster>, share: f64) -> f64 {
        let Some(rates) = Rates::of_query(self.query) else { return 0.0 };
        match self.has_places() {
            true => self.reads_of_runs(cluster).unwrap_or(0.0) * share,
            // The first rows are in one region, which may have all.
            false if self.limit().is_some() && share < 1.0 => 0.0,
            false => rates.peak * self.cost_of_range(cluster, self.rows_read.unwrap_or(1.0) * share),
        }
    }

    /// The reads of all its runs on all servers together, a second; none if it has no rate, or reads all places.
    pub fn reads_of_all(&self, cluster: Option<&Cluster>) -> Option<f64> {
        self.reads_of_runs(cluster).filter(|_| self.has_places())
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
        self.cost_of_range(cluster, self.rows_of_range().unwrap_or(1.0))
    }

    fn cost_of_range(&self, cluster: Option<&Cluster>, rows: f64) -> f64 {
        ReadCost::of(engine_of(cluster), self.row_bytes).of_range(rows)
    }

    /// The keys that a range of one value and in one bucket can have at most; none where nothing tells it.
    pub fn keys_of_range(&self) -> Option<f64> {
        self.keys_at_most.map(|keys| keys / (self.selection.keys() * self.buckets as f64))
    }

    /// The rows that one run reads of one value and in one bucket.
    pub fn rows_of_range(&self) -> Option<f64> {
        self.rows_read.map(|rows| rows / (self.selection.keys() * self.buckets as f64))
    }
}
