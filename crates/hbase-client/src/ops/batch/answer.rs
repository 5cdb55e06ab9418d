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
    pub(super) fn new(location: &'p Arc<Location>, at: usize, result: Result<Outcome, CallFault>) -> Self {
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

#[cfg(test)]
mod tests {
    use prost::Message;

    use super::super::parts::tests::at;
    use super::*;
    use crate::model::error::Cause;
    use crate::{Delete, Get, Increment, Put, RowMutations};

    const REFUSED: &str = "org.apache.hadoop.hbase.DoNotRetryIOException";
    const NO_FAMILY: &str = "org.apache.hadoop.hbase.regionserver.NoSuchColumnFamilyException";
    const ODD: &str = "java.lang.IllegalArgumentException";

    fn exception(class: &str) -> Option<pb::NameBytesPair> {
        Some(pb::NameBytesPair { name: class.to_owned(), value: None })
    }

    /// The results of a region's actions, each by the class of its exception, or empty.
    fn of_region(classes: &[&str]) -> pb::RegionActionResult {
        let one = |(index, class): (usize, &&str)| match *class {
            "" => pb::ResultOrException {
                index: Some(index as u32),
                result: Some(pb::Result::default()),
                exception: None,
            },
            class => pb::ResultOrException { index: Some(index as u32), result: None, exception: exception(class) },
        };
        pb::RegionActionResult {
            result_or_exception: classes.iter().enumerate().map(one).collect(),
            ..Default::default()
        }
    }

    #[test]
    fn each_action_has_its_result_and_the_number_of_those_to_blame() {
        let put = || Put::new("r").value("f", "q", "v");
        let actions: [Action; 5] = [
            put().into(),
            Delete::new("r").into(),
            Increment::new("r").add("f", "n", 1).into(),
            Get::new("r").into(),
            RowMutations::from(put()).into(),
        ];
        let part = Part { regions: vec![(at("", "b", 1), vec![0, 1, 2, 3]), (at("b", "", 1), vec![4])] };
        let done = || of_region(&["", "", "", ""]);
        let all_refused = pb::RegionActionResult { exception: exception(REFUSED), ..Default::default() };
        let answer = |regions: Vec<pb::RegionActionResult>| {
            let response = pb::MultiResponse { region_action_result: regions, ..Default::default() };
            Ok(Answer { message: response.encode_to_vec().into(), ..Default::default() })
        };
        let refused = |class| Err(CallFault::Refused(Exception::named(class, b"")));
        let (wrong, fine) = ("wrong", "done");
        for (answer, expected) in [
            (answer(vec![done(), of_region(&[""])]), [fine; 5]),
            // Puts and deletes are made together, all else one by one; what is made at once is refused at once.
            (
                answer(vec![of_region(&[REFUSED; 4]), of_region(&[REFUSED])]),
                ["one of 2", "one of 2", "refused", "refused", "refused"],
            ),
            (answer(vec![of_region(&[NO_FAMILY, "", "", ""]), done()]), ["refused", fine, fine, fine, fine]),
            (answer(vec![all_refused, of_region(&[""])]), ["one of 4", "one of 4", "one of 4", "one of 4", fine]),
            (answer(vec![of_region(&["", "", ODD, ODD]), done()]), [fine, fine, "one of 2", "one of 2", fine]),
            (answer(vec![of_region(&["", "", ""]), done()]), [fine, fine, fine, wrong, fine]),
            (answer(vec![of_region(&[""; 6]), done()]), [fine; 5]),
            (answer(vec![done()]), [wrong; 5]),
            (refused(REFUSED), ["one of 5"; 5]),
            (refused(NO_FAMILY), ["refused"; 5]),
            (Err(CallFault::Unanswered(Cause::TimedOut)), ["lost"; 5]),
        ] {
            let results = results(&part, &actions.each_ref(), answer);
            assert_eq!(results.iter().map(|one| one.at).collect::<Vec<_>>(), [0, 1, 2, 3, 4]);
            let told = results.iter().map(|one| match (&one.result, one.suspects) {
                (Ok(_), _) => fine.to_owned(),
                (Err(CallFault::Refused(_)), 0) => "refused".to_owned(),
                (Err(CallFault::Refused(_)), many) => format!("one of {many}"),
                (Err(CallFault::Malformed(_)), _) => wrong.to_owned(),
                (Err(_), _) => "lost".to_owned(),
            });
            assert_eq!(told.collect::<Vec<_>>(), expected);
        }
    }

    #[test]
    fn a_few_suspects_from_all_over_are_probes() {
        let location = at("", "", 1);
        for (suspects, probes) in [(2, 2), (16, 16), (17, 9), (100, 15), (1000, 16), (5000, 16)] {
            let one = |nth| OneResult { suspects, nth, ..OneResult::new(&location, 0, Err(CallFault::malformed(""))) };
            assert_eq!((0..suspects).filter(|nth| one(*nth).is_probe()).count(), probes, "{suspects}");
        }
    }
}
