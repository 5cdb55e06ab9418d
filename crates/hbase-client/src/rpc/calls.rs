//! Calls that wait for responses on one connection.

use std::collections::HashMap;

use tokio::sync::oneshot;
use tokio::time::Instant;

use super::frame::{Answer, Response};
use crate::model::error::{CallFault, Cause};

pub(crate) type CallResult = Result<Answer, CallFault>;

/// The calls of one connection that wait for a response.
#[derive(Default)]
pub(crate) struct Calls {
    waiting: HashMap<u32, Waiting>,
    next_id: u32,
    /// True once every id has been given to a call.
    wrapped: bool,
    /// The number of calls that the server answered.
    answers: u64,
    /// The time since when the server has had something to answer, and did not.
    silent: Option<Instant>,
    broken: Option<Cause>,
}

struct Waiting {
    caller: oneshot::Sender<CallResult>,
    since: Instant,
    /// Set once the server may get the whole frame: how many calls it had answered then.
    sent: Option<u64>,
}

/// The user may not connect. A server says so before it looks at the first call.
const ACCESS_DENIED: &str = "org.apache.hadoop.hbase.security.AccessDeniedException";

impl Calls {
    pub(crate) fn begin(&mut self) -> Result<(u32, oneshot::Receiver<CallResult>), Cause> {
        if let Some(cause) = &self.broken {
            return Err(cause.clone());
        }
        let (caller, answer) = oneshot::channel();
        while self.waiting.contains_key(&self.next_id) {
            self.next();
        }
        let id = self.next_id;
        self.next();
        let since = Instant::now();
        self.waiting.insert(id, Waiting { caller, since, sent: None });
        self.silent.get_or_insert(since);
        Ok((id, answer))
    }

    /// The server takes ids for signed numbers, and uses negative ones for itself.
    fn next(&mut self) {
        if self.next_id == i32::MAX as u32 {
            (self.next_id, self.wrapped) = (0, true);
        } else {
            self.next_id += 1;
        }
    }

    /// Returns whether a call has had this id.
    fn was_made(&self, id: u32) -> bool {
        id < self.next_id || (self.wrapped && id <= i32::MAX as u32)
    }

    /// Before the frame is written. False if nobody wants it any more.
    pub(crate) fn sending(&mut self, id: u32) -> bool {
        self.waiting.get_mut(&id).map(|waiting| waiting.sent = Some(self.answers)).is_some()
    }

    /// The writing broke off before the end of this frame.
    pub(crate) fn cut(&mut self, id: u32) {
        if let Some(waiting) = self.waiting.get_mut(&id) {
            waiting.sent = None;
        }
    }

    /// The caller has left. Tells how its call ended, for the caller to say. Its answer may come late, or never: a
    /// server drops calls that are past their deadline.
    pub(crate) fn abandon(&mut self, id: u32) -> CallFault {
        match self.waiting.remove(&id).map(|waiting| waiting.sent) {
            Some(Some(answers)) if self.answers > answers => CallFault::Unanswered(Cause::Slow),
            Some(None) => CallFault::NotSent(Cause::TimedOut),
            Some(Some(_)) | None => CallFault::Unanswered(Cause::TimedOut),
        }
    }

    /// Hands a response to its caller. An error closes the connection.
    pub(crate) fn answer(&mut self, response: Response) -> Result<(), Cause> {
        match self.answered(response.call_id) {
            // The caller may leave at this very moment.
            Some(waiting) => drop(waiting.caller.send(response.result.map_err(CallFault::Refused))),
            None if self.was_made(response.call_id) => {}
            None => {
                return Err(match response.result {
                    // An exception about the connection itself comes with an id that is no call's.
                    Err(exception) if exception.class() == ACCESS_DENIED => Cause::security(exception.to_string()),
                    Err(exception) => Cause::said(exception.to_string()),
                    Ok(_) => Cause::said("the server sent a response to a call that was not made"),
                });
            }
        }
        Ok(())
    }

    /// Drops a response that is too large to read. Returns false if it is the response of no call.
    pub(crate) fn too_large(&mut self, id: u32, bytes: usize) -> bool {
        if let Some(waiting) = self.answered(id) {
            drop(waiting.caller.send(Err(CallFault::TooLarge(bytes))));
        }
        self.was_made(id)
    }

    fn answered(&mut self, id: u32) -> Option<Waiting> {
        if !self.was_made(id) {
            return None;
        }
        let waiting = self.waiting.remove(&id);
        self.answers += 1;
        self.silent = (!self.waiting.is_empty()).then(Instant::now);
        waiting
    }

    /// No call begins on this connection any more. Those that are under way go on.
    pub(crate) fn retire(&mut self, cause: Cause) {
        self.broken.get_or_insert(cause);
    }

