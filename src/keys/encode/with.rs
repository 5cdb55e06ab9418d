//! Encodings of your own: `#[rowkey(with = path)]`.

use std::marker::PhantomData;

use crate::keys::encode::IntoField;
use crate::keys::encode::{Codec, Reader, Sink, Writer};
use crate::keys::error::DecodeError;
use crate::keys::foreign::{Foreign, Order};
use crate::keys::layout::{Scalar, Type};
use crate::keys::words;

/// An encoding of your own for fields of type `T`: `#[rowkey(with = path)]` names it.
///
/// It must keep the promises of every field: bytes sort as values do, they tell where they end, and each value has one
/// form, which decoding checks. It writes and reads through [`Writer`] and [`Reader`], which invert the bytes of a
/// `desc` field. `laws::encoding` (feature `laws`) tests the promises with your values.
///
/// ```
/// use rowkey::encode::{Encoding, Reader, Sink, Writer};
/// use rowkey::{DecodeError, RowKey};
///
/// /// An unsigned 24-bit number in three bytes, as OpenTSDB writes its ids.
/// struct U24;
///
/// #[derive(Debug, Clone, Copy, PartialEq)]
/// struct Uid(u32); // below 2^24: checked where it is made
///
/// impl Encoding<Uid> for U24 {
///     const SHAPE: &'static str = "u24";
///     const WIDTH: Option<usize> = Some(3);
///
///     fn encode<S: Sink>(id: &Uid, w: &mut Writer<'_, S>) {
///         let [_, a, b, c] = id.0.to_be_bytes();
///         w.array([a, b, c]);
///     }
///
///     fn decode(r: &mut Reader<'_>) -> Result<Uid, DecodeError> {
///         let [a, b, c] = r.array()?;
///         Ok(Uid(u32::from_be_bytes([0, a, b, c])))
///     }
/// }
///
/// #[derive(RowKey)]
/// struct Metric {
///     #[rowkey(with = U24)]
///     id: Uid,
///     hour: u32,
/// }
///
/// assert_eq!(Metric { id: Uid(7), hour: 1 }.encode(), [0, 0, 7, 0, 0, 0, 1]);
/// assert_eq!(Metric::LAYOUT.shape(), "u24, u32");
/// ```
///
/// `decode` returns an error for bytes that it can't decode, and does not panic. If it does in a scan, and the program
/// catches the panic, the scan ends with an error: it does not go on behind the row.
///
/// # Values that can't be in a key
///
/// `encode` has no error to return, so every value must be valid. Use a type that checks its value when it is made, as
/// [`Domain`](crate::Domain) and `UrlKey` do: the error is where the bad value comes in, and every key can be written.
/// An example is text that is padded to a fixed width:
///
/// ```
/// use rowkey::encode::{Encoding, Reader, Sink, Writer};
/// use rowkey::{DecodeError, RowKey};
///
/// /// Text of at most `N` bytes, none of them zero.
/// #[derive(Debug, Clone, PartialEq)]
/// struct Code<const N: usize>(String);
///
/// impl<const N: usize> TryFrom<&str> for Code<N> {
///     type Error = String;
///
///     fn try_from(text: &str) -> Result<Self, String> {
///         if text.len() > N || text.contains('\0') {
///             return Err(format!("{text:?} is not a code: it has at most {N} bytes, and no zero"));
///         }
///         Ok(Self(text.to_owned()))
///     }
/// }
///
/// /// A code in `N` bytes, padded with zeros, so it sorts before longer codes that begin with it.
/// struct Padded<const N: usize>;
///
/// impl<const N: usize> Encoding<Code<N>> for Padded<N> {
///     const SHAPE: &'static str = "padded";
///     const WIDTH: Option<usize> = Some(N);
///     const PARAMETERS: &'static [u64] = &[N as u64];
///
///     fn encode<S: Sink>(code: &Code<N>, w: &mut Writer<'_, S>) {
///         let mut bytes = code.0.bytes();
///         w.array::<N>(std::array::from_fn(|_| bytes.next().unwrap_or(0)));
///     }
///
///     fn decode(r: &mut Reader<'_>) -> Result<Code<N>, DecodeError> {
///         let (at, bytes) = (r.offset(), r.array::<N>()?);
///         let refused = |found: String| r.bad_value(at, found, "it is text, then zeros");
///         let text = std::str::from_utf8(&bytes).map_err(|error| refused(error.to_string()))?;
///         // The same check as above refuses a zero inside.
///         Code::try_from(text.trim_end_matches('\0')).map_err(refused)
///     }
/// }
///
/// #[derive(RowKey, Debug, PartialEq)]
/// struct Airport {
///     #[rowkey(with = Padded::<4>)]
///     code: Code<4>,
///     flight: u16,
/// }
///
/// let airport = Airport { code: Code::try_from("AMS")?, flight: 1 };
/// assert_eq!(airport.encode(), b"AMS\0\0\x01");
/// assert_eq!(Airport::decode(b"AMS\0\0\x01")?, airport);
/// assert!(Code::<4>::try_from("Amsterdam").is_err());
/// assert!(Airport::decode(b"A\0MS\0\x01").is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an encoding of `{T}`",
    label = "not an encoding of `{T}`",
    note = "`with` names a type that implements `rowkey::encode::Encoding<{T}>`: `T` must be the field's own type"
)]
pub trait Encoding<T> {
    /// The encoding's name in the key's shape: one word that is not a word of the format, without
    /// `, : ( ) < > [ ] { }`.
    const SHAPE: &'static str;

