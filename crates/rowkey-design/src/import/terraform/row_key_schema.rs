//! The `row_key_schema` of a `google_bigtable_table`: the fields of its keys.

use std::collections::HashSet;

use data_encoding::BASE64;
use rowkey::foreign::{Delimiter, OrderedCode, OrderedKind};
use serde_json::Value as Json;

use super::super::garbage::Said;

/// The fields of a key, each as `name: shape`.
///
/// # Errors
/// Why a layout can't say them.
pub(super) fn key(schema: &Json) -> Said<Vec<String>> {
    // As a `Type`, and as the `Type.Struct` that is in it.
    let schema = get(schema, "structType", "struct_type").unwrap_or(schema);
    let fields = schema.get("fields").and_then(Json::as_array).ok_or("it has no fields")?;
    let encoding = schema.get("encoding").ok_or("it has no encoding")?;
    let (last, before) = fields.split_last().ok_or("it has no fields")?;
    let mut names = HashSet::new();
    let mut key = Vec::new();
    let mut add = |field: &Json, shape: &dyn Fn(OrderedKind) -> Result<String, &'static str>| {
        let name = get(field, "fieldName", "field_name").and_then(Json::as_str).unwrap_or_default();
        if name.is_empty() || name.contains(|char: char| char.is_whitespace() || char == ':') {
            return Err(format!("{name:?} is not the name of a field"));
        }
        if !names.insert(name.to_owned()) {
            return Err(format!("the field {name:?} is there twice"));
        }
        let kind = kind_of(field).ok_or_else(|| format!("the type of the field {name:?} has no layout"))?;
        let shape = shape(kind).map_err(|why| format!("the field {name:?} {why}"))?;
        key.push(format!("{name}: {shape}"));
        Ok(())
    };
    if get(encoding, "orderedCodeBytes", "ordered_code_bytes").is_some() {
        fields.iter().try_for_each(|field| add(field, &|kind| Ok(OrderedCode::new(kind).to_string())))?;
    } else if encoding.get("singleton").is_some() && before.is_empty() {
        add(last, &|kind| alone(kind, "text raw"))?;
    } else if let Some(delimited) = get(encoding, "delimitedBytes", "delimited_bytes") {
        let delimiter = delimited.get("delimiter").and_then(Json::as_str).unwrap_or_default();
        let delimiter = BASE64.decode(delimiter.as_bytes()).map_err(|_| format!("{delimiter:?} is no base64"))?;
        let delimiter = Delimiter::new(&delimiter).ok_or("its delimiter does not have one to eight bytes")?;
        let delimited = |kind| match kind {
            OrderedKind::Text => Ok(format!("text[{delimiter}]")),
            _ => Err("may hold the delimiter after it: write text there if it does not"),
        };
        before.iter().try_for_each(|field| add(field, &delimited))?;
        let text = if before.is_empty() { "text raw" } else { "text[end]" };
        add(last, &|kind| alone(kind, text))?;
    } else {
        return Err("its encoding is not singleton, delimitedBytes or orderedCodeBytes".to_owned());
    }
    Ok(key)
}

/// The encoding of a field.
fn kind_of(field: &Json) -> Option<OrderedKind> {
    let ty = field.get("type")?;
    let encoding = |camel, snake| get(ty, camel, snake)?.get("encoding");
    let of_int = |int: &Json, ordered, big_endian| {
        let is_ordered = get(int, "orderedCodeBytes", "ordered_code_bytes").map(|_| ordered);
        is_ordered.or_else(|| get(int, "bigEndianBytes", "big_endian_bytes").map(|_| big_endian))
    };
    if let Some(text) = encoding("stringType", "string_type") {
        return get(text, "utf8Bytes", "utf8_bytes").or(get(text, "utf8Raw", "utf8_raw")).map(|_| OrderedKind::Text);
    }
    if let Some(bytes) = encoding("bytesType", "bytes_type") {
        return bytes.get("raw").map(|_| OrderedKind::Bytes);
    }
    if let Some(int) = encoding("int64Type", "int64_type") {
        return of_int(int, OrderedKind::Int, OrderedKind::BigEndian);
    }
    let micros = get(encoding("timestampType", "timestamp_type")?, "unixMicrosInt64", "unix_micros_int64")?;
    of_int(micros, OrderedKind::Micros, OrderedKind::BigEndianMicros)
}

/// The shape of a last field, whose end is that of the key.
fn alone(kind: OrderedKind, text: &str) -> Result<String, &'static str> {
    match kind {
        OrderedKind::Text => Ok(text.to_owned()),
        OrderedKind::Bytes => Ok("bytes raw".to_owned()),
        OrderedKind::BigEndian => Ok("be[i64]".to_owned()),
        _ => Err("has an encoding that a layout has in keys of orderedCodeBytes alone"),
    }
}

/// A member by its name in JSON, or as the proto has it.
fn get<'j>(json: &'j Json, camel: &str, snake: &str) -> Option<&'j Json> {
    json.get(camel).or_else(|| json.get(snake))
}
