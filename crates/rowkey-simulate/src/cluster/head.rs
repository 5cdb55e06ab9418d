//! The heads of keys: what decides most comparisons.

/// The first sixteen bytes as a number that compares as they do.
#[inline]
pub(crate) fn head(bytes: &[u8]) -> u128 {
    if let Some(first) = bytes.first_chunk() {
        return u128::from_be_bytes(*first);
    }
    let mut head = [0; 16];
    head[..bytes.len()].copy_from_slice(bytes);
    u128::from_be_bytes(head)
}
