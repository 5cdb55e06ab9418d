//! Values whose bytes do not sort as they do, or are not one form of one thing.
//!
//! The types of the format exclude most of it: these rules find what is written into `text` and `bytes` instead, by what
//! the file says that fields mean, and by a sample.

use rowkey::layout::Scalar;
use rowkey::untyped::{FieldBuf, TypeBuf};

use super::shown::hex;
use super::{Found, mend};
use crate::check::Context;
use crate::design::{Meaning, Query};
use crate::facts::FieldFacts;
use crate::finding::Severity::{Note, Warning};
use crate::finding::{Edit, Finding};
use crate::profile::FieldProfile;

/// The fields of the table's key, and of its secondary tables' keys that the table's has not.
fn fields<'c, 'd>(context: &'c Context<'d>) -> impl Iterator<Item = (usize, &'c FieldFacts<'d>)> {
    let all =
        context.keys.iter().enumerate().flat_map(|(key, facts)| facts.fields.iter().map(move |field| (key, field)));
    all.filter(|(key, field)| *key == 0 || context.keys[0].index(field.name).is_none())
}

fn is_text(field: &FieldFacts<'_>) -> bool {
    matches!(field.field.ty, TypeBuf::Scalar(Scalar::Text | Scalar::Bytes))
}

/// Whether it is a time or a count in units, which the file says of a number.
fn is_number(meaning: Option<Meaning>) -> bool {
    matches!(
        meaning,
        Some(
            Meaning::Seconds
                | Meaning::Millis
                | Meaning::Micros
                | Meaning::Nanos
                | Meaning::Sequence
                | Meaning::Snowflake
                | Meaning::TimeBucket
        )
    )
}

fn seen<'c>(context: &'c Context<'_>, field: &FieldFacts<'_>) -> Option<&'c FieldProfile> {
    context.profile?.fields.iter().find(|seen| seen.name == field.name)
}

/// Whether a query needs the field's order: one value of it is found in any form.
fn is_ordered_by(query: &Query, name: &str) -> bool {
    query.range.contains_key(name) || query.is_ordered()
}

/// A finding of a field: a note where no query needs its order.
fn of_field(found: &Found<'_>, context: &Context<'_>, field: &FieldFacts<'_>, message: String) -> Finding {
    let mut finding = found.finding(field.place, message).of(field.name);
    let mut queries = context.table.table.query.iter();
    if !queries.any(|query| is_ordered_by(query, field.name)) {
        finding.severity = Note;
    }
    finding
}

/// The field with another shape, as an edit; a raw one keeps its bytes.
fn retyped(field: &FieldFacts<'_>, shape: &str) -> Vec<Edit> {
    match FieldBuf::new(field.name, shape) {
        Ok(new) if !field.field.raw => {
            let new = FieldBuf { desc: field.field.desc, ..new };
            vec![Edit { place: field.place, text: mend::field_text(&new) }]
        }
        _ => Vec::new(),
    }
}

