//! Tables are created, changed and dropped by the active master. It runs each change as a procedure, which is awaited.

mod locks;
mod master;
mod metrics;
mod namespaces;
mod regions;

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use rowkey_retry::Idempotency;
use tokio::time::Instant;

pub use self::locks::TableLock;
pub use self::regions::CompactionState;
use crate::model::error::{Cause, Error, Result};
use crate::model::region::{Region, readable};
use crate::model::schema::TableSchema;
use crate::model::server::ServerName;
use crate::model::table_name::TableName;
use crate::ops::executor::{Executor, nonce};
use crate::ops::retry::RetryDecision;
use crate::pb;
use crate::time::bounded;

/// Creates, changes and drops tables, and moves regions. Each call returns when the change is complete.
#[derive(Clone)]
pub struct Admin {
    executor: Arc<Executor>,
    timeout: Duration,
}

impl Admin {
    pub(crate) fn new(executor: Arc<Executor>) -> Self {
        let timeout = executor.options.timeout;
        Self { executor, timeout }
    }

    /// The same `Admin` with this timeout of operations. Default: that of the client's options.
    #[must_use]
    pub fn with_timeout(&self, timeout: Duration) -> Self {
        Self { timeout: bounded(timeout), ..self.clone() }
    }

    /// Creates a table, with a region before each of the keys and one behind the last.
    ///
    /// # Errors
    ///
    /// If it exists, the schema is not valid, a split key is empty, [too long](TableName::longest_split_key) or comes
    /// twice, or the master refuses it.
    #[doc(alias = "createTable")]
    pub async fn create(&self, schema: &TableSchema, splits: impl IntoIterator<Item: AsRef<[u8]>>) -> Result<()> {
        schema.check()?;
        let mut split_keys: Vec<_> = splits.into_iter().map(|key| Bytes::copy_from_slice(key.as_ref())).collect();
        split_keys.sort();
        if split_keys.first().is_some_and(Bytes::is_empty) {
            return Err(Error::invalid("a split key is empty"));
        }
        split_keys.iter().try_for_each(|key| check_split_key(schema.name(), key))?;
        if let Some(twice) = split_keys.windows(2).find(|keys| keys[0] == keys[1]) {
            return Err(Error::invalid(format!("the split key \"{}\" comes twice", readable(&twice[0]))));
        }
        let (nonce_group, nonce) = self.nonce();
        let request = pb::CreateTableRequest { table_schema: schema.to_pb(), split_keys, nonce_group, nonce };
        self.procedure("create", "CreateTable", &request, schema.name(), self.deadline()).await
    }

    /// The schema of a table, with all options that its creation or a default gave it.
    ///
    /// # Errors
    ///
    /// If it does not exist.
    #[doc(alias = "getDescriptor")]
    pub async fn describe(&self, table: impl Into<TableName>) -> Result<TableSchema> {
        let table = checked(table)?;
        self.described(&table, self.deadline()).await
    }

    async fn described(&self, table: &TableName, deadline: Instant) -> Result<TableSchema> {
        let schema = self.schema(table, deadline).await?.ok_or_else(|| Error::no_table(table))?;
        TableSchema::from_pb(&schema)
            .ok_or_else(|| Error::malformed("a name or a value in the table's schema is not UTF-8"))
    }

    /// Returns whether a table exists.
    ///
    /// # Errors
    ///
    /// If the name is not a valid table name, or no master answers in time.
    #[doc(alias = "tableExists")]
    pub async fn exists(&self, table: impl Into<TableName>) -> Result<bool> {
        Ok(self.schema(&checked(table)?, self.deadline()).await?.is_some())
    }

    async fn schema(&self, table: &TableName, deadline: Instant) -> Result<Option<pb::TableSchema>> {
        let request = pb::GetTableDescriptorsRequest { table_names: vec![table.to_pb()] };
        let response: pb::GetTableDescriptorsResponse = self.read("GetTableDescriptors", &request, deadline).await?;
        Ok(response.table_schema.into_iter().next())
    }

