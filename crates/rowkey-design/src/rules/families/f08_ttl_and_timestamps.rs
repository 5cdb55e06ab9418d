//! F08: a TTL that contradicts timestamps or versions.

use crate::design::{Engine, Timestamp};
use crate::finding::Edit;
use crate::rule::Severity;
use crate::rules::context::{Context, RuleSink};

pub(crate) fn find(context: &Context<'_>, found: &mut RuleSink<'_>) {
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
