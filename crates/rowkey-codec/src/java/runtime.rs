//! The runtime: hand-written classes that generated code uses, a file for each encoding.

use crate::SourceFile;

/// The package of the runtime.
pub(super) const PACKAGE: &str = "io.github.rowkey";

macro_rules! runtime {
    ($($name:literal,)*) => {
        &[$(($name, include_str!(concat!("../../runtime/java/io/github/rowkey/", $name, ".java")))),*]
    };
}

/// The classes, and their sources.
const CLASSES: &[(&str, &str)] = runtime! {
    "Binary", "Bool", "Bounds", "ByteArrays", "ByteStrings", "CodePoint", "Constants", "Cut", "DatePattern",
    "Decimals", "DecodeException", "Digest", "Digests", "Digits", "Durations", "EncodeException", "Escapes",
    "Explanation", "Floats", "HashFunction", "HashPrefix", "HostPath", "HostPaths", "Hosts", "Instants",
    "IpAddresses", "JavaHashes", "KeyBytes", "KeyDuration", "KeyField", "KeyInstant", "KeyRange", "KeyReader",
    "KeySpan", "KeyWriter", "Layout", "LayoutException", "Lead", "LeadingFields", "Lists", "Merge", "Murmur3",
    "NumberText", "Options", "Ordered", "Padded", "PlainText", "ReadPath", "Salt", "SaltFormat", "SaltHash",
    "Selection", "Signed", "Splits", "Tags", "Text", "TextEnds", "Tile", "Tiles", "Unsigned", "Utf8", "UuidText",
    "Uuids", "ValueWriter", "Wide", "Xxh3", "Xxh64",
};

/// The names of the classes that other packages see.
pub(super) fn classes() -> impl Iterator<Item = &'static str> {
    CLASSES.iter().filter(|(_, text)| text.lines().any(|line| line.starts_with("public "))).map(|(class, _)| *class)
}

/// The files of the runtime.
pub(super) fn files() -> impl Iterator<Item = SourceFile> {
    let folder = PACKAGE.replace('.', "/");
    CLASSES.iter().map(move |(class, text)| (format!("src/main/java/{folder}/{class}.java"), (*text).to_owned()))
}
