//! The state of a batch between its rounds, and what the results of a round change in it.

use rowkey_retry::Idempotency;
use tokio::time::Instant;

use super::action::Outcome;
use super::answer::OneResult;
use super::parts::{Load, Regions};
use super::refusals::{Refusals, of_several};
use super::step::{Doubted, Failed, Step, following, result_of, together};
use crate::model::error::{CallFault, Cause, Error, Exception, Result};
use crate::model::region::Location;
use crate::ops::executor::doubt;
use crate::ops::retry::{RetryDecision, moved_since};

/// The actions of a batch, and what their calls have told so far.
pub(super) struct Rounds<'a> {
    pub(super) steps: Vec<Step<'a>>,
    /// The number of attempts, with the one that is under way.
    pub(super) attempts: u32,
    /// The failures of this round.
    pub(super) failed: Failed,
    /// Regions whose server left something unanswered, and when.
    pub(super) doubted: Doubted,
    refusals: Refusals,
}

impl<'a> Rounds<'a> {
    pub(super) fn new(steps: Vec<Step<'a>>) -> Self {
        let (failed, doubted, refusals) = Default::default();
        Self { steps, attempts: 1, failed, doubted, refusals }
    }

    /// The demands of an action on the call in which it goes.
    pub(super) fn load(&self, at: usize) -> Load {
        Load {
            bytes: together(&self.steps, at).map(|at| self.steps[at].action.size()).sum(),
            most: self.steps[at].most(),
            at_once: self.steps[at].action.is_at_once(),
        }
    }

    /// Puts an action to those of its region, unless that was not found, or it may not be sent there.
    pub(super) fn place(&mut self, at: usize, region: Result<usize, RetryDecision>, regions: &mut Regions) {
        let step = &mut self.steps[at];
        let region = match region {
            Ok(region) => region,
            Err(next) => return step.failed(at, next, &mut self.failed, self.attempts),
        };
        let (location, row) = (regions.location(region), step.action.row());
        match step.unanswered().filter(|_| step.action.idempotency() == Idempotency::Nonce) {
            Some(_) if self.doubted.contains_key(location.region.name()) => {
                let next = RetryDecision::unreachable(Cause::said("it is not known whether the region has moved"));
                step.failed(at, next.map(|error| error.at(location, row)), &mut self.failed, self.attempts);
            }
            Some(before) if before != location => {
                step.result = Some(Err(moved_since(location, row).after(self.attempts)));
            }
            _ => regions.put(region, at),
        }
    }

    /// Takes the results of a round that came by `now`. `learn` gets the exceptions that tell of a region's location.
    pub(super) fn settle<'p>(
        &mut self,
        results: impl IntoIterator<Item = OneResult<'p>>,
        now: Instant,
        learn: impl Fn(&Location, &Exception, Idempotency),
    ) {
        let mut refused = Vec::new();
        for one in results {
            let (at, location, step) = (one.at, one.location, &mut self.steps[one.at]);
            match one.result {
                Err(_) if of_several(&one).is_some() => refused.push(one),
                Ok(outcome) => {
                    self.refusals.made(location, step);
                    step.result = Some(Ok(outcome));
                }
                Err(fault) => {
                    let idempotency = step.action.idempotency();
                    match &fault {
                        fault if fault.may_have_executed() => {
                            if let Some(since) = doubted_since(fault, idempotency, now) {
                                let doubted = self.doubted.entry(location.region.name().clone());
                                let (_, known) = doubted.or_insert_with(|| (location.clone(), since));
                                *known = since.max(*known);
                            }
                            if matches!(fault, CallFault::Refused(told) if told.is_unknown()) {
                                step.suspect(one.suspects);
                            }
                            step.left_unanswered(location);
                        }
                        CallFault::Refused(exception) => learn(location, exception, idempotency),
                        _ => {}
                    }
                    let next = step.decision(fault, location);
                    step.failed(at, next, &mut self.failed, self.attempts);
                }
            }
        }
        self.refusals.judge(refused, &mut self.steps, &mut self.failed, self.attempts);
    }

    /// There is no time for another attempt of those that failed in a round.
    pub(super) fn give_up(&mut self, failed: Vec<(usize, Error)>) {
        failed.into_iter().for_each(|(at, error)| self.steps[at].give_up(error.after(self.attempts)));
    }

    /// The actions of the next round, after those of this one.
    pub(super) fn following(&mut self, ready: Vec<usize>) -> Vec<usize> {
        ready.into_iter().filter_map(|at| following(&mut self.steps, at)).collect()
    }

    pub(super) fn results(self) -> Vec<Result<Outcome>> {
        self.steps.into_iter().map(|step| result_of(step.result)).collect()
    }
}

