//! Numbers that are times: Unix times in four units, and dates.

use super::bits;

/// A unit of times since 1970.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Unit {
    /// The word that a design has for it.
    pub(super) word: &'static str,
    pub(super) per_second: u128,
}

pub(super) const UNITS: [Unit; 4] = [
    Unit { word: "seconds", per_second: 1 },
    Unit { word: "milliseconds", per_second: 1000 },
    Unit { word: "microseconds", per_second: 1_000_000 },
    Unit { word: "nanoseconds", per_second: 1_000_000_000 },
];

/// The times that tables have: 2000 to 2037, in seconds since 1970.
pub(super) const FIRST: u128 = 946_684_800;
pub(super) const LAST: u128 = 2_145_916_800;

/// Lengths of time that times are rounded down to, in seconds.
const STEPS: [u128; 8] = [604_800, 86_400, 43_200, 3_600, 1_800, 900, 300, 60];

/// Times are frequent in row keys: so many bits are taken off.
const FREQUENT: f64 = 10.0;

/// The bits of numbers as times of a unit; none if one of them is of another age.
pub(super) fn bits(numbers: &[u128], unit: Unit) -> Option<f64> {
    let (least, most) = (numbers.iter().min()?, numbers.iter().max()?);
    if *least < FIRST * unit.per_second || *most >= LAST * unit.per_second {
        return None;
    }
    let step = step(numbers, unit);
    let window = ((LAST - FIRST) * unit.per_second / step) as f64;
    let range = ((most - least) / step) as f64;
    let of_step = if step > 1 { 3.0 } else { 0.0 };
    // The range of one value is no range.
    let of_range = if range > 0.0 { bits::of_number((most - least) / step).min(window.log2()) } else { 2.0 };
    Some(window.log2() + of_range + numbers.len() as f64 * (range + 1.0).log2() + of_step + 2.0 - FREQUENT)
}

/// The length of time that all numbers are multiples of, 1 if none.
pub(super) fn step(numbers: &[u128], unit: Unit) -> u128 {
    let all = |step: &u128| numbers.iter().all(|number| number.is_multiple_of(step * unit.per_second));
    match STEPS.iter().find(|step| all(step)) {
        Some(step) => step * unit.per_second,
        // Milliseconds that were seconds once.
        None if unit.per_second > 1 && numbers.iter().all(|number| number.is_multiple_of(unit.per_second)) => {
            unit.per_second
        }
        None => 1,
    }
}

/// The patterns of dates that are tried, each with the seconds that its last part is.
pub(super) const PATTERNS: [(&str, u64); 18] = [
    ("yyyyMMdd", 86_400),
    ("yyyyMMddHH", 3600),
    ("yyyyMMddHHmm", 60),
    ("yyyyMMddHHmmss", 1),
    ("yyyyMMddHHmmssSSS", 1),
    ("yyyy-MM-dd", 86_400),
    ("yyyy/MM/dd", 86_400),
    ("yyyy.MM.dd", 86_400),
    ("yyyy-MM-dd-HH", 3600),
    ("yyyy/MM/dd/HH", 3600),
    ("yyyy-MM-dd''T''HH:mm:ss", 1),
    ("yyyy-MM-dd''T''HH:mm:ss''Z''", 1),
    ("yyyy-MM-dd''T''HH:mm:ss.SSS''Z''", 1),
    ("yyyy-MM-dd HH:mm:ss", 1),
    ("yyyyMMdd''T''HHmmss", 1),
    ("ddMMyyyy", 86_400),
    ("yyyy-MM", 2_592_000),
    ("yyyyMM", 2_592_000),
];

/// The bits of instants of a pattern whose last part is so many seconds.
pub(super) fn bits_of_dates(seconds: &[u128], last: u64) -> Option<f64> {
    let parts: Vec<u128> = seconds.iter().map(|at| at / u128::from(last)).collect();
    let (least, most) = (seconds.iter().min()?, seconds.iter().max()?);
    if *least < FIRST || *most >= LAST {
        return None;
    }
    let window = ((LAST - FIRST) as f64 / last as f64).log2();
    let range = (parts.iter().max()? - parts.iter().min()?) as f64;
    let of_range = if range > 0.0 { window } else { 2.0 };
    Some(window + of_range + parts.len() as f64 * (range + 1.0).log2() + 4.0 - FREQUENT)
}
