//! The prefix builder: one type with a const depth beside a struct, one for each variant beside an enum.

use proc_macro2::{Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::{GenericParam, Ident, Type, parse_quote};

use crate::ast::{Body, Field, Key, Lead, Variant, last_segment};

/// The builder types, which have to be nameable, and the code that stands in the `const _` block.
pub(crate) fn expand(key: &Key<'_>) -> (TokenStream, TokenStream) {
    match &key.body {
        Body::Struct(_) if key.transparent.is_some() => (TokenStream::new(), TokenStream::new()),
        Body::Struct(_) => of_struct(key),
        Body::Enum(variants) => of_enum(key, variants),
    }
}

fn of_struct(key: &Key<'_>) -> (TokenStream, TokenStream) {
    let (ident, p, vis) = (key.ident, &key.private, key.vis);
    let fields = key.fields();
    let name = &key.prefix_name;
    let called = key.name();
    let doc = format!("A prefix of [`{called}`]: its first `DEPTH` fields are fixed. `{called}::prefix()` makes one.");
    let builder = Builder { key, name: name.clone(), fields: &fields, first: first_end(key, fields.len()) };
    let methods = builder.methods();
    let selects = match &key.lead {
        Lead::Digest(_) => {
            let ends: Vec<usize> = std::iter::once(0).chain(builder.first..=fields.len()).collect();
            ends.into_iter().map(|depth| builder.select(quote!(#depth), None)).collect()
        }
        _ => builder.select_at_any(),
    };
    let (impl_generics, ty_generics, where_clause) = key.split_bound();
    let ty = builder.ty(quote!(0));
    let new = format!("The prefix of every [`{called}`], to go on with its fields in order.");
    let impls = quote! {
        #[automatically_derived]
        #[allow(private_bounds, private_interfaces)]
        impl #impl_generics #ident #ty_generics #where_clause {
            #[doc = #new]
            #vis fn prefix() -> #ty {
                #name { prefix: <#p::PrefixBuf as #p::Default>::default(), key: #p::PhantomData }
            }
        }
        #methods
        #selects
    };
    (builder.definition(&doc), impls)
}

fn of_enum(key: &Key<'_>, variants: &[Variant]) -> (TokenStream, TokenStream) {
    let (ident, p, vis, name) = (key.ident, &key.private, key.vis, &key.prefix_name);
    let called = key.name();
    let doc = format!("The prefixes of [`{called}`], which start with a variant. `{called}::prefix()` makes one.");
    let (plain_generics, ty_generics, plain_where) = key.generics.split_for_impl();
    let (impl_generics, _, where_clause) = key.split_bound();
    let mut definitions = quote! {
        #[doc = #doc]
        #[allow(dead_code, deprecated)]
        #vis struct #name #plain_generics (#p::PhantomData<fn() -> #ident #ty_generics>) #plain_where;
    };
    let (mut starts, mut impls) = (TokenStream::new(), TokenStream::new());
    let default_name = format_ident!("{}Prefix", key.name());
    for variant in variants {
        let Some((_, tag)) = variant.tag else { continue };
        let tag = proc_macro2::Literal::u8_suffixed(tag as u8);
        let method = method_name(&snake_case(&variant.ident.to_string()), variant.ident.span());
        let fields: Vec<_> = variant.fields.iter().filter(|field| !field.phantom).collect();
        let doc = format!("Keys that are [`{called}::{}`].", variant.ident.unraw());
        if fields.is_empty() {
            starts.extend(quote! {
                #[doc = #doc]
                #vis fn #method(self) -> #p::Selection<#ident #ty_generics> {
                    #p::PrefixBuf::variant(#tag).select()
                }
            });
            continue;
        }
        let name = if *name == default_name {
            format_ident!("{}{}Prefix", key.name(), variant.ident)
        } else {
            format_ident!("{name}{}", variant.ident)
        };
        let builder = Builder { key, name, fields: &fields, first: 0 };
        let of_variant =
            format!("A prefix of [`{called}::{}`]: its first `DEPTH` fields are fixed.", variant.ident.unraw());
        definitions.extend(builder.definition(&of_variant));
        impls.extend(builder.methods());
        impls.extend(builder.select_at_any());
        let (ty, builder_name) = (builder.ty(quote!(0)), &builder.name);
        starts.extend(quote! {
            #[doc = #doc]
            #vis fn #method(self) -> #ty {
                #builder_name { prefix: #p::PrefixBuf::variant(#tag), key: #p::PhantomData }
            }
        });
    }
    let new = format!("The prefix of every [`{called}`], to go on with one of its variants.");
    let impls = quote! {
        #[automatically_derived]
        #[allow(private_bounds, private_interfaces)]
        impl #impl_generics #ident #ty_generics #where_clause {
            #[doc = #new]
            #vis fn prefix() -> #name #ty_generics {
                #name(#p::PhantomData)
            }
        }
        #[automatically_derived]
        #[allow(private_bounds, private_interfaces)]
        impl #impl_generics #name #ty_generics #where_clause {
            #starts
        }
        #[automatically_derived]
        impl #impl_generics #p::Select<#ident #ty_generics> for #name #ty_generics #where_clause {
            fn select(self) -> #p::Selection<#ident #ty_generics> {
                #p::Selection::all()
            }
        }
        #impls
    };
    (definitions, impls)
}

