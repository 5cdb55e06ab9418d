//! The writes and reads that one server takes.

/// The rows written, and the reads, a second that one server takes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Takes {
    pub(super) writes: f64,
    pub(super) reads: f64,
}

impl Takes {
    pub(super) const fn of(self, reads: bool) -> f64 {
        if reads { self.reads } else { self.writes }
    }
}
