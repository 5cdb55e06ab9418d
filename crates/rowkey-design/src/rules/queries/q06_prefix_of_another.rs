//! Q06: one key is a prefix of another.

use rowkey::untyped::FieldBuf;

use super::mend;
use super::shown::hex;
use crate::finding::Edit;
use crate::rule::Severity::Warning;
use crate::rules::context::{Context, RuleSink};

pub(crate) fn find(context: &Context<'_>, found: &mut RuleSink<'_>) {
    let pair = context.profile.and_then(|profile| profile.prefixes.as_ref());
    for (at, key) in context.keys.iter().enumerate() {
        let Some(last) = key.fields.last().filter(|last| last.field.raw) else { continue };
        let whole = context
            .queries
            .iter()
            .find(|cost| context.key_of(cost).name == key.name && cost.leading == key.fields.len());
        let pair = pair.filter(|_| at == 0);
        if whole.is_none() && pair.is_none() {
            continue;
        }
        let message = format!(
            "{:?} is raw: one key can be the beginning of another, and a scan by it as a prefix finds both",
            last.name
        );
        let mut finding = found.finding(last.place, message).of(last.name);
        match (pair, whole) {
            (Some((short, long)), _) => {
                finding = finding.witness(format!("{} is the beginning of {}", hex(short), hex(long)));
                finding.severity = Warning;
            }
            (None, Some(cost)) => {
                finding = finding.witness(format!("{:?} reads one key", cost.query.name.as_str()));
            }
            _ => {}
        }
        let ended = FieldBuf { raw: false, ..last.field.clone() };
        let edits = vec![Edit { place: last.place, text: mend::field_text(&ended) }];
        found.push(
            finding.remedy("write the field with its end (without `raw`), or read it by gets and ranges alone", edits),
        );
    }
}
