//! Flushes: a memstore becomes a file.

use super::constants::{
    BLOCKING_FILES, BLOCKING_WAIT_MS, COMPACTION_MIN_FILES, FLUSH_IDS, SECOND_MS, WRITE_MS, WRITE_RATE,
};
use super::due::What;
use super::file::File;
use super::rows::Rows;
use super::state::Cluster;

impl Cluster {
    /// Flushes a memstore, unless a flush is under way; with too many files it waits
    /// (`MemStoreFlusher.flushRegion`).
    pub(crate) fn request_flush(&mut self, number: usize) {
        let region = &mut self.regions[number];
        if !region.is_online || region.flushing.is_some() || region.flush_waits || region.memstore.is_empty() {
            return;
        }
        if region.files.len() <= BLOCKING_FILES {
            return self.begin_flush(number);
        }
        region.flush_waits = true;
        let due = self.epoch(number);
        self.queue.push(self.now_ms.saturating_add(BLOCKING_WAIT_MS), due, What::FlushAnyway);
        if !self.request_split(number) {
            self.request_compaction(number);
        }
    }

    pub(crate) fn flush_anyway(&mut self, number: usize) {
        if std::mem::take(&mut self.regions[number].flush_waits) {
            self.begin_flush(number);
        }
    }

    /// Flushes what waited, if there are few enough files now.
    pub(crate) fn flush_if_waiting(&mut self, number: usize) {
        if self.regions[number].files.len() <= BLOCKING_FILES {
            self.flush_anyway(number);
        }
    }

    fn begin_flush(&mut self, number: usize) {
        let bytes = self.regions[number].memstore.bytes;
        let rows = self.take_memstore(number);
        self.regions[number].flushing = Some(rows);
        let lasts_ms = WRITE_MS + bytes / (WRITE_RATE / SECOND_MS);
        self.queue.push(self.now_ms.saturating_add(lasts_ms), self.epoch(number), What::Flushed);
    }

    /// The rows that a flush writes; the memstore is empty then.
    pub(crate) fn take_memstore(&mut self, number: usize) -> Rows {
        let keep = self.keep(number, true, false);
        self.has_changed(number);
        std::mem::take(&mut self.regions[number].memstore).flushed(keep)
    }

    /// Ends a flush: a split, if one is due, else a compaction (`MemStoreFlusher.flushRegion`).
    pub(crate) fn end_flush(&mut self, number: usize) {
        let Some(rows) = self.regions[number].flushing.take() else { return };
        self.has_changed(number);
        self.add_file(number, rows);
        if self.split_key(number).is_some() {
            self.request_split(number);
        } else if self.needs_compaction(number) {
            self.request_compaction(number);
        }
    }

    pub(crate) fn add_file(&mut self, number: usize, rows: Rows) {
        if rows.is_empty() {
            return;
        }
        self.has_changed(number);
        let region = &mut self.regions[number];
        region.sequence_id += FLUSH_IDS;
        region.files.extend(File::new(rows, self.format, self.now_ms));
        self.schedule_check(number);
    }

    /// True if there are enough files (`RatioBasedCompactionPolicy.needsCompaction`).
    pub(crate) fn needs_compaction(&self, number: usize) -> bool {
        let region = &self.regions[number];
        region.files.len() - region.files_in_jobs() >= COMPACTION_MIN_FILES
    }
}
