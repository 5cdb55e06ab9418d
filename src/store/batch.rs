//! Writes that are applied together.

use std::fmt;

use super::check_key;
use crate::store::error::{CodecError, Error};

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
    /// Each write: how long its key is, and its value ([`NONE`]: it has none), then value and key.
    bytes: Vec<u8>,
    len: usize,
}

const WORD: usize = size_of::<usize>();
const HEAD: usize = 2 * WORD;
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

    /// One put. The value's encoding writes to the memory of the batch, where nothing else stands yet: whatever it does there,
    /// the key is not touched. `key_len` is about how long the key is.
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

    /// Adds a put, or a delete where there is no value. `key` appends a key of about `key_len` bytes.
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

    /// How many bytes the keys and values have.
    #[inline]
    pub fn bytes(&self) -> usize {
        self.bytes.len() - self.len * HEAD
    }

    /// Whether there is nothing to do.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// [`Error::EmptyKey`] if a write has an empty key; a store without [`Limits`](super::Limits) asks before it begins, one with
    /// them asks these.
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
