//! The types of Java that values have.

use crate::ir::{Form, Int, Key, Ordered, TextField, Type};

/// The type of a value within another type.
pub(super) fn boxed(key: &Key, ty: &Type) -> String {
    match ty {
        Type::Option { inner, .. } => format!("Optional<{}>", boxed(key, inner)),
        Type::TextField(field) if field.after.is_some() => format!("Optional<{}>", of_form(field)),
        Type::List { item, .. } => format!("List<{}>", boxed(key, item)),
        Type::Enum(at) | Type::Tuple(at) => key.types[*at].ident.clone(),
        Type::TextField(field) => of_form(field).to_owned(),
        ty => scalar(ty).to_owned(),
    }
}

/// The type of a value on its own.
pub(super) fn plain(key: &Key, ty: &Type) -> String {
    let boxed = boxed(key, ty);
    match boxed.as_str() {
        "Byte" => "byte",
        "Short" => "short",
        "Integer" => "int",
        "Long" => "long",
        "Float" => "float",
        "Double" => "double",
        "Boolean" => "boolean",
        _ => return boxed,
    }
    .to_owned()
}

fn scalar(ty: &Type) -> &'static str {
    match ty {
        Type::Int(Int { bits: 128, .. }) => "BigInteger",
        Type::Int(Int { bits: 8, signed: true, .. }) => "Byte",
        Type::Int(Int { bits: 16, signed: true, .. }) => "Short",
        Type::Int(Int { bits: 32, signed: true, .. } | Int { bits: 8 | 16, .. }) | Type::Char => "Integer",
        Type::Int(_) | Type::Ordered(Ordered::Int | Ordered::BigEndian) => "Long",
        Type::Float { bits: 32 } => "Float",
        Type::Float { .. } => "Double",
        Type::Bool => "Boolean",
        Type::Text(_) | Type::Ordered(Ordered::Text) => "String",
        Type::Bytes { .. } | Type::Array(_) | Type::Constant(_) | Type::Ordered(Ordered::Bytes) => "KeyBytes",
        Type::Uuid => "UUID",
        Type::Decimal { .. } => "BigDecimal",
        Type::Ip => "InetAddress",
        Type::Instant => "KeyInstant",
        Type::Ordered(Ordered::Micros | Ordered::BigEndianMicros) => "Instant",
        Type::Duration => "KeyDuration",
        Type::Quadkey(_) | Type::Tile => "Tile",
        Type::HostPath { .. } => "HostPath",
        Type::TextField(field) => of_form(field),
        Type::Option { .. } | Type::List { .. } | Type::Enum(_) | Type::Tuple(_) => "Object",
    }
}

/// The type of the values that are there.
fn of_form(field: &TextField) -> &'static str {
    match &field.form {
        Form::Text | Form::Reversed => "String",
        Form::Decimal { bits: 64 } | Form::Minus { bits: 64, .. } | Form::Hex { bits: 64, .. } => "Long",
        Form::Decimal { .. } | Form::Minus { .. } | Form::Hex { .. } | Form::Signed => "BigInteger",
        Form::HexBytes { .. } => "KeyBytes",
        Form::Uuid => "UUID",
        Form::Date(_) => "Instant",
    }
}

/// A note for those who hold a value whose type does not say all.
pub(super) fn note(ty: &Type) -> Option<&'static str> {
    match ty {
        Type::Int(Int { bits: 64, signed: false, .. }) => Some("the bits of a number without a sign"),
        Type::TextField(field) if of_form(field) == "Long" => Some("the bits of a number without a sign"),
        Type::Char => Some("a code point"),
        _ => None,
    }
}
