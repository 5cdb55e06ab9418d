//! Instants of every kind, and the way from one to another: exact, or rounded down, or an error.
//!
//! All of them are counted from 1970-01-01T00:00:00Z on a scale without leap seconds, as every Unix clock does.

use std::time::SystemTime;

use crate::keys::encode::Instant;

pub(crate) const NANOS_PER_SECOND: u32 = 1_000_000_000;

/// An instant: `SystemTime`, [`Seconds`](crate::Seconds) to [`Nanos`](crate::Nanos), and by feature those of jiff, chrono
/// and time.
pub trait Moment: Copy {
    /// Seconds since 1970, rounded down (toward the past), and the nanoseconds past them.
    ///
    /// Nanoseconds from 10⁹ on say that it is in the leap second that follows that second. No other clock has it, so it
    /// is refused where an instant has to be exact.
    fn to_unix(self) -> (i64, u32);

    /// The instant that many seconds and nanoseconds (below 10⁹) after 1970.
    ///
    /// # Errors
    /// If this type does not hold it exactly.
    fn from_unix(seconds: i64, nanos: u32) -> Result<Self, TimeError>;
}

/// Why an instant can't be had.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TimeError {
    /// It is too early or too late.
    #[error("{} is out of the range of {of}", since_1970(*.seconds, *.nanos))]
    OutOfRange {
        /// The seconds since 1970, rounded down.
        seconds: i64,
        /// The nanoseconds past them.
        nanos: u32,
        /// What can't hold it.
        of: &'static str,
    },
    /// It lies between two that there are.
    #[error("{} is not exact in {of}", since_1970(*.seconds, *.nanos))]
    Inexact {
        /// The seconds since 1970, rounded down.
        seconds: i64,
        /// The nanoseconds past them.
        nanos: u32,
        /// What can't hold it.
        of: &'static str,
    },
    /// It is in a leap second, which a count of seconds since 1970 does not have.
    #[error("the leap second after {seconds} s since 1970 has no place in the count of seconds")]
    LeapSecond {
        /// The last second before it, since 1970.
        seconds: i64,
    },
    /// A day or month begins or ends where the calendar does not reach.
    #[error("{date} begins or ends out of the range of the calendar")]
    Calendar {
        /// The first day of it.
        date: String,
    },
}

/// An instant for people: seconds that are rounded down and nanoseconds past them are not its digits before 1970.
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
