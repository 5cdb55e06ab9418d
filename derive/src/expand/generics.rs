//! Generic parameters: bounds, names as arguments, lifetimes.

use proc_macro2::{Group, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::{GenericParam, Generics, Ident, ImplGenerics, Lifetime, Path, Type, TypeGenerics, WhereClause, parse_quote};

use crate::ast::{Body, Field, Key};
use crate::walk::{self, Walk};

impl Key<'_> {
    /// The generics, with a bound on each type parameter that is used in a field.
    pub(crate) fn split_bound(&self) -> (ImplGenerics<'_>, TypeGenerics<'_>, TokenStream) {
        let (impl_generics, ty_generics, where_clause) = self.generics.split_for_impl();
        (impl_generics, ty_generics, self.bounds(where_clause))
    }

    fn bounds(&self, where_clause: Option<&WhereClause>) -> TokenStream {
        let p = &self.private;
        let params = self.generics.type_params().map(|param| &param.ident);
        let bounded = params.filter(|param| self.uses(param));
        let predicates = where_clause.map(|clause| clause.predicates.iter());
        let predicates = predicates.into_iter().flatten();
        quote!(where #(#predicates,)* #(#bounded: #p::OwnedField,)*)
    }

    /// Returns whether a type parameter is used in a field of the key.
    fn uses(&self, param: &Ident) -> bool {
        let mut uses = Uses { param, found: false };
        match &self.body {
            Body::Struct(_) => uses.any(&self.fields()),
            Body::Enum(variants) => variants.iter().for_each(|variant| uses.any(&variant.fields())),
        }
        uses.found
    }
}

struct Uses<'i> {
    param: &'i Ident,
    found: bool,
}

impl Uses<'_> {
    fn any(&mut self, fields: &[&Field]) {
        fields.iter().for_each(|field| self.ty(&field.ty));
    }
}

impl Walk for Uses<'_> {
    fn ty(&mut self, ty: &Type) {
        walk::inside_type(self, ty);
    }

    fn path(&mut self, path: &Path) {
        self.found |= path.segments.first().is_some_and(|segment| segment.ident == *self.param);
        walk::inside_path(self, path);
    }
}

/// The type that decoding returns: the key's type with the lifetime of the bytes in the place of each of its lifetimes.
pub(crate) fn decoded(ident: &Ident, generics: &Generics) -> TokenStream {
    if generics.params.is_empty() {
        return quote!(#ident);
    }
    let de = Lifetime::new("'__de", Span::call_site()).into_token_stream();
    let arguments = generics.params.iter().map(|param| match param {
        GenericParam::Lifetime(_) => de.clone(),
        other => argument(other),
    });
    quote!(#ident<#(#arguments),*>)
}

/// A generic parameter as an argument: its name alone.
pub(crate) fn argument(param: &GenericParam) -> TokenStream {
    match param {
        GenericParam::Lifetime(lifetime) => lifetime.lifetime.to_token_stream(),
        GenericParam::Type(ty) => ty.ident.to_token_stream(),
        GenericParam::Const(konst) => konst.ident.to_token_stream(),
    }
}

/// The generics with one more parameter. Defaults are removed, because no parameter without a default may follow them.
pub(crate) fn with_param(generics: &Generics, param: TokenStream) -> Generics {
    let mut generics = generics.clone();
    for param in &mut generics.params {
        match param {
            GenericParam::Type(ty) => ty.default = None,
            GenericParam::Const(konst) => konst.default = None,
            GenericParam::Lifetime(_) => {}
        }
    }
    generics.params.push(parse_quote!(#param));
    generics
}

/// A type with this lifetime in the place of every lifetime in it.
pub(crate) fn with_lifetime(ty: TokenStream, lifetime: &str) -> TokenStream {
    let mut tokens = Vec::new();
    let mut in_lifetime = false;
    for token in ty {
        match token {
            TokenTree::Punct(punct) if punct.as_char() == '\'' => {
                in_lifetime = true;
                tokens.extend(Lifetime::new(lifetime, punct.span()).into_token_stream());
            }
            TokenTree::Ident(_) if in_lifetime => in_lifetime = false,
            TokenTree::Group(group) => {
                let mut inner = Group::new(group.delimiter(), with_lifetime(group.stream(), lifetime));
                inner.set_span(group.span());
                tokens.push(inner.into());
            }
            other => tokens.push(other),
        }
    }
    tokens.into_iter().collect()
}
