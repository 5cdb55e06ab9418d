//! H21: even split points for uneven values.

use rowkey::lead::Lead;

use crate::design::Splits;
use crate::rules::context::{Context, RuleSink};

pub(crate) fn find(context: &Context<'_>, found: &mut RuleSink<'_>) {
    let Some(splits) = context.table.table.splits.as_ref().filter(|_| !context.engine.hashes_partitions()) else {
        return;
    };
    let key = &context.keys[0];
    let (Splits::Uniform(regions) | Splits::Hex(regions) | Splits::Decimal(regions)) = &splits.value else { return };
    let Some(first) = key.fields.first().filter(|_| matches!(key.layout.lead(), Lead::None)) else { return };
    let Some(spread) = first.spread else { return };
    let share = spread.p_max * f64::from(*regions);
    if share <= 2.0 {
        return;
    }
    let message = format!(
        "the most frequent value of {:?} has {:.1} times the rows of an even region, and the regions are even in keys alone",
        first.name, share
    );
    let finding = found
        .finding(splits.place, message)
        .number("share of the most frequent", spread.p_max * 100.0, "%")
        .number("regions", f64::from(*regions), "");
    found.push(finding.remedy("split by a sample of keys", Vec::new()));
}
