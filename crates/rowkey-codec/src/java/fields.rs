//! The fields of a key, a tuple or a variant: their parameters, what writes and what reads them.

use super::ints::write_inverted;
use super::source::{Source, literal, plain as comment};
use super::types::{note, plain};
use super::value::Values;
use crate::ir::{Field, Key, Type};

/// Returns whether it is a component of its record: a constant is none.
pub(super) fn is_component(field: &&Field) -> bool {
    !matches!(field.ty, Type::Constant(_))
}

/// The components of the record: types and names.
pub(super) fn components(key: &Key, fields: &[Field]) -> Vec<String> {
    let component = |field: &Field| format!("{} {}", plain(key, &field.ty), field.ident);
    fields.iter().filter(is_component).map(component).collect()
}

/// The documentation of each component.
pub(super) fn tags(fields: &[Field]) -> Vec<(String, String)> {
    let tag = |field: &Field| {
        let about = field.about.iter().map(|about| comment(about));
        let notes = note(&field.ty).map(str::to_owned);
        let shape = format!("{{@code {}}}", code(&field.shape));
        let text: Vec<String> = std::iter::once(shape).chain(about).chain(notes).collect();
        (field.ident.clone(), text.join("; "))
    };
    fields.iter().filter(is_component).map(tag).collect()
}

/// A shape within `{@code …}`: braces have to be in pairs there, and are in all shapes but those of constants.
pub(super) fn code(shape: &str) -> String {
    let is_harmless = |char: &char| !matches!(char, '\\' | '*' | '@');
    let pairs = shape.chars().filter(|char| matches!(char, '{' | '}')).count();
    let is_in_pairs = pairs % 2 == 0 && !shape.contains("'{'") && !shape.contains("'}'");
    match is_in_pairs {
        true => shape.chars().filter(is_harmless).collect(),
        false => shape.chars().filter(is_harmless).filter(|char| !matches!(char, '{' | '}')).collect(),
    }
}

/// A constructor that copies the lists, so that the record does not change; nothing if there are none.
pub(super) fn copies(class: &str, fields: &[Field], to: &mut Source) {
    let lists: Vec<&Field> = fields.iter().filter(|field| matches!(field.ty, Type::List { .. })).collect();
    if lists.is_empty() {
        return;
    }
    to.doc(&["Copies the lists, unless they can't be changed.".to_owned()], &[]);
    to.open(&format!("public {class}"));
    for Field { ident, .. } in lists {
        to.assign(ident, "Lists.copy", std::slice::from_ref(ident));
    }
    to.close();
    to.blank();
}

impl Values<'_, '_> {
    /// Statements that write the value of a field that is a component.
    pub(super) fn write_field(&mut self, field: &Field, number: usize, to: &mut Source) {
        if let (true, Some(write)) = (field.desc, write_inverted(&field.ty, &format!("this.{}", field.ident))) {
            return to.line(&format!("{write};"));
        }
        let from = format!("from{number}");
        if field.desc {
            to.line(&format!("int {from} = w.length();"));
        }
        self.write_all(&field.ty, &format!("this.{}", field.ident), number, to);
        if field.desc {
            to.line(&format!("w.invert({from});"));
        }
    }

    /// Statements that read a field into a variable.
    pub(super) fn read_field(&mut self, field: &Field, path: &str, name: &str, number: usize, to: &mut Source) {
        to.line(&format!("r.field({});", literal(path)));
        if field.desc {
            to.line("r.invert();");
        }
        if let Type::Constant(bytes) = &field.ty {
            to.line(&format!("Constants.read(r, {});", self.constants.bytes(bytes)));
        } else {
            self.read_all(&field.ty, name, number, to);
        }
        if field.desc {
            to.line("r.invert();");
        }
    }
}

/// The local variable of a component: it has its name, if no other variable is called so.
pub(super) fn local(field: &Field) -> String {
    let stem = field.ident.trim_end_matches(|char: char| char.is_ascii_digit());
    let is_numbered = stem.len() < field.ident.len() && matches!(stem, "at" | "item" | "some" | "from" | "end");
    if is_numbered || matches!(stem, "r" | "key" | "told" | "start") {
        format!("{}_", field.ident)
    } else {
        field.ident.clone()
    }
}
