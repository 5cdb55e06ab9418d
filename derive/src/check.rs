//! What a key may not be: every rule that can be told from the tokens, each mistake at its own.

use std::collections::HashMap;

use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::visit::{self, Visit};
use syn::{GenericArgument, Ident, PathArguments, Type};

use crate::Mistakes;
use crate::ast::{Body, Field, Key, Lead, Variant, last_segment};
use crate::prefix;

pub(crate) fn check(key: &Key<'_>, mistakes: &mut Mistakes) {
    match &key.body {
        Body::Struct(fields) => {
            if fields.iter().all(|field| field.phantom) {
                mistakes.at(key.ident, "a key has at least one field: add one");
            }
            let last = key.fields().len().saturating_sub(1);
            for (i, field) in key.fields().into_iter().enumerate() {
                check_field(key, field, i == last, mistakes);
            }
            fields.iter().filter(|field| field.phantom).for_each(|field| check_phantom(field, mistakes));
            check_method_names(fields, mistakes);
        }
        Body::Enum(variants) => check_enum(key, variants, mistakes),
    }
    check_transparent(key, mistakes);
    check_lead(key, mistakes);
}

fn check_enum(key: &Key<'_>, variants: &[Variant], mistakes: &mut Mistakes) {
    if variants.is_empty() {
        mistakes.at(key.ident, "an enum without variants has no value: add one, with its tag");
    }
    let mut tags = HashMap::new();
    let mut methods: HashMap<String, &Ident> = HashMap::new();
    for variant in variants {
        if let Some((place, tag)) = &variant.tag {
            if *tag > 255 {
                mistakes.at(place, format!("a tag is one byte, 0 to 255, not {tag}"));
            }
            if let Some(other) = tags.insert(*tag, &variant.ident) {
                mistakes.at(place, format!("tag {tag} is `{other}`'s already: give each variant its own"));
            }
        }
        if let Some(other) = methods.insert(prefix::snake_case(&variant.ident.to_string()), &variant.ident) {
            mistakes.at(
                &variant.ident,
                format!("`{}` and `{other}` get the same name in the prefix: rename one", variant.ident),
            );
        }
        for field in variant.fields.iter().filter(|field| !field.phantom) {
            if let Some(raw) = &field.raw {
                mistakes.at(raw, "only the last field of a struct can be raw: take `raw` away");
            }
            check_field(key, field, true, mistakes);
        }
        check_method_names(&variant.fields, mistakes);
    }
}

fn check_field(key: &Key<'_>, field: &Field, is_last: bool, mistakes: &mut Mistakes) {
    if let Some(raw) = &field.raw {
        if !is_last {
            mistakes.at(raw, "only the last field can be raw, as nothing tells where it ends: move the field to the end, or take `raw` away");
        }
        if field.desc.is_some() {
            mistakes.at(raw, "a descending field can't be raw: take `raw` or `desc` away");
        }
        if field.with.is_some() {
            mistakes.at(raw, "a field with an encoding of its own can't be raw: take `raw` or `with` away");
        }
    }
    if let Some(nulls) = &field.nulls
        && (field.with.is_some() || cannot_be_option(&field.ty))
    {
        mistakes.at(nulls, format!("only an `Option` has a None to sort: take `{}` away", nulls.name));
    }
    if let (Some(desc), Some(owned)) = (&field.desc, borrowed(&field.ty)) {
        mistakes.at(desc, format!("a descending field's bytes are inverted, so it can't be borrowed: make it {owned}"));
    }
    if field.with.is_none() {
        Types { key, mistakes }.visit_type(&field.ty);
    }
}

fn check_phantom(field: &Field, mistakes: &mut Mistakes) {
    let with = field.with.as_ref().map(|(arg, _)| arg);
    for arg in [field.desc.as_ref(), field.nulls.as_ref(), field.raw.as_ref(), with].into_iter().flatten() {
        mistakes.at(arg, "a `PhantomData` is no field of the key: take the attribute away");
    }
}

