//! The most that a server is asked for: in steps, which are short, and in intervals, which have more events.

use super::takes::Takes;
use crate::chance::most_above;
use crate::recording::{Busiest, Run, Step};
use crate::run::{Interval, Saturation, Server};

/// The standard deviations of a sample that are chance, of intervals; and of steps, of which there are a thousand.
const OF_INTERVALS: f64 = 3.0;
const OF_STEPS: f64 = 4.0;

/// The beginning is one in so many of the steps with a load.
const BEGINNING: usize = 10;

/// The events that a share is known by.
const EVENTS: f64 = 30.0;

/// The busiest of several servers in one of a thousand steps has so many times more by chance than one has.
const OF_SEVERAL: f64 = 1.5;

/// A table takes less at first if it is less than this part of what it takes later.
const LESS: f64 = 0.8;

/// The busiest servers of a step or of an interval.
#[derive(Clone, Copy, Debug)]
struct Span {
    t_ms: u64,
    length_ms: u64,
    writes: Busiest,
    reads: Busiest,
    chance: f64,
    /// The samples among which one is the busiest: each server in each span.
    samples: f64,
}

impl Span {
    fn of_interval(interval: &Interval, length_ms: u64, weight: u64, samples: f64) -> Self {
        let busiest = |of: fn(&Server) -> u64| {
            let found = Busiest::of(interval.servers.iter().map(of), 0);
            Busiest { events: found.all / weight, ..found }
        };
        let [writes, reads] = [busiest(|server| server.writes), busiest(|server| server.reads)];
        Self { t_ms: interval.t_ms, length_ms, writes, reads, chance: OF_INTERVALS, samples }
    }

    const fn of_step(step: &Step, length_ms: u64, samples: f64) -> Self {
        Self { t_ms: step.t_ms, length_ms, writes: step.writes, reads: step.reads, chance: OF_STEPS, samples }
    }

    /// The span with the part that one server has at a moment, where it is another one from moment to moment.
    fn moving(mut self, parts: [Option<f64>; 2]) -> Self {
        for (busiest, part) in [&mut self.writes, &mut self.reads].into_iter().zip(parts) {
            busiest.rows = busiest.rows.max((busiest.all as f64 * part.unwrap_or(0.0)).round() as u64);
        }
        self
    }

    const fn of(&self, reads: bool) -> &Busiest {
        if reads { &self.reads } else { &self.writes }
    }

    fn seconds(&self) -> f64 {
        self.length_ms as f64 / 1000.0
    }

    fn rate(&self, reads: bool) -> f64 {
        self.of(reads).rows as f64 / self.seconds()
    }

    /// The rate that a server with this mean has at most by chance, where each event stands for so many rows.
    fn limit(&self, mean: f64, reads: bool) -> f64 {
        let Busiest { all, events, .. } = self.of(reads);
        let a_second = *all as f64 / (*events).max(1) as f64 / self.seconds();
        if a_second > 0.0 { mean + a_second * most_above(mean / a_second, self.samples) } else { mean }
    }

    /// The rate of the busiest server, of whose distance from the mean of servers this part is more than chance.
    fn rate_without(&self, chance: &Unchanced, reads: bool) -> f64 {
        let Busiest { rows, all, .. } = self.of(reads);
        let mean = *all as f64 / chance.servers;
        let told = (mean + chance.of(reads) * (*rows as f64 - mean)) / self.seconds();
        if self.rate(reads) > self.limit(told, reads) { self.rate(reads) } else { told }
    }

    /// True if more than `takes` are asked for, by more than chance.
    fn is_over(&self, takes: f64, reads: bool) -> bool {
        self.rate(reads) > self.limit(takes, reads)
    }
}

/// The part of the unevenness of servers in intervals that is more than chance.
struct Unchanced {
    servers: f64,
    writes: f64,
    reads: f64,
}

impl Unchanced {
    fn of_run(run: &Run) -> Self {
        let part = |reads| {
            let counted = run.intervals.iter().map(|interval| run.chance(interval, reads).servers(interval, reads));
            let [uneven, chance] =
                counted.map(|counted| counted.uneven()).fold([0.0; 2], |[a, b], [c, d]| [a + c, b + d]);
            if uneven > 0.0 { (1.0 - chance / uneven).max(0.0) } else { 1.0 }
        };
        Self { servers: f64::from(run.settings.servers.max(1)), writes: part(false), reads: part(true) }
    }

    const fn of(&self, reads: bool) -> f64 {
        if reads { self.reads } else { self.writes }
    }
}

/// The steps of a run and its intervals; the intervals twice where it has no steps.
pub(super) struct Peaks {
    steps: Vec<Span>,
    intervals: Vec<Span>,
    chance: Unchanced,
}

