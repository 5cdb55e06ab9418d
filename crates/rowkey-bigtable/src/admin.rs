//! Requests about tables: create, describe, change, list, drop.

use rowkey::store::Call;
use rowkey::wide::TableSchema;
use rowkey::{Error, ErrorKind};

use crate::client::Client;
use crate::client::proto::admin::modify_column_families_request::Modification;
use crate::client::proto::admin::{
    CreateTableRequest, DeleteTableRequest, DropRowRangeRequest, GetTableRequest, ListTablesRequest,
    ModifyColumnFamiliesRequest, Table, create_table_request, drop_row_range_request, modify_column_families_request,
    table,
};
use crate::client::requests::last;
use crate::schema::column_family;

/// The result of a request to create a table: created by it, or there before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Created {
    Now,
    Before,
}

/// More tables than an instance may have: <https://cloud.google.com/bigtable/quotas>
const MOST_TABLES: usize = 100_000;

impl Client {
    /// A table's families; `None` if there is no such table.
    pub(crate) async fn describe(&self, table: &str, call: &Call<'_>) -> Result<Option<Table>, Error> {
        let request = GetTableRequest { name: self.table_name(table), view: i32::from(table::View::SchemaView) };
        absent_is_none(self.call(request, call).await)
    }

    pub(crate) async fn create_table(
        &self,
        table: &str,
        schema: &TableSchema,
        split_points: &[Vec<u8>],
        call: &Call<'_>,
    ) -> Result<Created, Error> {
        let families = schema.families.iter().map(|(name, family)| (name.clone(), column_family(family)));
        let request = CreateTableRequest {
            parent: self.instance_name().to_owned(),
            table_id: table.to_owned(),
            table: Some(Table { column_families: families.collect(), ..Table::default() }),
            initial_splits: split_points.iter().map(|key| create_table_request::Split { key: key.clone() }).collect(),
        };
        match self.call(request, call).await {
            Ok(_) => Ok(Created::Now),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(Created::Before),
            Err(error) => Err(error),
        }
    }

    /// Creates the families that `stored` does not have, and changes the others.
    pub(crate) async fn modify_families(
        &self,
        table: &str,
        stored: &TableSchema,
        schema: &TableSchema,
        call: &Call<'_>,
    ) -> Result<(), Error> {
        let changed = schema.families.iter().filter(|(name, family)| stored.families.get(*name) != Some(family));
        let modifications: Vec<Modification> = changed
            .map(|(name, family)| Modification {
                id: name.clone(),
                r#mod: Some(match stored.families.contains_key(name) {
                    true => modify_column_families_request::modification::Mod::Update(column_family(family)),
                    false => modify_column_families_request::modification::Mod::Create(column_family(family)),
                }),
                ..Modification::default()
            })
            .collect();
        if modifications.is_empty() {
            return Ok(());
        }
        let request =
            ModifyColumnFamiliesRequest { name: self.table_name(table), modifications, ignore_warnings: false };
        self.call(request, call).await.map(drop)
    }

    /// The names of the instance's tables.
    pub(crate) async fn list_tables(&self, call: &Call<'_>) -> Result<Vec<String>, Error> {
        let (mut names, mut page_token) = (Vec::new(), String::new());
        loop {
            let request = ListTablesRequest {
                parent: self.instance_name().to_owned(),
                view: i32::from(table::View::NameOnly),
                page_token,
                ..ListTablesRequest::default()
            };
            let response = self.call(request, call).await?;
            names.extend(response.tables.iter().map(|table| last(&table.name).to_owned()));
            if response.next_page_token.is_empty() {
                return Ok(names);
            }
            if names.len() > MOST_TABLES {
                return Err(Error::engine("the server lists more tables than an instance has"));
            }
            page_token = response.next_page_token;
        }
    }

    /// Drops a table if there is one.
    pub(crate) async fn delete_table(&self, table: &str, call: &Call<'_>) -> Result<(), Error> {
        let request = DeleteTableRequest { name: self.table_name(table) };
        let unknown = match absent_is_none(self.call(request, call).await) {
            Err(error) if error.kind() == ErrorKind::OutcomeUnknown => error,
            dropped => return dropped.map(drop),
        };
        // A drop whose response was lost did it.
        match self.describe(table, call).await {
            Ok(None) => Ok(()),
            _ => Err(unknown),
        }
    }

    /// Drops all rows whose keys begin with `prefix`.
    pub(crate) async fn drop_row_range(&self, table: &str, prefix: &[u8], call: &Call<'_>) -> Result<(), Error> {
        let target = match prefix {
            [] => drop_row_range_request::Target::DeleteAllDataFromTable(true),
            _ => drop_row_range_request::Target::RowKeyPrefix(prefix.to_vec()),
        };
        let request = DropRowRangeRequest { name: self.table_name(table), target: Some(target) };
        match absent_is_none(self.call(request, call).await)? {
            Some(()) => Ok(()),
            None => Err(Error::NoSuchTable(table.to_owned())),
        }
    }
}

fn absent_is_none<T>(result: Result<T, Error>) -> Result<Option<T>, Error> {
    match result {
        Ok(found) => Ok(Some(found)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}
