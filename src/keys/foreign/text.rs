//! A field of a text key: what it holds, in characters, and where it ends.
//!
//! ```text
//! text['#']          "ada"        61 64 61 23           up to a delimiter, which the text does not have
//! dec[10]            42           30 30 … 34 32         padded with zeros to a width: sorts as the number
//! dec['#']           42           34 32 23              not padded: 10 sorts before 9
//! minus[99 2]        42           35 37                 99 − 42: the greatest sorts first
//! hex[4 upper]       0xbeef       42 45 45 46
//! date['yyyyMMdd']   2021-02-28   32 30 32 31 30 32 32 38
//! text[rest-12]      "ada"        61 64 61              all but the last 12 bytes of the key
//! text[until '#']    "ada"        61 64 61              up to a delimiter, which is the next field's, or the key's end
//! dec[end after '#'] 42           23 34 32              a delimiter and a value at the key's end, or nothing
//! ```

use std::fmt;

use super::{Beginning, Delimiter, Order, Pattern};
use crate::keys::encode::{Reader, Sink, Writer};
use crate::keys::error::DecodeError;
use crate::keys::untyped::Value;

/// The content of a field of a text key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Form {
    /// Text, as it is.
    Text,
    /// Text from its last character to its first.
    Reversed,
    /// A number from 0 on, in decimal. Without a width: as many digits as it has.
    Decimal,
    /// A number in decimal, with a `-` if it is below 0.
    Signed,
    /// `max` minus a number from 0 to `max`, in decimal: the greatest number sorts first.
    Minus(
        /// `max`.
        u128,
    ),
    /// A number from 0 on, in hex.
    Hex(Case),
    /// Bytes in hex, two digits each.
    HexBytes(Case),
    /// Sixteen bytes as the text of a UUID: 36 characters in lower case.
    Uuid,
    /// A date or a time in UTC.
    Date(Pattern),
}

/// The case of hex digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Case {
    /// `0123456789abcdef`
    Lower,
    /// `0123456789ABCDEF`
    Upper,
}

/// The place where a field of a text key ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum End {
    /// After its width.
    Width,
    /// Before a delimiter.
    Before(Delimiter),
    /// At the end of the key.
    Key,
    /// This many bytes before the end of the key: those of the fields after it.
    Rest(u16),
    /// Before a delimiter that belongs to the [optional](TextField::optional) field after it, or at the end of the key.
    Until(Delimiter),
}

/// A field of a text key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TextField {
    form: Form,
    /// The number of characters, if all values have as many.
    width: Option<u16>,
    end: End,
    /// The delimiter before it, with which it may be left out.
    after: Option<Delimiter>,
}

/// The most digits of a number: those of 2¹²⁸.
const MOST_DIGITS: u16 = 39;
const MOST_HEX_DIGITS: u16 = 32;

const NO_PARAMETERS: &str = "in the brackets are the form's own parameter, the width, and a delimiter of 1 to 8 bytes \
                             or `end`: `text['#']`, `dec[10]`, `hex[8 upper]`, `minus[99 2]`, `uuid[text]`, \
                             `date['yyyyMMdd']`, `text[end]`, `text[until '#']`, `text[end after '#']`";

