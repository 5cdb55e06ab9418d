//! `#[derive(RowKey)]`.
use proc_macro::TokenStream;

#[allow(missing_docs)]
#[proc_macro_derive(RowKey, attributes(rowkey))]
pub fn derive_row_key(_: TokenStream) -> TokenStream {
    TokenStream::new()
}
