//! The meaning of a status: whether the request may have been executed, and when it may succeed.

use std::error::Error as StdError;
use std::time::Duration;

use prost::Message;
use rowkey::ErrorKind;
use rowkey_retry::{Attempts, Backoff, Delay, Execution, Failure, Idempotency};
use tonic::{Code, Status};

use super::causes::{RuntimeEnded, Unprocessed, causes};
use super::proto::{RetryInfo, RpcStatus};
use super::tokens::kind_before;

const FIRST_PAUSE: Duration = Duration::from_millis(10);
const LONGEST_PAUSE: Duration = Duration::from_secs(10);

/// The attempts of an operation, which are retried for a time after the first failure without progress.
pub(crate) fn attempts(retry_for: Duration) -> Attempts {
    Attempts::new(Backoff::new(FIRST_PAUSE, LONGEST_PAUSE)).retry_for(retry_for)
}

/// The execution of a request. A write with the server's time is not repeated: a late copy would hide newer ones.
pub(crate) fn execution(idempotency: Idempotency) -> Execution {
    Execution::new(idempotency.strict())
}

/// The meaning of a status. `sent`: the request may have been.
pub(crate) fn failure(status: &Status, sent: bool) -> Failure {
    Failure { may_have_executed: sent && !is_refusal(status), delay: delay(status) }
}

fn delay(status: &Status) -> Option<Delay> {
    is_transient(status).then(|| retry_delay(status).map_or(Delay::Backoff, Delay::Server))
}

/// The delay before the next attempt that the server asks for (`google.rpc.RetryInfo`).
fn retry_delay(status: &Status) -> Option<Duration> {
    let status = RpcStatus::decode(status.details()).ok()?;
    let detail = status.details.iter().find(|detail| detail.type_url.ends_with("/google.rpc.RetryInfo"))?;
    let delay = RetryInfo::decode(detail.value.as_slice()).ok()?.retry_delay?;
    Duration::try_from(delay).ok()
}

fn is_caused_by<E: StdError + 'static>(status: &Status) -> bool {
    causes(status).any(<dyn StdError>::is::<E>)
}

/// Returns whether no attempt can succeed, as the client's runtime has ended.
pub(crate) fn is_ended(status: &Status) -> bool {
    is_caused_by::<RuntimeEnded>(status)
}

/// Returns whether the same request may succeed if it is sent again.
pub(crate) fn is_transient(status: &Status) -> bool {
    if is_ended(status) {
        return false;
    }
    if let Some(kind) = kind_before(status) {
        return kind == ErrorKind::Busy;
    }
    matches!(status.code(), Code::Unavailable | Code::Aborted | Code::DeadlineExceeded)
        || is_broken(status)
        || retry_delay(status).is_some()
        // The status that proxies make of a stream that was reset.
        || (status.code() == Code::Internal && RESETS.iter().any(|reset| status.message().contains(reset)))
}

const RESETS: [&str; 3] = ["RST_STREAM", "Received unexpected EOS", "Received Rst stream"];

/// Returns whether the connection failed, and no server sent this status.
pub(crate) fn is_broken(status: &Status) -> bool {
    status.source().is_some()
}

/// Returns whether the server refused the request, so that nothing was written. `OutOfRange` is not such a refusal:
/// tonic returns it for a response that is too long.
fn is_refusal(status: &Status) -> bool {
    if is_broken(status) {
        return is_caused_by::<Unprocessed>(status);
    }
    matches!(
        status.code(),
        Code::InvalidArgument
            | Code::NotFound
            | Code::AlreadyExists
            | Code::PermissionDenied
            | Code::Unauthenticated
            | Code::FailedPrecondition
            | Code::Unimplemented
            | Code::ResourceExhausted
    )
}

#[cfg(test)]
mod tests {
    use std::ops::Range;
    use std::sync::Arc;
    use std::time::Instant;

    use prost_types::Any;

    use super::*;

    fn asking(code: Code, pause: prost_types::Duration) -> Status {
        let info = RetryInfo { retry_delay: Some(pause) };
        let other = Any { type_url: "type.googleapis.com/google.rpc.Help".to_owned(), value: vec![1, 2, 3] };
        let detail =
            Any { type_url: "type.googleapis.com/google.rpc.RetryInfo".to_owned(), value: info.encode_to_vec() };
        let details = RpcStatus { details: vec![other, detail], ..RpcStatus::default() };
        Status::with_details(code, "", details.encode_to_vec().into())
    }

