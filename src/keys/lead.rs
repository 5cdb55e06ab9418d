//! The lead of a key, the bytes before its fields: a salt, which spreads writes over buckets, or a digest, which
//! scatters rows.
//!
//! Both are hashes of m: the bytes of all fields, or of the `by` fields as they are in the key, joined in field order.
//! A salt is hash(m) mod buckets. A digest is the first bytes of MD5(m).
//!
//! ```text
//! 16 buckets        07 ………          one byte up to 256 buckets, two (big-endian) up to 65,536
//! 16 buckets, hex   '7' ………         1 lower-case digit up to 16, 2 up to 256, else 4
//! md5(4)            1b c7 e0 33 ……   the first bytes of MD5(m)
//! ```
//!
//! Keys of [other programs](crate::foreign) have others: a bucket in decimal before a delimiter, the digits of another
//! hash.

use std::borrow::Cow;

use md5::{Digest as _, Md5};
use xxhash_rust::{xxh3::xxh3_64, xxh64::xxh64};

use crate::keys::encode::{Reader, Writer};
use crate::keys::error::{DecodeError, DecodeReason, Hex};
use crate::keys::foreign::{
    Case, Delimiter, End, Foreign, Form, HashFunction, HashPrefix, TextField, digits_of, hash_code, hex_number,
};
use crate::keys::untyped::Value;
use crate::keys::writer::Slot;

/// The bytes before a key's fields, as a layout describes them: none, a salt, or a digest.
///
/// `N` is the type of a hash's name: `&'static str` in a constant layout, `String` in an owned one.
#[doc(alias = "salting")]
#[doc(alias = "hash prefix")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lead<N> {
    /// Nothing.
    None,
    /// A salt bucket.
    Salt(Salt<N>),
    /// The first bytes of MD5(m): this many, 1 to 16.
    Digest(u8),
    /// The beginning of a hash, as other programs write it.
    Hash(HashPrefix),
}

/// `java.util.Arrays.hashCode` of bytes.
fn array_hash_code(bytes: &[u8]) -> i32 {
    bytes.iter().fold(1, |h: i32, &byte| h.wrapping_mul(31).wrapping_add(i32::from(byte as i8)))
}

#[cfg(feature = "hashes")]
fn big_endian(hash: Option<Vec<u8>>) -> u64 {
    hash.unwrap_or_default().iter().fold(0, |number, byte| number << 8 | u64::from(*byte))
}

/// The bytes of a bucket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SaltFormat {
    /// One byte up to 256 buckets, else two, big-endian.
    Binary,
    /// Lower-case hex digits, which a shell shows as they are: 1 up to 16 buckets, 2 up to 256, else 4.
    Hex,
    /// As other programs write a number: with a width, perhaps before a delimiter.
    Foreign(Foreign),
}

impl SaltFormat {
    /// Buckets in decimal, with as many digits as the last has, before a delimiter of up to eight bytes.
    ///
    /// ```
    /// use rowkey::lead::SaltFormat;
    ///
    /// let SaltFormat::Foreign(format) = SaltFormat::decimal(20, b"-") else { panic!("of another program") };
    /// assert_eq!(format.to_string(), "dec[2 '-']");
    /// ```
    ///
    /// # Panics
    /// If the delimiter has more bytes. In a constant that is a compile error.
    #[track_caller]
    pub const fn decimal(buckets: u32, delimiter: &[u8]) -> Self {
        Self::text(Form::Decimal, digits_of(buckets.saturating_sub(1) as u128), delimiter)
    }

    /// Buckets in lower-case hex, with as many digits as the last has, before a delimiter of up to eight bytes.
    ///
    /// # Panics
    /// As [`decimal`](Self::decimal).
    #[track_caller]
    pub const fn hex(buckets: u32, delimiter: &[u8]) -> Self {
        let digits = match buckets.saturating_sub(1).checked_ilog2() {
            Some(log) => log as u16 / 4 + 1,
            None => 1,
        };
        Self::text(Form::Hex(Case::Lower), digits, delimiter)
    }

    #[track_caller]
    const fn text(form: Form, digits: u16, delimiter: &[u8]) -> Self {
        let end = match (delimiter.len(), Delimiter::new(delimiter)) {
            (0, _) => End::Width,
            (_, Some(delimiter)) => End::Before(delimiter),
            (_, None) => panic!("a delimiter has at most eight bytes"),
        };
        match TextField::new(form, Some(digits), end) {
            Ok(field) => Self::Foreign(Foreign::Text(field)),
            Err(_) => panic!("a bucket could not be told from the delimiter"),
        }
    }

