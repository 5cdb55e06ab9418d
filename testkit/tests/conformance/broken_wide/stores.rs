//! Wide stores with one fault each.

use rowkey::error::RowErrors;
use rowkey::store::{CallOptions, Room, RowBatch, Rows, Scan, Store, TableId};
use rowkey::wide::{
    Cell, CellIter, Cells, Column, Columns, Condition, Edit, Mutation, Row, TableSchema, WideGuarantees, WideLimits,
    WideStore, check_mutation, push_cell,
};
use rowkey::{Error, KeyRange, Memory, conformance};
use std::sync::Arc;

use crate::broken_wide::refused;
use crate::in_between;

#[derive(Clone, Copy, Debug, PartialEq)]
enum Fault {
    NewestByOrderOfWrites,
    MarkersForgotten,
    VersionsUnlimited,
    ExpiredShown,
    MinVersionsForgotten,
    QualifiersUnsorted,
    PrefixTakesTheNeighbour,
    LimitCountsCells,
    OffsetIgnored,
    OffsetOverAllRows,
    TimeEndInclusive,
    ReverseReversesCells,
    IncrementLost,
    IncrementLittleEndian,
    IncrementHalf,
    IncrementNotDeclared,
    CheckTakesEmptyForAbsent,
    CheckOfAnyVersion,
    CheckLosesUpdates,
    MutationInParts,
    MutationReversed,
    FamilyDeleteTakesTheNeighbour,
    DeleteUntilExclusive,
    RowDeleteKeepsAFamily,
    ValueAfterVersions,
    PieceDropped,
    FirstOnlyOfEachFamily,
    RowsWhereIgnored,
    EmptyValueDeletes,
    EmptyRowTaken,
    UnknownFamilyIsEmpty,
    NegativeIsNow,
    EmptyRowsCount,
    GetManySorted,
    ExistsByPrefix,
    NoSnapshot,
    OthersWrittenUnsaid,
    NextNamed,
    NamedButNothingWritten,
    BatchBytesIgnored,
    LargeRowEndsTheScan,
}
use Fault::*;

refused! { |fault: Fault| conformance::wide(move |schema| Broken::new(fault, schema));
    NewestByOrderOfWrites => "older-write",
    MarkersForgotten => "delete-marker",
    VersionsUnlimited => "max-versions",
    ExpiredShown => "ttl",
    MinVersionsForgotten => "min-versions",
    QualifiersUnsorted => "cells-sorted",
    PrefixTakesTheNeighbour => "prefix",
    LimitCountsCells => "page-versions",
    OffsetIgnored => "column-offset",
    OffsetOverAllRows => "column-offset",
    TimeEndInclusive => "time-range",
    ReverseReversesCells => "cells-sorted",
    IncrementLost => "lost-increment",
    IncrementLittleEndian => "increment",
    IncrementHalf => "not-a-counter",
    IncrementNotDeclared => "unsupported",
    CheckTakesEmptyForAbsent => "empty-check",
    CheckOfAnyVersion => "check-and-mutate",
    CheckLosesUpdates => "lost-update",
    MutationInParts => "whole-mutation",
    MutationReversed => "same-timestamp",
    FamilyDeleteTakesTheNeighbour => "delete",
    DeleteUntilExclusive => "delete",
    RowDeleteKeepsAFamily => "delete",
    ValueAfterVersions => "value",
    PieceDropped => "piece",
    FirstOnlyOfEachFamily => "first-only",
    RowsWhereIgnored => "rows-where",
    EmptyValueDeletes => "empty-value",
    EmptyRowTaken => "empty-row",
    UnknownFamilyIsEmpty => "no-such-family",
    NegativeIsNow => "negative-timestamp",
    EmptyRowsCount => "row-limit",
    GetManySorted => "get-many",
    ExistsByPrefix => "exists",
    NoSnapshot => "snapshot",
    OthersWrittenUnsaid => "failed-rows",
    NextNamed => "failed-rows",
    NamedButNothingWritten => "failed-rows",
    BatchBytesIgnored => "batch-bytes",
    LargeRowEndsTheScan => "batch-bytes",
}

