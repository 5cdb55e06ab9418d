//! The lead of a key, before its fields: a salt, a digest, or nothing.

use proc_macro2::TokenStream;
use syn::parse::{ParseStream, Parser};
use syn::{Ident, LitByteStr, LitStr, Path, Token};

use crate::Mistakes;
use crate::attr::{Arg, ArgValue};

pub(crate) enum Lead {
    None,
    Salt(Salt),
    Digest(Digest),
}

pub(crate) struct Salt {
    pub(crate) arg: Arg,
    pub(crate) buckets: Option<(Arg, u64)>,
    pub(crate) hash: Hash,
    pub(crate) format: Format,
    pub(crate) delimiter: Option<LitByteStr>,
    pub(crate) by: Vec<TokenStream>,
}

/// The form in which a bucket is written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    Binary,
    Hex,
    Decimal,
}

pub(crate) enum Hash {
    /// The name of a constant of `rowkey::lead::SaltHash`.
    Known(&'static str),
    /// The name and the function of the user's own hash.
    Own(String, Path),
}

pub(crate) struct Digest {
    pub(crate) arg: Arg,
    /// The variant of `rowkey::foreign::HashFunction`.
    pub(crate) function: &'static str,
    pub(crate) taken: Taken,
    pub(crate) delimiter: Option<LitByteStr>,
    pub(crate) by: Vec<TokenStream>,
}

/// The part of a hash that comes before the fields.
#[derive(Clone, Copy)]
pub(crate) enum Taken {
    Bytes(u64),
    /// Digits in hex.
    Hex(u64),
}

impl Lead {
    pub(crate) fn of(salt: Option<Salt>, digest: Option<Digest>, mistakes: &mut Mistakes) -> Self {
        match (salt, digest) {
            (Some(salt), digest) => {
                if let Some(digest) = digest {
                    mistakes.at(&digest.arg, "a key can't have both `salt` and `hashed`: remove one of them");
                }
                Self::Salt(salt)
            }
            (None, Some(digest)) => Self::Digest(digest),
            (None, None) => Self::None,
        }
    }
}

impl Salt {
    pub(crate) fn read(arg: Arg, mistakes: &mut Mistakes) -> Self {
        let (mut buckets, mut hash, mut format, mut by) = (None, Hash::Known("XXH3"), Format::Binary, Vec::new());
        let mut delimiter = None;
        let inner = arg.inner(&["buckets", "by", "hash", "format", "delimiter"], "buckets = 16", mistakes);
        if inner.as_ref().is_some_and(|inner| !inner.iter().any(|arg| arg.name == "buckets")) {
            mistakes.at(&arg, "`salt` needs the number of buckets: write `salt(buckets = 16)`");
        }
        for arg in inner.into_iter().flatten() {
            match arg.name.to_string().as_str() {
                "buckets" => buckets = arg.number(16, mistakes).map(|number| (arg, number)),
                "by" => by = arg.names(mistakes),
                "hash" => {
                    if let Some(read) = Hash::read(&arg, mistakes) {
                        hash = read;
                    }
                }
                "delimiter" => delimiter = arg.delimiter(mistakes),
                _ => format = Format::read(&arg, mistakes),
            }
        }
        if delimiter.is_some() && format == Format::Binary {
            mistakes.at(&arg, "a delimiter comes after digits: write `format = decimal` or `format = hex` too");
        }
        Self { arg, buckets, hash, format, delimiter, by }
    }
}

impl Format {
    fn read(arg: &Arg, mistakes: &mut Mistakes) -> Self {
        let Some(format) = arg.ident("hex", mistakes) else { return Self::Binary };
        match format.to_string().as_str() {
            "binary" => Self::Binary,
            "hex" => Self::Hex,
            "decimal" => Self::Decimal,
            _ => {
                mistakes.at(&format, "the format of a salt is `binary`, `hex` or `decimal`");
                Self::Binary
            }
        }
    }
}

impl Hash {
    const EXPECTED: &str = "the hash of a salt is `xxh3`, `xxh64`, `md5`, `java`, `java31`, `hash_code`, `murmur3`, `crc32`, or your \
         own: `hash(\"its_name\", path::to::fn)`";

    fn read(arg: &Arg, mistakes: &mut Mistakes) -> Option<Self> {
        if let ArgValue::List(list) = &arg.value {
            return Self::own(arg, list, mistakes);
        }
        let known = match arg.parsed::<Ident>().map(|ident| ident.to_string()).as_deref() {
            Some("xxh3") => "XXH3",
            Some("xxh64") => "XXH64",
            Some("md5") => "MD5",
            Some("java") => "JAVA",
            Some("java31") => "JAVA_31",
            Some("hash_code") => "HASH_CODE",
            Some("murmur3") => "MURMUR3",
            Some("crc32") => "CRC32",
            _ => {
                mistakes.at(arg.place(), Self::EXPECTED);
                return None;
            }
        };
        Some(Self::Known(known))
    }