impl TextField {
    /// A field of this form, which ends here. `width` is the number of its bytes if all values have the same; forms
    /// that have a width of their own, as dates, need none.
    ///
    /// # Errors
    /// If keys of such a field could not be read back: the reason.
    ///
    /// ```
    /// use rowkey::foreign::{Delimiter, End, Form, TextField};
    ///
    /// let hash = End::Before(Delimiter::of_char('#'));
    /// assert_eq!(TextField::new(Form::Decimal, Some(10), hash)?.to_string(), "dec[10 '#']");
    /// let error = TextField::new(Form::Decimal, None, End::Width).unwrap_err();
    /// assert_eq!(error, "without a width it ends before a delimiter, or with the key");
    /// # Ok::<(), &'static str>(())
    /// ```
    pub const fn new(form: Form, width: Option<u16>, end: End) -> Result<Self, &'static str> {
        let own = match form {
            Form::Uuid => Some(36),
            Form::Date(pattern) => Some(pattern.width() as u16),
            _ => None,
        };
        let width = match (own, width) {
            (Some(own), Some(width)) if own != width => return Err("this form has a width of its own"),
            (Some(own), _) => Some(own),
            (None, width) => width,
        };
        let field = Self { form, width, end, after: None };
        match field.wrong() {
            Some(reason) => Err(reason),
            None => Ok(field),
        }
    }

    /// The same at the end of a key, where it may be missing: nothing, or a delimiter and a value. Its values are
    /// options.
    ///
    /// # Errors
    /// If it does not end by its width or with the key: the reason.
    ///
    /// ```
    /// use rowkey::foreign::{Delimiter, End, Form, TextField};
    /// use rowkey::{LayoutBuf, Value};
    ///
    /// let year = TextField::new(Form::Decimal, Some(4), End::Width)?;
    /// assert_eq!(year.optional(Delimiter::of_char('#'))?.to_string(), "dec[4 after '#']");
    ///
    /// let layout: LayoutBuf = "text[until '#'], dec[4 after '#']".parse().unwrap();
    /// let read = |key: &str| layout.decode(key.as_bytes()).unwrap().pop().unwrap();
    /// assert_eq!(read("ada#1815"), Value::Option(Some(Value::Unsigned(1815).into())));
    /// assert_eq!(read("ada"), Value::Option(None));
    /// # Ok::<(), &'static str>(())
    /// ```
    pub const fn optional(self, after: Delimiter) -> Result<Self, &'static str> {
        match self.end {
            End::Width | End::Key => Ok(Self { after: Some(after), ..self }),
            _ => Err("an optional field ends by its width or with the key"),
        }
    }

    const fn wrong(&self) -> Option<&'static str> {
        let most = match self.form {
            Form::Decimal | Form::Minus(_) => MOST_DIGITS,
            Form::Hex(_) => MOST_HEX_DIGITS,
            _ => u16::MAX,
        };
        match (self.form, self.width, self.end) {
            (_, Some(0), _) => Some("a width is at least 1"),
            (_, Some(width), _) if width > most => Some("a number has at most 39 digits, or 32 in hex"),
            (_, None, End::Width) => Some("without a width it ends before a delimiter, or with the key"),
            (_, Some(_), End::Key | End::Rest(_) | End::Until(_)) => Some("with a width it ends by itself"),
            (_, _, End::Rest(0)) => Some("it ends with the key if no bytes are after it"),
            (Form::Signed, Some(_), _) => Some("a number with a sign has no width"),
            (Form::HexBytes(_), Some(width), _) if width % 2 == 1 => Some("a byte has two hex digits"),
            (Form::Minus(max), Some(width), _) if digits_of(max) > width => {
                Some("the number that others are taken from has more digits")
            }
            (form, None, End::Before(delimiter) | End::Until(delimiter)) if form.can_hold(delimiter) => {
                Some("its values can hold the delimiter")
            }
            _ => None,
        }
    }

    /// The content.
    pub const fn form(&self) -> Form {
        self.form
    }

    /// The place where it ends.
    pub const fn end(&self) -> End {
        self.end
    }

    /// The delimiter before it, if it is [optional](Self::optional).
    pub const fn after(&self) -> Option<Delimiter> {
        self.after
    }

    /// The field of the values that are there, of an [optional](Self::optional) one.
    pub const fn present(self) -> Self {
        Self { after: None, ..self }
    }

    /// The number of bytes of a value with its delimiter, if all values have the same.
    pub const fn width(&self) -> Option<usize> {
        match (self.width, self.end) {
            _ if self.after.is_some() => None,
            (Some(width), End::Before(delimiter)) => Some(width as usize + delimiter.len()),
            (Some(width), _) => Some(width as usize),
            (None, _) => None,
        }
    }

    /// The order of the bytes.
    pub const fn order(&self) -> Order {
        if self.after.is_some() {
            // The key without it comes first.
            return self.present().order().and(Order::Ascending);
        }
        match (self.form, self.width, self.end) {
            (Form::Reversed | Form::Signed, ..) => Order::None,
            (Form::Date(pattern), ..) if pattern.is_ordered() => Order::Ascending,
            (Form::Date(_), ..) => Order::None,
            (Form::Minus(_), Some(_), _) => Order::Descending,
            (_, Some(_), _) => Order::Ascending,
            // The shorter of two texts comes first if what follows it is less than all other bytes.
            (Form::Text | Form::HexBytes(_), None, End::Key) => Order::Ascending,
            (Form::Text, None, End::Before(delimiter)) if delimiter.len() == 1 && delimiter.as_bytes()[0] == 0 => {
                Order::Ascending
            }
            (Form::HexBytes(_), None, End::Before(delimiter)) if delimiter.as_bytes()[0] < b'0' => Order::Ascending,
            _ => Order::None,
        }
    }

    /// Writes a value with its delimiter.
    ///
    /// # Errors
    /// If it would not be read back: the reason, which is empty if it is of another type.
    pub(super) fn encode(&self, value: &Value, w: &mut Writer<'_, impl Sink>) -> Result<(), &'static str> {
        match (self.after, value) {
            (None, value) => w.bytes(&self.content(value)?),
            (Some(_), Value::Option(None)) => {}
            (Some(after), Value::Option(Some(value))) => {
                let content = self.content(value)?;
                w.bytes(after.as_bytes());
                w.bytes(&content);
            }
            _ => return Err(""),
        }
        if let End::Before(delimiter) = self.end {
            w.bytes(delimiter.as_bytes());
        }
        Ok(())
    }

    pub(super) fn decode(&self, r: &mut Reader<'_>) -> Result<Value, DecodeError> {
        let delimiter = |r: &mut Reader<'_>, delimiter: Delimiter, due| match (r.offset(), r.bytes(delimiter.len())?) {
            (_, found) if *found == *delimiter.as_bytes() => Ok(()),
            (at, found) => Err(r.bad_value(at, String::from_utf8_lossy(&found), due)),
        };
        if let Some(after) = self.after {
            if r.is_at_end() {
                return Ok(Value::Option(None));
            }
            delimiter(r, after, "the field's delimiter is before it, or the key ends")?;
            return Ok(Value::Option(Some(Box::new(self.present().decode(r)?))));
        }
        let at = r.offset();
        let content = match (self.end, self.width) {
            (End::Before(delimiter), None) => r.until(delimiter.as_bytes())?,
            (End::Until(delimiter), _) => r.up_to(delimiter.as_bytes()),
            (End::Rest(after), _) => match r.left().checked_sub(after.into()) {
                Some(len) => r.bytes(len)?,
                // It ends too early: an error.
                None => r.bytes(after.into())?,
            },
            (_, Some(width)) => r.bytes(width.into())?,
            _ => r.remainder(),
        };
        if let (End::Before(after), Some(_)) = (self.end, self.width) {
            delimiter(r, after, "the delimiter comes after the field's width")?;
        }
        self.value(&content).map_err(|due| r.bad_value(at, String::from_utf8_lossy(&content), due))
    }

    /// The bytes of a value, without a delimiter.
    ///
    /// # Errors
    /// If there are none that would be read back as the value: the reason.
    pub(crate) fn content(&self, value: &Value) -> Result<Vec<u8>, &'static str> {
        let width = self.width.map_or(0, usize::from);
        let content = match (self.form, value) {
            (Form::Text, Value::Text(text)) => text.clone(),
            (Form::Reversed, Value::Text(text)) => text.chars().rev().collect(),
            (Form::Decimal, Value::Unsigned(number)) => format!("{number:0width$}"),
            (Form::Signed, Value::Signed(number)) => number.to_string(),
            (Form::Minus(max), Value::Unsigned(number)) => {
                let left = max.checked_sub(*number).ok_or("it is more than the number that it is taken from")?;
                format!("{left:0width$}")
            }
            (Form::Hex(Case::Lower), Value::Unsigned(number)) => format!("{number:0width$x}"),
            (Form::Hex(Case::Upper), Value::Unsigned(number)) => format!("{number:0width$X}"),
            (Form::HexBytes(case), Value::Bytes(bytes)) => hex(bytes, case),
            (Form::Uuid, Value::Bytes(bytes)) => uuid(bytes).ok_or("a UUID has 16 bytes")?,
            (Form::Date(pattern), Value::Instant(seconds, nanos)) => {
                pattern.text(*seconds, *nanos).ok_or("the pattern has no text for this instant")?
            }
            _ => return Err(""),
        };
        let content = content.into_bytes();
        match (self.width, self.end) {
            (Some(width), _) if content.len() != usize::from(width) => Err("it does not have the width of the field"),
            (None, End::Before(delimiter) | End::Until(delimiter)) if !delimiter.ends(&content) => {
                Err("it holds the delimiter, and would not be read back")
            }
            _ => Ok(content),
        }
    }

    /// The value of bytes without their delimiter.
    ///
    /// # Errors
    /// If they are not those of a value: what a value is.
    pub(super) fn value(&self, content: &[u8]) -> Result<Value, &'static str> {
        if self.width.is_some_and(|width| usize::from(width) != content.len()) {
            return Err("the delimiter is not after the field's width");
        }
        if matches!(self.end, End::Until(delimiter) if !delimiter.ends(content)) {
            return Err("it does not end with the beginning of the delimiter");
        }
        let number = |due: &'static str| decimal(content, self.width.is_some()).ok_or(due);
        Ok(match self.form {
            Form::Text => Value::Text(text(content)?.to_owned()),
            Form::Reversed => Value::Text(text(content)?.chars().rev().collect()),
            Form::Decimal => Value::Unsigned(number("it is a number in decimal, in its one form")?),
            Form::Signed => Value::Signed(signed(content).ok_or("it is a number in decimal, in its one form")?),
            Form::Minus(max) => {
                let left = number("it is a number in decimal, in its one form")?;
                Value::Unsigned(max.checked_sub(left).ok_or("it is at most the number that others are taken from")?)
            }
            Form::Hex(case) => {
                let number = hex_number(content, case, self.width.is_some());
                Value::Unsigned(number.ok_or("it is a number in hex, in its one form")?)
            }
            Form::HexBytes(case) => Value::Bytes(unhex(content, case).ok_or("it is bytes in hex, of one case")?),
            Form::Uuid => Value::Bytes(unuuid(content).ok_or("a UUID is 8-4-4-4-12 hex digits in lower case")?),
            Form::Date(pattern) => {
                let (seconds, nanos) = pattern.instant(content).ok_or("it is a date of the field's pattern")?;
                Value::Instant(seconds, nanos)
            }
        })
    }

    /// The bytes of all text with this prefix; `None` if no text has it, or bytes can't select it.
    pub(super) fn starting(&self, start: &str) -> Option<Beginning> {
        let is_told = match (self.form, self.width, self.end) {
            (Form::Text, Some(width), _) => start.len() <= width.into(),
            (Form::Text, None, End::Before(delimiter) | End::Until(delimiter)) => {
                return delimiter.starting(start.as_bytes());
            }
            (Form::Text, None, End::Key) => true,
            _ => false,
        };
        let delimiter = self.after.iter().flat_map(Delimiter::as_bytes).copied();
        is_told.then(|| Beginning::With(delimiter.chain(start.bytes()).collect()))
    }

    /// Reads a field as [`Display`](fmt::Display) writes it; `None` if it begins with no form.
    ///
    /// # Errors
    /// If its parameters are wrong: the reason.
    pub(super) fn read(shape: &str) -> Option<Result<Self, &'static str>> {
        let (word, rest) = shape.strip_suffix(']')?.split_once('[')?;
        let form = match word {
            "text" => Form::Text,
            "reversed" => Form::Reversed,
            "dec" => Form::Decimal,
            "int" => Form::Signed,
            "minus" => Form::Minus(0),
            "hex" => Form::Hex(Case::Lower),
            "hexbytes" => Form::HexBytes(Case::Lower),
            "uuid" => Form::Uuid,
            "date" => {
                let pattern = quoted(rest).ok_or(NO_PARAMETERS).and_then(|(pattern, after)| {
                    Ok((Form::Date(Pattern::new(&pattern)?), after.strip_prefix(' ').unwrap_or(after)))
                });
                return Some(pattern.and_then(|(form, rest)| Self::with_parameters(form, rest, shape)));
            }
            _ => return None,
        };
        Some(Self::with_parameters(form, rest, shape))
    }

    fn with_parameters(mut form: Form, mut rest: &str, shape: &str) -> Result<Self, &'static str> {
        let (mut width, mut end) = (None, End::Width);
        if let (Form::Minus(_), Some((max, after))) = (form, rest.split_once(' ')) {
            form = Form::Minus(max.parse().map_err(|_| NO_PARAMETERS)?);
            rest = after;
        }
        let mut optional = None;
        while !rest.is_empty() {
            let (word, of) = match rest.split_once(' ') {
                Some((word @ ("until" | "after"), of)) => (word, of),
                _ => ("", rest),
            };
            if let Some((delimiter, after)) = Delimiter::read(of) {
                rest = after;
                match word {
                    "until" => end = End::Until(delimiter),
                    "after" => optional = Some(delimiter),
                    _ => end = End::Before(delimiter),
                }
                continue;
            }
            let (token, after) = rest.split_once(' ').unwrap_or((rest, ""));
            rest = after;
            match (token, form) {
                ("end", _) => end = End::Key,
                ("text", Form::Uuid) => {}
                ("upper", Form::Hex(_)) => form = Form::Hex(Case::Upper),
                ("upper", Form::HexBytes(_)) => form = Form::HexBytes(Case::Upper),
                _ => match (token.strip_prefix("rest-"), token.parse()) {
                    (Some(bytes), _) => end = End::Rest(bytes.parse().map_err(|_| NO_PARAMETERS)?),
                    (None, Ok(digits)) => width = Some(digits),
                    (None, Err(_)) => return Err(NO_PARAMETERS),
                },
            }
        }
        let field = Self::new(form, width, end)?;
        let field = optional.map_or(Ok(field), |after| field.optional(after))?;
        if field.to_string() == shape { Ok(field) } else { Err(NO_PARAMETERS) }
    }
}

