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

/// The times that tables have: 2000 to 2031, in seconds since 1970.
const FIRST: u128 = 946_684_800;
const LAST: u128 = 1_956_528_000;
/// Those that most have: from 2008 to 2027.
const USUAL: std::ops::Range<u128> = 1_199_145_600..1_830_297_600;

/// Lengths of time that times are rounded down to, in seconds.
const STEPS: [u128; 8] = [604_800, 86_400, 43_200, 3_600, 1_800, 900, 300, 60];

/// The bits that are taken off for times, which are frequent in row keys.
const FREQUENT: f64 = 10.0;
/// Times before or after the usual ones are less frequent.
const UNUSUAL: f64 = 14.0;

fn of_age(least: u128, most: u128) -> f64 {
    if USUAL.contains(&least) && USUAL.contains(&most) { -FREQUENT } else { UNUSUAL - FREQUENT }
}

/// The bits of numbers as times of a unit; none if one of them is of another age.
pub(super) fn bits(numbers: &[u128], unit: Unit) -> Option<f64> {
    let (least, most) = (numbers.iter().min()?, numbers.iter().max()?);
    if *least < FIRST * unit.per_second || *most >= LAST * unit.per_second {
        return None;
    }
    let step = step(numbers, unit);
    let age = of_age(least / unit.per_second, most / unit.per_second);
    let window = (LAST - FIRST) * unit.per_second / step;
    let of_step = if step > 1 { 3.0 } else { 0.0 };
    Some(of_window(window, (most - least) / step, numbers.len()) + of_step + 2.0 + age)
}

/// The bits of `count` numbers of a range that lies somewhere in a window.
fn of_window(window: u128, range: u128, count: usize) -> f64 {
    let log = |number: u128| (number as f64 + 1.0).log2();
    // The range of one value is no range.
    let exact = log(window) + if range > 0 { log(window) } else { 2.0 } + bits::within(range, count);
    exact.min(log(window) - log(range / 16) + bits::coarse(range, count))
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

/// The bits of instants of a pattern whose last part is `last` seconds.
pub(super) fn bits_of_dates(seconds: &[u128], last: u64) -> Option<f64> {
    let (least, most) = (seconds.iter().min()?, seconds.iter().max()?);
    if *least < FIRST || *most >= LAST {
        return None;
    }
    let last = u128::from(last);
    // Seconds may all be those of whole hours.
    let step =
        STEPS[1..].iter().copied().find(|step| *step > last && seconds.iter().all(|at| at.is_multiple_of(*step)));
    let of_step = if step.is_some() { 3.0 } else { 0.0 };
    let step = step.unwrap_or(last);
    let window = (LAST - FIRST) / step;
    let even = of_window(window, (most - least) / step, seconds.len());
    // Some days have more rows than others.
    let after: Vec<u128> = seconds.iter().map(|at| (at - least) / step).collect();
    let skewed = (window as f64 + 1.0).log2() + bits::of_numbers(&after);
    Some(even.min(skewed) + of_step + 4.0 + of_age(*least, *most))
}
