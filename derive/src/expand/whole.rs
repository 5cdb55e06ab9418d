//! `RowKey` for a struct that can't be a field of another key, because it has a salt, a digest or a raw field.

use proc_macro2::{Literal, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::spanned::Spanned;

use super::generics::decoded;
use super::phantoms;
use crate::ast::{Field, Format, Hash, Key, Lead, Salt, Taken};

pub(crate) fn key(key: &Key<'_>, all: &[Field]) -> TokenStream {
    let (p, ident, name) = (&key.private, key.ident, key.name());
    let fields = key.fields();
    let (lead, by) = (lead(key), by(key));
    let layouts = fields.iter().map(|field| field.layout(p));
    let count = fields.len();
    let write = fields.iter().map(|field| {
        let (member, desc) = (&field.member, field.is_desc());
        let write = field.call("write_field", &quote!(&self.#member, #desc, key.writer()), p);
        quote!(#write; key.end_field(&Self::LAYOUT);)
    });
    let read = fields.iter().map(|field| {
        let (member, desc, name) = (&field.member, field.is_desc(), &field.name);
        let read = field.try_call("read_field", &quote!(#name, #desc, r.reader()), p);
        quote!(#member: { let value = #read; r.end_field(value, &Self::LAYOUT) },)
    });
    let phantoms = phantoms(all, p);
    let (impl_generics, ty_generics, where_clause) = key.split_bound();
    let decoded = decoded(ident, key.generics);
    quote! {
        #[automatically_derived]
        impl #impl_generics #p::RowKey for #ident #ty_generics #where_clause {
            type Ref<'__de> = #decoded;
            const LAYOUT: #p::Layout =
                #p::Layout { name: #name, lead: #lead, by: &[#(#by),*], fields: &[#(#layouts),*] }.checked();

            #[inline]
            fn write_key<__S: #p::Sink>(&self, out: &mut __S) {
                let mut key = #p::KeyWriter::<__S, #count>::new(out, &Self::LAYOUT);
                #(#write)*
                key.finish(&Self::LAYOUT);
            }

            #[inline]
            fn read_key<'__de>(key: &'__de [#p::u8]) -> #p::Result<#decoded, #p::DecodeError> {
                let mut r = #p::KeyReader::<#count>::new(key);
                r.start(&Self::LAYOUT)?;
                let key = #ident { #(#read)* #phantoms };
                r.finish(&Self::LAYOUT)?;
                #p::Result::Ok(key)
            }
        }
    }
}

/// The indexes of the fields that `by` names, in the order of the fields.
fn by(key: &Key<'_>) -> Vec<usize> {
    let names = match &key.lead {
        Lead::None => return Vec::new(),
        Lead::Salt(salt) => &salt.by,
        Lead::Digest(digest) => &digest.by,
    };
    let named: Vec<_> = names.iter().filter_map(|name| key.field_index(name)).collect();
    (0..key.fields().len()).filter(|index| named.contains(index)).collect()
}

/// The salt or the digest, as the layout has it.
fn lead(key: &Key<'_>) -> TokenStream {
    let p = &key.private;
    match &key.lead {
        Lead::None => quote!(#p::Lead::None),
        Lead::Salt(salt) => {
            let salt = salt_layout(salt, p);
            quote!(#p::Lead::Salt(#salt))
        }
        Lead::Digest(digest) => {
            if let Some(bytes) = digest.own() {
                let bytes = Literal::u8_suffixed(bytes as u8);
                return quote!(#p::Lead::Digest(#bytes));
            }
            let function = format_ident!("{}", digest.function);
            let prefix = match digest.taken {
                Taken::Bytes(bytes) => {
                    let bytes = Literal::u8_suffixed(bytes as u8);
                    quote!(#p::HashPrefix::bytes(#p::HashFunction::#function, #bytes))
                }
                Taken::Hex(digits) => {
                    let digits = Literal::u8_suffixed(digits as u8);
                    quote!(#p::HashPrefix::hex(#p::HashFunction::#function, #digits, #p::Case::Lower))
                }
            };
            let before = digest.delimiter.as_ref().map(
                |delimiter| quote!(.before(#p::Delimiter::new(#delimiter).expect("the derive has counted its bytes"))),
            );
            quote!(#p::Lead::Hash(#prefix.expect("the derive has counted its bytes") #before))
        }
    }
}

fn salt_layout(salt: &Salt, p: &TokenStream) -> TokenStream {
    let buckets = Literal::u32_suffixed(salt.buckets.as_ref().map_or(1, |(_, buckets)| *buckets as u32));
    let hash = match &salt.hash {
        Hash::Known(name) => {
            let name = format_ident!("{name}");
            quote!(#p::SaltHash::#name)
        }
        Hash::Own(name, path) => quote_spanned!(path.span()=> #p::SaltHash::new(#name, #path)),
    };
    let format = match (salt.format, &salt.delimiter) {
        (Format::Binary, _) => quote!(#p::SaltFormat::Binary),
        (Format::Hex, None) => quote!(#p::SaltFormat::Hex),
        (Format::Hex, Some(delimiter)) => quote!(#p::SaltFormat::hex(#buckets, #delimiter)),
        (Format::Decimal, None) => quote!(#p::SaltFormat::decimal(#buckets, b"")),
        (Format::Decimal, Some(delimiter)) => quote!(#p::SaltFormat::decimal(#buckets, #delimiter)),
    };
    quote!(#p::Salt { buckets: #buckets, hash: #hash, format: #format })
}
