//! Scanner, the stream of a scan's rows, read ahead by a task.

use std::fmt;
use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use futures_core::Stream;
use tokio::sync::mpsc;
use tokio::time::sleep;
use tracing::Instrument;

use super::counts::{Counts, ScanCounts};
use super::reader::Reader;
use crate::model::error::{Cause, Error, Result};
use crate::model::row::Row;
use crate::model::rows::{Rows, RowsIntoIter};
use crate::model::scan::Scan;
use crate::model::table_name::TableName;
use crate::ops::executor::Executor;

/// The rows of a [`Scan`]: a stream, which ends after the last row or the first error.
///
/// A task reads ahead, up to [`Scan::read_ahead`]. While nobody takes rows, it keeps the scanner open at its server.
/// Dropping the `Scanner` ends the task and closes the scanner.
#[doc(alias = "ResultScanner")]
pub struct Scanner {
    answers: mpsc::Receiver<Result<Rows>>,
    rows: RowsIntoIter,
    ended: bool,
    counts: Arc<Counts>,
}

impl Scanner {
    pub(crate) fn start(executor: Arc<Executor>, table: TableName, scan: Scan, timeout: Duration) -> Self {
        let counts = Arc::<Counts>::default();
        let (sender, answers) = mpsc::channel(scan.ahead);
        let span = tracing::debug_span!("hbase scan", %table);
        match Executor::in_runtime() {
            Ok(()) => {
                let reader = Reader::new(executor, table, scan, timeout, counts.clone());
                tokio::spawn(read(reader, sender).instrument(span));
            }
            // There is room for one.
            Err(error) => drop(sender.try_send(Err(error.of_table(&table)))),
        }
        Self { answers, rows: RowsIntoIter::default(), ended: false, counts }
    }

    /// The rows that are there, or else those of the next response. `None` at the end.
    ///
    /// # Errors
    ///
    /// If the table does not exist, or no response came in time: the scan is over then. A region that moved, or was
    /// split or merged, is no error: the scan goes on behind the last row that it gave.
    pub async fn next_batch(&mut self) -> Result<Option<Rows>> {
        if self.rows.len() > 0 {
            return Ok(Some(std::mem::take(&mut self.rows).collect::<Vec<_>>().into()));
        }
        poll_fn(|context| self.poll_answer(context)).await
    }

    /// The next row. `None` at the end.
    ///
    /// # Errors
    ///
    /// As [`next_batch`](Self::next_batch).
    pub async fn next(&mut self) -> Result<Option<Row>> {
        loop {
            if let Some(row) = self.rows.next() {
                return Ok(Some(row));
            }
            match poll_fn(|context| self.poll_answer(context)).await? {
                Some(rows) => self.rows = rows.into_iter(),
                None => return Ok(None),
            }
        }
    }

    fn poll_answer(&mut self, context: &mut Context<'_>) -> Poll<Result<Option<Rows>>> {
        if self.ended {
            return Poll::Ready(Ok(None));
        }
        let answer = ready!(self.answers.poll_recv(context));
        // The task that reads says when all has been read: otherwise it has ended with its runtime.
        let stopped = || Err(Error::unavailable(Cause::said("the runtime in which the scan was begun stopped")));
        let answer = answer.unwrap_or_else(stopped);
        self.ended = !matches!(&answer, Ok(rows) if !rows.is_empty());
        Poll::Ready(answer.map(|rows| (!rows.is_empty()).then_some(rows)))
    }

    /// Counts of the servers' work so far. Rows are counted if [`Scan::track_counts`] asks for it.
    pub fn counts(&self) -> ScanCounts {
        self.counts.get()
    }
}

/// Reads until the end, which is sent as no rows; until an error; or until nobody listens.
async fn read(mut reader: Reader, sender: mpsc::Sender<Result<Rows>>) {
    loop {
        let answer = reader.rows(&sender).await.map(Option::unwrap_or_default);
        let over = answer.as_ref().map_or(true, Rows::is_empty);
        let room = loop {
            let patience = reader.patience();
            tokio::select! {
                room = sender.reserve() => break room,
                () = sleep(patience.unwrap_or_default()), if patience.is_some() => tokio::select! {
                    () = reader.renew() => {}
                    // A caller that wants rows does not wait for it.
                    room = sender.reserve() => break room,
                },
            }
        };
        let Ok(room) = room else { break };
        room.send(answer);
        if over {
            break;
        }
    }
    reader.close().await;
}

impl Stream for Scanner {
    type Item = Result<Row>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Result<Row>>> {
        loop {
            if let Some(row) = self.rows.next() {
                return Poll::Ready(Some(Ok(row)));
            }
            match ready!(self.poll_answer(context)) {
                Ok(Some(rows)) => self.rows = rows.into_iter(),
                Ok(None) => return Poll::Ready(None),
                Err(error) => return Poll::Ready(Some(Err(error))),
            }
        }
    }
}

impl fmt::Debug for Scanner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scanner").field("counts", &self.counts()).finish_non_exhaustive()
    }
}
