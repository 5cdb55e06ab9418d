//! The regions of a table, as `hbase:meta` lists them.

use std::sync::Arc;

use rowkey_retry::Idempotency;
use tokio::time::Instant;

use super::executor::Executor;
use super::retry::RetryDecision;
use super::scan::Scanner;
use crate::cluster::regions::{Entry, rows_of};
use crate::model::error::Result;
use crate::model::region::Region;
use crate::model::scan::Scan;
use crate::model::server::ServerName;
use crate::model::table_name::TableName;

/// All regions with their servers, in the order of their keys. The locator learns where they are.
pub(crate) async fn regions_of(
    executor: &Arc<Executor>,
    table: &TableName,
    deadline: Instant,
) -> Result<Vec<(Region, Option<ServerName>)>> {
    let mut attempts = executor.attempts(Idempotency::ReadOnly, deadline);
    loop {
        let regions = listed(executor, table, deadline).await?;
        if !regions.is_empty() {
            return Ok(regions);
        }
        let missing = executor.locator.absent(table).await;
        attempts.wait(RetryDecision::missing(missing, table)).await?;
    }
}

async fn listed(
    executor: &Arc<Executor>,
    table: &TableName,
    deadline: Instant,
) -> Result<Vec<(Region, Option<ServerName>)>> {
    let (first, behind) = rows_of(table);
    let scan = Scan::new().start(first).stop_before(behind).family("info");
    let left = deadline.saturating_duration_since(Instant::now());
    let mut rows = Scanner::start(executor.clone(), TableName::meta(), scan, left);
    let (mut regions, asked) = (Vec::new(), Instant::now());
    while let Some(row) = rows.next().await? {
        let Some(entry) = Entry::of(&row).filter(|entry| !entry.gone && entry.region.table() == table) else {
            continue;
        };
        let location = entry.location();
        let server = location.as_ref().map(|location| location.server.clone());
        location.into_iter().for_each(|location| executor.locator.learn(location, asked));
        regions.push((entry.region, server));
    }
    Ok(regions)
}
