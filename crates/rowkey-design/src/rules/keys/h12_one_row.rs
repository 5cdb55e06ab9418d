//! H12: all writes go to one row.

use crate::rules::context::{Context, RuleSink};
use crate::rules::hot::one_rows;

pub(crate) fn find(context: &Context<'_>, found: &mut RuleSink<'_>) {
    for hot in one_rows(context) {
        let write = hot.load.write;
        let name = write.name.as_str();
        let message = format!("{name:?} writes one row ({}): no split divides a row", hot.own_rate());
        let mut finding = found.finding(write.place, message).of(name);
        finding = finding.number("writes that one server takes", hot.capacity, "/s");
        match hot.load.peak {
            Some(peak) => finding = finding.number("writes at the peak", peak, "/s"),
            None => finding.severity = finding.severity.min(crate::Severity::Warning),
        }
        let shards = hot.buckets;
        let cure = format!("divide the row over {shards} rows by a shard number and add them up when they are read");
        found.push(finding.remedy(cure, Vec::new()));
    }
}
