//! Lines of the harness: values as it reads them.

use rowkey::{KeyRange, Value};
use rowkey_codec::ir::{DeclKind, Field, Key, Type};
use serde_json::{Value as Json, json};

pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The components of a record: constants are none.
pub(crate) fn record(key: &Key, fields: &[Field], values: &[Value]) -> Json {
    let parts = fields.iter().zip(values).filter(|(field, _)| !matches!(field.ty, Type::Constant(_)));
    Json::Array(parts.map(|(field, value)| value_of(key, &field.ty, value)).collect())
}

/// A value: numbers as text, options as lists of none or one, variants with their names.
pub(crate) fn value_of(key: &Key, ty: &Type, value: &Value) -> Json {
    match (ty, value) {
        (Type::Option { inner, .. }, Value::Option(value)) => {
            Json::Array(value.iter().map(|value| value_of(key, inner, value)).collect())
        }
        (Type::TextField(field), Value::Option(value)) => {
            let mut present = field.clone();
            present.after = None;
            let present = Type::TextField(present);
            Json::Array(value.iter().map(|value| value_of(key, &present, value)).collect())
        }
        (Type::List { item, .. }, Value::List(items)) => {
            Json::Array(items.iter().map(|value| value_of(key, item, value)).collect())
        }
        (Type::Tuple(at), Value::Tuple(values)) => match &key.types[*at].kind {
            DeclKind::Tuple(fields) => record(key, fields, values),
            DeclKind::Enum(_) => panic!("no tuple"),
        },
        (Type::Enum(at), Value::Enum(tag, values)) => match &key.types[*at].kind {
            DeclKind::Enum(variants) => {
                let variant = variants.iter().find(|variant| variant.tag == *tag).unwrap();
                match key.types[*at].is_plain_enum() {
                    true => json!([variant.constant]),
                    false => json!([variant.ident, record(key, &variant.fields, values)]),
                }
            }
            DeclKind::Tuple(_) => panic!("no enum"),
        },
        (Type::Constant(bytes), _) => json!(hex(bytes)),
        (_, value) => scalar(value),
    }
}

fn scalar(value: &Value) -> Json {
    match value {
        Value::Unsigned(number) => json!(number.to_string()),
        Value::Signed(number) => json!(number.to_string()),
        Value::F32(float) => json!(format!("{:08x}", float.to_bits())),
        Value::F64(float) => json!(format!("{:016x}", float.to_bits())),
        Value::Bool(value) => json!(value),
        Value::Char(char) => json!(u32::from(*char).to_string()),
        Value::Text(text) | Value::Decimal(text) => json!(text),
        Value::Bytes(bytes) => json!(hex(bytes)),
        Value::Ip(address) => json!(address.to_string()),
        Value::Instant(seconds, nanos) => json!([seconds.to_string(), nanos.to_string()]),
        Value::Duration(span) => json!([span.as_secs().to_string(), span.subsec_nanos().to_string()]),
        value => panic!("{value:?} is no scalar"),
    }
}

pub(crate) fn key(key: &Key, values: &[Value], hex: &str) -> String {
    format!("key\t{}\t{}\t{hex}\n", key.ident, record(key, &key.fields, values))
}

pub(crate) fn refuse(key: &Key, hex: &str) -> String {
    format!("refuse\t{}\t{hex}\n", key.ident)
}

pub(crate) fn ranges(key: &Key, steps: &[Json], ranges: &[Vec<KeyRange>]) -> String {
    let range = |range: &KeyRange| format!("{}..{}", hex(range.start()), range.end().map(hex).unwrap_or_default());
    let bucket = |ranges: &Vec<KeyRange>| ranges.iter().map(range).collect::<Vec<_>>().join(",");
    let all = ranges.iter().map(bucket).collect::<Vec<_>>().join(";");
    format!("ranges\t{}\t{}\t{all}\n", key.ident, Json::Array(steps.to_vec()))
}
