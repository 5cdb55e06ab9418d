//! The rate of a run.

use super::Run;
use crate::run::Server;

/// The rate of all servers of a run together, a second.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ran {
    pub(crate) mean: f64,
    pub(crate) peak: f64,
}

impl Ran {
    /// That of the rows written.
    pub(crate) fn of_writes(run: &Run) -> Self {
        Self::of(run, |server| server.writes, false)
    }

    /// That of the reads.
    pub(crate) fn of_reads(run: &Run) -> Self {
        Self::of(run, |server| server.reads, true)
    }

    /// The mean is of the time whose counts are known. The peak is of intervals, each by its own length; a short part
    /// of one has what chance puts in few seconds.
    fn of(run: &Run, of: fn(&Server) -> u64, reads: bool) -> Self {
        let rows = run.intervals.iter().map(|interval| interval.servers.iter().map(|server| of(server) as f64).sum());
        let rows: Vec<f64> = rows.collect();
        let mean = rows.iter().sum::<f64>() * run.extension(reads) / run.seconds().max(f64::MIN_POSITIVE);
        let each = rows.iter().zip(run.lengths()).map(|(rows, length_ms)| rows / (length_ms as f64 / 1000.0));
        let peak = each.fold(0.0, f64::max);
        Self { mean, peak: peak.max(mean) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::{Interval, Settings};

    fn ran(counts: &[(u64, u64)]) -> [f64; 2] {
        let interval = |(t_ms, writes): &(u64, u64)| {
            let servers = vec![Server { writes: *writes, ..Server::default() }];
            Interval { t_ms: *t_ms, regions: Vec::new(), servers }
        };
        let settings = Settings { interval_ms: 5000, ..Settings::default() };
        let run = Run { intervals: counts.iter().map(interval).collect(), ..Run::new(settings) };
        let Ran { mean, peak } = Ran::of_writes(&run);
        [mean, peak]
    }

    #[test]
    fn a_last_interval_that_is_shorter_is_taken_as_long_as_it_is() {
        assert_eq!(ran(&[(5000, 500), (10_000, 700)]), [120.0, 140.0]);
        assert_eq!(ran(&[(5000, 500), (6000, 100)]), [100.0, 100.0]);
        // Half a second is no peak, but counts.
        assert_eq!(ran(&[(5000, 500), (10_000, 500), (10_500, 260)]), [120.0, 120.0]);
        assert_eq!(ran(&[(2000, 300)]), [150.0, 150.0]);
        assert_eq!(ran(&[(5000, 500), (9000, 800)])[1].to_bits(), 200.0_f64.to_bits());
        assert_eq!(ran(&[]), [0.0, 0.0]);
    }
}
