//! Samples of loads that have too many events to be simulated one by one.

use std::ops::ControlFlow;

use xxhash_rust::xxh3::xxh3_64;

use rowkey_design::internal::drawn::mix;

use super::{Load, LoadError};
use crate::event::{Event, Op};

/// The most events that a simulation takes in reasonable time and memory.
pub const MOST_EVENTS: u64 = 10_000_000;

/// Another load, of whose events some are kept where there are many: each of these stands for 2, 4, 8 or more.
///
/// Of rows all that is written and deleted is kept, or nothing, so that a row that is kept is deleted as it was written;
/// but of those that are written most, as of reads, each second, fourth, eighth or so event is, with deletes after it.
/// The same load has the same sample.
#[derive(Debug)]
pub struct Sampled<L> {
    load: L,
    sampler: Sampler,
}

#[derive(Debug)]
struct Sampler {
    level: u32,
    left: u64,
    most: u64,
    reads: u64,
    writes: u64,
    /// The writes by the hash of their keys: some of them, but of a hash whose writes are many all that come then.
    by_hash: Vec<u32>,
    /// A bit of each hash, set where its writes are many: few bytes, as each write looks at one.
    are_many: Vec<u64>,
    /// The same, where the last row that was put is kept: what deletes it is too.
    last_is_kept: Vec<u64>,
}

/// The bits of a hash that tell what is written most.
const BITS: u32 = 20;
/// The writes of a hash that are many: more than this, and than one of so many of all.
const MANY: u32 = 64;
const ONE_OF: u64 = 1 << 16;
/// Rate of the count of writes: one of so many, by chance.
const COUNTED: u32 = 8;

impl<L> Sampled<L> {
    /// A load with about as many events as `expected`; 0 if nobody knows. About `most` of them are kept; if there are
    /// many more than expected, then somewhat more.
    pub fn new(load: L, most: u64, expected: u64) -> Self {
        let most = most.clamp(1, MOST_EVENTS);
        // As many as are expected, or somewhat more, are no sample.
        let level = (0..63).find(|level| expected >> level <= most + most / 8).unwrap_or(63);
        // What is kept may be more than its part.
        let left = if expected == 0 { most } else { most + most / 2 };
        let sampler = Sampler {
            level,
            left,
            most,
            reads: 0,
            writes: 0,
            by_hash: Vec::new(),
            are_many: Vec::new(),
            last_is_kept: Vec::new(),
        };
        Self { load, sampler }
    }
}

impl Sampler {
    /// The events that one stands for, if it is kept.
    fn weight(&mut self, event: &Event<'_>) -> Option<u64> {
        if self.left == 0 {
            self.level = (self.level + 1).min(63);
            self.left = (self.most / 4).max(1);
        }
        if self.level > 0 && !self.is_kept(event) {
            return None;
        }
        self.left -= 1;
        Some(1 << self.level)
    }

    fn is_kept(&mut self, event: &Event<'_>) -> bool {
        if matches!(event.op, Op::Get | Op::Scan { .. }) {
            self.reads += 1;
            return is_turn(self.reads, self.level, 0);
        }
        self.by_hash.resize(1 << BITS, 0);
        self.are_many.resize((1 << BITS) / 64, 0);
        self.last_is_kept.resize((1 << BITS) / 64, 0);
        let is_delete = event.op == Op::Delete;
        self.writes += 1;
        let hash = xxh3_64(event.key);
        let place = (hash >> (u64::BITS - BITS)) as usize;
        let (word, bit) = (&mut self.are_many[place / 64], 1 << (place % 64));
        let mut is_many = *word & bit != 0;
        let each = if is_many { 1 } else { COUNTED };
        // Not every eighth: what comes in turns would be counted always, or never.
        if !(is_many && is_delete) && mix(self.writes).is_multiple_of(u64::from(each)) {
            let count = &mut self.by_hash[place];
            *count = count.saturating_add(each);
            is_many |= *count > MANY && u64::from(*count) > self.writes / ONE_OF;
            *word |= u64::from(is_many) * bit;
        }
        if is_many {
            let last = &mut self.last_is_kept[place / 64];
            if !is_delete {
                let is_kept = is_turn(u64::from(self.by_hash[place]), self.level, place as u64);
                *last = (*last & !bit) | (u64::from(is_kept) * bit);
            }
            return *last & bit != 0;
        }
        mix(hash).trailing_zeros() >= self.level
    }
}

/// True of one of each 2, 4, 8 numbers that follow each other.
fn is_turn(number: u64, level: u32, of: u64) -> bool {
    let group = number >> level;
    number == group << level | mix(group ^ mix(of)) & ((1 << level) - 1)
}

impl<L: Load> Load for Sampled<L> {
    fn events(&mut self, sink: &mut dyn FnMut(Event<'_>) -> ControlFlow<()>) -> Result<(), LoadError> {
        let sampler = &mut self.sampler;
        self.load.events(&mut |event| match sampler.weight(&event) {
            Some(weight) => sink(Event { weight: event.weight.saturating_mul(weight), ..event }),
            None => ControlFlow::Continue(()),
        })
    }
}
