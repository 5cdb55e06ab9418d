//! The catalog of an asynchronous engine's wide tables: opens, creates, alters and drops them, and stores what the
//! engine itself does not know, the schema as it was given and the shape of the row keys. For authors of engines.
//!
//! The engine implements [`WideAdmin`]: requests about tables, and a [`Record`] of each. The record's place is the
//! engine's choice:
//!
//! - **In the rows of a table of its own**, [`RECORDS`]. The record and the table are then two things. A program that
//!   creates a table claims it in the record before, so that all of the schema is known as soon as the table is there.
//! - **In an attribute of the table**, if the engine creates and alters a table and its attribute at once. Then
//!   [`find`](WideAdmin::find) is one request, and there is nothing to claim or to forget.

mod record;

pub use self::record::{Change as RecordChange, RECORDS, Record};
use super::{Change, TableSchema};
use crate::store::error::{CommitPoint, Error, ErrorKind};
use crate::store::{Call, NewTable, OpenMode};

/// Requests of an engine about its wide tables. Each is one attempt of a program among others that do the same.
///
/// With [`Error::OutcomeUnknown`] a method leaves it to the catalog to look at what is there now.
pub trait WideAdmin {
    /// A table as the engine describes it.
    type Table: Send + Sync;

    /// A table and its record, as both are at one moment. For records in rows this is [`find_in_rows`].
    fn find(&self, table: &str, call: &Call<'_>) -> impl Future<Output = Result<Found<Self::Table>, Error>> + Send;

    /// Reads the record of a table.
    fn record(&self, table: &str, call: &Call<'_>) -> impl Future<Output = Result<Record, Error>> + Send;

    /// Creates a table. An attribute of the table is written with it: the text of `schema`. Returns whether it was
    /// created; `false` if it exists.
    fn create(
        &self,
        table: &str,
        schema: &TableSchema,
        new: &NewTable,
        call: &Call<'_>,
    ) -> impl Future<Output = Result<bool, Error>> + Send;

    /// Changes the families from those of `stored` to those of `altered`, and the record from `before` to the text of
    /// `altered`. Returns whether it was done; `false` if another program has changed or dropped the table, and nothing
    /// was changed here. If a part was, it is [`Error::OutcomeUnknown`].
    fn alter(
        &self,
        table: &str,
        before: &Record,
        stored: &TableSchema,
        altered: &TableSchema,
        call: &Call<'_>,
    ) -> impl Future<Output = Result<bool, Error>> + Send;

    /// Changes the record if it is still `before`. Returns whether it was. With an attribute it does so for
    /// [`RecordChange::Schema`] alone, and returns `true` for the others.
    fn change_record(
        &self,
        table: &str,
        before: &Record,
        change: RecordChange<'_>,
        call: &Call<'_>,
    ) -> impl Future<Output = Result<bool, Error>> + Send;

    /// Drops a table, if it exists.
    fn drop_table(&self, table: &str, call: &Call<'_>) -> impl Future<Output = Result<(), Error>> + Send;

    /// The families of a table, and nothing about its row keys.
    ///
    /// # Errors
    ///
    /// [`Error::Schema`] if a family has settings that a [`FamilySchema`](super::FamilySchema) can't represent.
    fn families(&self, table: &str, described: &Self::Table) -> Result<TableSchema, Error>;

    /// Returns whether a table created with `given` would be described like this one. An engine may not describe all
    /// that was given.
    fn is_as_given(&self, given: &TableSchema, described: &Self::Table) -> bool;
}

/// A table and its record.
#[derive(Debug)]
pub struct Found<T> {
    /// The record. Without a table it means nothing: who creates the table replaces it.
    pub record: Record,
    /// The table; `None` if it does not exist.
    pub table: Option<T>,
}

/// Maximum number of attempts of an operation that begins again because another program changed the table meanwhile.
const TURNS: usize = 16;

/// Finds a table whose record is in a row. The record is the same before and after the look at the table. Without a
/// table it is that of before: whoever changes it sees whether it still is.
///
/// # Errors
///
/// Those of the requests.
pub async fn find_in_rows<T, R, D>(
    table: &str,
    record: impl Fn() -> R,
    describe: impl Fn() -> D,
) -> Result<Found<T>, Error>
where
    R: Future<Output = Result<Record, Error>>,
    D: Future<Output = Result<Option<T>, Error>>,
{
    let mut before = record().await?;
    for _ in 0..TURNS {
        let there = describe().await?;
        if there.is_none() {
            return Ok(Found { record: before, table: None });
        }
        let after = record().await?;
        if after == before {
            return Ok(Found { record: after, table: there });
        }
        before = after;
    }
    Err(busy(table))
}

/// Opens a table, or creates it.
///
/// The record decides, if the table exists. A program that finds a claim and the table makes the claim the schema of
/// the table. A record without a table, and a claim that is not what the table is, are of programs that ended in the
/// middle or were overtaken: they are replaced.
///
/// # Errors
///
/// [`Error::Schema`] if the table has another schema, [`Error::NoSuchTable`] and [`Error::TableExists`] as the mode
/// says, and those of the engine.
pub async fn open<A: WideAdmin>(
    admin: &A,
    name: &str,
    schema: &TableSchema,
    mode: &OpenMode,
    call: &Call<'_>,
) -> Result<(), Error> {
    let (text, plain) = (schema.to_string(), NewTable::new());
    // True if the table was created here.
    let mut created = false;
    let commit = CommitPoint::default();
    for _ in 0..TURNS {
        let Found { record, table } = commit.outcome(name, admin.find(name, call).await)?;
        let Some(table) = table else {
            let new = match mode {
                OpenMode::Open => return Err(Error::NoSuchTable(name.to_owned())),
                OpenMode::OpenOrCreate => &plain,
                OpenMode::Create(new) => new,
            };
            if !record.is_claim || record.text.as_deref() != Some(&text) {
                let claimed = admin.change_record(name, &record, RecordChange::Claim(&text), call).await;
                if commit.outcome(name, known(claimed, call))? != Some(true) {
                    continue;
                }
            }
            let made = commit.decided(admin.create(name, schema, new, call).await);
            // A program that must create the table can't know whether an existing one is its own.
            let made = if *mode == OpenMode::OpenOrCreate { known(made, call) } else { made.map(Some) };
            if commit.outcome(name, made)? == Some(true) {
                created = true;
                commit.pass();
            }
            continue;
        };
        if matches!(mode, OpenMode::Create(_)) && !created {
            return Err(Error::TableExists(name.to_owned()));
        }
        let mut stored = stored(admin, name, &record, &table)?;
        let settled = match &record.text {
            Some(_) if !record.is_claim => return stored.check_opening(name, schema),
            Some(claim) if admin.is_as_given(&parsed(name, claim)?, &table) => RecordChange::Schema(claim),
            // Of its row keys nothing is known but what is given now.
            _ => {
                if (created || record.is_claim) && admin.is_as_given(schema, &table) {
                    stored = schema.clone();
                }
                (stored.row_key, stored.row_fields) = (schema.row_key.clone(), schema.row_fields.clone());
                stored.check_opening(name, schema)?;
                if schema.row_key.is_none() && record.is_none() && !created {
                    return Ok(());
                }
                RecordChange::Schema(&text)
            }
        };
        // Whatever came of it, the record says.
        commit.outcome(name, known(admin.change_record(name, &record, settled, call).await, call))?;
    }
    commit.outcome(name, Err(busy(name)))
}

/// The schema of a table; `None` if it does not exist.
///
/// # Errors
///
/// [`Error::Schema`] if it can't be read, and those of the engine.
pub async fn schema<A: WideAdmin>(admin: &A, name: &str, call: &Call<'_>) -> Result<Option<TableSchema>, Error> {
    let Found { record, table } = admin.find(name, call).await?;
    table.map(|table| stored(admin, name, &record, &table)).transpose()
}

/// Alters a table to a schema, and returns the changes.
///
/// # Errors
///
/// [`Error::Schema`] if the table does not exist or can't be changed so, and those of the engine.
pub async fn alter<A: WideAdmin>(
    admin: &A,
    name: &str,
    schema: &TableSchema,
    call: &Call<'_>,
) -> Result<Vec<Change>, Error> {
    let mut changes: Vec<Change> = Vec::new();
    let commit = CommitPoint::default();
    for _ in 0..TURNS {
        let Found { record, table } = commit.outcome(name, admin.find(name, call).await)?;
        let there = table.ok_or_else(|| absent(name)).and_then(|table| stored(admin, name, &record, &table));
        let left = there.and_then(|stored| Ok((stored.check_alteration(name, schema)?, stored)));
        let (left, stored) = commit.outcome(name, left)?;
        // An attempt that did not succeed may have made some of them, which are not left.
        let more: Vec<Change> = left.into_iter().filter(|change| !changes.contains(change)).collect();
        changes.extend(more);
        let altered = admin.alter(name, &record, &stored, &stored.altered_to(schema), call).await;
        if commit.outcome(name, known(commit.decided(altered), call))? == Some(true) {
            return Ok(changes);
        }
    }
    commit.outcome(name, Err(busy(name)))
}

/// Drops a table, if it exists, and then removes its record. A drop that ends in the middle leaves a record of no
/// table.
///
/// # Errors
///
/// Those of the engine.
pub async fn drop_table<A: WideAdmin>(admin: &A, name: &str, call: &Call<'_>) -> Result<(), Error> {
    let (record, commit) = (admin.record(name, call).await?, CommitPoint::default());
    admin.drop_table(name, call).await?;
    commit.pass();
    if !record.is_none() {
        // If it is another one by now, another program has created the table anew.
        commit.outcome(name, known(admin.change_record(name, &record, RecordChange::Forget, call).await, call))?;
    }
    Ok(())
}

/// The schema of a table that exists, of its record and its description. An engine may not report all that was given.
/// The part that it reports is the truth.
///
/// # Errors
///
/// [`Error::Schema`] if it can't be read.
pub fn stored<A: WideAdmin>(admin: &A, name: &str, record: &Record, table: &A::Table) -> Result<TableSchema, Error> {
    let given = record.text.as_deref().map(|text| parsed(name, text)).transpose()?;
    match given {
        Some(given) if admin.is_as_given(&given, table) => Ok(given),
        // A claim of another table than this one.
        Some(given) if !record.is_claim => {
            let mut schema = given.of_row_keys();
            schema.families = admin.families(name, table)?.families;
            Ok(schema)
        }
        _ => admin.families(name, table),
    }
}

/// `None` if the outcome is not known and there is time to look what is there.
fn known<T>(result: Result<T, Error>, call: &Call<'_>) -> Result<Option<T>, Error> {
    match result {
        Ok(known) => Ok(Some(known)),
        Err(error) if error.kind() == ErrorKind::OutcomeUnknown && call.check().is_ok() => Ok(None),
        Err(error) => Err(error),
    }
}

fn busy(table: &str) -> Error {
    let what = "changed, or the table was not there and could not be created either, at each of";
    Error::engine_of(ErrorKind::Busy, format!("the schema of table {table:?} {what} {TURNS} attempts"))
}

/// The error of an alteration of a table that does not exist.
pub(super) fn absent(table: &str) -> Error {
    Error::Schema { table: table.to_owned(), differences: "there is no such table".to_owned() }
}

/// A schema from its stored text.
pub(super) fn parsed(table: &str, text: &str) -> Result<TableSchema, Error> {
    text.parse().map_err(|error| Error::Schema {
        table: table.to_owned(),
        differences: format!("what is stored of it: {error}"),
    })
}
