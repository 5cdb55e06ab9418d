//! Changes of one row: put, delete, increment, append.

mod kinds;
mod together;

use std::collections::HashSet;

use bytes::Bytes;
use rowkey_retry::Idempotency;

pub use self::kinds::{Append, Delete, Increment, Put};
use crate::model::cell::{Cell, CellKind, LATEST, Parts, STAMP};
use crate::model::error::{Error, Result};
use crate::model::names::{FamilyName, RowKey, Wrong};
use crate::pb;
use crate::pb::mutation_proto::MutationType;

/// The point at which a write reaches the write-ahead log (WAL) of its server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Durability {
    /// By the table's setting.
    #[default]
    #[doc(alias = "USE_DEFAULT")]
    Default,
    /// Never: the write is lost if the server dies before it flushes.
    #[doc(alias = "SKIP_WAL")]
    SkipWal,
    /// Asynchronously, soon after the response.
    #[doc(alias = "ASYNC_WAL")]
    AsyncWal,
    /// Before the response, which comes when the WAL is handed to the file system.
    #[doc(alias = "SYNC_WAL")]
    SyncWal,
    /// Before the response, which comes when the WAL is on disk.
    #[doc(alias = "FSYNC_WAL")]
    FsyncWal,
}

const TOO_LATE: &str = "a timestamp is greater than 9223372036854775807";

/// The length of a frame is a signed number of four bytes.
const LONGEST: usize = 1 << 30;

/// A change of one row: a [`Put`], [`Delete`], [`Increment`] or [`Append`].
#[derive(Debug, Clone)]
pub struct Mutation {
    kind: MutationType,
    row: Bytes,
    /// Encoded as they are sent.
    cells: Vec<u8>,
    count: u32,
    durability: Durability,
    wrong: Option<Wrong>,
    idempotency: Idempotency,
    /// True if the server stamps a cell.
    is_stamped: bool,
    /// True if it is not retried once the server may have stamped it.
    is_at_most_once: bool,
}

impl Mutation {
    fn new(kind: MutationType, row: &[u8], idempotency: Idempotency) -> Self {
        let (wrong, row) = (RowKey::new(row).err(), Bytes::copy_from_slice(row));
        Self {
            kind,
            row,
            cells: Vec::new(),
            count: 0,
            durability: Durability::Default,
            wrong,
            idempotency,
            is_stamped: false,
            is_at_most_once: false,
        }
    }

    fn add(&mut self, family: &[u8], qualifier: &[u8], timestamp: u64, kind: CellKind, value: &[u8]) {
        if timestamp > LATEST {
            self.wrong = self.wrong.or(Some(TOO_LATE));
        }
        match self.write(family, qualifier, timestamp, kind, value) {
            Ok(()) => {
                self.count += 1;
                self.is_stamped |= timestamp == LATEST;
            }
            Err(wrong) => self.wrong = self.wrong.or(Some(wrong)),
        }
    }

    fn write(
        &mut self,
        family: &[u8],
        qualifier: &[u8],
        timestamp: u64,
        kind: CellKind,
        value: &[u8],
    ) -> Result<(), Wrong> {
        let (row, family) = (RowKey::new(&self.row)?.as_bytes(), FamilyName::new(family)?.as_bytes());
        Parts { row, family, qualifier, timestamp, kind: kind.code(), value }.write(&mut self.cells)
    }

    /// The key of the row.
    pub fn row(&self) -> &[u8] {
        &self.row
    }

    /// The same with this timestamp, at most 2⁶³ - 1, in place of the server's time: duplicates are identical then, so
    /// it is retried. A delete of a [`newest`](Delete::newest) version stays as it is, as does a delete of a whole row,
    /// which names no cell: name its families.
    #[must_use]
    pub fn stamped_at(mut self, timestamp: u64) -> Self {
        if timestamp > LATEST {
            self.wrong = self.wrong.or(Some(TOO_LATE));
        }
        let stamps: Vec<_> = self
            .each_cell()
            .scan(0, |end, cell| {
                *end += cell.size();
                let is_open = cell.timestamp() == LATEST && cell.kind() != CellKind::Delete;
                Some(is_open.then(|| *end - cell.value().len() - STAMP))
            })
            .flatten()
            .collect();
        for at in stamps {
            if let Some(stamp) = self.cells.get_mut(at..at + 8) {
                stamp.copy_from_slice(&timestamp.to_be_bytes());
            }
        }
        let is_stamped = self.each_cell().any(|cell| cell.timestamp() == LATEST);
        self.is_stamped = is_stamped;
        self
    }

