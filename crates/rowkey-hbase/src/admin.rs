//! Administration of a cluster's tables, with the record of each in an attribute of the table.

use hbase_client as hbase;
use hbase_client::TableName;
use rowkey::store::{Call, CommitPoint, NewTable};
use rowkey::wide::TableSchema;
use rowkey::wide::catalog::{self, Found, Record, RecordChange, WideAdmin};
use rowkey::{Error, ErrorKind};
use tokio::time::sleep;

use crate::call::until_cancelled;
use crate::error::error;
use crate::schema::{ATTRIBUTE, altered, created, families};

pub(crate) struct Admin<'c> {
    pub(crate) client: &'c hbase::Client,
    pub(crate) namespace: &'c str,
}

impl Admin<'_> {
    /// The client's admin, whose operations end with the call.
    fn within(&self, call: &Call<'_>) -> hbase::Admin {
        let admin = self.client.admin();
        match call.remaining() {
            Some(left) => admin.with_timeout(left),
            None => admin,
        }
    }

    fn named(&self, table: &str) -> TableName {
        TableName::new(self.namespace, table)
    }

    async fn described(&self, table: &str, call: &Call<'_>) -> Result<Option<hbase::TableSchema>, Error> {
        match call.bound(self.within(call).describe(self.named(table)), sleep).await? {
            Ok(described) => Ok(Some(described)),
            Err(told) if told.kind() == hbase::ErrorKind::TableNotFound => Ok(None),
            Err(told) => Err(error(table, told, call)),
        }
    }

    /// Checks that a table of other programs has these families, and that one of `rowkey`'s has the schema that it was
    /// created with. Without the right to describe the table, only whether it exists.
    pub(crate) async fn check_external(&self, table: &str, schema: &TableSchema, call: &Call<'_>) -> Result<(), Error> {
        let described = match self.described(table, call).await {
            Err(refused) if refused.kind() == ErrorKind::PermissionDenied => {
                let regions = call.bound(self.client.table(self.named(table)).regions(), sleep).await?;
                return regions.map(drop).map_err(|told| error(table, told, call));
            }
            described => described?.ok_or_else(|| Error::NoSuchTable(table.to_owned()))?,
        };
        let is_there = |name: &str| described.families().any(|family| family.name() == name);
        if let Some(family) = schema.families.keys().find(|name| !is_there(name)) {
            let known = described.families().map(|family| family.name().to_owned()).collect();
            return Err(Error::NoSuchFamily { family: family.clone(), known });
        }
        match described.get(ATTRIBUTE) {
            Some(_) => catalog::stored(self, table, &record(&described), &described)?.check_opening(table, schema),
            None => Ok(()),
        }
    }

    /// Looks at a table and changes it, alone among programs that do so here: HBase replaces the whole descriptor, and
    /// compares nothing.
    async fn alone(
        &self,
        table: &str,
        call: &Call<'_>,
        change: impl Future<Output = Result<bool, Error>>,
    ) -> Result<bool, Error> {
        // The lock of the table itself would keep its change waiting.
        let name = LOCK.chars().chain(table.chars().take(OF_NAME)).collect::<String>();
        let name = TableName::new(self.namespace, name);
        let lock = call.bound(self.within(call).lock(name, "a change of the schema by rowkey"), sleep).await?;
        let lock = lock.map_err(|told| error(table, told, call))?;
        let changed = change.await;
        if !lock.release().await && matches!(changed, Ok(true)) {
            let source = Box::new(Error::engine("HBase: another program may have changed the table at the same time"));
            return Err(Error::OutcomeUnknown { table: table.to_owned(), source });
        }
        changed
    }

    async fn changed(
        &self,
        table: &str,
        change: impl Future<Output = hbase::Result<()>>,
        call: &Call<'_>,
    ) -> Result<(), Error> {
        until_cancelled(table, change, call).await?.map_err(|told| error(table, told, call))
    }
}

