//! Metrics of regions, as their servers count them.

use rowkey_retry::Idempotency;

use super::{Admin, checked};
use crate::model::error::{Error, Result};
use crate::model::region_metrics::RegionMetrics;
use crate::model::server::{ServerName, Service};
use crate::model::table_name::TableName;
use crate::pb;
use crate::rpc::Payload;

impl Admin {
    /// The metrics of the regions of a table that a region server has open, in no order: none if it has none. Other
    /// servers may have more, see [`servers`](Self::servers). The server counts as it goes along, and reads no row for
    /// it.
    ///
    /// ```no_run
    /// # async fn writes(admin: hbase_client::Admin) -> hbase_client::Result<u64> {
    /// let mut writes = 0;
    /// for server in admin.servers().await? {
    ///     writes += admin.region_metrics(&server, "visits").await?.iter().map(|region| region.writes()).sum::<u64>();
    /// }
    /// # Ok(writes)
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// If the table's name is not valid, or no response of the server comes before the timeout.
    #[doc(alias = "getRegionMetrics")]
    pub async fn region_metrics(&self, server: &ServerName, table: impl Into<TableName>) -> Result<Vec<RegionMetrics>> {
        let table = checked(table)?;
        let read = async {
            let request = pb::GetRegionLoadRequest { table_name: Some(table.to_pb()) };
            let payload = Payload::new("GetRegionLoad", &request);
            let (service, idempotency) = (Service::Admin, Idempotency::ReadOnly);
            let response: pb::GetRegionLoadResponse =
                self.call_at(server, service, &payload, idempotency, self.deadline()).await?;
            let regions = response.region_loads.into_iter().map(RegionMetrics::from_pb).collect::<Option<_>>();
            regions.ok_or_else(|| Error::malformed("the response has a region whose name can't be decoded"))
        };
        read.await.map_err(|error: Error| error.of_operation("region_metrics", &table))
    }
}
