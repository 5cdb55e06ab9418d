//! Code that reads values from `r`, a `*rowkey.Reader`.

use super::append::{end, pattern, wide};
use super::code::{Code, literal, loop_names};
use super::ty;
use crate::ir::{Field, Form, Int, IntForm, Key, Ordered, TextEnd, TextField, Type};

/// Reads fields into a record. `after` is written after each, if all went well.
pub(super) fn fields(
    code: &mut Code,
    key: &Key,
    fields: &[Field],
    record: &str,
    mut after: impl FnMut(&mut Code, usize),
) {
    for (i, field) in fields.iter().enumerate() {
        if field.desc {
            code.line("r.Flip()");
        }
        value(code, key, &field.ty, &format!("{record}.{}", field.ident), i == 0);
        if field.desc {
            code.line("r.Flip()");
        }
        code.open("if r.Failed() {");
        code.line(format!("r.In({})", literal(field.name.as_bytes())));
        code.line("return");
        code.close("}");
        after(code, i);
    }
}

fn value(code: &mut Code, key: &Key, of: &Type, to: &str, first: bool) {
    match of {
        Type::Array(_) | Type::Uuid => code.line(format!("r.Array({to}[:])")),
        Type::Constant(bytes) => code.line(format!("r.Expect({}, \"the field's constant\")", literal(bytes))),
        Type::Enum(at) => code.line(format!("{to} = read{}(r)", key.types[*at].ident)),
        Type::Tuple(_) => code.line(format!("{to}.readFrom(r)")),
        Type::Option { inner, none, .. } => {
            let is_some = if *none == 0 { "r.IsSome()" } else { "r.IsSomeOther()" };
            code.open(format!("if {to}.Present = {is_some}; {to}.Present {{"));
            value(code, key, inner, &format!("{to}.Value"), first);
            code.close("}");
        }
        Type::TextField(field) if field.after.is_some() => {
            code.open(format!("if {to}.Present = r.More(); {to}.Present {{"));
            let after = literal(field.after.as_deref().unwrap_or_default());
            code.line(format!("r.Expect({after}, \"the field's delimiter before it, or the end of the key\")"));
            code.line(format!("{to}.Value = {}", text_call(field)));
            code.close("}");
        }
        Type::List { item, raw } => {
            // In a variable of its own it is no write to memory that the collector watches.
            let list = code.list();
            code.line(format!("var {list} []{}", ty::of(key, item)));
            code.open(if *raw { "for r.More() {" } else { "for r.Another() {" });
            match call(item, first) {
                Some(call) => code.line(format!("{list} = append({list}, {call})")),
                None => {
                    let (_, name) = loop_names(to);
                    code.line(format!("var {name} {}", ty::of(key, item)));
                    value(code, key, item, &name, first);
                    code.line(format!("{list} = append({list}, {name})"));
                }
            }
            code.open("if r.Failed() {");
            code.line(format!("r.InItem(len({list}) - 1)"));
            code.close("}");
            code.close("}");
            code.line(format!("{to} = {list}"));
        }
        _ => code.line(format!("{to} = {}", call(of, first).unwrap_or_default())),
    }
}

/// The call for a type that has one.
fn call(of: &Type, first: bool) -> Option<String> {
    let raw = |raw: &bool| if *raw { "Raw" } else { "" };
    Some(match of {
        Type::Int(int) => int_call(int),
        Type::Float { bits } => format!("r.F{bits}()"),
        Type::Bool => "r.Bool()".to_owned(),
        Type::Char => "r.Char()".to_owned(),
        Type::Text(TextEnd::Escaped) => "r.Text()".to_owned(),
        Type::Text(TextEnd::Raw) => "r.TextRaw()".to_owned(),
        Type::Text(TextEnd::Blanks(width)) => format!("r.Blanks({width})"),
        Type::Text(TextEnd::Zeros(width)) => format!("r.Zeros({width})"),
        Type::Bytes { raw: ends } => format!("r.Bytes{}()", raw(ends)),
        Type::Decimal { raw: ends } => format!("r.Decimal{}()", raw(ends)),
        Type::Ip => "r.IPAddr()".to_owned(),
        Type::Instant => "r.Instant()".to_owned(),
        Type::Duration => "r.Duration()".to_owned(),
        Type::Quadkey(zoom) => format!("r.Quadkey({zoom})"),
        Type::Tile => "r.Tile()".to_owned(),
        Type::HostPath { raw: ends } => format!("r.HostPath{}()", raw(ends)),
        Type::TextField(field) if field.after.is_none() => text_call(field),
        Type::Ordered(kind) => match kind {
            Ordered::Text => format!("r.OrderedText({first})"),
            Ordered::Bytes => format!("r.OrderedBytes({first})"),
            Ordered::Int => format!("r.OrderedInt({first})"),
            Ordered::BigEndian => format!("r.OrderedBE({first})"),
            Ordered::Micros => format!("r.OrderedMicros({first})"),
            Ordered::BigEndianMicros => format!("r.OrderedBEMicros({first})"),
        },
        Type::Array(_)
        | Type::Uuid
        | Type::Constant(_)
        | Type::Enum(_)
        | Type::Tuple(_)
        | Type::Option { .. }
        | Type::TextField(_)
        | Type::List { .. } => return None,
    })
}

fn int_call(int: &Int) -> String {
    let (bits, width, own) = (int.bits, int.width, ty::int_type(int));
    let narrowed = |call: String| match (bits, int.signed) {
        (128, false) => call,
        (128, true) => format!("{call}.Signed()"),
        _ => format!("{own}({call}.Lo)"),
    };
    match (int.form, int.signed) {
        (IntForm::Sorted | IntForm::Big, _) if width * 8 < bits => narrowed(format!("r.BE({width})")),
        (IntForm::Sorted, true) => format!("r.I{bits}()"),
        (IntForm::Sorted, false) => format!("r.U{bits}()"),
        (IntForm::Big, false) => format!("r.U{bits}()"),
        (IntForm::Big, true) if bits < 128 => format!("{own}(r.U{bits}())"),
        (IntForm::Big, _) => narrowed(format!("r.BE({width})")),
        (IntForm::Little, _) => narrowed(format!("r.LE({width})")),
    }
}

/// The call for a field of a text key that is there.
fn text_call(field: &TextField) -> String {
    let end = end(field);
    let low = |bits: &u8| if *bits == 64 { ".Lo" } else { "" };
    match &field.form {
        Form::Text => format!("r.Plain({end})"),
        Form::Reversed => format!("r.Reversed({end})"),
        Form::Decimal { bits } => format!("r.Dec({end}){}", low(bits)),
        Form::Signed => format!("r.Int({end})"),
        Form::Minus { max, bits } => format!("r.Minus({}, {end}){}", wide(*max), low(bits)),
        Form::Hex { upper, bits } => format!("r.Hex({upper}, {end}){}", low(bits)),
        Form::HexBytes { upper } => format!("r.HexBytes({upper}, {end})"),
        Form::Uuid => format!("r.UUIDText({end})"),
        Form::Date(parts) => format!("r.Date({}, {end})", pattern(parts)),
    }
}

/// Returns whether a field is no member of a record.
pub(super) fn is_member(field: &Field) -> bool {
    !matches!(field.ty, Type::Constant(_))
}
