//! Integers in binary as other programs write them.
//!
//! ```text
//! le[u32]   258   02 01 00 00             little-endian: the order is lost
//! le[i16]   -2    fe ff
//! be[i64]   -2    ff ff ff ff ff ff ff fe two's complement, big-endian: those below 0 sort after all others
//! be[i64]   258   00 00 00 00 00 00 01 02
//! uint[3]   258   00 01 02                big-endian, of any width: sorts as the number
//! ```
//!
//! `be` is what Java's `DataOutput.writeLong`, HBase's `Bytes.toBytes(long)` and Bigtable's `Int64.BigEndianBytes`
//! write. `uint[3]` is an id of OpenTSDB.

use std::fmt;

use super::Order;
use crate::keys::encode::{Reader, Sink, Writer};
use crate::keys::error::DecodeError;
use crate::keys::layout::Scalar;
use crate::keys::untyped::Value;

/// The order of an integer's bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Endian {
    /// The lowest byte first.
    Little,
    /// The highest byte first.
    Big,
}

/// An integer in binary, of a fixed width; a signed one is in two's complement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Binary {
    endian: Endian,
    is_signed: bool,
    width: u8,
}

/// The widths of integers that languages have.
const WIDTHS: [u8; 5] = [1, 2, 4, 8, 16];

impl Binary {
    /// An integer of this many bytes: of 1 to 16 if it is big-endian and unsigned, else of 1, 2, 4, 8 or 16. A
    /// little-endian one has two bytes or more, as one byte has no order.
    ///
    /// ```
    /// use rowkey::foreign::{Binary, Endian};
    ///
    /// assert_eq!(Binary::new(Endian::Big, false, 3).unwrap().to_string(), "uint[3]");
    /// assert_eq!(Binary::new(Endian::Big, true, 8).unwrap().to_string(), "be[i64]");
    /// assert_eq!(Binary::new(Endian::Little, false, 3), None);
    /// let number = Binary::new(Endian::Little, true, 2).unwrap();
    /// assert_eq!((number.endian(), number.is_signed(), number.width()), (Endian::Little, true, 2));
    /// ```
    pub const fn new(endian: Endian, is_signed: bool, width: u8) -> Option<Self> {
        let is_valid = match (endian, is_signed) {
            (Endian::Big, false) => matches!(width, 1..=16),
            (Endian::Big, true) => matches!(width, 1 | 2 | 4 | 8 | 16),
            (Endian::Little, _) => matches!(width, 2 | 4 | 8 | 16),
        };
        if is_valid { Some(Self { endian, is_signed, width }) } else { None }
    }

    /// The order of its bytes.
    pub const fn endian(&self) -> Endian {
        self.endian
    }

    /// Returns whether it can be below 0.
    pub const fn is_signed(&self) -> bool {
        self.is_signed
    }

    /// The number of bytes.
    pub const fn width(&self) -> usize {
        self.width as usize
    }

    /// The order of the bytes: that of the numbers if they are big-endian and unsigned. Of signed ones two of the same
    /// sign sort right, but there are no ranges, as one over both signs would be wrong.
    pub const fn order(&self) -> Order {
        match (self.endian, self.is_signed) {
            (Endian::Big, false) => Order::Ascending,
            _ => Order::None,
        }
    }

    pub(super) const fn values(&self) -> Scalar {
        match (self.is_signed, self.width) {
            (false, 1) => Scalar::U8,
            (false, 2) => Scalar::U16,
            (false, 4) => Scalar::U32,
            (false, 8) => Scalar::U64,
            (false, _) => Scalar::U128,
            (true, 1) => Scalar::I8,
            (true, 2) => Scalar::I16,
            (true, 4) => Scalar::I32,
            (true, 8) => Scalar::I64,
            (true, _) => Scalar::I128,
        }
    }

    /// The number of bits of an `i128` before those of the number.
    const fn shift(&self) -> u32 {
        128 - 8 * self.width as u32
    }

    pub(super) fn encode(&self, value: &Value, w: &mut Writer<'_, impl Sink>) -> Result<(), &'static str> {
        const TOO_LARGE: &str = "it has more bytes than the field";
        let shift = self.shift();
        let bits = match (self.is_signed, value) {
            (false, Value::Unsigned(number)) if *number <= u128::MAX >> shift => *number,
            (true, Value::Signed(number)) if *number << shift >> shift == *number => *number as u128,
            (false, Value::Unsigned(_)) | (true, Value::Signed(_)) => return Err(TOO_LARGE),
            _ => return Err(""),
        };
        match self.endian {
            Endian::Big => w.bytes(&bits.to_be_bytes()[16 - self.width()..]),
            Endian::Little => w.bytes(&bits.to_le_bytes()[..self.width()]),
        }
        Ok(())
    }

    pub(super) fn decode(&self, r: &mut Reader<'_>) -> Result<Value, DecodeError> {
        let bytes = r.bytes(self.width())?;
        let joined = |bits: u128, byte: &u8| bits << 8 | u128::from(*byte);
        let bits = match self.endian {
            Endian::Big => bytes.iter().fold(0, joined),
            Endian::Little => bytes.iter().rev().fold(0, joined),
        };
        Ok(match self.is_signed {
            false => Value::Unsigned(bits),
            true => Value::Signed((bits << self.shift()) as i128 >> self.shift()),
        })
    }

    /// Reads an integer as [`Display`](fmt::Display) writes it.
    pub(super) fn from_shape(shape: &str) -> Option<Self> {
        let all = |endian, is_signed, widths: &[u8]| {
            widths.iter().filter_map(|width| Self::new(endian, is_signed, *width)).find(|one| one.to_string() == shape)
        };
        match shape.split_once('[')?.0 {
            "uint" => all(Endian::Big, false, &Vec::from_iter(1..=16)),
            "be" => all(Endian::Big, true, &WIDTHS),
            "le" => all(Endian::Little, false, &WIDTHS).or_else(|| all(Endian::Little, true, &WIDTHS)),
            _ => None,
        }
    }
}

/// As in `le[u32]`, `be[i64]`, `uint[3]`.
impl fmt::Display for Binary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let endian = match self.endian {
            Endian::Big if !self.is_signed => return write!(f, "uint[{}]", self.width),
            Endian::Big => "be",
            Endian::Little => "le",
        };
        write!(f, "{endian}[{}]", self.values())
    }
}
