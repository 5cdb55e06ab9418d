//! A file of a region.

use std::ops::Range;
use std::sync::Arc;

use super::hfile::{Content, Format};
use super::rows::Rows;
use crate::run::{Key, StoreFile};

/// A file, or the part of a file of the parent that a daughter has.
#[derive(Clone, Debug)]
pub(crate) struct File {
    pub(crate) rows: Arc<Rows>,
    /// The places of its rows. Never empty.
    pub(crate) range: Range<usize>,
    pub(crate) bytes: u64,
    pub(crate) puts: u64,
    /// True if it is half of a file of the parent.
    pub(crate) is_reference: bool,
    /// The compaction that it is in.
    pub(crate) job: Option<u64>,
    /// True if it was made of all files of its region.
    pub(crate) is_of_all: bool,
    pub(crate) written_ms: u64,
    /// The seconds of its oldest row and its newest.
    pub(crate) span_s: (u32, u32),
}

impl File {
    /// A file of all of these rows; none, if there are none.
    pub(crate) fn new(rows: Rows, format: Format, written_ms: u64) -> Option<Self> {
        let range = 0..rows.len();
        Self::of(Arc::new(rows), range, format, written_ms)
    }

    fn of(rows: Arc<Rows>, range: Range<usize>, format: Format, written_ms: u64) -> Option<Self> {
        let times = range.clone().map(|at| rows.row(at).t_s);
        let span_s = (times.clone().min()?, times.max()?);
        let bytes = Content::new(&rows, range.clone()).size(format);
        let puts = rows.counts(range.clone()).puts;
        Some(Self { rows, range, bytes, puts, is_reference: false, job: None, is_of_all: false, written_ms, span_s })
    }

    pub(crate) fn content(&self) -> Content<'_> {
        Content::new(&self.rows, self.range.clone())
    }

    /// The half of it that each daughter has, or all, or nothing (`HRegionFileSystem.splitStoreFile`).
    pub(crate) fn cut(self, at: &[u8], format: Format) -> [Option<Self>; 2] {
        let cut = self.rows.rank(at, self.range.clone());
        if cut == self.range.start {
            return [None, Some(self)];
        }
        if cut == self.range.end {
            return [Some(self), None];
        }
        [self.range.start..cut, cut..self.range.end].map(|range| {
            let half = Self::of(Arc::clone(&self.rows), range, format, self.written_ms)?;
            Some(Self { is_reference: true, ..half })
        })
    }

    /// The file as a line of a run has it.
    pub(crate) fn described(&self, format: Format) -> StoreFile {
        StoreFile {
            bytes: self.bytes,
            first: Key(self.rows.key(self.range.start).to_vec()),
            last: Key(self.rows.key(self.range.end - 1).to_vec()),
            blocks: self.content().block_keys(format).into_iter().map(Key).collect(),
            is_reference: self.is_reference,
        }
    }
}
