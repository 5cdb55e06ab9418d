//! Layouts and values as JSON. Values are written without loss, as in FORMAT.md and the golden vectors:
//!
//! - integers as strings (enum tags as numbers), floats as the hex of their bits, bytes as hex
//! - instants and durations as `[seconds, nanoseconds]`, decimals and addresses as text
//! - host paths as people write them, URLs as `[host path, scheme, port, user]`, quadkeys and tiles as digits
//! - enums as `[tag, [fields]]`, tuples and lists as arrays
//! - None as null; Some as its value, but as an array of it in an option of an option, so that Some(None) is not None

use std::fmt::Display;
use std::str::FromStr;
use std::time::Duration;

use serde_json::{Value as Json, json};

use super::serial::LayoutRepr;
use super::{FieldBuf, LayoutBuf, LayoutError, TypeBuf, Value, ValueError};
use crate::keys::encode::decimal::Number;
use crate::keys::error::{Hex, quoted};
use crate::keys::foreign::fdb::{self, Fields};
use crate::keys::foreign::{FdbElement, Foreign};
use crate::keys::layout::{MAX_DEPTH, Scalar};

impl LayoutBuf {
    /// Reads a layout from JSON.
    ///
    /// # Errors
    /// If the JSON is not a valid layout, or has more than 128 levels. The error has the path to what is wrong, and
    /// why.
    ///
    /// ```
    /// use rowkey::LayoutBuf;
    ///
    /// let error = LayoutBuf::from_json(
    ///     r#"{"version": 1, "name": "K", "fields": [{"name": "a", "type": {"list": "u7"}}]}"#,
    /// );
    /// assert_eq!(error.unwrap_err().to_string(), "fields[0].type.list: \"u7\" is not a valid scalar at line 1 column 74");
    /// ```
    pub fn from_json(json: &str) -> Result<Self, LayoutError> {
        let mut deserializer = serde_json::Deserializer::from_str(json);
        let layout: LayoutRepr = serde_path_to_error::deserialize(&mut deserializer).map_err(|error| {
            let path = error.path().to_string();
            LayoutError::new(if path == "." { "" } else { &path }, error.into_inner().to_string())
        })?;
        deserializer.end().map_err(|error| LayoutError::new("", error.to_string()))?;
        layout.try_into()
    }

    /// Returns the layout as JSON.
    ///
    /// Many readers of JSON, [`from_json`](Self::from_json) too, read at most 128 levels: an option or a list is one, a
    /// tuple or a nested key three, an enum five. Keep a layout with deeper types as its [`shape`](Self::shape).
    pub fn to_json(&self) -> String {
        // There is no error: every layout is valid JSON.
        serde_json::to_string_pretty(self).unwrap_or_default()
    }

    /// Reads the values of a key, one for each field, from a JSON array: what [`Value::to_json`] writes.
    ///
    /// # Errors
    /// If the JSON is not an array of as many values, or a value is not valid for its field's type.
    pub fn values_from_json(&self, json: &Json) -> Result<Vec<Value>, ValueError> {
        fields_from_json(&self.fields, json)
    }
}

fn fields_from_json(fields: &[FieldBuf], json: &Json) -> Result<Vec<Value>, ValueError> {
    let items = array(json, fields.len())?;
    fields
        .iter()
        .zip(items)
        .map(|(field, json)| field.ty.value_from_json(json).map_err(|error| error.within(&field.name)))
        .collect()
}

fn array(json: &Json, len: usize) -> Result<&[Json], ValueError> {
    match json {
        Json::Array(items) if items.len() == len => Ok(items),
        other => Err(ValueError::new(format!("{} is not an array of {len}", quoted(other)))),
    }
}

fn text(json: &Json) -> Result<&str, ValueError> {
    json.as_str().ok_or_else(|| ValueError::new(format!("{} is not a string", quoted(json))))
}

fn parsed<T: FromStr<Err: Display>>(json: &Json) -> Result<T, ValueError> {
    text(json)?.parse().map_err(|error: T::Err| ValueError::new(format!("{}: {error}", quoted(json))))
}

