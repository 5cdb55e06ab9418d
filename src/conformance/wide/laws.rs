//! Helpers of the laws: a table, rows as text, every way of reading.

use std::time::Duration;

use crate::conformance::store::laws::{broken, read_batch};
pub(super) use crate::conformance::store::laws::{done, equal, holds, refused};
use crate::keys::clock::{Clock, SystemClock};
use crate::keys::error::Hex;
use crate::keys::range::KeyRange;
use crate::store::error::Error;
use crate::store::{Rows, Scan};
use crate::wide::CellIter;
use crate::wide::{Column, Columns, FamilySchema, Mutation, TableSchema, UntimedPuts, WideStore};

/// A row's key and its cells, each as `family:qualifier@timestamp=value`.
pub(super) type RowText = (Vec<u8>, Vec<String>);

pub(super) const DAY: i64 = 24 * 60 * 60 * 1000;

/// Families whose names are prefixes of each other, with many versions, few and one, and one that expires after a day.
pub(super) fn table() -> TableSchema {
    let day = FamilySchema::new().ttl(Duration::from_millis(DAY as u64));
    let families = [("a", FamilySchema::new().max_versions(3)), ("ab", FamilySchema::new()), ("b", many())];
    let expiring = [("t", day.max_versions(5)), ("tm", day.max_versions(5).min_versions(2))];
    families.into_iter().chain(expiring).fold(TableSchema::new(), |schema, (name, family)| schema.family(name, family))
}

/// The same families, with more versions than any law writes: for stores whose reads may return more than a family
/// keeps.
pub(super) fn unlimited() -> TableSchema {
    table().families.into_keys().fold(TableSchema::new(), |schema, name| schema.family(name, many()))
}

fn many() -> FamilySchema {
    FamilySchema::new().max_versions(1000)
}

/// Milliseconds since 1970 by this process's clock.
pub(super) fn now() -> i64 {
    SystemClock.now()
}