    /// The number of bytes of a bucket.
    const fn width(self, buckets: u32) -> usize {
        match (self, buckets) {
            (Self::Foreign(foreign), _) => match foreign.width() {
                Some(width) => width,
                None => 0,
            },
            (Self::Binary, ..=256) | (Self::Hex, ..=16) => 1,
            (Self::Binary, _) | (Self::Hex, ..=256) => 2,
            (Self::Hex, _) => 4,
        }
    }

    /// Returns whether each of so many buckets can be written, and read again.
    pub(crate) fn can_write(self, buckets: u32) -> bool {
        let Self::Foreign(foreign) = self else { return true };
        let last = Value::Unsigned(buckets.saturating_sub(1).into());
        let is_written = foreign.encode(&last, &mut Writer::new(&mut Vec::new())).is_ok();
        is_written && foreign.width().is_some_and(|width| (1..=MOST_WIDTH).contains(&width))
    }

    fn write(self, bucket: u32, lead: &mut [u8]) {
        let digit = |shift: usize, bits| (bucket >> shift) & bits;
        for (i, byte) in lead.iter_mut().rev().enumerate() {
            *byte = match self {
                Self::Hex => b"0123456789abcdef"[digit(4 * i, 15) as usize],
                _ => digit(8 * i, 255) as u8,
            };
        }
    }

    fn write_foreign(foreign: Foreign, bucket: u32, lead: &mut [u8]) {
        let mut slot = Slot::new(lead);
        let written = foreign.encode(&Value::Unsigned(bucket.into()), &mut Writer::new(&mut slot));
        debug_assert!(written.is_ok() && slot.is_full(), "a checked format writes every bucket");
    }
}

/// The most bytes before the fields of a key.
pub(crate) const MOST_WIDTH: usize = HashPrefix::MOST;

/// A salt: how the bucket of a row is computed and written.
#[doc(alias = "salting")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Salt<N> {
    /// The number of buckets, 1 to 65,536.
    pub buckets: u32,
    /// The hash that picks a row's bucket.
    pub hash: SaltHash<N>,
    /// The bytes of a bucket.
    pub format: SaltFormat,
}

/// The hash that picks a row's salt bucket, and its name. Two are equal if their names are.
#[derive(Clone, Copy, Debug)]
pub struct SaltHash<N> {
    /// The name that it has in a key's shape.
    pub name: N,
    /// The function; `None` if it is not known, as with a user's own hash in a layout that was read from JSON.
    pub hash: Option<fn(&[u8]) -> u64>,
}

impl<N: PartialEq> PartialEq for SaltHash<N> {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl<N: Eq> Eq for SaltHash<N> {}

impl SaltHash<&'static str> {
    /// XXH3-64, seed 0: the default.
    pub const XXH3: Self = Self::new("xxh3", xxh3_64);
    /// XXH64, seed 0.
    pub const XXH64: Self = Self::new("xxh64", |bytes| xxh64(bytes, 0));
    /// The first eight bytes of MD5, big-endian.
    pub const MD5: Self = Self::new("md5", |bytes| {
        let [a, b, c, d, e, f, g, h, ..] = <[u8; 16]>::from(Md5::digest(bytes));
        u64::from_be_bytes([a, b, c, d, e, f, g, h])
    });
    /// The hash of Apache Phoenix: `java.util.Arrays.hashCode`, made positive.
    pub const JAVA: Self = Self::new("java", |bytes| u64::from(array_hash_code(bytes).unsigned_abs()));
    /// The hash of Pinpoint: the lower 31 bits of `java.util.Arrays.hashCode`; in shapes `java[31]`.
    pub const JAVA_31: Self = Self::new("java[31]", |bytes| u64::from(array_hash_code(bytes) as u32 & 0x7fff_ffff));
    /// Java's `String.hashCode` of m, made positive; in shapes `hash_code[java]`.
    pub const HASH_CODE: Self = Self::new("hash_code[java]", |m| u64::from((hash_code(m) as i32).unsigned_abs()));
    /// MurmurHash3 of 32 bits for x86, seed 0; in shapes `murmur3[32]`. Its function is there with the feature `hashes`.
    #[cfg(feature = "hashes")]
    pub const MURMUR3: Self = Self::new("murmur3[32]", |m| big_endian(HashFunction::Murmur3.of(m)));
    /// CRC-32 of IEEE 802.3; in shapes `crc32[ieee]`. Its function is there with the feature `hashes`.
    #[cfg(feature = "hashes")]
    pub const CRC32: Self = Self::new("crc32[ieee]", |m| big_endian(HashFunction::Crc32.of(m)));
    #[cfg(not(feature = "hashes"))]
    #[doc(hidden)]
    pub const MURMUR3: Self = Self { name: UNBUILT[0], hash: None };
    #[cfg(not(feature = "hashes"))]
    #[doc(hidden)]
    pub const CRC32: Self = Self { name: UNBUILT[1], hash: None };

