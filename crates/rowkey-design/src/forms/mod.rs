//! The forms that keys have as text: hex, as HBase's shell prints them, as Go and `cbt` quote them, base64, and field
//! values as JSON.

mod date;
mod loosened;
mod times;

use data_encoding::{BASE64, HEXLOWER, HEXLOWER_PERMISSIVE};
use rowkey::LayoutBuf;

pub(crate) use self::date::written;
pub use self::times::{Times, key_loosened};
use crate::choice::choices;
use crate::quote::{go, hbase_binary};

choices! {
    /// A form of a key as text.
    pub enum KeyForm {
        /// Two hex digits a byte.
        ///
        /// `00 ff 61`, with or without spaces and `0x`.
        Hex = "hex",
        /// As HBase's shell prints keys: \xNN for what is not printable.
        ///
        /// HBase prints a backslash as it is, so that the bytes `\x41` print as the byte `A` does; what this crate
        /// writes has `\x5C` for a backslash and is not ambiguous.
        Shell = "shell",
        /// As Go quotes.
        ///
        /// Go's `%q` and `cbt`: `"a\x00\n"`, with or without the quotes.
        Go = "go",
        /// Base64, with padding.
        Base64 = "base64",
        /// A JSON array with a value for each field.
        ///
        /// A number is text or a number.
        Json = "json",
    }
}

/// Why a text is not a key in a form.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("byte {at}: {reason}")]
pub struct FormError {
    /// The byte of the text at which it stops to be one.
    pub at: usize,
    /// The text that was found, and what was expected.
    pub reason: String,
}

impl FormError {
    fn new(at: usize, reason: impl Into<String>) -> Self {
        Self { at, reason: reason.into() }
    }
}

impl KeyForm {
    /// Reads a key. The layout is asked for the form of field values alone.
    ///
    /// # Errors
    /// If the text is not a key in this form: the error says where and why.
    ///
    /// ```
    /// use rowkey::LayoutBuf;
    /// use rowkey_design::internal::forms::KeyForm;
    ///
    /// let layout: LayoutBuf = "text, u16".parse()?;
    /// let key = b"a\0\x01\x02";
    /// assert_eq!(KeyForm::Hex.parse("61 00 0102", &layout)?, key);
    /// assert_eq!(KeyForm::Shell.parse(r"a\x00\x01\x02", &layout)?, key);
    /// assert_eq!(KeyForm::Json.parse(r#"["a", 258]"#, &layout)?, key);
    /// assert_eq!(KeyForm::Hex.parse("61 0g", &layout).unwrap_err().to_string(), "byte 4: 'g' is not a hex digit");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn parse(self, text: &str, layout: &LayoutBuf) -> Result<Vec<u8>, FormError> {
        match self {
            Self::Hex => hex(text),
            Self::Shell => shell(text),
            Self::Go => go_string(text),
            Self::Base64 => base64(text),
            Self::Json => json(text, layout),
        }
    }

    /// As [`parse`](Self::parse), for one of many keys: their bytes are appended.
    pub fn parse_to(self, text: &str, layout: &LayoutBuf, keys: &mut Vec<u8>) -> Result<(), FormError> {
        let start = keys.len();
        if self == Self::Hex && text.len().is_multiple_of(2) {
            keys.resize(start + text.len() / 2, 0);
            if HEXLOWER_PERMISSIVE.decode_mut(text.as_bytes(), &mut keys[start..]).is_ok() {
                return Ok(());
            }
            keys.truncate(start);
        }
        keys.extend(self.parse(text, layout)?);
        Ok(())
    }

    /// Writes a key; none for field values of a key that the layout does not decode.
    pub fn write(self, key: &[u8], layout: &LayoutBuf) -> Option<String> {
        Some(match self {
            Self::Hex => HEXLOWER.encode(key),
            Self::Shell => hbase_binary(key),
            Self::Go => go(key),
            Self::Base64 => BASE64.encode(key),
            Self::Json => {
                let values = layout.decode(key).ok()?;
                serde_json::Value::Array(values.iter().map(rowkey::Value::to_json).collect()).to_string()
            }
        })
    }
}

