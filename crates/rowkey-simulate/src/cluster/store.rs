//! Rows that are in regions before the first event.

use super::apply::in_block;
use super::file::File;
use super::rows::{Kind, Row, Rows};
use super::state::Cluster;

impl Cluster {
    /// Puts rows into the regions, a file each, as a compaction of all leaves it. Keys come in their order; each stands
    /// for `count` rows, whose values have so many bytes. Nothing is written by that.
    pub fn store(&mut self, keys: &[Vec<u8>], bytes: u64, count: u64) {
        let cells = self.options.cells;
        let count = u32::try_from(count).unwrap_or(u32::MAX);
        let mut left = keys;
        for number in self.by_start.numbers().collect::<Vec<_>>() {
            self.has_changed(number);
            let end = self.regions[number].end.as_deref();
            let (own, rest) = left.split_at(left.partition_point(|key| end.is_none_or(|end| **key < *end)));
            left = rest;
            let mut rows = Rows::default();
            for key in own {
                let bytes = in_block(
                    self.options.bytes_of(self.key_bytes(key), cells, bytes),
                    cells,
                    self.regions[number].sequence_id,
                );
                rows.push(key, Row { kind: Kind::Put, count, bytes, t_s: 0 });
            }
            let file = File::new(rows, self.format, self.now_ms).map(|file| File { is_of_all: true, ..file });
            self.regions[number].files.extend(file);
        }
    }
}
