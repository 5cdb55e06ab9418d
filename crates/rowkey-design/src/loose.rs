//! Values as people write them in JSON: numbers that are no strings, floats in decimals, times of RFC 3339.

use rowkey::layout::Scalar;
use rowkey::untyped::{FieldBuf, TypeBuf};
use serde_json::{Value as Json, json};
use toml_datetime::{Datetime, Offset};

/// JSON as people write it, to JSON as values are written: numbers to strings, floats to bits, times to seconds.
///
/// A number that JSON cannot hold exactly stays as it is, and is refused.
pub(crate) fn loosened(ty: &TypeBuf, json: Json) -> Json {
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
        (Scalar::Instant, Json::String(text)) => match moment(&text) {
            Some((seconds, nanos)) => json!([seconds.to_string(), nanos.to_string()]),
            None => Json::String(text),
        },
        (Scalar::Instant | Scalar::Duration, number @ Json::Number(_)) => json!([whole(number), "0"]),
        (Scalar::Duration, Json::String(text)) if text.parse::<u64>().is_ok() => json!([text, "0"]),
        (Scalar::Instant | Scalar::Duration | Scalar::Url, Json::Array(items)) => {
            items.into_iter().map(whole).collect()
        }
        // A decimal would lose digits.
        (Scalar::Decimal, json) => json,
        (_, json) => whole(json),
    }
}

fn whole(json: Json) -> Json {
    match json {
        Json::Number(number) if !number.is_f64() => Json::String(number.to_string()),
        json => json,
    }
}

/// A moment as RFC 3339 writes it, or in seconds, as seconds since 1970 and nanoseconds.
pub(crate) fn moment(text: &str) -> Option<(i64, u32)> {
    if let Ok(seconds) = text.parse::<i64>() {
        return Some((seconds, 0));
    }
    let Datetime { date: Some(date), time: Some(time), offset: Some(offset) } = text.parse().ok()? else {
        return None;
    };
    let minutes = match offset {
        Offset::Z => 0,
        Offset::Custom { minutes } => i64::from(minutes),
    };
    // Years begin in March, so that the day of a leap year is the last.
    let (month, day) = (i64::from(date.month), i64::from(date.day));
    let year = i64::from(date.year) - i64::from(month <= 2);
    let (era, of_era) = (year.div_euclid(400), year.rem_euclid(400));
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let days = era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468;
    let of_day = i64::from(time.hour) * 3600 + i64::from(time.minute) * 60 + i64::from(time.second.unwrap_or(0));
    let seconds = days * 86_400 + of_day - minutes * 60;
    Some((seconds, time.nanosecond.unwrap_or(0)))
}
