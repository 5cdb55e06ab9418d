//! The lead of a key, before its fields: a salt, a digest, or nothing.

use proc_macro2::TokenStream;
use syn::parse::{ParseStream, Parser};
use syn::{Ident, LitStr, Path, Token};

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
    pub(crate) hex: bool,
    pub(crate) by: Vec<TokenStream>,
}

pub(crate) enum Hash {
    /// The name of a constant of `rowkey::lead::SaltHash`.
    Known(&'static str),
    /// The name and the function of the user's own hash.
    Own(String, Path),
}

pub(crate) struct Digest {
    pub(crate) arg: Arg,
    pub(crate) bytes: u64,
    pub(crate) by: Vec<TokenStream>,
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
        let (mut buckets, mut hash, mut hex, mut by) = (None, Hash::Known("XXH3"), false, Vec::new());
        let inner = arg.inner(&["buckets", "by", "hash", "format"], "buckets = 16", mistakes);
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
                _ => hex = is_hex(&arg, mistakes),
            }
        }
        Self { arg, buckets, hash, hex, by }
    }
}

fn is_hex(arg: &Arg, mistakes: &mut Mistakes) -> bool {
    let Some(format) = arg.ident("hex", mistakes) else { return false };
    if format != "hex" && format != "binary" {
        mistakes.at(&format, "the format of a salt is `binary` or `hex`");
    }
    format == "hex"
}

impl Hash {
    const EXPECTED: &str =
        "the hash of a salt is `xxh3`, `xxh64`, `md5`, `java`, or your own: `hash(\"its_name\", path::to::fn)`";

    fn read(arg: &Arg, mistakes: &mut Mistakes) -> Option<Self> {
        if let ArgValue::List(list) = &arg.value {
            return Self::own(arg, list, mistakes);
        }
        let known = match arg.parsed::<Ident>().map(|ident| ident.to_string()).as_deref() {
            Some("xxh3") => "XXH3",
            Some("xxh64") => "XXH64",
            Some("md5") => "MD5",
            Some("java") => "JAVA",
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
        let (mut bytes, mut by) = (16, Vec::new());
        for arg in arg.inner(&["bytes", "by"], "bytes = 16", mistakes).into_iter().flatten() {
            if arg.name == "by" {
                by = arg.names(mistakes);
            } else if let Some(number) = arg.number(16, mistakes) {
                bytes = number;
                if !(1..=16).contains(&number) {
                    mistakes.at(arg.place(), format!("a digest has 1 to 16 bytes, not {number}"));
                }
            }
        }
        Self { arg, bytes, by }
    }
}
