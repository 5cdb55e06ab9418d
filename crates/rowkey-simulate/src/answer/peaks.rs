//! The most that a server is asked for: in steps, which are short, and in intervals, which have more events.

use super::layouts;
use super::paces::Paces;
use super::shares::{Share, Shares};
use super::span::{Expected, Span, seconds};
use crate::chance::added_by_chance;
use crate::recording::{Busiest, Run, Step};
use crate::run::{Interval, Saturation, Server, timed};

/// The standard deviations of a sample that are chance, of intervals; and of steps, of which there are a thousand.
const OF_INTERVALS: f64 = 3.0;
const OF_STEPS: f64 = 4.0;

/// The beginning is one in so many of the steps with a load, and so is the end.
const BEGINNING: usize = 10;

/// A table takes less at first if it is less than this part of what it takes later.
pub(super) const LESS: f64 = 0.8;

/// The steps of a run and its intervals; the intervals twice where it has no steps.
pub(super) struct Peaks<'r> {
    known: Known<'r>,
    steps: Vec<Span>,
    intervals: Vec<Span>,
}

/// The rates and shares that spans are found by.
struct Known<'r> {
    run: &'r Run,
    shares: &'r [Shares<'r>; 2],
    paces: [Paces<'r>; 2],
    /// The part of the unevenness of servers in intervals that is more than chance.
    uneven: [f64; 2],
}

