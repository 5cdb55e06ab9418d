//! Code that counts the bytes of a value, so that they are allocated once. Escapes are not counted.

use super::code::{Code, loop_names};
use crate::ir::{DeclKind, Field, Key, Ordered, TextField, Type};

/// The number of bytes that all values of some fields have, and terms that differ.
#[derive(Default)]
pub(super) struct Size {
    fixed: usize,
    terms: Vec<String>,
    loops: Vec<(String, String, Size)>,
}

impl Size {
    pub(super) fn of(key: &Key, fields: &[Field], record: &str) -> Self {
        let mut size = Self::default();
        fields.iter().for_each(|field| size.add(key, &field.ty, &format!("{record}.{}", field.ident)));
        size
    }

    pub(super) fn plus(mut self, bytes: usize) -> Self {
        self.fixed += bytes;
        self
    }

    fn add(&mut self, key: &Key, ty: &Type, value: &str) {
        if let Some(width) = key.width(ty) {
            self.fixed += width;
            return;
        }
        match ty {
            Type::Text(_) | Type::Bytes { .. } => {
                self.fixed += 1;
                self.terms.push(format!("len({value})"));
            }
            Type::Ordered(Ordered::Text | Ordered::Bytes) => {
                self.fixed += 4;
                self.terms.push(format!("len({value})"));
            }
            Type::Ordered(_) => self.fixed += 14,
            Type::Decimal { .. } | Type::HostPath { .. } => {
                self.fixed += 1;
                self.terms.push(format!("{value}.Size()"));
            }
            Type::TextField(field) => self.text(field, value),
            Type::Ip => self.fixed += 17,
            Type::Option { inner, .. } => {
                self.fixed += 1;
                self.add(key, inner, &format!("{value}.Value"));
            }
            Type::List { item, .. } => match key.width(item) {
                Some(width) => {
                    self.fixed += 1;
                    self.terms.push(format!("{}*len({value})", width + 1));
                }
                None => {
                    let (_, name) = loop_names(value);
                    let mut size = Self { fixed: 1, ..Self::default() };
                    size.add(key, item, &name);
                    self.fixed += 1;
                    self.loops.push((value.to_owned(), name, size));
                }
            },
            Type::Enum(at) => self.terms.push(format!("sizeOf{}({value})", key.types[*at].ident)),
            Type::Tuple(at) => {
                if let DeclKind::Tuple(fields) = &key.types[*at].kind {
                    fields.iter().for_each(|field| self.add(key, &field.ty, &format!("{value}.{}", field.ident)));
                }
            }
            // Their width is known.
            _ => {}
        }
    }

    fn text(&mut self, field: &TextField, value: &str) {
        use crate::ir::{End, Form};
        let delimiter = match &field.end {
            End::Before(delimiter) => delimiter.len(),
            _ => 0,
        };
        self.fixed += delimiter + field.after.as_ref().map_or(0, Vec::len);
        let there = if field.after.is_some() { format!("{value}.Value") } else { value.to_owned() };
        match (&field.form, field.width) {
            (_, Some(width)) => self.fixed += width,
            (Form::Text | Form::Reversed, None) => self.terms.push(format!("len({there})")),
            (Form::HexBytes { .. }, None) => self.terms.push(format!("2*len({there})")),
            (Form::Decimal { bits: 64 } | Form::Minus { bits: 64, .. }, None) => self.fixed += 20,
            _ => self.fixed += 40,
        }
    }

    /// The sum, where it has no loops.
    pub(super) fn sum(&self) -> String {
        let mut terms = self.terms.clone();
        if let (0, [only]) = (self.fixed, terms.as_slice()) {
            // As gofmt writes a product that is no term of a sum.
            return only.replace('*', " * ");
        }
        if self.fixed > 0 || terms.is_empty() {
            terms.insert(0, self.fixed.to_string());
        }
        terms.join(" + ")
    }

    /// Returns whether values differ in their number of bytes.
    pub(super) fn uses_record(&self) -> bool {
        !self.terms.is_empty() || !self.loops.is_empty()
    }

    pub(super) fn has_loops(&self) -> bool {
        !self.loops.is_empty()
    }

    /// Code that adds the loops to `size`.
    pub(super) fn write_loops(&self, code: &mut Code) {
        for (list, item, size) in &self.loops {
            if size.terms.iter().all(|term| !term.contains(item.as_str())) && size.loops.is_empty() {
                code.line(format!("size += {} * len({list})", size.fixed));
                continue;
            }
            code.open(format!("for _, {item} := range {list} {{"));
            code.line(format!("size += {}", size.sum()));
            size.write_loops(code);
            code.close("}");
        }
    }

    /// Code that returns the sum.
    pub(super) fn write_return(&self, code: &mut Code) {
        if !self.has_loops() {
            return code.line(format!("return {}", self.sum()));
        }
        code.line(format!("size := {}", self.sum()));
        self.write_loops(code);
        code.line("return size");
    }
}
