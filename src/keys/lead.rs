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

use std::borrow::Cow;

use md5::{Digest as _, Md5};
use xxhash_rust::{xxh3::xxh3_64, xxh64::xxh64};

use crate::keys::error::{DecodeError, DecodeReason, Hex};

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
}

/// A salt: how the bucket of a row is computed and written.
#[doc(alias = "salting")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Salt<N> {
    /// The number of buckets, 1 to 65,536.
    pub buckets: u32,
    /// The hash that picks a row's bucket.
    pub hash: SaltHash<N>,
    /// True if the bucket is written in lower-case hex digits, which a shell shows as they are.
    pub hex: bool,
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
    pub const JAVA: Self = Self::new("java", |bytes| {
        let hash = bytes.iter().fold(1i32, |h, &byte| h.wrapping_mul(31).wrapping_add(i32::from(byte as i8)));
        u64::from(hash.unsigned_abs())
    });
    /// The hashes that have a name in the format.
    pub const KNOWN: [Self; 4] = [Self::XXH3, Self::XXH64, Self::MD5, Self::JAVA];

    /// A hash of your own, and the name that it has in the key's shape.
    pub const fn new(name: &'static str, hash: fn(&[u8]) -> u64) -> Self {
        Self { name, hash: Some(hash) }
    }
}

impl SaltHash<String> {
    /// The hash of this name, without its function if it is a user's own.
    pub fn named(name: impl Into<String>) -> Self {
        let name = name.into();
        let hash = SaltHash::KNOWN.into_iter().find(|known| known.name == name).and_then(|known| known.hash);
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
        }
        Ok(())
    }

    /// Checks the lead of a key against its fields; inlined as `write` is.
    #[inline(always)]
    pub(crate) fn check(&self, key: &[u8], by: &[usize], ends: &[usize]) -> Result<(), DecodeError> {
        let mut due = [0; 16];
        let width = self.width().min(due.len());
        let (found, body) = key.split_at(width.min(key.len()));
        match self.write(&hashed_part(body, by, ends), &mut due[..width]) {
            Ok(()) if *found == due[..width] => Ok(()),
            Ok(()) => Err(self.wrong(found, due)),
            Err(unknown) => Err(DecodeError::new(0, DecodeReason::Unreadable(unknown.to_string()))),
        }
    }

    #[cold]
    fn wrong(&self, found: &[u8], due: [u8; 16]) -> DecodeError {
        let kind = if matches!(self, Self::Salt(_)) { "salt" } else { "digest" };
        let (found, expected) = (Hex(found).to_string(), Hex(&due[..found.len()]).to_string());
        DecodeError::new(0, DecodeReason::Lead { kind, found, expected })
    }
}

fn write_digest(m: &[u8], lead: &mut [u8]) {
    lead.iter_mut().zip(Md5::digest(m)).for_each(|(byte, due)| *byte = due);
}

/// The layout's salt has a custom hash. The layout stores the name of the hash; only the key's Rust type has its
/// function.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the layout uses the salt hash {0:?}, which is not built in: use the key's Rust type, which has its function")]
pub struct UnknownHash(pub String);

impl<N> Salt<N> {
    /// The width of a bucket, in bytes.
    pub const fn width(&self) -> usize {
        match (self.hex, self.buckets) {
            (false, ..=256) | (true, ..=16) => 1,
            (false, _) | (true, ..=256) => 2,
            (true, _) => 4,
        }
    }

    /// Writes a bucket into all bytes of `lead`.
    #[inline]
    pub(crate) fn write(&self, bucket: u32, lead: &mut [u8]) {
        for (i, byte) in lead.iter_mut().rev().enumerate() {
            *byte = if self.hex {
                b"0123456789abcdef"[(bucket >> (4 * i) & 15) as usize]
            } else {
                (bucket >> (8 * i)) as u8
            };
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

/// m: the whole body, or its `by` fields joined. `ends` are the ends of the body's fields.
#[inline]
pub(crate) fn hashed_part<'a>(body: &'a [u8], by: &[usize], ends: &[usize]) -> Cow<'a, [u8]> {
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
