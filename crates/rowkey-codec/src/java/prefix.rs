//! The builders of prefixes: a class for each number of fields that are fixed, so that a wrong order does not compile.

use super::constants::Constants;
use super::source::Source;
use super::value::Values;
use crate::ir::{Beginning, Field, Key, Order, Ordered, TextEnd, Type};

/// Writes the classes.
pub(super) fn write(key: &Key, constants: &mut Constants, to: &mut Source) {
    let mut step = Step { key, fixed: with_constants(key, 0), ident: &key.steps[0] };
    loop {
        to.blank();
        step.write(constants, to);
        if step.fixed >= key.most_fixed() {
            return;
        }
        step = Step::after(key, step.fixed);
    }
}

/// The expression of the first prefix: it has the constants that come first.
pub(super) fn first(key: &Key) -> String {
    with_bytes(key, "LeadingFields.of(LAYOUT)", 0)
}

/// The number of fields with the constants that come next: prefixes have these too.
fn with_constants(key: &Key, fixed: usize) -> usize {
    let constants = key.fields[fixed..].iter().take_while(|field| matches!(field.ty, Type::Constant(_)));
    fixed + constants.count()
}

/// An expression of so many fields, with the constants that come next.
fn with_bytes(key: &Key, fields: &str, fixed: usize) -> String {
    let mut with = fields.to_owned();
    for field in &key.fields[fixed..with_constants(key, fixed)] {
        if let Type::Constant(bytes) = &field.ty {
            with += &format!(".constant({}, {})", super::constants::name_of_bytes(bytes), field.desc);
        }
    }
    with
}

/// A prefix of so many fields.
struct Step<'k> {
    key: &'k Key,
    fixed: usize,
    ident: &'k str,
}

impl<'k> Step<'k> {
    /// The step once the field at a place is fixed.
    fn after(key: &'k Key, at: usize) -> Self {
        let fixed = with_constants(key, at + 1);
        Self { key, fixed, ident: &key.steps[fixed] }
    }

