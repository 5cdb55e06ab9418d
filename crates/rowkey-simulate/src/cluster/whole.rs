//! Scans of the whole table: each reads every region, so a region and its server count them when they are looked at, and
//! a scan costs what has changed since the last one.

use super::reads::{READ, hundredths};
use super::share::Share;
use super::state::Cluster;

impl Cluster {
    /// Says that a scan of a region may read other rows, or ask another server.
    #[inline]
    pub(crate) fn has_changed(&mut self, number: usize) {
        if self.whole.is_scanned && !std::mem::replace(&mut self.regions[number].has_changed, true) {
            self.whole.changed.push(number);
        }
    }

    /// Reads all regions, so many times.
    pub(crate) fn scan_whole(&mut self, weight: u64) {
        if !std::mem::replace(&mut self.whole.is_scanned, true) {
            (0..self.regions.len()).for_each(|number| self.has_changed(number));
        }
        for number in std::mem::take(&mut self.whole.changed) {
            self.share_anew(number);
        }
        self.whole.runs = self.whole.runs.saturating_add(weight);
        self.last_reads = self.whole.reads.saturating_mul(weight);
        let reads = self.last_reads as f64 / READ as f64;
        self.read_squares += reads * reads;
    }

    /// Finds out what a scan reads of a region.
    fn share_anew(&mut self, number: usize) {
        self.settle(number);
        let region = &mut self.regions[number];
        region.has_changed = false;
        let counts = region.counts(self.all.as_ref());
        let rows = if self.options.live_alone { counts.live() } else { counts.scanned() };
        let reads = hundredths(self.options.read_cost, rows);
        let share = Share { reads, rows, seen: self.whole.runs, server: region.server };
        let before = std::mem::replace(&mut region.whole, share);
        self.settle_server(before.server);
        self.settle_server(share.server);
        let of = &mut self.servers[before.server].whole;
        (of.reads, of.rows) = (of.reads.saturating_sub(before.reads), of.rows.saturating_sub(before.rows));
        let of = &mut self.servers[share.server].whole;
        (of.reads, of.rows) = (of.reads.saturating_add(reads), of.rows.saturating_add(rows));
        self.whole.reads = self.whole.reads.saturating_sub(before.reads).saturating_add(reads);
    }

    /// Counts the scans of a region.
    pub(crate) fn settle(&mut self, number: usize) {
        let region = &mut self.regions[number];
        let [reads, _] = self.whole.take(&mut region.whole);
        region.reads = region.reads.saturating_add(reads);
    }

    fn settle_server(&mut self, server: usize) {
        let server = &mut self.servers[server];
        let [reads, rows] = self.whole.take(&mut server.whole);
        server.reads = server.reads.saturating_add(reads);
        server.rows_read = server.rows_read.saturating_add(rows);
    }

    /// Counts the scans of all regions and servers.
    pub(crate) fn settle_all(&mut self) {
        if self.whole.is_scanned {
            (0..self.regions.len()).for_each(|number| self.settle(number));
            (0..self.servers.len()).for_each(|server| self.settle_server(server));
        }
    }
}
