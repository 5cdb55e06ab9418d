//! The names of the methods of prefix builders.

use proc_macro2::Span;
use quote::format_ident;
use syn::{Ident, PathSegment, Type};

use crate::ast::{Field, last_segment, type_argument};

/// The suffixes of the methods that end a prefix at a field. Every field has all of them: traits decide whether they
/// can be used, and say why not.
pub(crate) const SUFFIXES: [&str; 6] = ["_range", "_in", "_starts_with", "_prefix", "_within", "_under"];

/// The suffixes that documentation shows, judged by the words of the type: a type that the derive doesn't know gets
/// all. The others are hidden, and give way to a field of the same name.
pub(crate) fn shown(field: &Field) -> Vec<&'static str> {
    let mut suffixes = vec!["_range", "_in"];
    if field.with.is_none() && field.nulls.is_none() {
        suffixes.extend(shown_of_type(&field.ty));
        if field.raw.is_some() {
            suffixes.retain(|suffix| *suffix != "_prefix");
        }
    }
    suffixes
}

fn shown_of_type(ty: &Type) -> &'static [&'static str] {
    match ty {
        Type::Tuple(_) => &["_prefix"],
        Type::Reference(_) => &["_starts_with"],
        ty => match last_segment(ty) {
            Some(segment) if is_address(&segment.ident) => &["_within"],
            Some(segment) if is_simple(&segment.ident) => &[],
            Some(segment) if is_text(segment) => &["_starts_with"],
            _ => &["_starts_with", "_prefix", "_within", "_under"],
        },
    }
}

/// Types of std whose values lie within an area, as an address lies within a network.
fn is_address(name: &Ident) -> bool {
    ["IpAddr", "Ipv4Addr", "Ipv6Addr"].iter().any(|address| name == address)
}

/// Types whose values have neither a beginning nor a prefix.
pub(crate) fn is_simple(name: &Ident) -> bool {
    const SIMPLE: &[&str] = &[
        "u8",
        "u16",
        "u32",
        "u64",
        "u128",
        "i8",
        "i16",
        "i32",
        "i64",
        "i128",
        "f32",
        "f64",
        "bool",
        "char",
        "IpAddr",
        "Ipv4Addr",
        "Ipv6Addr",
        "SystemTime",
        "Duration",
        "List",
        "NonZero",
        "NonZeroU8",
        "NonZeroU16",
        "NonZeroU32",
        "NonZeroU64",
        "NonZeroU128",
        "NonZeroI8",
        "NonZeroI16",
        "NonZeroI32",
        "NonZeroI64",
        "NonZeroI128",
        "Wrapping",
        "Saturating",
        "Reverse",
        "Uuid",
    ];
    SIMPLE.iter().any(|simple| name == simple)
}

/// Types that hold text or bytes. A pointer does if it points to either.
fn is_text(segment: &PathSegment) -> bool {
    if ["String", "Vec"].iter().any(|text| segment.ident == text) {
        return true;
    }
    ["Cow", "Box", "Rc", "Arc"].iter().any(|pointer| segment.ident == pointer)
        && ["str", "[u8]", "String"].contains(&type_argument(segment, 0).as_str())
}

/// An identifier with this name: a raw one if the name is a keyword, and with a `_` if it can't be raw either.
pub(crate) fn method(name: &str, span: Span) -> Ident {
    match syn::parse_str::<Ident>(name) {
        Ok(_) => Ident::new(name, span),
        Err(_) if ["self", "Self", "super", "crate", "_"].contains(&name) => format_ident!("{name}_", span = span),
        Err(_) => Ident::new_raw(name, span),
    }
}

/// `UserLogin` → `user_login`, `HTTPError` → `http_error`.
pub(crate) fn snake_case(name: &str) -> String {
    let chars: Vec<char> = name.trim_start_matches("r#").chars().collect();
    let mut snake = String::new();
    for (i, c) in chars.iter().enumerate() {
        let after_lower = i > 0 && !chars[i - 1].is_uppercase() && chars[i - 1] != '_';
        let before_lower =
            i > 0 && chars[i - 1].is_uppercase() && chars.get(i + 1).is_some_and(|next| next.is_lowercase());
        if c.is_uppercase() && (after_lower || before_lower) {
            snake.push('_');
        }
        snake.extend(c.to_lowercase());
    }
    snake
}
