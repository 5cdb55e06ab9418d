//! Typed tables.

use std::sync::Arc;

use rowkey::nonblocking::AsyncWideTable;
use rowkey::wide::{CellIter, Columns, Mutation, Row};
use rowkey::{OwnedKey, WriteBatch};
use rowkey_hbase::HBase;

use crate::{Calls, Counted, FAMILY, Failure, LENGTH, PlainVisits, VALUE, Visit, WideVisits, callers};

/// The bytes of a key that was decoded.
fn key_len(visit: &Visit) -> usize {
    std::hint::black_box(visit);
    LENGTH
}

fn of_row(visit: &Visit, row: &Row) -> Counted {
    let bytes: usize = row.cells().map(|cell| cell.value.len()).sum();
    Counted { rows: usize::from(!row.is_empty()), bytes: key_len(visit) + bytes }
}

fn of_value(visit: &Visit, value: Option<Vec<u8>>) -> Counted {
    value.map_or(Counted::default(), |value| Counted { rows: 1, bytes: key_len(visit) + value.len() })
}

pub(crate) async fn load<K>(table: AsyncWideTable<K, HBase>, calls: Calls<K>) -> Result<Counted, Failure>
where
    K: OwnedKey + Send + Sync + 'static,
{
    callers(calls, move |keys| {
        let table = table.clone();
        async move {
            let rows = keys.iter().map(|key| (key, Mutation::new().put((FAMILY, ""), VALUE)));
            table.mutate_many(rows).await?;
            Ok(Counted { rows: keys.len(), bytes: 0 })
        }
    })
    .await
}

pub(crate) async fn load_plain(table: PlainVisits, calls: Calls) -> Result<Counted, Failure> {
    let value = Arc::new(VALUE.to_vec());
    callers(calls, move |visits| {
        let (table, value) = (table.clone(), Arc::clone(&value));
        async move {
            let mut batch = WriteBatch::new();
            for visit in &visits {
                batch.put(&table, visit, &value)?;
            }
            batch.write_async(table.database()).await?;
            Ok(Counted { rows: visits.len(), bytes: 0 })
        }
    })
    .await
}

pub(crate) async fn scan(table: WideVisits) -> Result<Counted, Failure> {
    let mut rows = table.scan(.., Columns::all());
    let mut counted = Counted::default();
    while let Some(row) = rows.next().await {
        let (visit, row) = row?;
        counted.add(of_row(&visit, &row));
    }
    Ok(counted)
}

pub(crate) async fn scan_plain(table: PlainVisits) -> Result<Counted, Failure> {
    let mut rows = table.scan(..);
    let mut counted = Counted::default();
    while let Some(row) = rows.next().await {
        let (visit, value) = row?;
        counted.add(of_value(&visit, Some(value)));
    }
    Ok(counted)
}

/// Rows that are lent, and not given, as the client's are.
pub(crate) async fn scan_lent(table: WideVisits) -> Result<Counted, Failure> {
    let mut rows = table.scan(.., Columns::all());
    let mut counted = Counted::default();
    while let Some((visit, cells)) = rows.next_row().await? {
        let bytes: usize = CellIter::new(cells).map(|cell| cell.value.len()).sum();
        counted.add(Counted { rows: 1, bytes: key_len(&visit) + bytes });
    }
    Ok(counted)
}

/// As [`scan_lent`].
pub(crate) async fn scan_plain_lent(table: PlainVisits) -> Result<Counted, Failure> {
    let mut rows = table.scan(..);
    let mut counted = Counted::default();
    while let Some((visit, value)) = rows.next_row().await? {
        counted.add(Counted { rows: 1, bytes: key_len(&visit) + value.len() });
    }
    Ok(counted)
}

/// Gets of one row, or of many.
pub(crate) async fn gets(table: WideVisits, calls: Calls) -> Result<Counted, Failure> {
    callers(calls, move |visits| {
        let table = table.clone();
        async move {
            let columns = Columns::all();
            let rows = match visits.as_slice() {
                [visit] => vec![table.get(visit, &columns).await?],
                visits => table.get_many(visits, &columns).await?,
            };
            Ok(visits.iter().zip(&rows).map(|(visit, row)| of_row(visit, row)).sum())
        }
    })
    .await
}

pub(crate) async fn gets_plain(table: PlainVisits, calls: Calls) -> Result<Counted, Failure> {
    callers(calls, move |visits| {
        let table = table.clone();
        async move {
            let values = match visits.as_slice() {
                [visit] => vec![table.get(visit).await?],
                visits => table.get_many(visits).await?,
            };
            Ok(visits.iter().zip(values).map(|(visit, value)| of_value(visit, value)).sum())
        }
    })
    .await
}
