//! The most that a server is asked for: in steps, which are short, and in intervals, which have more events.

use super::layouts;
use super::paces::Paces;
use super::shares::Shares;
use crate::chance::{added_by_chance, most_above};
use crate::recording::{Busiest, Run};
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

/// A time and what the busiest server is asked for in it, of writes and of reads.
#[derive(Clone, Copy, Debug)]
struct Span {
    t_ms: u64,
    length_ms: u64,
    counted: [Busiest; 2],
    expected: [Expected; 2],
    chance: f64,
    /// The samples among which one is the busiest: each server in each span.
    samples: f64,
}

/// The rate that a server is asked for by what is known of the load around a time.
#[derive(Clone, Copy, Debug)]
struct Expected {
    server: u32,
    rate: f64,
    /// The server's part of the load.
    part: f64,
    /// The part of it that is more than chance in the load of several times; none where it is known by counting alone.
    sure: Option<f64>,
    /// True if the rate is the declared one: then nothing is told by counting events.
    is_paced: bool,
}

impl Span {
    const fn of(&self, reads: bool) -> &Busiest {
        &self.counted[reads as usize]
    }

    const fn expected(&self, reads: bool) -> &Expected {
        &self.expected[reads as usize]
    }

    fn rate(&self, reads: bool) -> f64 {
        self.of(reads).rows as f64 / seconds(self.length_ms)
    }

    /// The rate that a server with this mean has at most by chance, where each event stands for so many rows.
    fn limit(&self, mean: f64, reads: bool) -> f64 {
        let Busiest { all, events, .. } = self.of(reads);
        let a_second = *all as f64 / (*events).max(1) as f64 / seconds(self.length_ms);
        if a_second > 0.0 { mean + a_second * most_above(mean / a_second, self.samples) } else { mean }
    }

    /// The most that the busiest server is asked for: what is expected of it, or what is counted, if that is more than
    /// chance.
    fn most(&self, reads: bool) -> f64 {
        let Expected { rate: expected, is_paced, .. } = *self.expected(reads);
        let rate = self.rate(reads);
        if !is_paced && rate > self.limit(expected, reads) { rate.max(expected) } else { expected }
    }

    /// True if more than `takes` are asked for: by what is expected, or what is counted, by more than chance.
    fn is_over(&self, takes: f64, reads: bool) -> bool {
        let Expected { rate, sure, .. } = *self.expected(reads);
        sure.is_some_and(|sure| sure * rate > takes) || self.is_counted(takes, reads)
    }

    /// True if it is over, and a step in it too, as far as is known.
    fn is_over_in(&self, step: &Self, takes: f64, reads: bool) -> bool {
        let is_known = step.expected(reads).sure.is_some();
        if is_known { self.is_counted(takes, reads) } else { self.is_over(takes, reads) }
    }

    fn is_counted(&self, takes: f64, reads: bool) -> bool {
        let expected = self.expected(reads);
        // What is expected, and not too much, is not too much by chance.
        let least = if expected.sure.is_some() { takes.max(expected.rate) } else { takes };
        !expected.is_paced && self.rate(reads) > self.limit(least, reads)
    }

    /// The part of the writes that is more than chance, if it is so much more than another.
    fn share_above(&self, later: f64) -> Option<f64> {
        let Expected { part, sure, is_paced, .. } = *self.expected(false);
        if is_paced {
            return Some(part).filter(|part| sure.unwrap_or(0.0) * part > later);
        }
        let Busiest { rows, all, events, .. } = *self.of(false);
        let (share, events) = (rows as f64 / all as f64, events as f64);
        let chance = OF_SEVERAL * self.chance * (later * (1.0 - later) / events).sqrt();
        (share * events >= EVENTS && share > later + chance).then_some(share)
    }
}

fn seconds(ms: u64) -> f64 {
    ms as f64 / 1000.0
}

