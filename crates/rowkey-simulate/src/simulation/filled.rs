//! The cluster with the rows that a table has before the run, and how long it keeps rows.

use rowkey_design::internal::TableDesign;
use rowkey_design::internal::cost::{bytes_per_row, retention, span};
use rowkey_design::internal::design::Columns;

use super::Declared;
use crate::cluster::{CELL_FIXED, Cluster, ClusterOptions};
use crate::load::Stored;
use crate::run::{Settings, SplitPolicy};

impl Declared<'_> {
    /// The regions that rows fill, each to its limit; 0 where regions are not split.
    pub(super) fn regions_of(&self, stored: &Stored) -> f64 {
        if self.settings.split_policy == SplitPolicy::Disabled {
            return 0.0;
        }
        let settings = Settings { splits: Vec::new(), ..self.settings.clone() };
        let whole = self.filled(&settings, Some(stored), 0).interval(0);
        let bytes: u64 = whole.regions.iter().map(|region| region.bytes).sum();
        // Of a row that stands for more, so many are stored.
        let uncounted = (stored.count as f64 / f64::from(u32::MAX)).max(1.0);
        uncounted * bytes as f64 / self.settings.max_filesize.max(1) as f64
    }

    /// The seconds that the rows of the full grown table were written in; where nothing tells, a year.
    pub(super) fn grows_in(&self) -> f64 {
        span(self.key.table).unwrap_or(365.0 * 86_400.0)
    }

    /// The rows of the full grown table, and the bytes of one on disk.
    fn grown(&self) -> (f64, f64) {
        let table = &self.key.table.table;
        let rows = table.rows.as_ref().map_or(self.settings.rows_per_second * self.grows_in(), |rows| rows.0);
        (rows * self.key.share, bytes_per_row(self.key.table, &self.key, &[]) * self.options.on_disk)
    }

    /// The ranges of the full grown table by its size, of an engine whose own are not simulated.
    pub(super) fn ranges_by_size(&self) -> f64 {
        let (rows, row) = self.grown();
        rows * row / self.settings.max_filesize.max(1) as f64
    }

    /// The same by its load too, where all rates are so many times those of the design.
    pub(super) fn ranges_of_grown(&self, times: f64) -> f64 {
        self.demand.regions_of_grown(self.cluster(), self.settings.servers, self.grown(), times)
    }

    /// The ranges that declared ones of the full grown table are divided into for its reads; none where they are not.
    pub(super) fn ranges_of_declared(&self, times: f64) -> Option<f64> {
        let is_declared = self.key.partition.is_none() && !self.settings.splits.is_empty();
        let divided = self.demand.regions_of_declared(self.cluster(), self.settings.servers, self.grown(), times);
        divided.filter(|_| is_declared)
    }

    /// The factor by which its rows have to be written faster for as many as the design says in these seconds.
    pub(super) fn times_to_grow(&self, seconds: f64) -> f64 {
        let written = self.settings.rows_per_second * seconds;
        let rows = self.key.table.table.rows.as_ref().filter(|_| written > 0.0);
        rows.map_or(1.0, |rows| rows.0 / written)
    }

    /// The cluster with these settings, and the rows in its regions.
    pub(super) fn filled(&self, settings: &Settings, stored: Option<&Stored>, seed: u64) -> Cluster {
        // Rows that were written before the run are as many as the design says, however old.
        let ttl_ms = self.options.ttl_ms.filter(|_| stored.is_none());
        let options = ClusterOptions { seed, cells: self.cells, ttl_ms, ..self.options.clone() };
        let mut cluster = Cluster::new(settings, options);
        if let Some(Stored { keys, count, are_all }) = stored {
            let cells = self.cells as f64 * (self.key.bytes + CELL_FIXED as f64);
            let values = (bytes_per_row(self.key.table, &self.key, &[]) - cells).max(0.0).round() as u64;
            cluster.store(keys, values, *count);
            if *are_all {
                cluster.overwrite(keys, *count);
            }
        }
        cluster
    }
}

/// The age at which rows expire; none where a family keeps its newest versions for ever.
pub(super) fn ttl_ms(table: &TableDesign) -> Option<u64> {
    let keeps =
        table.table.family.values().any(|family| family.min_versions.as_ref().is_some_and(|least| least.value > 0));
    retention(table).filter(|_| !keeps).map(|seconds| (seconds * 1000.0) as u64)
}

/// The most versions of a row that are kept; none where a row grows by each write, as its columns are data.
pub(super) fn versions(table: &TableDesign) -> Option<u32> {
    let grows = |columns: &Columns| matches!(columns, Columns::OfRow(_));
    let families = || table.table.family.values();
    if families().any(|family| family.columns.as_ref().is_some_and(|columns| grows(&columns.value))) {
        return None;
    }
    let most = families().filter_map(|family| family.versions.as_ref()).map(|versions| versions.value).max();
    Some(most.unwrap_or(1).max(1))
}
