//! Text and bytes of any length.
//!
//! ```text
//! "ab"      61 62 00             the bytes, then the terminator 00
//! "a\0"     61 01 01 00          00 → 01 01 and 01 → 01 02, so there is no 00 inside, and memchr finds the end
//! "a" desc  9e ff                every byte inverted, the terminator too: "a" sorts after "a\0" (9e fe fe ff)
//! ```
//!
//! `raw`, on the last field of a key, is the bytes alone: no escapes, no terminator.

use std::borrow::Cow;
use std::rc::Rc;
use std::sync::Arc;

use crate::keys::encode::{Field, Reader, Sink, Writer};
use crate::keys::error::{DecodeError, DecodeReason};
use crate::keys::layout::{Scalar, Type};
use crate::keys::prefix::{PrefixBuf, Selection};
use crate::keys::reader::Run;

const TERMINATOR: u8 = 0;
const ESCAPE: u8 = 1;

/// `str` or `[u8]`: the content of all types of text, and of bytes.
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

    /// Copies short text before it checks it, because std's check is fast from an aligned start, which a copy has.
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

/// A field of text or bytes: a prefix takes `&str`, `String` and the like for it, or `&[u8]`, `Vec<u8>` and the like.
pub trait ContentField<C: ?Sized>: Field {}

/// A field with `name_starts_with` in a prefix: text, bytes, transparent newtypes of these, and `Box`, `Rc` and `Arc`
/// of them.
#[diagnostic::on_unimplemented(
    message = "values of a field of type `{Self}` do not start with a `{C}`",
    note = "a `List` has no beginning in prefixes: `name_range(List(vec![1])..List(vec![2]))`; nor has an Option: `name_range(Some(\"x\")..Some(\"y\"))`",
    note = "`name_starts_with` is for text and bytes; the pages of a host by the start of their paths are `name_under(&Site::host(\"..\")?.path_starts_with(\"/..\"))`"
)]
pub trait StartsWith<C: ?Sized> {
    /// Ends a prefix with what the field starts with.
    #[doc(hidden)]
    fn starting<K: ?Sized>(prefix: PrefixBuf, start: &C, desc: bool, raw: bool) -> Selection<K>
    where
        C: Content,
    {
        prefix.starts_with(start, desc, raw)
    }
}

#[inline]
pub(crate) fn encode<S: Sink>(content: &[u8], w: &mut Writer<'_, S>) {
    escape(content, w);
    w.byte(TERMINATOR);
}

/// Writes content without its terminator: the bytes that all content with this beginning begins with.
#[inline]
pub(crate) fn escape<S: Sink>(content: &[u8], w: &mut Writer<'_, S>) {
    match first_to_escape(content) {
        None => w.bytes(content),
        Some(first) => escape_from(first, content, w),
    }
}

/// Searching up to this many bytes is faster than the call of `memchr`.
const SHORT: usize = 64;

#[inline]
fn first_to_escape(content: &[u8]) -> Option<usize> {
    if content.len() <= SHORT && !content.iter().fold(false, |any, &byte| any | (byte <= ESCAPE)) {
        return None;
    }
    memchr::memchr2(TERMINATOR, ESCAPE, content)
}

/// Escapes come in crowds: from the first on, this many bytes are written without a branch before `memchr` is called
/// again.
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

