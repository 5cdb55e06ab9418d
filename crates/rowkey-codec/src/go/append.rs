//! Code that appends values to `dst`, a `[]byte`, with `err`, an `error`.

use super::code::{Code, literal, loop_names};
use super::ty;
use crate::ir::{DatePart, DeclKind, End, Field, Form, Int, IntForm, Key, Ordered, TextEnd, TextField, Type};

/// A call that appends a value, and whether it returns an error too.
pub(super) struct Call {
    pub(super) text: String,
    pub(super) fails: bool,
}

fn sure(text: String) -> Call {
    Call { text, fails: false }
}

fn failing(text: String) -> Call {
    Call { text, fails: true }
}

/// Appends a value in its direction. `fail` is the statement that returns an error, with `{}` for that of the value.
pub(super) fn value(code: &mut Code, key: &Key, of: &Type, desc: bool, value: &str, fail: &str) {
    let inverted = desc.then(|| inverted_int(of, value)).flatten();
    if !desc || inverted.is_some() {
        return ascending(code, key, of, inverted.as_deref().unwrap_or(value), fail);
    }
    let mark = code.mark();
    code.line(format!("{mark} := len(dst)"));
    ascending(code, key, of, value, fail);
    code.line(format!("rowkey.Invert(dst[{mark}:])"));
}

/// The bytes of an inverted integer are those of the integer, inverted.
fn inverted_int(of: &Type, value: &str) -> Option<String> {
    let is_whole = |int: &Int| int.bits < 128 && int.width * 8 == int.bits && int.form == IntForm::Sorted;
    matches!(of, Type::Int(int) if is_whole(int)).then(|| format!("^{value}"))
}

fn ascending(code: &mut Code, key: &Key, of: &Type, value: &str, fail: &str) {
    match of {
        Type::Option { inner, none, .. } => {
            code.open(format!("if {value}.Present {{"));
            code.line("dst = rowkey.AppendSome(dst)");
            ascending(code, key, inner, &format!("{value}.Value"), fail);
            code.reopen("} else {");
            code.line(if *none == 0 { "dst = rowkey.AppendNone(dst)" } else { "dst = rowkey.AppendNoneOther(dst)" });
            code.close("}");
        }
        Type::TextField(field) if field.after.is_some() => {
            code.open(format!("if {value}.Present {{"));
            let after = field.after.as_deref().unwrap_or_default();
            code.line(format!("dst = append(dst, {}...)", literal(after)));
            run(code, text_call(field, &format!("{value}.Value"), "dst"), fail);
            code.close("}");
        }
        Type::List { item, raw } => list(code, key, item, *raw, value, fail),
        _ => run(code, call(key, of, value, "dst"), fail),
    }
}

fn list(code: &mut Code, key: &Key, item: &Type, raw: bool, value: &str, fail: &str) {
    let (i, name) = loop_names(value);
    let index = if fails(key, item) { i.as_str() } else { "_" };
    code.open(format!("for {index}, {name} := range {value} {{"));
    if !raw {
        code.line("dst = rowkey.AppendItem(dst)");
    }
    ascending(code, key, item, &name, &fail.replace("{}", &format!("rowkey.InItem({i}, {{}})")));
    code.close("}");
    if !raw {
        code.line("dst = rowkey.AppendListEnd(dst)");
    }
}

fn run(code: &mut Code, call: Call, fail: &str) {
    if !call.fails {
        return code.line(format!("dst = {}", call.text));
    }
    code.open(format!("if dst, err = {}; err != nil {{", call.text));
    code.line(fail.replace("{}", "err"));
    code.close("}");
}

/// Returns whether a value can have no bytes.
pub(super) fn fails(key: &Key, of: &Type) -> bool {
    match of {
        Type::Option { inner, .. } => fails(key, inner),
        Type::List { item, .. } => fails(key, item),
        Type::TextField(_) => true,
        _ => call(key, of, "v", "dst").fails,
    }
}

/// Returns whether any of these fields can have no bytes.
pub(super) fn any_fails(key: &Key, fields: &[Field]) -> bool {
    fields.iter().any(|field| fails(key, &field.ty))
}

