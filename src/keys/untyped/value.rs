//! The values of a key's fields, without their Rust types.

use std::cmp::Ordering;
use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::time::Duration;

use crate::keys::encode::decimal::Number;
use crate::keys::encode::{Field, HostPath, Instant, Reader, Sink, Writer, quadkey};
use crate::keys::error::{DecodeError, Hex};
use crate::keys::foreign::Foreign;
use crate::keys::geo::Tile;
use crate::keys::layout::Scalar;
use crate::keys::moment::since_1970;

/// The value of a field, without its Rust type: what [`LayoutBuf`](crate::LayoutBuf) reads and writes.
///
/// Two floats are equal if their bits are.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Value {
    /// An unsigned integer of any width.
    Unsigned(u128),
    /// A signed integer of any width.
    Signed(i128),
    /// `f32`.
    F32(f32),
    /// `f64`.
    F64(f64),
    /// `bool`.
    Bool(bool),
    /// `char`.
    Char(char),
    /// Text; also the digits of a quadkey or a tile, and a host path as people write it.
    Text(String),
    /// Bytes, of any or of a fixed length; also the ascending bytes of a user's own encoding.
    Bytes(Vec<u8>),
    /// A decimal number in its one valid form: `12.5`, `-0.001`, `0`.
    Decimal(String),
    /// An IP address.
    Ip(IpAddr),
    /// Seconds since 1970, rounded down, and the nanoseconds after them.
    Instant(i64, u32),
    /// A duration.
    Duration(Duration),
    /// An option.
    Option(Option<Box<Value>>),
    /// A list.
    List(Vec<Value>),
    /// An enum: the variant's tag and its fields.
    Enum(u8, Vec<Value>),
    /// A tuple, a nested key, a newtype.
    Tuple(Vec<Value>),
}

/// By kind, in the order above, then by value: floats by IEEE's total order, decimals as numbers, text by its bytes.
/// For maps and sorted lists of values; keys sort by their layout.
impl Ord for Value {
    #[inline]
    fn cmp(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Self::Unsigned(a), Self::Unsigned(b)) => a.cmp(b),
            (Self::Signed(a), Self::Signed(b)) => a.cmp(b),
            (Self::F32(a), Self::F32(b)) => a.total_cmp(b),
            (Self::F64(a), Self::F64(b)) => a.total_cmp(b),
            (Self::Bool(a), Self::Bool(b)) => a.cmp(b),
            (Self::Char(a), Self::Char(b)) => a.cmp(b),
            (Self::Text(a), Self::Text(b)) => a.cmp(b),
            (Self::Bytes(a), Self::Bytes(b)) => a.cmp(b),
            (Self::Decimal(a), Self::Decimal(b)) => compare_decimals(a, b).then_with(|| a.cmp(b)),
            (Self::Ip(a), Self::Ip(b)) => a.cmp(b),
            (Self::Instant(a, a_nanos), Self::Instant(b, b_nanos)) => (a, a_nanos).cmp(&(b, b_nanos)),
            (Self::Duration(a), Self::Duration(b)) => a.cmp(b),
            (Self::Option(a), Self::Option(b)) => a.cmp(b),
            (Self::List(a), Self::List(b)) | (Self::Tuple(a), Self::Tuple(b)) => a.cmp(b),
            (Self::Enum(a, a_fields), Self::Enum(b, b_fields)) => (a, a_fields).cmp(&(b, b_fields)),
            (a, b) => a.kind().cmp(&b.kind()),
        }
    }
}

