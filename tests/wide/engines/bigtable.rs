//! Bigtable's rows, as lists of cells that are looked through from end to end. It keeps microseconds.

use std::collections::{BTreeMap, BTreeSet};

use rowkey::Error;
use rowkey::wide::{
    ClockOf, Column, Columns, Condition, Deletes, Edit, EditOrder, EmptyValues, Mutation, PageVersions,
    RepeatedCounters, RowConditions, TableSchema, TimestampUnit, UntimedDeletes, UntimedPuts, WideGuarantees,
};

use crate::engines::engine::{Cell, Engine, Refusal};

/// A table.
#[derive(Clone)]
pub(crate) struct Bigtable {
    schema: TableSchema,
    rows: BTreeMap<Vec<u8>, Vec<Cell>>,
    /// Whether it is the emulator: what is refused in part is done in part, and a delete of no family is none.
    pub(crate) emulator: bool,
}

/// Microseconds of the API's milliseconds.
pub(crate) const MICROS: i64 = 1000;

impl Bigtable {
    pub(crate) fn new(schema: TableSchema) -> Self {
        Self { schema, rows: BTreeMap::new(), emulator: false }
    }

    pub(crate) fn has(&self, family: &str) -> bool {
        self.schema.families.contains_key(family)
    }

    fn require(&self, family: &str) -> Result<(), Refusal> {
        match self.has(family) {
            true => Ok(()),
            false => Err(Refusal::NoSuchFamily(family.to_owned())),
        }
    }

    /// The versions of a column that are stored, newest first.
    fn versions(&self, row: &[u8], column: &Column) -> Vec<&Cell> {
        let mut versions: Vec<_> =
            self.rows.get(row).into_iter().flatten().filter(|(other, ..)| other == column).collect();
        versions.sort_by_key(|(_, at, _)| std::cmp::Reverse(*at));
        versions
    }

    /// A row's cells that a filter of each lets through, sorted, so many of each column.
    pub(crate) fn cells(&self, row: &[u8], passes: impl Fn(&Cell) -> bool, versions: u32) -> Vec<Cell> {
        let all: BTreeSet<&Column> = self.rows.get(row).into_iter().flatten().map(|(column, ..)| column).collect();
        let of_each = all.into_iter().flat_map(|column| {
            let passed = self.versions(row, column).into_iter().filter(|cell| passes(cell));
            passed.take(usize::try_from(versions).unwrap_or(usize::MAX)).cloned()
        });
        of_each.collect()
    }

    pub(crate) fn newest(&self, row: &[u8], column: &Column) -> Option<(i64, &[u8])> {
        self.versions(row, column).first().map(|(_, at, value)| (*at, value.as_slice()))
    }

    fn put(&mut self, row: &[u8], column: &Column, at: i64, value: &[u8]) {
        let cells = self.rows.entry(row.to_vec()).or_default();
        cells.retain(|(other, other_at, _)| (other, *other_at) != (column, at));
        cells.push((column.clone(), at, value.to_vec()));
    }

    /// Edits with microseconds, in their order. If one is refused, none is done.
    pub(crate) fn write(&mut self, row: &[u8], edits: &[Edit], now: i64) -> Result<(), Refusal> {
        let before = self.rows.get(row).cloned();
        let done = edits.iter().try_for_each(|edit| self.edit(row, edit, now));
        if done.is_err() && !self.emulator {
            match before {
                Some(cells) => self.rows.insert(row.to_vec(), cells),
                None => self.rows.remove(row),
            };
        }
        done
    }

    fn edit(&mut self, row: &[u8], edit: &Edit, now: i64) -> Result<(), Refusal> {
        if !(self.emulator && matches!(edit, Edit::DeleteFamily { .. })) {
            edit.family().map_or(Ok(()), |family| self.require(family))?;
        }
        let goes: Box<dyn Fn(&Cell) -> bool + '_> = match edit {
            Edit::Put { column, at, value } => {
                self.put(row, column, at.unwrap_or(now), value);
                return Ok(());
            }
            Edit::DeleteVersion { at: None, .. } => return Err(Refusal::Unsupported("deletes of the newest version")),
            Edit::DeleteVersion { column, at: Some(at) } => {
                Box::new(move |(other, other_at, _)| other == column && other_at / MICROS == at / MICROS)
            }
            Edit::DeleteColumn { column, until } => Box::new(move |(other, at, _)| {
                other == column && until.is_none_or(|until| at / MICROS <= until / MICROS)
            }),
            Edit::DeleteFamily { until: Some(_), .. } | Edit::DeleteRow { until: Some(_) } => {
                return Err(Refusal::Unsupported("deletes of a family or a row up to a timestamp"));
            }
            Edit::DeleteFamily { family, until: None } => Box::new(move |(column, ..)| column.family == *family),
            Edit::DeleteRow { until: None } => Box::new(|_| true),
        };
        if let Some(cells) = self.rows.get_mut(row) {
            cells.retain(|cell| !goes(cell));
        }
        Ok(())
    }

    /// Drops what the families do not keep: of a time to live with a least number of versions nothing, as the emulator
    /// does.
    pub(crate) fn collect(&mut self, now: i64) {
        for (row, cells) in self.rows.clone() {
            let all: BTreeSet<Column> = cells.into_iter().map(|(column, ..)| column).collect();
            for column in all {
                let family = self.schema.families[&column.family];
                let expired_until = family.expired_until(now / MICROS).map(|until| until * MICROS);
                let kept: BTreeSet<i64> = self
                    .versions(&row, &column)
                    .into_iter()
                    .take(family.max_versions as usize)
                    .map(|(_, at, _)| *at)
                    .filter(|at| family.min_versions > 0 || expired_until.is_none_or(|until| *at > until))
                    .collect();
                if let Some(cells) = self.rows.get_mut(&row) {
                    cells.retain(|(other, at, _)| *other != column || kept.contains(at));
                }
            }
        }
    }

    /// Microseconds.
    pub(crate) fn add(&mut self, row: &[u8], counters: &[(Column, i64)], now: i64) -> Result<Vec<i64>, Refusal> {
        let (before, mut sums) = (self.rows.clone(), Vec::new());
        for (column, by) in counters {
            let added = self.require(&column.family).and_then(|()| {
                let (at, before) = match self.newest(row, column) {
                    None => (now, 0),
                    Some((at, value)) => match value.try_into() {
                        Ok(bytes) => (at.max(now), i64::from_be_bytes(bytes)),
                        Err(_) => return Err(Refusal::NotACounter(column.clone(), value.len())),
                    },
                };
                Ok((at, before.wrapping_add(*by)))
            });
            match added {
                Ok((at, sum)) => {
                    self.put(row, column, at, &sum.to_be_bytes());
                    sums.push(sum);
                }
                Err(refusal) => {
                    if !self.emulator {
                        self.rows = before;
                    }
                    return Err(refusal);
                }
            }
        }
        Ok(sums)
    }
}

