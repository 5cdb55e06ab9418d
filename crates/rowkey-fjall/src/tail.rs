//! The tail of a journal, behind the last write that can be read: a write that did not reach the disk, or damage.
//!
//! A power loss leaves any of the pages that were written since the last sync. The others are as they were: they are
//! zeros, as the engine only appends, from some boundary between two entries on. So the first write that can't be read
//! is a lost one if it lacks pages, or ends with the file. A bit that changed does not look like this.

use std::collections::HashMap;
use std::ops::Range;

use byteorder::{ByteOrder, LittleEndian};
use memchr::memmem;
use xxhash_rust::xxh3::Xxh3Default;

use crate::journal::{END, START, read_batch, read_item};

/// The unit that the operating system writes at once, and the file system keeps whole.
const PAGE: usize = 4096;
/// The unit that a disk keeps whole.
const SECTOR: usize = 512;
const ZEROS: [u8; PAGE] = [0; PAGE];

/// The kind of a journal's tail.
#[derive(Debug, PartialEq)]
pub(crate) enum Tail {
    /// Nothing but zeros.
    Nothing,
    /// The beginning of a write, and nothing else: the process was killed, or the power failed.
    CutOff,
    /// A write some pages of which are zeros, and whatever was written later: the power failed.
    Torn,
    /// Anything else.
    Damage,
}

impl Tail {
    /// Judges a journal, without the zeros at its end, from the first byte on that is not in a write that can be read.
    pub(crate) fn of(journal: &[u8], from: usize) -> Self {
        let rest = &journal[from..];
        if rest.is_empty() {
            Self::Nothing
        } else if lacks_pages(journal, from) {
            Self::Torn
        // A length that was changed may point beyond the end, too.
        } else if is_short(rest) && !is_whole_but_for_a_length(rest) && !has_batch_within(rest) {
            Self::CutOff
        } else {
            Self::Damage
        }
    }
}

fn is_short(rest: &[u8]) -> bool {
    matches!(read_batch(rest), Err(crate::journal::Broken::Short))
}

/// Returns whether the batch that begins here lacks pages, and can be read up to the first of them.
fn lacks_pages(journal: &[u8], from: usize) -> bool {
    /// The length of the head of an item: the part of an invalid one that is read.
    const HEAD: usize = 21;
    let ends_at = |at: usize| {
        let sector = journal.len().min((at / SECTOR + 1) * SECTOR);
        journal[at..sector] == ZEROS[..sector - at]
    };
    let lacks = |from: usize, to: usize| {
        let mut pages = (from / PAGE * PAGE..to.min(journal.len())).step_by(PAGE);
        pages.any(|page| {
            let page = &journal[page..journal.len().min(page + PAGE)];
            page == &ZEROS[..page.len()]
        })
    };
    if ends_at(from) || lacks(from, from + START) {
        return true;
    }
    let Some(start) = journal[from..].get(..START).filter(|start| start[0] == 1) else { return false };
    let mut at = from + START;
    for _ in 0..LittleEndian::read_u32(&start[1..5]) {
        if at >= journal.len() {
            return false;
        }
        if ends_at(at) {
            return true;
        }
        match read_item(&journal[at..]) {
            Ok(Some(len)) if !lacks(at, at + len) => at += len,
            Ok(Some(_)) => return true,
            Ok(None) => return false,
            Err(crate::journal::Broken::Short) => return lacks(at, journal.len()),
            Err(crate::journal::Broken::Wrong(_)) => return lacks(at, at + HEAD),
        }
    }
    at < journal.len() && (ends_at(at) || lacks(at, at + 1 + 8 + END.len()))
}

/// Returns whether the batch that begins here is whole, and only seems to be short because a length in it was changed.
/// A value may end in the bytes that a batch ends with, so the checksum decides: it is right with the length that leads
/// to the items that follow.
fn is_whole_but_for_a_length(rest: &[u8]) -> bool {
    /// More places than these fit only if somebody made them so.
    const TRIED: usize = 64;
    let Some(count) = rest.get(1..START).map(|start| LittleEndian::read_u32(&start[..4])) else { return false };
    let (mut items, mut at) = (vec![START], START);
    while let Some(Ok(Some(len))) = rest.get(at..).map(read_item) {
        at += len;
        items.push(at);
    }
    let mut chains = Chains { bytes: rest, known: HashMap::new() };
    let fitting = (START..rest.len()).filter(|&next| matches!(rest[next], 2..=4)).filter_map(|next| {
        let (left, end) = chains.items(next)?;
        let item = *items.get(count.checked_sub(left)?.checked_sub(1)? as usize)?;
        (item < next).then_some((item, next, end))
    });
    fitting.take(TRIED).any(|(item, next, end)| has_sum(rest, item, next, end))
}