    /// The names of all tables but the system's.
    ///
    /// # Errors
    ///
    /// If no response of a master comes before the timeout.
    #[doc(alias = "listTableNames")]
    pub async fn tables(&self) -> Result<Vec<TableName>> {
        let request = pb::GetTableNamesRequest {};
        let response: pb::GetTableNamesResponse = self.read("GetTableNames", &request, self.deadline()).await?;
        let names = response.table_names.iter().map(TableName::from_pb).collect::<Option<_>>();
        names.ok_or_else(|| Error::malformed("the response has a table whose name can't be decoded"))
    }

    /// Returns whether a table is enabled.
    ///
    /// # Errors
    ///
    /// If it does not exist.
    #[doc(alias = "isTableEnabled")]
    pub async fn is_enabled(&self, table: impl Into<TableName>) -> Result<bool> {
        let request = pb::GetTableStateRequest { table_name: checked(table)?.to_pb() };
        let response: pb::GetTableStateResponse = self.read("GetTableState", &request, self.deadline()).await?;
        Ok(response.table_state.state() == pb::table_state::State::Enabled)
    }

    /// The region servers that are alive. There is at least one: a master that has just become the active one, and
    /// knows none yet, is asked again.
    ///
    /// # Errors
    ///
    /// If no response of a master comes before the timeout, or the active one knows of no server until then.
    #[doc(alias = "getRegionServers")]
    pub async fn servers(&self) -> Result<Vec<ServerName>> {
        const SERVERS_NAME: u32 = 10;
        let deadline = self.deadline();
        let request = pb::GetClusterStatusRequest { options: vec![SERVERS_NAME] };
        let mut attempts = self.executor.attempts(Idempotency::ReadOnly, deadline);
        loop {
            let response: pb::GetClusterStatusResponse = self.read("GetClusterStatus", &request, deadline).await?;
            let names: Option<Vec<_>> = response.cluster_status.servers_name.iter().map(ServerName::from_pb).collect();
            let names =
                names.ok_or_else(|| Error::malformed("the response has a server whose name can't be decoded"))?;
            if !names.is_empty() {
                return Ok(names);
            }
            attempts.wait(RetryDecision::unreachable(Cause::said("the master knows of no region server yet"))).await?;
        }
    }

    /// Gives a table another schema, in place of the whole one that it has: families that are not in it are deleted
    /// with their rows, and every option that is not in it goes back to its default. So start from what
    /// [`describe`](Self::describe) returns, also for a family:
    ///
    /// ```no_run
    /// # async fn keep_three(admin: hbase_client::Admin) -> hbase_client::Result<()> {
    /// let schema = admin.describe("visits").await?;
    /// let pages = schema.families().find(|family| family.name() == "pages").cloned();
    /// let pages = pages.unwrap_or_else(|| "pages".into()).max_versions(3);
    /// admin.alter(&schema.family(pages).remove_family("old")).await
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// If the table does not exist, the schema is not valid, or the master refuses it.
    #[doc(alias = "modifyTable")]
    pub async fn alter(&self, schema: &TableSchema) -> Result<()> {
        schema.check()?;
        self.modify(schema, None, self.deadline()).await
    }

    /// As [`alter`](Self::alter), and leaves the regions open: each has the new schema when it is opened the next time,
    /// by a move, a split or a restart of its server. For changes that can wait, of large tables. The families have to
    /// be those that the table has: it is looked up first, as HBase only counts them, and would delete rows at the next
    /// move. HBase refuses it if regions have to be other ones. Older releases of HBase open the regions again all the
    /// same.
    ///
    /// # Errors
    ///
    /// As [`alter`](Self::alter); and if a family is added or removed, which is [`Invalid`](crate::ErrorKind::Invalid):
    /// nothing is changed.
    #[doc(alias = "modifyTable")]
    pub async fn alter_without_reopening(&self, schema: &TableSchema) -> Result<()> {
        schema.check()?;
        let deadline = self.deadline();
        let before = self.described(schema.name(), deadline).await;
        let before = before.map_err(|error| error.of_operation("alter", schema.name()))?;
        if let Some(family) = before.other_family(schema) {
            let why = format!(
                "family {family:?} is added or removed, for which regions have to be opened again: use `alter`"
            );
            return Err(Error::invalid(why).of_table(schema.name()));
        }
        self.modify(schema, Some(false), deadline).await
    }

