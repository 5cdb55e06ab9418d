//! Changes of one row: put, delete, increment, append.

use std::collections::{HashMap, HashSet};

use bytes::Bytes;
use rowkey_retry::Idempotency;

use crate::model::cell::{Cell, CellKind, LATEST, Parts};
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
        }
    }

    fn add(&mut self, family: &[u8], qualifier: &[u8], timestamp: u64, kind: CellKind, value: &[u8]) {
        if timestamp > LATEST {
            self.wrong = self.wrong.or(Some("a timestamp is greater than 9223372036854775807"));
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

    pub(crate) fn cells(&self) -> &[u8] {
        &self.cells
    }

    pub(crate) fn idempotency(&self) -> Idempotency {
        match self.idempotency {
            Idempotency::Idempotent if self.count == 0 || self.is_stamped => Idempotency::ServerTimestamped,
            idempotency => idempotency,
        }
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
            (None, _) if self.count == 0 => Err(Error::invalid("a write without cells")),
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

    /// Checks that the mutations can be made at once. A server stamps all of them with the same millisecond, and reads
    /// what increments and appends change before it makes any of them.
    pub(crate) fn check_together(mutations: &[Self]) -> Result<()> {
        let deleted = Deleted::of(mutations);
        let writes = || mutations.iter().filter(|mutation| mutation.kind != MutationType::Delete);
        if let Some(instead) = writes().flat_map(Self::each_cell).find_map(|cell| deleted.hides(&cell)) {
            return Err(Error::invalid(format!(
                "mutate_row: a delete hides what another mutation writes: they get the same timestamp. {instead}"
            )));
        }
        let mut columns = HashMap::new();
        for mutation in mutations {
            let reads = mutation.is_read_modify();
            for column in mutation.columns() {
                let others_read = columns.insert(column, reads);
                if others_read.is_some_and(|others_read| reads || others_read) {
                    return Err(Error::invalid(
                        "mutate_row: a column of an increment or append is also written by another mutation",
                    ));
                }
            }
        }
        Ok(())
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

/// The cells that are hidden by deletes that a server stamps with its time.
#[derive(Default)]
struct Deleted<'a> {
    row: bool,
    families: HashSet<&'a [u8]>,
    columns: HashSet<(&'a [u8], &'a [u8])>,
}

impl<'a> Deleted<'a> {
    fn of(mutations: &'a [Mutation]) -> Self {
        let mut deleted = Self::default();
        for mutation in mutations.iter().filter(|mutation| mutation.kind == MutationType::Delete) {
            deleted.row |= mutation.count == 0;
            for cell in mutation.each_cell().filter(|cell| cell.timestamp() == LATEST) {
                match cell.kind() {
                    CellKind::DeleteFamily => drop(deleted.families.insert(cell.family())),
                    // The newest version is that of this very time if there is no other one.
                    _ => drop(deleted.columns.insert((cell.family(), cell.qualifier()))),
                }
            }
        }
        deleted
    }

    /// If a cell is hidden, what can be sent instead.
    fn hides(&self, cell: &Cell<'_>) -> Option<&'static str> {
        if cell.timestamp() != LATEST {
            None
        } else if self.row {
            Some("In place of the row, delete its families until an earlier time: Delete::family_until")
        } else if self.families.contains(cell.family()) {
            Some("Delete the family until an earlier time: Delete::family_until")
        } else if self.columns.contains(&(cell.family(), cell.qualifier())) {
            Some(
                "Leave the delete out, or give both timestamps: Delete::column_until, and a greater one for Put::value_at",
            )
        } else {
            None
        }
    }
}

macro_rules! mutations {
    ($($name:ident),*) => {$(
        impl $name {
            /// Sets when the write reaches the write-ahead log. Default: by the table's setting.
            #[doc(alias = "setDurability")]
            #[must_use]
            pub fn durability(mut self, durability: Durability) -> Self {
                self.0.durability = durability;
                self
            }

            /// The key of the row.
            pub fn row(&self) -> &[u8] {
                self.0.row()
            }
        }

        impl From<$name> for Mutation {
            fn from(mutation: $name) -> Self {
                mutation.0
            }
        }
    )*};
}
mutations!(Put, Delete, Increment, Append);

/// Writes cells of a row.
#[derive(Debug, Clone)]
pub struct Put(Mutation);

impl Put {
    /// Writes into the row with this key.
    pub fn new(row: impl AsRef<[u8]>) -> Self {
        Self(Mutation::new(MutationType::Put, row.as_ref(), Idempotency::Idempotent))
    }

    /// Writes a value, which the server stamps with its time. If the response is lost, the put is retried, and the
    /// server stamps each copy when it applies it: a late duplicate can hide a newer write.
    /// [`value_at`](Self::value_at) avoids this, as duplicates are identical.
    #[doc(alias = "addColumn")]
    #[must_use]
    pub fn value(self, family: impl AsRef<[u8]>, qualifier: impl AsRef<[u8]>, value: impl AsRef<[u8]>) -> Self {
        self.value_at(family, qualifier, LATEST, value)
    }

    /// Writes a value with this timestamp, at most 2⁶³ - 1; that one stands for the server's time.
    #[must_use]
    pub fn value_at(
        mut self,
        family: impl AsRef<[u8]>,
        qualifier: impl AsRef<[u8]>,
        timestamp: u64,
        value: impl AsRef<[u8]>,
    ) -> Self {
        self.0.add(family.as_ref(), qualifier.as_ref(), timestamp, CellKind::Put, value.as_ref());
        self
    }
}

/// Deletes a row, or what is said of it.
///
/// Without a timestamp it is stamped with the server's time, in milliseconds, and hides all that has that time or an
/// earlier one: also a put, increment or append that the server gets after it in the same millisecond, and
/// acknowledges. A delete and a write of one row in one batch, or one after the other, often have the same millisecond.
/// So delete until an earlier time: [`column_until`](Self::column_until), [`family_until`](Self::family_until). To put
/// what was deleted just before, give both timestamps of your own, the put a greater one: [`Put::value_at`]. Of
/// mutations [at once](crate::RowMutations) such a delete is an error.
#[derive(Debug, Clone)]
pub struct Delete(Mutation);

impl Delete {
    /// Deletes the row with this key; or, if something is said of it, only that.
    pub fn new(row: impl AsRef<[u8]>) -> Self {
        Self(Mutation::new(MutationType::Delete, row.as_ref(), Idempotency::Idempotent))
    }

    /// Deletes a family.
    #[must_use]
    pub fn family(self, family: impl AsRef<[u8]>) -> Self {
        self.family_until(family, LATEST)
    }

    /// Deletes the cells of a family up to, and with, a timestamp.
    #[must_use]
    pub fn family_until(mut self, family: impl AsRef<[u8]>, timestamp: u64) -> Self {
        self.0.add(family.as_ref(), b"", timestamp, CellKind::DeleteFamily, b"");
        self
    }

    /// Deletes all versions of a column.
    #[must_use]
    pub fn column(self, family: impl AsRef<[u8]>, qualifier: impl AsRef<[u8]>) -> Self {
        self.column_until(family, qualifier, LATEST)
    }

    /// Deletes the versions of a column up to, and with, a timestamp.
    #[must_use]
    pub fn column_until(mut self, family: impl AsRef<[u8]>, qualifier: impl AsRef<[u8]>, timestamp: u64) -> Self {
        self.0.add(family.as_ref(), qualifier.as_ref(), timestamp, CellKind::DeleteColumn, b"");
        self
    }

    /// Deletes the newest version of a column, which uncovers the one before. It is not retried if its response is
    /// lost.
    #[must_use]
    pub fn newest(mut self, family: impl AsRef<[u8]>, qualifier: impl AsRef<[u8]>) -> Self {
        self.0.add(family.as_ref(), qualifier.as_ref(), LATEST, CellKind::Delete, b"");
        self.0.idempotency = Idempotency::NonIdempotent;
        self
    }

    /// Deletes the version of a column with this timestamp. 2⁶³ - 1 stands for the [`newest`](Self::newest) one.
    #[must_use]
    pub fn version(mut self, family: impl AsRef<[u8]>, qualifier: impl AsRef<[u8]>, timestamp: u64) -> Self {
        if timestamp == LATEST {
            return self.newest(family, qualifier);
        }
        self.0.add(family.as_ref(), qualifier.as_ref(), timestamp, CellKind::Delete, b"");
        self
    }
}

/// Adds to counters of a row: values of eight bytes, most significant first. A missing one is 0.
#[derive(Debug, Clone)]
pub struct Increment(Mutation);

impl Increment {
    /// Adds to counters of the row with this key.
    pub fn new(row: impl AsRef<[u8]>) -> Self {
        Self(Mutation::new(MutationType::Increment, row.as_ref(), Idempotency::Nonce))
    }

    /// Adds to a counter. One that is named twice is an error: HBase would add the last amount alone.
    #[must_use]
    pub fn add(mut self, family: impl AsRef<[u8]>, qualifier: impl AsRef<[u8]>, amount: i64) -> Self {
        self.0.add(family.as_ref(), qualifier.as_ref(), LATEST, CellKind::Put, &amount.to_be_bytes());
        self
    }
}

/// Appends to values of a row. A missing one is empty.
#[derive(Debug, Clone)]
pub struct Append(Mutation);

impl Append {
    /// Appends to values of the row with this key.
    pub fn new(row: impl AsRef<[u8]>) -> Self {
        Self(Mutation::new(MutationType::Append, row.as_ref(), Idempotency::Nonce))
    }

    /// Appends to a value. One that is named twice is an error: HBase would append the last tail alone.
    #[must_use]
    pub fn value(mut self, family: impl AsRef<[u8]>, qualifier: impl AsRef<[u8]>, tail: impl AsRef<[u8]>) -> Self {
        self.0.add(family.as_ref(), qualifier.as_ref(), LATEST, CellKind::Put, tail.as_ref());
        self
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
    }

    #[test]
    fn what_a_server_would_not_add_up_is_refused() {
        let put = || Mutation::from(Put::new("r").value("f", "n", "1"));
        let add = |qualifier| Mutation::from(Increment::new("r").add("f", qualifier, 1));
        assert!(Mutation::check_together(&[put(), put(), add("m")]).is_ok());
        for wrong in [[add("n"), add("n")], [put(), add("n")], [add("n"), put()]] {
            assert!(Mutation::check_together(&wrong).is_err());
        }
    }

    /// Writes to the column `n` of the family `f`, without a timestamp of their own.
    fn writes() -> [Mutation; 3] {
        [
            Put::new("r").value("f", "m", "1").value("f", "n", "1").into(),
            Increment::new("r").add("f", "n", 1).into(),
            Append::new("r").value("f", "n", "1").into(),
        ]
    }

    #[test]
    fn a_write_that_a_delete_of_the_same_time_hides_is_refused() {
        let delete = || Delete::new("r");
        let hiding = [
            (delete(), "Delete::family_until"),
            (delete().family("f"), "Delete::family_until"),
            (delete().column("g", "n").family_until("f", LATEST), "Delete::family_until"),
            (delete().column("f", "n"), "Delete::column_until"),
            (delete().column_until("f", "n", LATEST), "Delete::column_until"),
            (delete().newest("f", "n"), "Delete::column_until"),
            (delete().version("f", "n", LATEST), "Delete::column_until"),
        ];
        for (delete, instead) in hiding {
            for write in writes() {
                let delete = Mutation::from(delete.clone());
                for at_once in [[delete.clone(), write.clone()], [write, delete]] {
                    let refused = Mutation::check_together(&at_once).unwrap_err();
                    assert_eq!(refused.kind(), crate::ErrorKind::Invalid);
                    assert!(refused.to_string().contains(instead), "{refused}");
                }
            }
        }
    }

    #[test]
    fn a_write_that_no_delete_hides_is_not_refused() {
        let delete = || Delete::new("r");
        for delete in [
            delete().family("g"),
            delete().family_until("f", 7),
            delete().column("g", "n").column("f", "o").newest("f", "nn"),
        ] {
            for write in writes() {
                assert!(Mutation::check_together(&[delete.clone().into(), write.clone()]).is_ok());
                assert!(Mutation::check_together(&[write, delete.clone().into()]).is_ok());
            }
        }
        let timed = || Put::new("r").value_at("f", "n", 8, "1").into();
        for delete in [delete(), delete().family("f"), delete().column("f", "n"), delete().column_until("f", "n", 7)] {
            assert!(Mutation::check_together(&[delete.into(), timed()]).is_ok());
        }
        let [put, ..] = writes();
        assert!(
            Mutation::check_together(&[delete().column_until("f", "n", 7).version("f", "m", 7).into(), put]).is_ok()
        );
        assert!(Mutation::check_together(&[delete().into(), delete().family("f").into()]).is_ok());
    }
}