/// As in `dec[10 '#']`: the form, its parameters, the width, the end.
impl fmt::Display for TextField {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let case = |case| if case == Case::Upper { Some("upper".to_owned()) } else { None };
        let (word, of_form) = match self.form {
            Form::Text => ("text", None),
            Form::Reversed => ("reversed", None),
            Form::Decimal => ("dec", None),
            Form::Signed => ("int", None),
            Form::Minus(max) => ("minus", Some(max.to_string())),
            Form::Hex(of) => ("hex", case(of)),
            Form::HexBytes(of) => ("hexbytes", case(of)),
            Form::Uuid => ("uuid", Some("text".to_owned())),
            Form::Date(pattern) => ("date", Some(format!("'{}'", pattern.as_str().replace('\'', "''")))),
        };
        let has_own = matches!(self.form, Form::Uuid | Form::Date(_));
        let width = self.width.filter(|_| !has_own).map(|width| width.to_string());
        let end = match self.end {
            End::Width => None,
            End::Before(delimiter) => Some(delimiter.to_string()),
            End::Key => Some("end".to_owned()),
            End::Rest(after) => Some(format!("rest-{after}")),
            End::Until(delimiter) => Some(format!("until {delimiter}")),
        };
        let after = self.after.map(|after| format!("after {after}"));
        // The case of hex digits comes after their number.
        let parameters = match self.form {
            Form::Hex(_) | Form::HexBytes(_) => [width, of_form, end, after],
            _ => [of_form, width, end, after],
        };
        let parameters: Vec<String> = parameters.into_iter().flatten().collect();
        write!(f, "{word}[{}]", parameters.join(" "))
    }
}

