//! A struct with one field: a transparent one, and the raw form of any.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote, quote_spanned};

use super::field::FieldImpl;
use super::generics::{with_lifetime, with_param};
use super::phantoms;
use crate::ast::{Field, Key};

pub(crate) fn transparent(key: &Key<'_>, all: &[Field]) -> TokenStream {
    let (p, ident) = (&key.private, key.ident);
    let fields = key.fields();
    let [field] = fields.as_slice() else { return TokenStream::new() };
    let member = &field.member;
    let decode = field.call("decode", &quote!(r), p);
    let decode = quote_spanned!(field.span()=> #decode?);
    let phantoms = phantoms(all, p);
    let field_impl = FieldImpl {
        ty: field.layout_type(p),
        as_key: FieldImpl::one_field(p),
        encode: field.call("encode", &quote!(&self.#member, w), p),
        decode: quote!(#p::Result::Ok(#ident { #member: #decode, #phantoms })),
        skip: field.call("skip", &quote!(r), p),
    };
    let field_impl = field_impl.expand(key);
    if field.with.is_some() {
        return field_impl;
    }
    let (raw, forwarded) = (raw(key, field, all), forwarded(key, field));
    quote!(#field_impl #raw #forwarded)
}

/// The impls that the methods of prefixes need of the type, taken from the type of its field.
fn forwarded(key: &Key<'_>, field: &Field) -> TokenStream {
    let (p, ident, ty) = (&key.private, key.ident, &field.ty);
    let (_, ty_generics, where_clause) = key.split_bound();
    let generics = with_param(key.generics, quote!(__C: ?#p::Sized));
    let (impl_generics, _, _) = generics.split_for_impl();
    let sized = with_param(key.generics, quote!(__C));
    let (sized_generics, _, _) = sized.split_for_impl();
    quote! {
        #[automatically_derived]
        impl #impl_generics #p::StartsWith<__C> for #ident #ty_generics #where_clause #ty: #p::StartsWith<__C> {}
        #[automatically_derived]
        impl #impl_generics #p::Within<__C> for #ident #ty_generics #where_clause #ty: #p::Within<__C> {
            fn within(area: &__C) -> #p::Vec<#p::FieldSpan> {
                <#ty as #p::Within<__C>>::within(area)
            }
            fn within_raw(area: &__C) -> #p::Vec<#p::FieldSpan> {
                <#ty as #p::Within<__C>>::within_raw(area)
            }
        }
        #[automatically_derived]
        impl #sized_generics #p::Nested<__C> for #ident #ty_generics #where_clause #ty: #p::Nested<__C> {
            type Key = <#ty as #p::Nested<__C>>::Key;
            fn nested(nested: __C) -> #p::Selection<Self::Key> {
                <#ty as #p::Nested<__C>>::nested(nested)
            }
        }
    }
}

/// The raw form of a struct with one field, if the field has one.
pub(crate) fn raw(key: &Key<'_>, field: &Field, all: &[Field]) -> TokenStream {
    if field.desc.is_some() || field.nulls.is_some() || field.with.is_some() {
        return TokenStream::new();
    }
    let (p, ident, ty, member) = (&key.private, key.ident, &field.ty, &field.member);
    let (impl_generics, ty_generics, where_clause) = key.split_bound();
    // The decoded type is written out, not taken from `Field`: the type may not implement `Field`, which is reported
    // elsewhere.
    let read = with_lifetime(ty.to_token_stream(), "'__x");
    let read_here = with_lifetime(ty.to_token_stream(), "'__de");
    let is_raw = quote!(for<'__x> #ty: #p::RawAs<'__x, #read>);
    let phantoms = phantoms(all, p);
    let sources = [(quote!(), quote!(self)), (quote!(&), quote!(*self))].map(|(reference, value)| {
        quote! {
            #[automatically_derived]
            impl #impl_generics #p::IntoField<#p::RawOf<#ident #ty_generics>> for #reference #ident #ty_generics
            #where_clause #is_raw
            {
                #[inline]
                fn encode_field<__S: #p::Sink>(&self, w: &mut #p::Writer<'_, __S>) {
                    #p::RawField::encode_raw(#value, w);
                }
            }
        }
    });
    quote! {
        #[automatically_derived]
        impl #impl_generics #p::RawField for #ident #ty_generics #where_clause #is_raw {
            #[inline]
            fn encode_raw<__S: #p::Sink>(&self, w: &mut #p::Writer<'_, __S>) {
                #p::RawAs::encode_raw_as(&self.#member, w);
            }

            #[inline]
            fn decode_raw<'__de>(
                r: &mut #p::Reader<'__de>,
            ) -> #p::Result<<Self as #p::Field>::Ref<'__de>, #p::DecodeError> {
                #p::Result::Ok(#ident {
                    #member: <#ty as #p::RawAs<'__de, #read_here>>::decode_raw_as(r)?,
                    #phantoms
                })
            }
        }
        #(#sources)*
    }
}
