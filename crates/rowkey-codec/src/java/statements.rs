//! Statements that write and read a value that takes several: options, lists, fields of text keys.

use super::source::Source;
use super::types::plain;
use super::value::Values;
use crate::ir::{TextField, Type};

impl Values<'_, '_> {
    /// Statements that write a value.
    pub(super) fn write_all(&mut self, ty: &Type, value: &str, depth: usize, to: &mut Source) {
        if let Some(write) = self.write(ty, value) {
            return to.line(&format!("{write};"));
        }
        match ty {
            Type::Option { inner, none, .. } => {
                let none = if *none == 0 { "NONE" } else { "NONE_LAST" };
                to.line(&format!("Options.write(w, {value}.isPresent(), Options.{none});"));
                self.write_present(inner, value, depth, to);
            }
            Type::TextField(field) if field.after.is_some() => {
                let present = present(field);
                self.write_present_after(field, &present, value, depth, to);
            }
            Type::TextField(field) => self.write_text(field, value, depth, to),
            Type::List { item, raw } => {
                let (name, at) = (format!("item{depth}"), format!("at{depth}"));
                to.line(&format!("int {at} = 0;"));
                to.open("try");
                to.open(&format!("for ({} {name} : {value})", plain(self.key, item)));
                if !raw {
                    to.line("Lists.writeNext(w);");
                }
                self.write_all(item, &name, depth + 1, to);
                to.line(&format!("{at}++;"));
                to.close();
                to.next(&format!("catch (IllegalArgumentException | NullPointerException thrown{depth})"));
                to.line(&format!("throw Lists.refused({value}, {at}, thrown{depth});"));
                to.close();
                if !raw {
                    to.line("Lists.writeEnd(w);");
                }
            }
            _ => {}
        }
    }

    fn write_present(&mut self, inner: &Type, value: &str, depth: usize, to: &mut Source) {
        to.open(&format!("if ({value}.isPresent())"));
        match self.write(inner, &format!("{value}.get()")) {
            Some(write) => to.line(&format!("{write};")),
            None => {
                let name = format!("some{depth}");
                to.line(&format!("{} {name} = {value}.get();", plain(self.key, inner)));
                self.write_all(inner, &name, depth + 1, to);
            }
        }
        to.close();
    }

    fn write_present_after(&mut self, field: &TextField, present: &Type, value: &str, depth: usize, to: &mut Source) {
        let after = self.constants.bytes(field.after.as_deref().unwrap_or_default());
        let name = format!("some{depth}");
        to.open(&format!("if ({value}.isPresent())"));
        to.line(&format!("{} {name} = {value}.get();", plain(self.key, present)));
        to.line(&format!("Constants.write(w, {after});"));
        self.write_all(present, &name, depth + 1, to);
        to.close();
    }

    /// Statements that read a value into a new variable.
    pub(super) fn read_all(&mut self, ty: &Type, name: &str, depth: usize, to: &mut Source) {
        let declared = format!("{} {name}", plain(self.key, ty));
        if let Some(read) = self.read(ty) {
            return to.line(&format!("{declared} = {read};"));
        }
        match ty {
            Type::Option { inner, none, .. } => {
                let none = if *none == 0 { "NONE" } else { "NONE_LAST" };
                to.line(&format!("{declared} = Optional.empty();"));
                to.open(&format!("if (Options.read(r, Options.{none}))"));
                self.read_present(inner, name, depth, to);
                to.close();
            }
            Type::TextField(field) if field.after.is_some() => {
                let after = self.constants.bytes(field.after.as_deref().unwrap_or_default());
                let present = present(field);
                to.line(&format!("{declared} = Optional.empty();"));
                to.open("if (r.left() > 0)");
                to.line(&format!("TextEnds.readDelimiter(r, {after});"));
                self.read_present(&present, name, depth, to);
                to.close();
            }
            Type::TextField(field) => self.read_text(field, &declared, depth, to),
            Type::List { item, raw } => {
                let each = format!("item{depth}");
                to.line(&format!("{declared} = new ArrayList<>();"));
                to.line("Lists.begin(r);");
                to.open(if *raw { "while (Lists.readNextRaw(r))" } else { "while (Lists.readNext(r))" });
                match self.read(item) {
                    Some(read) => to.line(&format!("{name}.add({read});")),
                    None => {
                        self.read_all(item, &each, depth + 1, to);
                        to.line(&format!("{name}.add({each});"));
                    }
                }
                to.close();
            }
            _ => {}
        }
    }

    fn read_present(&mut self, inner: &Type, name: &str, depth: usize, to: &mut Source) {
        match self.read(inner) {
            Some(read) => to.line(&format!("{name} = Optional.of({read});")),
            None => {
                let some = format!("some{depth}");
                self.read_all(inner, &some, depth + 1, to);
                to.line(&format!("{name} = Optional.of({some});"));
            }
        }
    }
}

/// The type of the values that are there, of an optional field.
fn present(field: &TextField) -> Type {
    let mut present = field.clone();
    present.after = None;
    Type::TextField(present)
}
