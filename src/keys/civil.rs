//! Days, weeks and months in a time zone, as ranges of instants to select rows by (feature `jiff`).
//!
//! A day has 23, 24 or 25 hours where clocks change, and does not always begin at midnight. Here it begins at the first
//! instant that has its date, and ends where the next day begins. So days have no gap and no overlap, even where a
//! clock is put back over midnight. A day that a time zone skips is an empty range.
//!
//! ```
//! use jiff::civil::date;
//! use jiff::tz::TimeZone;
//! use rowkey::{Millis, RowKey, Select, civil};
//!
//! #[derive(RowKey)]
//! struct Visit {
//!     host: String,
//!     #[rowkey(desc)]
//!     at: Millis,
//! }
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let berlin = TimeZone::get("Europe/Berlin")?;
//! let day = civil::day::<Millis>(date(2024, 3, 31), &berlin)?;
//! let length = day.end.0 - day.start.0;
//! assert_eq!(length, 23 * 3_600_000);
//! let visits = Visit::prefix().host("apache.org").at_range(day);
//! let march = civil::month::<Millis>(date(2024, 3, 31), &berlin)?;
//! let march = Visit::prefix().host("apache.org").at_range(march);
//! # assert_eq!((visits.ranges().len(), march.ranges().len()), (1, 1));
//! # Ok(())
//! # }
//! ```
//!
//! An `i64` field of milliseconds takes `day.start.0..day.end.0`. Or make it a [`Millis`](crate::Millis), whose bytes
//! and shape are the same.

use std::ops::Range;

use jiff::civil::{Date, DateTime, Time};
use jiff::tz::{AmbiguousOffset, TimeZone};
use jiff::{Timestamp, ToSpan};

use crate::keys::moment::{Moment, NANOS_PER_SECOND, TimeError};

/// Returns a day in a time zone: from its first instant, included, to the first of the next day, excluded.
///
/// # Errors
/// If the day begins or ends outside the range of `T` or of jiff's calendar.
pub fn day<T: Moment>(date: Date, zone: &TimeZone) -> Result<Range<T>, TimeError> {
    between(date, date.tomorrow().ok(), zone)
}

/// Returns the month of a date, in a time zone: from its first instant, included, to the first of the next month,
/// excluded.
///
/// # Errors
/// If the month begins or ends outside the range of `T` or of jiff's calendar.
pub fn month<T: Moment>(date: Date, zone: &TimeZone) -> Result<Range<T>, TimeError> {
    let first = date.first_of_month();
    between(first, first.checked_add(1.month()).ok(), zone)
}

/// Returns the week of a date, in a time zone: from the first instant of its Monday (ISO 8601), included, to that of
/// the next Monday, excluded.
///
/// # Errors
/// If the week begins or ends outside the range of `T` or of jiff's calendar.
pub fn week<T: Moment>(date: Date, zone: &TimeZone) -> Result<Range<T>, TimeError> {
    let beyond = |_| TimeError::Calendar { date: date.to_string() };
    let monday = date.checked_sub(date.weekday().to_monday_zero_offset().days()).map_err(beyond)?;
    between(monday, monday.checked_add(7.days()).ok(), zone)
}

/// Returns the date of the [`day`] that holds an instant.
///
/// It is the instant's date on the clock, except where a clock is put back over midnight: an instant that has the old
/// date again belongs to the new day.
///
/// ```
/// use jiff::civil::date;
/// use jiff::tz::TimeZone;
/// use rowkey::{Seconds, civil};
///
/// let zone = TimeZone::get("America/New_York").unwrap();
/// let at = Seconds(1_431_833_400); // 2015-05-17T03:30Z
/// assert_eq!(civil::date_of(at, &zone)?, date(2015, 5, 16));
/// assert!(civil::day(date(2015, 5, 16), &zone)?.contains(&at));
/// # Ok::<(), rowkey::TimeError>(())
/// ```
///
/// # Errors
/// If the instant is outside the range of jiff's calendar.
pub fn date_of(at: impl Moment, zone: &TimeZone) -> Result<Date, TimeError> {
    let (seconds, nanos) = at.to_unix();
    // A leap second is in the day that it ends.
    let at = Timestamp::from_unix(seconds, nanos.min(NANOS_PER_SECOND - 1))?;
    let date = zone.to_datetime(at).date();
    let next = date.tomorrow().ok().filter(|&next| start(next, zone).is_some_and(|start| start <= at));
    Ok(next.unwrap_or(date))
}