/// The call for a type that is no option and no list.
pub(super) fn call(key: &Key, of: &Type, v: &str, dst: &str) -> Call {
    match of {
        Type::Int(int) => int_call(int, v, dst),
        Type::Float { bits } => sure(format!("rowkey.AppendF{bits}({dst}, {v})")),
        Type::Bool => sure(format!("rowkey.AppendBool({dst}, {v})")),
        Type::Char => failing(format!("rowkey.AppendChar({dst}, {v})")),
        Type::Text(TextEnd::Escaped) => failing(format!("rowkey.AppendText({dst}, {v})")),
        Type::Text(TextEnd::Raw) => failing(format!("rowkey.AppendTextRaw({dst}, {v})")),
        Type::Text(TextEnd::Blanks(width)) => failing(format!("rowkey.AppendBlanks({dst}, {v}, {width})")),
        Type::Text(TextEnd::Zeros(width)) => failing(format!("rowkey.AppendZeros({dst}, {v}, {width})")),
        Type::Bytes { raw } => sure(format!("rowkey.AppendBytes{}({dst}, {v})", suffix(*raw))),
        Type::Array(_) | Type::Uuid => sure(format!("append({dst}, {v}[:]...)")),
        Type::Decimal { raw } => sure(format!("rowkey.AppendDecimal{}({dst}, {v})", suffix(*raw))),
        Type::Ip => failing(format!("rowkey.AppendIPAddr({dst}, {v})")),
        Type::Instant => failing(format!("rowkey.AppendInstant({dst}, {v})")),
        Type::Duration => failing(format!("rowkey.AppendDuration({dst}, {v})")),
        Type::Quadkey(zoom) => failing(format!("rowkey.AppendQuadkey({dst}, {v}, {zoom})")),
        Type::Tile => sure(format!("rowkey.AppendTile({dst}, {v})")),
        Type::HostPath { raw } => failing(format!("rowkey.AppendHostPath{}({dst}, {v})", suffix(*raw))),
        Type::Constant(bytes) => sure(format!("append({dst}, {}...)", literal(bytes))),
        Type::TextField(field) => text_call(field, v, dst),
        Type::Ordered(kind) => match kind {
            Ordered::Text => failing(format!("rowkey.AppendOrderedText({dst}, {v})")),
            Ordered::Bytes => sure(format!("rowkey.AppendOrderedBytes({dst}, {v})")),
            Ordered::Int => sure(format!("rowkey.AppendOrderedInt({dst}, {v})")),
            Ordered::BigEndian => sure(format!("rowkey.AppendOrderedBE({dst}, {v})")),
            Ordered::Micros => failing(format!("rowkey.AppendOrderedMicros({dst}, {v})")),
            Ordered::BigEndianMicros => failing(format!("rowkey.AppendOrderedBEMicros({dst}, {v})")),
        },
        Type::Enum(at) => failing(format!("append{}({dst}, {v})", key.types[*at].ident)),
        Type::Tuple(at) => match &key.types[*at].kind {
            DeclKind::Tuple(fields) if !any_fails(key, fields) => sure(format!("{v}.appendTo({dst})")),
            _ => failing(format!("{v}.appendTo({dst})")),
        },
        Type::Option { .. } | Type::List { .. } => failing(String::new()),
    }
}

fn suffix(raw: bool) -> &'static str {
    if raw { "Raw" } else { "" }
}

fn int_call(int: &Int, v: &str, dst: &str) -> Call {
    let (bits, width) = (int.bits, int.width);
    let wide = match (bits, int.signed) {
        (128, false) => v.to_owned(),
        (128, true) => format!("{v}.Bits()"),
        _ => format!("rowkey.U128{{Lo: uint64({v})}}"),
    };
    match (int.form, int.signed) {
        (IntForm::Sorted | IntForm::Big, _) if width * 8 < bits => {
            failing(format!("rowkey.AppendBE({dst}, {wide}, {width})"))
        }
        (IntForm::Sorted, true) => sure(format!("rowkey.AppendI{bits}({dst}, {v})")),
        (IntForm::Sorted, false) => sure(format!("rowkey.AppendU{bits}({dst}, {v})")),
        (IntForm::Big, true) if bits < 128 => sure(format!("rowkey.AppendU{bits}({dst}, uint{bits}({v}))")),
        (IntForm::Big, false) if bits < 128 => sure(format!("rowkey.AppendU{bits}({dst}, {v})")),
        (IntForm::Big, _) => sure(format!("rowkey.AppendU128({dst}, {wide})")),
        (IntForm::Little, _) => sure(format!("rowkey.AppendLE({dst}, {wide}, {width})")),
    }
}

