//! A web service over asynchronous tables: who visited which page, and when.
//!
//! ```sh
//! cargo run --release -p rowkey-service -- data --listen 127.0.0.1:8080
//! curl -d '{"user":"ada","at":1307097848000,"page":"/cart"}' -H 'content-type: application/json' 127.0.0.1:8080/visits
//! curl '127.0.0.1:8080/users/visits?user=ada&rows=20'
//! ```
//!
//! | request | response |
//! |---|---|
//! | `POST /visits` | writes a visit: `{"user", "at", "page"}`, `at` in Unix milliseconds |
//! | `GET /users/visits?user=U&rows=N&after=C` | a user's visits, newest first: a page, and the cursor to the next |
//! | `GET /pages/visits?page=P&rows=N&after=C` | a page's visits, newest first, by the index |
//! | `GET /pages/hits?page=P` | how often a page was visited |
//! | `GET /users/export?user=U` | all visits of a user, a line of JSON each, as they are read |
//!
//! **What is atomic.** A visit and its entry in the index are one batch. After that the visit is marked as counted, and the counter is added
//! to if it was not, so a client may send a visit again. If the process ends between the mark and the counter, the counter misses one visit;
//! the index has all.
//!
//! **Deadlines.** Each request has one: the header `timeout-ms`, up to the limit of the service. It bounds each call of the engine. A
//! request that is late is 504, and has written nothing. If that is not known it is 500, and says so.
//!
//! **Stop.** On SIGTERM or Ctrl-C the service accepts nothing more, finishes the requests that it has begun, cancels those that take longer
//! than its limit, and closes the engine.

#![forbid(unsafe_code)]

mod api;
mod status;
mod visits;

use std::sync::Arc;
use std::time::Duration;

use rowkey::nonblocking::AsyncDatabase;
use rowkey::store::Cancel;
use tokio::net::TcpListener;

use self::api::{App, routes};
use self::visits::Visits;

/// Bounds of the service.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The longest deadline of a request.
    pub timeout: Duration,
    /// Number of requests at a time. Those beyond it are 503.
    pub requests: usize,
    /// How long a stop waits for requests that have begun.
    pub grace: Duration,
}

/// Serves requests until `stop` completes.
///
/// # Errors
///
/// An error of the engine when the tables are opened, or of the listener.
pub async fn serve(
    db: Arc<dyn AsyncDatabase>,
    listener: TcpListener,
    limits: Limits,
    stop: impl Future<Output = ()> + Send + 'static,
) -> Result<(), Box<dyn std::error::Error>> {
    let cancel = Cancel::new();
    let app = App::new(Visits::open(db).await?, limits, &cancel);
    let (stopping, stopped) = tokio::sync::oneshot::channel();
    let serving = axum::serve(listener, routes(app)).with_graceful_shutdown(async move {
        stop.await;
        let _ = stopping.send(());
    });
    let too_long = async {
        match stopped.await {
            Ok(()) => tokio::time::sleep(limits.grace).await,
            Err(_) => std::future::pending().await,
        }
    };
    let mut serving = std::pin::pin!(serving.into_future());
    tokio::select! {
        served = &mut serving => served?,
        () = too_long => {
            cancel.cancel();
            // Requests end now. A client that does not read its response is not waited for.
            let _ = tokio::time::timeout(Duration::from_secs(1), serving).await;
        }
    }
    Ok(())
}
