//! The index of a file: the keys of its blocks.

use super::constants::{INDEX_CHUNK, INDEX_ENTRY, INDEX_KEY};

/// The number of the block in the middle of so many: `n / 2`, or `(n - 1) / 2` where the index has several levels
/// (`HFileBlockIndex.CellBasedKeyBlockIndexReader.midkey`, `BlockIndexChunkImpl.getMidKeyMetadata`).
///
/// `key_bytes` is the length of all keys of blocks together.
pub(crate) fn middle_block(blocks: u64, key_bytes: u64) -> u64 {
    // The last entry is written when the file is closed, and begins no chunk.
    let entries = blocks.saturating_sub(1);
    let keys = u128::from(key_bytes) * u128::from(entries) / u128::from(blocks.max(1));
    let index = keys + u128::from(entries) * u128::from(INDEX_ENTRY + INDEX_KEY);
    if index >= u128::from(INDEX_CHUNK) { entries / 2 } else { blocks / 2 }
}

/// The shortest key that is greater than `left` and at most `right`, as an index has it between two blocks; `right` if
/// both are the same (`HFileWriterImpl.getMinimumMidpointArray`).
pub(crate) fn separator(left: &[u8], right: &[u8]) -> Vec<u8> {
    let shared = left.iter().zip(right).take_while(|(a, b)| a == b).count();
    match (left.get(shared), right.get(shared)) {
        (Some(byte), Some(_)) => {
            let mut key = left[..shared].to_vec();
            key.push(byte.saturating_add(1));
            key
        }
        (None, Some(_)) => {
            let mut key = left.to_vec();
            key.push(0);
            key
        }
        _ => right.to_vec(),
    }
}
