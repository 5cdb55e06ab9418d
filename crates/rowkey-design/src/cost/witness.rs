//! Values made up where no sample has any: what a query's ranges look like.

use std::net::{IpAddr, Ipv4Addr};
use std::ops::Bound;
use std::time::Duration;

use rowkey::Value;
use rowkey::foreign::Foreign;
use rowkey::layout::Scalar;
use rowkey::untyped::{FieldBuf, TypeBuf};

use crate::design::Width;
use crate::facts::{FieldFacts, Growth};

/// The time that made-up times are near: 2026-01-01, in seconds since 1970.
const NOW: f64 = 1_767_225_600.0;

/// The bits of a snowflake after its milliseconds.
const SNOWFLAKE: u32 = 22;

/// The k-th made-up value of a field: they are spread over what its type can be, and times follow each other.
pub(crate) fn of_field(field: &FieldFacts<'_>, k: u64) -> Value {
    let ty = &field.field.ty;
    match field.growth {
        // Every third: neighbours would be one range.
        Some(Growth::Time(_) | Growth::TimeId | Growth::Unknown) => match now(ty, field.growth) {
            Some(now) => value(ty, now.saturating_add(k.saturating_mul(3))),
            None => value(ty, k.saturating_mul(3)),
        },
        Some(Growth::Sequence) => value(ty, k.saturating_mul(3)),
        // An odd factor: no two of as many values as the type has are the same.
        None => value(ty, k.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15)),
    }
}

fn now(ty: &TypeBuf, growth: Option<Growth>) -> Option<u64> {
    at(NOW, ty, growth)
}

/// The number of the value that a field has at a time in seconds since 1970; none where it is no number.
pub(crate) fn at(time: f64, ty: &TypeBuf, growth: Option<Growth>) -> Option<u64> {
    match (ty, growth) {
        (TypeBuf::Scalar(Scalar::Foreign(foreign)), _) if foreign.values() != Scalar::Foreign(*foreign) => {
            at(time, &TypeBuf::Scalar(foreign.values()), growth)
        }
        (TypeBuf::Scalar(Scalar::ByteArray(_) | Scalar::Bytes | Scalar::Text), _) => None,
        (_, Some(Growth::TimeId)) => Some(((time * 1000.0) as u64) << SNOWFLAKE),
        _ => Some((time / seconds(ty, growth)) as u64),
    }
}

/// The seconds that one more of a field's values is: a guess by its width where nothing says it.
fn seconds(ty: &TypeBuf, growth: Option<Growth>) -> f64 {
    match (growth, ty) {
        (Some(Growth::Time(Some(seconds))), _) => seconds,
        (_, TypeBuf::Scalar(Scalar::Instant | Scalar::U32 | Scalar::I32)) => 1.0,
        (_, TypeBuf::Scalar(Scalar::U16 | Scalar::I16)) => 86_400.0,
        _ => 1e-3,
    }
}

/// The lower bound of the range of this width that ends with `value`: none below, if the type has no values so far
/// below. None where the type has no such step.
pub(crate) fn before(value: &Value, field: &FieldFacts<'_>, width: Width) -> Option<Bound<Value>> {
    let ty = &field.field.ty;
    let is_time_id = field.growth == Some(Growth::TimeId) && matches!(width, Width::Time(_));
    let steps = match width {
        Width::Values(count) => count.0,
        Width::Time(period) if is_time_id => period.seconds() * 1000.0,
        Width::Time(period) => period.seconds() / seconds(ty, field.growth),
    };
    // The last value is one of them.
    let back = Back { values: (steps - 1.0).clamp(0.0, 2f64.powi(100)) as u128, width, is_time_id };
    Some(back.from(value, ty)?.map_or(Bound::Unbounded, |first| from(first, ty)))
}

/// The lower bound of the values of a type from this one on, which may lie between two of them: a day is none of the
/// range that begins within it.
fn from(first: Value, ty: &TypeBuf) -> Bound<Value> {
    let TypeBuf::Scalar(Scalar::Foreign(foreign)) = ty else { return Bound::Included(first) };
    match (foreign.nearest(first.clone()), first) {
        (Value::Instant(at, nanos), Value::Instant(first, more)) if (at, nanos) < (first, more) => {
            Bound::Excluded(Value::Instant(at, nanos))
        }
        (nearest, _) => Bound::Included(nearest),
    }
}

