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
    let entries = entries_of(executor, table, deadline).await?;
    let located = |entry: Entry| {
        let server = entry.location().map(|location| location.server);
        (entry.region, server)
    };
    Ok(entries.into_iter().map(located).collect())
}

/// All regions with the numbers of their last openings, in the order of their keys. The locator learns where they are.
pub(crate) async fn openings_of(
    executor: &Arc<Executor>,
    table: &TableName,
    deadline: Instant,
) -> Result<Vec<(Region, i64)>> {
    let entries = entries_of(executor, table, deadline).await?;
    Ok(entries.into_iter().map(|entry| (entry.region, entry.opening)).collect())
}

async fn entries_of(executor: &Arc<Executor>, table: &TableName, deadline: Instant) -> Result<Vec<Entry>> {
    let mut attempts = executor.attempts(Idempotency::ReadOnly, deadline);
    loop {
        let entries = listed(executor, table, deadline).await?;
        if !entries.is_empty() {
            return Ok(entries);
        }
        let missing = executor.locator.absent(table).await;
        attempts.wait(RetryDecision::missing(missing, table)).await?;
    }
}

async fn listed(executor: &Arc<Executor>, table: &TableName, deadline: Instant) -> Result<Vec<Entry>> {
    let (first, behind) = rows_of(table);
    let scan = Scan::new().start(first).stop_before(behind).family("info");
    let left = deadline.saturating_duration_since(Instant::now());
    let mut rows = Scanner::start(executor.clone(), TableName::meta(), scan, left);
    let (mut entries, asked) = (Vec::new(), Instant::now());
    while let Some(row) = rows.next().await? {
        let Some(entry) = Entry::of(&row).filter(|entry| !entry.gone && entry.region.table() == table) else {
            continue;
        };
        entry.location().into_iter().for_each(|location| executor.locator.learn(location, asked));
        entries.push(entry);
    }
    Ok(entries)
}
