//! Q12: one value in several spellings.

use super::bytes::fields;
use super::shown::hex;
use crate::design::Meaning;
use crate::rule::Severity::Warning;
use crate::rules::context::{Context, RuleSink};

pub(crate) fn find(context: &Context<'_>, found: &mut RuleSink<'_>) {
    const REMEDY: &str = "bring words to one case and one Unicode form (NFC) before they are written or looked up";
    if let Some((first, second)) = context.profile.and_then(|profile| profile.case.as_ref()) {
        let place = context.table.table.sample.as_ref().map_or(context.table.name.place, |sample| sample.place);
        let message = "keys of the sample differ in upper and lower case alone".to_owned();
        let mut finding = found.finding(place, message);
        finding.severity = Warning;
        found.push(finding.witness(format!("{} and {}", hex(first), hex(second))).remedy(REMEDY, Vec::new()));
    }
    for (_, field) in fields(context).filter(|(_, field)| field.meaning == Some(Meaning::Typed)) {
        let mut queries = context.table.table.query.iter();
        let asked = queries.find(|query| {
            query.fix.iter().any(|fixed| fixed.as_str() == field.name)
                || query.among.contains_key(field.name)
                || query.starts_with.contains_key(field.name)
        });
        let Some(query) = asked else { continue };
        let message = format!("{:?} is as people type it: \"Ada\" and \"ada\" are two keys", field.name);
        let finding = found.finding(field.place, message).of(field.name);
        let finding = finding.witness(format!("{:?} looks it up", query.name.as_str()));
        found.push(finding.remedy(REMEDY, Vec::new()));
    }
}