impl PartialOrd for Value {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Value {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Value {}

impl Value {
    const fn kind(&self) -> u8 {
        match self {
            Self::Unsigned(_) => 0,
            Self::Signed(_) => 1,
            Self::F32(_) => 2,
            Self::F64(_) => 3,
            Self::Bool(_) => 4,
            Self::Char(_) => 5,
            Self::Text(_) => 6,
            Self::Bytes(_) => 7,
            Self::Decimal(_) => 8,
            Self::Ip(_) => 9,
            Self::Instant(..) => 10,
            Self::Duration(_) => 11,
            Self::Option(_) => 12,
            Self::List(_) => 13,
            Self::Enum(..) => 14,
            Self::Tuple(_) => 15,
        }
    }
}

/// By sign; then by the number of digits before the point, these digits, and those after the point; reversed below 0.
fn compare_decimals(a: &str, b: &str) -> Ordering {
    fn size(unsigned: &str) -> (usize, &str, &str) {
        let (whole, fraction) = unsigned.split_once('.').unwrap_or((unsigned, ""));
        (whole.len(), whole, fraction)
    }
    match (a.strip_prefix('-'), b.strip_prefix('-')) {
        (Some(a), Some(b)) => size(b).cmp(&size(a)),
        (Some(_), None) => Ordering::Less,
        (None, Some(_)) => Ordering::Greater,
        (None, None) => size(a).cmp(&size(b)),
    }
}

/// As explanations show it.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let joined = |f: &mut fmt::Formatter<'_>, open: &str, values: &[Self], close: &str| {
            f.write_str(open)?;
            values.iter().enumerate().try_for_each(|(i, v)| write!(f, "{}{v}", if i == 0 { "" } else { ", " }))?;
            f.write_str(close)
        };
        match self {
            Self::Unsigned(number) => number.fmt(f),
            Self::Signed(number) => number.fmt(f),
            Self::F32(number) => write!(f, "{number:?}"),
            Self::F64(number) => write!(f, "{number:?}"),
            Self::Bool(truth) => truth.fmt(f),
            Self::Char(char) => write!(f, "{char:?}"),
            Self::Text(text) => write!(f, "{text:?}"),
            Self::Bytes(bytes) => Hex(bytes).fmt(f),
            Self::Decimal(number) => f.write_str(number),
            Self::Ip(address) => address.fmt(f),
            Self::Instant(seconds, nanos) => f.write_str(&since_1970(*seconds, *nanos)),
            Self::Duration(duration) => write!(f, "{}.{:09} s", duration.as_secs(), duration.subsec_nanos()),
            Self::Option(None) => f.write_str("None"),
            Self::Option(Some(value)) => write!(f, "Some({value})"),
            Self::List(values) => joined(f, "[", values, "]"),
            Self::Enum(tag, values) => joined(f, &format!("{tag}: ("), values, ")"),
            Self::Tuple(values) => joined(f, "(", values, ")"),
        }
    }
}

