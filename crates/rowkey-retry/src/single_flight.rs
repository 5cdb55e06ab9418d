//! Single flight: one piece of work at a time for each key.

use std::collections::HashMap;
use std::fmt;
use std::hash::Hash;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures_channel::oneshot;
use futures_util::FutureExt;
use futures_util::future::Shared;

/// Work to be run to its end by a task of the caller's runtime.
pub type Work = Pin<Box<dyn Future<Output = ()> + Send>>;

/// One piece of work for each key at a time, whose result all who wait for it share. The work goes on if the first one
/// of them stops waiting.
pub struct SingleFlight<K, T> {
    in_flight: Arc<Mutex<InFlight<K, T>>>,
    spawn: Box<dyn Fn(Work) + Send + Sync>,
}

type InFlight<K, T> = HashMap<K, Shared<oneshot::Receiver<T>>>;

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<K, T> SingleFlight<K, T>
where
    K: Clone + Eq + Hash + Send + 'static,
    T: Clone + Send + Sync + 'static,
{
    /// Makes one that hands its work to `spawn`.
    #[must_use]
    pub fn new(spawn: impl Fn(Work) + Send + Sync + 'static) -> Self {
        Self { in_flight: Arc::default(), spawn: Box::new(spawn) }
    }

    /// Waits for the work of this key, and starts it if nobody did. `None` if the work ended without a result: it
    /// panicked, or was dropped, as by a runtime that stops. Work that waits for its own key never ends.
    pub async fn join<F>(&self, key: K, work: impl FnOnce() -> F) -> Option<T>
    where
        F: Future<Output = T> + Send + 'static,
    {
        let (result, sender) = {
            let mut in_flight = lock(&self.in_flight);
            match in_flight.get(&key) {
                Some(result) => (result.clone(), None),
                None => {
                    let (sender, receiver) = oneshot::channel();
                    let result = receiver.shared();
                    in_flight.insert(key.clone(), result.clone());
                    (result, Some(sender))
                }
            }
        };
        if let Some(sender) = sender {
            let landing = Landing { key, in_flight: Arc::clone(&self.in_flight) };
            let work = work();
            (self.spawn)(Box::pin(async move {
                let result = work.await;
                // Whoever comes after the result starts anew.
                drop(landing);
                let _ = sender.send(result);
            }));
        }
        result.await.ok()
    }
}

impl<K, T> fmt::Debug for SingleFlight<K, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SingleFlight").field("in_flight", &lock(&self.in_flight).len()).finish_non_exhaustive()
    }
}

/// Ends a flight when its work ends, or is dropped.
struct Landing<K: Eq + Hash, T> {
    key: K,
    in_flight: Arc<Mutex<InFlight<K, T>>>,
}

impl<K: Eq + Hash, T> Drop for Landing<K, T> {
    fn drop(&mut self) {
        lock(&self.in_flight).remove(&self.key);
    }
}

#[cfg(test)]
mod tests {
    use std::future::ready;
    use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
    use std::sync::mpsc;

    use super::*;

    fn flights() -> (SingleFlight<u8, u32>, mpsc::Receiver<Work>) {
        let (spawned, works) = mpsc::channel();
        (SingleFlight::new(move |work| drop(spawned.send(work))), works)
    }

    #[test]
    fn all_share_one_run_even_if_the_first_leaves() {
        let (flights, works) = flights();
        assert_eq!(flights.join(7, || ready(1)).now_or_never(), None, "it waits, and leaves");
        let mut waiting = [flights.join(7, || ready(2)).boxed(), flights.join(7, || ready(3)).boxed()];
        waiting.iter_mut().for_each(|one| assert!(one.now_or_never().is_none()));
        let work = works.try_recv().unwrap();
        assert!(works.try_recv().is_err(), "one run");
        work.now_or_never().unwrap();
        assert_eq!(waiting.map(|one| one.now_or_never().unwrap()), [Some(1); 2]);

        let mut another = flights.join(7, || ready(4)).boxed();
        assert!((&mut another).now_or_never().is_none());
        works.try_recv().unwrap().now_or_never().unwrap();
        assert_eq!(another.now_or_never(), Some(Some(4)), "who comes after the result starts anew");
    }

    #[test]
    fn keys_do_not_wait_for_each_other() {
        let (flights, works) = flights();
        let mut two = [flights.join(1, || ready(1)).boxed(), flights.join(2, || ready(2)).boxed()];
        two.iter_mut().for_each(|one| assert!(one.now_or_never().is_none()));
        drop(works.try_recv().unwrap());
        works.try_recv().unwrap().now_or_never().unwrap();
        let [_, second] = two;
        assert_eq!(second.now_or_never(), Some(Some(2)));
    }

    #[test]
    fn work_that_panics_has_no_result_and_does_not_block_its_key() {
        let (flights, works) = flights();
        let mut waiting =
            [(); 2].map(|()| flights.join(7, || async { resume_unwind(Box::new("of the work")) }).boxed());
        waiting.iter_mut().for_each(|one| assert!(one.now_or_never().is_none()));
        let work = works.try_recv().unwrap();
        assert!(catch_unwind(AssertUnwindSafe(|| work.now_or_never())).is_err());
        assert_eq!(waiting.map(|one| one.now_or_never().unwrap()), [None; 2]);

        let begin = || -> std::future::Ready<u32> { resume_unwind(Box::new("before the work")) };
        assert!(catch_unwind(AssertUnwindSafe(|| flights.join(7, begin).now_or_never())).is_err());
        let mut another = flights.join(7, || ready(4)).boxed();
        assert!((&mut another).now_or_never().is_none());
        works.try_recv().unwrap().now_or_never().unwrap();
        assert_eq!(another.now_or_never(), Some(Some(4)));
    }

    #[test]
    fn dropped_work_has_no_result_and_does_not_block_its_key() {
        let stopped = SingleFlight::<u8, u32>::new(drop);
        for _ in 0..2 {
            assert_eq!(stopped.join(7, || ready(1)).now_or_never(), Some(None));
        }
        let at_once = SingleFlight::<u8, u32>::new(|work| work.now_or_never().unwrap());
        assert_eq!(at_once.join(7, || ready(1)).now_or_never(), Some(Some(1)));
        assert_eq!(format!("{at_once:?}"), "SingleFlight { in_flight: 0, .. }");
    }
}