/// The same edits in microseconds.
pub(crate) fn in_micros(mutation: &Mutation) -> Vec<Edit> {
    let mut edits = mutation.edits().to_vec();
    for edit in &mut edits {
        let (Edit::Put { at, .. }
        | Edit::DeleteVersion { at, .. }
        | Edit::DeleteColumn { until: at, .. }
        | Edit::DeleteFamily { until: at, .. }
        | Edit::DeleteRow { until: at }) = edit;
        *at = at.map(|at| at.saturating_mul(MICROS));
    }
    edits
}

impl Engine for Bigtable {
    fn guarantees() -> WideGuarantees {
        let mut guarantees = WideGuarantees::none();
        guarantees.atomic_rows = true;
        guarantees.slow_scans = true;
        guarantees.timestamps = Some(TimestampUnit::Microseconds.timestamps());
        guarantees.clock = Some(ClockOf::Process);
        guarantees.untimed_puts = Some(UntimedPuts::AtClock);
        guarantees.untimed_deletes = Some(UntimedDeletes::All);
        guarantees.put_after_delete = true;
        guarantees.edit_order = Some(EditOrder::AsGiven);
        guarantees.deletes = Some(Deletes::Erase);
        guarantees.deleted_for_good = true;
        guarantees.increment = true;
        guarantees.repeated_counters = Some(RepeatedCounters::Cumulative);
        guarantees.check_and_mutate = true;
        guarantees.empty_values = Some(EmptyValues::AsValues);
        guarantees.page_versions = Some(PageVersions::Newest);
        guarantees.page_empty_qualifier = true;
        guarantees.row_conditions = Some(RowConditions::OnRow);
        guarantees.pieces_under_conditions = true;
        guarantees
    }

    fn rows(&self) -> BTreeSet<Vec<u8>> {
        self.rows.keys().cloned().collect()
    }

    fn read(&self, row: &[u8], columns: &Columns, _now: i64) -> Result<Vec<Cell>, Refusal> {
        columns.families().keys().try_for_each(|family| self.require(family))?;
        if let Some(check) = &columns.rows_where {
            self.require(&check.column.family)?;
            if !check.holds(self.newest(row, &check.column).map(|(_, value)| value)) {
                return Ok(Vec::new());
            }
        }
        if columns.versions == 0 {
            return Err(Refusal::VersionsNotPositive);
        }
        let passes = |(column, at, value): &Cell| {
            let ranges = columns.families().get(&column.family);
            (columns.families().is_empty()
                || ranges.is_some_and(|ranges| ranges.iter().any(|range| range.contains(&column.qualifier))))
                && columns.time.is_none_or(|(start, end)| (start..end).contains(&(at / MICROS)))
                && columns.value.as_ref().is_none_or(|(compare, given)| compare.holds(value, given))
        };
        // Its pages count cells: of one version each they are columns.
        let paged = columns.offset > 0 || columns.limit.is_some();
        let mut cells = self.cells(row, passes, if paged { 1 } else { columns.versions });
        if paged {
            let [offset, limit] = [columns.offset, columns.limit.unwrap_or(u64::MAX)]
                .map(|cells| usize::try_from(cells).unwrap_or(usize::MAX));
            cells = cells.into_iter().skip(offset).take(limit).collect();
        }
        cells.truncate(if columns.first_only { 1 } else { usize::MAX });
        Ok(cells.into_iter().map(|(column, at, value)| (column, at / MICROS, value)).collect())
    }

    fn refuses(_: &Columns) -> Option<Error> {
        None
    }

    fn mutate(&mut self, row: &[u8], mutation: &Mutation, now: i64) -> Result<(), Refusal> {
        self.write(row, &in_micros(mutation), now * MICROS)
    }

    fn increment(&mut self, row: &[u8], counters: &[(Column, i64)], now: i64) -> Result<Vec<i64>, Refusal> {
        self.add(row, counters, now * MICROS)
    }

    fn check(&mut self, row: &[u8], check: &Condition, mutation: &Mutation, now: i64) -> Result<bool, Refusal> {
        self.require(&check.column.family)?;
        let holds = check.holds(self.newest(row, &check.column).map(|(_, value)| value));
        if holds {
            self.mutate(row, mutation, now)?;
        }
        Ok(holds)
    }
}
