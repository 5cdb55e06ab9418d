//! How many families, columns and tables there are.

use indexmap::IndexMap;
use rowkey::untyped::FieldBuf;

use super::asked;
use crate::check::Context;
use crate::design::{Columns, ColumnsOfRow, Engine, Family};
use crate::file::{Count, Named};
use crate::finding::Severity;
use crate::problem::Located;
use crate::resolve::TableDesign;
use crate::rules::Found;

/// F01.
pub(super) fn families(context: &Context<'_>, found: &mut Found<'_>) {
    let (most, why) = match context.engine {
        Engine::HBase => (3, "all share the memory of a region, and are split with it"),
        Engine::Bigtable => (100, "Bigtable is made for about 100 a table"),
        _ => return,
    };
    let families = &context.table.table.family;
    if families.len() <= most {
        return;
    }
    let message = format!("{} families: {why}", families.len());
    let mut finding = found.finding(context.table.name.place, message).number("families", families.len() as f64, "");
    let alike = alike(families);
    if alike.is_empty() {
        // Each has options of its own: what is in them can't stand in one.
        finding.severity = Severity::Note;
        finding = finding.witness("no two of them have the same options");
    }
    for names in alike {
        finding = finding.witness(format!("with the same options: {}", names.join(", ").escape_debug()));
    }
    found.push(finding.remedy(
        "put columns that are read together, and have the same options, into one family; or rows of a kind into a table of their own",
        Vec::new(),
    ));
}

/// The names of families whose options are the same, where there are several.
fn alike(families: &Named<Family>) -> Vec<Vec<&str>> {
    let mut groups: IndexMap<String, Vec<&str>> = IndexMap::new();
    for (name, family) in families {
        let f = &family.value;
        let options = format!(
            "{:?}",
            (
                f.ttl.as_ref().map(|ttl| ttl.value),
                f.versions.as_ref().map_or(1, |versions| versions.value),
                f.min_versions.as_ref().map_or(0, |versions| versions.value),
                f.compression.as_ref().map(|at| at.value),
                f.encoding.as_ref().map(|at| at.value),
                f.bloom.as_ref().map(|at| at.value),
                f.timestamp.as_ref().map(|at| at.value),
                f.in_memory.unwrap_or(false),
                f.mob.as_ref().map(|at| at.value.0),
            )
        );
        groups.entry(options).or_default().push(name);
    }
    groups.into_values().filter(|names| names.len() > 1).collect()
}

/// F02.
pub(super) fn rows_of_families(context: &Context<'_>, found: &mut Found<'_>) {
    const RATIO: f64 = 100.0;
    if context.engine != Engine::HBase {
        return;
    }
    let families = &context.table.table.family;
    let whole = crate::cost::rows(context.table);
    let rows = |family: &Family| family.rows.as_ref().map(|rows| rows.0).or(whole);
    let Some((big, most)) =
        families.iter().filter_map(|(name, family)| Some((name, rows(family)?))).max_by(|a, b| a.1.total_cmp(&b.1))
    else {
        return;
    };
    // The scans that read one family alone, and which.
    let scans = context.queries.iter().filter(|cost| cost.secondary.is_none());
    let scans = scans.filter(|cost| !asked::is_get(cost, &context.keys[0]));
    let only = |cost: &'_ crate::cost::QueryCost<'_>| {
        let mut asked = families.iter().filter(|(name, family)| asked::any(&cost.query.columns, name, family));
        asked.next().filter(|_| asked.next().is_none()).map(|(name, _)| name)
    };
    let alone: Vec<_> = scans.filter_map(|cost| Some((cost, only(cost)?))).collect();
    for (name, family) in families {
        let Some(few) = &family.rows else { continue };
        if most <= RATIO * few.0.max(1.0) {
            continue;
        }
        let scan = alone.iter().find(|(_, only)| *only == name).map(|(cost, _)| cost);
        if scan.is_none() && !context.queries.is_empty() {
            continue;
        }
        let message = format!(
            "the {} rows of {name:?} are spread over all regions of the {} rows of {big:?}",
            Count(few.0),
            Count(most)
        );
        let mut finding = found.finding(few.place, message).of(name.as_str()).number("rows", few.0, "").number(
            "rows of the largest family",
            most,
            "",
        );
        if let Some(scan) = scan {
            finding = finding.witness(format!("{:?} scans {name:?} alone", scan.query.name.as_str()));
        }
        found.push(finding.remedy(format!("put {name:?} into a table of its own"), Vec::new()));
    }
}