/// The first field by which a key's prefix can end: behind all that a digest is taken over.
fn first_end(key: &Key<'_>, fields: usize) -> usize {
    match &key.lead {
        Lead::Digest(digest) if digest.by.is_empty() => fields,
        Lead::Digest(digest) => digest.by.len(),
        _ => 0,
    }
}

struct Builder<'k, 'i> {
    key: &'k Key<'i>,
    name: Ident,
    fields: &'k [&'k Field],
    /// The first depth, but 0, at which it selects.
    first: usize,
}

impl Builder<'_, '_> {
    fn definition(&self, doc: &str) -> TokenStream {
        let (p, vis, ident, name) = (&self.key.private, self.key.vis, self.key.ident, &self.name);
        let (_, ty_generics, where_clause) = self.key.generics.split_for_impl();
        let depth = depth_param(self.key);
        let generics = with_param(self.key.generics, quote!(const #depth: #p::usize));
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

    /// The builder's type at a depth.
    fn ty(&self, depth: TokenStream) -> TokenStream {
        let name = &self.name;
        let params = self.key.generics.params.iter().map(|param| match param {
            GenericParam::Lifetime(lifetime) => {
                let lifetime = &lifetime.lifetime;
                quote!(#lifetime)
            }
            GenericParam::Type(ty) => {
                let ident = &ty.ident;
                quote!(#ident)
            }
            GenericParam::Const(konst) => {
                let ident = &konst.ident;
                quote!(#ident)
            }
        });
        quote!(#name<#(#params,)* #depth>)
    }

    fn select(&self, depth: TokenStream, param: Option<TokenStream>) -> TokenStream {
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

    fn clones(&self) -> TokenStream {
        let (p, name, depth) = (&self.key.private, &self.name, depth_param(self.key));
        let (_, _, where_clause) = self.key.generics.split_for_impl();
        let generics = with_param(self.key.generics, quote!(const #depth: #p::usize));
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

    fn select_at_any(&self) -> TokenStream {
        let (p, depth) = (&self.key.private, depth_param(self.key));
        self.select(quote!(#depth), Some(quote!(const #depth: #p::usize)))
    }

    fn methods(&self) -> TokenStream {
        let methods = self.fields.iter().enumerate().map(|(depth, field)| self.methods_at(depth, field));
        [self.clones(), self.markers()].into_iter().chain(methods).collect()
    }

    fn methods_at(&self, depth: usize, field: &Field) -> TokenStream {
        let (p, ident, vis, name) = (&self.key.private, self.key.ident, self.key.vis, &self.name);
        let (_, ty_generics, _) = self.key.generics.split_for_impl();
        let (_, _, where_clause) = self.key.split_bound();
        let param = depth_param(self.key);
        let generics = with_param(self.key.generics, quote!(const #param: #p::usize));
        let (impl_generics, _, _) = generics.split_for_impl();
        let (any_depth, next) = (self.ty(quote!(#param)), {
            let next = depth + 1;
            self.ty(quote!(#next))
        });
        // The methods are there at every depth, so that a field at the wrong one is told in these words.
        let (marker, turn) = (self.marker(depth), self.turn(depth, &quote!(#param)));
        let here = quote!(#marker: #turn);
        let selection = quote!(#p::Selection<#ident #ty_generics>);
        let span = field.ty.span();
        let (codec, ty, desc, raw) = (field.source(p), &field.ty, field.is_desc(), field.raw.is_some());
        let codec = quote_spanned!(span=> #codec);
        let label = &field.name;
        let method = |suffix: &str| method_name(&format!("{label}{suffix}"), Span::call_site());
        let (fix, range, any, starts_with, nested) =
            (method(""), method("_range"), method("_in"), method("_starts_with"), method("_prefix"));
        let suffixes = suffixes(field);
        let can_end = depth >= self.first;
        let ended = if can_end { here.clone() } else { quote!(#marker: #p::OrderedField<#param>) };
        let has = |suffix: &str| can_end && suffixes.contains(&suffix);
        let fix_doc = format!("Fixes `{label}`.");
        let ends = {
            let range_doc = format!("Ends with a range of `{label}`, in its logical order.");
            let any_doc = format!("Ends with several values or ranges of `{label}`.");
            quote! {
                #[doc = #range_doc]
                #vis fn #range(self, range: impl #p::FieldRange<#codec>) -> #selection
                where
                    #ended,
                {
                    self.prefix.range::<#codec, #ident #ty_generics>(range, #desc, #raw)
                }

                #[doc = #any_doc]
                #vis fn #any<__How>(
                    self,
                    items: impl #p::IntoIterator<Item: #p::InItem<#codec, __How>>,
                ) -> #selection
                where
                    #ended,
                {
                    self.prefix.any::<#codec, #ident #ty_generics, __How>(items, #desc, #raw)
                }
            }
        };
        let starts_with = has("_starts_with").then(|| {
            let doc = format!("Ends with the text or bytes that `{label}` begins with.");
            quote! {
                #[doc = #doc]
                #vis fn #starts_with<__C: #p::Content + ?#p::Sized>(self, start: &__C) -> #selection
                where
                    #here,
                    #ty: #p::StartsWith<__C>,
                {
                    self.prefix.starts_with(start, #desc, #raw)
                }
            }
        });
        let nested = has("_prefix").then(|| {
            let doc = format!("Ends with a prefix of `{label}`, a nested key.");
            quote! {
                #[doc = #doc]
                #vis fn #nested(self, nested: impl #p::Select<#ty>) -> #selection
                where
                    #here,
                {
                    self.prefix.nested(nested, #desc)
                }
            }
        });
        let within = ["_within", "_under"].into_iter().filter(|suffix| has(suffix)).map(|suffix| {
            let within = method(suffix);
            let doc = format!("Ends with what `{label}` lies {}.", &suffix[1..]);
            quote! {
                #[doc = #doc]
                #vis fn #within<__A: ?#p::Sized>(self, area: &__A) -> #selection
                where
                    #here,
                    #ty: #p::Within<__A>,
                {
                    self.prefix.within::<#ty, __A, #ident #ty_generics>(area, #desc, #raw)
                }
            }
        });
        quote! {
            #[automatically_derived]
            #[allow(private_bounds, private_interfaces, non_snake_case)]
            impl #impl_generics #any_depth #where_clause {
                #[doc = #fix_doc]
                #vis fn #fix(self, value: impl #p::IntoField<#codec>) -> #next
                where
                    #here,
                {
                    #name { prefix: self.prefix.field::<#codec>(value, #desc), key: #p::PhantomData }
                }
                #ends
                #starts_with
                #nested
                #(#within)*
            }
        }
    }
}

impl Builder<'_, '_> {
    /// Types with the fields' names: what the compiler says of one at the wrong place is said of these. In a module, where they
    /// hide no type of the user's.
    fn markers(&self) -> TokenStream {
        let module = self.module();
        let names = self.fields.iter().map(|field| marker(field));
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

    /// What a field's type is at the depth at which it is next.
    fn turn(&self, depth: usize, at: &TokenStream) -> TokenStream {
        let p = &self.key.private;
        match depth.checked_sub(1) {
            None => quote!(#p::FirstField<#at>),
            Some(before) => {
                let before = self.marker(before);
                quote!(#p::NextField<#at, #before>)
            }
        }
    }

    fn marker(&self, depth: usize) -> TokenStream {
        let (module, name) = (self.module(), marker(self.fields[depth]));
        quote!(#module::#name)
    }

    fn module(&self) -> Ident {
        format_ident!("__fields_of_{}", snake_case(&self.name.to_string()))
    }
}

fn marker(field: &Field) -> Ident {
    method_name(&field.name, Span::call_site())
}

/// What the builder calls its depth: another name where the key has that one.
fn depth_param(key: &Key<'_>) -> Ident {
    let taken = key.generics.const_params().any(|param| param.ident == "DEPTH")
        || key.generics.type_params().any(|param| param.ident == "DEPTH");
    if taken { format_ident!("PREFIX_DEPTH") } else { format_ident!("DEPTH") }
}

/// The generics and one more, without defaults: they would have to stand last.
fn with_param(generics: &syn::Generics, param: TokenStream) -> syn::Generics {
    let mut generics = generics.clone();
    for param in &mut generics.params {
        match param {
            GenericParam::Type(ty) => ty.default = None,
            GenericParam::Const(konst) => konst.default = None,
            GenericParam::Lifetime(_) => {}
        }
    }
    generics.params.push(parse_quote!(#param));
    generics
}

/// What a field's methods are called besides its name.
pub(crate) fn suffixes(field: &Field) -> Vec<&'static str> {
    let mut suffixes = vec!["_range", "_in"];
    if field.with.is_none() && field.nulls.is_none() {
        suffixes.extend(match &field.ty {
            Type::Tuple(_) => &["_prefix"][..],
            Type::Reference(_) => &["_starts_with"],
            ty => match last_segment(ty) {
                Some(segment) if is_area(&segment.ident) => &["_within"][..],
                Some(segment) if is_simple(&segment.ident) => &[],
                Some(segment) if is_text(&segment.ident) => &["_starts_with"],
                _ => &["_starts_with", "_prefix", "_within", "_under"],
            },
        });
        if field.raw.is_some() {
            suffixes.retain(|suffix| *suffix != "_prefix");
        }
    }
    suffixes
}

/// Names of std's types whose values lie within a larger one.
fn is_area(name: &Ident) -> bool {
    ["IpAddr", "Ipv4Addr", "Ipv6Addr"].iter().any(|area| name == area)
}

/// Names of types that have neither a beginning nor a prefix.
pub(crate) fn is_simple(name: &Ident) -> bool {
    const SIMPLE: &[&str] = &[
        "u8",
        "u16",
        "u32",
        "u64",
        "u128",
        "i8",
        "i16",
        "i32",
        "i64",
        "i128",
        "f32",
        "f64",
        "bool",
        "char",
        "IpAddr",
        "Ipv4Addr",
        "Ipv6Addr",
        "SystemTime",
        "Duration",
        "List",
        "NonZero",
        "NonZeroU8",
        "NonZeroU16",
        "NonZeroU32",
        "NonZeroU64",
        "NonZeroU128",
        "NonZeroI8",
        "NonZeroI16",
        "NonZeroI32",
        "NonZeroI64",
        "NonZeroI128",
        "Wrapping",
        "Saturating",
        "Reverse",
        "Uuid",
    ];
    SIMPLE.iter().any(|simple| name == simple)
}

fn is_text(name: &Ident) -> bool {
    ["String", "Vec", "Cow", "Box", "Rc", "Arc"].iter().any(|text| name == text)
}

/// A method's name, raw where it is a keyword.
fn method_name(name: &str, span: Span) -> Ident {
    match syn::parse_str::<Ident>(name) {
        Ok(_) => Ident::new(name, span),
        Err(_) if ["self", "Self", "super", "crate", "_"].contains(&name) => format_ident!("{name}_", span = span),
        Err(_) => Ident::new_raw(name, span),
    }
}

/// `UserLogin` → `user_login`, `HTTPError` → `http_error`.
pub(crate) fn snake_case(name: &str) -> String {
    let chars: Vec<char> = name.trim_start_matches("r#").chars().collect();
    let mut snake = String::new();
    for (i, c) in chars.iter().enumerate() {
        let after_lower = i > 0 && !chars[i - 1].is_uppercase() && chars[i - 1] != '_';
        let before_lower =
            i > 0 && chars[i - 1].is_uppercase() && chars.get(i + 1).is_some_and(|next| next.is_lowercase());
        if c.is_uppercase() && (after_lower || before_lower) {
            snake.push('_');
        }
        snake.extend(c.to_lowercase());
    }
    snake
}
