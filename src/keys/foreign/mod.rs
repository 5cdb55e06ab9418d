//! Encodings that other programs write, so that a key that exists can be said, read and searched.
//!
//! A layout names them by bracketed words, which no encoding of a user's can take:
//!
//! ```
//! use rowkey::{LayoutBuf, Value};
//!
//! // `ada#1600000001`, as Bigtable's pages advise.
//! let layout: LayoutBuf = "text['#'], dec[10]".parse()?;
//! let values = layout.decode(b"ada#1600000001")?;
//! assert_eq!(values, [Value::Text("ada".into()), Value::Unsigned(1_600_000_001)]);
//! assert_eq!(layout.encode(&values)?, b"ada#1600000001");
//! // What would not be read back is refused.
//! assert!(layout.encode(&[Value::Text("a#b".into()), Value::Unsigned(7)]).is_err());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A derive has them by `with`, each for the types whose values it can write:
//!
//! | in a layout | `with =` |
//! |---|---|
//! | `text['#']`, `dec[10]`, `date['yyyyMMdd']` and other text | [`Before`], [`BeforeBytes`], [`ToEnd`], [`BeforeLast`], [`Padded`], [`Date`] and so on |
//! | `text[until '#'], text[end after '#']` | [`Until`], [`Optional`] |
//! | `const['t']` | [`Constant`], [`ConstantBytes`] |
//! | `uint[3]`, `le[u32]`, `be[i64]` | [`Uint`], [`LittleEndian`], [`BigEndian`] |
//! | `groups[8]`, `utf[java]`, `char[5]`, `char[5 zeros]` | [`Groups`], [`JavaUtf`], [`Char`], [`ZeroPadded`] |
//! | `fdb[…]` | [`Fdb`], [`FdbUuid`], [`FdbVersionstamp`] |
//! | `ordered[…]` | [`Ordered`], [`OrderedBigEndian`] |
//!
//! Hashes and salts of other programs are its arguments `hashed` and `salt`.
//!
//! Some break a law that all other fields keep: their bytes have no order, or they can't tell alone where they end.
//! [`Foreign::order`], [`Foreign::ends_with_key`], [`Foreign::bytes_after`] and [`Foreign::looks_ahead`] say which;
//! prefixes and ranges are refused where they would lose rows, or have others.

mod binary;
mod delimiter;
pub(crate) mod fdb;
mod groups;
mod hash;
pub(crate) mod joined;
mod nearest;
pub(crate) mod ordered;
mod padded;
mod pattern;
mod text;
mod typed;
mod utf;

use std::fmt;
use std::num::NonZeroU16;

pub use self::binary::{Binary, Endian};
pub use self::delimiter::Delimiter;
pub use self::fdb::FdbElement;
pub(crate) use self::hash::hash_code;
pub use self::hash::{HashFunction, HashPrefix, NotAHash};
pub use self::ordered::{OrderedCode, OrderedKind};
use self::padded::Padding;
pub use self::pattern::Pattern;
pub use self::text::{Case, End, Form, TextField};
pub(crate) use self::text::{digits_of, hex_number};
pub use self::typed::{
    Before, BeforeBytes, BeforeLast, BigEndian, Char, CharText, Code, Constant, ConstantBytes, Date, DatePattern,
    Dated, Decimal, Digits, Ending, EndsBefore, EndsBeforeBytes, EndsBeforeLast, EndsByWidth, EndsUntil, EndsWithKey,
    Fdb, FdbAny, FdbUuid, FdbVersionstamp, Groups, Hex, HexBytes, JavaText, JavaUtf, Literal, LittleEndian, Minus,
    Optional, Ordered, OrderedBigEndian, Padded, Reversed, Segment, SegmentBefore, Str, TextForm, ToEnd, Uint, Until,
    UpTo, UpperHex, UpperHexBytes, UuidText, Writes, WrongText, ZeroPadded, ZeroPaddedText,
};
use crate::keys::encode::{FieldSpan, Reader, Sink, Writer};
use crate::keys::error::{self, DecodeError};
use crate::keys::layout::Scalar;
use crate::keys::untyped::Value;

