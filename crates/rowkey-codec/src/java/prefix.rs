//! The builders of prefixes: a class for each number of fields that are fixed, so that a wrong order does not compile.

use super::constants::Constants;
use super::source::Source;
use super::value::Values;
use crate::ir::{End, Field, Key, Order, Ordered, TextEnd, TextField, Type};

/// Writes the classes.
pub(super) fn write(key: &Key, constants: &mut Constants, to: &mut Source) {
    for fixed in 0..=key.most_fixed() {
        let before = fixed.checked_sub(1).and_then(|last| key.fields.get(last));
        // Constants are fixed with the field after them; at the end with the one before.
        let is_reached = fixed == 0 || before.is_some_and(|field| !is_constant(field)) || fixed == key.fields.len();
        if is_reached {
            to.blank();
            Step { key, fixed }.write(constants, to);
        }
    }
}

fn is_constant(field: &Field) -> bool {
    matches!(field.ty, Type::Constant(_))
}

/// A prefix of so many fields.
struct Step<'k> {
    key: &'k Key,
    fixed: usize,
}

impl<'k> Step<'k> {
    /// The next field, behind constants; none if prefixes do not go on.
    fn next(&self) -> Option<(usize, &'k Field)> {
        let fields = self.key.fields.iter().enumerate().take(self.key.most_fixed());
        fields.skip(self.fixed).find(|(_, field)| !is_constant(field))
    }

    /// The number of fields that are fixed with the next one.
    fn after(&self, next: usize) -> usize {
        let rest = &self.key.fields[next + 1..];
        if rest.iter().all(is_constant) { self.key.fields.len() } else { next + 1 }
    }

    fn write(&self, constants: &mut Constants, to: &mut Source) {
        let (key, ident) = (self.key, &self.key.steps[self.fixed]);
        to.doc(&[self.about()], &[]);
        to.open(&format!("public static final class {ident}"));
        if let Some((at, field)) = self.next() {
            self.field_constants(at, field, constants, to);
        }
        to.line("private final LeadingFields fields;");
        to.blank();
        to.open(&format!("private {ident}(LeadingFields fields)"));
        to.line("this.fields = fields;");
        to.close();
        if let Some((at, field)) = self.next() {
            self.field_methods(at, field, constants, to);
        }
        if self.fixed == 0 || self.fixed >= key.least_fixed() {
            to.blank();
            to.doc(&["Selects the keys that begin so.".to_owned()], &[]);
            to.open("public Selection select()");
            to.line("return fields.select();");
            to.close();
            to.blank();
            to.doc(&["The ranges of these keys.".to_owned()], &[]);
            to.open("public List<KeyRange> ranges()");
            to.line("return select().ranges();");
            to.close();
        }
        to.close();
    }

    fn about(&self) -> String {
        match self.fixed {
            0 => "Keys, selected by their first fields: none is fixed yet.".to_owned(),
            1 => "Keys whose first field is fixed.".to_owned(),
            fixed => format!("Keys whose first {fixed} fields are fixed."),
        }
    }

    fn field_constants(&self, at: usize, field: &Field, constants: &mut Constants, to: &mut Source) {
        let mut values = Values { key: self.key, constants, is_first: at == 0 };
        for (i, skipped) in self.key.fields.iter().enumerate() {
            let is_skipped = (self.fixed..at).contains(&i) || (at + 1..self.after(at)).contains(&i);
            if let (true, Some(write)) = (is_skipped, values.write(&skipped.ty, "value")) {
                let arguments = [format!("(w, value) -> {write}"), skipped.desc.to_string()];
                to.assign(&format!("private static final KeyField<KeyBytes> FIELD_{i}"), "KeyField.of", &arguments);
                to.blank();
            }
        }
        let boxed = values.boxed(&field.ty);
        let order = self.key.order(&field.ty);
        let write = match values.write(&field.ty, "value") {
            Some(write) => format!("(w, value) -> {write}"),
            None => format!("{}::write{}", self.key.ident, capital(&field.ident)),
        };
        let name = format!("private static final KeyField<{boxed}> NEXT");
        if field.ty.ends_with_key() || order == Order::Descending {
            let flags = [field.desc, field.ty.ends_with_key(), order == Order::Descending];
            let arguments: Vec<String> = std::iter::once(write).chain(flags.iter().map(bool::to_string)).collect();
            to.assign(&name, "new KeyField<>", &arguments);
        } else {
            to.assign(&name, "KeyField.of", &[write, field.desc.to_string()]);
        }
        to.blank();
    }

