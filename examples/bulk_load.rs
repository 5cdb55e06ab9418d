//! Many rows at once: loaded in batches by several threads, with progress, then read by several threads.
//!
//!     cargo run --example bulk_load

use std::error::Error;
use std::ops::ControlFlow;

use rowkey::splits::{Splits, Weight};
use rowkey::{KeyRange, Memory, RowKey, Table};

#[derive(RowKey, Debug)]
struct Reading {
    sensor: u32,
    at: u64,
}

fn main() -> Result<(), Box<dyn Error>> {
    let readings: Table<Reading, i64, _> = Table::open(Memory::new(), "readings")?;

    // Rows come from an iterator, of a file for instance, whose errors end the load. They need not be sorted. Each key
    // should come once, as batches are written in no order.
    let rows = (0..1000).flat_map(|at| (0..50).map(move |sensor| Ok((Reading { sensor, at }, i64::from(sensor % 7)))));
    let mut seen = 0;
    let loaded = readings.bulk_load().threads(4).batch(1000).run_watched(rows, |so_far| {
        seen = so_far.writes;
        // `Break` ends the load, and what is in stays in.
        ControlFlow::Continue(())
    })?;
    println!("loaded {} rows in {} batches; {seen} when progress was told last", loaded.writes, loaded.batches);

    // The table is cut where its parts are as large as each other, and each thread reads a part at a time.
    let splits = Splits::from_store(8, readings.store(), &KeyRange::all(), Weight::Rows)?;
    let (mut rows, mut sum) = (0, 0);
    for part in readings.scan(..).parallel(&splits).threads(4).in_order(false).start() {
        for (_, value) in part? {
            rows += 1;
            sum += value;
        }
    }
    println!("read {rows} rows in {} parts, their sum is {sum}", splits.regions());
    Ok(())
}
