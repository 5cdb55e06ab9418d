//! The connections of a client.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use tokio::runtime::Handle;
use tonic::transport::{Channel, Endpoint};

use super::warm::Warming;

/// An endpoint with the windows and the keepalive that Bigtable needs.
///
/// h2 closes a connection if its unread frames of under 256 bytes cost more than half of the connection's window; each costs
/// what it is shorter than 256, and the emulator sends a frame for each row. So the connection's window is as large as HTTP/2
/// allows. A small window of each stream bounds what is kept of a scan that nobody reads.
pub(crate) fn endpoint(address: &str, connect_timeout: Duration) -> Result<Endpoint, tonic::transport::Error> {
    Ok(Endpoint::from_shared(address.to_owned())?
        .user_agent(concat!("rowkey-bigtable/", env!("CARGO_PKG_VERSION")))?
        .connect_timeout(connect_timeout)
        .initial_stream_window_size(256 << 10)
        .initial_connection_window_size(LARGEST_WINDOW)
        .http2_keep_alive_interval(Duration::from_secs(30))
        .keep_alive_timeout(Duration::from_secs(10))
        .keep_alive_while_idle(true)
        .tcp_keepalive(Some(Duration::from_secs(60)))
        .tcp_nodelay(true))
}

const LARGEST_WINDOW: u32 = i32::MAX.unsigned_abs();

/// The most connections of a client.
const MOST: usize = 256;
/// With so many requests in flight a connection is full: the service allows about as many streams, and so many scans that nobody
/// reads fill less than half of the connection's window.
const FULL: usize = 100;

/// Connections that take turns, each replaced when it is old.
#[derive(Debug)]
pub(crate) struct Connections {
    /// All run on it, whoever uses them: the runtime of a caller may end before the client.
    runtime: Handle,
    endpoint: Endpoint,
    age: Duration,
    warming: Warming,
    /// As many as there may be. A connection is made when its place is first used.
    places: Vec<Place>,
    /// The number of places in use.
    count: AtomicUsize,
    next: AtomicUsize,
}

#[derive(Debug, Default)]
struct Place {
    connection: Mutex<Option<Arc<Connection>>>,
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
    /// So many connections, each opened when it is first used.
    pub(super) fn new(runtime: Handle, endpoint: Endpoint, count: usize, age: Duration, warming: Warming) -> Arc<Self> {
        let places = (0..MOST).map(|_| Place::default()).collect();
        let count = AtomicUsize::new(count.clamp(1, MOST));
        Arc::new(Self { runtime, endpoint, age, warming, places, count, next: AtomicUsize::new(0) })
    }

    /// The connection with the fewest requests in flight. If it is full, one more is opened.
    pub(crate) fn turn(self: &Arc<Self>) -> Turn {
        let first = self.next.fetch_add(1, Ordering::Relaxed);
        let count = self.count.load(Ordering::Relaxed);
        let mut best: Option<(usize, Arc<Connection>, usize)> = None;
        for step in 0..count {
            let at = first.wrapping_add(step) % count;
            let connection = self.current(at);
            let in_flight = connection.in_flight.load(Ordering::Relaxed);
            if best.as_ref().is_none_or(|(_, _, fewest)| in_flight < *fewest) {
                best = Some((at, connection, in_flight));
            }
            if in_flight == 0 {
                break;
            }
        }
        if best.as_ref().is_some_and(|(.., fewest)| *fewest >= FULL) && count < MOST {
            let _ = self.count.compare_exchange(count, count + 1, Ordering::Relaxed, Ordering::Relaxed);
            best = Some((count, self.current(count), 0));
        }
        let (at, connection) = match best {
            Some((at, connection, _)) => (at, connection),
            None => (0, self.current(0)),
        };
        if connection.opened.elapsed() > connection.age {
            self.replace(at);
        }
        connection.in_flight.fetch_add(1, Ordering::Relaxed);
        Turn(connection)
    }

    fn current(&self, at: usize) -> Arc<Connection> {
        let mut place = self.places[at].connection.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(place.get_or_insert_with(|| {
            let _inside = self.runtime.enter();
            Connection::new(&self.endpoint, self.age)
        }))
    }

    /// Opens and warms a new connection, and then puts it in the place of the old one. Requests that are in flight on the
    /// old one end there. If no new one can be had, the old one is kept for now.
    fn replace(self: &Arc<Self>, at: usize) {
        if self.places[at].is_being_replaced.swap(true, Ordering::AcqRel) {
            return;
        }
        let connections = Arc::clone(self);
        self.runtime.spawn(async move {
            let new = Connection::new(&connections.endpoint, connections.age);
            let is_warm = connections.warming.warm(new.channel.clone()).await;
            if is_warm {
                *connections.places[at].connection.lock().unwrap_or_else(PoisonError::into_inner) = Some(new);
            }
            // A client that is dropped in the meantime is not kept.
            let connections = {
                let weak = Arc::downgrade(&connections);
                drop(connections);
                if !is_warm {
                    tokio::time::sleep(NEXT_TRY).await;
                }
                weak.upgrade()
            };
            if let Some(connections) = connections {
                connections.places[at].is_being_replaced.store(false, Ordering::Release);
            }
        });
    }
}

/// How long an old connection is kept after a new one could not be had.
const NEXT_TRY: Duration = Duration::from_secs(1);
