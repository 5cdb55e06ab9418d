//! The connections of a client.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use tonic::transport::{Channel, Endpoint};

use super::proto::PingAndWarmRequest;
use super::proto::bigtable_client::BigtableClient;

/// An endpoint with the windows and the keepalive that Bigtable needs.
///
/// h2 closes a connection whose unread frames of under 256 bytes add up to a budget, and the emulator sends a frame for each
/// row. So a stream's window is small, and that of the connection is much larger.
pub(crate) fn endpoint(address: &str, connect_timeout: Duration) -> Result<Endpoint, tonic::transport::Error> {
    Ok(Endpoint::from_shared(address.to_owned())?
        .user_agent(concat!("rowkey-bigtable/", env!("CARGO_PKG_VERSION")))?
        .connect_timeout(connect_timeout)
        .initial_stream_window_size(256 << 10)
        .initial_connection_window_size(64 << 20)
        .http2_keep_alive_interval(Duration::from_secs(30))
        .keep_alive_timeout(Duration::from_secs(10))
        .keep_alive_while_idle(true)
        .tcp_keepalive(Some(Duration::from_secs(60)))
        .tcp_nodelay(true))
}

/// Connections that take turns, each replaced when it is old.
#[derive(Debug)]
pub(crate) struct Connections {
    endpoint: Endpoint,
    age: Duration,
    /// How to warm a new connection.
    warm: PingAndWarmRequest,
    places: Vec<Place>,
    next: AtomicUsize,
}

#[derive(Debug)]
struct Place {
    connection: Mutex<Arc<Connection>>,
    is_being_replaced: AtomicBool,
}

#[derive(Debug)]
struct Connection {
    channel: Channel,
    opened: Instant,
    /// How old it gets: not all connections of a client are replaced at once.
    age: Duration,
    in_flight: AtomicUsize,
}

impl Connection {
    fn new(endpoint: &Endpoint, age: Duration) -> Arc<Self> {
        let age = age.mul_f64(0.9 + fastrand::f64() / 10.0);
        Arc::new(Self { channel: endpoint.connect_lazy(), opened: Instant::now(), age, in_flight: AtomicUsize::new(0) })
    }
}

/// A connection for one request. It counts as in flight until this is dropped.
#[derive(Debug)]
pub(crate) struct Turn(Arc<Connection>);

impl Turn {
    pub(crate) fn channel(&self) -> Channel {
        self.0.channel.clone()
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        self.0.in_flight.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Connections {
    /// So many connections, each opened when it is first used. Call it inside a tokio runtime.
    pub(crate) fn new(endpoint: Endpoint, count: usize, age: Duration, warm: PingAndWarmRequest) -> Arc<Self> {
        let place = |_| Place {
            connection: Mutex::new(Connection::new(&endpoint, age)),
            is_being_replaced: AtomicBool::new(false),
        };
        let places = (0..count.clamp(1, 256)).map(place).collect();
        Arc::new(Self { endpoint, age, warm, places, next: AtomicUsize::new(0) })
    }

    /// The connection with the fewest requests in flight.
    pub(crate) fn turn(self: &Arc<Self>) -> Turn {
        let first = self.next.fetch_add(1, Ordering::Relaxed);
        let mut best: Option<(usize, Arc<Connection>, usize)> = None;
        for step in 0..self.places.len() {
            let at = first.wrapping_add(step) % self.places.len();
            let connection = self.places[at].current();
            let in_flight = connection.in_flight.load(Ordering::Relaxed);
            if best.as_ref().is_none_or(|(_, _, fewest)| in_flight < *fewest) {
                best = Some((at, connection, in_flight));
            }
            if in_flight == 0 {
                break;
            }
        }
        let (at, connection) = match best {
            Some((at, connection, _)) => (at, connection),
            None => (0, self.places[0].current()),
        };
        if connection.opened.elapsed() > connection.age {
            self.replace(at);
        }
        connection.in_flight.fetch_add(1, Ordering::Relaxed);
        Turn(connection)
    }

    /// Opens and warms a new connection, and then puts it in the place of the old one. Requests that are in flight on the
    /// old one end there.
    fn replace(self: &Arc<Self>, at: usize) {
        if self.places[at].is_being_replaced.swap(true, Ordering::AcqRel) {
            return;
        }
        let connections = Arc::clone(self);
        tokio::spawn(async move {
            let new = Connection::new(&connections.endpoint, connections.age);
            let mut client = BigtableClient::new(new.channel.clone());
            // A server that cannot warm a connection has opened it all the same.
            let _ = tokio::time::timeout(WARMING, client.ping_and_warm(connections.warm.clone())).await;
            let place = &connections.places[at];
            *place.connection.lock().unwrap_or_else(PoisonError::into_inner) = new;
            place.is_being_replaced.store(false, Ordering::Release);
        });
    }
}

const WARMING: Duration = Duration::from_secs(10);

impl Place {
    fn current(&self) -> Arc<Connection> {
        Arc::clone(&self.connection.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
