//! Random mutations, increments, checks, reads and scans, compared with the model.

use super::laws::{RowText, apart, done, equal, holds, mutate, now, past_counters, refused, row, rows};
use super::model::{ModelCell, WideModel};
use crate::conformance::store::laws::Random;
use crate::store::Scan;
use crate::store::error::Error;
use crate::wide::{Column, Columns, Compare, Condition, Deletes, EditOrder, Mutation, WideGuarantees, WideStore};

const LAW: &str = "model";
/// Given timestamps are below this, a clock's are not.
const GIVEN: i64 = 1000;
const QUALIFIERS: [&[u8]; 5] = [b"", b"\0", b"q", b"q\0", b"\xff"];

fn one_of<T: Copy>(random: &mut Random, of: &[T]) -> T {
    of[random.below(of.len() as u64) as usize]
}

fn column(random: &mut Random, families: &[&str]) -> Column {
    Column::from((one_of(random, families), one_of(random, &QUALIFIERS)))
}

const ALL: [&str; 3] = ["a", "ab", "b"];

fn compare(random: &mut Random) -> (Compare, Vec<u8>) {
    use Compare::{Equal, Greater, GreaterOrEqual, Less, LessOrEqual, NotEqual};
    let given = one_of(random, &[&b""[..], b"1", b"2", b"3"]);
    (one_of(random, &[Less, LessOrEqual, Equal, NotEqual, GreaterOrEqual, Greater]), given.to_vec())
}

fn columns(random: &mut Random, guarantees: &WideGuarantees) -> Columns {
    let mut columns = Columns::all();
    // In a time range, versions that the family no longer keeps may still be returned, so only the family that keeps
    // all is read.
    let timed = random.chance(4);
    let families: &[&str] = if timed { &["b"] } else { &ALL };
    if timed {
        let start = random.below(12) as i64;
        columns = columns.family("b").time(start..start + 1 + random.below(10) as i64);
    }
    for _ in 0..random.below(4) {
        let Column { family, qualifier } = column(random, families);
        columns = match random.below(4) {
            0 => columns.family(family),
            1 => columns.column((family, qualifier)),
            2 => columns.qualifier_prefix(family, qualifier),
            _ => columns.qualifier_range(family, qualifier..),
        };
    }
    columns = columns.versions(one_of(random, &[1, 1, 2, 3, 9]));
    if random.chance(4) {
        let (compare, given) = compare(random);
        columns = columns.value(compare, given);
    }
    let conditional = random.chance(4) && guarantees.row_conditions.is_some();
    if conditional {
        let (column, (compare, given)) = (column(random, &ALL), compare(random));
        columns = columns.rows_where(if random.chance(3) {
            Condition::absent(column)
        } else {
            Condition::value(column, compare, given)
        });
    }
    let can_be_paged = guarantees.page_empty_qualifier || !may_have_the_empty_qualifier(&columns);
    if random.chance(4) && can_be_paged {
        columns = columns.offset(random.below(4));
    }
    if random.chance(4) && can_be_paged {
        columns = columns.limit(random.below(5).max(u64::from(!guarantees.empty_reads)));
    }
    if guarantees.page_versions.is_none() && (columns.offset > 0 || columns.limit.is_some()) {
        columns = columns.versions(1);
    }
    if random.chance(6) {
        columns = columns.first_only();
    }
    if random.chance(4) && (!conditional || guarantees.pieces_under_conditions) {
        columns = columns.piece(1 + random.below(4) as usize);
    }
    columns
}

fn may_have_the_empty_qualifier(columns: &Columns) -> bool {
    let mut ranges = columns.families().values().flatten();
    columns.families().is_empty() || ranges.any(|range| range.contains(b""))
}

