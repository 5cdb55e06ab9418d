//! The types that a key declares for its tuples and enums, nested in its record.

use super::constants::Constants;
use super::fields::{code, components, copies, is_component, local, tags};
use super::refused::Refused;
use super::shown;
use super::source::{Source, literal, plain};
use super::value::Values;
use crate::ir::{Decl, DeclKind, Field, Key, Variant};

/// Writes a declared type.
pub(super) fn write(key: &Key, decl: &Decl, constants: &mut Constants, to: &mut Source) {
    let path = decl.place.strip_prefix(&key.name).unwrap_or(&decl.place).trim_start_matches('.');
    let part = Part { key, path, variant: None };
    to.blank();
    match &decl.kind {
        DeclKind::Tuple(fields) => {
            let about = format!("The value of {}.", name_of(path));
            part.record(&decl.ident, "", &about, None, fields, constants, to);
        }
        DeclKind::Enum(variants) if decl.is_plain_enum() => part.constants(&decl.ident, variants, to),
        DeclKind::Enum(variants) => part.sealed(&decl.ident, variants, constants, to),
    }
}

fn name_of(path: &str) -> String {
    format!("{{@code {}}}", code(&plain(path)))
}

/// A type at a place of a key.
struct Part<'k> {
    key: &'k Key,
    path: &'k str,
    /// The name of the variant that it is.
    variant: Option<&'k str>,
}

impl Part<'_> {
    #[expect(clippy::too_many_arguments, reason = "a tuple and a variant differ in them")]
    fn record(
        &self,
        ident: &str,
        implements: &str,
        about: &str,
        tag: Option<u8>,
        fields: &[Field],
        constants: &mut Constants,
        to: &mut Source,
    ) {
        to.doc(&[about.to_owned()], &tags(fields));
        to.record(&format!("public record {ident}"), &components(self.key, fields), implements);
        copies(ident, fields, to);
        let mut values = Values { key: self.key, constants, is_first: false };
        if !implements.is_empty() {
            to.line("@Override");
        } else {
            to.doc(&["Appends the fields.".to_owned()], &[]);
        }
        if tag.is_none() && fields.is_empty() {
            to.line("public void write(KeyWriter w) {}");
        } else {
            to.open("public void write(KeyWriter w)");
            if let Some(tag) = tag {
                to.line(&format!("Tags.write(w, {tag});"));
            }
            let refused = Refused::begin(fields, self.variant, to);
            for (number, field) in fields.iter().enumerate() {
                refused.field(field, to);
                values.write_field(field, number, to);
            }
            refused.end(None, to);
            to.close();
        }
        to.blank();
        to.open(&format!("static {ident} read(KeyReader r)"));
        for (number, field) in fields.iter().enumerate() {
            let path = format!("{}.{}", self.path, field.name);
            values.read_field(field, &path, &local(field), number, to);
        }
        let arguments: Vec<String> = fields.iter().filter(is_component).map(local).collect();
        to.call(&format!("return new {ident}"), &arguments, ";");
        to.close();
        shown::to_string(ident, fields, to);
        to.close();
    }

    fn constants(&self, ident: &str, variants: &[Variant], to: &mut Source) {
        to.doc(&[format!("The values of {}.", name_of(self.path))], &[]);
        to.open(&format!("public enum {ident}"));
        for (i, variant) in variants.iter().enumerate() {
            let end = if i + 1 == variants.len() { ";" } else { "," };
            to.doc(&[variant_name(variant)], &[]);
            to.line(&format!("{}({}){end}", variant.constant, variant.tag));
        }
        to.blank();
        to.line("private final int tag;");
        to.blank();
        to.open(&format!("{ident}(int tag)"));
        to.line("this.tag = tag;");
        to.close();
        to.blank();
        to.open("void write(KeyWriter w)");
        to.line("Tags.write(w, tag);");
        to.close();
        to.blank();
        self.read(ident, variants, |variant| variant.constant.clone(), to);
        to.close();
    }

    fn sealed(&self, ident: &str, variants: &[Variant], constants: &mut Constants, to: &mut Source) {
        to.doc(&[format!("The values of {}.", name_of(self.path))], &[]);
        to.open(&format!("public sealed interface {ident}"));
        to.doc(&["Appends the tag and the fields.".to_owned()], &[]);
        to.line("void write(KeyWriter w);");
        to.blank();
        self.read(ident, variants, |variant| format!("{}.read(r)", variant.ident), to);
        to.close();
        for variant in variants {
            to.blank();
            let path = format!("{}.{}", self.path, variant.name);
            let within = Part { key: self.key, path: &path, variant: Some(&variant.name) };
            let implements = format!("implements {ident}");
            let (about, tag) = (variant_name(variant), Some(variant.tag));
            within.record(&variant.ident, &implements, &about, tag, &variant.fields, constants, to);
        }
    }

    fn read(&self, ident: &str, variants: &[Variant], of: impl Fn(&Variant) -> String, to: &mut Source) {
        to.open(&format!("static {ident} read(KeyReader r)"));
        to.line(&format!("r.field({});", literal(self.path)));
        to.open("return switch (Tags.read(r))");
        for variant in variants {
            to.line(&format!("case {} -> {};", variant.tag, of(variant)));
        }
        to.line("default -> throw Tags.unknown(r);");
        to.end("};");
        to.close();
    }
}

fn variant_name(variant: &Variant) -> String {
    format!("The variant {{@code {}}}.", code(&plain(&variant.name)))
}
