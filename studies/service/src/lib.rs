//! A web service on `rowkey` tables, with [axum]: the visits of a web server, by visitor and by page.
//!
//! ```sh
//! cargo run -p rowkey-service -- visits-db
//! curl -H 'content-type: application/json' 127.0.0.1:8080/visits -d '{"id": 1, "visitor": "192.0.2.250",
//!     "at": "2024-05-30T00:00:00Z", "page": "/projects/lamp", "status": 200, "size": 9870}'
//! curl '127.0.0.1:8080/visitors/192.0.2.250/visits?rows=20'
//! ```
//!
//! | request | response |
//! |---|---|
//! | `POST /visits` | stores a visit, or an array of them, and says how many were new |
//! | `GET /visitors/{visitor}/visits?rows=20&after=CURSOR` | a page of a visitor's visits, newest first, and the cursor to the next |
//! | `GET /visitors/{visitor}/visits.ndjson` | all visits of a visitor as a stream, one JSON object a line |
//! | `GET /pages/{page}/visits?rows=20&after=CURSOR` | a page of the visits of a web page, newest first, by the index |
//! | `GET /pages/{page}/hits?day=2024-05-30` | the number of visits of a web page on a day (UTC), by the counter |
//!
//! A `/` in a path segment is written `%2F`: `/pages/%2Fprojects%2Flamp/visits`. An error of the tables or of a visit
//! is a JSON object with `error`; a cursor that is damaged or of another list is 400.
//!
//! # The engine
//!
//! The service takes any [`AsyncDatabase`]. `src/main.rs` chooses it, a line each:
//!
//! | arguments | engine |
//! |---|---|
//! | `visits-db` | `Unblock::new(Fjall::open(directory)?)` |
//! | `--hbase SITE.XML` | `OneColumn::database(HBase::connect(client).await?)` |
//! | `--bigtable PROJECT/INSTANCE` | `OneColumn::database(Bigtable::connect(instance).await?)` |
//!
//! With an HBase, which `servers/hbase/start` starts; `--namespace` names one that exists:
//!
//! ```sh
//! servers/hbase/start hbase-data
//! cargo run -p rowkey-service -- --hbase hbase-data/conf/hbase-site.xml
//! ```
//!
//! With an emulator of Bigtable, which `servers/bigtable/start` starts:
//!
//! ```sh
//! BIGTABLE_EMULATOR_HOST=127.0.0.1:PORT cargo run -p rowkey-service -- --bigtable my-project/my-instance
//! ```
//!
//! The tests run on all three, and on `Unblock::in_place(Memory::new())`.
//!
//! # Writes
//!
//! A visitor, an instant and an id identify a visit. To send a visit again is safe: the first one stays, and is counted
//! once. So a client that got no response, or an error, sends the same visits again.
//!
//! A request writes, in this order:
//!
//! 1. each visit's mark, a row of `visits.uncounted`;
//! 2. the visits;
//! 3. their rows of the index by page;
//! 4. the counters of their pages and days, by increments;
//! 5. the deletion of the marks.
//!
//! **On fjall** the first three are one atomic batch: a request is stored whole or not at all. **On HBase and
//! Bigtable**, whose writes are atomic by row only, each step begins when all rows of the one before are stored. A
//! reader that asks meanwhile finds a visit by its visitor a moment before it finds it by its page. After an error, or
//! the death of the process, some visits of the request are stored and others are not, and stored ones may lack their
//! index row; there is no index row without its visit. To send them again stores the others, and writes the index rows
//! of those that are stored and marked.
//!
//! On all, counters may be wrong after an error or the death of the process, by the visits of that request, until the
//! next start. Before it accepts requests, it reads the marks that are left, writes the index rows of those that have a
//! visit, counts the index rows of these pages and days, and corrects their counters.
//!
//! **One process at a time writes.** fjall locks its directory. Nothing stops a second process on the same tables of
//! HBase or Bigtable: a visit that is sent to both at once may be counted twice, and the start of one corrects counters
//! that the other increments. Requests of a process that was killed may be applied after its death. So start the next
//! process a second later, not at once.
//!
//! Each step on a server is a `WriteBatch`: one request, or in HBase one a region server.
//!
//! A write runs in a task of its own. A client that goes away does not interrupt it between its steps.
//!
//! # Bounds
//!
//! - **Deadline.** The header `request-timeout-ms` sets the time for a request, up to that of the program. A late read
//!   is given up. A write that has not begun is given up; one that has begun goes on. The response is 504 either way.
//! - **Stream.** The time counts for each batch of a stream, not for the whole. The stream holds two batches of 64 KiB,
//!   and ends its scan when the client goes away. A client that keeps the connection and reads nothing keeps its turn.
//! - **Requests at a time.** Beyond the limit the response is 503 with `retry-after`.
//! - **Stop.** On SIGTERM or ctrl-c the program accepts no connection and lets requests finish for some seconds. Then
//!   it cancels the rest, and closes the engine. Visits whose request got a 2xx response are stored.