/// An encoding that other programs write.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Foreign {
    /// A field of a text key.
    Text(TextField),
    /// An integer in binary.
    Binary(Binary),
    /// Bytes that are the same in every key, as a tag of the table. The value is the empty tuple.
    Constant(Delimiter),
    /// An element of a tuple of FoundationDB.
    Fdb(FdbElement),
    /// A field of a key that Google's OrderedCode joins.
    Ordered(OrderedCode),
    /// Bytes in groups of eight with a mark each, as TiDB writes them.
    Groups,
    /// Text in modified UTF-8 after its length in two bytes: Java's `DataOutput.writeUTF`.
    JavaUtf,
    /// Text of printable ASCII that is padded with blanks to this width: Phoenix's `CHAR(n)`.
    Char(NonZeroU16),
    /// Text that is padded with zero bytes to this width, as by HBase's `Bytes.padTail`.
    ZeroPadded(NonZeroU16),
}

/// The order that the bytes of values have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Order {
    /// That of the values.
    Ascending,
    /// The reverse of that of the values.
    Descending,
    /// Another one: there are no ranges of values.
    None,
}

impl Order {
    /// The order of values of which this is a part, and the other too: that of the values, or none.
    pub(crate) const fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Ascending, Self::Ascending) => Self::Ascending,
            _ => Self::None,
        }
    }
}

/// The bytes of the values that begin in one way.
pub(crate) enum Beginning {
    /// Those that begin with these bytes.
    With(Vec<u8>),
    /// Those in these ranges.
    In(Vec<FieldSpan>),
}

impl Foreign {
    /// The number of bytes of a value; `None` if it differs from value to value.
    pub const fn width(&self) -> Option<usize> {
        match self {
            Self::Text(field) => field.width(),
            Self::Binary(number) => Some(number.width()),
            Self::Constant(bytes) => Some(bytes.len()),
            Self::Fdb(element) => element.width(),
            Self::Ordered(_) | Self::Groups | Self::JavaUtf => None,
            Self::Char(width) | Self::ZeroPadded(width) => Some(width.get() as usize),
        }
    }

    /// The order of the bytes.
    pub const fn order(&self) -> Order {
        match self {
            Self::Text(field) => field.order(),
            Self::Binary(number) => number.order(),
            Self::Ordered(field) => field.order(),
            Self::Constant(_) | Self::Fdb(_) | Self::Groups | Self::Char(_) | Self::ZeroPadded(_) => Order::Ascending,
            // The shorter text comes first.
            Self::JavaUtf => Order::None,
        }
    }

    /// Returns whether a value ends with the key, so that no field comes after it.
    pub const fn ends_with_key(&self) -> bool {
        match self {
            Self::Text(field) => matches!(field.end(), End::Key) || field.after().is_some(),
            _ => false,
        }
    }

    /// The number of bytes that the fields after it have, if the end of a value is found by it: those fields have a
    /// fixed width, and there are no ranges of keys by such a field, but of whole keys.
    pub const fn bytes_after(&self) -> Option<usize> {
        match self {
            Self::Text(field) => match field.end() {
                End::Rest(after) => Some(after as usize),
                _ => None,
            },
            _ => None,
        }
    }

    /// The delimiter before which a value ends, if there is one: it belongs to an [optional](Self::present) field, the
    /// only one after it, and nothing but that delimiter or the key's end is after a value.
    pub const fn until(&self) -> Option<Delimiter> {
        match self {
            Self::Text(field) => match field.end() {
                End::Until(delimiter) => Some(delimiter),
                _ => None,
            },
            _ => None,
        }
    }

    /// Returns whether it is optional after the delimiter before which another one [ends](Self::until).
    pub(crate) const fn is_after(&self, before: &Self) -> bool {
        match (self, before.until()) {
            (Self::Text(field), Some(delimiter)) => matches!(field.after(), Some(after) if after.is(&delimiter)),
            _ => false,
        }
    }

    /// The encoding of the values that are there, if a key may end without one: its values are options.
    pub const fn present(&self) -> Option<Self> {
        match self {
            Self::Text(field) if field.after().is_some() => Some(Self::Text(field.present())),
            _ => None,
        }
    }

    /// Returns whether the bytes after a value say that it ended. What is after it is an [element](Self::Fdb) of
    /// FoundationDB or a [field](Self::Ordered) of OrderedCode, whose first bytes say so, or nothing.
    pub const fn looks_ahead(&self) -> bool {
        self.longer().is_some()
    }

