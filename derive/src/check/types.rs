//! Types that can't be the type of a field, also inside another type.

use quote::ToTokens;
use syn::{GenericArgument, Lifetime, Path, PathArguments, PathSegment, Type, TypePath};

use crate::Mistakes;
use crate::ast::{Key, last_segment, type_argument};
use crate::attr;
use crate::walk::{self, Walk};

pub(crate) fn check(key: &Key<'_>, ty: &Type, mistakes: &mut Mistakes) {
    Types { key, mistakes }.ty(ty);
}

struct Types<'k, 'i, 'm> {
    key: &'k Key<'i>,
    mistakes: &'m mut Mistakes,
}

impl Walk for Types<'_, '_, '_> {
    fn ty(&mut self, ty: &Type) {
        match ty {
            Type::Path(path) => self.type_path(path, ty),
            Type::Reference(reference) => self.reference(reference),
            Type::Array(array) => self.array(array),
            Type::Slice(slice) => self.slice(slice),
            other => walk::inside_type(self, other),
        }
    }

    fn path(&mut self, path: &Path) {
        walk::inside_path(self, path);
    }

    fn lifetime(&mut self, lifetime: &Lifetime) {
        if lifetime.ident == "static" {
            let message = "a decoded key borrows from the bytes it is read from, which are not `'static`: give the key a \
                           lifetime, `Key<'a>`, and write `'a` here";
            self.mistakes.at(lifetime, message);
        }
    }
}

impl Types<'_, '_, '_> {
    fn type_path(&mut self, path: &TypePath, ty: &Type) {
        let Some(last) = path.path.segments.last() else { return };
        if path.path.is_ident(self.key.ident) || path.path.is_ident("Self") {
            self.mistakes.at(path, "a key can't contain itself, its bytes would never end: use another type");
        } else if let Some(message) = refusal(path, last) {
            self.mistakes.at(path, message);
        } else if last.ident != "PhantomData" {
            walk::inside_type(self, ty);
        }
    }

    fn reference(&mut self, reference: &syn::TypeReference) {
        let can_be_borrowed = match &*reference.elem {
            Type::Path(path) => path.path.segments.last().is_some_and(|segment| segment.ident == "str"),
            Type::Slice(slice) => is_u8(&slice.elem),
            Type::Array(array) => is_u8(&array.elem),
            _ => false,
        };
        if reference.mutability.is_some() || !can_be_borrowed {
            let message = "only text and bytes can be borrowed from a key (`&str`, `&[u8]`, `&[u8; N]`): use";
            self.mistakes.at(reference, format!("{message} {}", owned_form(&reference.elem)));
        } else if let Some(lifetime) = &reference.lifetime {
            self.lifetime(lifetime);
        }
    }

    fn array(&mut self, array: &syn::TypeArray) {
        if !is_u8(&array.elem) {
            let message = "only an array of `u8` can be a key field: use a tuple, or";
            self.mistakes.at(array, format!("{message} `rowkey::List<{}>`", array.elem.to_token_stream()));
        }
    }

    fn slice(&mut self, slice: &syn::TypeSlice) {
        if !is_u8(&slice.elem) {
            let message = "only a slice of `u8` can be a key field: use";
            self.mistakes.at(slice, format!("{message} `rowkey::List<{}>`", slice.elem.to_token_stream()));
        }
    }
}

/// Why a type can't be the type of a field, and what to use instead. None for every other type.
fn refusal(path: &TypePath, last: &PathSegment) -> Option<String> {
    let name = last.ident.to_string();
    match name.as_str() {
        "usize" | "isize" | "NonZeroUsize" | "NonZeroIsize" => {
            let instead = name.replace("size", "64");
            Some(format!("the width of `{name}` depends on the machine: use `{instead}`"))
        }
        _ if !is_of(path, &["std", "core", "alloc", "rowkey"]) => foreign(&name, path, last),
        "Bucket" if number(last) == Some(0) => Some("a bucket is at least one second long: write 1 or more".to_owned()),
        "QuadKey" if number(last).is_some_and(|zoom| !(1..=29).contains(&zoom)) => {
            Some("a quadkey has 1 to 29 digits: write one of these numbers, or use `Tile` for every zoom".to_owned())
        }
        _ => collection(&name, last).or_else(|| foreign(&name, path, last)),
    }
}

