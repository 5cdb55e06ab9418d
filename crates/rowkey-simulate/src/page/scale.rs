//! The scale of colours, and numbers and times in words.

use super::Rate;

/// The parts of a server's capacity up to which a class of colours goes; what is above the last is more than a server
/// takes.
pub(super) const UP_TO: [f64; 5] = [0.05, 0.15, 0.3, 0.6, 1.0];

/// The number of classes: nothing, five parts of a server, and more than one.
pub(super) const CLASSES: usize = UP_TO.len() + 2;

/// The class of a rate: 0 for none at all.
pub(super) fn class(rate: f64, capacity: Rate) -> usize {
    if rate <= 0.0 {
        return 0;
    }
    1 + UP_TO.iter().filter(|part| rate > **part * capacity.each).count()
}

/// The words for a class: parts of a server, then rows a second.
pub(super) fn class_words(class: usize, capacity: Rate) -> (String, String) {
    let percent = |part: f64| format!("{}", part * 100.0);
    let rate = |part: f64| count(part * capacity.each);
    let Some(at) = class.checked_sub(1) else { return ("nothing".to_owned(), "0".to_owned()) };
    // An engine of one process has no parts of a server.
    if !capacity.each.is_finite() {
        return ("something".to_owned(), "any number".to_owned());
    }
    let words = |text: &dyn Fn(f64) -> String| match (at.checked_sub(1).map(|below| UP_TO[below]), UP_TO.get(at)) {
        (None, Some(to)) => format!("up to {}", text(*to)),
        (Some(from), Some(to)) => format!("{} to {}", text(from), text(*to)),
        (_, None) => format!("over {}", text(1.0)),
    };
    (format!("{} %", words(&percent)), words(&rate))
}

/// A number of rows with a space between thousands; below 10 with a digit after the point,
/// or as many as it takes for one that is not 0.
pub(super) fn count(number: f64) -> String {
    if !number.is_finite() {
        return "any number".to_owned();
    }
    if number > 0.0 && number < 9.95 && number.fract() != 0.0 {
        let decimals = (-libm::log10(number).floor()).clamp(1.0, 12.0) as usize;
        return format!("{number:.decimals$}");
    }
    let digits = format!("{number:.0}");
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            // A space that no line breaks at.
            text.push('\u{a0}');
        }
        text.push(digit);
    }
    text
}

/// The steps of an axis of time, in milliseconds.
const STEPS: [u64; 28] = {
    let (s, m, h, d) = (1000, 60_000, 3_600_000, 86_400_000);
    [
        100,
        200,
        500,
        s,
        2 * s,
        5 * s,
        10 * s,
        15 * s,
        30 * s,
        m,
        2 * m,
        5 * m,
        10 * m,
        15 * m,
        30 * m,
        h,
        2 * h,
        3 * h,
        6 * h,
        12 * h,
        d,
        2 * d,
        5 * d,
        10 * d,
        20 * d,
        50 * d,
        100 * d,
        200 * d,
    ]
};

/// The times on an axis that ends at a time: at most seven.
pub(super) fn ticks(end: u64) -> Vec<u64> {
    let longest = STEPS[STEPS.len() - 1];
    let step = STEPS.into_iter().find(|step| end / step <= 6).unwrap_or((end / 6).next_multiple_of(longest));
    (0..=end / step).map(|tick| tick * step).collect()
}

/// A time since the start, in its two largest units.
pub fn elapsed(millis: u64) -> String {
    let units =
        [("d", 86_400_000, u64::MAX), ("h", 3_600_000, 24), ("min", 60_000, 60), ("s", 1000, 60), ("ms", 1, 1000)];
    let parts = units.iter().map(|(unit, each, most)| (millis / each % most, *unit));
    let parts: Vec<_> =
        parts.skip_while(|(number, _)| *number == 0).take(2).filter(|(number, _)| *number > 0).collect();
    match parts.as_slice() {
        [] => "0 s".to_owned(),
        parts => parts.iter().map(|(number, unit)| format!("{number} {unit}")).collect::<Vec<_>>().join(" "),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_rate_is_in_the_class_whose_bounds_hold_it(rate in 0.0f64..50_000.0, each in 1.0f64..20_000.0) {
            let class = class(rate, Rate { each, is_assumed: false });
            let bounds: Vec<f64> = UP_TO.iter().map(|part| part * each).collect();
            prop_assert!(class >= 1 || rate == 0.0);
            prop_assert!(class < 2 || rate > bounds[class - 2]);
            prop_assert!(class == 0 || bounds.get(class - 1).is_none_or(|bound| rate <= *bound));
        }

        #[test]
        fn an_axis_has_few_ticks_within_its_end(end: u64) {
            let ticks = ticks(end);
            prop_assert!((1..=7).contains(&ticks.len()) && ticks[0] == 0 && ticks.iter().all(|tick| *tick <= end));
        }
    }

    /// A class ends where the next begins.
    #[test]
    fn the_words_of_classes_follow_each_other() {
        let of = |class| class_words(class, Rate { each: 10_000.0, is_assumed: false });
        let words = (0..CLASSES).map(of).map(|(part, rate)| format!("{part}: {rate}"));
        let words: Vec<_> = words.map(|words| words.replace('\u{a0}', "")).collect();
        let due = ["nothing: 0", "up to 5 %: up to 500", "5 to 15 %: 500 to 1500", "15 to 30 %: 1500 to 3000"];
        assert_eq!(words[..4], due);
        assert_eq!(words[4..], ["30 to 60 %: 3000 to 6000", "60 to 100 %: 6000 to 10000", "over 100 %: over 10000"]);
    }

    #[test]
    fn numbers_and_times_are_read_easily() {
        let all = [0.0, 0.25, 0.004, 9.0, 999.6, 12_345.0, f64::INFINITY].map(count);
        assert_eq!(all, ["0", "0.2", "0.004", "9", "1\u{a0}000", "12\u{a0}345", "any number"]);
        let all = [0, 250, 61_000, 3_600_000, 90_061_000, u64::MAX].map(elapsed);
        assert_eq!(all, ["0 s", "250 ms", "1 min 1 s", "1 h", "1 d 1 h", "213503982334 d 14 h"]);
    }
}
