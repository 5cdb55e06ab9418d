//! Waiting within the bounds of a call and of an attempt.

use std::future::Future;
use std::time::Duration;

use rowkey::Error;
use rowkey::store::Call;
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

/// Waits between two attempts, until the call has to end at the latest.
pub(crate) async fn pause(call: &Call<'_>, time: Duration) -> Result<(), Error> {
    call.bound(sleep(time), sleep).await?;
    call.check()
}
