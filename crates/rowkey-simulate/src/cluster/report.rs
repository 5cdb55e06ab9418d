//! Reports of a simulated cluster.

use super::constants::{MOST_REGIONS, REGION_SPLIT_LIMIT};
use super::reads::READ;
use super::share::Whole;
use super::state::{Cluster, LAST_MS, ServerState};
use crate::chance::Chance;
use crate::run::{self, Interval, Key, Line, SplitPolicy};

impl Cluster {
    /// The regions and servers at a time, and what was written and read since the call before.
    ///
    /// All that is due by then happens first; a time that is past is now. Whether or when it is asked changes nothing
    /// but the counts since. The writes and reads of a region that was split since are divided as its rows lie.
    pub fn interval(&mut self, t_ms: u64) -> Interval {
        let t_ms = t_ms.min(LAST_MS).max(self.now_ms);
        if self.batch.is_some_and(|(_, batch_ms)| batch_ms < t_ms) {
            self.end_batch();
        }
        self.run_until(t_ms);
        self.interval_start_ms = t_ms;
        self.settle_all();
        let versions = self.options.versions.filter(|_| self.options.live_alone);
        let all = self.all.as_ref().zip(versions);
        let regions = self.by_start.numbers().map(|number| {
            let region = &mut self.regions[number];
            let most = all.map_or(u64::MAX, |(all, versions)| {
                all.rows(&region.start, region.end.as_deref()).saturating_mul(versions.into())
            });
            run::Region {
                start: Key(region.start.clone()),
                server: u32::try_from(region.server).unwrap_or(u32::MAX),
                rows: region.rows().min(most),
                rows_this_interval: std::mem::take(&mut region.writes),
                reads_this_interval: whole(&mut region.reads),
                bytes: region.bytes_of(most),
                files: u32::try_from(region.files.len()).unwrap_or(u32::MAX),
                known: <_>::default(),
            }
        });
        let regions = regions.collect();
        let scans = &self.whole;
        let servers = self.servers.iter_mut().map(|server| {
            let all = server.total(scans);
            let told = std::mem::replace(&mut server.told, all.clone());
            all.since(&told)
        });
        Interval { t_ms, regions, servers: servers.collect() }
    }

    /// The chance that is known in the writes and in the reads since the call before.
    pub(crate) fn take_chances(&mut self) -> [Chance; 2] {
        std::mem::take(&mut self.chances)
    }

    /// True if regions are not split any more, as there are so many.
    pub(crate) fn is_full(&self) -> bool {
        self.policy != SplitPolicy::Disabled && self.regions.len() >= MOST_REGIONS
    }

    /// True if a server has as many regions as it splits at most.
    pub(crate) fn is_at_split_limit(&self) -> bool {
        let is_full = |server: &ServerState| server.online >= REGION_SPLIT_LIMIT;
        self.policy != SplitPolicy::Disabled && self.servers.iter().any(is_full)
    }

    /// All that each server wrote and read.
    pub(crate) fn totals(&self) -> impl Iterator<Item = run::Server> {
        self.servers.iter().map(|server| server.total(&self.whole))
    }

    /// All that each server would have written and read, were all regions where they were at the beginning. Scans of
    /// the whole table are not counted.
    pub(crate) fn totals_at_first(&self) -> impl Iterator<Item = [u64; 2]> {
        self.servers.iter().map(|server| [server.at_first[0], server.at_first[1] / READ])
    }

    /// Counts rows that are written to a region, or reads of it, for the server that had its keys at the beginning.
    pub(crate) fn count_at_first(&mut self, number: usize, reads: usize, count: u64) {
        let counted = &mut self.servers[self.regions[number].first_server].at_first[reads];
        *counted = counted.saturating_add(count);
    }

    /// The splits and moves since the call before, in the order of time.
    pub fn take_lines(&mut self) -> Vec<Line> {
        std::mem::take(&mut self.lines)
    }
}

impl ServerState {
    /// All that it wrote and read, with the scans of the whole table that it has not counted.
    fn total(&self, whole: &Whole) -> run::Server {
        let [reads, rows] = whole.since(&self.whole);
        let (reads, rows_read) = (self.reads.saturating_add(reads), self.rows_read.saturating_add(rows));
        run::Server { writes: self.writes, reads: reads / READ, rows_read }
    }
}

/// Takes the whole reads of some hundredths; the rest counts with those that follow.
const fn whole(hundredths: &mut u64) -> u64 {
    let reads = *hundredths / READ;
    *hundredths %= READ;
    reads
}