/// The distance of a range's first value from its last.
struct Back {
    values: u128,
    width: Width,
    /// True if `values` are milliseconds of an id that begins with a time.
    is_time_id: bool,
}

impl Back {
    /// The first value; none inside if it is below all of the type. None if the type has no such step.
    fn from(&self, value: &Value, ty: &TypeBuf) -> Option<Option<Value>> {
        let back = if self.is_time_id { self.values << SNOWFLAKE } else { self.values };
        Some(match (value, ty) {
            (Value::Bytes(bytes), TypeBuf::Scalar(Scalar::ByteArray(len))) => {
                // The first 48 bits of a ULID or UUID are milliseconds.
                let digits = if self.is_time_id { 6 } else { *len };
                subtracted(bytes, digits, self.values).map(Value::Bytes)
            }
            (Value::Unsigned(n), _) => n.checked_sub(back).map(Value::Unsigned),
            (Value::Signed(n), TypeBuf::Scalar(scalar)) => {
                let bits = 8 * scalar.width()? as u32;
                let least = i128::MIN >> (128 - bits.clamp(1, 128));
                n.checked_sub(back as i128).filter(|n| *n >= least).map(Value::Signed)
            }
            (Value::Instant(seconds, nanos), _) => {
                let last = i128::from(*seconds) * 1_000_000_000 + i128::from(*nanos);
                let first = last - i128::try_from(self.nanos()?).ok()? + 1;
                let seconds = i64::try_from(first.div_euclid(1_000_000_000)).ok();
                seconds.map(|seconds| Value::Instant(seconds, first.rem_euclid(1_000_000_000) as u32))
            }
            (Value::Duration(duration), _) => {
                let width = Duration::from_nanos(u64::try_from(self.nanos()?).unwrap_or(u64::MAX));
                duration.checked_sub(width).map(Value::Duration)
            }
            (Value::F32(n), _) => Some(Value::F32(n - self.values as f32)),
            (Value::F64(n), _) => Some(Value::F64(n - self.values as f64)),
            (Value::Char(c), _) => {
                let first = u32::try_from(self.values).ok().and_then(|back| u32::from(*c).checked_sub(back));
                first.and_then(char::from_u32).map(Value::Char)
            }
            (Value::Ip(IpAddr::V4(ip)), _) => {
                let first = u32::try_from(self.values).ok().and_then(|back| u32::from(*ip).checked_sub(back));
                first.map(|first| Value::Ip(Ipv4Addr::from(first).into()))
            }
            (Value::Option(Some(inner)), TypeBuf::Option(ty)) => {
                self.from(inner, ty)?.map(|first| Value::Option(Some(Box::new(first))))
            }
            (Value::Tuple(values), TypeBuf::Tuple(fields)) => {
                let first = self.from(values.first()?, &fields.first()?.ty)?;
                first.map(|first| Value::Tuple(std::iter::once(first).chain(values.iter().skip(1).cloned()).collect()))
            }
            _ => return None,
        })
    }

    /// Its width in nanoseconds; a number of values is one of seconds.
    fn nanos(&self) -> Option<u128> {
        match self.width {
            Width::Time(period) => Some(period.0.as_nanos()),
            Width::Values(_) => self.values.checked_mul(1_000_000_000),
        }
    }
}

/// A big-endian number in the first `len` bytes, less `back`; what follows is zero. None below zero.
fn subtracted(bytes: &[u8], len: usize, back: u128) -> Option<Vec<u8>> {
    let mut less = bytes.to_vec();
    let len = len.min(less.len());
    let mut borrow = back;
    for byte in less[..len].iter_mut().rev() {
        let low = borrow & 0xff;
        borrow = (borrow >> 8) + u128::from(u128::from(*byte) < low);
        *byte = byte.wrapping_sub(low as u8);
    }
    less[len..].fill(0);
    (borrow == 0).then_some(less)
}