fn between<T: Moment>(first: Date, next: Option<Date>, zone: &TimeZone) -> Result<Range<T>, TimeError> {
    let beyond = || TimeError::Calendar { date: first.to_string() };
    let start = |date| start(date, zone).ok_or_else(beyond);
    // The offsets of zones are whole seconds, so every type of instant holds these exactly.
    let exact = |at: Timestamp| {
        let (seconds, nanos) = at.to_unix();
        T::from_unix(seconds, nanos)
    };
    Ok(exact(start(first)?)?..exact(start(next.ok_or_else(beyond)?)?)?)
}

/// The first instant that has a date; for a date that is skipped, the first instant after it.
fn start(date: Date, zone: &TimeZone) -> Option<Timestamp> {
    let midnight = zone.to_ambiguous_timestamp(DateTime::from_parts(date, Time::midnight()));
    match midnight.offset() {
        AmbiguousOffset::Gap { .. } => {
            // The gap may begin before midnight, so the day begins where the clock is put forward, which need not be at
            // midnight plus the gap.
            let before = midnight.earlier().ok()?;
            let change = zone.following(before).map(|change| change.timestamp());
            change.take(8).find(|&change| zone.to_datetime(change).date() >= date)
        }
        _ => midnight.earlier().ok(),
    }
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;
    use crate::keys::encode::{Millis, Nanos, Seconds};

    fn zone(name: &str) -> TimeZone {
        TimeZone::get(name).unwrap()
    }

    fn hours(name: &str, year: i16, month: i8, day: i8) -> f64 {
        let day = super::day::<Seconds>(date(year, month, day), &zone(name)).unwrap();
        (day.end.0 - day.start.0) as f64 / 3600.0
    }

    #[test]
    fn days_where_clocks_change() {
        assert_eq!(hours("UTC", 2024, 3, 31), 24.0);
        assert_eq!(hours("Europe/Berlin", 2024, 3, 31), 23.0);
        assert_eq!(hours("Europe/Berlin", 2024, 10, 27), 25.0);
        assert_eq!(hours("Australia/Lord_Howe", 2024, 4, 7), 24.5);
        // From 0:00 to 1:00, and back from 0:00 to 23:00 of the day before.
        assert_eq!(hours("America/Sao_Paulo", 2018, 11, 4), 23.0);
        assert_eq!(hours("America/Sao_Paulo", 2018, 2, 17), 25.0);
        assert_eq!(hours("America/Sao_Paulo", 2018, 2, 18), 24.0);
        // From 1:00 back to 0:00: midnight comes twice, and the day begins with the first.
        assert_eq!(hours("America/Havana", 2024, 11, 3), 25.0);
        // Samoa left out the 30th.
        assert_eq!(hours("Pacific/Apia", 2011, 12, 29), 24.0);
        assert_eq!(hours("Pacific/Apia", 2011, 12, 30), 0.0);
        assert_eq!(hours("Pacific/Apia", 2011, 12, 31), 24.0);
    }

    #[test]
    fn a_gap_that_begins_before_midnight() {
        // From 23:30 on the 30th to 0:30 on the 31st.
        assert_eq!(hours("America/Toronto", 1919, 3, 30), 23.5);
        assert_eq!(hours("America/Toronto", 1919, 3, 31), 23.5);
        let day = day::<Timestamp>(date(1919, 3, 31), &zone("America/Toronto")).unwrap();
        assert_eq!(day.start.to_string(), "1919-03-31T04:30:00Z");
    }

    #[test]
    fn a_zone_without_a_database() {
        let zone = TimeZone::posix("EST5EDT,M3.2.0/0,M11.1.0/0").unwrap();
        let day = |month, day| super::day::<Seconds>(date(2024, month, day), &zone).unwrap();
        assert_eq!(day(3, 10).end.0 - day(3, 10).start.0, 23 * 3600);
        assert_eq!(day(11, 2).end.0 - day(11, 2).start.0, 25 * 3600);
    }

    /// Days follow each other, and hold the instants that bear their date, wherever a clock is not put back over
    /// midnight.
    #[test]
    fn every_day_of_many_years() {
        for name in
            ["Europe/Berlin", "America/Sao_Paulo", "America/Toronto", "Asia/Tehran", "Pacific/Apia", "Asia/Gaza"]
        {
            let zone = zone(name);
            let mut end = None;
            // Each third year, from its first day to the first of the next one, and all of the years that are not long
            // past.
            let chosen = |date: &Date| rowkey_testkit::is_long() || date.year() > 2005 || date.year() % 3 == 0;
            for date in date(1915, 1, 1).series(1.day()).take_while(|date| date.year() < 2030) {
                if !chosen(&date) {
                    end = None;
                    continue;
                }
                let day = day::<Timestamp>(date, &zone).unwrap();
                assert!(end.is_none_or(|end| end == day.start), "{name} {date}");
                end = Some(day.end);
                if day.is_empty() {
                    continue;
                }
                assert_eq!(zone.to_datetime(day.start).date(), date, "{name}");
                let before = day.start.checked_sub(1.nanosecond()).unwrap();
                assert!(zone.to_datetime(before).date() < date, "{name} {date}");
                let last = day.end.checked_sub(1.nanosecond()).unwrap();
                assert_eq!(date_of(last, &zone), Ok(date), "{name}");
            }
        }
    }

    #[test]
    fn months() {
        let berlin = zone("Europe/Berlin");
        let hours = |month_of: Date| {
            let month = month::<Millis>(month_of, &berlin).unwrap();
            (month.end.0 - month.start.0) / 3_600_000
        };
        assert_eq!(hours(date(2024, 2, 29)), 29 * 24);
        assert_eq!(hours(date(2024, 3, 1)), 31 * 24 - 1);
        assert_eq!(hours(date(2024, 10, 31)), 31 * 24 + 1);
        assert_eq!(hours(date(2024, 12, 31)), 31 * 24);
        let (december, january) = (date(2024, 12, 5), date(2025, 1, 5));
        assert_eq!(month::<Nanos>(december, &berlin).unwrap().end, month(january, &berlin).unwrap().start);
    }

    #[test]
    fn weeks_begin_on_monday() {
        let berlin = zone("Europe/Berlin");
        let week_of = |date| week::<Timestamp>(date, &berlin).unwrap();
        // The clock is put forward on the last of March, a Sunday.
        let week = week_of(date(2024, 3, 31));
        assert_eq!(
            (week.start.to_string(), week.end.to_string()),
            ("2024-03-24T23:00:00Z".into(), "2024-03-31T22:00:00Z".into())
        );
        assert!((25..=31).all(|day| week_of(date(2024, 3, day)) == week));
        assert_eq!(week_of(date(2024, 4, 1)).start, week.end);
        // Over the end of a year.
        assert_eq!(week_of(date(2025, 1, 1)), week_of(date(2024, 12, 30)));
    }

    #[test]
    fn a_date_that_comes_twice() {
        // At 0:01 on the first of November clocks were put back to 23:01 on the 31st of October.
        let zone = zone("America/St_Johns");
        for (at, bears, of) in [
            ("2009-11-01T02:30:59Z", (2009, 11, 1), (2009, 11, 1)),
            ("2009-11-01T02:31:00Z", (2009, 10, 31), (2009, 11, 1)),
            ("2009-11-01T02:29:59Z", (2009, 10, 31), (2009, 10, 31)),
        ] {
            let at: Timestamp = at.parse().unwrap();
            let [bears, of] = [bears, of].map(|(year, month, day)| date(year, month, day));
            assert_eq!((zone.to_datetime(at).date(), date_of(at, &zone).unwrap()), (bears, of));
            assert!(day(of, &zone).unwrap().contains(&at));
        }
    }

    #[test]
    fn where_instants_end() {
        let utc = TimeZone::UTC;
        assert!(matches!(day::<Nanos>(date(2262, 4, 11), &utc), Err(TimeError::OutOfRange { .. })));
        assert!(day::<Nanos>(date(2262, 4, 10), &utc).is_ok());
        for date in [Date::MIN, Date::MAX] {
            let error = day::<Seconds>(date, &TimeZone::fixed(jiff::tz::offset(14))).unwrap_err();
            assert_eq!(error, TimeError::Calendar { date: date.to_string() });
        }
        assert!(month::<Seconds>(Date::MAX, &utc).is_err());
        assert!(week::<Seconds>(Date::MAX, &utc).is_err() && week::<Seconds>(Date::MIN, &utc).is_err());
        assert!(date_of(Seconds(i64::MAX), &utc).is_err());
        assert_eq!(date_of((1_483_228_799, 1_500_000_000), &utc), Ok(date(2016, 12, 31)), "a leap second");
    }
}
