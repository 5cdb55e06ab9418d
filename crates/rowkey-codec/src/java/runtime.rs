//! The runtime: hand-written classes that generated code uses, a file for each encoding.

use crate::SourceFile;

/// The package of the runtime.
pub(super) const PACKAGE: &str = "io.github.rowkey";

/// The classes, and their sources.
const CLASSES: &[(&str, &str)] = &[
    ("Binary", include_str!("../../runtime/java/io/github/rowkey/Binary.java")),
    ("Bool", include_str!("../../runtime/java/io/github/rowkey/Bool.java")),
    ("Bounds", include_str!("../../runtime/java/io/github/rowkey/Bounds.java")),
    ("ByteArrays", include_str!("../../runtime/java/io/github/rowkey/ByteArrays.java")),
    ("ByteStrings", include_str!("../../runtime/java/io/github/rowkey/ByteStrings.java")),
    ("CodePoint", include_str!("../../runtime/java/io/github/rowkey/CodePoint.java")),
    ("Constants", include_str!("../../runtime/java/io/github/rowkey/Constants.java")),
    ("Cut", include_str!("../../runtime/java/io/github/rowkey/Cut.java")),
    ("DatePattern", include_str!("../../runtime/java/io/github/rowkey/DatePattern.java")),
    ("Decimals", include_str!("../../runtime/java/io/github/rowkey/Decimals.java")),
    ("DecodeException", include_str!("../../runtime/java/io/github/rowkey/DecodeException.java")),
    ("Digest", include_str!("../../runtime/java/io/github/rowkey/Digest.java")),
    ("Digests", include_str!("../../runtime/java/io/github/rowkey/Digests.java")),
    ("Digits", include_str!("../../runtime/java/io/github/rowkey/Digits.java")),
    ("Durations", include_str!("../../runtime/java/io/github/rowkey/Durations.java")),
    ("Escapes", include_str!("../../runtime/java/io/github/rowkey/Escapes.java")),
    ("Explanation", include_str!("../../runtime/java/io/github/rowkey/Explanation.java")),
    ("Floats", include_str!("../../runtime/java/io/github/rowkey/Floats.java")),
    ("HashFunction", include_str!("../../runtime/java/io/github/rowkey/HashFunction.java")),
    ("HashPrefix", include_str!("../../runtime/java/io/github/rowkey/HashPrefix.java")),
    ("HostPath", include_str!("../../runtime/java/io/github/rowkey/HostPath.java")),
    ("HostPaths", include_str!("../../runtime/java/io/github/rowkey/HostPaths.java")),
    ("Hosts", include_str!("../../runtime/java/io/github/rowkey/Hosts.java")),
    ("Instants", include_str!("../../runtime/java/io/github/rowkey/Instants.java")),
    ("IpAddresses", include_str!("../../runtime/java/io/github/rowkey/IpAddresses.java")),
    ("JavaHashes", include_str!("../../runtime/java/io/github/rowkey/JavaHashes.java")),
    ("KeyBytes", include_str!("../../runtime/java/io/github/rowkey/KeyBytes.java")),
    ("KeyDuration", include_str!("../../runtime/java/io/github/rowkey/KeyDuration.java")),
    ("KeyField", include_str!("../../runtime/java/io/github/rowkey/KeyField.java")),
    ("KeyInstant", include_str!("../../runtime/java/io/github/rowkey/KeyInstant.java")),
    ("KeyRange", include_str!("../../runtime/java/io/github/rowkey/KeyRange.java")),
    ("KeyReader", include_str!("../../runtime/java/io/github/rowkey/KeyReader.java")),
    ("KeySpan", include_str!("../../runtime/java/io/github/rowkey/KeySpan.java")),
    ("KeyWriter", include_str!("../../runtime/java/io/github/rowkey/KeyWriter.java")),
    ("Layout", include_str!("../../runtime/java/io/github/rowkey/Layout.java")),
    ("LayoutException", include_str!("../../runtime/java/io/github/rowkey/LayoutException.java")),
    ("Lead", include_str!("../../runtime/java/io/github/rowkey/Lead.java")),
    ("LeadingFields", include_str!("../../runtime/java/io/github/rowkey/LeadingFields.java")),
    ("Lists", include_str!("../../runtime/java/io/github/rowkey/Lists.java")),
    ("Merge", include_str!("../../runtime/java/io/github/rowkey/Merge.java")),
    ("Murmur3", include_str!("../../runtime/java/io/github/rowkey/Murmur3.java")),
    ("NumberText", include_str!("../../runtime/java/io/github/rowkey/NumberText.java")),
    ("Options", include_str!("../../runtime/java/io/github/rowkey/Options.java")),
    ("Ordered", include_str!("../../runtime/java/io/github/rowkey/Ordered.java")),
    ("Padded", include_str!("../../runtime/java/io/github/rowkey/Padded.java")),
    ("PlainText", include_str!("../../runtime/java/io/github/rowkey/PlainText.java")),
    ("Salt", include_str!("../../runtime/java/io/github/rowkey/Salt.java")),
    ("SaltFormat", include_str!("../../runtime/java/io/github/rowkey/SaltFormat.java")),
    ("SaltHash", include_str!("../../runtime/java/io/github/rowkey/SaltHash.java")),
    ("Selection", include_str!("../../runtime/java/io/github/rowkey/Selection.java")),
    ("Signed", include_str!("../../runtime/java/io/github/rowkey/Signed.java")),
    ("Splits", include_str!("../../runtime/java/io/github/rowkey/Splits.java")),
    ("Tags", include_str!("../../runtime/java/io/github/rowkey/Tags.java")),
    ("Text", include_str!("../../runtime/java/io/github/rowkey/Text.java")),
    ("TextEnds", include_str!("../../runtime/java/io/github/rowkey/TextEnds.java")),
    ("Tile", include_str!("../../runtime/java/io/github/rowkey/Tile.java")),
    ("Tiles", include_str!("../../runtime/java/io/github/rowkey/Tiles.java")),
    ("Unsigned", include_str!("../../runtime/java/io/github/rowkey/Unsigned.java")),
    ("Utf8", include_str!("../../runtime/java/io/github/rowkey/Utf8.java")),
    ("UuidText", include_str!("../../runtime/java/io/github/rowkey/UuidText.java")),
    ("Uuids", include_str!("../../runtime/java/io/github/rowkey/Uuids.java")),
    ("ValueWriter", include_str!("../../runtime/java/io/github/rowkey/ValueWriter.java")),
    ("Wide", include_str!("../../runtime/java/io/github/rowkey/Wide.java")),
    ("Xxh3", include_str!("../../runtime/java/io/github/rowkey/Xxh3.java")),
    ("Xxh64", include_str!("../../runtime/java/io/github/rowkey/Xxh64.java")),
];

/// The names of the classes.
pub(super) fn classes() -> impl Iterator<Item = &'static str> {
    CLASSES.iter().map(|(class, _)| *class)
}

/// The files of the runtime.
pub(super) fn files() -> impl Iterator<Item = SourceFile> {
    let folder = PACKAGE.replace('.', "/");
    CLASSES.iter().map(move |(class, text)| (format!("src/main/java/{folder}/{class}.java"), (*text).to_owned()))
}
