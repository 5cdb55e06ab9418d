//! A model of wide rows: what a store should return, computed in the plainest way.

use std::collections::{BTreeMap, BTreeSet};

use crate::store::Scan;
use crate::wide::{
    Column, Columns, Compare, Condition, Deletes, Edit, EditOrder, EmptyValues, Mutation, PageVersions,
    RepeatedCounters, RowConditions, TableSchema, UntimedDeletes, UntimedPuts, WideGuarantees,
};

/// A cell that a [`WideModel`] returns: its column, its timestamp, its value.
pub type ModelCell = (Column, i64, Vec<u8>);

/// A model of a table of wide rows, for random tests of your own engine: write the same to both, and compare what they
/// return.
///
/// It keeps the cells of each row, and the markers of deletes in no order; each read searches all of them. It shares no
/// code with [`Cells`](crate::wide::Cells). Its semantics are those of the [`WideGuarantees`] that it is given.
///
/// It has no clock: each call takes the time as `now`, in milliseconds since 1970. If your engine's clock can't be set,
/// read the timestamp of what was written from the engine, and write to the model with that. The model does not
/// validate anything: it takes only what an engine accepts.
///
/// ```
/// use rowkey::Memory;
/// use rowkey::conformance::WideModel;
/// use rowkey::wide::{Cells, Columns, FamilySchema, Mutation, TableSchema, WideStore};
///
/// let schema = TableSchema::new().family("f", FamilySchema::new().max_versions(2));
/// let engine = Cells::open(&Memory::new(), "t", &schema)?.with_clock(|| 1000);
/// let mut model = WideModel::new(&schema, &engine.guarantees());
/// for mutation in [Mutation::new().put_at("f:q", 7, "v"), Mutation::new().delete_column("f:q").put("f:q", "w")] {
///     engine.mutate(b"row", &mutation)?;
///     model.mutate(b"row", &mutation, 1000);
///     let row = engine.get(b"row", &Columns::all())?;
///     let found: Vec<_> = row.cells().map(|cell| (cell.column(), cell.timestamp, cell.value.to_vec())).collect();
///     assert_eq!(found, model.get(b"row", &Columns::all(), 1000));
/// }
/// # Ok::<(), rowkey::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct WideModel {
    schema: TableSchema,
    guarantees: WideGuarantees,
    rows: BTreeMap<Vec<u8>, ModelRow>,
}

#[derive(Clone, Debug, Default)]
struct ModelRow {
    cells: BTreeMap<Column, BTreeMap<i64, Vec<u8>>>,
    markers: Vec<Marker>,
}

/// A delete of timestamps, inclusive, in a column or, without a qualifier, in a family.
#[derive(Clone, Debug)]
struct Marker {
    family: String,
    qualifier: Option<Vec<u8>>,
    from: i64,
    until: i64,
}

impl Marker {
    fn of_column(column: &Column, from: i64, until: i64) -> Self {
        Self { family: column.family.clone(), qualifier: Some(column.qualifier.clone()), from, until }
    }

    fn of_family(family: &str, until: i64) -> Self {
        Self { family: family.to_owned(), qualifier: None, from: 0, until }
    }

    fn covers(&self, column: &Column) -> bool {
        self.family == column.family && self.qualifier.as_ref().is_none_or(|qualifier| *qualifier == column.qualifier)
    }

    fn hides(&self, column: &Column, at: i64) -> bool {
        self.covers(column) && self.from <= at && at <= self.until
    }
}

impl ModelRow {
    fn put(&mut self, column: &Column, at: i64, value: &[u8]) {
        if !self.markers.iter().any(|marker| marker.hides(column, at)) {
            self.cells.entry(column.clone()).or_default().insert(at, value.to_vec());
        }
    }

    fn remove(&mut self, marker: &Marker) {
        for (column, versions) in &mut self.cells {
            versions.retain(|at, _| !marker.hides(column, *at));
        }
    }
}

impl WideModel {
    /// An empty table with these families, of a store that declares these guarantees.
    pub fn new(schema: &TableSchema, guarantees: &WideGuarantees) -> Self {
        Self { schema: schema.clone(), guarantees: *guarantees, rows: BTreeMap::new() }
    }

    /// [`WideStore::mutate`](crate::wide::WideStore::mutate). If an
    /// [`edit_order`](WideGuarantees::edit_order) is not declared, edits take effect in order.
    pub fn mutate(&mut self, row: &[u8], mutation: &Mutation, now: i64) {
        let mut edits: Vec<&Edit> = mutation.edits().iter().collect();
        if self.guarantees.edit_order == Some(EditOrder::DeletesLast) {
            edits.sort_by_key(|edit| match edit {
                Edit::DeleteVersion { at: None, .. } => 0,
                Edit::Put { .. } => 1,
                _ => 2,
            });
        }
        edits.into_iter().for_each(|edit| self.edit(row, edit, now.max(0)));
    }

