//! F09: no bound on the columns of a row.

use rowkey::untyped::FieldBuf;

use crate::design::{Columns, ColumnsOfRow};
use crate::problem::Located;
use crate::rules::context::{Context, RuleSink};

pub(crate) fn find(context: &Context<'_>, found: &mut RuleSink<'_>) {
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

/// True if columns' names have so few bytes that there can't be many: at most two.
fn few_names(of_row: &ColumnsOfRow) -> bool {
    let shape = of_row.name.split_once(':').map(|(_, shape)| shape.trim());
    let field = shape.and_then(|shape| FieldBuf::new("name", shape).ok());
    field.and_then(|field| field.ty.width()).is_some_and(|width| width <= 2)
}
