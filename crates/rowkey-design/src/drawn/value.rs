//! The values of a field: of a rank, of a time, of a place in a sequence.

use crate::cost::value;
use crate::design::Meaning;
use crate::facts::FieldFacts;
use rowkey::Value;
use rowkey::layout::Scalar;
use rowkey::untyped::{FieldBuf, TypeBuf};

use super::numbers::mix;

/// Bytes that are a number: longer ones are digests and UUIDs.
const SHORT: usize = 8;

/// The values of one field.
#[derive(Clone, Debug)]
pub(super) struct Values<'d> {
    pub(super) ty: &'d TypeBuf,
    pub(super) meaning: Option<Meaning>,
    /// The bytes of a value whose type has no width.
    pub(super) bytes: usize,
    /// The number of values, where the field does not grow.
    pub(super) count: u64,
    /// True if nothing is said of them: they can be anywhere among those of the type.
    pub(super) is_unsaid: bool,
}

impl Values<'_> {
    /// The value with this number, of those from 0 to `count`: numbers follow each other; text, what is random, and what
    /// nothing is said of is scattered over all that the type can be.
    pub(super) fn numbered(&self, number: u64) -> Value {
        self.of_type(self.ty, number)
    }

    fn is_scattered(&self) -> bool {
        self.is_unsaid || looks_random(self.meaning)
    }

    fn of_type(&self, ty: &TypeBuf, number: u64) -> Value {
        match ty {
            TypeBuf::Scalar(scalar) => self.of_scalar(*scalar, number),
            TypeBuf::Option(inner) => Value::Option(Some(Box::new(self.of_type(inner, number)))),
            TypeBuf::List(inner) => {
                let each = 1 + inner.width().unwrap_or(15);
                let count = (self.bytes / each).clamp(1, 16);
                Value::List((0..count).map(|at| self.of_type(inner, part(number, at, count))).collect())
            }
            TypeBuf::Tuple(fields) => Value::Tuple(self.of_fields(fields, number)),
            TypeBuf::Enum(variants) => {
                // Of a variant without fields there is one value.
                let (single, full): (Vec<_>, Vec<_>) = variants.iter().partition(|variant| variant.fields.is_empty());
                let singles = single.len() as u64;
                let (of, number) = match (&single[..], &full[..]) {
                    ([], []) => return value(ty, number),
                    (single, full) if number < singles || full.is_empty() => (single[(number % singles) as usize], 0),
                    (_, full) => {
                        let (left, variants) = (number - singles, full.len() as u64);
                        (full[(left % variants) as usize], left / variants)
                    }
                };
                Value::Enum(of.tag, self.of_fields(&of.fields, number))
            }
            _ => value(ty, number),
        }
    }

    fn of_fields(&self, fields: &[FieldBuf], number: u64) -> Vec<Value> {
        let part = |at| part(number, at, fields.len());
        fields.iter().enumerate().map(|(at, field)| self.of_type(&field.ty, part(at))).collect()
    }

    fn of_scalar(&self, scalar: Scalar, number: u64) -> Value {
        use Scalar::{
            ByteArray, Bytes, Foreign, HostPath, I8, I16, I32, I64, I128, IpAddr, QuadKey, Text, Tile, U128, Url,
        };
        let scattered = mix(number);
        match scalar {
            Text => Value::Text(self.text(number)),
            Bytes => Value::Bytes(bytes(number, self.bytes.max(8))),
            // Short ones are numbers, as the ids of OpenTSDB are; long ones digests and UUIDs.
            ByteArray(len) if len > SHORT || self.is_scattered() => self.uuid(bytes(number, len)),
            ByteArray(len) => Value::Bytes(number.to_be_bytes()[SHORT - len..].to_vec()),
            Foreign(foreign) if foreign.values() != scalar => foreign.nearest(self.of_scalar(foreign.values(), number)),
            I8 | I16 | I32 | I64 | I128 if self.is_scattered() => {
                let bits = scalar.width().map_or(128, |width| 8 * width as u32);
                Value::Signed(scattered_over_128_bits(number) as i128 >> (128 - bits))
            }
            U128 if self.is_scattered() => Value::Unsigned(scattered_over_128_bits(number)),
            _ if self.is_scattered() => value(&TypeBuf::Scalar(scalar), scattered),
            HostPath | IpAddr | QuadKey(_) | Tile | Url => value(&TypeBuf::Scalar(scalar), scattered),
            _ => value(&TypeBuf::Scalar(scalar), number),
        }
    }

    /// A UUID's version, where the values are such.
    fn uuid(&self, mut bytes: Vec<u8>) -> Value {
        if let (Some(Meaning::Uuid4), [_, _, _, _, _, _, version, _, variant, ..]) = (self.meaning, &mut bytes[..]) {
            (*version, *variant) = (*version & 0x0f | 0x40, *variant & 0x3f | 0x80);
        }
        Value::Bytes(bytes)
    }

    fn text(&self, number: u64) -> String {
        let len = self.bytes.max(1);
        match self.meaning {
            Some(Meaning::Number) => number.to_string(),
            Some(Meaning::Digest | Meaning::Random) => data_encoding::HEXLOWER.encode(&bytes(number, len.div_ceil(2))),
            Some(Meaning::Uuid4) => hyphenated(&bytes(number, 16), 4),
            _ => letters(number, self.count, len),
        }
    }
}

