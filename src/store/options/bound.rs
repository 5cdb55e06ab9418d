//! Waiting for a future within the bounds of a call, on any runtime.

use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::task::Poll;
use std::time::Duration;

use super::Call;
use crate::store::error::Error;

impl Call<'_> {
    /// Waits for a future until the call has to end. `sleep` makes the future that completes after the time that is
    /// left, as the `sleep` of a runtime does. Without a deadline it is not called.
    ///
    /// ```
    /// use std::future::{pending, ready};
    /// use std::time::Duration;
    ///
    /// use rowkey::Error;
    /// use rowkey::store::CallOptions;
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Error> {
    ///
    /// let options = CallOptions::new().timeout(Duration::from_millis(20));
    /// let call = options.begin("get", "users")?;
    /// assert_eq!(call.bound(ready("Ada"), tokio::time::sleep).await?, "Ada");
    /// let late = call.bound(pending::<()>(), tokio::time::sleep).await;
    /// assert!(matches!(late, Err(Error::DeadlineExceeded { doing: "get", .. })));
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::DeadlineExceeded`], [`Error::Cancelled`]. Of a write that was sent, they are no outcome:
    /// [`CommitPoint`](crate::store::CommitPoint).
    #[doc(alias = "timeout")]
    #[doc(alias = "select")]
    pub async fn bound<T, S: Future>(
        &self,
        future: impl Future<Output = T>,
        sleep: impl FnOnce(Duration) -> S,
    ) -> Result<T, Error> {
        let (mut future, mut late) = (pin!(future), pin!(self.remaining().map(sleep)));
        let mut cancelled = self.cancelled();
        poll_fn(|context| {
            if let Poll::Ready(output) = future.as_mut().poll(context) {
                return Poll::Ready(Ok(output));
            }
            let Some(bounds) = &self.0 else { return Poll::Pending };
            let has_ended = cancelled.as_mut().is_some_and(|cancelled| Pin::new(cancelled).poll(context).is_ready())
                || late.as_mut().as_pin_mut().is_some_and(|late| late.poll(context).is_ready());
            if !has_ended {
                return Poll::Pending;
            }
            // A timer may be a little early.
            Poll::Ready(Err(bounds.check().err().unwrap_or_else(|| bounds.late())))
        })
        .await
    }
}

#[cfg(test)]
mod tests {
    use std::future::{pending, ready};
    use std::task::{Context, Waker};

    use super::*;
    use crate::store::error::ErrorKind;
    use crate::store::{CallOptions, Cancel};

    const LONG: Duration = Duration::from_secs(600);

    /// The result of a future at its first poll, with the kind of its error; `None` if it is pending.
    fn at_once<T>(future: impl Future<Output = Result<T, Error>>) -> Option<Result<T, ErrorKind>> {
        match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(result) => Some(result.map_err(|error| error.kind())),
            Poll::Pending => None,
        }
    }

    #[test]
    fn whatever_comes_first_ends_the_wait() {
        let (cancel, bounded) = (Cancel::new(), CallOptions::new().timeout(LONG));
        let bounded = bounded.cancel(&cancel);
        let call = bounded.begin("test", "t").unwrap();
        assert_eq!(at_once(call.bound(ready(7), |_| pending::<()>())), Some(Ok(7)));
        assert_eq!(at_once(call.bound(ready(7), |_| ready(()))), Some(Ok(7)), "the answer before the deadline");
        assert_eq!(at_once(call.bound(pending::<()>(), |_| pending::<()>())), None);
        let mut asked = Duration::ZERO;
        let late = call.bound(pending::<()>(), |time| {
            asked = time;
            ready(())
        });
        assert_eq!(at_once(late), Some(Err(ErrorKind::DeadlineExceeded)));
        assert!(asked > LONG / 2 && asked <= LONG);
        cancel.cancel();
        assert_eq!(at_once(call.bound(pending::<()>(), |_| pending::<()>())), Some(Err(ErrorKind::Cancelled)));
        assert_eq!(at_once(call.bound(ready(7), |_| pending::<()>())), Some(Ok(7)));
    }

    #[test]
    fn without_a_deadline_there_is_no_sleep() {
        let asleep = |_| -> std::future::Ready<()> { panic!("there is no deadline") };
        let (cancel, free) = (Cancel::new(), CallOptions::new());
        let of_token = CallOptions::new().cancel(&cancel);
        for options in [&free, &of_token] {
            let call = options.begin("test", "t").unwrap();
            assert_eq!(at_once(call.bound(ready(7), asleep)), Some(Ok(7)));
            assert_eq!(at_once(call.bound(pending::<()>(), asleep)), None);
        }
    }
}