/// Collections of std. A type of the same name without arguments is another one.
fn collection(name: &str, last: &PathSegment) -> Option<String> {
    if !matches!(last.arguments, PathArguments::AngleBracketed(_)) {
        return None;
    }
    let arg = |n| type_argument(last, n);
    match name {
        "Vec" if arg(0) == "u8" => None,
        "Vec" | "VecDeque" | "LinkedList" | "BTreeSet" => {
            Some(format!("a `{name}` can't be a key field: use `rowkey::List<{}>`", arg(0)))
        }
        "HashSet" | "BinaryHeap" => {
            Some(format!("a `{name}` has no order: use `rowkey::List<{}>`, with its items sorted", arg(0)))
        }
        "HashMap" | "BTreeMap" => {
            let list = format!("rowkey::List<({}, {})>", arg(0), arg(1));
            Some(format!("a `{name}` can't be a key field: use `{list}`, with its items sorted"))
        }
        _ => None,
    }
}

/// Types of other crates.
fn foreign(name: &str, path: &TypePath, last: &PathSegment) -> Option<String> {
    let message = match name {
        "Url" if is_of_crate(path, "url") => {
            "not every `url::Url` can be a key field: use `rowkey::UrlKey`, which is checked when it is made"
        }
        "DateTime" if is_of(path, &["chrono"]) && (path.path.segments.len() > 1 || is_chrono(last)) => {
            "a leap second of chrono can't be a key field: use `rowkey::ChronoUtc`, which is checked when it is made"
        }
        "OffsetDateTime" if is_of_crate(path, "time") => {
            "a key does not store a UTC offset: use `time::UtcDateTime`, which `.to_utc()` returns, or `rowkey::Millis`"
        }
        "Zoned" if is_of_crate(path, "jiff") => {
            "a key does not store a time zone: use `jiff::Timestamp`, which `.timestamp()` returns, or `rowkey::Millis`"
        }
        "IpNet" | "Ipv4Net" | "Ipv6Net" if is_of_crate(path, "ipnet") => {
            "a network can't be a key field, but a prefix can select the addresses in it: use `IpAddr`, and \
             `name_within(&net)` in the prefix"
        }
        _ => return None,
    };
    Some(message.to_owned())
}

fn is_chrono(last: &PathSegment) -> bool {
    ["Utc", "Local", "FixedOffset"].contains(&type_argument(last, 0).as_str())
}

/// The first constant among the arguments, if it is a literal number.
fn number(segment: &PathSegment) -> Option<u64> {
    let PathArguments::AngleBracketed(args) = &segment.arguments else { return None };
    args.args.iter().find_map(|arg| match arg {
        GenericArgument::Const(expr) => attr::number(expr.to_token_stream()),
        _ => None,
    })
}

/// Returns whether a path is a name alone, which says nothing of its crate, or begins with one of these crates.
fn is_of(path: &TypePath, crates: &[&str]) -> bool {
    path.path.segments.len() == 1 || crates.iter().any(|name| is_of_crate(path, name))
}

/// Returns whether a path begins with the name of this crate.
fn is_of_crate(path: &TypePath, name: &str) -> bool {
    path.path.segments.len() > 1 && path.path.segments.first().is_some_and(|segment| segment.ident == name)
}

/// The owned type to use instead, if a type is borrowed or contains a borrowed type.
pub(crate) fn borrowed(ty: &Type) -> Option<String> {
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

fn is_u8(ty: &Type) -> bool {
    last_segment(ty).is_some_and(|segment| segment.ident == "u8")
}
