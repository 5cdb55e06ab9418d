//! Fields of characters: decimals, hex, dates, UUIDs, text.

use rowkey::Value;
use rowkey::foreign::Delimiter;

use super::span::{FIELD, Model, Span};
use super::times::{PATTERNS, UNITS};
use super::{bits, characters, delimiters, times};

/// The place where a field ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    Width,
    Before(Delimiter),
    Key,
}

/// The byte that ends text of rowkey's own.
pub(super) const ZERO: Delimiter = Delimiter::of_char('\0');

/// The bits of each value that has a delimiter in it as often as all others have: it would end a field.
fn within(delimiter: u8) -> f64 {
    match delimiter {
        b'#' | b'|' | b'\t' | 0 | 0x1f => 4.0,
        b':' | b';' | b',' | b'~' | b'!' => 3.0,
        b'/' | b'_' => 1.5,
        b'-' => 1.0,
        _ => 0.0,
    }
}

impl End {
    fn bits(self) -> f64 {
        match self {
            Self::Before(delimiter) => delimiters::bits(delimiter),
            Self::Width => 4.0,
            Self::Key => 0.0,
        }
    }

    /// The parameters of a shape: what comes first, the width if it is fixed, the delimiter.
    fn shape(self, word: &str, first: Option<&str>, width: Option<usize>, last: Option<&str>) -> String {
        let width_text = width.map(|width| width.to_string());
        let end = match self {
            Self::Before(delimiter) => Some(delimiter.to_string()),
            Self::Key if width.is_none() && word != "date" && word != "uuid" => Some("end".to_owned()),
            _ => None,
        };
        let parts: Vec<&str> = [first, width_text.as_deref(), last, end.as_deref()].into_iter().flatten().collect();
        format!("{word}[{}]", parts.join(" "))
    }
}

pub(super) fn is_printable(byte: u8) -> bool {
    (b' '..=b'~').contains(&byte)
}

/// Models of the characters of a field that ends so, with the delimiter left out.
pub(super) fn models(span: &Span<'_>, end: End) -> Vec<Model> {
    let base = FIELD + span.repeats + end.bits();
    let mut models = Vec::new();
    let longest = span.values.iter().map(|value| value.len()).max().unwrap_or(0);
    if span.values.iter().all(|value| !value.is_empty()) && longest <= 64 && span.all(is_printable) {
        if longest <= 39 && span.all(|byte| byte.is_ascii_digit()) {
            decimals(span, end, base, &mut models);
        }
        signed(span, end, base, &mut models);
        hex(span, end, base, &mut models);
        if let Some(width @ 6..=30) = span.width {
            dates(span, end, base, width, &mut models);
        }
        if span.width == Some(36) && span.values.iter().all(|value| value[8] == b'-' && value[13] == b'-') {
            let shape = end.shape("uuid", None, None, Some("text"));
            if span.decoded("uuid[text]").is_some() {
                models.extend(uuids(span, base - 6.0).map(|model| Model { shape: shape.clone(), ..model }));
            }
        }
    }
    text(span, end, base, &mut models);
    models
}

/// Models of UUIDs as text, by their version: of all bits, of those that are random, of a time and random ones.
fn uuids<'s>(span: &'s Span<'_>, base: f64) -> impl Iterator<Item = Model> + 's {
    let count = span.values.len() as f64;
    let all = |version: u8| span.values.iter().all(|value| value[14] == version);
    let millis = |value: &&[u8]| {
        let digits = [&value[..8], &value[9..13]].concat();
        u128::from_str_radix(std::str::from_utf8(&digits).ok()?, 16).ok()
    };
    let millis = all(b'7').then(|| span.values.iter().map(millis).collect::<Option<Vec<_>>>()).flatten();
    let by_time = millis.and_then(|millis| times::bits(&millis, UNITS[1]));
    let any = Model::new(String::new(), base + 124.0 * count);
    let random = all(b'4').then(|| Model::new(String::new(), base + 121.0 * count).meaning("uuid4"));
    let by_time = by_time.map(|bits| Model::new(String::new(), base + bits + 73.0 * count).meaning("uuid7"));
    match (random, by_time) {
        (None, None) => [Some(any), None],
        (random, by_time) => [random, by_time],
    }
    .into_iter()
    .flatten()
}

