//! Sentences that say what speaks for a candidate, and what against it.

use std::collections::HashSet;

use rowkey::lead::{Lead, SaltFormat, SaltHash};
use rowkey::untyped::TypeBuf;
use rowkey::{LayoutBuf, Value};

use super::search::Path;
use super::times::UNITS;
use super::told_of_others;
use crate::forms::written;
use crate::quote::hbase_binary;

/// For the prefix, if there is one, and for each field.
pub(super) fn evidence(kept: &[Vec<u8>], layout: &LayoutBuf, path: &Path) -> Vec<String> {
    let rows: Vec<Vec<Value>> = kept.iter().filter_map(|key| layout.decode(key).ok()).collect();
    let mut told: Vec<String> = prefix(layout, rows.len()).into_iter().collect();
    let mut start = Some(layout.lead().width());
    for (i, model) in path.models.iter().enumerate() {
        let Some(field) = layout.fields().get(i) else { break };
        let width = if field.raw { None } else { field.ty.width() };
        let place = match (start, width) {
            (Some(start), Some(1)) => format!("byte {start}"),
            (Some(start), Some(width)) => format!("bytes {start}–{}", start + width - 1),
            (Some(start), None) => format!("from byte {start}"),
            (None, Some(1)) => format!("one byte after field {}", i),
            (None, Some(width)) => format!("{width} bytes after field {}", i),
            (None, None) => format!("after field {}", i),
        };
        let values: Vec<&Value> = rows.iter().filter_map(|row| row.get(i)).collect();
        let what = told_of_others::constant(&model.shape, values.len())
            .unwrap_or_else(|| values_as_text(&field.ty, &values, model.means, field.desc, &model.shape));
        told.push(format!("{}: {place}: {what}", field.name));
        let code = start.map_or_else(|| format!("the byte after field {i}"), |start| format!("byte {start}"));
        told.extend(told_of_others::type_codes(field, &values, &code));
        start = start.zip(width).map(|(start, width)| start + width);
    }
    told.extend(told_of_others::delimiters(kept, path));
    told
}

fn prefix(layout: &LayoutBuf, keys: usize) -> Option<String> {
    let of = match layout.by() {
        [] => "all fields".to_owned(),
        by => {
            let names = by.iter().filter_map(|field| layout.fields().get(*field)).map(|field| field.name.as_str());
            names.collect::<Vec<_>>().join(", ")
        }
    };
    let is_digits = matches!(layout.lead(), Lead::Salt(salt) if matches!(salt.format, SaltFormat::Foreign(_)));
    let tried: Vec<&str> = match is_digits {
        true => SaltHash::all().map(|hash| hash.name).collect(),
        false => SaltHash::KNOWN.iter().map(|hash| hash.name).collect(),
    };
    match layout.lead() {
        Lead::None => None,
        Lead::Salt(salt) => Some(format!(
            "the first {} of all {keys} keys are {} of {of} by {} buckets{}; tried: {}",
            bytes(layout.lead().width()),
            salt.hash.name,
            salt.buckets,
            match salt.format {
                SaltFormat::Hex => ", in hex",
                SaltFormat::Foreign(_) => ", in digits",
                _ => "",
            },
            tried.join(", "),
        )),
        Lead::Hash(prefix) => Some(format!(
            "the first {} of all {keys} keys begin the {} of {of}",
            bytes(layout.lead().width()),
            prefix.function().name()
        )),
        Lead::Digest(width) => {
            Some(format!("the first {} of all {keys} keys begin the MD5 of {of}", bytes(usize::from(*width))))
        }
    }
}

fn bytes(count: usize) -> String {
    if count == 1 { "byte".to_owned() } else { format!("{count} bytes") }
}

