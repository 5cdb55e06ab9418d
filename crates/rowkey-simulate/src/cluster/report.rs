//! Reports of a simulated cluster.

use super::constants::MOST_REGIONS;
use super::state::{Cluster, LAST_MS};
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
        let regions = self.by_start.numbers().map(|number| {
            let region = &mut self.regions[number];
            run::Region {
                start: Key(region.start.clone()),
                server: u32::try_from(region.server).unwrap_or(u32::MAX),
                rows: region.rows(),
                rows_this_interval: std::mem::take(&mut region.writes),
                reads_this_interval: std::mem::take(&mut region.reads),
                bytes: region.bytes(),
                files: u32::try_from(region.files.len()).unwrap_or(u32::MAX),
            }
        });
        let regions = regions.collect();
        let servers = self.servers.iter_mut().map(|server| {
            let all = run::Server { writes: server.writes, reads: server.reads };
            let told = std::mem::replace(&mut server.told, all.clone());
            all.since(&told)
        });
        Interval { t_ms, regions, servers: servers.collect() }
    }

    /// True if regions are not split any more, as there are so many.
    pub(crate) fn is_full(&self) -> bool {
        self.policy != SplitPolicy::Disabled && self.regions.len() >= MOST_REGIONS
    }

    /// All that each server wrote and read.
    pub(crate) fn totals(&self) -> impl Iterator<Item = run::Server> {
        self.servers.iter().map(|server| run::Server { writes: server.writes, reads: server.reads })
    }

    /// The splits and moves since the call before, in the order of time.
    pub fn take_lines(&mut self) -> Vec<Line> {
        std::mem::take(&mut self.lines)
    }
}
