//! The code of a key: `Field` or `RowKey`, and what depends on them.

mod codec;
mod enums;
mod field;
pub(crate) mod generics;
mod newtype;
mod whole;
mod width;

use proc_macro2::TokenStream;
use quote::quote;
use syn::DeriveInput;

use crate::Mistakes;
use crate::ast::{Body, Field, Key};
use crate::{check, prefix};

/// Returns the code of the key. If there are mistakes, returns all of them and a stub, so that code which uses the key
/// gets no errors of its own.
pub(crate) fn derive(input: &DeriveInput) -> TokenStream {
    let mut mistakes = Mistakes::default();
    let key = Key::read(input, &mut mistakes);
    if let Some(key) = &key {
        check::check(key, &mut mistakes);
    }
    match (key, mistakes.0) {
        (Some(key), None) => expand(&key),
        (key, errors) => {
            let errors = errors.map(syn::Error::into_compile_error);
            let stub = stub(input, &key.map_or_else(|| quote!(::rowkey::__private), |key| key.private));
            quote!(#errors #stub)
        }
    }
}

/// An implementation that compiles and is never run.
fn stub(input: &DeriveInput, p: &TokenStream) -> TokenStream {
    let ident = &input.ident;
    let (impl_generics, ty_generics, where_clause) = input.generics.split_for_impl();
    let decoded = generics::decoded(ident, &input.generics);
    quote! {
        #[automatically_derived]
        #[doc(hidden)]
        #[allow(deprecated, clippy::all, clippy::pedantic)]
        impl #impl_generics #p::Field for #ident #ty_generics #where_clause {
            type Ref<'__de> = #decoded;
            const TYPE: &'static #p::Type = <#p::u8 as #p::Field>::TYPE;
            fn encode<__S: #p::Sink>(&self, _: &mut #p::Writer<'_, __S>) {
                loop {}
            }
            fn decode<'__de>(_: &mut #p::Reader<'__de>) -> #p::Result<Self::Ref<'__de>, #p::DecodeError> {
                loop {}
            }
            fn skip(_: &mut #p::Reader<'_>) -> #p::Result<(), #p::DecodeError> {
                loop {}
            }
        }
    }
}

fn expand(key: &Key<'_>) -> TokenStream {
    let (builders, builder_impls) = prefix::expand(key);
    let code = match &key.body {
        Body::Struct(all) if key.transparent.is_some() => newtype::transparent(key, all),
        Body::Struct(all) if key.is_whole() => whole::key(key, all),
        Body::Struct(all) => field::of_struct(key, all),
        Body::Enum(variants) => enums::field(key, variants),
    };
    let fixed_width = width::fixed(key);
    quote! {
        #builders
        #[doc(hidden)]
        #[allow(dead_code, deprecated, unused_qualifications, clippy::all, clippy::pedantic, clippy::nursery)]
        const _: () = {
            #code
            #fixed_width
            #builder_impls
        };
    }
}

/// The `PhantomData` fields of a struct expression.
fn phantoms(fields: &[Field], p: &TokenStream) -> TokenStream {
    let members = fields.iter().filter(|field| field.phantom).map(|field| &field.member);
    quote!(#(#members: #p::PhantomData,)*)
}