fn bits(json: &Json, digits: usize) -> Result<u64, ValueError> {
    let hex = text(json)?;
    let is_hex = hex.len() == digits && hex.bytes().all(|byte| byte.is_ascii_hexdigit());
    let bits = if is_hex { u64::from_str_radix(hex, 16).ok() } else { None };
    bits.ok_or_else(|| ValueError::new(format!("{} is not the {digits} hex digits of a float's bits", quoted(json))))
}

fn seconds_and_nanos<T: FromStr<Err: Display>>(json: &Json) -> Result<(T, u32), ValueError> {
    let [seconds, nanos] = array(json, 2)? else { return Err(ValueError::new("not a pair")) };
    let nanos = parsed(nanos)?;
    if nanos >= 1_000_000_000 {
        return Err(ValueError::new(format!("{nanos} nanoseconds are not below 1000000000")));
    }
    Ok((parsed(seconds)?, nanos))
}

fn unhex(json: &Json) -> Result<Vec<u8>, ValueError> {
    let hex = text(json)?;
    let digits: Option<Vec<_>> = hex.chars().map(|c| c.to_digit(16)).collect();
    match digits {
        Some(digits) if digits.len() % 2 == 0 => Ok(digits.chunks(2).map(|d| (d[0] << 4 | d[1]) as u8).collect()),
        _ => Err(ValueError::new(format!("{} is not hex", quoted(json)))),
    }
}

impl TypeBuf {
    fn value_from_json(&self, json: &Json) -> Result<Value, ValueError> {
        Ok(match self {
            Self::Scalar(scalar) => scalar_from_json(*scalar, json)?,
            Self::Option(_) if json.is_null() => Value::Option(None),
            Self::Option(inner) => {
                let json = if matches!(**inner, Self::Option(_)) { &array(json, 1)?[0] } else { json };
                Value::Option(Some(Box::new(inner.value_from_json(json)?)))
            }
            Self::List(item) => {
                let Json::Array(items) = json else {
                    return Err(ValueError::new(format!("{} is not an array", quoted(json))));
                };
                let item = |(i, json): (usize, &Json)| {
                    item.value_from_json(json).map_err(|error| error.within(&format!("[{i}]")))
                };
                Value::List(items.iter().enumerate().map(item).collect::<Result<_, _>>()?)
            }
            Self::Enum(variants) => {
                let [tag, fields] = array(json, 2)? else { return Err(ValueError::new("not a pair")) };
                let variant = variants.iter().find(|variant| tag.as_u64() == Some(variant.tag.into()));
                let variant = variant.ok_or_else(|| ValueError::new(format!("{tag} is not a tag of the enum")))?;
                Value::Enum(variant.tag, fields_from_json(&variant.fields, fields)?)
            }
            Self::Tuple(fields) => Value::Tuple(fields_from_json(fields, json)?),
            Self::Custom(_) => Value::Bytes(unhex(json)?),
        })
    }
}

fn scalar_from_json(scalar: Scalar, json: &Json) -> Result<Value, ValueError> {
    let no = |what: &str| ValueError::new(format!("{} is not a {what}", quoted(json)));
    Ok(match scalar {
        Scalar::U8 | Scalar::U16 | Scalar::U32 | Scalar::U64 | Scalar::U128 => Value::Unsigned(parsed(json)?),
        Scalar::I8 | Scalar::I16 | Scalar::I32 | Scalar::I64 | Scalar::I128 => Value::Signed(parsed(json)?),
        Scalar::F32 => Value::F32(f32::from_bits(bits(json, 8)? as u32)),
        Scalar::F64 => Value::F64(f64::from_bits(bits(json, 16)?)),
        Scalar::Bool => Value::Bool(json.as_bool().ok_or_else(|| no("bool"))?),
        Scalar::Char => Value::Char(parsed(json)?),
        Scalar::Text | Scalar::HostPath | Scalar::QuadKey(_) | Scalar::Tile => Value::Text(text(json)?.to_owned()),
        Scalar::Url => {
            let [page, scheme, port, user] = array(json, 4)? else { return Err(no("url")) };
            let text = |json| text(json).map(|text| Value::Text(text.to_owned()));
            Value::Tuple(vec![text(page)?, text(scheme)?, Value::Unsigned(parsed(port)?), text(user)?])
        }
        Scalar::Bytes | Scalar::ByteArray(_) => Value::Bytes(unhex(json)?),
        Scalar::Decimal => Value::Decimal(parsed::<Number>(json)?.to_string()),
        Scalar::IpAddr => Value::Ip(parsed(json)?),
        Scalar::Instant => {
            let (seconds, nanos) = seconds_and_nanos(json)?;
            Value::Instant(seconds, nanos)
        }
        Scalar::Duration => {
            let (seconds, nanos) = seconds_and_nanos(json)?;
            Value::Duration(Duration::new(seconds, nanos))
        }
        Scalar::Foreign(foreign) if foreign.values() == scalar => own_from_json(foreign, json)?,
        Scalar::Foreign(foreign) => scalar_from_json(foreign.values(), json)?,
    })
}

