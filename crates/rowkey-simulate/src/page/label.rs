//! Labels: row keys, and where regions begin, as people read them.

use rowkey::{LayoutBuf, Value};
use rowkey_design::internal::explain::{Boundary, Times};
use rowkey_design::internal::quote::terminal;

/// The most characters of a value, of a label among others, and of one alone.
const VALUE: usize = 24;
const LABEL: usize = 48;
const ALONE: usize = 96;
/// The most characters of a name.
const NAME: usize = 80;

/// The label of each key: fields up to the first that tells it from its neighbours, times as dates just as fine as
/// that takes, a salt's bucket first. Bytes that do not decode are in hex. Each is at most 50 characters of one line,
/// none of which a terminal would not show.
///
/// The keys are in their order, as starts of regions are; they may be beginnings of keys, as split points are.
///
/// ```
/// use rowkey_design::internal::explain::Times;
/// use rowkey_simulate::page::labels;
///
/// let layout: rowkey::LayoutBuf = "text, instant".parse()?;
/// let key = |name: &str, seconds| layout.encode(&[rowkey::Value::Text(name.into()), rowkey::Value::Instant(seconds, 0)]);
/// let keys = [key("000007", 1_306_900_000)?, key("000007", 1_309_500_000)?, key("000008", 1_306_900_000)?];
/// let labels = labels(&keys, &layout, &Times::default());
/// assert_eq!(labels, ["_0 000007, 2011-06", "_0 000007, 2011-07", "_0 000008"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn labels<K: AsRef<[u8]>>(keys: &[K], layout: &LayoutBuf, times: &Times<'_>) -> Vec<String> {
    let parts: Vec<Vec<Part>> = keys.iter().map(|key| parts(key.as_ref(), layout, times)).collect();
    let label = |(i, own): (usize, &Vec<Part>)| {
        let neighbours = [i.checked_sub(1), Some(i + 1)].into_iter().flatten().filter_map(|at| parts.get(at));
        joined(own, &neighbours.map(Vec::as_slice).collect::<Vec<_>>(), LABEL)
    };
    parts.iter().enumerate().map(label).collect()
}

/// The label of one key, with all of its fields: at most 98 characters of one line.
pub fn label(key: &[u8], layout: &LayoutBuf, times: &Times<'_>) -> String {
    joined(&parts(key, layout, times), &[], ALONE)
}

/// A name of any length, as a label.
pub(super) fn short(name: &str) -> String {
    let name: String = name.chars().take(NAME + 1).collect();
    let shown = terminal(&name);
    match shown.char_indices().nth(NAME) {
        Some((end, _)) => format!("{}…", &shown[..end]),
        None => shown,
    }
}

/// A field, or bytes that are none, of a key.
#[derive(PartialEq)]
struct Part {
    field: String,
    value: String,
    /// True if the value is a date, as RFC 3339 writes it: its field needs no name.
    is_date: bool,
}

fn parts(key: &[u8], layout: &LayoutBuf, times: &Times<'_>) -> Vec<Part> {
    let told = Boundary::of(key, layout);
    let mut parts: Vec<Part> = Vec::new();
    for (field, value, _) in told.fields {
        // A list that has no byte is of a beginning of a key as well as of a key.
        if value == "no items" {
            continue;
        }
        // The byte that opens an option says nothing once its value follows.
        parts.pop_if(|last| last.field == field && last.value == "Some");
        let date = moment(&value).and_then(|value| times.date(&field, &value));
        let is_date = date.is_some();
        let field = if field == "salt" { "bucket".to_owned() } else { field };
        parts.push(Part { field, value: date.unwrap_or_else(|| unquoted(value)), is_date });
    }
    if !told.rest.is_empty() {
        let value = format!("0x{}", data_encoding::HEXLOWER.encode(&told.rest));
        parts.push(Part { field: String::new(), value, is_date: false });
    }
    parts
}