impl Form {
    /// Returns whether a delimiter can be in a value, or can be taken for a part of one: then a value would not be read
    /// back. Of text that is looked at value by value.
    const fn can_hold(self, delimiter: Delimiter) -> bool {
        let bytes: &[u8] = match self {
            Self::Text | Self::Reversed | Self::Uuid | Self::Date(_) => b"",
            Self::Decimal | Self::Minus(_) => b"0123456789",
            Self::Signed => b"-0123456789",
            Self::Hex(case) | Self::HexBytes(case) => digits(case),
        };
        let mut i = 0;
        while i < bytes.len() {
            let mut j = 0;
            while j < delimiter.len() {
                if delimiter.as_bytes()[j] == bytes[i] {
                    return true;
                }
                j += 1;
            }
            i += 1;
        }
        false
    }
}

/// A text in single quotes, in which a quote is doubled, and what comes after it.
fn quoted(text: &str) -> Option<(String, &str)> {
    let mut rest = text.strip_prefix('\'')?;
    let mut found = String::new();
    loop {
        let (part, after) = rest.split_once('\'')?;
        found += part;
        match after.strip_prefix('\'') {
            Some(more) => (found, rest) = (found + "'", more),
            None => return Some((found, after)),
        }
    }
}

fn text(content: &[u8]) -> Result<&str, &'static str> {
    str::from_utf8(content).map_err(|_| "it is text in UTF-8")
}

