//! An instance of Bigtable as a database of wide tables.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rowkey::clock::{Clock, SystemClock};
use rowkey::nonblocking::{Answer, AsyncWideDatabase, AsyncWideStore};
use rowkey::store::{Call, CallOptions, DatabaseId, NewTable};
use rowkey::wide::{Change as Alteration, TableSchema, WideGuarantees, check_wide_name};
use rowkey::{Error, ErrorKind};

use crate::admin::Created;
use crate::client::Client;
use crate::client::proto::admin::Table as Described;
use crate::options::BigtableOptions;
use crate::records::{Change, ProfileRefused, RECORDS, Record, Records};
use crate::schema::{column_family, of_table};
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

/// What to do about a table that exists, or does not.
#[derive(Clone, Copy, PartialEq, Eq)]
enum How<'n> {
    OpenOrCreate,
    Open,
    Create(&'n NewTable),
}

/// How often an opening begins again because another program changed the table meanwhile.
const TURNS: usize = 16;

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

    fn opened(&self, name: &str, schema: &TableSchema) -> Table {
        self.known().insert(name.to_owned(), schema.clone());
        self.handle(name, schema)
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

    /// What is stored about a table, and what is there, at the same moment: the record is the same before and after the
    /// look at the table. Without a table it is that of before: whoever changes it sees whether it still is.
    async fn found(&self, name: &str, call: &Call<'_>) -> Result<(Record, Option<Described>), Error> {
        let mut record = self.records().get(name, call).await?;
        for _ in 0..TURNS {
            let described = self.client.describe(name, call).await?;
            if described.is_none() {
                return Ok((record, None));
            }
            let after = self.records().get(name, call).await?;
            if after.is_same(&record) {
                return Ok((record, described));
            }
            record = after;
        }
        Err(busy(name))
    }

    /// Opens a table, or creates it.
    ///
    /// The record decides, if the table exists. A program that creates one claims it in the record before, so that all
    /// of the schema is known as soon as the table is there; whoever finds the claim and the table makes the one the
    /// schema of the other. A record without a table, and a claim that is not what the table is, are of programs that
    /// ended in the middle or were overtaken: they are replaced.
    async fn open(&self, name: &str, schema: &TableSchema, how: How<'_>) -> Result<Table, Error> {
        check_schema(schema)?;
        check_name(name)?;
        let call = self.options.begin("opening", name)?;
        let (records, text) = (self.records(), schema.to_string());
        // Whether the table was created here.
        let mut created = false;
        for _ in 0..TURNS {
            let (record, described) = self.found(name, &call).await?;
            let Some(described) = described else {
                let split_points = match how {
                    How::Open => return Err(Error::NoSuchTable(name.to_owned())),
                    How::OpenOrCreate => &[][..],
                    How::Create(new) => &new.split_points,
                };
                if !record.is_claim || record.text.as_deref() != Some(&text) {
                    let claimed = records.change(name, &record, Change::Claim(&text), &call).await;
                    if known(claimed, &call)? != Some(true) {
                        continue;
                    }
                }
                let made = self.client.create_table(name, schema, split_points, &call).await;
                // Whose table it is that is there now, a program that must create it can't know.
                let made = if how == How::OpenOrCreate { known(made, &call)? } else { Some(made?) };
                created |= made == Some(Created::Now);
                continue;
            };
            if matches!(how, How::Create(_)) && !created {
                return Err(Error::TableExists(name.to_owned()));
            }
            let mut stored = stored_of(name, &record, &described)?;
            let settled = match &record.text {
                Some(_) if !record.is_claim => {
                    stored.check_opening(name, schema)?;
                    return Ok(self.opened(name, schema));
                }
                Some(claim) if is_as_given(&parsed(name, claim)?, &described) => {
                    records.change(name, &record, Change::Schema(claim), &call).await
                }
                // Of its row keys nothing is known but what is given now.
                _ => {
                    if (created || record.is_claim) && is_as_given(schema, &described) {
                        stored = schema.clone();
                    }
                    (stored.row_key, stored.row_fields) = (schema.row_key.clone(), schema.row_fields.clone());
                    stored.check_opening(name, schema)?;
                    if schema.row_key.is_none() && record.is_none() && !created {
                        return Ok(self.opened(name, schema));
                    }
                    records.change(name, &record, Change::Schema(&text), &call).await
                }
            };
            // Whatever came of it, the record says.
            known(settled, &call)?;
        }
        Err(busy(name))
    }

    async fn change(&self, name: &str, schema: &TableSchema) -> Result<Vec<Alteration>, Error> {
        self.known().remove(name);
        if !schema.families.is_empty() {
            check_schema(schema)?;
        }
        check_name(name)?;
        let call = self.options.begin("change of a schema", name)?;
        let mut changes = None;
        for _ in 0..TURNS {
            let (record, described) = self.found(name, &call).await?;
            let Some(described) = described else {
                let differences = "there is no such table".to_owned();
                return Err(Error::Schema { table: name.to_owned(), differences });
            };
            let stored = stored_of(name, &record, &described)?;
            let left = stored.check_alteration(name, schema)?;
            // After an outcome that was unknown less may be left than was changed.
            let changes = changes.get_or_insert(left);
            let altered = stored.altered_to(schema);
            let modified = match self.client.modify_families(name, &stored, &altered, &call).await {
                // Another program has dropped it, or changed it.
                Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::AlreadyExists) => continue,
                other => known(other, &call)?,
            };
            if modified.is_none() {
                continue;
            }
            let text = altered.to_string();
            let change = Change::Schema(&text);
            if known(self.records().change(name, &record, change, &call).await, &call)? == Some(true) {
                return Ok(std::mem::take(changes));
            }
        }
        Err(busy(name))
    }

    /// Drops the table, and then forgets it. What is left of a drop that ends in the middle, or whose app profile does
    /// not allow to forget it, is a record of no table.
    async fn drop_one(&self, name: &str) -> Result<(), Error> {
        let call = self.options.begin("drop", name)?;
        self.known().remove(name);
        let record = self.records().get(name, &call).await?;
        self.client.delete_table(name, &call).await?;
        if !record.is_none() {
            // If it is another one by now, another program has created the table anew.
            let forgotten = known(self.records().change(name, &record, Change::Forget, &call).await, &call);
            if forgotten.as_ref().is_err_and(|error| error.engine_error::<ProfileRefused>().is_none()) {
                forgotten?;
            }
        }
        Ok(())
    }
}