    fn field_methods(&self, at: usize, field: &Field, constants: &mut Constants, to: &mut Source) {
        let (key, after) = (self.key, self.after(at));
        let mut values = Values { key, constants, is_first: at == 0 };
        let (plain, boxed) = (super::types::plain(key, &field.ty), values.boxed(&field.ty));
        let (ident, desc) = (&field.ident, field.desc);
        let name = super::fields::code(&super::source::plain(&field.name));
        let fixing = |from: &str, of: std::ops::Range<usize>| {
            of.fold(from.to_owned(), |fields, i| {
                let bytes = match &key.fields[i].ty {
                    Type::Constant(bytes) => bytes.as_slice(),
                    _ => &[],
                };
                format!("{fields}.field(FIELD_{i}, {})", super::constants::name_of_bytes(bytes))
            })
        };
        let before = fixing("fields", self.fixed..at);
        let step = &key.steps[after];
        to.blank();
        to.doc(&[format!("Fixes {{@code {name}}}.")], &[]);
        to.open(&format!("public {step} {ident}({plain} value)"));
        let fixed = fixing(&format!("{before}.field(NEXT, value)"), at + 1..after);
        to.call(&format!("return new {step}"), &[fixed], ";");
        to.close();
        if after >= key.least_fixed() {
            self.selecting(to, &name, "one of these values", &format!("{ident}In(Collection<? extends {boxed}> values)"));
            to.line(&format!("return {before}.in(NEXT, values);"));
            to.close();
        }
        if at < key.least_fixed() {
            return;
        }
        if key.order(&field.ty) != Order::None {
            self.selecting(to, &name, "in a range", &format!("{ident}Range(Bounds<? extends {boxed}> bounds)"));
            to.line(&format!("return {before}.range(NEXT, bounds);"));
            to.close();
        }
        if let Type::HostPath { .. } = field.ty {
            let what = "of a domain and its subdomains, or of an address";
            self.selecting(to, &name, what, &format!("{ident}Under(String host)"));
            to.line(&format!("return {before}.under(host, {desc});"));
            to.close();
        }
        if field.ty.can_be_begun() {
            let start = if boxed == "KeyBytes" { "KeyBytes" } else { "String" };
            self.selecting(to, &name, "beginning so", &format!("{ident}StartsWith({start} start)"));
            match begun(&field.ty, &mut values) {
                Begun::Padded(width) => to.line(&format!("return {before}.startsWithPadded(start, {width}, {desc});")),
                Begun::Written(write) => {
                    to.line("KeyWriter w = new KeyWriter();");
                    to.line(&format!("{write};"));
                    to.line(&format!("return {before}.startsWith(w, {desc});"));
                }
            }
            to.close();
        }
    }

    fn selecting(&self, to: &mut Source, name: &str, what: &str, method: &str) {
        to.blank();
        to.doc(&[format!("Selects the keys with a {{@code {name}}} {what}.")], &[]);
        to.open(&format!("public Selection {method}"));
    }
}

/// What writes the beginning of values.
enum Begun {
    Padded(u16),
    Written(String),
}

fn begun(ty: &Type, values: &mut Values<'_, '_>) -> Begun {
    let first = values.is_first;
    Begun::Written(match ty {
        Type::Text(TextEnd::Blanks(width)) => return Begun::Padded(*width),
        Type::Text(TextEnd::Zeros(width)) => format!("Padded.writeZerosStart(w, start, {width})"),
        Type::Text(TextEnd::Escaped) => "Text.writeStart(w, start)".to_owned(),
        Type::Bytes { raw: false } => "ByteStrings.writeStart(w, start)".to_owned(),
        Type::Bytes { raw: true } => "ByteStrings.writeRaw(w, start)".to_owned(),
        Type::Ordered(Ordered::Bytes) => format!("Ordered.writeBytesStart(w, start, {first})"),
        Type::Ordered(_) => format!("Ordered.writeTextStart(w, start, {first})"),
        Type::TextField(TextField { end: End::Before(delimiter) | End::Until(delimiter), .. }) => {
            format!("PlainText.writeStart(w, start, {})", values.constants.bytes(delimiter))
        }
        _ => "Text.writeRaw(w, start)".to_owned(),
    })
}

/// The name with its first letter in upper case.
pub(super) fn capital(ident: &str) -> String {
    let (first, rest) = ident.split_at(ident.len().min(1));
    first.to_uppercase() + rest
}
