//! Values for people, in tables of a key's bytes: characters, UUIDs, and the variants of enums by their names.

use super::code::{Code, literal};
use super::{read, ty};
use crate::ir::{Field, Form, Key, Type, Variant};

/// The expression that shows a value; the value itself, if the runtime knows how.
pub(super) fn shown(key: &Key, of: &Type, value: &str) -> String {
    call(key, of, value).unwrap_or_else(|| value.to_owned())
}

fn call(key: &Key, of: &Type, value: &str) -> Option<String> {
    Some(match of {
        Type::Option { inner, .. } => format!("rowkey.ShowOption({value}, {})", function(key, inner)?),
        Type::TextField(field) if field.form == Form::Uuid && field.after.is_some() => {
            format!("rowkey.ShowOption({value}, rowkey.ShowUUID)")
        }
        Type::List { item, .. } => format!("rowkey.ShowList({value}, {})", function(key, item)?),
        Type::Tuple(_) => format!("{value}.shown()"),
        of => format!("{}({value})", function(key, of)?),
    })
}

/// A function that shows values of a type.
fn function(key: &Key, of: &Type) -> Option<String> {
    Some(match of {
        Type::Char => "rowkey.ShowChar".to_owned(),
        Type::Uuid => "rowkey.ShowUUID".to_owned(),
        Type::TextField(field) if field.form == Form::Uuid && field.after.is_none() => "rowkey.ShowUUID".to_owned(),
        Type::Tuple(at) => format!("{}.shown", key.types[*at].ident),
        Type::Enum(at) if !key.types[*at].is_plain_enum() => name(&key.types[*at].ident),
        Type::Option { .. } | Type::List { .. } => {
            format!("func(v {}) rowkey.Shown {{ return {} }}", ty::of(key, of), call(key, of, "v")?)
        }
        _ => return None,
    })
}

fn name(ident: &str) -> String {
    format!("shown{ident}")
}

/// The method of a tuple, or of a variant of this name.
pub(super) fn method(code: &mut Code, key: &Key, ident: &str, variant: &str, fields: &[Field]) {
    let members: Vec<&Field> = fields.iter().filter(|field| read::is_member(field)).collect();
    let values = members.iter().map(|field| shown(key, &field.ty, &format!("v.{}", field.ident)));
    let arguments: Vec<String> = std::iter::once(literal(variant.as_bytes())).chain(values).collect();
    let receiver = if members.is_empty() { "" } else { "v " };
    code.open(format!("func ({receiver}{ident}) shown() rowkey.Shown {{"));
    code.line(format!("return rowkey.ShowRecord({})", arguments.join(", ")));
    code.end();
}

/// The function of an enum whose variants have fields.
pub(super) fn sealed(code: &mut Code, ident: &str, variants: &[Variant]) {
    code.open(format!("func {}(v {ident}) rowkey.Shown {{", name(ident)));
    code.open("switch v := v.(type) {");
    for variant in variants {
        code.reopen(format!("case {}:", variant.ident));
        code.line("return v.shown()");
    }
    code.reopen("default:");
    code.line("return \"\"");
    code.close("}");
    code.end();
}
