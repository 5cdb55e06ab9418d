//! H16: text where a number or bytes would be shorter.

use rowkey::layout::Scalar;
use rowkey::untyped::TypeBuf;

use crate::design::Meaning;
use crate::rules::context::{Context, RuleSink};

pub(crate) fn find(context: &Context<'_>, found: &mut RuleSink<'_>) {
    for field in &context.keys[0].fields {
        if !matches!(field.field.ty, TypeBuf::Scalar(Scalar::Text)) {
            continue;
        }
        let meant = matches!(field.meaning, Some(Meaning::Uuid4 | Meaning::Uuid7 | Meaning::Ulid | Meaning::Digest));
        let seen = context.profile.and_then(|profile| profile.fields.iter().find(|seen| seen.name == field.name));
        let seen = seen.filter(|seen| seen.distinct > 1.0 && (seen.hex || seen.uuid_version.is_some()));
        let fixed = seen.and_then(|seen| seen.lengths).filter(|(least, most)| least == most && *most >= 8);
        if !meant && fixed.is_none() {
            continue;
        }
        let message = match fixed {
            Some((_, digits)) => format!("all values of {:?} are {digits} digits: as bytes they take half", field.name),
            None => format!("{:?} is text and means a number or an id, which bytes would hold", field.name),
        };
        let finding = found.finding(field.place, message).of(field.name).number("bytes of a value", field.bytes, "B");
        found.push(finding.remedy("a number, or bytes of a fixed length", Vec::new()));
    }
}
