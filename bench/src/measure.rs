//! Passes, medians and ratios.
//!
//! In each pass every contender of a work runs once, in an order that goes round, for a batch of at least
//! [`Bench::batch`]. A contender's cost is the median of its passes; a ratio is the median of the passes' ratios, so
//! that what slows the machine for a while slows both sides of it. The clock is the thread's own, which stands while
//! another process has the core.

use std::hint::black_box;
use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};
use serde::{Deserialize, Serialize};

/// The contender whose goals are checked.
pub const OURS: &str = "rowkey";
/// The code that a careful engineer writes for the same bytes.
pub const BY_HAND: &str = "by hand";
/// As a goal's other side: the fastest of the work's peers.
pub const BEST_PEER: &str = "the best peer";

/// One thing to do, and everybody who does it.
pub struct Work<'a> {
    name: String,
    x: Option<u64>,
    units: usize,
    contenders: Vec<Contender<'a>>,
    goals: Vec<(&'static str, f64)>,
    /// So many times as many passes as others have.
    times: usize,
}

struct Contender<'a> {
    who: &'static str,
    is_peer: bool,
    /// Runs this many times.
    run: Box<dyn FnMut(u32) -> Duration + 'a>,
}

impl<'a> Work<'a> {
    /// The units of one run: keys, rows.
    pub fn new(name: impl Into<String>, units: usize) -> Self {
        Self { name: name.into(), x: None, units, contenders: Vec::new(), goals: Vec::new(), times: 1 }
    }

    /// A point of a curve.
    pub fn at(mut self, x: u64) -> Self {
        self.x = Some(x);
        self
    }

    /// So many times as many passes, where the system has a part in what is measured, and passes differ.
    pub fn passes(self, times: usize) -> Self {
        Self { times, ..self }
    }

    /// A contender.
    pub fn run<T>(self, who: &'static str, mut run: impl FnMut() -> T + 'a) -> Self {
        self.contender(who, move |times| timed(|| (0..times).for_each(|_| _ = black_box(run()))).0)
    }

    /// A contender that times itself, to leave out what comes before and after.
    pub fn timed(self, who: &'static str, mut run: impl FnMut() -> Duration + 'a) -> Self {
        self.contender(who, move |times| (0..times).map(|_| run()).sum())
    }

    fn contender(mut self, who: &'static str, run: impl FnMut(u32) -> Duration + 'a) -> Self {
        self.contenders.push(Contender { who, is_peer: false, run: Box::new(run) });
        self
    }

    /// A contender that counts for [`BEST_PEER`].
    pub fn peer<T>(self, who: &'static str, run: impl FnMut() -> T + 'a) -> Self {
        let mut work = self.run(who, run);
        work.contenders.last_mut().expect("one was pushed").is_peer = true;
        work
    }

    /// [`OURS`] takes at most `ratio` times as long.
    pub fn goal(mut self, against: &'static str, ratio: f64) -> Self {
        self.goals.push((against, ratio));
        self
    }
}

/// How long this thread runs for something, and what it gave: to be dropped when the clock has stopped.
pub fn timed<T>(run: impl FnOnce() -> T) -> (Duration, T) {
    let now = || {
        let now = clock_gettime(ClockId::ThreadCPUTime);
        Duration::new(now.tv_sec as u64, now.tv_nsec as u32)
    };
    let start = now();
    let result = run();
    (now() - start, result)
}

/// One line of the JSON: a contender's cost, or one goal of [`OURS`].
#[derive(Clone, Serialize, Deserialize)]
pub struct Line {
    pub work: String,
    pub who: String,
    /// Where on a curve.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub x: Option<u64>,
    /// Nanoseconds a unit: a key, a row.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ns: Option<f64>,
    /// Bytes a row, where that is what is measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bytes: Option<f64>,
    #[serde(flatten)]
    pub goal: Option<Goal>,
}

/// A goal, and whether it is met.
#[derive(Clone, Serialize, Deserialize)]
pub struct Goal {
    pub against: String,
    pub goal: f64,
    pub ratio: f64,
    pub met: bool,
}

