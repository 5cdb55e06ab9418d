//! Reads rows from entries.

use super::entries::Entries;
use super::key::CellKey;
use super::pick::{Then, VERSION};
use super::plan::Plan;
use crate::keys::range::KeyRange;
use crate::store::error::Error;
use crate::store::row_batch::clear_within;
use crate::store::{CallOptions, Room, RowBatch, Rows, Scan, Store, TableId};
use crate::wide::row::CellIter;

/// A row, or some of its cells.
pub(super) struct Piece<'r> {
    /// True if it is the first piece of the row.
    first: bool,
    row: &'r [u8],
    cells: &'r [u8],
}

/// Reads rows, one after another.
pub(super) struct RowReader {
    plan: Plan,
    entries: Entries,
    reverse: bool,
    /// The key of the current row, unless the caller knows it.
    row: Vec<u8>,
    reads_keys: bool,
    /// The prefix of the row's entries; empty between rows.
    part: Vec<u8>,
    /// The cells that were picked, and where those begin that were not returned yet.
    cells: Vec<u8>,
    at: usize,
    picked: usize,
    /// True if the row's condition holds.
    holds: bool,
    /// True if a piece of the row was returned.
    given: bool,
    /// The entries of a row that is read in reverse.
    buffer: RowBatch,
    /// Number of bytes of memory to keep from row to row.
    kept: usize,
}

impl RowReader {
    /// `scan` is the scan of the entries.
    pub(super) fn new(plan: Plan, entries: Box<dyn Rows>, scan: &Scan) -> Self {
        Self {
            plan,
            entries: Entries::new(entries),
            reverse: scan.reverse,
            row: Vec::new(),
            reads_keys: true,
            part: Vec::new(),
            cells: Vec::new(),
            at: 0,
            picked: 0,
            holds: true,
            given: false,
            buffer: RowBatch::new(),
            kept: scan.batch_bytes,
        }
    }

    /// Returns the next row with a picked cell, or the next piece of one; `None` at the end. Does not begin another row
    /// unless `more`.
    pub(super) fn next_piece(&mut self, more: bool) -> Result<Option<Piece<'_>>, Error> {
        loop {
            if self.at < self.cells.len() {
                let at = self.at;
                self.at = self.end_of_piece();
                let first = !std::mem::replace(&mut self.given, true);
                return Ok(Some(Piece { first, row: &self.row, cells: &self.cells[at..self.at] }));
            }
            clear_within(&mut self.cells, self.kept);
            self.at = 0;
            if self.part.is_empty() && (!more || !self.begin()?) {
                return Ok(None);
            }
            if self.reverse {
                self.read_back()?
            } else {
                self.read()?
            }
            if !self.holds {
                self.cells.clear();
            }
        }
    }

    /// All cells of the next row.
    pub(super) fn into_cells(mut self) -> Result<Vec<u8>, Error> {
        self.plan.piece = None;
        self.reads_keys = false;
        let found = self.next_piece(true)?.is_some();
        Ok(if found { self.cells } else { Vec::new() })
    }

    fn begin(&mut self) -> Result<bool, Error> {
        if !self.entries.settle()? {
            return Ok(false);
        }
        let (key, _) = self.entries.get();
        let part = CellKey::row_of(key);
        if self.reads_keys {
            CellKey::read_row(part, &mut self.row).map_err(|error| Error::from(error).of_key("", key))?;
        }
        self.part.extend_from_slice(part);
        self.given = false;
        self.plan.pick.row();
        self.holds = true;
        if let Some((check, pick)) = &mut self.plan.rows_where {
            pick.row();
            self.holds = check.holds(None);
        }
        Ok(true)
    }

    /// Reads to the end of the row, or of a piece.
    fn read(&mut self) -> Result<(), Error> {
        self.picked = 0;
        // A condition may depend on the row's last cell, so the whole row is read first.
        let piece = self.plan.piece.filter(|_| self.plan.rows_where.is_none()).unwrap_or(usize::MAX);
        let (mut next, whole) = (0, self.plan.places == [KeyRange::all()]);
        while self.entries.settle()? {
            let (key, value) = self.entries.get();
            let Some(place) = key.strip_prefix(self.part.as_slice()) else { break };
            if !whole {
                while self.plan.places.get(next).is_some_and(|range| range.ends_by(place)) {
                    next += 1;
                }
                match self.plan.places.get(next) {
                    None => {
                        self.entries.pass(self.part.len())?;
                        continue;
                    }
                    Some(range) if place < range.start() => {
                        let start = [&self.part, range.start()].concat();
                        self.entries.seek(&start)?;
                        continue;
                    }
                    Some(_) => {}
                }
            }
            if self.picked == piece {
                return Ok(());
            }
            let (row, column) = (self.part.len(), key.len().saturating_sub(VERSION));
            let seen = self.plan.see(place, value, &mut self.cells, &mut self.holds);
            match seen.map_err(|error| error.of_key("", key))? {
                Then::Take => {
                    self.picked += 1;
                    self.entries.advance();
                }
                Then::Next => self.entries.advance(),
                Then::NextColumn => self.entries.pass(column)?,
                Then::NextRow => self.entries.pass(row)?,
            }
        }
        self.part.clear();
        Ok(())
    }

    /// Reads a row whose entries come in reverse.
    fn read_back(&mut self) -> Result<(), Error> {
        self.buffer.clear_within(self.kept);
        while self.entries.settle()? {
            let (key, value) = self.entries.get();
            let Some(place) = key.strip_prefix(self.part.as_slice()) else { break };
            if self.plan.places.iter().any(|range| range.contains(place)) {
                self.buffer.push(place, value);
            }
            self.entries.advance();
        }
        for index in (0..self.buffer.len()).rev() {
            let (place, value) = self.buffer.get(index).unwrap_or_default();
            let seen = self.plan.see(place, value, &mut self.cells, &mut self.holds);
            if seen.map_err(|error| error.of_key("", &[&self.part, place].concat()))? == Then::NextRow {
                break;
            }
        }
        self.part.clear();
        Ok(())
    }

    /// The end of the next piece.
    fn end_of_piece(&self) -> usize {
        let Some(piece) = self.plan.piece else { return self.cells.len() };
        let mut cells = CellIter::new(&self.cells[self.at..]);
        cells.by_ref().take(piece).for_each(drop);
        self.cells.len() - cells.left().len()
    }
}

