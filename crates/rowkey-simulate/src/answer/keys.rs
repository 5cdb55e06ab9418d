//! The part of bytes that are row keys, without family, qualifier and timestamp: of stored and of written bytes.

use rowkey_design::internal::TableDesign;
use rowkey_design::internal::cost::{bytes_per_put, bytes_per_row};
use rowkey_design::internal::design::{Columns, Write, WriteKind};
use rowkey_design::internal::facts::KeyFacts;
use rowkey_design::internal::load::Rates;

/// The part of a stored row's bytes that are its row key, which each of its cells has.
pub(super) fn stored(key: &KeyFacts<'_>) -> f64 {
    part(key, |key| bytes_per_row(key.table, key, &[]))
}

/// True if a design says the size of a value of a table.
pub(super) fn are_sizes_said(table: &TableDesign) -> bool {
    table.table.family.values().any(|family| {
        let columns = family.columns.as_ref().map(|columns| &columns.value);
        !family.sizes.is_empty() || matches!(columns, Some(Columns::OfRow(of_row)) if of_row.value.is_some())
    })
}

/// The part of the bytes that puts write that are row keys, each put by its rate; none if there are no puts.
pub(super) fn written(key: &KeyFacts<'_>) -> Option<f64> {
    let puts = puts(key.table);
    let bytes =
        |key: &KeyFacts<'_>| puts.iter().map(|(write, rate)| rate * bytes_per_put(key.table, key, write)).sum::<f64>();
    (!puts.is_empty()).then(|| part(key, bytes))
}

/// The puts of a table with their rates; those that say none count as one a second, if none says any.
fn puts(table: &TableDesign) -> Vec<(&Write, f64)> {
    let puts = table.table.write.iter().filter(|write| write.kind != Some(WriteKind::Delete));
    let rated = puts.clone().filter_map(|write| Some((&**write, Rates::of_write(write)?.mean)));
    let rated: Vec<_> = rated.collect();
    if rated.is_empty() { puts.map(|write| (&**write, 1.0)).collect() } else { rated }
}

/// The part by which bytes are fewer with keys of no bytes.
fn part(key: &KeyFacts<'_>, bytes: impl Fn(&KeyFacts<'_>) -> f64) -> f64 {
    let mut bare = key.clone();
    bare.bytes = 0.0;
    let (all, values) = (bytes(key), bytes(&bare));
    if all > 0.0 { ((all - values) / all).clamp(0.0, 1.0) } else { 0.0 }
}
