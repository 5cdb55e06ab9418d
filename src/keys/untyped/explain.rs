//! Explanations of a key's bytes, as a table.

use std::fmt::{self, Display};
use std::ops::Range;

use super::LayoutBuf;
use super::key::Trace;
use crate::keys::error::{DecodeError, Hex, Printable};
use crate::keys::lead::{Lead, SaltFormat};

/// The explanation of a key's bytes, part by part: field, direction, value, escapes, salt. Its `Display` is a table.
///
/// Bytes that are not a valid key are explained up to the first error; the rest is the last part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explanation {
    /// The key type's name.
    pub key: String,
    /// The key's bytes.
    pub bytes: Vec<u8>,
    /// The parts, in order, which together are all the bytes.
    pub parts: Vec<Part>,
    /// Why the bytes are not a valid key, if they aren't.
    pub error: Option<DecodeError>,
}

/// Some bytes of a key, and what they mean.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// The place of the bytes in the key.
    pub range: Range<usize>,
    /// The path to the field: names joined by dots. Empty for the salt or digest.
    pub field: String,
    /// The kind of the part: a scalar's shape, with ` desc` if they are inverted; `option`, `list` or `enum` for the
    /// byte that opens one (or for a raw list without items); `salt` or `digest`; `?` after an error.
    pub shape: String,
    /// The value, as text.
    pub value: String,
    /// More about the bytes, such as the number of escapes; may be empty.
    pub note: String,
}

impl LayoutBuf {
    /// Explains a key's bytes, field by field. Bytes that are not a valid key are explained up to the first error.
    ///
    /// ```
    /// use rowkey::LayoutBuf;
    ///
    /// let layout: LayoutBuf = "text, i64 desc".parse()?;
    /// let table = layout.explain(b"a\x01\x01\0\x7f\xff\xff\xff\xff\xff\xff\xfe").to_string();
    /// assert_eq!(table, "\
    /// key, 12 bytes
    ///    0..4   _0  text      61 01 01 00              \"a\\0\"  1 escape, ends at 00
    ///    4..12  _1  i64 desc  7f ff ff ff ff ff ff fe  1
    /// ");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn explain(&self, key: &[u8]) -> Explanation {
        let mut teller = Teller { layout: self, parts: Vec::new(), path: Vec::new() };
        let error = self.decode_traced(key, &mut Vec::new(), &mut teller).err();
        let mut parts = teller.parts;
        let told = parts.last().map_or(0, |part: &Part| part.range.end);
        if let Some(error) = error.as_ref().filter(|_| told < key.len()) {
            let (range, field) = (told..key.len(), error.field().to_owned());
            parts.push(Part { range, field, shape: "?".into(), value: String::new(), note: String::new() });
        }
        Explanation { key: self.name.clone(), bytes: key.to_vec(), parts, error }
    }
}

struct Teller<'l> {
    layout: &'l LayoutBuf,
    parts: Vec<Part>,
    /// The names of the enclosing fields, each with whether its bytes are inverted.
    path: Vec<(String, bool)>,
}

impl Teller<'_> {
    fn push(&mut self, len: usize, field: String, shape: String, value: String, note: String) {
        let start = self.parts.last().map_or(0, |part| part.range.end);
        self.parts.push(Part { range: start..start + len, field, shape, value, note });
    }
}

