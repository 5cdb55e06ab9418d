//! A proxy between clients and the emulator. It cuts connections after so many bytes or at a request, holds requests,
//! stalls, and refuses connections.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rowkey_testkit::Random;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::time::{sleep, timeout};

use super::load::HANGS;

/// The proxy ends with the runtime that it was started in.
pub(crate) struct Proxy {
    port: u16,
    shared: Arc<Shared>,
}

struct Shared {
    target: String,
    /// True if the proxy is to take connections.
    open: watch::Sender<bool>,
    /// True if the proxy takes connections now.
    is_open: watch::Sender<bool>,
    stalled: watch::Sender<bool>,
    /// Each change of it cuts all connections.
    cuts: watch::Sender<u64>,
    /// True if a request is held.
    held: watch::Sender<bool>,
    released: watch::Sender<bool>,
    seen: Mutex<Seen>,
}

#[derive(Default)]
struct Seen {
    /// By which connections are cut after so many bytes, if they are.
    random: Option<Random>,
    /// The binary logarithm of the fewest bytes.
    least: u64,
    at_request: Option<(usize, AtRequest)>,
    /// The request whose answer is cut off.
    answer: Option<Stream>,
    connections: u64,
    requests: usize,
    resets: usize,
    cut_by_bytes: usize,
    bytes_to_clients: u64,
    open: BTreeSet<Stream>,
}

/// A stream of a connection.
type Stream = (u64, u32);

/// The fate of a request. Every later connection is refused if it is cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AtRequest {
    /// Its connection is cut before it comes to the server.
    Lost,
    /// Its connection is cut when the server answers.
    AnswerLost,
    /// It waits for [`Proxy::release`].
    Held,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum From {
    Client,
    Server,
}

#[derive(PartialEq, Eq)]
enum Verdict {
    Pass,
    Cut,
    Hold,
}

/// A port that no outgoing connection takes meanwhile: they have higher ones.
pub(crate) fn free_port() -> u16 {
    loop {
        let port = fastrand::u16(20_000..32_000);
        if std::net::TcpListener::bind(("127.0.0.1", port)).is_ok() {
            return port;
        }
    }
}

impl Proxy {
    /// In front of `target`. It cuts nothing yet.
    pub(crate) async fn start(target: &str) -> Self {
        let channel = || watch::Sender::new(false);
        let shared = Arc::new(Shared {
            target: target.to_owned(),
            open: watch::Sender::new(true),
            is_open: channel(),
            stalled: channel(),
            cuts: watch::Sender::new(0),
            held: channel(),
            released: channel(),
            seen: Mutex::default(),
        });
        let proxy = Self { port: free_port(), shared: Arc::clone(&shared) };
        tokio::spawn(serve(proxy.port, shared));
        proxy.wait(&proxy.shared.is_open, true, "the proxy listens").await;
        proxy
    }