    fn next(&self) -> Option<&'k Field> {
        self.key.fields[..self.key.most_fixed()].get(self.fixed)
    }

    fn write(&self, constants: &mut Constants, to: &mut Source) {
        let Self { key, fixed, ident } = *self;
        to.doc(&[self.about()], &[]);
        to.open(&format!("public static final class {ident}"));
        if let Some(field) = self.next() {
            self.next_constant(field, constants, to);
        }
        to.line("private final LeadingFields fields;");
        to.blank();
        to.open(&format!("private {ident}(LeadingFields fields)"));
        to.line("this.fields = fields;");
        to.close();
        if let Some(field) = self.next() {
            self.methods(field, constants, to);
        }
        if fixed == 0 || fixed >= key.least_fixed() {
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

    fn next_constant(&self, field: &Field, constants: &mut Constants, to: &mut Source) {
        let mut values = Values { key: self.key, constants, is_first: self.fixed == 0 };
        let boxed = values.boxed(&field.ty);
        let order = self.key.order(&field.ty);
        let write = match values.write(&field.ty, "value") {
            Some(write) => format!("(w, value) -> {write}"),
            None => format!("{}::write{}", self.key.ident, capital(&field.ident)),
        };
        let name = format!("private static final KeyField<{boxed}> NEXT");
        let ends_with_key = self.key.ends_with_key(&field.ty);
        let design = super::source::literal(&field.name);
        if ends_with_key || order == Order::Descending {
            let flags = [field.desc, ends_with_key, order == Order::Descending];
            let arguments = [design, write].into_iter().chain(flags.iter().map(bool::to_string)).collect::<Vec<_>>();
            to.assign(&name, "new KeyField<>", &arguments);
        } else {
            to.assign(&name, "KeyField.of", &[design, write, field.desc.to_string()]);
        }
        to.blank();
    }

    fn methods(&self, field: &Field, constants: &mut Constants, to: &mut Source) {
        let (key, at) = (self.key, self.fixed);
        let mut values = Values { key, constants, is_first: at == 0 };
        let (plain, boxed) = (super::types::plain(key, &field.ty), values.boxed(&field.ty));
        let ident = &field.ident;
        let name = super::fields::code(&super::source::plain(&field.name));
        let step = Self::after(key, at).ident;
        to.blank();
        to.doc(&[format!("Fixes {{@code {name}}}.")], &[]);
        to.method(&format!("public {step} {ident}"), &format!("{plain} value"));
        to.call(&format!("return new {step}"), &[with_bytes(key, "fields.field(NEXT, value)", at + 1)], ";");
        to.close();
        if at + 1 >= key.least_fixed() {
            let values = format!("Collection<? extends {boxed}> values");
            self.selecting(to, &name, "that is one of these values", &format!("{ident}In"), &values);
            to.line("return fields.in(NEXT, values);");
            to.close();
        }
        if at < key.least_fixed() {
            return;
        }
        if key.order(&field.ty) != Order::None {
            let bounds = format!("Bounds<? extends {boxed}> bounds");
            self.selecting(to, &name, "in a range", &format!("{ident}Range"), &bounds);
            to.line("return fields.range(NEXT, bounds);");
            to.close();
        }
        if let Type::HostPath { .. } = field.ty {
            let what = "of a domain and its subdomains, or of an address";
            self.selecting(to, &name, what, &format!("{ident}Under"), "String host");
            to.line("return fields.under(NEXT, host);");
            to.close();
        }
        if let Type::Tile | Type::Quadkey(_) = field.ty {
            self.selecting(to, &name, "in a tile, which can be it", &format!("{ident}Within"), "Tile area");
            match field.ty {
                Type::Quadkey(zoom) => to.line(&format!("return fields.within(NEXT, area, {zoom});")),
                _ => to.line("return fields.within(NEXT, area);"),
            }
            to.close();
        }
        if field.ty.can_be_begun() {
            let start = if boxed == "KeyBytes" { "KeyBytes" } else { "String" };
            self.selecting(to, &name, "that begins so", &format!("{ident}StartsWith"), &format!("{start} start"));
            match begun(&field.ty, &mut values) {
                Begun::Before(delimiter) => {
                    to.line(&format!("return fields.startsWithBefore(NEXT, start, {delimiter});"));
                }
                Begun::Padded(width) => to.line(&format!("return fields.startsWithPadded(NEXT, start, {width});")),
                Begun::Written(write) => {
                    let arguments = ["NEXT".to_owned(), format!("(w, value) -> {write}"), "start".to_owned()];
                    to.call("return fields.startsWith", &arguments, ";");
                }
            }
            to.close();
        }
    }

    fn selecting(&self, to: &mut Source, name: &str, what: &str, method: &str, parameters: &str) {
        to.blank();
        to.doc(&[format!("Selects the keys with a {{@code {name}}} {what}.")], &[]);
        to.method(&format!("public Selection {method}"), parameters);
    }
}

/// The code that writes the beginning of values.
enum Begun {
    Padded(u16),
    Before(String),
    Written(String),
}

fn begun(ty: &Type, values: &mut Values<'_, '_>) -> Begun {
    let first = values.is_first;
    Begun::Written(match ty {
        Type::Text(TextEnd::Blanks(width)) => return Begun::Padded(*width),
        Type::Text(TextEnd::Zeros(width)) => format!("Padded.writeZerosStart(w, value, {width})"),
        Type::Text(TextEnd::Escaped) => "Text.writeStart(w, value)".to_owned(),
        Type::Bytes { raw: false } => "ByteStrings.writeStart(w, value)".to_owned(),
        Type::Bytes { raw: true } => "ByteStrings.writeRaw(w, value)".to_owned(),
        Type::Ordered(Ordered::Bytes) => format!("Ordered.writeBytesStart(w, value, {first})"),
        Type::Ordered(_) => format!("Ordered.writeTextStart(w, value, {first})"),
        Type::TextField(field) => match field.beginning() {
            Some(Beginning::Before(delimiter)) => return Begun::Before(values.constants.bytes(delimiter)),
            Some(Beginning::Within(width)) => format!("PlainText.writeStart(w, value, {width})"),
            _ => "Text.writeRaw(w, value)".to_owned(),
        },
        _ => "Text.writeRaw(w, value)".to_owned(),
    })
}

/// The name with its first letter in upper case.
pub(super) fn capital(ident: &str) -> String {
    let (first, rest) = ident.split_at(ident.len().min(1));
    first.to_uppercase() + rest
}
