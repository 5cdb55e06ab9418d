//! The actions of a batch on their way: which may be sent, and what comes of each.

use std::collections::HashMap;
use std::sync::Arc;

use rowkey_retry::Execution;
use tokio::time::Instant;

use super::action::{Action, Outcome};
use crate::model::error::{CallFault, Error, Reaction, Result};
use crate::model::region::Location;
use crate::ops::executor::nonce;
use crate::ops::retry::{RetryDecision, Told};

/// The most bytes of puts of one row that are sent as one.
const JOINED: usize = 256 << 10;

/// The number of groups in which actions that failed together are sent again: one alone may be to blame.
pub(super) const APART: usize = 16;

/// One action on its way, or several puts of a row: the first one of these.
pub(super) struct Step<'a> {
    pub(super) action: &'a Action,
    /// The action on the same row that goes after this one.
    then: Option<usize>,
    /// The put that goes with this one, as a part of it.
    pub(super) next: Option<usize>,
    pub(super) nonce: Option<u64>,
    /// Most actions have none.
    trouble: Option<Box<Trouble>>,
    pub(super) result: Option<Result<Outcome>>,
}

/// The state of an action to retry.
#[derive(Default)]
struct Trouble {
    /// The location to which it was first sent without a response.
    unanswered: Option<Arc<Location>>,
    /// The most actions, with this one, in one call.
    most: Option<usize>,
    /// True if its puts are to go in smaller groups.
    split: bool,
    /// True if its region refuses all puts: those that went together are not tried apart.
    with_all: bool,
    /// The last error that told more than that its time was over.
    told: Told,
}

/// Each action has a result in the end.
pub(super) fn result_of(result: Option<Result<Outcome>>) -> Result<Outcome> {
    result.unwrap_or_else(|| Err(Error::malformed("internal error: an action of a batch has no result")))
}

/// The failures of a round to retry.
#[derive(Default)]
pub(super) struct Failed {
    pub(super) errors: Vec<(usize, Error)>,
    pub(super) next: Option<RetryDecision>,
}

pub(super) type Doubted = HashMap<bytes::Bytes, (Arc<Location>, Instant)>;

impl Step<'_> {
    fn trouble(&mut self) -> &mut Trouble {
        self.trouble.get_or_insert_default()
    }

    /// The location to which it was first sent without a response.
    pub(super) fn unanswered(&self) -> Option<&Arc<Location>> {
        self.trouble.as_ref()?.unanswered.as_ref()
    }

    /// It may have been carried out there.
    pub(super) fn left_unanswered(&mut self, location: &Arc<Location>) {
        self.trouble().unanswered.get_or_insert_with(|| location.clone());
    }

    /// The most actions, with this one, in one call.
    pub(super) fn most(&self) -> usize {
        self.trouble.as_ref().and_then(|trouble| trouble.most).unwrap_or(usize::MAX)
    }

    /// One of `suspects` actions that failed together, of which one may take the others with it: they are sent apart.
    pub(super) fn suspect(&mut self, suspects: usize) {
        match suspects {
            0 | 1 => self.trouble().split = true,
            many => self.trouble().most = Some(self.most().min(many.div_ceil(APART))),
        }
    }

    /// It goes in a call of its own.
    pub(super) fn alone(&mut self) {
        self.trouble().most = Some(1);
    }

    /// Its region refuses all.
    pub(super) fn refused_with_all(&mut self) {
        self.trouble().with_all = true;
    }

    /// There is no other attempt.
    pub(super) fn give_up(&mut self, error: Error) {
        let attempts = error.attempts();
        self.result = Some(Err(self.trouble().told.instead_of(error).after(attempts)));
    }

    /// The execution so far: the action may have been carried out if a response is missing.
    fn execution(&self) -> Execution {
        Execution::new(self.action.idempotency()).or_may_have_executed(self.unanswered().is_some())
    }

    /// The decision after a fault of its call to a region.
    pub(super) fn decision(&self, fault: CallFault, location: &Location) -> RetryDecision {
        let next = RetryDecision::of_call(fault, &mut self.execution());
        next.map(|error| error.at(location, self.action.row()))
    }

    pub(super) fn failed(&mut self, at: usize, next: RetryDecision, failed: &mut Failed, attempts: u32) {
        let next = next.with_outcome(&self.execution());
        if next.delay.is_none() {
            return self.give_up(next.error.after(attempts));
        }
        failed.errors.push((at, next.error.clone()));
        self.trouble().told.note(&next.error);
        // The longest wait that any action needs is the wait of all.
        if failed.next.as_ref().is_none_or(|known| known.delay < next.delay) {
            failed.next = Some(next);
        }
    }
}

