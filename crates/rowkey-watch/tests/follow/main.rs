//! Counts that are followed, against a table whose requests are all known.

mod changes;
mod counts;
mod laws;
mod servers;

use rowkey_simulate::recording::Run;
use rowkey_simulate::run::{Interval, Key, Known, Settings};
use rowkey_watch::{Counts, Follow, Options, Reading, RegionReading, ServerRun};

/// The writes and the reads of all regions and intervals.
fn sums(run: &Run) -> (u64, u64) {
    let regions = || run.intervals.iter().flat_map(|interval| &interval.regions);
    (regions().map(|region| region.rows_this_interval).sum(), regions().map(|region| region.reads_this_interval).sum())
}

/// A region's first key, its id, and the number of its server with the writes that it tells.
type Told<'k> = (&'k str, u64, Option<(u64, u64)>);

fn reading(t_ms: u64, regions: &[Told<'_>]) -> Reading {
    let region = |(start, id, counts): &Told<'_>| RegionReading {
        start: Key(start.as_bytes().to_vec()),
        id: *id,
        opening: None,
        late_ms: 0,
        counts: counts.map(|(server, writes)| {
            let server = ServerRun { address: format!("s{server}:1"), start_code: 7 };
            (server, Counts { writes, ..Counts::default() })
        }),
    };
    Reading { t_ms, regions: regions.iter().map(region).collect(), ..Reading::default() }
}

/// The run of readings, in intervals of a millisecond.
fn followed(readings: &[Reading]) -> Run {
    let mut follow = Follow::new(Options::default().interval_ms(1));
    readings.iter().for_each(|reading| follow.add(reading));
    follow.into_run(Settings::default())
}

fn writes(run: &Run) -> Vec<Vec<u64>> {
    let of = |interval: &Interval| interval.regions.iter().map(|region| region.rows_this_interval).collect();
    run.intervals.iter().map(of).collect()
}

fn known(run: &Run) -> Vec<Vec<Known>> {
    let of = |interval: &Interval| interval.regions.iter().map(|region| region.known).collect();
    run.intervals.iter().map(of).collect()
}
