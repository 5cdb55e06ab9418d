//! Expressions that write and read a value; where none can, [statements](super::statements) do.

use super::constants::Constants;
use super::ints::{read_int, write_int};
use super::types::boxed;
use crate::ir::{Key, Ordered, TextEnd, Type};

/// Code for the values of a key's fields.
pub(super) struct Values<'k, 'c> {
    pub(super) key: &'k Key,
    pub(super) constants: &'c mut Constants,
    /// True for the first field of a key that OrderedCode joins.
    pub(super) is_first: bool,
}

impl Values<'_, '_> {
    /// The expression that writes a value; `None` if it takes several statements.
    pub(super) fn write(&mut self, ty: &Type, value: &str) -> Option<String> {
        let of = |class: &str, method: &str| format!("{class}.{method}(w, {value})");
        let first = self.is_first;
        Some(match ty {
            Type::Int(int) => write_int(*int, value),
            Type::Float { bits } => of("Floats", &format!("write{bits}")),
            Type::Bool => of("Bool", "write"),
            Type::Char => of("CodePoint", "write"),
            Type::Text(TextEnd::Escaped) => of("Text", "write"),
            Type::Text(TextEnd::Raw) => of("Text", "writeRaw"),
            Type::Text(TextEnd::Blanks(width)) => format!("Padded.writeBlanks(w, {value}, {width})"),
            Type::Text(TextEnd::Zeros(width)) => format!("Padded.writeZeros(w, {value}, {width})"),
            Type::Bytes { raw } => of("ByteStrings", raw_or("write", *raw)),
            Type::Array(len) => format!("ByteArrays.write(w, {value}, {len})"),
            Type::Uuid => of("Uuids", "write"),
            Type::Decimal { raw } => of("Decimals", raw_or("write", *raw)),
            Type::Ip => of("IpAddresses", "write"),
            Type::Instant => of("Instants", "write"),
            Type::Duration => of("Durations", "write"),
            Type::Quadkey(zoom) => format!("Tiles.writeQuadkey(w, {value}, {zoom})"),
            Type::Tile => of("Tiles", "write"),
            Type::HostPath { raw } => of("HostPaths", raw_or("write", *raw)),
            Type::Constant(bytes) => format!("Constants.write(w, {})", self.constants.bytes(bytes)),
            Type::Ordered(kind) => format!("Ordered.write{}(w, {value}, {first})", ordered(*kind)),
            Type::Enum(_) | Type::Tuple(_) => format!("{value}.write(w)"),
            Type::TextField(_) | Type::Option { .. } | Type::List { .. } => return None,
        })
    }

    /// The expression that reads a value; `None` if it takes several statements.
    pub(super) fn read(&mut self, ty: &Type) -> Option<String> {
        let first = self.is_first;
        Some(match ty {
            Type::Int(int) => read_int(*int),
            Type::Float { bits } => format!("Floats.read{bits}(r)"),
            Type::Bool => "Bool.read(r)".to_owned(),
            Type::Char => "CodePoint.read(r)".to_owned(),
            Type::Text(TextEnd::Escaped) => "Text.read(r)".to_owned(),
            Type::Text(TextEnd::Raw) => "Text.readRaw(r)".to_owned(),
            Type::Text(TextEnd::Blanks(width)) => format!("Padded.readBlanks(r, {width})"),
            Type::Text(TextEnd::Zeros(width)) => format!("Padded.readZeros(r, {width})"),
            Type::Bytes { raw } => format!("ByteStrings.{}(r)", raw_or("read", *raw)),
            Type::Array(len) => format!("ByteArrays.read(r, {len})"),
            Type::Uuid => "Uuids.read(r)".to_owned(),
            Type::Decimal { raw } => format!("Decimals.{}(r)", raw_or("read", *raw)),
            Type::Ip => "IpAddresses.read(r)".to_owned(),
            Type::Instant => "Instants.read(r)".to_owned(),
            Type::Duration => "Durations.read(r)".to_owned(),
            Type::Quadkey(zoom) => format!("Tiles.readQuadkey(r, {zoom})"),
            Type::Tile => "Tiles.read(r)".to_owned(),
            Type::HostPath { raw } => format!("HostPaths.{}(r)", raw_or("read", *raw)),
            Type::Constant(bytes) => format!("Constants.read(r, {})", self.constants.bytes(bytes)),
            Type::Ordered(kind) => format!("Ordered.read{}(r, {first})", ordered(*kind)),
            Type::Enum(at) | Type::Tuple(at) => format!("{}.read(r)", self.key.types[*at].ident),
            Type::TextField(_) | Type::Option { .. } | Type::List { .. } => return None,
        })
    }

    /// The type of a field's values within others.
    pub(super) fn boxed(&self, ty: &Type) -> String {
        boxed(self.key, ty)
    }
}

fn raw_or(method: &'static str, raw: bool) -> &'static str {
    match (method, raw) {
        ("write", true) => "writeRaw",
        ("read", true) => "readRaw",
        _ => method,
    }
}

fn ordered(kind: Ordered) -> &'static str {
    match kind {
        Ordered::Text => "Text",
        Ordered::Bytes => "Bytes",
        Ordered::Int => "Int",
        Ordered::BigEndian => "BigEndian",
        Ordered::Micros => "Micros",
        Ordered::BigEndianMicros => "BigEndianMicros",
    }
}
