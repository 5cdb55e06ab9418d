//! The model of a key: what the derive knows of the struct or enum.

mod lead;

use proc_macro2::TokenStream;
use quote::{ToTokens, format_ident, quote};
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::{Data, DeriveInput, Generics, Ident, Index, Member, Path, Type, Visibility};

use crate::Mistakes;
use crate::attr::{self, Arg};

pub(crate) use lead::{Digest, Format, Hash, Lead, Salt, Taken};

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

pub(crate) struct Variant {
    pub(crate) ident: Ident,
    /// The number, and the tokens at which a mistake in it is reported.
    pub(crate) tag: Option<(TokenStream, u64)>,
    /// True if neither a discriminant nor an attribute sets a tag, not even an invalid one.
    pub(crate) untagged: bool,
    pub(crate) fields: Vec<Field>,
}

pub(crate) struct Field {
    pub(crate) member: Member,
    /// The name in errors, layouts and prefixes: `_0` for the first field of a tuple struct.
    pub(crate) name: String,
    pub(crate) ty: Type,
    pub(crate) desc: Option<Arg>,
    pub(crate) nulls: Option<Arg>,
    pub(crate) raw: Option<Arg>,
    pub(crate) with: Option<(Arg, Path)>,
    /// True if it is a `PhantomData`, which is not part of the key.
    pub(crate) phantom: bool,
}

const ON_KEY: &[&str] = &["salt", "hashed", "transparent", "prefix", "crate"];
const ON_VARIANT: &[&str] = &["tag"];
const ON_FIELD: &[&str] = &["desc", "nulls_first", "nulls_last", "raw", "with"];

impl<'i> Key<'i> {
    /// Reads the input. Returns None for a union, of which there is nothing more to check.
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
        let lead = Lead::of(salt, digest, mistakes);
        let body = Body::read(&input.data, mistakes)?;
        let (ident, vis, generics) = (&input.ident, &input.vis, &input.generics);
        Some(Self { ident, vis, generics, private, prefix_name, transparent, lead, body })
    }

    /// The fields of a struct that are part of the key.
    pub(crate) fn fields(&self) -> Vec<&Field> {
        match &self.body {
            Body::Struct(fields) => fields.iter().filter(|field| !field.phantom).collect(),
            Body::Enum(_) => Vec::new(),
        }
    }

    /// The name in layouts and errors.
    pub(crate) fn name(&self) -> String {
        self.ident.unraw().to_string()
    }

    /// Returns whether a key of this type can't be a field of another key.
    pub(crate) fn is_whole(&self) -> bool {
        !matches!(self.lead, Lead::None) || self.fields().iter().any(|field| field.raw.is_some())
    }

    /// The index, among the fields of the key, of a field that `by` names.
    pub(crate) fn field_index(&self, name: &TokenStream) -> Option<usize> {
        let name = name.to_string();
        self.fields().iter().position(|field| field.member.to_token_stream().to_string() == name || field.name == name)
    }
}

impl Body {
    fn read(data: &Data, mistakes: &mut Mistakes) -> Option<Self> {
        match data {
            Data::Struct(data) => Some(Self::Struct(fields(&data.fields, mistakes))),
            Data::Enum(data) => {
                Some(Self::Enum(data.variants.iter().map(|variant| Variant::read(variant, mistakes)).collect()))
            }
            Data::Union(data) => {
                mistakes.at(data.union_token, "a union can't be a row key: use a struct, or an enum with tags");
                None
            }
        }
    }
}

impl Variant {
    fn read(variant: &syn::Variant, mistakes: &mut Mistakes) -> Self {
        let args = attr::args(&variant.attrs, "a variant", ON_VARIANT, mistakes);
        let mut tag = None;
        if let Some((_, expr)) = &variant.discriminant {
            tag = discriminant(expr.to_token_stream(), mistakes);
        }
        let untagged = variant.discriminant.is_none() && args.is_empty();
        for arg in &args {
            tag = arg.number(1, mistakes).map(|number| (arg.place(), number));
        }
        Self { ident: variant.ident.clone(), tag, untagged, fields: fields(&variant.fields, mistakes) }
    }

    /// The fields that are part of the key.
    pub(crate) fn fields(&self) -> Vec<&Field> {
        self.fields.iter().filter(|field| !field.phantom).collect()
    }
}

fn discriminant(expr: TokenStream, mistakes: &mut Mistakes) -> Option<(TokenStream, u64)> {
    let number = attr::number(expr.clone());
    if number.is_none() {
        let message = "a tag is a literal number from 0 to 255: write one, or `#[rowkey(tag = 1)]` above the variant";
        mistakes.at(&expr, message);
    }
    Some((expr, number?))
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
        let (mut desc, mut nulls, mut raw, mut with) = (None, None, None, None);
        for arg in attr::args(&field.attrs, "a field", ON_FIELD, mistakes) {
            if arg.name == "with" {
                with = arg.path("MyEncoding", mistakes).map(|path| (arg, path));
                continue;
            }
            arg.flag(mistakes);
            match arg.name.to_string().as_str() {
                "desc" => desc = Some(arg),
                "raw" => raw = Some(arg),
                _ if nulls.is_some() => {
                    mistakes.at(&arg, "a field can't have both `nulls_first` and `nulls_last`: remove one of them");
                }
                _ => nulls = Some(arg),
            }
        }
        let phantom = last_segment(&field.ty).is_some_and(|segment| segment.ident == "PhantomData");
        Self { member, name, ty: field.ty.clone(), desc, nulls, raw, with, phantom }
    }

    pub(crate) fn is_desc(&self) -> bool {
        self.desc.is_some()
    }
}

/// The last segment of a type's path; groups and parentheses around the type are ignored.
pub(crate) fn last_segment(ty: &Type) -> Option<&syn::PathSegment> {
    match ty {
        Type::Path(path) => path.path.segments.last(),
        Type::Group(group) => last_segment(&group.elem),
        Type::Paren(paren) => last_segment(&paren.elem),
        _ => None,
    }
}

/// Returns the nth type argument. Default: `T`.
pub(crate) fn type_argument(segment: &syn::PathSegment, n: usize) -> String {
    let args = match &segment.arguments {
        syn::PathArguments::AngleBracketed(args) => Some(&args.args),
        _ => None,
    };
    let mut types = args.into_iter().flatten().filter_map(|arg| match arg {
        syn::GenericArgument::Type(ty) => Some(ty.to_token_stream().to_string()),
        _ => None,
    });
    types.nth(n).unwrap_or_else(|| "T".into())
}