    /// The width of a value in bytes, if all values have the same. A table keeps it, and is not opened with another
    /// one. Default: `None`, for values of different widths.
    const WIDTH: Option<usize> = None;

    /// The parameters of a generic encoding, as the `N` of a `Pad<N>`. A table keeps them, and is not opened with other
    /// ones. Default: none.
    ///
    /// ```
    /// use rowkey::encode::{Encoding, Reader, Sink, Writer};
    /// use rowkey::{DecodeError, Error, Memory, RowKey, Table};
    ///
    /// /// Small numbers, written as their sum with `OFFSET`.
    /// struct Above<const OFFSET: u8>;
    ///
    /// impl<const OFFSET: u8> Encoding<u8> for Above<OFFSET> {
    ///     const SHAPE: &'static str = "above";
    ///     const PARAMETERS: &'static [u64] = &[OFFSET as u64];
    ///
    ///     fn encode<S: Sink>(number: &u8, w: &mut Writer<'_, S>) {
    ///         w.array((u16::from(*number) + u16::from(OFFSET)).to_be_bytes());
    ///     }
    ///
    ///     fn decode(r: &mut Reader<'_>) -> Result<u8, DecodeError> {
    ///         let (at, number) = (r.offset(), u16::from_be_bytes(r.array()?));
    ///         let number = number.checked_sub(OFFSET.into()).and_then(|number| u8::try_from(number).ok());
    ///         number.ok_or_else(|| r.bad_value(at, "another number", "it is its offset plus 0 to 255"))
    ///     }
    /// }
    ///
    /// #[derive(RowKey)]
    /// struct Old(#[rowkey(with = Above::<1>)] u8);
    /// #[derive(RowKey)]
    /// struct New(#[rowkey(with = Above::<2>)] u8);
    ///
    /// let db = Memory::new();
    /// Table::<Old, (), _>::open(&db, "numbers")?;
    /// let refused = Table::<New, (), _>::open(&db, "numbers").unwrap_err();
    /// assert!(matches!(refused, Error::Fields { .. }));
    /// # Ok::<(), rowkey::Error>(())
    /// ```
    const PARAMETERS: &'static [u64] = &[];

    /// The encoding of another program, if it is one that a layout knows by itself.
    #[doc(hidden)]
    const FOREIGN: Option<Foreign> = None;

    /// Writes the value.
    fn encode<S: Sink>(value: &T, w: &mut Writer<'_, S>);

    /// Reads a value.
    ///
    /// # Errors
    /// If the bytes are not what `encode` writes for some value: [`Reader::bad_value`] makes the error.
    fn decode(r: &mut Reader<'_>) -> Result<T, DecodeError>;

    /// Returns the value as text, for [`RowKey::explain`](crate::RowKey::explain). Default: the hex of its bytes.
    fn describe(value: &T) -> String {
        let mut bytes = Vec::new();
        Self::encode(value, &mut Writer::new(&mut bytes));
        crate::keys::error::Hex(&bytes).to_string()
    }
}

/// A field of type `T` that is encoded by `E`.
#[doc(hidden)]
pub struct With<E, T>(PhantomData<(E, T)>);

impl<E: Encoding<T>, T> Codec for With<E, T> {
    type Value = T;
    type Ref<'a> = T;
    const TYPE: &'static Type = &match E::FOREIGN {
        Some(foreign) => Type::Scalar(Scalar::Foreign(foreign)),
        None => Type::Custom {
            shape: {
                assert!(
                    is_custom_shape(E::SHAPE),
                    "an Encoding's SHAPE is one word that is not a word of the format, without brackets, commas and colons"
                );
                E::SHAPE
            },
            parameters: E::PARAMETERS,
            width: E::WIDTH,
            describe: |r| E::decode(r).map(|value| E::describe(&value)),
        },
    };

    #[inline]
    fn encode<S: Sink>(value: &T, w: &mut Writer<'_, S>) {
        E::encode(value, w);
    }

    #[inline]
    fn decode<'a>(r: &mut Reader<'a>) -> Result<T, DecodeError> {
        E::decode(r)
    }

    #[inline]
    fn skip(r: &mut Reader<'_>) -> Result<(), DecodeError> {
        match E::WIDTH {
            Some(width) => r.skip(width),
            None => E::decode(r).map(drop),
        }
    }
}

impl<E: Encoding<T>, T> With<E, T> {
    /// Writes the value that a prefix fixes the field to.
    #[inline]
    fn fix<S: Sink>(value: &T, w: &mut Writer<'_, S>) {
        const {
            assert!(
                !matches!(E::FOREIGN, Some(foreign) if foreign.bytes_after().is_some()),
                "a prefix can't fix this field: only a whole key says where it ends. Read a row by its key, or fix the \
                 fields before it"
            );
        }
        E::encode(value, w);
    }
}

