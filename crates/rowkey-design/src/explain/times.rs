//! Fields that are times: dates for their numbers, and back.

use rowkey::Value;
use rowkey::layout::Scalar;
use rowkey::untyped::{FieldBuf, TypeBuf};
use serde_json::Value as Json;
use toml_datetime::{Datetime, Offset};

use super::values::loosened;
use crate::design::Meaning;
use crate::file::Named;
use crate::resolve::Design;

/// Which fields of a table are times, and in what unit.
#[derive(Clone, Copy, Debug, Default)]
pub struct Times<'d>(Option<&'d Named<Meaning>>);

impl Design {
    /// The times among the fields of a table or of a secondary table, by its name; none if there is no such table.
    ///
    /// ```
    /// use rowkey::Value;
    /// use rowkey_design::explain::value_of;
    /// use rowkey_design::{Design, File};
    ///
    /// let text = "format = 1\n[table.visits]\nkey = [\"at: i64 desc\"]\nmeans.at = \"milliseconds\"\n";
    /// let design = Design::parse([File { name: "visits.rowkey.toml".into(), text: text.into() }])?;
    /// let times = design.times_of("visits");
    /// let at = value_of(&design.tables["visits"].layout.fields()[0], "2023-11-14T22:13:20.148Z", &times).unwrap();
    /// assert_eq!(at, Value::Signed(1_700_000_000_148));
    /// assert_eq!(times.date("at", &at).as_deref(), Some("2023-11-14T22:13:20.148Z"));
    /// # Ok::<(), rowkey_design::Problems>(())
    /// ```
    pub fn times_of(&self, table: &str) -> Times<'_> {
        let found = self.tables.values().find(|found| {
            let mut names = found.table.secondary.iter().map(|secondary| secondary.name.as_str());
            found.name.as_str() == table || names.any(|name| name == table)
        });
        Times(found.map(|found| &found.table.means))
    }
}

impl Times<'_> {
    /// The nanoseconds that one more of a field's numbers is, and the word for it.
    fn unit(&self, field: &str) -> Option<(i128, &'static str)> {
        match self.0?.get(field)?.value {
            Meaning::Seconds => Some((1_000_000_000, "seconds")),
            Meaning::Millis => Some((1_000_000, "milliseconds")),
            Meaning::Micros => Some((1000, "microseconds")),
            Meaning::Nanos => Some((1, "nanoseconds")),
            _ => None,
        }
    }

    /// The time that a value of a field is, as RFC 3339 writes it; none if it is no time, or none of the years 0 to 9999.
    pub fn date(&self, field: &str, value: &Value) -> Option<String> {
        let number = match value {
            Value::Instant(seconds, nanos) => return written(*seconds, *nanos),
            Value::Option(Some(value)) => return self.date(field, value),
            Value::Unsigned(number) => i128::try_from(*number).ok()?,
            Value::Signed(number) => *number,
            _ => return None,
        };
        let nanos = number.checked_mul(self.unit(field)?.0)?;
        let seconds = i64::try_from(nanos.div_euclid(1_000_000_000)).ok()?;
        written(seconds, nanos.rem_euclid(1_000_000_000) as u32)
    }

    /// JSON as people write it, to JSON as values are written: a date of a field that is a time too.
    pub(super) fn loosened(&self, field: &FieldBuf, json: Json) -> Json {
        let number = |text: &str| {
            let ((unit, _), (seconds, nanos)) = (self.unit(&field.name)?, date(text)?);
            let all = i128::from(seconds) * 1_000_000_000 + i128::from(nanos);
            // A time between two numbers is none of the field's.
            (all % unit == 0).then(|| Json::String((all / unit).to_string()))
        };
        let number = json.as_str().and_then(number);
        loosened(&field.ty, number.unwrap_or(json))
    }

    /// The word for the unit of a field that is a time.
    pub(super) fn word(&self, field: &FieldBuf) -> Option<&'static str> {
        match (&field.ty, self.unit(&field.name)) {
            (_, Some((_, unit))) => Some(unit),
            (TypeBuf::Scalar(Scalar::Instant), _) => Some("seconds"),
            _ => None,
        }
    }
}

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
fn written(seconds: i64, nanos: u32) -> Option<String> {
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
