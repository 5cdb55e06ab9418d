//! The actions of a batch on their way: which may be sent, and what comes of each.

use std::collections::HashMap;
use std::sync::Arc;

use rowkey_retry::{Execution, Idempotency};
use tokio::time::Instant;

use super::action::{Action, Outcome};
use super::parts::Regions;
use crate::model::error::{CallFault, Cause, Error, Reaction, Result};
use crate::model::region::Location;
use crate::ops::executor::nonce;
use crate::ops::retry::{RetryDecision, Told, moved_since};

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

    fn unanswered(&self) -> Option<&Arc<Location>> {
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

    /// Returns whether it was sent without a response, and may not be sent to the present location of its region.
    fn has_moved(&self, location: &Location) -> bool {
        let reopened = self.unanswered().is_some_and(|before| **before != *location);
        reopened && self.action.idempotency() == Idempotency::Nonce
    }

    /// Puts the action to those of its region, unless that was not found, or it may not be sent there.
    pub(super) fn place(
        &mut self,
        at: usize,
        region: Result<usize, RetryDecision>,
        regions: &mut Regions,
        doubted: &Doubted,
        failed: &mut Failed,
        attempts: u32,
    ) {
        let region = match region {
            Ok(region) => region,
            Err(next) => return self.failed(at, next, failed, attempts),
        };
        let location = regions.location(region);
        let has_nonce = self.unanswered().is_some() && self.action.idempotency() == Idempotency::Nonce;
        if has_nonce && doubted.contains_key(location.region.name()) {
            let next = RetryDecision::unreachable(Cause::said("it is not known whether the region has moved"));
            let next = next.map(|error| error.at(location, self.action.row()));
            self.failed(at, next, failed, attempts);
        } else if self.has_moved(location) {
            self.result = Some(Err(moved_since(location, self.action.row()).after(attempts)));
        } else {
            regions.put(region, at);
        }
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

    /// There is no time for another attempt.
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
            self.result = Some(Err(next.error.after(attempts)));
            return;
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
