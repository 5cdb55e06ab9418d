//! H09: split points that do not fit the keys.

use rowkey::Value;
use rowkey::foreign::Foreign;
use rowkey::layout::Scalar;
use rowkey::lead::{Lead, SaltFormat};
use rowkey::untyped::TypeBuf;

use crate::cost::{at, of_field, rows, value};
use crate::design::Splits;
use crate::facts::{FieldFacts, Growth, KeyFacts};
use crate::finding::Edit;
use crate::rules::context::{Context, RuleSink};

pub(crate) fn find(context: &Context<'_>, found: &mut RuleSink<'_>) {
    let Some(splits) = &context.table.table.splits else { return };
    let key = &context.keys[0];
    let Some(first) = key.fields.first() else { return };
    if let Some(profile) = context.profile.filter(|profile| profile.regions.len() > 1 && profile.keys >= 1000) {
        let (parts, what) = match profile.region_bytes.is_empty() {
            true => (&profile.regions, "keys"),
            false => (&profile.region_bytes, "bytes"),
        };
        let mean = parts.iter().map(|&part| part as f64).sum::<f64>() / parts.len() as f64;
        let most = parts.iter().copied().max().unwrap_or(0) as f64;
        let empty = profile.regions.iter().filter(|&&keys| keys == 0).count() as f64 / profile.regions.len() as f64;
        if most > 2.0 * mean || empty > 0.2 {
            let message = format!(
                "of {} regions the fullest has {:.1} times the mean of the sample's {what}, and {:.0} % have none",
                profile.regions.len(),
                most / mean,
                empty * 100.0
            );
            let finding = found.finding(splits.place, message).number("greatest over mean", most / mean, "");
            let finding = finding.number("empty regions", empty * 100.0, "%");
            found.push(finding.remedy("split by a sample: `splits = { sample = \"…\", regions = … }`", Vec::new()));
        }
        return;
    }
    let text = match first.field.ty {
        TypeBuf::Scalar(Scalar::Foreign(foreign)) => {
            matches!(foreign, Foreign::Text(_) | Foreign::Char(_) | Foreign::ZeroPadded(_))
        }
        TypeBuf::Scalar(scalar) => matches!(scalar, Scalar::Text | Scalar::Char | Scalar::HostPath | Scalar::Url),
        _ => false,
    };
    let hex_lead = match key.layout.lead() {
        Lead::Salt(salt) => salt.format != SaltFormat::Binary,
        Lead::Hash(prefix) => prefix.taken().1.is_some(),
        _ => false,
    };
    let plain = matches!(key.layout.lead(), Lead::None);
    let why = match &splits.value {
        Splits::Hex(_) | Splits::Decimal(_) if !(plain && text && !first.field.desc || hex_lead) => {
            "split points of digits, and keys that do not begin with digits"
        }
        Splits::Uniform(_) if plain && text => "split points over all bytes, and keys that begin with text",
        // Text has no control characters: as hex, a byte of one begins with 0 or 1.
        Splits::Keys(keys)
            if plain
                && text
                && !first.field.desc
                && !keys.is_empty()
                && keys.iter().all(|key| key.starts_with(['0', '1'])) =>
        {
            "split points before all text, and keys that begin with text"
        }
        _ => return beyond(context, found),
    };
    let message = format!("{why}: nearly all rows are in few regions");
    let finding =
        found.finding(splits.place, message).witness(format!("the key begins with {}: {}", first.name, first.field));
    let edits = match (&splits.value, key.layout.lead()) {
        (_, Lead::Salt(_)) => vec![Edit { place: splits.place, text: "\"buckets\"".to_owned() }],
        (Splits::Hex(regions) | Splits::Decimal(regions), _) => {
            vec![Edit { place: splits.place, text: format!("{{ uniform = {regions} }}") }]
        }
        _ => Vec::new(),
    };
    found.push(finding.remedy("split by the key's own alphabet, or by a sample", edits));
}

/// The finding of split points that are not among the keys: of a salt's buckets, a constant, what grows.
fn beyond(context: &Context<'_>, found: &mut RuleSink<'_>) {
    let (Some(splits), Some(points)) = (&context.table.table.splits, context.table.split_points(None)) else { return };
    let Some((least, greatest)) = ends(&context.keys[0], rows(context.table)) else { return };
    let count = points.iter().count();
    let is_outside =
        |point: &&[u8]| *point <= least.as_slice() || (*point > &*greatest && !point.starts_with(&greatest));
    let outside: Vec<&[u8]> = points.iter().filter(is_outside).collect();
    let Some(first) = outside.first().filter(|_| outside.len() * 5 > count) else { return };
    let message = format!(
        "{} of {} split points are before or after all keys: the regions that they cut off stay empty",
        outside.len(),
        count
    );
    let [first, least, greatest] = [*first, &least, &greatest].map(crate::quote::hbase_binary);
    let finding = found
        .finding(splits.place, message)
        .number("split points outside", outside.len() as f64, "")
        .witness(format!("{first} is one; keys begin with {least} to {greatest}"));
    found.push(finding.remedy("split between values that are there, or by a sample", Vec::new()));
}

/// The first bytes of about the least and the greatest key, from values made up; none where the first bytes can be any.
fn ends(key: &KeyFacts<'_>, rows: Option<f64>) -> Option<(Vec<u8>, Vec<u8>)> {
    /// Keys of this number are in nearly all buckets, and have nearly all values of one byte.
    const KEYS: u64 = 4096;
    let first = key.fields.first()?;
    let encoded = |k: u64| {
        let mut values: Vec<_> = key.fields.iter().map(|field| of_field(field, k)).collect();
        if matches!(key.layout.lead(), Lead::None) {
            *values.first_mut()? = of_first(first, k as f64 / KEYS as f64, rows)?;
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

/// A value of a first field from the part of all of them that is less; none where they can be any.
fn of_first(field: &FieldFacts<'_>, part: f64, rows: Option<f64>) -> Option<Value> {
    /// From 2001 to 2100, in seconds since 1970.
    const TIMES: (f64, f64) = (1e9, 4.1e9);
    let ty = &field.field.ty;
    match (field.growth, ty) {
        (Some(Growth::Time(_)), _) => Some(value(ty, at(TIMES.0 + part * (TIMES.1 - TIMES.0), ty, field.growth)?)),
        (Some(Growth::Sequence), _) => Some(value(ty, (part * rows?) as u64)),
        (None, TypeBuf::Scalar(Scalar::Bool | Scalar::Foreign(Foreign::Constant(_))) | TypeBuf::Enum(_)) => {
            Some(value(ty, (part * 4096.0) as u64))
        }
        _ => None,
    }
}
