//! H04: one value gets more writes than a server takes.

use rowkey::lead::Lead;

use crate::file::Rate;
use crate::rules::context::{Context, RuleSink};
use crate::rules::hot::{salted, writes};

/// Values that are so many times as frequent as even ones are uneven.
const UNEVEN: f64 = 1.2;

pub(crate) fn find(context: &Context<'_>, found: &mut RuleSink<'_>) {
    for hot in writes(context, false) {
        // Without a front the places are the rows.
        let moving = hot.load.front != Some(0);
        let (Some(peak), Some(busiest), Some(places)) = (hot.load.peak, hot.load.busiest, hot.places()) else {
            continue;
        };
        let one = busiest * peak;
        // Even values that one server does not take are too few, which H05 says, or the servers are, which H24 says.
        let is_uneven = busiest * places > UNEVEN;
        if !moving || !matches!(hot.key.layout.lead(), Lead::None) || one <= hot.capacity || !is_uneven {
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
        // A salt moves a row, and divides none.
        let (cure, edits) = match hot.load.front {
            Some(_) => ("divide the heavy values by a salt or a shard number after them", salted(context, &hot)),
            None => ("divide the heavy values by a shard number after them", Vec::new()),
        };
        return found.push(finding.remedy(cure, edits));
    }
}
