//! Instants and durations, exact to the nanosecond.
//!
//! ```text
//! SystemTime 1970-01-01T00:00:00Z       80 00 00 00 00 00 00 00 | 00 00 00 00    i64 seconds, rounded down; u32 nanoseconds
//! SystemTime one nanosecond earlier     7f ff ff ff ff ff ff ff | 3b 9a c9 ff
//! Duration 3600.000000005 s             00 00 00 00 00 00 0e 10 | 00 00 00 05    u64 seconds; u32 nanoseconds
//! ```

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crate::keys::encode::{Field, Reader, scalar};
use crate::keys::error::DecodeError;
use crate::keys::layout::Scalar;
use crate::keys::moment::{Moment, NANOS_PER_SECOND as NANOS};

/// The form of every type of instant in a key: seconds since 1970, rounded down, and nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Instant {
    pub(crate) seconds: i64,
    pub(crate) nanos: u32,
}

fn nanos(r: &mut Reader<'_>) -> Result<u32, DecodeError> {
    let at = r.offset();
    let nanos = u32::decode(r)?;
    if nanos < NANOS { Ok(nanos) } else { Err(r.bad_value(at, nanos.to_string(), "nanoseconds are below 1000000000")) }
}

scalar!(Instant, Scalar::Instant,
    self, w => {
        self.seconds.encode(w);
        self.nanos.encode(w);
    },
    r => Ok(Self { seconds: i64::decode(r)?, nanos: nanos(r)? }));

scalar!(Duration, Scalar::Duration,
    self, w => {
        self.as_secs().encode(w);
        self.subsec_nanos().encode(w);
    },
    r => Ok(Self::new(u64::decode(r)?, nanos(r)?)));

scalar!(SystemTime, Scalar::Instant,
    self, w => Instant::of(*self).encode(w),
    r => Instant::decode_as(r, "this platform's SystemTime can't hold it exactly"));

impl From<SystemTime> for Instant {
    #[inline]
    fn from(time: SystemTime) -> Self {
        match time.duration_since(UNIX_EPOCH) {
            Ok(after) => Self { seconds: after.as_secs() as i64, nanos: after.subsec_nanos() },
            Err(before) => {
                let before = before.duration();
                let seconds = before.as_secs().wrapping_neg() as i64;
                match before.subsec_nanos() {
                    0 => Self { seconds, nanos: 0 },
                    nanos => Self { seconds: seconds.wrapping_sub(1), nanos: NANOS - nanos },
                }
            }
        }
    }
}

impl Instant {
    /// Converts a time that is not in a leap second.
    #[inline]
    pub(crate) fn of(time: impl Moment) -> Self {
        let (seconds, nanos) = time.to_unix();
        Self { seconds, nanos }
    }

    /// Reads an instant as a type that can't hold all instants.
    #[inline]
    pub(crate) fn decode_as<T: Moment>(r: &mut Reader<'_>, otherwise: &'static str) -> Result<T, DecodeError> {
        let at = r.offset();
        let Self { seconds, nanos } = Self::decode(r)?;
        T::from_unix(seconds, nanos).map_err(|_| r.bad_value(at, format!("{seconds} s"), otherwise))
    }

    pub(crate) fn to_system_time(self) -> Option<SystemTime> {
        let nanos = Duration::from_nanos(u64::from(self.nanos));
        let whole = Duration::from_secs(self.seconds.unsigned_abs());
        let whole = if self.seconds < 0 { UNIX_EPOCH.checked_sub(whole) } else { UNIX_EPOCH.checked_add(whole) };
        let time = whole?.checked_add(nanos)?;
        (Self::from(time) == self).then_some(time)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keys::encode::tests::refused;

    #[test]
    fn the_whole_range_of_system_time() {
        for instant in [Instant { seconds: i64::MIN, nanos: 0 }, Instant { seconds: i64::MAX, nanos: NANOS - 1 }] {
            if let Some(time) = instant.to_system_time() {
                assert_eq!(Instant::from(time), instant);
            }
        }
    }

    #[test]
    fn a_whole_second_of_nanoseconds_is_refused() {
        refused::<SystemTime>("80000000000000003b9aca00");
        refused::<Duration>("00000000000000003b9aca00");
    }
}
