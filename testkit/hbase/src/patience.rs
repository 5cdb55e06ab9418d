//! Timeouts that are long enough on a machine of any load.

use std::fmt::Debug;
use std::time::Duration;

/// Runs `attempt` with a timeout that is doubled until its result is the one that is due: on a busy machine a short
/// timeout ends before anything has begun. A fault shows at any timeout, and so it fails after seven.
///
/// # Panics
///
/// If the last result is another one.
pub async fn with_longer_timeouts<T: PartialEq + Debug>(
    shortest: Duration,
    due: T,
    attempt: impl AsyncFn(Duration) -> T,
) {
    let mut timeout = shortest;
    for _ in 0..6 {
        if attempt(timeout).await == due {
            return;
        }
        timeout *= 2;
    }
    assert_eq!(attempt(timeout).await, due, "within {timeout:?}");
}

/// Waits for what comes in its own time, a minute at most.
///
/// # Panics
///
/// If it has not come.
pub async fn eventually(is_there: impl Fn() -> bool) {
    for _ in 0..6_000 {
        if is_there() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("it has not come within a minute");
}
