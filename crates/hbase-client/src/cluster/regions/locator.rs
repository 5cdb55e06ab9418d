//! Locations of regions: from the cache, or from a look-up in `hbase:meta` that all who wait share.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use bytes::Bytes;
use rowkey_retry::SingleFlight;
use tokio::sync::Semaphore;
use tokio::time::{Instant, timeout, timeout_at};

use super::cache::{Cache, Place};
use super::meta::{self, Entry};
use crate::cluster::registry::{ActiveMaster, ClusterId, MetaServer, Registry};
use crate::config::options::Options;
use crate::model::error::{CallFault, Cause, Reaction};
use crate::model::region::{Location, Region};
use crate::model::server::{ServerName, Service};
use crate::model::table_name::TableName;
use crate::pb;
use crate::rpc::{Answer, Payload, Pool};
use crate::sync::{Locked, spawn};

/// The reason why a region was not found.
#[derive(Debug, Clone)]
pub(crate) enum Missing {
    /// There is no such table.
    Table,
    /// The table is disabled.
    Disabled,
    /// It may be found later.
    Now(Cause),
}

type Found = Result<Arc<Location>, Missing>;

/// Finds regions: in the cache, or in meta. At most one look-up of a region runs at a time; all who want it wait for
/// that one.
pub(crate) struct Locator {
    shared: Arc<Shared>,
    /// By table and, as no region is known there, the key where the unknown ones begin.
    flights: SingleFlight<(TableName, Bytes), Found>,
    masters: SingleFlight<(), Result<ServerName, Cause>>,
}

struct Shared {
    pool: Arc<Pool>,
    registry: Registry,
    cache: Locked<Cache>,
    master: Locked<Option<ServerName>>,
    permits: Semaphore,
    timeout: Duration,
    lookups: AtomicU64,
}

impl Locator {
    pub(crate) fn new(options: &Options, pool: Arc<Pool>) -> Self {
        let shared = Shared {
            pool,
            registry: Registry::new(options),
            cache: Locked::default(),
            master: Locked::default(),
            permits: Semaphore::new(options.lookups),
            timeout: options.meta_timeout,
            lookups: AtomicU64::new(0),
        };
        Self { shared: Arc::new(shared), flights: SingleFlight::new(spawn), masters: SingleFlight::new(spawn) }
    }

    /// The reason why a table has no regions.
    pub(crate) async fn absent(&self, table: &TableName) -> Missing {
        match self.shared.find_meta().await {
            Ok(meta) => self.shared.absent(&meta, table, Missing::Table).await,
            Err(missing) => missing,
        }
    }

    /// The region at a place of a table, if it is known.
    pub(crate) fn cached(&self, table: &TableName, place: Place<'_>) -> Option<Arc<Location>> {
        self.shared.cache.lock().find(table, place)
    }

    /// The region at a place of a table.
    pub(crate) async fn find(&self, table: &TableName, place: Place<'_>, deadline: Instant) -> Found {
        loop {
            let gap = {
                let cache = self.shared.cache.lock();
                match cache.find(table, place) {
                    Some(found) => return Ok(found),
                    None => cache.gap(table, place),
                }
            };
            let found = self.look_up(table, place, gap, None, deadline).await?;
            // Another one's look-up may have found another region of the gap, which is smaller now.
            if place.is_in(&found) {
                return Ok(found);
            }
        }
    }

