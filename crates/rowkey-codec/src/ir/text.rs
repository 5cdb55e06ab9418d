//! Fields of text keys.

use rowkey::foreign::{self, Case, Form as Source, Order as SourceOrder};

use super::Order;

/// A field of a text key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextField {
    /// The content.
    pub form: Form,
    /// The number of its bytes, if all values have as many.
    pub width: Option<usize>,
    /// The place where it ends.
    pub end: End,
    /// The delimiter before it, with which it may be left out: its values are options.
    pub after: Option<Vec<u8>>,
    order: Order,
}

/// The content of a field of a text key. `bits` are those of the type of its numbers: 64, or 128.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Form {
    /// Text, as it is.
    Text,
    /// Text from its last character to its first.
    Reversed,
    /// A number from 0 on, in decimal.
    Decimal {
        /// 64 or 128.
        bits: u8,
    },
    /// An `i128` in decimal, with a `-` below 0.
    Signed,
    /// `max` minus the number, in decimal.
    Minus {
        /// `max`.
        max: u128,
        /// 64 or 128.
        bits: u8,
    },
    /// A number from 0 on, in hex.
    Hex {
        /// True if its digits are upper-case.
        upper: bool,
        /// 64 or 128.
        bits: u8,
    },
    /// Bytes in hex.
    HexBytes {
        /// True if its digits are upper-case.
        upper: bool,
    },
    /// A UUID in lower case.
    Uuid,
    /// An instant, as a date or a time in UTC.
    Date(Vec<DatePart>),
}

/// The place where a field of a text key ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// After its width.
    Width,
    /// Before a delimiter.
    Before(Vec<u8>),
    /// At the end of the key.
    Key,
    /// This many bytes before the end of the key.
    Rest(u16),
    /// Before a delimiter that belongs to the optional field after it, or at the end of the key.
    Until(Vec<u8>),
}

/// The beginnings of a field of a text key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Beginning<'f> {
    /// Any text.
    Any,
    /// Text of at most this many bytes.
    Within(usize),
    /// Text without this delimiter. Where it ends with a part of it, a shorter text and the delimiter begin so too.
    Before(&'f [u8]),
}

/// A part of a date.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DatePart {
    /// Four digits.
    Year,
    /// Two digits.
    Month,
    /// Two digits: of the month.
    Day,
    /// Three digits.
    DayOfYear,
    /// Two digits.
    Hour,
    /// Two digits.
    Minute,
    /// Two digits.
    Second,
    /// 3, 6 or 9 digits.
    Fraction(u8),
    /// This ASCII character.
    Literal(char),
}

impl DatePart {
    /// The number of characters.
    pub fn width(self) -> usize {
        match self {
            Self::Year => 4,
            Self::Month | Self::Day | Self::Hour | Self::Minute | Self::Second => 2,
            Self::DayOfYear => 3,
            Self::Fraction(digits) => digits.into(),
            Self::Literal(_) => 1,
        }
    }
}

impl TextField {
    /// The number of bytes with the delimiter, if all values have as many.
    pub fn whole_width(&self) -> Option<usize> {
        match (&self.after, self.width, &self.end) {
            (Some(_), ..) => None,
            (None, Some(width), End::Before(delimiter)) => Some(width + delimiter.len()),
            (None, width, _) => width,
        }
    }

    /// The order of the bytes.
    pub fn order(&self) -> Order {
        self.order
    }

    /// The beginnings of its values, if they are text with a beginning that the bytes have too.
    pub fn beginning(&self) -> Option<Beginning<'_>> {
        match (&self.form, &self.after, &self.end, self.width) {
            (Form::Text, None, _, Some(width)) => Some(Beginning::Within(width)),
            (Form::Text, None, End::Before(delimiter) | End::Until(delimiter), None) => {
                Some(Beginning::Before(delimiter))
            }
            (Form::Text, None, End::Key, None) => Some(Beginning::Any),
            _ => None,
        }
    }

    /// The field of a layout.
    pub(super) fn of(source: foreign::TextField) -> Option<Self> {
        let end = match source.end() {
            foreign::End::Width => End::Width,
            foreign::End::Before(delimiter) => End::Before(delimiter.as_bytes().to_vec()),
            foreign::End::Key => End::Key,
            foreign::End::Rest(after) => End::Rest(after),
            foreign::End::Until(delimiter) => End::Until(delimiter.as_bytes().to_vec()),
            _ => return None,
        };
        let delimiter = if let End::Before(delimiter) = &end { delimiter.len() } else { 0 };
        let width = source.present().width().map(|width| width - delimiter);
        let bits = |digits: usize| if width.is_some_and(|width| width <= digits) { 64 } else { 128 };
        let form = match source.form() {
            Source::Text => Form::Text,
            Source::Reversed => Form::Reversed,
            // 10¹⁹ - 1 has 64 bits.
            Source::Decimal => Form::Decimal { bits: bits(19) },
            Source::Signed => Form::Signed,
            Source::Minus(max) => Form::Minus { max, bits: if max <= u64::MAX.into() { 64 } else { 128 } },
            Source::Hex(case) => Form::Hex { upper: case == Case::Upper, bits: bits(16) },
            Source::HexBytes(case) => Form::HexBytes { upper: case == Case::Upper },
            Source::Uuid => Form::Uuid,
            Source::Date(pattern) => Form::Date(parts(pattern.as_str())?),
            _ => return None,
        };
        let order = match source.order() {
            SourceOrder::Ascending => Order::Ascending,
            SourceOrder::Descending => Order::Descending,
            SourceOrder::None => Order::None,
        };
        Some(Self { form, width, end, after: source.after().map(|after| after.as_bytes().to_vec()), order })
    }
}

/// The parts of a pattern, which is a valid one: in its quotes are letters alone.
fn parts(pattern: &str) -> Option<Vec<DatePart>> {
    let mut parts = Vec::new();
    for (i, run) in pattern.split('\'').enumerate() {
        match i % 2 {
            0 => unquoted(run, &mut parts)?,
            _ => parts.extend(run.chars().map(DatePart::Literal)),
        }
    }
    Some(parts)
}

fn unquoted(mut rest: &str, parts: &mut Vec<DatePart>) -> Option<()> {
    while let Some(first) = rest.chars().next() {
        let len = rest.len() - rest.trim_start_matches(first).len();
        let (part, len) = match &rest[..len] {
            "yyyy" => (DatePart::Year, len),
            "MM" => (DatePart::Month, len),
            "dd" => (DatePart::Day, len),
            "DDD" => (DatePart::DayOfYear, len),
            "HH" => (DatePart::Hour, len),
            "mm" => (DatePart::Minute, len),
            "ss" => (DatePart::Second, len),
            "SSS" | "SSSSSS" | "SSSSSSSSS" => (DatePart::Fraction(len as u8), len),
            _ if first.is_ascii_alphanumeric() => return None,
            _ => (DatePart::Literal(first), first.len_utf8()),
        };
        parts.push(part);
        rest = &rest[len..];
    }
    Some(())
}
