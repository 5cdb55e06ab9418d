//! The profile of a table: its fields as a sample of keys has them. [`sample`](crate::sample) reads one.
//!
//! Numbers are of one pass in bounded memory. Where they are estimates, the standard error stands with them; an
//! estimate is within twice of it in 19 of 20 samples. The errors are those of a key with up to 64 fields: with more,
//! each field has less memory. The same keys in the same order give the same profile.

use rowkey::{LayoutBuf, Value};

/// The direction in which values move as a sample goes on: of the keys after one that was chosen at random, the share
/// on either side.
///
/// Keys that are equal are on neither side. More than four fifths on one side is a moving front, as CockroachDB's load
/// splitter has it (`kv.loadsplitter.cleardirection`). It says something only where a sample has the keys in the order
/// in which they were written: see [`Profile::in_key_order`].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Direction {
    /// The share of later keys that sort before.
    pub left: f64,
    /// The share of later keys that sort after.
    pub right: f64,
}

/// The profile of one field, of the keys that decode.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct FieldProfile {
    /// The field's name.
    pub name: String,
    /// True if the numbers of its values are exact: of up to 768 values in 65,536 keys. Else they are about.
    pub exact: bool,
    /// The number of its values; about: with a standard error of 1.2 %.
    pub distinct: f64,
    /// The number of values that would be as uneven if all were as frequent: `1 / Σ p²`; about: with a standard error
    /// of 2.2 %.
    pub n_eff: f64,
    /// The share of the most frequent value; about: with a standard error of 0.003 at most.
    pub p_max: f64,
    /// The most frequent values as text, each with its share, the most frequent first: 10 at most, and none that is
    /// hardly more frequent than others. Values whose shares are within the error of each other can stand in another
    /// order.
    pub top: Vec<(String, f64)>,
    /// The least value; text by its bytes, whatever the direction of the field.
    pub min: Option<Value>,
    /// The greatest value.
    pub max: Option<Value>,
    /// The bytes of a value in a key, on average.
    pub bytes: f64,
    /// The direction in which its values move, whatever the direction of the field.
    pub direction: Direction,
    /// The fewest and the most bytes of a value that is text or bytes, without escapes and terminator.
    pub lengths: Option<(usize, usize)>,
    /// True if all values are text of hex digits.
    pub hex: bool,
    /// True if all values are text of decimal digits, without a sign.
    pub decimal: bool,
    /// True if all values are text of decimal digits, with or without a sign, and of more than one length.
    pub uneven_decimal: bool,
    /// The share of the other rows whose value begins as that of a row does, on average: with one character, byte or
    /// digit alike, with two, and so on. The last is that of longer beginnings too. Of the keys in [`Profile::sample`];
    /// empty where values have no beginning.
    pub starts: Vec<f64>,
    /// The version of all values, which are UUIDs: 16 bytes, or text with hyphens.
    pub uuid_version: Option<u8>,
}

