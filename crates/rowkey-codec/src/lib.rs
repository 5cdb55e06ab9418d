//! Codecs of row keys in other languages, generated from a design or a layout: byte for byte the keys of
//! [`rowkey`](https://docs.rs/rowkey), without a native library.

pub mod docs;
pub mod go;
pub mod ir;
pub mod names;

/// A generated file: its path within the package, with `/`, and its text.
pub type SourceFile = (String, String);
