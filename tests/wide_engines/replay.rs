//! The recorded answers, asked of the doubles.

use std::collections::BTreeMap;
use std::ops::Bound;
use std::time::Duration;

use rowkey::wide::{Check, Column, Compare, Edit, FamilySchema, Mutation, TableSchema};

use crate::cases::{self, Answer, Asked, Case, Column as Named, Op, Read, Span, Step, Test, Time, parse};
use crate::engine::{Cell, Engine, Refusal};
use crate::hbase::{Ask, Filter, Hbase};

/// When each case begins.
const NOW: i64 = 1_750_000_000_000;

/// Why a step is refused, as the cases have it.
type Kind = &'static str;

fn kind(refusal: Refusal) -> Kind {
    match refusal {
        Refusal::NoSuchFamily(_) => "no-such-family",
        Refusal::NotACounter(..) => "not-a-counter",
        Refusal::Timestamp(_) => "negative-timestamp",
        Refusal::BackwardTimeRange => "backward-time-range",
        Refusal::VersionsNotPositive => "versions-not-positive",
        Refusal::Unsupported(what) => what,
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

fn at(time: Time) -> Option<i64> {
    match time {
        Time::Server => None,
        Time::At(at) => Some(at),
        Time::Now(offset) => Some(NOW + offset),
    }
}

fn schema(case: &Case) -> TableSchema {
    case.families.iter().fold(TableSchema::new(), |schema, family| {
        let kept = FamilySchema::new().max_versions(family.versions).min_versions(family.min_versions);
        let kept = family.ttl.map_or(kept, |seconds| kept.ttl(Duration::from_secs(seconds)));
        schema.family(text(&family.name), kept)
    })
}

fn mutation(parts: &[cases::Mutation]) -> Mutation {
    parts.iter().fold(Mutation::new(), |mutation, part| match part {
        cases::Mutation::Put { column: name, at: time, value } => match at(*time) {
            Some(at) => mutation.put_at(column(name), at, value.as_slice()),
            None => mutation.put(column(name), value.as_slice()),
        },
        cases::Mutation::DeleteLatest { column: name } => mutation.delete_latest(column(name)),
        cases::Mutation::DeleteVersion { column: name, at: time } => {
            mutation.delete_version(column(name), at(*time).unwrap())
        }
        cases::Mutation::DeleteColumn { column: name, at: time } => match at(*time) {
            Some(at) => mutation.delete_column_until(column(name), at),
            None => mutation.delete_column(column(name)),
        },
        cases::Mutation::DeleteFamily { family, at: time } => match at(*time) {
            Some(at) => mutation.delete_family_until(text(family), at),
            None => mutation.delete_family(text(family)),
        },
        cases::Mutation::DeleteRow { at: time } => match at(*time) {
            Some(at) => mutation.delete_row_until(at),
            None => mutation.delete_row(),
        },
    })
}

/// What HBase's client refuses before it sends anything.
fn sent(row: &[u8], mutation: Mutation) -> Result<Mutation, Kind> {
    if row.is_empty() {
        return Err("empty-row");
    }
    match mutation.edits().iter().filter_map(Edit::timestamp).any(|at| at < 0) {
        true => Err("negative-timestamp"),
        false => Ok(mutation),
    }
}

fn ask(read: &Read) -> Ask {
    let mut ask = Ask {
        families: read.families.iter().map(|family| text(family).to_owned()).collect(),
        columns: read.columns.iter().map(column).collect(),
        versions: read.versions,
        time: read.time.map(|(start, end)| (at(start).unwrap(), at(end).unwrap())),
        store_offset: read.store_offset.unwrap_or(0),
        store_limit: read.store_limit,
        ..Ask::default()
    };
    for filter in &read.filters {
        if let cases::Filter::Prefix(Named { family, .. }) | cases::Filter::Range(Named { family, .. }, _) = filter {
            ask.families.push(text(family).to_owned());
        }
        ask.filters.push(match filter {
            cases::Filter::Prefix(Named { qualifier, .. }) => Filter::Prefix(qualifier.clone()),
            cases::Filter::Range(Named { qualifier, .. }, to) => {
                Filter::Range(qualifier.clone(), Some(to.clone()).filter(|to| !to.is_empty()))
            }
            cases::Filter::Value(op, value) => Filter::Value(compare(*op), value.clone()),
            cases::Filter::Where { column: name, op, value, missing, all_versions } => {
                let check = Check::value(column(name), compare(*op), value.as_slice());
                Filter::on_rows(check, *missing, *all_versions)
            }
            cases::Filter::FirstKeyOnly => Filter::FirstKeyOnly { found: false },
            cases::Filter::Page { offset, limit } => Filter::Page { offset: *offset, limit: *limit, count: 0 },
        });
    }
    ask
}

fn named(cells: Vec<Cell>, now: i64) -> Vec<cases::Cell> {
    let named = |(Column { family, qualifier }, at, value): Cell| cases::Cell {
        column: Named { family: family.into(), qualifier },
        at: if (NOW..=now).contains(&at) { Time::Server } else { Time::At(at) },
        value,
    };
    cells.into_iter().map(named).collect()
}

fn within(span: &Span, row: &[u8]) -> bool {
    let is_within = |first: &Bound<Vec<u8>>, last: &Bound<Vec<u8>>| {
        let starts = match first {
            Bound::Included(start) if !start.is_empty() => row >= start.as_slice(),
            Bound::Excluded(start) if !start.is_empty() => row > start.as_slice(),
            _ => true,
        };
        starts
            && match last {
                Bound::Included(end) if !end.is_empty() => row <= end.as_slice(),
                Bound::Excluded(end) if !end.is_empty() => row < end.as_slice(),
                _ => true,
            }
    };
    if span.reverse { is_within(&span.stop, &span.start) } else { is_within(&span.start, &span.stop) }
}

/// The rows of a scan, each read by `read`.
fn scanned(
    span: &Span,
    rows: impl DoubleEndedIterator<Item = Vec<u8>>,
    now: i64,
    read: impl Fn(&[u8]) -> Result<Vec<Cell>, Kind>,
) -> Result<Answer, Kind> {
    // What is wrong with a read is so whatever rows there are.
    read(b"no such row")?;
    let mut rows: Vec<Vec<u8>> = rows.filter(|row| within(span, row)).collect();
    if span.reverse {
        rows.reverse();
    }
    let batch = span.batch.filter(|&batch| batch > 0).map_or(usize::MAX, |batch| batch as usize);
    let limit = span.limit.filter(|&limit| limit > 0).map_or(usize::MAX, |limit| limit as usize);
    let (mut found, mut there) = (Vec::new(), 0);
    for row in rows {
        let cells = named(read(&row)?, now);
        if cells.is_empty() || there == limit {
            continue;
        }
        there += 1;
        found.extend(cells.chunks(batch).map(|piece| (row.clone(), piece.to_vec())));
    }
    Ok(if found.is_empty() { Answer::Nothing } else { Answer::Rows(found) })
}

fn got(cells: Vec<Cell>, now: i64) -> Answer {
    if cells.is_empty() { Answer::Nothing } else { Answer::Cells(named(cells, now)) }
}

fn ask_hbase(engine: &mut Hbase, step: &Step, now: i64) -> Result<Answer, Kind> {
    let read = |engine: &Hbase, row: &[u8], read: &Read| match row {
        [] => Err("empty-row"),
        row => engine.ask(row, &ask(read), now).map_err(kind),
    };
    Ok(match step {
        Step::Flush => {
            engine.flush(now);
            Answer::Done
        }
        Step::MajorCompact => {
            engine.major_compact(now);
            Answer::Done
        }
        Step::Mutate { row, mutations } => {
            let mutation = sent(row, mutation(mutations))?;
            engine.mutate(row, &mutation, now).map(|()| Answer::Done).map_err(kind)?
        }
        Step::Check { row, column: name, test, mutations } => {
            let mutation = sent(row, mutation(mutations))?;
            let check = match test {
                Test::Absent => Check::absent(column(name)),
                Test::Value(op, value) => Check::value(column(name), compare(*op), value.as_slice()),
            };
            engine.check(row, &check, &mutation, now).map(Answer::Truth).map_err(kind)?
        }
        Step::Increment { row, amounts } => {
            sent(row, Mutation::new())?;
            let counters: Vec<_> = amounts.iter().map(|(name, by)| (column(name), *by)).collect();
            let sums = engine.increment(row, &counters, now).map_err(kind)?;
            let mut counted: Vec<_> = amounts.iter().map(|(name, _)| name.clone()).zip(sums).collect();
            counted.sort_by_key(|(name, _)| (name.family.clone(), name.qualifier.clone()));
            Answer::Counters(counted)
        }
        Step::Get { row, read: asked } => got(read(engine, row, asked)?, now),
        Step::Exists { row, read: asked } => Answer::Truth(!read(engine, row, asked)?.is_empty()),
        Step::Scan { span, read: asked } => {
            let on_rows = |filter: &cases::Filter| matches!(filter, cases::Filter::Where { .. });
            if span.batch.is_some_and(|batch| batch > 0) && asked.filters.iter().any(on_rows) {
                return Err("batch-with-row-filter");
            }
            scanned(span, engine.rows().into_iter(), now, |row| read(engine, row, asked))?
        }
    })
}

/// With the times that a case gave in its own terms as times, and errors by their kind alone.
fn comparable(answer: &Answer) -> Answer {
    let cells = |cells: &Vec<cases::Cell>| -> Vec<cases::Cell> {
        let at = |time| match time {
            Time::Now(offset) => Time::At(NOW + offset),
            other => other,
        };
        cells.iter().map(|cell| cases::Cell { at: at(cell.at), ..cell.clone() }).collect()
    };
    match answer {
        Answer::Cells(found) => Answer::Cells(cells(found)),
        Answer::Rows(rows) => Answer::Rows(rows.iter().map(|(row, found)| (row.clone(), cells(found))).collect()),
        Answer::Error { kind, .. } => Answer::Error { kind: kind.clone(), message: String::new() },
        other => other.clone(),
    }
}

/// The steps in which `ask` answers otherwise than was recorded, by their case, but for those that are `left_out`.
fn differences<E>(
    recorded: &str,
    left_out: &BTreeMap<&str, usize>,
    new: impl Fn(TableSchema) -> E,
    ask: impl Fn(&mut E, &Step, i64) -> Result<Answer, Kind>,
) -> String {
    let (mut wrong, mut asked) = (String::new(), 0);
    for case in parse(recorded).unwrap_or_else(|error| panic!("{error}")) {
        let (mut engine, mut now, mut differ) = (new(schema(&case)), NOW, 0);
        for Asked { line, step, answer } in &case.steps {
            // Steps were at least so far apart.
            now += 2;
            let is = ask(&mut engine, step, now)
                .unwrap_or_else(|kind| Answer::Error { kind: kind.to_owned(), message: String::new() });
            asked += 1;
            if comparable(&is) != comparable(answer) {
                differ += 1;
                if !left_out.contains_key(case.name.as_str()) {
                    wrong += &format!("case {}, line {line}: {step}\n{is}it was\n{answer}\n", case.name);
                }
            }
        }
        if let Some(&expected) = left_out.get(case.name.as_str())
            && expected != differ
        {
            wrong += &format!("case {}: {differ} steps differ, not {expected}\n", case.name);
        }
    }
    assert!(asked > 0);
    wrong
}

#[test]
fn the_double_answers_as_hbase_did() {
    for recorded in [include_str!("../wide/hbase.cases"), include_str!("../wide/pages.cases")] {
        let wrong = differences(recorded, &BTreeMap::new(), Hbase::new, ask_hbase);
        assert!(wrong.is_empty(), "otherwise than HBase:\n{wrong}");
    }
}