    /// Ends the connection: each call fails as sent or not sent. The first cause stays.
    pub(crate) fn fail(&mut self, cause: Cause) {
        let cause = self.broken.get_or_insert(cause).clone();
        for (_, waiting) in self.waiting.drain() {
            let let_in = self.answers > 0 || !cause.is_security();
            let fault = match waiting.sent.is_some() && let_in {
                true => CallFault::Unanswered(cause.clone()),
                false => CallFault::NotSent(cause.clone()),
            };
            let _ = waiting.caller.send(Err(fault));
        }
        self.silent = None;
    }

    pub(crate) fn broken(&self) -> Option<&Cause> {
        self.broken.as_ref()
    }

    pub(crate) fn silent(&self) -> Option<Instant> {
        self.silent
    }

    /// The time since when the oldest call waits.
    pub(crate) fn oldest(&self) -> Option<Instant> {
        self.waiting.values().map(|waiting| waiting.since).min()
    }

    /// The number of calls that wait for a response.
    pub(crate) fn in_flight(&self) -> usize {
        self.waiting.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::error::Exception;

    fn answer(call_id: u32) -> Response {
        Response { call_id, result: Ok(Answer::default()) }
    }

    #[test]
    fn calls_fail_as_sent_or_not_sent() {
        let mut calls = Calls::default();
        let [(a, mut in_a), (b, mut in_b), (c, mut in_c)] = [(); 3].map(|()| calls.begin().unwrap());
        assert!(calls.sending(a) && calls.sending(b) && calls.sending(c));
        calls.answer(answer(a)).unwrap();
        calls.cut(c);
        calls.fail(Cause::Idle);
        assert!(in_a.try_recv().unwrap().is_ok());
        assert!(matches!(in_b.try_recv().unwrap(), Err(CallFault::Unanswered(_))));
        assert!(matches!(in_c.try_recv().unwrap(), Err(CallFault::NotSent(_))));
        assert!(calls.begin().is_err());
    }

    #[test]
    fn an_abandoned_call_is_forgotten_and_its_late_answer_is_none() {
        let mut calls = Calls::default();
        let [(unsent, _), (sent, _)] = [(); 2].map(|()| calls.begin().unwrap());
        assert!(matches!(calls.abandon(unsent), CallFault::NotSent(_)));
        assert!(!calls.sending(unsent));
        calls.sending(sent);
        assert!(matches!(calls.abandon(sent), CallFault::Unanswered(Cause::TimedOut)));
        assert!(calls.in_flight() == 0 && calls.silent().is_some());
        assert!(calls.answer(answer(sent)).is_ok());
        assert_eq!(calls.silent(), None);
        assert!(calls.answer(answer(77)).is_err(), "an answer to no call");
        assert!(calls.answer(answer(u32::MAX)).is_err());
        assert!(calls.too_large(sent, 9) && !calls.too_large(77, 9));
    }

    #[test]
    fn nothing_was_carried_out_on_a_connection_that_the_server_refused() {
        let mut calls = Calls::default();
        let (id, mut answer) = calls.begin().unwrap();
        calls.sending(id);
        let refused = Err(Exception::named(ACCESS_DENIED, b"no"));
        let cause = calls.answer(Response { call_id: u32::MAX, result: refused }).unwrap_err();
        calls.fail(cause);
        assert!(matches!(answer.try_recv().unwrap(), Err(CallFault::NotSent(Cause::Security(_)))));
    }

    #[test]
    fn a_server_that_answered_may_have_carried_out_what_it_refuses_later() {
        let mut calls = Calls::default();
        let [(first, _), (second, mut unanswered)] = [(); 2].map(|()| calls.begin().unwrap());
        calls.sending(first);
        calls.sending(second);
        calls.answer(answer(first)).unwrap();
        calls.fail(Cause::security("no"));
        assert!(matches!(unanswered.try_recv().unwrap(), Err(CallFault::Unanswered(Cause::Security(_)))));
    }

    #[test]
    fn a_server_that_answers_others_is_slow() {
        let mut calls = Calls::default();
        let [(slow, _), (other, _)] = [(); 2].map(|()| calls.begin().unwrap());
        calls.sending(slow);
        calls.sending(other);
        calls.answer(answer(other)).unwrap();
        let fault = calls.abandon(slow);
        assert!(matches!(fault, CallFault::Unanswered(Cause::Slow)) && !fault.doubts_server());
        let (late, _) = calls.begin().unwrap();
        calls.sending(late);
        assert!(calls.abandon(late).doubts_server());
    }

    #[test]
    fn ids_stay_positive_and_their_own() {
        let mut calls = Calls { next_id: i32::MAX as u32, ..Calls::default() };
        let ids = [(); 3].map(|()| calls.begin().unwrap().0);
        assert_eq!(ids, [i32::MAX as u32, 0, 1]);
        calls.next_id = 0;
        assert_eq!(calls.begin().unwrap().0, 2);
        assert!(calls.answer(answer(i32::MAX as u32)).is_ok());
        assert!(calls.answer(answer(i32::MAX as u32 + 1)).is_err());
    }
}
