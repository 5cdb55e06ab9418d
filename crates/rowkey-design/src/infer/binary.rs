//! Fields of a fixed width in bytes: integers, times, UUIDs, digests.

use super::span::{FIELD, Model, Span};
use super::times::UNITS;
use super::{bits, times};

/// The widths that are tried.
pub(super) const WIDTHS: [usize; 15] = [1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 16, 20, 24, 32, 64];

/// The bits of a width: some are frequent.
fn of_width(width: usize) -> f64 {
    match width {
        8 => 0.0,
        1 | 4 | 16 => 1.0,
        2 => 3.0,
        20 | 32 => 5.0,
        3 => 8.0,
        6 | 12 => 16.0,
        _ => 40.0,
    }
}

/// Models of values that have all this width.
pub(super) fn models(span: &Span<'_>, width: usize) -> Vec<Model> {
    let field = FIELD + of_width(width);
    let base = field + span.repeats;
    let (values, count) = (&span.values, span.values.len() as f64);
    let mut models = Vec::new();
    if width <= 16 {
        let raw: Vec<u128> = values.iter().map(|value| number(value)).collect();
        numbers(span, &raw, width, field, &mut models);
    }
    if !matches!(width, 1 | 2) {
        models.push(Model::new(format!("bytes[{width}]"), base + 6.0 + 8.0 * width as f64 * count));
    }
    match width {
        12 => instants(values, base, &mut models),
        16 => uuids(values, base, &mut models),
        _ => {}
    }
    models
}

pub(super) fn number(value: &[u8]) -> u128 {
    value.iter().fold(0, |number, byte| number << 8 | u128::from(*byte))
}

fn numbers(span: &Span<'_>, raw: &[u128], width: usize, field: f64, models: &mut Vec<Model>) {
    let mask = u128::MAX >> (128 - 8 * width);
    let top = mask / 2 + 1;
    let down: Vec<u128> = raw.iter().map(|number| mask - number).collect();
    if !matches!(width, 1 | 2 | 4 | 8 | 16) {
        // Ids of three bytes, say.
        models.push(Model::new(format!("bytes[{width}]"), field + 2.0 + span.bits_of_numbers(raw)));
        return;
    }
    let size = 8 * width;
    for (of, direction, cost) in [(raw, "", 0.0), (&down, " desc", 2.0)] {
        models.push(Model::new(format!("u{size}{direction}"), field + cost + large(of) + span.bits_of_numbers(of)));
        let signed: Vec<u128> = of.iter().map(|number| number ^ top).collect();
        let zigzag: Vec<u128> =
            signed.iter().map(|number| if *number < top { number * 2 } else { (mask - number) * 2 + 1 }).collect();
        if width < 16 {
            models.push(Model::new(
                format!("i{size}{direction}"),
                field + cost + 1.0 + large(&zigzag) + of_signed(span, &signed, top),
            ));
        }
        if width != 4 && width != 8 {
            continue;
        }
        for unit in UNITS.into_iter().filter(|unit| width == 8 || unit.per_second == 1) {
            for (of, sign) in [(of, 'u'), (&signed, 'i')] {
                if let Some(bits) = span.least(of, |numbers| times::bits(numbers, unit)) {
                    // Of four bytes they have a sign, or are descending, less often.
                    let rare = if width == 4 && sign == 'i' { 6.0 } else { 0.0 };
                    let model = Model::new(format!("{sign}{size}{direction}"), field + cost + rare + 2.0 + bits);
                    models.push(model.meaning(unit.word));
                }
            }
        }
    }
}

/// The bits of numbers in two's complement: as numbers above the least of them, which is near zero.
fn of_signed(span: &Span<'_>, signed: &[u128], top: u128) -> f64 {
    // In the order of the values.
    let ordered: Vec<u128> = signed.iter().map(|number| number ^ top).collect();
    let least = ordered.iter().min().copied().unwrap_or(top);
    let above: Vec<u128> = ordered.iter().map(|number| number - least).collect();
    1.0 + bits::of_number(2 * least.abs_diff(top)) + span.bits_of_numbers(&above)
}

/// Numbers that are all large and mean no time are rare: two fields are often taken for one.
pub(super) fn large(numbers: &[u128]) -> f64 {
    if numbers.iter().all(|number| *number >= 1 << 32) { 24.0 } else { 0.0 }
}

/// Seconds and the nanoseconds after them.
fn instants(values: &[&[u8]], base: f64, models: &mut Vec<Model>) {
    for (direction, inverted) in [("", 0), (" desc", u128::MAX >> 32)] {
        let parts = values.iter().map(|value| number(value) ^ inverted);
        let (seconds, nanos): (Vec<u128>, Vec<u128>) =
            parts.map(|both| ((both >> 32) ^ 1 << 63, both & 0xffff_ffff)).unzip();
        let bits = times::bits(&seconds, UNITS[0]).filter(|_| nanos.iter().all(|nanos| *nanos < 1_000_000_000));
        if let Some(bits) = bits {
            models.push(Model::new(format!("instant{direction}"), base + bits + bits::of_numbers(&nanos)));
        }
    }
}

fn uuids(values: &[&[u8]], base: f64, models: &mut Vec<Model>) {
    let version = |value: &[u8]| (value[8] >> 6 == 2).then_some(value[6] >> 4);
    let all = |of: u8| values.iter().all(|value| version(value) == Some(of));
    let count = values.len() as f64;
    let millis = || times::bits(&values.iter().map(|value| number(&value[..6])).collect::<Vec<_>>(), UNITS[1]);
    let uuid = |bits: f64, means| Model::new("bytes[16]", base + bits).meaning(means);
    if all(4) {
        models.push(uuid(122.0 * count - 4.0, "uuid4"));
    }
    if let Some(millis) = millis() {
        if all(7) {
            models.push(uuid(millis + 74.0 * count - 4.0, "uuid7"));
        }
        models.push(uuid(millis + 80.0 * count, "ulid"));
    }
}
