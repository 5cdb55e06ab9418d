//! Fields of Google's OrderedCode, as a `row_key_schema` of Bigtable has them. By the comments of
//! `google.bigtable.admin.v2.Type`, and by the library `google/orderedcode`:
//!
//! ```text
//! ("A", "", "C")    41 | 00 01 | 00 00 | 00 01 | 43      00 01 between fields, 00 00 for an empty one
//! ("A", "", "")     41                                   no empty fields at the end
//! ("", "")          00 00                                but for the first
//! "a\0b"            61 00 ff 62                          in a field 00 is 00 ff
//! 5, -1, 64         85, 7f, c0 40                        i64: the closer to zero, the shorter
//! ```
//!
//! An `i64` of n bytes, 1 to 10, is the number in two's complement, in which the first n bits are inverted. So n bits
//! that are the sign's, inverted, say the length, and the bit after them is another one. A number has 7n - 1 bits
//! besides its sign.

use std::fmt;

use super::Order;
use crate::keys::encode::{Micros, Reader, Sink, Writer};
use crate::keys::error::{DecodeError, Hex};
use crate::keys::layout::Scalar;
use crate::keys::moment::Moment;
use crate::keys::untyped::Value;

/// A field of a key that OrderedCode joins: all fields of such a key are of this encoding.
///
/// ```
/// use rowkey::{LayoutBuf, Value};
///
/// let layout: LayoutBuf = "ordered[text], ordered[text], ordered[i64]".parse()?;
/// let values = [Value::Text("A".into()), Value::Text(String::new()), Value::Signed(5)];
/// assert_eq!(layout.encode(&values)?, b"A\x00\x01\x00\x00\x00\x01\x85");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct OrderedCode {
    kind: OrderedKind,
    is_first: bool,
}

/// The bytes of a field before OrderedCode escapes them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum OrderedKind {
    /// `String.Utf8Bytes`.
    Text,
    /// `Bytes.Raw`.
    Bytes,
    /// `Int64.OrderedCodeBytes`, of 1 to 10 bytes.
    Int,
    /// `Int64.BigEndianBytes`: two's complement, so those below 0 come after all others.
    BigEndian,
    /// `Timestamp.UnixMicrosInt64` of `Int64.OrderedCodeBytes`.
    Micros,
    /// `Timestamp.UnixMicrosInt64` of `Int64.BigEndianBytes`.
    BigEndianMicros,
}

pub(super) const SEPARATOR: [u8; 2] = [0, 1];
const ZERO: [u8; 2] = [0, 0xff];
pub(super) const EMPTY: [u8; 2] = [0, 0];
const NOTHING: &str = "no bytes";

/// More than all bytes with which another field may come after a value, and less than those with which it goes on.
pub(super) const LONGER: [u8; 2] = [0, 2];

impl OrderedKind {
    /// All kinds.
    pub const ALL: [Self; 6] =
        [Self::Text, Self::Bytes, Self::Int, Self::BigEndian, Self::Micros, Self::BigEndianMicros];

    const fn word(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Bytes => "bytes",
            Self::Int => "i64",
            Self::BigEndian => "be i64",
            Self::Micros => "micros",
            Self::BigEndianMicros => "be micros",
        }
    }

    fn content(self, value: &Value) -> Result<Vec<u8>, &'static str> {
        let micros = |seconds, nanos| Micros::exact((seconds, nanos)).map(|micros| micros.0);
        let number = match (self, value) {
            (Self::Text, Value::Text(text)) => return Ok(text.as_bytes().to_vec()),
            (Self::Bytes, Value::Bytes(bytes)) => return Ok(bytes.clone()),
            (Self::Int | Self::BigEndian, Value::Signed(number)) => {
                i64::try_from(*number).map_err(|_| "it is no i64")?
            }
            (Self::Micros | Self::BigEndianMicros, Value::Instant(seconds, nanos)) => {
                micros(*seconds, *nanos).map_err(|_| "it is no whole number of microseconds in an i64")?
            }
            _ => return Err(""),
        };
        Ok(match self {
            Self::BigEndian | Self::BigEndianMicros => number.to_be_bytes().to_vec(),
            _ => int(number),
        })
    }

    /// The value of these bytes, or what is due instead.
    fn value(self, content: Vec<u8>) -> Result<Value, (Vec<u8>, &'static str)> {
        let number = match self {
            Self::Text => {
                let text = String::from_utf8(content).map(Value::Text);
                return text.map_err(|error| (error.into_bytes(), "text is UTF-8"));
            }
            Self::Bytes => return Ok(Value::Bytes(content)),
            Self::Int | Self::Micros => {
                read_int(&content).ok_or("an i64 has no more bytes than it needs, and their number")
            }
            Self::BigEndian | Self::BigEndianMicros => {
                content.as_slice().try_into().map(i64::from_be_bytes).map_err(|_| "a big-endian i64 has eight bytes")
            }
        };
        let number = number.map_err(|due| (content, due))?;
        Ok(match self {
            Self::Int | Self::BigEndian => Value::Signed(number.into()),
            _ => {
                let (seconds, nanos) = Micros(number).to_unix();
                Value::Instant(seconds, nanos)
            }
        })
    }
}

impl OrderedCode {
    /// The first field of a key. A layout turns those after its first into fields that have a separator before them.
    pub const fn new(kind: OrderedKind) -> Self {
        Self { kind, is_first: true }
    }

