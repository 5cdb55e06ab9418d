//! Types of Go for types of keys.

use crate::ir::{Form, Int, Key, Ordered, TextField, Type};

/// The type of a value.
pub(super) fn of(key: &Key, ty: &Type) -> String {
    match ty {
        Type::Int(int) => int_type(int),
        Type::Float { bits } => format!("float{bits}"),
        Type::Bool => "bool".to_owned(),
        Type::Char => "rune".to_owned(),
        Type::Text(_) | Type::Ordered(Ordered::Text) => "string".to_owned(),
        Type::Bytes { .. } | Type::Ordered(Ordered::Bytes) => "[]byte".to_owned(),
        Type::Array(len) => format!("[{len}]byte"),
        Type::Uuid => "[16]byte".to_owned(),
        Type::Decimal { .. } => "rowkey.Decimal".to_owned(),
        Type::Ip => "netip.Addr".to_owned(),
        Type::Instant | Type::Ordered(Ordered::Micros | Ordered::BigEndianMicros) => "rowkey.Instant".to_owned(),
        Type::Duration => "rowkey.Duration".to_owned(),
        Type::Quadkey(_) | Type::Tile => "rowkey.Tile".to_owned(),
        Type::HostPath { .. } => "rowkey.HostPath".to_owned(),
        Type::Constant(_) => "struct{}".to_owned(),
        Type::TextField(field) if field.after.is_some() => format!("rowkey.Option[{}]", text_type(field)),
        Type::TextField(field) => text_type(field),
        Type::Ordered(Ordered::Int | Ordered::BigEndian) => "int64".to_owned(),
        Type::Option { inner, .. } => format!("rowkey.Option[{}]", of(key, inner)),
        Type::List { item, .. } => format!("[]{}", of(key, item)),
        Type::Enum(at) | Type::Tuple(at) => key.types[*at].ident.clone(),
    }
}

/// The type of the values of an optional field that are there.
pub(super) fn text_type(field: &TextField) -> String {
    match &field.form {
        Form::Text | Form::Reversed => "string",
        Form::Decimal { bits } | Form::Minus { bits, .. } | Form::Hex { bits, .. } if *bits == 64 => "uint64",
        Form::Decimal { .. } | Form::Minus { .. } | Form::Hex { .. } => "rowkey.U128",
        Form::Signed => "rowkey.I128",
        Form::HexBytes { .. } => "[]byte",
        Form::Uuid => "[16]byte",
        Form::Date(_) => "rowkey.Instant",
    }
    .to_owned()
}

pub(super) fn int_type(int: &Int) -> String {
    match (int.bits, int.signed) {
        (128, false) => "rowkey.U128".to_owned(),
        (128, true) => "rowkey.I128".to_owned(),
        (bits, false) => format!("uint{bits}"),
        (bits, true) => format!("int{bits}"),
    }
}
