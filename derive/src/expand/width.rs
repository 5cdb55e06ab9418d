//! `WIDTH`, `encode_into` and `to_array`, for keys that all have the same width.

use proc_macro2::TokenStream;
use quote::quote;

use crate::ast::Key;

const WIDTH_DOC: &str = "The number of bytes of every key of this type.";
const INTO_DOC: &str = "Writes the key into `buf`, whose length must be `WIDTH`.";

pub(crate) fn fixed(key: &Key<'_>) -> TokenStream {
    let has_values = key.generics.type_params().next().is_some() || key.generics.const_params().next().is_some();
    if has_values { of_generic(key) } else { of_concrete(key) }
}

/// Without `to_array`: the length of an array can't depend on a generic parameter.
fn of_generic(key: &Key<'_>) -> TokenStream {
    let (p, ident, vis) = (&key.private, key.ident, key.vis);
    let (impl_generics, ty_generics, where_clause) = key.split_bound();
    quote! {
        #[automatically_derived]
        impl #impl_generics #ident #ty_generics #where_clause {
            #[doc = #WIDTH_DOC]
            #vis const WIDTH: #p::usize = match <Self as #p::RowKey>::LAYOUT.width() {
                #p::Option::Some(width) => width,
                #p::Option::None => panic!("this key has no fixed width: use `encode` or `encode_to`"),
            };

            #[doc = #INTO_DOC]
            #[inline]
            #vis fn encode_into(&self, buf: &mut [#p::u8]) -> #p::Result<(), #p::WidthError> {
                #p::write_into(self, Self::WIDTH, buf)
            }
        }
    }
}

fn of_concrete(key: &Key<'_>) -> TokenStream {
    let (p, ident, vis) = (&key.private, key.ident, key.vis);
    let (impl_generics, ty_generics, where_clause) = key.split_bound();
    let lifetimes = key.generics.lifetimes().map(|_| quote!('static));
    let of_static = if key.generics.params.is_empty() { quote!(#ident) } else { quote!(#ident<#(#lifetimes),*>) };
    let is_fixed = quote!(for<'__x> #p::Fixed<{ __ROWKEY_IS_FIXED }>: #p::IsFixed);
    quote! {
        const __ROWKEY_WIDTH: #p::Option<#p::usize> = <#of_static as #p::RowKey>::LAYOUT.width();
        const __ROWKEY_IS_FIXED: #p::bool = __ROWKEY_WIDTH.is_some();
        const __ROWKEY_LEN: #p::usize = match __ROWKEY_WIDTH {
            #p::Option::Some(width) => width,
            #p::Option::None => 0,
        };
        #[automatically_derived]
        impl #impl_generics #ident #ty_generics #where_clause #is_fixed {
            #[doc = #WIDTH_DOC]
            #vis const WIDTH: #p::usize = __ROWKEY_LEN;
        }
        // The bound is on the methods, because only then does the compiler report it in the words of the trait.
        #[automatically_derived]
        impl #impl_generics #ident #ty_generics #where_clause {
            #[doc = #INTO_DOC]
            #[inline]
            #vis fn encode_into(&self, buf: &mut [#p::u8]) -> #p::Result<(), #p::WidthError>
            where
                #is_fixed,
            {
                #p::write_into(self, __ROWKEY_LEN, buf)
            }

            #[doc = "Returns the bytes of the key as an array."]
            #[inline]
            #vis fn to_array(&self) -> [#p::u8; __ROWKEY_LEN]
            where
                #is_fixed,
            {
                let mut key = [0; __ROWKEY_LEN];
                let _ = self.encode_into(&mut key);
                key
            }
        }
    }
}
