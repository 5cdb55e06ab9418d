//! Waiting within the bounds of a call and of an attempt.

use std::future::{Future, pending};
use std::time::Duration;

use rowkey::Error;
use rowkey::store::Call;
use tokio::time::sleep;

/// Waits for `future` until the call has to end, or until the attempt has taken `most`: then it returns `None`.
pub(crate) async fn within<R>(
    call: &Call<'_>,
    most: Option<Duration>,
    future: impl Future<Output = R>,
) -> Result<Option<R>, Error> {
    let time = call.remaining().into_iter().chain(most).min();
    let late = async {
        match time {
            Some(time) => sleep(time).await,
            None => pending().await,
        }
    };
    let cancelled = async {
        match call.cancelled() {
            Some(cancelled) => cancelled.await,
            None => pending().await,
        }
    };
    tokio::select! {
        biased;
        output = future => Ok(Some(output)),
        () = late => call.check().map(|()| None),
        () = cancelled => call.check().map(|()| None),
    }
}

/// Waits between two attempts, until the call has to end at the latest.
pub(crate) async fn pause(call: &Call<'_>, time: Duration) -> Result<(), Error> {
    within(call, Some(time), pending::<()>()).await?;
    call.check()
}
