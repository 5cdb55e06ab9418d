//! The classes of a key's module: those of its types, and its own.

use super::call::Call;
use super::codec::{ANY_BYTES, KeyCode};
use super::encoding::{annotation, declared, encoding};
use super::text::{Lines, literal};
use crate::ir::{Decl, DeclKind, Field, Key, Lead, Type, Variant};

/// The types that the fields of a key have, each with its encoding.
pub(super) fn types(key: &Key, out: &mut Lines) {
    for (at, decl) in key.types.iter().enumerate() {
        match &decl.kind {
            DeclKind::Tuple(fields) => {
                record(key, &decl.ident, &format!("The parts of {}.", decl.place), fields, None, out);
                assign(&declared(at), &of_record(&decl.ident, "", fields), out);
            }
            DeclKind::Enum(variants) if decl.is_plain_enum() => {
                plain(decl, variants, out);
                assign(&declared(at), &Call::of("rt.Plain", vec![Call::plain(&decl.ident)]), out);
            }
            DeclKind::Enum(variants) => tagged(key, at, decl, variants, out),
        }
    }
}

fn assign(target: &str, value: &Call, out: &mut Lines) {
    out.line(0, "");
    out.line(0, "");
    out.line(0, &format!("{target} = {}", value.laid_out(0, target.len() + 3, 0)));
}

fn plain(decl: &Decl, variants: &[Variant], out: &mut Lines) {
    out.line(0, "");
    out.line(0, "");
    out.line(0, &format!("class {}(Enum):", decl.ident));
    out.doc(1, [format!("The variants of {}, each by its tag.", decl.place).as_str()]);
    out.line(0, "");
    for variant in variants {
        out.line(1, &format!("{} = {}", variant.constant, variant.tag));
    }
}

fn tagged(key: &Key, at: usize, decl: &Decl, variants: &[Variant], out: &mut Lines) {
    for variant in variants {
        let doc = format!("The variant {} of {}.", variant.name, decl.place);
        record(key, &variant.ident, &doc, &variant.fields, Some(variant.tag), out);
    }
    let idents: Vec<&str> = variants.iter().map(|variant| variant.ident.as_str()).collect();
    out.line(0, "");
    out.line(0, "");
    let union = idents.join(" | ");
    let line = format!("{}: TypeAlias = {union}", decl.ident);
    match line.len() <= super::text::WIDTH {
        true => out.line(0, &line),
        false => {
            out.line(0, &format!("{}: TypeAlias = (", decl.ident));
            if 4 + union.len() <= super::text::WIDTH {
                out.line(1, &union);
            } else {
                for (i, ident) in idents.iter().enumerate() {
                    out.line(1, &format!("{}{ident}", if i > 0 { "| " } else { "" }));
                }
            }
            out.line(0, ")");
        }
    }
    let of = |variant: &Variant| {
        let record = of_record(&variant.ident, &format!("{}.", variant.name), &variant.fields);
        Call::Behind(format!("{}: ", variant.tag), Box::new(record))
    };
    let target = format!("{}: rt.Encoding[{}]", declared(at), decl.ident);
    let value = Call::of("rt.Tagged", vec![Call::dict(variants.iter().map(of).collect())]);
    out.line(0, &format!("{target} = {}", value.laid_out(0, target.len() + 3, 0)));
}

/// The encoding of a record. Before the names of its fields in errors stands that of a variant, with a dot.
fn of_record(ident: &str, variant: &str, fields: &[Field]) -> Call {
    let part = |field: &Field| {
        let plain = encoding(&field.ty, false);
        let turned = if field.desc { Call::of("rt.Descending", vec![plain]) } else { plain };
        let name = format!("{variant}{}", field.name);
        Call::of("", vec![Call::plain(literal(&field.ident)), Call::plain(literal(&name)), turned])
    };
    Call::of("rt.Record", vec![Call::plain(ident), Call::list(fields.iter().map(part).collect())])
}

fn record(key: &Key, ident: &str, doc: &str, fields: &[Field], tag: Option<u8>, out: &mut Lines) {
    out.line(0, "");
    out.line(0, "");
    out.line(0, "@dataclass(frozen=True, slots=True)");
    out.line(0, &format!("class {ident}:"));
    out.doc(1, [doc]);
    members(key, fields, out);
    if let Some(tag) = tag {
        out.line(0, "");
        out.line(1, &format!("TAG: ClassVar[int] = {tag}"));
    }
}

fn members(key: &Key, fields: &[Field], out: &mut Lines) {
    let fields = fields.iter().filter(|field| !matches!(field.ty, Type::Constant(_)));
    for (i, field) in fields.enumerate() {
        if i == 0 {
            out.line(0, "");
        }
        out.line(1, &format!("{}: {}", field.ident, annotation(key, &field.ty)));
        let about = field.about.as_deref().map_or(String::new(), |about| format!(": {about}"));
        out.doc(1, [format!("`{}`{about}", field.shape).as_str()]);
    }
}