/// A number, or an instant, which explanations write as seconds since 1970.
fn moment(value: &str) -> Option<Value> {
    let Some((seconds, nanos)) = value.strip_suffix(" s since 1970").and_then(|value| value.split_once('.')) else {
        return value.parse().ok().map(Value::Signed);
    };
    let (sign, seconds) = seconds.strip_prefix('-').map_or((1, seconds), |seconds| (-1, seconds));
    let nanos = sign * (seconds.parse::<i128>().ok()? * 1_000_000_000 + nanos.parse::<i128>().ok()?);
    let seconds = i64::try_from(nanos.div_euclid(1_000_000_000)).ok()?;
    Some(Value::Instant(seconds, nanos.rem_euclid(1_000_000_000) as u32))
}

/// A text without its quotes, where it is one word.
fn unquoted(value: String) -> String {
    let inner = value.strip_prefix('"').and_then(|value| value.strip_suffix('"'));
    let word = |text: &&str| {
        !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || (c.is_ascii_graphic() && !",\"\\'".contains(c)))
    };
    match inner.filter(word) {
        Some(word) => word.to_owned(),
        None => value,
    }
}

fn joined(own: &[Part], neighbours: &[&[Part]], most: usize) -> String {
    // The first part by which it differs from each of them.
    let differing: Vec<usize> = neighbours
        .iter()
        .map(|other| own.iter().zip(*other).position(|(own, other)| own != other).unwrap_or(own.len().min(other.len())))
        .collect();
    let needed = differing.iter().max().map_or(own.len(), |last| (last + 1).min(own.len()));
    let mut label = String::new();
    for (i, part) in own[..needed].iter().enumerate() {
        let others = neighbours.iter().zip(&differing).filter(|(_, at)| **at == i && !neighbours.is_empty());
        let others: Vec<&str> = others.filter_map(|(other, _)| Some(other.get(i)?.value.as_str())).collect();
        let value = match part.is_date {
            true => date(&part.value, &others, i + 1 == needed && !others.is_empty()),
            false => cut(&terminal(&part.value), &others),
        };
        let comma = if i == 0 { "" } else { ", " };
        let field = if part.is_date || part.field.is_empty() { "" } else { &part.field };
        let space = if field.is_empty() { "" } else { " " };
        label += &format!("{comma}{}{space}{value}", cut(&terminal(field), &[]));
    }
    match label.char_indices().nth(most) {
        _ if own.is_empty() => "the first key".to_owned(),
        Some((end, _)) => format!("{} …", label[..end].trim_end()),
        None => label,
    }
}

/// A date without what its neighbours do not need, or, where more follows, without zeros at its end.
fn date(date: &str, others: &[&str], is_last: bool) -> String {
    // Up to the month, the day, the minute, the second.
    let finest = match is_last {
        true => {
            [7, 10, 16, 19].into_iter().find(|end| others.iter().all(|other| other.get(..*end) != date.get(..*end)))
        }
        false => [("T00:00:00Z", 10), (":00Z", 16), ("Z", 19)]
            .into_iter()
            .find(|(zeros, end)| date.ends_with(zeros) && date.len() == end + zeros.len())
            .map(|(_, end)| end),
    };
    let cut = finest.and_then(|end| date.get(..end)).unwrap_or(date.trim_end_matches('Z'));
    cut.replace('T', " ")
}

/// A value that is not too long, with the place at which it differs from others.
fn cut(value: &str, others: &[&str]) -> String {
    let characters: Vec<char> = value.chars().collect();
    if characters.len() <= VALUE {
        return value.to_owned();
    }
    let same = |other: &&str| characters.iter().zip(other.chars()).take_while(|(own, other)| **own == *other).count();
    let differs = others.iter().map(same).max().unwrap_or(0);
    let of = |characters: &[char]| characters.iter().collect::<String>();
    if differs + 4 < VALUE {
        return of(&characters[..VALUE]) + "…";
    }
    let from = differs.saturating_sub(4).min(characters.len() - VALUE / 2);
    let rest = &characters[from..];
    let end = if rest.len() > VALUE / 2 + 4 { "…" } else { "" };
    format!("{}…{}{end}", of(&characters[..6]), of(&rest[..rest.len().min(VALUE / 2 + 4)]))
}
