//! Options of a client.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Semaphore;

use crate::model::server::Address;
use crate::security::Security;
use crate::time::bounded;

/// Options of a client: the cluster, timeouts and limits. A time of more than a year is a year.
#[doc(alias = "Configuration")]
#[derive(Debug, Clone)]
pub struct Options {
    pub(crate) masters: Vec<Address>,
    pub(crate) zookeeper: Vec<Address>,
    pub(crate) znode: String,
    pub(crate) user: String,
    pub(crate) security: Security,
    pub(crate) timeout: Duration,
    pub(crate) attempt_timeout: Duration,
    pub(crate) meta_timeout: Duration,
    pub(crate) connect_timeout: Duration,
    pub(crate) read_timeout: Duration,
    pub(crate) idle_timeout: Duration,
    pub(crate) first_pause: Duration,
    pub(crate) longest_pause: Duration,
    pub(crate) connections: usize,
    pub(crate) calls: usize,
    pub(crate) batch_calls: usize,
    pub(crate) lookups: usize,
    pub(crate) request_bytes: usize,
    pub(crate) response_bytes: usize,
    pub(crate) resolve: Resolve,
}

/// The port of a master, unless hbase-site.xml says otherwise.
pub(crate) const MASTER: u16 = 16000;
/// The port of ZooKeeper, unless hbase-site.xml says otherwise.
pub(crate) const ZOOKEEPER: u16 = 2181;

/// Pauses grow from it.
const SHORTEST_PAUSE: Duration = Duration::from_millis(1);

impl Default for Options {
    fn default() -> Self {
        let named = |name| std::env::var(name).ok().filter(|user: &String| !user.is_empty());
        Self {
            masters: Vec::new(),
            zookeeper: Vec::new(),
            znode: "/hbase".into(),
            user: named("HADOOP_USER_NAME").or_else(|| named("USER")).unwrap_or_else(|| "hbase-client".into()),
            security: Security::default(),
            timeout: Duration::from_secs(60),
            attempt_timeout: Duration::from_secs(20),
            meta_timeout: Duration::from_secs(10),
            connect_timeout: Duration::from_secs(5),
            read_timeout: Duration::from_secs(30),
            idle_timeout: Duration::from_secs(110),
            first_pause: Duration::from_millis(16),
            longest_pause: Duration::from_secs(10),
            connections: 1,
            calls: 256,
            batch_calls: 4,
            lookups: 8,
            request_bytes: 2 << 20,
            response_bytes: 256 << 20,
            resolve: Resolve::default(),
        }
    }
}

impl Options {
    /// Options of no cluster: add [`masters`](Self::masters), [`zookeeper`](Self::zookeeper) or both. The user is that
    /// of the environment variables `HADOOP_USER_NAME` or `USER`.
    pub fn new() -> Self {
        Self::default()
    }

    /// Masters, active or not, or region servers: any one of them tells where the others are.
    #[doc(alias = "hbase.masters")]
    #[doc(alias = "hbase.client.bootstrap.servers")]
    #[must_use]
    pub fn masters(mut self, masters: impl IntoIterator<Item = Address>) -> Self {
        self.masters = masters.into_iter().collect();
        self
    }

    /// ZooKeeper's servers. If there are masters too, whichever answers first is believed.
    #[doc(alias = "hbase.zookeeper.quorum")]
    #[must_use]
    pub fn zookeeper(mut self, servers: impl IntoIterator<Item = Address>) -> Self {
        self.zookeeper = servers.into_iter().collect();
        self
    }

    /// The parent of HBase's znodes. Default: `/hbase`.
    #[doc(alias = "zookeeper.znode.parent")]
    #[must_use]
    pub fn znode(mut self, parent: impl Into<String>) -> Self {
        self.znode = parent.into();
        self
    }

    /// The user's name, which servers believe. With Kerberos they know who the user is, and this is not sent.
    #[must_use]
    pub fn user(mut self, user: impl Into<String>) -> Self {
        self.user = user.into();
        self
    }