/// The steps of a run and its intervals; the intervals twice where it has no steps.
pub(super) struct Peaks {
    steps: Vec<Span>,
    intervals: Vec<Span>,
}

/// The rates and shares that spans are found by.
struct Known<'r> {
    run: &'r Run,
    shares: &'r [Shares<'r>; 2],
    paces: [Paces<'r>; 2],
    /// The part that one server has at a moment, where it is another one from moment to moment.
    moving: [Option<f64>; 2],
    /// The part of the unevenness of servers in intervals that is more than chance.
    uneven: [f64; 2],
    /// The events of the whole run.
    events: [f64; 2],
}

impl<'r> Known<'r> {
    fn of(run: &'r Run, shares: &'r [Shares<'r>; 2]) -> Self {
        let all: Vec<&Interval> = run.intervals.iter().collect();
        let both = [false, true];
        let moving = both.map(|reads| run.moving_server(&all, reads));
        Self {
            run,
            shares,
            paces: both.map(|reads| Paces::of(run, reads)),
            moving,
            uneven: both.map(|reads| uneven(run, reads)),
            events: both.map(|reads| events(run, reads)),
        }
    }

    /// A span with what is expected of it, by the interval that it is in.
    fn span(&self, (t_ms, length_ms): (u64, u64), counted: [Busiest; 2], chance: f64, spans: usize) -> Span {
        let samples = spans as f64 * f64::from(self.run.settings.servers.max(1));
        let middle = t_ms.saturating_sub(length_ms / 2);
        let at = self.run.intervals.partition_point(|interval| interval.t_ms < middle);
        let at = at.min(self.run.intervals.len().saturating_sub(1));
        let mut expected =
            [false, true].map(|reads| self.expected(at, (t_ms, length_ms), &counted[usize::from(reads)], reads));
        let mut counted = counted;
        for ((counted, expected), moving) in counted.iter_mut().zip(&mut expected).zip(self.moving) {
            counted.rows = counted.rows.max((counted.all as f64 * moving.unwrap_or(0.0)).round() as u64);
            expected.server = if expected.sure.is_some() { expected.server } else { counted.server };
        }
        Span { t_ms, length_ms, counted, expected, chance, samples }
    }

    fn expected(&self, at: usize, (t_ms, length_ms): (u64, u64), counted: &Busiest, reads: bool) -> Expected {
        let of = usize::from(reads);
        let counting = counted.all as f64 / seconds(length_ms);
        let paced = self.paces[of].at(at, t_ms.saturating_sub(length_ms), t_ms);
        let rate = paced.unwrap_or(counting);
        let shares = &self.shares[of];
        let is_paced = paced.is_some();
        let Some(share) = self.run.intervals.get(at).and_then(|interval| shares.at(interval)) else {
            return Expected { server: counted.server, rate: 0.0, part: 0.0, sure: None, is_paced };
        };
        let from_ms = t_ms.saturating_sub(length_ms);
        let begins = share.begins.filter(|_| is_paced && layouts::is_as_before(self.run, at, from_ms));
        let known = match is_paced {
            true => share.pooled.or(share.events),
            false => share.pooled.filter(|_| self.is_whole(at, t_ms, length_ms)),
        };
        let part = match (begins, share.pooled) {
            (Some(begins), _) => begins.share,
            (None, Some(_)) => share.server.share,
            (None, None) => {
                let mean = 1.0 / f64::from(self.run.settings.servers.max(1));
                mean + self.uneven[of] * (self.counted_share(at, reads) - mean)
            }
        };
        let moving = self.moving[of].unwrap_or(0.0);
        let (part, known) = if moving > part { (moving, paced.map(|_| self.events[of])) } else { (part, known) };
        let sure = known.map(|events| 1.0 - added_by_chance(part, events, shares.windows as f64));
        // Of scans of all no part is chance.
        let sure = sure.or(is_paced.then_some(1.0));
        let server = u32::try_from(begins.unwrap_or(share.server).at).unwrap_or(u32::MAX);
        Expected { server, rate: rate * part, part, sure, is_paced }
    }

    /// True of an interval with all events of the load, which are no sample.
    fn is_whole(&self, at: usize, t_ms: u64, length_ms: u64) -> bool {
        let is_interval = self.run.intervals.get(at).is_some_and(|interval| interval.t_ms == t_ms);
        is_interval && self.run.settings.interval_ms == length_ms && self.run.settings.rows_per_event.is_none()
    }

    /// The part that the busiest server has in an interval.
    fn counted_share(&self, at: usize, reads: bool) -> f64 {
        let counts =
            self.run.intervals.get(at).map(|interval| of_interval(self.run, interval, reads)).unwrap_or_default();
        if counts.all > 0 { counts.rows as f64 / counts.all as f64 } else { 0.0 }
    }
}

fn events(run: &Run, reads: bool) -> f64 {
    let counted = run.intervals.iter().map(|interval| run.chance(interval, reads).servers(interval, reads));
    counted.filter_map(|counted| counted.events()).sum()
}

fn uneven(run: &Run, reads: bool) -> f64 {
    let counted = run.intervals.iter().map(|interval| run.chance(interval, reads).servers(interval, reads));
    let counted = counted.filter(|counted| counted.all() > 0.0);
    let squares = counted.map(|counted| (counted.uneven()[0], counted.of_chance()));
    let (uneven, chance) = squares.fold((0.0, 0.0), |(a, b), (c, d)| (a + c, b + d));
    if uneven > 0.0 { (1.0 - chance / uneven).max(0.0) } else { 1.0 }
}

fn of_interval(run: &Run, interval: &Interval, reads: bool) -> Busiest {
    let of = |server: &Server| if reads { server.reads } else { server.writes };
    let found = Busiest::of(interval.servers.iter().map(of), 0);
    let (all, squares) = (found.all as f64, run.chance(interval, reads).by_server);
    // What a call asks of one server counts as an event, where calls are known.
    let events = if squares > 0.0 { (all * all / squares).round() as u64 } else { found.all };
    Busiest { events, ..found }
}

impl Peaks {
    pub(super) fn of(run: &Run, shares: &[Shares<'_>; 2]) -> Self {
        let length_ms = run.settings.interval_ms.max(1);
        let known = Known::of(run, shares);
        let interval = |interval: &Interval| {
            let counted = [false, true].map(|reads| of_interval(run, interval, reads));
            known.span((interval.t_ms, length_ms), counted, OF_INTERVALS, run.intervals.len())
        };
        let intervals: Vec<Span> = run.intervals.iter().map(interval).collect();
        let step_ms = run.steps.first().map_or(1, |step| step.t_ms.max(1));
        let steps = run.steps.iter();
        let steps =
            steps.map(|step| known.span((step.t_ms, step_ms), [step.writes, step.reads], OF_STEPS, run.steps.len()));
        let steps: Vec<Span> = steps.collect();
        let steps = if steps.is_empty() { intervals.clone() } else { steps };
        Self { steps, intervals }
    }

    /// The interval that the middle of a step is in.
    fn around(&self, step: &Span) -> Option<&Span> {
        self.intervals.get(self.place(step)).or(self.intervals.last())
    }

    fn place(&self, step: &Span) -> usize {
        let middle = step.t_ms.saturating_sub(step.length_ms / 2);
        self.intervals.partition_point(|interval| interval.t_ms < middle)
    }

    /// The most rows a second that a server is asked for, without what chance has put on it: in an interval; or in a
    /// step, if that is more than chance.
    fn most_of(&self, reads: bool) -> f64 {
        let counted = self.steps.iter().filter(|step| !step.expected(reads).is_paced);
        let peaks = counted.filter(|step| {
            let from_ms = step.t_ms.saturating_sub(step.length_ms);
            let first = self.intervals.partition_point(|interval| interval.t_ms <= from_ms);
            let around = self.intervals[first..].iter();
            let around = around.take_while(|interval| interval.t_ms.saturating_sub(interval.length_ms) < step.t_ms);
            let mean = around.map(|interval| interval.most(reads)).fold(0.0, f64::max);
            step.rate(reads) > step.limit(mean, reads)
        });
        let known = self.steps.iter().filter(|step| step.expected(reads).sure.is_some());
        let peaks = peaks.map(|step| step.rate(reads)).chain(known.map(|step| step.expected(reads).rate));
        peaks.chain(self.intervals.iter().map(|interval| interval.most(reads))).fold(0.0, f64::max)
    }

    /// The most writes, and reads, a second that a server is asked for.
    pub(super) fn most(&self) -> [f64; 2] {
        [false, true].map(|reads| self.most_of(reads))
    }

    /// The most that all servers together are asked for in each interval; none of one in which none saturates.
    pub(super) fn of_all(&self, takes: f64, reads: bool) -> Vec<Option<f64>> {
        let mut most: Vec<Option<f64>> = vec![None; self.intervals.len()];
        let intervals = self.intervals.iter().enumerate();
        let steps = self.steps.iter().filter(|step| step.expected(reads).is_paced);
        let steps = steps.map(|step| (self.place(step), step));
        for (at, span) in intervals.chain(steps).filter(|(_, span)| span.is_over(takes, reads)) {
            let Expected { rate, part, .. } = *span.expected(reads);
            if let Some(most) = most.get_mut(at) {
                *most = Some(most.unwrap_or(0.0).max(rate / part));
            }
        }
        most
    }

    /// The first of the steps up to a span that is over, each of which is over too, be it by chance for itself.
    fn beginning<'s>(&'s self, over: &'s Span, takes: f64, reads: bool) -> &'s Span {
        let before = self.steps.iter().rev().skip_while(|step| step.t_ms > over.t_ms);
        let is_by_chance = |step: &Span| !step.expected(reads).is_paced && step.rate(reads) > takes;
        let is_over = |step: &&Span| step.is_over(takes, reads) || is_by_chance(step);
        before.take_while(is_over).last().unwrap_or(over)
    }

    /// The first server that is asked for more writes, or reads, than it takes, by more than what chance has put on it.
    pub(super) fn saturation(&self, takes: f64, reads: bool) -> Option<Saturation> {
        let spans = self.steps.iter().chain(&self.intervals).filter(|span| span.is_over(takes, reads));
        let first = self.beginning(spans.min_by_key(|span| span.t_ms)?, takes, reads);
        let is_over = |step: &&Span| {
            step.is_over(takes, reads)
                || self.around(step).is_some_and(|interval| interval.is_over_in(step, takes, reads))
        };
        let active: Vec<&Span> = self.steps.iter().filter(|step| step.of(reads).all > 0).collect();
        let asked = self.most_of(reads);
        let server = if first.is_counted(takes, reads) { first.of(reads).server } else { first.expected(reads).server };
        Some(Saturation {
            reads,
            server,
            t_ms: first.t_ms,
            step_ms: first.length_ms,
            passes: !active[active.len().div_ceil(BEGINNING)..].iter().any(is_over),
            part: self.steps.iter().filter(is_over).count() as f64 / self.steps.len() as f64,
            asked,
            takes,
        })
    }

    /// The rows written a second that the table takes before a time, when they are most uneven; none if it is not much
    /// less than later, when the busiest server has this share.
    pub(super) fn at_first(&self, before_ms: u64, later: f64, takes: f64) -> Option<f64> {
        let spans = self.steps.iter().chain(&self.intervals).filter(|span| span.t_ms < before_ms);
        let shares = spans.filter_map(|span| span.share_above(later));
        let most = shares.fold(0.0, f64::max);
        (later < LESS * most).then(|| takes / most).filter(|rate| rate.is_finite())
    }
}
