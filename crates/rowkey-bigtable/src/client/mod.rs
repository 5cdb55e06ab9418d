//! A client of Bigtable's API that retries what can be repeated: requests and responses as Google defines them.
//!
//! The tables of this crate are built on it. Use it for what `rowkey` has no name for: filters with labels, samples,
//! appends. Types of requests are those of Google's API, in [`proto`].
//!
//! ```no_run
//! use rowkey::store::CallOptions;
//! use rowkey_bigtable::client::Client;
//! use rowkey_bigtable::client::proto::ReadRowsRequest;
//! use rowkey_bigtable::BigtableOptions;
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> rowkey::Result<()> {
//! let client = Client::new(&BigtableOptions::new("my-project", "my-instance"))?;
//! let request = ReadRowsRequest { table_name: client.table_name("visits"), rows_limit: 10, ..Default::default() };
//! let options = CallOptions::new();
//! let mut rows = client.read_rows(request);
//! while let Some(row) = rows.next(&options.begin("scan", "visits")?).await? {
//!     println!("{}: {} cells", row.key.escape_ascii(), row.cells.len());
//! }
//! # Ok(())
//! # }
//! ```
//!
//! | request | sent again |
//! |---|---|
//! | ReadRows, SampleRowKeys | after every failure that may pass; a scan goes on after its last row |
//! | MutateRow, MutateRows | the same, if each cell has a timestamp and nothing is added or merged; only the entries that failed |
//! | CheckAndMutateRow, ReadModifyWriteRow | only if it was not processed |
//!
//! Failures that may pass: `UNAVAILABLE`, `ABORTED`, `DEADLINE_EXCEEDED`, a broken connection, those with a
//! `RetryInfo`, and a proxy's 429, 502, 503 and 504. A request was not processed if it was not sent, as there was no
//! connection; if the server refused its stream, or went away before it; and if it was refused with a `RetryInfo`.

mod attempts;
mod bounds;
mod causes;
mod codec;
pub(crate) mod connections;
mod entries;
mod flight;
mod headers;
pub(crate) mod large;
pub mod proto;
pub(crate) mod requests;
pub(crate) mod retry;
pub(crate) mod row_set;
mod rows;
mod samples;
mod scan;
mod sending;
mod site;
mod sound;
mod tcp;
#[cfg_attr(not(feature = "google"), path = "no_tokens.rs")]
pub(crate) mod tokens;
mod warm;
mod windows;
mod write;

use std::sync::Arc;
use std::time::Duration;

use prost::Message;
use rowkey::Error;
use rowkey::store::Call;
use tonic::client::Grpc;
use tonic::codegen::http::uri::PathAndQuery;
use tonic::transport::Channel;
use tonic::{Request, Status, Streaming};

use self::attempts::Attempts;
use self::bounds::within;
use self::codec::{Body, Outgoing, Sent, Shared};
use self::connections::{Connections, Renewal, Turn};
pub(crate) use self::entries::{Change, Entries, Timestamp, micros};
use self::headers::{Cookies, Route, write as write_headers};
use self::proto::{CheckAndMutateRowRequest, MutateRowRequest, ReadModifyWriteRowRequest, ReadRowsRequest, Row};
use self::requests::ApiRequest;
pub use self::rows::{WireCell, WireRow};
use self::scan::Ahead;
pub(crate) use self::scan::Next;
pub use self::scan::RowStream;
use self::sending::on_a_connection;
use self::site::Site;
use self::sound::Sound;
use self::tokens::Tokens;
use self::warm::Warming;
use self::windows::Windows;
pub use self::write::EntryError;
use crate::options::BigtableOptions;

/// Connections to an instance. Clones share them.
#[derive(Clone, Debug)]
pub struct Client {
    inner: Arc<Inner>,
}

#[derive(Clone, Debug)]
struct Inner {
    options: BigtableOptions,
    instance: String,
    data: Arc<Connections>,
    scans: Arc<Windows>,
    admin: Arc<Connections>,
    tokens: Tokens,
}

/// A row has at most 256 MiB, and the emulator sends it as one message.
const LARGEST_MESSAGE: usize = 512 << 20;
/// The bytes that a response may have beside its largest row: other rows.
const BESIDE_ROW: usize = 16 << 20;

impl Client {
    /// Connections that are opened when they are first used. Call it inside a tokio runtime, which they run on.
    ///
    /// # Errors
    ///
    /// If an option is not valid, TLS can't be set up, or it is called outside a tokio runtime.
    pub fn new(options: &BigtableOptions) -> Result<Self, Error> {
        let runtime = tokio::runtime::Handle::try_current().map_err(Error::engine)?;
        let site = Site::new(options, &runtime)?;
        let instance = options.instance_name();
        let warming = Warming::new(&instance, &options.app_profile, site.tokens.clone());
        let renewal = Arc::new(Renewal { age: options.connection_age, warming });
        let of_data =
            Connections::new(runtime.clone(), site.data.clone(), options.connections, Some(Arc::clone(&renewal)));
        let scans = Windows::new(options.scan_memory, &of_data, (&runtime, &site.data), options.connections, &renewal);
        let inner = Inner {
            data: of_data,
            scans,
            admin: Connections::new(runtime, site.admin, 1, None),
            tokens: site.tokens,
            instance,
            options: options.clone(),
        };
        Ok(Self { inner: Arc::new(inner) })
    }

    /// The instance's resource name, `projects/PROJECT/instances/INSTANCE`.
    pub fn instance_name(&self) -> &str {
        &self.inner.instance
    }

    /// The resource name of a table of the instance.
    pub fn table_name(&self, table: &str) -> String {
        format!("{}/tables/{table}", self.inner.instance)
    }

    /// The same client with another app profile. An empty one changes nothing.
    pub(crate) fn with_profile(&self, id: &str) -> Self {
        if id.is_empty() {
            return self.clone();
        }
        let mut inner = Inner::clone(&self.inner);
        id.clone_into(&mut inner.options.app_profile);
        Self { inner: Arc::new(inner) }
    }

    pub(crate) fn options(&self) -> &BigtableOptions {
        &self.inner.options
    }

    fn profiled(&self, app_profile_id: &mut String) {
        if app_profile_id.is_empty() {
            app_profile_id.clone_from(&self.inner.options.app_profile);
        }
    }

    /// Reads rows. Nothing is sent before the first row is asked for.
    pub fn read_rows(&self, request: ReadRowsRequest) -> RowStream {
        self.scan(request, usize::MAX)
    }

    /// Reads rows, of which about `bytes` bytes are held.
    pub(crate) fn scan(&self, mut request: ReadRowsRequest, bytes: usize) -> RowStream {
        self.profiled(&mut request.app_profile_id);
        RowStream::new(self.clone(), request, Ahead::Scan(bytes))
    }

    /// Reads rows that somebody waits for, all of them.
    pub(crate) fn read_at_once(&self, mut request: ReadRowsRequest) -> RowStream {
        self.profiled(&mut request.app_profile_id);
        RowStream::new(self.clone(), request, Ahead::Read)
    }

    /// Writes to a row. It is sent again after a failure, if each cell has a timestamp and nothing is added or merged.
    ///
    /// # Errors
    ///
    /// [`Error::OutcomeUnknown`] if it may have been written; with any other error it was not.
    pub async fn mutate_row(&self, mut request: MutateRowRequest, call: &Call<'_>) -> Result<(), Error> {
        self.profiled(&mut request.app_profile_id);
        self.call(request, call).await.map(drop)
    }

    /// Writes to a row by the outcome of a filter. Returns whether the filter matched.
    ///
    /// # Errors
    ///
    /// As [`mutate_row`](Self::mutate_row).
    pub async fn check_and_mutate_row(
        &self,
        mut request: CheckAndMutateRowRequest,
        call: &Call<'_>,
    ) -> Result<bool, Error> {
        self.profiled(&mut request.app_profile_id);
        self.call(request, call).await.map(|response| response.predicate_matched)
    }

    /// Adds to counters of a row, or appends to its values. Returns the new cells.
    ///
    /// # Errors
    ///
    /// As [`mutate_row`](Self::mutate_row).
    pub async fn read_modify_write_row(
        &self,
        mut request: ReadModifyWriteRowRequest,
        call: &Call<'_>,
    ) -> Result<Row, Error> {
        self.profiled(&mut request.app_profile_id);
        self.call(request, call).await.map(|response| response.row.unwrap_or_default())
    }

    /// Makes attempts until one succeeds, may not be repeated, or the call has to end. What changes tables may take
    /// long, and is not to be sent while it may still be under way: an attempt that was sent has all of the call's
    /// time.
    pub(crate) async fn call<Q: ApiRequest>(&self, request: Q, call: &Call<'_>) -> Result<Q::Response, Error> {
        let mut attempts = Attempts::new(request.operation(), self);
        let is_patient = Q::IS_ADMIN && attempts.operation.idempotency.is_write();
        let connections = if Q::IS_ADMIN { &self.inner.admin } else { &self.inner.data };
        let request = Arc::new(request);
        loop {
            attempts.begin(call)?;
            let sent = Sent::default();
            let outgoing = attempts.request(Outgoing::new(Arc::clone(&request), &sent), call.remaining());
            let mut sending = Box::pin(self.send(connections, Q::PATH, outgoing));
            let mut answer = within(call, Some(self.options().attempt_timeout), &mut sending).await;
            if is_patient && sent.is_encoded() && matches!(answer, Ok(None)) {
                answer = within(call, None, &mut sending).await;
            }
            match answer {
                Ok(Some(Ok(output))) => return Ok(output),
                Ok(Some(Err(status))) => attempts.failed(status, sent.give_up(), call).await?,
                Ok(None) => {
                    let sent = sent.give_up();
                    attempts.failed(attempts.lateness(sent), sent, call).await?;
                }
                Err(ended) => return Err(attempts.ended(ended, sent.give_up())),
            }
        }
    }

    async fn send<Q: Body + Send + Sync + 'static, R: Message + Default + 'static>(
        &self,
        connections: &Arc<Connections>,
        path: &'static str,
        mut request: Request<Outgoing<Q>>,
    ) -> Result<R, Status> {
        request.get_ref().check()?;
        self.inner.tokens.authorize(&mut request).await?;
        let (_turn, answer) = on_a_connection(connections, request, move |mut grpc, request| {
            let path = PathAndQuery::from_static(path);
            Box::pin(async move { grpc.unary(request, path, Shared::<Q, R>::default()).await })
        })
        .await?;
        Ok(answer.into_inner())
    }

    /// A stream of responses, which counts as in flight until the turn is dropped.
    async fn open<Q: Body + Send + Sync + 'static, R: Message + Default + 'static>(
        &self,
        connections: &Arc<Connections>,
        path: &'static str,
        mut request: Request<Outgoing<Q>>,
    ) -> Result<(Turn, Streaming<R>), Status> {
        request.get_ref().check()?;
        self.inner.tokens.authorize(&mut request).await?;
        let most = self.options().largest_row.saturating_add(BESIDE_ROW);
        let (turn, response) = on_a_connection(connections, request, move |grpc, request| {
            let path = PathAndQuery::from_static(path);
            let mut grpc = grpc.max_decoding_message_size(most);
            Box::pin(async move { grpc.server_streaming(request, path, Shared::<Q, R>::default()).await })
        })
        .await?;
        Ok((turn, response.into_inner()))
    }
}

/// A longer time is not said to the server.
const LONGEST_TIME: Duration = Duration::from_secs(365 * 24 * 60 * 60);

/// A request with its headers. The server is told how long the client will wait.
fn request_to<Q>(
    message: Outgoing<Q>,
    route: &Route,
    cookies: &Cookies,
    time: Option<Duration>,
) -> Request<Outgoing<Q>> {
    let mut request = Request::new(message);
    write_headers(request.metadata_mut(), route, cookies);
    // tonic panics at a time that the header can't say.
    if let Some(time) = time.filter(|time| *time < LONGEST_TIME) {
        // The client's own deadline comes first.
        request.set_timeout(time + Duration::from_secs(1));
    }
    request
}

async fn ready(channel: Channel) -> Result<Grpc<Sound>, Status> {
    let mut grpc = Grpc::new(Sound::new(channel))
        .max_decoding_message_size(LARGEST_MESSAGE)
        .max_encoding_message_size(LARGEST_MESSAGE);
    grpc.ready().await.map_err(Status::from_error)?;
    Ok(grpc)
}

fn timed_out() -> Status {
    Status::deadline_exceeded("the attempt took too long")
}
