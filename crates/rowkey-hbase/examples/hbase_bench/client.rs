//! The client beneath, without types.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use bytes::Bytes;
use hbase_client::{Action, Get, Put, Row, Scan, Scanner, Table};
use rowkey::RowKey;

use crate::{BUCKETS, Calls, Counted, FAMILY, Failure, VALUE, callers, in_tasks};

fn of_row(row: &Row) -> Counted {
    let bytes: usize = row.cells().map(|cell| cell.value().len()).sum();
    Counted { rows: usize::from(!row.is_empty()), bytes: row.key().len() + bytes }
}

pub(crate) async fn load(table: Table, calls: Calls) -> Result<Counted, Failure> {
    callers(calls, move |visits| {
        let table = table.clone();
        async move {
            let puts = visits.iter().map(|visit| Action::from(Put::new(visit.encode()).value(FAMILY, "", VALUE)));
            for result in table.batch(puts.collect()).await {
                result?;
            }
            Ok(Counted { rows: visits.len(), bytes: 0 })
        }
    })
    .await
}

/// Gets of one row, or of many.
pub(crate) async fn gets(table: Table, calls: Calls) -> Result<Counted, Failure> {
    callers(calls, move |visits| {
        let table = table.clone();
        async move {
            let mut gets = visits.iter().map(|visit| Get::new(visit.encode()));
            if visits.len() == 1 {
                let get = gets.next().ok_or("a call has a row")?;
                return Ok(of_row(&table.get(get).await?));
            }
            let rows = table.get_many(gets).await;
            Ok(rows.into_iter().collect::<Result<Vec<_>, _>>()?.iter().map(of_row).sum())
        }
    })
    .await
}

/// The scanners of the buckets.
fn scanners(table: &Table, rows: u32) -> Vec<Scanner> {
    let scan = |bucket: u8| {
        let scan = Scan::new().rows_per_call(rows).start([bucket]);
        table.scan(if bucket + 1 < BUCKETS { scan.stop_before([bucket + 1]) } else { scan })
    };
    (0..BUCKETS).map(scan).collect()
}

/// All rows, in the order of the key without its salt, by a heap.
pub(crate) async fn merged(table: Table, rows: u32) -> Result<Counted, Failure> {
    let mut scanners = scanners(&table, rows);
    let mut heap: BinaryHeap<Reverse<(Bytes, usize)>> = BinaryHeap::new();
    let mut firsts: Vec<Option<Row>> = Vec::new();
    for (number, scanner) in scanners.iter_mut().enumerate() {
        let row = scanner.next().await?;
        heap.extend(row.iter().map(|row| Reverse((row.key_bytes().slice(1..), number))));
        firsts.push(row);
    }
    let mut counted = Counted::default();
    while let Some(mut first) = heap.peek_mut() {
        let number = first.0.1;
        counted.add(firsts[number].as_ref().map(of_row).unwrap_or_default());
        firsts[number] = scanners[number].next().await?;
        match &firsts[number] {
            Some(row) => *first = Reverse((row.key_bytes().slice(1..), number)),
            None => drop(std::collections::binary_heap::PeekMut::pop(first)),
        }
    }
    Ok(counted)
}

/// All rows, each scanner read by a task of its own.
pub(crate) async fn unmerged(table: Table, rows: u32) -> Result<Counted, Failure> {
    in_tasks(scanners(&table, rows).into_iter().map(|mut scanner| async move {
        let mut counted = Counted::default();
        while let Some(row) = scanner.next().await? {
            counted.add(of_row(&row));
        }
        Ok(counted)
    }))
    .await
}
