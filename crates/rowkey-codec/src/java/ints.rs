//! The expressions of integers.

use crate::ir::{Int, IntForm, Type};

/// The expression that writes an integer.
pub(super) fn write_int(Int { bits, signed, width, form }: Int, value: &str) -> String {
    let order = match form {
        IntForm::Sorted if width * 8 == bits => {
            return match (bits, signed) {
                (128, true) => format!("Wide.writeSigned(w, {value})"),
                (128, false) => format!("Wide.writeUnsigned(w, {value})"),
                (bits, true) => format!("Signed.write{bits}(w, {value})"),
                (bits, false) => format!("Unsigned.write{bits}(w, {value})"),
            };
        }
        IntForm::Sorted | IntForm::Big => "Big",
        IntForm::Little => "Little",
    };
    let checked = match (signed, bits) {
        (false, _) => format!("Binary.unsigned({value}, {width})"),
        (true, 128) => format!("Binary.signed({value})"),
        (true, _) => value.to_owned(),
    };
    format!("Binary.write{order}(w, {checked}, {width})")
}

/// The expression that writes an integer with all bytes inverted: those of another integer. `None` of types whose other
/// integer is none of theirs.
pub(super) fn write_inverted(ty: &Type, value: &str) -> Option<String> {
    match ty {
        Type::Int(Int { bits: 64, width: 8, form: IntForm::Sorted, signed: false }) => {
            Some(format!("Unsigned.write64(w, ~{value})"))
        }
        Type::Int(Int { bits: bits @ (32 | 64), form: IntForm::Sorted, signed: true, .. }) => {
            Some(format!("Signed.write{bits}(w, ~{value})"))
        }
        _ => None,
    }
}

/// The statement that writes an integer at a place of a key, in all its bytes and in the order of its values; with all
/// bytes inverted in a descending field.
pub(super) fn set_int(Int { bits, signed, .. }: Int, at: usize, desc: bool, value: &str) -> String {
    let (class, not) = (if signed { "Signed" } else { "Unsigned" }, if desc { "Inverted" } else { "" });
    format!("{class}.set{bits}{not}(key, {at}, {value});")
}

/// The expression that reads an integer.
pub(super) fn read_int(Int { bits, signed, width, form }: Int) -> String {
    let order = match form {
        IntForm::Sorted if width * 8 == bits => {
            return match (bits, signed) {
                (128, true) => "Wide.readSigned(r)".to_owned(),
                (128, false) => "Wide.readUnsigned(r)".to_owned(),
                (bits, true) => format!("Signed.read{bits}(r)"),
                (bits, false) => format!("Unsigned.read{bits}(r)"),
            };
        }
        IntForm::Sorted | IntForm::Big => "Big",
        IntForm::Little => "Little",
    };
    let read = format!("Binary.read{order}(r, {width})");
    match (bits, signed) {
        (128, signed) => format!("Binary.readWide{order}(r, {width}, {signed})"),
        (8, true) => format!("(byte) {read}"),
        (16, true) => format!("(short) {read}"),
        (32, true) | (8 | 16, false) => format!("(int) {read}"),
        _ => read,
    }
}
