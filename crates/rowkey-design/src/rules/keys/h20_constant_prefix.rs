//! H20: all keys begin with the same bytes.

use crate::design::Meaning;
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
    let finding = found.finding(first.place, message).number("bytes in each cell", bytes, "B");
    found.push(finding.remedy("leave it out, or put it last; split points have to begin with it", Vec::new()));
}
