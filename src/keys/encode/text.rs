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

use crate::keys::encode::raw::{RawField, RawOf};
use crate::keys::encode::{Field, IntoField, Reader, Sink, Writer};
use crate::keys::error::{DecodeError, DecodeReason};
use crate::keys::layout::{Scalar, Type};
use crate::keys::reader::Run;

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
    #[doc(hidden)]
    fn owned(content: Cow<'_, [u8]>, at: usize) -> Result<Self::Owned, DecodeError>;
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

    #[inline]
    fn owned(content: Cow<'_, [u8]>, _: usize) -> Result<Vec<u8>, DecodeError> {
        Ok(content.into_owned())
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
            Cow::Borrowed(bytes) => match simdutf8::basic::from_utf8(bytes) {
                Ok(text) => Ok(Cow::Borrowed(text)),
                Err(_) => Err(not_utf8(bytes, at)),
            },
            Cow::Owned(bytes) => {
                String::from_utf8(bytes).map(Cow::Owned).map_err(|_| DecodeError::new(at, DecodeReason::Utf8))
            }
        }
    }

    /// Short text is copied before it is checked: `std` goes by words from an aligned start alone, which a copy has.
    #[inline]
    fn owned(content: Cow<'_, [u8]>, at: usize) -> Result<String, DecodeError> {
        match content {
            Cow::Borrowed(bytes) if bytes.len() <= SHORT => {
                String::from_utf8(bytes.to_vec()).map_err(|_| not_utf8(bytes, at))
            }
            content => Ok(Self::from_content(content, at)?.into_owned()),
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
pub(crate) fn escape<S: Sink>(content: &[u8], w: &mut Writer<'_, S>) {
    match first_to_escape(content) {
        None => w.bytes(content),
        Some(first) => escape_from(first, content, w),
    }
}

/// So few bytes are looked through sooner than `memchr` is called.
const SHORT: usize = 64;

#[inline]
fn first_to_escape(content: &[u8]) -> Option<usize> {
    if content.len() <= SHORT && !content.iter().fold(false, |any, &byte| any | (byte <= ESCAPE)) {
        return None;
    }
    memchr::memchr2(TERMINATOR, ESCAPE, content)
}

/// Escapes come in crowds: from the first on, so many bytes are written without a branch before `memchr` is asked again.
const CROWD: usize = 64;

#[cold]
fn escape_from<S: Sink>(mut first: usize, mut content: &[u8], w: &mut Writer<'_, S>) {
    let mut escaped = [0; 2 * CROWD];
    loop {
        w.bytes(&content[..first]);
        let (crowd, rest) = content[first..].split_at(CROWD.min(content.len() - first));
        let len = escape_crowd(crowd, &mut escaped);
        w.bytes(&escaped[..len]);
        content = rest;
        match memchr::memchr2(TERMINATOR, ESCAPE, content) {
            Some(next) => first = next,
            None => break,
        }
    }
    w.bytes(content);
}

/// Escapes a few bytes, and says how many they have become.
fn escape_crowd(crowd: &[u8], escaped: &mut [u8; 2 * CROWD]) -> usize {
    let mut len = 0;
    for &byte in crowd {
        let escape = byte <= ESCAPE;
        // It fits anyway; with the remainder nothing is left to check.
        escaped[len % (2 * CROWD)] = if escape { ESCAPE } else { byte };
        escaped[(len + 1) % (2 * CROWD)] = byte.wrapping_add(1);
        len += 1 + usize::from(escape);
    }
    len
}

#[inline]
pub(crate) fn decode<'a>(r: &mut Reader<'a>) -> Result<Cow<'a, [u8]>, DecodeError> {
    let (run, escape) = r.until_terminator_or_escape()?;
    match (escape, run.mask) {
        (None, 0) => Ok(Cow::Borrowed(run.bytes)),
        _ => upright(&run, escape).map(Cow::Owned),
    }
}

/// A run as it was before it was inverted or escaped.
#[inline(never)]
fn upright(run: &Run<'_>, escape: Option<usize>) -> Result<Vec<u8>, DecodeError> {
    let Some(first) = escape else { return Ok(run.bytes.iter().map(|byte| !byte).collect()) };
    let mut content = Vec::new();
    unescape(run, first, &mut content)?;
    Ok(content)
}

/// Reads ascending bytes, their terminator already off, into `content`, in place of what it holds.
#[inline]
#[cfg(any(feature = "tables", test))]
pub(crate) fn decode_into(bytes: &[u8], content: &mut Vec<u8>) -> Result<(), DecodeError> {
    content.clear();
    match memchr::memchr(ESCAPE, bytes) {
        Some(first) => unescape(&Run { bytes, at: 0, mask: 0 }, first, content),
        None => {
            content.extend_from_slice(bytes);
            Ok(())
        }
    }
}

