//! The families and columns that a query or a write names.

use crate::cost::QueryCost;
use crate::design::{Columns, Family};
use crate::facts::KeyFacts;
use crate::problem::Located;

/// True if a test holds of some name of a family's columns; of the one name of columns whose names are data.
fn some_column(family: &Family, test: impl Fn(&str) -> bool) -> bool {
    match family.columns.as_ref().map(|columns| &columns.value) {
        Some(Columns::Names(names)) => names.iter().any(|name| test(name)),
        Some(Columns::OfRow(of_row)) => test(of_row.name.split(':').next().unwrap_or("").trim()),
        None => family.sizes.keys().any(|name| test(name)),
    }
}

/// True if a list of columns, which is empty for all, has this one: as `column`, `family:column` or `family`.
fn names(list: &[Located<String>], family: &str, column: &str) -> bool {
    let is = |name: &Located<String>| match name.split_once(':') {
        Some((of, name)) => of == family && name == column,
        None => name.as_str() == column || name.as_str() == family,
    };
    list.is_empty() || list.iter().any(is)
}

/// True if a list of columns, which is empty for all, has any of a family.
pub(super) fn any(list: &[Located<String>], name: &str, family: &Family) -> bool {
    list.is_empty()
        || list.iter().any(|column| column.as_str() == name)
        || some_column(family, |column| names(list, name, column))
}

/// True if a list of columns, which is empty for all, has each of a family.
pub(super) fn all(list: &[Located<String>], name: &str, family: &Family) -> bool {
    list.is_empty() || !some_column(family, |column| !names(list, name, column))
}

/// True if a query reads rows by their whole keys.
pub(super) fn is_get(cost: &QueryCost<'_>, key: &KeyFacts<'_>) -> bool {
    let among_last = || {
        let last = key.fields.last().is_some_and(|field| cost.query.among.contains_key(field.name));
        cost.leading + 1 == key.fields.len() && cost.next && last
    };
    cost.secondary.is_none() && (cost.leading == key.fields.len() || among_last())
}
