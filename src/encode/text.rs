//! Text and bytes of any length.
//!
//! ```text
//! "ab"      61 62 00             the bytes, then the terminator 00
//! "a\0"     61 01 01 00          00 → 01 01 and 01 → 01 02, so no 00 stands inside and the end is one memchr
//! "a" desc  9e ff                every byte inverted, the terminator too: "a" sorts after "a\0" (9e fe fe ff)
//! ```
//!
//! `raw`, on the last field of a key, is the bytes alone: no escape, no terminator.

use std::borrow::Cow;
use std::rc::Rc;
use std::sync::Arc;

use crate::encode::raw::{RawField, RawOf};
use crate::encode::{Field, IntoField, Reader, Sink, Writer};
use crate::error::{DecodeError, DecodeReason};
use crate::layout::{Scalar, Type};
use crate::reader::Run;

const TERMINATOR: u8 = 0;
const ESCAPE: u8 = 1;

/// `str` or `[u8]`: what all its owners and borrowers encode as.
pub trait Content: ToOwned + 'static {
    #[doc(hidden)]
    const TYPE: &'static Type;
    #[doc(hidden)]
    fn content(&self) -> &[u8];
    #[doc(hidden)]
    fn from_content(content: Cow<'_, [u8]>, at: usize) -> Result<Cow<'_, Self>, DecodeError>;
}

impl Content for [u8] {
    const TYPE: &'static Type = &Type::Scalar(Scalar::Bytes);

    #[inline]
    fn content(&self) -> &[u8] {
        self
    }

    #[inline]
    fn from_content(content: Cow<'_, [u8]>, _: usize) -> Result<Cow<'_, Self>, DecodeError> {
        Ok(content)
    }
}

impl Content for str {
    const TYPE: &'static Type = &Type::Scalar(Scalar::Text);

    #[inline]
    fn content(&self) -> &[u8] {
        self.as_bytes()
    }

    #[inline]
    fn from_content(content: Cow<'_, [u8]>, at: usize) -> Result<Cow<'_, Self>, DecodeError> {
        match content {
            Cow::Borrowed(bytes) => std::str::from_utf8(bytes)
                .map(Cow::Borrowed)
                .map_err(|error| DecodeError::new(at + error.valid_up_to(), DecodeReason::Utf8)),
            Cow::Owned(bytes) => {
                String::from_utf8(bytes).map(Cow::Owned).map_err(|_| DecodeError::new(at, DecodeReason::Utf8))
            }
        }
    }
}

/// A type that is text or bytes: takes `&str` and the like, or `&[u8]` and the like, in a prefix.
pub trait ContentField<C: ?Sized>: Field {}

/// A field whose values can begin with others: text and bytes, and transparent newtypes of these.
#[diagnostic::on_unimplemented(
    message = "a field of type `{Self}` has no values that start with a `{C}`",
    note = "text and bytes have; the pages of a host whose paths start so are `name_under(&Site::host(\"..\")?.path_starts_with(\"/..\"))`"
)]
pub trait StartsWith<C: ?Sized> {}

#[inline]
pub(crate) fn encode<S: Sink>(content: &[u8], w: &mut Writer<'_, S>) {
    escape(content, w);
    w.byte(TERMINATOR);
}

/// The content without its terminator: where everything that begins with it begins.
#[inline]
pub(crate) fn escape<S: Sink>(mut content: &[u8], w: &mut Writer<'_, S>) {
    while let Some(clean) = memchr::memchr2(TERMINATOR, ESCAPE, content) {
        w.bytes(&content[..clean]);
        w.array([ESCAPE, content[clean] + 1]);
        content = &content[clean + 1..];
    }
    w.bytes(content);
}

#[inline]
pub(crate) fn decode<'a, C: Content + ?Sized>(r: &mut Reader<'a>) -> Result<Cow<'a, C>, DecodeError> {
    let run = r.until_terminator()?;
    let at = run.at;
    C::from_content(unescape(run)?, at)
}

