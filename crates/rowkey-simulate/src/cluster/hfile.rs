//! The blocks and the size of a file.

use std::ops::Range;

use super::constants::{
    BLOCK_HEADER, BLOCK_SIZES, BLOOM_CHUNK, BLOOM_ROWS, CHECKSUM, CHECKSUM_OF, FILE_REST, INDEX_ENTRY, INDEX_KEY,
    TRAILER,
};
use super::index::{middle_block, separator};
use super::rows::Rows;

/// The most blocks whose keys are listed: 64 GiB.
const MOST_BLOCKS: u64 = 1 << 20;

/// The form in which files are written.
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
        self.blocks(format, |at, bytes, times| {
            let bytes = on_disk(bytes, format.on_disk_ppm) + BLOCK_HEADER;
            let entry = INDEX_ENTRY + INDEX_KEY + self.block_key(at).len() as u64;
            let bytes = bytes + bytes.div_ceil(CHECKSUM_OF) * CHECKSUM + entry;
            data = data.saturating_add(bytes.saturating_mul(times));
        });
        let rows = (self.from..self.to).map(|at| u64::from(self.rows.row(at).count)).sum();
        data.saturating_add(bloom(rows)).saturating_add(FILE_REST).saturating_add(TRAILER)
    }

    /// The key at which a file of these rows is cut: the first of the block in the middle.
    pub(crate) fn middle(self, format: Format) -> Option<Vec<u8>> {
        if self.from >= self.to {
            return None;
        }
        let mut starts = Vec::new();
        self.blocks(format, |at, _, times| starts.push((at, times)));
        let blocks = starts.iter().map(|(_, times)| times).sum();
        let keys = starts.iter().map(|(at, times)| (self.block_key(*at).len() as u64).saturating_mul(*times));
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

    /// The keys of all blocks; none if these are more than a million.
    pub(crate) fn block_keys(self, format: Format) -> Vec<Vec<u8>> {
        let mut blocks = Vec::new();
        self.blocks(format, |at, _, times| blocks.push((at, times)));
        if blocks.iter().map(|(_, times)| times).sum::<u64>() > MOST_BLOCKS {
            return Vec::new();
        }
        blocks.into_iter().flat_map(|(at, times)| (0..times).map(move |_| self.block_key(at))).collect()
    }

    fn block_key(self, at: usize) -> Vec<u8> {
        if at == self.from { self.rows.key(at).to_vec() } else { separator(self.rows.key(at - 1), self.rows.key(at)) }
    }

    /// Calls `block` with the place of each block's first row, its bytes, and how many such blocks there are in turn.
    fn blocks(self, format: Format, mut block: impl FnMut(usize, u64, u64)) {
        let limit = format.block_size.clamp(BLOCK_SIZES.0, BLOCK_SIZES.1);
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Content, Format, bloom};
    use crate::cluster::rows::{Kind, Row, Rows};

    /// Rows with keys in order; of each key so many of so many bytes.
    fn rows(counts: &[(u32, u32)], each: bool) -> Rows {
        let mut rows = Rows::default();
        for (n, (count, bytes)) in (0_u32..).zip(counts) {
            let row = Row { kind: Kind::Put, count: 1, bytes: *bytes, t_s: 0 };
            let (times, row) = if each { (*count, row) } else { (1, Row { count: *count, ..row }) };
            (0..times).for_each(|_| rows.push(&n.to_be_bytes(), row));
        }
        rows
    }

    #[test]
    fn blocks_end_with_the_row_that_reaches_their_size() {
        // 64 KiB of 247 bytes: 266 rows.
        let rows = rows(&[(1, 247); 1000], true);
        let content = Content::new(&rows, 0..rows.len());
        let format = Format { block_size: 64 << 10, on_disk_ppm: 1_000_000 };
        let starts: Vec<u32> =
            content.block_keys(format).iter().map(|key| rows.rank(key, 0..rows.len()) as u32).collect();
        assert_eq!(starts, [0, 266, 532, 798]);
        assert_eq!(content.middle(format).map(|key| rows.rank(&key, 0..rows.len())), Some(532));
    }

    #[test]
    fn a_filter_is_folded_while_it_is_twice_too_large() {
        assert_eq!(bloom(3500), 8192);
        assert_eq!(bloom(109_306), 128 << 10);
        assert_eq!(bloom(109_306 + 3500), (128 << 10) + 8192);
        assert_eq!(bloom(0), 0);
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn a_row_that_stands_for_many_is_as_many_rows(
            counts in prop::collection::vec((1_u32..40, 0_u32..2000), 1..40),
            block_size in 1024_u64..9000,
            on_disk_ppm in 0_u64..2_000_000,
        ) {
            let format = Format { block_size, on_disk_ppm };
            let [all, weighted] = [true, false].map(|each| rows(&counts, each));
            let [all, weighted] = [&all, &weighted].map(|rows| Content::new(rows, 0..rows.len()));
            prop_assert_eq!(all.size(format), weighted.size(format));
            prop_assert_eq!(all.block_keys(format).len(), weighted.block_keys(format).len());
            prop_assert_eq!(all.middle(format), weighted.middle(format));
        }
    }
}
