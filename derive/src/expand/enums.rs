//! `Field` for an enum: the tag of the variant, then its fields.

use proc_macro2::{Literal, TokenStream};
use quote::{format_ident, quote};
use syn::ext::IdentExt;

use super::field::{FieldImpl, nested};
use super::phantoms;
use crate::ast::{Key, Variant};

pub(crate) fn field(key: &Key<'_>, variants: &[Variant]) -> TokenStream {
    let p = &key.private;
    let variants: Vec<_> = by_tag(variants).into_iter().map(|(tag, variant)| Tagged { key, tag, variant }).collect();
    let tags = variants.iter().map(|variant| &variant.tag);
    let unknown = quote!(_ => #p::Result::Err(r.unknown_byte(at, "the tag", &[#(#tags),*])));
    let layouts = variants.iter().map(Tagged::layout);
    let encode = variants.iter().map(Tagged::encode);
    let decode = variants.iter().map(Tagged::decode);
    let skip = variants.iter().map(Tagged::skip);
    let field_impl = FieldImpl {
        ty: quote!(&#p::Type::Enum(&[#(#layouts),*])),
        as_key: FieldImpl::one_field(p),
        encode: quote!(match self { #(#encode)* }),
        decode: quote!(let at = r.offset(); match r.byte()? { #(#decode,)* #unknown }),
        skip: quote!(let at = r.offset(); match r.byte()? { #(#skip)* #unknown }),
    };
    let (field_impl, nested) = (field_impl.expand(key), nested(key));
    quote!(#field_impl #nested)
}

/// The variants in the order of their tags.
fn by_tag(variants: &[Variant]) -> Vec<(Literal, &Variant)> {
    let tagged = |tag: u8| {
        let has_tag = |variant: &&Variant| variant.tag.as_ref().is_some_and(|(_, other)| *other == u64::from(tag));
        variants.iter().find(has_tag).map(|variant| (Literal::u8_suffixed(tag), variant))
    };
    (0..=255).filter_map(tagged).collect()
}

struct Tagged<'k, 'i> {
    key: &'k Key<'i>,
    tag: Literal,
    variant: &'k Variant,
}

impl Tagged<'_, '_> {
    fn layout(&self) -> TokenStream {
        let (p, tag, name) = (&self.key.private, &self.tag, self.variant.ident.unraw().to_string());
        let fields = self.variant.fields().into_iter().map(|field| field.layout(p));
        quote!(#p::Variant { name: #name, tag: #tag, fields: &[#(#fields),*] })
    }

    fn encode(&self) -> TokenStream {
        let (p, tag, name) = (&self.key.private, &self.tag, &self.variant.ident);
        let fields = self.variant.fields();
        let bound: Vec<_> = (0..fields.len()).map(|i| format_ident!("__f{i}")).collect();
        let members = fields.iter().map(|field| &field.member);
        let writes = fields.iter().zip(&bound).map(|(field, bound)| {
            let desc = field.is_desc();
            let write = field.call("write_field", &quote!(#bound, #desc, w), p);
            quote!(#write;)
        });
        quote!(Self::#name { #(#members: #bound,)* .. } => { w.byte(#tag); #(#writes)* })
    }

    fn decode(&self) -> TokenStream {
        let (p, tag, name, ident) = (&self.key.private, &self.tag, &self.variant.ident, self.key.ident);
        let fields = self.variant.fields();
        let reads = fields.iter().map(|field| field.read_code(&format!("{}.{}", name.unraw(), field.name), p));
        let phantoms = phantoms(&self.variant.fields, p);
        quote!(#tag => #p::Result::Ok(#ident::#name { #(#reads)* #phantoms }))
    }

    fn skip(&self) -> TokenStream {
        let (p, tag) = (&self.key.private, &self.tag);
        let skips = self.variant.fields().into_iter().map(|field| field.skip_code(p));
        quote!(#tag => { #(#skips)* #p::Result::Ok(()) })
    }
}
