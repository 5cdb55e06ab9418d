//! The load generator, which counts each row that a server has acknowledged.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use hbase_client::{Action, Put, Table};
use rowkey_simulate::run::Key;
use tokio::sync::{Mutex as Gate, MutexGuard};
use tokio::task::JoinHandle;
use tokio::time::{MissedTickBehavior, interval};

use super::design::{Designed, ROWS_PER_SECOND};

/// The batches of a second.
const BATCHES: u64 = 10;

/// The keys that were written.
#[derive(Clone, Default)]
pub(super) struct Counts(Vec<Vec<u8>>);

impl Counts {
    pub(super) fn rows(&self) -> u64 {
        self.0.len() as u64
    }

    /// Those after the first ones.
    pub(super) fn since(&self, first: &Self) -> Self {
        Self(self.0[first.0.len()..].to_vec())
    }

    /// Their numbers in the regions between these keys.
    pub(super) fn by(&self, splits: &[Key]) -> Vec<u64> {
        let mut counts = vec![0; splits.len() + 1];
        self.0.iter().for_each(|key| counts[splits.partition_point(|split| split.0 <= *key)] += 1);
        counts
    }
}

/// A load on a table, until its end.
pub(super) struct Load {
    counts: Arc<Mutex<Counts>>,
    batch: Arc<Gate<()>>,
    is_over: Arc<AtomicBool>,
    task: JoinHandle<()>,
}

impl Load {
    /// Writes with breaks of one length: what a fault has held up is not made up for.
    pub(super) fn start(designed: &'static Designed, table: Table) -> Self {
        let (counts, is_over) = (Arc::new(Mutex::new(Counts::default())), Arc::new(AtomicBool::new(false)));
        let (counted, ends, layout) = (counts.clone(), is_over.clone(), designed.layout());
        let batch = Arc::new(Gate::new(()));
        let one_by_one = batch.clone();
        let task = tokio::spawn(async move {
            let mut ticks = interval(Duration::from_millis(1000 / BATCHES));
            ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
            let mut row = 0;
            while !ends.load(Ordering::Relaxed) {
                ticks.tick().await;
                let _one = one_by_one.lock().await;
                let seconds = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
                let rows = row..row + ROWS_PER_SECOND / BATCHES;
                let keys: Vec<Vec<u8>> = rows.map(|row| designed.row(&layout, row, seconds)).collect();
                row += keys.len() as u64;
                let puts = keys.iter().map(|key| Action::from(Put::new(key).value("f", "x", "v"))).collect();
                for (outcome, key) in table.batch(puts).await.into_iter().zip(keys) {
                    outcome.unwrap();
                    counted.lock().unwrap().0.push(key);
                }
            }
        });
        Self { counts, batch, is_over, task }
    }

    pub(super) fn counts(&self) -> Counts {
        self.counts.lock().unwrap().clone()
    }

    /// Lets nothing be written until this is dropped, and waits for what is.
    pub(super) async fn paused(&self) -> MutexGuard<'_, ()> {
        self.batch.lock().await
    }

    /// Waits until so many more rows were written.
    pub(super) async fn goes_on(&self, rows: u64) {
        let until = self.counts.lock().unwrap().rows() + rows;
        while self.counts.lock().unwrap().rows() < until {
            assert!(!self.task.is_finished(), "the load has ended");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    pub(super) async fn end(self) -> Counts {
        self.is_over.store(true, Ordering::Relaxed);
        self.task.await.unwrap();
        self.counts.lock().unwrap().clone()
    }
}
