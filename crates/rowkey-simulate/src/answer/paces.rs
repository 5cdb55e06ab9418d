//! The rates at which a table is asked: by the pace that its design declares, as far as the events bear it out.

use crate::chance::most_above;
use crate::recording::Run;
use crate::run::Server;

/// The rates of a run, of its writes or its reads.
pub(super) struct Paces<'r> {
    run: &'r Run,
    reads: bool,
    /// For each interval the rows written, or the reads, for each that the pace says; none where there is no pace.
    times: Vec<Option<f64>>,
}

impl<'r> Paces<'r> {
    pub(super) fn of(run: &'r Run, reads: bool) -> Self {
        let of = |server: &Server| if reads { server.reads } else { server.writes };
        let counts = run.intervals.iter().enumerate().map(|(at, interval)| {
            let counted: f64 = interval.servers.iter().map(|server| of(server) as f64).sum();
            let paced = run.pace.between(reads, seconds(run.begins_ms(at)), seconds(interval.t_ms))?;
            let events = run.chance(interval, reads).servers(interval, reads).events();
            Some((counted, paced, counted / events.unwrap_or(counted).max(1.0)))
        });
        let counts: Vec<_> = counts.collect();
        let [all, paced] = counts.iter().flatten().fold([0.0; 2], |[a, b], (c, d, _)| [a + c, b + d]);
        let mean = if paced > 0.0 { all / paced } else { 0.0 };
        let samples = counts.len() as f64;
        let time = |(counted, paced, each): (f64, f64, f64)| {
            let (expected, apart) = (mean * paced / each, (counted - mean * paced).abs() / each);
            if apart <= most_above(expected, samples) { mean } else { counted / paced }
        };
        let times = counts.into_iter().map(|of| of.map(time).filter(|times| times.is_finite()));
        Self { run, reads, times: times.collect() }
    }

    /// The rate between two times, in the interval at this place; none if it is known by counting alone.
    pub(super) fn at(&self, interval: usize, from_ms: u64, to_ms: u64) -> Option<f64> {
        let times = self.times.get(interval).copied().flatten()?;
        let (from, to) = (seconds(from_ms), seconds(to_ms));
        Some(times * self.run.pace.between(self.reads, from, to)? / (to - from))
    }

    /// The highest rate between two times; the mean where it is not known what goes with what.
    pub(super) fn most(&self, interval: usize, from_ms: u64, to_ms: u64) -> Option<f64> {
        let mean = self.at(interval, from_ms, to_ms)?;
        let times = self.times.get(interval).copied().flatten()?;
        Some(self.run.pace.most(self.reads, seconds(from_ms), seconds(to_ms)).map_or(mean, |most| times * most))
    }

    /// The part of the time between two times in which the rate is more than a limit.
    pub(super) fn above(&self, interval: usize, from_ms: u64, to_ms: u64, limit: f64) -> f64 {
        let Some(mean) = self.at(interval, from_ms, to_ms) else { return 0.0 };
        let times = self.times.get(interval).copied().flatten().unwrap_or(0.0);
        let above = self.run.pace.above(self.reads, seconds(from_ms), seconds(to_ms), limit / times);
        above.unwrap_or_else(|| f64::from(u8::from(mean > limit)))
    }
}

fn seconds(ms: u64) -> f64 {
    ms as f64 / 1000.0
}