    /// Looks again for a region whose server does not answer, unless meta was asked after `since`. What is known stays
    /// if nothing is found.
    pub(crate) async fn look_again(&self, doubted: &Location, since: Instant, deadline: Instant) -> Result<(), Cause> {
        let region = &doubted.region;
        let place = Place::At(region.start());
        // A look-up that is under way may have asked before.
        for _ in 0..2 {
            let before = |asked: Instant| asked <= since;
            if !self.shared.cache.lock().asked(doubted).is_some_and(before) {
                return Ok(());
            }
            if Instant::now() >= deadline {
                return Err(Cause::TimedOut);
            }
            let doubt = Some((doubted.clone(), since));
            match self.look_up(region.table(), place, region.start().clone(), doubt, deadline).await {
                Ok(_) => {}
                Err(Missing::Now(cause)) => return Err(cause),
                Err(Missing::Table | Missing::Disabled) => return Err(no_server()),
            }
        }
        match self.shared.cache.lock().asked(doubted) {
            Some(asked) if asked <= since => Err(Cause::said("hbase:meta tells of an older region")),
            _ => Ok(()),
        }
    }

    async fn look_up(
        &self,
        table: &TableName,
        place: Place<'_>,
        gap: Bytes,
        doubt: Option<(Location, Instant)>,
        deadline: Instant,
    ) -> Found {
        let work = || {
            let (shared, table) = (self.shared.clone(), table.clone());
            let (key, before) = match place {
                Place::At(key) => (Bytes::copy_from_slice(key), false),
                Place::Before(key) => (Bytes::copy_from_slice(key), true),
            };
            async move {
                let place = if before { Place::Before(&key) } else { Place::At(&key) };
                match table.is_meta() {
                    true => shared.find_meta().await,
                    false => timeout(shared.timeout, shared.look_up(&table, place, doubt))
                        .await
                        .unwrap_or(Err(Missing::Now(Cause::said("hbase:meta does not answer in time")))),
                }
            }
        };
        let flight = self.flights.join((table.clone(), gap), work);
        match timeout_at(deadline, flight).await {
            Ok(found) => found.unwrap_or(Err(Missing::Now(Cause::runtime_stopped()))),
            Err(_) => Err(Missing::Now(Cause::TimedOut)),
        }
    }

    /// The active master.
    pub(crate) async fn master(&self, deadline: Instant) -> Result<ServerName, Cause> {
        if let Some(master) = self.shared.master.lock().clone() {
            return Ok(master);
        }
        let work = || {
            let shared = self.shared.clone();
            async move {
                let master = shared.registry.ask::<ActiveMaster>(&shared.pool).await?;
                *shared.master.lock() = Some(master.clone());
                Ok(master)
            }
        };
        let asked = timeout_at(deadline, self.masters.join((), work)).await;
        asked.map_err(|_| Cause::TimedOut)?.unwrap_or_else(|| Err(Cause::runtime_stopped()))
    }

    /// The id of the cluster.
    pub(crate) async fn cluster_id(&self) -> Result<String, Cause> {
        self.shared.registry.ask::<ClusterId>(&self.shared.pool).await
    }

    /// The master is not the active one any more.
    pub(crate) fn forget_master(&self, failed: &ServerName) {
        self.shared.master.lock().take_if(|known| known == failed);
    }

    /// A location failed: it is looked up again when it is needed, if it is still the one that is known.
    pub(crate) fn forget(&self, failed: &Location) {
        self.shared.forget(failed);
    }

    pub(crate) fn moved(&self, failed: &Location, server: ServerName, opening: i64) -> bool {
        self.shared.cache.lock().moved(failed, server, opening)
    }

    pub(crate) fn forget_table(&self, table: &TableName) {
        self.shared.cache.lock().forget_table(table);
    }

    /// Adds what a scan of meta found.
    pub(crate) fn learn(&self, location: Location, asked: Instant) {
        self.shared.cache.lock().insert(Arc::new(location), asked);
    }

    pub(crate) fn known(&self) -> Vec<Arc<Location>> {
        self.shared.cache.lock().all().cloned().collect()
    }

    /// The number of look-ups in meta.
    pub(crate) fn lookups(&self) -> u64 {
        self.shared.lookups.load(Ordering::Relaxed)
    }
}