    fn own(arg: &Arg, list: &TokenStream, mistakes: &mut Mistakes) -> Option<Self> {
        let parse = |input: ParseStream<'_>| {
            let name: LitStr = input.parse()?;
            input.parse::<Token![,]>()?;
            let path: Path = input.parse()?;
            input.parse::<Option<Token![,]>>()?;
            Ok((name, path))
        };
        let Ok((name, path)) = parse.parse2(list.clone()) else {
            mistakes.at(arg, Self::EXPECTED);
            return None;
        };
        let text = name.value();
        if text.is_empty() || !text.chars().all(|c| c.is_ascii_alphanumeric() || "_-.".contains(c)) {
            mistakes.at(&name, "the name of a hash is one word of letters, digits, `_`, `-` and `.`");
        } else if is_reserved(&text) {
            mistakes
                .at(&name, format!("`{text}` is reserved, it has a meaning in shapes: give your hash another name"));
        }
        Some(Self::Own(text, path))
    }
}

/// Returns whether a word has a meaning in shapes, as the names of the built-in hashes have. A test compares the words
/// with those of `src/keys/words.rs`, which `rowkey::encode::Encoding` and `rowkey::LayoutBuf` refuse.
fn is_reserved(word: &str) -> bool {
    const RESERVED: &[&str] = &[
        "xxh3",
        "xxh64",
        "md5",
        "java",
        "hex",
        "by",
        "salt",
        "desc",
        "raw",
        "nulls_first",
        "nulls_last",
        "option",
        "list",
        "enum",
        "u8",
        "u16",
        "u32",
        "u64",
        "u128",
        "i8",
        "i16",
        "i32",
        "i64",
        "i128",
        "f32",
        "f64",
        "bool",
        "char",
        "text",
        "bytes",
        "ipaddr",
        "instant",
        "duration",
        "decimal",
        "host_path",
        "url",
        "quadkey",
        "tile",
    ];
    RESERVED.contains(&word)
}

impl Digest {
    pub(crate) fn read(arg: Arg, mistakes: &mut Mistakes) -> Self {
        let (mut of, mut taken, mut delimiter, mut by) = (("Md5", 16), None, None, Vec::new());
        for arg in arg.inner(&["bytes", "hex", "hash", "delimiter", "by"], "bytes = 16", mistakes).into_iter().flatten()
        {
            match arg.name.to_string().as_str() {
                "by" => by = arg.names(mistakes),
                "hash" => of = hash_function(&arg, mistakes).unwrap_or(of),
                "delimiter" => delimiter = arg.delimiter(mistakes),
                _ if taken.is_some() => {
                    mistakes.at(&arg, "`bytes` and `hex` both say how much of the hash: remove one")
                }
                _ => taken = Some((arg.number(16, mistakes).unwrap_or(1), arg)),
            }
        }
        let (function, most) = of;
        let taken = taken.map(|(number, arg)| {
            let is_hex = arg.name == "hex";
            let (most, what) = if is_hex { (2 * most, "hex digits") } else { (most, "bytes") };
            if !(1..=most).contains(&number) {
                mistakes.at(arg.place(), format!("a digest has 1 to {most} {what}, not {number}"));
            }
            if is_hex { Taken::Hex(number) } else { Taken::Bytes(number) }
        });
        Self { arg, function, taken: taken.unwrap_or(Taken::Bytes(most)), delimiter, by }
    }

    /// The bytes of a digest of rowkey's own; `None` of another program's hash.
    pub(crate) fn own(&self) -> Option<u64> {
        match self {
            Self { function: "Md5", taken: Taken::Bytes(bytes), delimiter: None, .. } => Some(*bytes),
            _ => None,
        }
    }
}

/// The variant of `HashFunction`, and the number of its bytes.
fn hash_function(arg: &Arg, mistakes: &mut Mistakes) -> Option<(&'static str, u64)> {
    let name = arg.ident("md5", mistakes)?;
    let known = match name.to_string().as_str() {
        "md5" => ("Md5", 16),
        "sha1" => ("Sha1", 20),
        "sha256" => ("Sha256", 32),
        "murmur3" => ("Murmur3", 4),
        "crc32" => ("Crc32", 4),
        "hash_code" => ("HashCode", 4),
        _ => {
            mistakes.at(&name, "the hash is `md5`, `sha1`, `sha256`, `murmur3`, `crc32` or `hash_code`");
            return None;
        }
    };
    Some(known)
}
