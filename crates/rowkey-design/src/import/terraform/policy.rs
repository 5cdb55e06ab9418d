//! The policy of a `google_bigtable_gc_policy`: as blocks, or as rules in JSON.

use std::collections::HashMap;

use serde_json::{Map, Value as Json};

use super::super::garbage::{Policy, Said};
use super::hcl::{Body, Expression, Located};

/// The policy of a resource; none if it collects nothing.
///
/// # Errors
/// Why it cannot be read.
pub(super) fn of(body: &Body, values: &HashMap<String, Expression>) -> Said<Option<Policy>> {
    let json = |value: &Located| to_json(value, values, 0);
    if let Some(rules) = body.get("gc_rules") {
        return rule(&encoded(rules, values, "its rules")?, 0).map(Some);
    }
    let mut parts = Vec::new();
    for block in body.blocks("max_age") {
        let age = match (block.body.get("duration"), block.body.get("days")) {
            (Some(duration), None) => {
                let text = json(duration)?;
                millis(text.as_str().ok_or("an age is text, such as \"168h\"")?)?
            }
            (None, Some(days)) => {
                let days = json(days)?.as_u64().and_then(|days| days.checked_mul(86_400_000));
                days.ok_or("an age is a whole number of days")?
            }
            _ => return Err("an age has a duration".to_owned()),
        };
        parts.push(Policy::Age(age));
    }
    for block in body.blocks("max_version") {
        parts.push(versions(&json(block.body.get("number").ok_or("a number of versions is missing")?)?)?);
    }
    let mode = body.get("mode").map(json).transpose()?;
    let mode = mode.as_ref().map(|mode| mode.as_str().unwrap_or_default().to_ascii_uppercase());
    joined(parts, mode.as_deref())
}

/// The JSON of an attribute, which is in text or that `jsonencode` makes.
pub(super) fn encoded(value: &Located, values: &HashMap<String, Expression>, what: &str) -> Said<Json> {
    match &value.value {
        Expression::Text(text) => serde_json::from_str(text).map_err(|error| format!("{what} are no JSON: {error}")),
        Expression::Call(function, argument) if function == "jsonencode" => to_json(argument, values, 0),
        _ => Err(format!("Terraform computes {what}")),
    }
}

fn joined(parts: Vec<Policy>, mode: Option<&str>) -> Said<Option<Policy>> {
    match (parts.len(), mode) {
        (0, _) => Ok(None),
        (1, _) => Ok(parts.into_iter().next()),
        (_, Some("UNION")) => Ok(Some(Policy::Any(parts))),
        (_, Some("INTERSECTION")) => Ok(Some(Policy::All(parts))),
        _ => Err("it has several rules, and no mode \"union\" or \"intersection\"".to_owned()),
    }
}

/// Reads `{"mode": "union", "rules": […]}`, `{"max_age": "168h"}` or `{"max_version": 3}`.
fn rule(json: &Json, depth: usize) -> Said<Policy> {
    let keys =
        || json.as_object().map(|object| object.keys().cloned().collect::<Vec<_>>().join(", ")).unwrap_or_default();
    if depth > 8 {
        return Err("its rules are in too many others".to_owned());
    }
    if let Some(rules) = json.get("rules").and_then(Json::as_array) {
        let parts = rules.iter().map(|part| rule(part, depth + 1)).collect::<Said<Vec<_>>>()?;
        let mode = json.get("mode").and_then(Json::as_str).map(str::to_ascii_uppercase);
        return joined(parts, mode.as_deref())?.ok_or_else(|| "it has no rules".to_owned());
    }
    match (json.get("max_age"), json.get("max_version")) {
        (Some(age), None) => Ok(Policy::Age(millis(age.as_str().ok_or("an age is text, such as \"168h\"")?)?)),
        (None, Some(number)) => versions(number),
        _ => Err(format!("a rule is max_age, max_version or rules, and this has: {}", keys())),
    }
}

fn versions(json: &Json) -> Said<Policy> {
    let number = json.as_u64().and_then(|number| u32::try_from(number).ok());
    number.map(Policy::Versions).ok_or_else(|| format!("{json} is no number of versions"))
}

/// Reads a duration of Go, such as `1h30m`, in whole milliseconds.
fn millis(text: &str) -> Said<u64> {
    const UNITS: &[(&str, u64)] = &[
        ("ms", 1_000_000),
        ("us", 1000),
        ("µs", 1000),
        ("ns", 1),
        ("h", 3_600_000_000_000),
        ("m", 60_000_000_000),
        ("s", 1_000_000_000),
    ];
    let wrong = || format!("{text:?} is not a duration, such as \"168h\"");
    let (mut nanos, mut rest) = (0u128, text);
    while !rest.is_empty() {
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let number: u128 = rest[..digits].parse().map_err(|_| wrong())?;
        rest = &rest[digits..];
        let (unit, factor) = UNITS.iter().find(|(unit, _)| rest.starts_with(unit)).ok_or_else(wrong)?;
        rest = &rest[unit.len()..];
        nanos = number.checked_mul((*factor).into()).and_then(|part| nanos.checked_add(part)).ok_or_else(wrong)?;
    }
    if text.is_empty() || !nanos.is_multiple_of(1_000_000) {
        return Err(wrong());
    }
    u64::try_from(nanos / 1_000_000).map_err(|_| wrong())
}

/// An expression as JSON.
fn to_json(value: &Located, values: &HashMap<String, Expression>, depth: usize) -> Said<Json> {
    const COMPUTED: &str = "Terraform computes a part of it, or a variable has no default";
    if depth > 16 {
        return Err(COMPUTED.to_owned());
    }
    let inner = |value: &Located| to_json(value, values, depth + 1);
    match &value.value {
        Expression::Text(text) => Ok(Json::String(text.clone())),
        Expression::Number(number) => {
            number.parse::<u64>().map(Json::from).map_err(|_| format!("{number} is no whole number"))
        }
        Expression::List(list) => list.iter().map(inner).collect::<Said<_>>().map(Json::Array),
        Expression::Object(pairs) => {
            let pairs = pairs.iter().map(|(key, value)| Ok((key.clone(), inner(value)?)));
            pairs.collect::<Said<Map<_, _>>>().map(Json::Object)
        }
        Expression::Reference(parts) => match values.get(&parts.join(".")) {
            Some(known) => inner(&Located { value: known.clone(), at: value.at.clone() }),
            None => Err(COMPUTED.to_owned()),
        },
        Expression::Call(..) | Expression::Computed => Err(COMPUTED.to_owned()),
    }
}
