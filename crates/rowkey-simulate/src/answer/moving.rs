//! A load that moves: the part that one server has at a moment, where it is another one at others.

use crate::recording::Run;
use crate::run::Interval;

/// The part that one server has at a moment.
#[derive(Clone, Copy, Debug)]
pub(super) struct Moving {
    pub(super) part: f64,
    /// The events that it is known by; none where the design says it.
    pub(super) events: Option<f64>,
}

/// The load that moves in each of these intervals, one after the other: it need not do so in all of them.
pub(super) fn moving(run: &Run, intervals: &[&Interval], reads: bool) -> Vec<Option<Moving>> {
    let said = run.at_once.filter(|_| !reads).map(|part| Moving { part, events: None });
    let greater = |counted: Option<Moving>| match (counted, said) {
        (Some(counted), Some(said)) if counted.part < said.part => Some(said),
        (counted, said) => counted.or(said),
    };
    counted(run, intervals, reads).into_iter().map(greater).collect()
}

/// Of a part of a run, the least part of the load that is no chance in so many pairs: in few a rare one is found often.
const MOST: f64 = 0.5;
const PAIRS: f64 = 30.0;

/// The same by what is counted: of as many intervals together as it moves in, which are halved until it does.
fn counted(run: &Run, intervals: &[&Interval], reads: bool) -> Vec<Option<Moving>> {
    let is_known = |part: &f64| {
        let pairs = intervals.iter().map(|interval| run.chance(interval, reads).apart[0].known()).sum::<f64>();
        intervals.len() == run.intervals.len() || *part > MOST && pairs >= PAIRS
    };
    if let Some(part) = run.moving_server(intervals, reads).filter(is_known) {
        let of = intervals.iter().map(|interval| run.chance(interval, reads).servers(interval, reads));
        let events = Some(of.filter_map(|counted| counted.events()).sum());
        return vec![Some(Moving { part, events }); intervals.len()];
    }
    if intervals.len() < 2 {
        return vec![None; intervals.len()];
    }
    let (before, after) = intervals.split_at(intervals.len() / 2);
    [before, after].map(|half| counted(run, half, reads)).concat()
}

/// The part of the load that one region has at a moment, where it is another one at others.
pub(super) fn moving_region(run: &Run, intervals: &[&Interval], reads: bool) -> Option<f64> {
    let said = run.at_once.filter(|_| !reads);
    [run.moving_region(intervals, reads), said].into_iter().flatten().reduce(f64::max)
}
