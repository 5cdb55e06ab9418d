//! H09: split points that do not fit the keys.

use rowkey::Value;
use rowkey::foreign::Foreign;
use rowkey::layout::Scalar;
use rowkey::lead::{Lead, SaltFormat};
use rowkey::untyped::TypeBuf;

use crate::cost::{at, of_field, rows_of, value};
use crate::design::Splits;
use crate::drawn::is_numbered;
use crate::facts::{FieldFacts, Growth, KeyFacts};
use crate::file::{Count, Rate};
use crate::finding::{Edit, Finding};
use crate::problem::Located;
use crate::profile::Profile;
use crate::rules::context::{Context, RuleSink};
use crate::rules::hot::is_key_hot;
use crate::rules::regions::written;

pub(crate) fn find(context: &Context<'_>, found: &mut RuleSink<'_>) {
    for key in &context.keys {
        let Some(splits) = context.splits(key).filter(|_| !context.engine.hashes_partitions()) else { continue };
        let finding = match context.profile.filter(|profile| profile.regions.len() > 1 && profile.keys >= 1000) {
            Some(profile) if key.secondary.is_none() => uneven(profile, splits, found),
            _ => misfit(key, splits, found).or_else(|| beyond(context, key, splits, found)),
        };
        let finding = finding.or_else(|| under_load(context, key, splits, found));
        if let Some(finding) = finding {
            found.push(match context.secondary(key) {
                Some(secondary) => finding.of(secondary.name.as_str()),
                None => finding,
            });
        }
    }
}

/// The finding of regions of which a sample has very different numbers of keys.
fn uneven(profile: &Profile, splits: &Located<Splits>, found: &RuleSink<'_>) -> Option<Finding> {
    let (parts, what) = match profile.region_bytes.is_empty() {
        true => (&profile.regions, "keys"),
        false => (&profile.region_bytes, "bytes"),
    };
    let mean = parts.iter().map(|&part| part as f64).sum::<f64>() / parts.len() as f64;
    let most = parts.iter().copied().max().unwrap_or(0) as f64;
    let empty = profile.regions.iter().filter(|&&keys| keys == 0).count() as f64 / profile.regions.len() as f64;
    if most <= 2.0 * mean && empty <= 0.2 {
        return None;
    }
    let message = format!(
        "of {} regions the fullest has {:.1} times the mean of the sample's {what}, and {:.0} % have none",
        profile.regions.len(),
        most / mean,
        empty * 100.0
    );
    let finding = found.finding(splits.place, message).number("greatest over mean", most / mean, "");
    let finding = finding.number("empty regions", empty * 100.0, "%");
    Some(finding.remedy("split by a sample: `splits = { sample = \"…\", regions = … }`", Vec::new()))
}

/// The finding of split points of another alphabet than that of the keys.
fn misfit(key: &KeyFacts<'_>, splits: &Located<Splits>, found: &RuleSink<'_>) -> Option<Finding> {
    let first = key.fields.first()?;
    let is_text = is_text(&first.field.ty);
    let hex_lead = match key.layout.lead() {
        Lead::Salt(salt) => salt.format != SaltFormat::Binary,
        Lead::Hash(prefix) => prefix.taken().1.is_some(),
        _ => false,
    };
    let plain = matches!(key.layout.lead(), Lead::None);
    let why = match &splits.value {
        Splits::Hex(_) | Splits::Decimal(_) if !(plain && is_text && !first.field.desc || hex_lead) => {
            "split points of digits, and keys that do not begin with digits"
        }
        Splits::Uniform(_) if plain && is_text => "split points over all bytes, and keys that begin with text",
        // Text has no control characters: as hex, a byte of one begins with 0 or 1.
        Splits::Keys(keys)
            if plain
                && is_text
                && !first.field.desc
                && !keys.is_empty()
                && keys.iter().all(|key| key.starts_with(['0', '1'])) =>
        {
            "split points before all text, and keys that begin with text"
        }
        _ => return None,
    };
    let message = format!("{why}: nearly all rows are in few regions");
    let finding =
        found.finding(splits.place, message).witness(format!("the key begins with {}: {}", first.name, first.field));
    let edits = match (&splits.value, key.layout.lead()) {
        (_, Lead::Salt(_)) => vec![Edit { place: splits.place, text: "\"buckets\"".to_owned() }],
        (Splits::Hex(regions) | Splits::Decimal(regions), _) if !is_numbered(first) => {
            vec![Edit { place: splits.place, text: format!("{{ uniform = {regions} }}") }]
        }
        _ => Vec::new(),
    };
    Some(finding.remedy("split by the key's own alphabet, or by a sample", edits))
}

fn is_text(ty: &TypeBuf) -> bool {
    match ty {
        TypeBuf::Scalar(Scalar::Foreign(foreign)) => {
            matches!(foreign, Foreign::Text(_) | Foreign::Char(_) | Foreign::ZeroPadded(_))
        }
        TypeBuf::Scalar(scalar) => matches!(scalar, Scalar::Text | Scalar::Char | Scalar::HostPath | Scalar::Url),
        _ => false,
    }
}