    pub(crate) fn cells(&self) -> &[u8] {
        &self.cells
    }

    pub(crate) fn idempotency(&self) -> Idempotency {
        let idempotency = match self.idempotency {
            Idempotency::Idempotent if self.count == 0 || self.is_stamped => Idempotency::ServerTimestamped,
            idempotency => idempotency,
        };
        if self.is_at_most_once { idempotency.strict() } else { idempotency }
    }

    pub(crate) fn is_read_modify(&self) -> bool {
        matches!(self.kind, MutationType::Append | MutationType::Increment)
    }

    pub(crate) fn is_put(&self) -> bool {
        self.kind == MutationType::Put
    }

    pub(crate) fn durability(&self) -> Durability {
        self.durability
    }

    /// The number of cells.
    pub(crate) fn count(&self) -> u32 {
        self.count
    }

    pub(crate) fn check(&self) -> Result<()> {
        match (self.wrong, self.kind) {
            (Some(wrong), _) => Err(Error::invalid(wrong)),
            (None, _) if self.cells.len() > LONGEST => Err(Error::invalid("a write is longer than 1 GiB")),
            // A delete of nothing in particular deletes the row.
            (None, MutationType::Delete) => Ok(()),
            (None, _) if self.count == 0 => Err(Error::invalid("a write without cells: it names no column")),
            (None, MutationType::Increment) if self.names_a_column_twice() => {
                Err(Error::invalid("a counter is named twice: add the amounts up"))
            }
            (None, MutationType::Append) if self.names_a_column_twice() => {
                Err(Error::invalid("a value is named twice: append its tails as one"))
            }
            (None, _) => Ok(()),
        }
    }

    fn names_a_column_twice(&self) -> bool {
        let mut columns = HashSet::new();
        !self.columns().all(|column| columns.insert(column))
    }