type Owned = (Column, i64, Vec<u8>);

/// [`Cells`] with one fault.
struct Broken {
    inner: Cells,
    fault: Fault,
}

impl Broken {
    fn new(fault: Fault, schema: &TableSchema) -> Self {
        let mut within = schema.clone();
        for family in within.families.values_mut() {
            match fault {
                VersionsUnlimited => family.max_versions = 1000,
                ExpiredShown => family.ttl = None,
                MinVersionsForgotten => family.min_versions = 0,
                _ => {}
            }
        }
        Self { inner: Cells::open(&Memory::new(), "t", &within).unwrap(), fault }
    }

    /// The columns that are asked of the store within: those of the caller, or others by the fault.
    fn asked(&self, columns: &Columns) -> Columns {
        let mut columns = columns.clone();
        match self.fault {
            PrefixTakesTheNeighbour => {
                let neighbour = |range: &KeyRange| match range.end() {
                    Some(end) if !end.ends_with(b"\0") => {
                        KeyRange::new(range.start(), Some([end, b"\0"].concat())).unwrap()
                    }
                    _ => range.clone(),
                };
                columns = of_families(&columns, |_, ranges| Some(ranges.iter().map(neighbour).collect()));
            }
            TimeEndInclusive => columns.time = columns.time.map(|(start, end)| (start, end.saturating_add(1))),
            OffsetIgnored => columns.offset = 0,
            OffsetOverAllRows | LimitCountsCells => (columns.offset, columns.limit) = (0, None),
            RowsWhereIgnored => columns.rows_where = None,
            FirstOnlyOfEachFamily => columns.first_only = false,
            ValueAfterVersions => columns.value = None,
            UnknownFamilyIsEmpty => {
                let schema = self.inner.schema();
                columns = of_families(&columns, |family, ranges| schema.require(family).ok().map(|_| ranges.to_vec()));
                columns.rows_where = columns.rows_where.filter(|check| schema.require(&check.column.family).is_ok());
            }
            _ => {}
        }
        columns
    }

    /// A row's cells as the fault makes them; `seen` columns came before, in other rows too.
    fn made(&self, cells: &[u8], columns: &Columns, reverse: bool, seen: &mut u64) -> Vec<u8> {
        let cells = CellIter::new(cells).map(|cell| (cell.column(), cell.timestamp, cell.value.to_vec()));
        let mut cells: Vec<Owned> = cells.collect();
        match self.fault {
            QualifiersUnsorted => cells.sort_by_key(|(column, ..)| (column.family.clone(), column.qualifier.len())),
            ReverseReversesCells if reverse => cells.reverse(),
            LimitCountsCells => {
                let limit = columns.limit.map_or(usize::MAX, |limit| limit as usize);
                cells = cells.into_iter().skip(columns.offset as usize).take(limit).collect();
            }
            OffsetOverAllRows => {
                let mut kept: Vec<Column> = Vec::new();
                cells.retain(|(column, ..)| {
                    if kept.last() != Some(column) {
                        *seen += 1;
                        kept.push(column.clone());
                    }
                    *seen > columns.offset && columns.limit.is_none_or(|limit| *seen <= columns.offset + limit)
                });
            }
            PieceDropped => cells.truncate(columns.piece.map_or(usize::MAX, |piece| piece.get())),
            FirstOnlyOfEachFamily if columns.first_only => {
                let mut families = Vec::new();
                cells.retain(|(column, ..)| {
                    let new = !families.contains(&column.family);
                    families.push(column.family.clone());
                    new
                });
            }
            ValueAfterVersions => {
                if let Some((compare, given)) = &columns.value {
                    cells.retain(|(_, _, value)| compare.holds(value, given));
                }
            }
            _ => {}
        }
        let mut out = Vec::new();
        for (Column { family, qualifier }, timestamp, value) in &cells {
            push_cell(&mut out, &Cell { family, qualifier, timestamp: *timestamp, value }).unwrap();
        }
        out
    }

