//! What an engine has to answer, and a wide store over it.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use rowkey::Error;
use rowkey::clock::{Clock, SystemClock};
use rowkey::store::{Bounded, CallOptions, DatabaseId, Room, RowBatch, Rows, Scan, TableId, check_key};
use rowkey::wide::{
    Cell as Lent, Column, Columns, Compare, Condition, Mutation, Row, TableSchema, WideGuarantees, WideStore, push_cell,
};

pub(crate) type Cell = (Column, i64, Vec<u8>);

/// Why an engine does not do what it is asked.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Refusal {
    NoSuchFamily(String),
    NotACounter(Column, usize),
    Timestamp(i64),
    BackwardTimeRange,
    VersionsNotPositive,
    Unsupported(&'static str),
}

/// One table, by one caller at a time. `now` is the engine's clock.
pub(crate) trait Engine: Clone + Send + 'static {
    /// What it promises.
    fn guarantees() -> WideGuarantees;

    /// The rows that something was written to.
    fn rows(&self) -> BTreeSet<Vec<u8>>;

    fn read(&self, row: &[u8], columns: &Columns, now: i64) -> Result<Vec<Cell>, Refusal>;

    /// Why a scan of these columns is refused.
    fn refuses(columns: &Columns) -> Option<Error>;

    fn mutate(&mut self, row: &[u8], mutation: &Mutation, now: i64) -> Result<(), Refusal>;

    fn increment(&mut self, row: &[u8], counters: &[(Column, i64)], now: i64) -> Result<Vec<i64>, Refusal>;

    fn check(&mut self, row: &[u8], check: &Condition, mutation: &Mutation, now: i64) -> Result<bool, Refusal>;
}

/// What HBase says of a check in which the stored or the given value is empty or absent; `None` if neither is.
pub(crate) fn holds_of_empty(check: &Condition, stored: Option<&[u8]>) -> Option<bool> {
    let is_empty = stored.is_none_or(<[u8]>::is_empty);
    match &check.value {
        None => Some(is_empty),
        Some((Compare::NotEqual, given)) if given.is_empty() => Some(!is_empty),
        Some((_, given)) if given.is_empty() => Some(is_empty),
        Some(_) => None,
    }
}

/// A wide store over an engine.
pub(crate) struct Double<E> {
    id: TableId,
    schema: TableSchema,
    clock: Arc<dyn Clock>,
    pub(crate) guarantees: WideGuarantees,
    engine: Arc<Mutex<E>>,
}

impl<E: Engine> Double<E> {
    pub(crate) fn new(schema: &TableSchema, engine: impl FnOnce(TableSchema) -> E) -> Self {
        Self {
            id: DatabaseId::unique().table("t"),
            schema: schema.clone(),
            clock: Arc::new(SystemClock),
            guarantees: E::guarantees(),
            engine: Arc::new(Mutex::new(engine(schema.clone()))),
        }
    }

    pub(crate) fn with_clock(mut self, clock: impl Clock + 'static) -> Self {
        self.clock = Arc::new(clock);
        self
    }

    /// Works on the engine alone.
    pub(crate) fn engine<T>(&self, work: impl FnOnce(&mut E, i64) -> T) -> T {
        let mut engine = self.engine.lock().unwrap();
        work(&mut engine, self.clock.now())
    }

    fn told(&self, row: &[u8], refusal: Refusal) -> Error {
        match refusal {
            Refusal::NoSuchFamily(family) => self.schema.require(&family).expect_err("it is not there"),
            Refusal::NotACounter(column, len) => {
                Error::NotACounterCell { row: row.to_vec(), column: column.to_string(), len }
            }
            Refusal::Timestamp(at) => Error::Timestamp(at),
            Refusal::BackwardTimeRange => Error::Unsupported("time ranges that end before they begin"),
            Refusal::VersionsNotPositive => Error::Unsupported("reads of no version"),
            Refusal::Unsupported(what) => Error::Unsupported(what),
        }
    }

    fn write<T>(
        &self,
        row: &[u8],
        mutation: &Mutation,
        write: impl FnOnce(&mut E, i64) -> Result<T, Refusal>,
    ) -> Result<T, Error> {
        self.id.check_write()?;
        check_key(row)?;
        if let Some(timestamps) = self.guarantees.timestamps {
            timestamps.check(mutation)?;
        }
        self.engine(write).map_err(|refusal| self.told(row, refusal))
    }

