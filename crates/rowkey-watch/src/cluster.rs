//! Readings from a cluster: each server's counts of the regions of a table.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use futures_util::future::join_all;
use hbase_client::{Admin, Client, Region, RegionMetrics, Result, ServerName, Table};
use rowkey_simulate::run::Key;

use crate::reading::{Counts, Reading, RegionReading, ServerReading, ServerRun};

/// The time that a server has for its counts: one that needs longer is left out of the reading.
const PATIENCE: Duration = Duration::from_secs(2);
/// A server that answers sooner tells of the time of the reading.
const LATE_MS: u64 = 250;
/// A table with at most so many regions is listed at each reading, to know which were opened anew.
const LISTED: usize = 1024;
/// The time for the first response of a master, before which nothing is known.
const FIRST_PATIENCE: Duration = Duration::from_secs(10);

/// Reads the counts of one table's regions.
///
/// A reading is a call to the master, which tells the servers, and one to each of these. The regions are listed, by a
/// scan of `hbase:meta`, at each reading of a table with at most 1,024 of them; else at the first one, and when others
/// are told of. No row of the table is read.
#[derive(Debug)]
pub struct Cluster {
    admin: Admin,
    table: Table,
    begun: Instant,
    regions: Vec<Region>,
    servers: Vec<ServerName>,
    requests: u64,
}

impl Cluster {
    /// Watches a table of a cluster.
    pub fn new(client: &Client, table: &str) -> Self {
        let table = client.table(table);
        let (regions, servers, requests) = <_>::default();
        Self { admin: client.admin(), table, begun: Instant::now(), regions, servers, requests }
    }

    /// The requests that were made of the cluster: one to the master and to each server for a reading, and those of the
    /// lists of regions, each counted once.
    pub const fn requests(&self) -> u64 {
        self.requests
    }

    /// Reads the counts. While no master answers, the servers that it told of last are asked; a server that does not
    /// answer in time tells nothing.
    ///
    /// # Errors
    ///
    /// If the table does not exist; or the user may not ask; or no server is known yet, and no master answers.
    pub async fn read(&mut self) -> Result<Reading> {
        let patience = if self.servers.is_empty() { FIRST_PATIENCE } else { PATIENCE };
        self.requests += 1;
        let is_master_silent = match self.admin.with_timeout(patience).servers().await {
            Ok(servers) => {
                self.servers = servers;
                false
            }
            Err(error) if self.servers.is_empty() || is_refused(&error) => return Err(error),
            Err(_) => true,
        };
        self.requests += self.servers.len() as u64;
        // Servers count on while a master is slow to tell of them.
        let t_ms = self.now_ms();
        let (mut told, servers) = self.metrics(t_ms).await?;
        let all_known = |told: &Told| {
            let is_told = |region: &Region| told.contains_key(region.name().as_ref());
            !told.is_empty() && told.len() == self.regions.len() && self.regions.iter().all(is_told)
        };
        let mut openings = Vec::new();
        if self.regions.len() <= LISTED || !all_known(&told) {
            self.requests += 1;
            let patience = if self.regions.is_empty() { FIRST_PATIENCE } else { PATIENCE };
            match self.table.with_timeout(patience).openings().await {
                Ok(regions) => (self.regions, openings) = regions.into_iter().unzip(),
                Err(error) if self.regions.is_empty() || is_gone(&error) || is_refused(&error) => return Err(error),
                Err(_) => {}
            }
        }
        let region = |(place, region): (usize, &Region)| {
            let (late_ms, counts) = told.remove(region.name().as_ref()).unzip();
            RegionReading {
                start: Key(region.start().to_vec()),
                id: region.id(),
                opening: openings.get(place).copied(),
                late_ms: late_ms.unwrap_or(0),
                counts,
            }
        };
        let regions = self.regions.iter().enumerate().map(region).collect();
        Ok(Reading { t_ms, regions, servers, is_master_silent })
    }

    /// Returns whether the table is disabled: then no server counts its requests.
    ///
    /// # Errors
    ///
    /// If it does not exist, or no response of a master comes in time.
    pub async fn is_disabled(&mut self) -> Result<bool> {
        self.requests += 1;
        let enabled = self.admin.with_timeout(FIRST_PATIENCE).is_enabled(self.table.name().clone()).await?;
        Ok(!enabled)
    }

    /// The time since it was begun.
    fn now_ms(&self) -> u64 {
        u64::try_from(self.begun.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    async fn metrics(&self, t_ms: u64) -> Result<(Told, Vec<ServerReading>)> {
        let admin = self.admin.with_timeout(PATIENCE);
        let calls = self.servers.iter().map(|server| {
            let admin = admin.clone();
            async move {
                let answer = admin.region_metrics(server, self.table.name().clone()).await;
                (server, answer, self.now_ms().saturating_sub(t_ms))
            }
        });
        let (mut told, mut servers) = (Told::new(), Vec::new());
        for (server, answer, ms) in join_all(calls).await {
            if let Some(error) = answer.as_ref().err().filter(|error| is_refused(error)) {
                return Err(error.clone());
            }
            let run = ServerRun { address: server.address().to_string(), start_code: server.start_code() };
            servers.push(ServerReading { run: run.clone(), is_silent: answer.is_err() });
            for metrics in answer.into_iter().flatten().filter(|metrics| metrics.replica_id() == 0) {
                let late_ms = if ms < LATE_MS { 0 } else { ms };
                told.insert(metrics.region_name().to_vec(), (late_ms, (run.clone(), counts(&metrics))));
            }
        }
        Ok((told, servers))
    }
}

/// Counts by the whole names of regions, with the milliseconds by which they are late.
type Told = HashMap<Vec<u8>, (u64, (ServerRun, Counts))>;

fn counts(metrics: &RegionMetrics) -> Counts {
    Counts {
        writes: metrics.writes(),
        reads: metrics.reads(),
        bytes: metrics.file_bytes().saturating_add(metrics.memstore_bytes()),
        files: metrics.files(),
    }
}

/// True if the user may not ask.
fn is_refused(error: &hbase_client::Error) -> bool {
    matches!(error.kind(), hbase_client::ErrorKind::AccessDenied | hbase_client::ErrorKind::Security)
}

fn is_gone(error: &hbase_client::Error) -> bool {
    error.kind() == hbase_client::ErrorKind::TableNotFound
}
