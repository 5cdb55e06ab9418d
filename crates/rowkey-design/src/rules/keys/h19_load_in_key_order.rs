//! H19: a bulk load in key order.

use crate::design::WriteOrder;
use crate::rules::context::{Context, RuleSink};

pub(crate) fn find(context: &Context<'_>, found: &mut RuleSink<'_>) {
    if context.capacity.takes_all() {
        return;
    }
    for write in &context.table.table.write {
        if !matches!(write.order.as_deref(), Some(WriteOrder::Key)) || write.bulk == Some(true) {
            continue;
        }
        let name = write.name.as_str();
        let message = format!("{name:?} writes in the order of the key: one region after the other does all the work");
        let mut finding = found.finding(write.place, message).of(name);
        finding.numbers.extend(write.rate.as_ref().map(|rate| crate::finding::Measure {
            name: "rows",
            value: rate.0,
            unit: "/s",
        }));
        found.push(finding.remedy("shuffle the input, or write files and load them (`bulk = true`)", Vec::new()));
    }
}