/// The key's own class.
pub(super) fn key(key: &Key, body: &KeyCode<'_>, out: &mut Lines) {
    let Key { ident, .. } = key;
    out.line(0, "");
    out.line(0, "");
    out.line(0, "@dataclass(frozen=True, slots=True)");
    out.line(0, &format!("class {ident}:"));
    let named = format!("A key of {}.", key.name);
    out.doc(1, [named.as_str()].into_iter().chain(key.about.as_deref()));
    members(key, &key.fields, out);
    out.line(0, "");
    out.text(1, "SHAPE: ClassVar[str]", &key.shape);
    out.text(1, "FINGERPRINT: ClassVar[str]", &key.fingerprint);
    out.line(0, "");
    body.encode(out);
    out.line(0, "");
    body.decode(out);
    out.line(0, "");
    explain(key, out);
    out.line(0, "");
    prefix(key, out);
    out.line(0, "");
    out.line(1, "@classmethod");
    out.line(1, "def check_layout(cls, kept: str | bytes) -> None:");
    out.doc(
        2,
        ["Raises rt.LayoutMismatch unless what a table kept, its shape, fingerprint or schema, is of these keys."],
    );
    out.line(2, &format!("rt.check_layout(\"{ident}\", cls.SHAPE, cls.FINGERPRINT, kept)"));
    if let Lead::Salt(_) = key.lead {
        out.line(0, "");
        merge(key, out);
    }
}

fn explain(key: &Key, out: &mut Lines) {
    out.line(1, "@classmethod");
    out.line(1, &format!("def explain(cls, key: {ANY_BYTES}) -> str:"));
    out.doc(2, ["The parts of a key for people, a line each; or why the bytes are no key."]);
    out.line(2, "try:");
    let has_members = key.fields.iter().any(|field| !matches!(field.ty, Type::Constant(_)));
    out.line(3, if has_members { "of = cls.decode(key)" } else { "cls.decode(key)" });
    out.line(2, "except rt.DecodeError as error:");
    out.line(3, "return str(error)");
    out.line(2, "key = bytes(key)");
    let mut parts = Vec::new();
    let mut part = |name: &str, bytes: String, value: String| {
        parts.push(Call::of("", vec![Call::plain(literal(name)), Call::plain(bytes), Call::plain(value)]));
    };
    let width = key.lead.width();
    match key.lead {
        Lead::None => {}
        Lead::Salt(_) => part("salt", format!("key[:{width}]"), "\"\"".to_owned()),
        Lead::Digest(_) => part("digest", format!("key[:{width}]"), "\"\"".to_owned()),
    }
    for (index, field) in key.fields.iter().enumerate() {
        match &field.ty {
            Type::Constant(_) => part("constant", format!("_F{index}.bytes(())"), "\"\"".to_owned()),
            _ => {
                let value = format!("of.{}", field.ident);
                part(&field.ident, format!("_F{index}.bytes({value})"), format!("repr({value})"));
            }
        }
    }
    let value = Call::of("rt.explained", vec![Call::plain("key"), Call::list(parts)]);
    out.line(2, &format!("return {}", value.laid_out(2, 7, 0)));
}

fn prefix(key: &Key, out: &mut Lines) {
    let first = super::prefix::next(key, 0);
    let step = &key.steps[first];
    out.line(1, "@staticmethod");
    out.line(1, &format!("def prefix() -> {step}:"));
    out.doc(2, ["All keys, to be narrowed field by field, in the order of the key."]);
    let value = match first {
        0 => Call::of(step, vec![Call::plain("_LAYOUT")]),
        fixed => {
            let constants: Vec<String> = (0..fixed).map(|at| format!("_F{at}")).collect();
            let comma = if fixed == 1 { "," } else { "" };
            let constants = Call::named("constants", format!("({}{comma})", constants.join(", ")));
            let begun = Call::of("*rt.begun", vec![Call::plain("_LAYOUT"), constants]);
            Call::of(step, vec![begun])
        }
    };
    out.line(2, &format!("return {}", value.laid_out(2, 7, 0)));
}

fn merge(key: &Key, out: &mut Lines) {
    out.line(1, "@staticmethod");
    out.line(1, "def merge(sources: Iterable[Iterable[tuple[bytes, _Value]]]) -> Iterator[tuple[bytes, _Value]]:");
    out.doc(2, ["Rows of all buckets in the order of their keys after the salt, out of the sorted rows of each."]);
    out.line(2, &format!("return rt.merged_rows({}, sources)", key.lead.width()));
}
