//! jiff's instants (feature `jiff`).
//!
//! ```text
//! Timestamp 1969-12-31T23:59:59.5Z      7f ff ff ff ff ff ff ff | 1d cd 65 00      as every instant
//! ```

use jiff::Timestamp;

use crate::keys::encode::{Instant, scalar, unix};
use crate::keys::layout::Scalar;
use crate::keys::moment::{Moment, NANOS_PER_SECOND, TimeError};

scalar!(Timestamp, Scalar::Instant,
    self, w => Instant::of(*self).encode(w),
    r => Instant::decode_as(r, "it is out of the range of jiff's Timestamp"));

impl Moment for Timestamp {
    #[inline]
    fn to_unix(self) -> (i64, u32) {
        match (self.as_second(), self.subsec_nanosecond()) {
            (seconds, nanos @ 0..) => (seconds, nanos as u32),
            // jiff rounds toward 1970.
            (seconds, nanos) => (seconds - 1, (NANOS_PER_SECOND as i32 + nanos) as u32),
        }
    }

    #[inline]
    fn from_unix(seconds: i64, nanos: u32) -> Result<Self, TimeError> {
        let out_of_range = |_| TimeError::OutOfRange { seconds, nanos, of: "jiff's Timestamp" };
        Self::new(seconds, nanos as i32).map_err(out_of_range)
    }
}

unix::from_and_to_units!(Timestamp);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keys::encode::tests::{refused, vector};
    use crate::keys::encode::{Millis, Nanos, Seconds};

    #[test]
    fn vectors() {
        vector(Timestamp::UNIX_EPOCH, "800000000000000000000000", "7fffffffffffffffffffffff");
        let half_past = "1969-12-31T23:59:59.5Z".parse::<Timestamp>().unwrap();
        vector(half_past, "7fffffffffffffff1dcd6500", "8000000000000000e2329aff");
        vector(Timestamp::MIN, "7fffffa80f06b91f00000000", "80000057f0f946e0ffffffff");
        vector(Timestamp::MAX, "8000003afff2d3e03b9ac9ff", "7fffffc5000d2c1fc4653600");
    }

    #[test]
    fn beyond_its_range_is_refused() {
        refused::<Timestamp>("7fffffa80f06b91e3b9ac9ff");
        refused::<Timestamp>("8000003afff2d3e100000000");
        refused::<Timestamp>("80000000000000003b9aca00");
        refused::<Timestamp>("000000000000000000000000");
        refused::<Timestamp>("ffffffffffffffff3b9ac9ff");
    }

    #[test]
    fn units() {
        let time = Timestamp::from_nanosecond(-1).unwrap();
        assert_eq!((Millis::floor(time), Nanos::try_from(time)), (Ok(Millis(-1)), Ok(Nanos(-1))));
        assert!(Millis::try_from(time).is_err());
        assert_eq!(Timestamp::try_from(Nanos(-1)), Ok(time));
        assert!(matches!(Timestamp::try_from(Seconds(i64::MAX)), Err(TimeError::OutOfRange { .. })));
        for end in [Timestamp::MIN, Timestamp::MAX] {
            let (seconds, nanos) = end.to_unix();
            assert_eq!(Timestamp::from_unix(seconds, nanos), Ok(end));
        }
    }
}
