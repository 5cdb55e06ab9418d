//! The rule by which HBase chooses where a region is cut.

use super::index::middle_block;
use crate::run::{Key, StoreFile};

/// The split point of a region with these files, the oldest first; none if it can't be split.
///
/// It is the first key of the block in the middle of the largest file, as its index has it; of files of one size, of
/// the oldest (`StoreUtils.getLargestFile`, `StoreUtils.getFileSplitPoint`). A region that has half of a file of its
/// parent is not split (`HStore.canSplit`), nor one where that key is the file's first or last: one row is never cut.
/// A file whose [`blocks`](StoreFile::blocks) are not known has none.
pub fn split_point(files: &[StoreFile]) -> Option<Key> {
    if files.iter().any(|file| file.is_reference) {
        return None;
    }
    let largest = files.iter().rev().max_by_key(|file| file.bytes)?;
    let key_bytes = largest.blocks.iter().map(|key| key.0.len() as u64).sum();
    let middle = middle_block(largest.blocks.len() as u64, key_bytes);
    let key = largest.blocks.get(usize::try_from(middle).ok()?)?;
    (*key != largest.first && *key != largest.last).then(|| key.clone())
}
