//! Conversions of rows from one key design to another, and back.

use std::fmt;

use crate::keys::key::OwnedKey;
use crate::store::DatabaseId;
use crate::store::error::Error;
use crate::store::value::{RowValue, decoded, encoded};
use crate::table::stored_key;

/// Converts rows with keys `K1` to rows with keys `K2`, and back, one to one. A write to the database inside a closure
/// returns [`Error::Reentrant`].
///
/// ```
/// use rowkey::RowKey;
/// use rowkey::migrate::Conversion;
///
/// #[derive(RowKey)]
/// struct Old {
///     host: String,
///     day: u16,
/// }
///
/// #[derive(RowKey)]
/// struct New {
///     #[rowkey(desc)]
///     day: u16,
///     host: String,
/// }
///
/// let same_values: Conversion<Old, String, New, String> = Conversion::keys(
///     |Old { host, day }| New { day, host },
///     |New { day, host }| Old { host, day },
/// );
/// let other_values: Conversion<Old, String, New, Vec<u8>> = same_values.values(
///     |text: String| text.into_bytes(),
///     |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned(),
/// );
/// # drop(other_values);
/// ```
pub struct Conversion<K1, V1, K2, V2> {
    key: Box<dyn Fn(K1) -> K2 + Send + Sync>,
    key_back: Box<dyn Fn(K2) -> K1 + Send + Sync>,
    value: Box<dyn Fn(V1) -> V2 + Send + Sync>,
    value_back: Box<dyn Fn(V2) -> V1 + Send + Sync>,
}

impl<K1, V1, K2, V2> fmt::Debug for Conversion<K1, V1, K2, V2> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Conversion").finish_non_exhaustive()
    }
}

impl<K1, V: 'static, K2> Conversion<K1, V, K2, V> {
    /// A conversion of keys. Values stay the same.
    pub fn keys(
        forward: impl Fn(K1) -> K2 + Send + Sync + 'static,
        back: impl Fn(K2) -> K1 + Send + Sync + 'static,
    ) -> Self {
        Self {
            key: Box::new(forward),
            key_back: Box::new(back),
            value: Box::new(|value| value),
            value_back: Box::new(|value| value),
        }
    }
}

impl<K1, V1, K2, V2> Conversion<K1, V1, K2, V2> {
    /// Converts values too. A value that is converted back must convert to the same value again.
    pub fn values<V3>(
        self,
        forward: impl Fn(V1) -> V3 + Send + Sync + 'static,
        back: impl Fn(V3) -> V1 + Send + Sync + 'static,
    ) -> Conversion<K1, V1, K2, V3> {
        let Self { key, key_back, .. } = self;
        Conversion { key, key_back, value: Box::new(forward), value_back: Box::new(back) }
    }
}

/// A conversion with its types erased: from bytes to bytes.
pub(super) trait Convert: Send + Sync {
    fn key(&self, old: &[u8]) -> Result<Vec<u8>, Error>;
    fn key_back(&self, new: &[u8]) -> Result<Vec<u8>, Error>;
    fn value(&self, old_key: &[u8], old: &[u8]) -> Result<Vec<u8>, Error>;
    fn value_back(&self, new_key: &[u8], new: &[u8]) -> Result<Vec<u8>, Error>;
}

/// A conversion between two tables.
pub(super) struct Between<K1, V1, K2, V2> {
    pub(super) conversion: Conversion<K1, V1, K2, V2>,
    pub(super) database: DatabaseId,
    pub(super) name: String,
    pub(super) old: String,
    pub(super) new: String,
}

fn recoded<A: RowValue, B: RowValue>(
    (from, to): (&str, &str),
    key: &[u8],
    bytes: &[u8],
    convert: impl Fn(A) -> B,
) -> Result<Vec<u8>, Error> {
    encoded(to, &convert(decoded(from, key, bytes)?))
}

impl<K1: OwnedKey, V1: RowValue, K2: OwnedKey, V2: RowValue> Between<K1, V1, K2, V2> {
    #[cold]
    fn not_reversible(&self, table: &str, key: &[u8]) -> Error {
        let what = format!(
            "key {} of table {table:?} is not the same after its conversion there and back",
            crate::keys::error::Hex(key)
        );
        Error::Migration { name: self.name.clone(), what }
    }
}

impl<K1: OwnedKey, V1: RowValue, K2: OwnedKey, V2: RowValue> Convert for Between<K1, V1, K2, V2> {
    fn key(&self, old: &[u8]) -> Result<Vec<u8>, Error> {
        let _inside = self.database.enter();
        let new = (self.conversion.key)(stored_key::<K1>(&self.old, old)?).encode();
        let back = (self.conversion.key_back)(stored_key::<K2>(&self.new, &new)?).encode();
        if back == old { Ok(new) } else { Err(self.not_reversible(&self.old, old)) }
    }

    fn key_back(&self, new: &[u8]) -> Result<Vec<u8>, Error> {
        let _inside = self.database.enter();
        let old = (self.conversion.key_back)(stored_key::<K2>(&self.new, new)?).encode();
        let forth = (self.conversion.key)(stored_key::<K1>(&self.old, &old)?).encode();
        if forth == new { Ok(old) } else { Err(self.not_reversible(&self.new, new)) }
    }

    fn value(&self, old_key: &[u8], old: &[u8]) -> Result<Vec<u8>, Error> {
        let _inside = self.database.enter();
        recoded((&self.old, &self.new), old_key, old, &self.conversion.value)
    }

    fn value_back(&self, new_key: &[u8], new: &[u8]) -> Result<Vec<u8>, Error> {
        let _inside = self.database.enter();
        recoded((&self.new, &self.old), new_key, new, &self.conversion.value_back)
    }
}
