//! The beginning of a hash before a key's fields.
//!
//! ```text
//! hash(md5 hex[4 '_'] by 0) text['_'], dec[10]     "ada"     8 c 8 d _ a d a _ …     MD5("ada") is 8c8d357b…
//! hash(sha1 bytes[2] by 0) text['_'], dec[10]      "ada"     cd d1 a d a _ …
//! ```
//!
//! It is taken over m as a salt is, without the delimiter that ends m.

use std::fmt;

use md5::{Digest as _, Md5};

use super::{Case, Delimiter};

/// A hash that other programs put before their keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum HashFunction {
    /// MD5 (RFC 1321): 16 bytes.
    Md5,
    /// SHA-1 (FIPS 180-4): 20 bytes. Feature `hashes`.
    Sha1,
    /// SHA-256 (FIPS 180-4): 32 bytes. Feature `hashes`.
    Sha256,
    /// MurmurHash3 of 32 bits for x86, seed 0: four bytes, big-endian. Feature `hashes`.
    Murmur3,
    /// CRC-32 of IEEE 802.3, as zlib's: four bytes, big-endian. Feature `hashes`.
    Crc32,
    /// Java's `String.hashCode`: four bytes, big-endian. Of text that is not UTF-8, each byte is a character.
    HashCode,
}

impl HashFunction {
    /// All of them.
    pub const ALL: [Self; 6] = [Self::Md5, Self::Sha1, Self::Sha256, Self::Murmur3, Self::Crc32, Self::HashCode];

    /// The name in shapes.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Md5 => "md5",
            Self::Sha1 => "sha1",
            Self::Sha256 => "sha256",
            Self::Murmur3 => "murmur3",
            Self::Crc32 => "crc32",
            Self::HashCode => "hash_code",
        }
    }

    /// The number of bytes of a hash.
    pub const fn width(self) -> u8 {
        match self {
            Self::Md5 => 16,
            Self::Sha1 => 20,
            Self::Sha256 => 32,
            Self::Murmur3 | Self::Crc32 | Self::HashCode => 4,
        }
    }

    /// Returns whether it is there: MD5 and `hash_code` always are, the others with the feature `hashes`.
    pub const fn is_built(self) -> bool {
        matches!(self, Self::Md5 | Self::HashCode) || cfg!(feature = "hashes")
    }

    /// The hash of these bytes; `None` without the feature that has it.
    ///
    /// ```
    /// use rowkey::foreign::HashFunction;
    ///
    /// assert_eq!(HashFunction::HashCode.of(b"ada"), Some(0x1789e_u32.to_be_bytes().to_vec()));
    /// ```
    pub fn of(self, bytes: &[u8]) -> Option<Vec<u8>> {
        match self {
            Self::Md5 => Some(Md5::digest(bytes).to_vec()),
            Self::HashCode => Some(hash_code(bytes).to_be_bytes().to_vec()),
            #[cfg(feature = "hashes")]
            Self::Sha1 => Some(sha1::Sha1::digest(bytes).to_vec()),
            #[cfg(feature = "hashes")]
            Self::Sha256 => Some(sha2::Sha256::digest(bytes).to_vec()),
            #[cfg(feature = "hashes")]
            Self::Murmur3 => murmur3::murmur3_32(&mut &*bytes, 0).ok().map(|hash| hash.to_be_bytes().to_vec()),
            #[cfg(feature = "hashes")]
            Self::Crc32 => Some(crc32fast::hash(bytes).to_be_bytes().to_vec()),
            #[cfg(not(feature = "hashes"))]
            Self::Sha1 | Self::Sha256 | Self::Murmur3 | Self::Crc32 => None,
        }
    }
}

/// Over UTF-16 code units: h = 31·h + unit, from 0 on, wrapping in 32 bits.
pub(crate) fn hash_code(bytes: &[u8]) -> u32 {
    let next = |hash: u32, unit: u16| hash.wrapping_mul(31).wrapping_add(unit.into());
    match str::from_utf8(bytes) {
        Ok(text) => text.encode_utf16().fold(0, next),
        Err(_) => bytes.iter().map(|byte| u16::from(*byte)).fold(0, next),
    }
}

/// The beginning of a hash, as it stands before a key's fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct HashPrefix {
    function: HashFunction,
    /// The number of bytes, or of hex digits.
    taken: u8,
    /// That of hex digits; `None` for bytes.
    case: Option<Case>,
    delimiter: Option<Delimiter>,
}

impl HashPrefix {
    /// The most bytes that one has: all digits of SHA-256, and a delimiter.
    pub const MOST: usize = 64 + Delimiter::MOST;

    /// The first `bytes` bytes of a hash; `None` if it does not have as many, or none are taken.
    pub const fn bytes(function: HashFunction, bytes: u8) -> Option<Self> {
        if bytes == 0 || bytes > function.width() {
            return None;
        }
        Some(Self { function, taken: bytes, case: None, delimiter: None })
    }

    /// The first `digits` hex digits of a hash; `None` if it does not have as many, or none are taken.
    ///
    /// ```
    /// use rowkey::foreign::{Case, Delimiter, HashFunction, HashPrefix};
    ///
    /// let prefix = HashPrefix::hex(HashFunction::Md5, 4, Case::Lower).unwrap().before(Delimiter::of_char('_'));
    /// assert_eq!(prefix.to_string(), "md5 hex[4 '_']");
    /// ```
    pub const fn hex(function: HashFunction, digits: u8, case: Case) -> Option<Self> {
        if digits == 0 || digits > 2 * function.width() {
            return None;
        }
        Some(Self { function, taken: digits, case: Some(case), delimiter: None })
    }

    /// The same, before a delimiter.
    #[must_use]
    pub const fn before(self, delimiter: Delimiter) -> Self {
        Self { delimiter: Some(delimiter), ..self }
    }

