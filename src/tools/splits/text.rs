//! Split points as text: a list for HBase's shell, and lines of hex.
//!
//! ```text
//! create 'visits', 'f', SPLITS => ["\x01", "a\x22b"]
//! ```
//!
//! In the shell's list, printable ASCII is written as it is and other bytes as `\xHH`, as HBase's
//! `Bytes.toStringBinary` writes them. `"` and `#` have a meaning between Ruby's double quotes, and are written as
//! `\xHH` too.

use std::fmt;
use std::str::FromStr;

use super::{Splits, SplitsError};
use crate::keys::error::Hex;

/// A list as HBase's shell takes it after `SPLITS =>`.
impl fmt::Display for Splits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[")?;
        for (i, split) in self.iter().enumerate() {
            f.write_str(if i == 0 { "\"" } else { ", \"" })?;
            for &byte in split {
                match byte {
                    b'"' | b'#' | b'\\' => write!(f, "\\x{byte:02X}")?,
                    b' '..=b'~' => write!(f, "{}", char::from(byte))?,
                    _ => write!(f, "\\x{byte:02X}")?,
                }
            }
            f.write_str("\"")?;
        }
        f.write_str("]")
    }
}

/// A list as HBase's shell takes it: strings in double quotes, bytes as `\xHH`, a backslash also as `\\`, a quote as
/// `\"`.
impl FromStr for Splits {
    type Err = SplitsError;

    fn from_str(text: &str) -> Result<Self, SplitsError> {
        let mut list = ShellList { text: text.as_bytes(), at: 0 };
        let mut keys = Vec::new();
        list.mark(b'[', "a [ is expected")?;
        if !list.has(b']') {
            loop {
                keys.push(list.key()?);
                if !list.has(b',') {
                    break;
                }
            }
            list.mark(b']', "a comma or a ] is expected")?;
        }
        list.spaces();
        if list.at < text.len() {
            return Err(list.due("nothing is expected: the list has ended"));
        }
        Self::new(keys)
    }
}

struct ShellList<'t> {
    text: &'t [u8],
    at: usize,
}

impl ShellList<'_> {
    fn due(&self, expected: &'static str) -> SplitsError {
        SplitsError::Text { at: self.at, expected }
    }

    fn spaces(&mut self) {
        let rest = self.text.get(self.at..).unwrap_or_default();
        self.at += rest.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
    }

    fn has(&mut self, mark: u8) -> bool {
        self.spaces();
        let has = self.text.get(self.at) == Some(&mark);
        self.at += usize::from(has);
        has
    }

    fn mark(&mut self, mark: u8, expected: &'static str) -> Result<(), SplitsError> {
        if self.has(mark) { Ok(()) } else { Err(self.due(expected)) }
    }

    fn key(&mut self) -> Result<Vec<u8>, SplitsError> {
        self.mark(b'"', "a double quote is expected")?;
        let mut key = Vec::new();
        loop {
            let rest = self.text.get(self.at..).unwrap_or_default();
            let (byte, taken) = match rest {
                [] => return Err(self.due("a double quote is expected")),
                [b'"', ..] => {
                    self.at += 1;
                    return Ok(key);
                }
                [b'#', b'{' | b'$' | b'@', ..] => return Err(self.due("Ruby would insert a value here: write \\x23")),
                [b'\\', b'x', high, low, ..] => match (digit(*high), digit(*low)) {
                    (Some(high), Some(low)) => (high << 4 | low, 4),
                    _ => return Err(self.due("two hex digits are expected after \\x")),
                },
                [b'\\', quoted @ (b'\\' | b'"'), ..] => (*quoted, 2),
                [b'\\', ..] => return Err(self.due("\\xHH, \\\\ or \\\" is expected")),
                [byte, ..] => (*byte, 1),
            };
            key.push(byte);
            self.at += taken;
        }
    }
}

fn digit(byte: u8) -> Option<u8> {
    char::from(byte).to_digit(16).map(|digit| digit as u8)
}

impl Splits {
    /// Returns the split points in hex, one per line.
    ///
    /// ```
    /// # use rowkey::splits::Splits;
    /// let splits = Splits::new([[1, 0xff], [2, 0]])?;
    /// assert_eq!(splits.to_hex(), "01ff\n0200\n");
    /// assert_eq!(Splits::from_hex("01ff\n0200\n")?, splits);
    /// # Ok::<(), rowkey::splits::SplitsError>(())
    /// ```
    pub fn to_hex(&self) -> String {
        self.iter().map(|split| format!("{}\n", Hex(split))).collect()
    }

    /// Reads split points in hex, one per line; skips empty lines.
    ///
    /// # Errors
    /// [`SplitsError::Text`] for a line that is not hex; [`SplitsError::Twice`].
    pub fn from_hex(text: &str) -> Result<Self, SplitsError> {
        let mut keys = Vec::new();
        let mut start = 0;
        for line in text.split_inclusive('\n') {
            let digits = line.trim();
            let at = start + line.len() - line.trim_start().len();
            start += line.len();
            let pair = |pair: &[u8]| match *pair {
                [high, low] => Some(digit(high)? << 4 | digit(low)?),
                _ => None,
            };
            let key: Option<Vec<u8>> = digits.as_bytes().chunks(2).map(pair).collect();
            match key.ok_or(SplitsError::Text { at, expected: "a line of pairs of hex digits is expected" })? {
                key if key.is_empty() => {}
                key => keys.push(key),
            }
        }
        Self::new(keys)
    }
}
