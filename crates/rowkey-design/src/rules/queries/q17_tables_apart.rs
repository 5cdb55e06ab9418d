//! Q17: two tables of the same rows that nothing keeps consistent.

use rowkey::LayoutBuf;

use crate::design::Table;
use crate::rules::context::{Context, RuleSink};

/// True if two keys have the same fields, whatever their order and direction.
fn same_fields(one: &LayoutBuf, other: &LayoutBuf) -> bool {
    let (one, other) = (one.fields(), other.fields());
    // Compared in place: a design of many tables has many pairs.
    one.len() == other.len()
        && one.iter().all(|one| other.iter().any(|other| one.name == other.name && one.ty == other.ty))
}

pub(crate) fn find(context: &Context<'_>, found: &mut RuleSink<'_>) {
    let this = context.table;
    if this.layout.fields().len() < 2 || is_derived(&this.table) {
        return;
    }
    let (name, first) = (this.name.as_str(), this.layout.fields().first().map(|field| &field.name));
    let has = |table: &Table, name: &str| table.secondary.iter().any(|secondary| secondary.name.as_str() == name);
    // Each pair once: at the later of the two.
    let mut before = context.design.tables.values().take_while(|other| !std::ptr::eq(*other, this));
    let pair = before.find(|other| {
        let linked = has(&other.table, name) || has(&this.table, other.name.as_str());
        let same_order = other.layout.fields().first().map(|field| &field.name) == first;
        !linked && !same_order && !is_derived(&other.table) && same_fields(&this.layout, &other.layout)
    });
    let Some(other) = pair else { return };
    let of = other.name.as_str();
    let message =
        format!("the keys of {name:?} and {of:?} have the same fields, and nothing keeps the two tables together");
    let finding = found.finding(this.name.place, message);
    let shape =
        |layout: &LayoutBuf| layout.fields().iter().map(|field| field.name.as_str()).collect::<Vec<_>>().join(", ");
    let finding =
        finding.witness(format!("{of}: {}", shape(&other.layout))).witness(format!("{name}: {}", shape(&this.layout)));
    let cure = format!("declare {name:?} as a secondary table of {of:?} in place of this one, and write both by it");
    found.push(finding.remedy(cure, Vec::new()));
}

/// True if a table is filled by a job alone: it can be filled again.
fn is_derived(table: &Table) -> bool {
    !table.write.is_empty() && table.write.iter().all(|write| write.bulk == Some(true))
}
