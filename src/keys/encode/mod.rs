//! Order-preserving encodings: the bytes of each type that can be a field of a key.
//!
//! A key is the bytes of its fields, joined in order. The bytes of a field sort as its values do, and end where the
//! field ends, so keys sort field by field:
//!
//! ```text
//! Action { user: 42, at: 1307097848000, event: 7 }          #[rowkey(desc)] at: newest first
//!
//!    user: u64                 at: i64, desc             event: u32
//!    00 00 00 00 00 00 00 2a | 7f ff fe cf aa e5 a7 3f | 00 00 00 07
//!
//! u32 1          00 00 00 01      big-endian
//! i32 -1         7f ff ff ff      sign bit flipped: before 0, which is 80 00 00 00
//! "ab"           61 62 00         ends at 00; a 00 in the text is written 01 01, a 01 is written 01 02
//! Some(5)        01 05            None is 00
//! desc           every byte of the field inverted: 1u32 is ff ff ff fe
//! ```
//!
//! ```
//! use rowkey::RowKey;
//!
//! assert_eq!(42u64.encode(), [0, 0, 0, 0, 0, 0, 0, 42]);
//! assert_eq!((-1i32).encode(), [0x7f, 0xff, 0xff, 0xff]);
//! assert_eq!(("ab", Some(5u8)).encode(), [0x61, 0x62, 0, 1, 5]);
//! ```
//!
//! FORMAT.md, beside the crate's source, defines the bytes of every type; they are frozen. A type has one encoding in
//! every place. [`Field`] is the trait of a field's type; [`Encoding`] (`#[rowkey(with = path)]`) writes bytes of your
//! own.
// One small file for each encoding.

mod array;
#[cfg(feature = "arrayvec")]
mod arrayvec;
mod bool;
mod bucket;
#[cfg(feature = "bytes")]
mod bytes;
mod char;
#[cfg(feature = "chrono")]
mod chrono;
#[cfg(feature = "compact_str")]
mod compact_str;
pub(crate) mod decimal;
mod float;
mod host_path;
mod instant;
mod int;
mod into;
mod ip;
#[cfg(feature = "ipnet")]
mod ipnet;
#[cfg(feature = "jiff")]
mod jiff;
mod list;
mod option;
mod plain;
mod pointer;
pub(crate) mod quadkey;
mod raw;
#[cfg(feature = "smol_str")]
mod smol_str;
mod text;
mod tile;
#[cfg(feature = "time")]
mod time;
mod tuple;
#[cfg(feature = "ulid")]
mod ulid;
mod unix;
#[cfg(feature = "url")]
mod url;
#[cfg(feature = "uuid")]
mod uuid;
mod with;

pub use self::bucket::Bucket;
#[cfg(feature = "chrono")]
pub use self::chrono::ChronoUtc;
pub(in crate::keys) use self::host_path::under_host;
pub use self::host_path::{HostPath, Site};
pub(crate) use self::instant::Instant;
pub(crate) use self::into::into_field;
pub use self::into::{FieldRange, FieldSpan, InItem, IntoField, Within};
pub use self::list::List;
pub(crate) use self::list::{another, mark};
pub use self::option::{Nullable, NullsHere, NullsOther};
pub(crate) use self::option::{decode_tag, encode_tag};
pub use self::plain::Plain;
pub use self::raw::{RawAs, RawField, RawOf};
#[cfg(feature = "tables")]
pub(crate) use self::text::decode_into;
pub(crate) use self::text::escape;
pub use self::text::{Content, ContentField, StartsWith};
pub use self::unix::{Micros, Millis, Nanos, Seconds};
#[cfg(feature = "url")]
pub use self::url::{UrlKey, UrlKeyError};
pub use self::with::{Encoding, With};
pub(crate) use self::with::{is_custom_shape, nearest_type};
use crate::keys::error::DecodeError;
pub use crate::keys::host::{Domain, HostPathError};
use crate::keys::layout::{FieldLayout, Layout, Type};
use crate::keys::lead::Lead;
pub use crate::keys::reader::Reader;
pub use crate::keys::writer::{Sink, Writer};

