//! Values of fields as people write them.

use rowkey::foreign::{End, Foreign, Form};
use rowkey::layout::Scalar;
use rowkey::lead::Lead;
use rowkey::untyped::{FieldBuf, TypeBuf};
use rowkey::{LayoutBuf, Value};
use serde_json::{Value as Json, json};

use crate::file::node::nearest;
use crate::forms::{Times, key_loosened};

/// Why an argument is not what was expected.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{argument}: {reason}")]
pub struct ArgumentError {
    /// The argument, or its field.
    pub argument: String,
    /// The fault, and what to write.
    pub reason: String,
}

impl ArgumentError {
    pub(super) fn new(argument: impl Into<String>, reason: impl Into<String>) -> Self {
        Self { argument: argument.into(), reason: reason.into() }
    }
}

/// Reads a value of a field: JSON as keys' values are written, or the text itself: `42`, `bonn`, `"42"`, `null`, `1.5`,
/// `["1700000000", "0"]`, `2026-01-31T12:00:00Z`, `2026-01-31`. Times that are numbers are read as dates too, 16
/// bytes as UUIDs too, and dates and UUIDs of text keys as they stand there.
///
/// # Errors
/// If the field's type has no such value.
///
/// ```
/// use rowkey::Value;
/// use rowkey::untyped::FieldBuf;
/// use rowkey_design::internal::explain::{Times, value_of};
///
/// let read = |shape: &str, text: &str| value_of(&FieldBuf::new("f", shape).unwrap(), text, &Times::default());
/// assert_eq!(read("u16", "42"), Ok(Value::Unsigned(42)));
/// assert_eq!(read("instant", "1970-01-02T01:00:00+01:00"), Ok(Value::Instant(86_400, 0)));
/// assert_eq!(read("date['yyyyMMdd' '#']", "19700102"), Ok(Value::Instant(86_400, 0)));
/// assert!(read("u8", "256").is_err());
/// ```
pub fn value_of(field: &FieldBuf, text: &str, times: &Times<'_>) -> Result<Value, ArgumentError> {
    if let Some(value) = as_in_a_key(field, text) {
        return Ok(value);
    }
    let as_json = serde_json::from_str(text).ok().and_then(|json| one(field, json, times).ok());
    let as_text = |mut reason: String| {
        if let Some(forms) = times.forms(field) {
            reason += &format!(": {forms}");
        }
        ArgumentError::new(&field.name, reason)
    };
    match as_json {
        Some(value) => Ok(value),
        None => one(field, Json::String(text.to_owned()), times).map_err(as_text),
    }
}

/// A value of a field, which is written to see if the type has it.
fn one(field: &FieldBuf, json: Json, times: &Times<'_>) -> Result<Value, String> {
    let layout = LayoutBuf::of_fields("value", Lead::None, Vec::new(), vec![field.clone()]);
    let layout = layout.map_err(|error| error.to_string())?;
    let shape = || format!("; the field is {}", field.ty);
    let mut values = layout
        .values_from_json(&json!([times.loosened(field, json)]))
        .map_err(|error| format!("{}{}", error.reason, shape()))?;
    layout.encode(&values).map_err(|error| format!("{}{}", error.reason, shape()))?;
    values.pop().ok_or_else(|| "no value".to_owned())
}

/// The value of a date or a UUID that is written as it stands in a text key.
fn as_in_a_key(field: &FieldBuf, text: &str) -> Option<Value> {
    let TypeBuf::Scalar(Scalar::Foreign(Foreign::Text(of))) = field.ty else { return None };
    if !matches!(of.form(), Form::Date(_) | Form::Uuid) {
        return None;
    }
    let end = match of.end() {
        End::Before(delimiter) => delimiter.as_bytes().to_vec(),
        _ => Vec::new(),
    };
    let layout: LayoutBuf = field.ty.to_string().parse().ok()?;
    layout.decode(&[text.as_bytes(), &end].concat()).ok()?.pop()
}

/// Reads all values of a key: `field=value` for each field, or one JSON array.
///
/// # Errors
/// If a field has no value or two, a name is not a field's, or a value is not of the field's type.
///
/// ```
/// use rowkey_design::internal::explain::{Times, values_of};
///
/// let layout: rowkey::LayoutBuf = "text, u16".parse()?;
/// let times = Times::default();
/// let values = values_of(&layout, &["_1=258", "_0=a"], &times).unwrap();
/// assert_eq!(layout.encode(&values).unwrap(), b"a\0\x01\x02");
/// assert_eq!(values_of(&layout, &[r#"["a", 258]"#], &times).unwrap(), values);
/// let error = values_of(&layout, &["_0=a"], &times).unwrap_err();
/// assert_eq!(error.to_string(), "_1: the field has no value: write _1=VALUE");
/// # Ok::<(), rowkey::LayoutError>(())
/// ```
pub fn values_of(layout: &LayoutBuf, arguments: &[&str], times: &Times<'_>) -> Result<Vec<Value>, ArgumentError> {
    if let [array] = arguments
        && array.trim_start().starts_with('[')
    {
        let json: Json =
            serde_json::from_str(array).map_err(|error| ArgumentError::new("values", error.to_string()))?;
        let json = key_loosened(layout, json, times);
        return layout.values_from_json(&json).map_err(|error| ArgumentError::new("values", error.to_string()));
    }
    let mut values = vec![None; layout.fields().len()];
    for argument in arguments {
        let (index, text) = assignment(layout, argument)?;
        let field = &layout.fields()[index];
        if values[index].replace(value_of(field, text, times)?).is_some() {
            return Err(ArgumentError::new(&field.name, "the field has two values"));
        }
    }
    let value = |(value, field): (Option<Value>, &FieldBuf)| {
        let missing = || ArgumentError::new(&field.name, format!("the field has no value: write {}=VALUE", field.name));
        value.ok_or_else(missing)
    };
    values.into_iter().zip(layout.fields()).map(value).collect()
}

/// The field of `field=value`, and the value.
pub(super) fn assignment<'a>(layout: &LayoutBuf, argument: &'a str) -> Result<(usize, &'a str), ArgumentError> {
    let names: Vec<&str> = layout.fields().iter().map(|field| field.name.as_str()).collect();
    let Some((name, text)) = argument.split_once('=') else {
        return Err(ArgumentError::new(argument, format!("write FIELD=VALUE; the fields are {}", names.join(", "))));
    };
    match names.iter().position(|field| *field == name) {
        Some(index) => Ok((index, text)),
        None => Err(ArgumentError::new(argument, format!("there is no field {name:?}; {}", nearest(name, &names)))),
    }
}
