//! Reads the results of a batch, and of mutations that are made at once.

use std::collections::HashMap;
use std::sync::Arc;

use super::action::{Action, Outcome};
use super::parts::Part;
use super::step::APART;
use crate::model::error::{CallFault, Exception};
use crate::model::region::Location;
use crate::model::row::{CellBlock, Row};
use crate::pb;
use crate::rpc::Answer;

/// The result of an action.
pub(super) struct OneResult<'p> {
    pub(super) location: &'p Arc<Location>,
    /// Its place in the batch.
    pub(super) at: usize,
    pub(super) result: Result<Outcome, CallFault>,
    /// The number of actions that failed together, any of which may be to blame for it. 0 if it is known that this one
    /// is.
    pub(super) suspects: usize,
    /// Its place among them.
    nth: usize,
}

impl<'p> OneResult<'p> {
    fn new(location: &'p Arc<Location>, at: usize, result: Result<Outcome, CallFault>) -> Self {
        Self { location, at, result, suspects: 0, nth: 0 }
    }

    /// Returns whether it is a probe: one of a few suspects, from all over the batch, that tell of all.
    pub(super) fn is_probe(&self) -> bool {
        let each = self.suspects.div_ceil(APART);
        self.nth % each == self.nth / each % each
    }
}

/// The result of each action of a call.
pub(super) fn results<'p>(part: &'p Part, of: &[&Action], answer: Result<Answer, CallFault>) -> Vec<OneResult<'p>> {
    let mut results = match answer.and_then(|answer| read(part, of, &answer)) {
        Ok(results) => return results,
        Err(fault) => all(part, &fault),
    };
    blame(&mut results, |_| true);
    results
}

/// The whole call failed.
fn all<'p>(part: &'p Part, fault: &CallFault) -> Vec<OneResult<'p>> {
    let of_region = |(location, actions): &'p (Arc<Location>, Vec<usize>)| {
        let one = |at: &usize| OneResult::new(location, *at, Err(fault.clone()));
        actions.iter().map(one).collect::<Vec<_>>()
    };
    part.regions.iter().flat_map(of_region).collect()
}

fn read<'p>(part: &'p Part, of: &[&Action], answer: &Answer) -> Result<Vec<OneResult<'p>>, CallFault> {
    const WRONG: CallFault = CallFault::malformed("the results of the batch do not match its actions");
    let (response, mut block) = (answer.read::<pb::MultiResponse>()?, CellBlock(answer.cells.clone()));
    if response.region_action_result.len() != part.regions.len() {
        return Err(WRONG);
    }
    let mut results = Vec::new();
    for ((location, actions), result) in part.regions.iter().zip(response.region_action_result) {
        let mut outcomes: Vec<Option<Result<Outcome, CallFault>>> = vec![None; actions.len()];
        let mut is_of_region = false;
        if let [at] = actions[..]
            && of[at].is_at_once()
        {
            outcomes.fill(Some(at_once(&result, response.processed, of[at].row(), &mut block)));
        } else if let Some(exception) = &result.exception {
            outcomes.fill(Some(Err(CallFault::Refused(named(exception)))));
            is_of_region = true;
        } else {
            for one in &result.result_or_exception {
                let index = one.index() as usize;
                let Some((place, at)) = outcomes.get_mut(index).zip(actions.get(index)) else { continue };
                // Cells are taken in the order of the results, whatever their actions are.
                *place = match (&one.exception, &one.result) {
                    (Some(exception), _) => Some(Err(CallFault::Refused(named(exception)))),
                    (None, Some(result)) => {
                        Some(block.row_at(of[*at].row(), result).map(|row| Outcome { row, applied: true }))
                    }
                    (None, None) => None,
                };
            }
        }
        let one = |(at, outcome): (&usize, Option<_>)| OneResult::new(location, *at, outcome.unwrap_or(Err(WRONG)));
        let mut of_region: Vec<_> = actions.iter().zip(outcomes).map(one).collect();
        // Puts and deletes are made together, all else one by one.
        let is_made_with_others = |at: usize| of[at].mutation().is_some_and(|mutation| !mutation.is_read_modify());
        blame(&mut of_region, |at| is_of_region || is_made_with_others(at));
        results.extend(of_region);
    }
    Ok(results)
}

/// Counts those that failed together, in a way that does not tell which of them is wrong: HBase answers with one
/// exception for all if it can't read one, or make one. `together`: whether it is not made by itself.
fn blame(results: &mut [OneResult<'_>], together: impl Fn(usize) -> bool) {
    if results.iter().all(|one| one.result.is_ok()) {
        return;
    }
    let (mut groups, mut sizes) = (HashMap::new(), Vec::new());
    let places = results.iter().map(|one| {
        let Err(CallFault::Refused(told)) = &one.result else { return None };
        let same = match told {
            told if told.is_unknown() => None,
            told if told.is_of_several() && together(one.at) => Some((told.class(), told.stack_trace())),
            _ => return None,
        };
        let group: usize = *groups.entry(same).or_insert(sizes.len());
        if group == sizes.len() {
            sizes.push(0);
        }
        sizes[group] += 1;
        Some((group, sizes[group] - 1))
    });
    let places: Vec<_> = places.collect();
    for (one, place) in results.iter_mut().zip(places) {
        if let Some((group, nth)) = place {
            (one.suspects, one.nth) = (sizes[group], nth);
        }
    }
}

/// Reads the response to mutations of one row that are made at once.
pub(crate) fn row_outcome(
    response: &pb::MultiResponse,
    row: &[u8],
    block: &mut CellBlock,
) -> Result<Outcome, CallFault> {
    let result = response
        .region_action_result
        .first()
        .ok_or(CallFault::malformed("the response of a batch has no result of its region"))?;
    at_once(result, response.processed, row, block)
}

/// Mutations that succeed or fail together have one result. They are not applied if their condition does not hold.
fn at_once(
    result: &pb::RegionActionResult,
    processed: Option<bool>,
    row: &[u8],
    block: &mut CellBlock,
) -> Result<Outcome, CallFault> {
    let of_actions = || result.result_or_exception.iter();
    let failed = result.exception.as_ref().or_else(|| of_actions().find_map(|one| one.exception.as_ref()));
    if let Some(exception) = failed {
        return Err(CallFault::Refused(named(exception)));
    }
    let mut parts = Vec::new();
    for result in of_actions().filter_map(|one| one.result.as_ref()) {
        parts.push(block.row_at(row, result)?);
    }
    parts.retain(|part: &Row| !part.is_empty());
    Ok(Outcome { row: Row::join(parts), applied: result.processed.or(processed).unwrap_or(true) })
}

fn named(exception: &pb::NameBytesPair) -> Exception {
    Exception::named(&exception.name, exception.value())
}