/// Escapes a few bytes, and returns how many they have become.
fn escape_crowd(crowd: &[u8], escaped: &mut [u8; 2 * CROWD]) -> usize {
    let mut len = 0;
    for &byte in crowd {
        let escape = byte <= ESCAPE;
        // The index is never out of bounds; the remainder lets the compiler drop the check.
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

/// Undoes inversion and escapes.
#[inline(never)]
fn upright(run: &Run<'_>, escape: Option<usize>) -> Result<Vec<u8>, DecodeError> {
    let Some(first) = escape else { return Ok(run.bytes.iter().map(|byte| !byte).collect()) };
    let mut content = Vec::new();
    unescape(run, first, &mut content)?;
    Ok(content)
}

/// Reads ascending bytes, without their terminator, into `content`, which is cleared first.
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
    // Without a branch for each byte, because in a crowd of escapes the branch could not be predicted.
    let (mut len, mut after_escape, mut wrong) = (first, 0, false);
    let out = content.as_mut_slice();
    for &byte in &run.bytes[first..] {
        let byte = byte ^ run.mask;
        let unescaped = byte.wrapping_sub(after_escape);
        wrong |= after_escape != 0 && unescaped > 1;
        after_escape = u8::from(byte == ESCAPE) & !after_escape;
        if let Some(place) = out.get_mut(len) {
            *place = unescaped;
        }
        len += usize::from(after_escape == 0);
    }
    let after_escape = after_escape != 0;
    if wrong | after_escape {
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

/// The error for text that is not UTF-8, at its first wrong byte.
#[cold]
fn not_utf8(bytes: &[u8], at: usize) -> DecodeError {
    let valid = std::str::from_utf8(bytes).err().map_or(0, |error| error.valid_up_to());
    DecodeError::new(at + valid, DecodeReason::Utf8)
}

#[cold]
fn not_borrowable(at: usize) -> DecodeError {
    DecodeError::new(at, DecodeReason::NotBorrowable)
}

/// Implements [`Field`] and what goes with it for types of text or bytes, and [`IntoField`] for their values.
///
/// `[generics] Type as Content => Ref, make;` says what decoding returns, and how it makes that of decoded content,
/// which began at an offset of the key. The traits and errors that `make` uses are imported here.
macro_rules! content {
    ($([$($generics:tt)*] $type:ty as $content:ty => $ref:ty, $make:expr;)*) => {$(
        const _: () = {
            use $crate::keys::encode::{Content, ContentField, Field, RawField, Reader, Sink, StartsWith, Writer, text};
            use $crate::keys::error::DecodeError;
            use $crate::keys::layout::Type;

            impl<$($generics)*> Field for $type {
                type Ref<'a> = $ref;
                const TYPE: &'static Type = <$content as Content>::TYPE;

                #[inline]
                fn encode<S: Sink>(&self, w: &mut Writer<'_, S>) {
                    text::encode(<$content as Content>::content(self), w);
                }

                #[inline]
                fn decode<'a>(r: &mut Reader<'a>) -> Result<$ref, DecodeError> {
                    let at = r.offset();
                    let make: text::Make<'a, $ref> = $make;
                    make(text::decode(r)?, at)
                }

                #[inline]
                fn skip(r: &mut Reader<'_>) -> Result<(), DecodeError> {
                    r.until_terminator().map(drop)
                }
            }

            impl<$($generics)*> RawField for $type {
                #[inline]
                fn encode_raw<S: Sink>(&self, w: &mut Writer<'_, S>) {
                    w.bytes(<$content as Content>::content(self));
                }

                #[inline]
                fn decode_raw<'a>(r: &mut Reader<'a>) -> Result<$ref, DecodeError> {
                    let at = r.offset();
                    let make: text::Make<'a, $ref> = $make;
                    make(r.remainder(), at)
                }
            }

            impl<$($generics)*> ContentField<$content> for $type {}

            impl<$($generics)*> StartsWith<$content> for $type {}
        };
        $crate::keys::encode::text::content_value!([$($generics)*] $type as $content);
        $crate::keys::encode::text::content_value!([$($generics)*] &$type as $content);
    )*};
}
#[cfg_attr(
    not(any(feature = "arrayvec", feature = "bytes", feature = "compact_str", feature = "smol_str")),
    allow(unused_imports)
)]
pub(crate) use content;

/// Makes a field of its content, which began at an offset.
pub(crate) type Make<'a, T> = fn(Cow<'a, [u8]>, usize) -> Result<T, DecodeError>;

/// Lets a prefix take values of a type for every field of its content, raw or not.
macro_rules! content_value {
    ([$($generics:tt)*] $value:ty as $content:ty) => {
        const _: () = {
            use $crate::keys::encode::{Content, ContentField, IntoField, RawField, RawOf, Sink, Writer, text};

            #[diagnostic::do_not_recommend]
            impl<$($generics)* T: ContentField<$content>> IntoField<T> for $value {
                #[inline]
                fn encode_field<S: Sink>(&self, w: &mut Writer<'_, S>) {
                    text::encode(Content::content(AsRef::<$content>::as_ref(self)), w);
                }
            }

            #[diagnostic::do_not_recommend]
            impl<$($generics)* T: ContentField<$content> + RawField> IntoField<RawOf<T>> for $value {
                #[inline]
                fn encode_field<S: Sink>(&self, w: &mut Writer<'_, S>) {
                    w.bytes(Content::content(AsRef::<$content>::as_ref(self)));
                }
            }
        };
    };
}
pub(crate) use content_value;

content! {
    [] String as str => Self, str::owned;
    [] Box<str> as str => Self, |content, at| str::owned(content, at).map(Into::into);
    [] Rc<str> as str => Self, |content, at| Ok(str::from_content(content, at)?.into());
    [] Arc<str> as str => Self, |content, at| Ok(str::from_content(content, at)?.into());
    ['x,] Cow<'x, str> as str => Cow<'a, str>, str::from_content;
    ['x,] &'x str as str => &'a str, borrowed;

    [] Vec<u8> as [u8] => Self, <[u8]>::owned;
    [] Box<[u8]> as [u8] => Self, |content, at| <[u8]>::owned(content, at).map(Into::into);
    [] Rc<[u8]> as [u8] => Self, |content, at| Ok(<[u8]>::from_content(content, at)?.into());
    [] Arc<[u8]> as [u8] => Self, |content, at| Ok(<[u8]>::from_content(content, at)?.into());
    ['x,] Cow<'x, [u8]> as [u8] => Cow<'a, [u8]>, <[u8]>::from_content;
    ['x,] &'x [u8] as [u8] => &'a [u8], borrowed;
}

// Literals of bytes are arrays.
content_value!([const N: usize,] [u8; N] as [u8]);
content_value!([const N: usize,] &[u8; N] as [u8]);

#[inline]
fn borrowed<C: Content + ?Sized>(content: Cow<'_, [u8]>, at: usize) -> Result<&C, DecodeError> {
    match C::from_content(content, at)? {
        Cow::Borrowed(content) => Ok(content),
        Cow::Owned(_) => Err(not_borrowable(at)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keys::encode::tests::{bytes, refused, vector};

    #[test]
    fn vectors() {
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

    /// The content, read byte by byte, and its length with the terminator; or the place and the byte of the error.
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
