//! A cluster as a database of wide tables.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hbase_client::{Client, TableName};
use rowkey::Error;
use rowkey::clock::Clock;
use rowkey::nonblocking::{AsyncWideDatabase, AsyncWideStore, StoreFuture};
use rowkey::store::{CallOptions, DatabaseId, NewTable, OpenMode};
use rowkey::wide::{Change, TableSchema, WideGuarantees, catalog, check_wide_name};
use tokio::time::sleep;

use crate::admin::Admin;
use crate::error::{error, of_client};
use crate::guarantees::guarantees;
use crate::schema::check;
use crate::stamps::Stamps;
use crate::store::Table;

/// A cluster of HBase: a database of wide tables, and through [`OneColumn`](rowkey::wide::OneColumn) of plain ones.
/// Clones share the connections of one [`Client`].
///
/// See the [crate's page](crate) for examples.
#[derive(Clone)]
pub struct HBase {
    client: Client,
    options: CallOptions,
    stamps: Stamps,
    cluster: Arc<str>,
    namespace: Arc<str>,
    id: DatabaseId,
    /// The tables that were opened, as long as this client does not change them.
    known: Arc<Mutex<HashMap<String, TableSchema>>>,
}

impl fmt::Debug for HBase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HBase").field("client", &self.client).field("stamps", &self.stamps).finish_non_exhaustive()
    }
}

/// The namespace of names without one.
const DEFAULT: &str = "default";

fn id_of(cluster: &str, namespace: &str) -> DatabaseId {
    DatabaseId::of(&format!("hbase://{cluster}/{namespace}"))
}

impl HBase {
    /// The cluster of a client, which is asked for its id: by it all handles to one cluster are one database.
    ///
    /// # Errors
    ///
    /// If there is no tokio runtime, or the cluster lets nobody in, or can't be reached in the client's time.
    pub async fn connect(client: Client) -> Result<Self, Error> {
        let id = client.cluster_id().await.map_err(of_client)?;
        Ok(Self {
            client,
            options: CallOptions::new(),
            stamps: Stamps::default(),
            cluster: id.as_str().into(),
            namespace: DEFAULT.into(),
            id: id_of(&id, DEFAULT),
            known: Arc::default(),
        })
    }

    /// The tables of a namespace, as a database of its own. Default: those of the namespace `default`. The namespace
    /// has to exist: [`Admin::create_namespace`](hbase_client::Admin::create_namespace).
    #[must_use]
    pub fn in_namespace(self, namespace: &str) -> Self {
        let id = id_of(&self.cluster, namespace);
        Self { namespace: namespace.into(), id, known: Arc::default(), ..self }
    }

    /// The name of the namespace.
    pub fn namespace(&self) -> &str {
        &self.namespace
    }

    /// Stamps puts and deletes that are given no timestamp by this clock, in place of the servers' clocks. The
    /// [crate's page](crate#whose-clock) says what is lost with each.
    #[must_use]
    pub fn with_clock(self, clock: impl Clock + 'static) -> Self {
        Self { stamps: Stamps::of(clock), ..self }
    }

    /// A table that other programs created, as it is: nothing is written, and no right to alter it is needed. `schema`
    /// has the families to read and write, which the table has to have; what they keep is the table's own. A table of
    /// `rowkey`'s is refused if it was created with another schema.
    ///
    /// Typed keys are put on it by [`AsyncWideTable::external`](rowkey::nonblocking::AsyncWideTable::external), or, of
    /// one column, by [`OneColumn::new`](rowkey::wide::OneColumn::new) and
    /// [`AsyncTable::external`](rowkey::nonblocking::AsyncTable::external).
    ///
    /// ```no_run
    /// use rowkey::nonblocking::AsyncWideTable;
    /// use rowkey::wide::{Columns, FamilySchema, TableSchema};
    /// # async fn example(db: rowkey_hbase::HBase) -> rowkey::Result<()> {
    ///
    /// // Written by a Java program: the key is a user's number, eight bytes, most significant first.
    /// let schema = TableSchema::new().family("info", FamilySchema::new());
    /// let users = db.external_table("users", &schema).await?;
    /// let users: AsyncWideTable<u64, _> = AsyncWideTable::external(db, users);
    /// println!("{:?}", users.get(&7, &Columns::of("info:name")).await?);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::NoSuchTable`]; [`Error::NoSuchFamily`]; [`Error::Schema`] of a table of `rowkey`'s.
    pub async fn external_table(&self, name: &str, schema: &TableSchema) -> Result<Arc<dyn AsyncWideStore>, Error> {
        schema.check()?;
        check_wide_name(name)?;
        let call = self.options.begin("opening", name)?;
        self.admin().check_external(name, schema, &call).await?;
        Ok(self.handle(name, schema))
    }

