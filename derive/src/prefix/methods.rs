//! The methods of a builder: one that fixes a field, and those that end the prefix at a field.

use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::Ident;
use syn::spanned::Spanned;

use super::builder::Builder;
use super::names;
use crate::ast::Field;

impl Builder<'_, '_> {
    pub(crate) fn methods(&self) -> TokenStream {
        let fields = (0..self.fields.len()).map(|depth| Methods::new(self, depth).expand());
        [self.clones(), self.markers()].into_iter().chain(fields).collect()
    }
}

/// The methods for one field. They exist at every depth: the text of a bound says that a field is at the wrong one.
struct Methods<'b> {
    builder: &'b Builder<'b, 'b>,
    field: &'b Field,
    depth: usize,
    /// The type whose values the methods take.
    source: TokenStream,
    /// `Selection<Key>`
    selection: TokenStream,
    /// The bound: the field is next at this depth.
    here: TokenStream,
}

impl<'b> Methods<'b> {
    fn new(builder: &'b Builder<'b, 'b>, depth: usize) -> Self {
        let (p, ident, param) = (&builder.key.private, builder.key.ident, builder.depth());
        let (_, ty_generics, _) = builder.key.generics.split_for_impl();
        let field = builder.fields[depth];
        let source = field.source(p);
        let (marker, turn) = (builder.marker(depth), builder.turn(depth, &quote!(#param)));
        Self {
            builder,
            field,
            depth,
            source: quote_spanned!(field.ty.span()=> #source),
            selection: quote!(#p::Selection<#ident #ty_generics>),
            here: quote!(#marker: #turn),
        }
    }

    fn expand(&self) -> TokenStream {
        let builder = self.builder;
        let (_, _, where_clause) = builder.key.split_bound();
        let generics = builder.with_depth();
        let (impl_generics, _, _) = generics.split_for_impl();
        let depth = builder.depth();
        let ty = builder.ty(quote!(#depth));
        let shown = names::shown(self.field);
        let ends = names::SUFFIXES.iter().filter_map(|suffix| {
            let end = match *suffix {
                "_range" => self.range(),
                "_in" => self.any(),
                "_starts_with" => self.starts_with(),
                "_prefix" => self.nested(),
                _ => self.within(suffix),
            };
            let hidden = quote!(#[doc(hidden)]);
            match shown.contains(suffix) {
                true => Some(end),
                false if self.is_taken(suffix) => None,
                false => Some(quote!(#hidden #end)),
            }
        });
        let fix = self.fix();
        quote! {
            #[automatically_derived]
            #[allow(private_bounds, private_interfaces, non_snake_case)]
            impl #impl_generics #ty #where_clause {
                #fix
                #(#ends)*
            }
        }
    }

    fn name(&self, suffix: &str) -> Ident {
        names::method(&format!("{}{suffix}", self.field.name), Span::call_site())
    }

    /// Returns whether another field has the name of a method of this one.
    fn is_taken(&self, suffix: &str) -> bool {
        let name = format!("{}{suffix}", self.field.name);
        self.builder.fields.iter().any(|field| field.name == name)
    }

    /// The type whose beginnings, prefixes and areas the methods take: not that of a field with an encoding of its own.
    fn parts_of(&self) -> TokenStream {
        let (source, ty) = (&self.source, &self.field.ty);
        if self.field.with.is_some() { quote!(#source) } else { quote!(#ty) }
    }

    /// Returns whether a prefix can end at this field: it is not one of those that a digest is taken over.
    fn can_end(&self) -> bool {
        self.depth >= self.builder.first
    }

    /// The bound of the methods that end a prefix. They exist for the fields of a digest too, with a bound that says
    /// why they can't be used.
    fn ordered(&self) -> TokenStream {
        if self.can_end() {
            return self.here.clone();
        }
        let (p, marker, depth) = (&self.builder.key.private, self.builder.marker(self.depth), self.builder.depth());
        quote!(#marker: #p::OrderedField<#depth>)
    }

    fn fix(&self) -> TokenStream {
        let Self { builder, field, source, here, .. } = self;
        let (p, vis, builder_name, name, desc) =
            (&builder.key.private, builder.key.vis, &builder.name, self.name(""), field.is_desc());
        let next = self.depth + 1;
        let next = builder.ty(quote!(#next));
        let doc = format!("Fixes `{}` to a value.", field.name);
        quote! {
            #[doc = #doc]
            #vis fn #name(self, value: impl #p::IntoField<#source>) -> #next
            where
                #here,
            {
                #builder_name { prefix: self.prefix.field::<#source>(value, #desc), key: #p::PhantomData }
            }
        }
    }

    fn range(&self) -> TokenStream {
        let Self { builder, field, source, selection, .. } = self;
        let (p, vis, ident, name) = (&builder.key.private, builder.key.vis, builder.key.ident, self.name("_range"));
        let (_, ty_generics, _) = builder.key.generics.split_for_impl();
        let (desc, raw, ordered) = (field.is_desc(), field.raw.is_some(), self.ordered());
        let doc =
            format!("Ends with a range of `{}`: the smaller value first, also if the field is `desc`.", field.name);
        quote! {
            #[doc = #doc]
            #vis fn #name(self, range: impl #p::FieldRange<#source>) -> #selection
            where
                #ordered,
            {
                self.prefix.range::<#source, #ident #ty_generics>(range, #desc, #raw)
            }
        }
    }

    fn any(&self) -> TokenStream {
        let Self { builder, field, source, selection, .. } = self;
        let (p, vis, ident, name) = (&builder.key.private, builder.key.vis, builder.key.ident, self.name("_in"));
        let (_, ty_generics, _) = builder.key.generics.split_for_impl();
        let (desc, raw, ordered) = (field.is_desc(), field.raw.is_some(), self.ordered());
        let doc = format!("Ends with several values or ranges of `{}`: a key matches if one of them does.", field.name);
        quote! {
            #[doc = #doc]
            #vis fn #name<__How>(
                self,
                items: impl #p::IntoIterator<Item: #p::InItem<#source, __How>>,
            ) -> #selection
            where
                #ordered,
            {
                self.prefix.any::<#source, #ident #ty_generics, __How>(items, #desc, #raw)
            }
        }
    }

    fn starts_with(&self) -> TokenStream {
        let Self { builder, field, selection, .. } = self;
        let (p, vis, name) = (&builder.key.private, builder.key.vis, self.name("_starts_with"));
        let (desc, raw, ordered, ty) = (field.is_desc(), field.raw.is_some(), self.ordered(), self.parts_of());
        let doc = format!("Ends with the text or the bytes that `{}` starts with.", field.name);
        quote! {
            #[doc = #doc]
            #vis fn #name<__C: #p::Content + ?#p::Sized>(self, start: &__C) -> #selection
            where
                #ordered,
                #ty: #p::StartsWith<__C>,
            {
                <#ty as #p::StartsWith<__C>>::starting(self.prefix, start, #desc, #raw)
            }
        }
    }

    fn nested(&self) -> TokenStream {
        let Self { builder, field, selection, .. } = self;
        let (p, vis, name) = (&builder.key.private, builder.key.vis, self.name("_prefix"));
        let (desc, ordered, ty) = (field.is_desc(), self.ordered(), self.parts_of());
        let doc = format!("Ends with a prefix of `{}`, which is a key itself.", field.name);
        quote! {
            #[doc = #doc]
            #vis fn #name<__S>(self, nested: __S) -> #selection
            where
                #ordered,
                #ty: #p::Nested<__S>,
            {
                self.prefix.nested::<#ty, _, _>(nested, #desc)
            }
        }
    }

    /// `_within` and `_under`: two words for the same, as a tile lies within a box and a page under a host.
    fn within(&self, suffix: &str) -> TokenStream {
        let Self { builder, field, selection, .. } = self;
        let (p, vis, ident, name) = (&builder.key.private, builder.key.vis, builder.key.ident, self.name(suffix));
        let (_, ty_generics, _) = builder.key.generics.split_for_impl();
        let (desc, raw, ordered, ty) = (field.is_desc(), field.raw.is_some(), self.ordered(), self.parts_of());
        let doc = format!("Ends with the area that `{}` lies {}.", field.name, &suffix[1..]);
        quote! {
            #[doc = #doc]
            #vis fn #name<__A: ?#p::Sized>(self, area: &__A) -> #selection
            where
                #ordered,
                #ty: #p::Within<__A>,
            {
                self.prefix.within::<#ty, __A, #ident #ty_generics>(area, #desc, #raw)
            }
        }
    }
}