fn looks_random(meaning: Option<Meaning>) -> bool {
    matches!(meaning, Some(Meaning::Random | Meaning::Uuid4 | Meaning::Digest))
}

/// True if the values of a field are numbers that follow each other from 0 on: as many as the file says.
pub(crate) fn is_numbered(field: &FieldFacts<'_>) -> bool {
    use Scalar::{ByteArray, I8, I16, I32, I64, I128, U8, U16, U32, U64, U128};
    let is_number = |scalar: Scalar| match scalar {
        U8 | U16 | U32 | U64 | U128 | I8 | I16 | I32 | I64 | I128 => true,
        ByteArray(len) => len <= SHORT,
        _ => false,
    };
    let is_of_number = match field.field.ty {
        TypeBuf::Scalar(Scalar::Foreign(foreign)) => is_number(foreign.values()),
        TypeBuf::Scalar(scalar) => is_number(scalar),
        _ => false,
    };
    let is_said = field.stats.is_some_and(|stats| stats.distinct.is_some());
    is_of_number && is_said && field.growth.is_none() && !looks_random(field.meaning)
}

/// The number of a part of several: the last has it all, the others few values, as the names of tags have.
fn part(number: u64, at: usize, count: usize) -> u64 {
    const FEW: u64 = 8;
    if at + 1 == count { number } else { mix(number ^ mix(at as u64)) % FEW }
}

/// A number that looks random, the same of the same number.
fn scattered_over_128_bits(number: u64) -> u128 {
    u128::from(mix(number)) << 64 | u128::from(mix(mix(number)))
}

/// Bytes that look random, the same of the same number.
fn bytes(number: u64, len: usize) -> Vec<u8> {
    let words = (0..).flat_map(|k| mix(number.wrapping_add(mix(k))).to_be_bytes());
    words.take(len).collect()
}

/// The letters of a number below `count`, of this length: scattered where there are many more texts than are needed.
fn letters(number: u64, count: u64, len: usize) -> String {
    const LETTERS: u64 = 26;
    let texts = LETTERS.checked_pow(len.try_into().unwrap_or(u32::MAX));
    let are_few = texts.is_some_and(|texts| texts / 1024 < count);
    let mut left = if are_few { number } else { mix(number) };
    let mut more = number;
    let mut text: Vec<u8> = (0..len)
        .map(|at| {
            // Twelve letters are in 64 bits.
            if at > 0 && at % 12 == 0 {
                more = more.wrapping_add(1);
                left = if are_few { left } else { mix(mix(more)) };
            }
            let letter = b'a' + (left % LETTERS) as u8;
            left /= LETTERS;
            letter
        })
        .collect();
    text.reverse();
    String::from_utf8(text).unwrap_or_default()
}