    /// The bytes of a value before they are escaped.
    pub const fn kind(&self) -> OrderedKind {
        self.kind
    }

    pub(super) const fn placed(self, is_first: bool) -> Self {
        Self { is_first, ..self }
    }

    pub(super) const fn order(&self) -> Order {
        match self.kind {
            OrderedKind::BigEndian | OrderedKind::BigEndianMicros => Order::None,
            _ => Order::Ascending,
        }
    }

    pub(super) const fn values(&self) -> Scalar {
        match self.kind {
            OrderedKind::Text => Scalar::Text,
            OrderedKind::Bytes => Scalar::Bytes,
            OrderedKind::Int | OrderedKind::BigEndian => Scalar::I64,
            OrderedKind::Micros | OrderedKind::BigEndianMicros => Scalar::Instant,
        }
    }

    pub(super) fn encode(&self, value: &Value, w: &mut Writer<'_, impl Sink>) -> Result<(), &'static str> {
        let content = self.kind.content(value)?;
        if !self.is_first {
            w.bytes(&SEPARATOR);
        }
        match content.is_empty() {
            true => w.bytes(&EMPTY),
            false => super::escape_zeros(&content, w),
        }
        Ok(())
    }

    pub(super) fn decode(&self, r: &mut Reader<'_>) -> Result<Value, DecodeError> {
        let start = r.offset();
        let is_left_out = !self.is_first && r.left() == 0;
        if !self.is_first && !is_left_out {
            let found = r.array()?;
            if found != SEPARATOR {
                return Err(r.bad_value(start, Hex(&found).to_string(), "00 01 is between two fields"));
            }
        }
        let at = r.offset();
        let content = if is_left_out { Vec::new() } else { self.read(r)? };
        self.kind.value(content).map_err(|(content, due)| match content.as_slice() {
            [] => r.bad_value(at, NOTHING, due),
            content => r.bad_value(at, Hex(content).to_string(), due),
        })
    }

    /// Reads up to a separator or the end of the key.
    fn read(&self, r: &mut Reader<'_>) -> Result<Vec<u8>, DecodeError> {
        let start = r.offset();
        let mut content = Vec::new();
        loop {
            content.extend_from_slice(&r.bytes(r.before(0))?);
            let mut ahead = r.clone();
            let at = ahead.offset();
            match if ahead.left() == 0 { None } else { Some(ahead.array()?) } {
                Some(ZERO) => content.push(0),
                Some(EMPTY) if content.is_empty() => {
                    if ahead.left() == 0 && !self.is_first {
                        return Err(r.bad_value(at, Hex(&EMPTY).to_string(), "an empty field at the end is left out"));
                    }
                    *r = ahead;
                    return Ok(content);
                }
                None | Some(SEPARATOR) if !content.is_empty() => return Ok(content),
                None | Some(SEPARATOR) => return Err(r.bad_value(start, NOTHING, "an empty field is 00 00")),
                Some(found) => {
                    let due = "00 is before ff in a field, before 01 between fields, and twice for an empty one";
                    return Err(r.bad_value(at, Hex(&found).to_string(), due));
                }
            }
            *r = ahead;
        }
    }

    /// The bytes that all values with this beginning begin with.
    pub(super) fn starting(&self, start: &Value) -> Option<Vec<u8>> {
        let content = match (self.kind, start) {
            (OrderedKind::Text, Value::Text(start)) => start.as_bytes(),
            (OrderedKind::Bytes, Value::Bytes(start)) => start,
            _ => return None,
        };
        let mut bytes = if self.is_first { Vec::new() } else { SEPARATOR.to_vec() };
        super::escape_zeros(content, &mut Writer::new(&mut bytes));
        Some(bytes)
    }

    /// A value near to one of its type.
    pub(super) fn nearest(&self, value: Value) -> Value {
        match value {
            Value::Instant(seconds, nanos) => Value::Instant(seconds % (i64::MAX / 1_000_000), nanos - nanos % 1000),
            value => value,
        }
    }

    /// Reads a field as [`Display`](fmt::Display) writes it.
    pub(super) fn from_shape(shape: &str) -> Option<Self> {
        let word = shape.strip_prefix("ordered[")?.strip_suffix(']')?;
        OrderedKind::ALL.into_iter().find(|kind| kind.word() == word).map(Self::new)
    }
}

/// As in `ordered[text]`.
impl fmt::Display for OrderedCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ordered[{}]", self.kind.word())
    }
}

/// The bits that are inverted in a number of this many bytes: as many.
fn header(len: usize) -> u128 {
    let bits = len as u32;
    ((1 << bits) - 1) << (8 * bits - bits)
}

fn int(number: i64) -> Vec<u8> {
    let size = if number < 0 { !number } else { number };
    let bits = (u64::BITS - size.leading_zeros()) as usize;
    let len = bits / 7 + 1;
    let bytes = (i128::from(number) as u128 ^ header(len)).to_be_bytes();
    bytes.into_iter().skip(bytes.len() - len).collect()
}

fn read_int(content: &[u8]) -> Option<i64> {
    let len = content.len();
    if !(1..=10).contains(&len) {
        return None;
    }
    let bits = content.iter().fold(0, |bits: u128, byte| bits << 8 | u128::from(*byte)) ^ header(len);
    let shift = u128::BITS - 8 * len as u32;
    let number = i64::try_from((bits << shift) as i128 >> shift).ok()?;
    (int(number) == content).then_some(number)
}
