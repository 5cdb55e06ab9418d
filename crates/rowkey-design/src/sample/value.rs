//! Values of fields: their hash, and their text in lower case.

use rowkey::Value;
use rowkey::layout::Scalar;
use rowkey::untyped::{FieldBuf, TypeBuf};
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

/// Two numbers to one, each bit of which depends on all of theirs.
#[inline]
pub(super) fn mix(a: u64, b: u64) -> u64 {
    let fold = |a: u64, b: u64| {
        let product = u128::from(a) * u128::from(b);
        product as u64 ^ (product >> 64) as u64
    };
    let once = fold(a ^ 0x9e37_79b9_7f4a_7c15, b ^ 0xd1b5_4a32_d192_ed03);
    fold(once ^ 0x8cb9_2ba7_2f3d_8dd7, 0xaef1_7502_108e_f2d9)
}

#[inline]
fn wide(number: u128) -> u64 {
    mix(number as u64, (number >> 64) as u64)
}

/// The hash of a value among those of one field. Integers, which most are, are hashed in place.
#[inline]
pub(super) fn hash(value: &Value) -> u64 {
    match value {
        Value::Unsigned(number) => wide(*number),
        Value::Signed(number) => wide(*number as u128),
        other => hash_other(other),
    }
}

fn hash_other(value: &Value) -> u64 {
    match value {
        Value::F32(number) => wide(number.to_bits().into()),
        Value::F64(number) => wide(number.to_bits().into()),
        Value::Bool(truth) => wide((*truth).into()),
        Value::Char(char) => wide(u32::from(*char).into()),
        Value::Text(text) | Value::Decimal(text) => xxh3_64(text.as_bytes()),
        Value::Bytes(bytes) => xxh3_64(bytes),
        Value::Instant(seconds, nanos) => mix(*seconds as u64, (*nanos).into()),
        Value::Duration(duration) => mix(duration.as_secs(), duration.subsec_nanos().into()),
        Value::Option(None) => 1,
        Value::Option(Some(value)) => mix(2, hash(value)),
        Value::List(values) | Value::Tuple(values) => of_all(values.len() as u64, values),
        Value::Enum(tag, values) => of_all((*tag).into(), values),
        other => xxh3_64(other.to_string().as_bytes()),
    }
}

fn of_all(first: u64, values: &[Value]) -> u64 {
    values.iter().fold(mix(3, first), |all, value| mix(all, hash(value)))
}

/// True if values of these fields have text, whose case may vary.
pub(super) fn has_text(fields: &[FieldBuf]) -> bool {
    fn of(ty: &TypeBuf) -> bool {
        match ty {
            TypeBuf::Scalar(Scalar::Text | Scalar::Char | Scalar::HostPath | Scalar::Url) => true,
            TypeBuf::Option(inner) | TypeBuf::List(inner) => of(inner),
            TypeBuf::Enum(variants) => variants.iter().any(|variant| has_text(&variant.fields)),
            TypeBuf::Tuple(fields) => has_text(fields),
            _ => false,
        }
    }
    fields.iter().any(|field| of(&field.ty))
}

/// The hash of values whose text is in lower case.
pub(super) fn folded(values: &[Value], seed: u64, scratch: &mut Vec<u8>) -> u64 {
    values.iter().fold(seed, |all, value| {
        let one = match value {
            Value::Text(text) => {
                scratch.clear();
                if text.is_ascii() {
                    scratch.extend_from_slice(text.as_bytes());
                    scratch.make_ascii_lowercase();
                } else {
                    scratch.extend_from_slice(text.to_lowercase().as_bytes());
                }
                xxh3_64_with_seed(scratch, 1)
            }
            Value::Char(char) => char.to_lowercase().fold(5, |all, char| mix(all, u32::from(char).into())),
            Value::Option(Some(value)) => folded(std::slice::from_ref(value), 2, scratch),
            Value::List(values) | Value::Tuple(values) => folded(values, values.len() as u64, scratch),
            Value::Enum(tag, values) => folded(values, (*tag).into(), scratch),
            other => hash(other),
        };
        mix(all, one)
    })
}