/// Undoes the escapes, of which the first is at `first`.
#[inline(never)]
fn unescape(run: &Run<'_>, first: usize, content: &mut Vec<u8>) -> Result<(), DecodeError> {
    content.extend_from_slice(run.bytes);
    content[..first].iter_mut().for_each(|byte| *byte ^= run.mask);
    // Without a branch on what a byte is: escapes come in crowds, and whether the next byte is one can't be guessed.
    let (mut len, mut behind_escape, mut wrong) = (first, 0, false);
    let out = content.as_mut_slice();
    for &byte in &run.bytes[first..] {
        let byte = byte ^ run.mask;
        let unescaped = byte.wrapping_sub(behind_escape);
        wrong |= behind_escape != 0 && unescaped > 1;
        behind_escape = u8::from(byte == ESCAPE) & !behind_escape;
        if let Some(place) = out.get_mut(len) {
            *place = unescaped;
        }
        len += usize::from(behind_escape == 0);
    }
    let behind_escape = behind_escape != 0;
    if wrong | behind_escape {
        return Err(wrong_escape(run, first));
    }
    content.truncate(len);
    Ok(())
}

/// The error for the first wrong escape.
#[cold]
fn wrong_escape(run: &Run<'_>, first: usize) -> DecodeError {
    let (escape, byte) = (ESCAPE ^ run.mask, |at: usize| run.bytes.get(at).copied());
    let mut at = first;
    while byte(at) != Some(escape) || matches!(byte(at + 1).map(|byte| byte ^ run.mask), Some(1 | 2)) {
        at += if byte(at) == Some(escape) { 2 } else { 1 };
    }
    let [first, second] = [1 ^ run.mask, 2 ^ run.mask];
    let found = byte(at + 1).unwrap_or(TERMINATOR ^ run.mask);
    DecodeError::new(run.at + at + 1, DecodeReason::Escape { found, first, second })
}

/// The error for the first byte that does not belong to a character.
#[cold]
fn not_utf8(bytes: &[u8], at: usize) -> DecodeError {
    let valid = std::str::from_utf8(bytes).err().map_or(0, |error| error.valid_up_to());
    DecodeError::new(at + valid, DecodeReason::Utf8)
}

#[cold]
fn not_borrowable(at: usize) -> DecodeError {
    DecodeError::new(at, DecodeReason::NotBorrowable)
}

/// The fields that are text, or bytes: what each is, and how it is made of decoded content that began at an offset.
macro_rules! content {
    ($([$($generics:tt)*] $type:ty, $content:ty, $ref:ty, $from:expr;)*) => {$(
        impl<$($generics)*> $crate::keys::encode::Field for $type {
            type Ref<'a> = $ref;
            const TYPE: &'static $crate::keys::layout::Type = <$content as $crate::keys::encode::Content>::TYPE;

            #[inline]
            fn encode<S: $crate::keys::encode::Sink>(&self, w: &mut $crate::keys::encode::Writer<'_, S>) {
                $crate::keys::encode::text::encode(<$content as $crate::keys::encode::Content>::content(self), w);
            }

            #[inline]
            fn decode<'a>(r: &mut $crate::keys::encode::Reader<'a>) -> Result<$ref, $crate::keys::error::DecodeError> {
                let at = r.offset();
                let from: $crate::keys::encode::text::From<'a, $ref> = $from;
                from($crate::keys::encode::text::decode(r)?, at)
            }

            #[inline]
            fn skip(r: &mut $crate::keys::encode::Reader<'_>) -> Result<(), $crate::keys::error::DecodeError> {
                r.until_terminator().map(drop)
            }
        }

        impl<$($generics)*> $crate::keys::encode::RawField for $type {
            #[inline]
            fn encode_raw<S: $crate::keys::encode::Sink>(&self, w: &mut $crate::keys::encode::Writer<'_, S>) {
                w.bytes(<$content as $crate::keys::encode::Content>::content(self));
            }

            #[inline]
            fn decode_raw<'a>(r: &mut $crate::keys::encode::Reader<'a>) -> Result<$ref, $crate::keys::error::DecodeError> {
                let at = r.offset();
                let from: $crate::keys::encode::text::From<'a, $ref> = $from;
                from(r.remainder(), at)
            }
        }

        impl<$($generics)*> $crate::keys::encode::ContentField<$content> for $type {}

        impl<$($generics)*> $crate::keys::encode::StartsWith<$content> for $type {}
    )*};
}
#[cfg_attr(
    not(any(feature = "arrayvec", feature = "bytes", feature = "compact_str", feature = "smol_str")),
    allow(unused_imports)
)]
pub(crate) use content;

/// How a field is made of its content, which began at an offset.
pub(crate) type From<'a, T> = fn(Cow<'a, [u8]>, usize) -> Result<T, DecodeError>;

