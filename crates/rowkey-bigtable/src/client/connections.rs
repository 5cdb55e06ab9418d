//! The connections of a client.
//!
//! hyper sends a request to its connection through a channel of tokio. If the connection ends at the same moment, the
//! channel keeps the request until its last sender is dropped: the request neither fails nor returns. So the client
//! drops the channel of a connection when that is closed, and each request drops its own when it is sent. See
//! docs/bigtable.md.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

use futures_util::FutureExt;
use tokio::runtime::Handle;
use tonic::Status;
use tonic::transport::{Channel, Endpoint};

use super::causes::RuntimeEnded;
use super::flight::{Flight, Load};
use super::retry::is_broken;
use super::tcp::Connector;
use super::warm::Warming;

/// An endpoint with the windows and the keepalive that Bigtable needs.
///
/// h2 closes a connection if its unread frames of under 256 bytes cost more than half of the connection's window; each
/// costs what it is shorter than 256, and the emulator sends a frame for each row. So the connection's window is as
/// large as HTTP/2 allows. A small window of each stream bounds what is kept of a scan that nobody reads.
pub(crate) fn endpoint(address: &str, connect_timeout: Duration) -> Result<Endpoint, tonic::transport::Error> {
    Ok(Endpoint::from_shared(address.to_owned())?
        .user_agent(concat!("rowkey-bigtable/", env!("CARGO_PKG_VERSION")))?
        .connect_timeout(connect_timeout)
        .initial_stream_window_size(u32::try_from(WINDOW).unwrap_or(u32::MAX))
        .initial_connection_window_size(LARGEST_WINDOW)
        .http2_keep_alive_interval(Duration::from_secs(30))
        .keep_alive_timeout(Duration::from_secs(10))
        .keep_alive_while_idle(true))
}

/// The window of a stream. Scans may have smaller ones.
pub(super) const WINDOW: usize = 256 << 10;
const LARGEST_WINDOW: u32 = i32::MAX.unsigned_abs();

/// The most connections of a client.
const MOST: usize = 256;
/// The number of requests in flight with which a connection is full: the service allows about as many streams, and as
/// many scans that nobody reads fill less than half of the connection's window.
const FULL: usize = 100;

/// Connections that take turns, each replaced when it is old.
#[derive(Debug)]
pub(crate) struct Connections {
    /// All run on it, whoever uses them: the runtime of a caller may end before the client.
    runtime: Handle,
    endpoint: Endpoint,
    renewal: Option<Arc<Renewal>>,
    /// As many as there may be. A connection is made when its place is first used.
    places: Vec<Arc<Place>>,
    /// The number of connections that stay open when nothing is in flight.
    kept: usize,
    /// The number of places in use.
    count: AtomicUsize,
    next: AtomicUsize,
    /// The number of requests in flight with which a connection is full.
    full: AtomicUsize,
}

/// The replacement of connections by new ones, which are warmed first.
#[derive(Debug)]
pub(super) struct Renewal {
    pub(super) age: Duration,
    pub(super) warming: Warming,
}

#[derive(Debug, Default)]
struct Place {
    connection: Mutex<Option<Arc<Connection>>>,
    is_being_replaced: AtomicBool,
}

impl Place {
    fn lock(&self) -> MutexGuard<'_, Option<Arc<Connection>>> {
        self.connection.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Puts a connection in place of the one that is there, if it was not closed in the meantime.
    fn put(&self, new: Arc<Connection>) {
        let mut place = self.lock();
        let old = if new.is_closed() { None } else { place.replace(new) };
        drop(place);
        drop(old);
    }

    /// Lets go of the connection if it was closed.
    fn let_go(&self) {
        let closed = self.lock().take_if(|connection| connection.is_closed());
        drop(closed);
    }
}

#[derive(Debug)]
struct Connection {
    channel: Channel,
    /// The time from which the connection is old, and is replaced. Not all connections of a client are replaced at
    /// once.
    old_from: Option<Instant>,
    is_closed: Arc<AtomicBool>,
    load: Arc<Load>,
}

impl Connection {
    fn new(endpoint: &Endpoint, renewal: Option<&Renewal>, place: Weak<Place>) -> Arc<Self> {
        let is_closed = Arc::new(AtomicBool::new(false));
        let close = {
            let is_closed = Arc::clone(&is_closed);
            move || {
                is_closed.store(true, Ordering::Release);
                if let Some(place) = place.upgrade() {
                    place.let_go();
                }
            }
        };
        let connector = Connector::new(endpoint.get_connect_timeout(), close);
        let channel = endpoint.connect_with_connector_lazy(connector);
        let age = renewal.map(|renewal| renewal.age.mul_f64(0.9 + fastrand::f64() / 10.0));
        let old_from = age.and_then(|age| Instant::now().checked_add(age));
        Arc::new(Self { channel, old_from, is_closed, load: Arc::default() })
    }

    fn is_old(&self) -> bool {
        self.old_from.is_some_and(|from| Instant::now() > from)
    }

    fn is_closed(&self) -> bool {
        self.is_closed.load(Ordering::Acquire)
    }
}

/// A request that counts as in flight on its connection until this is dropped.
#[derive(Debug)]
pub(crate) struct Turn {
    flight: Arc<Flight>,
    at: usize,
    connections: Weak<Connections>,
}

