//! Rows that a deletion of ranges removes, piece by piece.

use std::collections::VecDeque;

use imbl::OrdSet;

use super::rows::Row;
use crate::keys::range::{Dropped, KeyRange};
use crate::store::TimeSlice;

/// The most rows of a piece, of which each takes a microsecond or two, and between two looks at the clock.
const AT_ONCE: usize = 4096;
const BETWEEN_LOOKS: usize = 256;

/// The ranges that are left, each up to its last row of the beginning: so it ends, whatever is put meanwhile.
pub(super) struct Doomed(VecDeque<KeyRange>);

impl Doomed {
    pub(super) fn new(ranges: &[KeyRange], rows: &OrdSet<Row>) -> Self {
        let up_to_last = |range: &KeyRange| {
            let last = rows.range::<_, [u8]>(range).next_back()?;
            let mut range = range.clone();
            range.end_at(last.key(), true);
            Some(range)
        };
        Self(ranges.iter().filter_map(up_to_last).collect())
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Removes and returns the next rows.
    pub(super) fn remove_some(&mut self, rows: &mut OrdSet<Row>) -> Vec<Row> {
        let slice = TimeSlice::begin();
        let mut removed: Vec<Row> = Vec::new();
        while let Some(range) = self.0.front_mut() {
            let from = removed.len();
            removed.extend(rows.range::<_, [u8]>(&*range).take(BETWEEN_LOOKS).cloned());
            for row in &removed[from..] {
                rows.remove(row.key());
            }
            let more = removed.len() - from == BETWEEN_LOOKS;
            let last = removed.last().filter(|_| more);
            if last.is_none_or(|last| matches!(range.start_at(last.key(), false), Dropped::All)) {
                self.0.pop_front();
            }
            if removed.len() >= AT_ONCE || slice.is_over() {
                break;
            }
        }
        removed
    }
}
