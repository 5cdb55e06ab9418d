//! Instants as a number of seconds, milliseconds, microseconds or nanoseconds since 1970 (Unix time).
//!
//! ```text
//! Millis 1307097848000      80 00 01 30 55 1a 58 c0      as i64
//! Millis -1                 7f ff ff ff ff ff ff ff      a millisecond before 1970
//! Seconds desc 1            7f ff ff ff ff ff ff fe      HBase's Long.MAX_VALUE - 1
//! ```

use std::time::SystemTime;

use crate::keys::encode::{Field, Reader, Sink, Writer};
use crate::keys::error::DecodeError;
use crate::keys::layout::{Type, Unit};
use crate::keys::moment::{Moment, NANOS_PER_SECOND, TimeError};

macro_rules! units {
    ($($(#[$doc:meta])* $unit:ident, $measure:ident, $per_second:literal, $name:literal;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $unit(pub i64);

        impl $unit {
            const NANOS: u32 = NANOS_PER_SECOND / $per_second;

            /// Returns `time`, rounded down (toward the past). A leap second counts as the last instant before it.
            ///
            /// # Errors
            /// If it is out of range.
            pub fn floor(time: impl Moment) -> Result<Self, TimeError> {
                let (seconds, nanos) = time.to_unix();
                let nanos = nanos.min(NANOS_PER_SECOND - 1);
                let count = i128::from(seconds) * $per_second + i128::from(nanos / Self::NANOS);
                let out_of_range = |_| TimeError::OutOfRange { seconds, nanos, of: $name };
                i64::try_from(count).map(Self).map_err(out_of_range)
            }

            /// Returns `time` if this type can hold it exactly: what `try_from` does, for every type of instant.
            ///
            /// # Errors
            /// If it is out of range, is between two values of this type, or is in a leap second.
            pub fn exact(time: impl Moment) -> Result<Self, TimeError> {
                match time.to_unix() {
                    (seconds, NANOS_PER_SECOND..) => Err(TimeError::LeapSecond { seconds }),
                    (seconds, nanos) if !nanos.is_multiple_of(Self::NANOS) => {
                        Err(TimeError::Inexact { seconds, nanos, of: $name })
                    }
                    _ => Self::floor(time),
                }
            }
        }

        impl Moment for $unit {
            #[inline]
            fn to_unix(self) -> (i64, u32) {
                (self.0.div_euclid($per_second), self.0.rem_euclid($per_second) as u32 * Self::NANOS)
            }

            #[inline]
            fn from_unix(seconds: i64, nanos: u32) -> Result<Self, TimeError> {
                Self::exact((seconds, nanos))
            }
        }

        impl Field for $unit {
            type Ref<'a> = Self;
            const TYPE: &'static Type = &Type::Measured { unit: Unit::$measure, ty: i64::TYPE };

            #[inline]
            fn encode<S: Sink>(&self, w: &mut Writer<'_, S>) {
                self.0.encode(w);
            }

            #[inline]
            fn decode<'a>(r: &mut Reader<'a>) -> Result<Self, DecodeError> {
                i64::decode(r).map(Self)
            }

            #[inline]
            fn skip(r: &mut Reader<'_>) -> Result<(), DecodeError> {
                i64::skip(r)
            }
        }
        crate::keys::encode::into_field!($unit);
    )*};
}
units! {
    /// An instant as a key field: whole seconds since 1970, with the bytes of an `i64`.
    #[doc(alias = "timestamp")]
    Seconds, Second, 1, "seconds";
    /// An instant as a key field: whole milliseconds since 1970, with the bytes of an `i64`.
    ///
    /// With `#[rowkey(desc)]` the newest comes first, as with HBase's reverse timestamps.
    ///
    /// ```
    /// use std::time::{Duration, UNIX_EPOCH};
    ///
    /// use rowkey::Millis;
    ///
    /// let before_1970 = UNIX_EPOCH - Duration::from_micros(1);
    /// assert_eq!(Millis::floor(before_1970)?, Millis(-1));
    /// assert!(Millis::try_from(before_1970).is_err(), "not a whole millisecond");
    /// assert_eq!(Millis::try_from(UNIX_EPOCH + Duration::from_secs(1))?, Millis(1000));
    /// # Ok::<(), rowkey::TimeError>(())
    /// ```
    #[doc(alias = "timestamp")]
    #[doc(alias = "reverse timestamp")]
    Millis, Millisecond, 1_000, "milliseconds";
    /// An instant as a key field: whole microseconds since 1970, with the bytes of an `i64`.
    #[doc(alias = "timestamp")]
    Micros, Microsecond, 1_000_000, "microseconds";
    /// An instant as a key field: nanoseconds since 1970, with the bytes of an `i64`, from the year 1677 to 2262.
    #[doc(alias = "timestamp")]
    Nanos, Nanosecond, 1_000_000_000, "nanoseconds";
}

/// Seconds and nanoseconds, unchanged.
impl Moment for (i64, u32) {
    #[inline]
    fn to_unix(self) -> (i64, u32) {
        self
    }

    #[inline]
    fn from_unix(seconds: i64, nanos: u32) -> Result<Self, TimeError> {
        Ok((seconds, nanos))
    }
}