macro_rules! contents {
    ($($content:ty, $owned:ty;)*) => {$(
        content! {
            [] $owned, $content, Self, |content, at| <$content>::owned(content, at);
            [] Box<$content>, $content, Self, |content, at| <$content>::owned(content, at).map(Into::into);
            [] Rc<$content>, $content, Self, |content, at| Ok(<$content>::from_content(content, at)?.into());
            [] Arc<$content>, $content, Self, |content, at| Ok(<$content>::from_content(content, at)?.into());
            ['x] Cow<'x, $content>, $content, Cow<'a, $content>, |content, at| <$content>::from_content(content, at);
            ['x] &'x $content, $content, &'a $content, |content, at| match <$content>::from_content(content, at)? {
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
        $($crate::keys::encode::text::content_sources!(@ [] $content: $source);)*
    };
    (@ [$($generics:tt)*] $content:ty: $source:ty) => {
        #[diagnostic::do_not_recommend]
        impl<T: $crate::keys::encode::ContentField<$content>, $($generics)*> $crate::keys::encode::IntoField<T> for $source {
            #[inline]
            fn encode_field<S: $crate::keys::encode::Sink>(&self, w: &mut $crate::keys::encode::Writer<'_, S>) {
                let content: &$content = self;
                $crate::keys::encode::text::encode($crate::keys::encode::Content::content(content), w);
            }
        }

        #[diagnostic::do_not_recommend]
        impl<T: $crate::keys::encode::ContentField<$content> + $crate::keys::encode::RawField, $($generics)*>
            $crate::keys::encode::IntoField<$crate::keys::encode::RawOf<T>> for $source
        {
            #[inline]
            fn encode_field<S: $crate::keys::encode::Sink>(&self, w: &mut $crate::keys::encode::Writer<'_, S>) {
                let content: &$content = self;
                w.bytes($crate::keys::encode::Content::content(content));
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
    use crate::keys::encode::tests::{bytes, refused, vector};

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

    #[test]
    fn the_first_byte_that_is_no_text_is_named_in_short_and_long_text() {
        for len in [0, 1, 15, 16, 63, 64, 65, 200] {
            for bad in [&[0xff][..], &[0xe2, 0x82], &[0xc3, b'a']] {
                let key = [&vec![b'a'; len], bad, b"b\0"].concat();
                let offsets = [
                    String::decode(&mut Reader::new(&key)).unwrap_err().offset(),
                    <Cow<'_, str>>::decode(&mut Reader::new(&key)).unwrap_err().offset(),
                    <Arc<str>>::decode(&mut Reader::new(&key)).unwrap_err().offset(),
                ];
                assert_eq!(offsets, [len; 3], "{bad:x?}");
            }
        }
    }

    type Content = (Vec<u8>, usize);

    /// What content is, read byte by byte, and its length with the terminator; or where and at which byte it is wrong.
    fn read_naively(bytes: &[u8], mask: u8) -> Result<Content, Option<(usize, u8)>> {
        let end = bytes.iter().position(|&byte| byte == mask).ok_or(None)?;
        let (mut content, mut at) = (Vec::new(), 0);
        while at < end {
            match (bytes[at] ^ mask, bytes[at + 1] ^ mask) {
                (1, next @ (1 | 2)) => {
                    content.push(next - 1);
                    at += 2;
                }
                (1, _) => return Err(Some((at + 1, bytes[at + 1]))),
                (byte, _) => {
                    content.push(byte);
                    at += 1;
                }
            }
        }
        Ok((content, end + 1))
    }

    proptest::proptest! {
        #[test]
        fn content_is_what_it_is_byte_by_byte(
            bytes in proptest::collection::vec(proptest::sample::select(&[0u8, 1, 1, 1, 2, 2, 3, 0x61, 0xfd, 0xfe, 0xfe, 0xff][..]), 0..200),
            front in 0..4usize,
            desc: bool,
        ) {
            let mask = if desc { 0xff } else { 0 };
            // Most have an end, which most do not have at once.
            let mut bytes: Vec<u8> = bytes.into_iter().filter(|&byte| byte != mask || front == 0).map(|byte| byte ^ mask).collect();
            bytes.push(mask);
            let bytes = [&[7, 0, 0xff][..front.min(3)], &bytes].concat();
            let front = front.min(3);
            let mut r = Reader::new(&bytes);
            r.skip(front).unwrap();
            let found = if desc { r.direction(true, <Vec<u8>>::decode) } else { <Vec<u8>>::decode(&mut r) };
            match (found, read_naively(&bytes[front..], mask)) {
                (Ok(found), Ok((content, len))) => {
                    proptest::prop_assert_eq!(&found, &content);
                    proptest::prop_assert_eq!(r.offset(), front + len);
                    if !desc {
                        let mut into = b"before".to_vec();
                        decode_into(&bytes[front..front + len - 1], &mut into).unwrap();
                        proptest::prop_assert_eq!(into, content);
                    }
                }
                (Err(error), Err(Some((at, wrong)))) => {
                    let reason = DecodeReason::Escape { found: wrong, first: 1 ^ mask, second: 2 ^ mask };
                    proptest::prop_assert_eq!((error.offset(), error.reason()), (front + at, &reason));
                }
                (Err(error), Err(None)) => {
                    proptest::prop_assert_eq!(error.reason(), &DecodeReason::Unterminated { terminator: mask });
                }
                other => proptest::prop_assert!(false, "{:?}", other),
            }
        }
    }
}