/// The last step on a row.
struct Last {
    at: usize,
    /// Of the puts that go together.
    bytes: usize,
}

/// The steps of a batch, and those of them that go first.
pub(super) fn steps<'a>(actions: &[&'a Action]) -> (Vec<Step<'a>>, Vec<usize>) {
    let mut last: HashMap<&[u8], Last> = HashMap::with_capacity(actions.len());
    let mut steps: Vec<Step<'a>> = Vec::with_capacity(actions.len());
    let mut first = Vec::new();
    for (at, action) in actions.iter().copied().enumerate() {
        let step = Step {
            action,
            then: None,
            next: None,
            nonce: action.mutation().filter(|mutation| mutation.is_read_modify()).map(|_| nonce()),
            trouble: None,
            result: action.check().err().map(Err),
        };
        // A wrong one is not sent, so others go before and after each other as if it were not there.
        if step.result.is_none() {
            let bytes = action.size();
            match last.get_mut(action.row()) {
                Some(last) if last.bytes + bytes <= JOINED && joins(actions, last.at, action) => {
                    steps[last.at].next = Some(at);
                    (last.at, last.bytes) = (at, last.bytes + bytes);
                }
                Some(last) => {
                    steps[last.at].then = Some(at);
                    *last = Last { at, bytes };
                }
                None => {
                    last.insert(action.row(), Last { at, bytes });
                    first.push(at);
                }
            }
        }
        steps.push(step);
    }
    (steps, first)
}