/// A scan of rows over a scan of entries.
pub(super) struct CellRows {
    /// An error that follows the rows already returned.
    failed: Option<Error>,
    reader: Option<RowReader>,
    left: u64,
    batch_rows: usize,
    batch_bytes: usize,
    /// Each batch of rows is a call, and may read several batches of entries.
    options: CallOptions,
    table: TableId,
}

impl CellRows {
    pub(super) fn new(plan: Plan, scan: &Scan, store: &impl Store) -> Self {
        let batch_rows = scan.batch_rows.max(1);
        let left = scan.limit.unwrap_or(u64::MAX);
        // A few rows do not need a large batch.
        let rows = usize::try_from(left).unwrap_or(usize::MAX).min(batch_rows);
        let entries = rows.saturating_mul(4).clamp(8, batch_rows.max(256));
        let ranges = scan.ranges.iter().map(CellKey::rows_in).collect();
        // Two batches are held: one of entries, one of rows.
        let beneath =
            Scan::new(ranges).reverse(scan.reverse).batch_rows(entries).batch_bytes(scan.batch_bytes).divided(2);
        let reader = RowReader::new(plan, store.scan(&beneath), &beneath);
        let (options, table) = (store.options().clone(), store.id().clone());
        Self { failed: None, reader: Some(reader), left, batch_rows, batch_bytes: beneath.batch_bytes, options, table }
    }
}

impl Rows for CellRows {
    fn next_batch(&mut self, batch: &mut RowBatch) -> Result<(), Error> {
        batch.clear_within(self.batch_bytes);
        if let Some(reader) = &mut self.reader
            && !self.options.is_unbounded()
        {
            match self.options.begin("scan", self.table.name()) {
                Ok(call) => reader.entries.begin(call.rest(), &self.table),
                Err(error) => {
                    self.reader = None;
                    return Err(error);
                }
            }
        }
        let mut room = Room::new(batch, self.batch_rows, self.batch_bytes);
        while let (Some(reader), false) = (&mut self.reader, room.is_full()) {
            match reader.next_piece(self.left > 0) {
                Ok(Some(Piece { first, row, cells })) => {
                    self.left -= u64::from(first);
                    room.push(row, cells);
                }
                end => {
                    // Its key is an entry's.
                    self.failed = end.err().map(|error| error.of_row(|_| None));
                    self.reader = None;
                }
            }
        }
        // Rows that were read before an error are returned before it.
        match self.failed.take_if(|_| batch.is_empty()) {
            Some(error) => Err(error),
            None => Ok(()),
        }
    }
}
