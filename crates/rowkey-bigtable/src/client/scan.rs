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
use super::large;
use super::proto::read_rows_response::CellChunk;
use super::proto::{ReadRowsRequest, ReadRowsResponse};
use super::requests::ApiRequest;
use super::retry::is_transient;
use super::rows::{Merger, TOO_LARGE, Violation, WireRow, bytes_of};
use super::windows::Lease;
use super::{Attempts, Client, row_set, timed_out};

/// The rows of a ReadRows request, in order, each once. Dropping it ends the scan on the server.
#[derive(Debug)]
pub struct RowStream {
    client: Client,
    /// The request of the rows that are left to read, as of the last attempt.
    request: ReadRowsRequest,
    attempts: Attempts,
    merger: Merger,
    open: Option<Open>,
    ahead: Ahead,
    /// The chunks of the last response, and about how many bytes each has, and each row.
    chunks: vec::IntoIter<CellChunk>,
    chunk_bytes: usize,
    row_bytes: usize,
    /// The rows of this attempt, and the most that the server was asked for. 0: all.
    rows: i64,
    rows_limit: i64,
    /// The most rows of an attempt, where a response has more than may be held.
    page: Option<i64>,
    /// The status that ended the attempt, if the next one has not begun.
    failure: Option<Status>,
    state: State,
    /// Responses since the bounds of the call were looked at.
    unchecked: u8,
}

/// The read-ahead of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ahead {
    /// Somebody waits for all its rows. It needs no part of the memory of scans.
    Read,
    /// The same, of a key alone.
    Look,
    /// A scan's stream, of which about this many bytes are held, if the memory of all scans allows it.
    Scan(usize),
}

#[derive(Debug)]
struct Open {
    stream: Streaming<ReadRowsResponse>,
    _turn: Turn,
    lease: Option<Lease>,
    /// The approximate number of bytes that have come.
    bytes: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Reading,
    /// All rows of the attempt have come, and the end of the stream has not.
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

/// The time to wait for the end of a stream whose rows have all come. Dropping it earlier would reset it on the server.
pub(super) const END: Duration = Duration::from_millis(100);

/// The number of windows' bytes after which a stream looks whether there is memory for a larger window.
const WINDOWS_BETWEEN_LOOKS: usize = 64;

/// The number of responses that, if they are there, are taken without a check of the call's bounds.
const UNCHECKED: u8 = 64;

impl RowStream {
    pub(super) fn new(client: Client, request: ReadRowsRequest, ahead: Ahead) -> Self {
        let attempts = Attempts::new(request.operation(), &client);
        let merger = Merger::new(request.reversed, None).most(client.options().largest_row);
        Self {
            client,
            request,
            attempts,
            merger,
            open: None,
            ahead,
            chunks: Vec::new().into_iter(),
            chunk_bytes: 0,
            row_bytes: 0,
            rows: 0,
            rows_limit: 0,
            page: None,
            failure: None,
            state: State::Reading,
            unchecked: 0,
        }
    }

    /// The approximate number of bytes of its rows that may be held: those that the scan asks for, or fewer if the
    /// memory of all scans is short.
    pub(crate) fn most(&self) -> usize {
        let Ahead::Scan(most) = self.ahead else { return usize::MAX };
        match self.open.as_ref().and_then(|open| open.lease.as_ref()) {
            Some(lease) => most.min(lease.batch()),
            None => most,
        }
    }

    /// Holds no more than it may until it is read again. Rows that are dropped are read again.
    pub(crate) fn rest(&mut self) {
        let most = self.most();
        let Some(open) = &mut self.open else { return };
        let held = self.chunks.len().saturating_mul(self.chunk_bytes);
        if held > most {
            self.page = Some(rows_of(most, self.row_bytes));
            return self.go_on_later();
        }
        let (Some(lease), Ahead::Scan(most), 0) = (&mut open.lease, self.ahead, held) else { return };
        if open.bytes < lease.window().saturating_mul(WINDOWS_BETWEEN_LOOKS) || self.state != State::Reading {
            return;
        }
        if lease.larger(most).is_some() {
            self.go_on_later();
        }
    }

