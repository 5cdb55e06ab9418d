//! Recorded responses of HBase and Bigtable, compared with those of a table of `rowkey`.

use std::ops::Bound;
use std::time::Duration;

use rowkey::store::{RowBatch, Rows, Scan};
use rowkey::wide::{CellIter, Column, Columns, Compare, Condition, FamilySchema, Mutation, TableSchema, WideStore};
use rowkey::{Error, KeyRange};

use crate::cases::{
    self, Answer, Asked, Case, Column as Named, Filter, Op, Read, Refusal, Span, Step, Test, Time, Written, parse,
};

/// The table of a case, with what a case does beside reads and writes.
pub(crate) trait Subject {
    fn table(&self) -> &dyn WideStore;

    /// The time when the case began, in milliseconds since 1970.
    fn began(&self) -> i64;

    /// The stamp that a case calls by this name, if the table's clock may have given this one.
    fn stamp(&self, at: i64) -> Option<Time>;

    /// Lets two milliseconds pass.
    fn pass(&self);

    /// Sets how far the clock of who asks is ahead.
    fn set_ahead(&self, ahead: i64);

    fn flush(&self);

    fn purge(&self) -> Result<(), Error>;

    fn split(&self, starts: &[Vec<u8>]);

    /// Returns whether writes of several calls can have one time.
    fn is_within_a_millisecond(&self) -> bool;
}

/// The schema of a case's table.
pub(crate) fn schema(case: &Case) -> TableSchema {
    case.families.iter().fold(TableSchema::new(), |schema, family| {
        let kept = FamilySchema::new().max_versions(family.versions).min_versions(family.min_versions);
        let kept = match family.ttl {
            Some(seconds) => kept.ttl(Duration::from_secs(seconds)),
            None => kept,
        };
        schema.family(text(&family.name), kept)
    })
}

struct Replay<S>(S);

impl<S: Subject> Replay<S> {
    fn at(&self, time: Time) -> Option<i64> {
        match time {
            Time::Server => None,
            Time::At(at) => Some(at),
            Time::Now(offset) => Some(self.0.began() + offset),
            Time::Micros(_) | Time::Clock => panic!("a table of `rowkey` can't be asked this: {time}"),
        }
    }

