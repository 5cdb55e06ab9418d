//! The blocks and the size of a file.

use std::ops::Range;

use super::constants::{
    BLOCK_HEADER, BLOOM_CHUNK, BLOOM_ROWS, CHECKSUM, CHECKSUM_OF, INDEX_ENTRY, INDEX_KEY, TRAILER,
};
use super::index::{middle_block, separator};
use super::rows::Rows;

/// How files are written.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Format {
    /// A block ends with the row that reaches this size.
    pub(crate) block_size: u64,
    /// The size on disk of a million bytes.
    pub(crate) on_disk_ppm: u64,
}

/// Rows of a file, in order.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Content<'r> {
    rows: &'r Rows,
    from: usize,
    to: usize,
}

impl<'r> Content<'r> {
    pub(crate) fn new(rows: &'r Rows, range: Range<usize>) -> Self {
        Self { rows, from: range.start, to: range.end }
    }

    /// The size of a file of these rows.
    pub(crate) fn size(self, format: Format) -> u64 {
        if self.from >= self.to {
            return 0;
        }
        let mut data = 0_u64;
        let mut count = 0_u64;
        self.blocks(format, |_, bytes, times| {
            let bytes = on_disk(bytes, format.on_disk_ppm) + BLOCK_HEADER;
            let bytes = bytes + bytes.div_ceil(CHECKSUM_OF) * CHECKSUM;
            data = data.saturating_add(bytes.saturating_mul(times));
            count += times;
        });
        let rows = (self.from..self.to).map(|at| u64::from(self.rows.row(at).count)).sum();
        let key = self.rows.key(self.from).len() as u64;
        data.saturating_add(count * (INDEX_ENTRY + INDEX_KEY + key)).saturating_add(bloom(rows)).saturating_add(TRAILER)
    }

    /// The key at which a file of these rows is cut: the first of the block in the middle.
    pub(crate) fn middle(self, format: Format) -> Option<Vec<u8>> {
        if self.from >= self.to {
            return None;
        }
        let mut starts = Vec::new();
        self.blocks(format, |at, _, times| starts.push((at, times)));
        let blocks = starts.iter().map(|(_, times)| times).sum();
        let keys = starts.iter().map(|(at, times)| (self.rows.key(*at).len() as u64).saturating_mul(*times));
        let wanted = middle_block(blocks, keys.fold(0, u64::saturating_add));
        let mut passed = 0;
        let (at, _) = starts.iter().find(|(_, times)| {
            passed += times;
            passed > wanted
        })?;
        let key = self.block_key(*at);
        let (first, last) = (self.rows.key(self.from), self.rows.key(self.to - 1));
        (key != first && key != last).then_some(key)
    }

    /// The keys of all blocks.
    pub(crate) fn block_keys(self, format: Format) -> Vec<Vec<u8>> {
        let mut keys = Vec::new();
        self.blocks(format, |at, _, times| keys.extend((0..times).map(|_| self.block_key(at))));
        keys
    }

    fn block_key(self, at: usize) -> Vec<u8> {
        if at == self.from { self.rows.key(at).to_vec() } else { separator(self.rows.key(at - 1), self.rows.key(at)) }
    }

    /// Calls `block` with the place of each block's first row, its bytes, and how many such blocks there are in turn.
    fn blocks(self, format: Format, mut block: impl FnMut(usize, u64, u64)) {
        let limit = format.block_size.max(1);
        let (mut start, mut bytes) = (self.from, 0_u64);
        for at in self.from..self.to {
            let row = self.rows.row(at);
            let mut left = u64::from(row.count);
            let each = u64::from(row.bytes).max(1);
            while left > 0 {
                if bytes >= limit {
                    block(start, bytes, 1);
                    bytes = 0;
                }
                if bytes == 0 {
                    start = at;
                    let full = limit.div_ceil(each);
                    // All blocks but the last that this entry fills by itself.
                    let times = left.saturating_sub(1) / full;
                    if times > 0 {
                        block(at, full * each, times);
                        left -= times * full;
                    }
                }
                let taken = left.min((limit - bytes).div_ceil(each));
                bytes += taken * each;
                left -= taken;
            }
        }
        if bytes > 0 {
            block(start, bytes, 1);
        }
    }
}

fn on_disk(bytes: u64, ppm: u64) -> u64 {
    u64::try_from(u128::from(bytes) * u128::from(ppm) / 1_000_000).unwrap_or(u64::MAX)
}

/// The size of the filter of so many rows: chunks, the last of them folded while it is twice too large
/// (`BloomFilterChunk.compactBloom`).
fn bloom(rows: u64) -> u64 {
    let (mut bytes, mut most) = (BLOOM_CHUNK, BLOOM_ROWS);
    let last = rows % BLOOM_ROWS;
    while bytes.is_multiple_of(2) && most > last * 2 {
        bytes /= 2;
        most /= 2;
    }
    rows / BLOOM_ROWS * BLOOM_CHUNK + if last == 0 { 0 } else { bytes }
}
