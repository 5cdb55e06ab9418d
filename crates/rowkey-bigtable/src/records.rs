//! What is stored about wide tables besides their families: the table `rowkey.schemas`, one row for each table.

use std::sync::Arc;

use rowkey::Error;
use rowkey::clock::Clock;
use rowkey::store::{Call, CallOptions, DatabaseId};
use rowkey::wide::{Columns, Condition, FamilySchema, Mutation, Row, TableSchema};

use crate::client::Client;
use crate::store::Table;

/// The table's name.
pub(crate) const RECORDS: &str = "rowkey.schemas";

/// The schema as it was given, in the form of [`TableSchema`]'s text.
const SCHEMA: &str = "s:schema";
/// Present while the table is being dropped, with a token of who drops it.
const DROPPING: &str = "s:dropping";

/// What is stored about a table.
#[derive(Debug, Default)]
pub(crate) struct Record {
    /// The schema's text.
    pub(crate) text: Option<String>,
    /// The token of who began to drop the table, if it is being dropped.
    pub(crate) dropping: Option<Vec<u8>>,
}

/// The records of an instance.
pub(crate) struct Records(Table);

impl Records {
    pub(crate) fn new(client: &Client, id: DatabaseId, clock: &Arc<dyn Clock>) -> Self {
        let schema = TableSchema::new().family("s", FamilySchema::new());
        Self(Table {
            client: client.clone(),
            id: id.table(RECORDS),
            schema: Arc::new(schema),
            options: CallOptions::new(),
            clock: Arc::clone(clock),
        })
    }

    /// The record of a table. Without the table of records there is none.
    pub(crate) async fn get(&self, table: &str, call: &Call<'_>) -> Result<Record, Error> {
        let row = match self.0.read(table.as_bytes(), &Columns::all(), call).await {
            Err(error) if error.kind() == rowkey::ErrorKind::NotFound => Row::default(),
            other => other?,
        };
        let text = row.value(SCHEMA).map(|text| String::from_utf8_lossy(text).into_owned());
        Ok(Record { text, dropping: row.value(DROPPING).map(<[u8]>::to_vec) })
    }

    /// Stores a schema in place of `before`. Returns whether it was still there.
    pub(crate) async fn replace(
        &self,
        table: &str,
        before: Option<&str>,
        schema: &TableSchema,
        call: &Call<'_>,
    ) -> Result<bool, Error> {
        let is_before = match before {
            Some(before) => Condition::equal(SCHEMA, before),
            None => Condition::absent(SCHEMA),
        };
        // Without the old version, which a clock that stepped back would leave in front.
        let put = Mutation::new().delete_column(SCHEMA).put(SCHEMA, schema.to_string());
        self.made(call).await?;
        self.0.write_if(table.as_bytes(), &is_before, &put, call).await
    }

    /// Marks a table that is about to be dropped, and returns the token.
    pub(crate) async fn begin_drop(&self, table: &str, call: &Call<'_>) -> Result<Vec<u8>, Error> {
        let token = fastrand::u128(..).to_be_bytes().to_vec();
        self.made(call).await?;
        let mark = Mutation::new().delete_column(DROPPING).put(DROPPING, token.clone());
        self.0.write(table.as_bytes().to_vec(), &mark, call).await?;
        Ok(token)
    }

    /// Forgets a table that was dropped, unless another program has finished this drop already and created the table anew.
    pub(crate) async fn end_drop(&self, table: &str, token: &[u8], call: &Call<'_>) -> Result<(), Error> {
        let is_this_drop = Condition::equal(DROPPING, token);
        self.0.write_if(table.as_bytes(), &is_this_drop, &Mutation::new().delete_row(), call).await.map(drop)
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