/// The k-th of a type's values, made up: the greater k, the greater the value, as far as the type has as many.
pub fn value(ty: &TypeBuf, k: u64) -> Value {
    match ty {
        TypeBuf::Scalar(scalar) => scalar_value(*scalar, k),
        TypeBuf::Option(inner) => Value::Option(Some(Box::new(value(inner, k)))),
        TypeBuf::List(inner) => Value::List(vec![value(inner, k)]),
        TypeBuf::Enum(variants) => match variants.get((k % variants.len().max(1) as u64) as usize) {
            Some(variant) => Value::Enum(variant.tag, values(&variant.fields, k)),
            None => Value::Tuple(Vec::new()),
        },
        TypeBuf::Tuple(fields) => Value::Tuple(values(fields, k)),
        _ => Value::Bytes(k.to_be_bytes().to_vec()),
    }
}

fn values(fields: &[FieldBuf], k: u64) -> Vec<Value> {
    fields.iter().map(|field| value(&field.ty, k)).collect()
}

fn scalar_value(scalar: Scalar, k: u64) -> Value {
    let bits = scalar.width().map_or(64, |width| 8 * width as u32);
    // Half of the range: valid for signed numbers too.
    let positive = || if bits > 64 { k } else { k & (u64::MAX >> (65 - bits.max(1))) };
    match scalar {
        Scalar::U8 | Scalar::U16 | Scalar::U32 | Scalar::U64 | Scalar::U128 => {
            let all = if bits >= 64 { k } else { k & (u64::MAX >> (64 - bits)) };
            Value::Unsigned(all.into())
        }
        Scalar::I8 | Scalar::I16 | Scalar::I32 | Scalar::I64 | Scalar::I128 => Value::Signed(positive().into()),
        Scalar::F32 => Value::F32(k as f32),
        Scalar::F64 => Value::F64(k as f64),
        Scalar::Bool => Value::Bool(k % 2 == 1),
        Scalar::Char => Value::Char(char::from_u32(0x4e00 + (k % 0x5000) as u32).unwrap_or('m')),
        Scalar::Instant => Value::Instant(i64::try_from(k).unwrap_or(i64::MAX).min(1 << 40), 0),
        Scalar::Duration => Value::Duration(Duration::from_secs(k)),
        Scalar::ByteArray(len) => {
            // The number in front, so that made-up values are spread.
            let number = k.to_be_bytes();
            Value::Bytes(if len < 8 {
                number[8 - len..].to_vec()
            } else {
                number.into_iter().chain(std::iter::repeat(0)).take(len).collect()
            })
        }
        Scalar::Bytes => Value::Bytes(k.to_be_bytes().to_vec()),
        Scalar::Decimal => Value::Decimal(k.to_string()),
        Scalar::IpAddr => Value::Ip(Ipv4Addr::from(k as u32).into()),
        Scalar::QuadKey(zoom) => Value::Text(quadkey(zoom, k)),
        Scalar::Tile => Value::Text(quadkey(12, k)),
        Scalar::HostPath => Value::Text(format!("host{k:020}.example/")),
        Scalar::Url => Value::Tuple(vec![
            Value::Text(format!("host{k:020}.example/")),
            Value::Text("https".to_owned()),
            Value::Unsigned(0),
            Value::Text(String::new()),
        ]),
        Scalar::Foreign(foreign) if foreign.values() == scalar => match foreign.present() {
            Some(present) => Value::Option(Some(Box::new(scalar_value(Scalar::Foreign(present), k)))),
            None if matches!(foreign, Foreign::Constant(_)) => Value::Tuple(Vec::new()),
            // Any element of FoundationDB: an integer.
            None => Value::Enum(20, vec![Value::Signed(k.into())]),
        },
        Scalar::Foreign(foreign) => foreign.nearest(scalar_value(foreign.values(), k)),
        _ => Value::Text(format!("{k:020}")),
    }
}

/// The digits of a tile.
fn quadkey(zoom: u8, k: u64) -> String {
    (0..u32::from(zoom))
        .rev()
        .map(|digit| char::from(b'0' + (k.checked_shr(2 * digit).unwrap_or(0) & 3) as u8))
        .collect()
}
