//! Checks whether the engine's journal (write-ahead log) is complete.
//!
//! The engine replays its journal up to the first byte it can't read, and truncates the rest. That is right for a write
//! that was cut off at the end. But a changed byte in the middle would silently remove every later write. So the
//! journal is checked first. Its format in fjall 3, little-endian:
//!
//! ```text
//! 01 │ items u32 │ sequence u64                                                                      a batch begins
//! 02 │ type u8 │ compression u8 │ table u64 │ key's length u16 │ value's u32 │ as stored u32 │ key │ value      an item
//! 04 │ table u64                                                                                    a table is cleared
//! 03 │ xxh3 of the items u64 │ "FJL" 03                                                                a batch ends
//! ```
//!
//! After the last batch there are zeros, or the beginning of a batch that was cut off.

use byteorder::{ByteOrder, LittleEndian};
use memchr::memmem;
use xxhash_rust::xxh3::xxh3_64;

/// Length of the start of a batch.
const START: usize = 13;
const END: &[u8] = b"FJL\x03";

/// The journal without the zeros that the engine has reserved at its end.
pub(super) fn without_room(mut journal: Vec<u8>) -> Vec<u8> {
    journal.truncate(written(&journal));
    journal
}

/// Length without the zeros at the end.
fn written(bytes: &[u8]) -> usize {
    const ZEROS: [u8; 4096] = [0; 4096];
    let last = bytes.chunks(ZEROS.len()).rposition(|chunk| chunk != &ZEROS[..chunk.len()]);
    let Some(start) = last.map(|chunk| chunk * ZEROS.len()) else { return 0 };
    let end = bytes.len().min(start + ZEROS.len());
    bytes[..end].iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1)
}

/// Checks that a journal is complete, except for a write at its end that was cut off.
///
/// # Errors
///
/// The position of damage that a cut-off write does not explain.
pub(super) fn check(journal: &[u8]) -> Result<(), usize> {
    let mut at = 0;
    let broken = loop {
        match read_batch(&journal[at..]) {
            Ok(len) => at += len,
            Err(broken) => break broken,
        }
    };
    let rest = &journal[at..];
    let written = written(rest);
    let rest = &rest[..written];
    let to_the_end = match broken {
        Broken::Short => true,
        Broken::Wrong(place) => place >= written,
    };
    // A length that was changed may point beyond the end, too.
    if to_the_end && !rest.ends_with(END) && !has_batch_within(rest) { Ok(()) } else { Err(at) }
}

/// Whether a start, which is not the first byte, is followed by items up to an end. There may be many starts: each item
/// is read once, whatever the start.
fn has_batch_within(bytes: &[u8]) -> bool {
    let Some(last) = memmem::rfind(bytes, END) else { return false };
    let bytes = &bytes[..last + END.len()];
    let mut seen = vec![false; bytes.len()];
    (1..bytes.len()).filter(|&from| bytes[from] == 1).any(|from| {
        let mut at = from + START;
        while let Some(seen @ false) = seen.get_mut(at) {
            *seen = true;
            match read_item(&bytes[at..]) {
                Ok(Some(len)) => at += len,
                Ok(None) => return bytes[at..].get(1 + 8..).is_some_and(|end| end.starts_with(END)),
                Err(_) => return false,
            }
        }
        false
    })
}

enum Broken {
    /// It continues past the end of the bytes.
    Short,
    /// The byte here is not valid.
    Wrong(usize),
}

impl Broken {
    /// The same, in bytes that begin `at` bytes later.
    fn after(self, at: usize) -> Self {
        match self {
            Self::Short => Self::Short,
            Self::Wrong(place) => Self::Wrong(at + place),
        }
    }
}

/// The length of the first batch.
fn read_batch(bytes: &[u8]) -> Result<usize, Broken> {
    let start = bytes.get(..START).ok_or(Broken::Short)?;
    if start[0] != 1 {
        return Err(Broken::Wrong(0));
    }
    let mut at = START;
    for _ in 0..LittleEndian::read_u32(&start[1..5]) {
        match read_item(&bytes[at..]) {
            Ok(Some(len)) => at += len,
            Ok(None) => return Err(Broken::Wrong(at)),
            Err(broken) => return Err(broken.after(at)),
        }
    }
    let end = bytes[at..].get(..1 + 8 + END.len()).ok_or(Broken::Short)?;
    match end[0] == 3 && end.ends_with(END) && LittleEndian::read_u64(&end[1..9]) == xxh3_64(&bytes[START..at]) {
        true => Ok(at + end.len()),
        // A batch whose last bytes are missing is cut off, not damaged.
        false => Err(Broken::Wrong(at + end.len() - 1)),
    }
}