    fn changed(&self, row: &[u8], mutation: &Mutation) -> Mutation {
        let mut edits = mutation.edits().to_vec();
        if self.fault == MutationReversed {
            edits.reverse();
        }
        let mut changed = Mutation::new();
        for edit in edits {
            changed = match (self.fault, edit) {
                (NewestByOrderOfWrites, Edit::Put { column, at: Some(at), value }) => {
                    let newest = self.inner.get(row, &Columns::of(&column)).unwrap();
                    let newest = newest.cells().next().map_or(-1, |cell| cell.timestamp);
                    changed.put_at(column, if at < newest { newest + 1 } else { at }, value)
                }
                (EmptyValueDeletes, Edit::Put { column, value, .. }) if value.is_empty() => {
                    changed.delete_column(column)
                }
                (NegativeIsNow, Edit::Put { column, at: Some(at), value }) if at < 0 => changed.put(column, value),
                (FamilyDeleteTakesTheNeighbour, Edit::DeleteFamily { family, until: None }) if family == "a" => {
                    changed.delete_family("a").delete_family("ab")
                }
                (RowDeleteKeepsAFamily, Edit::DeleteRow { until: None }) => {
                    changed.delete_family("a").delete_family("ab")
                }
                (DeleteUntilExclusive, Edit::DeleteColumn { column, until: Some(until) }) => {
                    changed.delete_column_until(column, (until - 1).max(0))
                }
                (MarkersForgotten, Edit::DeleteColumn { column, until: Some(until) }) => {
                    let there = self.inner.get(row, &Columns::of(&column).versions(99)).unwrap();
                    let old = there.cells().map(|cell| cell.timestamp).filter(|at| *at <= until);
                    old.fold(changed, |changed, at| changed.delete_version(&column, at))
                }
                (_, Edit::Put { column, at: None, value }) => changed.put(column, value),
                (_, Edit::Put { column, at: Some(at), value }) => changed.put_at(column, at, value),
                (_, Edit::DeleteVersion { column, at: None }) => changed.delete_latest(column),
                (_, Edit::DeleteVersion { column, at: Some(at) }) => changed.delete_version(column, at),
                (_, Edit::DeleteColumn { column, until: None }) => changed.delete_column(column),
                (_, Edit::DeleteColumn { column, until: Some(until) }) => changed.delete_column_until(column, until),
                (_, Edit::DeleteFamily { family, until: None }) => changed.delete_family(family),
                (_, Edit::DeleteFamily { family, until: Some(until) }) => changed.delete_family_until(family, until),
                (_, Edit::DeleteRow { until: None }) => changed.delete_row(),
                (_, Edit::DeleteRow { until: Some(until) }) => changed.delete_row_until(until),
            };
        }
        changed
    }
}

impl WideStore for Broken {
    fn id(&self) -> &TableId {
        self.inner.id()
    }

    fn options(&self) -> &CallOptions {
        self.inner.options()
    }

    fn with_options(&self, options: &CallOptions) -> Arc<dyn WideStore> {
        let store = self.inner.store().with_options(options);
        let inner = Cells::over(store, self.inner.schema().clone()).unwrap();
        Arc::new(Self { inner, fault: self.fault })
    }

    fn guarantees(&self) -> WideGuarantees {
        let mut guarantees = self.inner.guarantees();
        guarantees.increment = self.fault != IncrementNotDeclared;
        guarantees
    }

    fn schema(&self) -> &TableSchema {
        self.inner.schema()
    }

    fn get(&self, row: &[u8], columns: &Columns) -> Result<Row, Error> {
        let found = self.inner.get(row, &self.asked(columns))?;
        Ok(Row::from_cells(self.made(found.as_bytes(), columns, false, &mut 0)))
    }