    fn each_cell(&self) -> impl Iterator<Item = Cell<'_>> {
        let mut rest = self.cells();
        std::iter::from_fn(move || {
            let (cell, more) = Cell::split_first(rest)?;
            rest = more;
            Some(cell)
        })
    }

    /// Family and qualifier of each cell.
    fn columns(&self) -> impl Iterator<Item = (&[u8], &[u8])> {
        self.each_cell().map(|cell| (cell.family(), cell.qualifier()))
    }

    pub(crate) fn to_pb(&self, nonce: Option<u64>) -> pb::MutationProto {
        use pb::mutation_proto::Durability as D;
        let durability = match self.durability {
            Durability::Default => None,
            Durability::SkipWal => Some(D::SkipWal),
            Durability::AsyncWal => Some(D::AsyncWal),
            Durability::SyncWal => Some(D::SyncWal),
            Durability::FsyncWal => Some(D::FsyncWal),
        };
        pb::MutationProto {
            row: Some(self.row.clone()),
            mutate_type: Some(self.kind.into()),
            durability: durability.map(Into::into),
            associated_cell_count: Some(i32::try_from(self.count).unwrap_or(i32::MAX)),
            nonce,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_sent_is_told() {
        let told = |mutation: Mutation| mutation.check().map_err(|error| error.to_string());
        assert!(told(Put::new("r").value("f", "q", "v").into()).is_ok());
        assert!(told(Delete::new("r").into()).is_ok());
        assert!(told(Put::new("r").into()).unwrap_err().contains("without cells"));
        assert!(told(Put::new("").value("f", "q", "v").into()).unwrap_err().contains("empty"));
        assert!(told(Put::new([0; 40_000]).value("f", "q", "v").into()).unwrap_err().contains("32767"));
        assert!(told(Delete::new([0; 32_768]).into()).unwrap_err().contains("32767"));
        assert!(told(Delete::new([0; 32_767]).into()).is_ok());
        assert!(told(Put::new("r").value([b'f'; 128], "q", "v").into()).unwrap_err().contains("127"));
        let no_family = [
            Mutation::from(Put::new("r").value("f", "q", "v").value("", "q", "v")),
            Delete::new("r").family("").into(),
            Delete::new("r").column("", "q").into(),
            Delete::new("r").newest("", "q").into(),
            Increment::new("r").add("", "q", 1).into(),
            Append::new("r").value("", "q", "v").into(),
        ];
        for wrong in no_family {
            assert_eq!(told(wrong.clone()).unwrap_err(), "a family's name is empty", "{wrong:?}");
        }
        assert!(told(Put::new("r").value_at("f", "q", LATEST, "v").into()).is_ok());
        let late = "greater than 9223372036854775807";
        assert!(told(Put::new("r").value_at("f", "q", LATEST + 1, "v").into()).unwrap_err().contains(late));
        assert!(told(Delete::new("r").family_until("f", u64::MAX).into()).unwrap_err().contains(late));
    }

    #[test]
    fn open_timestamps_are_filled_in() {
        let stamps = |mutation: Mutation| {
            let stamped = mutation.stamped_at(5);
            let at = stamped.each_cell().map(|cell| (cell.timestamp(), cell.value().to_vec())).collect::<Vec<_>>();
            (at, stamped.idempotency())
        };
        let put = Put::new("r").value("f", "q", "v").value_at("f", "q", 7, "old").value("f", "", "");
        let at = [(5, b"v".to_vec()), (7, b"old".to_vec()), (5, vec![])];
        assert_eq!(stamps(put.at_most_once().into()), (at.to_vec(), Idempotency::Idempotent));
        let newest = Delete::new("r").family("f").newest("f", "q");
        assert_eq!(stamps(newest.into()), (vec![(5, vec![]), (LATEST, vec![])], Idempotency::NonIdempotent));
        assert!(Mutation::from(Put::new("r").value("f", "q", "v")).stamped_at(LATEST + 1).check().is_err());
    }

    #[test]
    fn a_column_is_changed_once() {
        let kind = |mutation: Mutation| mutation.check().map_err(|error| error.kind());
        let twice = Err(crate::ErrorKind::Invalid);
        assert_eq!(kind(Increment::new("r").add("f", "n", 1).add("f", "n", 2).into()), twice);
        assert_eq!(kind(Increment::new("r").add("f", "n", 1).add("g", "n", 2).add("f", "m", 3).into()), Ok(()));
        assert_eq!(kind(Append::new("r").value("f", "n", "1").value("f", "m", "").value("f", "n", "2").into()), twice);
        assert_eq!(kind(Append::new("r").value("f", "nn", "1").value("fn", "n", "2").into()), Ok(()));
        assert_eq!(kind(Put::new("r").value("f", "n", "1").value("f", "n", "2").into()), Ok(()));
    }

    #[test]
    fn only_what_may_be_repeated_is() {
        let idempotency = |mutation: Mutation| mutation.idempotency();
        assert_eq!(idempotency(Delete::new("r").into()), Idempotency::ServerTimestamped);
        assert_eq!(idempotency(Delete::new("r").column("f", "q").into()), Idempotency::ServerTimestamped);
        assert_eq!(idempotency(Delete::new("r").column_until("f", "q", 7).into()), Idempotency::Idempotent);
        assert_eq!(idempotency(Put::new("r").value("f", "q", "v").into()), Idempotency::ServerTimestamped);
        assert_eq!(idempotency(Put::new("r").value_at("f", "q", 7, "v").into()), Idempotency::Idempotent);
        assert_eq!(idempotency(Delete::new("r").newest("f", "q").into()), Idempotency::NonIdempotent);
        assert_eq!(idempotency(Delete::new("r").version("f", "q", 7).into()), Idempotency::Idempotent);
        assert_eq!(idempotency(Delete::new("r").version("f", "q", i64::MAX as u64).into()), Idempotency::NonIdempotent);
        assert_eq!(idempotency(Increment::new("r").add("f", "q", 1).into()), Idempotency::Nonce);
        let put = || Put::new("r").at_most_once();
        assert_eq!(idempotency(put().value("f", "q", "v").into()), Idempotency::NonIdempotent);
        assert_eq!(idempotency(put().value_at("f", "q", 7, "v").into()), Idempotency::Idempotent);
        assert_eq!(idempotency(Delete::new("r").at_most_once().into()), Idempotency::NonIdempotent);
    }
}
