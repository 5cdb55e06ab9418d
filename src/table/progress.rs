//! Offset, limit and page of a scan: which of the merged rows it returns, and where it ends. No I/O.

use crate::store::error::Error;
use crate::store::merge::{BatchMerge, Step};

/// The most rows of each bucket that a scan can need, its offset included.
pub(crate) fn most_read(limit: Option<u64>, offset: u64) -> Option<u64> {
    limit.map(|limit| limit.saturating_add(offset))
}

/// The rows of a merge that a scan returns. Its driver feeds the merge and calls [`step`](Self::step) as it would call
/// the merge's, then [`read`](Self::read).
///
/// Offset, limit and page count rows. Items with one key that follow each other are pieces of one row.
pub(crate) struct Progress {
    merge: BatchMerge,
    /// Number of the merge's next rows that the scan returns without a look at them.
    free: u64,
    /// Number of rows still to be skipped.
    offset: u64,
    /// Number of rows that may come after the free ones. If rows do not come in pieces, the merge keeps the limit, and
    /// this is only the page's.
    left: u64,
    in_pieces: bool,
    /// True if the scan ends with a page; `more` is then true if there was a row after it.
    page: bool,
    more: bool,
    over: bool,
    /// True if it is over because of a panic, which no caller was told yet.
    unwound: bool,
    /// The key of the last row, if the merge can be past it: of rows in pieces always, of others after a page.
    last: Option<Vec<u8>>,
    /// True if the last row is skipped.
    passing: bool,
    returned: u64,
}

impl Progress {
    /// For a merge whose sources have [`most_read`] as their limit.
    pub(crate) fn new(merge: BatchMerge, limit: Option<u64>, offset: u64, in_pieces: bool) -> Self {
        // The merge's limit would count pieces.
        let of_merge = if in_pieces { None } else { most_read(limit, offset) };
        let mut new = Self {
            merge: merge.limit(of_merge),
            free: 0,
            offset,
            left: if in_pieces { limit.unwrap_or(u64::MAX) } else { u64::MAX },
            in_pieces,
            page: false,
            more: false,
            over: false,
            unwound: false,
            last: None,
            passing: false,
            returned: 0,
        };
        new.free_rows();
        new
    }

    /// Ends the scan after this many more rows, and finds out whether there is another one:
    /// [`has_more`](Self::has_more).
    pub(crate) fn page(&mut self, rows: u64) {
        let left = self.free.saturating_add(self.left);
        self.page = left > rows;
        (self.free, self.left) = (0, left.min(rows));
        self.free_rows();
    }

    /// Rows that do not come in pieces need no look, once the offset is passed.
    fn free_rows(&mut self) {
        if !self.in_pieces && self.offset == 0 && !self.over {
            self.free = std::mem::take(&mut self.left);
        }
    }

    /// Returns whether the page was full, and there was a row after it.
    pub(crate) fn has_more(&self) -> bool {
        self.more
    }

    /// The merge, for the driver to feed.
    pub(crate) fn merge(&mut self) -> &mut BatchMerge {
        &mut self.merge
    }

    /// Returns the next row of the scan. An error ends the scan.
    #[inline]
    pub(crate) fn step(&mut self) -> Result<Step, Error> {
        if self.free == 0 {
            return self.step_looking();
        }
        let step = self.merge.step()?;
        if step == Step::Row {
            self.free -= 1;
            self.returned += 1;
        }
        Ok(step)
    }

    fn step_looking(&mut self) -> Result<Step, Error> {
        if self.over {
            return if std::mem::take(&mut self.unwound) {
                let key = self.merge.row().map_or(&[][..], |(key, _)| key);
                Err(Error::unwound("", key, "its codec"))
            } else {
                Ok(Step::Done)
            };
        }
        if self.in_pieces {
            return self.step_in_pieces();
        }
        if self.offset == 0 && self.last.is_none() {
            self.last = Some(self.merge.last_key().to_vec());
        }
        loop {
            match self.merge.step()? {
                Step::Row if self.offset == 0 => return Ok(self.end_before_row()),
                Step::Row => self.offset -= 1,
                step => return Ok(step),
            }
            self.free_rows();
            if self.free > 0 {
                return self.step();
            }
        }
    }

    fn step_in_pieces(&mut self) -> Result<Step, Error> {
        loop {
            match self.merge.step()? {
                Step::Row => {}
                step => return Ok(step),
            }
            let key = self.merge.row().map_or(&[][..], |(key, _)| key);
            if self.last.as_deref() != Some(key) {
                if self.offset == 0 && self.left == 0 {
                    return Ok(self.end_before_row());
                }
                key.clone_into(self.last.get_or_insert_default());
                self.passing = self.offset > 0;
                *(if self.passing { &mut self.offset } else { &mut self.left }) -= 1;
            }
            if !self.passing {
                self.returned += 1;
                return Ok(Step::Row);
            }
        }
    }

    /// The merge has another row, which the scan does not return.
    fn end_before_row(&mut self) -> Step {
        self.more = self.page;
        self.over = true;
        Step::Done
    }

    /// Returns the result of `read` for the row that was found; it borrows key and value. If that is an error, the scan
    /// has ended. If it panics, the next step is an error, and then it has ended.
    #[inline]
    pub(crate) fn read<'s, T>(
        &'s mut self,
        read: impl FnOnce(&'s [u8], &'s [u8]) -> Result<T, Error>,
    ) -> Result<Option<T>, Error> {
        let Self { merge, free, over, unwound, .. } = self;
        let Some((key, value)) = merge.row() else { return Ok(None) };
        let mut end = EndByPanic { free, over, unwound };
        let row = read(key, value);
        if row.is_err() {
            end.end();
        }
        // It returned.
        std::mem::forget(end);
        row.map(Some)
    }

    /// The number of rows, or pieces of rows, found so far.
    pub(crate) fn returned(&self) -> u64 {
        self.returned
    }

    /// The key of the last row found, or `None` before the first.
    pub(crate) fn last_key(&self) -> Option<&[u8]> {
        (self.returned > 0).then(|| self.last.as_deref().unwrap_or(self.merge.last_key()))
    }
}

/// Ends a scan when it is dropped, which is when a codec panics.
struct EndByPanic<'p> {
    free: &'p mut u64,
    over: &'p mut bool,
    unwound: &'p mut bool,
}

impl EndByPanic<'_> {
    fn end(&mut self) {
        (*self.free, *self.over) = (0, true);
    }
}

impl Drop for EndByPanic<'_> {
    fn drop(&mut self) {
        self.end();
        *self.unwound = true;
    }
}

#[cfg(test)]
mod tests;