    fn mutation<'p>(&self, parts: impl IntoIterator<Item = &'p cases::Mutation>) -> Mutation {
        parts.into_iter().fold(Mutation::new(), |mutation, part| match part {
            cases::Mutation::Put { column: name, at, value } => match self.at(*at) {
                Some(at) => mutation.put_at(column(name), at, value.as_slice()),
                None => mutation.put(column(name), value.as_slice()),
            },
            cases::Mutation::DeleteLatest { column: name } => mutation.delete_latest(column(name)),
            cases::Mutation::DeleteVersion { column: name, at } => {
                mutation.delete_version(column(name), self.at(*at).unwrap())
            }
            cases::Mutation::DeleteColumn { column: name, at } => match self.at(*at) {
                Some(at) => mutation.delete_column_until(column(name), at),
                None => mutation.delete_column(column(name)),
            },
            cases::Mutation::DeleteFamily { family, at } => match self.at(*at) {
                Some(at) => mutation.delete_family_until(text(family), at),
                None => mutation.delete_family(text(family)),
            },
            cases::Mutation::DeleteRow { at } => match self.at(*at) {
                Some(at) => mutation.delete_row_until(at),
                None => mutation.delete_row(),
            },
        })
    }

    /// What is read; `None` if it can't be said here.
    fn columns(&self, read: &Read) -> Option<Columns> {
        if read.store_offset.is_some() || read.store_limit.is_some() {
            return None;
        }
        let named = |name: &[u8]| {
            read.filters.iter().any(
                |filter| matches!(filter, Filter::Prefix(column) | Filter::Range(column, _) if column.family == name),
            )
        };
        let mut columns = Columns::all();
        for family in read.families.iter().filter(|family| !named(family)) {
            columns = columns.family(text(family));
        }
        for name in &read.columns {
            columns = columns.column(column(name));
        }
        columns = columns.versions(u32::try_from(read.versions.unwrap_or(1)).ok()?);
        if let Some((start, end)) = read.time {
            columns = columns.time(self.at(start)?..self.at(end)?);
        }
        for (index, filter) in read.filters.iter().enumerate() {
            let last = index + 1 == read.filters.len();
            columns = match filter {
                Filter::Prefix(Named { family, qualifier }) if index == 0 && read.columns.is_empty() => {
                    columns.qualifier_prefix(text(family), qualifier.as_slice())
                }
                Filter::Range(Named { family, qualifier }, to) if index == 0 && read.columns.is_empty() => {
                    let end = Some(to.as_slice()).filter(|to| !to.is_empty());
                    columns.qualifiers_in(text(family), KeyRange::new(qualifier.as_slice(), end))
                }
                Filter::Value(op, value) if columns.value.is_none() => columns.value(compare(*op), value.as_slice()),
                Filter::Where { column: name, op, value, missing: false, all_versions: false } if index == 0 => {
                    columns.rows_where(Condition::value(column(name), compare(*op), value.as_slice()))
                }
                Filter::FirstKeyOnly if last => columns.first_only(),
                Filter::Page { offset, limit } if last => {
                    columns.offset(u64::try_from(*offset).ok()?).limit(u64::try_from(*limit).ok()?)
                }
                _ => return None,
            };
        }
        Some(columns)
    }

    fn cells(&self, cells: CellIter<'_>) -> Vec<cases::Cell> {
        let stamp = |at| self.0.stamp(at).unwrap_or(Time::At(at));
        cells
            .map(|cell| cases::Cell {
                column: Named { family: cell.family.into(), qualifier: cell.qualifier.into() },
                at: stamp(cell.timestamp),
                value: cell.value.into(),
            })
            .collect()
    }

    fn rows(&self, span: &Span, columns: Columns, meanwhile: &[Written]) -> Result<Answer, Error> {
        let (first, last) = if span.reverse { (&span.stop, &span.start) } else { (&span.start, &span.stop) };
        let bound = |bound: &Bound<Vec<u8>>, included: fn(&[u8]) -> Vec<u8>, excluded: fn(&[u8]) -> Vec<u8>| match bound
        {
            Bound::Included(row) if !row.is_empty() => Some(included(row)),
            Bound::Excluded(row) if !row.is_empty() => Some(excluded(row)),
            _ => None,
        };
        let start = bound(first, |row| row.to_vec(), |row| [row, b"\0"].concat());
        let end = bound(last, |row| [row, b"\0"].concat(), |row| row.to_vec());
        let range = KeyRange::new(start.unwrap_or_default(), end);
        let mut scan = Scan::new(range.into_iter().collect()).reverse(span.reverse);
        if let Some(limit) = span.limit.filter(|&limit| limit > 0) {
            scan = scan.limit(limit as u64);
        }
        let columns = match span.batch.filter(|&batch| batch > 0) {
            Some(batch) => columns.piece(batch as usize),
            None => columns,
        };
        if !meanwhile.is_empty() {
            scan = scan.batch_rows(1);
        }
        let (mut rows, mut batch, mut found) = (self.0.table().scan(&scan, &columns), RowBatch::new(), Vec::new());
        loop {
            rows.next_batch(&mut batch)?;
            if batch.is_empty() {
                return Ok(if found.is_empty() { Answer::Nothing } else { Answer::Rows(found) });
            }
            if found.is_empty() {
                self.each(meanwhile)?;
            }
            found.extend(batch.iter().map(|(row, cells)| (row.to_vec(), self.cells(CellIter::new(cells)))));
        }
    }

    /// Writes, each in a call of its own.
    fn each(&self, writes: &[Written]) -> Result<(), Error> {
        writes.iter().try_for_each(|(row, part)| self.0.table().mutate(row, &self.mutation([part])))
    }

    /// Writes in one call; neighbours that write to one row are one mutation.
    fn batch(&self, writes: &[Written]) -> Result<Answer, Error> {
        let rows: Vec<_> = writes
            .chunk_by(|(one, _), (next, _)| one == next)
            .map(|writes| (writes[0].0.clone(), self.mutation(writes.iter().map(|(_, part)| part))))
            .collect();
        self.0.table().mutate_many(&rows)?;
        Ok(Answer::Each(rows.into_iter().map(|(row, _)| (row, None)).collect()))
    }

    /// The table's answer; `None` if it has no such operation.
    fn step(&self, step: &Step) -> Option<Answer> {
        self.0.pass();
        let answer = match step {
            Step::Flush => {
                self.0.flush();
                Ok(Answer::Done)
            }
            Step::Split(starts) => {
                self.0.split(starts);
                Ok(Answer::Done)
            }
            Step::Clock(ahead) => {
                self.0.set_ahead(*ahead);
                Ok(Answer::Done)
            }
            Step::WithinMs(_) if !self.0.is_within_a_millisecond() => return None,
            Step::WithinMs(writes) => self.each(writes).map(|()| Answer::Done),
            Step::Batch(writes) => self.batch(writes),
            Step::MajorCompact => self.0.purge().map(|()| Answer::Done),
            Step::Mutate { row, mutations } => {
                self.0.table().mutate(row, &self.mutation(mutations)).map(|()| Answer::Done)
            }
            Step::Check { row, column: name, test, mutations } => {
                let check = match test {
                    Test::Absent => Condition::absent(column(name)),
                    Test::Value(op, value) => Condition::value(column(name), compare(*op), value.as_slice()),
                };
                self.0.table().check_and_mutate(row, &check, &self.mutation(mutations)).map(Answer::Truth)
            }
            Step::Increment { row, amounts } => {
                let counters: Vec<_> = amounts.iter().map(|(name, by)| (column(name), *by)).collect();
                self.0.table().increment(row, &counters).map(|sums| {
                    let mut counted: Vec<_> = amounts.iter().map(|(name, _)| name.clone()).zip(sums).collect();
                    // Columns are answered as they sort.
                    counted.sort_by_key(|(name, _)| (name.family.clone(), name.qualifier.clone()));
                    Answer::Counters(counted)
                })
            }
            Step::Get { row, read } => self.0.table().get(row, &self.columns(read)?).map(|row| match row.is_empty() {
                true => Answer::Nothing,
                false => Answer::Cells(self.cells(row.cells())),
            }),
            Step::Exists { row, read } => {
                self.0.table().get(row, &self.columns(read)?).map(|row| Answer::Truth(!row.is_empty()))
            }
            Step::Scan { span, read, meanwhile } => self.rows(span, self.columns(read)?, meanwhile),
        };
        Some(answer.unwrap_or_else(|error| {
            Answer::Error(Refusal { kind: kind(&error).to_owned(), message: error.to_string() })
        }))
    }
}