/// A type that can be a field of a key: its bytes sort as its values do, each value has one form, and the bytes tell
/// where they end.
///
/// Implemented for integers, floats, decimals, `bool`, `char`, text, bytes, addresses, instants, quadkeys, tiles,
/// `Option`, [`List`], tuples, `Box`, `Rc` and `Arc`; by `#[derive(RowKey)]` for keys without salt, digest or raw
/// field. For bytes of your own, see [`Encoding`].
///
/// Floats have the order of `total_cmp`: -0.0 is before 0.0, and every NaN is a value of its own.
#[diagnostic::on_unimplemented(
    message = "`{Self}` can't be a field of a row key",
    label = "not a key field",
    note = "for `Vec<T>`, sets and maps write `rowkey::List<T>`; for `usize` and `isize` write `u64` and `i64`; a struct needs `#[derive(RowKey)]`; one with a salt, digest or raw field can't be a field (list its fields instead), and a range of such keys is `prefix().field_range(a..b)`; a reference is `&str`, `&[u8]` or `&[u8; N]`",
    note = "types of other crates are fields by feature: `uuid`, `jiff` and so on; `rowkey::UrlKey` is for `url::Url`, `rowkey::ChronoUtc` for `chrono::DateTime<Utc>`, `time::UtcDateTime` for `OffsetDateTime`, `IpAddr` and `name_within(&net)` for networks",
    note = "for an encoding of your own write `#[rowkey(with = path)]`"
)]
pub trait Field {
    /// The type that decoding returns: `Self`, with the lifetime of the key's bytes if `Self` borrows from them.
    type Ref<'a>: Field;

    /// The type in the key's layout.
    const TYPE: &'static Type;

    /// The layout of a key that is this field alone.
    #[doc(hidden)]
    const AS_KEY: Layout =
        Layout { name: "key", lead: Lead::None, by: &[], fields: &[FieldLayout::new("_0", Self::TYPE)] };

    /// Writes the value.
    fn encode<S: Sink>(&self, w: &mut Writer<'_, S>);

    /// Reads a value.
    ///
    /// # Errors
    /// If the bytes are not what `encode` writes for some value.
    fn decode<'a>(r: &mut Reader<'a>) -> Result<Self::Ref<'a>, DecodeError>;

    /// Skips a value: finds its end without decoding it.
    ///
    /// # Errors
    /// If there is no end. Other errors of the value may not be found.
    fn skip(r: &mut Reader<'_>) -> Result<(), DecodeError>;
}

/// A [`Field`] that decodes to itself, so it borrows nothing from the bytes: the bound of a generic key's type
/// parameter.
pub trait OwnedField: for<'a> Field<Ref<'a> = Self> {}

impl<T: for<'a> Field<Ref<'a> = T>> OwnedField for T {}

/// The codec of a field in the derive's code, by a marker type for its form: plain, raw and so on.
///
/// An implementation detail of the derive. Each marker has one impl, so the compiler's error for a wrong field names
/// what that impl requires. The derive's code for a field uses this trait's methods alone, so there is one such error.
#[doc(hidden)]
pub trait Codec {
    type Value: ?Sized;
    type Ref<'a>;
    const TYPE: &'static Type;
    fn encode<S: Sink>(value: &Self::Value, w: &mut Writer<'_, S>);
    fn decode<'a>(r: &mut Reader<'a>) -> Result<Self::Ref<'a>, DecodeError>;
    fn skip(r: &mut Reader<'_>) -> Result<(), DecodeError>;

    /// Writes the field in its direction.
    #[inline]
    fn write_field<S: Sink>(value: &Self::Value, desc: bool, w: &mut Writer<'_, S>) {
        Self::encode(value, &mut w.direction(desc));
    }

    /// Reads the field in its direction; errors have its name.
    #[inline]
    fn read_field<'a>(name: &str, desc: bool, r: &mut Reader<'a>) -> Result<Self::Ref<'a>, DecodeError> {
        r.direction(desc, Self::decode).map_err(|error| error.in_field(name))
    }