/// The call for a field of a text key that is there.
fn text_call(field: &TextField, v: &str, dst: &str) -> Call {
    let end = end(field);
    let number = |bits: u8| if bits == 64 { format!("rowkey.U128{{Lo: {v}}}") } else { v.to_owned() };
    failing(match &field.form {
        Form::Text => format!("rowkey.AppendPlain({dst}, {v}, {end})"),
        Form::Reversed => format!("rowkey.AppendReversed({dst}, {v}, {end})"),
        Form::Decimal { bits } => format!("rowkey.AppendDec({dst}, {}, {end})", number(*bits)),
        Form::Signed => format!("rowkey.AppendInt({dst}, {v}, {end})"),
        Form::Minus { max, bits } => format!("rowkey.AppendMinus({dst}, {}, {}, {end})", number(*bits), wide(*max)),
        Form::Hex { upper, bits } => format!("rowkey.AppendHex({dst}, {}, {upper}, {end})", number(*bits)),
        Form::HexBytes { upper } => format!("rowkey.AppendHexBytes({dst}, {v}, {upper}, {end})"),
        Form::Uuid => format!("rowkey.AppendUUIDText({dst}, {v}, {end})"),
        Form::Date(parts) => format!("rowkey.AppendDate({dst}, {}, {v}, {end})", pattern(parts)),
    })
}

/// A literal of a number of 128 bits.
pub(super) fn wide(number: u128) -> String {
    match (number >> 64) as u64 {
        0 => format!("rowkey.U128{{Lo: {number}}}"),
        high => format!("rowkey.U128{{Hi: {high}, Lo: {}}}", number as u64),
    }
}

/// A literal of the place where a field ends.
pub(super) fn end(field: &TextField) -> String {
    let mut members: Vec<String> = field.width.iter().map(|width| format!("Width: {width}")).collect();
    match &field.end {
        End::Width => {}
        End::Before(delimiter) => members.push(format!("Before: {}", literal(delimiter))),
        End::Key => members.push("Key: true".to_owned()),
        End::Rest(after) => members.push(format!("Rest: {after}")),
        End::Until(delimiter) => members.push(format!("Until: {}", literal(delimiter))),
    }
    format!("&rowkey.End{{{}}}", members.join(", "))
}

/// A literal of a date's pattern.
pub(super) fn pattern(parts: &[DatePart]) -> String {
    let mut pattern = String::new();
    for part in parts {
        pattern += &match part {
            DatePart::Year => "yyyy".to_owned(),
            DatePart::Month => "MM".to_owned(),
            DatePart::Day => "dd".to_owned(),
            DatePart::DayOfYear => "DDD".to_owned(),
            DatePart::Hour => "HH".to_owned(),
            DatePart::Minute => "mm".to_owned(),
            DatePart::Second => "ss".to_owned(),
            DatePart::Fraction(digits) => "S".repeat((*digits).into()),
            DatePart::Literal(char) if char.is_ascii_alphabetic() => format!("'{char}'"),
            DatePart::Literal(char) => char.to_string(),
        };
    }
    literal(pattern.as_bytes())
}

/// Code that appends fields, one after another, to the end of a function. `record` is what has them.
pub(super) fn fields(code: &mut Code, key: &Key, fields: &[Field], record: &str) {
    for field in fields {
        let fail = format!("return dst, rowkey.InField({}, {{}})", literal(field.name.as_bytes()));
        value(code, key, &field.ty, field.desc, &format!("{record}.{}", field.ident), &fail);
    }
}

/// The result of a function that appends.
pub(super) fn result(fails: bool) -> &'static str {
    if fails { "([]byte, error)" } else { "[]byte" }
}

/// A function value that appends an ascending value, and returns an error or nil.
pub(super) fn writer(key: &Key, of: &Type) -> Option<String> {
    if matches!(of, Type::Option { .. } | Type::List { .. }) {
        return None;
    }
    let call = call(key, of, "v", "dst");
    let name = call.text.strip_suffix("(dst, v)")?;
    // A method or a conversion is no such function.
    let is_plain = name.starts_with("rowkey.") || name.starts_with("append");
    let writer = if call.fails { name.to_owned() } else { format!("rowkey.Sure({name})") };
    (is_plain && !writer.is_empty() && ty::of(key, of) != "struct{}").then_some(writer)
}
