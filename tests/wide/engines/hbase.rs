//! HBase's rows, as lists of cells and markers that are looked through from end to end.

use std::collections::{BTreeMap, BTreeSet};

use rowkey::wide::{
    ClockOf, Column, Columns, Compare, Condition, CounterTimes, DeleteLatest, Deletes, Edit, EditOrder, EmptyValues,
    Mutation, PageVersions, RepeatedCounters, RowConditions, TableSchema, TimestampUnit, UntimedDeletes, UntimedPuts,
    WideGuarantees,
};
use rowkey::{Error, KeyRange};

use crate::engines::engine::{Cell, Engine, Refusal, holds_of_empty};

/// A table: what is in memory, and in files.
#[derive(Clone)]
pub(crate) struct Hbase {
    schema: TableSchema,
    memory: Entries,
    files: Vec<Entries>,
    /// Of the next entry: of two puts under one timestamp the later one counts.
    number: u64,
    /// Whether each delete is flushed at once.
    pub(crate) flushes_deletes: bool,
    /// Whether each mutation is flushed, and all is compacted, at once.
    pub(crate) compacts_all: bool,
}

/// By row.
type Entries = BTreeMap<Vec<u8>, Vec<Entry>>;

#[derive(Clone, Debug)]
struct Entry {
    family: String,
    kind: Kind,
    at: i64,
    number: u64,
}

#[derive(Clone, Debug)]
enum Kind {
    Put { qualifier: Vec<u8>, value: Vec<u8> },
    Version { qualifier: Vec<u8> },
    Column { qualifier: Vec<u8> },
    Family,
}

impl Entry {
    fn hides(&self, column: &Column, at: i64) -> bool {
        self.family == column.family
            && match &self.kind {
                Kind::Put { .. } => false,
                Kind::Version { qualifier } => *qualifier == column.qualifier && at == self.at,
                Kind::Column { qualifier } => *qualifier == column.qualifier && at <= self.at,
                Kind::Family => at <= self.at,
            }
    }

    fn put(&self) -> Option<(Column, &[u8])> {
        match &self.kind {
            Kind::Put { qualifier, value } => Some((Column::from((self.family.as_str(), qualifier.as_slice())), value)),
            _ => None,
        }
    }
}

/// What a `Get` or a `Scan` of HBase asks of a row.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ask {
    pub(crate) families: Vec<String>,
    pub(crate) columns: Vec<Column>,
    /// By family, where it is not `families` and `columns`.
    pub(crate) ranges: Option<BTreeMap<String, Vec<KeyRange>>>,
    pub(crate) versions: Option<i64>,
    pub(crate) time: Option<(i64, i64)>,
    pub(crate) store_offset: i64,
    pub(crate) store_limit: Option<i64>,
    /// In the order in which they are asked.
    pub(crate) filters: Vec<Filter>,
}

/// A filter, and how far it is in a row.
#[derive(Clone, Debug)]
pub(crate) enum Filter {
    Prefix(Vec<u8>),
    Range(Vec<u8>, Option<Vec<u8>>),
    Value(Compare, Vec<u8>),
    Where { check: Condition, if_missing: bool, all_versions: bool, found: bool, matched: bool },
    FirstKeyOnly { found: bool },
    Page { offset: i64, limit: i64, count: i64 },
}

impl Filter {
    pub(crate) fn on_rows(check: Condition, if_missing: bool, all_versions: bool) -> Self {
        Self::Where { check, if_missing, all_versions, found: false, matched: false }
    }

