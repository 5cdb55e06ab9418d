//! Bigtable's emulator, through its requests. It keeps what a refused request has done before it was refused, and takes
//! a family that is not there for one without cells, where Bigtable itself is documented to do otherwise.

use rowkey::wide::{Compare, Edit, TableSchema};

use super::{Clock, Kind, NOW, Table, check, column, compare, differences, each, edit, entries, rows, text, within};
use crate::cases::{self, Answer, Filter, Read, Span, Step, Test, Time, Written};
use crate::engines::bigtable::{Bigtable, MICROS};
use crate::engines::engine::{Cell, Engine, Refusal};

struct Asked {
    engine: Bigtable,
    /// Whether garbage is collected by now.
    collects: bool,
}

fn kind(refusal: Refusal) -> Kind {
    match refusal {
        Refusal::NoSuchFamily(_) => "no-such-family",
        Refusal::NotACounter(..) => "not-a-counter",
        Refusal::Timestamp(at) if at < 0 => "negative-timestamp",
        Refusal::Timestamp(_) => "unknown",
        Refusal::BackwardTimeRange | Refusal::VersionsNotPositive => "invalid-argument",
        Refusal::Unsupported(what) => what,
    }
}

fn micros(time: Time) -> Option<i64> {
    match time {
        Time::Server | Time::Clock => None,
        Time::At(at) => Some(at.saturating_mul(MICROS)),
        Time::Now(offset) => Some((NOW + offset) * MICROS),
        Time::Micros(at) => Some(at),
    }
}

/// One edit as its request has it, done; of deletes a time range, whose end of 0 is no end.
fn edited(engine: &mut Bigtable, row: &[u8], part: &cases::Mutation, clock: &Clock) -> Result<(), Kind> {
    if row.is_empty() {
        return Err("empty-row");
    }
    let edit = edit(part, micros);
    let stamped = |at: i64| match at {
        at if at < 0 || at % MICROS != 0 => Err(kind(Refusal::Timestamp(at))),
        at => Ok(at),
    };
    // The emulator looks at a delete's times where there is something to delete.
    let nothing = |column| engine.newest(row, column).is_none();
    let edit = match edit {
        Edit::Put { column, at, value } => {
            let at = match at {
                Some(-1) => clock.now * MICROS,
                Some(at) => stamped(at)?,
                None => (clock.now + clock.ahead) * MICROS,
            };
            Edit::Put { column, at: Some(at), value }
        }
        Edit::DeleteVersion { column, at: Some(_) } | Edit::DeleteColumn { column, until: Some(_) }
            if nothing(&column) && engine.has(&column.family) =>
        {
            return Ok(());
        }
        Edit::DeleteVersion { column, at: Some(at) } => Edit::DeleteVersion { column, at: Some(stamped(at)?) },
        Edit::DeleteColumn { column, until: Some(until) } => {
            let end = match until.checked_add(MICROS) {
                None | Some(0) => None,
                Some(end) => Some(stamped(end)? - MICROS),
            };
            Edit::DeleteColumn { column, until: end }
        }
        other => other,
    };
    engine.write(row, &[edit], clock.now * MICROS).map_err(kind)
}

fn mutated<'p>(
    engine: &mut Bigtable,
    row: &[u8],
    parts: impl IntoIterator<Item = &'p cases::Mutation>,
    clock: &Clock,
) -> Result<(), Kind> {
    let mut parts = parts.into_iter().peekable();
    if parts.peek().is_none() {
        return Err("no-mutations");
    }
    parts.try_for_each(|part| edited(engine, row, part, clock))
}