/// A value of an encoding that no other type has.
fn own_from_json(foreign: Foreign, json: &Json) -> Result<Value, ValueError> {
    if foreign == Foreign::Fdb(FdbElement::Any) {
        return element_from_json(json, 0);
    }
    if let Some(present) = foreign.present() {
        let present = (!json.is_null()).then(|| scalar_from_json(Scalar::Foreign(present), json));
        return Ok(Value::Option(present.transpose()?.map(Box::new)));
    }
    array(json, 0)?;
    Ok(Value::Tuple(Vec::new()))
}

/// An element of a tuple of FoundationDB: `[tag, [fields]]`.
fn element_from_json(json: &Json, depth: usize) -> Result<Value, ValueError> {
    if depth >= MAX_DEPTH {
        return Err(ValueError::new("tuples are nested at most 128 deep"));
    }
    let [tag, of] = array(json, 2)? else { return Err(ValueError::new("not a pair")) };
    let known = tag.as_u64().and_then(|tag| Some((u8::try_from(tag).ok()?, fdb::fields(tag.try_into().ok()?)?)));
    let Some((tag, fields)) = known else {
        return Err(ValueError::new(format!("{} is not the type of an element", quoted(tag))));
    };
    let fields = match fields {
        Fields::None => array(of, 0).map(|_| Vec::new())?,
        Fields::One(scalar) => vec![scalar_from_json(scalar, &array(of, 1)?[0])?],
        Fields::Elements => {
            let elements = of.as_array().ok_or_else(|| ValueError::new(format!("{} is not an array", quoted(of))))?;
            elements.iter().map(|element| element_from_json(element, depth + 1)).collect::<Result<_, _>>()?
        }
    };
    Ok(Value::Enum(tag, fields))
}