impl Shared {
    async fn find_meta(&self) -> Found {
        let known = self.cache.lock().find(&TableName::meta(), Place::At(&[]));
        if let Some(known) = known {
            return Ok(known);
        }
        let server = self.registry.ask::<MetaServer>(&self.pool).await.map_err(Missing::Now)?;
        let location = Arc::new(Location { region: Region::meta(), server, opening: 0 });
        self.cache.lock().insert(location.clone(), Instant::now());
        Ok(location)
    }

    async fn look_up(&self, table: &TableName, place: Place<'_>, doubt: Option<(Location, Instant)>) -> Found {
        // The semaphore is never closed.
        let _permit = self.permits.acquire().await;
        if let Some((doubted, since)) = doubt {
            // A look-up of a neighbour may have found it meanwhile.
            let cache = self.cache.lock();
            if cache.asked(&doubted).is_some_and(|asked| asked > since) {
                return Ok(Arc::new(doubted));
            }
        }
        let asked = Instant::now();
        self.lookups.fetch_add(1, Ordering::Relaxed);
        let meta = self.find_meta().await?;
        let request = meta::look_up(table, place);
        let answer = self.ask(&meta, &meta::scan(&request)).await?;
        let rows = meta::rows(&answer).map_err(|fault| later(&meta, fault))?;
        tracing::debug!(%table, rows = rows.len(), "looked up in hbase:meta");
        if rows.is_empty() {
            return Err(self.absent(&meta, table, Missing::Table).await);
        }
        let entries: Vec<_> = rows.iter().filter_map(Entry::of).filter(|entry| entry.region.table() == table).collect();
        let mut found = None;
        for location in entries.iter().filter_map(Entry::location).map(Arc::new) {
            if found.is_none() && place.is_in(&location) {
                found = Some(location.clone());
            }
            self.cache.lock().insert(location, asked);
        }
        match found {
            Some(found) => Ok(found),
            None => Err(self.absent(&meta, table, Missing::Now(no_server())).await),
        }
    }

    /// The reason why no server has a region: its table may be disabled. `unknown`: the reason if meta has no state of
    /// the table.
    async fn absent(&self, meta: &Location, table: &TableName, unknown: Missing) -> Missing {
        let request = meta::state_of(table);
        let payload = Payload { priority: Some(meta::SYSTEM_PRIORITY), ..Payload::new("Get", &request) };
        let answer = self.ask(meta, &payload).await;
        match answer.and_then(|answer| meta::state(&answer).map_err(|fault| later(meta, fault))) {
            Ok(Some(pb::table_state::State::Disabled)) => Missing::Disabled,
            Ok(Some(_)) => Missing::Now(no_server()),
            Ok(None) => unknown,
            Err(missing) => missing,
        }
    }

    async fn ask<M: prost::Message>(&self, meta: &Location, payload: &Payload<'_, M>) -> Result<Answer, Missing> {
        let deadline = Instant::now() + self.timeout;
        let address = meta.server.address();
        let connection = self.pool.connection(address, Service::Client, deadline).await;
        let connection = connection.inspect_err(|_| self.forget(meta)).map_err(|fault| later(meta, fault))?;
        let answer = connection.call(payload, deadline).await;
        if let Err(CallFault::Refused(exception)) = &answer {
            match exception.reaction() {
                Reaction::Relocate => self.forget(meta),
                Reaction::LeaveServer => {
                    self.pool.leave(address);
                    self.forget(meta);
                }
                _ => {}
            }
        }
        // A server of meta that answers nothing may not have it any more: who has it is asked again, which is not asked
        // of it.
        if answer.as_ref().is_err_and(CallFault::doubts_server) {
            self.forget(meta);
        }
        answer.map_err(|fault| later(meta, fault))
    }

    fn forget(&self, failed: &Location) {
        self.cache.lock().forget(failed);
    }
}

fn no_server() -> Cause {
    Cause::said("no server has the region now")
}

fn later(meta: &Location, fault: CallFault) -> Missing {
    Missing::Now(fault.into_cause().at(format_args!("hbase:meta at {}", meta.server.address())))
}
