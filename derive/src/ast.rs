//! The model of a key: what the derive knows of the struct or enum.

use proc_macro2::{Span, TokenStream, TokenTree};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::{Data, DeriveInput, Generics, Ident, Index, Member, Path, Type, Visibility};

use crate::Mistakes;
use crate::attr::{self, Arg, ArgValue};

pub(crate) struct Key<'i> {
    pub(crate) ident: &'i Ident,
    pub(crate) vis: &'i Visibility,
    pub(crate) generics: &'i Generics,
    /// The path to `rowkey::__private`.
    pub(crate) private: TokenStream,
    pub(crate) prefix_name: Ident,
    pub(crate) transparent: Option<Arg>,
    pub(crate) lead: Lead,
    pub(crate) body: Body,
}

pub(crate) enum Body {
    Struct(Vec<Field>),
    Enum(Vec<Variant>),
}

/// What stands before the fields.
pub(crate) enum Lead {
    None,
    Salt(Salt),
    Digest(Digest),
}

pub(crate) struct Salt {
    pub(crate) arg: Arg,
    pub(crate) buckets: Option<(Arg, u64)>,
    pub(crate) hash: Hash,
    pub(crate) hex: bool,
    pub(crate) by: Vec<TokenStream>,
}

pub(crate) enum Hash {
    Known(&'static str),
    Own(String, Path),
}

pub(crate) struct Digest {
    pub(crate) arg: Arg,
    pub(crate) bytes: u64,
    pub(crate) by: Vec<TokenStream>,
}

pub(crate) struct Variant {
    pub(crate) ident: Ident,
    pub(crate) tag: Option<(TokenStream, u64)>,
    pub(crate) fields: Vec<Field>,
}

pub(crate) struct Field {
    pub(crate) member: Member,
    /// As errors, layouts and prefixes call it: `_0` where it has no name.
    pub(crate) name: String,
    pub(crate) ty: Type,
    pub(crate) desc: Option<Arg>,
    pub(crate) nulls: Option<Arg>,
    pub(crate) raw: Option<Arg>,
    pub(crate) with: Option<(Arg, Path)>,
    /// A `PhantomData`: no field of the key.
    pub(crate) phantom: bool,
}

const ON_KEY: &[&str] = &["salt", "hashed", "transparent", "prefix", "crate"];
const ON_ENUM_VARIANT: &[&str] = &["tag"];
const ON_FIELD: &[&str] = &["desc", "nulls_first", "nulls_last", "raw", "with"];

impl<'i> Key<'i> {
    /// Reads the input; None if there is nothing to check further.
    pub(crate) fn read(input: &'i DeriveInput, mistakes: &mut Mistakes) -> Option<Self> {
        let mut private = quote!(::rowkey::__private);
        let mut prefix_name = format_ident!("{}Prefix", input.ident.unraw());
        let (mut transparent, mut salt, mut digest) = (None, None, None);
        for arg in attr::args(&input.attrs, "a key", ON_KEY, mistakes) {
            match arg.name.to_string().as_str() {
                "salt" => salt = Some(Salt::read(arg, mistakes)),
                "hashed" => digest = Some(Digest::read(arg, mistakes)),
                "transparent" => {
                    arg.flag(mistakes);
                    transparent = Some(arg);
                }
                "prefix" => {
                    if let Some(ident) = arg.ident("MyPrefix", mistakes) {
                        prefix_name = ident;
                    }
                }
                _ => {
                    if let Some(path) = arg.quoted_path(mistakes) {
                        private = quote!(#path::__private);
                    }
                }
            }
        }
        let lead = match (salt, digest) {
            (Some(salt), Some(digest)) => {
                mistakes.at(&digest.arg, "a key has a salt or a digest, not both: take one of them away");
                Lead::Salt(salt)
            }
            (Some(salt), None) => Lead::Salt(salt),
            (None, Some(digest)) => Lead::Digest(digest),
            (None, None) => Lead::None,
        };
        let body = match &input.data {
            Data::Struct(data) => Body::Struct(fields(&data.fields, mistakes)),
            Data::Enum(data) => {
                Body::Enum(data.variants.iter().map(|variant| Variant::read(variant, mistakes)).collect())
            }
            Data::Union(data) => {
                mistakes.at(data.union_token, "a union is no row key: write a struct, or an enum with tags");
                return None;
            }
        };
        let (ident, vis, generics) = (&input.ident, &input.vis, &input.generics);
        Some(Self { ident, vis, generics, private, prefix_name, transparent, lead, body })
    }

    /// The fields that stand in the key, of a struct.
    pub(crate) fn fields(&self) -> Vec<&Field> {
        match &self.body {
            Body::Struct(fields) => fields.iter().filter(|field| !field.phantom).collect(),
            Body::Enum(_) => Vec::new(),
        }
    }

    /// The name as layouts and errors tell it.
    pub(crate) fn name(&self) -> String {
        self.ident.unraw().to_string()
    }

    /// Whether keys of this type can't be part of another.
    pub(crate) fn is_whole(&self) -> bool {
        !matches!(self.lead, Lead::None) || self.fields().iter().any(|field| field.raw.is_some())
    }
}

impl Variant {
    fn read(variant: &syn::Variant, mistakes: &mut Mistakes) -> Self {
        let mut tag = variant.discriminant.as_ref().and_then(|(_, expr)| {
            let number = attr::number(expr.to_token_stream());
            if number.is_none() {
                mistakes.at(
                    expr,
                    "a tag is a number from 0 to 255: write it out, or `#[rowkey(tag = 1)]` above the variant",
                );
            }
            Some((expr.to_token_stream(), number?))
        });
        let written = tag.is_some() || variant.discriminant.is_some();
        let args = attr::args(&variant.attrs, "a variant", ON_ENUM_VARIANT, mistakes);
        for arg in &args {
            tag = arg.number(1, mistakes).map(|number| (arg.place(), number));
        }
        if !written && args.is_empty() {
            mistakes.at(
                &variant.ident,
                format!(
                    "the variant needs a tag that never changes: write `#[rowkey(tag = 1)]` above `{}`",
                    variant.ident
                ),
            );
        }
        Self { ident: variant.ident.clone(), tag, fields: fields(&variant.fields, mistakes) }
    }
}

fn fields(fields: &syn::Fields, mistakes: &mut Mistakes) -> Vec<Field> {
    fields.iter().enumerate().map(|(index, field)| Field::read(index, field, mistakes)).collect()
}

impl Field {
    fn read(index: usize, field: &syn::Field, mistakes: &mut Mistakes) -> Self {
        let (member, name) = match &field.ident {
            Some(ident) => (Member::Named(ident.clone()), ident.unraw().to_string()),
            None => {
                let index = Index { index: index as u32, span: field.ty.span() };
                (Member::Unnamed(index.clone()), format!("_{}", index.index))
            }
        };
        let (mut desc, mut nulls, mut raw, mut with) = (None, None::<Arg>, None, None);
        for arg in attr::args(&field.attrs, "a field", ON_FIELD, mistakes) {
            if arg.name == "with" {
                with = arg.path("MyEncoding", mistakes).map(|path| (arg, path));
                continue;
            }
            arg.flag(mistakes);
            match arg.name.to_string().as_str() {
                "desc" => desc = Some(arg),
                "raw" => raw = Some(arg),
                _ if nulls.is_some() => mistakes.at(&arg, "None sorts first or last, not both: take one of them away"),
                _ => nulls = Some(arg),
            }
        }
        let phantom = last_segment(&field.ty).is_some_and(|segment| segment.ident == "PhantomData");
        Self { member, name, ty: field.ty.clone(), desc, nulls, raw, with, phantom }
    }

