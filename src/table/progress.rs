//! How far a scan is: which of the merged rows are its own, and where it ends. No I/O.

use crate::error::Error;
use crate::merge::{BatchMerge, Step};

/// How many rows of each bucket a scan can need, its offset's among them.
pub(super) fn most_read(limit: Option<u64>, offset: u64) -> Option<u64> {
    limit.map(|limit| limit.saturating_add(offset))
}

/// A scan over a merge that its driver feeds: [`step`](Self::step) as the merge's, then [`read`](Self::read).
///
/// Offset, limit and page count rows. A row that comes in pieces, items with one key that follow each other, is one row.
pub(super) struct Progress {
    merge: BatchMerge,
    mode: Mode,
    in_pieces: bool,
    /// How many rows are to be left out yet.
    offset: u64,
    /// How many rows may begin yet. Of rows that do not come in pieces the merge keeps the limit, and this is a page's.
    left: u64,
    /// Whether `left` is a page's, and whether there was a row after the page.
    page: bool,
    more: bool,
    /// The key of the last row, where the merge is beyond it, or may be: of rows in pieces always.
    last: Option<Vec<u8>>,
    /// Whether that row is left out.
    passing: bool,
    returned: u64,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    /// Every row of the merge is a row of the scan.
    All,
    Counting,
    Over,
}

impl Progress {
    /// Of a merge whose sources were given [`most_read`] as their limit.
    pub(super) fn new(merge: BatchMerge, limit: Option<u64>, offset: u64, in_pieces: bool) -> Self {
        // A limit of the merge is one of items.
        let (of_merge, left) = match in_pieces {
            true => (None, limit.unwrap_or(u64::MAX)),
            false => (most_read(limit, offset), u64::MAX),
        };
        let mode = if in_pieces || offset > 0 { Mode::Counting } else { Mode::All };
        Self {
            merge: merge.limit(of_merge),
            mode,
            in_pieces,
            offset,
            left,
            page: false,
            more: false,
            last: None,
            passing: false,
            returned: 0,
        }
    }

    /// Ends after so many rows more, and finds out whether there is another: [`has_more`](Self::has_more).
    pub(super) fn page(&mut self, rows: u64) {
        self.page = self.left > rows;
        self.left = self.left.min(rows);
        if self.mode == Mode::All {
            self.mode = Mode::Counting;
        }
    }

    /// Whether the page was full, and there was a row after it.
    pub(super) fn has_more(&self) -> bool {
        self.more
    }

    /// What a driver feeds.
    pub(super) fn merge(&mut self) -> &mut BatchMerge {
        &mut self.merge
    }

    /// Finds the next row of the scan; after an error there is none.
    #[inline]
    pub(super) fn step(&mut self) -> Result<Step, Error> {
        let step = match self.mode {
            Mode::All => self.merge.step()?,
            Mode::Counting => self.step_counting()?,
            Mode::Over => return Ok(Step::Done),
        };
        self.returned += u64::from(step == Step::Row);
        Ok(step)
    }

    fn step_counting(&mut self) -> Result<Step, Error> {
        loop {
            if !self.in_pieces && self.left == 0 && self.last.is_none() {
                self.last = Some(self.merge.last_key().to_vec());
            }
            match self.merge.step()? {
                Step::Row => {}
                step => return Ok(step),
            }
            if self.in_pieces {
                let Some((key, _)) = self.merge.row() else { continue };
                if self.last.as_deref() == Some(key) {
                    if self.passing {
                        continue;
                    }
                    return Ok(Step::Row);
                }
            }
            if self.offset == 0 && self.left == 0 {
                self.more = self.page;
                self.mode = Mode::Over;
                return Ok(Step::Done);
            }
            self.passing = self.offset > 0;
            if self.in_pieces
                && let Some((key, _)) = self.merge.row()
            {
                key.clone_into(self.last.get_or_insert_default());
            }
            if self.passing {
                self.offset -= 1;
                continue;
            }
            self.left -= 1;
            if !self.in_pieces && !self.page {
                self.mode = Mode::All;
            }
            return Ok(Step::Row);
        }
    }

    /// What `read` makes of the row that was found, key and value lent; if that is an error, the scan has ended.
    #[inline]
    pub(super) fn read<'s, T>(
        &'s mut self,
        read: impl FnOnce(&'s [u8], &'s [u8]) -> Result<T, Error>,
    ) -> Result<Option<T>, Error> {
        let Self { merge, mode, .. } = self;
        let Some((key, value)) = merge.row() else { return Ok(None) };
        let row = read(key, value);
        if row.is_err() {
            *mode = Mode::Over;
        }
        row.map(Some)
    }

    /// How many rows were found so far, and how many pieces of rows.
    pub(super) fn returned(&self) -> u64 {
        self.returned
    }

    /// The key of the last row found; none before the first.
    pub(super) fn last_key(&self) -> Option<&[u8]> {
        (self.returned > 0).then(|| self.last.as_deref().unwrap_or(self.merge.last_key()))
    }
}
