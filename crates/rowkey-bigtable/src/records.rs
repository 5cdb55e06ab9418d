//! Administration of an instance's tables, with their records in the rows of a table of its own.

use std::sync::Arc;

use rowkey::clock::Clock;
use rowkey::store::{Call, CallOptions, CommitPoint, DatabaseId, NewTable};
use rowkey::wide::catalog::{self, Found, RECORDS, Record, RecordChange, WideAdmin};
use rowkey::wide::{Columns, Row, TableSchema};
use rowkey::{Error, ErrorKind};

use crate::BigtableError;
use crate::admin::Created;
use crate::client::Client;
use crate::client::proto::admin::Table as Described;
use crate::code::Code;
use crate::schema::{column_family, of_table};
use crate::store::Table;

/// A conditional write was refused: the service does so under an app profile without single-row transactions.
#[derive(Debug, thiserror::Error)]
#[error(
    "the app profile {profile:?} has to allow single-row transactions, for a conditional write to {RECORDS:?} at the first opening of a table and at an alteration: name a profile that does in `BigtableOptions::schema_app_profile`, or do this once from a program with such a profile"
)]
struct ProfileRefused {
    profile: String,
    source: Error,
}

fn overtaken() -> Error {
    Error::engine_of(ErrorKind::Busy, "another program has changed the table's record meanwhile")
}

/// The table of records.
pub(crate) struct Records(Table);

impl Records {
    pub(crate) fn new(client: &Client, id: DatabaseId, clock: &Arc<dyn Clock>) -> Self {
        Self(Table {
            client: client.with_profile(&client.options().schema_app_profile),
            id: id.table(RECORDS),
            schema: Arc::new(Record::schema_of_records()),
            options: CallOptions::new(),
            clock: Arc::clone(clock),
        })
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

impl WideAdmin for Records {
    type Table = Described;

    async fn find(&self, table: &str, call: &Call<'_>) -> Result<Found<Described>, Error> {
        catalog::find_in_rows(table, || self.record(table, call), || self.0.client.describe(table, call)).await
    }

    /// Without the table of records there is none.
    async fn record(&self, table: &str, call: &Call<'_>) -> Result<Record, Error> {
        let row = match self.0.read(table.as_bytes(), &Columns::all(), call).await {
            Err(error) if error.kind() == ErrorKind::NotFound => Row::default(),
            other => other?,
        };
        Ok(Record::of_row(&row))
    }

    async fn create(&self, table: &str, schema: &TableSchema, new: &NewTable, call: &Call<'_>) -> Result<bool, Error> {
        Ok(self.0.client.create_table(table, schema, &new.split_points, call).await? == Created::Now)
    }

    async fn alter(
        &self,
        table: &str,
        before: &Record,
        stored: &TableSchema,
        altered: &TableSchema,
        call: &Call<'_>,
    ) -> Result<bool, Error> {
        match self.0.client.modify_families(table, stored, altered, call).await {
            // Another program has dropped it, or changed it.
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::AlreadyExists) => Ok(false),
            Err(error) => Err(error),
            Ok(()) => {
                let commit = CommitPoint::default();
                commit.pass();
                let text = altered.to_string();
                let recorded = self.change_record(table, before, RecordChange::Schema(&text), call).await;
                match commit.outcome(table, recorded)? {
                    // The families are changed already, and what another program has recorded may differ.
                    false if stored.families != altered.families => commit.outcome(table, Err(overtaken())),
                    is_done => Ok(is_done),
                }
            }
        }
    }

    /// An app profile that does not allow it leaves the record of a table that was dropped.
    async fn change_record(
        &self,
        table: &str,
        before: &Record,
        change: RecordChange<'_>,
        call: &Call<'_>,
    ) -> Result<bool, Error> {
        let (is_before, write) = before.change(change, fastrand::u128(..).to_be_bytes());
        self.made(call).await?;
        let written = self.0.write_if(table.as_bytes(), &is_before, &write, call).await;
        written.or_else(|error| match error.engine_error::<BigtableError>() {
            Some(told) if told.code() == Code::FailedPrecondition && error.kind() != ErrorKind::OutcomeUnknown => {
                if change == RecordChange::Forget {
                    return Ok(false);
                }
                let profile = self.0.client.options().app_profile.clone();
                Err(Error::engine_of(ErrorKind::InvalidInput, ProfileRefused { profile, source: error }))
            }
            _ => Err(error),
        })
    }

    async fn drop_table(&self, table: &str, call: &Call<'_>) -> Result<(), Error> {
        self.0.client.delete_table(table, call).await
    }

    fn families(&self, table: &str, described: &Described) -> Result<TableSchema, Error> {
        of_table(table, described)
    }

    /// Bigtable does not describe how few versions stay without a TTL.
    fn is_as_given(&self, given: &TableSchema, described: &Described) -> bool {
        let there = &described.column_families;
        given.families.len() == there.len()
            && given.families.iter().all(|(name, family)| {
                there.get(name).is_some_and(|there| there.gc_rule == column_family(family).gc_rule)
            })
    }
}
