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
    /// The most events; where there are more rows and reads, each event stands for as many of them as are needed: an
    /// eighth of the events are of either, and of a query that runs seldom there are up to a thousandth besides. Keys
    /// that are put in their own order are held, up to so many.
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
    /// The rows, and the runs of queries, that an event stands for. Either has an eighth of the events, if it has so
    /// many.
    pub(super) fn weights(&self, rows: u64, runs: u64) -> (u64, u64) {
        let most = self.most.max(1);
        let all = u128::from(rows) + u128::from(runs);
        let part = (u128::from(most) * u128::from(runs)).checked_div(all).unwrap_or(0) as u64;
        let of_runs = part.max(runs.min(most / 8)).min(most - rows.min(most / 8));
        (rows.div_ceil((most - of_runs).max(1)).max(1), runs.div_ceil(of_runs.max(1)).max(1))
    }
}
