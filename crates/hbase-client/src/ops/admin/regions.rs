//! Flushes and compactions: calls to the server of each region of a table.

use futures_util::{StreamExt, TryStreamExt, stream};
use rowkey_retry::Idempotency;
use tokio::time::Instant;

use super::{Admin, checked};
use crate::model::error::{CallFault, Cause, Error, Result};
use crate::model::region::Region;
use crate::model::row::CellBlock;
use crate::model::server::Service;
use crate::model::table_name::TableName;
use crate::ops::regions::regions_of;
use crate::ops::request::RegionRequest;
use crate::ops::retry::Polls;
use crate::pb;
use crate::pb::get_region_info_response::CompactionState as State;

/// The state of a table's compaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum CompactionState {
    /// No region is compacted.
    None,
    /// Some files of a region are made one.
    Minor,
    /// All files of a family of a region are made one, without what was deleted and what is too old.
    Major,
}

/// Regions that are asked at a time.
const AT_ONCE: usize = 16;

impl Admin {
    /// Writes what a table has in memory to files, and returns when all regions have. A region that HBase is flushing
    /// just now is not flushed once more.
    ///
    /// # Errors
    ///
    /// If the table does not exist, is disabled, or a region can't be asked in time.
    #[doc(alias = "flushRegion")]
    pub async fn flush(&self, table: impl Into<TableName>) -> Result<()> {
        let table = checked(table)?;
        let done = self.on_regions(&table, &FlushRegion, self.deadline()).await;
        done.map(drop).map_err(|error| error.of_operation("flush", &table))
    }

    /// Makes few files of the many of each region, where HBase finds that worth while, and returns when no region of
    /// the table is being compacted.
    ///
    /// # Errors
    ///
    /// As [`major_compact`](Self::major_compact).
    pub async fn compact(&self, table: impl Into<TableName>) -> Result<()> {
        let table = checked(table)?;
        let done = self.compacted(&table, false).await;
        done.map_err(|error| error.of_operation("compact", &table))
    }

    /// Makes one file of all those of each family and region, without what was deleted and what is too old. Returns
    /// when no region of the table is being compacted. Memstores do not count: [`flush`](Self::flush)
    /// before. It may take hours, so give it a [timeout](Self::with_timeout). Servers go on after that.
    ///
    /// # Errors
    ///
    /// If the table does not exist, is disabled, or a region can't be asked in time. The outcome is unknown if regions
    /// are still being compacted then.
    #[doc(alias = "majorCompact")]
    pub async fn major_compact(&self, table: impl Into<TableName>) -> Result<()> {
        let table = checked(table)?;
        let done = self.compacted(&table, true).await;
        done.map_err(|error| error.of_operation("major_compact", &table))
    }

    /// The state of compaction of a table: the most that is under way in any of its regions.
    ///
    /// # Errors
    ///
    /// If the table does not exist, is disabled, or a region can't be asked in time.
    #[doc(alias = "getCompactionState")]
    pub async fn compaction_state(&self, table: impl Into<TableName>) -> Result<CompactionState> {
        let table = checked(table)?;
        let state = self.state(&table, self.deadline()).await;
        state.map_err(|error| error.of_operation("compaction_state", &table))
    }

    async fn compacted(&self, table: &TableName, major: bool) -> Result<()> {
        let deadline = self.deadline();
        // A compaction that is under way may leave out files that have come since.
        self.no_compaction(table, deadline).await?;
        self.on_regions(table, &CompactRegion { major }, deadline).await?;
        self.no_compaction(table, deadline).await.map_err(Error::outcome_unknown)
    }

    /// Waits until no region of a table is being compacted.
    async fn no_compaction(&self, table: &TableName, deadline: Instant) -> Result<()> {
        let mut polls = Polls::new(deadline);
        while self.state(table, deadline).await? != CompactionState::None {
            if !polls.wait().await {
                return Err(Error::unavailable(Cause::said("regions are still being compacted")));
            }
        }
        Ok(())
    }

    async fn state(&self, table: &TableName, deadline: Instant) -> Result<CompactionState> {
        let states = self.on_regions(table, &GetCompaction, deadline).await?;
        let major = |state: &State| matches!(state, State::Major | State::MajorAndMinor);
        Ok(match () {
            () if states.iter().any(major) => CompactionState::Major,
            () if states.contains(&State::Minor) => CompactionState::Minor,
            () => CompactionState::None,
        })
    }

    /// Sends a request to each region of a table.
    async fn on_regions<Q: RegionRequest>(
        &self,
        table: &TableName,
        request: &Q,
        deadline: Instant,
    ) -> Result<Vec<Q::Output>> {
        let regions = regions_of(&self.executor, table, deadline).await?;
        let calls = regions.into_iter().map(|(region, _)| async move {
            let (mut from, mut all) = (region.start().clone(), Vec::new());
            loop {
                let (location, output) = self.executor.on_row(table, &from, request, deadline).await?;
                all.push(output);
                let end = location.region.end();
                // It may have been split since it was listed.
                match end.is_empty() || (!region.end().is_empty() && end >= region.end()) {
                    true => return Ok::<_, Error>(all),
                    false => from = end.clone(),
                }
            }
        });
        let calls: Vec<_> = calls.collect();
        let all: Vec<Vec<Q::Output>> = stream::iter(calls).buffer_unordered(AT_ONCE).try_collect().await?;
        Ok(all.into_iter().flatten().collect())
    }
}

/// Writes files of what a region has in memory.
struct FlushRegion;

/// Begins a compaction of a region.
struct CompactRegion {
    major: bool,
}

/// Reads the state of a region's compaction.
struct GetCompaction;

/// Requests to a region: the message for it, and how the response is read.
macro_rules! requests {
    ($($request:ty, $method:literal, $idempotency:ident, $message:ty, $response:ty, $output:ty,
        $to:expr, $read:expr;)*) => {$(
        impl RegionRequest for $request {
            const SERVICE: Service = Service::Admin;
            const METHOD: &'static str = $method;
            type Message = $message;
            type Response = $response;
            type Output = $output;

            fn idempotency(&self) -> Idempotency {
                Idempotency::$idempotency
            }

            fn message(&self, region: &Region) -> $message {
                let to: fn(&Self, pb::RegionSpecifier) -> $message = $to;
                to(self, region.specifier())
            }

            fn read(&self, response: $response, _: CellBlock) -> Result<$output, CallFault> {
                let read: fn($response) -> $output = $read;
                Ok(read(response))
            }
        }
    )*};
}

requests! {
    FlushRegion, "FlushRegion", Idempotent, pb::FlushRegionRequest, pb::FlushRegionResponse, (),
        |_, region| pb::FlushRegionRequest { region }, |_| ();
    CompactRegion, "CompactRegion", Idempotent, pb::CompactRegionRequest, pb::CompactRegionResponse, (),
        |request, region| pb::CompactRegionRequest { region, major: Some(request.major) }, |_| ();
    GetCompaction, "GetRegionInfo", ReadOnly, pb::GetRegionInfoRequest, pb::GetRegionInfoResponse, State,
        |_, region| pb::GetRegionInfoRequest { region, compaction_state: Some(true) },
        |response| response.compaction_state();
}
