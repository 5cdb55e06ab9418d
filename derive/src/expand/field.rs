//! `Field`, the trait of what can be a field of a key, for a struct; and the parts of it that all kinds of keys share.

use proc_macro2::TokenStream;
use quote::quote;

use super::generics::{decoded, with_param};
use super::{newtype, phantoms};
use crate::ast::{Field, Key};

pub(crate) fn of_struct(key: &Key<'_>, all: &[Field]) -> TokenStream {
    let (p, ident, fields) = (&key.private, key.ident, key.fields());
    let layouts = fields.iter().map(|field| field.layout(p));
    let encode = fields.iter().map(|field| {
        let (member, desc) = (&field.member, field.is_desc());
        let write = field.call("write_field", &quote!(&self.#member, #desc, w), p);
        quote!(#write;)
    });
    let decode = fields.iter().map(|field| field.read_code(&field.name, p));
    let skip = fields.iter().map(|field| field.skip_code(p));
    let phantoms = phantoms(all, p);
    let as_key = quote! {
        match <Self as #p::Field>::TYPE {
            #p::Type::Tuple(fields) => fields,
            _ => &[],
        }
    };
    let field_impl = FieldImpl {
        ty: quote!(&#p::Type::Tuple(&[#(#layouts),*])),
        as_key,
        encode: encode.collect(),
        decode: quote!(#p::Result::Ok(#ident { #(#decode)* #phantoms })),
        skip: quote!(#(#skip)* #p::Result::Ok(())),
    };
    let field_impl = field_impl.expand(key);
    let raw = (fields.len() == 1).then(|| newtype::raw(key, fields[0], all));
    let nested = nested(key);
    quote!(#field_impl #raw #nested)
}

/// A field of this type takes its prefixes.
pub(crate) fn nested(key: &Key<'_>) -> TokenStream {
    let (p, ident) = (&key.private, key.ident);
    let (_, ty_generics, where_clause) = key.split_bound();
    let generics = with_param(key.generics, quote!(__S: #p::Select<#ident #ty_generics>));
    let (impl_generics, _, _) = generics.split_for_impl();
    quote! {
        #[automatically_derived]
        impl #impl_generics #p::Nested<__S> for #ident #ty_generics #where_clause {
            type Key = Self;
            fn nested(nested: __S) -> #p::Selection<Self> {
                #p::Select::select(nested)
            }
        }
    }
}

/// The parts of a `Field` implementation that differ from key to key.
pub(crate) struct FieldImpl {
    pub(crate) ty: TokenStream,
    /// The fields of the layout of a key that is this type.
    pub(crate) as_key: TokenStream,
    pub(crate) encode: TokenStream,
    pub(crate) decode: TokenStream,
    pub(crate) skip: TokenStream,
}

impl FieldImpl {
    pub(crate) fn expand(&self, key: &Key<'_>) -> TokenStream {
        let (p, ident, name) = (&key.private, key.ident, key.name());
        let Self { ty, as_key, encode, decode, skip } = self;
        let (impl_generics, ty_generics, where_clause) = key.split_bound();
        let decoded = decoded(ident, key.generics);
        let sources = [into_field(key, quote!(), quote!(self)), into_field(key, quote!(&), quote!(*self))];
        quote! {
            #[automatically_derived]
            impl #impl_generics #p::Field for #ident #ty_generics #where_clause {
                type Ref<'__de> = #decoded;
                const TYPE: &'static #p::Type = #ty;
                const AS_KEY: #p::Layout = #p::Layout {
                    name: #name,
                    lead: #p::Lead::None,
                    by: &[],
                    fields: #as_key,
                };

                #[inline]
                fn encode<__S: #p::Sink>(&self, w: &mut #p::Writer<'_, __S>) {
                    #encode
                }

                #[inline]
                fn decode<'__de>(r: &mut #p::Reader<'__de>) -> #p::Result<#decoded, #p::DecodeError> {
                    #decode
                }

                #[inline]
                fn skip(r: &mut #p::Reader<'_>) -> #p::Result<(), #p::DecodeError> {
                    #skip
                }
            }
            #(#sources)*
        }
    }

    /// The fields of the layout of a key that is one value of this type, as an enum is.
    pub(crate) fn one_field(p: &TokenStream) -> TokenStream {
        quote!(&[#p::FieldLayout::new("_0", <Self as #p::Field>::TYPE)])
    }
}

/// The key, or a reference to it, as a value of a field of its type.
fn into_field(key: &Key<'_>, reference: TokenStream, value: TokenStream) -> TokenStream {
    let (p, ident) = (&key.private, key.ident);
    let (impl_generics, ty_generics, where_clause) = key.split_bound();
    quote! {
        #[automatically_derived]
        impl #impl_generics #p::IntoField<#ident #ty_generics> for #reference #ident #ty_generics #where_clause {
            const ORDER: #p::Order = <#ident #ty_generics as #p::Field>::TYPE.order();
            const BEYOND: #p::Option<&'static [#p::u8]> = <#ident #ty_generics as #p::Field>::TYPE.beyond();

            #[inline]
            fn encode_field<__S: #p::Sink>(&self, w: &mut #p::Writer<'_, __S>) {
                #p::Field::encode(#value, w);
            }
        }
    }
}
