//! Elements of FoundationDB's tuples. Each begins with a byte for its type, and sorts right. By FoundationDB's
//! `design/tuple.md` and its bindings in Python and Java:
//!
//! ```text
//! null          00                   within a tuple 00 ff
//! bytes         01 … 00              in them 00 is 00 ff
//! text          02 … 00              UTF-8; in it 00 is 00 ff
//! tuple         05 … 00              elements
//! integer       14 - n, n bytes      below 0, of n bytes: those of its absolute value, inverted
//! 0             14
//! integer       14 + n, n bytes      above 0, of n bytes: 1 is 15 01
//! of 9 to 255   0b, ff - n, n bytes  below 0: inverted
//! bytes         1d, n, n bytes       above 0
//! f32, f64      20, 21 … 4, 8 bytes  IEEE; below 0 all bits inverted, else the sign
//! false, true   26, 27
//! UUID          30 … 16 bytes
//! versionstamp  32 … 10 bytes        of a commit alone
//! versionstamp  33 … 12 bytes        and of an order within it
//! ```
//!
//! A `00` before an `ff` is not the end of bytes, text or a tuple. As no element begins with `ff`, an element is found
//! where it ends if what is after it is an element too, or nothing.

use std::fmt;

use crate::keys::encode::{Field, Reader, Sink, Writer};
use crate::keys::error::{DecodeError, Hex};
use crate::keys::layout::{MAX_DEPTH, Scalar};
use crate::keys::untyped::Value;

/// An element of a tuple of FoundationDB.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum FdbElement {
    /// Null: the value is the empty tuple.
    Null,
    /// Bytes.
    Bytes,
    /// Text.
    Text,
    /// An integer of an `i128`.
    Int,
    /// `f32`.
    F32,
    /// `f64`.
    F64,
    /// `bool`.
    Bool,
    /// A UUID: 16 bytes.
    Uuid,
    /// A versionstamp of 10 bytes, those of a commit.
    Versionstamp80,
    /// A versionstamp of 12 bytes: those of a commit, and two of an order within it.
    Versionstamp,
    /// Any element. The value is an enum, whose tag is the element's type:
    ///
    /// | tag | fields |
    /// |---|---|
    /// | 00 null, 26 false, 27 true | none |
    /// | 01 bytes, 02 text, 20 `f32`, 21 `f64`, 30, 32, 33 bytes | one |
    /// | 05 a tuple | its elements, each such an enum |
    /// | 14 an integer of an `i128`, whatever its number of bytes | one, signed |
    /// | 0b an integer below those, 1d one above | one: the bytes of its absolute value, 16 to 255 |
    Any,
}

const ALL: [FdbElement; 11] = [
    FdbElement::Null,
    FdbElement::Bytes,
    FdbElement::Text,
    FdbElement::Int,
    FdbElement::F32,
    FdbElement::F64,
    FdbElement::Bool,
    FdbElement::Uuid,
    FdbElement::Versionstamp80,
    FdbElement::Versionstamp,
    FdbElement::Any,
];

// Types of elements, which are tags of `FdbElement::Any` too. Of integers these are below an `i128`, one, and above.
const NULL: u8 = 0x00;
const BYTES: u8 = 0x01;
const TEXT: u8 = 0x02;
const TUPLE: u8 = 0x05;
const BELOW: u8 = 0x0b;
const ZERO: u8 = 0x14;
const ABOVE: u8 = 0x1d;
const F32: u8 = 0x20;
const F64: u8 = 0x21;
const FALSE: u8 = 0x26;
const TRUE: u8 = 0x27;
const UUID: u8 = 0x30;
const VERSIONSTAMP_80: u8 = 0x32;
const VERSIONSTAMP: u8 = 0x33;

/// The byte after a `00` that is not an end.
pub(super) const ESCAPE: u8 = 0xff;

const TOO_DEEP: &str = "tuples are nested at most 128 deep";

/// The fields of an element of [`FdbElement::Any`].
#[derive(Clone, Copy, Debug)]
pub(crate) enum Fields {
    None,
    One(Scalar),
    Elements,
}

