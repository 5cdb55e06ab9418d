//! Times that users give.

use std::time::Duration;

/// A time is added to an instant, which has an end.
pub(crate) const LONGEST: Duration = Duration::from_secs(365 * 24 * 60 * 60);

/// A time that a user gave.
pub(crate) fn bounded(time: Duration) -> Duration {
    time.min(LONGEST)
}
