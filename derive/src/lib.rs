//! `#[derive(RowKey)]` for the `rowkey` crate: parse to a model (`ast`, `attr`), check it whole (`check`), write
//! the code (`expand`, `prefix`).
//!
//! The code names everything by an absolute path under `rowkey::__private`, so it compiles whatever the user's scope
//! shadows, and stands in a `const _` block but for the prefix builder, which has to be nameable.

mod ast;
mod attr;
mod check;
mod expand;
mod prefix;

use proc_macro::TokenStream;
use syn::{DeriveInput, parse_macro_input};

/// Makes a struct or an enum a row key; its attributes are described in `rowkey`'s documentation.
#[proc_macro_derive(RowKey, attributes(rowkey))]
pub fn derive_row_key(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    expand::derive(&input).into()
}

/// Mistakes, gathered so that all are told at once.
#[derive(Default)]
struct Mistakes(Option<syn::Error>);

impl Mistakes {
    fn add(&mut self, error: syn::Error) {
        match &mut self.0 {
            Some(all) => all.combine(error),
            none => *none = Some(error),
        }
    }

    fn at(&mut self, place: impl quote::ToTokens, message: impl std::fmt::Display) {
        self.add(syn::Error::new_spanned(place, message));
    }
}