/// Changes one row, in the store and in the model. A store's clock is not known: a put's timestamp is read from the
/// store, and a delete without a timestamp comes after every version that was read.
fn change(store: &dyn WideStore, random: &mut Random, key: &[u8], model: &mut WideModel) {
    let guarantees = store.guarantees();
    // If the store does not declare what happens to timestamps that a delete covers, none is written after a delete.
    let deletes = guarantees.deletes.is_some();
    let kind = random.below(14);
    let mutation = match kind {
        0 | 1 => {
            let (column, value) = (column(random, &ALL), value(random));
            let mutation = Mutation::new().put(&column, value.as_slice());
            mutate(LAW, store, key, mutation.clone());
            return model.mutate(key, &mutation, stamp(store, key, model, &column, &value));
        }
        2 if guarantees.delete_latest.is_some() && deletes => Mutation::new().delete_latest(column(random, &["b"])),
        3 if deletes => Mutation::new().delete_column(column(random, &ALL)),
        4 if deletes => Mutation::new().delete_family(one_of(random, &ALL)),
        5 if deletes && random.chance(3) => Mutation::new().delete_row(),
        6 if guarantees.check_and_mutate => {
            let (column, (compare, given)) = (column(random, &ALL), compare(random));
            let check =
                if random.chance(3) { Condition::absent(column) } else { Condition::value(column, compare, given) };
            let mutation = given_edits(&guarantees, random);
            let newest = model.get(key, &Columns::of(&check.column), now()).pop();
            let empty = newest.is_some_and(|(.., value)| value.is_empty())
                || check.value.as_ref().is_some_and(|(_, given)| given.is_empty());
            if !empty || guarantees.empty_values.is_some() {
                let held = done(LAW, store.check_and_mutate(key, &check, &mutation));
                let holds = model.check_and_mutate(key, &check, &mutation, now());
                equal(LAW, format_args!("{check:?}, whether it holds"), held, holds);
            }
            return;
        }
        // Where all versions are returned, the one before may be returned or not.
        7 if guarantees.increment && guarantees.kept_on_read => {
            let counter = (column(random, &["ab"]), one_of(random, &[0, 1, -3, i64::MAX, i64::MIN]));
            let newest = model.get(key, &Columns::of(&counter.0), now()).pop();
            if newest.as_ref().is_some_and(|(.., value)| value.len() != 8) {
                refused(LAW, "an increment", store.increment(key, &[counter]), |error| {
                    matches!(error, Error::NotACounterCell { .. })
                });
                return;
            }
            let sums = done(LAW, store.increment(key, std::slice::from_ref(&counter)));
            let at = stamp(store, key, model, &counter.0, &sums.first().copied().unwrap_or_default().to_be_bytes());
            past_counters(store);
            let should_be = model.increment(key, &[counter], at).unwrap_or_default();
            return equal(LAW, "the sum of a counter", sums, should_be);
        }
        _ => {
            let mutation = given_edits(&guarantees, random);
            mutate(LAW, store, key, mutation.clone());
            return model.mutate(key, &mutation, now());
        }
    };
    mutate(LAW, store, key, mutation.clone());
    apart(store);
    let cells = model.get(key, &Columns::all().versions(u32::MAX), now());
    let newest = cells.into_iter().map(|(_, at, _)| at).max();
    model.mutate(key, &mutation, newest.unwrap_or(GIVEN).max(GIVEN));
}

/// The timestamp of a value that was just written without one. It is not before the version that it replaced.
fn stamp(store: &dyn WideStore, key: &[u8], model: &WideModel, column: &Column, value: &[u8]) -> i64 {
    let row = done(LAW, store.get(key, &Columns::of(column)));
    let newest = row.cells().next();
    let put = newest.is_some_and(|cell| cell.value == value && cell.timestamp >= GIVEN);
    holds(LAW, put, format_args!("{column}, just put, is {newest:?}"));
    let at = newest.map_or(0, |cell| cell.timestamp);
    let before = model.get(key, &Columns::of(column), at).pop().map_or(0, |(_, at, _)| at);
    holds(LAW, at >= before, format_args!("{column}, just put, is at {at}, before the version at {before}"));
    at
}

fn value(random: &mut Random) -> Vec<u8> {
    one_of(random, &[&b""[..], b"1", b"2", b"3"]).to_vec()
}

/// Edits with timestamps.
fn given_edits(guarantees: &WideGuarantees, random: &mut Random) -> Mutation {
    let deletes = guarantees.deletes.is_some();
    // Markers apply by timestamp, whatever the order.
    let hide = guarantees.deletes == Some(Deletes::Hide);
    let mixed = deletes && (hide || guarantees.edit_order == Some(EditOrder::AsGiven));
    let (mut mutation, value) = (Mutation::new(), value(random));
    for _ in 0..=random.below(5) {
        let at = 1 + random.below(20) as i64;
        // A partial delete might uncover versions that the family does not keep.
        let of_b = column(random, &["b"]);
        let kind = if mixed || deletes && mutation.is_empty() { random.below(8) } else { 7 };
        mutation = match kind {
            0 => mutation.delete_version(of_b, at),
            1 => mutation.delete_column_until(of_b, at),
            2 if guarantees.delete_family_until && random.chance(3) => mutation.delete_family_until("b", at),
            _ => mutation.put_at(column(random, &ALL), at, value.as_slice()),
        };
        if !mixed && kind < 3 {
            break;
        }
    }
    mutation
}

/// Writes at random to a few rows, and compares what is read with the model.
pub(super) fn random(store: &dyn WideStore, random: &mut Random) {
    let keys: Vec<Vec<u8>> = (0..8).map(|_| random.key()).collect();
    let guarantees = store.guarantees();
    let mut model = WideModel::new(store.schema(), &guarantees);
    for _ in 0..120 {
        for _ in 0..2 {
            let key = &keys[random.below(keys.len() as u64) as usize];
            change(store, random, key, &mut model);
        }
        let key = &keys[random.below(keys.len() as u64) as usize];
        let asked = columns(random, &guarantees);
        let should_be = as_text(model.get(key, &asked, now()));
        equal(LAW, format_args!("{asked:?} of row {}", key.escape_ascii()), row(LAW, store, key, &asked), should_be);
        let scan = if random.chance(2) { Scan::all() } else { random.scan() };
        let asked = columns(random, &guarantees);
        let should_be = model.scan(&scan, &asked, now()).into_iter().map(|(key, cells)| (key, as_text(cells)));
        let should_be: Vec<RowText> = should_be.collect();
        equal(LAW, format_args!("{asked:?} in {scan:?}"), rows(LAW, store, &scan, &asked), should_be);
    }
}

fn as_text(cells: Vec<ModelCell>) -> Vec<String> {
    cells.into_iter().map(|(column, at, value)| format!("{column}@{at}={}", value.escape_ascii())).collect()
}