pub(super) fn prefixes(context: &Context<'_>, found: &mut Found<'_>) {
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

pub(super) fn numbers(context: &Context<'_>, found: &mut Found<'_>) {
    for (_, field) in fields(context).filter(|(_, field)| is_text(field)) {
        let uneven = seen(context, field).filter(|seen| seen.uneven_decimal);
        let is_text = matches!(field.field.ty, TypeBuf::Scalar(Scalar::Text));
        let counts = is_text && is_number(field.meaning);
        if field.meaning != Some(Meaning::Number) && !counts && uneven.is_none() {
            continue;
        }
        let message =
            format!("{:?} has numbers as text: \"10\" sorts before \"9\", and \"-1\" before \"-2\"", field.name);
        let mut finding = of_field(found, context, field, message);
        for (text, _) in uneven.iter().flat_map(|seen| seen.top.iter().take(2)) {
            finding = finding.witness(format!("value: {text:?}"));
        }
        let text = "write it as a number: `decimal`, or an integer type";
        found.push(finding.remedy(text, retyped(field, if counts { "i64" } else { "decimal" })));
    }
}

pub(super) fn native(context: &Context<'_>, found: &mut Found<'_>) {
    for (_, field) in fields(context) {
        let in_bytes = matches!(field.field.ty, TypeBuf::Scalar(Scalar::ByteArray(_))) && is_number(field.meaning);
        if field.meaning != Some(Meaning::NativeNumber) && !in_bytes {
            continue;
        }
        let shape = match field.field.ty {
            TypeBuf::Scalar(Scalar::ByteArray(1)) => "i8",
            TypeBuf::Scalar(Scalar::ByteArray(2)) => "i16",
            TypeBuf::Scalar(Scalar::ByteArray(4)) => "i32",
            TypeBuf::Scalar(Scalar::ByteArray(8)) => "i64",
            TypeBuf::Scalar(Scalar::ByteArray(16)) => "i128",
            TypeBuf::Scalar(Scalar::ByteArray(_) | Scalar::Bytes) => "",
            // A number of the format: its bytes sort as it does.
            _ => continue,
        };
        let message = format!(
            "{:?} is a number in a processor's bytes: negative ones sort after the others, and little-endian ones anyhow",
            field.name
        );
        let finding = of_field(found, context, field, message);
        let finding =
            finding.witness("-1 is ff…ff and 1 is 00…01 or 01…00; as an i32, -1 is 7fffffff and 1 is 80000001");
        let edits = if shape.is_empty() { Vec::new() } else { retyped(field, shape) };
        found.push(finding.remedy("write it as a number of the format, such as `i64` or `f64`", edits));
    }
}

pub(super) fn local_time(context: &Context<'_>, found: &mut Found<'_>) {
    for (_, field) in fields(context) {
        let formats = seen(context, field).filter(|_| is_text(field)).map(formats).unwrap_or_default();
        let message = match (field.meaning, formats.as_slice()) {
            (Some(Meaning::LocalTime), _) => format!(
                "{:?} is a local time: when clocks go back, an hour comes twice, and a range has both or neither",
                field.name
            ),
            (_, [_, _, ..]) => {
                format!("{:?} has times in several formats or zones: they do not sort by time", field.name)
            }
            _ => continue,
        };
        let mut finding = of_field(found, context, field, message);
        for format in formats.iter().take(3) {
            finding = finding.witness(format!("format: {format:?}, where 9 is a digit"));
        }
        let text = "write instants (UTC), and turn the bounds of a local day into instants when reading";
        // A field that means a local time stays one whatever its type.
        let edits = if field.meaning.is_none() { retyped(field, "instant") } else { Vec::new() };
        found.push(finding.remedy(text, edits));
    }
}

/// The formats of a text field's values that begin as a date does, with `9` for each digit.
fn formats(seen: &FieldProfile) -> Vec<String> {
    let shape = |text: &str| -> String {
        let date: String = text.chars().take(40).map(|c| if c.is_ascii_digit() { '9' } else { c }).collect();
        // Of the offset from UTC the value counts.
        match text.char_indices().nth(19).and_then(|(at, _)| text.get(at..)?.rfind(['+', '-']).map(|sign| at + sign)) {
            Some(sign) if date.is_ascii() => {
                format!("{}{}", &date[..sign.min(date.len())], text.get(sign..).unwrap_or_default())
            }
            _ => date,
        }
    };
    let mut formats: Vec<String> = Vec::new();
    for (text, _) in &seen.top {
        // A sketch may show values in quotes.
        let format = shape(text.trim_matches('"'));
        let is_date = ["9999-99-99", "9999/99/99", "99.99.9999", "99/99/9999", "99999999T"]
            .iter()
            .any(|start| format.starts_with(start));
        if is_date && !formats.contains(&format) {
            formats.push(format);
        }
    }
    formats
}

pub(super) fn mixed(context: &Context<'_>, found: &mut Found<'_>) {
    let Some(profile) = context.profile.filter(|profile| profile.undecoded > 0) else { return };
    let place = context.table.table.sample.as_ref().map_or(context.table.name.place, |sample| sample.place);
    let (undecoded, keys) = (profile.undecoded, profile.keys.max(profile.undecoded));
    let message = format!("{undecoded} of {keys} keys of the sample are not of this layout");
    let mut finding = found.finding(place, message);
    finding = finding.number("keys that do not decode", undecoded as f64, "").number("keys", keys as f64, "");
    if let Some((number, fault)) = &profile.first_undecoded {
        finding = finding.witness(format!("key {number}: {fault}"));
    }
    found.push(finding.remedy(
        "find what wrote them; purge them, or migrate them to this layout: a scan that meets one fails, or skips it",
        Vec::new(),
    ));
}

pub(super) fn spellings(context: &Context<'_>, found: &mut Found<'_>) {
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