impl Value {
    /// Returns the value as JSON, without loss, as FORMAT.md and the golden vectors have it.
    pub fn to_json(&self) -> Json {
        let all = |values: &[Self]| values.iter().map(Self::to_json).collect::<Json>();
        match self {
            Self::Unsigned(n) => n.to_string().into(),
            Self::Signed(n) => n.to_string().into(),
            Self::F32(n) => format!("{:08x}", n.to_bits()).into(),
            Self::F64(n) => format!("{:016x}", n.to_bits()).into(),
            Self::Bool(truth) => (*truth).into(),
            Self::Char(char) => char.to_string().into(),
            Self::Text(text) | Self::Decimal(text) => text.as_str().into(),
            Self::Bytes(bytes) => Hex(bytes).to_string().into(),
            Self::Ip(address) => address.to_string().into(),
            Self::Instant(seconds, nanos) => json!([seconds.to_string(), nanos.to_string()]),
            Self::Duration(d) => json!([d.as_secs().to_string(), d.subsec_nanos().to_string()]),
            Self::Option(None) => Json::Null,
            Self::Option(Some(value)) if matches!(**value, Self::Option(_)) => json!([value.to_json()]),
            Self::Option(Some(value)) => value.to_json(),
            Self::List(values) | Self::Tuple(values) => all(values),
            Self::Enum(tag, fields) => json!([tag, all(fields)]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hostile_layouts_are_refused_with_path_and_reason() {
        let field = |json: &str| format!(r#"{{"version": 1, "name": "K", "fields": [{json}]}}"#);
        let ty = |json: &str| field(&format!(r#"{{"name": "a", "type": {json}}}"#));
        for (json, path, reason) in [
            (String::new(), "", "EOF"),
            ("[".repeat(100_000), "[0]", "invalid type"),
            (ty(&format!("{}\"u8\"", r#"{"list": "#.repeat(100_000))), "fields[0].type.list", "recursion limit"),
            (
                ty(&format!("{}\"u8\"{}", r#"{"list": "#.repeat(126), "}".repeat(126))),
                "fields[0].type.list",
                "recursion limit",
            ),
            (ty(r#""bytes[18446744073709551616]""#), "fields[0].type", "not a valid scalar"),
            (ty(r#""bytes[-1]""#), "fields[0].type", "not a valid scalar"),
            (ty(r#"{"custom": {"shape": "own", "width": 1e400}}"#), "fields[0].type.custom.width", "out of range"),
            (ty(r#"{"custom": {"shape": "u8"}}"#), "fields[0].type.custom.shape", "not a valid shape"),
            (ty(r#"{"enum": []}"#), "fields[0].type.enum", "at least one"),
            (ty(r#"{"enum": [{"name": "A", "tag": 256}]}"#), "fields[0].type.enum[0].tag", "256"),
            (
                ty(r#"{"enum": [{"name": "A", "tag": 1}, {"name": "A", "tag": 2}]}"#),
                "fields[0].type.enum[1].name",
                "is repeated",
            ),
            (ty(r#"{"tuple": [{"name": "", "type": "u8"}]}"#), "fields[0].type.tuple[0].name", "empty"),
            (ty(r#"{"list": "u8", "option": "u8"}"#), "fields[0].type", "one key"),
            (field(r#"{"name": "a", "type": "u8"}, {"name": "a", "type": "u8"}"#), "fields[1].name", "is repeated"),
            (field(r#"{"name": "\u001b[2J", "type": "u8"}"#), "fields[0].name", "control"),
            (ty(r#""u8""#).replace(r#""K""#, r#""""#), "name", "empty"),
            (ty(r#""u8""#).replace(r#""a""#, &format!("{:?}", "a".repeat(256))), "fields[0].name", "more than 255"),
            (
                ty(r#""u8""#).replace(r#""K","#, r#""K", "prefix": {"md5": {"bytes": 4, "by": [0, 1]}},"#),
                "prefix.md5.by",
                "no field 1",
            ),
            (
                ty(r#""u8""#).replace(r#""K","#, r#""K", "prefix": {"salt": {"buckets": 0, "hash": "md5"}},"#),
                "prefix.salt.buckets",
                "not from 1",
            ),
            (field(""), "fields", "at least one"),
            (ty(r#""u8""#).replace(": 1,", ": 2,"), "version", "2 is unknown"),
            (ty(r#""u8""#) + "x", "", "trailing"),
        ] {
            let error = LayoutBuf::from_json(&json).unwrap_err();
            let shown = error.to_string();
            assert!(error.path.starts_with(path) && error.path.len() < 10_000, "{path} is not in {shown:.200}");
            assert!(path.is_empty() == error.path.is_empty(), "{path} is not in {shown:.200}");
            assert!(error.reason.contains(reason), "{reason} is not in {shown:.200}");
        }
    }

    /// The maximum depth of a layout depends on the levels of JSON that its types take.
    #[test]
    fn a_layout_as_deep_as_json_goes_comes_back() {
        for (open, close, deepest) in
            [("option<", ">", 124), ("list<", ">", 124), ("(", ")", 41), ("enum{1: (", ")}", 24)]
        {
            let layout = |deep: usize| -> LayoutBuf {
                format!("{}u8{}", open.repeat(deep), close.repeat(deep)).parse().unwrap()
            };
            assert_eq!(LayoutBuf::from_json(&layout(deepest).to_json()).unwrap(), layout(deepest));
            let error = LayoutBuf::from_json(&layout(deepest + 1).to_json()).unwrap_err();
            assert!(error.reason.contains("recursion limit"), "{error:.200}");
        }
    }

    #[test]
    fn widths_that_no_machine_has() {
        let layout: LayoutBuf = "bytes[18446744073709551615], bytes[18446744073709551615]".parse().unwrap();
        assert_eq!(layout.width(), None);
        assert!(layout.decode(&[1, 2, 3]).unwrap_err().to_string().contains("18446744073709551612 more bytes"));
    }
}
