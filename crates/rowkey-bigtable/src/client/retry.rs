//! Which failures are tried again, and when.

use std::error::Error as StdError;
use std::time::{Duration, Instant};

use prost::Message;
use rowkey::ErrorKind;
use tonic::{Code, Status};

use super::connections::RuntimeEnded;
use super::proto::{RetryInfo, RpcStatus};
use super::sound::Unprocessed;
use super::tokens::kind_before;

/// The pauses between attempts, and when the last one was.
#[derive(Debug)]
pub(crate) struct Retry {
    retry_for: Duration,
    pause: Duration,
    /// When the first failure since the last progress was.
    since: Option<Instant>,
    attempts: u32,
}

const FIRST_PAUSE: Duration = Duration::from_millis(10);
const LONGEST_PAUSE: Duration = Duration::from_secs(10);
/// A server that asks for no pause at all is not asked in a busy loop.
const SHORTEST_WISH: Duration = Duration::from_millis(5);

impl Retry {
    pub(crate) fn new(retry_for: Duration) -> Self {
        Self { retry_for, pause: FIRST_PAUSE, since: None, attempts: 0 }
    }

    /// Counts an attempt.
    pub(crate) fn begin(&mut self) {
        self.attempts = self.attempts.saturating_add(1);
    }

    /// The number of attempts.
    pub(crate) fn attempts(&self) -> u32 {
        self.attempts
    }

    /// Something came: the next failure is the first one again.
    pub(crate) fn progress(&mut self) {
        self.pause = FIRST_PAUSE;
        self.since = None;
    }

    /// Whether there is time for an attempt after such a pause.
    pub(crate) fn allows(&self, pause: Duration) -> bool {
        let since = self.since.map_or(Duration::ZERO, |since| since.elapsed());
        since.saturating_add(pause) < self.retry_for
    }

    /// How long to wait before the next attempt; `None` if the time for them is over. The server's own wish goes first.
    /// Half of a pause is random, so that clients that failed together do not come back together.
    pub(crate) fn pause(&mut self, wish: Option<Duration>) -> Option<Duration> {
        self.since.get_or_insert_with(Instant::now);
        let own = || self.pause.mul_f64(0.5 + fastrand::f64() / 2.0);
        let pause = wish.map_or_else(own, |wish| wish.max(SHORTEST_WISH));
        self.pause = (self.pause * 2).min(LONGEST_PAUSE);
        self.allows(pause).then_some(pause)
    }
}

/// How long the server asks to wait before the next attempt.
pub(crate) fn wish(status: &Status) -> Option<Duration> {
    let status = RpcStatus::decode(status.details()).ok()?;
    let detail = status.details.iter().find(|detail| detail.type_url.ends_with("/google.rpc.RetryInfo"))?;
    let delay = RetryInfo::decode(detail.value.as_slice()).ok()?.retry_delay?;
    Duration::try_from(delay).ok()
}

/// An error, and what it came of.
pub(crate) fn causes<'e>(error: &'e (dyn StdError + 'static)) -> impl Iterator<Item = &'e (dyn StdError + 'static)> {
    std::iter::successors(Some(error), |&error| error.source())
}

fn is_caused_by<E: StdError + 'static>(status: &Status) -> bool {
    causes(status).any(<dyn StdError>::is::<E>)
}

/// Whether no attempt can succeed, as the client's runtime has ended.
pub(crate) fn is_ended(status: &Status) -> bool {
    is_caused_by::<RuntimeEnded>(status)
}

/// Whether the same request may succeed if it is sent again.
pub(crate) fn is_transient(status: &Status) -> bool {
    if is_ended(status) {
        return false;
    }
    if let Some(kind) = kind_before(status) {
        return kind == ErrorKind::Busy;
    }
    matches!(status.code(), Code::Unavailable | Code::Aborted | Code::DeadlineExceeded)
        || is_broken(status)
        || wish(status).is_some()
        // What proxies make of a stream that was reset.
        || (status.code() == Code::Internal && RESETS.iter().any(|reset| status.message().contains(reset)))
}

const RESETS: [&str; 3] = ["RST_STREAM", "Received unexpected EOS", "Received Rst stream"];

/// Whether the connection failed, and no server sent this status.
pub(crate) fn is_broken(status: &Status) -> bool {
    status.source().is_some()
}

/// Whether the server refused the request, so that nothing was written. `OutOfRange` is not among these: tonic makes it
/// of a response that is too long.
pub(crate) fn is_refusal(status: &Status) -> bool {
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
        let of = |seconds, nanos| wish(&asking(Code::Unavailable, prost_types::Duration { seconds, nanos }));
        assert_eq!(of(2, 500_000_000), Some(Duration::from_millis(2500)));
        assert_eq!(of(-1, 0), None);
        assert!(of(i64::MAX, i32::MAX).is_some());
        assert_eq!(wish(&Status::with_details(Code::Unavailable, "", vec![0xff; 9].into())), None);
        assert_eq!(wish(&Status::unavailable("")), None);
    }

    #[test]
    fn pauses_grow_up_to_the_longest_and_end() {
        let mut retry = Retry::new(Duration::from_secs(60));
        let mut longest = FIRST_PAUSE;
        for _ in 0..20 {
            let pause = retry.pause(None).unwrap();
            assert!(pause >= longest / 2 && pause <= longest, "{pause:?} of {longest:?}");
            longest = (longest * 2).min(LONGEST_PAUSE);
        }
        assert_eq!(retry.pause(Some(Duration::from_secs(3))), Some(Duration::from_secs(3)));
        assert_eq!(retry.pause(Some(Duration::ZERO)), Some(SHORTEST_WISH));
        assert_eq!(retry.pause(Some(Duration::MAX - Duration::from_secs(9))), None);
        retry.progress();
        assert!(retry.pause(None).unwrap() <= FIRST_PAUSE);
        assert_eq!(Retry::new(Duration::ZERO).pause(None), None);
        assert_eq!(Retry::new(Duration::MAX).pause(Some(Duration::MAX)), None);
    }
}
