//! One builder: its type, `Clone`, `Select`, and the types behind its errors.

use proc_macro2::{Span, TokenStream};
use quote::{format_ident, quote};
use syn::Ident;

use super::names;
use crate::ast::{Field, Key};
use crate::expand::generics::{argument, with_param};

pub(crate) struct Builder<'k, 'i> {
    pub(crate) key: &'k Key<'i>,
    pub(crate) name: Ident,
    pub(crate) fields: &'k [&'k Field],
    /// The first depth but 0 at which it selects.
    pub(crate) first: usize,
}

impl Builder<'_, '_> {
    pub(crate) fn definition(&self, doc: &str) -> TokenStream {
        let (p, vis, ident, name) = (&self.key.private, self.key.vis, self.key.ident, &self.name);
        let (_, ty_generics, where_clause) = self.key.generics.split_for_impl();
        let generics = self.with_depth();
        let (impl_generics, _, _) = generics.split_for_impl();
        quote! {
            #[doc = #doc]
            #[allow(dead_code, deprecated)]
            #vis struct #name #impl_generics #where_clause {
                prefix: #p::PrefixBuf,
                key: #p::PhantomData<fn() -> #ident #ty_generics>,
            }
        }
    }

    /// The type of the builder at a depth.
    pub(crate) fn ty(&self, depth: TokenStream) -> TokenStream {
        let name = &self.name;
        let arguments = self.key.generics.params.iter().map(argument);
        quote!(#name<#(#arguments,)* #depth>)
    }

    /// The name of the const parameter: another one if a parameter of the key is called `DEPTH`.
    pub(crate) fn depth(&self) -> Ident {
        let taken = self.key.generics.params.iter().any(|param| argument(param).to_string() == "DEPTH");
        if taken { format_ident!("PREFIX_DEPTH") } else { format_ident!("DEPTH") }
    }

    /// The generics of the key, and the depth.
    pub(crate) fn with_depth(&self) -> syn::Generics {
        let (p, depth) = (&self.key.private, self.depth());
        with_param(self.key.generics, quote!(const #depth: #p::usize))
    }

    /// `Clone` without a bound on the type parameters of the key.
    pub(crate) fn clones(&self) -> TokenStream {
        let (p, name) = (&self.key.private, &self.name);
        let (_, _, where_clause) = self.key.generics.split_for_impl();
        let generics = self.with_depth();
        let (impl_generics, ty_generics, _) = generics.split_for_impl();
        quote! {
            #[automatically_derived]
            impl #impl_generics #p::Clone for #name #ty_generics #where_clause {
                fn clone(&self) -> Self {
                    #name { prefix: #p::Clone::clone(&self.prefix), key: #p::PhantomData }
                }
            }
        }
    }

    /// `Select` at a depth; `param` is the depth's parameter if it has one.
    pub(crate) fn select(&self, depth: TokenStream, param: Option<TokenStream>) -> TokenStream {
        let (p, ident, ty) = (&self.key.private, self.key.ident, self.ty(depth));
        let (_, ty_generics, where_clause) = self.key.generics.split_for_impl();
        let generics = param.map_or_else(|| self.key.generics.clone(), |param| with_param(self.key.generics, param));
        let (impl_generics, _, _) = generics.split_for_impl();
        quote! {
            #[automatically_derived]
            impl #impl_generics #p::Select<#ident #ty_generics> for #ty #where_clause {
                fn select(self) -> #p::Selection<#ident #ty_generics> {
                    self.prefix.select()
                }
            }
        }
    }

    pub(crate) fn select_at_any(&self) -> TokenStream {
        let (p, depth) = (&self.key.private, self.depth());
        self.select(quote!(#depth), Some(quote!(const #depth: #p::usize)))
    }

    /// Types with the names of the fields: the compiler's error for a method called at the wrong depth names them. They
    /// are in a module, so that they don't shadow types of the user.
    pub(crate) fn markers(&self) -> TokenStream {
        let module = self.module();
        let names = self.fields.iter().map(|field| marker_name(field));
        let turns = (0..self.fields.len()).map(|depth| {
            let (here, turn) = (self.marker(depth), self.turn(depth, &quote!(#depth)));
            quote!(impl #turn for #here {})
        });
        quote! {
            #[allow(non_camel_case_types, unreachable_pub)]
            mod #module {
                #(pub struct #names {})*
            }
            #(#turns)*
        }
    }

    pub(crate) fn marker(&self, depth: usize) -> TokenStream {
        let (module, name) = (self.module(), marker_name(self.fields[depth]));
        quote!(#module::#name)
    }

    /// The trait that the marker of a field implements for the depth at which the field is next.
    pub(crate) fn turn(&self, depth: usize, at: &TokenStream) -> TokenStream {
        let p = &self.key.private;
        match depth.checked_sub(1) {
            None => quote!(#p::FirstField<#at>),
            Some(before) => {
                let before = self.marker(before);
                quote!(#p::NextField<#at, #before>)
            }
        }
    }

    fn module(&self) -> Ident {
        format_ident!("__fields_of_{}", names::snake_case(&self.name.to_string()))
    }
}

fn marker_name(field: &Field) -> Ident {
    names::method(&field.name, Span::call_site())
}
