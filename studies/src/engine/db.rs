//! The database of a study: plain and wide tables, and the cost of what they are asked.

use std::sync::Arc;

use rowkey::store::{Batch, CallOptions, Costs, Database, DatabaseId, Guarantees, Metered, NewTable, Readable, Store};
use rowkey::wide::{CellsDatabase, WideDatabase};
use rowkey::{Error, Memory};

use super::counted::Counted;

/// Wide tables, by whichever engine.
pub type Wide = Arc<dyn WideDatabase>;

/// Wide tables as cells of plain ones: in memory.
pub type Cells = CellsDatabase<Metered<Arc<dyn Database>>>;

/// The database of a study. Clones share their tables and their counters.
#[derive(Clone)]
pub struct Db {
    plain: Metered<Arc<dyn Database>>,
    /// The wide tables of a server, which has wide tables of its own.
    wide: Option<Counted>,
}

impl Db {
    /// An empty database in memory.
    pub fn in_memory() -> Self {
        Self { plain: Metered::new(Arc::new(Memory::new())), wide: None }
    }

    /// The tables of a server, which has wide ones of its own.
    pub fn of_server(plain: impl Database + 'static, wide: impl WideDatabase + 'static) -> Self {
        Self { plain: Metered::new(Arc::new(plain)), wide: Some(Counted::new(Arc::new(wide))) }
    }

    /// The wide tables: HBase's own, or [`cells`](Self::cells).
    pub fn wide(&self) -> Wide {
        match &self.wide {
            Some(wide) => Arc::new(wide.clone()),
            None => Arc::new(CellsDatabase::metered(&self.plain)),
        }
    }

    /// The wide tables as cells of plain ones, which have a clock that can be chosen, can be purged, and whose entries
    /// can be counted; `None` on HBase.
    pub fn cells(&self) -> Option<Cells> {
        self.wide.is_none().then(|| CellsDatabase::metered(&self.plain))
    }

    /// Where the tables are, as it is printed.
    pub fn place(&self) -> &'static str {
        if self.wide.is_none() { "in memory" } else { "in HBase" }
    }

    /// What the tables were asked so far. Of wide tables in HBase, what the servers returned is what was read.
    pub fn costs(&self) -> Costs {
        let of_wide = self.wide.as_ref().map(Counted::costs).unwrap_or_default();
        self.plain.costs() + of_wide
    }
}

impl Database for Db {
    fn id(&self) -> DatabaseId {
        self.plain.id()
    }

    fn options(&self) -> &CallOptions {
        self.plain.options()
    }

    fn with_options(&self, options: &CallOptions) -> Arc<dyn Database> {
        self.plain.with_options(options)
    }

    fn guarantees(&self) -> Guarantees {
        self.plain.guarantees()
    }

    fn table(&self, name: &str) -> Result<Arc<dyn Store>, Error> {
        self.plain.table(name)
    }

    fn open_table(&self, name: &str) -> Result<Arc<dyn Store>, Error> {
        self.plain.open_table(name)
    }

    fn create_table(&self, name: &str, new: &NewTable) -> Result<Arc<dyn Store>, Error> {
        self.plain.create_table(name, new)
    }

    fn tables(&self) -> Result<Vec<String>, Error> {
        self.plain.tables()
    }

    fn drop_table(&self, name: &str) -> Result<(), Error> {
        self.plain.drop_table(name)
    }

    fn write(&self, batches: &[(&str, &Batch)]) -> Result<(), Error> {
        self.plain.write(batches)
    }

    fn transact(
        &self,
        tables: &[&str],
        body: &mut dyn FnMut(&[&dyn Readable]) -> Result<Vec<Batch>, Error>,
    ) -> Result<(), Error> {
        self.plain.transact(tables, body)
    }
}