/// F09.
pub(super) fn columns(context: &Context<'_>, found: &mut Found<'_>) {
    if context.keys[0].growing().is_some() {
        // Each stretch of time has a row of its own.
        return;
    }
    for (name, family) in &context.table.table.family {
        let Some(Located { value: Columns::OfRow(of_row), place }) = &family.columns else { continue };
        if of_row.max.is_some() || family.ttl.is_some() || few_names(of_row) {
            continue;
        }
        let message = format!("nothing bounds how many columns a row has in {name:?}");
        let mut finding = found.finding(*place, message).of(name.as_str());
        if let Some(per_row) = of_row.per_row {
            finding = finding.number("columns of a row", per_row.0, "");
        }
        let key: Vec<&str> = context.keys[0].fields.iter().map(|field| field.name).collect();
        let finding = finding.witness(format!(
            "one row for each {}; one column for each {}",
            key.join(", ").escape_debug(),
            of_row.name.escape_debug()
        ));
        found.push(finding.remedy(
            "put what the column is named by into the row key, or a bucket of time or a shard; or say the `max` that the program keeps to",
            Vec::new(),
        ));
    }
}

/// Whether columns' names have so few bytes that there can't be many: at most two.
fn few_names(of_row: &ColumnsOfRow) -> bool {
    let shape = of_row.name.split_once(':').map(|(_, shape)| shape.trim());
    let field = shape.and_then(|shape| FieldBuf::new("name", shape).ok());
    field.and_then(|field| field.ty.width()).is_some_and(|width| width <= 2)
}

/// F15.
pub(super) fn tables(context: &Context<'_>, found: &mut Found<'_>) {
    /// Tables of one kind that are too many to be meant: a choice of ours.
    const SAME: usize = 10;
    /// The tables that an instance of Bigtable can have.
    const BIGTABLE: usize = 1000;
    let tables = &context.design.tables;
    let is_first = tables.values().next().is_some_and(|first| std::ptr::eq(first, context.table));
    if !is_first {
        return;
    }
    let all: usize = tables.values().map(|table| 1 + table.secondary.len()).sum();
    if context.engine == Engine::Bigtable && all > BIGTABLE {
        let message = format!("{all} tables with secondary ones: an instance of Bigtable has {BIGTABLE} at most");
        let mut finding = found.finding(context.table.name.place, message).number("tables", all as f64, "");
        finding.severity = Severity::Error;
        found.push(finding.remedy("put tables of one kind into one, with the kind first in its key", Vec::new()));
    }
    let mut kinds: IndexMap<String, Vec<&TableDesign>> = IndexMap::new();
    for table in tables.values() {
        kinds.entry(kind(table)).or_default().push(table);
    }
    for same in kinds.into_values().filter(|same| same.len() >= SAME) {
        let message = format!("{} tables have the same key and families: they can be one", same.len());
        let mut finding =
            found.finding(same[0].name.place, message).number("tables of one kind", same.len() as f64, "");
        let names: Vec<&str> = same.iter().take(3).map(|table| table.name.as_str()).collect();
        finding =
            finding.witness(format!("{}, … have the key {}", names.join(", ").escape_debug(), same[0].layout.shape()));
        found.push(
            finding
                .remedy("write one table with a field before the others that says which kind a row is of", Vec::new()),
        );
    }
}

/// What has to be the same in tables that can be one: the key's shape, the families, how long these keep cells.
fn kind(table: &TableDesign) -> String {
    let mut families: Vec<_> = table
        .table
        .family
        .iter()
        .map(|(name, family)| {
            (name, family.ttl.as_ref().map(|ttl| ttl.value), family.versions.as_ref().map(|at| at.value))
        })
        .collect();
    families.sort();
    format!("{} {families:?}", table.layout.shape())
}
