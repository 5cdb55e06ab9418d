//! Parses `#[rowkey(..)]` to arguments, each with the tokens at which a mistake in it is reported.

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use quote::ToTokens;
use syn::ext::IdentExt;
use syn::parse::discouraged::Speculative;
use syn::parse::{Parse, ParseStream, Parser};
use syn::punctuated::Punctuated;
use syn::{Attribute, Ident, Lit, LitByteStr, LitStr, Member, Path, Token, parenthesized};

use crate::Mistakes;

/// One `name`, `name = value` or `name(..)`.
pub(crate) struct Arg {
    pub(crate) name: Ident,
    pub(crate) value: ArgValue,
}

pub(crate) enum ArgValue {
    Flag,
    /// The tokens of the value. They are not parsed as an expression: without its feature `full`, syn does not parse
    /// all of them.
    Eq(TokenStream),
    List(TokenStream),
}

impl Parse for Arg {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let name = Ident::parse_any(input)?;
        let value = if input.peek(Token![=]) {
            input.parse::<Token![=]>()?;
            ArgValue::Eq(value(&name, input)?)
        } else if input.peek(syn::token::Paren) {
            let content;
            parenthesized!(content in input);
            ArgValue::List(content.parse()?)
        } else {
            ArgValue::Flag
        };
        Ok(Self { name, value })
    }
}

/// The tokens up to the next comma. The value of `with` is a whole path, which may contain commas: `Padded<24, b' '>`.
fn value(name: &Ident, input: ParseStream<'_>) -> syn::Result<TokenStream> {
    if input.is_empty() || input.peek(Token![,]) {
        return Err(input.error("expected a value after `=`"));
    }
    let ahead = input.fork();
    if name == "with"
        && let Ok(path) = ahead.parse::<Path>()
        && (ahead.is_empty() || ahead.peek(Token![,]))
    {
        input.advance_to(&ahead);
        return Ok(path.into_token_stream());
    }
    let mut tokens = TokenStream::new();
    while !input.is_empty() && !input.peek(Token![,]) {
        tokens.extend([input.parse::<TokenTree>()?]);
    }
    Ok(tokens)
}

impl Arg {
    /// The value, or the name if there is no value.
    pub(crate) fn place(&self) -> TokenStream {
        match &self.value {
            ArgValue::Eq(value) => value.clone(),
            _ => self.to_token_stream(),
        }
    }
}

impl ToTokens for Arg {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        self.name.to_tokens(tokens);
    }
}

/// The arguments of all `rowkey` attributes of an item. Unknown arguments and repeated ones are mistakes.
pub(crate) fn args(attrs: &[Attribute], place: &str, known: &[&str], mistakes: &mut Mistakes) -> Vec<Arg> {
    let mut args: Vec<Arg> = Vec::new();
    for attr in attrs.iter().filter(|attr| attr.path().is_ident("rowkey")) {
        match attr.parse_args_with(|input: ParseStream<'_>| list(input, place, known)) {
            Err(error) => mistakes.add(error),
            Ok(more) => {
                for arg in more {
                    let name = arg.name.to_string();
                    if !known.contains(&name.as_str()) {
                        mistakes.at(&arg, format!("unknown attribute `{name}`: {place} takes {}", listed(known)));
                    } else if args.iter().any(|earlier| earlier.name == arg.name) {
                        mistakes.at(&arg, format!("`{name}` is written twice: remove one"));
                    } else {
                        args.push(arg);
                    }
                }
            }
        }
    }
    args
}

fn list(input: ParseStream<'_>, place: &str, known: &[&str]) -> syn::Result<Vec<Arg>> {
    let mut args = Vec::new();
    while !input.is_empty() {
        if !input.peek(Ident::peek_any) {
            return Err(input.error(format!("{place} takes {}", listed(known))));
        }
        args.push(input.parse::<Arg>()?);
        if !input.is_empty() {
            input.parse::<Token![,]>()?;
        }
    }
    Ok(args)
}

fn listed(names: &[&str]) -> String {
    let names: Vec<_> = names.iter().map(|name| format!("`{name}`")).collect();
    names.join(", ")
}

impl Arg {
    pub(crate) fn flag(&self, mistakes: &mut Mistakes) {
        if !matches!(self.value, ArgValue::Flag) {
            mistakes.at(self, format!("`{0}` takes no value: write `{0}`", self.name));
        }
    }

    /// `name = 7`.
    pub(crate) fn number(&self, example: u64, mistakes: &mut Mistakes) -> Option<u64> {
        let number = match &self.value {
            ArgValue::Eq(value) => number(value.clone()),
            _ => None,
        };
        if number.is_none() {
            mistakes.at(self.place(), format!("write a number: `{} = {example}`", self.name));
        }
        number
    }