impl Turn {
    pub(super) fn flight(&self) -> &Arc<Flight> {
        &self.flight
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        if self.flight.end()
            && let Some(connections) = self.connections.upgrade()
        {
            connections.let_go(self.at);
        }
    }
}

impl Connections {
    /// Creates `count` connections, each opened when it is first used.
    pub(super) fn new(runtime: Handle, endpoint: Endpoint, count: usize, renewal: Option<Arc<Renewal>>) -> Arc<Self> {
        let places = (0..MOST).map(|_| Arc::default()).collect();
        let kept = count.clamp(1, MOST);
        let (count, next, full) = (AtomicUsize::new(kept), AtomicUsize::new(0), AtomicUsize::new(FULL));
        Arc::new(Self { runtime, endpoint, renewal, places, kept, count, next, full })
    }

    /// The connection with the fewest requests in flight. If it is full, one more is opened.
    pub(crate) fn turn(self: &Arc<Self>) -> (Channel, Turn) {
        let first = self.next.fetch_add(1, Ordering::Relaxed);
        let count = self.count.load(Ordering::Relaxed);
        let mut best: Option<(usize, Arc<Connection>, usize)> = None;
        let mut spare = (count < MOST).then_some(count);
        for step in 0..count {
            let at = first.wrapping_add(step) % count;
            if at >= self.kept && self.places[at].lock().is_none() {
                spare = Some(at);
                continue;
            }
            let connection = self.current(at);
            let in_flight = connection.load.in_flight();
            if best.as_ref().is_none_or(|(_, _, fewest)| in_flight < *fewest) {
                best = Some((at, connection, in_flight));
            }
            if in_flight == 0 {
                break;
            }
        }
        let full = self.full.load(Ordering::Relaxed);
        let (at, connection) = match (best, spare) {
            (Some((.., fewest)), Some(at)) if fewest >= full => {
                self.count.fetch_max(at + 1, Ordering::Relaxed);
                (at, self.current(at))
            }
            (Some((at, connection, _)), _) => (at, connection),
            (None, _) => (0, self.current(0)),
        };
        if connection.is_old() {
            self.replace(at);
        }
        let flight = Arc::new(connection.load.begin());
        (connection.channel.clone(), Turn { flight, at, connections: Arc::downgrade(self) })
    }

    /// A request still has no stream. If its connection has others, the server allows no more: then it is full with
    /// them. Returns whether there is room in another one.
    pub(super) fn is_room_beside(&self, turn: &Turn) -> bool {
        let open = turn.flight.open_beside();
        if open == 0 {
            return false;
        }
        let full = self.full.fetch_min(open, Ordering::AcqRel).min(open);
        let count = self.count.load(Ordering::Relaxed);
        let has_room = |at: usize| self.current(at).load.in_flight() < full;
        count < MOST || (0..count).any(|at| at != turn.at && has_room(at))
    }

    /// Nothing is in flight at a place. A connection that was opened because others were full is closed.
    fn let_go(&self, at: usize) {
        if at < self.kept {
            return;
        }
        let is_idle = |connection: &mut Arc<Connection>| connection.load.in_flight() == 0;
        let idle = self.places[at].lock().take_if(is_idle);
        drop(idle);
        let mut count = self.count.load(Ordering::Relaxed);
        while count > self.kept && self.places[count - 1].lock().is_none() {
            match self.count.compare_exchange(count, count - 1, Ordering::Relaxed, Ordering::Relaxed) {
                Ok(_) => count -= 1,
                Err(now) => count = now,
            }
        }
    }

    /// The status of a request; or, if its connection failed and the runtime has ended, a status that says so: nothing
    /// else can come of any request then.
    pub(crate) fn explained(&self, status: Status) -> Status {
        if !is_broken(&status) || !self.has_ended() {
            return status;
        }
        let mut ended = Status::new(status.code(), "there are no connections any more");
        ended.set_source(Arc::new(RuntimeEnded));
        ended
    }

    /// A task of a runtime that has ended is over when it is made.
    fn has_ended(&self) -> bool {
        self.runtime.spawn(async {}).now_or_never().is_some_and(|joined| joined.is_err())
    }

    fn current(&self, at: usize) -> Arc<Connection> {
        Arc::clone(self.places[at].lock().get_or_insert_with(|| self.connect(at)))
    }

    fn connect(&self, at: usize) -> Arc<Connection> {
        let _inside = self.runtime.enter();
        Connection::new(&self.endpoint, self.renewal.as_deref(), Arc::downgrade(&self.places[at]))
    }

    /// Opens and warms a new connection, and then puts it in the place of the old one. Requests that are in flight on
    /// the old one end there. If no new one can be had, the old one is kept for now.
    fn replace(self: &Arc<Self>, at: usize) {
        if self.places[at].is_being_replaced.swap(true, Ordering::AcqRel) {
            return;
        }
        let connections = Arc::clone(self);
        self.runtime.spawn(async move {
            let Some(renewal) = &connections.renewal else { return };
            let new = connections.connect(at);
            let is_warm = renewal.warming.warm(new.channel.clone()).await;
            if is_warm {
                connections.places[at].put(new);
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

/// The pause before the next try to replace an old connection, which is kept meanwhile.
const NEXT_TRY: Duration = Duration::from_secs(1);
