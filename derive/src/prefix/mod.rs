//! The prefix builders: one type for a struct, one for each variant of an enum. A const parameter counts the fields
//! that are fixed.

mod builder;
mod methods;
pub(crate) mod names;

use std::collections::HashSet;

use proc_macro2::{Literal, Span, TokenStream};
use quote::{format_ident, quote};
use syn::Ident;
use syn::ext::IdentExt;

use crate::ast::{Body, Key, Lead, Variant};
use builder::Builder;

/// The builder types, which users have to be able to name, and the code for the `const _` block.
pub(crate) fn expand(key: &Key<'_>) -> (TokenStream, TokenStream) {
    match &key.body {
        Body::Struct(_) if key.transparent.is_some() => (TokenStream::new(), TokenStream::new()),
        Body::Struct(_) => of_struct(key),
        Body::Enum(variants) => of_enum(key, variants),
    }
}

fn of_struct(key: &Key<'_>) -> (TokenStream, TokenStream) {
    let (p, name, called) = (&key.private, &key.prefix_name, key.name());
    let fields = key.fields();
    let builder = Builder { key, name: name.clone(), fields: &fields, first: first_end(key, fields.len()) };
    let methods = builder.methods();
    let selects = match &key.lead {
        Lead::Digest(_) => {
            let ends = std::iter::once(0).chain(builder.first..=fields.len());
            ends.map(|depth| builder.select(quote!(#depth), None)).collect()
        }
        _ => builder.select_at_any(),
    };
    let doc = format!("Starts a prefix that selects every [`{called}`]. Its methods fix fields, in order.");
    let new = quote!(#name { prefix: <#p::PrefixBuf as #p::Default>::default(), key: #p::PhantomData });
    let prefix = prefix_method(key, &doc, &builder.ty(quote!(0)), &new);
    let doc = format!(
        "A prefix of [`{called}`] in which the first `DEPTH` fields are fixed. Start with `{called}::prefix()`."
    );
    (builder.definition(&doc), quote!(#prefix #methods #selects))
}

/// `Key::prefix()`
fn prefix_method(key: &Key<'_>, doc: &str, ty: &TokenStream, new: &TokenStream) -> TokenStream {
    let (ident, vis) = (key.ident, key.vis);
    let (impl_generics, ty_generics, where_clause) = key.split_bound();
    quote! {
        #[automatically_derived]
        #[allow(private_bounds, private_interfaces)]
        impl #impl_generics #ident #ty_generics #where_clause {
            #[doc = #doc]
            #vis fn prefix() -> #ty {
                #new
            }
        }
    }
}

/// The first depth but 0 at which a prefix can end: after all fields that a digest is taken over.
fn first_end(key: &Key<'_>, fields: usize) -> usize {
    match &key.lead {
        Lead::Digest(digest) if digest.by.is_empty() => fields,
        Lead::Digest(digest) => digest.by.len(),
        _ => 0,
    }
}

fn of_enum(key: &Key<'_>, variants: &[Variant]) -> (TokenStream, TokenStream) {
    let (p, name, called) = (&key.private, &key.prefix_name, key.name());
    let (mut definitions, mut starts, mut impls) = (enum_definition(key), TokenStream::new(), TokenStream::new());
    for variant in variants {
        let Some((_, tag)) = variant.tag else { continue };
        let start = Start { key, variant, tag: Literal::u8_suffixed(tag as u8) };
        let fields = variant.fields();
        if fields.is_empty() {
            starts.extend(start.selection());
            continue;
        }
        let builder = Builder { key, name: start.builder_name(), fields: &fields, first: 0 };
        let variant = format!("{called}::{}", variant.ident.unraw());
        let doc = format!("A prefix of [`{variant}`] in which the first `DEPTH` fields are fixed.");
        definitions.extend(builder.definition(&doc));
        impls.extend([builder.methods(), builder.select_at_any()]);
        starts.extend(start.builder(&builder));
    }
    let doc = format!("Starts a prefix that selects every [`{called}`]. Its methods choose a variant.");
    let (_, ty_generics, _) = key.generics.split_for_impl();
    let prefix = prefix_method(key, &doc, &quote!(#name #ty_generics), &quote!(#name(#p::PhantomData)));
    starts.extend(fields_before_variant(key, variants));
    impls.extend(markers_before_variant(key, variants));
    let start_impls = start_impls(key, &starts);
    (definitions, quote!(#prefix #start_impls #impls))
}

/// The names of the fields of all variants, each once and with the first variant that has it. Those that are a
/// variant's method are left out.
fn names_before_variant(variants: &[Variant]) -> Vec<(String, Ident)> {
    let method = |variant: &Variant| names::snake_case(&variant.ident.to_string());
    let mut taken: HashSet<String> = variants.iter().map(method).collect();
    let mut found = Vec::new();
    for variant in variants {
        for field in variant.fields() {
            if taken.insert(field.name.clone()) {
                found.push((field.name.clone(), names::method(&method(variant), Span::call_site())));
            }
        }
    }
    found
}

/// The name of the module with the marker types of an enum's prefix.
fn before_variant(key: &Key<'_>) -> Ident {
    format_ident!("__variants_of_{}", names::snake_case(&key.prefix_name.to_string()))
}

/// Types with the names of variants, as the compiler's error names them. A field has none: the compiler would write the
/// path of its name in other errors, as there is a type of this name for each variant.
fn markers_before_variant(key: &Key<'_>, variants: &[Variant]) -> TokenStream {
    let module = before_variant(key);
    let mut chosen: Vec<Ident> = names_before_variant(variants).into_iter().map(|(_, variant)| variant).collect();
    chosen.dedup();
    quote! {
        #[allow(non_camel_case_types, unreachable_pub)]
        mod #module {
            pub struct FieldOfVariant {}
            #(pub struct #chosen {})*
        }
    }
}

/// Methods with the names of the variants' fields, which can't be called: their bound says that a variant comes first.
fn fields_before_variant(key: &Key<'_>, variants: &[Variant]) -> TokenStream {
    let (p, vis, module) = (&key.private, key.vis, before_variant(key));
    let fields = names_before_variant(variants);
    let is_taken = |name: &str| {
        let is_field = fields.iter().any(|(field, _)| field == name);
        is_field || variants.iter().any(|variant| names::snake_case(&variant.ident.to_string()) == name)
    };
    let methods = fields.iter().flat_map(|(field, variant)| {
        let suffixed = names::SUFFIXES.iter().map(move |suffix| format!("{field}{suffix}"));
        let suffixed = suffixed.filter(|name| !is_taken(name));
        std::iter::once(field.clone()).chain(suffixed).map(move |name| (name, variant))
    });
    let methods = methods.map(|(name, variant)| {
        let name = names::method(&name, Span::call_site());
        quote! {
            #[doc(hidden)]
            #vis fn #name<__V>(self, _: __V) -> Self
            where
                #module::FieldOfVariant: #p::VariantFirst<#module::#variant, __V>,
            {
                self
            }
        }
    });
    methods.collect()
}

fn enum_definition(key: &Key<'_>) -> TokenStream {
    let (p, ident, vis, name, called) = (&key.private, key.ident, key.vis, &key.prefix_name, key.name());
    let (impl_generics, ty_generics, where_clause) = key.generics.split_for_impl();
    let doc = format!("A prefix of [`{called}`] before a variant is chosen. Start with `{called}::prefix()`.");
    quote! {
        #[doc = #doc]
        #[allow(dead_code, deprecated)]
        #vis struct #name #impl_generics (#p::PhantomData<fn() -> #ident #ty_generics>) #where_clause;
    }
}

fn start_impls(key: &Key<'_>, starts: &TokenStream) -> TokenStream {
    let (ident, p, name) = (key.ident, &key.private, &key.prefix_name);
    let (impl_generics, ty_generics, where_clause) = key.split_bound();
    quote! {
        #[automatically_derived]
        #[allow(private_bounds, private_interfaces, non_snake_case)]
        impl #impl_generics #name #ty_generics #where_clause {
            #starts
        }
        #[automatically_derived]
        impl #impl_generics #p::Select<#ident #ty_generics> for #name #ty_generics #where_clause {
            fn select(self) -> #p::Selection<#ident #ty_generics> {
                #p::Selection::all()
            }
        }
    }
}

/// The method that chooses a variant of an enum.
struct Start<'k, 'i> {
    key: &'k Key<'i>,
    variant: &'k Variant,
    tag: Literal,
}

impl Start<'_, '_> {
    fn doc(&self) -> String {
        format!("Chooses the keys that are [`{}::{}`].", self.key.name(), self.variant.ident.unraw())
    }

    fn method(&self) -> Ident {
        names::method(&names::snake_case(&self.variant.ident.to_string()), self.variant.ident.span())
    }

    /// Of a variant without fields: all its keys.
    fn selection(&self) -> TokenStream {
        let (p, vis, ident, tag) = (&self.key.private, self.key.vis, self.key.ident, &self.tag);
        let (doc, method) = (self.doc(), self.method());
        let (_, ty_generics, _) = self.key.generics.split_for_impl();
        quote! {
            #[doc = #doc]
            #vis fn #method(self) -> #p::Selection<#ident #ty_generics> {
                #p::PrefixBuf::variant(#tag).select()
            }
        }
    }

    /// Of a variant with fields: their builder.
    fn builder(&self, builder: &Builder<'_, '_>) -> TokenStream {
        let (p, vis, tag, name, ty) =
            (&self.key.private, self.key.vis, &self.tag, &builder.name, builder.ty(quote!(0)));
        let (doc, method) = (self.doc(), self.method());
        quote! {
            #[doc = #doc]
            #vis fn #method(self) -> #ty {
                #name { prefix: #p::PrefixBuf::variant(#tag), key: #p::PhantomData }
            }
        }
    }

    /// `EventLoginPrefix` for the variant `Login` of `Event`; `MyPrefixLogin` if the enum has `prefix = MyPrefix`.
    fn builder_name(&self) -> Ident {
        let (key, variant) = (self.key.name(), &self.variant.ident);
        if self.key.prefix_name == format_ident!("{}Prefix", key) {
            format_ident!("{}{}Prefix", key, variant)
        } else {
            format_ident!("{}{}", self.key.prefix_name, variant, span = variant.span())
        }
    }
}
