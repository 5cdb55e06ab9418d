//! Conversions between types of instants: exact, rounded down, or an error.
//!
//! All instants count from 1970-01-01T00:00:00Z without leap seconds, as Unix time does.

use std::time::SystemTime;

use crate::keys::encode::Instant;

pub(crate) const NANOS_PER_SECOND: u32 = 1_000_000_000;

/// A type of instant, which converts to every other: `SystemTime`, [`Seconds`](crate::Seconds) to
/// [`Nanos`](crate::Nanos), and with their features the instants of jiff, chrono and time.
#[doc(alias = "timestamp")]
#[doc(alias = "instant")]
pub trait Moment: Copy {
    /// Seconds since 1970, rounded down (toward the past), and the nanoseconds after them.
    ///
    /// 10⁹ nanoseconds and more mean the leap second after that second, which chrono can express. Unix time has no such
    /// second, so an exact conversion returns an error.
    fn to_unix(self) -> (i64, u32);

    /// The instant this many seconds and nanoseconds (below 10⁹) after 1970.
    ///
    /// # Errors
    /// If this type can't hold the instant exactly.
    fn from_unix(seconds: i64, nanos: u32) -> Result<Self, TimeError>;
}

/// Why an instant can't be converted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TimeError {
    /// The instant is too early or too late for the type.
    #[error("{} is out of the range of {of}", since_1970(*.seconds, *.nanos))]
    OutOfRange {
        /// The seconds since 1970, rounded down.
        seconds: i64,
        /// The nanoseconds after them.
        nanos: u32,
        /// The type that can't hold it.
        of: &'static str,
    },
    /// The instant is between two values of the type.
    #[error("{} is not exact in {of}", since_1970(*.seconds, *.nanos))]
    Inexact {
        /// The seconds since 1970, rounded down.
        seconds: i64,
        /// The nanoseconds after them.
        nanos: u32,
        /// The type that can't hold it.
        of: &'static str,
    },
    /// The instant is in a leap second, which Unix time does not count.
    #[error("Unix time does not count the leap second after {seconds} s since 1970")]
    LeapSecond {
        /// The last second before it, in seconds since 1970.
        seconds: i64,
    },
    /// A day, week or month begins or ends outside the calendar's range.
    #[error("{date} begins or ends out of the range of the calendar")]
    Calendar {
        /// Its first day.
        date: String,
    },
}

/// An instant as people write it. Before 1970 its digits are not those of the seconds, which are rounded down.
pub(crate) fn since_1970(seconds: i64, nanos: u32) -> String {
    let second = u128::from(NANOS_PER_SECOND);
    let total = i128::from(seconds) * i128::from(NANOS_PER_SECOND) + i128::from(nanos);
    let (sign, total) = (if total < 0 { "-" } else { "" }, total.unsigned_abs());
    format!("{sign}{}.{:09} s since 1970", total / second, total % second)
}

impl Moment for SystemTime {
    #[inline]
    fn to_unix(self) -> (i64, u32) {
        let Instant { seconds, nanos } = self.into();
        (seconds, nanos)
    }

    #[inline]
    fn from_unix(seconds: i64, nanos: u32) -> Result<Self, TimeError> {
        let out_of_range = TimeError::OutOfRange { seconds, nanos, of: "this platform's SystemTime" };
        Instant { seconds, nanos }.to_system_time().ok_or(out_of_range)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instants_for_people() {
        for (seconds, nanos, due) in [
            (0, 0, "0.000000000"),
            (1, 5, "1.000000005"),
            (-1, 0, "-1.000000000"),
            (-1, 999_999_999, "-0.000000001"),
            (-2, 999_999_999, "-1.000000001"),
            (i64::MIN, 1, "-9223372036854775807.999999999"),
            (i64::MAX, 999_999_999, "9223372036854775807.999999999"),
        ] {
            assert_eq!(since_1970(seconds, nanos), format!("{due} s since 1970"));
        }
    }
}