#![forbid(unsafe_code)]

mod failure;
mod routes;
mod turn;
mod visits;

use std::sync::Arc;
use std::time::Duration;

use rowkey::nonblocking::AsyncDatabase;
use rowkey::store::Cancel;
use tokio::net::TcpListener;
use tokio::sync::{Semaphore, oneshot};
use tokio::time::timeout;

use self::visits::Visits;
pub use self::visits::{Hit, Visit};

/// Limits of the service.
#[derive(Clone, Debug, clap::Args)]
pub struct Limits {
    /// The most requests at a time
    #[arg(long, default_value_t = 256, value_parser = clap::value_parser!(u32).range(1..=1 << 16))]
    pub requests: u32,
    /// The time of a request, in milliseconds, unless it asks for less
    #[arg(long, default_value_t = 2_000)]
    pub timeout_ms: u64,
    /// How long requests may go on after SIGTERM, in milliseconds, before they are cancelled
    #[arg(long, default_value_t = 5_000)]
    pub finish_ms: u64,
}

/// How long a cancelled request may take to end.
const CANCELLED: Duration = Duration::from_secs(1);

/// The service on the database `D`.
pub struct Service<D> {
    visits: Visits<D>,
    limits: Limits,
    turns: Arc<Semaphore>,
    cancel: Cancel,
}

impl<D: AsyncDatabase + Clone + 'static> Service<D> {
    /// Opens the tables, and corrects the counters that an earlier process left behind.
    pub async fn open(db: D, limits: Limits) -> rowkey::Result<Self> {
        let turns = Arc::new(Semaphore::new(limits.requests as usize));
        Ok(Self { visits: Visits::open(db).await?, limits, turns, cancel: Cancel::new() })
    }

    /// Serves requests until `stop` completes, and then until those that have begun have ended or are cancelled.
    pub async fn serve(self, listener: TcpListener, stop: impl Future<Output = ()> + Send + 'static) {
        let service = Arc::new(self);
        let Limits { requests, finish_ms, .. } = service.limits;
        let (stopping, stopped) = oneshot::channel::<()>();
        let signal = async move {
            stop.await;
            drop(stopping);
        };
        let serving = axum::serve(listener, routes::router(Arc::clone(&service))).with_graceful_shutdown(signal);
        let serving = tokio::spawn(serving.into_future());
        // The sender is dropped, and nothing is sent.
        let _ = stopped.await;
        let mut ended = Box::pin(async {
            let _ = serving.await;
            // Writes whose client is gone have turns too.
            let _ = service.turns.acquire_many(requests).await;
        });
        if timeout(Duration::from_millis(finish_ms), &mut ended).await.is_err() {
            service.cancel.cancel();
            let _ = timeout(CANCELLED, &mut ended).await;
        }
    }
}