/// Returns whether it has a timestamp in microseconds, which tables of `rowkey` do not have.
fn in_microseconds(step: &Step) -> bool {
    let mutations: Vec<_> = match step {
        Step::Mutate { mutations, .. } | Step::Check { mutations, .. } => mutations.iter().collect(),
        Step::Batch(writes) => writes.iter().map(|(_, part)| part).collect(),
        _ => Vec::new(),
    };
    mutations.into_iter().any(|mutation| {
        use cases::Mutation::{DeleteColumn, DeleteFamily, DeleteLatest, DeleteRow, DeleteVersion, Put};
        match mutation {
            Put { at, .. } | DeleteVersion { at, .. } | DeleteColumn { at, .. } => matches!(at, Time::Micros(_)),
            DeleteFamily { at, .. } | DeleteRow { at } => matches!(at, Time::Micros(_)),
            DeleteLatest { .. } => false,
        }
    })
}

fn kind(error: &Error) -> &'static str {
    match error {
        Error::NoSuchFamily { .. } => "no-such-family",
        Error::NotACounterCell { .. } => "not-a-counter",
        Error::Timestamp(_) => "negative-timestamp",
        Error::EmptyKey => "empty-row",
        _ => "other",
    }
}

fn text(name: &[u8]) -> &str {
    str::from_utf8(name).unwrap()
}

fn column(name: &cases::Column) -> Column {
    Column::from((text(&name.family), name.qualifier.as_slice()))
}

