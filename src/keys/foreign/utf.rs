//! Text as Java's `DataOutput.writeUTF` writes it: its length in two bytes, and modified UTF-8. By Java's documentation
//! of `DataInput`.
//!
//! ```text
//! "ada"      00 03 61 64 61
//! "a\0"      00 03 61 c0 80            0 in two bytes
//! "é"        00 02 c3 a9
//! "😀"       00 06 ed a0 bd ed b8 80   above U+FFFF: two surrogates of three bytes
//! ```

use crate::keys::encode::{Reader, Sink, Writer};
use crate::keys::error::{DecodeError, Hex};

pub(super) fn encode(text: &str, w: &mut Writer<'_, impl Sink>) -> Result<(), &'static str> {
    let modified = modified(text);
    let len = u16::try_from(modified.len()).map_err(|_| "it has more than 65,535 bytes in modified UTF-8")?;
    w.array(len.to_be_bytes());
    w.bytes(&modified);
    Ok(())
}

fn modified(text: &str) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len());
    for unit in text.encode_utf16() {
        let low = |shift: u32| 0x80 | (unit >> shift & 0x3f) as u8;
        match unit {
            0x01..=0x7f => bytes.push(unit as u8),
            0 | 0x80..=0x7ff => bytes.extend([0xc0 | (unit >> 6) as u8, low(0)]),
            _ => bytes.extend([0xe0 | (unit >> 12) as u8, low(6), low(0)]),
        }
    }
    bytes
}

pub(super) fn decode(r: &mut Reader<'_>) -> Result<String, DecodeError> {
    let at = r.offset();
    let len = u16::from_be_bytes(r.array()?);
    let bytes = r.bytes(len.into())?;
    // Of the forms that a character could have, one is written.
    let text = units(&bytes).and_then(|units| String::from_utf16(&units).ok());
    text.filter(|text| modified(text) == *bytes)
        .ok_or_else(|| r.bad_value(at, Hex(&bytes).to_string(), "it is text in modified UTF-8"))
}

/// The code units of UTF-16, of forms that are too long too.
fn units(mut bytes: &[u8]) -> Option<Vec<u16>> {
    let mut units = Vec::with_capacity(bytes.len());
    while let [first, rest @ ..] = bytes {
        let (high, more) = match first {
            0x00..=0x7f => (*first, 0),
            0xc0..=0xdf => (first & 0x1f, 1),
            0xe0..=0xef => (first & 0x0f, 2),
            _ => return None,
        };
        let (lower, after) = rest.split_at_checked(more)?;
        if lower.iter().any(|byte| byte >> 6 != 0b10) {
            return None;
        }
        units.push(lower.iter().fold(high.into(), |unit, byte| unit << 6 | u16::from(byte & 0x3f)));
        bytes = after;
    }
    Some(units)
}
