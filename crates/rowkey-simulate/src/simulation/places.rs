//! The places of keys on engines that hash the partition key: there a key is where the hash of its partition is.

use std::borrow::Cow;
use std::ops::ControlFlow;

use rowkey::untyped::FieldBuf;
use rowkey::{KeyRange, LayoutBuf, LayoutError};
use rowkey_design::internal::cost::with_known_hash;
use rowkey_design::internal::facts::KeyFacts;
use xxhash_rust::xxh3::xxh3_64;

use super::ranges::MOST;
use crate::event::{Event, Op};
use crate::load::{Load, LoadError, Stored};
use crate::run::Key;

/// The bytes of a hash, which come before a key's own.
pub(super) const HASH: usize = 4;

/// The split points between ranges of as many hashes each: at least so many ranges, and as many on each server.
pub(super) fn splits(servers: u32, ranges: f64) -> Vec<Key> {
    let servers = u64::from(servers.max(1));
    let count = servers * ((ranges.min(MOST) / servers as f64).ceil() as u64).max(1);
    let start = |at: u64| u32::try_from((at << 32) / count).unwrap_or(u32::MAX);
    (1..count).map(|at| Key(start(at).to_be_bytes().to_vec())).collect()
}

/// The layout of these split points.
pub(super) fn layout() -> Result<LayoutBuf, LayoutError> {
    LayoutBuf::of_fields("hash", rowkey::lead::Lead::None, Vec::new(), vec![FieldBuf::new("hash", "u32")?])
}

/// The places of a key's rows.
#[derive(Debug)]
pub(super) struct Places<'d> {
    layout: Cow<'d, LayoutBuf>,
    /// The number of first fields that are hashed, and their bytes with the salt, where these are always as many.
    fields: usize,
    width: Option<usize>,
}

impl<'d> Places<'d> {
    /// Those of a key; none where rows are sorted by all of it.
    pub(super) fn of(key: &KeyFacts<'d>) -> Option<Self> {
        let layout = with_known_hash(key.layout);
        let fields = key.partition?.min(layout.fields().len());
        let widths = layout.fields()[..fields].iter().map(|field| field.ty.width());
        let width = widths.sum::<Option<usize>>().map(|width| layout.lead().width() + width);
        Some(Self { layout, fields, width })
    }

    /// The bytes of the partition that a key, or the beginning of one, is in; none if it does not tell.
    fn partition<'k>(&self, key: &'k [u8]) -> Option<&'k [u8]> {
        if let Some(width) = self.width {
            return key.get(..width);
        }
        let told = self.layout.explain(key);
        let is_hashed = |path: &str| {
            let top = path.split(['.', '[']).next().unwrap_or(path);
            top.is_empty() || self.layout.fields()[..self.fields].iter().any(|field| field.name == top)
        };
        if told.error.is_some_and(|error| is_hashed(error.field())) {
            return None;
        }
        key.get(..told.parts.iter().take_while(|part| is_hashed(&part.field)).last()?.range.end)
    }

    /// The hash that the place of a key begins with.
    pub(super) fn of_key(&self, key: &[u8]) -> Vec<u8> {
        hash(self.partition(key).unwrap_or(key)).to_vec()
    }

    fn place(&self, key: &[u8], place: &mut Vec<u8>) {
        place.clear();
        place.extend(hash(self.partition(key).unwrap_or(key)));
        place.extend_from_slice(key);
    }

    /// The same rows, in the order of their places.
    pub(super) fn stored(&self, stored: &Stored) -> Stored {
        let place = |key: &Vec<u8>| {
            let mut place = Vec::with_capacity(HASH + key.len());
            self.place(key, &mut place);
            place
        };
        let mut keys: Vec<Vec<u8>> = stored.keys.iter().map(place).collect();
        keys.sort_unstable();
        Stored { keys, ..*stored }
    }

    /// The first place of a range of keys, and the first after it; none if it is not of one partition.
    pub(super) fn range(&self, start: &[u8], end: Option<&[u8]>) -> Option<(Vec<u8>, Option<Vec<u8>>)> {
        let partition = self.partition(start)?;
        let within = end.is_some_and(|end| end.starts_with(partition));
        if !within && end != KeyRange::prefix(partition).end() {
            return None;
        }
        let hash = hash(partition);
        let end = match end {
            Some(end) => Some([&hash, end].concat()),
            None => u32::from_be_bytes(hash).checked_add(1).map(|next| next.to_be_bytes().to_vec()),
        };
        Some(([&hash, start].concat(), end))
    }
}

