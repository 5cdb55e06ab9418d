//! What a sample of keys says of a table.

use rowkey::Value;

/// Which way accesses move through the keys: of the accesses after a key was chosen at random, the share on either side.
///
/// More than four fifths on one side is a moving front, as CockroachDB's load splitter has it
/// (`kv.loadsplitter.cleardirection`).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Direction {
    /// The share of later keys that sort before.
    pub left: f64,
    /// The share of later keys that sort after.
    pub right: f64,
}

/// What a sample says of one field.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct FieldProfile {
    /// The field's name.
    pub name: String,
    /// How many values it has, about.
    pub distinct: f64,
    /// How many values would be as uneven if all were as frequent: `1 / Σ p²`.
    pub n_eff: f64,
    /// The share of the most frequent value.
    pub p_max: f64,
    /// The most frequent values as text, each with its share, the most frequent first.
    pub top: Vec<(String, f64)>,
    /// The least value.
    pub min: Option<Value>,
    /// The greatest value.
    pub max: Option<Value>,
    /// The bytes of a value in a key, on average.
    pub bytes: f64,
    /// Which way its values move.
    pub direction: Direction,
    /// Whether all values are text of hex digits.
    pub hex: bool,
    /// Whether all values are text of decimal digits, with or without a sign, and of more than one length.
    pub uneven_decimal: bool,
}

/// What a sample of keys says of a table, found in one pass and bounded memory.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Profile {
    /// How many keys were read.
    pub keys: u64,
    /// How many of them the layout does not decode.
    pub undecoded: u64,
    /// The number (from 1) and the fault of the first key that does not decode.
    pub first_undecoded: Option<(u64, String)>,
    /// How many different keys, about.
    pub distinct: f64,
    /// The bytes of all keys.
    pub bytes: u64,
    /// The shortest key's bytes.
    pub shortest: usize,
    /// The longest key's bytes.
    pub longest: usize,
    /// The bytes that all keys begin with.
    pub dead_prefix: Vec<u8>,
    /// Which way the keys move.
    pub direction: Direction,
    /// The fields, in key order.
    pub fields: Vec<FieldProfile>,
    /// Keys of each salt bucket; empty without a salt, and where there are more than 4096 buckets.
    pub buckets: Vec<u64>,
    /// Keys of each region of the declared splits; empty without.
    pub regions: Vec<u64>,
    /// Two keys, the first of which is the beginning of the second.
    pub prefixes: Option<(Vec<u8>, Vec<u8>)>,
    /// Two keys that differ in upper and lower case alone.
    pub case: Option<(Vec<u8>, Vec<u8>)>,
    /// Keys chosen at random, sorted.
    pub sample: Vec<Vec<u8>>,
}