impl Goal {
    pub fn new(against: impl Into<String>, goal: f64, ratio: f64) -> Self {
        Self { against: against.into(), goal, ratio, met: ratio <= goal }
    }
}

impl std::fmt::Display for Goal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { against, goal, ratio, met } = self;
        write!(f, "{ratio:.2} × {against} (goal {goal:.2}){}", if *met { "" } else { " NOT MET" })
    }
}

/// How to measure, and what was measured.
pub struct Bench {
    pub passes: usize,
    pub batch: Duration,
    pub only: Option<String>,
    /// Data sets are divided by this.
    pub shrink: usize,
    pub lines: Vec<Line>,
}

impl Bench {
    /// Whether a work of this name is to be measured.
    pub fn wants(&self, name: &str) -> bool {
        self.only.as_ref().is_none_or(|only| name.contains(only.as_str()))
    }

    /// A data set's size.
    pub fn size(&self, full: usize) -> usize {
        (full / self.shrink).max(16)
    }

    pub fn measure(&mut self, mut work: Work<'_>) {
        if !self.wants(&work.name) {
            return;
        }
        let costs = self.costs(&mut work);
        let cost = |i: usize| median(costs[i].iter().copied());
        let ratio = |i: usize, j: usize| median(costs[i].iter().zip(&costs[j]).map(|(a, b)| a / b));
        let mut lines = Vec::new();
        for (i, contender) in work.contenders.iter().enumerate() {
            let goals = if contender.who == OURS { work.goals.as_slice() } else { &[] };
            let line = Line {
                work: work.name.clone(),
                who: contender.who.to_owned(),
                x: work.x,
                ns: Some(cost(i)),
                bytes: None,
                goal: None,
            };
            if goals.is_empty() {
                lines.push(line.clone());
            }
            for &(against, most) in goals {
                let others = work.contenders.iter().enumerate();
                let others = others.filter(|(_, c)| c.who == against || (against == BEST_PEER && c.is_peer));
                let other = others.map(|(j, _)| j).min_by(|&a, &b| cost(a).total_cmp(&cost(b)));
                let other = other.expect("a goal is against a contender");
                let against = if against == BEST_PEER { work.contenders[other].who } else { against };
                lines.push(Line { goal: Some(Goal::new(against, most, ratio(i, other))), ..line.clone() });
            }
        }
        self.report(lines);
    }

    /// Each contender's nanoseconds a unit, pass by pass.
    fn costs(&self, work: &mut Work<'_>) -> Vec<Vec<f64>> {
        let contenders = &mut work.contenders;
        let runs: Vec<u32> = contenders
            .iter_mut()
            .map(|contender| {
                let shortest = (0..2).map(|_| (contender.run)(1)).min().unwrap_or_default();
                (self.batch.as_nanos() / shortest.as_nanos().max(1) + 1) as u32
            })
            .collect();
        let mut costs = vec![Vec::new(); contenders.len()];
        for pass in 0..self.passes * work.times {
            for turn in 0..contenders.len() {
                let i = (pass + turn) % contenders.len();
                let took = (contenders[i].run)(runs[i]);
                costs[i].push(took.as_secs_f64() * 1e9 / f64::from(runs[i]) / work.units as f64);
            }
        }
        costs
    }

    /// Shows the lines of one work and keeps them.
    pub fn report(&mut self, lines: Vec<Line>) {
        let mut last = "";
        for line in &lines {
            if last.is_empty() {
                println!("{}{}", line.work, line.x.map(|x| format!(", {x}")).unwrap_or_default());
            }
            let goal = line.goal.as_ref().map(Goal::to_string).unwrap_or_default();
            let cost = match (line.ns, line.bytes) {
                _ if last == line.who => String::new(),
                (Some(ns), _) => format!("{ns:.1} ns"),
                (None, bytes) => format!("{:.1} B", bytes.unwrap_or_default()),
            };
            let who = if last == line.who { "" } else { &line.who };
            println!("    {who:<24}{cost:>14}   {goal}");
            last = &line.who;
        }
        self.lines.extend(lines);
    }
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    if values.len() % 2 == 1 { values[middle] } else { (values[middle - 1] + values[middle]) / 2.0 }
}