/// The text of a UUID of this version.
fn hyphenated(bytes: &[u8], version: u8) -> String {
    let mut hex = data_encoding::HEXLOWER.encode(bytes);
    hex.replace_range(12..13, &version.to_string());
    hex.replace_range(16..17, "8");
    [20, 16, 12, 8].into_iter().for_each(|at| hex.insert(at, '-'));
    hex
}

/// The value of a field that is the time, in microseconds since 1970, one of which is so many seconds.
pub(super) fn of_time(ty: &TypeBuf, each: f64, micros: u64) -> Value {
    match ty {
        TypeBuf::Scalar(Scalar::Foreign(foreign)) if foreign.values() != Scalar::Foreign(*foreign) => {
            foreign.nearest(of_time(&TypeBuf::Scalar(foreign.values()), each, micros))
        }
        TypeBuf::Scalar(Scalar::Instant) => {
            Value::Instant((micros / 1_000_000) as i64, (micros % 1_000_000 * 1000) as u32)
        }
        TypeBuf::Option(inner) => Value::Option(Some(Box::new(of_time(inner, each, micros)))),
        TypeBuf::Tuple(fields) if !fields.is_empty() => {
            let rest = fields[1..].iter().map(|field| value(&field.ty, 0));
            Value::Tuple(std::iter::once(of_time(&fields[0].ty, each, micros)).chain(rest).collect())
        }
        // A clock's unit is a whole number of microseconds, or it has some of them in one.
        _ if each < 1e-6 => value(ty, micros.saturating_mul((1e-6 / each).round() as u64)),
        _ => value(ty, micros / ((each * 1e6).round() as u64).max(1)),
    }
}

/// The id that begins with a time and ends with what looks random.
pub(super) fn of_time_id(ty: &TypeBuf, meaning: Option<Meaning>, micros: u64, random: u64) -> Value {
    let millis = micros / 1000;
    let with_random = |version: u8| {
        let mut id = [&millis.to_be_bytes()[2..], &bytes(random, 10)].concat();
        if version > 0 {
            (id[6], id[8]) = (id[6] & 0x0f | version << 4, id[8] & 0x3f | 0x80);
        }
        id
    };
    let version = if meaning == Some(Meaning::Uuid7) { 7 } else { 0 };
    match ty {
        TypeBuf::Scalar(Scalar::Foreign(foreign)) if foreign.values() != Scalar::Foreign(*foreign) => {
            foreign.nearest(of_time_id(&TypeBuf::Scalar(foreign.values()), meaning, micros, random))
        }
        TypeBuf::Option(inner) => Value::Option(Some(Box::new(of_time_id(inner, meaning, micros, random)))),
        TypeBuf::Scalar(Scalar::ByteArray(len)) => {
            Value::Bytes(with_random(version).into_iter().chain(std::iter::repeat(0)).take(*len).collect())
        }
        TypeBuf::Scalar(Scalar::Bytes) => Value::Bytes(with_random(version)),
        TypeBuf::Scalar(Scalar::Text) if version > 0 => Value::Text(hyphenated(&with_random(version), version)),
        TypeBuf::Scalar(Scalar::Text) => Value::Text(ulid(millis, random)),
        TypeBuf::Scalar(Scalar::U128) => {
            Value::Unsigned(u128::from(millis) << 80 | u128::from(random) << 16 | u128::from(mix(random) as u16))
        }
        // A snowflake: 22 bits of a machine and a counter.
        _ => value(ty, millis << 22 | random >> 42),
    }
}

/// The text of a ULID: 48 bits of a time and 80 of chance, in Crockford's base 32.
fn ulid(millis: u64, random: u64) -> String {
    const DIGITS: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";
    let number = u128::from(millis) << 80 | u128::from(random) << 16 | u128::from(mix(random) as u16);
    (0..26).rev().map(|at| char::from(DIGITS[(number >> (5 * at)) as usize & 31])).collect()
}