#[inline]
fn unescape(run: Run<'_>) -> Result<Cow<'_, [u8]>, DecodeError> {
    let escape = ESCAPE ^ run.mask;
    let Some(mut clean) = memchr::memchr(escape, run.bytes) else {
        return Ok(match run.mask {
            0 => Cow::Borrowed(run.bytes),
            _ => Cow::Owned(run.bytes.iter().map(|byte| !byte).collect()),
        });
    };
    let mut content = Vec::with_capacity(run.bytes.len());
    let mut rest = run.bytes;
    loop {
        content.extend_from_slice(&rest[..clean]);
        let escaped = rest.get(clean + 1).copied().unwrap_or(TERMINATOR ^ run.mask);
        match escaped ^ run.mask {
            byte @ (1 | 2) => content.push((byte - 1) ^ run.mask),
            _ => {
                let at = run.at + (run.bytes.len() - rest.len()) + clean + 1;
                let [first, second] = [1 ^ run.mask, 2 ^ run.mask];
                return Err(DecodeError::new(at, DecodeReason::Escape { found: escaped, first, second }));
            }
        }
        rest = &rest[clean + 2..];
        match memchr::memchr(escape, rest) {
            Some(next) => clean = next,
            None => break,
        }
    }
    content.extend_from_slice(rest);
    if run.mask != 0 {
        content.iter_mut().for_each(|byte| *byte = !*byte);
    }
    Ok(Cow::Owned(content))
}

#[cold]
fn not_borrowable(at: usize) -> DecodeError {
    DecodeError::new(at, DecodeReason::NotBorrowable)
}

/// The fields that are text, or bytes: what each is, and how it is made of decoded content that began at an offset.
macro_rules! content {
    ($([$($generics:tt)*] $type:ty, $content:ty, $ref:ty, $from:expr;)*) => {$(
        impl<$($generics)*> $crate::encode::Field for $type {
            type Ref<'a> = $ref;
            const TYPE: &'static $crate::layout::Type = <$content as $crate::encode::Content>::TYPE;

            #[inline]
            fn encode<S: $crate::encode::Sink>(&self, w: &mut $crate::encode::Writer<'_, S>) {
                $crate::encode::text::encode(<$content as $crate::encode::Content>::content(self), w);
            }

            #[inline]
            fn decode<'a>(r: &mut $crate::encode::Reader<'a>) -> Result<$ref, $crate::error::DecodeError> {
                let at = r.offset();
                let from: $crate::encode::text::From<'a, $content, $ref> = $from;
                from($crate::encode::text::decode(r)?, at)
            }

            #[inline]
            fn skip(r: &mut $crate::encode::Reader<'_>) -> Result<(), $crate::error::DecodeError> {
                r.until_terminator().map(drop)
            }
        }

        impl<$($generics)*> $crate::encode::RawField for $type {
            #[inline]
            fn encode_raw<S: $crate::encode::Sink>(&self, w: &mut $crate::encode::Writer<'_, S>) {
                w.bytes(<$content as $crate::encode::Content>::content(self));
            }

            #[inline]
            fn decode_raw<'a>(r: &mut $crate::encode::Reader<'a>) -> Result<$ref, $crate::error::DecodeError> {
                let at = r.offset();
                let from: $crate::encode::text::From<'a, $content, $ref> = $from;
                from(<$content as $crate::encode::Content>::from_content(r.remainder(), at)?, at)
            }
        }

        impl<$($generics)*> $crate::encode::ContentField<$content> for $type {}

        impl<$($generics)*> $crate::encode::StartsWith<$content> for $type {}
    )*};
}
#[cfg_attr(
    not(any(feature = "arrayvec", feature = "bytes", feature = "compact_str", feature = "smol_str")),
    allow(unused_imports)
)]
pub(crate) use content;

/// How a field is made of its content, which began at an offset.
pub(crate) type From<'a, C, T> = fn(Cow<'a, C>, usize) -> Result<T, DecodeError>;