    /// `name = path::to::it`.
    pub(crate) fn path(&self, example: &str, mistakes: &mut Mistakes) -> Option<Path> {
        let path = self.parsed();
        if path.is_none() {
            mistakes.at(self.place(), format!("write a path: `{} = {example}`", self.name));
        }
        path
    }

    /// `name = Name`.
    pub(crate) fn ident(&self, example: &str, mistakes: &mut Mistakes) -> Option<Ident> {
        let ident = self.parsed();
        if ident.is_none() {
            mistakes.at(self.place(), format!("write a name: `{} = {example}`", self.name));
        }
        ident
    }

    /// `name = "text"`: one to eight bytes.
    pub(crate) fn delimiter(&self, mistakes: &mut Mistakes) -> Option<LitByteStr> {
        let bytes = match self.parsed() {
            Some(Lit::Str(text)) => Some((text.value().into_bytes(), text.span())),
            Some(Lit::ByteStr(bytes)) => Some((bytes.value(), bytes.span())),
            _ => None,
        };
        let bytes = bytes.filter(|(bytes, _)| (1..=8).contains(&bytes.len()));
        if bytes.is_none() {
            mistakes.at(self.place(), format!("write one to eight bytes in quotes: `{} = \"-\"`", self.name));
        }
        bytes.map(|(bytes, span)| LitByteStr::new(&bytes, span))
    }

    /// `name = "path"`.
    pub(crate) fn quoted_path(&self, mistakes: &mut Mistakes) -> Option<Path> {
        if let Some(text) = self.parsed::<LitStr>() {
            return text.parse().map_err(|error| mistakes.add(error)).ok();
        }
        mistakes.at(self.place(), format!("write a path in quotes: `{} = \"my::rowkey\"`", self.name));
        None
    }

    /// The value after `=`, or None if it does not parse as a `T`.
    pub(crate) fn parsed<T: Parse>(&self) -> Option<T> {
        match &self.value {
            ArgValue::Eq(value) => syn::parse2(value.clone()).ok(),
            _ => None,
        }
    }

    /// The arguments of `name(..)`. `name` alone has no arguments; `name = value` is a mistake, and returns None.
    pub(crate) fn inner(&self, known: &[&str], example: &str, mistakes: &mut Mistakes) -> Option<Vec<Arg>> {
        let list = match &self.value {
            ArgValue::Flag => return Some(Vec::new()),
            ArgValue::List(list) => list.clone(),
            ArgValue::Eq(value) => {
                mistakes.at(value, format!("write `{}({example})`", self.name));
                return None;
            }
        };
        let attr: Attribute = syn::parse_quote_spanned!(self.name.span() => #[rowkey(#list)]);
        Some(args(&[attr], &format!("`{}`", self.name), known, mistakes))
    }

    /// `name(a, b)`: names of fields, or their indexes in a tuple struct.
    pub(crate) fn names(&self, mistakes: &mut Mistakes) -> Vec<TokenStream> {
        let ArgValue::List(list) = &self.value else {
            mistakes.at(self, format!("write the names of fields: `{}(user, day)`", self.name));
            return Vec::new();
        };
        let members = |input: ParseStream<'_>| Punctuated::<Member, Token![,]>::parse_terminated_with(input, member);
        match members.parse2(list.clone()) {
            Ok(names) if names.is_empty() => {
                mistakes.at(self, format!("name at least one field, or remove `{}` to take all fields", self.name));
                Vec::new()
            }
            Ok(names) => names.into_iter().map(|name| name.to_token_stream()).collect(),
            Err(error) => {
                mistakes.add(error);
                Vec::new()
            }
        }
    }
}

/// The name of a field, also a keyword (`type` names the field `r#type`), or its index.
fn member(input: ParseStream<'_>) -> syn::Result<Member> {
    if input.peek(syn::LitInt) { input.parse() } else { Ident::parse_any(input).map(Member::Named) }
}

/// A literal number without sign. It may be in parentheses, or in the invisible group around a fragment of a macro.
pub(crate) fn number(tokens: TokenStream) -> Option<u64> {
    let mut trees = tokens.clone().into_iter();
    if let (Some(TokenTree::Group(group)), None) = (trees.next(), trees.next())
        && matches!(group.delimiter(), Delimiter::None | Delimiter::Parenthesis)
    {
        return number(group.stream());
    }
    match syn::parse2(tokens).ok()? {
        Lit::Int(int) => int.base10_parse().ok(),
        Lit::Byte(byte) => Some(byte.value().into()),
        _ => None,
    }
}
