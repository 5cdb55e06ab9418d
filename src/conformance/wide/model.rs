//! Random mutations, reads and scans, compared with a list of cells and markers that is searched linearly.

use std::collections::{BTreeMap, BTreeSet};

use super::laws::{RowText, apart, done, equal, holds, mutate, row, rows};
use crate::conformance::store::laws::Random;
use crate::store::Scan;
use crate::wide::{
    Column, Columns, Compare, Condition, Deletes, EditOrder, Mutation, PageVersions, RowConditions, WideGuarantees,
    WideStore,
};

const LAW: &str = "model";
/// Given timestamps are below this, a clock's are not.
const GIVEN: i64 = 1000;
const QUALIFIERS: [&[u8]; 5] = [b"", b"\0", b"q", b"q\0", b"\xff"];

#[derive(Default)]
struct Model {
    cells: Vec<(Column, i64, Vec<u8>)>,
    /// The family, unless all; the column, unless all; the timestamps.
    markers: Vec<Marker>,
}

#[derive(Clone)]
struct Marker {
    family: Option<String>,
    qualifier: Option<Vec<u8>>,
    from: i64,
    until: i64,
}

impl Marker {
    fn hides(&self, column: &Column, at: i64) -> bool {
        self.family.as_ref().is_none_or(|family| *family == column.family)
            && self.qualifier.as_ref().is_none_or(|qualifier| *qualifier == column.qualifier)
            && (self.from..=self.until).contains(&at)
    }
}

impl Model {
    fn put(&mut self, column: Column, at: i64, value: Vec<u8>) {
        self.cells.retain(|(other, other_at, _)| (other, *other_at) != (&column, at));
        if !self.markers.iter().any(|marker| marker.hides(&column, at)) {
            self.cells.push((column, at, value));
        }
    }

    fn delete(&mut self, marker: Marker, keep: bool) {
        self.cells.retain(|(column, at, _)| !marker.hides(column, *at));
        if keep {
            self.markers.push(marker);
        }
    }

    /// A delete as of now: of every cell, and of whatever is put later with an old timestamp.
    fn delete_now(&mut self, mut marker: Marker, keep: bool) {
        marker.until = i64::MAX;
        self.delete(marker.clone(), false);
        marker.until = GIVEN;
        self.delete(marker, keep);
    }

    fn versions(&self, column: &Column) -> Vec<(i64, &[u8])> {
        let of_column = self.cells.iter().filter(|(other, ..)| other == column);
        let mut versions: Vec<_> = of_column.map(|(_, at, value)| (*at, value.as_slice())).collect();
        versions.sort_by_key(|(at, _)| std::cmp::Reverse(*at));
        versions
    }

    fn read(&self, columns: &Columns, guarantees: &WideGuarantees) -> Vec<String> {
        let asked = |column: &Column| {
            let ranges = columns.families().get(&column.family);
            columns.families().is_empty()
                || ranges.is_some_and(|ranges| ranges.iter().any(|range| range.contains(&column.qualifier)))
        };
        let in_time = |at: i64| columns.time.is_none_or(|(start, end)| start <= at && at < end);
        if let Some(check) = &columns.rows_where {
            let mut versions = self.versions(&check.column);
            if guarantees.row_conditions == Some(RowConditions::OnRead) {
                versions.retain(|(at, _)| asked(&check.column) && in_time(*at));
            }
            let newest = versions.first().map(|(_, value)| *value);
            let holds = match (&check.value, newest) {
                (None, newest) => newest.is_none(),
                (Some((compare, given)), Some(newest)) => compared(*compare, newest, given),
                (Some(_), None) => false,
            };
            if !holds {
                return Vec::new();
            }
        }
        let there: BTreeSet<&Column> =
            self.cells.iter().map(|(column, ..)| column).filter(|column| asked(column)).collect();
        let picked = there.into_iter().map(|column| {
            let most = match column.family.as_str() {
                "a" if guarantees.kept_on_read => 3,
                "ab" if guarantees.kept_on_read => 1,
                _ => 1000,
            };
            let kept = self.versions(column).into_iter().filter(|(at, _)| in_time(*at)).take(most);
            let valued = kept.filter(|(_, value)| {
                columns.value.as_ref().is_none_or(|(compare, given)| compared(*compare, value, given))
            });
            let text = |(at, value): (i64, &[u8])| format!("{column}@{at}={}", value.escape_ascii());
            let in_pages = columns.limit.is_some() || columns.offset > 0;
            let newest_alone = in_pages && guarantees.page_versions == Some(PageVersions::Newest);
            let versions = if newest_alone { columns.versions.min(1) } else { columns.versions };
            valued.take(versions as usize).map(text).collect::<Vec<_>>()
        });
        let limit = columns.limit.map_or(usize::MAX, |limit| limit as usize);
        let page = picked.filter(|versions| !versions.is_empty()).skip(columns.offset as usize).take(limit);
        page.flatten().take(if columns.first_only { 1 } else { usize::MAX }).collect()
    }
}

fn compared(compare: Compare, stored: &[u8], given: &[u8]) -> bool {
    use std::cmp::Ordering::{Equal, Greater, Less};
    match (compare, stored.cmp(given)) {
        (Compare::Less | Compare::LessOrEqual | Compare::NotEqual, Less) => true,
        (Compare::Equal | Compare::LessOrEqual | Compare::GreaterOrEqual, Equal) => true,
        (compare, Greater) => matches!(compare, Compare::Greater | Compare::GreaterOrEqual | Compare::NotEqual),
        _ => false,
    }
}

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

