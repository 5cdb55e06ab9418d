//! Requests about tables: create, describe, change, list, drop.

use rowkey::store::Call;
use rowkey::wide::TableSchema;
use rowkey::{Error, ErrorKind};
use rowkey_retry::Idempotency;

use crate::client::proto::admin::modify_column_families_request::Modification;
use crate::client::proto::admin::{
    CreateTableRequest, DeleteTableRequest, DropRowRangeRequest, GetTableRequest, ListTablesRequest,
    ListTablesResponse, ModifyColumnFamiliesRequest, Table, create_table_request, drop_row_range_request,
    modify_column_families_request, table,
};
use crate::client::{Client, Operation, Route};
use crate::schema::column_family;

/// Whether a request that created a table did so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Created {
    Now,
    Before,
}

/// More tables than an instance may have: <https://cloud.google.com/bigtable/quotas>
const MOST_TABLES: usize = 100_000;

impl Client {
    /// An operation on a table of the instance.
    fn on_table(&self, doing: &'static str, table: &str, idempotency: Idempotency) -> Operation {
        Operation {
            doing,
            table: table.to_owned(),
            route: Route::new("name", &self.table_name(table), None),
            idempotency,
        }
    }

    fn on_instance(&self, doing: &'static str, table: &str, idempotency: Idempotency) -> Operation {
        Operation {
            doing,
            table: table.to_owned(),
            route: Route::new("parent", self.instance_name(), None),
            idempotency,
        }
    }

    /// A table's families; `None` if there is no such table.
    pub(crate) async fn describe(&self, table: &str, call: &Call<'_>) -> Result<Option<Table>, Error> {
        let operation = self.on_table("GetTable", table, Idempotency::ReadOnly);
        let request = GetTableRequest { name: self.table_name(table), view: i32::from(table::View::SchemaView) };
        let path = "/google.bigtable.admin.v2.BigtableTableAdmin/GetTable";
        absent_is_none(self.admin(operation, path, request, call).await)
    }

    pub(crate) async fn create_table(
        &self,
        table: &str,
        schema: &TableSchema,
        split_points: &[Vec<u8>],
        call: &Call<'_>,
    ) -> Result<Created, Error> {
        let operation = self.on_instance("CreateTable", table, Idempotency::NonIdempotent);
        let families = schema.families.iter().map(|(name, family)| (name.clone(), column_family(family)));
        let request = CreateTableRequest {
            parent: self.instance_name().to_owned(),
            table_id: table.to_owned(),
            table: Some(Table { column_families: families.collect(), ..Table::default() }),
            initial_splits: split_points.iter().map(|key| create_table_request::Split { key: key.clone() }).collect(),
        };
        let path = "/google.bigtable.admin.v2.BigtableTableAdmin/CreateTable";
        match self.admin::<_, Table>(operation, path, request, call).await {
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
        let operation = self.on_table("ModifyColumnFamilies", table, Idempotency::NonIdempotent);
        let request =
            ModifyColumnFamiliesRequest { name: self.table_name(table), modifications, ignore_warnings: false };
        let path = "/google.bigtable.admin.v2.BigtableTableAdmin/ModifyColumnFamilies";
        self.admin::<_, Table>(operation, path, request, call).await.map(drop)
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
            let operation = self.on_instance("ListTables", "", Idempotency::ReadOnly);
            let path = "/google.bigtable.admin.v2.BigtableTableAdmin/ListTables";
            let response: ListTablesResponse = self.admin(operation, path, request, call).await?;
            let last = |name: String| name.rsplit('/').next().unwrap_or_default().to_owned();
            names.extend(response.tables.into_iter().map(|table| last(table.name)));
            if response.next_page_token.is_empty() {
                return Ok(names);
            }
            if names.len() > MOST_TABLES {
                return Err(Error::engine("the server lists more tables than an instance has"));
            }
            page_token = response.next_page_token;
        }
    }

    /// Drops a table if there is one. Sent twice, it could drop one that another program has created meanwhile.
    pub(crate) async fn delete_table(&self, table: &str, call: &Call<'_>) -> Result<(), Error> {
        let operation = self.on_table("DeleteTable", table, Idempotency::NonIdempotent);
        let path = "/google.bigtable.admin.v2.BigtableTableAdmin/DeleteTable";
        let request = DeleteTableRequest { name: self.table_name(table) };
        let unknown = match absent_is_none(self.admin::<_, ()>(operation, path, request, call).await) {
            Err(error) if error.kind() == ErrorKind::OutcomeUnknown => error,
            dropped => return dropped.map(drop),
        };
        // A drop whose response was lost did it.
        match self.describe(table, call).await {
            Ok(None) => Ok(()),
            _ => Err(unknown),
        }
    }

    /// Drops all rows whose keys begin with `prefix`. Sent twice, it could drop what others have written meanwhile.
    pub(crate) async fn drop_row_range(&self, table: &str, prefix: &[u8], call: &Call<'_>) -> Result<(), Error> {
        let operation = self.on_table("DropRowRange", table, Idempotency::NonIdempotent);
        let target = match prefix {
            [] => drop_row_range_request::Target::DeleteAllDataFromTable(true),
            _ => drop_row_range_request::Target::RowKeyPrefix(prefix.to_vec()),
        };
        let request = DropRowRangeRequest { name: self.table_name(table), target: Some(target) };
        let path = "/google.bigtable.admin.v2.BigtableTableAdmin/DropRowRange";
        match absent_is_none(self.admin::<_, ()>(operation, path, request, call).await)? {
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
