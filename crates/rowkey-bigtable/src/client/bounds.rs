//! Waiting within the bounds of a call and of an attempt.

use std::future::Future;
use std::time::Duration;

use rowkey::Error;
use rowkey::store::Call;
use rowkey_retry::{Delay, cut_pause};
use tokio::time::{sleep, timeout};

/// Waits for `future` until the call has to end, or until the attempt has taken `most`: then it returns `None`.
pub(crate) async fn within<R>(
    call: &Call<'_>,
    most: Option<Duration>,
    future: impl Future<Output = R>,
) -> Result<Option<R>, Error> {
    let attempt = async {
        match most {
            Some(most) => timeout(most, future).await.ok(),
            None => Some(future.await),
        }
    };
    call.bound(attempt, sleep).await
}

/// Waits between two attempts, until the call has to end at the latest. A pause that no server asked for is cut, so
/// that the last attempt is near the call's deadline.
pub(crate) async fn pause(call: &Call<'_>, delay: Delay, time: Duration) -> Result<(), Error> {
    let time = match call.remaining() {
        Some(left) if !matches!(delay, Delay::Server(_)) => cut_pause(time, left).unwrap_or(left),
        _ => time,
    };
    call.bound(sleep(time), sleep).await?;
    call.check()
}
