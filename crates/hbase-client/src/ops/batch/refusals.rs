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