fn hex(text: &str) -> Result<Vec<u8>, FormError> {
    let mut key = Vec::with_capacity(text.len() / 2);
    let mut high: Option<(usize, u8)> = None;
    let start = text.len() - text.trim_start().len();
    let skipped = if text[start..].starts_with("0x") { start + 2 } else { 0 };
    for (at, char) in text[skipped..].char_indices().map(|(at, char)| (at + skipped, char)) {
        if char.is_whitespace() && high.is_none() {
            continue;
        }
        let digit = char.to_digit(16).and_then(|digit| u8::try_from(digit).ok());
        let digit = digit.ok_or_else(|| FormError::new(at, format!("{char:?} is not a hex digit")))?;
        match high.take() {
            None => high = Some((at, digit)),
            Some((_, high)) => key.push(high << 4 | digit),
        }
    }
    match high {
        Some((at, _)) => Err(FormError::new(at, "half a byte: a byte has two hex digits")),
        None => Ok(key),
    }
}

/// As `Bytes.toBytesBinary` reads: `\xNN` is a byte; any other backslash is itself.
pub(crate) fn shell(text: &str) -> Result<Vec<u8>, FormError> {
    let mut key = Vec::with_capacity(text.len());
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        if let Some(escaped) = (byte == b'\\').then(|| bytes.get(at + 1..at + 4)).flatten().and_then(escape) {
            key.push(escaped);
            at += 4;
        } else if byte.is_ascii() {
            key.push(byte);
            at += 1;
        } else {
            let char = text.get(at..).and_then(|rest| rest.chars().next()).unwrap_or('?');
            return Err(FormError::new(at, format!("{char:?} is not ASCII: HBase prints such bytes as \\xNN")));
        }
    }
    Ok(key)
}

/// The byte of `xNN`.
fn escape(text: &[u8]) -> Option<u8> {
    match text {
        [b'x', high, low] => {
            let digit = |byte: &u8| char::from(*byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
            Some(digit(high)? << 4 | digit(low)?)
        }
        _ => None,
    }
}

/// A string of Go, with or without its quotes.
fn go_string(text: &str) -> Result<Vec<u8>, FormError> {
    let quoted = text.len() >= 2 && text.starts_with('"') && text.ends_with('"');
    let (offset, inner) = if quoted { (1, &text[1..text.len() - 1]) } else { (0, text) };
    let mut key = Vec::with_capacity(inner.len());
    let mut chars = inner.char_indices();
    while let Some((at, char)) = chars.next() {
        let at = at + offset;
        if quoted && char == '"' {
            return Err(FormError::new(at, "a quote inside the string: write it as \\\""));
        }
        if char != '\\' {
            key.extend(char.encode_utf8(&mut [0; 4]).as_bytes());
            continue;
        }
        let unknown = || FormError::new(at, "a backslash that begins no escape of Go");
        let (_, kind) = chars.next().ok_or_else(unknown)?;
        let mut number = |digits: usize, radix: u32| -> Result<u32, FormError> {
            (0..digits).try_fold(0u32, |number, _| {
                let digit = chars.next().and_then(|(_, char)| char.to_digit(radix)).ok_or_else(unknown)?;
                number.checked_mul(radix).and_then(|number| number.checked_add(digit)).ok_or_else(unknown)
            })
        };
        let simple = match kind {
            'a' => 7,
            'b' => 8,
            't' => b'\t',
            'n' => b'\n',
            'v' => 11,
            'f' => 12,
            'r' => b'\r',
            '\\' | '"' | '\'' => kind as u8,
            'x' => number(2, 16)? as u8,
            '0'..='3' => {
                let first = kind.to_digit(8).unwrap_or(0);
                (first * 64 + number(2, 8)?) as u8
            }
            'u' | 'U' => {
                let code = number(if kind == 'u' { 4 } else { 8 }, 16)?;
                let char = char::from_u32(code).ok_or_else(unknown)?;
                key.extend(char.encode_utf8(&mut [0; 4]).as_bytes());
                continue;
            }
            _ => return Err(unknown()),
        };
        key.push(simple);
    }
    Ok(key)
}

fn base64(text: &str) -> Result<Vec<u8>, FormError> {
    let trimmed = text.trim();
    let before = text.len() - text.trim_start().len();
    BASE64.decode(trimmed.as_bytes()).map_err(|error| FormError::new(before + error.position, error.kind.to_string()))
}

fn json(text: &str, layout: &LayoutBuf) -> Result<Vec<u8>, FormError> {
    let json = serde_json::from_str(text).map_err(|error| {
        // serde_json counts lines and columns, from 1.
        let line = text.split('\n').take(error.line().saturating_sub(1)).map(|line| line.len() + 1).sum::<usize>();
        let at = (line + error.column().saturating_sub(1)).min(text.len());
        FormError::new(at, error.to_string())
    })?;
    let json = key_loosened(layout, json, &Times::default());
    let values = layout.values_from_json(&json).map_err(|error| FormError::new(0, error.to_string()))?;
    layout.encode(&values).map_err(|error| FormError::new(0, error.to_string()))
}