    /// What it says of a cell.
    fn cell(&mut self, cell: &Cell) -> Then {
        let (column, _, value) = cell;
        match self {
            Self::Prefix(prefix) if column.qualifier.starts_with(prefix) => Then::Include,
            Self::Range(from, to)
                if column.qualifier >= *from && to.as_ref().is_none_or(|to| column.qualifier < *to) =>
            {
                Then::Include
            }
            Self::Prefix(_) | Self::Range(..) => Then::Skip,
            Self::Value(compare, given) if compare.holds(value, given) => Then::Include,
            Self::Value(..) => Then::Skip,
            Self::Where { matched: true, .. } => Then::Include,
            Self::Where { all_versions: false, found: true, .. } => Then::NextFamily,
            Self::Where { check, .. } if check.column != *column => Then::Include,
            Self::Where { check, all_versions, found, matched, .. } => {
                *found = true;
                *matched = check.value.as_ref().is_some_and(|(compare, given)| compare.holds(value, given));
                if *matched || *all_versions { Then::Include } else { Then::NextFamily }
            }
            Self::FirstKeyOnly { found } => match std::mem::replace(found, true) {
                true => Then::NextFamily,
                false => Then::Include,
            },
            Self::Page { offset, limit, count } if *count >= *offset + *limit => Then::NextFamily,
            Self::Page { offset, count, .. } => {
                *count += 1;
                if *count > *offset { Then::IncludeAndNextColumn } else { Then::NextColumn }
            }
        }
    }

    /// Whether it drops the row that it saw.
    fn drops_row(&self) -> bool {
        match self {
            Self::Where { check, found: false, .. } if check.value.is_none() => false,
            Self::Where { found: true, matched, .. } => !matched,
            Self::Where { if_missing, .. } => !if_missing,
            _ => false,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Then {
    Include,
    IncludeAndNextColumn,
    Skip,
    NextColumn,
    NextFamily,
}

impl Hbase {
    pub(crate) fn new(schema: TableSchema) -> Self {
        let (memory, files) = (Entries::new(), Vec::new());
        Self { schema, memory, files, number: 0, flushes_deletes: false, compacts_all: false }
    }

    fn require(&self, family: &str) -> Result<(), Refusal> {
        match self.schema.families.contains_key(family) {
            true => Ok(()),
            false => Err(Refusal::NoSuchFamily(family.to_owned())),
        }
    }

    /// A column's versions that are seen of some entries of a row, newest first: what is deleted, then what is not in
    /// the time range, then what the family does not keep is left out.
    fn kept<'e>(&self, entries: &[&'e Entry], column: &Column, time: Option<(i64, i64)>, now: i64) -> Vec<&'e Entry> {
        let mut versions: Vec<&Entry> =
            entries.iter().copied().filter(|entry| entry.put().is_some_and(|(other, _)| other == *column)).collect();
        versions.sort_by_key(|entry| std::cmp::Reverse((entry.at, entry.number)));
        versions.dedup_by_key(|entry| entry.at);
        versions.retain(|version| !entries.iter().any(|marker| marker.hides(column, version.at)));
        versions.retain(|version| time.is_none_or(|(start, end)| start <= version.at && version.at < end));
        let family = self.schema.families[&column.family];
        let expired_until = family.expired_until(now);
        let mut count = 0;
        versions.retain(|version| {
            let expired = expired_until.is_some_and(|until| version.at <= until);
            let keeps = count < family.max_versions && (!expired || count < family.min_versions);
            count += u32::from(keeps);
            keeps
        });
        versions
    }

    fn entries(&self, row: &[u8]) -> Vec<&Entry> {
        self.files.iter().chain([&self.memory]).filter_map(|entries| entries.get(row)).flatten().collect()
    }

    fn columns_of(entries: &[&Entry]) -> BTreeSet<Column> {
        entries.iter().filter_map(|entry| entry.put()).map(|(column, _)| column).collect()
    }

    /// What a flush or a compaction writes of some entries.
    fn written(&self, entries: &[&Entry], with_markers: bool, now: i64) -> Vec<Entry> {
        let columns = Self::columns_of(entries);
        let puts = columns.iter().flat_map(|column| self.kept(entries, column, None, now));
        let markers = entries.iter().copied().filter(|entry| with_markers && entry.put().is_none());
        markers.chain(puts).cloned().collect()
    }

