//! The lead of a key, the bytes before its fields: a salt, or the beginning of a hash.

use rowkey::foreign::{self, Case, End, Foreign, Order};
use rowkey::lead::{Lead as Source, SaltFormat};

/// The bytes before the fields of a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Lead {
    /// Nothing.
    None,
    /// A bucket, by a hash of fields.
    Salt(Salt),
    /// The beginning of a hash of fields.
    Digest(Digest),
}

/// A salt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Salt {
    /// The number of buckets, 1 to 65,536.
    pub buckets: u32,
    /// The hash, of which a bucket is the remainder.
    pub hash: SaltHash,
    /// The bytes of a bucket.
    pub bucket: Bucket,
    /// The fields that are hashed, by index; empty: all.
    pub by: Vec<usize>,
    /// The number of bytes at the end of what is hashed that are left out: the last field's delimiter.
    pub cut: usize,
}

/// The bytes of a bucket: a number of a fixed width, then perhaps a delimiter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bucket {
    /// The digits.
    pub radix: Radix,
    /// The number of digits.
    pub width: usize,
    /// The delimiter.
    pub delimiter: Vec<u8>,
}

/// The digits of a bucket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Radix {
    /// Bytes, big-endian.
    Bytes,
    /// Decimal digits.
    Decimal,
    /// `0` to `9`, `a` to `f`.
    Hex,
    /// `0` to `9`, `A` to `F`.
    UpperHex,
}

/// The hash of a salt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SaltHash {
    /// XXH3 of 64 bits, seed 0.
    Xxh3,
    /// XXH64, seed 0.
    Xxh64,
    /// The first eight bytes of MD5.
    Md5,
    /// Java's `Arrays.hashCode(byte[])`, its absolute value.
    Java,
    /// The same, its lower 31 bits.
    Java31,
    /// Java's `String.hashCode`, its absolute value.
    HashCode,
    /// MurmurHash3 of 32 bits.
    Murmur3,
    /// CRC-32 of IEEE 802.3.
    Crc32,
}

/// The beginning of a hash.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Digest {
    /// The hash.
    pub function: HashFunction,
    /// The part that is taken.
    pub taken: Taken,
    /// The delimiter after it.
    pub delimiter: Vec<u8>,
    /// The fields that are hashed, by index; empty: all.
    pub by: Vec<usize>,
    /// The number of bytes at the end of what is hashed that are left out: the last field's delimiter.
    pub cut: usize,
}

/// A hash whose beginning can stand before keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HashFunction {
    /// MD5.
    Md5,
    /// SHA-1.
    Sha1,
    /// SHA-256.
    Sha256,
    /// MurmurHash3 of 32 bits for x86, seed 0, big-endian.
    Murmur3,
    /// CRC-32 of IEEE 802.3, big-endian.
    Crc32,
    /// Java's `String.hashCode`, big-endian.
    HashCode,
}

/// The part of a hash that is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Taken {
    /// Bytes.
    Bytes(usize),
    /// Hex digits.
    Hex(usize),
    /// Hex digits in upper case.
    UpperHex(usize),
}

impl Lead {
    /// The number of bytes before the fields.
    pub fn width(&self) -> usize {
        match self {
            Self::None => 0,
            Self::Salt(salt) => salt.bucket.width + salt.bucket.delimiter.len(),
            Self::Digest(digest) => {
                let (Taken::Bytes(taken) | Taken::Hex(taken) | Taken::UpperHex(taken)) = digest.taken;
                taken + digest.delimiter.len()
            }
        }
    }

    /// The lead of a layout, or what of it has no code.
    pub(super) fn of(source: &Source<String>, by: &[usize], cut: usize) -> Result<Self, (String, &'static str)> {
        let by = by.to_vec();
        Ok(match source {
            Source::None => Self::None,
            Source::Digest(bytes) => Self::Digest(Digest {
                function: HashFunction::Md5,
                taken: Taken::Bytes((*bytes).into()),
                delimiter: Vec::new(),
                by,
                cut,
            }),
            Source::Hash(prefix) => {
                let taken = match prefix.taken() {
                    (bytes, None) => Taken::Bytes(bytes.into()),
                    (digits, Some(Case::Lower)) => Taken::Hex(digits.into()),
                    (digits, Some(Case::Upper)) => Taken::UpperHex(digits.into()),
                };
                let function = match prefix.function() {
                    foreign::HashFunction::Md5 => HashFunction::Md5,
                    foreign::HashFunction::Sha1 => HashFunction::Sha1,
                    foreign::HashFunction::Sha256 => HashFunction::Sha256,
                    foreign::HashFunction::Murmur3 => HashFunction::Murmur3,
                    foreign::HashFunction::Crc32 => HashFunction::Crc32,
                    foreign::HashFunction::HashCode => HashFunction::HashCode,
                    other => return Err((other.name().to_owned(), "the generated code has no such hash")),
                };
                let delimiter = prefix.delimiter().map_or(Vec::new(), |delimiter| delimiter.as_bytes().to_vec());
                Self::Digest(Digest { function, taken, delimiter, by, cut })
            }
            Source::Salt(salt) => {
                let hash = match salt.hash.name.as_str() {
                    "xxh3" => SaltHash::Xxh3,
                    "xxh64" => SaltHash::Xxh64,
                    "md5" => SaltHash::Md5,
                    "java" => SaltHash::Java,
                    "java[31]" => SaltHash::Java31,
                    "hash_code[java]" => SaltHash::HashCode,
                    "murmur3[32]" => SaltHash::Murmur3,
                    "crc32[ieee]" => SaltHash::Crc32,
                    other => {
                        return Err((other.to_owned(), "a salt by a hash of a user's own is code that is not here"));
                    }
                };
                let bucket = Bucket::of(salt.format, salt.width())?;
                Self::Salt(Salt { buckets: salt.buckets, hash, bucket, by, cut })
            }
        })
    }
}

impl Bucket {
    fn of(format: SaltFormat, width: usize) -> Result<Self, (String, &'static str)> {
        let plain = |radix| Self { radix, width, delimiter: Vec::new() };
        let field = match format {
            SaltFormat::Binary => return Ok(plain(Radix::Bytes)),
            SaltFormat::Hex => return Ok(plain(Radix::Hex)),
            SaltFormat::Foreign(Foreign::Binary(number)) if number.order() == Order::Ascending => {
                return Ok(plain(Radix::Bytes));
            }
            SaltFormat::Foreign(Foreign::Text(field)) => field,
            SaltFormat::Foreign(other) => return Err((other.to_string(), NO_BUCKET)),
            _ => return Err(("salt".to_owned(), NO_BUCKET)),
        };
        let delimiter = match field.end() {
            End::Before(delimiter) => delimiter.as_bytes().to_vec(),
            _ => Vec::new(),
        };
        let radix = match field.form() {
            foreign::Form::Decimal => Radix::Decimal,
            foreign::Form::Hex(Case::Lower) => Radix::Hex,
            foreign::Form::Hex(Case::Upper) => Radix::UpperHex,
            _ => return Err((field.to_string(), NO_BUCKET)),
        };
        Ok(Self { radix, width: width - delimiter.len(), delimiter })
    }
}

const NO_BUCKET: &str = "of the formats of buckets the generated code has the binary ones, `dec`, `hex` and `uint`";
