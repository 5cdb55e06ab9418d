//! Limit of concurrent calls on a connection, lower while the server is overloaded.

use std::sync::Arc;

use tokio::sync::Semaphore;

use crate::sync::Locked;

/// The limit of calls under way on a connection: it is halved once the server says that it is overloaded, and raised by
/// one for each round of responses (additive increase, multiplicative decrease, as in TCP).
pub(super) struct ConcurrencyLimit {
    permits: Semaphore,
    state: Locked<State>,
    most: usize,
}

/// The number of calls that may always be under way, so that a slow one does not hold up all others.
const LEAST: usize = 4;

struct State {
    limit: usize,
    /// The number of calls under way beyond the limit: their permits end with them.
    beyond: usize,
    /// Responses since the limit was halved last: it is halved once a round.
    since_cut: usize,
    /// Responses since the limit was raised last.
    since_raise: usize,
}

impl ConcurrencyLimit {
    pub(super) fn new(most: usize) -> Self {
        let most = most.clamp(1, Semaphore::MAX_PERMITS);
        let state = State { limit: most, beyond: 0, since_cut: usize::MAX, since_raise: 0 };
        Self { permits: Semaphore::new(most), state: Locked::new(state), most }
    }

    /// Waits for a call's turn.
    pub(super) async fn acquire(self: &Arc<Self>) -> Permit {
        // The semaphore is never closed.
        if let Ok(permit) = self.permits.acquire().await {
            permit.forget();
        }
        Permit(self.clone())
    }

    /// A call was answered.
    pub(super) fn answered(&self, overloaded: bool) {
        let mut state = self.state.lock();
        state.since_cut = state.since_cut.saturating_add(1);
        if overloaded {
            if state.since_cut < state.limit {
                return;
            }
            let less = (state.limit / 2).max(LEAST.min(self.most));
            let taken = state.limit - less;
            state.beyond += taken - self.permits.forget_permits(taken);
            (state.limit, state.since_cut, state.since_raise) = (less, 0, 0);
            tracing::debug!(calls = less, "a server is overloaded: fewer calls at a time");
            return;
        }
        state.since_raise += 1;
        if state.limit < self.most && state.since_raise >= state.limit {
            (state.limit, state.since_raise) = (state.limit + 1, 0);
            self.give_back(&mut state);
        }
    }

    fn give_back(&self, state: &mut State) {
        match state.beyond.checked_sub(1) {
            Some(less) => state.beyond = less,
            None => self.permits.add_permits(1),
        }
    }
}

/// The turn of a call. The next one comes when it is dropped.
pub(super) struct Permit(Arc<ConcurrencyLimit>);

impl Drop for Permit {
    fn drop(&mut self) {
        let mut state = self.0.state.lock();
        self.0.give_back(&mut state);
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;

    use super::*;

    fn now(limit: &ConcurrencyLimit) -> usize {
        limit.state.lock().limit
    }

    #[test]
    fn it_is_halved_once_a_round_and_grows_one_a_round() {
        let limit = ConcurrencyLimit::new(64);
        limit.answered(true);
        assert_eq!(now(&limit), 32);
        (0..31).for_each(|_| limit.answered(true));
        assert_eq!(now(&limit), 32, "answers to calls that were sent before");
        limit.answered(true);
        assert_eq!(now(&limit), 16);
        (0..16).for_each(|_| limit.answered(false));
        assert_eq!(now(&limit), 17);
        (0..10_000).for_each(|_| limit.answered(true));
        assert_eq!(now(&limit), 4);
        (0..10_000).for_each(|_| limit.answered(false));
        assert_eq!(now(&limit), 64);
    }

    #[test]
    fn as_many_calls_are_under_way_as_it_says() {
        let mut random = fastrand::Rng::with_seed(11);
        let limit = Arc::new(ConcurrencyLimit::new(20));
        let mut turns = Vec::new();
        for _ in 0..100_000 {
            match random.u8(..4) {
                0 => drop(turns.pop()),
                1 => limit.answered(random.u8(..50) == 0),
                _ => {
                    let before = turns.len();
                    turns.extend(limit.acquire().now_or_never());
                    assert_eq!(turns.len() > before, before < now(&limit), "{before} of {}", now(&limit));
                }
            }
        }
    }
}