    /// The hashes of other programs: in shapes bracketed words, which no hash of a user's can take.
    pub const FOREIGN: &'static [Self] = &[
        Self::JAVA_31,
        Self::HASH_CODE,
        #[cfg(feature = "hashes")]
        Self::MURMUR3,
        #[cfg(feature = "hashes")]
        Self::CRC32,
    ];
    /// The hashes that have a name in the format.
    pub const KNOWN: [Self; 4] = [Self::XXH3, Self::XXH64, Self::MD5, Self::JAVA];

    /// All hashes whose functions are here: those of the format, and those of other programs.
    pub fn all() -> impl Iterator<Item = Self> {
        Self::KNOWN.into_iter().chain(Self::FOREIGN.iter().copied())
    }

    /// A hash of your own, and the name that it has in the key's shape.
    pub const fn new(name: &'static str, hash: fn(&[u8]) -> u64) -> Self {
        Self { name, hash: Some(hash) }
    }
}

impl SaltHash<String> {
    /// The hash of this name, without its function if it is a user's own.
    pub fn named(name: impl Into<String>) -> Self {
        let name = name.into();
        let known = SaltHash::all().find(|known| known.name == name);
        let hash = known.and_then(|known| known.hash);
        Self { name, hash }
    }
}

impl<N> Lead<N> {
    /// The lead's width in bytes.
    pub const fn width(&self) -> usize {
        match self {
            Self::None => 0,
            Self::Salt(salt) => salt.width(),
            Self::Digest(bytes) => *bytes as usize,
            Self::Hash(prefix) => prefix.width(),
        }
    }
}

impl<N: AsRef<str>> Lead<N> {
    /// Writes the lead of a key whose m is this.
    ///
    /// Inlined always, because a constant layout leaves little of it.
    #[inline(always)]
    pub(crate) fn write(&self, m: &[u8], lead: &mut [u8]) -> Result<(), UnknownHash> {
        match self {
            Self::None => {}
            Self::Salt(salt) => salt.write(salt.bucket(m)?, lead),
            Self::Digest(_) => write_digest(m, lead),
            Self::Hash(prefix) if prefix.write(m, lead) => {}
            Self::Hash(prefix) => return Err(UnknownHash(prefix.function().name().to_owned())),
        }
        Ok(())
    }

    /// Checks the lead of a key against its fields; inlined as `write` is.
    #[inline(always)]
    pub(crate) fn check(&self, key: &[u8], hashed: Hashed<'_>, ends: &[usize]) -> Result<(), DecodeError> {
        let mut due = [0; MOST_WIDTH];
        let width = self.width().min(due.len());
        let (found, body) = key.split_at(width.min(key.len()));
        match self.write(&hashed.part(body, ends), &mut due[..width]) {
            Ok(()) if *found == due[..width] => Ok(()),
            Ok(()) => Err(self.wrong(found, due)),
            Err(unknown) => Err(DecodeError::new(0, DecodeReason::Unreadable(unknown.to_string()))),
        }
    }

    #[cold]
    fn wrong(&self, found: &[u8], due: [u8; MOST_WIDTH]) -> DecodeError {
        let kind = if matches!(self, Self::Salt(_)) { "salt" } else { "digest" };
        let (found, expected) = (Hex(found).to_string(), Hex(&due[..found.len()]).to_string());
        DecodeError::new(0, DecodeReason::Lead { kind, found, expected })
    }
}

fn write_digest(m: &[u8], lead: &mut [u8]) {
    lead.iter_mut().zip(Md5::digest(m)).for_each(|(byte, due)| *byte = due);
}

/// The layout has a hash that is not there: a user's own, whose name it stores, and whose function only the key's Rust
/// type has; or one of the feature `hashes`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the layout uses the hash {0:?}, which is not built in: {cure}", cure = cure(.0))]
pub struct UnknownHash(pub String);