/// Changes one row, in the store and in the model.
fn change(store: &dyn WideStore, random: &mut Random, key: &[u8], model: &mut Model) {
    let guarantees = store.guarantees();
    let keep = guarantees.deletes == Some(Deletes::Hide);
    // If the store does not declare what happens to timestamps that a delete covers, none is written after a delete.
    let deletes = guarantees.deletes.is_some();
    // Markers apply by timestamp, whatever the order.
    let mixed = deletes && (keep || guarantees.edit_order == Some(EditOrder::AsGiven));
    let value = one_of(random, &[&b""[..], b"1", b"2", b"3"]).to_vec();
    let of = |column: &Column, from, until| Marker {
        family: Some(column.family.clone()),
        qualifier: Some(column.qualifier.clone()),
        from,
        until,
    };
    let now = match random.below(10) {
        0 | 1 => {
            let column = column(random, &ALL);
            mutate(LAW, store, key, Mutation::new().put(&column, value.as_slice()));
            let row = done(LAW, store.get(key, &Columns::of(&column)));
            let newest = row.cells().next();
            let put = newest.is_some_and(|cell| cell.value == value && cell.timestamp >= GIVEN);
            holds(LAW, put, format_args!("{column}, just put, is {newest:?}"));
            let at = newest.map_or(0, |cell| cell.timestamp);
            let before = model.versions(&column).first().map_or(0, |(at, _)| *at);
            holds(LAW, at >= before, format_args!("{column}, just put, is at {at}, before the version at {before}"));
            return model.put(column, at, value);
        }
        2 if guarantees.delete_latest.is_some() && deletes => {
            let column = column(random, &["b"]);
            mutate(LAW, store, key, Mutation::new().delete_latest(&column));
            apart(store);
            if let Some(at) = model.versions(&column).first().map(|(at, _)| *at) {
                // A repeated clock time is the latest, and not hidden.
                model.delete(of(&column, at, at), keep && at < GIVEN);
            }
            return;
        }
        3 if deletes => {
            let column = column(random, &ALL);
            (Mutation::new().delete_column(&column), of(&column, 0, 0))
        }
        4 if deletes => {
            let family = one_of(random, &ALL).to_owned();
            let marker = Marker { family: Some(family.clone()), qualifier: None, from: 0, until: 0 };
            (Mutation::new().delete_family(family), marker)
        }
        5 if deletes && random.chance(3) => {
            (Mutation::new().delete_row(), Marker { family: None, qualifier: None, from: 0, until: 0 })
        }
        _ => {
            let mut mutation = Mutation::new();
            for _ in 0..=random.below(5) {
                let at = 1 + random.below(20) as i64;
                // A partial delete might uncover versions that the family does not keep.
                let of_b = column(random, &["b"]);
                let kind = if mixed || deletes && mutation.is_empty() { random.below(8) } else { 7 };
                mutation = match kind {
                    0 => {
                        model.delete(of(&of_b, at, at), keep);
                        mutation.delete_version(of_b, at)
                    }
                    1 => {
                        model.delete(of(&of_b, 0, at), keep);
                        mutation.delete_column_until(of_b, at)
                    }
                    2 if guarantees.delete_family_until && random.chance(3) => {
                        let marker = Marker { family: Some("b".to_owned()), qualifier: None, from: 0, until: at };
                        model.delete(marker, keep);
                        mutation.delete_family_until("b", at)
                    }
                    _ => {
                        let column = column(random, &ALL);
                        model.put(column.clone(), at, value.clone());
                        mutation.put_at(column, at, value.as_slice())
                    }
                };
                if !mixed && kind < 3 {
                    break;
                }
            }
            return mutate(LAW, store, key, mutation);
        }
    };
    mutate(LAW, store, key, now.0);
    apart(store);
    model.delete_now(now.1, keep);
}

pub(super) fn model(store: &dyn WideStore, random: &mut Random) {
    let mut models: BTreeMap<Vec<u8>, Model> = (0..8).map(|_| (random.key(), Model::default())).collect();
    let keys: Vec<Vec<u8>> = models.keys().cloned().collect();
    let guarantees = store.guarantees();
    for _ in 0..120 {
        for _ in 0..2 {
            let key = &keys[random.below(keys.len() as u64) as usize];
            let Some(model) = models.get_mut(key) else { continue };
            change(store, random, key, model);
        }
        let key = &keys[random.below(keys.len() as u64) as usize];
        let asked = columns(random, &guarantees);
        let should_be = models[key].read(&asked, &guarantees);
        equal(LAW, format_args!("{asked:?} of row {}", key.escape_ascii()), row(LAW, store, key, &asked), should_be);
        let scan = if random.chance(2) { Scan::all() } else { random.scan() };
        let asked = columns(random, &guarantees);
        let within = |key: &[u8]| scan.ranges.iter().any(|range| range.contains(key));
        let read =
            models.iter().filter(|(key, _)| within(key)).map(|(key, row)| (key.clone(), row.read(&asked, &guarantees)));
        let mut should_be: Vec<RowText> = read.filter(|(_, cells)| !cells.is_empty()).collect();
        if scan.reverse {
            should_be.reverse();
        }
        should_be.truncate(scan.limit.map_or(usize::MAX, |limit| limit as usize));
        equal(LAW, format_args!("{asked:?} in {scan:?}"), rows(LAW, store, &scan, &asked), should_be);
    }
}