    pub(crate) fn host(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    /// Connections that are opened from now on are cut after so many bytes; without a seed they are not.
    pub(crate) fn cut_by(&self, seed: Option<u64>) {
        let mut seen = self.shared.seen();
        (seen.random, seen.least) = (seed.map(Random), 0);
    }

    /// The same, but each connection has time for a request.
    pub(crate) fn cut_later_by(&self, seed: u64) {
        let mut seen = self.shared.seen();
        (seen.random, seen.least) = (Some(Random(seed)), 10);
    }

    /// Cuts all connections.
    pub(crate) fn cut(&self) {
        self.shared.cuts.send_modify(|cuts| *cuts += 1);
    }

    /// Takes no connections. Those that are open go on.
    pub(crate) async fn refuse(&self) {
        self.shared.open.send_replace(false);
        self.wait(&self.shared.is_open, false, "the proxy does not listen").await;
    }

    pub(crate) async fn accept(&self) {
        self.shared.open.send_replace(true);
        self.wait(&self.shared.is_open, true, "the proxy listens").await;
    }

    /// Sets whether bytes wait.
    pub(crate) fn stall(&self, stalled: bool) {
        self.shared.stalled.send_replace(stalled);
    }

    /// Sets the fate of the request of this number from now on; the first one is 0.
    pub(crate) fn at_request(&self, number: usize, what: AtRequest) {
        self.shared.held.send_replace(false);
        self.shared.released.send_replace(false);
        let mut seen = self.shared.seen();
        seen.requests = 0;
        seen.at_request = Some((number, what));
    }

    /// Waits until a request is held.
    pub(crate) async fn held(&self) {
        let _ = self.shared.held.subscribe().wait_for(|held| *held).await;
    }

    pub(crate) fn release(&self) {
        self.shared.released.send_replace(true);
    }

    /// The number of requests since [`at_request`](Self::at_request).
    pub(crate) fn requests(&self) -> usize {
        self.shared.seen().requests
    }

    /// The number of streams that clients have reset.
    pub(crate) fn resets(&self) -> usize {
        self.shared.seen().resets
    }

    /// The number of connections that were cut after some bytes.
    pub(crate) fn cut_by_bytes(&self) -> usize {
        self.shared.seen().cut_by_bytes
    }

    pub(crate) fn bytes_to_clients(&self) -> u64 {
        self.shared.seen().bytes_to_clients
    }

    /// The number of streams that neither ended nor were reset.
    pub(crate) fn open_streams(&self) -> usize {
        self.shared.seen().open.len()
    }

    async fn wait(&self, state: &watch::Sender<bool>, expected: bool, what: &str) {
        let mut changes = state.subscribe();
        let waited = timeout(HANGS, changes.wait_for(|state| *state == expected)).await;
        assert!(waited.is_ok(), "{what}");
    }
}

async fn serve(port: u16, shared: Arc<Shared>) {
    let mut open = shared.open.subscribe();
    loop {
        let _ = open.wait_for(|open| *open).await;
        let Ok(listener) = TcpListener::bind(("127.0.0.1", port)).await else {
            sleep(Duration::from_millis(20)).await;
            continue;
        };
        shared.is_open.send_replace(true);
        loop {
            tokio::select! {
                biased;
                _ = open.wait_for(|open| !*open) => break,
                accepted = listener.accept() => if let Ok((client, _)) = accepted {
                    tokio::spawn(connection(client, Arc::clone(&shared)));
                },
            }
        }
        drop(listener);
        shared.is_open.send_replace(false);
    }
}

async fn connection(client: TcpStream, shared: Arc<Shared>) {
    let mut cuts = shared.cuts.subscribe();
    let (id, [of_client, of_server]) = shared.connect();
    let Ok(server) = TcpStream::connect(&shared.target).await else { return };
    for socket in [&client, &server] {
        let _ = socket.set_nodelay(true);
    }
    let (from_client, to_client) = client.into_split();
    let (from_server, to_server) = server.into_split();
    tokio::select! {
        () = pump(from_client, to_server, From::Client, id, of_client, &shared) => {}
        () = pump(from_server, to_client, From::Server, id, of_server, &shared) => {}
        _ = cuts.changed() => {}
    }
    shared.seen().open.retain(|(connection, _)| *connection != id);
}

/// Forwards at most so many bytes.
async fn pump(
    mut reader: OwnedReadHalf,
    mut writer: OwnedWriteHalf,
    from: From,
    connection: u64,
    most: usize,
    shared: &Shared,
) {
    let mut buffer = vec![0; 16 << 10];
    let mut frames = Frames::new(from);
    let mut left = most;
    loop {
        let Ok(read @ 1..) = reader.read(&mut buffer).await else { return };
        let mut rest = &buffer[..read.min(left)];
        left -= rest.len();
        while !rest.is_empty() {
            let _ = shared.stalled.subscribe().wait_for(|stalled| !*stalled).await;
            let (passed, verdict) = frames.read(rest, |frame| shared.see(from, connection, frame));
            let (now, later) = rest.split_at(passed);
            if writer.write_all(now).await.is_err() {
                return;
            }
            if from == From::Server {
                shared.seen().bytes_to_clients += now.len() as u64;
            }
            match verdict {
                Verdict::Pass => {}
                Verdict::Cut => {
                    // No other connection gets through either.
                    shared.open.send_replace(false);
                    shared.cuts.send_modify(|cuts| *cuts += 1);
                    return;
                }
                Verdict::Hold => {
                    shared.held.send_replace(true);
                    let _ = shared.released.subscribe().wait_for(|released| *released).await;
                }
            }
            rest = later;
        }
        if left == 0 {
            shared.seen().cut_by_bytes += 1;
            return;
        }
    }
}

impl Shared {
    fn seen(&self) -> MutexGuard<'_, Seen> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The number of a new connection, and how many bytes come through from the client and from the server.
    fn connect(&self) -> (u64, [usize; 2]) {
        let mut seen = self.seen();
        seen.connections += 1;
        let least = seen.least;
        let Some(random) = &mut seen.random else { return (seen.connections, [usize::MAX; 2]) };
        // Any order of magnitude: within the preface of 24 bytes, within the first request, after many.
        let mut bytes = |most: u64| match random.chance(3) {
            true => usize::MAX,
            false => {
                let magnitude = 1_u64 << (least + random.below(most - least));
                (magnitude + random.below(magnitude)) as usize
            }
        };
        let bytes = [bytes(14), bytes(19)];
        (seen.connections, bytes)
    }

