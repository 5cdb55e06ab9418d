//! H05: fewer values before the time field than servers.

use crate::file::Count;
use crate::rule::Severity;
use crate::rules::context::{Context, RuleSink};
use crate::rules::hot::{few_places, salted};

pub(crate) fn find(context: &Context<'_>, found: &mut RuleSink<'_>) {
    let Some((hot, places)) = few_places(context) else { return };
    let Some(front) = hot.front() else { return };
    let before = hot.key.partition.or(hot.load.front).unwrap_or(0);
    let before: Vec<&str> = hot.key.fields.iter().take(before).map(|field| field.name).collect();
    let message = format!(
        "the values of {} are written as unevenly as {}: so many servers of {} work ({})",
        before.join(", "),
        Count(places.round()).of("even one"),
        Count(hot.servers),
        hot.rate()
    );
    let mut finding = found.finding(front.place, message).number("places written at once", places, "");
    finding = finding.number("servers", hot.servers, "").number("writes that one server takes", hot.capacity, "/s");
    if hot.load.peak.is_none() {
        finding.severity = finding.severity.min(Severity::Warning);
    }
    let edits = salted(context, &hot);
    found.push(finding.remedy("add a salt that divides each value, or a field before the time", edits));
}