    async fn modify(&self, schema: &TableSchema, reopen_regions: Option<bool>, deadline: Instant) -> Result<()> {
        let (nonce_group, nonce) = self.nonce();
        let (table_name, table_schema) = (schema.name().to_pb(), schema.to_pb());
        let request = pb::ModifyTableRequest { table_name, table_schema, nonce_group, nonce, reopen_regions };
        self.procedure("alter", "ModifyTable", &request, schema.name(), deadline).await
    }

    /// Enables a table.
    ///
    /// # Errors
    ///
    /// If it does not exist, or is enabled.
    #[doc(alias = "enableTable")]
    pub async fn enable(&self, table: impl Into<TableName>) -> Result<()> {
        self.on_table("enable", "EnableTable", checked(table)?).await
    }

    /// Disables a table: its rows can't be read or changed until it is enabled.
    ///
    /// # Errors
    ///
    /// If it does not exist, or is disabled.
    #[doc(alias = "disableTable")]
    pub async fn disable(&self, table: impl Into<TableName>) -> Result<()> {
        self.on_table("disable", "DisableTable", checked(table)?).await
    }

    /// Drops a table, which must be disabled.
    ///
    /// # Errors
    ///
    /// If it does not exist, or is enabled.
    #[doc(alias = "deleteTable")]
    pub async fn drop(&self, table: impl Into<TableName>) -> Result<()> {
        self.on_table("drop", "DeleteTable", checked(table)?).await
    }

    async fn on_table(&self, operation: &'static str, method: &'static str, table: TableName) -> Result<()> {
        let (nonce_group, nonce) = self.nonce();
        let request = pb::TableRequest { table_name: table.to_pb(), nonce_group, nonce };
        self.procedure(operation, method, &request, &table, self.deadline()).await
    }

    /// Deletes all rows of a table, which must be disabled, and enables it with one region.
    ///
    /// # Errors
    ///
    /// If it does not exist, or is enabled.
    #[doc(alias = "truncateTable")]
    pub async fn truncate(&self, table: impl Into<TableName>) -> Result<()> {
        self.truncated(table.into(), false).await
    }

    /// Deletes all rows of a table, which must be disabled, and enables it with the regions that it had.
    ///
    /// # Errors
    ///
    /// If it does not exist, or is enabled.
    #[doc(alias = "truncateTable")]
    pub async fn truncate_preserve(&self, table: impl Into<TableName>) -> Result<()> {
        self.truncated(table.into(), true).await
    }

    async fn truncated(&self, table: TableName, keep_splits: bool) -> Result<()> {
        let table = checked(table)?;
        let (nonce_group, nonce) = self.nonce();
        let (table_name, preserve_splits) = (table.to_pb(), Some(keep_splits));
        let request = pb::TruncateTableRequest { table_name, preserve_splits, nonce_group, nonce };
        // The method's name begins with a small letter.
        self.procedure("truncate", "truncateTable", &request, &table, self.deadline()).await
    }

    /// Splits a region before a key.
    ///
    /// # Errors
    ///
    /// If the key is not inside the region, or the region was split or moved meanwhile.
    #[doc(alias = "splitRegionAsync")]
    pub async fn split(&self, region: &Region, at: impl AsRef<[u8]>) -> Result<()> {
        let (nonce_group, nonce) = self.nonce();
        check_split_key(region.table(), at.as_ref())?;
        let split_row = Some(Bytes::copy_from_slice(at.as_ref()));
        let request = pb::SplitTableRegionRequest { region_info: region.to_pb(), split_row, nonce_group, nonce };
        self.procedure("split", "SplitRegion", &request, region.table(), self.deadline()).await
    }

