//! The order that a query wants, against that of its key.

use crate::design::{Meaning, Query};
use crate::facts::{FieldFacts, Growth, KeyFacts};

use super::select::{Condition, Selection};

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
    let first = key.fields.iter().skip(selection.leading).position(grows).map(|at| at + selection.leading);
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
    let several = matches!(selection.next, Some((_, Condition::Among(_))));
    // Rows are sorted inside a partition alone.
    if key.partition.is_some_and(|partition| selection.leading + usize::from(several) < partition) {
        return OrderFit::Sort;
    }
    match first - selection.leading {
        0 if desc == newest => OrderFit::Key,
        0 => OrderFit::Reverse,
        1 if several => OrderFit::Merge { reverse: desc != newest },
        _ => OrderFit::Sort,
    }
}

/// True if many rows have one value of it: the field after it orders them.
pub(crate) fn is_coarse(field: &FieldFacts<'_>) -> bool {
    field.meaning == Some(Meaning::TimeBucket) || field.growth == Some(Growth::Time(None))
}
