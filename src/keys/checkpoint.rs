//! Where a job stopped, as text that a program can store.

use std::fmt;
use std::str::FromStr;

use crate::keys::cursor::Cursor;
use crate::keys::error::CursorError;
use crate::keys::fingerprint::Fingerprint;

/// Where a [`Job`](crate::jobs::Job) stopped: the pass over its tables, and the last row of that pass that is done.
///
/// Its text is opaque and safe in a URL: the number of the pass, then a dot and the [`Cursor`] if a row of the pass is done.
/// Store it with [`Display`](fmt::Display), and parse it with [`FromStr`].
///
/// ```
/// use rowkey::jobs::Checkpoint;
///
/// let start: Checkpoint = "1".parse()?;
/// assert_eq!(start, Checkpoint::default());
/// assert!("1.x".parse::<Checkpoint>().is_err());
/// # Ok::<(), rowkey::CursorError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Checkpoint {
    pass: u8,
    cursor: Option<Cursor>,
}

impl Default for Checkpoint {
    /// The start of the first pass.
    fn default() -> Self {
        Self { pass: 1, cursor: None }
    }
}

impl Checkpoint {
    pub(crate) fn new(pass: u8, cursor: Option<Cursor>) -> Self {
        Self { pass, cursor }
    }

    /// The number of the pass, counted from 1. A job that compares two tables reads the first in pass 1 and the second in pass 2.
    pub fn pass(&self) -> u8 {
        self.pass
    }

    /// The cursor after the last row of the pass that is done, or `None` at the start of the pass.
    pub fn cursor(&self) -> Option<&Cursor> {
        self.cursor.as_ref()
    }

    /// The key to go on after. It must be a key of this layout, or of another one that is accepted.
    pub(crate) fn key_of(
        &self,
        expected: Fingerprint,
        accepted: impl Fn(Fingerprint) -> bool,
    ) -> Result<Option<&[u8]>, CursorError> {
        let Some(cursor) = &self.cursor else { return Ok(None) };
        let found = cursor.fingerprint();
        if found != expected && !accepted(found) {
            return Err(CursorError::OtherLayout { found, expected });
        }
        Ok(Some(cursor.key()))
    }
}

impl fmt::Display for Checkpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.pass)?;
        self.cursor.iter().try_for_each(|cursor| write!(f, ".{cursor}"))
    }
}

impl FromStr for Checkpoint {
    type Err = CursorError;

    fn from_str(text: &str) -> Result<Self, CursorError> {
        let (pass, cursor) = match text.split_once('.') {
            Some((pass, cursor)) => (pass, Some(cursor.parse()?)),
            None => (text, None),
        };
        match pass {
            "1" => Ok(Self { pass: 1, cursor }),
            "2" => Ok(Self { pass: 2, cursor }),
            _ => Err(CursorError::Malformed("its pass is unknown")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Programs and databases have stored these texts.
    #[test]
    fn texts_are_frozen() {
        let cursor = Cursor::new(Fingerprint(7), b"\0key\xff");
        let texts = [
            (Checkpoint::new(1, None), "1"),
            (Checkpoint::new(2, None), "2"),
            (Checkpoint::new(1, Some(cursor.clone())), "1.010000000000000007006b6579ff8a5e7e01"),
            (Checkpoint::new(2, Some(cursor)), "2.010000000000000007006b6579ff8a5e7e01"),
        ];
        for (checkpoint, text) in texts {
            assert_eq!(checkpoint.to_string(), text);
            assert_eq!(text.parse(), Ok(checkpoint));
        }
        for text in ["", "0", "3", "01", "1.", "1.1", "2.010000000000000007006b6579ff8a5e7e02", " 1"] {
            assert!(text.parse::<Checkpoint>().is_err(), "{text:?}");
        }
    }
}
