//! The load of all tables of a cluster together.

use super::takes;
use super::text::percent;
use crate::recording::Run;
use crate::run::{AllTables, Interval, Server};
use crate::simulation::Declared;

/// The greatest parts of what all servers take that the tables of a cluster ask for at one time.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Together {
    /// The part of the writes; 0 where one server takes all.
    pub writes: f64,
    /// The part of the reads; 0 where it is not known how many a server takes.
    pub reads: f64,
}

impl Together {
    /// Those of tables each of which is simulated alone, while the servers have them all. None of one table, and where
    /// they ask for nothing.
    pub fn of<'r>(tables: impl IntoIterator<Item = (&'r Declared<'r>, &'r Run)>) -> Option<Self> {
        let (mut writes, mut reads, mut count) = (Vec::new(), Vec::new(), 0);
        for (declared, run) in tables {
            count += 1;
            let takes = takes(declared);
            let all = f64::from(run.settings.servers) * run.settings.interval_ms as f64 / 1000.0;
            add(&mut writes, &run.intervals, takes.writes * all, |server| server.writes);
            add(&mut reads, &run.intervals, takes.reads * all, |server| server.reads);
        }
        let most = |parts: Vec<f64>| parts.into_iter().fold(0.0, f64::max);
        let found = Self { writes: most(writes), reads: most(reads) };
        (count > 1 && found != Self::default()).then_some(found)
    }

    /// The answer about all tables.
    pub fn answer(self) -> AllTables {
        let Self { writes, reads } = self;
        let told = |least: f64| {
            let parts = [(writes, "writes"), (reads, "reads")].into_iter().filter(|(part, _)| *part > least);
            parts.map(|(part, what)| format!("{} of the {what}", percent(part))).collect::<Vec<_>>().join(" and ")
        };
        let saturates = writes > 1.0 || reads > 1.0;
        let sentence = match saturates {
            false => format!("All tables together ask for up to {} that the servers take.", told(0.0)),
            true => format!(
                "All tables together saturate the servers: they ask for up to {} that the servers take. Add servers.",
                told(1.0)
            ),
        };
        AllTables { sentence, saturates, writes, reads }
    }
}

/// Adds what a table asks for in each interval, as a part of what all servers take.
fn add(parts: &mut Vec<f64>, intervals: &[Interval], takes: f64, of: fn(&Server) -> u64) {
    parts.resize(parts.len().max(intervals.len()), 0.0);
    for (part, interval) in parts.iter_mut().zip(intervals) {
        *part += interval.servers.iter().map(|server| of(server) as f64).sum::<f64>() / takes;
    }
}
