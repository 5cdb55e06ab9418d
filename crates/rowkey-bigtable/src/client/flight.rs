//! The load of a connection: the requests that are in flight on it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicUsize, Ordering};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::timeout;

/// The load of a connection.
#[derive(Debug, Default)]
pub(super) struct Load {
    in_flight: AtomicUsize,
    /// Those of which the connection has opened a stream.
    open: AtomicUsize,
    /// True once a request was sent; `is_answered`, once a response came.
    is_begun: AtomicBool,
    is_answered: AtomicBool,
    answer: Notify,
}

impl Load {
    /// A request that is in flight from now on.
    pub(super) fn begin(self: &Arc<Self>) -> Flight {
        self.in_flight.fetch_add(1, Ordering::Relaxed);
        Flight { load: Arc::clone(self), state: AtomicU8::new(WAITS) }
    }

    pub(super) fn in_flight(&self) -> usize {
        self.in_flight.load(Ordering::Acquire)
    }
}

/// A request that is in flight.
#[derive(Debug)]
pub(super) struct Flight {
    load: Arc<Load>,
    state: AtomicU8,
}

const WAITS: u8 = 0;
const OPEN: u8 = 1;
const OVER: u8 = 2;

impl Flight {
    /// Waits for the response to the first request of the connection, no longer than this.
    pub(super) async fn after_first(&self, longest: Duration) {
        let load = &self.load;
        let is_first = || !load.is_begun.swap(true, Ordering::AcqRel);
        if load.is_answered.load(Ordering::Acquire) || is_first() {
            return;
        }
        let mut answer = std::pin::pin!(load.answer.notified());
        answer.as_mut().enable();
        if !load.is_answered.load(Ordering::Acquire) {
            let _ = timeout(longest, answer).await;
        }
    }

    pub(super) fn answered(&self) {
        if !self.load.is_answered.swap(true, Ordering::AcqRel) {
            self.load.answer.notify_waiters();
        }
    }

    /// The connection has opened a stream for it.
    pub(super) fn opened(&self) {
        self.load.open.fetch_add(1, Ordering::AcqRel);
        if self.state.compare_exchange(WAITS, OPEN, Ordering::AcqRel, Ordering::Acquire).is_err() {
            self.load.open.fetch_sub(1, Ordering::AcqRel);
        }
    }

    /// The number of requests of the connection that have streams.
    pub(super) fn open_beside(&self) -> usize {
        self.load.open.load(Ordering::Acquire)
    }

    /// The request has ended. Returns whether the connection has no other one.
    pub(super) fn end(&self) -> bool {
        if self.state.swap(OVER, Ordering::AcqRel) == OPEN {
            self.load.open.fetch_sub(1, Ordering::AcqRel);
        }
        self.load.in_flight.fetch_sub(1, Ordering::AcqRel) == 1
    }
}