    /// The client, for requests that `rowkey` has no name for.
    pub fn client(&self) -> &Client {
        &self.client
    }

    fn admin(&self) -> Admin<'_> {
        Admin { client: &self.client, namespace: &self.namespace }
    }

    fn known(&self) -> MutexGuard<'_, HashMap<String, TableSchema>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn handle(&self, name: &str, schema: &TableSchema) -> Arc<dyn AsyncWideStore> {
        Arc::new(Table {
            table: self.client.table(TableName::new(&*self.namespace, name)),
            id: self.id.table(name),
            schema: Arc::new(schema.clone()),
            options: self.options.clone(),
            stamps: self.stamps.clone(),
        })
    }

    async fn open(&self, name: &str, schema: &TableSchema, mode: OpenMode) -> Result<Arc<dyn AsyncWideStore>, Error> {
        check(schema)?;
        check_wide_name(name)?;
        let call = self.options.begin("opening", name)?;
        catalog::open(&self.admin(), name, schema, &mode, &call).await?;
        self.known().insert(name.to_owned(), schema.clone());
        Ok(self.handle(name, schema))
    }
}

impl AsyncWideDatabase for HBase {
    fn id(&self) -> DatabaseId {
        self.id
    }

    fn options(&self) -> &CallOptions {
        &self.options
    }

    fn with_options(&self, options: &CallOptions) -> Arc<dyn AsyncWideDatabase> {
        Arc::new(Self { options: options.clone(), ..self.clone() })
    }

    fn guarantees(&self) -> WideGuarantees {
        guarantees(self.stamps.clock())
    }

    fn table(&self, name: &str, schema: &TableSchema) -> StoreFuture<'_, Arc<dyn AsyncWideStore>> {
        let (name, schema) = (name.to_owned(), schema.clone());
        Box::pin(async move {
            self.id.check_write([name.as_str()])?;
            self.open(&name, &schema, OpenMode::OpenOrCreate).await
        })
    }

    fn open_table(&self, name: &str, schema: &TableSchema) -> StoreFuture<'_, Arc<dyn AsyncWideStore>> {
        let (name, schema) = (name.to_owned(), schema.clone());
        Box::pin(async move { self.open(&name, &schema, OpenMode::Open).await })
    }

    fn opened_table(&self, name: &str, schema: &TableSchema) -> Option<Arc<dyn AsyncWideStore>> {
        let is_known = self.known().get(name) == Some(schema);
        is_known.then(|| self.handle(name, schema))
    }

    fn create_table(
        &self,
        name: &str,
        schema: &TableSchema,
        new: &NewTable,
    ) -> StoreFuture<'_, Arc<dyn AsyncWideStore>> {
        let (name, schema, new) = (name.to_owned(), schema.clone(), new.clone());
        Box::pin(async move {
            self.id.check_write([name.as_str()])?;
            self.open(&name, &schema, OpenMode::Create(new)).await
        })
    }

    fn schema(&self, name: &str) -> StoreFuture<'_, Option<TableSchema>> {
        let name = name.to_owned();
        Box::pin(async move {
            check_wide_name(&name)?;
            let call = self.options.begin("schema", &name)?;
            catalog::schema(&self.admin(), &name, &call).await
        })
    }

    fn alter(&self, name: &str, schema: &TableSchema) -> StoreFuture<'_, Vec<Change>> {
        let (name, schema) = (name.to_owned(), schema.clone());
        Box::pin(async move {
            self.id.check_write([name.as_str()])?;
            self.known().remove(&name);
            if !schema.families.is_empty() {
                check(&schema)?;
            }
            check_wide_name(&name)?;
            let call = self.options.begin("change of a schema", &name)?;
            catalog::alter(&self.admin(), &name, &schema, &call).await
        })
    }

    fn tables(&self) -> StoreFuture<'_, Vec<String>> {
        Box::pin(async move {
            let call = self.options.begin("list of tables", "")?;
            let names = call.bound(self.client.admin().tables_of(&*self.namespace), sleep).await?;
            let names = names.map_err(|told| error("", told, &call))?;
            let mut names: Vec<String> = names.iter().map(|name| name.name().to_owned()).collect();
            names.retain(|name| check_wide_name(name).is_ok());
            names.sort_unstable();
            Ok(names)
        })
    }

    fn drop_table(&self, name: &str) -> StoreFuture<'_, ()> {
        let name = name.to_owned();
        Box::pin(async move {
            self.id.check_write([name.as_str()])?;
            check_wide_name(&name)?;
            let call = self.options.begin("drop", &name)?;
            self.known().remove(&name);
            catalog::drop_table(&self.admin(), &name, &call).await
        })
    }
}