impl Trace for Teller<'_> {
    fn lead(&mut self, bytes: &[u8]) {
        let (shape, value, note) = match self.layout.lead() {
            Lead::None => return,
            Lead::Digest(_) => ("digest", Hex(bytes).to_string(), "of MD5".to_owned()),
            Lead::Hash(prefix) => ("hash", Printable(bytes).to_string(), format!("of {}", prefix.function().name())),
            Lead::Salt(salt) => {
                let is_text =
                    !matches!(salt.format, SaltFormat::Binary) && bytes.iter().all(|byte| byte.is_ascii_graphic());
                let value = match is_text {
                    true => Printable(bytes).to_string(),
                    false => bytes.iter().fold(0u64, |bucket, &byte| bucket << 8 | u64::from(byte)).to_string(),
                };
                ("salt", value, format!("of {} buckets by {}", salt.buckets, salt.hash.name))
            }
        };
        self.push(bytes.len(), String::new(), shape.to_owned(), value, note);
    }

    fn enter(&mut self, name: &str, desc: bool) {
        let around = self.path.last().is_some_and(|(_, inverted)| *inverted);
        self.path.push((name.to_owned(), around != desc));
    }

    fn leave(&mut self) {
        self.path.pop();
    }

    fn part(&mut self, shape: &dyn Display, bytes: &[u8], value: &dyn Display) {
        let names: Vec<_> = self.path.iter().map(|(name, _)| name.as_str()).collect();
        let inverted = self.path.last().is_some_and(|(_, inverted)| *inverted);
        let shape = shape.to_string();
        let raw = self.layout.fields().last().is_some_and(|last| last.raw && names.first() == Some(&&*last.name));
        let note = match (shape.as_str(), raw) {
            ("text" | "bytes" | "decimal" | "host_path" | "list", true) => "raw: to the end".to_owned(),
            ("text" | "bytes", false) => ending(bytes, inverted),
            _ => String::new(),
        };
        let shape = if inverted { format!("{shape} desc") } else { shape };
        self.push(bytes.len(), names.join("."), shape, value.to_string(), note);
    }
}

fn ending(bytes: &[u8], inverted: bool) -> String {
    let escape = if inverted { 0xfe } else { 1 };
    let mut escapes = 0;
    let mut rest = bytes;
    while let Some(at) = memchr::memchr(escape, rest) {
        escapes += 1;
        rest = rest.get(at + 2..).unwrap_or_default();
    }
    let end = if inverted { "ends at ff" } else { "ends at 00" };
    match escapes {
        0 => end.to_owned(),
        1 => format!("1 escape, {end}"),
        n => format!("{n} escapes, {end}"),
    }
}

/// Number of bytes in a line of the table.
const BYTES_A_LINE: usize = 16;

/// The greatest width of a column. A longer entry moves the rest of its own line only.
const COLUMN: usize = 40;