/// Cells of microseconds: a chain of filters, columns first.
fn read(engine: &Bigtable, row: &[u8], read: &Read) -> Result<Vec<Cell>, Kind> {
    let versions = read.versions.unwrap_or(1);
    let pages = read.filters.iter().any(|filter| matches!(filter, Filter::Page { limit: 0, .. }));
    if versions <= 0 || pages {
        return Err("invalid-argument");
    }
    let all = engine.cells(row, |_| !row.is_empty(), u32::MAX);
    let of = |passes: &dyn Fn(&Cell) -> bool| all.iter().filter(|cell| passes(cell)).cloned().collect::<Vec<_>>();
    for filter in &read.filters {
        let Filter::Where { column: name, op, value, missing, all_versions } = filter else { continue };
        let asked = of(&|(other, ..)| *other == column(name));
        let seen = if *all_versions { asked.len() } else { asked.len().min(1) };
        let holds = asked[..seen].iter().any(|(.., stored)| compare(*op).holds(stored, value));
        let lacks_it = *missing && asked.is_empty();
        if !(holds || lacks_it) {
            return Ok(Vec::new());
        }
    }

    let mut chosen: Vec<Vec<Cell>> =
        read.columns.iter().map(|name| of(&|(other, ..)| *other == column(name))).collect();
    let mut spanned = Vec::new();
    for filter in &read.filters {
        let (Filter::Prefix(name) | Filter::Range(name, _)) = filter else { continue };
        spanned.push(&name.family);
        chosen.push(of(&|(other, ..)| {
            let in_span = match filter {
                Filter::Range(_, to) => other.qualifier >= name.qualifier && (to.is_empty() || other.qualifier < *to),
                _ => other.qualifier.starts_with(&name.qualifier),
            };
            other.family == text(&name.family) && in_span
        }));
    }
    let families = read.families.iter().filter(|family| !spanned.contains(family));
    chosen.extend(families.map(|family| of(&|(other, ..)| other.family == text(family))));
    // What several choose comes several times.
    let mut cells = if chosen.is_empty() { all.clone() } else { chosen.concat() };
    cells.sort_by_key(|(column, at, _)| (column.clone(), std::cmp::Reverse(*at)));
    if let Some((start, end)) = read.time {
        let (start, end) = (micros(start).unwrap(), micros(end).filter(|end| *end != 0 && *end != i64::MAX));
        cells.retain(|(_, at, _)| *at >= start && end.is_none_or(|end| *at < end));
    }
    for filter in &read.filters {
        if let Filter::Value(op, value) = filter {
            let op: Compare = compare(*op);
            cells.retain(|(.., stored)| op.holds(stored, value));
        }
    }
    let of_each = cells.chunk_by(|(one, ..), (next, ..)| one == next);
    cells = of_each.flat_map(|versions_of| versions_of.iter().take(versions as usize).cloned()).collect();
    match read.filters.last() {
        Some(Filter::Page { offset, limit }) => {
            cells = cells.into_iter().skip(*offset as usize).take(*limit as usize).collect();
        }
        Some(Filter::FirstKeyOnly) => cells.truncate(1),
        _ => {}
    }
    Ok(cells.into_iter().map(|(column, at, value)| (column, at / MICROS, value)).collect())
}

impl Asked {
    fn each(&mut self, writes: &[Written], clock: &Clock) -> Result<(), Kind> {
        writes.iter().try_for_each(|(row, part)| mutated(&mut self.engine, row, [part], clock))
    }

    fn batch(&mut self, writes: &[Written], clock: &Clock) -> Answer {
        let outcomes = entries(writes).map(|(row, parts)| {
            let outcome = mutated(&mut self.engine, row, parts, clock);
            // A status within an answer has another code.
            (row.to_vec(), outcome.map_err(|kind| if kind == "unknown" { "internal" } else { kind }))
        });
        each(outcomes.collect())
    }

