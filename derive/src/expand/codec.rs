//! The code that reads and writes one field.

use proc_macro2::{Span, TokenStream, TokenTree};
use quote::{ToTokens, quote, quote_spanned};
use syn::Ident;
use syn::spanned::Spanned;

use crate::ast::Field;

impl Field {
    /// The type that implements `Codec` for the field: its type, in a marker for the form in which it is written.
    fn codec(&self, private: &TokenStream) -> TokenStream {
        let (ty, private) = (&self.ty, at(private, self.span()));
        let marker = |name: &str| Ident::new(name, self.span());
        if let Some((_, path)) = &self.with {
            let marker = marker("With");
            return quote_spanned!(self.span()=> #private::#marker<#path, #ty>);
        }
        let marker = marker(match &self.nulls {
            _ if self.raw.is_some() => "RawOf",
            Some(_) if self.has_other_nulls() => "NullsOther",
            Some(_) => "NullsHere",
            None => "Plain",
        });
        quote_spanned!(self.span()=> #private::#marker<#ty>)
    }

    /// The type whose values the methods of prefixes take: the type of the field, or its codec if that is not the usual
    /// one.
    pub(crate) fn source(&self, private: &TokenStream) -> TokenStream {
        let is_usual = self.with.is_none() && self.raw.is_none() && !self.has_other_nulls();
        if is_usual { self.ty.to_token_stream() } else { self.codec(private) }
    }

    /// Returns whether None sorts on the other side than by default.
    fn has_other_nulls(&self) -> bool {
        self.nulls.as_ref().is_some_and(|arg| (arg.name == "nulls_first") == self.is_desc())
    }

    /// The place where the compiler reports that the field can't be encoded: at its type, or at the encoding in `with`.
    /// Names in the code at this span are resolved as in the rest of the derive's code.
    pub(crate) fn span(&self) -> Span {
        let span = self.with.as_ref().map_or_else(|| self.ty.span(), |(_, path)| path.span());
        span.resolved_at(Span::call_site())
    }

    /// `<codec>::name(..)`. All code for a field has the same form and span, so that the compiler reports a wrong field
    /// once.
    pub(crate) fn call(&self, name: &str, args: &TokenStream, private: &TokenStream) -> TokenStream {
        let (codec, name) = (self.codec(private), Ident::new(name, self.span()));
        let private = at(private, self.span());
        quote_spanned!(self.span()=> <#codec as #private::Codec>::#name(#args))
    }

    /// `<codec>::name(..)?`
    pub(crate) fn try_call(&self, name: &str, args: &TokenStream, private: &TokenStream) -> TokenStream {
        let call = self.call(name, args, private);
        quote_spanned!(self.span()=> #call?)
    }

    /// `member: <read>`, where `path` is the name of the field in errors.
    pub(crate) fn read_code(&self, path: &str, private: &TokenStream) -> TokenStream {
        let (member, desc) = (&self.member, self.is_desc());
        let read = self.try_call("read_field", &quote!(#path, #desc, r), private);
        quote!(#member: #read,)
    }

    /// `<skip>;`
    pub(crate) fn skip_code(&self, private: &TokenStream) -> TokenStream {
        let desc = self.is_desc();
        let skip = self.try_call("skip_field", &quote!(#desc, r), private);
        quote!(#skip;)
    }

    /// `<codec>::TYPE`
    pub(crate) fn layout_type(&self, private: &TokenStream) -> TokenStream {
        let (codec, private) = (self.codec(private), at(private, self.span()));
        quote_spanned!(self.span()=> <#codec as #private::Codec>::TYPE)
    }

    /// The `FieldLayout` of the field.
    pub(crate) fn layout(&self, private: &TokenStream) -> TokenStream {
        let (name, desc, ty) = (&self.name, self.is_desc(), self.layout_type(private));
        let nulls = self.nulls.as_ref().map(|arg| {
            let side = if arg.name == "nulls_first" { quote!(First) } else { quote!(Last) };
            quote!(.nulls(#private::Nulls::#side))
        });
        let layout = quote!(#private::FieldLayout::new(#name, #ty).desc(#desc) #nulls);
        let Some(raw) = &self.raw else { return layout };
        // The compiler reports a type without a raw form here, so the whole call has the span of the attribute.
        let span = raw.name.span().resolved_at(Span::call_site());
        let private = at(private, span);
        quote_spanned!(span=> #private::FieldLayout::raw(#layout))
    }
}

/// The same tokens, all with this span.
fn at(tokens: &TokenStream, span: Span) -> TokenStream {
    let moved = |mut token: TokenTree| {
        token.set_span(span);
        token
    };
    tokens.clone().into_iter().map(moved).collect()
}