    fn cells(&self, engine: &E, row: &[u8], columns: &Columns, now: i64) -> Result<Vec<u8>, Error> {
        let cells = engine.read(row, columns, now).map_err(|refusal| self.told(row, refusal))?;
        packed(&cells)
    }
}

fn packed(cells: &[Cell]) -> Result<Vec<u8>, Error> {
    let mut out = Vec::new();
    for (Column { family, qualifier }, timestamp, value) in cells {
        push_cell(&mut out, &Lent { family, qualifier, timestamp: *timestamp, value })?;
    }
    Ok(out)
}

impl<E> Clone for Double<E> {
    fn clone(&self) -> Self {
        let Self { id, schema, clock, guarantees, engine } = self;
        let (clock, engine) = (Arc::clone(clock), Arc::clone(engine));
        Self { id: id.clone(), schema: schema.clone(), clock, guarantees: *guarantees, engine }
    }
}

impl<E: Engine> WideStore for Double<E> {
    fn id(&self) -> &TableId {
        &self.id
    }

    fn options(&self) -> &CallOptions {
        CallOptions::none()
    }

    fn with_options(&self, options: &CallOptions) -> Arc<dyn WideStore> {
        Arc::new(Bounded::new(Arc::new(self.clone()), options))
    }

    fn guarantees(&self) -> WideGuarantees {
        self.guarantees
    }

    fn schema(&self) -> &TableSchema {
        &self.schema
    }

    fn get(&self, row: &[u8], columns: &Columns) -> Result<Row, Error> {
        check_key(row)?;
        Ok(Row::from_cells(self.engine(|engine, now| self.cells(engine, row, columns, now))?))
    }

    fn scan(&self, scan: &Scan, columns: &Columns) -> Box<dyn Rows> {
        let read = |engine: &mut E, now| -> Result<Vec<Piece>, Error> {
            if let Some(refusal) = E::refuses(columns) {
                return Err(refusal);
            }
            // A family that is not there is refused whatever rows there are.
            self.cells(engine, b"no such row", columns, now)?;
            let mut rows = Vec::new();
            for row in engine.rows() {
                if scan.ranges.iter().any(|range| range.contains(&row)) {
                    let cells = engine.read(&row, columns, now).map_err(|refusal| self.told(&row, refusal))?;
                    rows.push((row, cells));
                }
            }
            rows.retain(|(_, cells)| !cells.is_empty());
            if scan.reverse {
                rows.reverse();
            }
            let limit = scan.limit.and_then(|limit| usize::try_from(limit).ok());
            rows.truncate(limit.unwrap_or(usize::MAX));
            let mut pieces = Vec::new();
            for (row, cells) in rows {
                for piece in cells.chunks(columns.piece.map_or(usize::MAX, |piece| piece.get())) {
                    pieces.push((row.clone(), packed(piece)?));
                }
            }
            Ok(pieces)
        };
        let (pieces, failed) = match self.engine(read) {
            Ok(pieces) => (pieces, None),
            Err(error) => (Vec::new(), Some(error)),
        };
        Box::new(Read {
            pieces: pieces.into_iter(),
            failed,
            batch_rows: scan.batch_rows,
            batch_bytes: scan.batch_bytes,
        })
    }

    fn mutate(&self, row: &[u8], mutation: &Mutation) -> Result<(), Error> {
        self.write(row, mutation, |engine, now| engine.mutate(row, mutation, now))
    }

    fn increment(&self, row: &[u8], counters: &[(Column, i64)]) -> Result<Vec<i64>, Error> {
        self.write(row, &Mutation::new(), |engine, now| engine.increment(row, counters, now))
    }

    fn check_and_mutate(&self, row: &[u8], check: &Condition, mutation: &Mutation) -> Result<bool, Error> {
        self.write(row, mutation, |engine, now| engine.check(row, check, mutation, now))
    }
}

/// A row and its cells, or some of them.
type Piece = (Vec<u8>, Vec<u8>);

/// What a scan read when it was opened.
struct Read {
    pieces: std::vec::IntoIter<Piece>,
    failed: Option<Error>,
    batch_rows: usize,
    batch_bytes: usize,
}

impl Rows for Read {
    fn next_batch(&mut self, batch: &mut RowBatch) -> Result<(), Error> {
        batch.clear();
        let mut room = Room::new(batch, self.batch_rows.max(1), self.batch_bytes);
        while let Some((row, cells)) = self.pieces.next()
            && room.push(&row, &cells)
        {}
        self.failed.take().map_or(Ok(()), Err)
    }
}
