//! Replays the recorded cases on the doubles.

mod bigtable;
mod hbase;

use std::ops::Bound;
use std::time::Duration;

use rowkey::wide::{Column, Compare, Condition, Edit, FamilySchema, Mutation, TableSchema};

use crate::cases::{self, Answer, Asked, Case, Column as Named, Op, Span, Step, Test, Time, Written, parse};
use crate::engines::engine::Cell;

/// When each case begins, in milliseconds.
const NOW: i64 = 1_750_000_000_000;

/// Why a step is refused, as the cases have it.
type Kind = &'static str;

/// A double, called as the engine that it stands for was called.
trait Table: Sized {
    fn new(schema: TableSchema) -> Self;

    /// `clock` has gone on since the step before.
    fn step(&mut self, step: &Step, clock: &Clock) -> Result<Answer, Kind>;
}

/// The engine's clock, and that of who asks, in milliseconds.
struct Clock {
    now: i64,
    /// How far the clock of who asks is ahead, and was at most.
    ahead: i64,
    most: i64,
}

impl Clock {
    fn named(&self, cells: Vec<Cell>) -> Vec<cases::Cell> {
        let own = NOW..=self.now;
        let at = |at| match at {
            at if own.contains(&at) => Time::Server,
            at if self.most > 0 && own.contains(&(at - self.most)) => Time::Clock,
            at => Time::At(at),
        };
        let named = |(Column { family, qualifier }, time, value): Cell| cases::Cell {
            column: Named { family: family.into(), qualifier },
            at: at(time),
            value,
        };
        cells.into_iter().map(named).collect()
    }

    fn got(&self, cells: Vec<Cell>) -> Answer {
        if cells.is_empty() { Answer::Nothing } else { Answer::Cells(self.named(cells)) }
    }
}

fn text(name: &[u8]) -> &str {
    str::from_utf8(name).unwrap()
}

