//! Options of a drawn load.

/// Options of a drawn load.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// The seed: another gives other rows of the same statistics.
    pub seed: u64,
    /// The length, in seconds.
    pub seconds: f64,
    /// The number of rows to put: it is as long as that takes, whatever `seconds` says.
    pub rows: Option<u64>,
    /// The most events of writes, and the most of reads: where there are more rows, or runs of queries, each event
    /// stands for as many of them as are needed, so that neither takes events from the other. Of a query that runs
    /// seldom there are up to a thousandth besides. Keys that are put in their own order are held, up to so many.
    pub most: u64,
    /// The rows of one call.
    pub rows_per_call: u64,
    /// All rates are so many times those of the design.
    pub times: f64,
    /// The part by which values are more uneven than the design says: 0.1 turns `zipf 1` to `zipf 1.1`.
    pub skew: f64,
    /// True if rows are written alone: no reads.
    pub writes_alone: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            seed: 0,
            seconds: 3600.0,
            rows: None,
            most: 1_000_000,
            rows_per_call: 1,
            times: 1.0,
            skew: 0.0,
            writes_alone: false,
        }
    }
}

impl Options {
    /// The rows, or the runs of queries, that an event stands for, where there are so many.
    pub(super) fn weight(&self, count: u64) -> u64 {
        count.div_ceil(self.most.max(1)).max(1)
    }
}