/// The Rust type that reads and writes a scalar's values.
trait Plain: for<'a> Field<Ref<'a> = Self> {
    fn decode_value<T>(r: &mut Reader<'_>, put: impl FnOnce(Value) -> T) -> Result<T, DecodeError>;
    fn encode_value<S: Sink>(value: &Value, w: &mut Writer<'_, S>) -> Option<()>;
}

macro_rules! plain {
    ($inline:ident: $($pattern:pat => $type:ty: $from:expr, |$owned:ident| $into:expr;)*) => {$(
        impl Plain for $type {
            #[inline($inline)]
            fn decode_value<T>(r: &mut Reader<'_>, put: impl FnOnce(Value) -> T) -> Result<T, DecodeError> {
                Self::decode(r).map(|$owned| put($into))
            }

            #[inline($inline)]
            fn encode_value<S: Sink>(value: &Value, w: &mut Writer<'_, S>) -> Option<()> {
                let $pattern = value else { return None };
                Field::encode($from, w);
                Some(())
            }
        }
    )*};
}

macro_rules! plain_integers {
    ($($variant:ident: $($type:ty)*;)*) => {$(plain! { always: $(
        Value::$variant(n) => $type: &<$type>::try_from(*n).ok()?, |n| Value::$variant(n.into());
    )*})*};
}
plain_integers! {
    Unsigned: u8 u16 u32 u64 u128;
    Signed: i8 i16 i32 i64 i128;
}
plain! { always:
    Value::F32(n) => f32: n, |n| Value::F32(n);
    Value::F64(n) => f64: n, |n| Value::F64(n);
    Value::Bool(truth) => bool: truth, |truth| Value::Bool(truth);
    Value::Char(char) => char: char, |char| Value::Char(char);
    Value::Duration(duration) => Duration: duration, |duration| Value::Duration(duration);
    &Value::Instant(seconds, nanos @ ..=999_999_999) => Instant: &Instant { seconds, nanos },
        |instant| Value::Instant(instant.seconds, instant.nanos);
}
plain! { never:
    Value::Text(text) => String: text, |text| Value::Text(text);
    Value::Text(digits) => Tile: &digits.parse::<Tile>().ok()?, |tile| Value::Text(tile.to_string());
    Value::Decimal(text) => Number: &text.parse::<Number>().ok()?, |number| Value::Decimal(number.to_string());
    Value::Bytes(bytes) => Vec<u8>: bytes, |bytes| Value::Bytes(bytes);
    Value::Ip(address) => IpAddr: address, |address| Value::Ip(address);
    Value::Ip(IpAddr::V4(address)) => Ipv4Addr: address, |address| Value::Ip(address.into());
    Value::Ip(IpAddr::V6(address)) => Ipv6Addr: address, |address| Value::Ip(address.into());
    Value::Text(text) => HostPath: &host_path(text)?, |page| Value::Text(page.into());
}

/// A URL as a tuple of its parts: host and path, scheme, port or 0, user.
#[cfg(feature = "url")]
impl Plain for crate::keys::encode::UrlKey {
    fn decode_value<T>(r: &mut Reader<'_>, put: impl FnOnce(Value) -> T) -> Result<T, DecodeError> {
        let url = Self::decode(r)?;
        let (page, scheme, port, user) = url.parts();
        Ok(put(Value::Tuple(vec![
            Value::Text(page),
            Value::Text(scheme.to_owned()),
            Value::Unsigned(port.into()),
            Value::Text(user.to_owned()),
        ])))
    }

    fn encode_value<S: Sink>(value: &Value, w: &mut Writer<'_, S>) -> Option<()> {
        let Value::Tuple(parts) = value else { return None };
        let [Value::Text(page), Value::Text(scheme), Value::Unsigned(port), Value::Text(user)] = parts.as_slice()
        else {
            return None;
        };
        let url = Self::from_parts(&host_path(page)?, scheme, u16::try_from(*port).ok()?, user).ok()?;
        url.encode(w);
        Some(())
    }
}

/// Parses a host path that is complete: a host without `/` is refused.
pub(super) fn host_path(text: &str) -> Option<HostPath> {
    HostPath::parse(text).ok().filter(|page| page.as_str() == text)
}

#[inline(never)]
fn encode_byte_array<S: Sink>(len: usize, value: &Value, w: &mut Writer<'_, S>) -> Option<()> {
    match (len, value) {
        (4, Value::Ip(IpAddr::V4(_))) => Ipv4Addr::encode_value(value, w),
        (16, Value::Ip(IpAddr::V6(_))) => Ipv6Addr::encode_value(value, w),
        (_, Value::Bytes(bytes)) if bytes.len() == len => {
            w.bytes(bytes);
            Some(())
        }
        _ => None,
    }
}

#[inline(never)]
fn encode_foreign<S: Sink>(foreign: Foreign, value: &Value, w: &mut Writer<'_, S>) -> Option<()> {
    foreign.encode(value, w).ok()
}

#[inline(never)]
fn decode_foreign(foreign: Foreign, r: &mut Reader<'_>) -> Result<Value, DecodeError> {
    foreign.decode(r)
}

#[inline(never)]
fn encode_quadkey<S: Sink>(zoom: u8, value: &Value, w: &mut Writer<'_, S>) -> Option<()> {
    let Value::Text(digits) = value else { return None };
    let tile = digits.parse::<Tile>().ok().filter(|tile| zoom > 0 && tile.zoom() == zoom)?;
    quadkey::write(tile.digits(), zoom, w);
    Some(())
}

#[inline(never)]
fn decode_quadkey(zoom: u8, r: &mut Reader<'_>) -> Result<Value, DecodeError> {
    quadkey::read(zoom, r).map(|digits| Value::Text(Tile::new(digits, zoom).to_string()))
}

/// Reads a scalar and hands its value to `put`, which makes it in place instead of moving it.
#[inline(always)]
pub(super) fn decode<T>(scalar: Scalar, r: &mut Reader<'_>, put: impl FnOnce(Value) -> T) -> Result<T, DecodeError> {
    match scalar {
        Scalar::U8 => u8::decode_value(r, put),
        Scalar::U16 => u16::decode_value(r, put),
        Scalar::U32 => u32::decode_value(r, put),
        Scalar::U64 => u64::decode_value(r, put),
        Scalar::U128 => u128::decode_value(r, put),
        Scalar::I8 => i8::decode_value(r, put),
        Scalar::I16 => i16::decode_value(r, put),
        Scalar::I32 => i32::decode_value(r, put),
        Scalar::I64 => i64::decode_value(r, put),
        Scalar::I128 => i128::decode_value(r, put),
        Scalar::F32 => f32::decode_value(r, put),
        Scalar::F64 => f64::decode_value(r, put),
        Scalar::Bool => bool::decode_value(r, put),
        Scalar::Char => char::decode_value(r, put),
        Scalar::Text => String::decode_value(r, put),
        Scalar::Bytes => <Vec<u8>>::decode_value(r, put),
        Scalar::IpAddr => IpAddr::decode_value(r, put),
        Scalar::Instant => Instant::decode_value(r, put),
        Scalar::Duration => Duration::decode_value(r, put),
        Scalar::Tile => Tile::decode_value(r, put),
        Scalar::Decimal => Number::decode_value(r, put),
        Scalar::HostPath => HostPath::decode_value(r, put),
        #[cfg(feature = "url")]
        Scalar::Url => crate::keys::encode::UrlKey::decode_value(r, put),
        // Never reached: a layout with a URL is refused.
        #[cfg(not(feature = "url"))]
        Scalar::Url => Err(r.bad_value(r.offset(), "a URL", "the feature `url` reads it")),
        Scalar::ByteArray(len) => r.bytes(len).map(|bytes| put(Value::Bytes(bytes.into_owned()))),
        Scalar::QuadKey(zoom) => decode_quadkey(zoom, r).map(put),
        Scalar::Foreign(foreign) => decode_foreign(foreign, r).map(put),
    }
}

/// Writes a scalar; `None` if the value is not valid for it.
#[inline(always)]
pub(super) fn encode<S: Sink>(scalar: Scalar, value: &Value, w: &mut Writer<'_, S>) -> Option<()> {
    match scalar {
        Scalar::U8 => u8::encode_value(value, w),
        Scalar::U16 => u16::encode_value(value, w),
        Scalar::U32 => u32::encode_value(value, w),
        Scalar::U64 => u64::encode_value(value, w),
        Scalar::U128 => u128::encode_value(value, w),
        Scalar::I8 => i8::encode_value(value, w),
        Scalar::I16 => i16::encode_value(value, w),
        Scalar::I32 => i32::encode_value(value, w),
        Scalar::I64 => i64::encode_value(value, w),
        Scalar::I128 => i128::encode_value(value, w),
        Scalar::F32 => f32::encode_value(value, w),
        Scalar::F64 => f64::encode_value(value, w),
        Scalar::Bool => bool::encode_value(value, w),
        Scalar::Char => char::encode_value(value, w),
        Scalar::Text => String::encode_value(value, w),
        Scalar::Bytes => <Vec<u8>>::encode_value(value, w),
        Scalar::IpAddr => IpAddr::encode_value(value, w),
        Scalar::Instant => Instant::encode_value(value, w),
        Scalar::Duration => Duration::encode_value(value, w),
        Scalar::Tile => Tile::encode_value(value, w),
        Scalar::Decimal => Number::encode_value(value, w),
        Scalar::HostPath => HostPath::encode_value(value, w),
        #[cfg(feature = "url")]
        Scalar::Url => crate::keys::encode::UrlKey::encode_value(value, w),
        #[cfg(not(feature = "url"))]
        Scalar::Url => None,
        Scalar::ByteArray(len) => encode_byte_array(len, value, w),
        Scalar::QuadKey(zoom) => encode_quadkey(zoom, value, w),
        Scalar::Foreign(foreign) => encode_foreign(foreign, value, w),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_sort_by_kind_and_value() {
        let decimals = ["-1000", "-12.5", "-12.05", "-2", "-0.001", "0", "0.001", "0.01", "2", "12.05", "12.5", "1000"]
            .map(|number| Value::Decimal(number.into()));
        let floats = [f64::NEG_INFINITY, -0.0, 0.0, 1.5, f64::NAN].map(Value::F64);
        let unsigned = [0, 9, u128::MAX].map(Value::Unsigned);
        let lists = [vec![], vec![Value::Unsigned(1)], vec![Value::Unsigned(1), Value::Bool(false)]].map(Value::List);
        let all: Vec<Value> = unsigned.into_iter().chain(floats).chain(decimals).chain(lists).collect();
        assert!(all.is_sorted_by(|a, b| a < b));
        for (at, a) in all.iter().enumerate() {
            for (other, b) in all.iter().enumerate() {
                assert_eq!(a == b, at == other, "{a:?} {b:?}");
            }
        }
    }
}