    pub(crate) fn flush(&mut self, now: i64) {
        let memory = std::mem::take(&mut self.memory);
        let file = memory
            .iter()
            .map(|(row, entries)| (row.clone(), self.written(&entries.iter().collect::<Vec<_>>(), true, now)));
        let file = file.collect();
        self.files.push(file);
    }

    /// Of the files: what is in memory stays as it is.
    pub(crate) fn major_compact(&mut self, now: i64) {
        let mut all: BTreeMap<&[u8], Vec<&Entry>> = BTreeMap::new();
        for (row, entries) in self.files.iter().flatten() {
            all.entry(row).or_default().extend(entries);
        }
        let file = all.iter().map(|(row, entries)| (row.to_vec(), self.written(entries, false, now))).collect();
        self.files = vec![file];
    }

    pub(crate) fn ask(&self, row: &[u8], ask: &Ask, now: i64) -> Result<Vec<Cell>, Refusal> {
        let versions = ask.versions.unwrap_or(1);
        let mut selected: BTreeMap<&str, Option<BTreeSet<&[u8]>>> = BTreeMap::new();
        for family in &ask.families {
            selected.insert(family, None);
        }
        for Column { family, qualifier } in &ask.columns {
            selected.entry(family).or_default().get_or_insert_default().insert(qualifier);
        }
        selected.keys().try_for_each(|family| self.require(family))?;
        if versions <= 0 {
            return Err(Refusal::VersionsNotPositive);
        }
        match ask.time {
            Some((start, end)) if start < 0 || end < 0 => return Err(Refusal::Timestamp(start.min(end))),
            Some((start, end)) if end < start => return Err(Refusal::BackwardTimeRange),
            _ => {}
        }
        let reads = |column: &Column| match &ask.ranges {
            Some(ranges) if !ranges.is_empty() => ranges
                .get(&column.family)
                .is_some_and(|ranges| ranges.iter().any(|range| range.contains(&column.qualifier))),
            _ if selected.is_empty() => true,
            _ => match selected.get(column.family.as_str()) {
                Some(None) => true,
                Some(Some(qualifiers)) => qualifiers.contains(column.qualifier.as_slice()),
                None => false,
            },
        };

        let (entries, mut filters, mut found) = (self.entries(row), ask.filters.clone(), Vec::new());
        let all = Self::columns_of(&entries);
        for family in self.schema.families.keys() {
            let mut of_family = 0;
            'family: for column in all.iter().filter(|column| column.family == *family && reads(column)) {
                // A seek to the next column ends at the next version of the empty qualifier, where families' markers
                // stand.
                let seeks = !column.qualifier.is_empty();
                let mut included = 0;
                for entry in self.kept(&entries, column, ask.time, now) {
                    let Some((_, value)) = entry.put() else { continue };
                    let cell = (column.clone(), entry.at, value.to_vec());
                    let then = filters.iter_mut().try_fold(Then::Include, |then, filter| match filter.cell(&cell) {
                        Then::Include => Ok(then),
                        Then::IncludeAndNextColumn => Ok(Then::IncludeAndNextColumn),
                        out => Err(out),
                    });
                    match then {
                        Ok(then) => {
                            included += 1;
                            if included > versions {
                                if seeks { break } else { continue }
                            }
                            of_family += 1;
                            if of_family > ask.store_offset {
                                found.push(cell);
                            }
                            if ask.store_limit.is_some_and(|limit| limit >= 0 && of_family >= limit + ask.store_offset)
                            {
                                break 'family;
                            }
                            if then == Then::IncludeAndNextColumn && seeks {
                                break;
                            }
                        }
                        Err(Then::NextColumn) if seeks => break,
                        Err(Then::NextFamily) => break 'family,
                        Err(_) => {}
                    }
                }
            }
        }
        if filters.iter().any(Filter::drops_row) {
            found.clear();
        }
        Ok(found)
    }

    fn newest(&self, row: &[u8], column: &Column, time: Option<(i64, i64)>, now: i64) -> Option<(i64, Vec<u8>)> {
        let entries = self.entries(row);
        let newest = self.kept(&entries, column, time, now).first().copied()?;
        Some((newest.at, newest.put()?.1.to_vec()))
    }

    /// Writes; puts without a timestamp are at `put_at`, deletes at `now`. `i64::MAX` is no timestamp.
    fn write(&mut self, row: &[u8], edits: &[Edit], put_at: i64, now: i64) -> Result<(), Refusal> {
        edits.iter().filter_map(Edit::family).try_for_each(|family| self.require(family))?;
        let before = self.clone();
        let (mut written, mut latest): (Vec<Entry>, BTreeMap<&Column, usize>) = (Vec::new(), BTreeMap::new());
        for edit in edits {
            let given = edit.timestamp().filter(|&at| at != i64::MAX);
            let mut add = |family: &str, kind, at| {
                self.number += 1;
                written.push(Entry { family: family.to_owned(), kind, at, number: self.number });
            };
            if let Edit::Put { column, value, .. } = edit {
                latest.clear();
                let kind = Kind::Put { qualifier: column.qualifier.clone(), value: value.clone() };
                add(&column.family, kind, given.unwrap_or(put_at));
                continue;
            }
            let at = given.unwrap_or(now);
            match edit {
                Edit::Put { .. } => {}
                Edit::DeleteVersion { column, at: None } => {
                    // Of neighbours that delete the newest version of one column, each takes one more.
                    let nth = latest.entry(column).or_default();
                    let entries = before.entries(row);
                    let newest = before.kept(&entries, column, None, now).get(*nth).map_or(now, |entry| entry.at);
                    *nth += 1;
                    add(&column.family, Kind::Version { qualifier: column.qualifier.clone() }, newest);
                }
                Edit::DeleteVersion { column, .. } => {
                    add(&column.family, Kind::Version { qualifier: column.qualifier.clone() }, at);
                }
                Edit::DeleteColumn { column, .. } => {
                    add(&column.family, Kind::Column { qualifier: column.qualifier.clone() }, at);
                }
                Edit::DeleteFamily { family, .. } => add(family, Kind::Family, at),
                Edit::DeleteRow { .. } => {
                    before.schema.families.keys().for_each(|family| add(family, Kind::Family, at));
                }
            }
        }
        self.memory.entry(row.to_vec()).or_default().extend(written);
        let deletes = edits.iter().any(|edit| !matches!(edit, Edit::Put { .. }));
        if self.compacts_all || self.flushes_deletes && deletes {
            self.flush(now);
        }
        if self.compacts_all {
            self.major_compact(now);
        }
        Ok(())
    }
}

