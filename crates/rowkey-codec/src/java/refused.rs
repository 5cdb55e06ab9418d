//! The name of the field in an exception: a variable that each field sets before it is written.

use super::source::{Source, literal};
use crate::ir::{Field, Int, Key, Type};

/// Returns whether a value can have no bytes: a number of all bits of its type always has some.
fn can_be_refused(field: &Field) -> bool {
    match &field.ty {
        Type::Int(Int { bits, signed, width, .. }) => *bits == 128 || width * 8 < *bits || !(*signed || *bits == 64),
        Type::Float { .. } | Type::Bool | Type::Constant(_) => false,
        _ => true,
    }
}

/// The part of a method that writes fields, within a `try` if one of them can be refused.
pub(super) struct Refused {
    is_needed: bool,
    /// The name of a variant, with a dot behind it.
    within: String,
}

impl Refused {
    pub(super) fn begin(fields: &[Field], variant: Option<&str>, to: &mut Source) -> Self {
        let is_needed = fields.iter().any(can_be_refused);
        if is_needed {
            to.line("String field = \"\";");
            to.open("try");
        }
        Self { is_needed, within: variant.map_or(String::new(), |variant| format!("{variant}.")) }
    }

    /// Before a field is written.
    pub(super) fn field(&self, field: &Field, to: &mut Source) {
        if self.is_needed && can_be_refused(field) {
            to.line(&format!("field = {};", literal(&format!("{}{}", self.within, field.name))));
        }
    }

    /// The end, of a key or of a type within one.
    pub(super) fn end(self, key: Option<&Key>, to: &mut Source) {
        if self.is_needed {
            to.next("catch (IllegalArgumentException | NullPointerException thrown)");
            let key = key.map_or(String::new(), |key| format!("{}, ", literal(&key.ident)));
            to.line(&format!("throw EncodeException.of({key}field, thrown);"));
            to.close();
        }
    }
}