fn decimals(span: &Span<'_>, end: End, base: f64, models: &mut Vec<Model>) {
    let has_zeros = span.values.iter().any(|value| value.len() > 1 && value[0] == b'0');
    // Of one digit: it has no width, but happens to have it.
    let width = span.width.filter(|width| has_zeros || end == End::Width || *width > 1);
    if width.is_none() && (has_zeros || end == End::Width) {
        return;
    }
    let numbers: Option<Vec<u128>> =
        span.values.iter().map(|value| std::str::from_utf8(value).ok()?.parse().ok()).collect();
    let Some(numbers) = numbers else { return };
    let unpadded = if has_zeros { 0.0 } else { 1.0 };
    let shape = end.shape("dec", None, width, None);
    let alone = base - span.repeats;
    models.push(Model::new(shape.clone(), alone + unpadded + span.bits_of_numbers(&numbers)));
    for unit in UNITS {
        if let Some(bits) = span.least(&numbers, |numbers| times::bits(numbers, unit)) {
            models.push(Model::new(shape.clone(), alone + 2.0 + bits).meaning(unit.word));
        }
    }
    let Some(width @ 4..) = width else { return };
    let nines = 10_u128.checked_pow(width as u32).map_or(u128::MAX, |power| power - 1);
    let greatest = [nines, i64::MAX as u128, u64::MAX.into()];
    let greatest = greatest.into_iter().filter(|max| max.to_string().len() == width);
    for max in greatest {
        let Some(left) = numbers.iter().map(|number| max.checked_sub(*number)).collect::<Option<Vec<u128>>>() else {
            continue;
        };
        let shape = end.shape("minus", Some(&max.to_string()), Some(width), None);
        models.push(Model::new(shape.clone(), alone + 8.0 + span.bits_of_numbers(&left)));
        for unit in UNITS {
            if let Some(bits) = span.least(&left, |numbers| times::bits(numbers, unit)) {
                models.push(Model::new(shape.clone(), alone + 4.0 + bits).meaning(unit.word));
            }
        }
    }
}

fn signed(span: &Span<'_>, end: End, base: f64, models: &mut Vec<Model>) {
    let is_dash = matches!(end, End::Before(delimiter) if delimiter.as_bytes().starts_with(b"-"));
    if end == End::Width || is_dash || !span.values.iter().any(|value| value[0] == b'-') {
        return;
    }
    let number = |value: &&[u8]| -> Option<u128> {
        let text = std::str::from_utf8(value).ok()?;
        let number: i64 = text.parse().ok().filter(|number: &i64| number.to_string() == text)?;
        Some(u128::from(number.unsigned_abs()) * 2)
    };
    if let Some(numbers) = span.values.iter().map(number).collect::<Option<Vec<u128>>>() {
        let shape = end.shape("int", None, None, None);
        models.push(Model::new(shape, base + 2.0 + bits::of_numbers(&numbers)));
    }
}

fn hex(span: &Span<'_>, end: End, base: f64, models: &mut Vec<Model>) {
    let lower = span.all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    let upper = !lower && span.all(|byte| matches!(byte, b'0'..=b'9' | b'A'..=b'F'));
    let letters = !span.all(|byte| byte.is_ascii_digit());
    if !(lower || upper) || !letters {
        return;
    }
    let case = upper.then_some("upper");
    let digits = 4.0 * span.len() as f64;
    let is_even = span.values.iter().all(|value| value.len().is_multiple_of(2));
    if is_even && span.width.is_some_and(|width| width >= 4) {
        models.push(Model::new(end.shape("hexbytes", None, span.width, case), base + 6.0 + digits));
    } else if is_even && span.width.is_none() && end != End::Width {
        models.push(Model::new(end.shape("hexbytes", None, None, case), base + 10.0 + digits * 1.1));
    }
    let numbers: Option<Vec<u128>> =
        span.values.iter().map(|value| u128::from_str_radix(std::str::from_utf8(value).ok()?, 16).ok()).collect();
    let has_zeros = span.values.iter().any(|value| value.len() > 1 && value[0] == b'0');
    if let Some(numbers) = numbers.filter(|_| span.width.is_some() || (!has_zeros && end != End::Width)) {
        let shape = end.shape("hex", None, span.width, case);
        models.push(Model::new(shape, base + 8.0 + bits::of_numbers(&numbers)));
    }
}