    /// The bytes between those that may be after a value, and those with which a value goes on that begins with it, if
    /// it [looks ahead](Self::looks_ahead).
    pub(crate) const fn longer(&self) -> Option<&'static [u8]> {
        match self {
            Self::Fdb(element) if element.looks_ahead() => Some(&[fdb::ESCAPE]),
            Self::Ordered(_) => Some(&ordered::LONGER),
            _ => None,
        }
    }

    /// The bytes between a value and those that go on with it: those of a longer value, if it
    /// [looks ahead](Self::longer); of one that ends with the key, any.
    pub(crate) const fn beyond(&self) -> Option<&'static [u8]> {
        if self.ends_with_key() { Some(&[0]) } else { self.longer() }
    }

    /// Returns whether it can't tell alone where a value ends, so that it has one place in a key.
    pub(crate) const fn needs_place(&self) -> bool {
        self.ends_with_key() || self.bytes_after().is_some() || self.until().is_some() || self.looks_ahead()
    }

    /// The encoding of the field at this index of a key: after the first one OrderedCode separates them.
    pub(crate) const fn placed(self, index: usize) -> Self {
        match self {
            Self::Ordered(field) => Self::Ordered(field.placed(index == 0)),
            other => other,
        }
    }

    /// The type of rowkey's own that has the same values: what JSON and comparisons take them for. It is the encoding
    /// itself if no other type has its values.
    ///
    /// ```
    /// use rowkey::layout::Scalar;
    ///
    /// let Some(Scalar::Foreign(padded)) = Scalar::from_shape("dec[10]") else { panic!("a foreign encoding") };
    /// assert_eq!(padded.values(), Scalar::U128);
    /// ```
    pub const fn values(&self) -> Scalar {
        match self {
            Self::Text(field) if field.after().is_some() => Scalar::Foreign(*self),
            Self::Text(field) => match field.form() {
                Form::Text | Form::Reversed => Scalar::Text,
                Form::Decimal | Form::Minus(_) | Form::Hex(_) => Scalar::U128,
                Form::Signed => Scalar::I128,
                Form::HexBytes(_) => Scalar::Bytes,
                Form::Uuid => Scalar::ByteArray(16),
                Form::Date(_) => Scalar::Instant,
            },
            Self::Binary(number) => number.values(),
            Self::Fdb(element) => match element.values() {
                Some(scalar) => scalar,
                None => Scalar::Foreign(*self),
            },
            Self::Ordered(field) => field.values(),
            Self::Constant(_) => Scalar::Foreign(*self),
            Self::Groups => Scalar::Bytes,
            Self::JavaUtf | Self::Char(_) | Self::ZeroPadded(_) => Scalar::Text,
        }
    }

    /// The number of bytes that end a value and are no part of it. A salt or a hash is taken without them.
    pub const fn delimiter_len(&self) -> usize {
        match self {
            Self::Text(field) => match field.end() {
                End::Before(delimiter) => delimiter.len(),
                _ => 0,
            },
            _ => 0,
        }
    }

    /// The bytes of all values with this beginning, and of no others; `None` if no value has it, or no bytes tell.
    pub(crate) fn starting(&self, start: &Value) -> Option<Beginning> {
        let begins = match (self, start) {
            (Self::Text(field), Value::Text(start)) => return field.starting(start),
            (Self::Fdb(element), start) => element.starting(start),
            (Self::Ordered(field), start) => field.starting(start),
            (Self::Char(width), Value::Text(start)) => return Padding::Blanks.starting(*width, start),
            (Self::ZeroPadded(width), Value::Text(start)) => return Padding::Zeros.starting(*width, start),
            (Self::Groups, Value::Bytes(start)) => return Some(groups::starting(start)),
            _ => None,
        };
        begins.map(Beginning::With)
    }

    /// The encoding whose shape is this text.
    pub(crate) fn from_shape(shape: &str) -> Option<Self> {
        match shape {
            "groups[8]" => return Some(Self::Groups),
            "utf[java]" => return Some(Self::JavaUtf),
            _ => {}
        }
        let constant = || shape.strip_prefix("const[").and_then(Delimiter::read);
        let padded = || {
            let width = shape.strip_prefix("char[")?.strip_suffix(']')?;
            Some(match width.strip_suffix(" zeros") {
                Some(width) => Self::ZeroPadded(width.parse().ok()?),
                None => Self::Char(width.parse().ok()?),
            })
        };
        TextField::read(shape)
            .and_then(Result::ok)
            .map(Self::Text)
            .or_else(|| Binary::from_shape(shape).map(Self::Binary))
            .or_else(|| constant().filter(|(_, rest)| *rest == "]").map(|(bytes, _)| Self::Constant(bytes)))
            .or_else(padded)
            .or_else(|| FdbElement::from_shape(shape).map(Self::Fdb))
            .or_else(|| OrderedCode::from_shape(shape).map(Self::Ordered))
            .filter(|foreign| foreign.to_string() == shape)
    }

    /// The reason why this is not the shape of an encoding, if it begins as one does.
    pub(crate) fn refusal(shape: &str) -> Option<&'static str> {
        if let Some(read) = TextField::read(shape) {
            return read.err();
        }
        let (word, _) = shape.split_once('[')?;
        Some(match word {
            "const" => "a constant has one to eight bytes in quotes: `const['_r']`",
            "char" => "`char[…]` has a width from 1 to 65535, and `zeros` behind it if it is not padded with blanks",
            "groups" => "the only such encoding is `groups[8]`",
            "utf" => "the only such encoding is `utf[java]`",
            "uint" => "the number of bytes of `uint[…]` is from 1 to 16",
            "le" => "the types of `le[…]` are u16, u32, u64, u128, i16, i32, i64 and i128",
            "be" => "the types of `be[…]` are i8, i16, i32, i64 and i128; unsigned ones are `u8` to `u128`",
            "ordered" => "the fields of `ordered[…]` are text, bytes, i64, be i64, micros and be micros",
            "fdb" => {
                "the elements of `fdb[…]` are null, bytes, text, int, f32, f64, bool, uuid, versionstamp, \
                 versionstamp80 and any"
            }
            _ => return None,
        })
    }

    /// Writes a value.
    ///
    /// # Errors
    /// If it is none of the encoding's: the reason, which is empty if it is of another type.
    pub(crate) fn encode(&self, value: &Value, w: &mut Writer<'_, impl Sink>) -> Result<(), &'static str> {
        match (self, value) {
            (Self::Text(field), value) => field.encode(value, w),
            (Self::Binary(number), value) => number.encode(value, w),
            (Self::Fdb(element), value) => element.encode(value, w),
            (Self::Ordered(field), value) => field.encode(value, w),
            (Self::JavaUtf, Value::Text(text)) => utf::encode(text, w),
            (Self::Char(width), Value::Text(text)) => Padding::Blanks.encode(*width, text, w),
            (Self::ZeroPadded(width), Value::Text(text)) => Padding::Zeros.encode(*width, text, w),
            (Self::Groups, Value::Bytes(bytes)) => {
                groups::encode(bytes, w);
                Ok(())
            }
            (Self::Constant(bytes), Value::Tuple(parts)) if parts.is_empty() => {
                w.bytes(bytes.as_bytes());
                Ok(())
            }
            _ => Err(""),
        }
    }

    pub(crate) fn decode(&self, r: &mut Reader<'_>) -> Result<Value, DecodeError> {
        let at = r.offset();
        match self {
            Self::Text(field) => field.decode(r),
            Self::Binary(number) => number.decode(r),
            Self::Fdb(element) => element.decode(r),
            Self::Ordered(field) => field.decode(r),
            Self::Groups => groups::decode(r).map(Value::Bytes),
            Self::JavaUtf => utf::decode(r).map(Value::Text),
            Self::Char(width) => Padding::Blanks.decode(*width, r).map(Value::Text),
            Self::ZeroPadded(width) => Padding::Zeros.decode(*width, r).map(Value::Text),
            Self::Constant(bytes) => match r.bytes(bytes.len())? {
                found if *found == *bytes.as_bytes() => Ok(Value::Tuple(Vec::new())),
                found => Err(r.bad_value(at, error::Hex(&found).to_string(), "it is the field's constant")),
            },
        }
    }
}

impl fmt::Display for Foreign {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(field) => field.fmt(f),
            Self::Binary(number) => number.fmt(f),
            Self::Fdb(element) => element.fmt(f),
            Self::Ordered(field) => field.fmt(f),
            Self::Groups => f.write_str("groups[8]"),
            Self::JavaUtf => f.write_str("utf[java]"),
            Self::Char(width) => write!(f, "char[{width}]"),
            Self::ZeroPadded(width) => write!(f, "char[{width} zeros]"),
            Self::Constant(bytes) => write!(f, "const[{bytes}]"),
        }
    }
}

/// Writes content in which each `00` is `00 ff`, without an end.
fn escape_zeros(content: &[u8], w: &mut Writer<'_, impl Sink>) {
    for (i, run) in content.split(|byte| *byte == 0).enumerate() {
        if i > 0 {
            w.bytes(&[0, fdb::ESCAPE]);
        }
        w.bytes(run);
    }
}
