//! Reads rows, and goes on after the last one when the connection breaks.

use std::future::poll_fn;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;
use std::vec;

use futures_util::Stream;
use rowkey::Error;
use rowkey::store::Call;
use tonic::{Status, Streaming};

use super::bounds::within;
use super::codec::{Outgoing, Sent};
use super::connections::Turn;
use super::proto::read_rows_response::CellChunk;
use super::proto::{ReadRowsRequest, ReadRowsResponse};
use super::retry::is_transient;
use super::rows::{Merger, Violation, WireRow};
use super::{Attempts, Client, Effect, request_to, row_set, timed_out};

/// The rows of a ReadRows request, in order, each once. Dropping it ends the scan on the server.
#[derive(Debug)]
pub struct RowStream {
    client: Client,
    /// What is left to read, as of the last attempt.
    request: ReadRowsRequest,
    attempts: Attempts,
    merger: Merger,
    open: Option<(Turn, Streaming<ReadRowsResponse>)>,
    /// The chunks of the last response.
    chunks: vec::IntoIter<CellChunk>,
    /// The rows of this attempt.
    rows: i64,
    /// What ended the attempt, if the next one has not begun.
    failure: Option<Status>,
    state: State,
    /// Responses since the bounds of the call were looked at.
    unchecked: u8,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Reading,
    /// All rows have come, and the end of the stream has not.
    Complete,
    Ended,
}

/// The next thing of a stream.
pub(crate) enum Next {
    Row(WireRow),
    End,
    /// Nothing is there yet.
    Pending,
}

/// How long to wait for the end of a stream whose rows have all come. To drop it earlier would reset it on the server.
pub(super) const END: Duration = Duration::from_millis(100);

/// So many responses that are there are taken without a look at the bounds of the call.
const UNCHECKED: u8 = 64;

impl RowStream {
    pub(super) fn new(client: Client, request: ReadRowsRequest) -> Self {
        let operation = client.operation(
            "ReadRows",
            (&request.table_name, &request.authorized_view_name),
            &request.app_profile_id,
            Effect::Reads,
        );
        let attempts = Attempts::new(operation, client.options().retry_for);
        let merger = Merger::new(request.reversed, None);
        let chunks = Vec::new().into_iter();
        let state = State::Reading;
        Self { client, request, attempts, merger, open: None, chunks, rows: 0, failure: None, state, unchecked: 0 }
    }

    /// Waits for the next row. Returns `None` at the end, and after an error.
    ///
    /// # Errors
    ///
    /// A [`BigtableError`](crate::BigtableError), or that the call has to end. Rows before it are right.
    pub async fn next(&mut self, call: &Call<'_>) -> Result<Option<WireRow>, Error> {
        loop {
            match self.step(Some(call)).await? {
                Next::Row(row) => return Ok(Some(row)),
                Next::End => return Ok(None),
                Next::Pending => {}
            }
        }
    }

    /// The next row if it is there without waiting.
    pub(crate) async fn ready(&mut self) -> Result<Next, Error> {
        self.step(None).await
    }

    async fn step(&mut self, wait: Option<&Call<'_>>) -> Result<Next, Error> {
        let next = self.unchecked_step(wait).await;
        if next.is_err() {
            self.end();
        }
        next
    }

    fn end(&mut self) {
        self.state = State::Ended;
        self.open = None;
        self.chunks = Vec::new().into_iter();
    }

