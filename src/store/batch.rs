//! A batch of puts and deletes.

use std::fmt;

use super::check_key;
use crate::store::error::{CodecError, Error};

/// A batch of puts and deletes, in one buffer. [`Store::write`](super::Store::write) applies it, atomically where
/// [`Guarantees::batch`](super::Guarantees::batch) says so.
#[doc(alias = "WriteBatch")]
#[doc(alias = "transaction")]
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
    /// Per write: the length of the key, the length of the value ([`NONE`] for a delete), the value, the key.
    bytes: Vec<u8>,
    len: usize,
}

const WORD: usize = size_of::<usize>();
const HEAD: usize = 2 * WORD;
/// Stands for "no value" in place of a value's length. No value is this long.
const NONE: usize = usize::MAX;

/// One write of a [`Batch`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Write<'b> {
    /// Sets the value of a key.
    Put(&'b [u8], &'b [u8]),
    /// Deletes a key.
    Delete(&'b [u8]),
}

impl<'b> Write<'b> {
    /// The key.
    pub fn key(self) -> &'b [u8] {
        match self {
            Self::Put(key, _) | Self::Delete(key) => key,
        }
    }

    /// The new value; `None` for a delete.
    pub fn value(self) -> Option<&'b [u8]> {
        match self {
            Self::Put(_, value) => Some(value),
            Self::Delete(_) => None,
        }
    }
}

impl Batch {
    /// An empty batch.
    pub const fn new() -> Self {
        Self { bytes: Vec::new(), len: 0 }
    }

    /// Adds a put: sets the value of `key`.
    #[doc(alias = "insert")]
    #[doc(alias = "set")]
    pub fn put(&mut self, key: impl AsRef<[u8]>, value: impl AsRef<[u8]>) -> &mut Self {
        self.push(Write::Put(key.as_ref(), value.as_ref()))
    }

    /// Adds a delete of `key`.
    #[doc(alias = "remove")]
    pub fn delete(&mut self, key: impl AsRef<[u8]>) -> &mut Self {
        self.push(Write::Delete(key.as_ref()))
    }

    /// Adds a write, for example from another batch.
    pub fn push(&mut self, write: Write<'_>) -> &mut Self {
        self.push_with(write.key().len(), |bytes| bytes.extend_from_slice(write.key()), write.value())
    }

    /// A batch of one put. `value` encodes straight into the batch's buffer, before the key is written, so a codec that
    /// misbehaves can't change the key. `key_len` is an estimate of the key's length.
    pub(crate) fn of_put(
        key_len: usize,
        key: impl FnOnce(&mut Vec<u8>),
        value: impl FnOnce(&mut Vec<u8>) -> Result<(), CodecError>,
    ) -> Result<Self, CodecError> {
        let mut bytes = Vec::with_capacity(HEAD + key_len + 64);
        bytes.extend_from_slice(&[0; HEAD]);
        value(&mut bytes)?;
        let value_len = bytes.len().checked_sub(HEAD).ok_or("its encoding took away bytes that stood before it")?;
        key(&mut bytes);
        let mut batch = Self { bytes, len: 0 };
        batch.end_write(0, value_len, HEAD + value_len);
        Ok(batch)
    }

    /// Adds a put, or a delete if `value` is `None`. `key` appends the key; `key_len` is an estimate of its length.
    #[inline]
    pub(crate) fn push_with(
        &mut self,
        key_len: usize,
        key: impl FnOnce(&mut Vec<u8>),
        value: Option<&[u8]>,
    ) -> &mut Self {
        let (value, value_len) = (value.unwrap_or_default(), value.map_or(NONE, <[u8]>::len));
        self.bytes.reserve(HEAD + key_len + value.len());
        let start = self.bytes.len();
        self.bytes.extend_from_slice(&[0; HEAD]);
        self.bytes.extend_from_slice(value);
        key(&mut self.bytes);
        self.end_write(start, value_len, start + HEAD + value.len());
        self
    }

    #[inline]
    fn end_write(&mut self, start: usize, value_len: usize, key_start: usize) {
        let key_len = self.bytes.len() - key_start;
        let (lengths, _) = self.bytes[start..].split_at_mut(HEAD);
        lengths[..WORD].copy_from_slice(&key_len.to_ne_bytes());
        lengths[WORD..].copy_from_slice(&value_len.to_ne_bytes());
        self.len += 1;
    }

    /// The writes in order. For authors of engines.
    #[inline]
    pub fn writes(&self) -> impl ExactSizeIterator<Item = Write<'_>> + Clone {
        Writes { bytes: &self.bytes, left: self.len }
    }

    /// The number of writes.
    #[inline]
    pub fn len(&self) -> usize {
        self.len
    }

    /// The number of bytes in keys and values.
    #[inline]
    pub fn bytes(&self) -> usize {
        self.bytes.len() - self.len * HEAD
    }

    /// Returns whether the batch has no writes.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns [`Error::EmptyKey`] if a key is empty. For authors of engines without [`Limits`](super::Limits), to call
    /// before a write; with limits, call [`Limits::check`](super::Limits::check) instead.
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
        let (value, rest) = match usize::from_ne_bytes(*value_len) {
            NONE => (None, rest),
            len => rest.split_at_checked(len).map(|(value, rest)| (Some(value), rest))?,
        };
        let (key, rest) = rest.split_at_checked(usize::from_ne_bytes(*key_len))?;
        (self.bytes, self.left) = (rest, self.left - 1);
        Some(value.map_or(Write::Delete(key), |value| Write::Put(key, value)))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writes_come_back_in_their_order() {
        let writes = [
            Write::Put(b"a", b"1"),
            Write::Delete(b"a"),
            Write::Put(b"", b""),
            Write::Put(b"b", &[7; 300]),
            Write::Delete(b""),
        ];
        let mut batch: Batch = writes.into_iter().collect();
        assert!(batch.writes().eq(writes) && batch.writes().len() == 5);
        assert_eq!(batch.bytes(), 4 + 300);
        batch.push_with(2, |out| out.extend([0, 7]), Some(b"value")).push_with(2, |out| out.extend([0, 8]), None);
        assert_eq!((batch.len(), batch.writes().nth(5)), (7, Some(Write::Put(&[0, 7], b"value"))));
        assert_eq!(format!("{:?}", Batch::new().delete("k")), "[Delete([107])]");
        assert!(matches!(batch.check_keys(), Err(Error::EmptyKey)));
    }

    #[test]
    fn an_encoding_of_a_value_that_misbehaves_leaves_the_key_as_it_is() {
        let key = |out: &mut Vec<u8>| out.extend([1, 2]);
        let row = Batch::of_put(2, key, |out| {
            out.extend_from_slice(b"value");
            Ok(())
        });
        assert!(row.unwrap().writes().eq([Write::Put(&[1, 2], b"value")]));
        let cleared = Batch::of_put(2, key, |out| {
            out.clear();
            Ok(())
        });
        assert!(cleared.is_err());
        let overwritten = Batch::of_put(2, key, |out| {
            *out = vec![9; 100];
            Ok(())
        });
        assert!(overwritten.unwrap().writes().all(|write| write.key() == [1, 2]));
    }
}
