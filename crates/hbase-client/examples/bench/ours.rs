//! This crate.

use std::time::{Duration, Instant};

use hbase_client::{Action, Increment, Put, Row, Scan, Table};
use tokio::task::JoinSet;

use crate::{AT, Counted, FAMILY, Failure, QUALIFIER, REGIONS, Work, bucket, key, some, sum, value};

pub(crate) async fn run(work: Work, table: Table) -> Result<(Duration, Counted), Failure> {
    let begun = Instant::now();
    let mut callers = JoinSet::new();
    let shares =
        |callers: u64, count: u64| (0..callers).map(move |at| (count * at / callers, count * (at + 1) / callers));
    match work {
        Work::Load { callers: many, rows, batch } => {
            shares(many, rows).for_each(|share| drop(callers.spawn(load(table.clone(), share, batch))));
        }
        Work::Scan { scanners, caching, .. } => {
            shares(scanners, REGIONS).for_each(|share| drop(callers.spawn(scan(table.clone(), share, caching))))
        }
        Work::Gets { callers: many, count, of } => {
            shares(many, count).for_each(|share| drop(callers.spawn(gets(table.clone(), share, of))));
        }
        Work::Many { callers: many, count, of, batch } => {
            shares(many, count).for_each(|share| drop(callers.spawn(get_many(table.clone(), share, of, batch))));
        }
        Work::Increments { callers: many, count, of } => {
            shares(many, count).for_each(|share| drop(callers.spawn(increments(table.clone(), share, of))));
        }
    }
    let mut counted = Counted::default();
    while let Some(done) = callers.join_next().await {
        counted.add(done??);
    }
    Ok((begun.elapsed(), counted))
}

async fn load(table: Table, (from, to): (u64, u64), batch: u64) -> Result<Counted, Failure> {
    for begin in (from..to).step_by(usize::try_from(batch)?) {
        let put = |n| Action::from(Put::new(key(n)).value_at(FAMILY, QUALIFIER, AT + n, value(n)));
        let puts = (begin..to.min(begin + batch)).map(put).collect();
        for result in table.batch(puts).await {
            result?;
        }
    }
    Ok(Counted { rows: to - from, sum: 0 })
}

/// The rows of some regions.
async fn scan(table: Table, (from, to): (u64, u64), caching: u64) -> Result<Counted, Failure> {
    let mut scan = Scan::new().rows_per_call(u32::try_from(caching)?);
    if from > 0 {
        scan = scan.start([bucket(from)]);
    }
    if to < REGIONS {
        scan = scan.stop_before([bucket(to)]);
    }
    let mut rows = table.scan(scan);
    let mut counted = Counted::default();
    while let Some(row) = rows.next().await? {
        counted.add(read(&row));
    }
    Ok(counted)
}

async fn gets(table: Table, (from, to): (u64, u64), of: u64) -> Result<Counted, Failure> {
    let mut counted = Counted::default();
    for i in from..to {
        counted.add(read(&table.get(key(some(i, of))).await?));
    }
    Ok(counted)
}

async fn get_many(table: Table, (from, to): (u64, u64), of: u64, batch: u64) -> Result<Counted, Failure> {
    let mut counted = Counted::default();
    for begin in (from..to).step_by(usize::try_from(batch)?) {
        for row in table.get_many((begin..to.min(begin + batch)).map(|i| key(some(i, of)))).await {
            counted.add(read(&row?));
        }
    }
    Ok(counted)
}

async fn increments(table: Table, (from, to): (u64, u64), counters: u64) -> Result<Counted, Failure> {
    let mut counted = Counted::default();
    for i in from..to {
        let row = table.increment(Increment::new(key(i % counters)).add(FAMILY, QUALIFIER, 1)).await?;
        counted.rows += u64::from(read(&row).sum != 0);
    }
    Ok(counted)
}

/// All that there is of a row.
fn read(row: &Row) -> Counted {
    let cells = row.cells().map(|cell| {
        sum(cell.row()) + sum(cell.family()) + sum(cell.qualifier()) + sum(cell.value()) + cell.timestamp()
    });
    Counted { rows: 1, sum: cells.fold(0, u64::wrapping_add) }
}
