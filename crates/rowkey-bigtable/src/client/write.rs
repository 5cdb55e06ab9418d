//! MutateRows: many rows in one request, each with its own outcome.

use std::sync::Arc;
use std::time::{Duration, Instant};

use prost::Message;
use rowkey::Error;
use rowkey::store::Call;
use rowkey_retry::{Delay, Execution, Idempotency};
use tokio::time::timeout;
use tonic::{Code, Status};

use super::bounds::{pause, within};
use super::codec::{Outgoing, Sent};
use super::entries::{Entries, Selected};
use super::proto::{MutateRowsRequest, MutateRowsResponse, RpcStatus};
use super::requests::{ApiRequest, of_mutations};
use super::retry::{execution, failure};
use super::scan::END;
use super::{Attempts, Client, timed_out};
use crate::error::BigtableError;

/// An entry of a MutateRows request that failed.
#[derive(Debug)]
pub struct EntryError {
    /// The index of the entry in the request.
    pub index: usize,
    /// The error. [`Error::OutcomeUnknown`] if the entry may have been written.
    pub error: Error,
}

/// An entry that is not written yet.
struct Left {
    index: usize,
    execution: Execution,
    /// The delay before the entry is sent again.
    delay: Delay,
    outcome: Outcome,
}

/// The result of an entry in its last attempt, as the server reported it.
enum Outcome {
    Unnamed,
    Written,
    Failed(Status),
}

impl Client {
    /// Writes to rows, each atomically, in no order. What failed and may succeed is sent again, if each cell of the row
    /// has a timestamp and nothing is added or merged. Returns the entries that failed; all others are written.
    ///
    /// # Errors
    ///
    /// If nothing was sent: that the call has to end, or that no connection could be made.
    pub async fn mutate_rows(&self, mut request: MutateRowsRequest, call: &Call<'_>) -> Result<Vec<EntryError>, Error> {
        self.profiled(&mut request.app_profile_id);
        let of_entries: Vec<_> = request.entries.iter().map(|entry| of_mutations(&entry.mutations)).collect();
        self.mutate(&Arc::new(Entries::of(request)), |at| of_entries[at], call).await
    }

    /// As [`mutate_rows`](Self::mutate_rows), with an app profile. The caller keeps the request, in which each cell has
    /// a timestamp.
    pub(crate) async fn mutate_entries(&self, whole: &Arc<Entries>, call: &Call<'_>) -> Result<Vec<EntryError>, Error> {
        self.mutate(whole, |_| Idempotency::Idempotent, call).await
    }

    async fn mutate(
        &self,
        whole: &Arc<Entries>,
        idempotency: impl Fn(usize) -> Idempotency,
        call: &Call<'_>,
    ) -> Result<Vec<EntryError>, Error> {
        let mut attempts = Attempts::new(whole.head.operation(), self);
        let of = |index| Left {
            index,
            execution: execution(idempotency(index)),
            delay: Delay::Backoff,
            outcome: Outcome::Unnamed,
        };
        let mut left: Vec<Left> = (0..whole.len()).map(of).collect();
        let mut failed = Vec::new();
        let mut request = Selected::All(Arc::clone(whole));
        loop {
            if let Err(ended) = attempts.begin(call) {
                return give_up(&attempts, whole.len(), left, failed, ended);
            }
            if left.is_empty() {
                return Ok(failed);
            }
            let sent = Sent::default();
            let outgoing = Outgoing::new(Arc::new(request), &sent);
            let (of_request, ended) =
                match within(call, None, self.mutate_once(&attempts, (outgoing, &sent), call, &mut left)).await {
                    Ok(Some(Ok(()))) => (Status::internal("the server said nothing of this row"), None),
                    Ok(Some(Err(status))) => (status, None),
                    Ok(None) => (timed_out(), None),
                    Err(ended) => (timed_out(), Some(ended)),
                };
            let sent = sent.give_up();
            attempts.cookies.keep(&of_request);
            let has_new_token = attempts.takes_new_token(&of_request);
            let before = left.len();
            let mut again = Vec::new();
            for mut entry in left {
                let status = match std::mem::replace(&mut entry.outcome, Outcome::Unnamed) {
                    Outcome::Written => continue,
                    Outcome::Failed(status) => status,
                    Outcome::Unnamed => of_request.clone(),
                };
                let mut failure = failure(&status, sent);
                if has_new_token && status.code() == Code::Unauthenticated {
                    failure.delay.get_or_insert(Delay::Backoff);
                }
                entry.outcome = Outcome::Failed(status);
                match entry.execution.failed(failure) {
                    Some(delay) => again.push(Left { delay, ..entry }),
                    None => failed.push(entry.failed(&attempts)),
                }
            }
            left = again;
            if left.is_empty() {
                return Ok(sorted(failed));
            }
            if let Some(ended) = ended {
                return give_up(&attempts, whole.len(), left, failed, ended);
            }
            if left.len() < before {
                attempts.retry.progress();
            }
            // An entry that the server wants later than there is time for does not keep the others waiting.
            let now = Instant::now();
            let in_time =
                |time: Duration| attempts.retry.allows(time, now) && call.remaining().is_none_or(|left| time < left);
            let is_too_late = |entry: &Left| matches!(entry.delay, Delay::Server(time) if !in_time(time));
            if !left.iter().all(is_too_late) {
                let (late, soon): (Vec<_>, Vec<_>) = left.into_iter().partition(is_too_late);
                failed.extend(late.into_iter().map(|entry| entry.failed(&attempts)));
                left = soon;
            }
            let delay = left.iter().map(|entry| entry.delay).max().unwrap_or(Delay::Backoff);
            let Some(time) = attempts.retry.next_backoff(delay, Instant::now()) else {
                failed.extend(left.into_iter().map(|entry| entry.failed(&attempts)));
                return Ok(sorted(failed));
            };
            if let Err(ended) = pause(call, delay, time).await {
                return give_up(&attempts, whole.len(), left, failed, ended);
            }
            request = Selected::Some(Arc::clone(whole), left.iter().map(|entry| entry.index).collect());
            left.iter_mut().for_each(|entry| entry.outcome = Outcome::Unnamed);
        }
    }