fn hash(partition: &[u8]) -> [u8; HASH] {
    let [a, b, c, d, ..] = xxh3_64(partition).to_be_bytes();
    [a, b, c, d]
}

/// A load whose keys are places. What reads several partitions side by side asks all: none are next to each other.
pub(super) struct Placed<'l, 'd> {
    pub(super) load: &'l mut dyn Load,
    pub(super) places: &'l Places<'d>,
}

impl Load for Placed<'_, '_> {
    fn events(&mut self, sink: &mut dyn FnMut(Event<'_>) -> ControlFlow<()>) -> Result<(), LoadError> {
        let (places, mut place) = (self.places, Vec::new());
        self.load.events(&mut |event| match event.op {
            Op::Scan { end, limit, reverse, few, most } => {
                let (start, end) = places.range(event.key, end).unwrap_or_default();
                sink(Event { key: &start, op: Op::Scan { end: end.as_deref(), limit, reverse, few, most }, ..event })
            }
            _ => {
                places.place(event.key, &mut place);
                sink(Event { key: &place, ..event })
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(shape: &str, fields: usize) -> Places<'static> {
        let layout = shape.parse::<LayoutBuf>().unwrap();
        let width = layout.fields()[..fields].iter().map(|field| field.ty.width()).sum();
        Places { layout: Cow::Owned(layout), fields, width }
    }

    #[test]
    fn a_partition_is_told_by_the_beginning_of_a_key() {
        for (shape, fields, key, partition) in [
            ("u16, u8", 1, &[0, 1, 2][..], Some(&[0, 1][..])),
            ("u16, u8", 1, &[0, 1], Some(&[0, 1])),
            ("u16, u8", 1, &[0], None),
            ("text, u8", 1, b"a\0\x07", Some(b"a\0")),
            ("text, u8", 1, b"a\0", Some(b"a\0")),
            ("text, u8", 1, b"a", None),
            ("text, text, u8", 2, b"a\0b\0\x07", Some(b"a\0b\0")),
            ("text, text, u8", 2, b"a\0", None),
        ] {
            assert_eq!(places(shape, fields).partition(key), partition, "{shape} {key:?}");
        }
    }

    #[test]
    fn ranges_are_of_one_partition_or_of_all() {
        let places = places("u8, u8", 1);
        for partition in [0, 7, u8::MAX] {
            let range = KeyRange::prefix([partition]);
            let (start, end) = places.range(range.start(), range.end()).unwrap();
            let mut place = Vec::new();
            for key in 0..=u16::MAX {
                let key = key.to_be_bytes();
                places.place(&key, &mut place);
                let is_in = place >= start && end.as_ref().is_none_or(|end| place < *end);
                assert_eq!(is_in, key[0] == partition, "{key:?}");
            }
        }
        assert_eq!(places.range(&[1], Some(&[3])), None);
        assert_eq!(places.range(&[1, 9], None), None);
        assert_eq!(places.range(&[], None), None);
    }

    #[test]
    fn servers_have_as_many_hashes_each() {
        for (servers, ranges, count) in [(1, 0.0, 1), (16, 0.5, 16), (16, 17.0, 32), (3, 1e18, 4098)] {
            let splits = splits(servers, ranges);
            assert_eq!(splits.len() + 1, count);
            assert!(splits.is_sorted() && splits.iter().all(|split| split.0.len() == HASH));
        }
        assert_eq!(splits(4, 0.0).iter().map(|split| split.0[0]).collect::<Vec<_>>(), [64, 128, 192]);
    }
}
