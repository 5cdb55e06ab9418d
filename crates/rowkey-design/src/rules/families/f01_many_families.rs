//! F01: more families than the engine is made for.

use indexmap::IndexMap;

use crate::design::{Engine, Family};
use crate::file::Named;
use crate::rule::Severity;
use crate::rules::context::{Context, RuleSink};

pub(crate) fn find(context: &Context<'_>, found: &mut RuleSink<'_>) {
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
