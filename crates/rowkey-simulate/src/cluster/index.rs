//! The index of a file: the keys of its blocks.

use super::constants::{INDEX_CHUNK, INDEX_KEY, LEAF_ENTRY};

/// The number of the block in the middle of so many: `n / 2`, or `(n - 1) / 2` where the index has several levels
/// (`HFileBlockIndex.CellBasedKeyBlockIndexReader.midkey`, `BlockIndexChunkImpl.getMidKeyMetadata`).
///
/// `key_bytes` is the length of all keys of blocks together.
pub(crate) fn middle_block(blocks: u64, key_bytes: u64) -> u64 {
    // The last entry is written when the file is closed, and begins no chunk.
    let entries = blocks.saturating_sub(1);
    let keys = u128::from(key_bytes) * u128::from(entries) / u128::from(blocks.max(1));
    let index = keys + u128::from(entries) * u128::from(LEAF_ENTRY + INDEX_KEY);
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{middle_block, separator};

    #[test]
    fn the_middle_is_one_before_where_an_index_has_levels() {
        assert_eq!([0, 1, 2, 13, 14].map(|blocks| middle_block(blocks, 24 * blocks)), [0, 0, 1, 6, 7]);
        // 128 KiB of entries of 52 bytes are 2,521, besides the last.
        assert_eq!(middle_block(2520, 24 * 2520), 1260);
        assert_eq!(middle_block(2522, 24 * 2522), 1260);
        assert_eq!(middle_block(u64::MAX, u64::MAX), (u64::MAX - 1) / 2);
    }

    #[test]
    fn a_separator_is_short() {
        assert_eq!(separator(b"abcx", b"abfy"), b"abd");
        assert_eq!(separator(b"ab", b"abc"), b"ab\0");
        assert_eq!(separator(b"ab", b"ab"), b"ab");
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn a_separator_is_above_the_left_and_at_most_the_right(
            a in prop::collection::vec(prop_oneof![0_u8..3, Just(0xFF)], 0..6),
            b in prop::collection::vec(prop_oneof![0_u8..3, Just(0xFF)], 0..6),
        ) {
            let (left, right) = if a <= b { (a, b) } else { (b, a) };
            let key = separator(&left, &right);
            prop_assert!(key <= right && key.len() <= right.len().max(left.len() + 1));
            prop_assert_eq!(left < key, left < right);
        }
    }
}
