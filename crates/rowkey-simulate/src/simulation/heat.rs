//! The heat of hashes: what each small part of them is asked for, and where what is hot is divided.

use super::places::{HASH, Places};
use crate::cluster::ClusterOptions;
use crate::event::{Event, Op};
use crate::load::{Load, LoadError};
use crate::run::Key;

/// The parts of the hashes that are told apart.
const BITS: u32 = 20;
const PARTS: usize = 1 << BITS;

/// The events of a part that are no chance, and the part of what a partition takes that is heavy if it has so many.
const EVENTS: f64 = 16.0;
const HEAVY: f64 = 1.0 / 64.0;

/// The part of what it takes that a partition of several values is asked for at most, and what matters to none.
pub(super) const FULL: f64 = 0.8;
const TRACE: f64 = 1e-3;

/// Writes and reads, in parts of what a partition takes.
pub(super) type Both = [f64; 2];

/// The writes and reads that each part of the hashes is asked for.
pub(super) struct Heat<'o, 'd> {
    places: Places<'d>,
    options: &'o ClusterOptions,
    counts: Vec<Both>,
    all: Both,
    events: Both,
}

/// The parts of the hashes that are asked for much, in their order, and what all others are asked for together.
pub(super) struct Heavy {
    parts: Vec<(usize, Both)>,
    pub(super) others: Both,
    /// The most that one value of the others is asked for.
    pub(super) most: Both,
}

impl<'o, 'd> Heat<'o, 'd> {
    pub(super) fn new(places: Places<'d>, options: &'o ClusterOptions) -> Self {
        Self { places, options, counts: vec![[0.0; 2]; PARTS], all: [0.0; 2], events: [0.0; 2] }
    }

    /// That of all events of a load.
    pub(super) fn of(mut self, load: &mut dyn Load) -> Result<Self, LoadError> {
        load.events(&mut |event| {
            self.count(&event);
            std::ops::ControlFlow::Continue(())
        })?;
        Ok(self)
    }

    /// Counts an event. What reads several partitions side by side heats none more than others.
    pub(super) fn count(&mut self, event: &Event<'_>) {
        let (reads, cost) = match event.op {
            Op::Put | Op::Delete => {
                let bytes = self.options.bytes_written(event, event.key.len() as u64);
                (0, self.options.write_cost.of_row(bytes as f64))
            }
            Op::Get => (1, self.options.read_cost.of_range(1.0)),
            Op::Scan { limit, few, .. } => {
                let rows = [limit, few].into_iter().flatten().min();
                (1, self.options.read_cost.of_range(rows.unwrap_or(1) as f64))
            }
        };
        let hash = match event.op {
            Op::Scan { end, .. } => self.places.range(event.key, end).map(|(start, _)| start),
            _ => Some(self.places.of_key(event.key)),
        };
        let count = event.weight as f64 * cost;
        self.all[reads] += count;
        self.events[reads] += 1.0;
        let part = hash.and_then(|hash| Some(u32::from_be_bytes(*hash.first_chunk::<HASH>()?) >> (u32::BITS - BITS)));
        if let Some(part) = part {
            self.counts[part as usize][reads] += count;
        }
    }

    /// The heavy parts of a load that asks for so much; of one all of whose events are known, all parts.
    pub(super) fn heavy(&self, asked: Both, is_whole: bool) -> Heavy {
        let of = |reads: usize, count: f64| if count > 0.0 { asked[reads] * count / self.all[reads] } else { 0.0 };
        let least = [0, 1].map(|reads| match is_whole {
            true => 0.0,
            false => HEAVY.max(asked[reads] * EVENTS / self.events[reads].max(1.0)),
        });
        let parts = self.counts.iter().enumerate().map(|(at, count)| (at, [0, 1].map(|reads| of(reads, count[reads]))));
        let parts: Vec<(usize, Both)> =
            parts.filter(|(_, asked)| (0..2).any(|reads| asked[reads] > least[reads])).collect();
        let others = [0, 1].map(|reads| {
            let heavy: f64 = parts.iter().map(|(_, asked)| asked[reads]).sum();
            (asked[reads] - heavy).max(0.0)
        });
        Heavy { parts, others, most: least.map(|least| 2.0 * least) }
    }
}

impl Heavy {
    /// The split points that divide so many even ranges of hashes: none is then asked for more than it takes, but
    /// for one that a value alone asks for so much.
    pub(super) fn cuts(&self, ranges: u32) -> Vec<Key> {
        let ranges = ranges.max(1) as usize;
        let start = |range: usize| range * PARTS / ranges;
        let mut rest = &self.parts[..];
        let mut cuts = Vec::new();
        for range in 0..ranges {
            let (own, after) = rest.split_at(rest.partition_point(|(at, _)| *at < start(range + 1)));
            rest = after;
            self.cut(start(range), start(range + 1), own, &mut cuts);
        }
        cuts.into_iter().map(|at| Key(((at as u32) << (u32::BITS - BITS)).to_be_bytes().to_vec())).collect()
    }

    /// The cuts within a range that has these heavy parts: before one that is too much beside what comes before it, or
    /// right after that.
    fn cut(&self, start: usize, end: usize, parts: &[(usize, Both)], cuts: &mut Vec<usize>) {
        let light = |from: usize, to: usize| self.others.map(|all| all * to.saturating_sub(from) as f64 / PARTS as f64);
        let (mut from, mut after, mut load) = (start, start, [0.0; 2]);
        for &(at, asked) in parts {
            if is_full(sum(load, asked), light(from, at + 1)) {
                if after > from && is_hot(load, light(from, at)) {
                    cuts.push(after);
                    from = after;
                }
                if at > from && (after > from || is_hot(asked, light(from, at))) {
                    cuts.push(at);
                }
                (from, load) = (at, [0.0; 2]);
            }
            (load, after) = (sum(load, asked), at + 1);
        }
        if after > from && after < end && is_hot(load, light(from, end)) {
            cuts.push(after);
        }
    }
}

fn sum(a: Both, b: Both) -> Both {
    [a[0] + b[0], a[1] + b[1]]
}

/// True if several values, and those between them, are too much for one partition.
fn is_full(heavy: Both, light: Both) -> bool {
    sum(heavy, light).into_iter().any(|asked| asked > FULL)
}

/// True if what lies beside heavy values is too much, and is worth a partition of its own.
fn is_hot(heavy: Both, light: Both) -> bool {
    (0..2).any(|of| heavy[of] + light[of] > FULL && light[of] > TRACE)
}
