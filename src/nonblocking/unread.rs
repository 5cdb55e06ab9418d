//! Scans of an engine that read nothing.

use std::pin::Pin;
use std::task::{Context, Poll};

use futures_core::stream::Stream;

use super::Batches;
use crate::store::error::Error;
use crate::store::{CallOptions, RowBatch};

/// A scan that can't be opened: its first item is the error. For authors of engines.
pub fn refused_scan(error: Error) -> Batches {
    Box::pin(Checked(Some(move || Err(error))))
}

/// A scan of a read that asks for nothing. It has no rows; a call after its deadline, or with a cancelled token, is
/// refused as any other. For authors of engines.
pub fn empty_scan(options: CallOptions, table: &str) -> Batches {
    let table = table.to_owned();
    Box::pin(Checked(Some(move || options.begin("scan", &table).map(drop))))
}

/// Ends after a check at the first poll, with the error of that if it fails.
struct Checked<C>(Option<C>);

impl<C: FnOnce() -> Result<(), Error> + Unpin> Stream for Checked<C> {
    type Item = Result<RowBatch, Error>;

    fn poll_next(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        Poll::Ready(self.0.take().and_then(|check| check().err()).map(Err))
    }
}

#[cfg(test)]
mod tests {
    use std::task::Waker;
    use std::time::Duration;

    use super::*;
    use crate::store::error::ErrorKind;

    fn items(mut batches: Batches) -> [Option<ErrorKind>; 3] {
        let mut next = || match batches.as_mut().poll_next(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(item) => item.map(|batch| batch.unwrap_err().kind()),
            Poll::Pending => panic!("it waits for nothing"),
        };
        [(); 3].map(|()| next())
    }

    #[test]
    fn they_end_after_their_error() {
        assert_eq!(items(refused_scan(Error::EmptyKey)), [Some(Error::EmptyKey.kind()), None, None]);
        assert_eq!(items(empty_scan(CallOptions::new(), "t")), [None; 3]);
        let late = CallOptions::new().timeout(Duration::ZERO);
        assert_eq!(items(empty_scan(late, "t")), [Some(ErrorKind::DeadlineExceeded), None, None]);
    }
}