/// The length of the first item; `None` at the end of the batch.
fn read_item(bytes: &[u8]) -> Result<Option<usize>, Broken> {
    let len = match bytes.first().ok_or(Broken::Short)? {
        2 => {
            let head = bytes.get(1..21).ok_or(Broken::Short)?;
            if head[0] > 3 || head[1] > 1 {
                return Err(Broken::Wrong(1));
            }
            21 + usize::from(LittleEndian::read_u16(&head[10..12])) + LittleEndian::read_u32(&head[16..20]) as usize
        }
        4 => 9,
        3 => return Ok(None),
        _ => return Err(Broken::Wrong(0)),
    };
    if len <= bytes.len() { Ok(Some(len)) } else { Err(Broken::Short) }
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

    fn broken_at(journal: &[u8]) -> Option<usize> {
        check(journal).err()
    }

    fn batch(sequence: u64, items: &[(Vec<u8>, Vec<u8>)]) -> Vec<u8> {
        let mut content = Vec::new();
        for (key, value) in items {
            content.extend([2, 0, 0]);
            content.extend(7_u64.to_le_bytes());
            content.extend((key.len() as u16).to_le_bytes());
            content.extend((value.len() as u32).to_le_bytes());
            content.extend((value.len() as u32).to_le_bytes());
            content.extend(key.iter().chain(value));
        }
        content.extend([4, 7, 0, 0, 0, 0, 0, 0, 0]);
        let mut batch = vec![1];
        batch.extend((items.len() as u32 + 1).to_le_bytes());
        batch.extend(sequence.to_le_bytes());
        batch.extend(&content);
        batch.push(3);
        batch.extend(xxh3_64(&content).to_le_bytes());
        batch.extend(END);
        batch
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(500) })]

        #[test]
        fn a_write_that_was_cut_off_is_none_and_a_changed_bit_is_one(
            batches in vec(vec((vec(any::<u8>(), 1..20), vec(any::<u8>(), 0..40)), 1..4), 1..8),
            cut: prop::sample::Index,
            bit: prop::sample::Index,
            zeros in prop_oneof![Just(0_usize), 1..100_usize],
        ) {
            let batches: Vec<_> = (1..).zip(&batches).map(|(sequence, items)| batch(sequence, items)).collect();
            let mut journal = batches.concat();
            let whole = journal.len();
            journal.resize(whole + zeros, 0);
            prop_assert_eq!(broken_at(&journal), None);

            // The last write is incomplete: what is missing is zeros, or past the end.
            let last = batches.last().map_or(0, Vec::len);
            let kept = whole - last + cut.index(last);
            let mut torn = journal.clone();
            torn[kept..].fill(0);
            prop_assert_eq!(broken_at(&torn), None);
            prop_assert_eq!(broken_at(&journal[..kept]), None);

            let bit = bit.index(whole * 8);
            let mut changed = journal.clone();
            changed[bit / 8] ^= 1 << (bit % 8);
            // No checksum covers a batch's sequence number.
            if let Some(broken) = broken_at(&changed) {
                prop_assert!(broken <= bit / 8);
            } else {
                let starts = batches.iter().scan(0, |at, batch| Some(std::mem::replace(at, *at + batch.len())));
                prop_assert!(starts.into_iter().any(|start| (start + 5..start + 13).contains(&(bit / 8))), "bit {}", bit);
            }
        }
    }

    /// Whatever the keys and values are: here every item follows something that looks like a start.
    #[test]
    fn a_long_write_that_was_cut_off_is_soon_looked_through() {
        let items: Vec<_> = (0..20_000_u32).map(|n| ([[0, 0, 0, 1], n.to_be_bytes()].concat(), vec![0; 8])).collect();
        let journal = batch(1, &items);
        let cut = &journal[..journal.len() - 30];
        assert_eq!(broken_at(cut), None);
        // A value that looks like an end is not one.
        let first = batch(1, &[(vec![1], [END, &[1; 9]].concat())]);
        assert_eq!(broken_at(&first[..first.len() - 9]), None);
        assert_eq!(broken_at(&[&first, cut, END].concat()), Some(first.len()));
        // The length of the first of many writes points beyond the end.
        let mut changed = [batch(1, &items[..1]), journal].concat();
        changed[33] = 0x7f;
        assert_eq!(broken_at(&changed), Some(0));
    }
}