    /// Speaks TLS with all servers of HBase. Those of ZooKeeper are asked without it.
    #[cfg(feature = "tls")]
    #[must_use]
    pub fn tls(mut self, tls: crate::Tls) -> Self {
        self.security.tls = Some(tls);
        self
    }

    /// Authenticates by Kerberos. Servers of ZooKeeper are asked without it, for what everybody may read.
    #[cfg(feature = "kerberos")]
    #[must_use]
    pub fn kerberos(mut self, kerberos: crate::Kerberos) -> Self {
        self.security.kerberos = Some(kerberos);
        self
    }

    /// Timeout of an operation, with its look-ups, retries and backoff; more than a year is a year. Default: 60 s.
    #[doc(alias = "hbase.client.operation.timeout")]
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = bounded(timeout);
        self
    }

    /// Timeout of one attempt, after which the operation makes another. Default: 20 s.
    #[doc(alias = "hbase.rpc.timeout")]
    #[must_use]
    pub fn attempt_timeout(mut self, timeout: Duration) -> Self {
        self.attempt_timeout = bounded(timeout);
        self
    }

    /// Timeout of a look-up of a region, of `hbase:meta` or of the master. Default: 10 s.
    #[doc(alias = "hbase.client.meta.operation.timeout")]
    #[must_use]
    pub fn meta_timeout(mut self, timeout: Duration) -> Self {
        self.meta_timeout = bounded(timeout);
        self
    }

    /// Timeout of connecting; and, after that, of authenticating by Kerberos. Default: 5 s.
    #[doc(alias = "hbase.ipc.client.socket.timeout.connect")]
    #[must_use]
    pub fn connect_timeout(mut self, timeout: Duration) -> Self {
        self.connect_timeout = bounded(timeout);
        self
    }

    /// Closes a connection that has pending calls and received no bytes for this long, or a part of a response with
    /// fewer than 1,024 bytes a second. It must exceed half of the [`attempt_timeout`](Self::attempt_timeout): servers
    /// send heartbeats of long scans at that interval. Default: 30 s.
    #[doc(alias = "hbase.ipc.client.socket.timeout.read")]
    #[must_use]
    pub fn read_timeout(mut self, timeout: Duration) -> Self {
        self.read_timeout = bounded(timeout);
        self
    }

    /// Closes a connection that has had no call for this long. Default: 110 s, because servers close theirs after 120
    /// s.
    #[doc(alias = "hbase.ipc.client.connection.minIdleTimeBeforeClose")]
    #[must_use]
    pub fn idle_timeout(mut self, timeout: Duration) -> Self {
        self.idle_timeout = bounded(timeout);
        self
    }

    /// Backoff between attempts: the first pause, at least 1 ms, and the longest. Each is about twice the one before.
    /// Default: 16 ms, 10 s.
    #[doc(alias = "hbase.client.pause")]
    #[must_use]
    pub fn backoff(mut self, first: Duration, longest: Duration) -> Self {
        self.first_pause = bounded(first).max(SHORTEST_PAUSE);
        self.longest_pause = bounded(longest).max(self.first_pause);
        self
    }

    /// Connections to each server, 1,024 at most. Default: 1.
    #[doc(alias = "hbase.client.ipc.pool.size")]
    #[must_use]
    pub fn connections_per_server(mut self, connections: usize) -> Self {
        self.connections = connections.clamp(1, 1024);
        self
    }

    /// Calls under way at a time on each connection; others wait. They are fewer while the server says that it is
    /// overloaded. Default: 256.
    #[must_use]
    pub fn calls_per_connection(mut self, calls: usize) -> Self {
        self.calls = calls.max(1);
        self
    }

    /// Calls of a batch under way to each server at a time, 1,024 at most. A batch with many actions for a server is
    /// split into about as many, which the server carries out at once. With 1 it goes in one call, like those of HBase's
    /// own client, as far as [`request_bytes`](Self::request_bytes) allow. Default: 4.
    #[must_use]
    pub fn calls_per_batch(mut self, calls: usize) -> Self {
        self.batch_calls = calls.clamp(1, 1024);
        self
    }

    /// Look-ups of regions in `hbase:meta` at a time. Default: 8.
    #[doc(alias = "hbase.client.meta.max.concurrent.locate.per.table")]
    #[must_use]
    pub fn concurrent_lookups(mut self, lookups: usize) -> Self {
        self.lookups = lookups.clamp(1, Semaphore::MAX_PERMITS);
        self
    }

    /// Bytes of one request of a batch, 1 GiB at most; larger ones are split, but puts of one row go together up to 256
    /// KiB. Default: 2 MiB.
    #[doc(alias = "hbase.client.max.perrequest.heapsize")]
    #[must_use]
    pub fn request_bytes(mut self, bytes: usize) -> Self {
        self.request_bytes = bytes.clamp(1, 1 << 30);
        self
    }

    /// Limit of the size of a response, and of a row that a scan assembles from several responses. A larger one is an
    /// error, [`TooLarge`](crate::ErrorKind::TooLarge). At least 1 MiB, which look-ups of regions need. Default: 256
    /// MiB.
    #[must_use]
    pub fn response_bytes(mut self, bytes: usize) -> Self {
        self.response_bytes = bytes.max(1 << 20);
        self
    }

    /// Maps the address of a server in the cluster to the address to connect to. For clients that reach servers by
    /// other addresses than these reach each other: behind NAT, a forwarded port, or outside of the containers in which
    /// they run. Default: the address itself.
    ///
    /// The function is called before each connection to a master or a region server, not to ZooKeeper, and should
    /// return at once. Errors and [`dump`](crate::Client::dump) name servers by their addresses in the cluster.
    ///
    /// ```
    /// use hbase_client::{Address, Options};
    ///
    /// // Containers whose ports are forwarded to this machine.
    /// Options::new().zookeeper([Address::new("127.0.0.1", 2181)]).resolve(|server| Address::new("127.0.0.1", server.port()));
    /// ```
    #[must_use]
    pub fn resolve(mut self, resolve: impl Fn(&Address) -> Address + Send + Sync + 'static) -> Self {
        self.resolve = Resolve(Arc::new(resolve));
        self
    }
}

