//! A region of the simulated cluster.

use std::ops::Range;

use super::all::All;
use super::file::File;
use super::memstore::Memstore;
use super::rows::{Counts, Part, Rows};
use super::share::Share;

/// The change that a region is closed for.
#[derive(Clone, Debug)]
pub(crate) enum Change {
    /// It is split at this key.
    Split(Vec<u8>),
    /// It goes to another server.
    Move(usize),
}

/// A region. When it is split, its number goes on as that of the lower daughter.
#[derive(Debug)]
pub(crate) struct Region {
    pub(crate) start: Vec<u8>,
    pub(crate) end: Option<Vec<u8>>,
    pub(crate) server: usize,
    /// The server that had its keys at the beginning.
    pub(crate) first_server: usize,
    /// False while it is closed. What is written then waits in the memstore, as clients wait for the opening.
    pub(crate) is_online: bool,
    pub(crate) change: Option<Change>,
    /// The number of times that it was closed: what was due before is not due after.
    pub(crate) epoch: u64,
    /// Its size of `MAX_FILESIZE` with the jitter.
    pub(crate) full_limit: u64,
    pub(crate) memstore: Memstore,
    /// The rows of a memstore that is being written to a file.
    pub(crate) flushing: Option<Rows>,
    /// True while a flush waits for there to be fewer files.
    pub(crate) flush_waits: bool,
    /// The oldest first.
    pub(crate) files: Vec<File>,
    /// True while files of the parent that were compacted are not let go.
    pub(crate) has_compacted_references: bool,
    pub(crate) is_queued: bool,
    pub(crate) wants_major: bool,
    /// True if a look at the age of the memstore, or of the files, is due.
    pub(crate) age_is_due: bool,
    pub(crate) check_is_due: bool,
    /// The rows that were written in this interval, and the reads in hundredths.
    pub(crate) writes: u64,
    pub(crate) reads: u64,
    /// The reads of a scan of the whole table here; and true if that has changed.
    pub(crate) whole: Share,
    pub(crate) has_changed: bool,
    /// The last batch that wrote here.
    pub(crate) batch: u64,
    /// The number of the last entry in the log: of a batch, a flush, a compaction or an opening.
    pub(crate) sequence_id: u64,
}

impl Region {
    /// A region that is closed yet, without rows.
    pub(crate) fn new(start: Vec<u8>, end: Option<Vec<u8>>, server: usize) -> Self {
        Self {
            start,
            end,
            server,
            first_server: server,
            is_online: false,
            change: None,
            epoch: 0,
            full_limit: 0,
            memstore: Memstore::default(),
            flushing: None,
            flush_waits: false,
            files: Vec::new(),
            has_compacted_references: false,
            is_queued: false,
            wants_major: false,
            age_is_due: false,
            check_is_due: false,
            writes: 0,
            reads: 0,
            whole: Share::default(),
            has_changed: false,
            batch: 0,
            sequence_id: 0,
        }
    }

    /// True if it is open, and stays so.
    pub(crate) fn is_settled(&self) -> bool {
        self.is_online && self.change.is_none()
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.files.iter().map(|file| file.bytes).fold(0, u64::saturating_add)
    }

    /// The bytes of its files, were there no more than so many rows in them.
    pub(crate) fn bytes_of(&self, most: u64) -> u64 {
        let rows: u64 = self.files.iter().map(|file| file.puts).sum();
        match u128::from(self.bytes()) * u128::from(most) / u128::from(rows.max(1)) {
            fewer if rows > most => u64::try_from(fewer).unwrap_or(u64::MAX),
            _ => self.bytes(),
        }
    }

    /// The rows that are in it: those that were deleted, until a compaction leaves them out.
    pub(crate) fn rows(&self) -> u64 {
        let flushing = self.flushing.as_ref().map_or(0, |rows| rows.counts(0..rows.len()).puts);
        self.files.iter().map(|file| file.puts).sum::<u64>() + self.memstore.puts + flushing
    }

    /// The sums of all that a scan finds: of rows that are there several times one.
    pub(crate) fn counts(&self, all: Option<&All>) -> Counts {
        let flushing = self.flushing.iter().map(|rows| rows.counts(0..rows.len()));
        let files = self.files.iter().map(|file| file.rows.counts(file.range.clone()));
        let counts = files.chain(flushing).fold(self.memstore.counts(), Counts::plus);
        let most = all.map_or(u64::MAX, |all| all.rows(&self.start, self.end.as_deref()));
        Counts { puts: self.rows().min(most), ..counts }
    }

    pub(crate) fn has_references(&self) -> bool {
        self.has_compacted_references || self.files.iter().any(|file| file.is_reference)
    }

    pub(crate) fn files_in_jobs(&self) -> usize {
        self.files.iter().filter(|file| file.job.is_some()).count()
    }

    /// The file by which it is split: the largest, the oldest of equals (`StoreUtils.getLargestFile`).
    pub(crate) fn largest_file(&self) -> Option<&File> {
        self.files.iter().rev().max_by_key(|file| file.bytes)
    }

    /// The parts of what is in it that are in order, and the places of a range in each.
    pub(crate) fn parts(&mut self, start: &[u8], end: Option<&[u8]>) -> Vec<Part<'_>> {
        let places = |rows: &Rows, within: Range<usize>| {
            let from = rows.rank(start, within.clone());
            let to = end.map_or(within.end, |end| rows.rank_near(end, from..within.end));
            from..to
        };
        let files = self.files.iter().map(|file| (&*file.rows, file.range.clone()));
        let memory = self.flushing.iter().chain(self.memstore.sorted());
        let parts = files.chain(memory.map(|rows| (rows, 0..rows.len())));
        parts.map(|(rows, within)| (rows, places(rows, within))).filter(|(_, range)| !range.is_empty()).collect()
    }
}
