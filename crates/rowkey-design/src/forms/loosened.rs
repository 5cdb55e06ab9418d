//! JSON values of fields as people write them, brought to the forms that layouts read.

use rowkey::layout::Scalar;
use rowkey::untyped::{FieldBuf, TypeBuf};
use serde_json::{Value as Json, json};

use super::date::date;

/// JSON as people write it, to JSON as values are written: numbers to strings, floats to bits, times to seconds,
/// UUIDs to hex.
///
/// A number that JSON cannot hold exactly, or of a field that is none, stays as it is, and is refused.
pub(super) fn loosened(ty: &TypeBuf, json: Json) -> Json {
    match (ty, json) {
        (TypeBuf::Scalar(scalar), json) => loosened_scalar(*scalar, json),
        (TypeBuf::Option(_), Json::Null) => Json::Null,
        (TypeBuf::Option(inner), json) => match (&**inner, json) {
            (TypeBuf::Option(_), Json::Array(items)) => items.into_iter().map(|json| loosened(inner, json)).collect(),
            (_, json) => loosened(inner, json),
        },
        (TypeBuf::List(item), Json::Array(items)) => items.into_iter().map(|json| loosened(item, json)).collect(),
        (TypeBuf::Tuple(fields), Json::Array(items)) => all_loosened(fields, items),
        (TypeBuf::Enum(variants), Json::Array(items)) => match <[Json; 2]>::try_from(items) {
            Ok([tag, Json::Array(values)]) => {
                match variants.iter().find(|variant| tag.as_u64() == Some(variant.tag.into())) {
                    Some(variant) => json!([tag, all_loosened(&variant.fields, values)]),
                    None => json!([tag, values]),
                }
            }
            Ok(pair) => Json::Array(pair.into()),
            Err(items) => Json::Array(items),
        },
        (_, json) => json,
    }
}

/// With too many or too few items it is refused later.
fn all_loosened(fields: &[FieldBuf], items: Vec<Json>) -> Json {
    let mut fields = fields.iter();
    items.into_iter().map(|json| fields.next().map_or(Json::Null, |field| loosened(&field.ty, json))).collect()
}

fn loosened_scalar(scalar: Scalar, json: Json) -> Json {
    match (scalar, json) {
        (Scalar::F32 | Scalar::F64, json) => {
            let digits = if scalar == Scalar::F32 { 8 } else { 16 };
            let bits = |text: &str| text.len() == digits && text.bytes().all(|byte| byte.is_ascii_hexdigit());
            let number = match &json {
                Json::Number(number) => number.to_string(),
                Json::String(text) if !bits(text) => text.clone(),
                _ => return json,
            };
            let bits = match scalar {
                Scalar::F32 => number.parse().map(|number: f32| format!("{:08x}", number.to_bits())),
                _ => number.parse().map(|number: f64| format!("{:016x}", number.to_bits())),
            };
            bits.map_or(json, Json::String)
        }
        (Scalar::Instant, Json::String(text)) => {
            let moment = text.parse().ok().map(|seconds: i64| (seconds, 0)).or_else(|| date(&text));
            moment.map_or(Json::String(text), |(seconds, nanos)| json!([seconds.to_string(), nanos.to_string()]))
        }
        (Scalar::Instant | Scalar::Duration, number @ Json::Number(_)) => json!([whole(number), "0"]),
        (Scalar::Duration, Json::String(text)) if text.parse::<u64>().is_ok() => json!([text, "0"]),
        (Scalar::Instant | Scalar::Duration | Scalar::Url, Json::Array(items)) => {
            items.into_iter().map(whole).collect()
        }
        (Scalar::Foreign(foreign), json) if foreign.values() != scalar => loosened_scalar(foreign.values(), json),
        (Scalar::Foreign(foreign), json) => match foreign.present() {
            Some(present) if !json.is_null() => loosened_scalar(Scalar::Foreign(present), json),
            _ => whole(json),
        },
        (Scalar::ByteArray(16), Json::String(text)) if is_uuid(&text) => Json::String(text.replace('-', "")),
        // A decimal would lose digits, and text its spelling.
        (Scalar::Decimal | Scalar::Text, json) => json,
        (_, json) => whole(json),
    }
}

/// True if it is a UUID with its four dashes, which are between digits of whole bytes.
fn is_uuid(text: &str) -> bool {
    let is_dash = |at: usize| matches!(at, 8 | 13 | 18 | 23);
    text.len() == 36 && text.bytes().enumerate().all(|(at, byte)| is_dash(at) == (byte == b'-'))
}

fn whole(json: Json) -> Json {
    match json {
        Json::Number(number) if !number.is_f64() => Json::String(number.to_string()),
        json => json,
    }
}
