//! Splits, and how regions close and open.

use super::constants::{
    BLOCKING_FILES, CLOSE_MS, DISPATCH_MS, LATE_CLOSE_MS, LATE_TENTHS, MOST_REGIONS, OPEN_IDS, OPEN_MS,
    REGION_SPLIT_LIMIT, REOPEN_MS,
};
use super::due::What;
use super::policy::limit;
use super::region::{Change, Region};
use super::state::{Cluster, seconds};
use crate::run::{Key, Line, Move, Split};

impl Cluster {
    /// The key at which a region is to be split; none, if it is not (`HRegion.checkSplit`).
    pub(crate) fn split_key(&self, number: usize) -> Option<Vec<u8>> {
        let region = &self.regions[number];
        if !region.is_settled() || region.has_references() || self.regions.len() >= MOST_REGIONS {
            return None;
        }
        let online = self.servers[region.server].online;
        let limit = limit(self.policy, online, self.flush_size, region.full_limit)?;
        if region.bytes() <= limit {
            return None;
        }
        region.largest_file()?.content().middle(self.format)
    }

    /// Splits a region, if one is due and its files don't block flushes; true if so (`CompactSplit.requestSplit`).
    pub(crate) fn request_split(&mut self, number: usize) -> bool {
        let region = &self.regions[number];
        if self.servers[region.server].online >= REGION_SPLIT_LIMIT || region.files.len() >= BLOCKING_FILES {
            return false;
        }
        let Some(at) = self.split_key(number) else { return false };
        let files = if self.options.files { &region.files[..] } else { &[] };
        self.lines.push(Line::Split(Split {
            t_ms: self.now_ms,
            start: Key(region.start.clone()),
            at: Key(at.clone()),
            files: files.iter().map(|file| file.described(self.format)).collect(),
        }));
        self.close_later(number, Change::Split(at));
        true
    }

    /// Moves a region to another server, if nothing else happens to it.
    pub(crate) fn request_move(&mut self, number: usize, server: usize) {
        if self.regions[number].is_settled() && self.regions[number].server != server {
            self.close_later(number, Change::Move(server));
        }
    }

    fn close_later(&mut self, number: usize, change: Change) {
        self.regions[number].change = Some(change);
        self.unsettled += 1;
        let is_late = self.draws.within(0..10) < LATE_TENTHS;
        let delay = self.draws.within(if is_late { LATE_CLOSE_MS } else { CLOSE_MS });
        let server = self.regions[number].server;
        let mut close_ms = self.told_ms(server, self.now_ms).saturating_add(delay);
        if self.options.answered {
            close_ms = self.open_ms(server, close_ms);
        }
        self.queue.push(close_ms, self.epoch(number), What::Close);
    }

    /// The time at which what a server has to open after a close is open.
    fn open_ms(&mut self, server: usize, closed_ms: u64) -> u64 {
        let ready_ms = closed_ms.saturating_add(self.draws.within(REOPEN_MS));
        self.told_ms(server, ready_ms).saturating_add(self.draws.within(OPEN_MS))
    }

    /// The time at which a server is told what the master has for it: together with what waits for it already.
    fn told_ms(&mut self, server: usize, ready_ms: u64) -> u64 {
        let told_ms = &mut self.servers[server].told_ms;
        if !(told_ms.saturating_sub(DISPATCH_MS)..*told_ms).contains(&ready_ms) {
            *told_ms = ready_ms.saturating_add(DISPATCH_MS);
        }
        *told_ms
    }

    /// Closes a region: what is in memory becomes files (`HRegion.close`). Writes from here on wait for the opening.
    pub(crate) fn close(&mut self, number: usize) {
        if let Some(rows) = self.regions[number].flushing.take() {
            self.add_file(number, rows);
        }
        self.stop_compactions(number);
        let rows = self.take_memstore(number);
        self.add_file(number, rows);
        self.has_changed(number);
        let region = &mut self.regions[number];
        self.servers[region.server].online -= 1;
        region.is_online = false;
        region.epoch += 1;
        region.flush_waits = false;
        region.age_is_due = false;
        region.check_is_due = false;
        region.has_compacted_references = false;
        let opening = match region.change.take() {
            Some(Change::Split(at)) => vec![number, self.cut(number, at)],
            Some(Change::Move(to)) => {
                let from = std::mem::replace(&mut region.server, to);
                let start = Key(region.start.clone());
                self.servers[from].regions -= 1;
                self.servers[to].regions += 1;
                let server = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
                self.lines.push(Line::Move(Move { t_ms: self.now_ms, start, from: server(from), to: server(to) }));
                vec![number]
            }
            None => vec![number],
        };
        let open_ms = match self.options.answered {
            true => self.now_ms,
            false => self.open_ms(self.regions[number].server, self.now_ms),
        };
        for region in opening {
            self.queue.push(open_ms, self.epoch(region), What::Open);
        }
    }

    /// Cuts a region in two; both stay on its server (`SplitTableRegionProcedure`). Returns the upper one's number.
    fn cut(&mut self, number: usize, at: Vec<u8>) -> usize {
        let since_s = seconds(self.interval_start_ms);
        self.settle(number);
        self.has_changed(number);
        let region = &mut self.regions[number];
        let mut upper = Region::new(at.clone(), region.end.replace(at.clone()), region.server);
        (upper.sequence_id, upper.first_server) = (region.sequence_id, region.first_server);
        let (mut recent, mut recent_above) = (0, 0);
        for file in std::mem::take(&mut region.files) {
            let [below, above] = file.cut(&at, self.format);
            let writes_of = |file: &super::file::File| -> u64 {
                let rows = file.range.clone().map(|at| file.rows.row(at)).filter(|row| row.t_s >= since_s);
                rows.map(|row| u64::from(row.count)).sum()
            };
            let writes_above = above.as_ref().map_or(0, writes_of);
            recent_above += writes_above;
            recent += writes_above + below.as_ref().map_or(0, writes_of);
            region.files.extend(below);
            upper.files.extend(above);
        }
        // The interval's writes and reads, as its rows lie.
        let share = |count: u64| {
            let share = u128::from(count) * u128::from(recent_above) / u128::from(recent.max(1));
            u64::try_from(share).unwrap_or(count)
        };
        (upper.writes, upper.reads) = (share(region.writes), share(region.reads));
        region.writes -= upper.writes;
        region.reads -= upper.reads;
        self.add_region(upper)
    }

    /// Opens a region; what is left of the parent's files is compacted (`HRegionServer.postOpenDeployTasks`).
    pub(crate) fn open(&mut self, number: usize) {
        let full_limit = self.jitter.full_limit(self.max_filesize, &mut self.draws);
        let region = &mut self.regions[number];
        region.is_online = true;
        self.unsettled -= 1;
        region.full_limit = full_limit;
        region.sequence_id += OPEN_IDS;
        self.servers[region.server].online += 1;
        self.balance_later();
        self.schedule_check(number);
        if self.regions[number].has_references() || self.needs_compaction(number) {
            self.request_compaction(number);
        }
        if self.regions[number].memstore.heap > self.flush_size {
            self.request_flush(number);
        }
    }
}
