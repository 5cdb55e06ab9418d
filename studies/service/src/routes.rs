//! The requests.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::{FromRequest, Path, Query, Request, State};
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::response::IntoResponse;
use axum::routing::{get, post};
use axum::{BoxError, Json, Router};
use futures_util::StreamExt;
use futures_util::stream::iter;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use rowkey::nonblocking::AsyncDatabase;
use rowkey::{Cursor, Error, civil};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::Service;
use crate::failure::Failure;
use crate::turn::Turn;
use crate::visits::{ByPage, ByVisitor, Checked, Day, Hits, Recorded, Visit};

/// The most rows of a page.
const LONGEST_PAGE: usize = 1000;

/// About how many bytes a stream holds in memory.
const STREAM_BYTES: usize = 128 << 10;

pub(crate) fn router<D: AsyncDatabase + Clone + 'static>(service: Arc<Service<D>>) -> Router {
    Router::new()
        .route("/visits", post(record))
        .route("/visitors/{visitor}/visits", get(of_visitor))
        .route("/visitors/{visitor}/visits.ndjson", get(all_of_visitor))
        .route("/pages/{page}/visits", get(of_page))
        .route("/pages/{page}/hits", get(hits))
        .with_state(service)
}

/// Which page of a list.
#[derive(Deserialize)]
struct Asked {
    #[serde(default = "default_rows")]
    rows: usize,
    after: Option<String>,
}

fn default_rows() -> usize {
    20
}

impl Asked {
    fn rows(&self) -> usize {
        self.rows.clamp(1, LONGEST_PAGE)
    }

    fn after(&self) -> Result<Option<Cursor>, Failure> {
        Ok(self.after.as_deref().map(str::parse).transpose()?)
    }
}

/// A page of a list, and the cursor to the next one.
#[derive(Serialize)]
struct Listed {
    visits: Vec<Visit>,
    next: Option<String>,
}

async fn record<D: AsyncDatabase + Clone + 'static>(
    State(service): State<Arc<Service<D>>>,
    turn: Turn,
    request: Request,
) -> Result<(StatusCode, Json<Recorded>), Failure> {
    let Json(visits) = turn.within("read of the request", Json::from_request(request, &())).await??;
    let visits = match visits {
        Value::Array(visits) => visits.into_iter().map(serde_json::from_value).collect::<Result<_, _>>()?,
        visit => vec![serde_json::from_value(visit)?],
    };
    let visits = Checked::new(visits)?;
    // If the client goes away, this function is dropped where it waits; the task is not.
    let of_task = turn.clone();
    let task = tokio::spawn(async move { service.visits.record(visits, &of_task).await });
    let unknown = |late| Error::OutcomeUnknown { table: "visits".to_owned(), source: Box::new(late) };
    let recorded = turn.within("write", task).await.map_err(unknown)?;
    let recorded = recorded.map_err(|panic| Error::engine(panic.to_string()))??;
    let status = if recorded.is_new() { StatusCode::CREATED } else { StatusCode::OK };
    Ok((status, Json(recorded)))
}

async fn of_visitor<D: AsyncDatabase + Clone + 'static>(
    State(service): State<Arc<Service<D>>>,
    turn: Turn,
    Path(visitor): Path<String>,
    Query(asked): Query<Asked>,
) -> Result<Json<Listed>, Failure> {
    let visits = service.visits.by_visitor.with_options(&turn.options());
    let scan = visits.scan(ByVisitor::prefix().visitor(&visitor)).after(asked.after()?);
    let page = scan.page(asked.rows()).await?;
    let visits = page.rows.into_iter().map(Visit::of).collect();
    Ok(Json(Listed { visits, next: page.next.map(|cursor| cursor.to_string()) }))
}

async fn all_of_visitor<D: AsyncDatabase + Clone + 'static>(
    State(service): State<Arc<Service<D>>>,
    turn: Turn,
    Path(visitor): Path<String>,
) -> Result<impl IntoResponse, Failure> {
    let visits = service.visits.by_visitor.with_options(&turn.options_of_batches());
    let mut rows = visits.scan(ByVisitor::prefix().visitor(&visitor)).batch_bytes(STREAM_BYTES);
    // An error of the first batch has a status of its own. A later one cuts the response off.
    let first = rows.next().await.transpose()?;
    let lines = iter(first.map(Ok)).chain(rows).map(move |row| {
        // The turn ends with the stream.
        let _turn = &turn;
        let mut line = serde_json::to_vec(&Visit::of(row?))?;
        line.push(b'\n');
        Ok::<_, BoxError>(line)
    });
    Ok(([(CONTENT_TYPE, "application/x-ndjson")], Body::from_stream(lines)))
}

async fn of_page<D: AsyncDatabase + Clone + 'static>(
    State(service): State<Arc<Service<D>>>,
    turn: Turn,
    Path(page): Path<String>,
    Query(asked): Query<Asked>,
) -> Result<Json<Listed>, Failure> {
    let index = service.visits.by_page.with_options(&turn.options());
    let page = index.scan(ByPage::prefix().page(&page)).after(asked.after()?).page(asked.rows()).await?;
    let visits = service.visits.named_by(&page.rows, &turn.options()).await?;
    Ok(Json(Listed { visits, next: page.next.map(|cursor| cursor.to_string()) }))
}

#[derive(Deserialize)]
struct OfDay {
    day: Date,
}

#[derive(Serialize)]
struct Counted {
    page: String,
    day: Date,
    hits: i64,
}

async fn hits<D: AsyncDatabase + Clone + 'static>(
    State(service): State<Arc<Service<D>>>,
    turn: Turn,
    Path(page): Path<String>,
    Query(OfDay { day }): Query<OfDay>,
) -> Result<Json<Counted>, Failure> {
    let start = civil::day(day, &TimeZone::UTC)?.start;
    let key = Hits { page, day: Day::new(start)? };
    let hits = service.visits.hits.with_options(&turn.options()).get(&key).await?.unwrap_or(0);
    Ok(Json(Counted { page: key.page, day, hits }))
}