/// Implements `TryFrom`, both ways, between a type of instant and the units.
macro_rules! from_and_to_units {
    ($time:ty) => {
        $crate::keys::encode::unix::from_and_to_units!($time: Seconds Millis Micros Nanos);
    };
    ($time:ty: $($unit:ident)*) => {$(
        impl TryFrom<$time> for $crate::keys::encode::$unit {
            type Error = $crate::keys::moment::TimeError;

            /// Converts exactly; to round down, use [`floor`](Self::floor).
            fn try_from(time: $time) -> Result<Self, Self::Error> {
                Self::exact(time)
            }
        }

        impl TryFrom<$crate::keys::encode::$unit> for $time {
            type Error = $crate::keys::moment::TimeError;

            fn try_from(time: $crate::keys::encode::$unit) -> Result<Self, Self::Error> {
                let (seconds, nanos) = $crate::keys::moment::Moment::to_unix(time);
                $crate::keys::moment::Moment::from_unix(seconds, nanos)
            }
        }
    )*};
}
pub(crate) use from_and_to_units;

from_and_to_units!(SystemTime);
from_and_to_units!(Seconds: Millis Micros Nanos);
from_and_to_units!(Millis: Micros Nanos);
from_and_to_units!(Micros: Nanos);

#[cfg(test)]
mod tests {
    use std::time::{Duration, UNIX_EPOCH};

    use proptest::prelude::*;

    use super::*;
    use crate::keys::encode::tests::{refused, vector};

    #[test]
    fn vectors() {
        vector(Millis(1_307_097_848_000), "80000130551a58c0", "7ffffecfaae5a73f");
        vector(Millis(-1), "7fffffffffffffff", "8000000000000000");
        vector(Seconds(i64::MIN), "0000000000000000", "ffffffffffffffff");
        vector(Micros(1), "8000000000000001", "7ffffffffffffffe");
        vector(Nanos(i64::MAX), "ffffffffffffffff", "0000000000000000");
        refused::<Millis>("80000000000000");
    }

    #[test]
    fn the_ends_of_the_ranges() {
        let out_of_range = |result: Result<Nanos, _>| assert!(matches!(result, Err(TimeError::OutOfRange { .. })));
        let (first, last) = (Nanos(i64::MIN).to_unix(), Nanos(i64::MAX).to_unix());
        assert_eq!((first, last), ((-9_223_372_037, 145_224_192), (9_223_372_036, 854_775_807)));
        for end in [first, last] {
            assert_eq!(Nanos::exact(end), Nanos::floor(end));
            assert!(Nanos::exact(end).is_ok());
        }
        for beyond in [(first.0, first.1 - 1), (last.0, last.1 + 1), (i64::MIN, 0), (i64::MAX, 999_999_999)] {
            out_of_range(Nanos::exact(beyond));
            out_of_range(Nanos::floor(beyond));
        }
        assert_eq!(Seconds::floor((i64::MAX, 999_999_999)), Ok(Seconds(i64::MAX)));
        assert_eq!(Seconds::floor((i64::MIN, 0)), Ok(Seconds(i64::MIN)));
        assert!(matches!(Millis::try_from(Seconds(i64::MAX)), Err(TimeError::OutOfRange { .. })));
        assert!(matches!(Nanos::try_from(Micros(i64::MIN)), Err(TimeError::OutOfRange { .. })));
    }

    #[test]
    fn fractions_before_1970() {
        let before = UNIX_EPOCH - Duration::new(1, 1);
        assert_eq!(Seconds::floor(before), Ok(Seconds(-2)));
        assert_eq!(Millis::floor(before), Ok(Millis(-1001)));
        assert_eq!(Micros::floor(before), Ok(Micros(-1_000_001)));
        assert_eq!(Nanos::try_from(before), Ok(Nanos(-1_000_000_001)));
        let inexact = TimeError::Inexact { seconds: -2, nanos: 999_999_999, of: "microseconds" };
        assert_eq!(inexact.to_string(), "-1.000000001 s since 1970 is not exact in microseconds");
        assert_eq!(Micros::try_from(before), Err(inexact));
        assert_eq!(SystemTime::try_from(Nanos(-1_000_000_001)), Ok(before));
    }

    #[test]
    fn a_leap_second_is_the_last_instant_before_it() {
        let leap = (1_483_228_799, 1_500_000_000);
        assert_eq!(Millis::exact(leap), Err(TimeError::LeapSecond { seconds: 1_483_228_799 }));
        assert_eq!(Millis::floor(leap), Ok(Millis(1_483_228_799_999)));
        assert_eq!(Seconds::floor(leap), Ok(Seconds(1_483_228_799)));
    }

    proptest! {
        #[test]
        fn floor_is_the_last_that_is_not_after(seconds: i64, nanos in 0..NANOS_PER_SECOND) {
            let at = i128::from(seconds) * 1_000_000_000 + i128::from(nanos);
            macro_rules! check {
                ($($unit:ident)*) => {$(
                    let nanos_of = |n: i128| n * i128::from($unit::NANOS);
                    match $unit::floor((seconds, nanos)) {
                        Ok($unit(n)) => {
                            prop_assert!(nanos_of(n.into()) <= at && at < nanos_of(i128::from(n) + 1));
                            let exact = $unit::exact((seconds, nanos));
                            prop_assert_eq!(exact.is_ok(), nanos_of(n.into()) == at);
                        }
                        Err(_) => prop_assert!(at < nanos_of(i64::MIN.into()) || at >= nanos_of(1 << 63)),
                    }
                )*};
            }
            check!(Seconds Millis Micros Nanos);
        }

        #[test]
        fn there_and_back(n: i64) {
            prop_assert_eq!(Nanos::exact(Nanos(n).to_unix()), Ok(Nanos(n)));
            if let Ok(nanos) = Nanos::try_from(Micros(n)) {
                prop_assert_eq!(Micros::try_from(nanos), Ok(Micros(n)));
            }
            if let Ok(time) = SystemTime::try_from(Millis(n)) {
                prop_assert_eq!(Millis::try_from(time), Ok(Millis(n)));
            }
        }
    }
}
