//! Instants rounded down to an hour, a day or another period, as the base hour of OpenTSDB's rows.
//!
//! ```text
//! Bucket<Seconds, 3600> 01:00:00    80 00 00 00 00 00 0e 10      as `Seconds`; decoding refuses instants inside a bucket
//! ```

use std::time::Duration;

use crate::keys::encode::{Field, OwnedField, Reader, Sink, Writer};
use crate::keys::error::DecodeError;
use crate::keys::layout::{Type, Unit};
use crate::keys::moment::{Moment, NANOS_PER_SECOND, TimeError, since_1970};

/// A period of time as a key field: an instant of type `T`, rounded down to a multiple of `SECONDS` seconds since 1970
/// (also before 1970).
///
/// Rows of one period then share a key, or its beginning. The rest of each time goes into a later field or into the
/// value.
///
/// ```
/// use std::time::Duration;
///
/// use rowkey::{Bucket, RowKey, Seconds};
///
/// type Hour = Bucket<Seconds, 3600>;
///
/// #[derive(RowKey)]
/// struct Series {
///     metric: [u8; 3],
///     hour: Hour,
/// }
///
/// let (hour, rest) = Hour::split(Seconds(1_356_998_461))?;
/// assert_eq!((hour.start(), rest), (Seconds(1_356_998_400), Duration::from_secs(61)));
/// assert_eq!(hour.at(rest)?, Seconds(1_356_998_461));
///
/// // Every hour that has a part of the window.
/// let (from, to) = (Seconds(1_356_998_461), Seconds(1_357_010_000));
/// let window = Series::prefix().metric([0, 0, 1]).hour_range(Hour::floor(from)?..=Hour::floor(to)?);
/// # Ok::<(), rowkey::TimeError>(())
/// ```
#[doc(alias = "time bucket")]
#[doc(alias = "date_trunc")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Bucket<T, const SECONDS: u32>(T);

impl<T: Moment, const SECONDS: u32> Bucket<T, SECONDS> {
    const LENGTH: i64 = {
        assert!(SECONDS > 0, "a bucket has at least one second");
        SECONDS as i64
    };

    /// Returns the bucket that `time` is in.
    ///
    /// # Errors
    /// If the bucket begins before the range of `T`, or `time` is in a leap second.
    pub fn floor(time: T) -> Result<Self, TimeError> {
        Self::split(time).map(|(bucket, _)| bucket)
    }

    /// Returns the bucket that `time` is in, and the time from the bucket's start: less than `SECONDS` seconds.
    ///
    /// # Errors
    /// If the bucket begins before the range of `T`, or `time` is in a leap second.
    pub fn split(time: T) -> Result<(Self, Duration), TimeError> {
        let (seconds, nanos) = time.to_unix();
        if nanos >= NANOS_PER_SECOND {
            return Err(TimeError::LeapSecond { seconds });
        }
        let rest = seconds.rem_euclid(Self::LENGTH);
        let out_of_range = TimeError::OutOfRange { seconds, nanos, of: "buckets" };
        let start = T::from_unix(seconds.checked_sub(rest).ok_or(out_of_range)?, 0)?;
        Ok((Self(start), Duration::new(rest as u64, nanos)))
    }

    /// Returns the bucket that begins at `start`.
    ///
    /// # Errors
    /// If no bucket begins there.
    pub fn new(start: T) -> Result<Self, TimeError> {
        match Self::split(start)? {
            (bucket, Duration::ZERO) => Ok(bucket),
            _ => {
                let (seconds, nanos) = start.to_unix();
                Err(TimeError::Inexact { seconds, nanos, of: "buckets" })
            }
        }
    }

    /// The bucket's first instant.
    pub fn start(self) -> T {
        self.0
    }

    /// Returns the instant this far from the bucket's start: the inverse of [`split`](Self::split).
    ///
    /// # Errors
    /// If the instant is not in the bucket, or `T` can't hold it exactly.
    pub fn at(self, rest: Duration) -> Result<T, TimeError> {
        let (start, nanos) = (self.0.to_unix().0, rest.subsec_nanos());
        match start.checked_add_unsigned(rest.as_secs()) {
            Some(seconds) if rest < Duration::from_secs(SECONDS.into()) => T::from_unix(seconds, nanos),
            _ => {
                let seconds = start.saturating_add_unsigned(rest.as_secs());
                Err(TimeError::OutOfRange { seconds, nanos, of: "the bucket" })
            }
        }
    }
}

