//! The reader of encodings: returns bytes, inverted back in descending fields, and errors with their offset.

use std::borrow::Cow;

use crate::keys::error::{DecodeError, DecodeReason, quoted};

/// Reads a key's bytes from front to back; what an [`Encoding`](crate::encode::Encoding) decodes from.
///
/// In a descending field it inverts the bytes back, so an encoding reads the same bytes in both directions.
#[derive(Clone, Debug)]
pub struct Reader<'de> {
    bytes: &'de [u8],
    at: usize,
    mask: u8,
}

impl<'de> Reader<'de> {
    /// Returns a reader of these bytes, as of an ascending field.
    #[inline]
    pub fn new(bytes: &'de [u8]) -> Self {
        Self { bytes, at: 0, mask: 0 }
    }

    /// The number of bytes of the key that were read.
    #[inline]
    pub fn offset(&self) -> usize {
        self.at
    }

    /// Reads one byte.
    ///
    /// # Errors
    /// If the key ends before it.
    #[inline]
    pub fn byte(&mut self) -> Result<u8, DecodeError> {
        self.array::<1>().map(|[byte]| byte)
    }

    /// Reads `N` bytes.
    ///
    /// # Errors
    /// If the key ends before them.
    #[inline]
    pub fn array<const N: usize>(&mut self) -> Result<[u8; N], DecodeError> {
        let Some((array, _)) = self.rest().split_first_chunk::<N>() else { return Err(self.truncated(N)) };
        self.at += N;
        let mut array = *array;
        if self.mask != 0 {
            array.iter_mut().for_each(|byte| *byte = !*byte);
        }
        Ok(array)
    }

    /// Reads `len` bytes: borrowed in an ascending field, copied in a descending one.
    ///
    /// # Errors
    /// If the key ends before them.
    #[inline]
    pub fn bytes(&mut self, len: usize) -> Result<Cow<'de, [u8]>, DecodeError> {
        let Some(run) = self.rest().get(..len) else { return Err(self.truncated(len)) };
        self.at += len;
        Ok(self.upright(run))
    }

    /// Reads up to the next `delimiter`, and the delimiter too: borrowed in an ascending field, copied in a descending
    /// one.
    ///
    /// # Errors
    /// If it does not come.
    ///
    /// ```
    /// use rowkey::encode::Reader;
    ///
    /// let mut r = Reader::new(b"ada::7");
    /// assert_eq!(&*r.until(b"::")?, b"ada");
    /// assert_eq!((r.left(), r.peek()), (1, Some(b'7')));
    /// # Ok::<(), rowkey::DecodeError>(())
    /// ```
    pub fn until(&mut self, delimiter: &[u8]) -> Result<Cow<'de, [u8]>, DecodeError> {
        let Some(len) = self.find(delimiter) else {
            let expected = "it ends with the field's delimiter";
            return Err(self.bad_value(self.at, String::from_utf8_lossy(self.rest()), expected));
        };
        let run = &self.rest()[..len];
        self.at += len + delimiter.len();
        Ok(self.upright(run))
    }

    /// The bytes up to a delimiter, which stays to be read, or up to the end of the key.
    pub(crate) fn up_to(&mut self, delimiter: &[u8]) -> Cow<'de, [u8]> {
        let run = &self.rest()[..self.find(delimiter).unwrap_or(self.left())];
        self.at += run.len();
        self.upright(run)
    }

    fn find(&self, delimiter: &[u8]) -> Option<usize> {
        match self.mask {
            0 => memchr::memmem::find(self.rest(), delimiter),
            mask => {
                let inverted: Vec<u8> = delimiter.iter().map(|byte| byte ^ mask).collect();
                memchr::memmem::find(self.rest(), &inverted)
            }
        }
    }

    /// The next byte, which stays to be read; `None` at the end of the key.
    #[inline]
    pub fn peek(&self) -> Option<u8> {
        self.rest().first().map(|byte| byte ^ self.mask)
    }

    /// The number of bytes of the key that were not read.
    #[inline]
    pub fn left(&self) -> usize {
        self.rest().len()
    }

    /// The number of bytes before the next one of this value, or before the end of the key.
    pub(crate) fn before(&self, byte: u8) -> usize {
        memchr::memchr(byte ^ self.mask, self.rest()).unwrap_or(self.left())
    }

    /// Reads all remaining bytes.
    #[inline]
    pub fn remainder(&mut self) -> Cow<'de, [u8]> {
        let run = self.rest();
        self.at = self.bytes.len();
        self.upright(run)
    }

    /// Reads up to the next terminator, 00 (FF in a descending field), and the terminator too.
    #[inline]
    pub(crate) fn until_terminator(&mut self) -> Result<Run<'de>, DecodeError> {
        self.run(memchr::memchr(self.mask, self.rest()))
    }

    /// The same, and returns where in the run the first escape 01 is (FE in a descending field). A run without an
    /// escape is searched once for both.
    #[inline]
    pub(crate) fn until_terminator_or_escape(&mut self) -> Result<(Run<'de>, Option<usize>), DecodeError> {
        match first_low(self.rest(), self.mask) {
            Some(first) if self.rest()[first] != self.mask => Ok((self.until_terminator()?, Some(first))),
            end => Ok((self.run(end)?, None)),
        }
    }

    /// Reads a run of this length and its terminator; the error is for a terminator that was not found.
    #[inline]
    fn run(&mut self, len: Option<usize>) -> Result<Run<'de>, DecodeError> {
        let Some(len) = len else {
            return Err(DecodeError::new(self.bytes.len(), DecodeReason::Unterminated { terminator: self.mask }));
        };
        let run = Run { bytes: &self.rest()[..len], at: self.at, mask: self.mask };
        self.at += len + 1;
        Ok(run)
    }

    /// Skips bytes.
    #[inline]
    pub(crate) fn skip(&mut self, len: usize) -> Result<(), DecodeError> {
        if self.rest().len() < len {
            return Err(self.truncated(len));
        }
        self.at += len;
        Ok(())
    }

    /// Reads a part that is inverted (if `desc`) relative to what surrounds it.
    #[inline]
    pub fn direction<T>(
        &mut self,
        desc: bool,
        read: impl FnOnce(&mut Self) -> Result<T, DecodeError>,
    ) -> Result<T, DecodeError> {
        let mask = self.mask;
        if desc {
            self.mask = !mask;
        }
        let result = read(self);
        self.mask = mask;
        result
    }

    /// Returns whether all bytes were read.
    #[inline]
    pub(crate) fn is_at_end(&self) -> bool {
        self.at == self.bytes.len()
    }

    /// Returns an error if bytes are left.
    #[inline]
    pub(crate) fn end(&self) -> Result<(), DecodeError> {
        match self.rest() {
            [] => Ok(()),
            rest => Err(DecodeError::new(self.at, DecodeReason::Trailing { left: rest.len(), found: rest[0] })),
        }
    }

    /// Returns the error for a byte, read at `at`, that is not valid for `what`. `allowed` are the valid bytes of an
    /// ascending field.
    #[cold]
    pub fn unknown_byte(&self, at: usize, what: &str, allowed: &[u8]) -> DecodeError {
        let found = self.bytes.get(at).copied().unwrap_or_default();
        let allowed: Vec<_> = allowed.iter().map(|byte| format!("{:02x}", byte ^ self.mask)).collect();
        let expected = format!("{what} is {}", allowed.join(" or "));
        DecodeError::new(at, DecodeReason::Byte { found, expected })
    }

    /// Returns the error for a value, read from `at` on, that is not a valid value of its type. `found` shows the
    /// value, `expected` says what is valid, as in "nanoseconds are below 1000000000".
    #[cold]
    pub fn bad_value(&self, at: usize, found: impl Into<String>, expected: &'static str) -> DecodeError {
        DecodeError::new(at, DecodeReason::Value { found: quoted(&found.into()), expected })
    }

    /// The key's bytes from `start` to here, not inverted back.
    pub(crate) fn since(&self, start: usize) -> &'de [u8] {
        &self.bytes[start.min(self.at)..self.at]
    }

    #[inline]
    fn rest(&self) -> &'de [u8] {
        &self.bytes[self.at..]
    }

    #[inline]
    fn upright(&self, run: &'de [u8]) -> Cow<'de, [u8]> {
        match self.mask {
            0 => Cow::Borrowed(run),
            _ => Cow::Owned(run.iter().map(|byte| !byte).collect()),
        }
    }

    #[cold]
    fn truncated(&self, len: usize) -> DecodeError {
        DecodeError::new(self.bytes.len(), DecodeReason::Truncated { needed: len - self.rest().len() })
    }
}

