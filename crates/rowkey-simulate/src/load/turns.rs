//! The events of a drawn load, one after the other.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;
use std::ops::ControlFlow;

use super::drawn::{Does, Source};
use super::made::Made;
use super::puts::{Order, Put, millis};
use super::reads::Asked;
use super::{Drawn, Load, LoadError};
use crate::event::{Event, Op};

/// A source while its events are made.
struct Turn {
    next: u64,
    /// The keys, where they are put in their order.
    sorted: Vec<Vec<u8>>,
    asked: Asked,
}

/// The time of a source's next event. Of those at one time, the first of the design is first.
#[derive(Clone, Copy)]
struct Next {
    time: f64,
    source: usize,
}

impl Ord for Next {
    fn cmp(&self, other: &Self) -> Ordering {
        self.time.total_cmp(&other.time).then(self.source.cmp(&other.source))
    }
}

impl PartialOrd for Next {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Next {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Next {}

impl Load for Drawn<'_> {
    fn events(&mut self, sink: &mut dyn FnMut(Event<'_>) -> ControlFlow<()>) -> Result<(), LoadError> {
        let (mut turns, mut due) = (Vec::new(), BinaryHeap::new());
        for (number, source) in self.sources.iter().enumerate() {
            let sorted = match source.does {
                Does::Put(put, _) if self.puts.writes[put].order == Order::Key => self.sorted(put)?,
                _ => Vec::new(),
            };
            turns.push(Turn { next: 0, sorted, asked: Asked::default() });
            if source.count > 0 {
                due.push(Reverse(Next { time: source.clock.time_of(0), source: number }));
            }
        }
        let mut made =
            Made { sink, values: Vec::new(), key: Vec::new(), time: 0.0, batch: 0, weight: 1, has_given: false };
        while let Some(mut first) = due.peek_mut() {
            let Next { time, source: number } = first.0;
            let (source, turn) = (&self.sources[number], &mut turns[number]);
            made.time = time;
            if self.call(source, turn, &mut made)?.is_break() {
                return Ok(());
            }
            if turn.next < source.count {
                first.0.time = source.clock.time_of(turn.next);
            } else {
                PeekMut::pop(first);
            }
        }
        Ok(())
    }
}

impl Drawn<'_> {
    /// Gives the events of a source's next call.
    fn call(&self, source: &Source<'_>, turn: &mut Turn, made: &mut Made<'_>) -> Result<ControlFlow<()>, LoadError> {
        let rows = if source.reads() { 1 } else { self.rows_per_call };
        // A call of fewer rows than an event stands for is one event.
        for _ in 0..rows.div_ceil(source.weight) {
            made.weight = source.weight.min(source.count - turn.next);
            if self.event(source, turn, made)?.is_break() {
                return Ok(ControlFlow::Break(()));
            }
            turn.next += made.weight;
            if turn.next >= source.count {
                break;
            }
        }
        made.batch += u64::from(std::mem::take(&mut made.has_given));
        Ok(ControlFlow::Continue(()))
    }

    /// Gives what a source does next.
    fn event(&self, source: &Source<'_>, turn: &mut Turn, made: &mut Made<'_>) -> Result<ControlFlow<()>, LoadError> {
        let Self { rows, puts, .. } = self;
        let (k, bytes) = (turn.next, source.bytes);
        match &source.does {
            Does::Put(..) if !turn.sorted.is_empty() => {
                let Some(key) = turn.sorted.get((k / source.weight) as usize) else {
                    return Ok(ControlFlow::Continue(()));
                };
                made.key.clone_from(key);
                Ok(made.give_key(Op::Put, bytes))
            }
            Does::Put(put, reads) => {
                let row = puts.row(*put, k);
                if *reads && made.give(rows, row, Op::Get, 0)?.is_break() {
                    return Ok(ControlFlow::Break(()));
                }
                made.give(rows, row, Op::Put, bytes)
            }
            Does::Replace(put) => {
                let old = puts.chosen(None, made.time, puts.choice(u64::MAX, k));
                if let Some(old) = old
                    && made.give(rows, old, Op::Delete, 0)?.is_break()
                {
                    return Ok(ControlFlow::Break(()));
                }
                made.give(rows, puts.row(*put, k), Op::Put, bytes)
            }
            Does::Delete(any) => {
                let row = match any {
                    true => puts.chosen(None, made.time, puts.choice(u64::MAX - 1, k)),
                    false => puts.oldest(k, made.time),
                };
                row.map_or(Ok(ControlFlow::Continue(())), |row| made.give(rows, row, Op::Delete, 0))
            }
            Does::Read(reads, each) => {
                let (time, batch, weight) = (millis(made.time), turn.asked.batch(made.batch), made.weight);
                let left = (source.count - k).div_ceil(source.weight);
                let asked = (&mut turn.asked, *each, left);
                reads.run(asked, rows, puts, k, made.time, &mut |op, key, times| {
                    made.has_given = true;
                    (made.sink)(Event { t_ms: time, batch, op, key, bytes: 0, weight: weight.saturating_mul(times) })
                })
            }
        }
    }

    /// The keys of a write, in order.
    pub(super) fn sorted(&self, put: usize) -> Result<Vec<Vec<u8>>, LoadError> {
        let (mut values, mut keys) = (Vec::new(), Vec::new());
        let Put { count, weight, .. } = self.puts.writes[put];
        for k in (0..count).step_by(weight as usize) {
            let row = self.puts.row(put, k);
            if self.rows.has(row) {
                let mut key = Vec::new();
                self.rows.values(row, &mut values);
                self.rows.encode(&values, &mut key)?;
                keys.push(key);
            }
        }
        keys.sort_unstable();
        Ok(keys)
    }
}
