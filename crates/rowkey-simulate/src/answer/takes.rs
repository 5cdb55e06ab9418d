//! The writes and reads that one server takes.

use rowkey_design::internal::cost::{ReadCost, WriteCost};

/// The writes and the reads a second that one server takes, and how they are counted.
#[derive(Clone, Copy, Debug)]
pub(super) struct Takes {
    pub(super) writes: f64,
    pub(super) reads: f64,
    pub(super) write_cost: WriteCost,
    pub(super) read_cost: ReadCost,
}

impl Takes {
    pub(super) const fn of(self, reads: bool) -> f64 {
        if reads { self.reads } else { self.writes }
    }

    /// The word for one of them.
    pub(super) fn word(self, reads: bool) -> &'static str {
        if reads { self.read_cost.word() } else { self.write_cost.word() }
    }
}