    /// Merges neighbouring regions.
    ///
    /// # Errors
    ///
    /// If they are no neighbours, or one of them was split or moved meanwhile.
    #[doc(alias = "mergeRegionsAsync")]
    pub async fn merge(&self, regions: &[Region]) -> Result<()> {
        let Some(first) = regions.first() else { return Err(Error::invalid("no regions to merge")) };
        let (nonce_group, nonce) = self.nonce();
        let request = pb::MergeTableRegionsRequest {
            region: regions.iter().map(encoded).collect(),
            forcible: Some(false),
            nonce_group,
            nonce,
        };
        self.procedure("merge", "MergeTableRegions", &request, first.table(), self.deadline()).await
    }

    /// Moves a region to a server; or, if none is given, to one that the balancer chooses.
    ///
    /// # Errors
    ///
    /// If the region or the server does not exist.
    #[doc(alias = "move")]
    pub async fn move_region(&self, region: &Region, to: Option<&ServerName>) -> Result<()> {
        let dest_server_name = to.map(ServerName::to_pb);
        let request = pb::MoveRegionRequest { region: encoded(region), dest_server_name };
        let moved: Result<pb::MoveRegionResponse> = self.change("MoveRegion", &request, self.deadline()).await;
        moved.map(drop).map_err(|error| error.of_operation("move", region.table()))
    }

    /// Runs the balancer, which moves regions from servers that have many to those that have few. Returns whether it
    /// ran: it does not if it is switched off, or while regions are on the way.
    ///
    /// # Errors
    ///
    /// If no response of a master comes before the timeout.
    pub async fn balance(&self) -> Result<bool> {
        let response: pb::BalanceResponse = self.change("Balance", &pb::BalanceRequest {}, self.deadline()).await?;
        Ok(response.balancer_ran)
    }

    /// Switches the balancer on, and returns whether it was on before.
    ///
    /// # Errors
    ///
    /// If no response of a master comes before the timeout.
    #[doc(alias = "balancerSwitch")]
    pub async fn enable_balancer(&self) -> Result<bool> {
        self.switch_balancer(true).await
    }

    /// Switches the balancer off, and returns whether it was on before.
    ///
    /// # Errors
    ///
    /// If no response of a master comes before the timeout.
    #[doc(alias = "balancerSwitch")]
    pub async fn disable_balancer(&self) -> Result<bool> {
        self.switch_balancer(false).await
    }

    async fn switch_balancer(&self, on: bool) -> Result<bool> {
        let request = pb::SetBalancerRunningRequest { on, synchronous: Some(true) };
        let response: pb::SetBalancerRunningResponse =
            self.change("SetBalancerRunning", &request, self.deadline()).await?;
        Ok(response.prev_balance_value())
    }

    fn deadline(&self) -> Instant {
        Instant::now() + self.timeout
    }

    /// By it the master knows a repeated request.
    fn nonce(&self) -> (Option<u64>, Option<u64>) {
        (Some(self.executor.nonce_group), Some(nonce()))
    }
}

/// A name that a table can have.
fn checked(table: impl Into<TableName>) -> Result<TableName> {
    let table = table.into();
    table.check()?;
    Ok(table)
}

fn check_split_key(table: &TableName, key: &[u8]) -> Result<()> {
    match key.len() > table.longest_split_key() {
        true => Err(Error::invalid(format!("a split key of table {table} has {} bytes, which is too long", key.len()))),
        false => Ok(()),
    }
}

/// The master knows regions by their encoded names.
fn encoded(region: &Region) -> pb::RegionSpecifier {
    let r#type = pb::region_specifier::RegionSpecifierType::EncodedRegionName.into();
    pb::RegionSpecifier { r#type, value: region.encoded_name().into() }
}

impl std::fmt::Debug for Admin {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Admin").field("timeout", &self.timeout).finish_non_exhaustive()
    }
}