/// Bytes before a terminator as they are in the key: perhaps inverted, perhaps with escapes.
pub(crate) struct Run<'de> {
    pub(crate) bytes: &'de [u8],
    pub(crate) at: usize,
    pub(crate) mask: u8,
}

/// Searching this many bytes is faster than the call of `memchr`.
const SHORT: usize = 64;

/// The place of the first 00 or 01, once bytes are inverted back.
#[inline]
fn first_low(bytes: &[u8], mask: u8) -> Option<usize> {
    let mut rest = bytes;
    while let Some((word, after)) = rest.split_first_chunk() {
        let at = bytes.len() - rest.len();
        if let Some(low) = low_in(*word, mask) {
            return Some(at + low);
        }
        rest = after;
        if at >= SHORT {
            break;
        }
    }
    let read = bytes.len() - rest.len();
    match bytes.last_chunk() {
        // The first bytes of the last word were searched before: none of them is low.
        Some(word) if rest.len() < 8 => low_in(*word, mask).map(|low| bytes.len() - 8 + low),
        _ => memchr::memchr2(mask, 1 ^ mask, rest).map(|low| read + low),
    }
}

/// The first byte of the word that is below 2. A borrow can flag wrong bytes only after the first right one.
#[inline]
fn low_in(word: [u8; 8], mask: u8) -> Option<usize> {
    const ONES: u64 = u64::from_ne_bytes([1; 8]);
    let word = u64::from_le_bytes(word) ^ (ONES * u64::from(mask));
    let low = word.wrapping_sub(2 * ONES) & !word & (0x80 * ONES);
    (low != 0).then(|| low.trailing_zeros() as usize / 8)
}