/// The fields of an element with this tag.
pub(crate) const fn fields(tag: u8) -> Option<Fields> {
    Some(match tag {
        NULL | FALSE | TRUE => Fields::None,
        BYTES | BELOW | ABOVE => Fields::One(Scalar::Bytes),
        TEXT => Fields::One(Scalar::Text),
        TUPLE => Fields::Elements,
        ZERO => Fields::One(Scalar::I128),
        F32 => Fields::One(Scalar::F32),
        F64 => Fields::One(Scalar::F64),
        UUID => Fields::One(Scalar::ByteArray(16)),
        VERSIONSTAMP_80 => Fields::One(Scalar::ByteArray(10)),
        VERSIONSTAMP => Fields::One(Scalar::ByteArray(12)),
        _ => return None,
    })
}

impl FdbElement {
    /// The number of bytes, if all elements have the same.
    pub const fn width(&self) -> Option<usize> {
        Some(match self {
            Self::Null | Self::Bool => 1,
            Self::F32 => 5,
            Self::F64 => 9,
            Self::Versionstamp80 => 11,
            Self::Versionstamp => 13,
            Self::Uuid => 17,
            Self::Bytes | Self::Text | Self::Int | Self::Any => return None,
        })
    }

    /// Returns whether the byte after an element says that it ended.
    pub const fn looks_ahead(&self) -> bool {
        matches!(self, Self::Bytes | Self::Text | Self::Any)
    }

    /// The type with the same values; `None` of null and of any element.
    pub(super) const fn values(&self) -> Option<Scalar> {
        Some(match self {
            Self::Null | Self::Any => return None,
            Self::Bytes => Scalar::Bytes,
            Self::Text => Scalar::Text,
            Self::Int => Scalar::I128,
            Self::F32 => Scalar::F32,
            Self::F64 => Scalar::F64,
            Self::Bool => Scalar::Bool,
            Self::Uuid => Scalar::ByteArray(16),
            Self::Versionstamp80 => Scalar::ByteArray(10),
            Self::Versionstamp => Scalar::ByteArray(12),
        })
    }

    /// The tag of an element and its fields, as [`Any`](Self::Any) has them.
    fn tagged(self, value: &Value) -> Option<(u8, &[Value])> {
        let one = std::slice::from_ref(value);
        Some(match (self, value) {
            (Self::Any, Value::Enum(tag, fields)) => (*tag, fields),
            (Self::Null, Value::Tuple(parts)) if parts.is_empty() => (NULL, &[]),
            (Self::Bool, Value::Bool(truth)) => (if *truth { TRUE } else { FALSE }, &[]),
            (Self::Bytes, Value::Bytes(_)) => (BYTES, one),
            (Self::Text, Value::Text(_)) => (TEXT, one),
            (Self::Int, Value::Signed(_)) => (ZERO, one),
            (Self::F32, Value::F32(_)) => (F32, one),
            (Self::F64, Value::F64(_)) => (F64, one),
            (Self::Uuid, Value::Bytes(_)) => (UUID, one),
            (Self::Versionstamp80, Value::Bytes(_)) => (VERSIONSTAMP_80, one),
            (Self::Versionstamp, Value::Bytes(_)) => (VERSIONSTAMP, one),
            _ => return None,
        })
    }

