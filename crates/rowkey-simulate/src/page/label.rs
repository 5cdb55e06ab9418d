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
        joined(own, &neighbours.map(Vec::as_slice).collect::<Vec<_>>(), Shown::AsNeeded)
    };
    parts.iter().enumerate().map(label).collect()
}

/// The label of one key, with all of its fields: at most 98 characters of one line.
pub fn label(key: &[u8], layout: &LayoutBuf, times: &Times<'_>) -> String {
    joined(&parts(key, layout, times), &[], Shown::All)
}

/// The labels of the first key of a range, and of the key before which it ends: of all their fields, with the places at
/// which long values differ. Each is at most 98 characters of one line.
///
/// ```
/// use rowkey_design::internal::explain::Times;
/// use rowkey_simulate::page::labels_of_range;
///
/// let ends = ["example.org/a/long/path/alpha", "example.org/a/long/path/beta"].map(str::as_bytes);
/// let (start, end) = labels_of_range(ends[0], Some(ends[1]), &"text".parse()?, &Times::default());
/// assert_eq!((start.as_str(), end.as_deref()), ("_0 exampl…g/path/alpha", Some("_0 exampl…ng/path/beta")));
/// # Ok::<(), rowkey::LayoutError>(())
/// ```
pub fn labels_of_range(
    start: &[u8],
    end: Option<&[u8]>,
    layout: &LayoutBuf,
    times: &Times<'_>,
) -> (String, Option<String>) {
    let start = parts(start, layout, times);
    let Some(end) = end.map(|end| parts(end, layout, times)) else { return (joined(&start, &[], Shown::All), None) };
    (joined(&start, &[&end], Shown::All), Some(joined(&end, &[&start], Shown::All)))
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

/// The fields that a label shows: those that tell it from its neighbours, or all.
#[derive(Clone, Copy, PartialEq)]
enum Shown {
    AsNeeded,
    All,
}

impl Shown {
    /// The most characters of a label.
    const fn most(self) -> usize {
        match self {
            Self::AsNeeded => LABEL,
            Self::All => ALONE,
        }
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

impl Part {
    /// The field and its value, with what tells it from others; a date that is the last part as fine as that takes.
    fn told(&self, others: &[&str], is_last: bool) -> String {
        let value = match self.is_date {
            true => date(&self.value, others, is_last && !others.is_empty()),
            false => cut(&terminal(&self.value), others),
        };
        match self.is_date || self.field.is_empty() {
            true => value,
            false => format!("{} {value}", cut(&terminal(&self.field), &[])),
        }
    }
}

/// The parts of a key; none of an empty one, which is before all rows, whatever its layout makes of it.
fn parts(key: &[u8], layout: &LayoutBuf, times: &Times<'_>) -> Vec<Part> {
    if key.is_empty() {
        return Vec::new();
    }
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

/// A text without its quotes, where it is one word; an empty value with them.
fn unquoted(value: String) -> String {
    if value.is_empty() {
        return "\"\"".to_owned();
    }
    let inner = value.strip_prefix('"').and_then(|value| value.strip_suffix('"'));
    let word = |text: &&str| {
        !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || (c.is_ascii_graphic() && !",\"\\'".contains(c)))
    };
    match inner.filter(word) {
        Some(word) => word.to_owned(),
        None => value,
    }
}

fn joined(own: &[Part], neighbours: &[&[Part]], shown: Shown) -> String {
    if own.is_empty() {
        return "the first key".to_owned();
    }
    // The first part by which it differs from each of them.
    let differing: Vec<usize> = neighbours
        .iter()
        .map(|other| own.iter().zip(*other).position(|(own, other)| own != other).unwrap_or(own.len().min(other.len())))
        .collect();
    let last = differing.iter().max().filter(|_| shown == Shown::AsNeeded);
    let needed = last.map_or(own.len(), |last| (last + 1).min(own.len()));
    let told = |(i, part): (usize, &Part)| {
        let others = neighbours.iter().zip(&differing).filter(|(_, at)| **at == i);
        let others: Vec<&str> = others.filter_map(|(other, _)| Some(other.get(i)?.value.as_str())).collect();
        let is_last = i + 1 == needed && shown == Shown::AsNeeded;
        part.told(&others, is_last)
    };
    let told: Vec<String> = own[..needed].iter().enumerate().map(told).collect();
    let common = differing.into_iter().min().unwrap_or(0).min(needed.saturating_sub(1));
    fitted(&told, common, shown.most())
}

/// The label of parts, with at most `most` characters and two more. A longer one leaves out the first parts, which
/// its neighbours share (`common` of them).
fn fitted(parts: &[String], common: usize, most: usize) -> String {
    let all = parts.join(", ");
    let label = match common > 0 && all.chars().count() > most {
        true => format!("… {}", parts[common..].join(", ")),
        false => all,
    };
    match label.char_indices().nth(most) {
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