impl Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let spaced = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().join(" ");
        let width = |text: &dyn Fn(&Part) -> usize| self.parts.iter().map(text).max().unwrap_or(0).min(COLUMN);
        let places: Vec<_> = self.parts.iter().map(|p| format!("{:>4}..{}", p.range.start, p.range.end)).collect();
        let place = places.iter().map(String::len).max().unwrap_or(0);
        let field = width(&|p| p.field.chars().count());
        let shape = width(&|p| p.shape.chars().count());
        let longest = self.parts.iter().map(|p| p.range.len().min(BYTES_A_LINE)).max().unwrap_or(0);
        let bytes = (longest * 3).saturating_sub(1);
        let value = width(&|p| p.value.chars().count());
        writeln!(f, "{}, {} bytes", self.key, self.bytes.len())?;
        for (part, at) in self.parts.iter().zip(&places) {
            let mut lines = self.bytes[part.range.clone()].chunks(BYTES_A_LINE);
            let first = spaced(lines.next().unwrap_or_default());
            let line = format!(
                "{at:place$}  {:field$}  {:shape$}  {first:bytes$}  {:value$}  {}",
                part.field, part.shape, part.value, part.note
            );
            writeln!(f, "{}", line.trim_end())?;
            for more in lines {
                writeln!(f, "{:place$}  {:field$}  {:shape$}  {}", "", "", "", spaced(more))?;
            }
        }
        match &self.error {
            Some(error) => writeln!(f, "not a key: {error}"),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{LayoutBuf, Value};

    #[test]
    fn a_long_value_moves_its_own_line_alone() {
        let layout: LayoutBuf = "text, list<bool>".parse().unwrap();
        let text = "x".repeat(100_000);
        let key = layout.encode(&[Value::Text(text), Value::List(vec![Value::Bool(true); 1_000])]).unwrap();
        let told = layout.explain(&key).to_string();
        assert!(told.len() < 1_000_000, "{} bytes", told.len());
    }

    #[test]
    fn raw_text_in_a_newtype_has_no_terminator_to_tell_of() {
        let layout: LayoutBuf = "text, (text) raw".parse().unwrap();
        let told = layout.explain(b"a\0\x01b");
        let notes: Vec<_> = told.parts.iter().map(|part| part.note.as_str()).collect();
        assert_eq!(notes, ["ends at 00", "raw: to the end"]);
    }

    /// Each field has a part, even if it has no byte.
    #[test]
    fn what_has_no_byte_is_told_too() {
        for (shape, key, told, picture) in [
            (
                "u8, list<u16> raw",
                &[7][..],
                "key, 1 bytes\n   0..1  _0  u8    07  7\n   1..1  _1  list      no items  raw: to the end\n",
                "0    1          1\n\
                 ┌────┬──────────┐\n\
                 │ _0 │ _1       │\n\
                 │ u8 │ list     │\n\
                 │ 07 │          │\n\
                 │ 7  │ no items │\n\
                 └────┴──────────┘\n",
            ),
            (
                "(list<(u8, bool)>) raw",
                &[],
                "key, 0 bytes\n   0..0  _0._0  list    no items  raw: to the end\n",
                "0          0\n\
                 ┌──────────┐\n\
                 │ _0._0    │\n\
                 │ list     │\n\
                 │          │\n\
                 │ no items │\n\
                 └──────────┘\n",
            ),
            (
                "text raw",
                &[],
                "key, 0 bytes\n   0..0  _0  text    \"\"  raw: to the end\n",
                "0      0\n┌──────┐\n│ _0   │\n│ text │\n│      │\n│ \"\"   │\n└──────┘\n",
            ),
            (
                "(), u8",
                &[7],
                "key, 1 bytes\n   0..0  _0  ()      ()\n   0..1  _1  u8  07  7\n",
                "0    0    1\n\
                 ┌────┬────┐\n\
                 │ _0 │ _1 │\n\
                 │ () │ u8 │\n\
                 │    │ 07 │\n\
                 │ () │ 7  │\n\
                 └────┴────┘\n",
            ),
        ] {
            let explanation = shape.parse::<LayoutBuf>().unwrap().explain(key);
            assert_eq!(explanation.error, None);
            assert_eq!(explanation.to_string(), told, "{shape}");
            assert_eq!(explanation.picture().to_string(), picture, "{shape}");
        }
    }

    #[test]
    fn what_is_raw_says_so() {
        let page = Value::Text("apache.org/".into());
        for (shape, value) in [
            ("text raw", Value::Text("a".into())),
            ("bytes raw", Value::Bytes(vec![1])),
            ("decimal raw", Value::Decimal("1".into())),
            ("host_path raw", page),
            ("list<u8> raw", Value::List(vec![])),
        ] {
            let layout: LayoutBuf = shape.parse().unwrap();
            let told = layout.explain(&layout.encode(&[value]).unwrap());
            assert_eq!(told.parts[0].note, "raw: to the end", "{shape}");
        }
    }

    #[test]
    fn a_decimal_is_shown_as_its_number() {
        let layout: LayoutBuf = "decimal desc, decimal raw".parse().unwrap();
        let values = ["-12.5", "0.001"].map(|number| Value::Decimal(number.into()));
        let told = layout.explain(&layout.encode(&values).unwrap());
        let shown: Vec<_> = told.parts.iter().map(|part| part.value.as_str()).collect();
        assert_eq!(shown, ["-12.5", "0.001"]);
        let error = layout.encode(&[values[0].clone(), Value::Decimal("1.50".into())]).unwrap_err();
        assert_eq!(
            error.to_string(),
            "_1: 1.50 is not a valid decimal: a decimal has no needless zeros, and 0 has no sign"
        );
    }
}