impl Engine for Hbase {
    fn guarantees() -> WideGuarantees {
        let mut guarantees = WideGuarantees::none();
        guarantees.atomic_rows = true;
        guarantees.slow_scans = true;
        let mut timestamps = TimestampUnit::Milliseconds.timestamps();
        timestamps.last -= 1;
        guarantees.timestamps = Some(timestamps);
        guarantees.clock = Some(ClockOf::Server);
        guarantees.untimed_puts = Some(UntimedPuts::AtClock);
        guarantees.untimed_deletes = Some(UntimedDeletes::UntilClock);
        guarantees.edit_order = Some(EditOrder::DeletesLast);
        guarantees.deletes = Some(Deletes::Hide);
        guarantees.delete_family_until = true;
        guarantees.delete_latest = Some(DeleteLatest::MarksNothing);
        guarantees.kept_on_read = true;
        guarantees.increment = true;
        guarantees.counter_times = Some(CounterTimes::AfterValue);
        guarantees.repeated_counters = Some(RepeatedCounters::Independent);
        guarantees.check_and_mutate = true;
        guarantees.empty_values = Some(EmptyValues::AsAbsent);
        guarantees.page_versions = Some(PageVersions::Newest);
        guarantees.row_conditions = Some(RowConditions::OnRead);
        guarantees
    }

    fn rows(&self) -> BTreeSet<Vec<u8>> {
        self.files.iter().chain([&self.memory]).flat_map(|entries| entries.keys().cloned()).collect()
    }

