//! The names of all that a codec declares.

use super::{Scope, Style};
use crate::ir::{Codec, DeclKind, Field, Key, Refusal, Table, Type};

impl Codec {
    /// The codec of these tables, with names in a language's style.
    ///
    /// # Errors
    /// The first key that has no generated code.
    pub fn of(tables: &[Table], style: &Style) -> Result<Self, Refusal> {
        let mut codec = Self { keys: tables.iter().map(Key::of).collect::<Result<_, _>>()? };
        Names::new(style).give(&mut codec);
        Ok(codec)
    }
}

/// Gives names, in the order of the design: a key that is added behind the others changes no name.
struct Names<'s> {
    style: &'s Style,
    types: Scope<'s>,
    modules: Scope<'s>,
}

impl<'s> Names<'s> {
    fn new(style: &'s Style) -> Self {
        let types = if style.is_nested { Scope::of_files } else { Scope::new }(style, style.types_taken);
        let modules = Scope::of_files(style, style.modules_taken);
        Self { style, types, modules }
    }

    fn give(mut self, codec: &mut Codec) {
        for key in &mut codec.keys {
            self.key(key);
        }
    }

    fn key(&mut self, key: &mut Key) {
        let style = self.style;
        key.ident = self.types.take(&key.name, style.types);
        key.module = self.modules.take(&key.name, style.modules);
        self.fields(&mut key.fields);
        let mut own = self.types.clone();
        let scope = if style.is_nested { &mut own } else { &mut self.types };
        let within = |name: &str| if style.is_nested { name.to_owned() } else { format!("{} {name}", key.ident) };
        key.steps = (0..=key.fields.len())
            .map(|fixed| match fixed {
                0 => scope.take(&within("prefix"), style.types),
                fixed => scope.take(&within(&format!("prefix {fixed}")), style.types),
            })
            .collect();
        for decl in &mut key.types {
            let path = decl.place.strip_prefix(&key.name).unwrap_or(&decl.place);
            decl.ident = scope.take(&within(path), style.types);
            match &mut decl.kind {
                DeclKind::Tuple(fields) => fields_of(style, fields),
                DeclKind::Enum(variants) => {
                    let mut constants = Scope::new(style, style.members_taken);
                    for variant in variants {
                        variant.ident = scope.take(&format!("{} {}", decl.ident, variant.name), style.types);
                        variant.constant = constants.take(&variant.name, style.constants);
                        fields_of(style, &mut variant.fields);
                    }
                }
            }
        }
    }

    fn fields(&self, fields: &mut [Field]) {
        fields_of(self.style, fields);
    }
}

/// Names the members of a record. A constant is none.
fn fields_of(style: &Style, fields: &mut [Field]) {
    let mut scope = Scope::new(style, style.members_taken);
    for field in fields.iter_mut().filter(|field| !matches!(field.ty, Type::Constant(_))) {
        field.ident = scope.take(&field.name, style.fields);
    }
}
