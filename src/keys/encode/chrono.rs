//! chrono's instants (feature `chrono`).
//!
//! ```text
//! ChronoUtc 1969-12-31T23:59:59.5Z      7f ff ff ff ff ff ff ff | 1d cd 65 00      as every instant
//! ```
//!
//! `ChronoUtc` is a type of its own because chrono has leap seconds, which the format has not. Encoding has no errors,
//! so the value is checked when it is made.

use std::ops::Deref;

use chrono::{DateTime, Utc};

use crate::keys::encode::{Instant, scalar, unix};
use crate::keys::layout::Scalar;
use crate::keys::moment::{Moment, NANOS_PER_SECOND, TimeError};

/// A `chrono::DateTime<Utc>` as a key field: any instant that is not in a leap second (feature `chrono`).
///
/// ```
/// use chrono::{DateTime, NaiveDate, Utc};
/// use rowkey::{ChronoUtc, RowKey};
///
/// #[derive(RowKey)]
/// struct Login {
///     user: u64,
///     #[rowkey(desc)]
///     at: ChronoUtc,
/// }
///
/// let at: DateTime<Utc> = "2016-12-31T23:59:59.5Z".parse().unwrap();
/// let login = Login { user: 42, at: at.try_into()? };
/// assert_eq!(*Login::decode(&login.encode()).unwrap().at, at);
///
/// let leap = NaiveDate::from_ymd_opt(2016, 12, 31).and_then(|day| day.and_hms_milli_opt(23, 59, 59, 1_500));
/// let leap = leap.unwrap().and_utc();
/// assert!(ChronoUtc::try_from(leap).is_err());
/// assert_eq!(ChronoUtc::floor(leap).to_string(), "2016-12-31 23:59:59.999999999 UTC");
/// # Ok::<(), rowkey::TimeError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ChronoUtc(DateTime<Utc>);

impl ChronoUtc {
    /// Returns the instant; for a leap second, the last nanosecond before it.
    pub fn floor(time: DateTime<Utc>) -> Self {
        match time.to_unix() {
            (seconds, NANOS_PER_SECOND..) => {
                Self(DateTime::from_timestamp(seconds, NANOS_PER_SECOND - 1).unwrap_or_default())
            }
            _ => Self(time),
        }
    }

    /// Returns it as chrono's type.
    pub fn get(self) -> DateTime<Utc> {
        self.0
    }
}

impl TryFrom<DateTime<Utc>> for ChronoUtc {
    type Error = TimeError;

    fn try_from(time: DateTime<Utc>) -> Result<Self, TimeError> {
        match time.to_unix() {
            (seconds, NANOS_PER_SECOND..) => Err(TimeError::LeapSecond { seconds }),
            _ => Ok(Self(time)),
        }
    }
}

impl From<ChronoUtc> for DateTime<Utc> {
    fn from(time: ChronoUtc) -> Self {
        time.0
    }
}

impl Deref for ChronoUtc {
    type Target = DateTime<Utc>;
    fn deref(&self) -> &DateTime<Utc> {
        &self.0
    }
}

impl std::fmt::Display for ChronoUtc {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

scalar!(ChronoUtc, Scalar::Instant,
    self, w => Instant::of(*self).encode(w),
    r => Instant::decode_as(r, "it is out of the range of chrono's DateTime"));

impl Moment for DateTime<Utc> {
    #[inline]
    fn to_unix(self) -> (i64, u32) {
        (self.timestamp(), self.timestamp_subsec_nanos())
    }

    #[inline]
    fn from_unix(seconds: i64, nanos: u32) -> Result<Self, TimeError> {
        Self::from_timestamp(seconds, nanos).ok_or(TimeError::OutOfRange { seconds, nanos, of: "chrono's DateTime" })
    }
}

impl Moment for ChronoUtc {
    #[inline]
    fn to_unix(self) -> (i64, u32) {
        self.0.to_unix()
    }

    #[inline]
    fn from_unix(seconds: i64, nanos: u32) -> Result<Self, TimeError> {
        DateTime::from_unix(seconds, nanos).and_then(Self::try_from)
    }
}

unix::from_and_to_units!(DateTime<Utc>);
unix::from_and_to_units!(ChronoUtc);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keys::encode::tests::{bytes, refused, vector};
    use crate::keys::encode::{Field, Millis, Nanos, Reader, Seconds};

    fn at(text: &str) -> DateTime<Utc> {
        text.parse().unwrap()
    }

    #[test]
    fn vectors() {
        vector(ChronoUtc::default(), "800000000000000000000000", "7fffffffffffffffffffffff");
        let half_past = ChronoUtc::floor(at("1969-12-31T23:59:59.5Z"));
        vector(half_past, "7fffffffffffffff1dcd6500", "8000000000000000e2329aff");
    }

    #[test]
    fn the_ends_of_its_range() {
        for (end, beyond) in [(DateTime::<Utc>::MIN_UTC, -1), (DateTime::<Utc>::MAX_UTC, 1)] {
            let end = ChronoUtc::try_from(end).unwrap();
            assert_eq!(ChronoUtc::decode(&mut Reader::new(&bytes(&end))), Ok(end));
            let (seconds, nanos) = end.to_unix();
            let beyond = bytes(&Instant { seconds: seconds + beyond, nanos });
            assert_eq!(ChronoUtc::decode(&mut Reader::new(&beyond)).unwrap_err().offset(), 0);
        }
        refused::<ChronoUtc>("000000000000000000000000");
        refused::<ChronoUtc>("ffffffffffffffff3b9ac9ff");
    }

    #[test]
    fn no_leap_second_gets_in_or_out() {
        let leap = at("2016-12-31T23:59:60.25Z");
        assert_eq!(leap.to_unix(), (1_483_228_799, 1_250_000_000));
        let refusal = TimeError::LeapSecond { seconds: 1_483_228_799 };
        assert_eq!(ChronoUtc::try_from(leap), Err(refusal.clone()));
        assert_eq!(Nanos::try_from(leap), Err(refusal));
        assert_eq!(ChronoUtc::floor(leap).get(), at("2016-12-31T23:59:59.999999999Z"));
        assert_eq!(Millis::floor(leap), Ok(Millis(1_483_228_799_999)));
        assert!(ChronoUtc::from_unix(1_483_228_799, 1_250_000_000).is_err());
        refused::<ChronoUtc>("80000000586846ff4a817c80");
    }

    #[test]
    fn units() {
        let time = at("1969-12-31T23:59:59.999999999Z");
        assert_eq!((Millis::floor(time), Nanos::try_from(time)), (Ok(Millis(-1)), Ok(Nanos(-1))));
        assert!(Millis::try_from(ChronoUtc::floor(time)).is_err());
        assert_eq!(<DateTime<Utc>>::try_from(Nanos(-1)), Ok(time));
        assert_eq!(ChronoUtc::try_from(Nanos(-1)).map(ChronoUtc::get), Ok(time));
        assert!(matches!(<DateTime<Utc>>::try_from(Seconds(i64::MIN)), Err(TimeError::OutOfRange { .. })));
    }
}
