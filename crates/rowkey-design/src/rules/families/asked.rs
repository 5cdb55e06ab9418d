//! Which families and columns a query or a write names.

use crate::cost::QueryCost;
use crate::design::{Columns, Family};
use crate::facts::KeyFacts;
use crate::problem::Located;

/// The names of a family's columns; one for columns whose names are data.
pub(super) fn columns(family: &Family) -> Vec<&str> {
    match family.columns.as_ref().map(|columns| &columns.value) {
        Some(Columns::Names(names)) => names.iter().map(|name| name.as_str()).collect(),
        Some(Columns::OfRow(of_row)) => vec![of_row.name.split(':').next().unwrap_or("").trim()],
        None => family.sizes.keys().map(String::as_str).collect(),
    }
}

/// Whether a list of columns, which is empty for all, has this one: as `column`, `family:column` or `family`.
pub(super) fn names(list: &[Located<String>], family: &str, column: &str) -> bool {
    let is = |name: &Located<String>| match name.split_once(':') {
        Some((of, name)) => of == family && name == column,
        None => name.as_str() == column || name.as_str() == family,
    };
    list.is_empty() || list.iter().any(is)
}

/// Whether a list of columns, which is empty for all, has any of a family.
pub(super) fn any(list: &[Located<String>], name: &str, family: &Family) -> bool {
    list.iter().any(|column| column.as_str() == name)
        || columns(family).iter().any(|column| names(list, name, column))
        || list.is_empty()
}

/// Whether a list of columns, which is empty for all, has each of a family.
pub(super) fn all(list: &[Located<String>], name: &str, family: &Family) -> bool {
    columns(family).iter().all(|column| names(list, name, column))
}

/// Whether a query reads rows by their whole keys.
pub(super) fn is_get(cost: &QueryCost<'_>, key: &KeyFacts<'_>) -> bool {
    let among_last = || {
        let last = key.fields.last().is_some_and(|field| cost.query.among.contains_key(field.name));
        cost.leading + 1 == key.fields.len() && cost.next && last
    };
    cost.secondary.is_none() && (cost.leading == key.fields.len() || among_last())
}