/// Waits until a put has a later millisecond than the delete before it, if the store needs that.
pub(super) fn apart(store: &dyn WideStore) {
    if !store.guarantees().put_after_delete {
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// Waits until the clock is past a counter, if a write at the clock's time would not be after it: the timestamps of
/// counters may run ahead by a millisecond per increment.
pub(super) fn past_counters(store: &dyn WideStore) {
    if store.guarantees().untimed_puts != Some(UntimedPuts::Latest) {
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// A put with a timestamp, or without one if the store does not support timestamps.
pub(super) fn put(store: &dyn WideStore, mutation: Mutation, column: impl Into<Column>, value: &str) -> Mutation {
    match store.guarantees().timestamps {
        Some(_) => mutation.put_at(column, 7, value),
        None => mutation.put(column, value),
    }
}

#[track_caller]
pub(super) fn mutate(law: &str, store: &dyn WideStore, row: &[u8], mutation: Mutation) {
    done(law, store.mutate(row, &mutation));
}

/// The cells in a scan's value, or a [`Row`](crate::wide::Row)'s.
pub(super) fn text(cells: &[u8]) -> Vec<String> {
    CellIter::new(cells)
        .map(|cell| format!("{}@{}={}", cell.column(), cell.timestamp, cell.value.escape_ascii()))
        .collect()
}

/// Without the timestamps, which a clock gave.
pub(super) fn timeless(cells: &[String]) -> Vec<String> {
    let without = |cell: &String| {
        let (column, rest) = cell.split_once('@').unwrap_or((cell, ""));
        format!("{column}={}", rest.split_once('=').map_or("", |(_, value)| value))
    };
    cells.iter().map(without).collect()
}

/// Reads a row by a get, by a get of several, and by scans in both directions, which must agree.
#[track_caller]
pub(super) fn row(law: &str, store: &dyn WideStore, row: &[u8], columns: &Columns) -> Vec<String> {
    let [(_, got), others @ ..] = readings(law, store, row, columns);
    for (way, cells) in others {
        equal(law, format_args!("{columns:?}, {way} and not got,"), cells, got.clone());
    }
    got
}

/// A row in each way that it can be read, one after the other.
#[track_caller]
pub(super) fn readings(
    law: &str,
    store: &dyn WideStore,
    row: &[u8],
    columns: &Columns,
) -> [(&'static str, Vec<String>); 4] {
    let got = text(done(law, store.get(row, columns)).as_bytes());
    let many = done(law, store.get_many(&[b"there is no such row", row], columns));
    let many: Vec<_> = many.iter().map(|row| text(row.as_bytes())).collect();
    equal("get-many", format_args!("{columns:?} of a row that is not there"), &many[..many.len().min(1)], &[vec![]]);
    let [_, among] = &many[..] else { broken("get-many", format_args!("{} rows of 2", many.len())) };
    let scanned = |reverse| {
        let scan = Scan::new(vec![KeyRange::point(row)]).reverse(reverse);
        rows(law, store, &scan, columns).pop().map(|(_, cells)| cells).unwrap_or_default()
    };
    [
        ("got", got),
        ("got among others", among.clone()),
        ("scanned forward", scanned(false)),
        ("scanned in reverse", scanned(true)),
    ]
}

#[track_caller]
pub(super) fn row_is(law: &str, store: &dyn WideStore, key: &[u8], columns: &Columns, should_be: &[&str]) {
    let should_be: Vec<String> = should_be.iter().map(|cell| (*cell).to_owned()).collect();
    equal(law, format_args!("{columns:?} of row {}", Hex(key)), row(law, store, key, columns), should_be);
}

/// As [`row_is`], without timestamps.
#[track_caller]
pub(super) fn values_are(law: &str, store: &dyn WideStore, key: &[u8], columns: &Columns, should_be: &[&str]) {
    let should_be: Vec<String> = should_be.iter().map(|cell| (*cell).to_owned()).collect();
    let is = timeless(&row(law, store, key, columns));
    equal(law, format_args!("{columns:?} of row {}", Hex(key)), is, should_be);
}

/// All rows of a scan, with the pieces of each row joined.
#[track_caller]
pub(super) fn rows(law: &str, store: &dyn WideStore, scan: &Scan, columns: &Columns) -> Vec<RowText> {
    rows_on(law, &mut *store.scan(scan, columns), scan, columns)
}

#[track_caller]
pub(super) fn rows_on(law: &str, open: &mut dyn Rows, scan: &Scan, columns: &Columns) -> Vec<RowText> {
    let mut all: Vec<RowText> = Vec::new();
    loop {
        let batch = read_batch(open, scan);
        if batch.is_empty() {
            break;
        }
        for (key, cells) in batch {
            let cells = text(&cells);
            holds(law, !cells.is_empty(), format_args!("row {} comes without a cell", Hex(&key)));
            if let Some(piece) = columns.piece {
                holds(
                    "piece",
                    cells.len() <= piece.get(),
                    format_args!("a piece of {} cells, not {piece}", cells.len()),
                );
            }
            match all.last_mut() {
                Some((last, more)) if columns.piece.is_some() && *last == key => more.extend(cells),
                Some((last, _)) if (*last < key) == scan.reverse || *last == key => {
                    let what = format_args!("row {} comes after {}", Hex(&key), Hex(last)).to_string();
                    broken("rows-sorted", what)
                }
                _ => all.push((key, cells)),
            }
        }
        holds("ended", all.len() < 100_000, "a scan goes on and on");
    }
    for _ in 0..2 {
        holds("ended", read_batch(open, scan).is_empty(), "a scan has rows after its end");
    }
    all
}

#[track_caller]
pub(super) fn keys(law: &str, store: &dyn WideStore, scan: &Scan, columns: &Columns) -> Vec<Vec<u8>> {
    rows(law, store, scan, columns).into_iter().map(|(key, _)| key).collect()
}

pub(super) fn is_unsupported(error: &Error) -> bool {
    matches!(error, Error::Unsupported(_))
}

pub(super) fn is_timestamp(error: &Error) -> bool {
    matches!(error, Error::Timestamp(_))
}