    /// Skips the field.
    #[inline]
    fn skip_field(desc: bool, r: &mut Reader<'_>) -> Result<(), DecodeError> {
        r.direction(desc, Self::skip)
    }
}

/// Implements [`Field`] for a type without parts.
macro_rules! scalar {
    ($type:ty, $scalar:expr, $self:ident, $w:ident => $encode:expr, $r:ident => $decode:expr) => {
        impl $crate::keys::encode::Field for $type {
            type Ref<'a> = Self;
            const TYPE: &'static $crate::keys::layout::Type = &$crate::keys::layout::Type::Scalar($scalar);

            #[inline]
            fn encode<S: $crate::keys::encode::Sink>(&$self, $w: &mut $crate::keys::encode::Writer<'_, S>) {
                $encode
            }

            #[inline]
            fn decode<'a>($r: &mut $crate::keys::encode::Reader<'a>) -> Result<Self, $crate::keys::error::DecodeError> {
                $decode
            }

            #[inline]
            fn skip(r: &mut $crate::keys::encode::Reader<'_>) -> Result<(), $crate::keys::error::DecodeError> {
                match $scalar.width() {
                    Some(width) => r.skip(width),
                    None => <Self as $crate::keys::encode::Field>::decode(r).map(drop),
                }
            }
        }
        $crate::keys::encode::into_field!($type);
    };
}
pub(crate) use scalar;

#[cfg(test)]
pub(crate) mod tests {
    use std::cmp::Reverse;
    use std::fmt::Debug;

    use super::{Field, Reader, Writer};

    pub(crate) fn bytes<T: Field>(value: &T) -> Vec<u8> {
        let mut out = Vec::new();
        value.encode(&mut Writer::new(&mut out));
        out
    }

    pub(crate) fn unhex(hex: &str) -> Vec<u8> {
        let digits: Vec<_> = hex.chars().filter_map(|c| c.to_digit(16)).collect();
        digits.chunks(2).map(|pair| (pair[0] << 4 | pair[1]) as u8).collect()
    }

    /// A golden vector, both ways and in both directions, with its skip. Vectors that `tests/golden` has for the same
    /// Rust type are not repeated here.
    #[track_caller]
    pub(crate) fn vector<T>(value: T, asc: &str, desc: &str)
    where
        T: for<'a> Field<Ref<'a>: PartialEq<T> + Debug> + Debug + Clone,
    {
        let value = Reverse(value);
        for (bytes, hex) in [(bytes(&value.0), asc), (bytes(&value), desc)] {
            assert_eq!(bytes, unhex(hex), "{value:?}");
        }
        let hex = unhex(asc);
        let mut r = Reader::new(&hex);
        assert_eq!(T::decode(&mut r).unwrap(), value.0);
        assert!(r.is_at_end());
        let hex = unhex(desc);
        let mut r = Reader::new(&hex);
        assert_eq!(Reverse::<T>::decode(&mut r).unwrap().0, value.0);
        assert!(r.is_at_end());
        let mut r = Reader::new(&hex);
        Reverse::<T>::skip(&mut r).unwrap();
        assert!(r.is_at_end());
    }

    #[track_caller]
    pub(crate) fn refused<T: for<'a> Field<Ref<'a>: Debug>>(hex: &str) {
        let bytes = unhex(hex);
        let mut r = Reader::new(&bytes);
        if let Ok(value) = T::decode(&mut r) {
            assert!(!r.is_at_end(), "{hex} was taken as {value:?}");
        }
    }
}