    fn get_many(&self, rows: &[&[u8]], columns: &Columns) -> Result<Vec<Row>, Error> {
        let mut rows = rows.to_vec();
        if self.fault == GetManySorted {
            rows.sort_unstable();
        }
        rows.iter().map(|row| self.get(row, columns)).collect()
    }

    fn scan(&self, scan: &Scan, columns: &Columns) -> Box<dyn Rows> {
        let asked = self.asked(columns);
        match self.fault {
            PieceDropped
            | QualifiersUnsorted
            | ReverseReversesCells
            | LimitCountsCells
            | OffsetOverAllRows
            | FirstOnlyOfEachFamily
            | ValueAfterVersions
            | LargeRowEndsTheScan
            | EmptyRowsCount => {}
            BatchBytesIgnored => return self.inner.scan(&scan.clone().batch_bytes(usize::MAX), &asked),
            NoSnapshot if columns.piece.is_none() => {
                let inner = self.inner.clone();
                return Box::new(Late { open: Box::new(move |scan| inner.scan(scan, &asked)), scan: scan.clone() });
            }
            _ => return self.inner.scan(scan, &asked),
        }
        let mut beneath = scan.clone().batch_rows(usize::MAX).batch_bytes(usize::MAX).limit(None);
        let wanted = asked.clone();
        let asked = if self.fault == EmptyRowsCount {
            beneath.limit = scan.limit;
            Columns::all().versions(asked.versions)
        } else {
            let mut whole = asked;
            whole.piece = None;
            whole
        };
        let (mut rows, mut batch, mut out) = (self.inner.scan(&beneath, &asked), RowBatch::new(), Vec::new());
        let mut seen = 0;
        loop {
            if let Err(error) = rows.next_batch(&mut batch) {
                return Box::new(Listed {
                    rows: out,
                    failed: Some(error),
                    at: 0,
                    scan: Scan::all(),
                    fault: self.fault,
                });
            }
            if batch.is_empty() {
                break;
            }
            for (key, cells) in batch.iter() {
                let cells = if self.fault == EmptyRowsCount {
                    self.inner.get(key, &wanted).unwrap().as_bytes().to_vec()
                } else {
                    self.made(cells, columns, scan.reverse, &mut seen)
                };
                let whole =
                    columns.piece.filter(|_| self.fault != PieceDropped).map(|piece| pieces(&cells, piece.get()));
                out.extend(whole.unwrap_or(vec![cells]).into_iter().map(|cells| (key.to_vec(), cells)));
            }
        }
        out.retain(|(_, cells)| !cells.is_empty());
        let mut keys: Vec<Vec<u8>> = out.iter().map(|(key, _)| key.clone()).collect();
        keys.dedup();
        keys.truncate(scan.limit.map_or(usize::MAX, |limit| limit as usize));
        out.retain(|(key, _)| keys.contains(key));
        Box::new(Listed { rows: out, failed: None, at: 0, scan: scan.clone(), fault: self.fault })
    }

    fn mutate(&self, row: &[u8], mutation: &Mutation) -> Result<(), Error> {
        let row = if row.is_empty() && self.fault == EmptyRowTaken { b"\0" } else { row };
        let changed = self.changed(row, mutation);
        if self.fault == MutationInParts && mutation.check_timestamps().is_ok() && mutation.edits().len() == 4 {
            let mut one = changed.edits().to_vec().into_iter();
            let first = one.next().map(|edit| match edit {
                Edit::DeleteRow { .. } => Mutation::new().delete_row(),
                Edit::DeleteFamily { family, .. } => Mutation::new().delete_family(family),
                _ => Mutation::new(),
            });
            self.inner.mutate(row, &first.unwrap_or_default())?;
            in_between();
        }
        self.inner.mutate(row, &changed)
    }

