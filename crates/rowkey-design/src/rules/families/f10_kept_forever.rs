//! F10: time-series rows that nothing ever removes.

use crate::design::{Keep, WriteKind};
use crate::facts::Growth;
use crate::rules::context::{Context, RuleSink};

pub(crate) fn find(context: &Context<'_>, found: &mut RuleSink<'_>) {
    let table = &context.table.table;
    let time = context.keys[0].fields.iter().find(|field| matches!(field.growth, Some(Growth::Time(_))));
    let Some(time) = time.filter(|_| !table.family.is_empty()) else {
        return;
    };
    let kept = table.keep.as_ref().is_some_and(|keep| **keep == Keep::Forever);
    let removed = table.family.values().any(|family| family.ttl.is_some())
        || table.write.iter().any(|write| write.kind == Some(WriteKind::Delete));
    if kept || removed {
        return;
    }
    let message = "rows of a time are kept for ever, and the file does not say that they are to be".to_owned();
    let mut finding = found.finding(context.table.name.place, message);
    let put =
        |write: &&crate::problem::Located<crate::design::Write>| write.kind.unwrap_or(WriteKind::Put) == WriteKind::Put;
    let rate: f64 = table.write.iter().filter(put).filter_map(|write| write.rate.as_ref()).map(|rate| rate.0).sum();
    if rate > 0.0 {
        finding = finding.number("rows a year", rate * 31_536_000.0, "");
    }
    let finding = finding.witness(format!("{:?} is a time, no family has a TTL, nothing deletes", time.name));
    // Whether it is meant only people know.
    found.push(finding.remedy("give the families a `ttl`, or write `keep = \"forever\"`", Vec::new()));
}
