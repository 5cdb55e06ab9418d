//! Options of a simulated cluster, besides its settings.

use rowkey_design::internal::cost::{ReadCost, WriteCost};

use super::constants::CELL_FIXED;
use crate::event::Event;

/// The properties that a recording has by itself, and a simulated cluster is told.
#[derive(Clone, Debug, PartialEq)]
pub struct ClusterOptions {
    /// The seed of all that is chance: jitter, the phases of the discharger and other periods, delays, which regions
    /// are moved.
    pub seed: u64,
    /// The age at which rows expire, in milliseconds; none: never. It is counted in whole seconds.
    pub ttl_ms: Option<u64>,
    /// The size of rows on disk, as a part of their bytes: less than 1 where they are compressed.
    pub on_disk: f64,
    /// The cells of a row.
    pub cells: u64,
    /// The bytes of a cell's family and qualifier together.
    pub name_bytes: u64,
    /// The first bytes of a key that say where it is alone: they are stored nowhere.
    pub place_bytes: u64,
    /// The most versions of a row that flushes and compactions keep; none: all, as a wide row grows by each write.
    pub versions: Option<u32>,
    /// True if older versions of rows that are overwritten take no room: of an engine whose files are not simulated.
    pub live_alone: bool,
    /// The reads that a server counts for a range of rows: of one region, as each region is asked by itself.
    pub read_cost: ReadCost,
    /// The writes that a server counts for a row that is put or deleted.
    pub write_cost: WriteCost,
    /// The bytes of a row whose event says none.
    pub row_bytes: u64,
    /// True if the times of writes are those of their answers, as of a recording: what is answered between a region's
    /// close and its opening was written before the close.
    pub answered: bool,
    /// True if each [`Split`](crate::run::Split) has its files with the keys of all blocks. Of ten gigabytes these are
    /// some megabytes.
    pub files: bool,
}

impl ClusterOptions {
    /// The size of a row in bytes: of its cells, each with the key, and of all `values`.
    pub(crate) fn bytes_of(&self, key: u64, cells: u64, values: u64) -> u64 {
        let cell = CELL_FIXED.saturating_add(key).saturating_add(self.name_bytes);
        cell.saturating_mul(cells).saturating_add(values)
    }

    /// The size in bytes of the row that an event writes; the design's row size if the event has none.
    pub(crate) fn bytes_written(&self, event: &Event<'_>, key: u64) -> u64 {
        match event.bytes {
            0 => self.row_bytes,
            values => self.bytes_of(key, self.cells, values),
        }
    }
}

impl Default for ClusterOptions {
    /// Seed 0, no expiry, no compression, one cell a row, names of a byte each, all versions, also in files, reads by
    /// rows, times of calls, no files described.
    fn default() -> Self {
        Self {
            seed: 0,
            ttl_ms: None,
            on_disk: 1.0,
            cells: 1,
            name_bytes: 2,
            place_bytes: 0,
            versions: None,
            live_alone: false,
            read_cost: ReadCost::Rows,
            write_cost: WriteCost::Rows,
            row_bytes: 0,
            answered: false,
            files: false,
        }
    }
}
