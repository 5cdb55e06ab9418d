//! Purge: removes what no read returns any more, piece by piece.
//!
//! A piece is one transaction, and may begin and end inside a row. Its knowledge of the entries before it was read in
//! another transaction, and others have written since. It therefore reads again what its entries' fates depend on: the
//! newest marker of the family, and for a column in whose middle it begins, the marker or the versions that hide the
//! rest. A marker or version that it can't find any more hides nothing, and the rest is kept.
//!
//! The newest marker of a family, or of a column, is removed after all that it hides, in the piece that reaches the
//! end.

mod piece;
mod position;

use self::piece::{Piece, Room};
pub(crate) use self::position::{Inside, Position};
use super::Cells;
use super::key::Kind;
use super::visible::Why;
use crate::store::error::Error;
use crate::store::options::Within;
use crate::store::{Readable, Store};

/// The numbers of cells that a purge kept and removed: part of a [`Report`](crate::jobs::Report).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct PurgeCounts {
    /// Number of cells kept.
    pub kept: u64,
    /// Number of cells removed because deletes hid them.
    pub deleted: u64,
    /// Number of cells removed because they had expired.
    pub expired: u64,
    /// Number of cells removed because there were enough newer versions.
    pub old: u64,
    /// Number of delete markers removed.
    pub markers: u64,
}

impl PurgeCounts {
    /// Number of cells and markers removed.
    pub(crate) fn removed(&self) -> u64 {
        self.deleted + self.expired + self.old + self.markers
    }

    pub(crate) fn add(&mut self, more: Self) {
        self.kept += more.kept;
        self.deleted += more.deleted;
        self.expired += more.expired;
        self.old += more.old;
        self.markers += more.markers;
    }

    fn removed_one(&mut self, kind: Kind, why: Why) {
        *match (kind, why) {
            (Kind::ColumnDeleted | Kind::VersionDeleted, _) => &mut self.markers,
            (Kind::Value, Why::Deleted) => &mut self.deleted,
            (Kind::Value, Why::Expired) => &mut self.expired,
            (Kind::Value, Why::Old) => &mut self.old,
        } += 1;
    }
}

/// The work of one batch of a purge.
#[derive(Debug, Default)]
pub(crate) struct Purged {
    /// Number of rows visited to their end.
    pub(crate) rows: u64,
    pub(crate) cells: PurgeCounts,
    /// The position where the next batch begins; `None` at the end of the table.
    pub(crate) next: Option<Position>,
}

impl<S: Store> Cells<S> {
    /// Removes what no read returns any more from a position on. The batch ends with the row by which it has read or is
    /// to remove `most_entries` entries, or `most_bytes` bytes of their keys; in a longer row, inside of it.
    pub(crate) fn purge_batch(&self, from: &Position, most_entries: usize, most_bytes: usize) -> Result<Purged, Error> {
        let store = Within::one_call(&self.store as &dyn Store);
        let mut purged = Purged { next: Some(from.clone()), ..Purged::default() };
        let mut room = Room { most_entries, most_bytes, entries: 0, bytes: 0, of_row: 0 };
        while let Some(from) = purged.next.take() {
            let piece = self.purge_piece(&*store, &from, room)?;
            purged.rows += piece.rows;
            purged.cells.add(piece.cells);
            room = piece.room;
            purged.next = piece.next;
            if room.is_full(matches!(purged.next, Some(Position::Inside(_)))) {
                break;
            }
        }
        Ok(purged)
    }

    fn purge_piece(&self, store: &dyn Store, from: &Position, room: Room) -> Result<piece::Done, Error> {
        let purge = |view: &dyn Readable| Piece::new(&self.families, view, self.clock.now(), room).purge(from);
        if !store.guarantees().transactions {
            let (done, dead) = purge(&store)?;
            if !dead.is_empty() {
                store.write(&dead)?;
            }
            return Ok(done);
        }
        let mut done = None;
        store.transact(&mut |view| {
            let (piece, dead) = purge(view)?;
            done = Some(piece);
            Ok(dead)
        })?;
        done.ok_or_else(|| Error::engine("a transaction did not run"))
    }
}
