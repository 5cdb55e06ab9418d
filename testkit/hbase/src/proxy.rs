//! Proxies between a client and its servers: they cut connections, delay requests and responses, and let nothing
//! through.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use hbase_client::{Address, Options};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{mpsc, watch};
use tokio::time::{Instant, sleep, sleep_until, timeout};

/// Proxies of all servers, one each, as soon as the client wants to connect.
#[derive(Clone, Default, Debug)]
pub struct Proxy(Arc<Shared>);

#[derive(Default, Debug)]
struct Shared {
    ports: Mutex<HashMap<Address, u16>>,
    fault: Mutex<Fault>,
    /// The number of connections that were closed in each direction.
    cut: [AtomicU64; 2],
    /// The number of connections whose last requests arrived after the client's end was closed.
    late: AtomicU64,
    /// Counts up when connections that are open then let nothing through any more.
    stalls: watch::Sender<u64>,
    /// Counts up when connections that are open then are closed.
    closes: watch::Sender<u64>,
}

/// The faults of connections. They are looked at when a connection is made, and before each piece of a response.
#[derive(Clone, Default, Debug)]
pub struct Fault {
    /// A connection is closed after a random number of bytes, requests or responses.
    pub cut_after: Option<Range<u64>>,
    /// The server whose responses come later, and how much.
    pub slow: Option<(Address, Duration)>,
    /// The client's end of every other connection to a server is closed soon, before its requests arrive. They do so
    /// when half of this time has passed, or up to all of it.
    pub late: Option<Duration>,
}

/// The time for which a server sees a connection whose client has gone, after the last request on it arrived. HBase
/// does not execute the requests of a connection that is closed.
const LINGER: Duration = Duration::from_secs(1);

impl Proxy {
    /// Options that go through it.
    pub fn options(&self, options: Options) -> Options {
        let proxy = self.clone();
        options.resolve(move |server| proxy.of(server))
    }

    /// Sets the faults from now on.
    pub fn set(&self, fault: Fault) {
        *self.0.fault.lock().unwrap() = fault;
    }

    /// Closes the connections that are open.
    pub fn close(&self) {
        self.0.closes.send_modify(|closes| *closes += 1);
    }

    /// From now on, nothing comes or goes on the connections that are open.
    pub fn stall(&self) {
        self.0.stalls.send_modify(|stalls| *stalls += 1);
    }

    /// The number of connections that were cut while a request, and while a response was on its way.
    pub fn cuts(&self) -> [u64; 2] {
        [0, 1].map(|direction| self.0.cut[direction].load(Ordering::Relaxed))
    }

    /// The number of connections whose last requests arrived after the client's end was closed.
    pub fn late(&self) -> u64 {
        self.0.late.load(Ordering::Relaxed)
    }

    fn of(&self, server: &Address) -> Address {
        let mut ports = self.0.ports.lock().unwrap();
        let port = *ports.entry(server.clone()).or_insert_with(|| {
            let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
            listener.set_nonblocking(true).unwrap();
            let port = listener.local_addr().unwrap().port();
            tokio::spawn(self.clone().serve(TcpListener::from_std(listener).unwrap(), server.clone()));
            port
        });
        Address::new("127.0.0.1", port)
    }

    async fn serve(self, listener: TcpListener, server: Address) {
        let mut may_be_late = false;
        while let Ok((near, _)) = listener.accept().await {
            may_be_late = !may_be_late;
            let (proxy, server) = (self.clone(), server.clone());
            tokio::spawn(async move {
                // A server that is not there looks like one that closes.
                let Ok(far) = TcpStream::connect((server.host(), server.port())).await else { return };
                proxy.pass(near, far, server, may_be_late).await;
            });
        }
    }

