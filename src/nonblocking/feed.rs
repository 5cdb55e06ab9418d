//! The streams that feed a merge.

use std::task::{Context, Poll, ready};

use super::Batches;
use crate::store::RowBatch;
use crate::store::error::Error;
use crate::store::merge::{BatchMerge, Step};
use crate::table::progress::Progress;

/// The item that a stream yielded: a batch with rows, or `None` at its end.
pub(super) type Yielded = Result<Option<RowBatch>, Error>;

/// Passes over empty batches, of which there may be many: after each, other tasks have a turn.
pub(super) fn poll_batch(batches: &mut Batches, context: &mut Context<'_>) -> Poll<Yielded> {
    match ready!(batches.as_mut().poll_next(context)) {
        Some(Ok(batch)) if batch.is_empty() => {
            context.waker().wake_by_ref();
            Poll::Pending
        }
        yielded => Poll::Ready(yielded.transpose()),
    }
}

/// Open streams, numbered as the sources of the merge that they feed.
pub(super) struct Feed {
    sources: Vec<Source>,
    /// True if each stream is asked for its next batch when it has yielded one, and not when that is needed.
    ahead: bool,
    rows_read: u64,
    /// Rows read when the task last gave other tasks a turn, and rows returned since.
    at_turn: u64,
    returned: u64,
}

/// Number of rows that were there at once, read or returned, after which the task gives others a turn.
const ROWS_A_TURN: u64 = 256;

struct Source {
    /// `None` after the end.
    batches: Option<Batches>,
    ahead: Option<Yielded>,
}

impl Feed {
    pub(super) fn new(streams: impl IntoIterator<Item = Batches>, ahead: bool) -> Self {
        let sources = streams.into_iter().map(|batches| Source { batches: Some(batches), ahead: None });
        Self { sources: sources.collect(), ahead, rows_read: 0, at_turn: 0, returned: 0 }
    }

    /// Number of rows read so far, including those read ahead.
    pub(super) fn rows_read(&self) -> u64 {
        self.rows_read
    }

    /// Takes steps, and feeds the merge, until there is a row; returns `false` at the end. The streams are dropped at
    /// the end, and before an error is returned.
    #[inline]
    pub(super) fn poll_row(&mut self, context: &mut Context<'_>, progress: &mut Progress) -> Poll<Result<bool, Error>> {
        if self.returned >= ROWS_A_TURN {
            return self.end_turn(context);
        }
        loop {
            match progress.step() {
                Ok(Step::Row) => {
                    self.returned += 1;
                    return Poll::Ready(Ok(true));
                }
                // Rows that are skipped are read and not returned.
                Ok(Step::Feed(_)) if self.rows_read - self.at_turn >= ROWS_A_TURN => return self.end_turn(context),
                Ok(Step::Feed(_)) if self.poll_feed(context, progress.merge()) => {}
                Ok(Step::Feed(_)) => {
                    (self.at_turn, self.returned) = (self.rows_read, 0);
                    return Poll::Pending;
                }
                end => {
                    self.sources.clear();
                    return Poll::Ready(end.map(|_| false));
                }
            }
        }
    }

    /// Others go on; the task is woken at once.
    #[cold]
    fn end_turn<T>(&mut self, context: &mut Context<'_>) -> Poll<T> {
        (self.at_turn, self.returned) = (self.rows_read, 0);
        context.waker().wake_by_ref();
        Poll::Pending
    }

    /// Polls every stream that the merge needs a batch of: at the start all of them, so that their first batches are
    /// read at the same time. Returns whether one was fed.
    #[inline(never)]
    fn poll_feed(&mut self, context: &mut Context<'_>, merge: &mut BatchMerge) -> bool {
        let mut is_fed = false;
        for (number, source) in self.sources.iter_mut().enumerate() {
            if merge.wants(number) {
                let Poll::Ready(yielded) = source.poll_next(context, &mut self.rows_read) else { continue };
                let fed = yielded.map(|rows| {
                    if let (Some(rows), Some(batch)) = (rows, merge.batch(number)) {
                        *batch = rows;
                    }
                });
                merge.feed(number, fed);
                is_fed = true;
            }
            if self.ahead {
                source.poll_ahead(context, &mut self.rows_read);
            }
        }
        is_fed
    }
}

impl Source {
    fn poll_next(&mut self, context: &mut Context<'_>, rows_read: &mut u64) -> Poll<Yielded> {
        match self.ahead.take() {
            Some(yielded) => Poll::Ready(yielded),
            None => self.poll_batch(context, rows_read),
        }
    }

    /// Asks for the next batch before it is needed. Not to be called after [`poll_next`](Self::poll_next) was pending:
    /// a batch that came in between would be held here, and nobody woken for it.
    fn poll_ahead(&mut self, context: &mut Context<'_>, rows_read: &mut u64) {
        if self.ahead.is_none()
            && let Poll::Ready(yielded) = self.poll_batch(context, rows_read)
        {
            self.ahead = Some(yielded);
        }
    }

    /// The stream is dropped at its end and after an error.
    fn poll_batch(&mut self, context: &mut Context<'_>, rows_read: &mut u64) -> Poll<Yielded> {
        let Some(batches) = &mut self.batches else { return Poll::Ready(Ok(None)) };
        let yielded = ready!(poll_batch(batches, context));
        match &yielded {
            Ok(Some(batch)) => *rows_read += batch.len() as u64,
            Ok(None) | Err(_) => self.batches = None,
        }
        Poll::Ready(yielded)
    }
}

#[cfg(test)]
mod tests {
    use std::pin::Pin;
    use std::task::Waker;

    use futures_core::stream::Stream;

    use super::*;

    /// A stream that is pending at every other poll, and wakes nobody: what it has comes between two polls.
    struct Late {
        polls: u32,
        left: u8,
    }

    impl Stream for Late {
        type Item = Result<RowBatch, Error>;

        fn poll_next(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Self::Item>> {
            self.polls += 1;
            if self.polls % 2 == 1 {
                return Poll::Pending;
            }
            let Some(left) = self.left.checked_sub(1) else { return Poll::Ready(None) };
            self.left = left;
            let mut batch = RowBatch::new();
            batch.push(&[10 - left], b"");
            Poll::Ready(Some(Ok(batch)))
        }
    }

    #[test]
    fn it_is_never_pending_while_it_holds_the_batch_that_is_needed() {
        let mut context = Context::from_waker(Waker::noop());
        for sources in 1..4 {
            for ahead in [false, true] {
                let streams = std::iter::repeat_with(|| Box::pin(Late { polls: 0, left: 5 }) as Batches).take(sources);
                let mut feed = Feed::new(streams, ahead);
                let mut progress = Progress::new(BatchMerge::new(sources), None, 0, false);
                let mut rows = 0;
                loop {
                    match feed.poll_row(&mut context, &mut progress) {
                        Poll::Ready(Ok(true)) => rows += 1,
                        Poll::Ready(end) => break assert!(!end.unwrap()),
                        Poll::Pending => {
                            let is_held = |number: usize| feed.sources[number].ahead.is_some();
                            assert!(!(0..sources).any(|number| progress.merge().wants(number) && is_held(number)));
                        }
                    }
                }
                assert_eq!(rows, 5 * sources);
            }
        }
    }
}