    /// The value of an element with this tag and these fields, or what is due instead.
    fn untagged(self, tag: u8, mut fields: Vec<Value>) -> Result<Value, &'static str> {
        let value = match (self, tag) {
            (Self::Any, _) => return Ok(Value::Enum(tag, fields)),
            (Self::Null, NULL) => return Ok(Value::Tuple(Vec::new())),
            (Self::Bool, FALSE | TRUE) => return Ok(Value::Bool(tag == TRUE)),
            (Self::Int, BELOW | ABOVE) => return Err("it is an integer of an i128; fdb[any] reads others"),
            (Self::Bytes, BYTES)
            | (Self::Text, TEXT)
            | (Self::Int, ZERO)
            | (Self::F32, F32)
            | (Self::F64, F64)
            | (Self::Uuid, UUID)
            | (Self::Versionstamp80, VERSIONSTAMP_80)
            | (Self::Versionstamp, VERSIONSTAMP) => fields.pop(),
            _ => None,
        };
        value.ok_or("it is an element of the field's type; fdb[any] reads others")
    }

    pub(super) fn encode(&self, value: &Value, w: &mut Writer<'_, impl Sink>) -> Result<(), &'static str> {
        let (tag, fields) = self.tagged(value).ok_or("")?;
        encode(tag, fields, 0, w)
    }

    pub(super) fn decode(&self, r: &mut Reader<'_>) -> Result<Value, DecodeError> {
        let at = r.offset();
        let (tag, fields) = decode(r, 0)?;
        self.untagged(tag, fields).map_err(|due| r.bad_value(at, format!("type {tag:02x}"), due))
    }

    /// The bytes that all elements with this beginning begin with.
    pub(super) fn starting(&self, start: &Value) -> Option<Vec<u8>> {
        let mut bytes = Vec::new();
        let (tag, content) = match (self, start) {
            (Self::Bytes, Value::Bytes(start)) => (BYTES, start.as_slice()),
            (Self::Text, Value::Text(start)) => (TEXT, start.as_bytes()),
            _ => return None,
        };
        escape(tag, content, &mut Writer::new(&mut bytes));
        Some(bytes)
    }

    const fn word(self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bytes => "bytes",
            Self::Text => "text",
            Self::Int => "int",
            Self::F32 => "f32",
            Self::F64 => "f64",
            Self::Bool => "bool",
            Self::Uuid => "uuid",
            Self::Versionstamp80 => "versionstamp80",
            Self::Versionstamp => "versionstamp",
            Self::Any => "any",
        }
    }

    /// Reads an element as [`Display`](fmt::Display) writes it.
    pub(super) fn from_shape(shape: &str) -> Option<Self> {
        let word = shape.strip_prefix("fdb[")?.strip_suffix(']')?;
        ALL.into_iter().find(|element| element.word() == word)
    }
}

/// As in `fdb[text]`.
impl fmt::Display for FdbElement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "fdb[{}]", self.word())
    }
}