    fn broken(code: Code) -> Status {
        let mut status = Status::new(code, "");
        status.set_source(Arc::new(std::io::Error::other("cut")));
        status
    }

    const ALL: Range<i32> = 0..17;

    #[test]
    fn what_is_tried_again() {
        let again: Vec<Code> = ALL.map(Code::from).filter(|code| is_transient(&Status::new(*code, ""))).collect();
        assert_eq!(again, [Code::DeadlineExceeded, Code::Aborted, Code::Unavailable]);
        for code in ALL.map(Code::from) {
            assert!(is_transient(&asking(code, prost_types::Duration { seconds: 1, nanos: 0 })), "{code:?}");
            assert!(is_transient(&broken(code)), "{code:?}");
        }
        assert!(is_transient(&Status::internal("stream closed because of RST_STREAM")));
        assert!(!is_transient(&Status::not_found("RST_STREAM")));
    }

    #[test]
    fn what_wrote_nothing() {
        for code in ALL.map(Code::from) {
            assert!(!is_refusal(&broken(code)), "{code:?}: no server said it");
        }
        for code in [Code::Unavailable, Code::Aborted, Code::DeadlineExceeded, Code::Internal, Code::Unknown] {
            assert!(!is_refusal(&Status::new(code, "")), "{code:?}");
        }
        assert!(is_refusal(&Status::invalid_argument("")) && is_refusal(&Status::not_found("")));
    }

    #[test]
    fn what_the_server_asks_for() {
        let of = |seconds, nanos| retry_delay(&asking(Code::Unavailable, prost_types::Duration { seconds, nanos }));
        assert_eq!(of(2, 500_000_000), Some(Duration::from_millis(2500)));
        assert_eq!(of(-1, 0), None);
        assert!(of(i64::MAX, i32::MAX).is_some());
        assert_eq!(retry_delay(&Status::with_details(Code::Unavailable, "", vec![0xff; 9].into())), None);
        assert_eq!(retry_delay(&Status::unavailable("")), None);
    }

    #[test]
    fn what_is_retried_and_when() {
        let asked = asking(Code::ResourceExhausted, prost_types::Duration { seconds: 3, nanos: 0 });
        let server = Some(Delay::Server(Duration::from_secs(3)));
        for (status, may_have_executed, delay) in [
            (Status::unavailable(""), true, Some(Delay::Backoff)),
            (Status::internal(""), true, None),
            (Status::not_found(""), false, None),
            (asked, false, server),
            (broken(Code::Unknown), true, Some(Delay::Backoff)),
        ] {
            assert_eq!(failure(&status, true), Failure { may_have_executed, delay }, "{status:?}");
            assert_eq!(failure(&status, false), Failure { may_have_executed: false, delay }, "{status:?}");
        }
    }

    #[test]
    fn a_write_with_the_time_of_the_server_is_not_repeated() {
        let lost = failure(&Status::unavailable(""), true);
        assert_eq!(execution(Idempotency::ServerTimestamped).failed(lost), None);
        assert_eq!(execution(Idempotency::Idempotent).failed(lost), Some(Delay::Backoff));
        let refused = failure(&asking(Code::ResourceExhausted, prost_types::Duration::default()), true);
        assert!(execution(Idempotency::ServerTimestamped).failed(refused).is_some());
    }

    #[test]
    fn retries_end_after_their_time() {
        let now = Instant::now();
        let mut attempts = attempts(Duration::from_secs(60));
        assert!(attempts.next_backoff(Delay::Backoff, now).unwrap() <= FIRST_PAUSE);
        for _ in 0..20 {
            attempts.next_backoff(Delay::Backoff, now).unwrap();
        }
        let longest = attempts.next_backoff(Delay::Backoff, now).unwrap();
        assert!(longest >= LONGEST_PAUSE / 2 && longest <= LONGEST_PAUSE, "{longest:?}");
        assert_eq!(attempts.next_backoff(Delay::Server(Duration::from_secs(60)), now), None);
    }
}