macro_rules! contents {
    ($($content:ty, $owned:ty;)*) => {$(
        content! {
            [] $owned, $content, Self, |content, _| Ok(content.into_owned());
            [] Box<$content>, $content, Self, |content, _| Ok(content.into_owned().into());
            [] Rc<$content>, $content, Self, |content, _| Ok(content.into_owned().into());
            [] Arc<$content>, $content, Self, |content, _| Ok(content.into_owned().into());
            ['x] Cow<'x, $content>, $content, Cow<'a, $content>, |content, _| Ok(content);
            ['x] &'x $content, $content, &'a $content, |content, at| match content {
                Cow::Borrowed(content) => Ok(content),
                Cow::Owned(_) => Err(not_borrowable(at)),
            };
        }
        content_sources! {
            $content: &$content, $owned, &$owned, Box<$content>,
            &Box<$content>, Rc<$content>, &Rc<$content>, Arc<$content>, &Arc<$content>, Cow<'_, $content>,
            &Cow<'_, $content>, &&$content
        }
    )*};
}

/// What a prefix takes for a field of text, or of bytes.
macro_rules! content_sources {
    ($content:ty: $($source:ty),*) => {
        $($crate::encode::text::content_sources!(@ [] $content: $source);)*
    };
    (@ [$($generics:tt)*] $content:ty: $source:ty) => {
        #[diagnostic::do_not_recommend]
        impl<T: $crate::encode::ContentField<$content>, $($generics)*> $crate::encode::IntoField<T> for $source {
            #[inline]
            fn encode_field<S: $crate::encode::Sink>(&self, w: &mut $crate::encode::Writer<'_, S>) {
                let content: &$content = self;
                $crate::encode::text::encode($crate::encode::Content::content(content), w);
            }
        }

        #[diagnostic::do_not_recommend]
        impl<T: $crate::encode::ContentField<$content> + $crate::encode::RawField, $($generics)*>
            $crate::encode::IntoField<$crate::encode::RawOf<T>> for $source
        {
            #[inline]
            fn encode_field<S: $crate::encode::Sink>(&self, w: &mut $crate::encode::Writer<'_, S>) {
                let content: &$content = self;
                w.bytes($crate::encode::Content::content(content));
            }
        }
    };
}
pub(crate) use content_sources;

/// An array of bytes for a field of bytes, so that literals do.
macro_rules! array_sources {
    ($($source:ty),*) => {$(
        #[diagnostic::do_not_recommend]
        impl<T: ContentField<[u8]>, const N: usize> IntoField<T> for $source {
            #[inline]
            fn encode_field<S: Sink>(&self, w: &mut Writer<'_, S>) {
                encode(self.as_slice(), w);
            }
        }

        #[diagnostic::do_not_recommend]
        impl<T: ContentField<[u8]> + RawField, const N: usize> IntoField<RawOf<T>> for $source {
            #[inline]
            fn encode_field<S: Sink>(&self, w: &mut Writer<'_, S>) {
                w.bytes(self.as_slice());
            }
        }
    )*};
}
array_sources!([u8; N], &[u8; N]);

contents! {
    str, String;
    [u8], Vec<u8>;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::encode::tests::{bytes, refused, vector};

    #[test]
    fn vectors() {
        vector(String::new(), "00", "ff");
        vector("ab".to_owned(), "616200", "9e9dff");
        vector("a\0b\u{1}".to_owned(), "61010162010200", "9efefe9dfefdff");
        vector(vec![0u8, 1, 2], "010101020200", "fefefefdfdff");
        vector(Cow::Borrowed("Hello,"), "48656c6c6f2c00", "b79a939390d3ff");
    }

    #[test]
    fn desc_with_its_terminator_sorts_what_it_would_not_without() {
        let desc = |text: &str| bytes(&std::cmp::Reverse(text.to_owned()));
        assert!(desc("a") > desc("a\0") && desc("a\0") > desc("ab") && desc("") > desc("a"));
    }

    #[test]
    fn what_is_no_text_is_refused() {
        for hex in ["61", "6101", "61010300", "61010000", "ff00"] {
            refused::<String>(hex);
        }
    }

    #[test]
    fn borrows_where_it_can() {
        let decode = |key: &'static [u8]| <Cow<'_, str>>::decode(&mut Reader::new(key)).unwrap();
        assert!(matches!(decode(b"ab\0"), Cow::Borrowed("ab")));
        assert!(matches!(decode(b"a\x01\x01\0"), Cow::Owned(text) if text == "a\0"));
        let error = <&str>::decode(&mut Reader::new(b"a\x01\x01\0")).unwrap_err();
        assert_eq!(error.reason(), &DecodeReason::NotBorrowable);
    }
}