    /// Ends the request. The next one begins after the last row.
    fn go_on_later(&mut self) {
        self.open = None;
        self.chunks = Vec::new().into_iter();
        self.state = State::Reading;
        if !self.cut() {
            self.end();
        }
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
                let pushed = self.merger.push(chunk);
                if let Some(row) = pushed.map_err(|found| refused(&self.attempts, &self.merger, found))? {
                    self.attempts.retry.progress();
                    self.rows += 1;
                    if self.rows_limit == self.rows {
                        self.state = State::Complete;
                        self.chunks = Vec::new().into_iter();
                    }
                    return Ok(Next::Row(row));
                }
            }
            if self.state == State::Complete {
                let Some(call) = wait else { return Ok(Next::Pending) };
                if let Some(open) = &mut self.open {
                    let _ = within(call, Some(END), open.stream.message()).await;
                }
                if self.rows_limit == self.request.rows_limit {
                    self.end();
                } else {
                    self.go_on_later();
                }
                continue;
            }
            if self.unchecked == UNCHECKED {
                let Some(call) = wait else { return Ok(Next::Pending) };
                call.check().map_err(|ended| self.attempts.ended(ended, false))?;
                self.unchecked = 0;
            }
            self.unchecked += 1;
            let response = match &mut self.open {
                Some(Open { stream, .. }) => match next_now(stream).await {
                    Poll::Ready(response) => response,
                    Poll::Pending => {
                        let Some(call) = wait else { return Ok(Next::Pending) };
                        let time = self.client.options().attempt_timeout;
                        let waited = within(call, Some(time), stream.message()).await;
                        waited.map_err(|ended| self.attempts.ended(ended, true))?.unwrap_or_else(|| Err(timed_out()))
                    }
                },
                None => {
                    let Some(call) = wait else { return Ok(Next::Pending) };
                    // The future that opens a stream is not kept for the time of the scan.
                    Box::pin(self.reopen(call)).await?;
                    continue;
                }
            };
            match response {
                Ok(Some(response)) => self.take(response)?,
                Ok(None) => {
                    self.merger.end().map_err(|found| violated(&self.attempts, found))?;
                    self.end();
                }
                Err(status) if large::is_message(&status) => {
                    self.go_on_later();
                    // A response may have many rows, and a row alone is asked for.
                    if self.page.replace(1) == Some(1) {
                        let Some(call) = wait else {
                            self.failure = Some(status);
                            return Ok(Next::Pending);
                        };
                        return Err(Box::pin(self.too_large(status, call)).await);
                    }
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
        let chunks = response.chunks;
        let bytes: usize = chunks.iter().map(bytes_of).sum();
        let rows = chunks.iter().filter(|chunk| chunk.row_status.is_some()).count();
        (self.chunk_bytes, self.row_bytes) = (bytes / chunks.len().max(1), bytes / rows.max(1));
        if let Some(open) = &mut self.open {
            open.bytes = open.bytes.saturating_add(bytes);
        }
        if self.page.is_some() {
            self.page = Some(rows_of(self.most(), self.row_bytes));
        }
        self.chunks = chunks.into_iter();
        self.attempts.is_reauthorized = false;
        Ok(())
    }

    /// The error of a row that is larger than a response may be. A look at what is left, without values, has its key.
    async fn too_large(&self, status: Status, call: &Call<'_>) -> Error {
        if self.ahead == Ahead::Look {
            return self.attempts.error(status);
        }
        let look = large::key_of_first(self.request.clone());
        let mut look = Box::new(Self::new(self.client.clone(), look, Ahead::Look));
        match Box::pin(look.next(call)).await {
            Ok(Some(row)) => self.attempts.error(large::status(&row.key, self.client.options().largest_row)),
            _ => self.attempts.error(status),
        }
    }

    /// Sends the request for what is left.
    async fn reopen(&mut self, call: &Call<'_>) -> Result<(), Error> {
        if let Some(failure) = self.failure.take() {
            if large::is_message(&failure) {
                return Err(self.too_large(failure, call).await);
            }
            let has_new_token = self.attempts.takes_new_token(&failure);
            if (has_new_token || is_transient(&failure)) && !self.cut() {
                // All that was asked for has come before the failure.
                self.end();
                return Ok(());
            }
            if !has_new_token {
                self.attempts.failed(failure, true, call).await?;
            }
        }
        self.attempts.begin(call)?;
        // A stream lives longer than the call that opens it, so the server is told no time.
        let limits = [self.request.rows_limit, self.page.unwrap_or(0)];
        self.rows_limit = limits.into_iter().filter(|limit| *limit > 0).min().unwrap_or(0);
        let request = ReadRowsRequest { rows_limit: self.rows_limit, ..self.request.clone() };
        let sent = Sent::default();
        let message = Outgoing::new(Arc::new(request), &sent);
        let request = self.attempts.request(message, None);
        let lease = match self.ahead {
            Ahead::Read | Ahead::Look => None,
            Ahead::Scan(most) => Some(self.client.inner.scans.lease(most)),
        };
        let connections = lease.as_ref().map_or(&self.client.inner.data, Lease::connections);
        let opening = self.client.open(connections, ReadRowsRequest::PATH, request);
        let opening = within(call, Some(self.client.options().attempt_timeout), opening);
        match opening.await.map_err(|ended| self.attempts.ended(ended, sent.is_encoded()))? {
            Some(Ok((turn, stream))) => self.open = Some(Open { stream, _turn: turn, lease, bytes: 0 }),
            Some(Err(status)) => self.failure = Some(status),
            None => self.failure = Some(self.attempts.lateness(sent.is_encoded())),
        }
        Ok(())
    }

    /// Cuts the request to what is left. Returns whether anything is.
    fn cut(&mut self) -> bool {
        let last = self.merger.last().map(<[u8]>::to_vec);
        // The cells that came of a row that is not complete come again.
        self.merger = Merger::new(self.request.reversed, last.clone()).most(self.client.options().largest_row);
        let Some(last) = last else { return true };
        if self.request.rows_limit > 0 {
            self.request.rows_limit -= self.rows;
        }
        self.rows = 0;
        self.request.rows = row_set::after(self.request.rows.take(), &last, self.request.reversed);
        self.request.rows.is_some()
    }
}

/// The number of rows that have about this number of bytes: at least one.
fn rows_of(bytes: usize, row: usize) -> i64 {
    i64::try_from(bytes / row.max(1)).unwrap_or(i64::MAX).max(1)
}

fn refused(attempts: &Attempts, merger: &Merger, found: Violation) -> Error {
    match merger.row_key() {
        Some(key) if found == TOO_LARGE => attempts.error(large::status(key, merger.largest_row())),
        _ => violated(attempts, found),
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