    fn mutate_many(&self, rows: &[(Vec<u8>, Mutation)]) -> Result<(), Error> {
        self.id().check_write()?;
        if !matches!(self.fault, OthersWrittenUnsaid | NextNamed | NamedButNothingWritten) || rows.len() == 1 {
            for (row, mutation) in rows {
                check_mutation(self.id(), row, mutation, self.schema(), &WideLimits::none())?;
            }
            return rows.iter().try_for_each(|(row, mutation)| self.mutate(row, mutation));
        }
        let is_refused = |(row, mutation): &(Vec<u8>, Mutation)| {
            check_mutation(self.id(), row, mutation, self.schema(), &WideLimits::none()).is_err()
        };
        let (mut failed, any) = (RowErrors::new(rows.len()), rows.iter().any(is_refused));
        for (index, (row, mutation)) in rows.iter().enumerate() {
            let refused = check_mutation(self.id(), row, mutation, self.schema(), &WideLimits::none());
            match (refused, self.fault) {
                (Err(error), OthersWrittenUnsaid) => {
                    rows[index + 1..].iter().try_for_each(|(row, mutation)| self.mutate(row, mutation))?;
                    return Err(error);
                }
                (Err(error), NextNamed) => failed.push((index + 1) % rows.len(), "t", row, error),
                (Err(error), _) => failed.push(index, "t", row, error),
                (Ok(()), NamedButNothingWritten) if any => {}
                (Ok(()), _) => self.mutate(row, mutation)?,
            }
        }
        failed.into_result()
    }

    fn increment(&self, row: &[u8], counters: &[(Column, i64)]) -> Result<Vec<i64>, Error> {
        let mut sums = Vec::new();
        match self.fault {
            IncrementHalf => {
                for (column, by) in counters {
                    sums.extend(self.inner.increment(row, &[(column.clone(), *by)])?);
                }
            }
            IncrementLittleEndian => {
                for (column, by) in counters {
                    let stored = self.inner.get(row, &Columns::of(column))?;
                    let before = stored.value(column).map_or(0, |bytes| i64::from_le_bytes(bytes.try_into().unwrap()));
                    sums.push(before.wrapping_add(*by));
                    self.inner.mutate(row, &Mutation::new().put(column, before.wrapping_add(*by).to_le_bytes()))?;
                }
            }
            IncrementLost => {
                sums = self
                    .inner
                    .increment(row, &counters.iter().map(|(column, _)| (column.clone(), 0)).collect::<Vec<_>>())?;
                let distinct = counters
                    .iter()
                    .enumerate()
                    .all(|(at, (column, _))| counters[..at].iter().all(|(other, _)| other != column));
                if !distinct || row != b"row" {
                    return self.inner.increment(row, counters);
                }
                in_between();
                let mut mutation = Mutation::new();
                for (sum, (column, by)) in sums.iter_mut().zip(counters) {
                    *sum += by;
                    mutation = mutation.put(column, sum.to_be_bytes());
                }
                self.inner.mutate(row, &mutation)?;
            }
            _ => return self.inner.increment(row, counters),
        }
        Ok(sums)
    }

    fn check_and_mutate(&self, row: &[u8], check: &Condition, mutation: &Mutation) -> Result<bool, Error> {
        let stored = || self.inner.get(row, &Columns::of(&check.column).versions(9));
        let holds = match self.fault {
            CheckTakesEmptyForAbsent => match (&check.value, stored()?.value(&check.column)) {
                (None, value) => value.is_none_or(<[u8]>::is_empty),
                (Some((compare, given)), value) => compare.holds(value.unwrap_or_default(), given),
            },
            CheckOfAnyVersion if check.value.is_some() => stored()?.cells().any(|cell| check.holds(Some(cell.value))),
            CheckLosesUpdates if row == b"row" => check.holds(stored()?.value(&check.column)),
            _ => return self.inner.check_and_mutate(row, check, &self.changed(row, mutation)),
        };
        in_between();
        if holds {
            self.inner.mutate(row, mutation)?;
        }
        Ok(holds)
    }

