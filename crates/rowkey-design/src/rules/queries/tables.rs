//! Secondary tables, and tables that should be.

use super::{Found, mend};
use crate::check::Context;
use crate::design::{Meaning, Table};
use crate::file::Count;
use rowkey::LayoutBuf;
use rowkey::lead::Lead;

/// Of so few values each has a large part of the rows.
const FEW: f64 = 20.0;

pub(super) fn few_values(context: &Context<'_>, found: &mut Found<'_>) {
    let table = &context.table.table;
    for key in &context.keys[1..] {
        let Some(first) = key.fields.first() else { continue };
        let values = first.spread.map(|spread| spread.distinct);
        let changed = table.write.iter().find(|write| write.updates.iter().any(|name| name.as_str() == first.name));
        let changes = first.meaning == Some(Meaning::Status) || changed.is_some();
        let few =
            values.is_some_and(|values| values <= FEW) || (values.is_none() && first.meaning == Some(Meaning::Status));
        if !few || !changes || !matches!(key.layout.lead(), Lead::None) {
            continue;
        }
        let count = values.map_or("few".to_owned(), |values| Count(values).to_string());
        let message = format!(
            "{:?} is an index by {:?}, which has {count} values: each is one long range, and each change of it deletes a row there and puts another",
            key.name.as_str(),
            first.name
        );
        let mut finding = found.finding(key.name.place, message).of(key.name.as_str());
        if let Some(values) = values {
            finding = finding.number("values", values, "");
        }
        if let Some(write) = changed {
            finding = finding.witness(format!("{:?} changes it", write.name.as_str()));
            if let Some(rate) = &write.rate {
                finding = finding.number("changes", rate.0, "/s");
            }
        }
        let secondary = key.secondary.and_then(|i| table.secondary.get(i));
        let edits = secondary.map(|secondary| mend::added(context, secondary.place, "salt", "{ buckets = 8 }"));
        found.push(finding.remedy(
            "index only the values that are looked for, such as what is still open; and spread each over a salt",
            edits.unwrap_or_default(),
        ));
    }
}

/// Whether two keys have the same fields, whatever their order and direction.
fn same_fields(one: &LayoutBuf, other: &LayoutBuf) -> bool {
    let (one, other) = (one.fields(), other.fields());
    // Compared in place: a design of many tables has many pairs.
    one.len() == other.len()
        && one.iter().all(|one| other.iter().any(|other| one.name == other.name && one.ty == other.ty))
}

pub(super) fn apart(context: &Context<'_>, found: &mut Found<'_>) {
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

/// Whether a table is filled by a job alone: it can be filled again.
fn is_derived(table: &Table) -> bool {
    !table.write.is_empty() && table.write.iter().all(|write| write.bulk == Some(true))
}