#[diagnostic::do_not_recommend]
impl<E: Encoding<T>, T> IntoField<With<E, T>> for T {
    const ORDER: Order = <With<E, T> as Codec>::TYPE.order();
    const BEYOND: Option<&'static [u8]> = <With<E, T> as Codec>::TYPE.beyond();

    #[inline]
    fn encode_field<S: Sink>(&self, w: &mut Writer<'_, S>) {
        With::<E, T>::fix(self, w);
    }
}

#[diagnostic::do_not_recommend]
impl<E: Encoding<T>, T> IntoField<With<E, T>> for &T {
    const ORDER: Order = <With<E, T> as Codec>::TYPE.order();
    const BEYOND: Option<&'static [u8]> = <With<E, T> as Codec>::TYPE.beyond();

    #[inline]
    fn encode_field<S: Sink>(&self, w: &mut Writer<'_, S>) {
        With::<E, T>::fix(self, w);
    }
}

/// Returns whether a text can name a user's own encoding: one word that is not a word of the format, without its
/// punctuation.
pub(crate) const fn is_custom_shape(shape: &str) -> bool {
    let bytes = shape.as_bytes();
    let mut i = 0;
    while i < bytes.len() {
        if !bytes[i].is_ascii_graphic()
            || matches!(bytes[i], b',' | b':' | b'(' | b')' | b'<' | b'>' | b'[' | b']' | b'{' | b'}')
        {
            return false;
        }
        i += 1;
    }
    !bytes.is_empty() && !is_among(bytes, words::TYPES) && !is_among(bytes, words::OTHERS)
}

const fn is_among(word: &[u8], words: &[&str]) -> bool {
    let mut i = 0;
    while i < words.len() {
        if is_same(word, words[i].as_bytes()) {
            return true;
        }
        i += 1;
    }
    false
}

/// The type of the format that a word may be meant to be: another case of its name, a name that it has elsewhere, or
/// one letter off.
pub(crate) fn nearest_type(word: &str) -> Option<&'static str> {
    const ELSEWHERE: &[(&str, &str)] = &[
        ("string", "text"),
        ("str", "text"),
        ("varchar", "text"),
        ("utf8", "text"),
        ("blob", "bytes"),
        ("binary", "bytes"),
        ("varbinary", "bytes"),
        ("byte", "u8"),
        ("short", "i16"),
        ("int", "i32"),
        ("integer", "i32"),
        ("long", "i64"),
        ("bigint", "i64"),
        ("int64", "i64"),
        ("uint64", "u64"),
        ("int32", "i32"),
        ("uint32", "u32"),
        ("float", "f32"),
        ("double", "f64"),
        ("boolean", "bool"),
        ("timestamp", "instant"),
        ("datetime", "instant"),
        ("systemtime", "instant"),
        ("uuid", "bytes[16]"),
        ("ulid", "bytes[16]"),
        ("ip", "ipaddr"),
        ("ipv4", "bytes[4]"),
        ("ipv4addr", "bytes[4]"),
        ("ipv6", "bytes[16]"),
        ("ipv6addr", "bytes[16]"),
        ("hostpath", "host_path"),
    ];
    let word = word.to_ascii_lowercase();
    let types = || words::TYPES.iter().copied();
    let elsewhere = ELSEWHERE.iter().find(|(name, _)| *name == word).map(|(_, meant)| *meant);
    types().find(|name| *name == word).or(elsewhere).or_else(|| types().find(|name| is_near(name, &word)))
}

/// Returns whether two words differ by one letter, which is changed, added or left out.
fn is_near(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let same = a.iter().zip(b).take_while(|(a, b)| a == b).count();
    let rest = |word: &[u8], skip: usize| word.get(same + skip..).map(<[u8]>::to_vec);
    match a.len().cmp(&b.len()) {
        std::cmp::Ordering::Equal => rest(a, 1) == rest(b, 1),
        std::cmp::Ordering::Less => b.len() - a.len() == 1 && rest(a, 0) == rest(b, 1),
        std::cmp::Ordering::Greater => a.len() - b.len() == 1 && rest(a, 1) == rest(b, 0),
    }
}

const fn is_same(a: &[u8], b: &[u8]) -> bool {
    if a.len() != b.len() {
        return false;
    }
    let mut i = 0;
    while i < a.len() {
        if a[i] != b[i] {
            return false;
        }
        i += 1;
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_type_is_named() {
        for (word, nearest) in [
            ("u65", Some("u64")),
            ("tiles", Some("tile")),
            ("string", Some("text")),
            ("String", Some("text")),
            ("U64", Some("u64")),
            ("txt", Some("text")),
            ("texts", Some("text")),
            ("boool", Some("bool")),
            ("my-own", None),
            ("opentsdb_uid", None),
            ("", None),
        ] {
            assert_eq!(nearest_type(word), nearest, "{word}");
        }
    }
}