/// Returns whether the checksum at the end of the items is right if the first of these two items has the length up to
/// the other one.
fn has_sum(rest: &[u8], item: usize, next: usize, end: usize) -> bool {
    /// The places of the lengths of an item's key and of its stored value.
    const KEY: Range<usize> = 11..13;
    const VALUE: Range<usize> = 17..21;
    let Some(head) = rest.get(item..item + VALUE.end).filter(|head| head[0] == 2) else { return false };
    let (key, value) = (LittleEndian::read_u16(&head[KEY]).into(), LittleEndian::read_u32(&head[VALUE]) as usize);
    let sum = LittleEndian::read_u64(&rest[end + 1..]);
    let is_right_with = |place: Range<usize>, length: Option<usize>| {
        length.is_some_and(|length| {
            let mut hash = Xxh3Default::new();
            hash.update(&rest[START..item + place.start]);
            hash.update(&length.to_le_bytes()[..place.len()]);
            hash.update(&rest[item + place.end..end]);
            hash.digest() == sum
        })
    };
    let Some(both) = (next - item).checked_sub(VALUE.end) else { return false };
    is_right_with(KEY, both.checked_sub(value)) || is_right_with(VALUE, both.checked_sub(key))
}

/// Returns whether there is a whole batch after the first byte, later than the one that begins here: a value may hold a
/// journal.
fn has_batch_within(bytes: &[u8]) -> bool {
    let Some(own) = bytes.get(5..START).map(LittleEndian::read_u64) else { return false };
    let Some(end) = memmem::rfind(bytes, END) else { return false };
    let bytes = &bytes[..end + END.len()];
    let mut chains = Chains { bytes, known: HashMap::new() };
    (1..bytes.len()).filter(|&from| bytes[from] == 1).any(|from| {
        let items = bytes[from..].get(1..START).map(|start| LittleEndian::read_u32(&start[..4]));
        items.is_some()
            && items == chains.items(from + START).map(|(items, _)| items)
            && read_batch(&bytes[from..]).is_ok_and(|batch| batch.sequence > own)
    })
}

/// Items that follow one another up to the end of a batch. Many places look like a start: each item is read once.
struct Chains<'j> {
    bytes: &'j [u8],
    known: HashMap<usize, Option<(u32, usize)>>,
}