fn values_as_text(ty: &TypeBuf, values: &[&Value], means: Option<&str>, desc: bool, shape: &str) -> String {
    let different = values.iter().map(|value| value.to_string()).collect::<HashSet<_>>().len();
    let count = if different == values.len() { "all different".to_owned() } else { format!("{different} different") };
    let is_text = matches!(shape.split(['[', ' ']).next(), Some("dec" | "minus" | "hex" | "int"));
    let order = match (shape.starts_with("minus"), desc) {
        (true, _) => ", subtracted so that the latest is first",
        (_, true) => ", reversed",
        _ => "",
    };
    let form = match shape.split('[').next() {
        _ if is_text => "in digits",
        Some("fdb") => "a tuple's",
        Some("ordered") => "OrderedCode's",
        _ => "big-endian",
    };
    let numbers: Vec<i128> = values
        .iter()
        .filter_map(|value| match value {
            Value::Unsigned(number) => i128::try_from(*number).ok(),
            Value::Signed(number) => Some(*number),
            Value::Instant(seconds, _) => Some((*seconds).into()),
            _ => None,
        })
        .collect();
    let range = numbers.iter().min().zip(numbers.iter().max());
    let unit = UNITS.iter().find(|unit| Some(unit.word) == means);
    match (range, unit) {
        (Some((least, most)), Some(unit)) => {
            let date = |number: &i128| date(number.div_euclid(unit.per_second as i128));
            format!("{form} {} from {} to {}{order}, {count}", unit.word, date(least), date(most))
        }
        (Some((least, most)), None) if values.iter().all(|value| matches!(value, Value::Instant(..))) => {
            format!("dates from {} to {}{order}, {count}", date(*least), date(*most))
        }
        (Some((least, most)), None) => format!("{form} numbers from {least} to {most}{order}, {count}"),
        (None, _) => match means {
            Some(means) => format!("{means}, {count}"),
            None => format!("{ty}{order}, {count}{}", most_frequent(values)),
        },
    }
}

fn date(seconds: i128) -> String {
    let text = i64::try_from(seconds).ok().and_then(|seconds| written(seconds, 0));
    text.map_or_else(|| seconds.to_string(), |text| text.chars().take(10).collect())
}

/// The values that are there most often, if some are.
fn most_frequent(values: &[&Value]) -> String {
    let mut counts = std::collections::HashMap::<String, usize>::new();
    for value in values {
        *counts.entry(value.to_string()).or_default() += 1;
    }
    let most = counts.into_iter().filter(|(_, count)| *count > 1).max_by_key(|(value, count)| (*count, value.clone()));
    let short = |text: String| text.chars().take(40).collect::<String>();
    most.map_or(String::new(), |(value, count)| format!(", most often {} ({count} times)", short(value)))
}

/// Another candidate: its shape, and the bits between the two.
type Other = Option<(String, f64)>;

pub(super) fn against(
    kept: &[Vec<u8>],
    searched: &[&[u8]],
    layout: &LayoutBuf,
    path: &Path,
    share: f64,
    other: Other,
) -> Vec<String> {
    let mut told = Vec::new();
    if share < 1.0 {
        let fault = kept.iter().find_map(|key| Some((key, layout.decode(key).err()?)));
        let fault = fault.map_or(String::new(), |(key, error)| {
            format!(": the first is {}: {error}", hbase_binary(&key[..key.len().min(64)]))
        });
        told.push(format!("{:.2} % of the kept keys do not decode{fault}", (1.0 - share) * 100.0));
    }
    match other {
        Some((shape, bits)) if bits < 0.0 => {
            told.push(format!("`{shape}` describes the keys in {:.0} bits less", -bits))
        }
        Some((shape, bits)) if bits < 100.0 => {
            told.push(format!("`{shape}` describes the keys in only {bits:.0} bits more"));
        }
        _ => {}
    }
    if searched.len() < 100 {
        told.push(format!("{} different keys are few: give 100 or more", searched.len()));
    }
    told.extend(told_of_others::against(layout, path));
    if path.models.iter().any(|model| model.shape == "bytes raw") {
        told.push("nothing is known of its last bytes".to_owned());
    }
    let first = layout.fields().first().and_then(|field| field.ty.width());
    if matches!(layout.lead(), Lead::None) && matches!(first, Some(1 | 2)) {
        told.extend(unknown_salt(kept));
    }
    told
}

/// A first byte that is as even as a salt, where no known hash gives it.
fn unknown_salt(kept: &[Vec<u8>]) -> Option<String> {
    let mut counts = std::collections::BTreeMap::<u8, usize>::new();
    kept.iter().filter_map(|key| key.first()).for_each(|byte| *counts.entry(*byte).or_default() += 1);
    let mean = kept.len() as f64 / counts.len() as f64;
    let square: f64 = counts.values().map(|count| (*count as f64 - mean).powi(2) / mean).sum();
    let even = (2..=128).contains(&counts.len()) && mean >= 8.0 && square < 2.0 * counts.len() as f64;
    let tried: Vec<&str> = SaltHash::KNOWN.iter().map(|hash| hash.name).collect();
    even.then(|| {
        format!(
            "byte 0 is even over {} values, as a salt is; none of the known hashes gives it: {}",
            counts.len(),
            tried.join(", ")
        )
    })
}