const fn digits(case: Case) -> &'static [u8; 16] {
    match case {
        Case::Lower => b"0123456789abcdef",
        Case::Upper => b"0123456789ABCDEF",
    }
}

pub(crate) const fn digits_of(number: u128) -> u16 {
    match number.checked_ilog10() {
        Some(log) => log as u16 + 1,
        None => 1,
    }
}

fn decimal(content: &[u8], is_padded: bool) -> Option<u128> {
    let is_one_form = is_padded || content == b"0" || content.first() != Some(&b'0');
    let digits = str::from_utf8(content).ok().filter(|_| is_one_form && content.iter().all(u8::is_ascii_digit))?;
    digits.parse().ok()
}

fn signed(content: &[u8]) -> Option<i128> {
    let text = str::from_utf8(content).ok()?;
    text.parse().ok().filter(|number: &i128| number.to_string() == text)
}

fn nibble(digit: u8, case: Case) -> Option<u8> {
    digits(case).iter().position(|of| *of == digit).map(|at| at as u8)
}

pub(crate) fn hex_number(content: &[u8], case: Case, is_padded: bool) -> Option<u128> {
    if content.is_empty() || (!is_padded && content.len() > 1 && content[0] == b'0') || content.len() > 32 {
        return None;
    }
    content.iter().try_fold(0, |number, digit| Some(number << 4 | u128::from(nibble(*digit, case)?)))
}

