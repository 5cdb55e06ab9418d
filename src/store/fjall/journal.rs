//! What the engine's journal has lost, if it has.
//!
//! The engine replays its journal up to the first byte that it can't read, and cuts off the rest: right for the end of a
//! write that was killed, but a byte that was changed in the middle would take every later write with it, silently. So the
//! journal is looked through first. Its form, of fjall 3, little-endian:
//!
//! ```text
//! 01 │ items u32 │ sequence u64                                                                      a batch begins
//! 02 │ type u8 │ compression u8 │ table u64 │ key's length u16 │ value's u32 │ as stored u32 │ key │ value      an item
//! 04 │ table u64                                                                                    a table is cleared
//! 03 │ xxh3 of the items u64 │ "FJL" 03                                                                a batch ends
//! ```
//!
//! Behind the last batch are zeros, or the beginning of a batch that was cut off.

use std::collections::BTreeSet;

use byteorder::{ByteOrder, LittleEndian};
use xxhash_rust::xxh3::xxh3_64;

const END: &[u8] = b"FJL\x03";

/// A journal without the room that the engine has reserved at its end.
pub(super) fn without_room(mut journal: Vec<u8>) -> Vec<u8> {
    journal.truncate(written(&journal));
    journal
}

/// How long it is without the zeros at its end.
fn written(bytes: &[u8]) -> usize {
    const ZEROS: [u8; 4096] = [0; 4096];
    let last = bytes.chunks(ZEROS.len()).rposition(|chunk| chunk != &ZEROS[..chunk.len()]);
    let Some(start) = last.map(|chunk| chunk * ZEROS.len()) else { return 0 };
    let end = bytes.len().min(start + ZEROS.len());
    bytes[..end].iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1)
}

/// Adds the numbers of the tables that a journal has writes to.
///
/// # Errors
///
/// Where the journal is broken in a way that no cut-off write explains.
pub(super) fn tables_written(journal: &[u8], tables: &mut BTreeSet<u64>) -> Result<(), usize> {
    let mut at = 0;
    let broken = loop {
        match read_batch(&journal[at..], |table| {
            tables.insert(table);
        }) {
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
    // A length that was changed may lead beyond the end, too.
    let ended = rest.ends_with(END) || (1..written).any(|from| read_batch(&rest[from..], |_| ()).is_ok());
    if to_the_end && !ended { Ok(()) } else { Err(at) }
}

enum Broken {
    /// It goes on behind the end of the bytes.
    Short,
    /// What stands here can't.
    Wrong(usize),
}

/// The length of the batch that stands first; `each` is told the table of each write.
fn read_batch(bytes: &[u8], mut each: impl FnMut(u64)) -> Result<usize, Broken> {
    let mut at = 0;
    let mut take = |len: usize| {
        let taken = bytes.get(at..).and_then(|rest| rest.get(..len)).ok_or(Broken::Short)?;
        at += len;
        Ok((taken, at))
    };
    let (start, _) = take(13)?;
    if start[0] != 1 {
        return Err(Broken::Wrong(0));
    }
    let items = LittleEndian::read_u32(&start[1..5]);
    for _ in 0..items {
        let (tag, end) = take(1)?;
        match tag[0] {
            2 => {
                let (head, _) = take(20)?;
                if head[0] > 3 || head[1] > 1 {
                    return Err(Broken::Wrong(end));
                }
                each(LittleEndian::read_u64(&head[2..10]));
                take(LittleEndian::read_u16(&head[10..12]).into())?;
                take(LittleEndian::read_u32(&head[16..20]) as usize)?;
            }
            4 => each(LittleEndian::read_u64(take(8)?.0)),
            _ => return Err(Broken::Wrong(end - 1)),
        }
    }
    let (tag, content) = take(1)?;
    let (checksum, _) = take(8)?;
    let (magic, end) = take(END.len())?;
    let content = &bytes[13..content - 1];
    match tag[0] == 3 && magic == END && LittleEndian::read_u64(checksum) == xxh3_64(content) {
        true => Ok(end),
        // A batch of which the last bytes are missing is cut off, not wrong.
        false => Err(Broken::Wrong(end - 1)),
    }
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

    fn broken_at(journal: &[u8]) -> Option<usize> {
        tables_written(journal, &mut BTreeSet::new()).err()
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
            let mut tables = BTreeSet::new();
            prop_assert_eq!(tables_written(&journal, &mut tables), Ok(()));
            prop_assert!(tables.into_iter().eq([7]));

            // The last write has not come to its end: what is missing is zeros, or is not there.
            let last = batches.last().map_or(0, Vec::len);
            let kept = whole - last + cut.index(last);
            let mut torn = journal.clone();
            torn[kept..].fill(0);
            prop_assert_eq!(broken_at(&torn), None);
            prop_assert_eq!(broken_at(&journal[..kept]), None);

            let bit = bit.index(whole * 8);
            let mut changed = journal.clone();
            changed[bit / 8] ^= 1 << (bit % 8);
            // A batch's sequence is under no checksum.
            if let Some(broken) = broken_at(&changed) {
                prop_assert!(broken <= bit / 8);
            } else {
                let starts = batches.iter().scan(0, |at, batch| Some(std::mem::replace(at, *at + batch.len())));
                prop_assert!(starts.into_iter().any(|start| (start + 5..start + 13).contains(&(bit / 8))), "bit {}", bit);
            }
        }
    }
}
