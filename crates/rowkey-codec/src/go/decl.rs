//! Tuples and enums.

use super::code::{Code, literal};
use super::doc::{comment, sentence};
use super::size::Size;
use super::{append, read, show, ty};
use crate::ir::{Decl, DeclKind, Field, Key, Variant};

pub(super) fn write(code: &mut Code, key: &Key, decl: &Decl) {
    match &decl.kind {
        DeclKind::Tuple(fields) => {
            record(code, key, &decl.ident, fields, &format!("is the value of {}.", decl.place));
            methods(code, key, &decl.ident, fields);
            show::method(code, key, &decl.ident, "", fields);
        }
        DeclKind::Enum(variants) if decl.is_plain_enum() => plain_enum(code, decl, variants),
        DeclKind::Enum(variants) => sealed(code, key, decl, variants),
    }
}

/// A struct of fields; `says` is what its comment says of it.
pub(super) fn record(code: &mut Code, key: &Key, ident: &str, fields: &[Field], says: &str) {
    comment(code, &format!("{ident} {says}"));
    let members: Vec<_> = fields.iter().filter(|field| read::is_member(field)).collect();
    if members.is_empty() {
        code.line(format!("type {ident} struct{{}}"));
        return code.line("");
    }
    code.open(format!("type {ident} struct {{"));
    for field in members {
        let about = field.about.as_deref().map_or(String::new(), |about| format!(": {}", about.trim_end_matches('.')));
        comment(code, &sentence(&format!("{} is {}, `{}`{about}", field.ident, field.name, field.shape)));
        code.line(format!("{} {}", field.ident, ty::of(key, &field.ty)));
    }
    code.end();
}

/// The methods that append and read a struct.
fn methods(code: &mut Code, key: &Key, ident: &str, fields: &[Field]) {
    let fails = append::any_fails(key, fields);
    let record = if fields.iter().any(read::is_member) { "v " } else { "" };
    code.function(format!("func ({record}{ident}) appendTo(dst []byte) {} {{", append::result(fails)));
    if fails {
        code.line("var err error");
    }
    append::fields(code, key, fields, "v");
    code.line(if fails { "return dst, nil" } else { "return dst" });
    code.end();
    let reader = if fields.is_empty() { "*rowkey.Reader" } else { "r *rowkey.Reader" };
    code.function(format!(
        "func ({}) readFrom({reader}) {{",
        if record.is_empty() { format!("*{ident}") } else { format!("v *{ident}") }
    ));
    read::fields(code, key, fields, "v", |_, _| {});
    code.end();
}

/// An enum without fields: constants.
fn plain_enum(code: &mut Code, decl: &Decl, variants: &[Variant]) {
    let ident = &decl.ident;
    comment(code, &format!("{ident} is the value of {}.", decl.place));
    code.line(format!("type {ident} uint8"));
    code.line("");
    comment(code, &format!("The values of {ident}."));
    code.open("const (");
    for variant in variants {
        comment(code, &sentence(&format!("{} is {}", variant.ident, variant.name)));
        code.line(format!("{} {ident} = {}", variant.ident, variant.tag));
    }
    code.close(")");
    code.line("");
    code.open(format!("func (v {ident}) String() string {{"));
    code.open("switch v {");
    for variant in variants {
        code.reopen(format!("case {}:", variant.ident));
        code.line(format!("return {}", literal(variant.name.as_bytes())));
    }
    code.reopen("default:");
    code.line("return \"?\"");
    code.close("}");
    code.end();

    let all: Vec<&str> = variants.iter().map(|variant| variant.ident.as_str()).collect();
    code.open(format!("func append{ident}(dst []byte, v {ident}) ([]byte, error) {{"));
    code.open("switch v {");
    code.reopen(format!("case {}:", all.join(", ")));
    code.line("return append(dst, byte(v)), nil");
    code.reopen("default:");
    code.line("return dst, rowkey.ErrVariant");
    code.close("}");
    code.end();
    code.open(format!("func read{ident}(r *rowkey.Reader) {ident} {{"));
    code.open(format!("switch v := {ident}(r.Tag()); v {{"));
    code.reopen(format!("case {}:", all.join(", ")));
    code.line("return v");
    code.reopen("default:");
    code.line("r.NoVariant()");
    code.line("return 0");
    code.close("}");
    code.end();
}