pub(super) fn hex(bytes: &[u8], case: Case) -> String {
    let of = digits(case);
    bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]).map(|nibble| char::from(of[usize::from(nibble)])).collect()
}

fn unhex(content: &[u8], case: Case) -> Option<Vec<u8>> {
    let pairs = content.chunks_exact(2);
    let whole = pairs.remainder().is_empty();
    pairs
        .map(|pair| Some(nibble(pair[0], case)? << 4 | nibble(pair[1], case)?))
        .collect::<Option<_>>()
        .filter(|_| whole)
}

/// The places of the hyphens in the text of a UUID.
const HYPHENS: [usize; 4] = [8, 13, 18, 23];

fn uuid(bytes: &[u8]) -> Option<String> {
    let mut text = hex(bytes, Case::Lower);
    (text.len() == 32).then(|| HYPHENS.iter().for_each(|at| text.insert(*at, '-')))?;
    Some(text)
}

fn unuuid(content: &[u8]) -> Option<Vec<u8>> {
    let hyphens = HYPHENS.iter().all(|at| content.get(*at) == Some(&b'-'));
    let digits: Vec<u8> = content.iter().copied().filter(|byte| *byte != b'-').collect();
    (hyphens && content.len() == 36 && digits.len() == 32).then(|| unhex(&digits, Case::Lower))?
}
