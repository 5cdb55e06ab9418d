//! A recording's load on the simulated cluster.

use std::ops::ControlFlow;

use super::intervals::Intervals;
use super::run_in;
use crate::cluster::{Cluster, ClusterOptions};
use crate::event::{Event, Op};
use crate::load::{Load, LoadError};
use crate::recording::Run;

/// Simulates the cluster and the load of a recording: its settings, its keys, its batches and intervals
/// at their times.
///
/// # Errors
///
/// If it has no batches.
pub fn replay(recording: &Run, seed: u64) -> Result<Run, LoadError> {
    let options = ClusterOptions { seed, answered: true, files: true, ..ClusterOptions::default() };
    let times = recording.intervals.iter().map(|interval| interval.t_ms).collect();
    let intervals = Intervals::at(times);
    let cluster = Cluster::new(&recording.settings, options);
    let mut replayed = run_in(intervals, 0, &mut Batches(recording), &recording.settings, cluster, |_| {})?;
    replayed.settings.engine = "simulated".to_owned();
    Ok(replayed)
}

/// The batches of a recording.
struct Batches<'r>(&'r Run);

impl Load for Batches<'_> {
    fn events(&mut self, sink: &mut dyn FnMut(Event<'_>) -> ControlFlow<()>) -> Result<(), LoadError> {
        let mut keys = self.0.keys.iter();
        for (number, batch) in (0..).zip(&self.0.batches) {
            let rows = usize::try_from(batch.rows.unwrap_or(0)).unwrap_or(usize::MAX);
            for key in keys.by_ref().take(rows) {
                let (op, key, bytes) = (Op::Put, &key.0[..], batch.bytes);
                if sink(Event { t_ms: batch.t_ms, batch: number, op, key, bytes, weight: 1 }).is_break() {
                    return Ok(());
                }
            }
        }
        Ok(())
    }
}
