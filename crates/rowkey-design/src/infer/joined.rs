//! Whole keys that another program's code joins: tuples of FoundationDB, and keys of OrderedCode. Their bytes say where
//! fields end, so that there is no search for it: the core splits the keys, and each field is judged by itself.

use rowkey::{LayoutBuf, Value};

use super::bits::Repeats;
use super::search::Path;
use super::span::{FIELD, Model, Span, best};
use super::textual::{bits_of_text, is_printable};
use super::times::UNITS;
use super::{binary, bits, constant, times};

/// An encoding of whole keys.
struct Family {
    /// The field that reads all others.
    any: &'static str,
    /// The fields that are tried.
    words: &'static [&'static str],
    /// The bytes between two fields.
    between: usize,
    /// The fewest fields: keys of fewer are better said without the family.
    least: usize,
}

const TUPLE: Family = Family {
    any: "fdb[any]",
    words: &[
        "fdb[text]",
        "fdb[int]",
        "fdb[bytes]",
        "fdb[uuid]",
        "fdb[bool]",
        "fdb[null]",
        "fdb[f32]",
        "fdb[f64]",
        "fdb[versionstamp]",
        "fdb[versionstamp80]",
        "fdb[any]",
    ],
    between: 0,
    least: 1,
};

const ORDERED_CODE: Family = Family {
    any: "ordered[bytes]",
    words: &[
        "ordered[text]",
        "ordered[i64]",
        "ordered[micros]",
        "ordered[be i64]",
        "ordered[be micros]",
        "ordered[bytes]",
    ],
    between: 2,
    least: 2,
};

/// The bits that say that keys are of a family.
const OF_FAMILY: f64 = 10.0;
/// Whole numbers below this are exact as floats.
const EXACT: f64 = 9_007_199_254_740_992.0;
/// The most fields that are tried.
const FIELDS: usize = 16;

/// Fields of whole keys. A tuple may have a constant before it, as the prefix of a directory.
pub(super) fn paths(keys: &[&[u8]]) -> Vec<Path> {
    let repeats = Repeats::of(keys.len());
    let mut found = family(keys, &ORDERED_CODE, &repeats);
    let tuples = family(keys, &TUPLE, &repeats);
    if !tuples.is_empty() {
        found.extend(tuples);
        return found;
    }
    for (width, model) in constant::models(keys, true) {
        let rests: Vec<&[u8]> = keys.iter().map(|key| &key[width..]).collect();
        for mut path in family(&rests, &TUPLE, &repeats) {
            path.bits += model.bits;
            path.models.insert(0, model.clone());
            path.ends.iter_mut().flatten().for_each(|end| *end += width as u32);
            path.ends.insert(0, vec![width as u32; keys.len()]);
            found.push(path);
        }
    }
    found
}

/// The best fields of a family, and each of them with another type of one field.
fn family(keys: &[&[u8]], family: &Family, repeats: &Repeats) -> Vec<Path> {
    let Some(split) = split(keys, family) else { return Vec::new() };
    let models: Vec<Vec<Model>> =
        split.iter().map(|parts| best(models(&Span::new(parts.iter().map(Vec::as_slice), repeats), family))).collect();
    let Some(first) = models.iter().map(|models| models.first().cloned()).collect::<Option<Vec<Model>>>() else {
        return Vec::new();
    };
    let ends = ends(keys, &split, family.between);
    let path = |models: Vec<Model>| {
        let bits = OF_FAMILY + models.iter().map(|model| model.bits).sum::<f64>();
        Path { bits, models, ends: ends.clone() }
    };
    let others = models.iter().enumerate().flat_map(|(field, models)| {
        let first = &first;
        models.iter().skip(1).map(move |model| {
            let mut other = first.clone();
            other[field] = model.clone();
            other
        })
    });
    std::iter::once(first.clone()).chain(others).map(path).collect()
}

/// By field, its bytes in each key; none if the keys are not all of the family, or of as many fields.
fn split(keys: &[&[u8]], family: &Family) -> Option<Vec<Vec<Vec<u8>>>> {
    let one: LayoutBuf = family.any.parse().ok()?;
    let of = |fields: usize| vec![family.any; fields].join(", ").parse::<LayoutBuf>().ok();
    let rows = (1..=FIELDS).find_map(|fields| {
        let layout = of(fields)?;
        keys.iter().map(|key| layout.decode(key).ok()).collect::<Option<Vec<_>>>()
    })?;
    let fields = rows.first()?.len();
    if fields < family.least {
        return None;
    }
    let part = |field: usize, row: &[Value]| one.encode(row.get(field..=field)?).ok();
    (0..fields).map(|field| rows.iter().map(|row| part(field, row)).collect()).collect()
}

/// By field, where it ends in each key. What OrderedCode leaves out ends with the key.
fn ends(keys: &[&[u8]], split: &[Vec<Vec<u8>>], between: usize) -> Vec<Vec<u32>> {
    let mut ends = vec![0; keys.len()];
    let mut is_first = true;
    split
        .iter()
        .map(|parts| {
            for ((end, part), key) in ends.iter_mut().zip(parts).zip(keys) {
                *end = (*end + if is_first { 0 } else { between } + part.len()).min(key.len());
            }
            is_first = false;
            ends.iter().map(|end| *end as u32).collect()
        })
        .collect()
}

/// Types that a field's bytes are all of.
fn models(span: &Span<'_>, family: &Family) -> Vec<Model> {
    family.words.iter().flat_map(|word| Some(of_word(span, word, &span.decoded(word)?))).flatten().collect()
}