impl<'r> Known<'r> {
    fn of(run: &'r Run, shares: &'r [Shares<'r>; 2]) -> Self {
        let both = [false, true];
        Self {
            run,
            shares,
            paces: both.map(|reads| Paces::of(run, reads)),
            uneven: both.map(|reads| uneven(run, reads)),
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
        for ((counted, expected), shares) in counted.iter_mut().zip(&mut expected).zip(self.shares) {
            let share = self.run.intervals.get(at).and_then(|interval| shares.at(interval));
            let moving = share.and_then(|share| share.moving).map_or(0.0, |moving| moving.part);
            counted.rows = counted.rows.max((counted.all as f64 * moving).round() as u64);
            expected.server = if expected.sure.is_some() { expected.server } else { counted.server };
        }
        Span { at, t_ms, length_ms, counted, expected, chance, samples }
    }

    fn expected(&self, at: usize, (t_ms, length_ms): (u64, u64), counted: &Busiest, reads: bool) -> Expected {
        let of = usize::from(reads);
        let counting = counted.all as f64 / seconds(length_ms);
        let paced = self.paces[of].most(at, t_ms.saturating_sub(length_ms), t_ms);
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
            (Some(begins), _) => begins.server.share,
            (None, Some(_)) => share.server.share,
            (None, None) => {
                let mean = 1.0 / f64::from(self.run.settings.servers.max(1));
                mean + self.uneven[of] * (self.counted_share(at, reads) - mean)
            }
        };
        let (part, known) = match share.moving.filter(|moving| moving.part > part) {
            Some(moving) => (moving.part, paced.and(moving.events)),
            None => (part, known),
        };
        let sure = known.map(|events| 1.0 - added_by_chance(part, events, shares.windows as f64));
        // Of scans of all no part is chance.
        let sure = sure.or(is_paced.then_some(1.0));
        let server = u32::try_from(begins.map_or(share.server, |begins| begins.server).at).unwrap_or(u32::MAX);
        Expected { server, rate: rate * part, part, sure, is_paced }
    }

    /// The part of a span in which the declared rate is more than is taken.
    fn over(&self, span: &Span, takes: f64, reads: bool) -> f64 {
        let Expected { part, sure, .. } = *span.expected(reads);
        let limit = takes / (part * sure.unwrap_or(0.0));
        self.paces[usize::from(reads)].above(span.at, span.begins_ms(), span.t_ms, limit)
    }

    /// True if regions were split, or moved, in the run.
    fn is_split(&self) -> bool {
        !self.run.splits.is_empty() || !self.run.moves.is_empty()
    }

    /// True of an interval with all events of the load, which are no sample.
    fn is_whole(&self, at: usize, t_ms: u64, length_ms: u64) -> bool {
        let is_interval = self.run.intervals.get(at).is_some_and(|interval| interval.t_ms == t_ms);
        is_interval && self.run.begins_ms(at) + length_ms == t_ms && self.run.settings.rows_per_event.is_none()
    }

    /// The part that the busiest server has in an interval.
    fn counted_share(&self, at: usize, reads: bool) -> f64 {
        let counts =
            self.run.intervals.get(at).map(|interval| of_interval(self.run, interval, reads)).unwrap_or_default();
        if counts.all > 0 { counts.rows as f64 / counts.all as f64 } else { 0.0 }
    }
}

/// True if a declared load at its highest rate is not too much for the servers that it is on at the end. So it does not
/// depend on how near the time of the splits is to any part of the run.
fn is_calm(active: &[&Span], takes: f64, reads: bool) -> bool {
    let expected = || active.iter().map(|span| span.expected(reads));
    let all = expected().filter(|expected| expected.part > 0.0).map(|expected| expected.rate / expected.part);
    let last = active.len() - active.len().div_ceil(BEGINNING);
    let part = expected().skip(last).map(|expected| expected.part * expected.sure.unwrap_or(1.0)).fold(0.0, f64::max);
    expected().all(|expected| expected.is_paced) && all.fold(0.0, f64::max) * part <= takes
}

/// True if what saturates in some of the steps is over in the last tenth of them, and does not come again after a tenth
/// without it.
fn is_once(over: &[bool]) -> bool {
    let tenth = over.len().div_ceil(BEGINNING).max(1);
    let first = over.iter().position(|over| *over).unwrap_or(over.len());
    let calm = over.get(first..).and_then(|later| later.windows(tenth).position(|of| !of.contains(&true)));
    calm.is_some_and(|calm| !over[first + calm..].contains(&true))
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

impl<'r> Peaks<'r> {
    pub(super) fn of(run: &'r Run, shares: &'r [Shares<'r>; 2]) -> Self {
        let known = Known::of(run, shares);
        let interval = |(interval, from_ms, _): (&Interval, u64, f64)| {
            let counted = [false, true].map(|reads| of_interval(run, interval, reads));
            let length_ms = interval.t_ms.saturating_sub(from_ms).max(1);
            known.span((interval.t_ms, length_ms), counted, OF_INTERVALS, run.intervals.len())
        };
        let intervals: Vec<Span> = timed(&run.intervals).map(interval).collect();
        let step_ms = run.steps.first().map_or(1, |step| step.t_ms.max(1));
        let end_ms = run.intervals.last().map_or(u64::MAX, |last| last.t_ms);
        let step = |step: &Step| {
            // The last one is as long as the run goes on.
            let from_ms = step.t_ms.saturating_sub(step_ms);
            let t_ms = step.t_ms.min(end_ms).max(from_ms + 1);
            known.span((t_ms, t_ms - from_ms), [step.writes, step.reads], OF_STEPS, run.steps.len())
        };
        let steps: Vec<Span> = run.steps.iter().map(step).collect();
        let steps = if steps.is_empty() { intervals.clone() } else { steps };
        Self { known, steps, intervals }
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
            let first = self.intervals.partition_point(|interval| interval.t_ms <= step.begins_ms());
            let around = self.intervals[first..].iter();
            let around = around.take_while(|interval| interval.begins_ms() < step.t_ms);
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

    /// The part of all that a server has when it is asked for most, where the rate is the declared one.
    pub(super) fn part_of_most(&self, reads: bool) -> Option<f64> {
        let expected = self.steps.iter().chain(&self.intervals).map(|span| span.expected(reads));
        let most = expected.filter(|expected| expected.is_paced).max_by(|a, b| a.rate.total_cmp(&b.rate));
        most.map(|most| most.part)
    }

    /// The expected load of each interval that has one.
    pub(super) fn of_intervals(&self, reads: bool) -> impl Iterator<Item = (&Share<'r>, &Expected)> {
        let shares = &self.known.shares[usize::from(reads)];
        let intervals = self.known.run.intervals.iter().zip(&self.intervals);
        intervals.filter_map(move |(interval, span)| Some((shares.at(interval)?, span.expected(reads))))
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
        // Of a load of one step alone nothing tells if it passes.
        let over_in: Vec<bool> = active.iter().map(is_over).collect();
        let is_short = active.len() > 1 && !over_in[active.len().div_ceil(BEGINNING)..].contains(&true);
        let over = |step: &Span| match step.expected(reads).is_paced {
            true => self.known.over(step, takes, reads),
            false => f64::from(u8::from(is_over(&step))),
        };
        let [over, all] = self.steps.iter().fold([0.0; 2], |[sum, all], step| {
            let seconds = seconds(step.length_ms);
            [sum + over(step) * seconds, all + seconds]
        });
        let server = if first.is_counted(takes, reads) { first.of(reads).server } else { first.expected(reads).server };
        Some(Saturation {
            reads,
            server,
            t_ms: first.t_ms,
            step_ms: first.length_ms,
            passes: is_short || self.known.is_split() && is_once(&over_in) && is_calm(&active, takes, reads),
            part: over / all,
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