/// A newtype has its one field's bytes, so nothing can be said of that field but how it is encoded.
fn check_transparent(key: &Key<'_>, mistakes: &mut Mistakes) {
    let Some(transparent) = &key.transparent else { return };
    if !matches!(key.lead, Lead::None) {
        mistakes.at(transparent, "a transparent newtype has nothing before its field: take `transparent` away");
    }
    match (&key.body, key.fields().as_slice()) {
        (Body::Struct(_), [field]) => {
            if field.with.is_none() && is_unit(&field.ty) {
                mistakes.at(
                    &field.ty,
                    "a transparent newtype is its one field, and `()` has no byte, which is no key: give it another type, or \
                     take `transparent` away",
                );
            }
            for arg in [&field.desc, &field.nulls, &field.raw].into_iter().flatten() {
                mistakes.at(
                    arg,
                    format!(
                        "the field of a transparent newtype takes `with` alone: write `{}` where the newtype is used",
                        arg.name
                    ),
                );
            }
        }
        (Body::Struct(_), fields) => {
            mistakes.at(transparent, format!("a transparent newtype has one field, this has {}", fields.len()));
        }
        (Body::Enum(_), _) => mistakes.at(transparent, "only a struct of one field can be transparent"),
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

fn check_lead(key: &Key<'_>, mistakes: &mut Mistakes) {
    let (arg, by) = match &key.lead {
        Lead::None => return,
        Lead::Salt(salt) => {
            if let Some((arg, buckets)) = &salt.buckets
                && !(1..=65_536).contains(buckets)
            {
                mistakes.at(arg.place(), format!("a salt has 1 to 65536 buckets, not {buckets}"));
            }
            (&salt.arg, &salt.by)
        }
        Lead::Digest(digest) => (&digest.arg, &digest.by),
    };
    if matches!(key.body, Body::Enum(_)) {
        mistakes.at(arg, format!("an enum takes no `{0}`: put it in a struct and write `{0}` there", arg.name));
        return;
    }
    let mut found = Vec::new();
    for name in by {
        match key.field_index(name) {
            None => mistakes.at(name, format!("there is no field `{name}` in the key")),
            Some(index) if found.contains(&index) => mistakes.at(name, format!("`{name}` stands here twice")),
            Some(index) => {
                found.push(index);
                if matches!(key.lead, Lead::Digest(_)) && index >= by.len() {
                    let first: Vec<_> = key.fields().iter().take(by.len()).map(|field| field.name.clone()).collect();
                    mistakes.at(
                        name,
                        format!(
                            "a digest is taken over the first fields: write `by({})`, or move `{name}` up",
                            first.join(", ")
                        ),
                    );
                }
            }
        }
    }
}

impl Key<'_> {
    /// The index among the key's fields of one that `by` names.
    pub(crate) fn field_index(&self, name: &TokenStream) -> Option<usize> {
        let name = name.to_string();
        self.fields().iter().position(|field| field.member.to_token_stream().to_string() == name || field.name == name)
    }
}

/// Two fields whose methods in the prefix would have one name.
fn check_method_names(fields: &[Field], mistakes: &mut Mistakes) {
    let fields: Vec<_> = fields.iter().filter(|field| !field.phantom).collect();
    for field in &fields {
        for suffix in prefix::suffixes(field) {
            let method = format!("{}{suffix}", field.name);
            if let Some(other) = fields.iter().find(|other| other.name == method) {
                mistakes.at(
                    &other.member,
                    format!(
                        "the prefix has `{method}` already, for ranges of `{}`: rename the field, its bytes stay",
                        field.name
                    ),
                );
            }
        }
    }
}

/// Whether a type is one that is known not to be an `Option`.
fn cannot_be_option(ty: &Type) -> bool {
    match last_segment(ty) {
        Some(segment) => {
            prefix::is_simple(&segment.ident) || ["String", "Vec", "List", "Cow"].iter().any(|n| segment.ident == n)
        }
        None => true,
    }
}

/// What to write instead of a borrowed type in a descending field.
fn borrowed(ty: &Type) -> Option<String> {
    match ty {
        Type::Reference(reference) => Some(owned_form(&reference.elem)),
        Type::Group(group) => borrowed(&group.elem),
        Type::Paren(paren) => borrowed(&paren.elem),
        Type::Tuple(tuple) => tuple.elems.iter().find_map(borrowed),
        Type::Path(path) => {
            let PathArguments::AngleBracketed(args) = &path.path.segments.last()?.arguments else { return None };
            args.args.iter().find_map(|arg| match arg {
                GenericArgument::Type(ty) => borrowed(ty),
                _ => None,
            })
        }
        _ => None,
    }
}

fn owned_form(ty: &Type) -> String {
    match ty {
        Type::Slice(slice) if is_u8(&slice.elem) => "`Cow<'_, [u8]>` or `Vec<u8>`".into(),
        Type::Slice(slice) => format!("`rowkey::List<{}>`", slice.elem.to_token_stream()),
        Type::Path(path) if path.path.is_ident("str") => "`Cow<'_, str>` or `String`".into(),
        other => format!("`{}`", other.to_token_stream()),
    }
}

/// Types that are no field wherever they stand.
struct Types<'k, 'i, 'm> {
    key: &'k Key<'i>,
    mistakes: &'m mut Mistakes,
}