/// The bits that are taken off for a date whose parts could be fields of their own.
const IN_PARTS: f64 = 24.0;

fn dates(span: &Span<'_>, end: End, base: f64, width: usize, models: &mut Vec<Model>) {
    for (pattern, last) in PATTERNS {
        let quotes = pattern.matches('\'').count();
        if pattern.len() - quotes != width || !alike(pattern, span.values[0]) {
            continue;
        }
        let plain = format!("date['{pattern}']");
        let Some(values) = span.decoded(&plain) else { continue };
        let seconds = values.iter().map(|value| match value {
            Value::Instant(seconds, _) => u128::try_from(*seconds).ok(),
            _ => None,
        });
        let bits = seconds
            .collect::<Option<Vec<_>>>()
            .and_then(|seconds| span.least(&seconds, |seconds| times::bits_of_dates(seconds, last)));
        if let Some(bits) = bits {
            let fraction = if pattern.contains("SSS") { 10.0 * span.values.len() as f64 } else { 0.0 };
            let shape = end.shape("date", Some(&format!("'{pattern}'")), None, None);
            let whole = if pattern.contains(['-', '/', '.']) { IN_PARTS } else { 0.0 };
            models.push(Model::new(shape, base - span.repeats + bits + fraction - whole));
        }
    }
}

/// Returns whether a text has digits and other characters where the pattern has them.
fn alike(pattern: &str, text: &[u8]) -> bool {
    let mut is_quoted = false;
    let mut text = text.iter();
    pattern.replace("''", "\u{1}").bytes().all(|part| {
        if part == 1 {
            is_quoted = !is_quoted;
            return true;
        }
        let found = text.next().copied().unwrap_or_default();
        if part.is_ascii_alphabetic() && !is_quoted { found.is_ascii_digit() } else { found == part }
    })
}

fn text(span: &Span<'_>, end: End, base: f64, models: &mut Vec<Model>) {
    let Some(bits) = bits_of_text(span, end != End::Width) else { return };
    let shape = match end {
        End::Before(ZERO) => "text".to_owned(),
        End::Key => "text raw".to_owned(),
        _ => end.shape("text", None, span.width.filter(|_| end == End::Width), None),
    };
    models.push(Model::new(shape, base - span.repeats + bits));
}

/// The bits of values as text, with those of which key has which; none if one of them is no text, or not printable.
pub(super) fn bits_of_text(span: &Span<'_>, has_end: bool) -> Option<f64> {
    let is_text = |value: &[u8]| std::str::from_utf8(value).is_ok_and(|text| !text.chars().any(char::is_control));
    if !span.values.iter().all(|value| is_text(value)) {
        return None;
    }
    let mut bits = span.repeats + characters::bits(span.values.iter().copied(), has_end);
    for delimiter in delimiters::single() {
        if within(delimiter) > 0.0 && separates(delimiter, &span.values) {
            bits += within(delimiter) * span.values.len() as f64;
        }
    }
    Some(numbered(span).map_or(bits, |numbered| bits.min(numbered)))
}

/// Returns whether a delimiter is in all texts, as often in each, and not after the same beginning.
fn separates(delimiter: u8, texts: &[&[u8]]) -> bool {
    let count = |text: &[u8]| memchr::memchr_iter(delimiter, text).count();
    let before = |text: &[u8]| text.iter().take_while(|byte| **byte != delimiter).copied().collect::<Vec<u8>>();
    let Some(first) = texts.first() else { return false };
    let (count_of_first, before_first) = (count(first), before(first));
    count_of_first > 0
        && texts.iter().all(|text| count(text) == count_of_first)
        && texts.iter().any(|text| before(text) != before_first)
}

/// The bits of names that are one word and a number, as `user17`.
fn numbered(span: &Span<'_>) -> Option<f64> {
    let first = span.values.first()?;
    let word = first.iter().rposition(|byte| !byte.is_ascii_digit())? + 1;
    let numbers = span.values.iter().map(|value| {
        let digits = std::str::from_utf8(value.strip_prefix(&first[..word])?).ok()?;
        digits.parse::<u64>().ok().filter(|number| number.to_string() == digits).map(u128::from)
    });
    let numbers: Vec<u128> = numbers.collect::<Option<_>>()?;
    Some(8.0 + 5.0 * word as f64 + span.bits_of_numbers(&numbers))
}
