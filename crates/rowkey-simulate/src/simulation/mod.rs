//! A simulation: a load on the simulated cluster that a design declares.
//!
//! ```
//! use rowkey_design::{CheckOptions, Date, Design, File};
//! use rowkey_simulate::simulation::{Declared, Options};
//!
//! let text = r#"
//! format = 1
//! [cluster.main]
//! engine = "hbase"
//! servers = 4
//! [table.visits]
//! key = ["at: instant", "host: text"]
//! stats.host = { distinct = 1000, size = "12 B" }
//! [[table.visits.write]]
//! name = "visit"
//! rate = "20k/s"
//! "#;
//! let design = Design::parse([File { name: "visits.rowkey.toml".into(), text: text.into() }])?;
//! let check = CheckOptions::new(Date { year: 2026, month: 1, day: 31 });
//! let declared = Declared::of(&design, "visits", None, &check)?;
//! let run = declared.simulate(&Options { seconds: 600.0, most: 10_000, ..Options::default() }, |_| {})?;
//! // All writes are after the last one: on one server.
//! let last = run.intervals.last().unwrap();
//! assert_eq!(last.servers.iter().filter(|server| server.writes > 0).count(), 1);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod cells;
mod coarse;
mod declared;
mod demand;
mod filled;
mod heat;
mod intervals;
mod partitioned;
mod places;
mod ranges;
mod replay;
mod settings;
mod steps;

use std::ops::ControlFlow;

pub use self::declared::{Declared, Simulates};
use self::intervals::Intervals;
pub use self::replay::replay;
pub(crate) use self::settings::unsaid_reads;
use self::steps::Steps;
use crate::cluster::{Cluster, ClusterOptions};
use crate::load::{Load, LoadError};
use crate::moments::Moments;
use crate::recording::Run;
use crate::run::{Line, Settings};

/// Options of a simulation by the statistics of a design.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// The seed of all that is chance.
    pub seed: u64,
    /// The length, in seconds.
    pub seconds: f64,
    /// The most events of writes, and of reads: where there are more, each stands for as many as are needed.
    pub most: u64,
    /// All rates are so many times those of the design.
    pub times: f64,
    /// The part by which values are more uneven than the design says.
    pub skew: f64,
}

impl Default for Options {
    /// Seed 1, a day, a million events, as the design says.
    fn default() -> Self {
        Self { seed: 1, seconds: 86_400.0, most: 1_000_000, times: 1.0, skew: 0.0 }
    }
}

/// The intervals of a run at most; at least half as many, if it is longer than as many seconds.
const INTERVALS: usize = 192;

/// Puts a load on a cluster.
///
/// The intervals of the run are of `interval_ms`, or where that is 0 of as many seconds as give some hundred of them.
///
/// # Errors
///
/// Of the load, and if it has no events.
pub fn run(
    load: &mut dyn Load,
    settings: &Settings,
    options: ClusterOptions,
    progress: impl FnMut(u64),
) -> Result<Run, LoadError> {
    let cluster = Cluster::new(settings, options);
    run_in(Intervals::new(settings.interval_ms, INTERVALS), 0, load, settings, cluster, progress)
}

/// Puts a load on a cluster in these intervals; it goes on to a time after the last event.
fn run_in(
    mut intervals: Intervals,
    until_ms: u64,
    load: &mut dyn Load,
    settings: &Settings,
    mut cluster: Cluster,
    mut progress: impl FnMut(u64),
) -> Result<Run, LoadError> {
    let (mut steps, mut moments) = (Steps::new(&cluster), Moments::default());
    let (mut events, mut last_ms, mut weight) = (0u64, 0, 1);
    load.events(&mut |event| {
        intervals.until(event.t_ms, &mut cluster);
        steps.count(&event, &cluster);
        cluster.apply(&event);
        moments.count(&event, &mut cluster);
        (events, last_ms, weight) = (events + 1, event.t_ms, event.weight.max(weight));
        if events.is_multiple_of(1 << 16) {
            progress(events);
        }
        ControlFlow::Continue(())
    })?;
    if events == 0 {
        return Err(LoadError::NoEvents("the load has no events: nothing is written".to_owned()));
    }
    let end_ms = last_ms.max(until_ms.saturating_sub(1));
    intervals.end(end_ms, &mut cluster);
    let mut assumed: Vec<String> = intervals.coarser().into_iter().collect();
    if cluster.is_full() {
        assumed.push("so many regions are split no more: this is a bound of the simulation".to_owned());
    }
    if cluster.is_at_split_limit() {
        assumed.push("a server with 1000 regions splits none: `hbase.regionserver.regionSplitLimit`".to_owned());
    }
    let (interval_ms, intervals, chances) = intervals.ended();
    let steps = steps.end(end_ms, &cluster, intervals.len());
    let rows_per_event = Some(weight).filter(|weight| *weight > 1);
    let settings = Settings { interval_ms, rows_per_event, ..settings.clone() };
    let written = Some(cluster.written);
    let mut run = Run { intervals, chances, steps, assumed, written, ..Run::new(settings) };
    for line in cluster.take_lines() {
        match line {
            Line::Split(split) => run.splits.push(split),
            Line::Move(moved) => run.moves.push(moved),
            _ => {}
        }
    }
    Ok(run)
}
