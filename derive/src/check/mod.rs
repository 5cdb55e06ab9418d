//! The rules that can be checked on the tokens of a key. Each mistake is reported at its own tokens.

mod types;

use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::Type;

use crate::Mistakes;
use crate::ast::{Body, Field, Key, Lead, Variant, last_segment};
use crate::attr::Arg;
use crate::prefix::names;

pub(crate) fn check(key: &Key<'_>, mistakes: &mut Mistakes) {
    match &key.body {
        Body::Struct(fields) => check_struct(key, fields, mistakes),
        Body::Enum(variants) => check_enum(key, variants, mistakes),
    }
    check_transparent(key, mistakes);
    check_lead(key, mistakes);
}

fn check_struct(key: &Key<'_>, all: &[Field], mistakes: &mut Mistakes) {
    let fields = key.fields();
    if fields.is_empty() {
        mistakes.at(key.ident, "a key needs at least one field: add one");
    }
    for (i, field) in fields.iter().enumerate() {
        check_field(key, field, i + 1 == fields.len(), mistakes);
    }
    all.iter().filter(|field| field.phantom).for_each(|field| check_phantom(field, mistakes));
    check_method_names(&fields, mistakes);
}

fn check_enum(key: &Key<'_>, variants: &[Variant], mistakes: &mut Mistakes) {
    if variants.is_empty() {
        mistakes.at(key.ident, "an enum needs at least one variant: add one, with its tag");
    }
    check_untagged(variants, mistakes);
    for (i, variant) in variants.iter().enumerate() {
        check_tag(variant, &variants[..i], mistakes);
        check_variant_name(variant, &variants[..i], mistakes);
        let fields = variant.fields();
        for field in &fields {
            if let Some(raw) = &field.raw {
                mistakes.at(raw, "only the last field of a struct can be `raw`: remove `raw`");
            }
            check_field(key, field, true, mistakes);
        }
        check_method_names(&fields, mistakes);
    }
}

/// Suggests a tag for each variant without one: the lowest that is free.
fn check_untagged(variants: &[Variant], mistakes: &mut Mistakes) {
    let taken = |tag: &u64| variants.iter().any(|variant| variant.tag.as_ref().is_some_and(|(_, other)| other == tag));
    let mut free = (1..=255).filter(|tag| !taken(tag));
    for variant in variants.iter().filter(|variant| variant.untagged) {
        let message = match free.next() {
            Some(tag) => format!("the variant needs a tag that never changes: write `#[rowkey(tag = {tag})]` above"),
            None => "the variant needs a tag, and there are 256 of them: put some of the variants in another enum than"
                .into(),
        };
        mistakes.at(&variant.ident, format!("{message} `{}`", variant.ident));
    }
}

fn check_tag(variant: &Variant, earlier: &[Variant], mistakes: &mut Mistakes) {
    let Some((place, tag)) = &variant.tag else { return };
    if *tag > 255 {
        mistakes.at(place, format!("a tag is a number from 0 to 255, not {tag}"));
    }
    let has_tag = |other: &&Variant| other.tag.as_ref().is_some_and(|(_, other)| other == tag);
    if let Some(other) = earlier.iter().rfind(has_tag) {
        mistakes.at(place, format!("`{}` already has the tag {tag}: give each variant its own", other.ident));
    }
}

fn check_variant_name(variant: &Variant, earlier: &[Variant], mistakes: &mut Mistakes) {
    let method = |variant: &Variant| names::snake_case(&variant.ident.to_string());
    let name = method(variant);
    if let Some(other) = earlier.iter().rfind(|other| method(other) == name) {
        let (ident, other) = (&variant.ident, &other.ident);
        mistakes.at(ident, format!("`{ident}` and `{other}` both get the method `{name}` in prefixes: rename one"));
    }
}

fn check_field(key: &Key<'_>, field: &Field, is_last: bool, mistakes: &mut Mistakes) {
    if let Some(raw) = &field.raw {
        check_raw(raw, field, is_last, mistakes);
    }
    if let Some(nulls) = &field.nulls
        && (field.with.is_some() || cannot_be_option(&field.ty))
    {
        let message = if field.with.is_some() {
            format!("a field can't have both `{}` and `with`: remove one of them", nulls.name)
        } else {
            format!("`{}` is only for an `Option`: remove it", nulls.name)
        };
        mistakes.at(nulls, message);
    }
    if let (Some(desc), Some(owned)) = (&field.desc, types::borrowed(&field.ty)) {
        mistakes
            .at(desc, format!("a `desc` field can't be borrowed, because its bytes are stored inverted: use {owned}"));
    }
    if field.with.is_none() {
        types::check(key, &field.ty, mistakes);
    }
}

fn check_raw(raw: &Arg, field: &Field, is_last: bool, mistakes: &mut Mistakes) {
    if !is_last {
        let message = "only the last field can be `raw`, because a raw field ends where the key ends: move the field to the \
                       end, or remove `raw`";
        mistakes.at(raw, message);
    }
    if field.desc.is_some() {
        mistakes.at(raw, "a field can't be both `raw` and `desc`: remove one of them");
    }
    if field.with.is_some() {
        mistakes.at(raw, "a field can't have both `raw` and `with`: remove one of them");
    }
}