    /// One attempt: sets the status of each entry that the server names. It ends when all are named.
    async fn mutate_once(
        &self,
        attempts: &Attempts,
        (request, sent): (Outgoing<Selected>, &Sent),
        call: &Call<'_>,
        left: &mut [Left],
    ) -> Result<(), Status> {
        let request = attempts.request(request, call.remaining());
        let longest = self.options().attempt_timeout;
        let opening =
            timeout(longest, self.open::<_, MutateRowsResponse>(&self.inner.data, MutateRowsRequest::PATH, request));
        let (_turn, mut stream) = opening.await.map_err(|_| attempts.lateness(sent.is_encoded()))??;
        let mut unnamed = left.len();
        let mut progress = Instant::now();
        while unnamed > 0 {
            let time = longest.saturating_sub(progress.elapsed());
            // A response that is there comes before the time is looked at.
            if time.is_zero() || call.check().is_err() {
                return Err(timed_out());
            }
            let message = timeout(time, stream.message()).await.map_err(|_| timed_out())??;
            let Some(response) = message else { return Ok(()) };
            let mut named = false;
            for entry in response.entries {
                let at = usize::try_from(entry.index).ok().and_then(|index| left.get_mut(index));
                if let Some(at) = at {
                    if matches!(at.outcome, Outcome::Unnamed) {
                        unnamed -= 1;
                        named = true;
                    }
                    at.outcome = Outcome::of(entry.status.unwrap_or_default());
                }
            }
            if named {
                progress = Instant::now();
            }
        }
        // Its end is not needed. To drop the stream earlier would reset it on the server.
        let _ = timeout(END, stream.message()).await;
        Ok(())
    }
}

impl Outcome {
    fn of(status: RpcStatus) -> Self {
        if Code::from(status.code) == Code::Ok {
            return Self::Written;
        }
        let details = status.encode_to_vec().into();
        Self::Failed(Status::with_details(Code::from(status.code), status.message, details))
    }
}

impl Left {
    fn failed(self, attempts: &Attempts) -> EntryError {
        let status = match self.outcome {
            Outcome::Failed(status) => status,
            Outcome::Unnamed | Outcome::Written => timed_out(),
        };
        let error = BigtableError::new(attempts.operation.doing, attempts.retry.made(), status).into();
        EntryError { index: self.index, error: attempts.outcome_of(self.execution, error) }
    }
}

/// The call has to end with entries left.
fn give_up(
    attempts: &Attempts,
    total: usize,
    left: Vec<Left>,
    mut failed: Vec<EntryError>,
    ended: Error,
) -> Result<Vec<EntryError>, Error> {
    if left.len() == total && !left.iter().any(|entry| entry.execution.outcome_is_unknown()) {
        return Err(attempts.explained(ended));
    }
    for entry in left {
        let error = attempts.outcome_of(entry.execution, again(&ended));
        failed.push(EntryError { index: entry.index, error });
    }
    Ok(sorted(failed))
}

/// The same end of a call, for another entry.
fn again(ended: &Error) -> Error {
    match ended {
        Error::Cancelled { doing, table } => Error::Cancelled { doing, table: table.clone() },
        Error::DeadlineExceeded { doing, table } => Error::DeadlineExceeded { doing, table: table.clone() },
        other => Error::engine(other.to_string()),
    }
}

fn sorted(mut failed: Vec<EntryError>) -> Vec<EntryError> {
    failed.sort_by_key(|entry| entry.index);
    failed
}