fn compare(op: Op) -> Compare {
    match op {
        Op::Equal => Compare::Equal,
        Op::NotEqual => Compare::NotEqual,
        Op::Less => Compare::Less,
        Op::LessOrEqual => Compare::LessOrEqual,
        Op::Greater => Compare::Greater,
        Op::GreaterOrEqual => Compare::GreaterOrEqual,
    }
}

fn by_kind(refusal: &Refusal) -> Refusal {
    Refusal { kind: refusal.kind.clone(), message: String::new() }
}

/// Timestamps that the case gave in its own terms, and errors by their kind alone.
fn comparable(answer: &Answer, began: i64) -> Answer {
    let cells = |cells: &Vec<cases::Cell>| {
        let at = |time| match time {
            Time::Now(offset) => Time::At(began + offset),
            other => other,
        };
        cells.iter().map(|cell| cases::Cell { at: at(cell.at), ..cell.clone() }).collect()
    };
    match answer {
        Answer::Cells(found) => Answer::Cells(cells(found)),
        Answer::Rows(rows) => Answer::Rows(rows.iter().map(|(row, found)| (row.clone(), cells(found))).collect()),
        Answer::Error(refusal) => Answer::Error(by_kind(refusal)),
        Answer::Each(each) => {
            Answer::Each(each.iter().map(|(row, outcome)| (row.clone(), outcome.as_ref().map(by_kind))).collect())
        }
        other => other.clone(),
    }
}

/// What became of the steps of cases.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Outcome {
    pub(crate) same: usize,
    pub(crate) listed: usize,
    pub(crate) not_here: usize,
    pub(crate) not_there: usize,
}

/// Replays every step of the cases, but for the `skipped` ones, on tables that `open` makes. Panics at a result that is
/// neither in the cases nor in the listed differences.
pub(crate) fn replay<S: Subject>(
    cases: &[&str],
    skipped: &[&str],
    differences: &str,
    open: impl Fn(&Case) -> S,
) -> Outcome {
    let read = |text: &str| parse(text).unwrap_or_else(|error| panic!("{error}"));
    let cases = cases.iter().flat_map(|text| read(text));
    let cases: Vec<_> = cases.filter(|case| !skipped.contains(&case.name.as_str())).collect();
    let mut left: Vec<(String, Asked)> = Vec::new();
    for case in read(differences) {
        left.extend(case.steps.into_iter().map(|step| (case.name.clone(), step)));
    }
    let mut outcome = Outcome { listed: left.len(), ..Outcome::default() };
    let mut wrong = String::new();
    for case in &cases {
        let replay = Replay(open(case));
        let began = replay.0.began();
        let (mut untold, mut apart) = (String::new(), false);
        for Asked { step, answer, .. } in &case.steps {
            if matches!(answer, Answer::Unsupported(_)) {
                outcome.not_there += 1;
                continue;
            }
            // What comes after a write that the table can't be asked has no like here.
            apart |= in_microseconds(step);
            let Some(ours) = (if apart { None } else { replay.step(step) }) else {
                // Of a write that was left out, all that comes after it.
                apart |= matches!(step, Step::WithinMs(_));
                outcome.not_here += 1;
                continue;
            };
            let ours = comparable(&ours, began);
            if ours == comparable(answer, began) {
                outcome.same += 1;
                continue;
            }
            let told = left.iter().position(|(name, told)| {
                *name == case.name && told.step == *step && comparable(&told.answer, began) == ours
            });
            match told {
                Some(told) => drop(left.remove(told)),
                None => untold += &format!("{step}\n{ours}"),
            }
        }
        if !untold.is_empty() {
            let families: Vec<_> = case.families.iter().map(ToString::to_string).collect();
            wrong += &format!("case {}\ntable {}\n{untold}\n", case.name, families.join(" ; "));
        }
    }
    assert!(wrong.is_empty(), "otherwise than recorded, and not in the differences:\n\n{wrong}");
    assert_eq!(left, [], "told to differ, but the same");
    println!("{} cases: {outcome:?}", cases.len());
    outcome
}
