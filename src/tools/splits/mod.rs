//! Split points: where a table's regions (HBase), tablets (Bigtable) or shards meet.
//!
//! A table that is made with one region is served by one machine until it has grown; made with split points, it is
//! spread from its first row on. Which points are good depends on the keys:
//!
//! | keys | splits |
//! |---|---|
//! | with a salt | [`Splits::of_buckets`], one region a bucket; [`Splits::of_key`], fewer |
//! | that begin with a digest, or are random bytes | [`Splits::of_key`], [`Splits::uniform`] |
//! | that begin with hex or decimal text | [`Splits::hex`], [`Splits::decimal`] |
//! | of which there are some already | [`Splits::from_sample`], [`Splits::from_store`] |
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
use crate::keys::key::RowKey;
use crate::keys::lead::{Lead, Salt};
use crate::keys::range::KeyRange;
use crate::keys::untyped::LayoutBuf;
use crate::store::NewTable;
use crate::store::error::Error;

/// Row keys at which regions begin: sorted, none twice, none empty. Of `n` regions there are `n - 1`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Splits(Vec<Vec<u8>>);

/// Why there are no such split points.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SplitsError {
    /// No region was asked for; a table has at least one.
    #[error("a table has at least one region")]
    NoRegions,
    /// There are not so many keys to begin regions at.
    #[error("there are not enough keys for {regions} regions{}", keys.map(|keys| format!(": {keys}")).unwrap_or_default())]
    TooManyRegions {
        /// How many regions were asked for.
        regions: u32,
        /// How many there could be, where that was counted.
        keys: Option<u64>,
    },
    /// The first key does not sort before the last.
    #[error("the first key {first:?} is not before the last, {last:?}")]
    Order {
        /// The first.
        first: String,
        /// The last.
        last: String,
    },
    /// A first or last key is no number of its base, or the first has more digits than the last.
    #[error("{text:?} is no number of up to {digits} digits to base {base}")]
    NotANumber {
        /// What was given.
        text: String,
        /// The base.
        base: u32,
        /// How many digits the last key has.
        digits: usize,
    },
    /// The key begins with its first field, so nothing is known of how its keys are spread.
    #[error("keys of {key} have no {needed}, so nothing tells where they are")]
    NotSpread {
        /// The key type's name.
        key: String,
        /// What it would need.
        needed: &'static str,
    },
    /// A split point without bytes.
    #[error("a split point is empty: the first region begins there anyway")]
    Empty,
    /// A split point that is there twice.
    #[error("the split point {} is there twice", Hex(.0))]
    Twice(Vec<u8>),
    /// A text that is no list of split points.
    #[error("not a list of split points: at byte {at} {expected}")]
    Text {
        /// The byte of the text, from 0.
        at: usize,
        /// What should have been there.
        expected: &'static str,
    },
    /// The store whose rows were to be counted failed.
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

    /// A region for each bucket of the key's salt.
    ///
    /// # Errors
    /// [`SplitsError::NotSpread`] if the key has no salt.
    pub fn of_buckets<K: RowKey>() -> Result<Self, SplitsError> {
        match &K::LAYOUT.lead {
            Lead::Salt(salt) => Ok(Self::at_buckets(salt, salt.buckets)),
            _ => Err(SplitsError::NotSpread { key: K::LAYOUT.name.to_owned(), needed: "salt" }),
        }
    }

    /// So many regions for keys that are spread by a salt, as many buckets in each as in the next or one more, or by a
    /// digest.
    ///
    /// # Errors
    /// [`SplitsError::NotSpread`] if the key has neither, [`SplitsError::NoRegions`], and
    /// [`SplitsError::TooManyRegions`] for more regions than buckets, or digests.
    pub fn of_key<K: RowKey>(regions: u32) -> Result<Self, SplitsError> {
        Self::of_prefix(regions, &K::LAYOUT.lead, K::LAYOUT.name)
    }

    /// The same for keys that are known by their layout alone.
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
            Lead::None => Err(SplitsError::NotSpread { key: key.to_owned(), needed: "salt and no digest" }),
            Lead::Digest(bytes) => Self::even_bytes(regions, &vec![0; usize::from(*bytes)], None, 0),
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
        Self((1..regions).map(first_of).collect())
    }

    /// The split points, in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[u8]> + DoubleEndedIterator {
        self.0.iter().map(Vec::as_slice)
    }

    /// The split points, given away.
    pub fn into_keys(self) -> Vec<Vec<u8>> {
        self.0
    }

    /// How many regions they make: one more than there are split points.
    pub fn regions(&self) -> usize {
        self.0.len() + 1
    }

    /// The region that a key is in, from 0.
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

    /// The regions as ranges, in order: they tile the whole table.
    pub fn ranges(&self) -> Vec<KeyRange> {
        self.parts(&KeyRange::all())
    }

    /// The parts of a range that lie in different regions, in order: they tile the range.
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
    /// The table has these regions, as by [`split_at`](Self::split_at).
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
