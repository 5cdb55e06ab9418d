//! F15: many tables of the same schema.

use indexmap::IndexMap;

use crate::design::Engine;
use crate::resolve::TableDesign;
use crate::rule::Severity;
use crate::rules::context::{Context, RuleSink};

pub(crate) fn find(context: &Context<'_>, found: &mut RuleSink<'_>) {
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

/// The parts that are the same in tables that can be one: the key's shape, the families, how long these keep cells.
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
