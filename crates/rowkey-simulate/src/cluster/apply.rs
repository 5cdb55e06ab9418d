//! Events, and what comes due between them.

use super::constants::{FLUSH_AGE_MS, FLUSH_AGE_RANGE_MS};
use super::due::{Due, What};
use super::memstore::heap_of_row;
use super::reads::Range;
use super::rows::{Kind, Row};
use super::state::{Cluster, LAST_MS, seconds};
use crate::chance::Chance;
use crate::event::{Event, Op, Written};

impl Cluster {
    /// Applies an event. What is due before its time happens first.
    ///
    /// A batch ends with the next event that has another number or another time; regions whose memstore it filled are
    /// flushed then. An event whose time is before that of the last happens at the time of the last. More than
    /// 4,294,967,295 rows of an event are stored as so many.
    pub fn apply(&mut self, event: &Event<'_>) {
        let now_ms = event.t_ms.min(LAST_MS).max(self.now_ms);
        if self.batch != Some((event.batch, now_ms)) {
            self.end_batch();
            self.run_until(now_ms);
            self.batch = Some((event.batch, now_ms));
            self.batches += 1;
        }
        match event.op {
            Op::Put => self.write(event, Kind::Put),
            Op::Delete => self.write(event, Kind::Tombstone),
            Op::Get => self.get(event.key, event.weight),
            Op::Scan { end: None, limit: None, few: None, most: None, .. } if event.key.is_empty() => {
                self.scan_whole(event.weight);
            }
            Op::Scan { end, limit, reverse, few, most } => {
                self.scan(&Range { start: event.key, end, limit, reverse, few, most }, event.weight);
            }
        }
    }

    fn write(&mut self, event: &Event<'_>, kind: Kind) {
        let (cells, value) = match kind {
            Kind::Put => (self.options.cells, event.bytes),
            Kind::Tombstone | Kind::Spent => (1, 0),
        };
        let key = self.key_bytes(event.key);
        let bytes = self.options.bytes_of(key, cells, value);
        let keys = key.saturating_mul(cells);
        let count = u32::try_from(event.weight).unwrap_or(u32::MAX);
        if count == 0 {
            return;
        }
        if kind == Kind::Put {
            let Written { keys: of_keys, all } = self.written;
            let add = |sum: u64, bytes: u64| sum.saturating_add(bytes.saturating_mul(event.weight));
            self.written = Written { keys: add(of_keys, keys), all: add(all, bytes) };
        }
        let number = self.locate(event.key);
        let region = &mut self.regions[number];
        if region.batch != self.batches {
            region.batch = self.batches;
            region.sequence_id += 1;
            self.touched.push(number);
        }
        let bytes_in_block = in_block(bytes, cells, region.sequence_id);
        let row = Row { kind, count, bytes: bytes_in_block, t_s: seconds(self.now_ms) };
        region.memstore.push(event.key, row, heap_of_row(bytes, cells), self.now_ms);
        self.count_writes(number, event);
        self.has_changed(number);
        let region = &mut self.regions[number];
        if !std::mem::replace(&mut region.age_is_due, true) {
            self.look_at_age(self.epoch(number), self.now_ms);
        }
    }

    /// Counts the writes of an event to a region: of all its cells, be they deleted.
    fn count_writes(&mut self, number: usize, event: &Event<'_>) {
        let bytes = self.options.bytes_written(event, self.key_bytes(event.key));
        let each = self.options.write_cost.of_row(bytes as f64) as u64;
        let writes = event.weight.saturating_mul(each);
        let region = &mut self.regions[number];
        region.writes = region.writes.saturating_add(writes);
        let server = &mut self.servers[region.server];
        server.writes = server.writes.saturating_add(writes);
        self.count_at_first(number, 0, writes);
        let square = writes as f64 * writes as f64;
        let chance = Chance { by_server: square, by_region: square, by_call: square, ..Chance::default() };
        self.chances[0].add(&chance);
        self.last_writes = writes;
    }

    /// The bytes of a key that are stored.
    pub(super) fn key_bytes(&self, key: &[u8]) -> u64 {
        (key.len() as u64).saturating_sub(self.options.place_bytes)
    }

    /// Ends the batch: whatever it filled is flushed (`HRegion.batchMutate`, `HRegion.requestFlushIfNeeded`).
    pub(crate) fn end_batch(&mut self) {
        for region in std::mem::take(&mut self.touched) {
            if self.regions[region].memstore.heap > self.flush_size {
                self.request_flush(region);
            }
        }
        self.end_call();
        self.batch = None;
    }

    /// Lets all happen that is due by a time.
    pub(crate) fn run_until(&mut self, at_ms: u64) {
        while let Some(due) = self.queue.pop_until(at_ms) {
            self.now_ms = due.at_ms;
            self.happen(due);
        }
        self.now_ms = at_ms;
    }

    fn happen(&mut self, due: Due) {
        match due.what {
            What::Compacted(job) => return self.end_compaction(job),
            What::Balance => return self.balance(),
            _ => {}
        }
        if self.regions[due.region].epoch != due.epoch {
            return;
        }
        match due.what {
            What::Flushed => self.end_flush(due.region),
            What::FlushAnyway => self.flush_anyway(due.region),
            What::Close => self.close(due.region),
            What::Open => self.open(due.region),
            What::Discharge => self.regions[due.region].has_compacted_references = false,
            What::Aged => self.flush_if_old(due.region),
            What::Check => self.check_major(due.region),
            What::Move(server) => self.request_move(due.region, server),
            What::Compacted(_) | What::Balance => {}
        }
    }

    /// Looks at a memstore when its oldest row, of this time, is as old as one may be, and somewhat later.
    fn look_at_age(&mut self, due: (usize, u64), oldest_ms: u64) {
        let delay = self.draws.within(0..FLUSH_AGE_RANGE_MS);
        self.queue.push(oldest_ms.saturating_add(FLUSH_AGE_MS + delay), due, What::Aged);
    }

    fn flush_if_old(&mut self, number: usize) {
        let region = &mut self.regions[number];
        region.age_is_due = false;
        let Some(oldest_ms) = region.memstore.oldest_ms else { return };
        if oldest_ms.saturating_add(FLUSH_AGE_MS) <= self.now_ms {
            self.request_flush(number);
        } else {
            region.age_is_due = true;
            self.look_at_age(self.epoch(number), oldest_ms);
        }
    }
}

/// The bytes of a row in a block, where each cell has its sequence id.
pub(super) fn in_block(bytes: u64, cells: u64, sequence_id: u64) -> u32 {
    u32::try_from(bytes.saturating_add(vint_size(sequence_id).saturating_mul(cells))).unwrap_or(u32::MAX)
}

/// The bytes of a sequence id in a block (`NoneEncoder.write`, `WritableUtils.getVIntSize`).
fn vint_size(number: u64) -> u64 {
    if number < 128 { 1 } else { 1 + u64::from((64 - number.leading_zeros()).div_ceil(8)) }
}

#[cfg(test)]
mod tests {
    use super::vint_size;

    #[test]
    fn a_sequence_id_takes_what_hadoop_writes() {
        let sizes = [0, 127, 128, 255, 256, 65_535, 65_536, u64::MAX].map(vint_size);
        assert_eq!(sizes, [1, 1, 2, 2, 3, 3, 4, 9]);
    }
}
