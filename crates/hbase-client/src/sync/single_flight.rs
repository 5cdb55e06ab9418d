//! Single flight: one piece of work at a time for each key.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::Arc;

use tokio::sync::watch;

use crate::sync::Locked;

type UnderWay<K, T> = Arc<Locked<HashMap<K, watch::Receiver<Option<T>>>>>;

/// One piece of work a key at a time, for all who wait for it. The work goes on if the first one of them stops waiting.
pub(crate) struct SingleFlight<K, T> {
    under_way: UnderWay<K, T>,
}

impl<K, T> SingleFlight<K, T>
where
    K: Clone + Eq + Hash + Send + Sync + 'static,
    T: Clone + Send + Sync + 'static,
{
    pub(crate) fn new() -> Self {
        Self { under_way: Arc::default() }
    }

    /// Waits for the work of this key, and starts it if nobody did. `None` if the work ended without a result: the
    /// runtime stopped.
    pub(crate) async fn join<F>(&self, key: K, work: impl FnOnce() -> F) -> Option<T>
    where
        F: Future<Output = T> + Send + 'static,
    {
        let mut result = {
            let mut under_way = self.under_way.lock();
            match under_way.get(&key) {
                Some(result) => result.clone(),
                None => {
                    let (sender, receiver) = watch::channel(None);
                    under_way.insert(key.clone(), receiver.clone());
                    let landing = Landing { key, under_way: self.under_way.clone() };
                    let work = work();
                    tokio::spawn(async move {
                        let result = work.await;
                        // Whoever comes after the result starts anew.
                        drop(landing);
                        sender.send_replace(Some(result));
                    });
                    receiver
                }
            }
        };
        result.wait_for(Option::is_some).await.ok().and_then(|result| result.clone())
    }
}

struct Landing<K: Eq + Hash, T> {
    key: K,
    under_way: UnderWay<K, T>,
}

impl<K: Eq + Hash, T> Drop for Landing<K, T> {
    fn drop(&mut self) {
        self.under_way.lock().remove(&self.key);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};
    use std::time::Duration;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn all_share_one_run_even_if_the_first_leaves() {
        let flights = Arc::new(SingleFlight::<u8, u32>::new());
        let runs = Arc::new(AtomicU32::new(0));
        let join = || {
            let (flights, runs) = (flights.clone(), runs.clone());
            async move {
                let work = || async move {
                    tokio::time::sleep(Duration::from_secs(1)).await;
                    runs.fetch_add(1, Ordering::Relaxed)
                };
                flights.join(7, work).await
            }
        };
        assert!(tokio::time::timeout(Duration::from_millis(10), join()).await.is_err());
        let (a, b) = tokio::join!(join(), join());
        assert_eq!((a, b), (Some(0), Some(0)));
        assert_eq!(join().await, Some(1));
    }
}
