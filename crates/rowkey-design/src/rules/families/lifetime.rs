//! How long cells live, and how many versions of them.

use super::asked;
use crate::check::Context;
use crate::design::{Engine, Keep, Timestamp, WriteKind, WriteOrder};
use crate::facts::Growth;
use crate::finding::{Edit, Severity};
use crate::rules::Found;

/// F07.
pub(super) fn versions(context: &Context<'_>, found: &mut Found<'_>) {
    const MANY: u32 = 100;
    if !matches!(context.engine, Engine::HBase | Engine::Bigtable) {
        return;
    }
    for (name, family) in &context.table.table.family {
        let Some(versions) = family.versions.as_ref().filter(|versions| ***versions > MANY) else { continue };
        let message = format!("{} versions of each cell are kept in {name:?}", versions.value);
        let finding = found
            .finding(versions.place, message)
            .of(name.as_str())
            .number("versions", f64::from(versions.value), "")
            .witness("a read of the latest alone passes over the others in the same blocks".to_owned());
        found.push(finding.remedy(
            "put the time of a version, descending, behind the row key, or into the name of the column",
            Vec::new(),
        ));
    }
}

/// F08.
pub(super) fn timestamps(context: &Context<'_>, found: &mut Found<'_>) {
    let bigtable = context.engine == Engine::Bigtable;
    if !bigtable && context.engine != Engine::HBase {
        return;
    }
    for (name, family) in &context.table.table.family {
        let custom = family.timestamp.as_ref().filter(|timestamp| ***timestamp == Timestamp::Custom);
        if let (Some(custom), Some(ttl)) = (custom, &family.ttl) {
            let message = format!("the TTL of {name:?} counts from timestamps that are no times");
            let finding = found
                .finding(custom.place, message)
                .of(name.as_str())
                .number("TTL", ttl.seconds(), "s")
                .witness("a count of 5 is 5 ms after 1970: the cell has expired as it is written")
                .witness("a timestamp in the future: the cell expires that much later");
            let edit = Edit { place: custom.place, text: "\"server\"".to_owned() };
            found.push(finding.remedy("use the server's timestamps, and put the number into a column", vec![edit]));
        }
        let Some(fewest) = family.min_versions.as_ref().filter(|fewest| ***fewest > 0) else { continue };
        let versions = family.versions.as_ref().map_or(1, |versions| versions.value);
        if !bigtable && fewest.value > versions {
            let message = format!("{name:?} is to keep {} versions at least and {versions} at most", fewest.value);
            let text = fewest.value.to_string();
            let edit = match &family.versions {
                Some(versions) => Some(Edit { place: versions.place, text }),
                None => context.design.files.key_added(family.place, "versions", &text),
            };
            let finding = found
                .finding(fewest.place, message)
                .of(name.as_str())
                .number("least versions", f64::from(fewest.value), "")
                .number("most versions", f64::from(versions), "");
            found.push(finding.remedy("raise `versions`", edit.into_iter().collect()));
        } else if family.ttl.is_none() {
            let message = format!("`min_versions` of {name:?} does nothing: no TTL removes versions");
            let mut finding = found.finding(fewest.place, message).of(name.as_str()).number(
                "least versions",
                f64::from(fewest.value),
                "",
            );
            finding.severity = Severity::Warning;
            let edit = Edit { place: fewest.place, text: "0".to_owned() };
            found.push(finding.remedy("add a `ttl`, or leave `min_versions` out", vec![edit]));
        }
    }
}

/// F10.
pub(super) fn forever(context: &Context<'_>, found: &mut Found<'_>) {
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
    let put = |write: &&crate::Located<crate::design::Write>| write.kind.unwrap_or(WriteKind::Put) == WriteKind::Put;
    let rate: f64 = table.write.iter().filter(put).filter_map(|write| write.rate.as_ref()).map(|rate| rate.0).sum();
    if rate > 0.0 {
        finding = finding.number("rows a year", rate * 31_536_000.0, "");
    }
    let finding = finding.witness(format!("{:?} is a time, no family has a TTL, nothing deletes", time.name));
    let edit = context.design.files.key_added(context.table.name.place, "keep", "\"forever\"");
    found.push(finding.remedy("give the families a `ttl`, or write `keep = \"forever\"`", edit.into_iter().collect()));
}

/// F12.
pub(super) fn deletes(context: &Context<'_>, found: &mut Found<'_>) {
    let table = &context.table.table;
    let Some(time) = context.keys[0].fields.iter().find(|field| matches!(field.growth, Some(Growth::Time(_)))) else {
        return;
    };
    if !matches!(context.engine, Engine::HBase | Engine::Bigtable | Engine::DynamoDb) {
        return;
    }
    for write in table.write.iter().filter(|write| write.kind == Some(WriteKind::Delete)) {
        let oldest = matches!(write.order.as_ref().map(|order| &order.value), Some(WriteOrder::Time | WriteOrder::Key));
        let touched = |(name, family): &(&String, &crate::Located<crate::design::Family>)| {
            asked::any(&write.columns, name, family)
        };
        let expires = table.family.iter().filter(touched).any(|(_, family)| family.ttl.is_some());
        if !oldest || expires {
            continue;
        }
        let name = write.name.as_str();
        let message = format!("{name:?} deletes rows in the order of time: each leaves a marker until it is compacted");
        let mut finding = found.finding(write.place, message).of(name);
        if let Some(rate) = &write.rate {
            finding = finding.number("deletes a day", rate.0 * 86_400.0, "");
        }
        let finding = finding.witness(format!("{:?} says how old a row is", time.name));
        found.push(finding.remedy("give the families a `ttl`, and delete nothing", Vec::new()));
    }
}
