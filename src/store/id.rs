//! Which database a table is of, whatever handle leads to it.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

/// Which database it is. All handles to one database have one id: clones, pointers, wrappers such as
/// [`Metered`](super::Metered). Two databases differ in it.
///
/// A database that is kept within another, as a [`SubStore`](super::SubStore) is, has an id of its own and shares the engine
/// beneath: a write to either is a write to that engine ([`check_write`](Self::check_write)).
///
/// ```
/// use rowkey::Memory;
/// use rowkey::store::{Database, Metered, SubStore};
///
/// let db = Memory::new();
/// assert_eq!(db.id(), Metered::new(db.clone()).id());
/// assert_ne!(db.id(), Memory::new().id());
///
/// let (here, there) = (SubStore::new(db.table("t")?), SubStore::new(db.table("t")?));
/// assert_eq!(here.id(), there.id());
/// assert_ne!(here.id(), SubStore::new(db.table("u")?).id());
/// # Ok::<(), rowkey::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DatabaseId {
    pub(super) engine: u64,
    /// A hash of the tables that this database is kept in; 0 of the engine's own.
    within: u64,
}

/// The engines on a network have this bit, those in this process do not.
const NAMED: u64 = 1 << 63;

impl DatabaseId {
    /// The id of a database in this process, which no other one has. An engine takes one when it is opened, and keeps it.
    pub fn unique() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        Self { engine: NEXT.fetch_add(1, Ordering::Relaxed) & !NAMED, within: 0 }
    }

    /// The id of a database that has a name, such as the address of a cluster: all connections to it are one database.
    ///
    /// ```
    /// use rowkey::store::DatabaseId;
    ///
    /// assert_eq!(DatabaseId::of("hbase://zk1:2181/hbase"), DatabaseId::of("hbase://zk1:2181/hbase"));
    /// assert_ne!(DatabaseId::of("hbase://zk1:2181/hbase"), DatabaseId::of("hbase://zk9:2181/hbase"));
    /// ```
    pub fn of(name: &str) -> Self {
        Self { engine: xxh3_64(name.as_bytes()) | NAMED, within: 0 }
    }

    /// The id of a database whose tables are all kept in one table of another.
    pub fn within(table: &TableId) -> Self {
        let DatabaseId { engine, within } = table.database;
        Self { engine, within: xxh3_64_with_seed(table.name.as_bytes(), within) }
    }

    /// The id of one of its tables.
    pub fn table(self, name: &str) -> TableId {
        TableId { database: self, name: name.into() }
    }
}

/// Which table it is: one of a database, by its name.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TableId {
    database: DatabaseId,
    name: Arc<str>,
}

impl TableId {
    /// The database that the table is in.
    pub fn database(&self) -> DatabaseId {
        self.database
    }

    /// The table's name.
    pub fn name(&self) -> &str {
        &self.name
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_differ_by_engine_table_and_depth() {
        let (a, b) = (DatabaseId::unique(), DatabaseId::of("b"));
        let mut ids = vec![a, b, DatabaseId::unique(), DatabaseId::of("")];
        for id in [a, b] {
            for name in ["", "t", "u"] {
                ids.push(DatabaseId::within(&id.table(name)));
                ids.push(DatabaseId::within(&DatabaseId::within(&id.table(name)).table("t")));
            }
        }
        for (at, id) in ids.iter().enumerate() {
            assert!(!ids[..at].contains(id), "{id:?} comes twice in {ids:?}");
        }
        assert_eq!(DatabaseId::within(&a.table("t")), DatabaseId::within(&a.table("t")));
        assert_eq!((a.table("t").name(), a.table("t").database()), ("t", a));
    }
}
