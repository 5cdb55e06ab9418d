//! The instants of the crate `time` (feature `time`).
//!
//! ```text
//! UtcDateTime 1969-12-31T23:59:59.5Z    7f ff ff ff ff ff ff ff | 1d cd 65 00      as every instant
//! ```
//!
//! `OffsetDateTime` is not a field, because the key would lose its offset: convert it by `.to_utc()`. The units
//! (`Millis` and so on) convert from both.

use time::{OffsetDateTime, UtcDateTime};

use crate::keys::encode::{Instant, scalar, unix};
use crate::keys::layout::Scalar;
use crate::keys::moment::{Moment, TimeError};

scalar!(UtcDateTime, Scalar::Instant,
    self, w => Instant::of(*self).encode(w),
    r => Instant::decode_as(r, "it is out of the range of time's UtcDateTime"));

impl Moment for UtcDateTime {
    #[inline]
    fn to_unix(self) -> (i64, u32) {
        (self.unix_timestamp(), self.nanosecond())
    }

    #[inline]
    fn from_unix(seconds: i64, nanos: u32) -> Result<Self, TimeError> {
        let out_of_range = |_| TimeError::OutOfRange { seconds, nanos, of: "time's UtcDateTime" };
        Self::from_unix_timestamp(seconds).and_then(|time| time.replace_nanosecond(nanos)).map_err(out_of_range)
    }
}

impl Moment for OffsetDateTime {
    #[inline]
    fn to_unix(self) -> (i64, u32) {
        (self.unix_timestamp(), self.nanosecond())
    }

    #[inline]
    fn from_unix(seconds: i64, nanos: u32) -> Result<Self, TimeError> {
        UtcDateTime::from_unix(seconds, nanos).map(Into::into)
    }
}

unix::from_and_to_units!(UtcDateTime);
unix::from_and_to_units!(OffsetDateTime);

#[cfg(test)]
mod tests {
    use time::UtcOffset;

    use super::*;
    use crate::keys::encode::tests::{bytes, refused, unhex, vector};
    use crate::keys::encode::{Field, Millis, Nanos, Reader, Seconds};

    #[test]
    fn vectors() {
        vector(UtcDateTime::UNIX_EPOCH, "800000000000000000000000", "7fffffffffffffffffffffff");
        let half_past = UtcDateTime::from_unix_timestamp_nanos(-500_000_000).unwrap();
        vector(half_past, "7fffffffffffffff1dcd6500", "8000000000000000e2329aff");
    }

    #[test]
    fn the_ends_of_its_range() {
        for (end, beyond) in [(UtcDateTime::MIN, -1), (UtcDateTime::MAX, 1)] {
            let (seconds, nanos) = end.to_unix();
            assert_eq!(UtcDateTime::from_unix(seconds, nanos), Ok(end));
            assert_eq!(UtcDateTime::decode(&mut Reader::new(&bytes(&end))), Ok(end));
            let beyond = bytes(&Instant { seconds: seconds + beyond, nanos });
            assert_eq!(UtcDateTime::decode(&mut Reader::new(&beyond)).unwrap_err().offset(), 0);
        }
        let nanos = unhex("80000000000000003b9aca00");
        assert_eq!(UtcDateTime::decode(&mut Reader::new(&nanos)).unwrap_err().offset(), 8);
        refused::<UtcDateTime>("000000000000000000000000");
        refused::<UtcDateTime>("ffffffffffffffff3b9ac9ff");
    }

    #[test]
    fn units() {
        let time = UtcDateTime::from_unix_timestamp_nanos(-1).unwrap();
        assert_eq!((Millis::floor(time), Nanos::try_from(time)), (Ok(Millis(-1)), Ok(Nanos(-1))));
        assert!(Millis::try_from(time).is_err());
        assert_eq!(UtcDateTime::try_from(Nanos(-1)), Ok(time));
        let elsewhere = OffsetDateTime::from(time).to_offset(UtcOffset::from_hms(5, 45, 0).unwrap());
        assert_eq!((Seconds::floor(elsewhere), Nanos::try_from(elsewhere)), (Ok(Seconds(-1)), Ok(Nanos(-1))));
        assert_eq!(OffsetDateTime::try_from(Nanos(-1)), Ok(elsewhere));
    }
}