/// The time since when meta has to have told the location of the region, if it is in doubt after a fault that may have
/// left an action carried out.
fn doubted_since(fault: &CallFault, idempotency: Idempotency, now: Instant) -> Option<Instant> {
    match idempotency {
        // A region that was opened since does not know the nonce.
        Idempotency::Nonce if fault.delay().is_some() => Some(now),
        _ => fault.doubts_server().then(|| doubt(now)),
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::super::action::Action;
    use super::super::parts::tests::at;
    use super::super::step::steps;
    use super::*;
    use crate::model::row::Row;
    use crate::{Delete, ErrorKind, Increment, Put};

    fn refused(class: &str) -> Result<Outcome, CallFault> {
        Err(CallFault::Refused(Exception::named(&format!("org.apache.hadoop.hbase.{class}"), b"why")))
    }

    #[test]
    fn a_result_ends_an_action_or_has_it_sent_again() {
        let put: Action = Put::new("r").value("f", "q", "v").into();
        let increment: Action = Increment::new("r").add("f", "n", 1).into();
        let newest: Action = Delete::new("r").newest("f", "q").into();
        let lost = || Err(CallFault::Unanswered(Cause::TimedOut));
        let unknown = Some(Err(ErrorKind::OutcomeUnknown));
        // The action and its result; the outcome, unless it is sent again; the age of the doubt of its region in
        // seconds, if there is one; and whether the exception tells of the region.
        for (action, result, outcome, doubted, learnt) in [
            (&put, Ok(Outcome { row: Row::default(), applied: true }), Some(Ok(())), None, false),
            (&put, refused("NotServingRegionException"), None, None, true),
            (
                &put,
                refused("regionserver.NoSuchColumnFamilyException"),
                Some(Err(ErrorKind::FamilyNotFound)),
                None,
                true,
            ),
            (&put, refused("Strange"), None, None, false),
            (&put, lost(), None, Some(1), false),
            (&put, Err(CallFault::Unanswered(Cause::Slow)), None, None, false),
            (&put, Err(CallFault::NotSent(Cause::TimedOut)), None, None, false),
            (&put, Err(CallFault::malformed("no")), unknown, None, false),
            (&increment, lost(), None, Some(0), false),
            (&increment, Err(CallFault::Unanswered(Cause::Slow)), None, Some(0), false),
            (&increment, Err(CallFault::malformed("no")), unknown, None, false),
            (&newest, lost(), unknown, Some(1), false),
            (&newest, refused("NotServingRegionException"), None, None, true),
        ] {
            let case = format!("{action:?} {result:?}");
            let mut rounds = Rounds::new(steps(&[action]).0);
            let (location, now, learn) = (at("", "", 1), Instant::now(), Cell::new(false));
            rounds.settle([OneResult::new(&location, 0, result)], now, |_, _, _| learn.set(true));
            let ages: Vec<_> = rounds.doubted.values().map(|(_, since)| now.duration_since(*since).as_secs()).collect();
            assert_eq!((ages, learn.get()), (Vec::from_iter(doubted), learnt), "{case}");
            let ended =
                rounds.steps[0].result.as_ref().map(|result| result.as_ref().map(drop).map_err(|error| error.kind()));
            assert_eq!(ended, outcome, "{case}");
            assert_eq!(rounds.failed.next.is_some(), outcome.is_none(), "{case}");
            let next: &[usize] = if outcome.is_none() { &[0] } else { &[] };
            assert_eq!(rounds.following(vec![0]), next, "{case}");
        }
    }

    #[test]
    fn the_longest_wait_of_a_round_is_that_of_all() {
        let actions: [Action; 2] = ["a", "b"].map(|row| Put::new(row).value("f", "q", "v").into());
        let mut rounds = Rounds::new(steps(&actions.each_ref()).0);
        let location = at("", "", 1);
        let results = [refused("MultiActionResultTooLarge"), refused("RegionTooBusyException")];
        let results = results.into_iter().enumerate().map(|(at, result)| OneResult::new(&location, at, result));
        rounds.settle(results, Instant::now(), |_, _, _| {});
        assert_eq!(rounds.failed.next.as_ref().and_then(|next| next.delay), Some(rowkey_retry::Delay::Overloaded));
        let failed = std::mem::take(&mut rounds.failed);
        rounds.attempts = 3;
        rounds.give_up(failed.errors);
        assert!(rounds.following(vec![0, 1]).is_empty());
        let attempts = |result: Result<Outcome>| result.unwrap_err().attempts();
        assert_eq!(rounds.results().into_iter().map(attempts).collect::<Vec<_>>(), [3, 3]);
    }

    #[test]
    fn a_nonce_is_not_sent_to_where_it_is_not_known() {
        let put: Action = Put::new("r").value("f", "q", "v").into();
        let increment: Action = Increment::new("r").add("f", "n", 1).into();
        let (before, moved) = (at("", "", 1), at("", "", 2));
        // An action without a response, its region's location, and whether that is in doubt; whether it is sent there,
        // and its error if it never will be.
        for (action, location, in_doubt, sent, ended) in [
            (&increment, &before, false, true, None),
            (&increment, &before, true, false, None),
            (&increment, &moved, false, false, Some(ErrorKind::OutcomeUnknown)),
            (&put, &before, true, true, None),
            (&put, &moved, false, true, None),
        ] {
            let (mut rounds, mut regions) = (Rounds::new(steps(&[action]).0), Regions::default());
            rounds.steps[0].left_unanswered(&before);
            let region = regions.add(location.clone());
            if in_doubt {
                rounds.doubted.insert(location.region.name().clone(), (location.clone(), Instant::now()));
            }
            rounds.place(0, Ok(region), &mut regions);
            assert_eq!(!regions.into_parts().is_empty(), sent, "{action:?} {location:?} {in_doubt}");
            assert_eq!(rounds.steps[0].result.clone().map(|result| result.unwrap_err().kind()), ended);
            assert_eq!(rounds.failed.next.is_some(), !sent && ended.is_none());
        }
    }
}
