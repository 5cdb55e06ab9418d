//! HBase, through its client.

use rowkey::wide::{Condition, Edit, Mutation, TableSchema};

use super::{
    Clock, Kind, Table, check, column, compare, differences, each, edit, entries, millis, mutation, rows, text, within,
};
use crate::cases::{self, Answer, Column as Named, Read, Span, Step, Written};
use crate::engines::engine::{Cell, Engine, Refusal};
use crate::engines::hbase::{Ask, Filter, Hbase};

/// `hbase.client.keyvalue.maxsize`, for a cell with its key.
const MAX_CELL: usize = 10 << 20;
const MAX_ROW: usize = 32_767;

struct Asked {
    engine: Hbase,
    /// The rows with which regions begin, but for the first.
    regions: Vec<Vec<u8>>,
}

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

fn sent_row(row: &[u8]) -> Result<(), Kind> {
    match row.len() {
        0 => Err("empty-row"),
        1..=MAX_ROW => Ok(()),
        _ => Err("row-too-long"),
    }
}

fn is_too_large(row: &[u8], edit: &Edit) -> bool {
    let Edit::Put { column, value, .. } = edit else { return false };
    row.len() + column.family.len() + column.qualifier.len() + value.len() + 24 > MAX_CELL
}

/// What the client refuses before it sends anything.
fn sent<'p>(row: &[u8], parts: impl IntoIterator<Item = &'p cases::Mutation>) -> Result<Vec<Edit>, Kind> {
    sent_row(row)?;
    let edits: Vec<Edit> = parts.into_iter().map(|part| edit(part, millis)).collect();
    match edits.iter().filter_map(Edit::timestamp).any(|at| at < 0) {
        true => Err("negative-timestamp"),
        false if edits.is_empty() => Err("no-mutations"),
        false => Ok(edits),
    }
}

fn sent_alone(row: &[u8], parts: &[cases::Mutation]) -> Result<Mutation, Kind> {
    let edits = sent(row, parts)?;
    if edits.iter().any(|edit| is_too_large(row, edit)) { Err("cell-too-large") } else { Ok(mutation(&edits)) }
}

fn ask(read: &Read) -> Ask {
    let mut ask = Ask {
        families: read.families.iter().map(|family| text(family).to_owned()).collect(),
        columns: read.columns.iter().map(column).collect(),
        versions: read.versions,
        time: read.time.map(|(start, end)| (millis(start).unwrap(), millis(end).unwrap())),
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
                let check = Condition::value(column(name), compare(*op), value.as_slice());
                Filter::on_rows(check, *missing, *all_versions)
            }
            cases::Filter::FirstKeyOnly => Filter::FirstKeyOnly { found: false },
            cases::Filter::Page { offset, limit } => Filter::Page { offset: *offset, limit: *limit, count: 0 },
        });
    }
    ask
}

impl Asked {
    fn region(&self, row: &[u8]) -> usize {
        self.regions.iter().filter(|start| start.as_slice() <= row).count()
    }

    fn read(engine: &Hbase, row: &[u8], read: &Read, now: i64) -> Result<Vec<Cell>, Kind> {
        sent_row(row)?;
        engine.ask(row, &ask(read), now).map_err(kind)
    }

    /// Each in a call of its own, all at one time.
    fn each(&mut self, writes: &[Written], now: i64) -> Result<(), Kind> {
        writes.iter().try_for_each(|(row, part)| {
            let mutation = sent_alone(row, std::slice::from_ref(part))?;
            self.engine.mutate(row, &mutation, now).map_err(kind)
        })
    }

    fn batch(&mut self, writes: &[Written], now: i64) -> Result<Answer, Kind> {
        let sent: Vec<(&[u8], Vec<Edit>)> =
            entries(writes).map(|(row, parts)| Ok((row, sent(row, parts)?))).collect::<Result<_, Kind>>()?;
        let too_large = sent.iter().filter(|(row, edits)| edits.iter().any(|edit| is_too_large(row, edit)));
        let refused: Vec<usize> = too_large.map(|(row, _)| self.region(row)).collect();
        let outcomes = sent.iter().map(|(row, edits)| {
            let outcome = match refused.contains(&self.region(row)) {
                true => Err("cell-too-large"),
                false => self.engine.mutate(row, &mutation(edits), now).map_err(kind),
            };
            (row.to_vec(), outcome)
        });
        Ok(each(outcomes.collect()))
    }