    /// Small rows are sent before the first of them is read.
    fn scan(&mut self, span: &Span, asked: &Read, meanwhile: &[Written], clock: &Clock) -> Result<Answer, Kind> {
        use std::ops::Bound::{Excluded, Included};
        let (low, high) = if span.reverse { (&span.stop, &span.start) } else { (&span.start, &span.stop) };
        if let (Included(low) | Excluded(low), Included(high) | Excluded(high)) = (low, high)
            && low > high
            && !high.is_empty()
        {
            return Err("invalid-argument");
        }
        read(&self.engine, b"no such row", asked)?;
        let limit = match span.limit {
            None | Some(0) => usize::MAX,
            Some(limit) => usize::try_from(limit).unwrap_or(0),
        };
        let mut found = Vec::new();
        let mut all: Vec<Vec<u8>> = self.engine.rows().into_iter().filter(|row| within(span, row)).collect();
        if span.reverse {
            all.reverse();
        }
        for row in all {
            let cells = read(&self.engine, &row, asked)?;
            if !cells.is_empty() && found.len() < limit {
                found.push((row, clock.named(cells)));
            }
        }
        self.each(meanwhile, clock)?;
        Ok(rows(found))
    }
}

impl Table for Asked {
    fn new(schema: TableSchema) -> Self {
        let mut engine = Bigtable::new(schema);
        engine.emulator = true;
        Self { engine, collects: false }
    }

    fn step(&mut self, step: &Step, clock: &Clock) -> Result<Answer, Kind> {
        if self.collects && matches!(step, Step::Get { .. } | Step::Exists { .. } | Step::Scan { .. }) {
            self.engine.collect(clock.now * MICROS);
        }
        Ok(match step {
            Step::Flush | Step::Split(_) | Step::Clock(_) => Answer::Done,
            Step::MajorCompact => {
                self.collects = true;
                Answer::Done
            }
            Step::WithinMs(writes) => {
                self.each(writes, clock)?;
                Answer::Done
            }
            Step::Batch(writes) => self.batch(writes, clock),
            Step::Mutate { row, mutations } => {
                mutated(&mut self.engine, row, mutations, clock)?;
                Answer::Done
            }
            Step::Check { row, column: name, test, mutations } => {
                // What is counted in the empty row is not found.
                let row_is_read = !row.is_empty();
                let newest = self.engine.newest(row, &column(name)).map(|(_, value)| value).filter(|_| row_is_read);
                let holds = match test {
                    Test::Absent => newest.is_none(),
                    Test::Value(..) => check(name, test).holds(newest),
                };
                if holds {
                    mutations.iter().try_for_each(|part| edited(&mut self.engine, row, part, clock))?;
                }
                Answer::Truth(holds)
            }
            Step::Increment { row, amounts } => {
                let counters: Vec<_> = amounts.iter().map(|(name, by)| (column(name), *by)).collect();
                let sums = self.engine.add(row, &counters, clock.now * MICROS).map_err(kind)?;
                // A column comes once, with the last sum.
                let counted: std::collections::BTreeMap<_, _> = amounts
                    .iter()
                    .zip(sums)
                    .map(|((name, _), sum)| ((name.family.clone(), name.qualifier.clone()), (name.clone(), sum)))
                    .collect();
                Answer::Counters(counted.into_values().collect())
            }
            Step::Get { row, read: asked } => clock.got(read(&self.engine, row, asked)?),
            Step::Exists { row, read: asked } => Answer::Truth(!read(&self.engine, row, asked)?.is_empty()),
            Step::Scan { span, read: asked, meanwhile } => self.scan(span, asked, meanwhile, clock)?,
        })
    }
}

/// How many of the rows the emulator has sent before the first was read is a matter of the connection's windows.
const OF_THE_CONNECTION: &str = "a scan of large rows, written to meanwhile";

/// All that could be asked when they were recorded, but for that case.
const STEPS: usize = 1307;

#[test]
fn the_double_answers_as_bigtable_did() {
    let (wrong, asked) = differences::<Asked>(&[include_str!("../../bigtable.cases")], &[OF_THE_CONNECTION]);
    assert_eq!(asked, STEPS);
    assert!(wrong.is_empty(), "otherwise than Bigtable:\n{wrong}");
}
