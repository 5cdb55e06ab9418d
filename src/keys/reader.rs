//! Where encodings read: bytes in, turned back where a field is descending, and every failure with its place.

use std::borrow::Cow;

use crate::keys::error::{DecodeError, DecodeReason};

/// Reads a key's bytes from front to back.
#[derive(Clone, Debug)]
pub struct Reader<'de> {
    bytes: &'de [u8],
    at: usize,
    mask: u8,
}

impl<'de> Reader<'de> {
    /// Reads these bytes, ascending.
    #[inline]
    pub fn new(bytes: &'de [u8]) -> Self {
        Self { bytes, at: 0, mask: 0 }
    }

    /// How many bytes were read.
    #[inline]
    pub fn offset(&self) -> usize {
        self.at
    }

    /// One byte.
    #[inline]
    pub fn byte(&mut self) -> Result<u8, DecodeError> {
        self.array::<1>().map(|[byte]| byte)
    }

    /// A few bytes, as many for every value.
    #[inline]
    pub fn array<const N: usize>(&mut self) -> Result<[u8; N], DecodeError> {
        let Some((array, _)) = self.rest().split_first_chunk::<N>() else { return Err(self.truncated(N)) };
        self.at += N;
        Ok(match self.mask {
            0 => *array,
            _ => array.map(|byte| !byte),
        })
    }

    /// A run of bytes of this length, borrowed unless the field is descending.
    #[inline]
    pub fn bytes(&mut self, len: usize) -> Result<Cow<'de, [u8]>, DecodeError> {
        let Some(run) = self.rest().get(..len) else { return Err(self.truncated(len)) };
        self.at += len;
        Ok(self.upright(run))
    }

    /// All that is left.
    #[inline]
    pub(crate) fn remainder(&mut self) -> Cow<'de, [u8]> {
        let run = self.rest();
        self.at = self.bytes.len();
        self.upright(run)
    }

    /// What stands before the next 00 (FF in a descending field), which is read too.
    #[inline]
    pub(crate) fn until_terminator(&mut self) -> Result<Run<'de>, DecodeError> {
        self.run(memchr::memchr(self.mask, self.rest()))
    }

    /// The same, and where in it the first 01 stands (FE in a descending field): without one, both are found in one go.
    #[inline]
    pub(crate) fn until_terminator_or_escape(&mut self) -> Result<(Run<'de>, Option<usize>), DecodeError> {
        match first_low(self.rest(), self.mask) {
            Some(first) if self.rest()[first] != self.mask => Ok((self.until_terminator()?, Some(first))),
            end => Ok((self.run(end)?, None)),
        }
    }

    /// A run of bytes of this length and its terminator; an error where none was found.
    #[inline]
    fn run(&mut self, len: Option<usize>) -> Result<Run<'de>, DecodeError> {
        let Some(len) = len else {
            return Err(DecodeError::new(self.bytes.len(), DecodeReason::Unterminated { terminator: self.mask }));
        };
        let run = Run { bytes: &self.rest()[..len], at: self.at, mask: self.mask };
        self.at += len + 1;
        Ok(run)
    }

    /// Passes over bytes.
    #[inline]
    pub(crate) fn skip(&mut self, len: usize) -> Result<(), DecodeError> {
        if self.rest().len() < len {
            return Err(self.truncated(len));
        }
        self.at += len;
        Ok(())
    }

    /// Reads a part that is (`desc`) inverted against what is being read.
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

    /// Whether everything was read.
    #[inline]
    pub(crate) fn is_at_end(&self) -> bool {
        self.at == self.bytes.len()
    }

    /// An error unless everything was read.
    #[inline]
    pub(crate) fn end(&self) -> Result<(), DecodeError> {
        match self.rest() {
            [] => Ok(()),
            rest => Err(DecodeError::new(self.at, DecodeReason::Trailing { left: rest.len(), found: rest[0] })),
        }
    }

    /// An error for a byte read at `at` that `what` does not have: `allowed` are those it has, before any inversion.
    #[cold]
    pub fn unknown_byte(&self, at: usize, what: &str, allowed: &[u8]) -> DecodeError {
        let found = self.bytes.get(at).copied().unwrap_or_default();
        let allowed: Vec<_> = allowed.iter().map(|byte| format!("{:02x}", byte ^ self.mask)).collect();
        let expected = format!("{what} is {}", allowed.join(" or "));
        DecodeError::new(at, DecodeReason::Byte { found, expected })
    }

    /// An error for a value read from `at` on that its type does not have.
    #[cold]
    pub fn bad_value(&self, at: usize, found: impl Into<String>, expected: &'static str) -> DecodeError {
        DecodeError::new(at, DecodeReason::Value { found: found.into(), expected })
    }

    /// The bytes from `start` to here, as they stand.
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

/// Bytes before a terminator, as they stand in the key: perhaps inverted, perhaps with escapes.
pub(crate) struct Run<'de> {
    pub(crate) bytes: &'de [u8],
    pub(crate) at: usize,
    pub(crate) mask: u8,
}

/// So many bytes are looked through sooner than `memchr` is called.
const SHORT: usize = 64;

/// Where the first 00 or 01 stands, once bytes are turned back.
#[inline]
fn first_low(bytes: &[u8], mask: u8) -> Option<usize> {
    let mut rest = bytes;
    while let Some((word, behind)) = rest.split_first_chunk() {
        let at = bytes.len() - rest.len();
        if let Some(low) = low_in(*word, mask) {
            return Some(at + low);
        }
        rest = behind;
        if at >= SHORT {
            break;
        }
    }
    let read = bytes.len() - rest.len();
    match bytes.last_chunk() {
        // The last word's first bytes were looked at before; they are not low.
        Some(word) if rest.len() < 8 => low_in(*word, mask).map(|low| bytes.len() - 8 + low),
        _ => memchr::memchr2(mask, 1 ^ mask, rest).map(|low| read + low),
    }
}

/// The first byte of the word below 2: a borrow out of the byte before it could flag others only above.
#[inline]
fn low_in(word: [u8; 8], mask: u8) -> Option<usize> {
    const ONES: u64 = u64::from_ne_bytes([1; 8]);
    let word = u64::from_le_bytes(word) ^ (ONES * u64::from(mask));
    let low = word.wrapping_sub(2 * ONES) & !word & (0x80 * ONES);
    (low != 0).then(|| low.trailing_zeros() as usize / 8)
}