fn encode(tag: u8, fields: &[Value], depth: usize, w: &mut Writer<'_, impl Sink>) -> Result<(), &'static str> {
    match (tag, fields) {
        (NULL | FALSE | TRUE, []) => w.byte(tag),
        (BYTES, [Value::Bytes(bytes)]) => {
            escape(tag, bytes, w);
            w.byte(0);
        }
        (TEXT, [Value::Text(text)]) => {
            escape(tag, text.as_bytes(), w);
            w.byte(0);
        }
        (TUPLE, _) if depth + 1 >= MAX_DEPTH => return Err(TOO_DEEP),
        (TUPLE, elements) => {
            w.byte(tag);
            for element in elements {
                let Value::Enum(tag, fields) = element else { return Err("an element of a tuple is an enum") };
                encode(*tag, fields, depth + 1, w)?;
                if *tag == NULL {
                    w.byte(ESCAPE);
                }
            }
            w.byte(0);
        }
        (ZERO, [Value::Signed(number)]) => {
            let bytes = number.unsigned_abs().to_be_bytes();
            let zeros = bytes.iter().take_while(|byte| **byte == 0).count();
            integer(*number < 0, &bytes[zeros..], w);
        }
        (BELOW | ABOVE, [Value::Bytes(size)]) => {
            if size.len() > 255 || size.first() == Some(&0) || small(tag == BELOW, size).is_some() {
                return Err("it is an integer of 16 to 255 bytes, the first not 0, that is no i128");
            }
            integer(tag == BELOW, size, w);
        }
        (F32, [Value::F32(number)]) => {
            w.byte(tag);
            Field::encode(number, w);
        }
        (F64, [Value::F64(number)]) => {
            w.byte(tag);
            Field::encode(number, w);
        }
        (UUID | VERSIONSTAMP_80 | VERSIONSTAMP, [Value::Bytes(bytes)]) => match self::fields(tag) {
            Some(Fields::One(Scalar::ByteArray(len))) if len == bytes.len() => {
                w.byte(tag);
                w.bytes(bytes);
            }
            _ => return Err("a UUID has 16 bytes, a versionstamp 12, or 10 of its own type"),
        },
        _ => return Err("a tag of an element has these fields: none, one, or elements"),
    }
    Ok(())
}

/// Writes a tag and content, without its end.
fn escape(tag: u8, content: &[u8], w: &mut Writer<'_, impl Sink>) {
    w.byte(tag);
    super::escape_zeros(content, w);
}

/// Writes an integer of an absolute value in big-endian bytes, the first not 0.
fn integer(is_negative: bool, size: &[u8], w: &mut Writer<'_, impl Sink>) {
    let len = size.len() as u8;
    match (is_negative, len) {
        (false, ..=8) => w.byte(ZERO + len),
        (true, ..=8) => w.byte(ZERO - len),
        (false, _) => w.bytes(&[ABOVE, len]),
        (true, _) => w.bytes(&[BELOW, !len]),
    }
    w.direction(is_negative).bytes(size);
}

/// The integer of a sign and an absolute value in bytes; `None` if it is no `i128`.
fn small(is_negative: bool, size: &[u8]) -> Option<i128> {
    let first = 16_usize.checked_sub(size.len())?;
    let mut bytes = [0; 16];
    bytes[first..].copy_from_slice(size);
    let size = u128::from_be_bytes(bytes);
    if is_negative { 0_i128.checked_sub_unsigned(size) } else { size.try_into().ok() }
}

/// Reads an element: its tag and its fields.
fn decode(r: &mut Reader<'_>, depth: usize) -> Result<(u8, Vec<Value>), DecodeError> {
    let at = r.offset();
    let tag = r.byte()?;
    let value = match tag {
        BYTES => Value::Bytes(unescape(r)?),
        TEXT => {
            let text = String::from_utf8(unescape(r)?);
            Value::Text(text.map_err(|error| r.bad_value(at, Hex(error.as_bytes()).to_string(), "text is UTF-8"))?)
        }
        TUPLE if depth + 1 >= MAX_DEPTH => return Err(r.bad_value(at, "a tuple", TOO_DEEP)),
        TUPLE => return Ok((tag, decode_tuple(r, depth + 1)?)),
        BELOW..=ABOVE => return decode_integer(tag, at, r),
        F32 => Value::F32(f32::decode(r)?),
        F64 => Value::F64(f64::decode(r)?),
        _ => match fields(tag) {
            Some(Fields::None) => return Ok((tag, Vec::new())),
            Some(Fields::One(Scalar::ByteArray(len))) => Value::Bytes(r.bytes(len)?.into_owned()),
            _ => return Err(r.bad_value(at, format!("type {tag:02x}"), "it is the type of an element")),
        },
    };
    Ok((tag, vec![value]))
}

fn decode_tuple(r: &mut Reader<'_>, depth: usize) -> Result<Vec<Value>, DecodeError> {
    let mut elements = Vec::new();
    loop {
        if r.peek() == Some(0) {
            r.byte()?;
            if r.peek() != Some(ESCAPE) {
                return Ok(elements);
            }
            r.byte()?;
            elements.push(Value::Enum(NULL, Vec::new()));
        } else {
            let (tag, fields) = decode(r, depth)?;
            elements.push(Value::Enum(tag, fields));
        }
    }
}

/// Reads content and its end.
fn unescape(r: &mut Reader<'_>) -> Result<Vec<u8>, DecodeError> {
    let mut content = r.until(&[0])?.into_owned();
    while r.peek() == Some(ESCAPE) {
        r.byte()?;
        content.push(0);
        content.extend_from_slice(&r.until(&[0])?);
    }
    Ok(content)
}

fn decode_integer(tag: u8, at: usize, r: &mut Reader<'_>) -> Result<(u8, Vec<Value>), DecodeError> {
    let is_negative = tag < ZERO;
    let (len, least) = match tag {
        BELOW => (!r.byte()?, 9),
        ABOVE => (r.byte()?, 9),
        _ => (tag.abs_diff(ZERO), 0),
    };
    let size = r.direction(is_negative, |r| Ok(r.bytes(len.into())?.into_owned()))?;
    if len < least || size.first() == Some(&0) {
        return Err(r.bad_value(at, Hex(&size).to_string(), "an integer has no more bytes than it needs"));
    }
    Ok(match small(is_negative, &size) {
        Some(number) => (ZERO, vec![Value::Signed(number)]),
        None => (if is_negative { BELOW } else { ABOVE }, vec![Value::Bytes(size)]),
    })
}
