//! The order that a query wants, against that of its key.

use crate::design::Query;
use crate::facts::{FieldFacts, KeyFacts};

use super::select::{Condition, Selection, is_coarse};

/// The fit of the order that a query wants to its key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OrderFit {
    /// It asks for none, or for that of the key.
    Free,
    /// The key has it.
    Key,
    /// A reverse scan has it.
    Reverse,
    /// Each of its ranges has it, forward or in reverse, and a merge of them all: it has several values of the field
    /// before.
    Merge {
        /// True if in reverse.
        reverse: bool,
    },
    /// The rows have to be sorted after they are read.
    Sort,
    /// No field of the key is known to grow with time.
    Unknown,
}

pub(super) fn fit(query: &Query, key: &KeyFacts<'_>, selection: &Selection<'_>) -> OrderFit {
    let Some(newest) = query.newest_first() else { return OrderFit::Free };
    let grows = |field: &FieldFacts<'_>| field.growth.is_some();
    // Rows are sorted inside a partition alone.
    let sorted_from = key.partition.unwrap_or(0);
    if selection.prefix() < sorted_from {
        return OrderFit::Sort;
    }
    // Partitions of a coarse time are asked in turn, in any order.
    let in_turn = |at: usize| (selection.leading..sorted_from).contains(&at) && is_coarse(&key.fields[at]);
    let is_first = |at: &usize| grows(&key.fields[*at]) && !in_turn(*at);
    let first = (selection.leading..key.fields.len()).find(is_first);
    if first.is_none() && (selection.leading..sorted_from).any(in_turn) {
        return OrderFit::Key;
    }
    let Some(first) = first else {
        // All that grows is fixed: the rows are of one moment.
        return if key.fields.iter().any(grows) { OrderFit::Free } else { OrderFit::Unknown };
    };
    let field = &key.fields[first];
    // Its bytes are in no order of its values.
    let Some(desc) = field.is_descending() else { return OrderFit::Sort };
    if is_coarse(field) {
        let finer = key.fields.get(first + 1).filter(|finer| grows(finer));
        if finer.is_some_and(|finer| finer.is_descending() != Some(desc)) {
            return OrderFit::Sort;
        }
    }
    let before = selection.conditions().zip(selection.leading..).filter(|(_, at)| *at < first && !in_turn(*at));
    let several = before.map(|((_, condition), _)| condition).any(|condition| matches!(condition, Condition::Among(_)));
    match desc == newest {
        _ if first > selection.prefix() => OrderFit::Sort,
        is_key if several => OrderFit::Merge { reverse: !is_key },
        true => OrderFit::Key,
        false => OrderFit::Reverse,
    }
}
