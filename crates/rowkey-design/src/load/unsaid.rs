//! A load of which a design says nothing: puts of new rows, and reads of a row by its whole key.

use crate::design::{Query, Write};
use crate::problem::Located;
use crate::resolve::TableDesign;

/// A write of new rows, with all columns, at no rate.
pub fn unsaid_write(table: &TableDesign) -> Located<Write> {
    let place = table.name.place;
    let name = Located { value: "all writes".to_owned(), place };
    let value = Write {
        name,
        kind: None,
        rate: None,
        peak: None,
        shape: None,
        order: None,
        bulk: None,
        updates: Vec::new(),
        approximate: None,
        columns: Vec::new(),
        atomic: None,
    };
    Located { value, place }
}

/// A query of a row by its whole key, at no rate.
pub fn unsaid_query(table: &TableDesign) -> Located<Query> {
    let place = table.name.place;
    let name = Located { value: "all reads".to_owned(), place };
    let fix = table.table.key.iter().map(|field| Located { value: field.name.clone(), place }).collect();
    let value = Query {
        name,
        fix,
        range: <_>::default(),
        among: <_>::default(),
        starts_with: <_>::default(),
        parts: <_>::default(),
        filter: Vec::new(),
        order: None,
        limit: None,
        returns: None,
        offset: None,
        columns: Vec::new(),
        rate: None,
        peak: None,
        shape: None,
        recent: None,
        skew: <_>::default(),
        online: None,
        batch: None,
        hit_rate: None,
        atomic: None,
        budget: None,
    };
    Located { value, place }
}
