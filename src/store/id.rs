//! Ids of databases and tables: the same for every handle.

use std::hash::{Hash, Hasher};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

/// The id of a database. All handles to one database have the same id: clones, pointers, wrappers such as
/// [`Metered`](super::Metered). Two databases have different ids.
///
/// A database that is stored inside another, such as a [`SubStore`](super::SubStore), has an id of its own but shares
/// the engine: a write to either is a write to that engine ([`check_write`](Self::check_write)).
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
    /// A hash of the tables that contain this database; 0 for the engine's own.
    within: u64,
}

/// Set for engines on a network, clear for engines in this process.
const NAMED: u64 = 1 << 63;

impl DatabaseId {
    /// A new id, unique in this process. An engine takes one when it is opened, and keeps it.
    pub fn unique() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        Self { engine: NEXT.fetch_add(1, Ordering::Relaxed) & !NAMED, within: 0 }
    }

    /// The id of a database with a name, such as the address of a cluster. All connections to it are one database.
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

    /// The id of a database whose tables are all stored in one table of another database.
    pub fn within(table: &TableId) -> Self {
        let DatabaseId { engine, within } = table.database;
        Self { engine, within: xxh3_64_with_seed(table.name().as_bytes(), within) }
    }

    /// The id of a table of this database.
    pub fn table(self, name: &str) -> TableId {
        TableId { database: self, named: Arc::new(Named { name: name.into(), dropped: AtomicBool::new(false) }) }
    }
}

/// The id of a table: its database and its name.
#[derive(Clone, Debug)]
pub struct TableId {
    database: DatabaseId,
    named: Arc<Named>,
}

#[derive(Debug)]
struct Named {
    name: Box<str>,
    /// True if the table of the handles with this id was dropped. A table that is created with the name later has
    /// another id.
    dropped: AtomicBool,
}

impl TableId {
    /// The id of the table's database.
    pub fn database(&self) -> DatabaseId {
        self.database
    }

    /// The table's name.
    pub fn name(&self) -> &str {
        &self.named.name
    }

    /// Marks the table as dropped, for this id and its clones: writes through handles from before are refused, also
    /// those that name the table, such as a batch. For authors of engines who give all handles to a table clones of one
    /// id.
    pub fn mark_dropped(&self) {
        self.named.dropped.store(true, Ordering::Release);
    }

    /// Returns whether the table was dropped after its handle was opened, as far as the engine tells.
    pub fn is_dropped(&self) -> bool {
        self.named.dropped.load(Ordering::Acquire)
    }
}

impl PartialEq for TableId {
    fn eq(&self, other: &Self) -> bool {
        (self.database, self.name()) == (other.database, other.name())
    }
}

impl Eq for TableId {}

impl Hash for TableId {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.database, self.name()).hash(state);
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
