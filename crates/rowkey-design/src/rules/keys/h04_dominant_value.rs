//! H04: one value gets more writes than a server takes.

use rowkey::lead::Lead;

use crate::file::Rate;
use crate::rules::context::{Context, RuleSink};
use crate::rules::hot::{salted, writes};

pub(crate) fn find(context: &Context<'_>, found: &mut RuleSink<'_>) {
    for hot in writes(context, false) {
        let moving = hot.load.front.is_some_and(|front| front > 0) || hot.key.partition.is_some();
        let (Some(peak), Some(busiest), Some(places)) = (hot.load.peak, hot.load.busiest, hot.places()) else {
            continue;
        };
        let one = busiest * peak;
        if !moving || !matches!(hot.key.layout.lead(), Lead::None) || one <= hot.capacity || places < hot.servers {
            continue;
        }
        let first = &hot.key.fields[0];
        let message = format!(
            "the most frequent value of {:?} takes {} of the {} of {:?}: more than one server does",
            first.name,
            Rate(one),
            Rate(peak),
            hot.load.write.name.as_str()
        );
        let finding = found
            .finding(first.place, message)
            .number("share of the most frequent", busiest * 100.0, "%")
            .number("writes that one server takes", hot.capacity, "/s");
        let edits = salted(context, &hot);
        return found.push(finding.remedy("divide the heavy values by a salt or a shard number after them", edits));
    }
}
