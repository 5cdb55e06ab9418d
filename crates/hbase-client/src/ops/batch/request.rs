//! The request of a part of a batch: its message, and the cells behind that.

use std::sync::Arc;

use super::action::Action;
use super::parts::Part;
use super::step::{Step, together};
use crate::model::mutation::Mutation;
use crate::model::region::Location;
use crate::pb;

/// The message of a part. `nonce_group`: the number of the client.
pub(super) fn message(part: &Part, steps: &[Step<'_>], nonce_group: u64) -> pb::MultiRequest {
    let region = |(location, actions): &(Arc<Location>, Vec<usize>)| {
        let region = location.region.specifier();
        let at_once = actions.first().and_then(|at| steps[*at].action.at_once());
        match at_once {
            Some((action, condition)) => {
                let atomic = (action.len() > 1 || condition.is_none()).then_some(true);
                pb::RegionAction { region, atomic, action, condition }
            }
            None => {
                let action = actions.iter().enumerate().map(|(index, at)| one(index, *at, steps)).collect();
                pb::RegionAction { region, action, ..Default::default() }
            }
        }
    };
    pb::MultiRequest { region_action: part.regions.iter().map(region).collect(), nonce_group: Some(nonce_group) }
}

/// One action of a region, or several puts of a row as one.
fn one(index: usize, at: usize, steps: &[Step<'_>]) -> pb::Action {
    let index = u32::try_from(index).ok();
    match steps[at].action {
        Action::Get(get) => pb::Action { index, get: Some(get.to_pb(false)), mutation: None },
        Action::Write(write) => {
            let mutation = write.mutations().first().map(|mutation| {
                let mut mutation = mutation.to_pb(steps[at].nonce);
                if steps[at].next.is_some() {
                    let puts = together(steps, at).filter_map(|at| steps[at].action.as_put());
                    mutation.associated_cell_count = i32::try_from(puts.map(Mutation::count).sum::<u32>()).ok();
                }
                mutation
            });
            pb::Action { index, mutation, get: None }
        }
    }
}

/// The cells of a part, in the order of its actions.
pub(super) fn cells<'a>(part: &Part, steps: &[Step<'a>]) -> Vec<&'a [u8]> {
    let actions = part.regions.iter().flat_map(|(_, actions)| actions);
    actions.flat_map(|at| together(steps, *at)).flat_map(|at| steps[at].action.cells()).collect()
}

#[cfg(test)]
mod tests {
    use super::super::parts::tests::at;
    use super::super::step::steps;
    use super::*;
    use crate::{CheckAndMutate, Condition, Delete, Get, Increment, Put, RowMutations};

    #[test]
    fn actions_are_messages_with_their_cells_behind() {
        let put = |row: &str, value: &str| Put::new(row).value("f", "q", value);
        let two = || RowMutations::new([put("r", "5").into(), Delete::new("r").column("f", "p").into()]);
        let absent = Condition::absent("f", "q");
        let actions: [Action; 7] = [
            put("a", "1").into(),
            put("a", "2").into(),
            Get::new("b").into(),
            Increment::new("c").add("f", "n", 3).into(),
            two().into(),
            CheckAndMutate::new(&absent, put("s", "6")).into(),
            CheckAndMutate::new(&absent, two()).into(),
        ];
        let (steps, _) = steps(&actions.each_ref());
        let part = Part { regions: [vec![0, 2, 3], vec![4], vec![5], vec![6]].map(|of| (at("", "", 1), of)).into() };
        let sent = message(&part, &steps, 9);
        assert_eq!(sent.nonce_group, Some(9));
        // Of each region: whether it is made at once, whether there is a condition, and how many cells each action has.
        let counts = |action: &pb::Action| action.mutation.as_ref().map(|mutation| mutation.associated_cell_count());
        let regions = sent
            .region_action
            .iter()
            .map(|of| (of.atomic, of.condition.is_some(), of.action.iter().map(counts).collect::<Vec<_>>()));
        let expected = [
            // Puts of a row are one.
            (None, false, vec![Some(2), None, Some(1)]),
            (Some(true), false, vec![Some(1), Some(1)]),
            (None, true, vec![Some(1)]),
            (Some(true), true, vec![Some(1), Some(1)]),
        ];
        assert_eq!(regions.collect::<Vec<_>>(), expected);
        let [put, get, increment] = &sent.region_action[0].action[..] else { panic!("{sent:?}") };
        assert_eq!([put, get, increment].map(|action| action.index), [Some(0), Some(1), Some(2)]);
        let nonce = |action: &pb::Action| action.mutation.as_ref().and_then(|mutation| mutation.nonce);
        assert_eq!((nonce(put), nonce(increment)), (None, steps[3].nonce));
        let order = [0, 1, 3, 4, 5, 6];
        let all: Vec<_> = order.iter().flat_map(|at| actions[*at].cells()).collect();
        assert_eq!(cells(&part, &steps), all);
    }
}