impl<T: Moment + OwnedField, const SECONDS: u32> Field for Bucket<T, SECONDS> {
    type Ref<'a> = Self;
    const TYPE: &'static Type = {
        let _ = Self::LENGTH;
        &Type::Measured { unit: Unit::BucketOf(SECONDS), ty: T::TYPE }
    };

    #[inline]
    fn encode<S: Sink>(&self, w: &mut Writer<'_, S>) {
        self.0.encode(w);
    }

    #[inline]
    fn decode<'a>(r: &mut Reader<'a>) -> Result<Self, DecodeError> {
        let at = r.offset();
        let start = T::decode(r)?;
        Self::new(start).map_err(|_| {
            let (seconds, nanos) = start.to_unix();
            r.bad_value(at, since_1970(seconds, nanos), "no bucket begins there")
        })
    }

    #[inline]
    fn skip(r: &mut Reader<'_>) -> Result<(), DecodeError> {
        T::skip(r)
    }
}
crate::keys::encode::into_field!(@ [T: Moment + OwnedField, const SECONDS: u32] Bucket<T, SECONDS>);

#[cfg(test)]
mod tests {
    use std::time::{SystemTime, UNIX_EPOCH};

    use proptest::prelude::*;

    use super::*;
    use crate::keys::encode::tests::{refused, vector};
    use crate::keys::encode::{Millis, Nanos, Seconds};

    type Hour<T> = Bucket<T, 3600>;

    #[test]
    fn vectors() {
        vector(Hour::floor(Seconds(7199)).unwrap(), "8000000000000e10", "7ffffffffffff1ef");
        vector(Hour::floor(Millis(-1)).unwrap(), "7fffffffffc91180", "800000000036ee7f");
        let before_1970 = Hour::floor(UNIX_EPOCH - Duration::from_nanos(1)).unwrap();
        vector(before_1970, "7ffffffffffff1f000000000", "8000000000000e0fffffffff");
        refused::<Hour<Seconds>>("8000000000000e11");
        refused::<Hour<Millis>>("7fffffffffffffff");
        refused::<Hour<SystemTime>>("7ffffffffffff1f000000001");
    }

    #[test]
    fn before_1970_too() {
        let (hour, rest) = Hour::split(Millis(-1)).unwrap();
        assert_eq!((hour.start(), rest), (Millis(-3_600_000), Duration::from_millis(3_599_999)));
        assert_eq!(hour.at(rest), Ok(Millis(-1)));
        assert_eq!(Hour::new(Millis(-3_600_000)), Ok(hour));
        assert!(matches!(Hour::new(Millis(-1)), Err(TimeError::Inexact { seconds: -1, .. })));
    }

    #[test]
    fn what_is_not_in_a_bucket() {
        let hour = Hour::new(Seconds(3600)).unwrap();
        for rest in [Duration::from_secs(3600), Duration::MAX] {
            assert!(matches!(hour.at(rest), Err(TimeError::OutOfRange { .. })));
        }
        assert!(matches!(hour.at(Duration::from_millis(1)), Err(TimeError::Inexact { .. })));
        assert!(matches!(Hour::floor((0, 1_500_000_000)), Err(TimeError::LeapSecond { .. })));
    }

    #[test]
    fn the_ends_of_the_ranges() {
        assert!(matches!(Hour::floor(Seconds(i64::MIN)), Err(TimeError::OutOfRange { .. })));
        assert!(matches!(Hour::floor(Nanos(i64::MIN)), Err(TimeError::OutOfRange { .. })));
        let (hour, rest) = Hour::split(Seconds(i64::MAX)).unwrap();
        assert_eq!(hour.at(rest), Ok(Seconds(i64::MAX)));
        assert!(hour.at(rest + Duration::from_secs(1)).is_err());
    }

    proptest! {
        #[test]
        fn split_is_undone_by_at(n in i64::MIN / 2..i64::MAX) {
            let (hour, rest) = Hour::split(Millis(n)).unwrap();
            let Millis(start) = hour.start();
            prop_assert_eq!(start.rem_euclid(3_600_000), 0);
            prop_assert!(start <= n && n - start < 3_600_000);
            prop_assert_eq!(hour.at(rest), Ok(Millis(n)));
        }
    }
}