impl Chains<'_> {
    /// The number of items from here to the end of a batch, and where that is.
    fn items(&mut self, from: usize) -> Option<(u32, usize)> {
        let (mut at, mut passed) = (from, Vec::new());
        let mut items = loop {
            if let Some(&known) = self.known.get(&at) {
                break known;
            }
            match self.bytes.get(at..).map(read_item) {
                Some(Ok(Some(len))) => {
                    passed.push(at);
                    at += len;
                }
                Some(Ok(None)) => {
                    break self.bytes[at..].get(1 + 8..).filter(|end| end.starts_with(END)).map(|_| (0, at));
                }
                _ => break None,
            }
        };
        for at in passed.into_iter().rev() {
            items = items.map(|(items, end)| (items + 1, end));
            self.known.insert(at, items);
        }
        items
    }
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;
    use xxhash_rust::xxh3::xxh3_64;

    use super::*;
    use crate::journal::written;

    /// The kind of the journal's tail, and its place.
    fn tail_of(journal: &[u8]) -> (usize, Tail) {
        let journal = &journal[..written(journal)];
        let mut at = 0;
        while let Ok(batch) = read_batch(&journal[at..]) {
            at += batch.len;
        }
        (at, Tail::of(journal, at))
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

    /// Values of any bytes, and some that end as batches do, or with a batch that is whole.
    fn batches_of(longest: usize) -> impl Strategy<Value = Vec<Vec<u8>>> {
        let whole = batch(0, &[(vec![1], vec![2; 9]), (vec![3], vec![])]);
        let end = prop_oneof![4 => Just(vec![]), 1 => Just(END.to_vec()), 1 => Just(whole[whole.len() - 13..].to_vec()), 1 => Just(whole)];
        let value = (vec(any::<u8>(), 0..longest), end).prop_map(|(value, end)| [value, end].concat());
        let item = (vec(any::<u8>(), 1..20), value);
        vec(vec(item, 1..4), 1..8)
            .prop_map(|batches| (1..).zip(&batches).map(|(sequence, items)| batch(sequence, items)).collect())
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(200) })]

        #[test]
        fn a_write_that_was_cut_off_is_none_and_a_changed_bit_is_one(
            batches in batches_of(40),
            cut: prop::sample::Index,
            bit: prop::sample::Index,
            zeros in prop_oneof![Just(0_usize), 1..100_usize],
        ) {
            let mut journal = batches.concat();
            let whole = journal.len();
            journal.resize(whole + zeros, 0);
            prop_assert_eq!(tail_of(&journal), (whole, Tail::Nothing));

            // The last write is incomplete: what is missing is zeros, or past the end.
            let last = batches.last().map_or(0, Vec::len);
            let kept = whole - last + cut.index(last);
            let mut torn = journal.clone();
            torn[kept..].fill(0);
            for cut in [&torn, &journal[..kept]] {
                let (at, tail) = tail_of(cut);
                prop_assert!(at == whole - last && tail != Tail::Damage, "{:?}", tail);
            }

            let bit = bit.index(whole * 8);
            let mut changed = journal.clone();
            changed[bit / 8] ^= 1 << (bit % 8);
            match tail_of(&changed) {
                (broken, Tail::Damage) => prop_assert!(broken <= bit / 8),
                // A tag that became a zero, and only zeros up to the next sector.
                (broken, Tail::Torn) => prop_assert!(broken <= bit / 8 && bit / 8 % SECTOR >= SECTOR - 3),
                // No checksum covers a batch's sequence number.
                (_, Tail::Nothing) => {
                    let starts = batches.iter().scan(0, |at, batch| Some(std::mem::replace(at, *at + batch.len())));
                    prop_assert!(starts.into_iter().any(|start| (start + 5..start + 13).contains(&(bit / 8))));
                }
                (_, Tail::CutOff) => prop_assert!(false, "bit {}", bit),
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(40) })]

        /// Pages that did not reach the disk.
        #[test]
        fn writes_that_lack_pages_are_torn(batches in batches_of(9_000), lost in vec(any::<prop::sample::Index>(), 1..4)) {
            let mut journal = batches.concat();
            let whole = journal.clone();
            let pages = journal.len().div_ceil(PAGE);
            for page in lost {
                let page = page.index(pages) * PAGE;
                let end = journal.len().min(page + PAGE);
                journal[page..end].fill(0);
            }
            let first = journal.iter().zip(&whole).position(|(one, other)| one != other).unwrap();
            let (at, tail) = tail_of(&journal);
            prop_assert!(at <= first && matches!(tail, Tail::Torn | Tail::CutOff | Tail::Nothing), "{at} {tail:?}");
            prop_assert_eq!(&journal[..at], &whole[..at]);
            let starts: Vec<_> = batches.iter().scan(0, |at, batch| Some(std::mem::replace(at, *at + batch.len()))).collect();
            prop_assert_eq!(Some(&at), starts.iter().rfind(|start| **start <= first));
        }
    }

    /// Whatever the keys and values are: here every item follows something that looks like a start.
    #[test]
    fn a_long_write_that_was_cut_off_is_soon_looked_through() {
        let items: Vec<_> = (0..20_000_u32).map(|n| ([[0, 0, 0, 1], n.to_be_bytes()].concat(), vec![0; 8])).collect();
        let journal = batch(2, &items);
        let cut = &journal[..journal.len() - 30];
        assert_eq!(tail_of(cut), (0, Tail::CutOff));
        // A value that looks like an end is not one.
        let first = batch(1, &[(vec![1], [END, &[1; 9]].concat())]);
        assert_eq!(tail_of(&first[..first.len() - 9]), (0, Tail::CutOff));
        // Nor is the end of a batch in a value, wherever the batch is cut off.
        let inner = batch(1, &[(vec![1], vec![1])]);
        let outer = batch(2, &[(vec![1], inner.clone()), (vec![2], inner.clone()), (vec![3], inner)]);
        for cut in 1..outer.len() {
            assert_eq!(tail_of(&[&first, &outer[..cut]].concat()), (first.len(), Tail::CutOff), "{cut}");
        }
        // The length of the first of many writes points beyond the end.
        let mut changed = [batch(1, &items[..1]), journal].concat();
        changed[33] = 0x7f;
        assert_eq!(tail_of(&changed), (0, Tail::Damage));
        // Of the last write, too, and of one before a write that was cut off.
        let (last, next) = (batch(2, &items[..9]), batch(3, &items[9..]));
        for length in [START + 11, START + 12, START + 17, START + 18, START + 20] {
            let mut changed = last.clone();
            changed[length] ^= 0x41;
            assert_eq!(tail_of(&changed), (0, Tail::Damage), "{length}");
            assert_eq!(tail_of(&[&changed, &next[..next.len() - 20]].concat()), (0, Tail::Damage), "{length}");
        }
    }

    /// A value may hold a journal.
    #[test]
    fn a_whole_batch_in_a_value_that_was_cut_off_is_of_another_journal() {
        let inner = batch(3, &[(vec![1], vec![1; 8])]);
        let outer = batch(9, &[(vec![1], [inner, vec![7; 50]].concat())]);
        let journal = [batch(8, &[(vec![1], vec![])]), outer].concat();
        let (at, tail) = tail_of(&journal[..journal.len() - 40]);
        assert!(at > 0 && tail == Tail::CutOff, "{tail:?}");
    }
}