    /// As an adapter asks: a page under a condition is cut by the reader, as HBase's filter of pages ends a row before
    /// the filter of rows has seen all of it.
    fn read(&self, row: &[u8], columns: &Columns, now: i64) -> Result<Vec<Cell>, Refusal> {
        let mut ask = Ask { versions: Some(columns.versions.into()), time: columns.time, ..Ask::default() };
        columns.families().keys().try_for_each(|family| self.require(family))?;
        ask.ranges = Some(columns.families().clone());
        let conditional = columns.rows_where.is_some();
        ask.filters.extend(columns.rows_where.clone().map(|check| Filter::on_rows(check, false, false)));
        ask.filters.extend(columns.value.clone().map(|(compare, given)| Filter::Value(compare, given)));
        let (offset, limit) = (columns.offset, columns.limit.unwrap_or(u64::MAX));
        let paged = offset > 0 || columns.limit.is_some();
        if paged && !conditional {
            let offset = i64::try_from(offset).unwrap_or(i64::MAX);
            let limit = i64::try_from(limit).unwrap_or(i64::MAX).min(i64::MAX - offset);
            ask.filters.push(Filter::Page { offset, limit, count: 0 });
        }
        if columns.first_only && !conditional {
            ask.filters.push(Filter::FirstKeyOnly { found: false });
        }
        let mut cells = self.ask(row, &ask, now)?;
        if conditional && paged {
            cells.dedup_by(|later, first| later.0 == first.0);
            let (offset, limit) = (usize::try_from(offset), usize::try_from(limit));
            cells = cells.into_iter().skip(offset.unwrap_or(usize::MAX)).take(limit.unwrap_or(usize::MAX)).collect();
        }
        if columns.first_only {
            cells.truncate(1);
        }
        Ok(cells)
    }

    fn refuses(columns: &Columns) -> Option<Error> {
        (columns.piece.is_some() && columns.rows_where.is_some())
            .then(|| Error::Unsupported("pieces under a condition"))
    }

    fn mutate(&mut self, row: &[u8], mutation: &Mutation, now: i64) -> Result<(), Refusal> {
        self.write(row, mutation.edits(), now, now)
    }

    fn increment(&mut self, row: &[u8], counters: &[(Column, i64)], now: i64) -> Result<Vec<i64>, Refusal> {
        counters.iter().try_for_each(|(column, _)| self.require(&column.family))?;
        let (mut sums, mut puts) = (Vec::new(), Vec::new());
        for (column, by) in counters {
            let newest = self.newest(row, column, Some((0, i64::MAX)), now);
            let at = newest.as_ref().map_or(now, |(at, _)| now.max(at.saturating_add(1)));
            let before = match newest {
                None => 0,
                Some((_, value)) => match value.as_slice().try_into() {
                    Ok(bytes) => i64::from_be_bytes(bytes),
                    Err(_) => return Err(Refusal::NotACounter(column.clone(), value.len())),
                },
            };
            let sum = before.wrapping_add(*by);
            sums.push(sum);
            puts.push((column, at, sum.to_be_bytes().to_vec()));
        }
        for (column, at, value) in puts {
            self.number += 1;
            let kind = Kind::Put { qualifier: column.qualifier.clone(), value };
            let entry = Entry { family: column.family.clone(), kind, at, number: self.number };
            self.memory.entry(row.to_vec()).or_default().push(entry);
        }
        Ok(sums)
    }

    fn check(&mut self, row: &[u8], check: &Condition, mutation: &Mutation, now: i64) -> Result<bool, Refusal> {
        self.require(&check.column.family)?;
        let newest = self.newest(row, &check.column, None, now);
        let stored = newest.as_ref().map(|(_, value)| value.as_slice());
        if !holds_of_empty(check, stored).unwrap_or_else(|| check.holds(stored)) {
            return Ok(false);
        }
        let put_at = newest.map_or(now, |(at, _)| at.max(now));
        self.write(row, mutation.edits(), put_at, now)?;
        Ok(true)
    }
}
