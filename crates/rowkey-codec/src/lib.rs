//! Codecs of row keys in other languages, generated from a design or a layout: byte for byte the keys of
//! [`rowkey`](https://docs.rs/rowkey), without a native library.
//!
//! ```
//! use rowkey_codec::{Language, Package, generate, ir::Table};
//!
//! let layout = "salt(16 xxh3 by 0) text, i64 desc".parse()?;
//! let files = generate(&[Table::new(layout)], Language::Python, &Package::new("visits-keys"))?;
//! let (_, module) = files.iter().find(|(path, _)| path == "visits_keys/key.py").ok_or("no module")?;
//! assert!(module.contains("class Key:"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod docs;
pub mod go;
pub mod ir;
pub mod java;
pub mod names;
pub mod python;

use std::str::FromStr;

use rowkey_design::internal::choice::{Choice, UnknownName};

use self::ir::{Codec, Refusal, Table};

/// A generated file: its path within the package, with `/`, and its text.
pub type SourceFile = (String, String);

/// A language of generated code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Language {
    /// Java 17 or newer.
    Java,
    /// Go 1.23 or newer.
    Go,
    /// Python 3.10 or newer.
    Python,
}

impl Choice for Language {
    const ALL: &'static [Self] = &[Self::Java, Self::Python, Self::Go];

    fn name(self) -> &'static str {
        match self {
            Self::Java => "java",
            Self::Go => "go",
            Self::Python => "python",
        }
    }

    fn about(self) -> String {
        match self {
            Self::Java => "Java 17 or newer: records, as a Maven project",
            Self::Go => "Go 1.23 or newer: structs, as a module",
            Self::Python => "Python 3.10 or newer: dataclasses, typed for mypy",
        }
        .to_owned()
    }
}

impl FromStr for Language {
    type Err = UnknownName;

    fn from_str(name: &str) -> Result<Self, UnknownName> {
        Self::ALL.iter().copied().find(|language| language.name() == name).ok_or(UnknownName)
    }
}

/// The package that generated code is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Package {
    /// The name, which each language writes in its own case. Of Go it can be the path of a module, by which other
    /// programs import it: `example.com/keys`.
    pub name: String,
}

impl Package {
    /// A package of this name.
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into() }
    }

    /// The version: the first number is that of the byte format, the others are those of this crate.
    pub fn version() -> String {
        format!("1.{}.{}", env!("CARGO_PKG_VERSION_MINOR"), env!("CARGO_PKG_VERSION_PATCH"))
    }
}

/// The licences, which generated packages have with them.
pub(crate) const LICENSES: [(&str, &str); 2] =
    [("LICENSE-APACHE", include_str!("../LICENSE-APACHE")), ("LICENSE-MIT", include_str!("../LICENSE-MIT"))];

/// The files of a package with the codecs of these tables.
///
/// # Errors
/// The first key, or the package's name, that has no generated code, and why.
pub fn generate(tables: &[Table], language: Language, package: &Package) -> Result<Vec<SourceFile>, Refusal> {
    match language {
        Language::Java => java::files(&Codec::of(tables, &names::JAVA)?, package),
        Language::Go => go::files(&Codec::of(tables, &names::GO)?, package),
        Language::Python => python::files(&Codec::of(tables, &names::PYTHON)?, package),
    }
}

/// The code in README.md, compiled and run by the tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
pub mod _readme {}
