//! Events of a put as the cluster counts them, which adds a key and fixed bytes to each cell.

use std::ops::ControlFlow;

use crate::cluster::CELL_FIXED;
use crate::event::{Event, Op};
use crate::load::{Load, LoadError};

/// A load whose events have the bytes of all cells, but for the key and the fixed bytes of the first one. The cluster
/// adds these for each.
pub(super) struct Cells<'l> {
    pub(super) load: &'l mut dyn Load,
    /// The cells after the first.
    pub(super) more: u64,
}

impl Load for Cells<'_> {
    fn events(&mut self, sink: &mut dyn FnMut(Event<'_>) -> ControlFlow<()>) -> Result<(), LoadError> {
        let more = self.more;
        self.load.events(&mut |event| {
            let added = more.saturating_mul(CELL_FIXED.saturating_add(event.key.len() as u64));
            sink(Event { bytes: event.bytes.saturating_sub(added), ..event })
        })
    }
}

/// A load whose events have the bytes of values alone: a put that says none has those of a row of the design.
pub(super) struct Unsaid<'l> {
    pub(super) load: &'l mut dyn Load,
    pub(super) cells: u64,
    /// The bytes of a row of the design.
    pub(super) row_bytes: u64,
}

impl Load for Unsaid<'_> {
    fn events(&mut self, sink: &mut dyn FnMut(Event<'_>) -> ControlFlow<()>) -> Result<(), LoadError> {
        let (cells, row_bytes) = (self.cells, self.row_bytes);
        self.load.events(&mut |event| {
            if event.op != Op::Put || event.bytes > 0 {
                return sink(event);
            }
            let keys = cells.saturating_mul(CELL_FIXED.saturating_add(event.key.len() as u64));
            sink(Event { bytes: row_bytes.saturating_sub(keys), ..event })
        })
    }
}
