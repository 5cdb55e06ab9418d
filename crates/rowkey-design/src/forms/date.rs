//! Dates of RFC 3339, and seconds since 1970.

use toml_datetime::{Datetime, Offset};

/// A moment as RFC 3339 writes it, or the beginning of a day: seconds since 1970 and nanoseconds.
pub(super) fn date(text: &str) -> Option<(i64, u32)> {
    let Datetime { date: Some(date), time, offset } = text.parse().ok()? else {
        return None;
    };
    let minutes = match (time, offset) {
        (None, None) | (Some(_), Some(Offset::Z)) => 0,
        (Some(_), Some(Offset::Custom { minutes })) => i64::from(minutes),
        _ => return None,
    };
    // Years begin in March, so that the day of a leap year is the last.
    let (month, day) = (i64::from(date.month), i64::from(date.day));
    let year = i64::from(date.year) - i64::from(month <= 2);
    let (era, of_era) = (year.div_euclid(400), year.rem_euclid(400));
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let days = era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468;
    let of_day = |time: toml_datetime::Time| {
        i64::from(time.hour) * 3600 + i64::from(time.minute) * 60 + i64::from(time.second.unwrap_or(0))
    };
    let seconds = days * 86_400 + time.map_or(0, of_day) - minutes * 60;
    Some((seconds, time.and_then(|time| time.nanosecond).unwrap_or(0)))
}

/// Seconds since 1970 and nanoseconds as RFC 3339 writes them, with three digits of a second at a time.
pub(crate) fn written(seconds: i64, nanos: u32) -> Option<String> {
    let (days, of_day) = (seconds.div_euclid(86_400).checked_add(719_468)?, seconds.rem_euclid(86_400));
    let (era, of_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = year + era * 400 + i64::from(month <= 2);
    let (hour, minute, second) = (of_day / 3600, of_day / 60 % 60, of_day % 60);
    let fraction = match format!("{nanos:09}") {
        _ if nanos == 0 => String::new(),
        digits if nanos.is_multiple_of(1_000_000) => format!(".{}", digits.get(..3)?),
        digits if nanos.is_multiple_of(1000) => format!(".{}", digits.get(..6)?),
        digits => format!(".{digits}"),
    };
    let is_written = (0..10_000).contains(&year);
    is_written.then(|| format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}{fraction}Z"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn dates_go_back_and_forth(seconds in -62_167_219_200i64..253_402_300_800, nanos in 0u32..1_000_000_000, digits in 0u32..3) {
            let nanos = nanos - nanos % 1000u32.pow(digits);
            let text = written(seconds, nanos).unwrap();
            prop_assert_eq!(date(&text), Some((seconds, nanos)), "{}", text);
        }

        #[test]
        fn any_second_has_a_date_or_none(seconds: i64, nanos in 0u32..1_000_000_000) {
            prop_assert!(written(seconds, nanos).is_none_or(|text| date(&text) == Some((seconds, nanos))));
        }
    }
}