/// An enum whose variants have fields: an interface that its variants alone implement.
fn sealed(code: &mut Code, key: &Key, decl: &Decl, variants: &[Variant]) {
    let ident = &decl.ident;
    let all: Vec<&str> = variants.iter().map(|variant| variant.ident.as_str()).collect();
    comment(code, &format!("{ident} is the value of {}: one of {}.", decl.place, all.join(", ")));
    code.open(format!("type {ident} interface {{"));
    code.line(format!("is{ident}()"));
    code.end();
    for variant in variants {
        record(
            code,
            key,
            &variant.ident,
            &variant.fields,
            &format!("is {} of {ident}.", sentence(&variant.name).trim_end_matches('.')),
        );
        code.empty_function(&format!("func ({}) is{ident}()", variant.ident));
        methods(code, key, &variant.ident, &variant.fields);
        show::method(code, key, &variant.ident, &variant.name, &variant.fields);
    }
    append_sealed(code, key, ident, variants);
    read_sealed(code, ident, variants);
    size_sealed(code, key, ident, variants);
    show::sealed(code, ident, variants);
}

fn append_sealed(code: &mut Code, key: &Key, ident: &str, variants: &[Variant]) {
    code.open(format!("func append{ident}(dst []byte, v {ident}) ([]byte, error) {{"));
    let any_fails = variants.iter().any(|variant| append::any_fails(key, &variant.fields));
    if any_fails {
        code.line("var err error");
        code.line("name := \"\"");
    }
    code.open("switch v := v.(type) {");
    for variant in variants {
        code.reopen(format!("case {}:", variant.ident));
        let tagged = format!("append(dst, {})", variant.tag);
        if append::any_fails(key, &variant.fields) {
            code.line(format!("name = {}", literal(variant.name.as_bytes())));
            code.line(format!("dst, err = v.appendTo({tagged})"));
        } else {
            code.line(format!("dst = v.appendTo({tagged})"));
        }
    }
    code.reopen("default:");
    code.line("return dst, rowkey.ErrVariant");
    code.close("}");
    if any_fails {
        code.open("if err != nil {");
        code.line("return dst, rowkey.InField(name, err)");
        code.close("}");
    }
    code.line("return dst, nil");
    code.end();
}

fn read_sealed(code: &mut Code, ident: &str, variants: &[Variant]) {
    code.open(format!("func read{ident}(r *rowkey.Reader) {ident} {{"));
    code.open("switch r.Tag() {");
    for variant in variants {
        code.reopen(format!("case {}:", variant.tag));
        code.line(format!("var v {}", variant.ident));
        code.line("v.readFrom(r)");
        if !variant.fields.is_empty() {
            code.open("if r.Failed() {");
            code.line(format!("r.In({})", literal(variant.name.as_bytes())));
            code.close("}");
        }
        code.line("return v");
    }
    code.reopen("default:");
    code.line("r.NoVariant()");
    code.line("return nil");
    code.close("}");
    code.end();
}

fn size_sealed(code: &mut Code, key: &Key, ident: &str, variants: &[Variant]) {
    code.open(format!("func sizeOf{ident}(v {ident}) int {{"));
    code.open("switch v := v.(type) {");
    for variant in variants {
        code.reopen(format!("case {}:", variant.ident));
        let size = Size::of(key, &variant.fields, "v").plus(1);
        if !size.uses_record() {
            code.line("_ = v");
        }
        size.write_return(code);
    }
    code.reopen("default:");
    code.line("return 0");
    code.close("}");
    code.end();
}