fn cure(hash: &str) -> &'static str {
    let is_of_feature = HashFunction::ALL.iter().any(|known| known.name() == hash) || UNBUILT.contains(&hash);
    match is_of_feature {
        true => "build rowkey with its feature `hashes`",
        false => "use the key's Rust type, which has its function",
    }
}

/// The hashes of salts that are there with the feature `hashes`.
pub(crate) const UNBUILT: [&str; 2] = ["murmur3[32]", "crc32[ieee]"];

impl<N> Salt<N> {
    /// The width of a bucket, in bytes.
    pub const fn width(&self) -> usize {
        self.format.width(self.buckets)
    }

    /// The bucket that a key begins with; `None` if it begins with none.
    ///
    /// ```
    /// use rowkey::lead::{Salt, SaltFormat, SaltHash};
    ///
    /// let salt = Salt { buckets: 20, hash: SaltHash::XXH3, format: SaltFormat::decimal(20, b"-") };
    /// assert_eq!((salt.bucket_of(b"07-ada"), salt.bucket_of(b"20-ada"), salt.bucket_of(b"7-ada")), (Some(7), None, None));
    /// ```
    pub fn bucket_of(&self, key: &[u8]) -> Option<u32> {
        let lead = key.get(..self.width())?;
        let bucket = match self.format {
            SaltFormat::Binary => lead.iter().fold(0, |number, byte| number << 8 | u128::from(*byte)),
            SaltFormat::Hex => hex_number(lead, Case::Lower, true)?,
            SaltFormat::Foreign(foreign) => match foreign.decode(&mut Reader::new(lead)).ok()? {
                Value::Unsigned(bucket) => bucket,
                _ => return None,
            },
        };
        u32::try_from(bucket).ok().filter(|bucket| *bucket < self.buckets)
    }

    /// Writes a bucket into all bytes of `lead`.
    #[inline]
    pub(crate) fn write(&self, bucket: u32, lead: &mut [u8]) {
        match self.format {
            SaltFormat::Foreign(foreign) => SaltFormat::write_foreign(foreign, bucket, lead),
            format => format.write(bucket, lead),
        }
    }
}

impl<N: AsRef<str>> Salt<N> {
    /// The bucket, counted from 0, of a key whose m (see the [module](self)) is this.
    ///
    /// # Errors
    /// If the hash's function is not known.
    #[inline]
    pub fn bucket(&self, m: &[u8]) -> Result<u32, UnknownHash> {
        let hash = self.hash.hash.ok_or_else(|| UnknownHash(self.hash.name.as_ref().to_owned()))?;
        Ok((hash(m) % u64::from(self.buckets.max(1))) as u32)
    }
}

/// The part of a key that is hashed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Hashed<'l> {
    /// The fields by index; none: all.
    pub(crate) by: &'l [usize],
    /// The length of the delimiter that ends the last of these fields: it is left out.
    pub(crate) delimiter: usize,
}

impl Hashed<'_> {
    /// m: the whole body, or its `by` fields joined. `ends` are the ends of the body's fields.
    #[inline]
    pub(crate) fn part<'a>(self, body: &'a [u8], ends: &[usize]) -> Cow<'a, [u8]> {
        match (joined(body, self.by, ends), self.delimiter) {
            (m, 0) => m,
            (Cow::Borrowed(m), delimiter) => Cow::Borrowed(&m[..m.len().saturating_sub(delimiter)]),
            (Cow::Owned(mut m), delimiter) => {
                m.truncate(m.len().saturating_sub(delimiter));
                Cow::Owned(m)
            }
        }
    }
}

#[inline]
fn joined<'a>(body: &'a [u8], by: &[usize], ends: &[usize]) -> Cow<'a, [u8]> {
    let field = |&i: &usize| {
        let start = if i == 0 { 0 } else { ends[i - 1] };
        &body[start..ends[i]]
    };
    match by {
        [] => Cow::Borrowed(body),
        // Adjacent fields are joined already.
        [first, .., last] if last - first + 1 == by.len() => {
            let start = if *first == 0 { 0 } else { ends[first - 1] };
            Cow::Borrowed(&body[start..ends[*last]])
        }
        [one] => Cow::Borrowed(field(one)),
        _ => Cow::Owned(by.iter().flat_map(field).copied().collect()),
    }
}