/// The finding of split points that are not among the keys: of a salt's buckets, a constant, what grows, numbers of
/// which the file says how many there are.
fn beyond(
    context: &Context<'_>,
    key: &KeyFacts<'_>,
    splits: &Located<Splits>,
    found: &RuleSink<'_>,
) -> Option<Finding> {
    let points = context.table.split_points(key.secondary)?;
    let (least, greatest) = ends(key, rows_of(context.table, key.secondary))?;
    let count = points.iter().count();
    let is_outside =
        |point: &&[u8]| *point <= least.as_slice() || (*point > &*greatest && !point.starts_with(&greatest));
    let outside: Vec<&[u8]> = points.iter().filter(is_outside).collect();
    let first = outside.first().filter(|_| outside.len() * 5 > count)?;
    let message = format!(
        "{} of {} split points are before or after all keys: the regions that they cut off stay empty",
        outside.len(),
        count
    );
    let [first, least, greatest] = [*first, &least, &greatest].map(crate::quote::hbase_binary);
    let begin = format!("{first} is one; keys begin with {least} to {greatest}");
    let finding = found.finding(splits.place, message).number("split points outside", outside.len() as f64, "");
    let finding = finding.witness(taken(key).map_or(begin.clone(), |taken| format!("{begin}, {taken}")));
    Some(finding.remedy("split between values that are there, or by a sample", Vec::new()))
}

/// The finding of split points that leave more writes in one region than a server takes, where a key of more regions
/// would not.
fn under_load(
    context: &Context<'_>,
    key: &KeyFacts<'_>,
    splits: &Located<Splits>,
    found: &RuleSink<'_>,
) -> Option<Finding> {
    let fullest = written(context, key).filter(|_| !is_key_hot(context, key))?;
    let message = format!(
        "one of the {} that the split points make gets {} of the writes: more than one server takes",
        Count(fullest.regions).of("region"),
        Rate(fullest.rate.round())
    );
    let finding = found
        .finding(splits.place, message)
        .number("regions", fullest.regions, "")
        .number("writes of the fullest", fullest.rate, "/s")
        .number("servers that it would need", fullest.asked, "");
    let finding = match taken(key) {
        Some(taken) => finding.witness(format!("as keys are drawn by the statistics, {taken}")),
        None => finding,
    };
    Some(finding.remedy("more split points, between values that are there, or by a sample", Vec::new()))
}

/// The words for what the values of the first field are taken for, where they could be others.
fn taken(key: &KeyFacts<'_>) -> Option<String> {
    let first = key.fields.first().filter(|_| matches!(key.layout.lead(), Lead::None))?;
    let name = first.name;
    if is_numbered(first) {
        let values = first.spread.map(|spread| Count(spread.distinct).to_string()).unwrap_or_default();
        return Some(format!(
            "as the {values} values of {name:?} are taken for the first numbers: if they can be any, say `means.{name} = \
             \"random\"`"
        ));
    }
    let is_unknown = is_text(&first.field.ty) && first.meaning.is_none();
    is_unknown.then(|| format!("as {name:?} is taken for letters from a to z: a sample (`--sample`) has its own"))
}

/// The first bytes of about the least and the greatest key, from values made up; none where the first bytes can be any.
fn ends(key: &KeyFacts<'_>, rows: Option<f64>) -> Option<(Vec<u8>, Vec<u8>)> {
    /// Keys of this number are in nearly all buckets, and have nearly all values of one byte.
    const KEYS: u64 = 4096;
    let first = key.fields.first()?;
    let encoded = |k: u64| {
        let mut values: Vec<_> = key.fields.iter().map(|field| of_field(field, k)).collect();
        if matches!(key.layout.lead(), Lead::None) {
            let of = first.per.and_then(|per| key.fields.get(per)?.spread).map_or(1.0, |spread| spread.distinct);
            *values.first_mut()? = of_first(first, k as f64 / KEYS as f64, rows, of)?;
        }
        key.layout.encode(&values).ok()
    };
    let keys: Vec<_> = (0..KEYS).filter_map(encoded).collect();
    // The fields after the first can be any.
    let len = match key.layout.lead() {
        Lead::None => first.bytes as usize,
        lead => lead.width(),
    };
    let cut = |key: &Vec<u8>| key[..len.min(key.len())].to_vec();
    Some((cut(keys.iter().min()?), cut(keys.iter().max()?)))
}

/// A value of a first field from the part of all of them that is less; none where they can be any. `of`: the values of
/// another field for each of which it has its own.
fn of_first(field: &FieldFacts<'_>, part: f64, rows: Option<f64>, of: f64) -> Option<Value> {
    /// From 2001 to 2100, in seconds since 1970.
    const TIMES: (f64, f64) = (1e9, 4.1e9);
    let ty = &field.field.ty;
    match (field.growth, ty) {
        (Some(Growth::Time(_)), _) => Some(value(ty, at(TIMES.0 + part * (TIMES.1 - TIMES.0), ty, field.growth)?)),
        (Some(Growth::Sequence), _) => Some(value(ty, (part * rows?) as u64)),
        (None, TypeBuf::Scalar(Scalar::Bool | Scalar::Foreign(Foreign::Constant(_))) | TypeBuf::Enum(_)) => {
            Some(value(ty, (part * 4096.0) as u64))
        }
        (None, _) if is_numbered(field) => Some(value(ty, (part * field.spread?.distinct * of) as u64)),
        _ => None,
    }
}