    /// The marker type by which the field is read and written.
    pub(crate) fn codec(&self, private: &TokenStream) -> TokenStream {
        let (ty, private) = (&self.ty, at(private, self.span()));
        let marker = |name: &str| Ident::new(name, self.span());
        if let Some((_, path)) = &self.with {
            let marker = marker("With");
            return quote_spanned!(self.span()=> #private::#marker<#path, #ty>);
        }
        let marker = marker(match &self.nulls {
            _ if self.raw.is_some() => "RawOf",
            Some(_) if self.has_other_nulls() => "NullsOther",
            Some(_) => "NullsHere",
            None => "Plain",
        });
        quote_spanned!(self.span()=> #private::#marker<#ty>)
    }

    /// What a prefix takes values for: the field's type, or the marker of another form of it.
    pub(crate) fn source(&self, private: &TokenStream) -> TokenStream {
        if self.is_plain() { self.ty.to_token_stream() } else { self.codec(private) }
    }

    fn is_plain(&self) -> bool {
        self.with.is_none() && self.raw.is_none() && !self.has_other_nulls()
    }

    /// Where it is told that the field can't be one: its type, or the encoding that it is given; seeing the names that the
    /// derive's own code sees.
    pub(crate) fn span(&self) -> Span {
        let span = self.with.as_ref().map_or_else(|| self.ty.span(), |(_, path)| path.span());
        span.resolved_at(Span::call_site())
    }

    /// `<codec>::name(..)`. Everything that the code does with a field stands at one place in one form, so that a wrong
    /// field is told once.
    pub(crate) fn call(&self, name: &str, args: &TokenStream, private: &TokenStream) -> TokenStream {
        let (codec, name) = (self.codec(private), Ident::new(name, self.span()));
        let private = at(private, self.span());
        quote_spanned!(self.span()=> <#codec as #private::Codec>::#name(#args))
    }

    /// `<codec>::TYPE`.
    pub(crate) fn layout_type(&self, private: &TokenStream) -> TokenStream {
        let (codec, private) = (self.codec(private), at(private, self.span()));
        quote_spanned!(self.span()=> <#codec as #private::Codec>::TYPE)
    }

    /// Whether None sorts on the other side than the direction puts it.
    fn has_other_nulls(&self) -> bool {
        self.nulls.as_ref().is_some_and(|arg| (arg.name == "nulls_first") == self.desc.is_some())
    }

    pub(crate) fn is_desc(&self) -> bool {
        self.desc.is_some()
    }

    /// `<codec>::name(..)?`, the same way.
    pub(crate) fn try_call(&self, name: &str, args: &TokenStream, private: &TokenStream) -> TokenStream {
        let call = self.call(name, args, private);
        quote_spanned!(self.span()=> #call?)
    }

    /// The field in the layout.
    pub(crate) fn layout(&self, private: &TokenStream) -> TokenStream {
        let (name, desc, ty) = (&self.name, self.is_desc(), self.layout_type(private));
        let nulls = self.nulls.as_ref().map(|arg| {
            let side = if arg.name == "nulls_first" { quote!(First) } else { quote!(Last) };
            quote!(.nulls(#private::Nulls::#side))
        });
        let layout = quote!(#private::FieldLayout::new(#name, #ty).desc(#desc) #nulls);
        let Some(raw) = &self.raw else { return layout };
        // A type without raw form is told at the attribute, so all of the call stands there.
        let span = raw.name.span().resolved_at(Span::call_site());
        let private = at(private, span);
        quote_spanned!(span=> #private::FieldLayout::raw(#layout))
    }
}

/// The tokens, all of them at this place.
fn at(tokens: &TokenStream, span: Span) -> TokenStream {
    let moved = |mut token: TokenTree| {
        token.set_span(span);
        token
    };
    tokens.clone().into_iter().map(moved).collect()
}

/// The last name of a type's path, through groups and parentheses.
pub(crate) fn last_segment(ty: &Type) -> Option<&syn::PathSegment> {
    match ty {
        Type::Path(path) => path.path.segments.last(),
        Type::Group(group) => last_segment(&group.elem),
        Type::Paren(paren) => last_segment(&paren.elem),
        _ => None,
    }
}

impl Salt {
    fn read(arg: Arg, mistakes: &mut Mistakes) -> Self {
        let (mut buckets, mut hash, mut hex, mut by) = (None, Hash::Known("XXH3"), false, Vec::new());
        let inner = arg.inner(&["buckets", "by", "hash", "format"], "buckets = 16", mistakes);
        if inner.as_ref().is_some_and(|inner| !inner.iter().any(|arg| arg.name == "buckets")) {
            mistakes.at(&arg, "a salt needs its number of buckets: write `salt(buckets = 16)`");
        }
        for arg in inner.into_iter().flatten() {
            match arg.name.to_string().as_str() {
                "buckets" => buckets = arg.number(16, mistakes).map(|number| (arg, number)),
                "by" => by = arg.names(mistakes),
                "hash" => {
                    if let Some(read) = Hash::read(&arg, mistakes) {
                        hash = read;
                    }
                }
                _ => match arg.ident("hex", mistakes) {
                    Some(format) if format == "hex" => hex = true,
                    Some(format) if format == "binary" => hex = false,
                    Some(other) => mistakes.at(other, "the salt's format is `binary` or `hex`"),
                    None => {}
                },
            }
        }
        Self { arg, buckets, hash, hex, by }
    }
}

impl Hash {
    fn read(arg: &Arg, mistakes: &mut Mistakes) -> Option<Self> {
        const WRITE: &str =
            "the salt's hash is `xxh3`, `xxh64`, `md5`, `java`, or your own: `hash(\"its name\", path::to::fn)`";
        if let ArgValue::List(list) = &arg.value {
            let own = |input: syn::parse::ParseStream<'_>| {
                let name: syn::LitStr = input.parse()?;
                input.parse::<syn::Token![,]>()?;
                let path: Path = input.parse()?;
                input.parse::<Option<syn::Token![,]>>()?;
                Ok((name, path))
            };
            return match syn::parse::Parser::parse2(own, list.clone()) {
                Ok((name, path)) => {
                    let text = name.value();
                    let word = !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || "_-.".contains(c));
                    if !word {
                        mistakes.at(&name, "your own hash's name is one word of letters, digits, `_`, `-`, `.`");
                    } else if is_reserved(&text) {
                        mistakes.at(
                            &name,
                            format!("`{text}` means something else in a shape: give your own hash another name"),
                        );
                    }
                    Some(Self::Own(text, path))
                }
                Err(_) => {
                    mistakes.at(arg, WRITE);
                    None
                }
            };
        }
        let ident = arg.parsed::<Ident>();
        let known = match ident.as_ref().map(Ident::to_string).as_deref() {
            Some("xxh3") => "XXH3",
            Some("xxh64") => "XXH64",
            Some("md5") => "MD5",
            Some("java") => "JAVA",
            _ => {
                mistakes.at(arg.place(), WRITE);
                return None;
            }
        };
        Some(Self::Known(known))
    }
}

/// The words that a shape gives a meaning of their own, the format's hashes among them; `rowkey::encode::Encoding` and
/// `rowkey::LayoutBuf` refuse the same.
fn is_reserved(word: &str) -> bool {
    const RESERVED: &[&str] = &[
        "xxh3",
        "xxh64",
        "md5",
        "java",
        "hex",
        "by",
        "salt",
        "desc",
        "raw",
        "nulls_first",
        "nulls_last",
        "option",
        "list",
        "enum",
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
        "text",
        "bytes",
        "ipaddr",
        "instant",
        "duration",
        "decimal",
        "host_path",
        "url",
        "quadkey",
        "tile",
    ];
    RESERVED.contains(&word)
}

impl Digest {
    fn read(arg: Arg, mistakes: &mut Mistakes) -> Self {
        let (mut bytes, mut by) = (16, Vec::new());
        for arg in arg.inner(&["bytes", "by"], "bytes = 16", mistakes).into_iter().flatten() {
            if arg.name == "by" {
                by = arg.names(mistakes);
            } else if let Some(number) = arg.number(16, mistakes) {
                bytes = number;
                if !(1..=16).contains(&number) {
                    mistakes.at(arg.place(), format!("a digest has 1 to 16 bytes, not {number}"));
                }
            }
        }
        Self { arg, bytes, by }
    }
}
