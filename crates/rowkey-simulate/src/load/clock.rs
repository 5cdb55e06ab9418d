//! The time at which each row of a write, or each run of a query, comes: as its rate goes.

use rowkey_design::internal::load::Rates;

/// The times of numbered events, evenly apart as the rate has them.
#[derive(Clone, Debug)]
pub(super) struct Clock {
    parts: Vec<Part>,
    /// The length of a period in seconds, and its number of events.
    seconds: f64,
    count: f64,
    /// True if the design says the rate.
    pub(super) is_declared: bool,
}

/// A part of a period.
#[derive(Clone, Copy, Debug)]
struct Part {
    /// Its beginning in seconds, and the number of events before it.
    start: f64,
    before: f64,
    seconds: f64,
    count: f64,
    from: f64,
    to: f64,
}

impl Part {
    fn slope(&self) -> f64 {
        (self.to - self.from) / self.seconds
    }

    /// The highest rate between two times of a period; 0 where it has nothing of them.
    fn most(&self, from: f64, to: f64) -> f64 {
        /// The seconds by which times are rounded.
        const ROUNDED: f64 = 1e-6;
        let (from, to) = ((from - self.start).max(0.0), (to - self.start).min(self.seconds));
        let rate = |within: f64| self.from + self.slope() * within;
        if to - from > ROUNDED { rate(from).max(rate(to)) } else { 0.0 }
    }

    /// The seconds before a time of a period in which the rate is above a limit.
    fn above(&self, time: f64, limit: f64) -> f64 {
        let within = (time - self.start).clamp(0.0, self.seconds);
        let slope = self.slope();
        if slope == 0.0 {
            return if self.from > limit { within } else { 0.0 };
        }
        let crosses = ((limit - self.from) / slope).clamp(0.0, within);
        if slope > 0.0 { within - crosses } else { crosses }
    }
}

impl Clock {
    /// That of a rate, so many times as fast.
    pub(super) fn of(rates: &Rates, times: f64) -> Self {
        let (mut seconds, mut count) = (0.0, 0.0);
        let mut part = |piece: rowkey_design::internal::load::Piece| {
            let (from, to) = (piece.from * times, piece.to * times);
            let of = piece.seconds * (from + to) / 2.0;
            let part = Part { start: seconds, before: count, seconds: piece.seconds, count: of, from, to };
            (seconds, count) = (seconds + piece.seconds, count + of);
            part
        };
        let parts = rates.period().into_iter().map(&mut part).collect();
        Self { parts, seconds, count, is_declared: true }
    }

    /// The same rate at all times, which is assumed.
    pub(super) fn steady(rate: f64) -> Self {
        let part = Part { start: 0.0, before: 0.0, seconds: 86_400.0, count: 86_400.0 * rate, from: rate, to: rate };
        Self { parts: vec![part], seconds: part.seconds, count: part.count, is_declared: false }
    }

    /// The shortest time, in seconds, in which the rate goes its own way; none if it is the same all the time.
    pub(super) fn shortest(&self) -> Option<f64> {
        let parts = self.parts.iter().map(|part| part.seconds);
        (self.parts.len() > 1).then(|| parts.fold(f64::INFINITY, f64::min))
    }

    /// The number of events before a time in seconds.
    pub(super) fn before(&self, time: f64) -> f64 {
        let periods = (time / self.seconds).floor();
        let rest = time - periods * self.seconds;
        let part = self.parts.iter().rev().find(|part| part.start <= rest).unwrap_or(&self.parts[0]);
        let within = (rest - part.start).clamp(0.0, part.seconds);
        let slope = part.slope();
        periods * self.count + part.before + part.from * within + slope * within * within / 2.0
    }

    /// The time in seconds after which the rate is as it was; none if it is the same all the time.
    pub(super) fn period(&self) -> Option<f64> {
        (self.parts.len() > 1).then_some(self.seconds)
    }

    /// The mean rate.
    pub(super) fn mean(&self) -> f64 {
        self.count / self.seconds
    }

    /// The highest rate between two times in seconds.
    pub(super) fn most(&self, from: f64, to: f64) -> f64 {
        let first = (from / self.seconds).floor();
        // One whole period has all rates.
        let periods = ((to / self.seconds).floor() - first).min(2.0) as u8;
        let begins = (0..=periods).map(|period| (first + f64::from(period)) * self.seconds);
        let rates = begins.flat_map(|begins| self.parts.iter().map(move |part| part.most(from - begins, to - begins)));
        rates.fold(0.0, f64::max)
    }

    /// The seconds between two times in which the rate is above a limit.
    pub(super) fn above(&self, from: f64, to: f64, limit: f64) -> f64 {
        let before = |time: f64| {
            let periods = (time / self.seconds).floor();
            let rest = time - periods * self.seconds;
            let within = |time: f64| self.parts.iter().map(|part| part.above(time, limit)).sum::<f64>();
            periods * within(self.seconds) + within(rest)
        };
        before(to) - before(from)
    }

    /// True if the rates of both go up and down together.
    pub(super) fn goes_as(&self, other: &Self) -> bool {
        let is_near = |a: f64, b: f64| (a - b).abs() <= 1e-9 * a.abs().max(b.abs());
        let is_as = |(own, of): (&Part, &Part)| {
            is_near(own.seconds, of.seconds)
                && is_near(own.from * other.count, of.from * self.count)
                && is_near(own.to * other.count, of.to * self.count)
        };
        self.parts.len() == other.parts.len() && self.parts.iter().zip(&other.parts).all(is_as)
    }

    /// The time of the k-th event, from 0, in seconds.
    pub(super) fn time_of(&self, k: u64) -> f64 {
        let periods = (k as f64 / self.count).floor();
        let rest = (k as f64 - periods * self.count).max(0.0);
        let ends = |part: &&Part| rest < part.before + part.count;
        let part = self.parts.iter().find(ends).or(self.parts.last());
        let Some(part) = part else { return 0.0 };
        let n = rest - part.before;
        let slope = part.slope();
        // The root of `from x + slope x² / 2 = n`. Square roots are the same on any machine.
        let root = (part.from * part.from + 2.0 * slope * n).max(0.0).sqrt();
        let within = if n > 0.0 { 2.0 * n / (part.from + root) } else { 0.0 };
        periods * self.seconds + part.start + within.min(part.seconds)
    }
}

/// The least time in which so many rows come.
pub(super) fn seconds_of(rows: u64, clocks: &[&Clock]) -> f64 {
    let come = |seconds: f64| clocks.iter().map(|clock| clock.before(seconds).ceil()).sum::<f64>() >= rows as f64;
    let (mut least, mut most) = (0.0, 1.0);
    // No time is longer than a double can count.
    while !come(most) && most < 1e15 {
        (least, most) = (most, 2.0 * most);
    }
    for _ in 0..64 {
        let middle = (least + most) / 2.0;
        if come(middle) { most = middle } else { least = middle }
    }
    most
}