    /// Passes bytes both ways until one end closes or the connection is cut, and closes both. Requests that are to be
    /// late arrive before the server's end is closed.
    async fn pass(self, near: TcpStream, far: TcpStream, server: Address, may_be_late: bool) {
        near.set_nodelay(true).unwrap();
        far.set_nodelay(true).unwrap();
        let Fault { cut_after: cut, late, .. } = self.0.fault.lock().unwrap().clone();
        let limits = match cut.map(|range| (fastrand::bool(), fastrand::u64(range))) {
            Some((true, bytes)) => [bytes, u64::MAX],
            Some((false, bytes)) => [u64::MAX, bytes],
            None => [u64::MAX; 2],
        };
        let late = late.filter(|_| may_be_late).map(|longest| longest.mul_f64(0.5 + 0.5 * fastrand::f64()));
        let close = async {
            match late {
                Some(late) => sleep(late.mul_f64(0.3 * fastrand::f64())).await,
                None => std::future::pending().await,
            }
        };
        let (stalls, mut closes) = (self.0.stalls.subscribe(), self.0.closes.subscribe());
        let (near_read, mut near_write) = near.into_split();
        let (far_read, mut far_write) = far.into_split();
        let delay = || {
            let fault = self.0.fault.lock().unwrap();
            fault.slow.as_ref().filter(|(slow, _)| *slow == server).map_or(Duration::ZERO, |(_, delay)| *delay)
        };
        let (queue, arriving) = mpsc::channel(QUEUE);
        let mut requests = Box::pin(take(near_read, queue, limits[0], || late.unwrap_or_default()));
        let mut arrivals = Box::pin(give(arriving, &mut far_write, stalls.clone()));
        let (queue, arriving) = mpsc::channel(QUEUE);
        let mut responses = Box::pin(take(far_read, queue, limits[1], delay));
        let mut returns = Box::pin(give(arriving, &mut near_write, stalls));
        let cut = tokio::select! {
            cut = &mut requests => cut.then_some(0),
            cut = &mut responses => cut.then_some(1),
            () = &mut arrivals => return,
            () = &mut returns => None,
            () = close => None,
            _ = closes.changed() => None,
        };
        if let Some(direction) = cut {
            self.0.cut[direction].fetch_add(1, Ordering::Relaxed);
        }
        // The bytes that were read before the cut arrive.
        match cut {
            Some(0) if late.is_none() => (&mut arrivals).await,
            Some(1) => (&mut returns).await,
            _ => {}
        }
        drop((requests, returns));
        drop(near_write);
        if let Some(late) = late {
            self.0.late.fetch_add(1, Ordering::Relaxed);
            // Not for ever: they may be stalled.
            let _ = timeout(late + LINGER, arrivals).await;
            sleep(LINGER).await;
        }
    }
}

/// The most pieces of a direction that are on their way.
const QUEUE: usize = 1024;

/// Bytes on their way, with when they arrive.
type Piece = (Instant, Vec<u8>);

/// Reads bytes until the end is closed, or so many have passed: then returns true.
async fn take(
    mut from: OwnedReadHalf,
    queue: mpsc::Sender<Piece>,
    mut left: u64,
    delay: impl Fn() -> Duration,
) -> bool {
    let mut buffer = vec![0; 64 << 10];
    while left > 0 {
        let room = usize::try_from(left).unwrap_or(usize::MAX).min(buffer.len());
        let read = match from.read(&mut buffer[..room]).await {
            Ok(0) | Err(_) => return false,
            Ok(read) => read,
        };
        left -= read as u64;
        let _ = queue.send((Instant::now() + delay(), buffer[..read].to_vec())).await;
    }
    true
}

/// Writes the bytes that were read as they arrive, until there are no more, or the end is closed.
async fn give(mut arriving: mpsc::Receiver<Piece>, to: &mut OwnedWriteHalf, stalls: watch::Receiver<u64>) {
    while let Some((when, bytes)) = arriving.recv().await {
        sleep_until(when).await;
        if stalls.has_changed().unwrap_or(false) {
            std::future::pending::<()>().await;
        }
        if to.write_all(&bytes).await.is_err() {
            return;
        }
    }
}
