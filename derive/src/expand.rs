//! The code of a key.

use proc_macro2::{Group, Literal, TokenStream, TokenTree};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::{DeriveInput, GenericParam, Generics, ImplGenerics, Lifetime, Path, Type, TypeGenerics, WhereClause};

use crate::Mistakes;
use crate::ast::{Body, Field, Hash, Key, Lead, Variant};
use crate::walk::{self, Walk};
use crate::{check, prefix};

/// The code, or every mistake at once with a stub beside them, so that the key's users see no errors of their own.
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

/// A key of no meaning: what is said of the mistakes is enough.
fn stub(input: &DeriveInput, p: &TokenStream) -> TokenStream {
    let ident = &input.ident;
    let (impl_generics, ty_generics, where_clause) = input.generics.split_for_impl();
    let decoded = decoded(ident, &input.generics);
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
        Body::Struct(_) if key.transparent.is_some() => transparent(key),
        Body::Struct(_) if key.is_whole() => whole_key(key),
        Body::Struct(_) => field_struct(key),
        Body::Enum(variants) => field_enum(key, variants),
    };
    let fixed = fixed_width(key);
    quote! {
        #builders
        #[doc(hidden)]
        #[allow(dead_code, deprecated, unused_qualifications, clippy::all, clippy::pedantic, clippy::nursery)]
        const _: () = {
            #code
            #fixed
            #builder_impls
        };
    }
}

impl Key<'_> {
    /// The generics, with a bound on each type parameter that stands in a field.
    pub(crate) fn split_bound(&self) -> (ImplGenerics<'_>, TypeGenerics<'_>, TokenStream) {
        let (impl_generics, ty_generics, where_clause) = self.generics.split_for_impl();
        (impl_generics, ty_generics, self.bounds(where_clause))
    }

    fn bounds(&self, where_clause: Option<&WhereClause>) -> TokenStream {
        let p = &self.private;
        let bounded = self.generics.type_params().filter(|param| self.uses(&param.ident)).map(|param| {
            let ident = &param.ident;
            quote!(#ident: #p::OwnedField)
        });
        let predicates = where_clause.map(|clause| clause.predicates.iter());
        let predicates = predicates.into_iter().flatten();
        quote!(where #(#predicates,)* #(#bounded,)*)
    }

    /// Whether a type parameter stands in a field of the key.
    fn uses(&self, param: &syn::Ident) -> bool {
        struct Uses<'i>(&'i syn::Ident, bool);
        impl Walk for Uses<'_> {
            fn ty(&mut self, ty: &Type) {
                walk::inside_type(self, ty);
            }

            fn path(&mut self, path: &Path) {
                self.1 |= path.segments.first().is_some_and(|segment| segment.ident == *self.0);
                walk::inside_path(self, path);
            }
        }
        let mut uses = Uses(param, false);
        match &self.body {
            Body::Struct(fields) => fields.iter().filter(|f| !f.phantom).for_each(|f| uses.ty(&f.ty)),
            Body::Enum(variants) => variants
                .iter()
                .flat_map(|variant| &variant.fields)
                .filter(|field| !field.phantom)
                .for_each(|field| uses.ty(&field.ty)),
        }
        uses.1
    }

    fn is_generic(&self) -> bool {
        self.generics.type_params().next().is_some() || self.generics.const_params().next().is_some()
    }
}

