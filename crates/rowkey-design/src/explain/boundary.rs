//! The beginnings of keys, as regions begin with them: what their bytes say of each field.

use std::fmt;

use rowkey::LayoutBuf;
use rowkey::layout::Scalar;
use rowkey::untyped::{Explanation, Part, TypeBuf};
use serde_json::{Value as Json, json};

/// The beginning of a key, or a key: what its bytes say of each field.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Boundary {
    /// A field's path, its value as text, and whether the bytes end before the field does: then the value is the least
    /// that begins so.
    pub fields: Vec<(String, String, bool)>,
    /// The bytes that say nothing of a field.
    pub rest: Vec<u8>,
}

/// The widest number.
const WIDEST: usize = 16;

/// The bytes that go on with a cut key: the least, or the end of a descending text.
const PADDING: [u8; 2] = [0, 0xff];

/// The longest part of a character that a cut text may end with.
const CUT_CHARACTER: usize = 3;

impl Boundary {
    /// Of bytes that may be a key, the beginning of one, or neither.
    ///
    /// ```
    /// use rowkey_design::internal::explain::Boundary;
    ///
    /// let layout = "u16, text, u16".parse()?;
    /// assert_eq!(Boundary::of(b"\0\x07bonn\0\x01", &layout).to_string(), "_0 7, _1 \"bonn\", _2 from 256");
    /// # Ok::<(), rowkey::LayoutError>(())
    /// ```
    pub fn of(key: &[u8], layout: &LayoutBuf) -> Self {
        let whole = layout.explain(key);
        let known = told(&whole.parts);
        let covered = whole.parts.get(..known).and_then(|parts| parts.last()).map_or(0, |part| part.range.end);
        let longer = if covered < key.len() { completed(key, layout, known) } else { None };
        let cut = match longer {
            None => key.get(covered..).and_then(|rest| cut_text(rest, &whole, layout)),
            Some(_) => None,
        };
        let mut fields = Vec::new();
        let mut end = 0;
        let parts = longer.unwrap_or(whole.parts);
        let decoded = told(&parts);
        for part in parts.into_iter().take(decoded) {
            if part.range.start >= key.len() && part.range.end > part.range.start {
                break;
            }
            end = part.range.end.min(key.len());
            let field = if part.field.is_empty() { part.shape } else { part.field };
            fields.push((field, part.value, part.range.end > key.len()));
        }
        if let Some((field, value, len)) = cut {
            end = covered + len;
            fields.push((field, value, true));
        }
        Self { fields, rest: key.get(end..).unwrap_or_default().to_vec() }
    }

    /// As JSON.
    pub fn to_json(&self) -> Json {
        let field = |(name, value, cut): &(String, String, bool)| json!({"field": name, "value": value, "cut": cut});
        let rest = data_encoding::HEXLOWER.encode(&self.rest);
        json!({"fields": self.fields.iter().map(field).collect::<Vec<_>>(), "rest": rest})
    }
}

/// On one line, for a person; escape it for a terminal.
impl fmt::Display for Boundary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, (field, value, cut)) in self.fields.iter().enumerate() {
            let (comma, from) = (if i == 0 { "" } else { ", " }, if *cut { "from " } else { "" });
            write!(f, "{comma}{field} {from}{value}")?;
        }
        if !self.rest.is_empty() {
            let comma = if self.fields.is_empty() { "" } else { ", " };
            write!(f, "{comma}then {}", data_encoding::HEXLOWER.encode(&self.rest))?;
        }
        Ok(())
    }
}

/// The number of parts that decode, before the first that does not.
fn told(parts: &[Part]) -> usize {
    parts.iter().take_while(|part| part.shape != "?").count()
}

/// The parts of a cut key, padded until its last part decodes; none if no padding does. `known`: those without.
fn completed(key: &[u8], layout: &LayoutBuf, known: usize) -> Option<Vec<Part>> {
    PADDING.into_iter().find_map(|byte| {
        let mut padded = key.to_vec();
        (1..=WIDEST).find_map(|more| {
            padded.resize(key.len() + more, byte);
            let parts = layout.explain(&padded).parts;
            let is_longer = told(&parts) > known && parts.get(known).is_some_and(|part| part.range.end >= key.len());
            is_longer.then_some(parts)
        })
    })
}

/// The text that bytes begin with, where the field that they are of is one, or is stored as one: its path, its value
/// as it is stored, and the bytes that it has. A host is in the order of its labels in keys, as it cannot be turned
/// round without its end.
fn cut_text(bytes: &[u8], whole: &Explanation, layout: &LayoutBuf) -> Option<(String, String, usize)> {
    let path = whole.error.as_ref()?.field();
    let field = layout.fields().iter().find(|field| field.name == path)?;
    let ty = match &field.ty {
        TypeBuf::Option(inner) => inner,
        ty => ty,
    };
    let is_text = matches!(ty, TypeBuf::Scalar(Scalar::Text | Scalar::HostPath | Scalar::Url));
    let desc = if field.desc { " desc" } else { "" };
    let raw = if field.raw { " raw" } else { "" };
    let plain: LayoutBuf = format!("text{desc}{raw}").parse().ok().filter(|_| is_text)?;
    // Bytes behind a cut text can be a part of a character, or of an escape.
    let is_cut = |byte: &u8| matches!(if field.desc { !byte } else { *byte }, 1 | 0x80..);
    (0..=CUT_CHARACTER).find_map(|cut| {
        let (own, rest) = bytes.split_at_checked(bytes.len().checked_sub(cut)?)?;
        if own.is_empty() || !rest.iter().all(is_cut) {
            return None;
        }
        let parts = if field.raw { Some(plain.explain(own).parts) } else { completed(own, &plain, 0) };
        // A text that has its end is not cut, but no value of the field.
        let is_open = |part: &Part| field.raw || part.range.end > own.len();
        let part = parts?.into_iter().next().filter(|part| part.shape != "?" && is_open(part))?;
        Some((path.to_owned(), part.value, own.len()))
    })
}
