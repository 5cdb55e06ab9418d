//! The routes.

use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::extract::{Query, Request, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use futures_lite::StreamExt;
use rowkey::store::{CallOptions, Cancel};
use serde::Deserialize;
use serde_json::json;
use tokio::sync::Semaphore;

use crate::Limits;
use crate::status::Refused;
use crate::visits::{Visit, Visits, cursor};

/// The most rows of a page.
const MOST_ROWS: usize = 1000;

/// What requests share.
#[derive(Clone)]
pub(crate) struct App {
    visits: Visits,
    limits: Limits,
    cancel: Cancel,
    permits: Arc<Semaphore>,
}

impl App {
    pub(crate) fn new(visits: Visits, limits: Limits, cancel: &Cancel) -> Self {
        Self { visits, limits, cancel: cancel.clone(), permits: Arc::new(Semaphore::new(limits.requests)) }
    }

    fn timeout(&self, headers: &HeaderMap) -> Duration {
        let asked = headers.get("timeout-ms").and_then(|text| text.to_str().ok()?.parse().ok());
        asked.map_or(self.limits.timeout, |ms| Duration::from_millis(ms).min(self.limits.timeout))
    }

    /// The tables for one request: all its calls have one deadline.
    fn of_request(&self, headers: &HeaderMap) -> Visits {
        let options = CallOptions::new().timeout(self.timeout(headers)).cancel(&self.cancel);
        self.visits.with_options(&options.from_now())
    }

    /// The tables for a request whose response is read for as long as it takes: each batch has the timeout.
    fn of_export(&self, headers: &HeaderMap) -> Visits {
        self.visits.with_options(&CallOptions::new().timeout(self.timeout(headers)).cancel(&self.cancel))
    }
}

pub(crate) fn routes(app: App) -> Router {
    Router::new()
        .route("/visits", post(add))
        .route("/users/visits", get(of_user))
        .route("/users/export", get(export))
        .route("/pages/visits", get(of_page))
        .route("/pages/hits", get(hits))
        .layer(from_fn_with_state(app.clone(), limited))
        .with_state(app)
}

/// Refuses requests beyond the number at a time.
async fn limited(State(app): State<App>, request: Request, next: Next) -> Response {
    match app.permits.try_acquire() {
        Ok(_permit) => next.run(request).await,
        Err(_) => (StatusCode::SERVICE_UNAVAILABLE, [(header::RETRY_AFTER, "1")]).into_response(),
    }
}

type Answer = Result<Response, Refused>;

async fn add(State(app): State<App>, headers: HeaderMap, Json(visit): Json<Visit>) -> Answer {
    let is_new = app.of_request(&headers).add(&visit).await?;
    Ok(if is_new { StatusCode::CREATED } else { StatusCode::OK }.into_response())
}

/// A page of a list.
#[derive(Deserialize)]
struct Asked {
    user: Option<String>,
    page: Option<String>,
    #[serde(default = "default_rows")]
    rows: usize,
    after: Option<String>,
}

fn default_rows() -> usize {
    20
}

async fn of_user(State(app): State<App>, headers: HeaderMap, Query(asked): Query<Asked>) -> Answer {
    let after = cursor(asked.after.as_deref()).map_err(Refused::cursor)?;
    let user = asked.user.unwrap_or_default();
    let visited = app.of_request(&headers).of_user(&user, asked.rows.min(MOST_ROWS), after).await?;
    Ok(Json(visited).into_response())
}

async fn of_page(State(app): State<App>, headers: HeaderMap, Query(asked): Query<Asked>) -> Answer {
    let after = cursor(asked.after.as_deref()).map_err(Refused::cursor)?;
    let page = asked.page.unwrap_or_default();
    let visited = app.of_request(&headers).of_page(&page, asked.rows.min(MOST_ROWS), after).await?;
    Ok(Json(visited).into_response())
}

async fn hits(State(app): State<App>, headers: HeaderMap, Query(asked): Query<Asked>) -> Answer {
    let hits = app.of_request(&headers).hits(&asked.page.unwrap_or_default()).await?;
    Ok(Json(json!({ "hits": hits })).into_response())
}

/// The rows go out as they are read. If the client goes away, the body is dropped, and the scan with it.
async fn export(State(app): State<App>, headers: HeaderMap, Query(asked): Query<Asked>) -> Response {
    let rows = app.of_export(&headers).export(&asked.user.unwrap_or_default());
    let lines = rows.map(|row| -> rowkey::Result<Bytes> {
        let (visit, ()) = row?;
        let mut line = serde_json::to_vec(&visit).map_err(rowkey::Error::engine)?;
        line.push(b'\n');
        Ok(line.into())
    });
    ([(header::CONTENT_TYPE, "application/x-ndjson")], Body::from_stream(lines)).into_response()
}
