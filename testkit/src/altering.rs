//! A wide database whose alterations are those that a test chooses.

use std::fmt;
use std::sync::Arc;

use rowkey::Error;
use rowkey::store::{Bounded, CallOptions, DatabaseId, NewTable};
use rowkey::wide::{Change, TableSchema, WideDatabase, WideGuarantees, WideStore};

type Alter = dyn Fn(&dyn WideDatabase, &str, &TableSchema) -> Result<Vec<Change>, Error> + Send + Sync;

/// A wide database that calls a closure for each alteration, with the database beneath. Everything else that database
/// does.
#[derive(Clone)]
pub struct Altering {
    inner: Arc<dyn WideDatabase>,
    alter: Arc<Alter>,
}

impl Altering {
    /// A database over another one.
    pub fn over(
        inner: impl WideDatabase + 'static,
        alter: impl Fn(&dyn WideDatabase, &str, &TableSchema) -> Result<Vec<Change>, Error> + Send + Sync + 'static,
    ) -> Self {
        Self { inner: Arc::new(inner), alter: Arc::new(alter) }
    }
}

impl fmt::Debug for Altering {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Altering").finish_non_exhaustive()
    }
}

impl WideDatabase for Altering {
    fn id(&self) -> DatabaseId {
        self.inner.id()
    }

    fn options(&self) -> &CallOptions {
        CallOptions::none()
    }

    fn with_options(&self, options: &CallOptions) -> Arc<dyn WideDatabase> {
        Arc::new(Bounded::new(Arc::new(self.clone()), options))
    }

    fn guarantees(&self) -> WideGuarantees {
        self.inner.guarantees()
    }

    fn table(&self, name: &str, schema: &TableSchema) -> Result<Arc<dyn WideStore>, Error> {
        self.inner.table(name, schema)
    }

    fn open_table(&self, name: &str, schema: &TableSchema) -> Result<Arc<dyn WideStore>, Error> {
        self.inner.open_table(name, schema)
    }

    fn create_table(&self, name: &str, schema: &TableSchema, new: &NewTable) -> Result<Arc<dyn WideStore>, Error> {
        self.inner.create_table(name, schema, new)
    }

    fn schema(&self, name: &str) -> Result<Option<TableSchema>, Error> {
        self.inner.schema(name)
    }

    fn alter(&self, name: &str, schema: &TableSchema) -> Result<Vec<Change>, Error> {
        (self.alter)(&*self.inner, name, schema)
    }

    fn tables(&self) -> Result<Vec<String>, Error> {
        self.inner.tables()
    }

    fn drop_table(&self, name: &str) -> Result<(), Error> {
        self.inner.drop_table(name)
    }
}
