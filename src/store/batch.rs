//! Writes that are applied together.

use std::fmt;

use super::check_key;
use crate::error::Error;
use crate::key::RowKey;

/// Writes that are applied together, in one piece of memory.
///
/// ```
/// use rowkey::store::{Batch, Write};
///
/// let mut batch = Batch::new();
/// batch.put("ada", "36").delete("bob");
/// assert!(batch.writes().eq([Write::Put(b"ada", b"36"), Write::Delete(b"bob")]));
/// ```
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Batch {
    /// Each write: how long its key is, and its value ([`NONE`]: it has none), then the two.
    bytes: Vec<u8>,
    len: usize,
}

const WORD: usize = size_of::<usize>();
/// The length of the value of a delete; no value is as long.
const NONE: usize = usize::MAX;

/// One write of a [`Batch`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Write<'b> {
    /// Key and value.
    Put(&'b [u8], &'b [u8]),
    /// Key.
    Delete(&'b [u8]),
}

impl<'b> Write<'b> {
    /// The key that is written.
    pub fn key(self) -> &'b [u8] {
        match self {
            Self::Put(key, _) | Self::Delete(key) => key,
        }
    }

    /// What the key has afterwards.
    pub fn value(self) -> Option<&'b [u8]> {
        match self {
            Self::Put(_, value) => Some(value),
            Self::Delete(_) => None,
        }
    }
}

impl Batch {
    /// No write.
    pub const fn new() -> Self {
        Self { bytes: Vec::new(), len: 0 }
    }

    /// Adds: `key` has `value`.
    pub fn put(&mut self, key: impl AsRef<[u8]>, value: impl AsRef<[u8]>) -> &mut Self {
        self.push(Write::Put(key.as_ref(), value.as_ref()))
    }

    /// Adds: `key` is gone.
    pub fn delete(&mut self, key: impl AsRef<[u8]>) -> &mut Self {
        self.push(Write::Delete(key.as_ref()))
    }

    /// Adds a write, of another batch for one.
    pub fn push(&mut self, write: Write<'_>) -> &mut Self {
        self.push_with(write.key().len(), |bytes| bytes.extend_from_slice(write.key()), write.value())
    }

    /// Adds a put, or a delete where there is no value.
    pub(crate) fn push_row<K: RowKey>(&mut self, key: &K, value: Option<&[u8]>) -> &mut Self {
        self.push_with(const { K::LAYOUT.width() }.unwrap_or(64), |bytes| key.encode_to(bytes), value)
    }

    /// The key is of about `key_len` bytes, and appended by `key`.
    #[inline]
    fn push_with(&mut self, key_len: usize, key: impl FnOnce(&mut Vec<u8>), value: Option<&[u8]>) -> &mut Self {
        let (value, value_len) = (value.unwrap_or_default(), value.map_or(NONE, <[u8]>::len));
        self.bytes.reserve(2 * WORD + key_len + value.len());
        let start = self.bytes.len();
        self.bytes.extend_from_slice(&[0; WORD]);
        self.bytes.extend_from_slice(&value_len.to_ne_bytes());
        key(&mut self.bytes);
        let key_len = self.bytes.len() - start - 2 * WORD;
        self.bytes[start..start + WORD].copy_from_slice(&key_len.to_ne_bytes());
        self.bytes.extend_from_slice(value);
        self.len += 1;
        self
    }

    /// The writes in order; for a store's author.
    #[inline]
    pub fn writes(&self) -> impl ExactSizeIterator<Item = Write<'_>> + Clone {
        Writes { bytes: &self.bytes, left: self.len }
    }

    /// How many writes there are.
    #[inline]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there is nothing to do.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// [`Error::EmptyKey`] if a write has an empty key; a store asks before it begins.
    pub fn check_keys(&self) -> Result<(), Error> {
        self.writes().try_for_each(|write| check_key(write.key()))
    }
}

#[derive(Clone)]
struct Writes<'b> {
    bytes: &'b [u8],
    left: usize,
}

impl<'b> Iterator for Writes<'b> {
    type Item = Write<'b>;

    #[inline]
    fn next(&mut self) -> Option<Write<'b>> {
        let (key_len, rest) = self.bytes.split_first_chunk()?;
        let (value_len, rest) = rest.split_first_chunk()?;
        let (key, rest) = rest.split_at_checked(usize::from_ne_bytes(*key_len))?;
        self.left -= 1;
        match usize::from_ne_bytes(*value_len) {
            NONE => {
                self.bytes = rest;
                Some(Write::Delete(key))
            }
            len => {
                let (value, rest) = rest.split_at_checked(len)?;
                self.bytes = rest;
                Some(Write::Put(key, value))
            }
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

impl ExactSizeIterator for Writes<'_> {}

impl fmt::Debug for Batch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.writes()).finish()
    }
}

impl<'b> FromIterator<Write<'b>> for Batch {
    fn from_iter<I: IntoIterator<Item = Write<'b>>>(writes: I) -> Self {
        let mut batch = Self::new();
        batch.extend(writes);
        batch
    }
}

impl<'b> Extend<Write<'b>> for Batch {
    fn extend<I: IntoIterator<Item = Write<'b>>>(&mut self, writes: I) {
        writes.into_iter().for_each(|write| _ = self.push(write));
    }
}
