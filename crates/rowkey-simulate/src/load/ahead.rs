//! A load that is made on a thread of its own, ahead of what takes its events.

use std::ops::ControlFlow;
use std::sync::mpsc;
use std::thread;

use super::{Load, LoadError};
use crate::event::{Event, Most, Op};

/// The events that are handed over together, and the number of such blocks that may wait.
const BLOCK: usize = 4096;
const WAITING: usize = 4;

/// Another load, whose events are made while those before are taken: the same ones in the same order.
#[derive(Debug)]
pub struct Ahead<L>(pub L);

/// Events, and the bytes of their keys.
#[derive(Debug, Default)]
pub(super) struct Block {
    bytes: Vec<u8>,
    events: Vec<Kept>,
}

/// An event whose keys are the next bytes of its block.
#[derive(Debug)]
struct Kept {
    t_ms: u64,
    batch: u64,
    op: KeptOp,
    key_len: usize,
    bytes: u64,
    weight: u64,
}

#[derive(Clone, Copy, Debug)]
enum KeptOp {
    Put,
    Delete,
    Get,
    Scan { end_len: Option<usize>, limit: Option<u64>, reverse: bool, few: Option<u64>, most: Option<Most> },
}

impl Block {
    fn cleared(mut self) -> Self {
        self.bytes.clear();
        self.events.clear();
        self
    }

    pub(super) fn push(&mut self, event: Event<'_>) {
        let Event { t_ms, batch, op, key, bytes, weight } = event;
        self.bytes.extend_from_slice(key);
        let op = match op {
            Op::Put => KeptOp::Put,
            Op::Delete => KeptOp::Delete,
            Op::Get => KeptOp::Get,
            Op::Scan { end, limit, reverse, few, most } => {
                self.bytes.extend_from_slice(end.unwrap_or_default());
                KeptOp::Scan { end_len: end.map(<[u8]>::len), limit, reverse, few, most }
            }
        };
        self.events.push(Kept { t_ms, batch, op, key_len: key.len(), bytes, weight });
    }

    pub(super) fn len(&self) -> usize {
        self.events.len()
    }

    pub(super) fn events(&self) -> impl Iterator<Item = Event<'_>> {
        let mut rest = &self.bytes[..];
        let mut take = move |len: usize| {
            let (taken, left) = rest.split_at(len);
            rest = left;
            taken
        };
        self.events.iter().map(move |kept| {
            let Kept { t_ms, batch, op, key_len, bytes, weight } = *kept;
            let key = take(key_len);
            let op = match op {
                KeptOp::Put => Op::Put,
                KeptOp::Delete => Op::Delete,
                KeptOp::Get => Op::Get,
                KeptOp::Scan { end_len, limit, reverse, few, most } => {
                    Op::Scan { end: end_len.map(&mut take), limit, reverse, few, most }
                }
            };
            Event { t_ms, batch, op, key, bytes, weight }
        })
    }
}

impl<L: Load + Send> Load for Ahead<L> {
    fn events(&mut self, sink: &mut dyn FnMut(Event<'_>) -> ControlFlow<()>) -> Result<(), LoadError> {
        let load = &mut self.0;
        thread::scope(|scope| {
            let (sender, blocks) = mpsc::sync_channel(WAITING);
            // Blocks that were taken come back, and are filled again.
            let (taken, empty) = mpsc::channel::<Block>();
            let made = scope.spawn(move || {
                let mut block = Block::default();
                let made = load.events(&mut |event| {
                    block.push(event);
                    if block.events.len() < BLOCK {
                        return ControlFlow::Continue(());
                    }
                    // Nobody takes more, if it can't be sent.
                    match sender.send(std::mem::replace(&mut block, empty.try_recv().unwrap_or_default())) {
                        Ok(()) => ControlFlow::Continue(()),
                        Err(_) => ControlFlow::Break(()),
                    }
                });
                let _ = sender.send(block);
                made
            });
            for block in blocks {
                if block.events().try_for_each(&mut *sink).is_break() {
                    return Ok(());
                }
                _ = taken.send(block.cleared());
            }
            made.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        })
    }
}