/// The profile of a table by a sample of keys, found in one pass and bounded memory.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Profile {
    /// The number of keys that were read.
    pub keys: u64,
    /// The number of those that the layout does not decode.
    pub undecoded: u64,
    /// The number (from 1) and the fault of the first key that does not decode. In a file it is the number of the line.
    pub first_undecoded: Option<(u64, String)>,
    /// The number of different keys: exact up to 65,536, else with a standard error of 0.6 %.
    pub distinct: f64,
    /// The share of keys that are there before: 0 if none is twice. Of more than 65,536 keys, some are watched.
    pub repeated: f64,
    /// A key that is there twice, if one was seen.
    pub twice: Option<Vec<u8>>,
    /// The bytes of all keys.
    pub bytes: u64,
    /// The shortest key's bytes.
    pub shortest: usize,
    /// The longest key's bytes.
    pub longest: usize,
    /// The bytes of a row's value, on average, where the sample has sizes.
    pub value_bytes: Option<f64>,
    /// The bytes of the largest row's value, where the sample has sizes.
    pub largest_value: Option<u64>,
    /// The bytes that all keys begin with; those of one key if there is but one.
    pub dead_prefix: Vec<u8>,
    /// True if no key sorts before the one that it follows, and not all are equal. A table that is scanned comes so,
    /// and then directions say nothing; so does a table whose key begins with the time.
    pub in_key_order: bool,
    /// The direction in which the keys move.
    pub direction: Direction,
    /// The fields, in key order.
    pub fields: Vec<FieldProfile>,
    /// Keys of each salt bucket; empty without a salt, and where there are more than 4096 buckets.
    pub buckets: Vec<u64>,
    /// Keys of each region of the declared splits; empty without.
    pub regions: Vec<u64>,
    /// Bytes of keys and values in each region of the declared splits, where the sample has sizes; empty without.
    pub region_bytes: Vec<u64>,
    /// Two keys, the first of which is the beginning of the second, if such were seen: next to each other in the file,
    /// or in the sample that is kept.
    pub prefixes: Option<(Vec<u8>, Vec<u8>)>,
    /// Two keys that differ in upper and lower case of their text alone, if such were seen. Of more than 4096 keys,
    /// some are watched.
    pub case: Option<(Vec<u8>, Vec<u8>)>,
    /// Keys that decode, chosen at random, sorted: all, or tens of thousands, as far as they have 16 MiB.
    pub sample: Vec<Vec<u8>>,
    /// The bytes of the rows of these keys, key and value, in the same order, where the sample has sizes; else empty. A
    /// row without a size has that of the mean.
    pub sample_bytes: Vec<u64>,
}

impl Profile {
    /// The sorted keys of the sample, which are of one layout, as another layout has their values. None if that has a
    /// field that they do not have.
    pub(crate) fn keys_under(&self, own: &LayoutBuf, other: &LayoutBuf) -> Option<Vec<Vec<u8>>> {
        let turned = turned(own, other)?;
        let mut keys: Vec<_> = self.sample.iter().filter_map(|key| turned(key)).collect();
        keys.sort_unstable();
        Some(keys)
    }

    /// The profile of the same rows under another key: the values of fields, sizes of rows, keys with the same values.
    /// What depends on the order of keys does not hold.
    pub(crate) fn under(&self, own: &LayoutBuf, other: &LayoutBuf) -> Self {
        let turned = turned(own, other);
        let key = |key: &Vec<u8>| turned.as_ref()?(key);
        Self {
            twice: self.twice.as_ref().and_then(key),
            case: self.case.as_ref().and_then(|(first, second)| Some((key(first)?, key(second)?))),
            keys: self.keys,
            undecoded: self.undecoded,
            first_undecoded: self.first_undecoded.clone(),
            distinct: self.distinct,
            repeated: self.repeated,
            bytes: self.bytes,
            value_bytes: self.value_bytes,
            largest_value: self.largest_value,
            // Of the sample as it was read: whether the directions of fields say anything.
            in_key_order: self.in_key_order,
            fields: self.fields.clone(),
            sample: self.keys_under(own, other).unwrap_or_default(),
            ..Self::default()
        }
    }
}

/// The key of one layout as another has its values, for each that decodes. None if the other has a field that it has
/// not.
fn turned<'l>(own: &'l LayoutBuf, other: &'l LayoutBuf) -> Option<impl Fn(&[u8]) -> Option<Vec<u8>> + 'l> {
    let field = |name: &str| own.fields().iter().position(|field| field.name == name);
    let order: Vec<usize> = other.fields().iter().map(|of| field(&of.name)).collect::<Option<_>>()?;
    Some(move |key: &[u8]| {
        let values = own.decode(key).ok()?;
        let values: Vec<Value> = order.iter().map(|&i| values.get(i).cloned()).collect::<Option<_>>()?;
        other.encode(&values).ok()
    })
}