fn check_phantom(field: &Field, mistakes: &mut Mistakes) {
    let with = field.with.as_ref().map(|(arg, _)| arg);
    for arg in [field.desc.as_ref(), field.nulls.as_ref(), field.raw.as_ref(), with].into_iter().flatten() {
        mistakes.at(arg, format!("a `PhantomData` is not part of the key: remove `{}`", arg.name));
    }
}

/// The bytes of a transparent key are those of its one field, so the field takes no attribute but `with`.
fn check_transparent(key: &Key<'_>, mistakes: &mut Mistakes) {
    let Some(transparent) = &key.transparent else { return };
    if let Some(lead) = lead_arg(&key.lead) {
        let message = format!("a key can't have both `transparent` and `{}`: remove one of them", lead.name);
        mistakes.at(transparent, message);
    }
    match (&key.body, key.fields().as_slice()) {
        (Body::Struct(_), [field]) => check_transparent_field(key, field, mistakes),
        (Body::Struct(_), fields) => {
            let message = "a transparent key has exactly one field, this one has";
            mistakes.at(transparent, format!("{message} {}: remove `transparent`", fields.len()));
        }
        (Body::Enum(_), _) => {
            mistakes.at(transparent, "only a struct with one field can be `transparent`: remove `transparent`");
        }
    }
}

fn check_transparent_field(key: &Key<'_>, field: &Field, mistakes: &mut Mistakes) {
    if field.with.is_none() && is_unit(&field.ty) {
        let message = "a transparent key can't be `()`, which has no bytes: use another type, or remove `transparent`";
        mistakes.at(&field.ty, message);
    }
    for arg in [&field.desc, &field.nulls, &field.raw].into_iter().flatten() {
        let message = "the field of a transparent key takes no attribute but `with`: write";
        mistakes.at(arg, format!("{message} `{}` on each field of type `{}`", arg.name, key.name()));
    }
}

fn is_unit(ty: &Type) -> bool {
    match ty {
        Type::Tuple(tuple) => tuple.elems.is_empty(),
        Type::Group(group) => is_unit(&group.elem),
        Type::Paren(paren) => is_unit(&paren.elem),
        _ => false,
    }
}

fn lead_arg(lead: &Lead) -> Option<&Arg> {
    match lead {
        Lead::None => None,
        Lead::Salt(salt) => Some(&salt.arg),
        Lead::Digest(digest) => Some(&digest.arg),
    }
}

fn check_lead(key: &Key<'_>, mistakes: &mut Mistakes) {
    let Some(arg) = lead_arg(&key.lead) else { return };
    if let Lead::Salt(salt) = &key.lead
        && let Some((arg, buckets)) = &salt.buckets
        && !(1..=65_536).contains(buckets)
    {
        mistakes.at(arg.place(), format!("a salt has 1 to 65536 buckets, not {buckets}"));
    }
    if matches!(key.body, Body::Enum(_)) {
        let message = format!("an enum can't have `{0}`: put it in a struct, and write `{0}` on the struct", arg.name);
        mistakes.at(arg, message);
        return;
    }
    match &key.lead {
        Lead::None => {}
        Lead::Salt(salt) => {
            fields_by(key, &salt.by, mistakes);
        }
        Lead::Digest(digest) => check_digest(key, &digest.by, mistakes),
    }
}

/// The fields that `by` names, with their indexes among the fields of the key.
fn fields_by<'b>(key: &Key<'_>, by: &'b [TokenStream], mistakes: &mut Mistakes) -> Vec<(&'b TokenStream, usize)> {
    let mut found: Vec<(&TokenStream, usize)> = Vec::new();
    for name in by {
        match key.field_index(name) {
            None => {
                let fields: Vec<_> =
                    key.fields().iter().map(|field| field.member.to_token_stream().to_string()).collect();
                mistakes.at(name, format!("the key has no field `{name}`: its fields are `{}`", fields.join("`, `")));
            }
            Some(index) if found.iter().any(|(_, other)| *other == index) => {
                mistakes.at(name, format!("`{name}` is named twice: remove one"));
            }
            Some(index) => found.push((name, index)),
        }
    }
    found
}

fn check_digest(key: &Key<'_>, by: &[TokenStream], mistakes: &mut Mistakes) {
    for (name, index) in fields_by(key, by, mistakes) {
        if index >= by.len() {
            let first: Vec<_> = key.fields().iter().take(by.len()).map(|field| field.name.clone()).collect();
            let message = "a digest is taken over the first fields of the key: write";
            mistakes.at(name, format!("{message} `by({})`, or move `{name}` up", first.join(", ")));
        }
    }
}

/// Reports a field whose method in prefixes has the same name as a method for another field.
fn check_method_names(fields: &[&Field], mistakes: &mut Mistakes) {
    for field in fields {
        for suffix in names::shown(field) {
            let method = format!("{}{suffix}", field.name);
            if let Some(other) = fields.iter().find(|other| other.name == method) {
                let message = format!(
                    "prefixes already have a method `{method}`, for `{}`: rename this field, which does not change its bytes",
                    field.name
                );
                mistakes.at(&other.member, message);
            }
        }
    }
}

/// Returns whether a type is known not to be an `Option`. It is not known of an alias.
fn cannot_be_option(ty: &Type) -> bool {
    match last_segment(ty) {
        Some(segment) => {
            names::is_simple(&segment.ident) || ["String", "Vec", "List", "Cow"].iter().any(|n| segment.ident == n)
        }
        None => true,
    }
}
