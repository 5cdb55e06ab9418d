//! The kinds of mutations, which are built cell by cell.

use rowkey_retry::Idempotency;

use super::{Durability, Mutation, MutationType};
use crate::model::cell::{CellKind, LATEST};

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

macro_rules! stamped {
    ($($name:ident),*) => {$(
        impl $name {
            /// Disables retries once a server may have stamped it with its time: if the response is lost, the
            /// outcome is unknown. Default: it is retried, and a duplicate that is applied late can hide a newer
            /// write. A mutation with timestamps of its own is retried all the same.
            #[must_use]
            pub fn at_most_once(mut self) -> Self {
                self.0.is_at_most_once = true;
                self
            }
        }
    )*};
}
stamped!(Put, Delete);

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
    /// [`value_at`](Self::value_at) avoids this, as duplicates are identical, and so does
    /// [`at_most_once`](Self::at_most_once), as there are none.
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

/// Deletes a row, or only the families, columns and versions that are added to it.
///
/// Unlike Java's `Delete.addColumn`, which deletes the newest version, [`column`](Self::column) deletes all of them.
///
/// Without a timestamp it is stamped with the server's time, in milliseconds, and hides all that has that time or an
/// earlier one: also a put, increment or append that the server gets after it in the same millisecond, and
/// acknowledges. A delete and a write of one row in one batch, or one after the other, often have the same millisecond.
/// Delete until an earlier time: [`column_until`](Self::column_until), [`family_until`](Self::family_until). To put
/// what was deleted just before, give both timestamps of your own, the put a greater one: [`Put::value_at`]. Of
/// mutations [at once](crate::RowMutations) such a delete is an error.
#[derive(Debug, Clone)]
pub struct Delete(Mutation);

impl Delete {
    /// Deletes the row with this key, unless a part of it is added.
    pub fn new(row: impl AsRef<[u8]>) -> Self {
        Self(Mutation::new(MutationType::Delete, row.as_ref(), Idempotency::Idempotent))
    }

    /// Deletes a family.
    #[doc(alias = "addFamily")]
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
    #[doc(alias = "addColumns")]
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
    #[doc(alias = "addColumn")]
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
