//! H13: a row grows without bound.

use crate::cost::bytes_per_row;
use crate::design::{Columns, Engine};
use crate::rules::context::{Context, RuleSink};

pub(crate) fn find(context: &Context<'_>, found: &mut RuleSink<'_>) {
    let key = &context.keys[0];
    for (name, family) in &context.table.table.family {
        let Some(columns) = &family.columns else { continue };
        let Columns::OfRow(of_row) = &columns.value else { continue };
        // A time in the key ends a row; a TTL and a limit bound it.
        if of_row.max.is_some() || family.ttl.is_some() || key.growing().is_some() {
            continue;
        }
        let message = format!(
            "a row has a column in {name:?} for each {:?}, and nothing bounds their number",
            column(&of_row.name)
        );
        let mut finding = found.finding(columns.place, message).of(name.as_str());
        if let Some(count) = of_row.per_row {
            let value = of_row.value.map_or(0.0, |bytes| bytes.0);
            finding = finding.number("columns a row", count.0, "");
            finding = finding.number("bytes a row", bytes_per_row(context.table, key, &[]).max(count.0 * value), "B");
        }
        let limit = match context.engine {
            Engine::Bigtable => "Bigtable refuses rows of more than 256 MB",
            Engine::HBase => "HBase cannot split a row over two regions",
            _ => "a row is read and written as a whole",
        };
        finding = finding.witness(limit);
        found.push(finding.remedy("one row for each, or a time or shard number in the key, or `max`", Vec::new()));
    }
}

fn column(name: &str) -> &str {
    name.split(':').next().unwrap_or(name).trim()
}