/// The step that goes next on the row: this one, if it has no result yet; otherwise the one after it. Puts that went
/// together have one result, unless one of them may be wrong: then they go again in smaller groups.
pub(super) fn following(steps: &mut [Step<'_>], at: usize) -> Option<usize> {
    let result = match &steps[at].result {
        None => {
            let split = steps[at].trouble.as_mut().is_some_and(|trouble| std::mem::take(&mut trouble.split));
            if split {
                divide(steps, at);
            }
            return Some(at);
        }
        Some(_) if steps[at].next.is_none() => return steps[at].then,
        Some(result) => result.clone(),
    };
    let group: Vec<usize> = together(steps, at).collect();
    let refused =
        matches!(&result, Err(error) if error.exception().is_some_and(|told| told.reaction() == Reaction::Fail));
    let with_all = steps[at].trouble.as_ref().is_some_and(|trouble| trouble.with_all);
    if !refused || with_all {
        group.iter().for_each(|of| steps[*of].result = Some(result.clone()));
        return group.last().and_then(|last| steps[*last].then);
    }
    divide(steps, at);
    steps[at].result = None;
    Some(at)
}

/// Makes smaller groups of puts that went together.
fn divide(steps: &mut [Step<'_>], at: usize) {
    let group: Vec<usize> = together(steps, at).collect();
    let (unanswered, most) = steps[at].trouble.as_ref().map_or((None, None), |of| (of.unanswered.clone(), of.most));
    let smaller = group.len().div_ceil(APART);
    for (last, after) in group.iter().zip(&group[1..]).skip(smaller - 1).step_by(smaller) {
        steps[*last].next = None;
        steps[*last].then = Some(*after);
        // The group that was not answered had this one too.
        let trouble = steps[*after].trouble();
        (trouble.unanswered, trouble.most) = (unanswered.clone(), most);
    }
}

/// Returns whether both are puts that can be one.
fn joins(actions: &[&Action], before: usize, action: &Action) -> bool {
    let puts = actions[before].as_put().zip(action.as_put());
    puts.is_some_and(|(before, put)| before.durability() == put.durability())
}

/// A step, and those that go with it.
pub(super) fn together(steps: &[Step<'_>], at: usize) -> impl Iterator<Item = usize> {
    std::iter::successors(Some(at), |at| steps[*at].next)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::error::{Cause, Exception};
    use crate::model::row::Row;
    use crate::{Delete, Durability, Get, Put};

    fn put(row: &str) -> Action {
        Put::new(row).value("f", "q", "v").into()
    }

    #[test]
    fn puts_of_a_row_that_follow_each_other_go_together() {
        let large = || Put::new("c").value("f", "q", vec![0; JOINED]).into();
        let lasting = Put::new("a").value("f", "q", "v").durability(Durability::FsyncWal).into();
        let (wrong, delete, get) = (Put::new("a").into(), Delete::new("a").into(), Get::new("b").into());
        let actions = [put("a"), put("b"), wrong, put("a"), delete, put("a"), lasting, get, large(), put("c")];
        let (steps, first) = steps(&actions.each_ref());
        assert_eq!(first, [0, 1, 8]);
        let links = |of: fn(&Step<'_>) -> Option<usize>| {
            let linked = steps.iter().enumerate().filter_map(|(at, step)| Some((at, of(step)?)));
            linked.collect::<Vec<_>>()
        };
        assert_eq!(links(|step| step.next), [(0, 3)]);
        assert_eq!(links(|step| step.then), [(1, 7), (3, 4), (4, 5), (5, 6), (8, 9)]);
        let wrong = steps.iter().map(|step| step.result.is_some()).collect::<Vec<_>>();
        assert_eq!(wrong, (0..10).map(|at| at == 2).collect::<Vec<_>>());
    }

    #[test]
    fn a_refusal_is_told_when_the_time_is_over_before_the_next_attempt() {
        let refusal =
            || Error::of_call(CallFault::Refused(Exception::named("org.apache.hadoop.hbase.NotServing", b"")));
        let late = || RetryDecision::fail(Error::unavailable(Cause::TimedOut));
        let (action, mut failed) = (put("r"), Failed::default());
        let mut step = steps(&[&action]).0.remove(0);
        let refused = RetryDecision { error: refusal(), delay: Some(rowkey_retry::Delay::Backoff) };
        step.failed(0, refused, &mut failed, 1);
        assert!(step.result.is_none());
        step.failed(0, late(), &mut failed, 2);
        let error = step.result.unwrap().unwrap_err();
        assert_eq!((error.to_string(), error.attempts()), (refusal().after(2).to_string(), 2));
    }

    #[test]
    fn a_group_goes_again_in_smaller_ones_if_one_of_it_may_be_wrong() {
        let actions: Vec<_> = (0..40).map(|_| put("r")).collect();
        let actions: Vec<_> = actions.iter().collect();
        let refused = |class: &str| {
            let class = format!("org.apache.hadoop.hbase.{class}");
            Err(Error::of_call(CallFault::Refused(Exception::named(&class, b""))))
        };
        let smaller = [vec![3; 13], vec![1]].concat();
        // The result; whether its region refuses all; and the numbers of puts that go together then.
        for (result, with_all, groups) in [
            (Ok(Outcome { row: Row::default(), applied: true }), false, vec![]),
            (Err(Error::unavailable(Cause::TimedOut).outcome_unknown()), false, vec![]),
            (refused("DoNotRetryIOException"), false, smaller),
            (refused("DoNotRetryIOException"), true, vec![]),
        ] {
            let mut steps = steps(&actions).0;
            steps[0].result = Some(result.clone());
            if with_all {
                steps[0].refused_with_all();
            }
            let (mut next, mut found) = (following(&mut steps, 0), Vec::new());
            while let Some(first) = next {
                let group: Vec<_> = together(&steps, first).collect();
                found.push(group.len());
                next = group.last().and_then(|last| steps[*last].then);
            }
            assert_eq!(found, groups, "{result:?} {with_all}");
            assert!(steps.iter().all(|step| step.result.is_some() == groups.is_empty()));
        }
    }
}
