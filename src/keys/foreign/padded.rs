//! Text that is padded to a width: with blanks, as Phoenix's `CHAR(n)`, by its `PChar`; or with zero bytes, as
//! HBase's `Bytes.padTail` and Pinpoint's names are.
//!
//! ```text
//! char[5]         "ab"   61 62 20 20 20
//! char[5 zeros]   "ab"   61 62 00 00 00
//! ```
//!
//! The text has none of the padding at its end. Before blanks it has no control characters, which are allowed there:
//! with them `"a\t"` sorts before `"a"`.

use std::num::NonZeroU16;
use std::ops::Bound;

use super::Beginning;
use crate::keys::encode::{FieldSpan, Reader, Sink, Writer};
use crate::keys::error::DecodeError;
use crate::keys::range::successor;

/// The bytes behind a text.
#[derive(Clone, Copy, Debug)]
pub(super) enum Padding {
    Blanks,
    Zeros,
}

impl Padding {
    const fn byte(self) -> u8 {
        match self {
            Self::Blanks => b' ',
            Self::Zeros => 0,
        }
    }

    /// The form of a text.
    const fn form(self) -> &'static str {
        match self {
            Self::Blanks => "it is ASCII without control characters, and without blanks at its end",
            Self::Zeros => "it is UTF-8 without zero bytes",
        }
    }

    fn is_of_form(self, text: &[u8]) -> bool {
        match self {
            Self::Blanks => text.iter().all(|byte| matches!(byte, b' '..=b'~')) && text.last() != Some(&b' '),
            Self::Zeros => !text.contains(&0) && str::from_utf8(text).is_ok(),
        }
    }

    pub(super) fn encode(
        self,
        width: NonZeroU16,
        text: &str,
        w: &mut Writer<'_, impl Sink>,
    ) -> Result<(), &'static str> {
        let padding = usize::from(width.get()).checked_sub(text.len()).ok_or(match self {
            Self::Blanks => "it has more characters than the field",
            Self::Zeros => "it has more bytes than the field",
        })?;
        if !self.is_of_form(text.as_bytes()) {
            return Err(self.form());
        }
        w.bytes(text.as_bytes());
        (0..padding).for_each(|_| w.byte(self.byte()));
        Ok(())
    }

    pub(super) fn decode(self, width: NonZeroU16, r: &mut Reader<'_>) -> Result<String, DecodeError> {
        let at = r.offset();
        let padded = r.bytes(width.get().into())?;
        let len = padded.iter().rposition(|byte| *byte != self.byte()).map_or(0, |last| last + 1);
        let text = String::from_utf8_lossy(&padded[..len]);
        if !self.is_of_form(&padded[..len]) {
            return Err(r.bad_value(at, text, self.form()));
        }
        Ok(text.into_owned())
    }

    /// The text with this beginning. Blanks at its end may be those of shorter text, which is the least that begins so.
    pub(super) fn starting(self, width: NonZeroU16, start: &str) -> Option<Beginning> {
        let text = match self {
            Self::Blanks => start.trim_end_matches(' '),
            Self::Zeros => start,
        };
        let mut shorter = Vec::new();
        if start.len() > width.get().into() || self.encode(width, text, &mut Writer::new(&mut shorter)).is_err() {
            return None;
        }
        let bytes = start.as_bytes();
        Some(match successor(bytes).filter(|_| text != start) {
            Some(after) => Beginning::In(vec![FieldSpan::Range(Bound::Excluded(shorter), Bound::Excluded(after))]),
            None => Beginning::With(bytes.to_vec()),
        })
    }
}
