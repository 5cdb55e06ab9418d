//! Values for people: characters, and numbers without a sign, are numbers of Java that do not print so.

use super::fields::is_component;
use super::source::{Source, literal};
use crate::ir::{Field, Form, Int, TextField, Type};

/// The expression that shows a value. What is within a declared type is shown by that.
pub(super) fn shown(ty: &Type, value: &str, depth: usize) -> String {
    let each = format!("item{depth}");
    match ty {
        Type::Constant(_) => "\"\"".to_owned(),
        Type::Char => format!("CodePoint.shown({value})"),
        Type::Int(Int { bits: 64, signed: false, .. }) => format!("Long.toUnsignedString({value})"),
        Type::TextField(field) if is_unsigned(field) && field.after.is_some() => {
            format!("{value}.map({each} -> Long.toUnsignedString({each}))")
        }
        Type::TextField(field) if is_unsigned(field) => format!("Long.toUnsignedString({value})"),
        Type::Option { inner, .. } if needs(inner) => {
            format!("{value}.map({each} -> {})", shown(inner, &each, depth + 1))
        }
        Type::List { item, .. } if needs(item) => {
            format!("{value}.stream().map({each} -> {}).toList()", shown(item, &each, depth + 1))
        }
        _ => value.to_owned(),
    }
}

fn is_unsigned(field: &TextField) -> bool {
    matches!(field.form, Form::Decimal { bits: 64 } | Form::Minus { bits: 64, .. } | Form::Hex { bits: 64, .. })
}

/// Returns whether a value does not print as people write it.
fn needs(ty: &Type) -> bool {
    match ty {
        Type::Char | Type::Int(Int { bits: 64, signed: false, .. }) => true,
        Type::TextField(field) => is_unsigned(field),
        Type::Option { inner: part, .. } | Type::List { item: part, .. } => needs(part),
        _ => false,
    }
}

/// The method `toString` of a record, if that of Java shows a component otherwise.
pub(super) fn to_string(ident: &str, fields: &[Field], to: &mut Source) {
    if !fields.iter().any(|field| needs(&field.ty)) {
        return;
    }
    let parts = fields
        .iter()
        .filter(is_component)
        .flat_map(|field| [literal(&field.ident), shown(&field.ty, &format!("this.{}", field.ident), 0)]);
    let arguments: Vec<String> = std::iter::once(literal(ident)).chain(parts).collect();
    to.blank();
    to.line("@Override");
    to.open("public String toString()");
    to.call("return Explanation.record", &arguments, ";");
    to.close();
}
