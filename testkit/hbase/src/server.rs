//! The server: a script of the test, and a few switches.

use std::collections::HashMap;
use std::io;
use std::sync::atomic::{AtomicI64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use hbase_client::protocol as pb;
use hbase_client::{Address, Client, Options, Table};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use crate::meta::{self, TABLE};
use crate::reply::{Call, Reply};

type Script = Box<dyn Fn(&Call) -> Reply + Send + Sync>;

struct Shared {
    address: Address,
    script: Script,
    calls: Mutex<HashMap<String, usize>>,
    opening: AtomicI64,
    deaf: AtomicUsize,
    empty: AtomicUsize,
}

/// A cluster of one server, in this process. Clones share it.
#[derive(Clone)]
pub struct Fake(Arc<Shared>);

impl Fake {
    /// Starts a server in the present runtime. The script returns the responses to requests to the region and the
    /// master.
    pub fn start(script: impl Fn(&Call) -> Reply + Send + Sync + 'static) -> Self {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
        listener.set_nonblocking(true).expect("a socket without waits");
        let address = Address::new("127.0.0.1", listener.local_addr().expect("the port").port());
        let shared = Shared {
            address,
            script: Box::new(script),
            calls: Mutex::default(),
            opening: AtomicI64::new(1),
            deaf: AtomicUsize::new(0),
            empty: AtomicUsize::new(0),
        };
        let fake = Self(Arc::new(shared));
        let serving = fake.clone();
        let listener = TcpListener::from_std(listener).expect("a runtime");
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let fake = serving.clone();
                // A connection that the client leaves ends with an error.
                tokio::spawn(async move { fake.serve(stream).await.ok() });
            }
        });
        fake
    }

    /// The address of the server.
    pub fn address(&self) -> &Address {
        &self.0.address
    }

    /// Options of a client of the server.
    pub fn options(&self) -> Options {
        Options::new().masters([self.address().clone()])
    }

    /// The table, of a client of its own with a timeout of two minutes.
    pub fn table(&self) -> Table {
        Client::new(self.options().timeout(Duration::from_secs(120))).expect("a client").table(TABLE)
    }

    /// From now on meta says that the region was opened anew.
    pub fn reopen(&self) {
        self.0.opening.fetch_add(1, Ordering::Relaxed);
    }

    /// Leaves the next `questions` requests to meta without a response.
    pub fn silence_meta(&self, questions: usize) {
        self.0.deaf.store(questions, Ordering::Relaxed);
    }

    /// Returns no region for the next `questions` requests to meta.
    pub fn empty_meta(&self, questions: usize) {
        self.0.empty.store(questions, Ordering::Relaxed);
    }

    /// The number of calls of a method that the script has had.
    pub fn calls(&self, method: &str) -> usize {
        self.0.calls.lock().unwrap_or_else(PoisonError::into_inner).get(method).copied().unwrap_or(0)
    }

    /// The number of requests to meta.
    pub fn lookups(&self) -> usize {
        self.calls("meta")
    }

    async fn serve(&self, mut stream: TcpStream) -> io::Result<()> {
        // A response is written in two parts, and must not wait for the client's system.
        stream.set_nodelay(true)?;
        stream.read_exact(&mut [0; 6]).await?;
        next_frame(&mut stream).await?;
        loop {
            let (id, call) = Call::of(next_frame(&mut stream).await?)?;
            let reply = self.reply(call);
            if matches!(reply, Reply::Close) {
                return Ok(());
            }
            if let Some(frame) = reply.frame(id)? {
                stream.write_u32(frame.len() as u32).await?;
                stream.write_all(&frame).await?;
            }
        }
    }

    fn reply(&self, mut call: Call) -> Reply {
        if let Some(reply) = meta::registry(&call.method, &self.0.address) {
            return reply;
        }
        let of_meta = call.method == "Scan" && meta::is_of_meta(&call.read());
        let method = if of_meta { "meta" } else { &*call.method };
        call.nth = {
            let mut calls = self.0.calls.lock().unwrap_or_else(PoisonError::into_inner);
            let count = calls.entry(method.into()).or_default();
            *count += 1;
            *count - 1
        };
        let is_left = |questions: &AtomicUsize| {
            questions.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1)).is_ok()
        };
        match of_meta {
            false => (self.0.script)(&call),
            true if is_left(&self.0.deaf) => Reply::Silence,
            true if is_left(&self.0.empty) => Reply::message(&pb::ScanResponse::default()),
            true => {
                let results = vec![meta::row(&self.0.address, self.0.opening.load(Ordering::Relaxed))];
                Reply::message(&pb::ScanResponse { results, ..Default::default() })
            }
        }
    }
}

/// The next frame, without its length. The first one is the header of the connection.
async fn next_frame(stream: &mut TcpStream) -> io::Result<Bytes> {
    let mut frame = vec![0; stream.read_u32().await? as usize];
    stream.read_exact(&mut frame).await?;
    Ok(frame.into())
}
