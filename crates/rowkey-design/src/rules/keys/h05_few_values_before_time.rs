//! H05: fewer values before the time field than servers.

use crate::file::Count;
use crate::finding::Finding;
use crate::rule::Severity;
use crate::rules::context::{Context, RuleSink};
use crate::rules::hot::{Hot, few_places, salted};

pub(crate) fn find(context: &Context<'_>, found: &mut RuleSink<'_>) {
    for hot in few_places(context) {
        if let Some(finding) = finding(context, found, &hot) {
            found.push(finding);
        }
    }
}

fn finding(context: &Context<'_>, found: &RuleSink<'_>, hot: &Hot<'_, '_>) -> Option<Finding> {
    let (front, values, places) = (hot.front()?, hot.values()?, hot.places()?);
    let before = hot.key.partition.or(hot.load.front).unwrap_or(0);
    let before: Vec<&str> = hot.key.fields.iter().take(before).map(|field| field.name).collect();
    let message = format!(
        "there are {} of {}: so many servers of {} work ({})",
        Count(values.round()).of("value"),
        before.join(", "),
        Count(hot.servers),
        hot.own_rate()
    );
    let mut finding = found.finding(front.place, message).number("places written at once, as even ones", places, "");
    finding = finding.number("servers", hot.servers, "").number("writes that one server takes", hot.capacity, "/s");
    if hot.load.peak.is_none() {
        finding.severity = finding.severity.min(Severity::Warning);
    }
    if let Some(index) = hot.key.secondary {
        finding = finding.of(context.table.table.secondary[index].name.as_str());
    }
    let edits = salted(context, hot);
    Some(finding.remedy("add a salt that divides each value, or a field before the time", edits))
}
