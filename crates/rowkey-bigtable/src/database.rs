//! An instance of Bigtable as a database of wide tables.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rowkey::clock::{Clock, SystemClock};
use rowkey::nonblocking::{AsyncWideDatabase, AsyncWideStore, StoreFuture};
use rowkey::store::{CallOptions, DatabaseId, NewTable, OpenMode};
use rowkey::wide::catalog;
use rowkey::wide::{Change, TableSchema, WideGuarantees, check_wide_name};
use rowkey::{Error, ErrorKind};

use crate::client::Client;
use crate::options::BigtableOptions;
use crate::records::Records;
use crate::store::{Table, guarantees};

/// An instance of Bigtable: a database of wide tables, and through [`OneColumn`](rowkey::wide::OneColumn) of plain
/// ones. Clones share its connections.
///
/// See the [crate's page](crate) for examples.
#[derive(Clone)]
pub struct Bigtable {
    client: Client,
    options: CallOptions,
    clock: Arc<dyn Clock>,
    id: DatabaseId,
    /// The tables that were opened, as long as this client does not change them.
    known: Arc<Mutex<HashMap<String, TableSchema>>>,
}

impl fmt::Debug for Bigtable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Bigtable").field(&self.client.instance_name()).finish()
    }
}

impl Bigtable {
    /// An instance. Connections are opened when they are first used, and run on the tokio runtime that this future is
    /// polled in.
    ///
    /// # Errors
    ///
    /// If there is no tokio runtime, or the address of the emulator is not valid.
    pub async fn connect(options: BigtableOptions) -> Result<Self, Error> {
        let id = DatabaseId::of(&format!(
            "bigtable://{}/{}",
            options.emulator.as_deref().unwrap_or_default(),
            options.instance_name()
        ));
        let client = Client::new(&options)?;
        Ok(Self { client, options: CallOptions::new(), clock: Arc::new(SystemClock), id, known: Arc::default() })
    }

    /// Uses another clock for the timestamps of puts. Default: the system's clock.
    #[must_use]
    pub fn with_clock(self, clock: impl Clock + 'static) -> Self {
        Self { clock: Arc::new(clock), ..self }
    }

    /// The client, for requests that `rowkey` has no name for.
    #[cfg(feature = "unstable-client")]
    pub fn client(&self) -> &Client {
        &self.client
    }

    /// Drops all rows of a table whose keys begin with `prefix`: all rows if it is empty. The service does this faster
    /// than it deletes rows one by one, but allows it only some times a minute, and writes to these rows meanwhile may
    /// be dropped too. It may take minutes, and is waited for as long as the options of this handle allow. It is sent
    /// once, unless it is known that it was not processed: a second one could drop what others have written after the
    /// first.
    ///
    /// # Errors
    ///
    /// [`Error::NoSuchTable`], [`Error::OutcomeUnknown`] and the errors of the service.
    pub async fn drop_rows(&self, table: &str, prefix: &[u8]) -> Result<(), Error> {
        self.id.check_write([table])?;
        check_name(table)?;
        let call = self.options.begin("deletion of ranges", table)?;
        self.client.drop_row_range(table, prefix, &call).await
    }

    fn records(&self) -> Records {
        Records::new(&self.client, self.id, &self.clock)
    }

    fn known(&self) -> MutexGuard<'_, HashMap<String, TableSchema>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn handle(&self, name: &str, schema: &TableSchema) -> Table {
        Table {
            client: self.client.clone(),
            id: self.id.table(name),
            schema: Arc::new(schema.clone()),
            options: self.options.clone(),
            clock: Arc::clone(&self.clock),
        }
    }

    async fn open(&self, name: &str, schema: &TableSchema, mode: OpenMode) -> Result<Arc<dyn AsyncWideStore>, Error> {
        check_schema(schema)?;
        check_name(name)?;
        let call = self.options.begin("opening", name)?;
        catalog::open(&self.records(), name, schema, &mode, &call).await?;
        self.known().insert(name.to_owned(), schema.clone());
        Ok(Arc::new(self.handle(name, schema)))
    }
}

/// The names of tables: <https://cloud.google.com/bigtable/docs/reference/admin/rpc/google.bigtable.admin.v2>
const LONGEST_NAME: usize = 50;

fn check_name(name: &str) -> Result<(), Error> {
    check_wide_name(name)?;
    if name.len() > LONGEST_NAME {
        let what = "a table's name";
        return Err(Error::TooLarge {
            what,
            table: name.to_owned(),
            key: Vec::new(),
            len: name.len(),
            max: LONGEST_NAME,
        });
    }
    let is_letter = |byte: u8| byte == b'_' || byte.is_ascii_alphanumeric();
    let valid = name.bytes().next().is_some_and(is_letter)
        && name.bytes().all(|byte| is_letter(byte) || byte == b'-' || byte == b'.');
    match valid {
        true => Ok(()),
        false => Err(Error::engine_of(
            ErrorKind::InvalidInput,
            format!(
                "table name {name:?}: a table of Bigtable is named by letters, digits, `_`, `-` and `.`, a letter, a digit or `_` first"
            ),
        )),
    }
}

/// A family of Bigtable has a shorter name than one of HBase.
fn check_schema(schema: &TableSchema) -> Result<(), Error> {
    schema.check()?;
    let is_valid = |name: &&String| {
        name.len() <= 64 && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte))
    };
    match schema.families.keys().find(|name| !is_valid(name)) {
        None => Ok(()),
        Some(name) => Err(Error::Family {
            name: name.clone(),
            what: "a family of Bigtable has at most 64 letters, digits, `_`, `-` and `.`",
        }),
    }
}

impl AsyncWideDatabase for Bigtable {
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
        guarantees(self.client.options().emulator.is_some())
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
        is_known.then(|| Arc::new(self.handle(name, schema)) as Arc<dyn AsyncWideStore>)
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
            new.check(&name, &[])?;
            self.open(&name, &schema, OpenMode::Create(new)).await
        })
    }

    fn schema(&self, name: &str) -> StoreFuture<'_, Option<TableSchema>> {
        let name = name.to_owned();
        Box::pin(async move {
            check_name(&name)?;
            let call = self.options.begin("schema", &name)?;
            catalog::schema(&self.records(), &name, &call).await
        })
    }

    fn alter(&self, name: &str, schema: &TableSchema) -> StoreFuture<'_, Vec<Change>> {
        let (name, schema) = (name.to_owned(), schema.clone());
        Box::pin(async move {
            self.id.check_write([name.as_str()])?;
            self.known().remove(&name);
            if !schema.families.is_empty() {
                check_schema(&schema)?;
            }
            check_name(&name)?;
            let call = self.options.begin("change of a schema", &name)?;
            catalog::alter(&self.records(), &name, &schema, &call).await
        })
    }

    fn tables(&self) -> StoreFuture<'_, Vec<String>> {
        Box::pin(async move {
            let call = self.options.begin("list of tables", "")?;
            let mut names = self.client.list_tables(&call).await?;
            names.retain(|name| check_wide_name(name).is_ok());
            names.sort_unstable();
            Ok(names)
        })
    }

    fn drop_table(&self, name: &str) -> StoreFuture<'_, ()> {
        let name = name.to_owned();
        Box::pin(async move {
            self.id.check_write([name.as_str()])?;
            check_name(&name)?;
            let call = self.options.begin("drop", &name)?;
            self.known().remove(&name);
            catalog::drop_table(&self.records(), &name, &call).await
        })
    }
}