/// The type that decoding gives: every lifetime is that of the bytes.
fn decoded(ident: &syn::Ident, generics: &Generics) -> TokenStream {
    if generics.params.is_empty() {
        return quote!(#ident);
    }
    let de = Lifetime::new("'__de", proc_macro2::Span::call_site());
    let params = generics.params.iter().map(|param| match param {
        GenericParam::Lifetime(_) => quote!(#de),
        GenericParam::Type(ty) => {
            let ident = &ty.ident;
            quote!(#ident)
        }
        GenericParam::Const(konst) => {
            let ident = &konst.ident;
            quote!(#ident)
        }
    });
    quote!(#ident<#(#params),*>)
}

/// A type with this lifetime in the place of all that it names.
fn with_lifetime(ty: TokenStream, lifetime: &str) -> TokenStream {
    let mut tokens = Vec::new();
    let mut in_lifetime = false;
    for token in ty {
        match token {
            TokenTree::Punct(punct) if punct.as_char() == '\'' => {
                in_lifetime = true;
                tokens.extend(Lifetime::new(lifetime, punct.span()).into_token_stream());
            }
            TokenTree::Ident(_) if in_lifetime => in_lifetime = false,
            TokenTree::Group(group) => {
                let mut inner = Group::new(group.delimiter(), with_lifetime(group.stream(), lifetime));
                inner.set_span(group.span());
                tokens.push(inner.into());
            }
            other => tokens.push(other),
        }
    }
    tokens.into_iter().collect()
}

/// `PhantomData` fields of a struct expression or pattern.
fn phantoms<'f>(fields: &'f [Field], p: &'f TokenStream) -> impl Iterator<Item = TokenStream> + 'f {
    fields.iter().filter(|field| field.phantom).map(move |field| {
        let member = &field.member;
        quote!(#member: #p::PhantomData)
    })
}

/// A struct that can stand in other keys.
fn field_struct(key: &Key<'_>) -> TokenStream {
    let (p, ident) = (&key.private, key.ident);
    let Body::Struct(all) = &key.body else { return TokenStream::new() };
    let fields = key.fields();
    let layouts = fields.iter().map(|field| field.layout(p));
    let encode = fields.iter().map(|field| {
        let (member, desc) = (&field.member, field.is_desc());
        let write = field.call("write_field", &quote!(&self.#member, #desc, w), p);
        quote!(#write;)
    });
    let decode = fields.iter().map(|field| {
        let (member, desc, name) = (&field.member, field.is_desc(), &field.name);
        let read = field.try_call("read_field", &quote!(#name, #desc, r), p);
        quote!(#member: #read)
    });
    let skip = fields.iter().map(|field| {
        let desc = field.is_desc();
        let skip = field.try_call("skip_field", &quote!(#desc, r), p);
        quote!(#skip;)
    });
    let phantoms = phantoms(all, p);
    let name = key.name();
    let field_impl = FieldImpl {
        ty: quote!(&#p::Type::Tuple(&[#(#layouts),*])),
        as_key: quote! {
            #p::Layout {
                name: #name,
                lead: #p::Lead::None,
                by: &[],
                fields: match <Self as #p::Field>::TYPE {
                    #p::Type::Tuple(fields) => fields,
                    _ => &[],
                },
            }
        },
        encode: quote!(#(#encode)*),
        decode: quote!(#p::Result::Ok(#ident { #(#decode,)* #(#phantoms,)* })),
        skip: quote!(#(#skip)* #p::Result::Ok(())),
    };
    let raw = (fields.len() == 1).then(|| raw_newtype(key, fields[0], all));
    let field_impl = field_impl.expand(key);
    quote!(#field_impl #raw)
}

fn field_enum(key: &Key<'_>, variants: &[Variant]) -> TokenStream {
    let (p, ident) = (&key.private, key.ident);
    let mut sorted: Vec<(u8, &Variant)> =
        variants.iter().filter_map(|variant| Some((variant.tag.as_ref()?.1 as u8, variant))).collect();
    sorted.sort_by_key(|(tag, _)| *tag);
    let tags: Vec<_> = sorted.iter().map(|(tag, _)| Literal::u8_suffixed(*tag)).collect();
    let layouts = sorted.iter().zip(&tags).map(|((_, variant), tag)| {
        let name = variant.ident.unraw().to_string();
        let fields = variant.fields.iter().filter(|field| !field.phantom).map(|field| field.layout(p));
        quote!(#p::Variant { name: #name, tag: #tag, fields: &[#(#fields),*] })
    });
    let encode = sorted.iter().zip(&tags).map(|((_, variant), tag)| {
        let name = &variant.ident;
        let fields: Vec<_> = variant.fields.iter().filter(|field| !field.phantom).collect();
        let bound: Vec<_> = (0..fields.len()).map(|i| format_ident!("__f{i}")).collect();
        let members = fields.iter().map(|field| &field.member);
        let writes = fields.iter().zip(&bound).map(|(field, bound)| {
            let desc = field.is_desc();
            let write = field.call("write_field", &quote!(#bound, #desc, w), p);
            quote!(#write;)
        });
        quote!(Self::#name { #(#members: #bound,)* .. } => { w.byte(#tag); #(#writes)* })
    });
    let decode = sorted.iter().zip(&tags).map(|((_, variant), tag)| {
        let name = &variant.ident;
        let reads = variant.fields.iter().filter(|field| !field.phantom).map(|field| {
            let path = format!("{}.{}", name.unraw(), field.name);
            let (member, desc) = (&field.member, field.is_desc());
            let read = field.try_call("read_field", &quote!(#path, #desc, r), p);
            quote!(#member: #read)
        });
        let phantoms = phantoms(&variant.fields, p);
        quote!(#tag => #p::Result::Ok(#ident::#name { #(#reads,)* #(#phantoms,)* }))
    });
    let skip = sorted.iter().zip(&tags).map(|((_, variant), tag)| {
        let skips = variant.fields.iter().filter(|field| !field.phantom).map(|field| {
            let desc = field.is_desc();
            let skip = field.try_call("skip_field", &quote!(#desc, r), p);
            quote!(#skip;)
        });
        quote!(#tag => { #(#skips)* #p::Result::Ok(()) })
    });
    let unknown = quote!(_ => #p::Result::Err(r.unknown_byte(at, "the tag", &[#(#tags),*])));
    let name = key.name();
    FieldImpl {
        ty: quote!(&#p::Type::Enum(&[#(#layouts),*])),
        as_key: quote! {
            #p::Layout {
                name: #name,
                lead: #p::Lead::None,
                by: &[],
                fields: &[#p::FieldLayout::new("_0", <Self as #p::Field>::TYPE)],
            }
        },
        encode: quote!(match self { #(#encode)* }),
        decode: quote!(let at = r.offset(); match r.byte()? { #(#decode,)* #unknown }),
        skip: quote!(let at = r.offset(); match r.byte()? { #(#skip)* #unknown }),
    }
    .expand(key)
}

fn transparent(key: &Key<'_>) -> TokenStream {
    let (p, ident) = (&key.private, key.ident);
    let Body::Struct(all) = &key.body else { return TokenStream::new() };
    let fields = key.fields();
    let [field] = fields.as_slice() else { return TokenStream::new() };
    let (member, name) = (&field.member, key.name());
    let [encode, decode, skip] = [("encode", quote!(&self.#member, w)), ("decode", quote!(r)), ("skip", quote!(r))]
        .map(|(name, args)| field.call(name, &args, p));
    let decode = quote_spanned!(field.span()=> #decode?);
    let phantoms = phantoms(all, p);
    let field_impl = FieldImpl {
        ty: field.layout_type(p),
        as_key: quote! {
            #p::Layout {
                name: #name,
                lead: #p::Lead::None,
                by: &[],
                fields: &[#p::FieldLayout::new("_0", <Self as #p::Field>::TYPE)],
            }
        },
        encode,
        decode: quote!(#p::Result::Ok(#ident { #member: #decode, #(#phantoms,)* })),
        skip,
    }
    .expand(key);
    if field.with.is_some() {
        return field_impl;
    }
    let raw = raw_newtype(key, field, all);
    let ty = &field.ty;
    let (_, ty_generics, where_clause) = key.split_bound();
    let mut generics = key.generics.clone();
    generics.params.push(syn::parse_quote!(__C: ?#p::Sized));
    let (impl_generics, _, _) = generics.split_for_impl();
    quote! {
        #field_impl
        #raw
        #[automatically_derived]
        impl #impl_generics #p::StartsWith<__C> for #ident #ty_generics #where_clause #ty: #p::StartsWith<__C> {}
        #[automatically_derived]
        impl #impl_generics #p::Within<__C> for #ident #ty_generics #where_clause #ty: #p::Within<__C> {
            fn within(area: &__C) -> #p::Vec<#p::FieldSpan> {
                <#ty as #p::Within<__C>>::within(area)
            }
            fn within_raw(area: &__C) -> #p::Vec<#p::FieldSpan> {
                <#ty as #p::Within<__C>>::within_raw(area)
            }
        }
    }
}

/// A newtype is raw where what it holds is.
fn raw_newtype(key: &Key<'_>, field: &Field, all: &[Field]) -> TokenStream {
    if field.desc.is_some() || field.nulls.is_some() || field.with.is_some() {
        return TokenStream::new();
    }
    let (p, ident, ty, member) = (&key.private, key.ident, &field.ty, &field.member);
    let (impl_generics, ty_generics, where_clause) = key.split_bound();
    // The type that is read is said outright: of a type that is no field at all, nothing else could tell.
    let read = with_lifetime(ty.to_token_stream(), "'__x");
    let read_here = with_lifetime(ty.to_token_stream(), "'__de");
    let is_raw = quote!(for<'__x> #ty: #p::RawAs<'__x, #read>);
    let phantoms = phantoms(all, p);
    let sources = [(quote!(#ident #ty_generics), quote!(self)), (quote!(&#ident #ty_generics), quote!(*self))];
    let sources = sources.map(|(source, value)| {
        quote! {
            #[automatically_derived]
            impl #impl_generics #p::IntoField<#p::RawOf<#ident #ty_generics>> for #source
            #where_clause #is_raw
            {
                #[inline]
                fn encode_field<__S: #p::Sink>(&self, w: &mut #p::Writer<'_, __S>) {
                    #p::RawField::encode_raw(#value, w);
                }
            }
        }
    });
    quote! {
        #[automatically_derived]
        impl #impl_generics #p::RawField for #ident #ty_generics #where_clause #is_raw {
            #[inline]
            fn encode_raw<__S: #p::Sink>(&self, w: &mut #p::Writer<'_, __S>) {
                #p::RawAs::encode_raw_as(&self.#member, w);
            }

            #[inline]
            fn decode_raw<'__de>(
                r: &mut #p::Reader<'__de>,
            ) -> #p::Result<<Self as #p::Field>::Ref<'__de>, #p::DecodeError> {
                #p::Result::Ok(#ident {
                    #member: <#ty as #p::RawAs<'__de, #read_here>>::decode_raw_as(r)?,
                    #(#phantoms,)*
                })
            }
        }
        #(#sources)*
    }
}

/// The parts of a `Field` that differ from key to key.
struct FieldImpl {
    ty: TokenStream,
    as_key: TokenStream,
    encode: TokenStream,
    decode: TokenStream,
    skip: TokenStream,
}

impl FieldImpl {
    fn expand(&self, key: &Key<'_>) -> TokenStream {
        let (p, ident) = (&key.private, key.ident);
        let Self { ty, as_key, encode, decode, skip } = self;
        let (impl_generics, ty_generics, where_clause) = key.split_bound();
        let decoded = decoded(ident, key.generics);
        let sources = [quote!(self), quote!(*self)].into_iter().zip([quote!(), quote!(&)]).map(|(value, reference)| {
            quote! {
                #[automatically_derived]
                impl #impl_generics #p::IntoField<#ident #ty_generics> for #reference #ident #ty_generics #where_clause {
                    #[inline]
                    fn encode_field<__S: #p::Sink>(&self, w: &mut #p::Writer<'_, __S>) {
                        #p::Field::encode(#value, w);
                    }
                }
            }
        });
        quote! {
            #[automatically_derived]
            impl #impl_generics #p::Field for #ident #ty_generics #where_clause {
                type Ref<'__de> = #decoded;
                const TYPE: &'static #p::Type = #ty;
                const AS_KEY: #p::Layout = #as_key;

                #[inline]
                fn encode<__S: #p::Sink>(&self, w: &mut #p::Writer<'_, __S>) {
                    #encode
                }

                #[inline]
                fn decode<'__de>(r: &mut #p::Reader<'__de>) -> #p::Result<#decoded, #p::DecodeError> {
                    #decode
                }

                #[inline]
                fn skip(r: &mut #p::Reader<'_>) -> #p::Result<(), #p::DecodeError> {
                    #skip
                }
            }
            #(#sources)*
        }
    }
}

/// A key that stands in no other: with a salt, a digest, or a raw field.
fn whole_key(key: &Key<'_>) -> TokenStream {
    let (p, ident, name) = (&key.private, key.ident, key.name());
    let Body::Struct(all) = &key.body else { return TokenStream::new() };
    let fields = key.fields();
    let (lead, by) = lead(key);
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
        quote!(#member: { let value = #read; r.end_field(value, &Self::LAYOUT) })
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
                let key = #ident { #(#read,)* #(#phantoms,)* };
                r.finish(&Self::LAYOUT)?;
                #p::Result::Ok(key)
            }
        }
    }
}

/// What stands before the fields, and the fields it is taken over.
fn lead(key: &Key<'_>) -> (TokenStream, Vec<usize>) {
    let p = &key.private;
    let by = |names: &[TokenStream]| {
        let mut by: Vec<usize> = names.iter().filter_map(|name| key.field_index(name)).collect();
        by.sort_unstable();
        by
    };
    match &key.lead {
        Lead::None => (quote!(#p::Lead::None), Vec::new()),
        Lead::Digest(digest) => {
            let bytes = Literal::u8_suffixed(digest.bytes as u8);
            (quote!(#p::Lead::Digest(#bytes)), by(&digest.by))
        }
        Lead::Salt(salt) => {
            let buckets = Literal::u32_suffixed(salt.buckets.as_ref().map_or(1, |(_, buckets)| *buckets as u32));
            let hash = match &salt.hash {
                Hash::Known(name) => {
                    let name = format_ident!("{name}");
                    quote!(#p::SaltHash::#name)
                }
                Hash::Own(name, path) => quote_spanned!(path.span()=> #p::SaltHash::new(#name, #path)),
            };
            let hex = salt.hex;
            (quote!(#p::Lead::Salt(#p::Salt { buckets: #buckets, hash: #hash, hex: #hex })), by(&salt.by))
        }
    }
}

/// `WIDTH`, `encode_into` and `to_array`; on a generic key, where no array can have the width, without the last.
fn fixed_width(key: &Key<'_>) -> TokenStream {
    let (p, ident, vis) = (&key.private, key.ident, key.vis);
    let (impl_generics, ty_generics, where_clause) = key.split_bound();
    let width_doc = "How many bytes a key has.";
    let into_doc = "Writes the key into a buffer of its width.";
    if key.is_generic() {
        return quote! {
            #[automatically_derived]
            impl #impl_generics #ident #ty_generics #where_clause {
                #[doc = #width_doc]
                #vis const WIDTH: #p::usize = match <Self as #p::RowKey>::LAYOUT.width() {
                    #p::Option::Some(width) => width,
                    #p::Option::None => panic!("this key has no fixed width: use `encode` or `encode_to`"),
                };

                #[doc = #into_doc]
                #[inline]
                #vis fn encode_into(&self, buf: &mut [#p::u8]) -> #p::Result<(), #p::WidthError> {
                    #p::write_into(self, Self::WIDTH, buf)
                }
            }
        };
    }
    let lifetimes = key.generics.lifetimes().map(|_| quote!('static));
    let of_static = if key.generics.params.is_empty() { quote!(#ident) } else { quote!(#ident<#(#lifetimes),*>) };
    quote! {
        const __ROWKEY_WIDTH: #p::Option<#p::usize> = <#of_static as #p::RowKey>::LAYOUT.width();
        const __ROWKEY_IS_FIXED: #p::bool = __ROWKEY_WIDTH.is_some();
        const __ROWKEY_LEN: #p::usize = match __ROWKEY_WIDTH {
            #p::Option::Some(width) => width,
            #p::Option::None => 0,
        };
        #[automatically_derived]
        impl #impl_generics #ident #ty_generics
        #where_clause for<'__x> #p::Fixed<{ __ROWKEY_IS_FIXED }>: #p::IsFixed
        {
            #[doc = #width_doc]
            #vis const WIDTH: #p::usize = __ROWKEY_LEN;
        }
        // Bounds of their own, as a method's is told in its trait's words and an impl's is not.
        #[automatically_derived]
        impl #impl_generics #ident #ty_generics #where_clause {
            #[doc = #into_doc]
            #[inline]
            #vis fn encode_into(&self, buf: &mut [#p::u8]) -> #p::Result<(), #p::WidthError>
            where
                for<'__x> #p::Fixed<{ __ROWKEY_IS_FIXED }>: #p::IsFixed,
            {
                #p::write_into(self, __ROWKEY_LEN, buf)
            }

            #[doc = "The key's bytes."]
            #[inline]
            #vis fn to_array(&self) -> [#p::u8; __ROWKEY_LEN]
            where
                for<'__x> #p::Fixed<{ __ROWKEY_IS_FIXED }>: #p::IsFixed,
            {
                let mut key = [0; __ROWKEY_LEN];
                let _ = self.encode_into(&mut key);
                key
            }
        }
    }
}
