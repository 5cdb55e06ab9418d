//! The load of all tables of a cluster together.

use super::takes;
use crate::recording::Run;
use crate::simulation::Declared;

/// The greatest part of the writes that all servers take which the tables ask for at one time: each is simulated alone,
/// and the servers have them all. None where one server takes all, and of one table.
pub fn together<'r>(tables: impl IntoIterator<Item = (&'r Declared<'r>, &'r Run)>) -> Option<f64> {
    let mut parts: Vec<f64> = Vec::new();
    let mut count = 0;
    for (declared, run) in tables {
        count += 1;
        let takes = takes(declared).writes * f64::from(run.settings.servers) * run.settings.interval_ms as f64 / 1000.0;
        parts.resize(parts.len().max(run.intervals.len()), 0.0);
        for (part, interval) in parts.iter_mut().zip(&run.intervals) {
            *part += interval.servers.iter().map(|server| server.writes as f64).sum::<f64>() / takes;
        }
    }
    parts.into_iter().reduce(f64::max).filter(|part| count > 1 && *part > 0.0)
}
