//! The client of a cluster, which gives tables and the admin.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use tokio::time::Instant;

use crate::config::options::Options;
use crate::model::error::{Error, Result};
use crate::model::region::readable;
use crate::model::table_name::TableName;
use crate::ops::admin::Admin;
use crate::ops::executor::Executor;
use crate::table::Table;

/// A client of one cluster. Clones share its connections and what it knows of regions. It runs in tokio: outside of a
/// runtime, its operations are errors.
///
/// Connections, scans and [`BufferedMutator`](crate::BufferedMutator)s belong to the runtime in which they were begun.
/// After that has stopped, the client opens other connections in the runtime that uses it; scans and `BufferedMutator`s
/// of the stopped one end with an error. Do not share a client between runtimes if one of them may not be polled, such
/// as a current-thread runtime outside of `block_on`: calls over its connections stall.
#[doc(alias = "ConnectionFactory")]
#[doc(alias = "AsyncConnection")]
#[derive(Clone)]
pub struct Client {
    executor: Arc<Executor>,
}

/// Numbers of calls, retries and look-ups of a client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Counters {
    /// Calls to region servers.
    pub calls: u64,
    /// Attempts after the first one of their operations.
    pub retries: u64,
    /// Attempts that failed because a server or a region had too much to do.
    pub overloads: u64,
    /// Look-ups of regions in `hbase:meta`.
    pub lookups: u64,
}

impl Client {
    /// A client with these options. It connects when it is used.
    ///
    /// # Errors
    ///
    /// If the options name no cluster, or files that cannot be read.
    pub fn new(options: Options) -> Result<Self> {
        if options.masters.is_empty() && options.zookeeper.is_empty() {
            return Err(Error::invalid("the options name neither masters nor ZooKeeper"));
        }
        Ok(Self { executor: Arc::new(Executor::new(options)?) })
    }

    /// A table, which need not exist yet. Names may have a namespace: `namespace:table`.
    pub fn table(&self, name: impl Into<TableName>) -> Table {
        Table::new(self.executor.clone(), name.into())
    }

    /// The admin, which creates, changes and drops tables.
    pub fn admin(&self) -> Admin {
        Admin::new(self.executor.clone())
    }

    /// The id of the cluster. It stays the same for all the cluster's life, whatever its servers.
    ///
    /// # Errors
    ///
    /// If no response of a master or a ZooKeeper server of the options comes before the timeout.
    #[doc(alias = "getClusterId")]
    pub async fn cluster_id(&self) -> Result<String> {
        self.executor.cluster_id(Instant::now() + self.executor.options.timeout).await
    }

    /// The numbers so far.
    pub fn counters(&self) -> Counters {
        Counters {
            calls: self.executor.counters.calls.load(Ordering::Relaxed),
            retries: self.executor.counters.retries.load(Ordering::Relaxed),
            overloads: self.executor.counters.overloads.load(Ordering::Relaxed),
            lookups: self.executor.locator.lookups(),
        }
    }

    /// The known regions and the open connections, a line each.
    pub fn dump(&self) -> String {
        let regions = self.executor.locator.known().into_iter().map(|known| {
            let (name, server, opening) = (readable(known.region.name()), &known.server, known.opening);
            format!("region {name} at {server}, opening {opening}\n")
        });
        let connections = self.executor.pool.open().into_iter().map(|(address, service, calls)| {
            format!("connection to {address}, {}, {calls} calls in flight\n", service.name())
        });
        regions.chain(connections).collect()
    }
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client").field("options", &self.executor.options).finish_non_exhaustive()
    }
}