impl Peaks {
    pub(super) fn of(run: &Run) -> Self {
        let (length_ms, weight) = (run.settings.interval_ms.max(1), run.settings.rows_per_event.unwrap_or(1).max(1));
        let all: Vec<&Interval> = run.intervals.iter().collect();
        let parts = [false, true].map(|reads| run.moving_server(&all, reads));
        let samples = |spans: usize| spans as f64 * f64::from(run.settings.servers.max(1));
        let of_intervals = samples(run.intervals.len());
        let of_interval = |interval| Span::of_interval(interval, length_ms, weight, of_intervals).moving(parts);
        let intervals: Vec<Span> = run.intervals.iter().map(of_interval).collect();
        let step_ms = run.steps.first().map_or(1, |step| step.t_ms.max(1));
        let of_step = |step| Span::of_step(step, step_ms, samples(run.steps.len())).moving(parts);
        let steps: Vec<Span> = run.steps.iter().map(of_step).collect();
        let steps = if steps.is_empty() { intervals.clone() } else { steps };
        Self { steps, intervals, chance: Unchanced::of_run(run) }
    }

    /// The interval that the middle of a step is in.
    fn around(&self, step: &Span) -> Option<&Span> {
        let middle = step.t_ms.saturating_sub(step.length_ms / 2);
        let at = self.intervals.partition_point(|interval| interval.t_ms < middle);
        self.intervals.get(at).or(self.intervals.last())
    }

    /// The most rows a second that a server is asked for, without what chance has put on it: in an interval; or in a
    /// step, if that is more than chance.
    fn most_of(&self, reads: bool) -> f64 {
        let told = |interval: &Span| interval.rate_without(&self.chance, reads);
        let peaks = self.steps.iter().filter(|step| {
            let from_ms = step.t_ms.saturating_sub(step.length_ms);
            let first = self.intervals.partition_point(|interval| interval.t_ms <= from_ms);
            let around = self.intervals[first..].iter();
            let around = around.take_while(|interval| interval.t_ms.saturating_sub(interval.length_ms) < step.t_ms);
            let mean = around.map(told).fold(0.0, f64::max);
            step.rate(reads) > step.limit(mean, reads)
        });
        let peaks = peaks.map(|step| step.rate(reads));
        peaks.chain(self.intervals.iter().map(told)).fold(0.0, f64::max)
    }

    pub(super) fn most(&self) -> Takes {
        Takes { writes: self.most_of(false), reads: self.most_of(true) }
    }

    /// The first of the steps up to a span that is over, each of which is over too, be it by chance for itself.
    fn beginning<'s>(&'s self, over: &'s Span, takes: f64, reads: bool) -> &'s Span {
        let before = self.steps.iter().rev().skip_while(|step| step.t_ms > over.t_ms);
        before.take_while(|step| step.rate(reads) > takes).last().unwrap_or(over)
    }

    /// The first server that is asked for more writes, or reads, than it takes, by more than what chance has put on it.
    pub(super) fn saturation(&self, takes: f64, reads: bool) -> Option<Saturation> {
        let spans = self.steps.iter().chain(&self.intervals).filter(|span| span.is_over(takes, reads));
        let first = self.beginning(spans.min_by_key(|span| span.t_ms)?, takes, reads);
        let is_over = |step: &&Span| {
            step.is_over(takes, reads) || self.around(step).is_some_and(|interval| interval.is_over(takes, reads))
        };
        let active: Vec<&Span> = self.steps.iter().filter(|step| step.of(reads).all > 0).collect();
        Some(Saturation {
            reads,
            server: first.of(reads).server,
            t_ms: first.t_ms,
            step_ms: first.length_ms,
            passes: !active[active.len().div_ceil(BEGINNING)..].iter().any(is_over),
            part: self.steps.iter().filter(is_over).count() as f64 / self.steps.len() as f64,
            asked: self.most_of(reads),
            takes,
        })
    }

    /// The rows written a second that the table takes before a time, when they are most uneven; none if it is not much
    /// less than later, when the busiest server has this share.
    pub(super) fn at_first(&self, before_ms: u64, later: f64, takes: f64) -> Option<f64> {
        let spans = self.steps.iter().chain(&self.intervals).filter(|span| span.t_ms < before_ms);
        let shares = spans.filter_map(|span| {
            let Busiest { rows, all, events, .. } = span.writes;
            let (share, events) = (rows as f64 / all as f64, events as f64);
            let chance = OF_SEVERAL * span.chance * (later * (1.0 - later) / events).sqrt();
            (share * events >= EVENTS && share > later + chance).then_some(share)
        });
        let most = shares.fold(0.0, f64::max);
        (later < LESS * most).then(|| takes / most).filter(|rate| rate.is_finite())
    }
}