/// The map from a server's address in the cluster to the address to connect to.
#[derive(Clone)]
pub(crate) struct Resolve(Arc<dyn Fn(&Address) -> Address + Send + Sync>);

impl Resolve {
    pub(crate) fn address(&self, server: &Address) -> Address {
        (self.0)(server)
    }
}

impl Default for Resolve {
    fn default() -> Self {
        Self(Arc::new(Address::clone))
    }
}

impl fmt::Debug for Resolve {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Resolve")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::LONGEST;

    #[test]
    fn what_is_given_is_bounded() {
        let (all, none) = (usize::MAX, 0);
        let backoff = |first, longest| {
            let options = Options::new().backoff(first, longest);
            (options.first_pause, options.longest_pause)
        };
        assert_eq!(backoff(Duration::ZERO, Duration::ZERO), (SHORTEST_PAUSE, SHORTEST_PAUSE));
        assert_eq!(backoff(Duration::MAX, Duration::ZERO), (LONGEST, LONGEST));
        let of = |number: usize| {
            let options = Options::new().connections_per_server(number).calls_per_connection(number);
            let options = options.concurrent_lookups(number).request_bytes(number).response_bytes(number);
            let options = options.calls_per_batch(number);
            let calls = (options.calls, options.batch_calls);
            (options.connections, calls, options.lookups, options.request_bytes, options.response_bytes)
        };
        assert_eq!(of(none), (1, (1, 1), 1, 1, 1 << 20));
        assert_eq!(of(all), (1024, (all, 1024), Semaphore::MAX_PERMITS, 1 << 30, all));
    }
}