    fn see(&self, from: From, connection: u64, Frame { kind, flags, stream }: Frame) -> Verdict {
        let mut seen = self.seen();
        let stream = (connection, stream);
        match (from, kind) {
            (From::Client, HEADERS) => {
                seen.open.insert(stream);
                let number = seen.requests;
                seen.requests += 1;
                match seen.at_request {
                    Some((at, what)) if at == number => match what {
                        AtRequest::Lost => return Verdict::Cut,
                        AtRequest::AnswerLost => seen.answer = Some(stream),
                        AtRequest::Held => return Verdict::Hold,
                    },
                    _ => {}
                }
            }
            (From::Client, RST_STREAM) => {
                seen.open.remove(&stream);
                seen.resets += 1;
            }
            (From::Server, HEADERS | DATA) => {
                if seen.answer == Some(stream) {
                    seen.answer = None;
                    return Verdict::Cut;
                }
                if flags & END_STREAM != 0 {
                    seen.open.remove(&stream);
                }
            }
            (From::Server, RST_STREAM) => {
                seen.open.remove(&stream);
            }
            _ => {}
        }
        Verdict::Pass
    }
}

const DATA: u8 = 0;
const HEADERS: u8 = 1;
const RST_STREAM: u8 = 3;
const END_STREAM: u8 = 1;

struct Frame {
    kind: u8,
    flags: u8,
    stream: u32,
}

/// The frames of HTTP/2 in one direction.
struct Frames {
    /// Bytes of the preface or of a frame's content that are left.
    skip: usize,
    head: Vec<u8>,
}

impl Frames {
    fn new(from: From) -> Self {
        Self { skip: if from == From::Client { 24 } else { 0 }, head: Vec::with_capacity(9) }
    }

    /// Reads until a frame's head that may not simply pass. Returns the number of bytes.
    fn read(&mut self, bytes: &[u8], mut see: impl FnMut(Frame) -> Verdict) -> (usize, Verdict) {
        let mut at = 0;
        while at < bytes.len() {
            let skipped = self.skip.min(bytes.len() - at);
            self.skip -= skipped;
            at += skipped;
            let Some(byte) = bytes.get(at) else { break };
            self.head.push(*byte);
            at += 1;
            let [high, middle, low, kind, flags, stream @ ..] = self.head.as_slice() else { continue };
            let Ok(stream) = <[u8; 4]>::try_from(stream) else { continue };
            let frame = Frame { kind: *kind, flags: *flags, stream: u32::from_be_bytes(stream) & 0x7fff_ffff };
            self.skip = usize::from(*high) << 16 | usize::from(*middle) << 8 | usize::from(*low);
            self.head.clear();
            let verdict = see(frame);
            if verdict != Verdict::Pass {
                return (at, verdict);
            }
        }
        (at, Verdict::Pass)
    }
}