    async fn unchecked_step(&mut self, wait: Option<&Call<'_>>) -> Result<Next, Error> {
        loop {
            if self.state == State::Ended {
                return Ok(Next::End);
            }
            for chunk in self.chunks.by_ref() {
                if let Some(row) = self.merger.push(chunk).map_err(|found| violated(&self.attempts, found))? {
                    self.attempts.retry.progress();
                    self.rows += 1;
                    if self.request.rows_limit == self.rows {
                        self.state = State::Complete;
                        self.chunks = Vec::new().into_iter();
                    }
                    return Ok(Next::Row(row));
                }
            }
            if self.state == State::Complete {
                let Some(call) = wait else { return Ok(Next::Pending) };
                if let Some((_, stream)) = &mut self.open {
                    let _ = within(call, Some(END), stream.message()).await;
                }
                self.end();
                continue;
            }
            if self.unchecked == UNCHECKED {
                let Some(call) = wait else { return Ok(Next::Pending) };
                call.check().map_err(|ended| self.attempts.ended(ended, false))?;
                self.unchecked = 0;
            }
            self.unchecked += 1;
            let response = match &mut self.open {
                Some((_, stream)) => match next_now(stream).await {
                    Poll::Ready(response) => response,
                    Poll::Pending => {
                        let Some(call) = wait else { return Ok(Next::Pending) };
                        let time = self.client.options().attempt_timeout;
                        let waited = within(call, Some(time), stream.message()).await;
                        waited.map_err(|ended| self.attempts.ended(ended, false))?.unwrap_or_else(|| Err(timed_out()))
                    }
                },
                None => {
                    let Some(call) = wait else { return Ok(Next::Pending) };
                    self.reopen(call).await?;
                    continue;
                }
            };
            match response {
                Ok(Some(response)) => self.take(response)?,
                Ok(None) => {
                    self.merger.end().map_err(|found| violated(&self.attempts, found))?;
                    self.end();
                }
                Err(status) => {
                    self.open = None;
                    self.failure = Some(status);
                }
            }
        }
    }

    fn take(&mut self, response: ReadRowsResponse) -> Result<(), Error> {
        if !response.last_scanned_row_key.is_empty() {
            self.attempts.retry.progress();
            self.merger.scanned(response.last_scanned_row_key).map_err(|found| violated(&self.attempts, found))?;
        }
        self.chunks = response.chunks.into_iter();
        Ok(())
    }

    /// Sends the request for what is left.
    async fn reopen(&mut self, call: &Call<'_>) -> Result<(), Error> {
        if let Some(failure) = self.failure.take() {
            if is_transient(&failure) && !self.cut() {
                // All that was asked for has come before the failure.
                self.end();
                return Ok(());
            }
            self.attempts.failed(failure, true, call).await?;
        }
        self.attempts.begin(call)?;
        // A stream lives longer than the call that opens it, so the server is told no time.
        let message = Outgoing::new(Arc::new(self.request.clone()), &Sent::default());
        let request = request_to(message, &self.attempts.operation.route, &self.attempts.cookies, None);
        let path = "/google.bigtable.v2.Bigtable/ReadRows";
        let opening = within(call, Some(self.client.options().attempt_timeout), self.client.open(path, request));
        match opening.await.map_err(|ended| self.attempts.ended(ended, false))? {
            Some(Ok(open)) => self.open = Some(open),
            Some(Err(status)) => self.failure = Some(status),
            None => self.failure = Some(timed_out()),
        }
        Ok(())
    }

    /// Cuts the request to what is left. Returns whether anything is.
    fn cut(&mut self) -> bool {
        let last = self.merger.last().map(<[u8]>::to_vec);
        // What came of a row that is not complete comes again.
        self.merger = Merger::new(self.request.reversed, last.clone());
        let Some(last) = last else { return true };
        if self.request.rows_limit > 0 {
            self.request.rows_limit -= self.rows;
        }
        self.rows = 0;
        self.request.rows = row_set::after(self.request.rows.take(), &last, self.request.reversed);
        self.request.rows.is_some()
    }
}

fn violated(attempts: &Attempts, found: Violation) -> Error {
    attempts.error(Status::internal(format!("the server broke the protocol: {found}")))
}

/// The next response, if it has come.
async fn next_now(stream: &mut Streaming<ReadRowsResponse>) -> Poll<Result<Option<ReadRowsResponse>, Status>> {
    let mut stream = std::pin::Pin::new(stream);
    poll_fn(|context| Poll::Ready(stream.as_mut().poll_next(context))).await.map(Option::transpose)
}
