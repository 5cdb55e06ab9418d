//! A proxy between the client and the servers: it cuts connections, delays responses, and lets nothing through.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use hbase_client::{Address, Options};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{mpsc, watch};
use tokio::time::{Instant, sleep_until};

/// Proxies of all servers, one each, as soon as the client wants to connect.
#[derive(Clone, Default)]
pub(crate) struct Proxy(Arc<Shared>);

#[derive(Default)]
struct Shared {
    ports: Mutex<HashMap<Address, u16>>,
    fault: Mutex<Fault>,
    /// The number of connections that were closed in each direction.
    cut: [AtomicU64; 2],
    /// Counts up when connections that are open then let nothing through any more.
    stalls: watch::Sender<u64>,
    /// Counts up when connections that are open then are closed.
    closes: watch::Sender<u64>,
}

/// The faults of connections. They are looked at when a connection is made, and before each piece of a response.
#[derive(Clone, Default)]
pub(crate) struct Fault {
    /// A connection is closed after a random number of bytes, requests or responses.
    pub(crate) cut_after: Option<Range<u64>>,
    /// The server whose answers come later, and how much.
    pub(crate) slow: Option<(Address, Duration)>,
}

impl Proxy {
    /// Options that go through it.
    pub(crate) fn options(&self, options: Options) -> Options {
        let proxy = self.clone();
        options.resolve(move |server| proxy.of(server))
    }

    pub(crate) fn set(&self, fault: Fault) {
        *self.0.fault.lock().unwrap() = fault;
    }

    /// Closes the connections that are open.
    pub(crate) fn close(&self) {
        self.0.closes.send_modify(|closes| *closes += 1);
    }

    /// From now on, nothing comes or goes on the connections that are open.
    pub(crate) fn stall(&self) {
        self.0.stalls.send_modify(|stalls| *stalls += 1);
    }

    /// The number of connections that were cut while a request, and while a response was on its way.
    pub(crate) fn cuts(&self) -> [u64; 2] {
        [0, 1].map(|direction| self.0.cut[direction].load(Ordering::Relaxed))
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
        while let Ok((near, _)) = listener.accept().await {
            let (proxy, server) = (self.clone(), server.clone());
            tokio::spawn(async move {
                // A server that is not there looks like one that closes.
                let Ok(far) = TcpStream::connect((server.host(), server.port())).await else { return };
                proxy.pass(near, far, server).await;
            });
        }
    }

    /// Passes bytes both ways until one end closes or the connection is cut, and closes both.
    async fn pass(self, mut near: TcpStream, mut far: TcpStream, server: Address) {
        near.set_nodelay(true).unwrap();
        far.set_nodelay(true).unwrap();
        let cut = self.0.fault.lock().unwrap().cut_after.clone();
        let limits = match cut.map(|range| (fastrand::bool(), fastrand::u64(range))) {
            Some((true, bytes)) => [bytes, u64::MAX],
            Some((false, bytes)) => [u64::MAX, bytes],
            None => [u64::MAX; 2],
        };
        let (stalls, mut closes) = (self.0.stalls.subscribe(), self.0.closes.subscribe());
        let (mut near_read, mut near_write) = near.split();
        let (mut far_read, mut far_write) = far.split();
        let delay = || {
            let fault = self.0.fault.lock().unwrap();
            fault.slow.as_ref().filter(|(slow, _)| *slow == server).map_or(Duration::ZERO, |(_, delay)| *delay)
        };
        let requests = copy(&mut near_read, &mut far_write, limits[0], stalls.clone(), || Duration::ZERO);
        let answers = copy(&mut far_read, &mut near_write, limits[1], stalls, delay);
        let (direction, cut) = tokio::select! {
            cut = requests => (0, cut),
            cut = answers => (1, cut),
            _ = closes.changed() => return,
        };
        if cut {
            self.0.cut[direction].fetch_add(1, Ordering::Relaxed);
        }
    }
}

/// Copies bytes until one end closes, or so many have passed: then returns true.
async fn copy(
    from: &mut (impl AsyncReadExt + Unpin),
    to: &mut (impl AsyncWriteExt + Unpin),
    mut left: u64,
    stalls: watch::Receiver<u64>,
    delay: impl Fn() -> Duration,
) -> bool {
    // Bytes on their way, with when they arrive.
    let (queue, mut arriving) = mpsc::channel::<(Instant, Vec<u8>)>(1024);
    let take = async {
        let mut buffer = vec![0; 64 << 10];
        loop {
            let room = usize::try_from(left).unwrap_or(usize::MAX).min(buffer.len());
            let read = match from.read(&mut buffer[..room]).await {
                Ok(0) | Err(_) => return false,
                Ok(read) => read,
            };
            left -= read as u64;
            let _ = queue.send((Instant::now() + delay(), buffer[..read].to_vec())).await;
            if left == 0 {
                // The bytes that were read arrive before the cut.
                drop(queue);
                return true;
            }
        }
    };
    let give = async {
        while let Some((when, bytes)) = arriving.recv().await {
            sleep_until(when).await;
            if stalls.has_changed().unwrap_or(false) {
                std::future::pending::<()>().await;
            }
            if to.write_all(&bytes).await.is_err() {
                return;
            }
        }
    };
    tokio::pin!(take, give);
    tokio::select! {
        cut = &mut take => {
            if cut {
                give.await;
            }
            cut
        }
        () = &mut give => false,
    }
}