    /// [`WideStore::check_and_mutate`](crate::wide::WideStore::check_and_mutate). If
    /// [`empty_values`](WideGuarantees::empty_values) is not declared, an empty value is a value.
    pub fn check_and_mutate(&mut self, row: &[u8], check: &Condition, mutation: &Mutation, now: i64) -> bool {
        let newest = self.newest(row, &check.column, now).map(|(_, value)| value);
        let holds = passes(check, newest.as_deref(), self.guarantees.empty_values);
        if holds {
            self.mutate(row, mutation, now);
        }
        holds
    }

    /// [`WideStore::increment`](crate::wide::WideStore::increment). In a family of one version the value before is
    /// removed. `None` if one of the columns is not a counter: then nothing changes.
    pub fn increment(&mut self, row: &[u8], counters: &[(Column, i64)], now: i64) -> Option<Vec<i64>> {
        let before = self.clone();
        let mut sums = Vec::new();
        for (column, by) in counters {
            let read = match self.guarantees.repeated_counters {
                Some(RepeatedCounters::Independent) => &before,
                _ => &*self,
            };
            let newest = read.newest(row, column, now);
            let value = newest.as_ref().map_or(Some([0; 8]), |(_, value)| value.as_slice().try_into().ok());
            let Some(value) = value else {
                *self = before;
                return None;
            };
            let sum = i64::from_be_bytes(value).wrapping_add(*by);
            if let Some((at, _)) = newest.filter(|_| self.most(column) == 1) {
                self.row(row).remove(&Marker::of_column(column, at, at));
            }
            self.put_now(row, column, &sum.to_be_bytes(), now.max(0));
            sums.push(sum);
        }
        Some(sums)
    }

    /// Removes delete markers, and the versions that families do not keep.
    pub fn purge(&mut self, now: i64) {
        let before = self.clone();
        for (row, written) in &mut self.rows {
            written.markers.clear();
            for (column, versions) in &mut written.cells {
                *versions = before.kept(row, column, None, now).into_iter().map(|(at, v)| (at, v.to_vec())).collect();
            }
        }
    }

    /// [`WideStore::get`](crate::wide::WideStore::get).
    pub fn get(&self, row: &[u8], columns: &Columns, now: i64) -> Vec<ModelCell> {
        let asked = |column: &Column| {
            let ranges = columns.families().get(&column.family);
            columns.families().is_empty()
                || ranges.is_some_and(|ranges| ranges.iter().any(|range| range.contains(&column.qualifier)))
        };
        if let Some(check) = &columns.rows_where {
            let on_read = self.guarantees.row_conditions == Some(RowConditions::OnRead);
            let mut found = self.kept(row, &check.column, columns.time.filter(|_| on_read), now);
            found.retain(|_| !on_read || asked(&check.column));
            if !passes(check, found.first().map(|(_, value)| *value), None) {
                return Vec::new();
            }
        }
        let in_pages = columns.limit.is_some() || columns.offset > 0;
        let newest_alone = in_pages && self.guarantees.page_versions == Some(PageVersions::Newest);
        let versions = if newest_alone { columns.versions.min(1) } else { columns.versions };
        let mut found = Vec::new();
        let mut place = 0;
        let there: BTreeSet<&Column> =
            self.rows.get(row).into_iter().flat_map(|written| written.cells.keys()).collect();
        for column in there.into_iter().filter(|column| asked(column)) {
            let mut cells = self.kept(row, column, columns.time, now);
            cells.retain(|(_, value)| {
                columns.value.as_ref().is_none_or(|(compare, given)| compared(*compare, value, given))
            });
            cells.truncate(versions as usize);
            if cells.is_empty() {
                continue;
            }
            place += 1;
            if place > columns.offset && columns.limit.is_none_or(|limit| place - columns.offset <= limit) {
                found.extend(cells.into_iter().map(|(at, value)| (column.clone(), at, value.to_vec())));
            }
        }
        found.truncate(if columns.first_only { 1 } else { usize::MAX });
        found
    }

    /// [`WideStore::scan`](crate::wide::WideStore::scan): all its rows, with the pieces of each row joined.
    pub fn scan(&self, scan: &Scan, columns: &Columns, now: i64) -> Vec<(Vec<u8>, Vec<ModelCell>)> {
        let within = |row: &[u8]| scan.ranges.iter().any(|range| range.contains(row));
        let rows = self.rows.keys().filter(|row| within(row)).map(|row| (row.clone(), self.get(row, columns, now)));
        let mut rows: Vec<_> = rows.filter(|(_, cells)| !cells.is_empty()).collect();
        if scan.reverse {
            rows.reverse();
        }
        rows.truncate(scan.limit.map_or(usize::MAX, |limit| usize::try_from(limit).unwrap_or(usize::MAX)));
        rows
    }

