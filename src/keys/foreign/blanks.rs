//! Text that is padded with blanks to a width, as Phoenix's `CHAR(n)`. By Phoenix's `PChar`.
//!
//! ```text
//! char[5]   "ab"   61 62 20 20 20
//! ```
//!
//! The text has no blanks at its end. It has no control characters, which are allowed there: with them `"a\t"` sorts
//! before `"a"`.

use std::num::NonZeroU16;
use std::ops::Bound;

use super::Beginning;
use crate::keys::encode::{FieldSpan, Reader, Sink, Writer};
use crate::keys::error::DecodeError;
use crate::keys::range::successor;

const BLANK: u8 = b' ';

pub(super) fn encode(width: NonZeroU16, text: &str, w: &mut Writer<'_, impl Sink>) -> Result<(), &'static str> {
    let blanks = usize::from(width.get()).checked_sub(text.len()).ok_or("it has more characters than the field")?;
    if !is_one_form(text.as_bytes()) {
        return Err(FORM);
    }
    w.bytes(text.as_bytes());
    (0..blanks).for_each(|_| w.byte(BLANK));
    Ok(())
}

pub(super) fn decode(width: NonZeroU16, r: &mut Reader<'_>) -> Result<String, DecodeError> {
    let at = r.offset();
    let padded = r.bytes(width.get().into())?;
    let len = padded.iter().rposition(|byte| *byte != BLANK).map_or(0, |last| last + 1);
    let text = String::from_utf8_lossy(&padded[..len]);
    if !is_one_form(&padded[..len]) {
        return Err(r.bad_value(at, text, FORM));
    }
    Ok(text.into_owned())
}

const FORM: &str = "it is ASCII without control characters, and without blanks at its end";

fn is_one_form(text: &[u8]) -> bool {
    text.iter().all(|byte| matches!(byte, BLANK..=b'~')) && text.last() != Some(&BLANK)
}

/// The text with this beginning. The blanks at its end may be those of shorter text, which is the least that begins so.
pub(super) fn starting(width: NonZeroU16, start: &str) -> Option<Beginning> {
    let text = start.trim_end_matches(char::from(BLANK));
    let mut shorter = Vec::new();
    if start.len() > width.get().into() || encode(width, text, &mut Writer::new(&mut shorter)).is_err() {
        return None;
    }
    let bytes = start.as_bytes();
    Some(match successor(bytes).filter(|_| text != start) {
        Some(after) => Beginning::In(vec![FieldSpan::Range(Bound::Excluded(shorter), Bound::Excluded(after))]),
        None => Beginning::With(bytes.to_vec()),
    })
}
