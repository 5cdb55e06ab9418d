//! Split points: the keys at which a table's regions (HBase), tablets (Bigtable) or shards begin.
//!
//! A table that is created with one region is served by one machine until it has grown. Created with split points, it
//! is spread over machines from its first row on. Good points depend on the keys:
//!
//! | keys | splits |
//! |---|---|
//! | with a salt | [`Splits::of_buckets`], one region a bucket; [`Splits::of_key`], fewer |
//! | that begin with a digest, or random bytes | [`Splits::of_key`], [`Splits::uniform`] |
//! | that begin with hex or decimal text | [`Splits::hex`], [`Splits::decimal`] |
//! | of which some exist already | [`Splits::from_sample`], [`Splits::from_store`] |
//!
//! ```
//! use rowkey::RowKey;
//! use rowkey::splits::Splits;
//!
//! #[derive(RowKey)]
//! #[rowkey(salt(buckets = 4))]
//! struct Visit {
//!     user: u64,
//! }
//!
//! let splits = Splits::of_buckets::<Visit>()?;
//! assert_eq!(splits.to_string(), r#"["\x01", "\x02", "\x03"]"#); // create 'visits', 'f', SPLITS => …
//! let key = Visit { user: 7 }.encode();
//! assert!(splits.ranges()[splits.region_of(&key)].contains(&key));
//! # Ok::<(), rowkey::splits::SplitsError>(())
//! ```

mod even;
mod sample;
mod text;

pub use self::sample::Weight;
use crate::keys::error::Hex;
use crate::keys::foreign::Case;
use crate::keys::key::RowKey;
use crate::keys::lead::{Lead, Salt};
use crate::keys::range::KeyRange;
use crate::keys::untyped::LayoutBuf;
use crate::store::NewTable;
use crate::store::error::Error;

/// Row keys at which regions begin: sorted, distinct, none empty. `n` regions have `n - 1` split points.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
#[doc(alias = "regions")]
#[doc(alias = "tablets")]
#[doc(alias = "shards")]
#[doc(alias = "presplit")]
pub struct Splits(Vec<Vec<u8>>);

/// Why split points could not be made or read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SplitsError {
    /// The number of regions is 0. A table has at least one.
    #[error("a table has at least one region")]
    NoRegions,
    /// There are fewer keys than regions.
    #[error("there are not enough keys for {regions} regions{}", keys.map(|keys| format!(": {keys}")).unwrap_or_default())]
    TooManyRegions {
        /// Number of regions asked for.
        regions: u32,
        /// Number of keys, if it is known.
        keys: Option<u64>,
    },
    /// The first key is not less than the last.
    #[error("the first key {first:?} is not less than the last, {last:?}")]
    Order {
        /// The first key.
        first: String,
        /// The last key.
        last: String,
    },
    /// The first or last key is not a number in its base, or the first has more digits than the last.
    #[error("{text:?} is not a number of up to {digits} digits in base {base}")]
    NotANumber {
        /// The text given.
        text: String,
        /// The base.
        base: u32,
        /// Number of digits of the last key.
        digits: usize,
    },
    /// The key has no salt or digest, so its layout does not tell how keys are spread.
    #[error("keys of {key} have no {needed}: their layout does not tell how they are spread")]
    NotSpread {
        /// The key type's name.
        key: String,
        /// The lead that the key would need.
        needed: &'static str,
    },
    /// A split point is empty.
    #[error("a split point is empty, but the first region begins there already")]
    Empty,
    /// A split point occurs twice.
    #[error("the split point {} occurs twice", Hex(.0))]
    Twice(Vec<u8>),
    /// A text is not a valid list of split points.
    #[error("not a valid list of split points: at byte {at}, {expected}")]
    Text {
        /// The offset in the text in bytes, from 0.
        at: usize,
        /// The description of the text that is expected there.
        expected: &'static str,
    },
    /// The store whose rows were read failed.
    #[error(transparent)]
    Store(#[from] Error),
}

impl Splits {
    /// Split points of your own, in any order.
    ///
    /// # Errors
    /// [`SplitsError::Empty`], [`SplitsError::Twice`].
    ///
    /// ```
    /// use rowkey::splits::Splits;
    ///
    /// let splits = Splits::new(["m", "f"])?;
    /// assert_eq!(splits.iter().collect::<Vec<_>>(), [b"f", b"m"]);
    /// assert!(Splits::new(["f", "f"]).is_err());
    /// # Ok::<(), rowkey::splits::SplitsError>(())
    /// ```
    pub fn new(keys: impl IntoIterator<Item = impl Into<Vec<u8>>>) -> Result<Self, SplitsError> {
        let mut keys: Vec<Vec<u8>> = keys.into_iter().map(Into::into).collect();
        keys.sort_unstable();
        if keys.first().is_some_and(Vec::is_empty) {
            return Err(SplitsError::Empty);
        }
        match keys.windows(2).find(|pair| pair[0] == pair[1]) {
            Some(pair) => Err(SplitsError::Twice(pair[0].clone())),
            None => Ok(Self(keys)),
        }
    }

    /// One region for each bucket of the key's salt.
    ///
    /// # Errors
    /// [`SplitsError::NotSpread`] if the key has no salt.
    pub fn of_buckets<K: RowKey>() -> Result<Self, SplitsError> {
        match &K::LAYOUT.lead {
            Lead::Salt(salt) => Ok(Self::at_buckets(salt, salt.buckets)),
            _ => Err(SplitsError::NotSpread { key: K::LAYOUT.name.to_owned(), needed: "salt" }),
        }
    }

