//! The checkpoint of a job: the place where it stopped, as text that a program can store.

use std::fmt;
use std::str::FromStr;

use crate::keys::cursor::Cursor;
use crate::keys::error::CursorError;
use crate::keys::fingerprint::Fingerprint;

/// The place where a [`Job`](crate::jobs::Job) stopped: the pass over its tables, and the last row of that pass that is
/// done; and a fingerprint of the job, so that no other job skips rows by it.
///
/// Its text is opaque and safe in a URL: the number of the pass, then a dot and the [`Cursor`] if a row of the pass is
/// done, then `~` and a fingerprint of the job. Store it with [`Display`](fmt::Display), and parse it with [`FromStr`].
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
    /// The job that it is of: of its kind and its tables. `None`: any.
    job: Option<Fingerprint>,
}

impl Default for Checkpoint {
    /// The start of the first pass.
    fn default() -> Self {
        Self::new(1, None)
    }
}

impl Checkpoint {
    pub(crate) fn new(pass: u8, cursor: Option<Cursor>) -> Self {
        Self { pass, cursor, job: None }
    }

    /// The checkpoint as one of this job.
    pub(crate) fn of_job(self, job: Option<Fingerprint>) -> Self {
        Self { job, ..self }
    }

    /// The job that it is of, if it is not of any.
    pub(crate) fn job(&self) -> Option<Fingerprint> {
        self.job
    }

    /// The number of the pass, counted from 1. A job that compares two tables reads the first in pass 1 and the second
    /// in pass 2.
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
        self.cursor.iter().try_for_each(|cursor| write!(f, ".{cursor}"))?;
        self.job.iter().try_for_each(|job| write!(f, "~{job}"))
    }
}

impl FromStr for Checkpoint {
    type Err = CursorError;

    fn from_str(text: &str) -> Result<Self, CursorError> {
        let (place, job) = match text.split_once('~') {
            Some((place, job)) => {
                (place, Some(Fingerprint::parse(job).ok_or(CursorError::Malformed("its job is unknown"))?))
            }
            None => (text, None),
        };
        let (pass, cursor) = match place.split_once('.') {
            Some((pass, cursor)) => (pass, Some(cursor.parse()?)),
            None => (place, None),
        };
        let pass = match pass {
            "1" => 1,
            "2" => 2,
            _ => return Err(CursorError::Malformed("its pass is unknown")),
        };
        Ok(Self { pass, cursor, job })
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
            (Checkpoint::new(2, Some(cursor.clone())), "2.010000000000000007006b6579ff8a5e7e01"),
            (Checkpoint::new(2, None).of_job(Some(Fingerprint(10))), "2~000000000000000a"),
            (
                Checkpoint::new(2, Some(cursor)).of_job(Some(Fingerprint(0xf << 60))),
                "2.010000000000000007006b6579ff8a5e7e01~f000000000000000",
            ),
        ];
        for (checkpoint, text) in texts {
            assert_eq!(checkpoint.to_string(), text);
            assert_eq!(text.parse(), Ok(checkpoint));
        }
        for text in [
            "",
            "0",
            "3",
            "01",
            "1.",
            "1.1",
            "2.010000000000000007006b6579ff8a5e7e02",
            " 1",
            "1~",
            "1~a",
            "1~000000000000000A",
            "1~+00000000000000a",
        ] {
            assert!(text.parse::<Checkpoint>().is_err(), "{text:?}");
        }
    }
}