    fn edit(&mut self, row: &[u8], edit: &Edit, now: i64) {
        match edit {
            Edit::Put { column, at: Some(at), value } => self.row(row).put(column, *at, value),
            Edit::Put { column, at: None, value } => self.put_now(row, column, value, now),
            Edit::DeleteVersion { column, at: Some(at) } => self.delete(row, Marker::of_column(column, *at, *at)),
            Edit::DeleteVersion { column, at: None } => {
                if let Some((at, _)) = self.newest(row, column, now) {
                    let marker = Marker::of_column(column, at, at);
                    if at > self.last_deleted(now) {
                        self.row(row).remove(&marker);
                    } else {
                        self.delete(row, marker);
                    }
                }
            }
            Edit::DeleteColumn { column, until: Some(until) } => {
                self.delete(row, Marker::of_column(column, 0, *until));
            }
            Edit::DeleteColumn { column, until: None } => self.delete_now(row, Marker::of_column(column, 0, now), now),
            Edit::DeleteFamily { family, until: Some(until) } => self.delete(row, Marker::of_family(family, *until)),
            Edit::DeleteFamily { family, until: None } => self.delete_now(row, Marker::of_family(family, now), now),
            Edit::DeleteRow { until } => {
                let families: Vec<String> = self.schema.families.keys().cloned().collect();
                families.into_iter().for_each(|family| {
                    self.edit(row, &Edit::DeleteFamily { family, until: *until }, now);
                });
            }
        }
    }

    fn put_now(&mut self, row: &[u8], column: &Column, value: &[u8], now: i64) {
        let latest = self.guarantees.untimed_puts == Some(UntimedPuts::Latest);
        let row = self.row(row);
        if latest {
            // Later versions, and deletes that would hide this one, are removed for good.
            row.remove(&Marker::of_column(column, now, i64::MAX));
            for marker in row.markers.iter_mut().filter(|marker| marker.covers(column)) {
                marker.until = marker.until.min(now.saturating_sub(1));
            }
            row.markers.retain(|marker| marker.from <= marker.until);
        }
        row.put(column, now, value);
    }

    fn delete(&mut self, row: &[u8], marker: Marker) {
        let hides = self.guarantees.deletes == Some(Deletes::Hide);
        let row = self.row(row);
        row.remove(&marker);
        if hides {
            row.markers.push(marker);
        }
    }

    fn delete_now(&mut self, row: &[u8], mut marker: Marker, now: i64) {
        let all = self.guarantees.untimed_deletes == Some(UntimedDeletes::All);
        marker.until = if all { i64::MAX } else { now };
        self.row(row).remove(&marker);
        marker.until = self.last_deleted(now);
        self.delete(row, marker);
    }

    /// The last timestamp at which a delete without a timestamp hides later writes.
    fn last_deleted(&self, now: i64) -> i64 {
        if self.guarantees.put_after_delete { now.saturating_sub(1) } else { now }
    }

    fn row(&mut self, row: &[u8]) -> &mut ModelRow {
        self.rows.entry(row.to_vec()).or_default()
    }

    fn newest(&self, row: &[u8], column: &Column, now: i64) -> Option<(i64, Vec<u8>)> {
        self.kept(row, column, None, now).first().map(|(at, value)| (*at, value.to_vec()))
    }

    /// Number of versions that the column's family keeps.
    fn most(&self, column: &Column) -> u32 {
        self.schema.families.get(&column.family).map_or(1, |family| family.max_versions)
    }

    /// The versions of a column that the family keeps, newest first. Those out of the time range do not count.
    fn kept(&self, row: &[u8], column: &Column, time: Option<(i64, i64)>, now: i64) -> Vec<(i64, &[u8])> {
        let Some(family) = self.schema.families.get(&column.family) else { return Vec::new() };
        let versions = self.rows.get(row).and_then(|written| written.cells.get(column));
        let in_time = |at: i64| time.is_none_or(|(start, end)| start <= at && at < end);
        let age = |at: i64| u128::try_from(i128::from(now) - i128::from(at)).unwrap_or(0);
        let mut kept = Vec::new();
        for (at, value) in versions.into_iter().flatten().rev().filter(|(at, _)| in_time(**at)) {
            let expired = family.ttl.is_some_and(|ttl| age(*at) >= ttl.as_millis());
            if kept.len() >= family.max_versions as usize || expired && kept.len() >= family.min_versions as usize {
                break;
            }
            kept.push((*at, value.as_slice()));
        }
        kept
    }
}

/// Returns whether the newest value of a column passes a check.
pub(super) fn passes(check: &Condition, newest: Option<&[u8]>, empty_values: Option<EmptyValues>) -> bool {
    let as_absent = empty_values == Some(EmptyValues::AsAbsent);
    let is_taken_for_absent = as_absent || empty_values == Some(EmptyValues::Compared);
    let is_absent = newest.is_none_or(|newest| is_taken_for_absent && newest.is_empty());
    match (&check.value, newest) {
        (None, _) => is_absent,
        (Some((compare, given)), _) if as_absent && given.is_empty() => is_absent == (*compare != Compare::NotEqual),
        (Some(_), None) => false,
        (Some((compare, given)), Some(newest)) => compared(*compare, newest, given),
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