    /// `regions` regions for keys with a salt, with an equal number of buckets in each (or one more), or for keys with
    /// a digest.
    ///
    /// # Errors
    /// [`SplitsError::NotSpread`] if the key has neither; [`SplitsError::NoRegions`]; [`SplitsError::TooManyRegions`]
    /// if there are fewer buckets, or digests, than regions.
    pub fn of_key<K: RowKey>(regions: u32) -> Result<Self, SplitsError> {
        Self::of_prefix(regions, &K::LAYOUT.lead, K::LAYOUT.name)
    }

    /// As [`Splits::of_key`], for keys that are known by their layout alone.
    ///
    /// # Errors
    /// As [`Splits::of_key`].
    ///
    /// ```
    /// # use rowkey::splits::Splits;
    /// let layout = "salt(8 xxh3) u64".parse()?;
    /// assert_eq!(Splits::of_layout(2, &layout)?.to_string(), r#"["\x04"]"#);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn of_layout(regions: u32, layout: &LayoutBuf) -> Result<Self, SplitsError> {
        Self::of_prefix(regions, layout.lead(), layout.name())
    }

    fn of_prefix<N: AsRef<str>>(regions: u32, prefix: &Lead<N>, key: &str) -> Result<Self, SplitsError> {
        match prefix {
            Lead::None => Err(SplitsError::NotSpread { key: key.to_owned(), needed: "salt or digest" }),
            Lead::Digest(bytes) => Self::even_bytes(regions, &vec![0; usize::from(*bytes)], None, 0),
            Lead::Hash(hash) => match hash.taken() {
                (bytes, None) => Self::even_bytes(regions, &vec![0; bytes.into()], None, 0),
                (digits, Some(case)) => {
                    // More digits change nothing: a number of regions has at most eight.
                    let width = usize::from(digits.min(8));
                    let splits = Self::hex_in(regions, &"0".repeat(width), &"f".repeat(width))?;
                    Ok(if case == Case::Upper {
                        Self(splits.0.iter().map(|key| key.to_ascii_uppercase()).collect())
                    } else {
                        splits
                    })
                }
            },
            Lead::Salt(_) if regions == 0 => Err(SplitsError::NoRegions),
            Lead::Salt(salt) if regions > salt.buckets => {
                Err(SplitsError::TooManyRegions { regions, keys: Some(salt.buckets.into()) })
            }
            Lead::Salt(salt) => Ok(Self::at_buckets(salt, regions)),
        }
    }

    fn at_buckets<N: AsRef<str>>(salt: &Salt<N>, regions: u32) -> Self {
        let first_of = |region: u32| {
            let bucket = u64::from(region) * u64::from(salt.buckets) / u64::from(regions);
            let mut key = vec![0; salt.width()];
            salt.write(bucket as u32, &mut key);
            key
        };
        // Another program may write buckets in an order of their own.
        let mut splits: Vec<Vec<u8>> = (1..regions).map(first_of).collect();
        splits.sort_unstable();
        Self(splits)
    }

    /// Returns the split points, in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[u8]> + DoubleEndedIterator {
        self.0.iter().map(Vec::as_slice)
    }

    /// Returns the split points, owned.
    pub fn into_keys(self) -> Vec<Vec<u8>> {
        self.0
    }

    /// Returns the number of regions: one more than split points.
    pub fn regions(&self) -> usize {
        self.0.len() + 1
    }

    /// Returns the number of the region that a key is in, from 0.
    ///
    /// ```
    /// # use rowkey::splits::Splits;
    /// let splits = Splits::new(["f", "m"])?;
    /// assert_eq!(["a", "f", "g", "z"].map(|key| splits.region_of(key.as_bytes())), [0, 1, 1, 2]);
    /// # Ok::<(), rowkey::splits::SplitsError>(())
    /// ```
    pub fn region_of(&self, key: &[u8]) -> usize {
        self.0.partition_point(|split| split.as_slice() <= key)
    }

    /// Returns the regions as ranges, in order: together they are the whole table.
    pub fn ranges(&self) -> Vec<KeyRange> {
        self.parts(&KeyRange::all())
    }

    /// Returns the parts of a range that lie in different regions, in order: together they are the range.
    ///
    /// ```
    /// # use rowkey::{KeyRange, splits::Splits};
    /// let splits = Splits::new(["f", "m"])?;
    /// assert_eq!(splits.parts(&KeyRange::prefix("f")), [KeyRange::prefix("f")]);
    /// assert_eq!(splits.parts(&KeyRange::all()).len(), 3);
    /// # Ok::<(), rowkey::splits::SplitsError>(())
    /// ```
    pub fn parts(&self, range: &KeyRange) -> Vec<KeyRange> {
        let starts = std::iter::once([].as_slice()).chain(self.iter());
        let ends = self.iter().map(Some).chain([None]);
        let regions = starts.zip(ends).filter_map(|(start, end)| KeyRange::new(start, end));
        regions.filter_map(|region| region.intersect(range)).collect()
    }
}

impl NewTable {
    /// Creates the table with these regions, as [`split_at`](Self::split_at) does.
    ///
    /// ```
    /// use rowkey::splits::Splits;
    /// use rowkey::store::NewTable;
    ///
    /// let splits = Splits::hex_in(4, "00", "ff")?;
    /// assert_eq!(NewTable::new().splits(&splits).split_points, ["40", "80", "c0"].map(|key| key.as_bytes().to_vec()));
    /// # Ok::<(), rowkey::splits::SplitsError>(())
    /// ```
    #[must_use]
    pub fn splits(self, splits: &Splits) -> Self {
        self.split_at(splits.iter())
    }
}