    /// A region is read as it was when the scan came to it.
    fn scan(&mut self, span: &Span, read: &Read, meanwhile: &[Written], clock: &Clock) -> Result<Answer, Kind> {
        let on_rows = |filter: &cases::Filter| matches!(filter, cases::Filter::Where { .. });
        if span.batch.is_some_and(|batch| batch > 0) && read.filters.iter().any(on_rows) {
            return Err("batch-with-row-filter");
        }
        if let std::ops::Bound::Included(start) | std::ops::Bound::Excluded(start) = &span.start
            && start.len() > MAX_ROW
        {
            return Err("row-too-long");
        }
        // What is wrong with a read is so whatever rows there are.
        Self::read(&self.engine, b"no such row", read, clock.now)?;
        let batch = span.batch.filter(|&batch| batch > 0).map_or(usize::MAX, |batch| batch as usize);
        let limit = span.limit.filter(|&limit| limit > 0).map_or(usize::MAX, |limit| limit as usize);
        let (mut found, mut there) = (Vec::new(), 0);
        let mut regions: Vec<usize> = (0..=self.regions.len()).collect();
        if span.reverse {
            regions.reverse();
        }
        for region in regions {
            let snapshot = self.engine.clone();
            let mut of_region: Vec<Vec<u8>> =
                snapshot.rows().into_iter().filter(|row| self.region(row) == region && within(span, row)).collect();
            if span.reverse {
                of_region.reverse();
            }
            for row in of_region {
                let cells = clock.named(Self::read(&snapshot, &row, read, clock.now)?);
                if cells.is_empty() || there == limit {
                    continue;
                }
                if there == 0 {
                    self.each(meanwhile, clock.now)?;
                }
                there += 1;
                found.extend(cells.chunks(batch).map(|piece| (row.clone(), piece.to_vec())));
            }
        }
        Ok(rows(found))
    }
}

impl Table for Asked {
    fn new(schema: TableSchema) -> Self {
        Self { engine: Hbase::new(schema), regions: Vec::new() }
    }

    /// The clock of who asks plays no part.
    fn step(&mut self, step: &Step, clock: &Clock) -> Result<Answer, Kind> {
        let now = clock.now;
        Ok(match step {
            Step::Flush => {
                self.engine.flush(now);
                Answer::Done
            }
            Step::MajorCompact => {
                self.engine.major_compact(now);
                Answer::Done
            }
            Step::Clock(_) => Answer::Done,
            Step::Split(starts) => {
                self.regions.clone_from(starts);
                Answer::Done
            }
            Step::WithinMs(writes) => {
                self.each(writes, now)?;
                Answer::Done
            }
            Step::Batch(writes) => self.batch(writes, now)?,
            Step::Mutate { row, mutations } => {
                let mutation = sent_alone(row, mutations)?;
                self.engine.mutate(row, &mutation, now).map_err(kind)?;
                Answer::Done
            }
            Step::Check { row, column: name, test, mutations } => {
                let mutation = sent_alone(row, mutations)?;
                self.engine.check(row, &check(name, test), &mutation, now).map(Answer::Truth).map_err(kind)?
            }
            Step::Increment { row, amounts } => {
                sent_row(row)?;
                let counters: Vec<_> = amounts.iter().map(|(name, by)| (column(name), *by)).collect();
                let sums = self.engine.increment(row, &counters, now).map_err(kind)?;
                let mut counted: Vec<_> = amounts.iter().map(|(name, _)| name.clone()).zip(sums).collect();
                counted.sort_by_key(|(name, _)| (name.family.clone(), name.qualifier.clone()));
                Answer::Counters(counted)
            }
            Step::Get { row, read } => clock.got(Self::read(&self.engine, row, read, now)?),
            Step::Exists { row, read } => Answer::Truth(!Self::read(&self.engine, row, read, now)?.is_empty()),
            Step::Scan { span, read, meanwhile } => self.scan(span, read, meanwhile, clock)?,
        })
    }
}

/// All of them.
const STEPS: usize = 1306;

#[test]
fn the_double_answers_as_hbase_did() {
    let recorded =
        [include_str!("../../hbase.cases"), include_str!("../../pages.cases"), include_str!("../../hbase_more.cases")];
    let (wrong, asked) = differences::<Asked>(&recorded, &[]);
    assert_eq!(asked, STEPS);
    assert!(wrong.is_empty(), "otherwise than HBase:\n{wrong}");
}
