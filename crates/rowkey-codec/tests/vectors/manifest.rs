//! The part of generated keys that a program of tests needs to know: names, and the types of fields for JSON.
//!
//! ```json
//! {"keys": [{"ident": "Key", "module": "key", "fields": [{"ident": "f0", "type": "text"}], "types": []}]}
//! ```
//!
//! A type is one of the words `int`, `f32`, `f64`, `bool`, `char`, `text`, `bytes`, `uuid`, `decimal`, `ip`, `instant`,
//! `duration`, `digits`, `host_path` and `unit`, or `{"option": type, "nested": bool}`, `{"list": type}`,
//! `{"enum": n}`, `{"tuple": n}` with an index of the key's `types`. These are `{"ident", "tuple": [fields]}` or
//! `{"ident", "plain": bool, "enum": [{"ident", "constant", "tag", "fields"}]}`. A field of the type `constant` is no
//! member. An `int` is `{"int": bits, "signed": bool}`.
//!
//! Values are JSON as FORMAT.md has them. A value that is there, of an option that is `nested`, is in an array of one.

use rowkey_codec::ir::{Codec, Decl, DeclKind, Field, Form, Key, Ordered, Type};
use serde_json::{Value as Json, json};

pub(crate) fn of(codec: &Codec) -> Json {
    json!({"keys": codec.keys.iter().map(key).collect::<Vec<_>>()})
}

fn key(key: &Key) -> Json {
    let types: Vec<Json> = key.types.iter().map(decl).collect();
    json!({"ident": key.ident, "module": key.module, "fields": fields(&key.fields), "types": types})
}

fn fields(fields: &[Field]) -> Json {
    let field = |field: &Field| match &field.ty {
        Type::Constant(_) => json!({"ident": "", "type": "constant"}),
        ty => json!({"ident": field.ident, "type": ty_of(ty)}),
    };
    fields.iter().map(field).collect()
}

fn decl(decl: &Decl) -> Json {
    match &decl.kind {
        DeclKind::Tuple(parts) => json!({"ident": decl.ident, "tuple": fields(parts)}),
        DeclKind::Enum(variants) => {
            let variants: Vec<Json> = variants
                .iter()
                .map(|variant| {
                    let fields = fields(&variant.fields);
                    json!({"ident": variant.ident, "constant": variant.constant, "tag": variant.tag, "fields": fields})
                })
                .collect();
            json!({"ident": decl.ident, "plain": decl.is_plain_enum(), "enum": variants})
        }
    }
}

fn int(bits: u8, signed: bool) -> Json {
    json!({"int": bits, "signed": signed})
}

fn ty_of(ty: &Type) -> Json {
    json!(match ty {
        Type::Int(of) => return int(of.bits, of.signed),
        Type::Float { bits: 32 } => "f32",
        Type::Float { .. } => "f64",
        Type::Bool => "bool",
        Type::Char => "char",
        Type::Text(_) => "text",
        Type::Bytes { .. } | Type::Array(_) => "bytes",
        Type::Uuid => "uuid",
        Type::Decimal { .. } => "decimal",
        Type::Ip => "ip",
        Type::Instant => "instant",
        Type::Duration => "duration",
        Type::Quadkey(_) | Type::Tile => "digits",
        Type::HostPath { .. } => "host_path",
        Type::Constant(_) => "unit",
        Type::Ordered(kind) => match kind {
            Ordered::Text => "text",
            Ordered::Bytes => "bytes",
            Ordered::Int | Ordered::BigEndian => return int(64, true),
            Ordered::Micros | Ordered::BigEndianMicros => "instant",
        },
        Type::TextField(field) => {
            let value = match field.form {
                Form::Text | Form::Reversed => json!("text"),
                Form::Decimal { bits } | Form::Minus { bits, .. } | Form::Hex { bits, .. } => int(bits, false),
                Form::Signed => int(128, true),
                Form::HexBytes { .. } => json!("bytes"),
                Form::Uuid => json!("uuid"),
                Form::Date(_) => json!("instant"),
            };
            return if field.after.is_some() { json!({"option": value, "nested": false}) } else { value };
        }
        Type::Option { inner, is_nested, .. } => return json!({"option": ty_of(inner), "nested": is_nested}),
        Type::List { item, .. } => return json!({"list": ty_of(item)}),
        Type::Enum(at) => return json!({"enum": at}),
        Type::Tuple(at) => return json!({"tuple": at}),
    })
}