fn of_word(span: &Span<'_>, word: &str, values: &[Value]) -> Vec<Model> {
    let count = values.len() as f64;
    let one = |bits: f64| vec![Model::new(word, FIELD + bits)];
    match values.first() {
        Some(Value::Text(_)) => {
            let texts = values.iter().map(|value| if let Value::Text(text) = value { text.as_bytes() } else { b"" });
            let span = span.with(texts.collect());
            let opaque = span.repeats + 10.0 * count + 8.5 * span.len() as f64;
            one(bits_of_text(&span, true).unwrap_or(opaque))
        }
        Some(Value::Bytes(_)) => {
            let contents = values.iter().map(|value| if let Value::Bytes(bytes) = value { bytes } else { &[][..] });
            of_bytes(&span.with(contents.collect()), word)
        }
        Some(Value::Signed(_)) => of_numbers(span, word, values),
        Some(Value::Instant(..)) => {
            let micros = values.iter().map(|value| match value {
                Value::Instant(seconds, nanos) => {
                    Some(u128::try_from(*seconds).ok()? * 1_000_000 + u128::from(*nanos) / 1000)
                }
                _ => None,
            });
            let bits = |micros: Vec<u128>| span.least(&micros, |micros| times::bits(micros, UNITS[2]));
            micros.collect::<Option<Vec<u128>>>().and_then(bits).map_or(Vec::new(), one)
        }
        Some(Value::Bool(_)) => one(span.repeats),
        Some(Value::F32(_) | Value::F64(_)) => {
            let bits = bits_of_decimals(span, values).unwrap_or(f64::INFINITY);
            one(bits.min(span.repeats + bits_of_floats(span)))
        }
        Some(Value::Tuple(_)) => one(0.0),
        _ => one(20.0 + span.repeats + 6.0 * count + 8.2 * span.len() as f64),
    }
}

/// Integers, which may be times; not those that are text too, as the digits of `OrderedCode` can be.
fn of_numbers(span: &Span<'_>, word: &str, values: &[Value]) -> Vec<Model> {
    let numbers = values.iter().map(|value| if let Value::Signed(number) = value { *number } else { 0 });
    let numbers: Vec<i128> = numbers.collect();
    let rare = if span.all(is_printable) { 20.0 } else { 0.0 };
    let least = numbers.iter().min().copied().unwrap_or(0);
    let above: Vec<u128> = numbers.iter().map(|number| number.wrapping_sub(least) as u128).collect();
    let from_least = 1.0 + bits::of_number(least.unsigned_abs().saturating_mul(2)) + span.bits_of_numbers(&above);
    let sizes: Option<Vec<u128>> = numbers.iter().map(|number| u128::try_from(*number).ok()).collect();
    let Some(sizes) = sizes else { return vec![Model::new(word, FIELD + rare + from_least)] };
    let plain = from_least.min(span.bits_of_numbers(&sizes));
    let times = UNITS.into_iter().filter_map(|unit| {
        let bits = span.least(&sizes, |numbers| times::bits(numbers, unit))?;
        Some(Model::new(word, FIELD + 2.0 + bits).meaning(unit.word))
    });
    std::iter::once(Model::new(word, FIELD + rare + binary::large(&sizes) + plain)).chain(times).collect()
}

/// The bits of floats that are all decimals of few digits, as prices are.
fn bits_of_decimals(span: &Span<'_>, values: &[Value]) -> Option<f64> {
    (0..=6_u8).find_map(|digits| {
        let scale = 10_f64.powi(digits.into());
        let number = |value: &Value| {
            let (number, is_same) = match value {
                Value::F64(of) => ((of * scale).round(), (of * scale).round() / scale == *of),
                Value::F32(of) => {
                    let number = (f64::from(*of) * scale).round();
                    (number, (number / scale) as f32 == *of)
                }
                _ => return None,
            };
            let is_exact = is_same && number.abs() < EXACT;
            is_exact.then(|| number.abs() as u128 * 2 + u128::from(number < 0.0))
        };
        let numbers: Vec<u128> = values.iter().map(number).collect::<Option<_>>()?;
        Some(bits::of_number(digits.into()) + span.bits_of_numbers(&numbers))
    })
}

/// The bits of floats after the type's byte: their sign and exponent are near each other, or their last bits are zeros.
fn bits_of_floats(span: &Span<'_>) -> f64 {
    let of = |from: usize, to: usize| {
        let numbers = span.values.iter().map(|value| binary::number(&value[from..to.min(value.len())]));
        bits::of_numbers(&numbers.collect::<Vec<_>>())
    };
    let width = span.width.unwrap_or(1);
    (2..=width.min(5)).map(|at| of(1, at) + of(at, width)).fold(f64::INFINITY, f64::min)
}

fn of_bytes(span: &Span<'_>, word: &str) -> Vec<Model> {
    let base = FIELD + span.repeats;
    match span.width {
        // Versions count; transactions of one version, and their own order, are few.
        Some(width @ (10 | 12)) if word.starts_with("fdb[versionstamp") => {
            let of = |from: usize, to: usize| {
                let numbers = span.values.iter().map(|value| binary::number(&value[from..to]));
                bits::of_numbers(&numbers.collect::<Vec<_>>())
            };
            vec![Model::new(word, base + of(0, 8) + of(8, 10) + of(10, width))]
        }
        Some(16) => {
            let uuids = binary::models(span, 16).into_iter().filter(|model| model.shape.starts_with("bytes"));
            uuids.map(|model| Model { shape: word.to_owned(), ..model }).collect()
        }
        Some(_) => vec![Model::new(word, base + 6.0 + 8.0 * span.len() as f64)],
        None => vec![Model::new(word, base + 6.0 + 6.0 * span.values.len() as f64 + 8.0 * span.len() as f64)],
    }
}
