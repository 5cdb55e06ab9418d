//! Words of the byte format, those of FORMAT.md's grammar. No encoding of one's own has one of them as its name.

/// Types of fields that are one word.
pub const TYPES: &[&str] = &[
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
    "tile",
];

/// All other words: types that have more behind them, attributes, and what a lead is made of.
pub const OTHERS: &[&str] =
    &["quadkey", "option", "list", "enum", "desc", "raw", "nulls_first", "nulls_last", "salt", "md5", "hex", "by"];