    /// The hash.
    pub const fn function(&self) -> HashFunction {
        self.function
    }

    /// The number of hex digits and their case, or of bytes, without the delimiter.
    pub const fn taken(&self) -> (u8, Option<Case>) {
        (self.taken, self.case)
    }

    /// The delimiter after it, if there is one.
    pub const fn delimiter(&self) -> Option<Delimiter> {
        self.delimiter
    }

    /// The number of bytes before the fields, with the delimiter.
    pub const fn width(&self) -> usize {
        match self.delimiter {
            Some(delimiter) => self.taken as usize + delimiter.len(),
            None => self.taken as usize,
        }
    }

    /// Writes the prefix of a key whose m is this into all bytes of `lead`. Returns `false` without the feature that
    /// has the hash.
    pub(crate) fn write(&self, m: &[u8], lead: &mut [u8]) -> bool {
        let Some(hash) = self.function.of(m) else { return false };
        let taken = usize::from(self.taken);
        let written = match self.case {
            Some(case) => super::text::hex(&hash, case).into_bytes(),
            None => hash,
        };
        let delimiter = self.delimiter.iter().flat_map(|delimiter| delimiter.as_bytes().to_vec());
        let written = written.into_iter().take(taken).chain(delimiter);
        lead.iter_mut().zip(written).for_each(|(byte, due)| *byte = due);
        true
    }

    /// Reads a prefix as [`Display`](fmt::Display) writes it; returns what comes after it.
    pub(crate) fn read(text: &str) -> Option<(Self, &str)> {
        let (name, rest) = text.split_once(' ')?;
        let function = HashFunction::ALL.into_iter().find(|function| function.name() == name)?;
        let (word, rest) = rest.split_once('[')?;
        let digits = rest.len() - rest.trim_start_matches(|char: char| char.is_ascii_digit()).len();
        let taken = rest[..digits].parse().ok()?;
        let mut after = &rest[digits..];
        let mut prefix = match word {
            "bytes" => Self::bytes(function, taken)?,
            "hex" => match after.strip_prefix(" upper") {
                Some(rest) => {
                    after = rest;
                    Self::hex(function, taken, Case::Upper)?
                }
                None => Self::hex(function, taken, Case::Lower)?,
            },
            _ => return None,
        };
        if let Some(quoted) = after.strip_prefix(' ') {
            let (delimiter, rest) = Delimiter::read(quoted)?;
            (prefix, after) = (prefix.before(delimiter), rest);
        }
        let after = after.strip_prefix(']')?;
        let read = &text[..text.len() - after.len()];
        (prefix.to_string() == read).then_some((prefix, after))
    }
}

/// Why a text is not the beginning of a hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected a hash and how much of it: `md5 hex[4 '_']`")]
pub struct NotAHash;

impl std::str::FromStr for HashPrefix {
    type Err = NotAHash;

    fn from_str(text: &str) -> Result<Self, NotAHash> {
        Self::read(text).filter(|(_, rest)| rest.is_empty()).map(|(prefix, _)| prefix).ok_or(NotAHash)
    }
}

/// As in `md5 hex[4 '_']`.
impl fmt::Display for HashPrefix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (word, case) = match self.case {
            None => ("bytes", ""),
            Some(Case::Lower) => ("hex", ""),
            Some(Case::Upper) => ("hex", " upper"),
        };
        write!(f, "{} {word}[{}{case}", self.function.name(), self.taken)?;
        if let Some(delimiter) = self.delimiter {
            write!(f, " {delimiter}")?;
        }
        f.write_str("]")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hex(function: HashFunction, text: &str) -> Option<String> {
        function.of(text.as_bytes()).map(|hash| super::super::text::hex(&hash, Case::Lower))
    }

    /// Of RFC 1321, FIPS 180-4, zlib, the reference of MurmurHash3, and the documentation of `String.hashCode`.
    #[test]
    fn hashes_are_those_of_their_definitions() {
        assert_eq!(hex(HashFunction::Md5, "abc").as_deref(), Some("900150983cd24fb0d6963f7d28e17f72"));
        assert_eq!(hex(HashFunction::HashCode, "").as_deref(), Some("00000000"));
        assert_eq!(hex(HashFunction::HashCode, "Aa"), hex(HashFunction::HashCode, "BB"));
        assert_eq!(hash_code("hello".as_bytes()), 99_162_322);
        assert_eq!(hash_code("é😀".as_bytes()), (0xe9_u32 * 31 + 0xd83d).wrapping_mul(31).wrapping_add(0xde00));
        #[cfg(feature = "hashes")]
        for (function, due) in [
            (HashFunction::Sha1, "a9993e364706816aba3e25717850c26c9cd0d89d"),
            (HashFunction::Sha256, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            (HashFunction::Crc32, "352441c2"),
            (HashFunction::Murmur3, "b3dd93fa"),
        ] {
            assert_eq!(hex(function, "abc").as_deref(), Some(due), "{function:?}");
        }
    }

    #[test]
    fn a_prefix_is_read_as_it_is_written() {
        for text in ["md5 hex[4 '_']", "sha256 hex[64 upper '::']", "crc32 bytes[2]", "hash_code bytes[4 '#']"] {
            let whole = format!("{text} by 0)");
            let (prefix, rest) = HashPrefix::read(&whole).unwrap();
            assert_eq!((prefix.to_string().as_str(), rest), (text, " by 0)"));
        }
        for text in ["md5 hex[0]", "md5 hex[33]", "md5 bytes[17]", "md5 hex[04]", "md6 hex[4]", "md5 dec[4]", "md5", ""]
        {
            assert!(HashPrefix::read(text).is_none(), "{text}");
        }
    }
}
