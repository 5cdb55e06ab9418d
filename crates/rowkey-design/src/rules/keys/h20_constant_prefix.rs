//! H20: all keys begin with the same bytes.

use rowkey::untyped::TypeBuf;

use crate::design::{Engine, Meaning};
use crate::facts::FieldFacts;
use crate::rules::context::{Context, RuleSink};

pub(crate) fn find(context: &Context<'_>, found: &mut RuleSink<'_>) {
    let key = &context.keys[0];
    let Some(first) = key.fields.first() else { return };
    let declared =
        first.meaning == Some(Meaning::Constant) || first.spread.is_some_and(|spread| spread.distinct <= 1.0);
    let seen = context.profile.filter(|profile| profile.distinct > 1.0).map(|profile| &profile.dead_prefix[..]);
    let seen = seen.filter(|prefix| !prefix.is_empty());
    if !declared && seen.is_none() {
        return;
    }
    let bytes = seen.map_or(first.bytes, |prefix| prefix.len() as f64);
    let message = match seen {
        Some(prefix) => format!("all keys of the sample begin with {}", crate::quote::hbase_binary(prefix)),
        None => format!("{:?} is the same in all keys", first.name),
    };
    let each = if context.engine == Engine::HBase { "bytes in each cell" } else { "bytes in each key" };
    let finding = found.finding(first.place, message).number(each, bytes, "B");
    found.push(finding.remedy(cure(context, first, declared || bytes >= first.bytes), Vec::new()));
}

/// The cure of a first field that is the same in all keys, or only begins so.
fn cure(context: &Context<'_>, first: &FieldFacts<'_>, whole: bool) -> String {
    let is_number = matches!(first.field.ty, TypeBuf::Scalar(scalar) if scalar.width().is_some());
    let cure = match (whole, context.keys[0].partition) {
        (true, Some(1)) => return "leave it out: it is the partition key, which all rows share".to_owned(),
        (true, _) => "leave it out, or put it last".to_owned(),
        (false, _) if is_number => format!("a narrower type for {:?}, if its values stay as small", first.name),
        (false, _) => format!("leave these bytes out of {:?}", first.name),
    };
    let split = if context.engine.hashes_partitions() { "" } else { "; split points have to begin with these bytes" };
    cure + split
}
