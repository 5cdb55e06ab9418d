//! What is stored about wide tables besides their families: the table `rowkey.schemas`, one row for each table.

use std::sync::Arc;

use rowkey::clock::Clock;
use rowkey::store::{Call, CallOptions, DatabaseId};
use rowkey::wide::{Columns, Condition, FamilySchema, Mutation, Row, TableSchema};
use rowkey::{Error, ErrorKind};

use crate::BigtableError;
use crate::client::Client;
use crate::code::Code;
use crate::store::Table;

/// The table's name.
pub(crate) const RECORDS: &str = "rowkey.schemas";

/// The schema as it was given, in the form of [`TableSchema`]'s text.
const SCHEMA: &str = "s:schema";
/// Another one after each change of the record. Every change is made on the condition that the token is the one that
/// was read.
const TOKEN: &str = "s:token";
/// Present while the schema is that of a program that is about to create the table.
const CLAIM: &str = "s:claim";

/// What is stored about a table. A record of a table that does not exist means nothing: who creates the table replaces
/// it.
#[derive(Debug, Default)]
pub(crate) struct Record {
    /// The schema's text.
    pub(crate) text: Option<String>,
    /// Whether it is a claim: it becomes the table's schema when the table exists.
    pub(crate) is_claim: bool,
    token: Option<Vec<u8>>,
}

impl Record {
    /// Whether nothing is stored.
    pub(crate) fn is_none(&self) -> bool {
        self.token.is_none() && self.text.is_none()
    }

    /// Whether nothing has changed it between.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        self.token == other.token
    }
}

/// A record to be stored.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Change<'t> {
    /// The schema of a table that is about to be created.
    Claim(&'t str),
    /// The schema of a table that exists.
    Schema(&'t str),
    /// Nothing.
    Forget,
}

/// A conditional write was refused: the service does so under an app profile without single-row transactions.
#[derive(Debug, thiserror::Error)]
#[error(
    "the app profile {profile:?} has to allow single-row transactions, for a conditional write to {RECORDS:?} at the first opening of a table and at an alteration: name a profile that does in `BigtableOptions::schema_profile`, or do this once from a program with such a profile"
)]
pub(crate) struct ProfileRefused {
    profile: String,
    source: Error,
}

/// The records of an instance.
pub(crate) struct Records(Table);

impl Records {
    pub(crate) fn new(client: &Client, id: DatabaseId, clock: &Arc<dyn Clock>) -> Self {
        let schema = TableSchema::new().family("s", FamilySchema::new());
        Self(Table {
            client: client.with_profile(&client.options().schema_profile),
            id: id.table(RECORDS),
            schema: Arc::new(schema),
            options: CallOptions::new(),
            clock: Arc::clone(clock),
        })
    }

    /// The record of a table. Without the table of records there is none.
    pub(crate) async fn get(&self, table: &str, call: &Call<'_>) -> Result<Record, Error> {
        let row = match self.0.read(table.as_bytes(), &Columns::all(), call).await {
            Err(error) if error.kind() == ErrorKind::NotFound => Row::default(),
            other => other?,
        };
        let text = row.value(SCHEMA).map(|text| String::from_utf8_lossy(text).into_owned());
        Ok(Record { text, is_claim: row.value(CLAIM).is_some(), token: row.value(TOKEN).map(<[u8]>::to_vec) })
    }

    /// Changes the record of a table if it is still the one that was read. Returns whether it was.
    pub(crate) async fn change(
        &self,
        table: &str,
        before: &Record,
        change: Change<'_>,
        call: &Call<'_>,
    ) -> Result<bool, Error> {
        let is_before = match &before.token {
            Some(token) => Condition::equal(TOKEN, token.as_slice()),
            None => Condition::absent(TOKEN),
        };
        // Without the old versions, which a clock that stepped back would leave in front.
        let mut write = Mutation::new().delete_row();
        if let Change::Claim(text) | Change::Schema(text) = change {
            write = write.put(SCHEMA, text).put(TOKEN, fastrand::u128(..).to_be_bytes());
        }
        if let Change::Claim(_) = change {
            write = write.put(CLAIM, []);
        }
        self.made(call).await?;
        let written = self.0.write_if(table.as_bytes(), &is_before, &write, call).await;
        written.map_err(|error| match error.engine_error::<BigtableError>() {
            Some(told) if told.code() == Code::FailedPrecondition && error.kind() != ErrorKind::OutcomeUnknown => {
                Error::engine_of(ErrorKind::InvalidInput, self.profile_refused(error))
            }
            _ => error,
        })
    }

    fn profile_refused(&self, source: Error) -> ProfileRefused {
        ProfileRefused { profile: self.0.client.options().app_profile.clone(), source }
    }

    /// Creates the table of records if it does not exist.
    async fn made(&self, call: &Call<'_>) -> Result<(), Error> {
        let Table { client, schema, .. } = &self.0;
        match client.describe(RECORDS, call).await? {
            Some(_) => Ok(()),
            None => client.create_table(RECORDS, schema, &[], call).await.map(drop),
        }
    }
}