fn busy(table: &str) -> Error {
    Error::engine_of(ErrorKind::Busy, format!("table {table:?} is changed by others all the time"))
}

/// The schema of a table that exists. Bigtable can't say all that was given: how few versions stay without a TTL. What
/// it can say is the truth.
fn stored_of(name: &str, record: &Record, described: &Described) -> Result<TableSchema, Error> {
    let given = record.text.as_deref().map(|text| parsed(name, text)).transpose()?;
    match given {
        Some(given) if is_as_given(&given, described) => Ok(given),
        // A claim of another table than this one.
        Some(given) if !record.is_claim => {
            let mut schema = given.of_row_keys();
            schema.families = of_table(name, described)?.families;
            Ok(schema)
        }
        _ => of_table(name, described),
    }
}

fn is_as_given(given: &TableSchema, described: &Described) -> bool {
    given.families.len() == described.column_families.len()
        && given.families.iter().all(|(family, schema)| {
            described.column_families.get(family).map(|there| &there.gc_rule) == Some(&column_family(schema).gc_rule)
        })
}

/// `None` if the outcome is not known and there is time to look what is there.
fn known<T>(result: Result<T, Error>, call: &Call<'_>) -> Result<Option<T>, Error> {
    match result {
        Ok(known) => Ok(Some(known)),
        Err(error) if error.kind() == ErrorKind::OutcomeUnknown && call.check().is_ok() => Ok(None),
        Err(error) => Err(error),
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

fn parsed(table: &str, text: &str) -> Result<TableSchema, Error> {
    text.parse().map_err(|error| Error::Schema {
        table: table.to_owned(),
        differences: format!("what is stored of it in {RECORDS}: {error}"),
    })
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

    fn table(&self, name: &str, schema: &TableSchema) -> Answer<'_, Arc<dyn AsyncWideStore>> {
        let (name, schema) = (name.to_owned(), schema.clone());
        Box::pin(async move {
            self.id.check_write([name.as_str()])?;
            Ok(Arc::new(self.open(&name, &schema, How::OpenOrCreate).await?) as Arc<dyn AsyncWideStore>)
        })
    }

    fn open_table(&self, name: &str, schema: &TableSchema) -> Answer<'_, Arc<dyn AsyncWideStore>> {
        let (name, schema) = (name.to_owned(), schema.clone());
        Box::pin(async move { Ok(Arc::new(self.open(&name, &schema, How::Open).await?) as Arc<dyn AsyncWideStore>) })
    }

    fn opened_table(&self, name: &str, schema: &TableSchema) -> Option<Arc<dyn AsyncWideStore>> {
        let is_known = self.known().get(name) == Some(schema);
        is_known.then(|| Arc::new(self.handle(name, schema)) as Arc<dyn AsyncWideStore>)
    }

    fn create_table(&self, name: &str, schema: &TableSchema, new: &NewTable) -> Answer<'_, Arc<dyn AsyncWideStore>> {
        let (name, schema, new) = (name.to_owned(), schema.clone(), new.clone());
        Box::pin(async move {
            self.id.check_write([name.as_str()])?;
            new.check(&name, &[])?;
            Ok(Arc::new(self.open(&name, &schema, How::Create(&new)).await?) as Arc<dyn AsyncWideStore>)
        })
    }

    fn schema(&self, name: &str) -> Answer<'_, Option<TableSchema>> {
        let name = name.to_owned();
        Box::pin(async move {
            check_name(&name)?;
            let call = self.options.begin("schema", &name)?;
            let (record, described) = self.found(&name, &call).await?;
            described.map(|described| stored_of(&name, &record, &described)).transpose()
        })
    }

    fn alter(&self, name: &str, schema: &TableSchema) -> Answer<'_, Vec<Alteration>> {
        let (name, schema) = (name.to_owned(), schema.clone());
        Box::pin(async move {
            self.id.check_write([name.as_str()])?;
            self.change(&name, &schema).await
        })
    }

    fn tables(&self) -> Answer<'_, Vec<String>> {
        Box::pin(async move {
            let call = self.options.begin("list of tables", "")?;
            let mut names = self.client.list_tables(&call).await?;
            names.retain(|name| check_wide_name(name).is_ok());
            names.sort_unstable();
            Ok(names)
        })
    }

    fn drop_table(&self, name: &str) -> Answer<'_, ()> {
        let name = name.to_owned();
        Box::pin(async move {
            self.id.check_write([name.as_str()])?;
            check_name(&name)?;
            self.drop_one(&name).await
        })
    }
}
