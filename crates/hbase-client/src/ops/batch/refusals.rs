//! Refusals that several actions of a region share: which of them go again, apart from the others.
//!
//! A server refuses all puts and deletes of a region in a call if one of them is wrong, and also if the region takes
//! none at all, and does not tell which of the two it is. So they are sent apart, and some of them alone at once: if
//! these are refused in the same way, and nothing is made meanwhile, the region refuses all.

use std::collections::HashMap;

use bytes::Bytes;
use rowkey_retry::Delay;

use super::answer::OneResult;
use super::step::{APART, Failed, Step};
use crate::model::error::{CallFault, Exception, Reaction};
use crate::model::region::Location;

/// The refusals of the puts of each region, and of its other actions.
#[derive(Default)]
pub(super) struct Refusals(HashMap<(Bytes, bool), OfRegion>);

#[derive(Default)]
struct OfRegion {
    /// The exception of the first one that was refused alone.
    told: Option<Exception>,
    /// The number of actions that were refused alone.
    alone: usize,
    /// True if an action was made, or refused for another reason.
    differ: bool,
}

/// The exception, if it says that the action was not carried out and never will be, and that of its region's others
/// nothing else.
pub(super) fn of_several<'o>(one: &'o OneResult<'_>) -> Option<&'o Exception> {
    match &one.result {
        Err(CallFault::Refused(told)) if one.suspects > 0 && told.reaction() == Reaction::Fail => Some(told),
        _ => None,
    }
}

impl Refusals {
    fn of(&mut self, location: &Location, step: &Step<'_>) -> &mut OfRegion {
        let is_put = step.action.as_put().is_some();
        self.0.entry((location.region.name().clone(), is_put)).or_default()
    }

    pub(super) fn made(&mut self, location: &Location, step: &Step<'_>) {
        // Before the first refusal it is of no interest.
        if !self.0.is_empty() {
            self.of(location, step).differ = true;
        }
    }

    fn learn(&mut self, one: &OneResult<'_>, step: &Step<'_>) {
        let Some(told) = of_several(one).filter(|_| one.suspects == 1 && step.next.is_none()) else { return };
        let of = self.of(one.location, step);
        let before = of.told.get_or_insert_with(|| told.clone());
        of.differ |= (before.class(), before.message()) != (told.class(), told.message());
        of.alone += 1;
    }

    /// Returns whether the region refuses all.
    fn are_of_all(&mut self, one: &OneResult<'_>, step: &Step<'_>) -> bool {
        let of = self.of(one.location, step);
        of.alone >= APART && !of.differ
    }

    /// Sends those of a round's refusals again that others may be to blame for. The rest have failed.
    pub(super) fn judge(
        &mut self,
        refused: Vec<OneResult<'_>>,
        steps: &mut [Step<'_>],
        failed: &mut Failed,
        made: u32,
    ) {
        refused.iter().for_each(|one| self.learn(one, &steps[one.at]));
        for one in refused {
            let step = &mut steps[one.at];
            let of_all = self.are_of_all(&one, step);
            let again = !of_all && one.suspects > 1;
            if again {
                step.suspect(one.suspects);
                if one.is_probe() {
                    step.alone();
                }
            } else if of_all {
                step.refused_with_all();
            }
            let Err(fault) = one.result else { continue };
            let mut next = step.decision(fault, one.location);
            if again {
                next.delay.get_or_insert(Delay::Immediate);
            }
            step.failed(one.at, next, failed, made);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::action::Action;
    use super::super::parts::tests::at;
    use super::super::step::steps;
    use super::*;
    use crate::Put;

    #[test]
    fn a_region_that_refuses_many_alone_and_makes_none_refuses_all() {
        let puts: Vec<Action> = (0u8..40).map(|row| Put::new([b'r', row]).value("f", "q", "v").into()).collect();
        let puts: Vec<_> = puts.iter().collect();
        let location = at("", "", 1);
        let refused = |at: usize, suspects: usize, text: &str| {
            let told = Exception::named("org.apache.hadoop.hbase.DoNotRetryIOException", text.as_bytes());
            let mut one = OneResult::new(&location, at, Err(CallFault::Refused(told)));
            one.suspects = suspects;
            one
        };
        // The number that were refused alone, the text of the last one of them, and whether another one was made
        // meanwhile; whether those that were refused together are sent again.
        for (alone, last, made, again) in [
            (0, "all", false, true),
            (APART - 1, "all", false, true),
            (APART, "all", false, false),
            (APART, "other", false, true),
            (APART, "all", true, true),
        ] {
            let (mut steps, mut refusals, mut failed) = (steps(&puts).0, Refusals::default(), Failed::default());
            let text = |at| if at + 1 == alone { last } else { "all" };
            refusals.judge((0..alone).map(|at| refused(at, 1, text(at))).collect(), &mut steps, &mut failed, 1);
            assert!(steps[..alone].iter().all(|step| step.result.is_some()) && failed.next.is_none());
            if made {
                refusals.made(&location, &steps[39]);
            }
            refusals.judge(vec![refused(30, 20, "all")], &mut steps, &mut failed, 1);
            let step = &steps[30];
            assert_eq!((step.result.is_none(), failed.next.is_some()), (again, again), "{alone} {last} {made}");
            // The first of them goes alone.
            assert_eq!(step.most() == 1, again);
        }
    }
}
