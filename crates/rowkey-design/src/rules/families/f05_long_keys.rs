//! F05: keys longer than the engine takes.

use super::cells::largest;
use crate::design::{Engine, Meaning};
use crate::facts::{FieldFacts, KeyFacts};
use crate::file::Bytes;
use crate::finding::Edit;
use crate::rules::context::{Context, RuleSink};

/// Bytes, and what they are a limit of.
type Limit = (f64, &'static str);

/// The longest key.
fn longest_key(engine: Engine) -> Option<Limit> {
    let of = match engine {
        Engine::HBase => "a row key of HBase",
        Engine::Bigtable => "a row key of Bigtable",
        Engine::FoundationDb => "a key of FoundationDB",
        Engine::DynamoDb => "a partition key and a sort key of DynamoDB",
        _ => "a key of fjall",
    };
    Some((engine.longest_key()? as f64, of))
}

/// The longest partition key and the longest of what sorts rows in it, where these are apart.
fn partition_limits(engine: Engine) -> Option<(Limit, Limit)> {
    Some(match engine {
        Engine::DynamoDb => ((2048.0, "a partition key of DynamoDB"), (1024.0, "a sort key of DynamoDB")),
        Engine::Cassandra => {
            ((65_535.0, "a partition key of Cassandra"), (65_535.0, "clustering columns of Cassandra"))
        }
        _ => return None,
    })
}

pub(crate) fn find(context: &Context<'_>, found: &mut RuleSink<'_>) {
    for key in &context.keys {
        if let Some(((first, rest), partition)) = partition_limits(context.engine).zip(key.partition) {
            // What is before the fields is in the partition key.
            let lead = key.layout.lead().width() as f64;
            let (before, after) = key.fields.split_at(key.fields.len().min(partition));
            let too_long =
                report(context, found, key, before, lead, first) || report(context, found, key, after, 0.0, rest);
            if too_long {
                continue;
            }
        }
        let Some(limit) = longest_key(context.engine) else { continue };
        let lead = key.layout.lead().width() as f64;
        if report(context, found, key, &key.fields, lead, limit) {
            continue;
        }
        let Some(profile) = context.profile.filter(|_| key.secondary.is_none()) else { continue };
        let longest = profile.longest as f64;
        if longest > limit.0 {
            let message =
                format!("the sample has a key of {}: {} has {} at most", Bytes(longest), limit.1, Bytes(limit.0));
            let finding = found.finding(key.name.place, message).number("bytes of the longest key", longest, "B");
            let finding = finding.number("limit", limit.0, "B").witness(format!("{} keys in the sample", profile.keys));
            found.push(finding.remedy("store a digest in place of the longest field", Vec::new()));
        }
    }
}

/// Reports fields that are longer than a limit together.
fn report(
    context: &Context<'_>,
    found: &mut RuleSink<'_>,
    key: &KeyFacts<'_>,
    fields: &[FieldFacts<'_>],
    lead: f64,
    (limit, what): (f64, &str),
) -> bool {
    let bytes = lead + fields.iter().map(most_bytes).sum::<f64>();
    let longest = fields.iter().max_by(|a, b| most_bytes(a).total_cmp(&most_bytes(b)));
    let Some(longest) = longest.filter(|_| bytes > limit) else {
        return false;
    };
    let message = format!("keys have up to {}: {what} has {} at most", Bytes(bytes), Bytes(limit));
    let finding = found
        .finding(longest.place, message)
        .of(if key.secondary.is_some() { key.name.as_str() } else { longest.name })
        .number("bytes of the longest key", bytes, "B")
        .number("limit", limit, "B")
        .witness(format!("{:?} has up to {}", longest.name, Bytes(most_bytes(longest))));
    let edits = digest(context, longest, limit - bytes).into_iter().collect();
    found.push(finding.remedy(format!("store a digest of {:?}, and its text in a column", longest.name), edits));
    true
}

/// The most bytes of a field, as far as its type or the file says: of text without statistics, none.
fn most_bytes(field: &FieldFacts<'_>) -> f64 {
    let said = || field.stats.and_then(|stats| stats.size.as_ref()).map_or(0.0, largest);
    field.field.ty.width().map_or_else(said, |width| width as f64)
}

/// The edit that makes a field a digest of 16 bytes, where that is enough and no query needs the order of its values.
fn digest(context: &Context<'_>, field: &FieldFacts<'_>, missing: f64) -> Option<Edit> {
    const DIGEST: f64 = 16.0;
    let ordered = |query: &crate::design::Query| {
        query.starts_with.contains_key(field.name) || query.range.contains_key(field.name)
    };
    let enough = most_bytes(field) + missing >= DIGEST && missing < 0.0;
    let meant = context.table.table.means.get(field.name).is_none_or(|meaning| meaning.value == Meaning::Digest);
    if !enough || !meant || context.table.table.query.iter().any(|query| ordered(query)) {
        return None;
    }
    // A name with such characters would need escapes.
    let plain = !field.name.contains(|c: char| c.is_control() || c == '"' || c == '\\');
    plain.then(|| Edit { place: field.place, text: format!("\"{}: bytes[16]\"", field.name) })
}