fn column(name: &Named) -> Column {
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

fn check(name: &Named, test: &Test) -> Condition {
    match test {
        Test::Absent => Condition::absent(column(name)),
        Test::Value(op, value) => Condition::value(column(name), compare(*op), value.as_slice()),
    }
}

/// Milliseconds.
fn millis(time: Time) -> Option<i64> {
    match time {
        Time::Server => None,
        Time::At(at) => Some(at),
        Time::Now(offset) => Some(NOW + offset),
        Time::Micros(_) | Time::Clock => panic!("this engine can't be asked for {time}"),
    }
}

/// An edit, with timestamps as `at` has them.
fn edit(part: &cases::Mutation, at: impl Fn(Time) -> Option<i64>) -> Edit {
    match part {
        cases::Mutation::Put { column: name, at: time, value } => {
            Edit::Put { column: column(name), at: at(*time), value: value.clone() }
        }
        cases::Mutation::DeleteLatest { column: name } => Edit::DeleteVersion { column: column(name), at: None },
        cases::Mutation::DeleteVersion { column: name, at: time } => {
            Edit::DeleteVersion { column: column(name), at: at(*time) }
        }
        cases::Mutation::DeleteColumn { column: name, at: time } => {
            Edit::DeleteColumn { column: column(name), until: at(*time) }
        }
        cases::Mutation::DeleteFamily { family, at: time } => {
            Edit::DeleteFamily { family: text(family).to_owned(), until: at(*time) }
        }
        cases::Mutation::DeleteRow { at: time } => Edit::DeleteRow { until: at(*time) },
    }
}

fn mutation(edits: &[Edit]) -> Mutation {
    edits.iter().cloned().fold(Mutation::new(), |mutation, edit| match edit {
        Edit::Put { column, at: None, value } => mutation.put(column, value),
        Edit::Put { column, at: Some(at), value } => mutation.put_at(column, at, value),
        Edit::DeleteVersion { column, at: None } => mutation.delete_latest(column),
        Edit::DeleteVersion { column, at: Some(at) } => mutation.delete_version(column, at),
        Edit::DeleteColumn { column, until: None } => mutation.delete_column(column),
        Edit::DeleteColumn { column, until: Some(until) } => mutation.delete_column_until(column, until),
        Edit::DeleteFamily { family, until: None } => mutation.delete_family(family),
        Edit::DeleteFamily { family, until: Some(until) } => mutation.delete_family_until(family, until),
        Edit::DeleteRow { until: None } => mutation.delete_row(),
        Edit::DeleteRow { until: Some(until) } => mutation.delete_row_until(until),
    })
}

/// The entries of a batch: neighbours that write to one row are one.
fn entries(writes: &[Written]) -> impl Iterator<Item = (&[u8], Vec<&cases::Mutation>)> {
    let entries = writes.chunk_by(|(one, _), (next, _)| one == next);
    entries.map(|writes| (writes[0].0.as_slice(), writes.iter().map(|(_, part)| part).collect()))
}

fn each(outcomes: Vec<(Vec<u8>, Result<(), Kind>)>) -> Answer {
    let refusal = |kind: Kind| cases::Refusal { kind: kind.to_owned(), message: String::new() };
    Answer::Each(outcomes.into_iter().map(|(row, outcome)| (row, outcome.err().map(refusal))).collect())
}

fn within(span: &Span, row: &[u8]) -> bool {
    let (first, last) = if span.reverse { (&span.stop, &span.start) } else { (&span.start, &span.stop) };
    let starts = match first {
        Bound::Included(start) if !start.is_empty() => row >= start.as_slice(),
        Bound::Excluded(start) if !start.is_empty() => row > start.as_slice(),
        _ => true,
    };
    let ends = match last {
        Bound::Included(end) if !end.is_empty() => row <= end.as_slice(),
        Bound::Excluded(end) if !end.is_empty() => row < end.as_slice(),
        _ => true,
    };
    starts && ends
}

fn rows(found: Vec<(Vec<u8>, Vec<cases::Cell>)>) -> Answer {
    if found.is_empty() { Answer::Nothing } else { Answer::Rows(found) }
}

/// With all times in milliseconds, or in microseconds where that is no whole one, and errors by their kind alone.
fn comparable(answer: &Answer) -> Answer {
    let cells = |cells: &Vec<cases::Cell>| -> Vec<cases::Cell> {
        let at = |time| match time {
            Time::Now(offset) => Time::At(NOW + offset),
            Time::Micros(at) if at % 1000 == 0 => Time::At(at / 1000),
            other => other,
        };
        cells.iter().map(|cell| cases::Cell { at: at(cell.at), ..cell.clone() }).collect()
    };
    let refusal = |refusal: &cases::Refusal| cases::Refusal { kind: refusal.kind.clone(), message: String::new() };
    match answer {
        Answer::Cells(found) => Answer::Cells(cells(found)),
        Answer::Rows(rows) => Answer::Rows(rows.iter().map(|(row, found)| (row.clone(), cells(found))).collect()),
        Answer::Error(error) => Answer::Error(refusal(error)),
        Answer::Each(each) => {
            Answer::Each(each.iter().map(|(row, outcome)| (row.clone(), outcome.as_ref().map(refusal))).collect())
        }
        other => other.clone(),
    }
}

/// Asks a double every step of the cases, but for those that could not be asked when they were recorded and for the
/// cases that are left out. Tells where it answers otherwise, and how many steps it was asked.
fn differences<T: Table>(recorded: &[&str], left_out: &[&str]) -> (String, usize) {
    let (mut wrong, mut asked) = (String::new(), 0);
    for case in recorded.iter().flat_map(|text| parse(text).unwrap_or_else(|error| panic!("{error}"))) {
        if left_out.contains(&case.name.as_str()) {
            continue;
        }
        let (mut table, mut clock) = (T::new(schema(&case)), Clock { now: NOW, ahead: 0, most: 0 });
        for Asked { line, step, answer } in &case.steps {
            // Steps were at least so far apart.
            clock.now += 2;
            if let Answer::Unsupported(_) = answer {
                continue;
            }
            if let Step::Clock(ahead) = *step {
                (clock.ahead, clock.most) = (ahead, clock.most.max(ahead));
                continue;
            }
            asked += 1;
            let is = table
                .step(step, &clock)
                .unwrap_or_else(|kind| Answer::Error(cases::Refusal { kind: kind.to_owned(), message: String::new() }));
            if comparable(&is) != comparable(answer) {
                wrong += &format!("case {}, line {line}: {step}\n{is}it was\n{answer}\n", case.name);
            }
        }
    }
    (wrong, asked)
}

fn schema(case: &Case) -> TableSchema {
    case.families.iter().fold(TableSchema::new(), |schema, family| {
        let kept = FamilySchema::new().max_versions(family.versions).min_versions(family.min_versions);
        let kept = family.ttl.map_or(kept, |seconds| kept.ttl(Duration::from_secs(seconds)));
        schema.family(text(&family.name), kept)
    })
}
