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

/// A load whose events have the bytes of values alone, made one whose events have those of names too: a put that says
/// none has those of a row of the design.
pub(super) struct OfValues<'l> {
    pub(super) load: &'l mut dyn Load,
    pub(super) cells: u64,
    /// The bytes of the families and qualifiers of a put.
    pub(super) names: u64,
    /// The bytes of a row of the design.
    pub(super) row_bytes: u64,
}

impl Load for OfValues<'_> {
    fn events(&mut self, sink: &mut dyn FnMut(Event<'_>) -> ControlFlow<()>) -> Result<(), LoadError> {
        let (cells, names, row_bytes) = (self.cells, self.names, self.row_bytes);
        self.load.events(&mut |event| {
            let bytes = match (event.op, event.bytes) {
                (Op::Put, 0) => {
                    row_bytes.saturating_sub(cells.saturating_mul(CELL_FIXED.saturating_add(event.key.len() as u64)))
                }
                (Op::Put, values) => values.saturating_add(names),
                (_, bytes) => bytes,
            };
            sink(Event { bytes, ..event })
        })
    }
}
