//! Conditions of checked writes, exact also for empty values, where HBase can be.

use hbase_client as hbase;
use hbase_client::{Filter, IfMissing};
use rowkey::Error;
use rowkey::wide::{Cell, Column, Compare, Condition};

/// A comparison as the client names it.
pub(crate) fn operator(compare: Compare) -> hbase::Compare {
    match compare {
        Compare::Less => hbase::Compare::Less,
        Compare::LessOrEqual => hbase::Compare::LessOrEqual,
        Compare::Equal => hbase::Compare::Equal,
        Compare::NotEqual => hbase::Compare::NotEqual,
        Compare::GreaterOrEqual => hbase::Compare::GreaterOrEqual,
        Compare::Greater => hbase::Compare::Greater,
    }
}

/// The condition that a column's newest cell is still this one: its timestamp and its value.
pub(crate) fn is_still(cell: &Cell<'_>) -> Result<hbase::Condition, Error> {
    let at = u64::try_from(cell.timestamp).map_err(|_| Error::Timestamp(cell.timestamp))?;
    Ok(hbase::Condition::filter(&Filter::all([
        Filter::family(hbase::Compare::Equal, cell.family),
        Filter::qualifier_range(cell.qualifier..=cell.qualifier),
        // Before the others, which would let an older version pass.
        Filter::first_cell(),
        Filter::timestamps([at]),
        Filter::value(hbase::Compare::Equal, cell.value),
    ])))
}

/// A condition as HBase evaluates it; `None` if it never holds.
///
/// HBase's own comparison takes an empty value for an absent one, that of the column and the given one. A comparison
/// with the empty value is a filter instead, except for those that ask for a value that is not empty. That a column is
/// absent has no filter, as a row without cells has none that could pass: it is HBase's own, and holds for an empty
/// value too.
pub(crate) fn evaluated(condition: &Condition) -> Option<hbase::Condition> {
    let Column { family, qualifier } = &condition.column;
    let Some((compare, value)) = &condition.value else {
        return Some(hbase::Condition::absent(family, qualifier));
    };
    if !value.is_empty() {
        return Some(hbase::Condition::value(family, qualifier, operator(*compare), value));
    }
    let newest = |compare| Filter::column_value(family, qualifier, compare, [], IfMissing::Skip);
    let of_column = |rows: Filter| {
        let cells = [
            Filter::family(hbase::Compare::Equal, family),
            Filter::qualifier_range(qualifier.as_slice()..=qualifier.as_slice()),
        ];
        hbase::Condition::filter(&Filter::all(std::iter::once(rows).chain(cells)))
    };
    match compare {
        Compare::Less => None,
        Compare::Greater | Compare::NotEqual => {
            Some(hbase::Condition::value(family, qualifier, hbase::Compare::NotEqual, []))
        }
        Compare::Equal | Compare::LessOrEqual => Some(of_column(newest(hbase::Compare::Equal))),
        Compare::GreaterOrEqual => Some(of_column(newest(hbase::Compare::GreaterOrEqual))),
    }
}