/// The beginning of a lock's name. The rest is the beginning of the table's, so that HBase takes the whole: tables whose
/// names begin with the same 60 characters share a lock.
const LOCK: &str = "rowkey.alter.";
const OF_NAME: usize = 60;

fn record(described: &hbase::TableSchema) -> Record {
    Record::of_attribute(described.get(ATTRIBUTE).map(str::to_owned))
}

impl WideAdmin for Admin<'_> {
    type Table = hbase::TableSchema;

    async fn find(&self, table: &str, call: &Call<'_>) -> Result<Found<hbase::TableSchema>, Error> {
        let table = self.described(table, call).await?;
        Ok(Found { record: table.as_ref().map(record).unwrap_or_default(), table })
    }

    async fn record(&self, table: &str, call: &Call<'_>) -> Result<Record, Error> {
        Ok(self.described(table, call).await?.as_ref().map(record).unwrap_or_default())
    }

    async fn create(&self, table: &str, schema: &TableSchema, new: &NewTable, call: &Call<'_>) -> Result<bool, Error> {
        let descriptor = created(self.named(table), schema, new)?;
        match self.changed(table, self.within(call).create(&descriptor, &new.split_points), call).await {
            Err(Error::TableExists(_)) => Ok(false),
            created => created.map(|()| true),
        }
    }

    async fn alter(
        &self,
        table: &str,
        before: &Record,
        stored: &TableSchema,
        schema: &TableSchema,
        call: &Call<'_>,
    ) -> Result<bool, Error> {
        self.alone(table, call, async {
            let Some(described) = self.described(table, call).await? else { return Ok(false) };
            if record(&described) != *before || families(table, &described)?.families != stored.families {
                return Ok(false);
            }
            let (descriptor, admin) = (altered(&described, schema), self.within(call));
            match stored.families == schema.families {
                true => self.changed(table, admin.alter_without_reopening(&descriptor), call).await?,
                false => self.changed(table, admin.alter(&descriptor), call).await?,
            }
            Ok(true)
        })
        .await
    }

    async fn change_record(
        &self,
        table: &str,
        before: &Record,
        change: RecordChange<'_>,
        call: &Call<'_>,
    ) -> Result<bool, Error> {
        let RecordChange::Schema(text) = change else { return Ok(true) };
        self.alone(table, call, async {
            let Some(described) = self.described(table, call).await? else { return Ok(false) };
            if record(&described) != *before {
                return Ok(false);
            }
            let descriptor = described.option(ATTRIBUTE, text);
            self.changed(table, self.within(call).alter_without_reopening(&descriptor), call).await?;
            Ok(true)
        })
        .await
    }

    async fn drop_table(&self, table: &str, call: &Call<'_>) -> Result<(), Error> {
        let commit = CommitPoint::default();
        loop {
            match self.changed(table, self.within(call).disable(self.named(table)), call).await {
                Err(Error::NoSuchTable(_)) => return Ok(()),
                // By a drop that ended in the middle, or by another one that goes on.
                Err(disabled) if is_of(&disabled, hbase::ErrorKind::TableDisabled) => {}
                disabled => commit.outcome(table, commit.decided(disabled))?,
            }
            commit.pass();
            match self.changed(table, self.within(call).drop(self.named(table)), call).await {
                Err(Error::NoSuchTable(_)) => return Ok(()),
                // Another program has dropped it and created it anew.
                Err(enabled) if is_of(&enabled, hbase::ErrorKind::TableEnabled) => {}
                dropped => return commit.outcome(table, dropped),
            }
        }
    }

    fn families(&self, table: &str, described: &hbase::TableSchema) -> Result<TableSchema, Error> {
        families(table, described)
    }

    fn is_as_given(&self, given: &TableSchema, described: &hbase::TableSchema) -> bool {
        families("", described).is_ok_and(|there| there.families == given.families)
    }
}

fn is_of(error: &Error, kind: hbase::ErrorKind) -> bool {
    error.engine_error::<hbase::Error>().is_some_and(|told| told.kind() == kind)
}