    fn exists(&self, row: &[u8]) -> Result<bool, Error> {
        match self.fault {
            ExistsByPrefix => {
                let mut batch = RowBatch::new();
                self.scan(&Scan::new(vec![KeyRange::prefix(row)]), &Columns::all()).next_batch(&mut batch)?;
                Ok(!batch.is_empty())
            }
            _ => Ok(!self.get(row, &Columns::all().first_only())?.is_empty()),
        }
    }
}

/// The same columns, with other ranges of each family, or without it.
fn of_families(columns: &Columns, ranges: impl Fn(&str, &[KeyRange]) -> Option<Vec<KeyRange>>) -> Columns {
    let mut changed = Columns::all();
    for (family, of_family) in columns.families() {
        if let Some(of_family) = ranges(family, of_family) {
            changed = changed.qualifiers_in(family, of_family);
        }
    }
    changed.versions = columns.versions;
    changed.time = columns.time;
    changed.value.clone_from(&columns.value);
    changed.rows_where.clone_from(&columns.rows_where);
    changed.first_only = columns.first_only;
    (changed.offset, changed.limit, changed.piece) = (columns.offset, columns.limit, columns.piece);
    changed
}

fn pieces(cells: &[u8], piece: usize) -> Vec<Vec<u8>> {
    let cells: Vec<Cell<'_>> = CellIter::new(cells).collect();
    let write = |cells: &[Cell<'_>]| {
        let mut out = Vec::new();
        cells.iter().for_each(|cell| push_cell(&mut out, cell).unwrap());
        out
    };
    cells.chunks(piece).map(write).collect()
}

/// Rows that were read before.
struct Listed {
    rows: Vec<(Vec<u8>, Vec<u8>)>,
    failed: Option<Error>,
    at: usize,
    scan: Scan,
    fault: Fault,
}

impl Rows for Listed {
    fn next_batch(&mut self, batch: &mut RowBatch) -> Result<(), Error> {
        batch.clear();
        let Scan { batch_rows, batch_bytes, .. } = self.scan;
        let mut room = Room::new(batch, batch_rows, batch_bytes);
        for (key, cells) in self.rows.iter().skip(self.at) {
            let is_large = room.batch().bytes() + key.len() + cells.len() > batch_bytes;
            if self.fault == LargeRowEndsTheScan && is_large || !room.push(key, cells) {
                break;
            }
        }
        self.at += batch.len();
        self.failed.take().map_or(Ok(()), Err)
    }
}

struct Ended;

impl Rows for Ended {
    fn next_batch(&mut self, batch: &mut RowBatch) -> Result<(), Error> {
        batch.clear();
        Ok(())
    }
}

type Open = Box<dyn Fn(&Scan) -> Box<dyn Rows> + Send>;

/// A scan that is opened anew for each batch.
struct Late {
    open: Open,
    scan: Scan,
}

impl Rows for Late {
    fn next_batch(&mut self, batch: &mut RowBatch) -> Result<(), Error> {
        if let Err(error) = (self.open)(&self.scan).next_batch(batch) {
            self.scan.ranges = Vec::new();
            self.scan.limit = Some(0);
            self.open = Box::new(|_| Box::new(Ended));
            return Err(error);
        }
        let Some((last, _)) = batch.len().checked_sub(1).and_then(|last| batch.get(last)) else { return Ok(()) };
        let rest = match self.scan.reverse {
            true => KeyRange::new([], Some(last)),
            false => Some(KeyRange::after(last)),
        };
        self.scan.limit = self.scan.limit.map(|limit| limit - batch.len() as u64);
        self.scan.ranges = self.scan.ranges.iter().filter_map(|range| range.intersect(rest.as_ref()?)).collect();
        Ok(())
    }
}
