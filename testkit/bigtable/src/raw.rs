//! HTTP/2 by hand: a server that ends streams and connections as no library does.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// The server's reaction to a request that has come as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Does {
    /// Answers with an empty message.
    Answers,
    /// Resets its stream with this code.
    Resets(u32),
    /// Goes away: the last stream that it has processed is the one before.
    GoesAwayBefore,
    /// Goes away, and closes the connection: the last stream that it has processed is this one.
    GoesAwayWith,
}

/// The codes of `Does::Resets`: <https://www.rfc-editor.org/rfc/rfc9113#section-7>
pub const REFUSED_STREAM: u32 = 7;
/// The stream is not needed any more.
pub const CANCEL: u32 = 8;

/// A server that does something with each request.
#[derive(Debug)]
pub struct Raw {
    asked: Arc<AtomicUsize>,
}

impl Raw {
    /// Serves on a free port, in the runtime's background. Returns the address too. `does` is called with the number of
    /// requests before.
    ///
    /// # Panics
    ///
    /// If no port is free.
    pub async fn start(does: impl Fn(usize) -> Does + Send + Sync + 'static) -> (Self, String) {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("an address").to_string();
        let (asked, does) = (Arc::new(AtomicUsize::new(0)), Arc::new(does));
        let raw = Self { asked: Arc::clone(&asked) };
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (asked, does) = (Arc::clone(&asked), Arc::clone(&does));
                tokio::spawn(async move { serve(stream, || does(asked.fetch_add(1, Ordering::AcqRel))).await });
            }
        });
        (raw, address)
    }

    /// The number of requests.
    pub fn asked(&self) -> usize {
        self.asked.load(Ordering::Acquire)
    }
}

const PREFACE: usize = 24;
const DATA: u8 = 0;
const HEADERS: u8 = 1;
const RST_STREAM: u8 = 3;
const SETTINGS: u8 = 4;
const PING: u8 = 6;
const GOAWAY: u8 = 7;
/// Of `SETTINGS` and `PING`.
const ACK: u8 = 1;
/// Of `DATA` and `HEADERS`.
const END_STREAM: u8 = 1;
const END_HEADERS: u8 = 4;

async fn serve(mut stream: TcpStream, does: impl Fn() -> Does) -> io::Result<()> {
    stream.read_exact(&mut [0; PREFACE]).await?;
    send(&mut stream, SETTINGS, 0, 0, &[]).await?;
    loop {
        let mut head = [0; 9];
        stream.read_exact(&mut head).await?;
        let [a, b, c, kind, flags, id @ ..] = head;
        let mut payload = vec![0; u32::from_be_bytes([0, a, b, c]) as usize];
        stream.read_exact(&mut payload).await?;
        let id = u32::from_be_bytes(id);
        match kind {
            SETTINGS if flags & ACK == 0 => send(&mut stream, SETTINGS, ACK, 0, &[]).await?,
            PING if flags & ACK == 0 => send(&mut stream, PING, ACK, 0, &payload).await?,
            DATA | HEADERS if flags & END_STREAM != 0 => match does() {
                Does::Answers => {
                    let head = [&[STATUS_OK][..], &header("content-type", "application/grpc")].concat();
                    send(&mut stream, HEADERS, END_HEADERS, id, &head).await?;
                    send(&mut stream, DATA, 0, id, &[0; 5]).await?;
                    send(&mut stream, HEADERS, END_HEADERS | END_STREAM, id, &header("grpc-status", "0")).await?;
                }
                Does::Resets(code) => send(&mut stream, RST_STREAM, 0, id, &code.to_be_bytes()).await?,
                Does::GoesAwayBefore => go_away(&mut stream, id.saturating_sub(2)).await?,
                Does::GoesAwayWith => return go_away(&mut stream, id).await,
            },
            _ => {}
        }
    }
}

async fn go_away(stream: &mut TcpStream, last: u32) -> io::Result<()> {
    let no_error = [0; 4];
    send(stream, GOAWAY, 0, 0, &[last.to_be_bytes(), no_error].concat()).await
}

async fn send(stream: &mut TcpStream, kind: u8, flags: u8, id: u32, payload: &[u8]) -> io::Result<()> {
    let len = u32::try_from(payload.len()).unwrap_or_default().to_be_bytes();
    let head = [&len[1..], &[kind, flags], &id.to_be_bytes()].concat();
    stream.write_all(&[&head, payload].concat()).await
}

/// `:status: 200`, as the table of HPACK has it.
const STATUS_OK: u8 = 0x88;

/// A header that is in no table of HPACK.
fn header(name: &str, value: &str) -> Vec<u8> {
    let text = |text: &str| [&[u8::try_from(text.len()).unwrap_or_default()], text.as_bytes()].concat();
    [&[0], &text(name)[..], &text(value)].concat()
}
