//! Scans of the whole table, as a region and a server count them: each has a share of every one.

/// The scans of the whole table so far.
#[derive(Debug, Default)]
pub(crate) struct Whole {
    /// Their number; and true after the first.
    pub(super) runs: u64,
    pub(super) is_scanned: bool,
    /// The reads of one, in hundredths.
    pub(super) reads: u64,
    /// The regions that have changed since the last one.
    pub(super) changed: Vec<usize>,
}

/// The reads of one scan of a region, or of a server.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Share {
    /// The reads, in hundredths.
    pub(super) reads: u64,
    pub(super) rows: u64,
    /// The scans that are counted.
    pub(super) seen: u64,
    /// The server that has the region's part.
    pub(super) server: usize,
}

impl Whole {
    /// The reads and the rows of the scans that a share has not counted.
    pub(crate) fn since(&self, share: &Share) -> [u64; 2] {
        [share.reads, share.rows].map(|each| each.saturating_mul(self.runs - share.seen))
    }

    pub(super) fn take(&self, share: &mut Share) -> [u64; 2] {
        let taken = self.since(share);
        share.seen = self.runs;
        taken
    }
}