impl<'ast> Visit<'ast> for Types<'_, '_, '_> {
    fn visit_type_path(&mut self, path: &'ast syn::TypePath) {
        let Some(last) = path.path.segments.last() else { return };
        let name = last.ident.to_string();
        let arg = |n: usize| match &last.arguments {
            PathArguments::AngleBracketed(args) => {
                let mut types = args.args.iter().filter_map(|arg| match arg {
                    GenericArgument::Type(ty) => Some(ty.to_token_stream().to_string()),
                    _ => None,
                });
                types.nth(n).unwrap_or_else(|| "T".into())
            }
            _ => "T".into(),
        };
        // Without arguments these are none of std's, but types of the user's own.
        let is_collection = matches!(last.arguments, PathArguments::AngleBracketed(_));
        let instead = match name.as_str() {
            "usize" => Some("`usize` is as wide as the machine: write `u64`".to_owned()),
            "isize" => Some("`isize` is as wide as the machine: write `i64`".to_owned()),
            "NonZeroUsize" => Some("`NonZeroUsize` is as wide as the machine: write `NonZeroU64`".to_owned()),
            "NonZeroIsize" => Some("`NonZeroIsize` is as wide as the machine: write `NonZeroI64`".to_owned()),
            "Vec" if arg(0) == "u8" => return,
            "Vec" | "VecDeque" | "LinkedList" | "BTreeSet" if is_collection => {
                Some(format!("a `{name}` is no key field: write `rowkey::List<{}>`", arg(0)))
            }
            "HashSet" | "BinaryHeap" if is_collection => {
                Some(format!("a `{name}` has no order of its own: write `rowkey::List<{}>`, sorted", arg(0)))
            }
            "HashMap" | "BTreeMap" if is_collection => {
                Some(format!("a `{name}` is no key field: write `rowkey::List<({}, {})>`, sorted", arg(0), arg(1)))
            }
            "Url" if of_crate(path, "url") => {
                Some("not every `url::Url` is a key: write `rowkey::UrlKey`, which is checked where it is made".to_owned())
            }
            "DateTime" if of_crate(path, "chrono") || is_collection && ["Utc", "Local", "FixedOffset"].contains(&&*arg(0)) => Some(
                "not every instant of chrono is a key (leap seconds are none): write `rowkey::ChronoUtc`, which is checked \
                 where it is made"
                    .to_owned(),
            ),
            "OffsetDateTime" if of_crate(path, "time") => Some(
                "an offset has no place in a key: write `time::UtcDateTime`, which `.to_utc()` makes, or `rowkey::Millis`"
                    .to_owned(),
            ),
            "Zoned" if of_crate(path, "jiff") => Some(
                "a time zone has no place in a key: write `jiff::Timestamp`, which `.timestamp()` makes, or `rowkey::Millis`"
                    .to_owned(),
            ),
            "IpNet" | "Ipv4Net" | "Ipv6Net" if of_crate(path, "ipnet") => Some(
                "a network is no key field, it selects addresses: write `IpAddr`, and `name_within(&net)` in a prefix"
                    .to_owned(),
            ),
            "Bucket" if number(last) == Some(0) => Some("a bucket has at least one second".to_owned()),
            "QuadKey" if number(last).is_some_and(|zoom| !(1..=29).contains(&zoom)) => {
                Some("a quadkey has 1 to 29 digits: write one of these zooms, or `Tile` for any".to_owned())
            }
            _ if path.path.is_ident(self.key.ident) || path.path.is_ident("Self") => {
                Some("a key can't hold itself: it would have no end".to_owned())
            }
            _ => None,
        };
        match instead {
            Some(message) => self.mistakes.at(path, message),
            // What stands in a `PhantomData` is no field.
            None if name == "PhantomData" => {}
            None => visit::visit_type_path(self, path),
        }
    }

    fn visit_lifetime(&mut self, lifetime: &'ast syn::Lifetime) {
        if lifetime.ident == "static" {
            self.mistakes.at(
                lifetime,
                "what is read from a key borrows from its bytes: give the key a lifetime, `Key<'a>`, and write `'a` here",
            );
        }
    }

    fn visit_type_reference(&mut self, reference: &'ast syn::TypeReference) {
        let fine = match &*reference.elem {
            Type::Path(path) => path.path.segments.last().is_some_and(|segment| segment.ident == "str"),
            Type::Slice(slice) => is_u8(&slice.elem),
            Type::Array(array) => is_u8(&array.elem),
            _ => false,
        };
        if reference.mutability.is_some() || !fine {
            let owned = owned_form(&reference.elem);
            self.mistakes.at(
                reference,
                format!("only text and bytes can be borrowed from a key (`&str`, `&[u8]`, `&[u8; N]`): write {owned}"),
            );
        } else if let Some(lifetime) = &reference.lifetime {
            self.visit_lifetime(lifetime);
        }
    }

    fn visit_type_array(&mut self, array: &'ast syn::TypeArray) {
        if !is_u8(&array.elem) {
            let item = array.elem.to_token_stream();
            self.mistakes
                .at(array, format!("only arrays of `u8` are key fields: write a tuple, or `rowkey::List<{item}>`"));
        }
    }

    fn visit_type_slice(&mut self, slice: &'ast syn::TypeSlice) {
        if !is_u8(&slice.elem) {
            let item = slice.elem.to_token_stream();
            self.mistakes.at(slice, format!("only slices of `u8` are key fields: write `rowkey::List<{item}>`"));
        }
    }
}

/// Whether a path begins with this crate's name.
fn of_crate(path: &syn::TypePath, name: &str) -> bool {
    path.path.segments.len() > 1 && path.path.segments.first().is_some_and(|segment| segment.ident == name)
}

/// The number that a type is given as its argument.
fn number(segment: &syn::PathSegment) -> Option<u64> {
    let PathArguments::AngleBracketed(args) = &segment.arguments else { return None };
    args.args.iter().find_map(|arg| match arg {
        GenericArgument::Const(expr) => crate::attr::number(expr),
        _ => None,
    })
}

fn is_u8(ty: &Type) -> bool {
    last_segment(ty).is_some_and(|segment| segment.ident == "u8")
}
