use std::collections::HashMap;

use tokio::sync::oneshot;
use tokio::time::Instant;

use super::CallFault;
use super::frame::{Answer, Response};
use crate::cause::Cause;

pub(crate) type CallResult = Result<Answer, CallFault>;

/// The calls of one connection that wait for an answer.
#[derive(Default)]
pub(crate) struct Calls {
    waiting: HashMap<u32, Waiting>,
    next_id: u32,
    abandoned: usize,
    /// How many calls the server answered.
    answers: u64,
    /// Since when there is something to wait for.
    since: Option<Instant>,
    broken: Option<Cause>,
}

struct Waiting {
    /// None once the caller has left: the answer will be dropped.
    caller: Option<oneshot::Sender<CallResult>>,
    /// Set once the server may get the whole frame: how many calls it had answered then.
    sent: Option<u64>,
}

/// So many answers that nobody waits for may be outstanding. A server that leaves more of them unanswered is stuck.
const ABANDONED: usize = 4096;

/// The user may not connect. A server says so before it looks at the first call.
const ACCESS_DENIED: &str = "org.apache.hadoop.hbase.security.AccessDeniedException";

impl Calls {
    pub(crate) fn begin(&mut self) -> Result<(u32, oneshot::Receiver<CallResult>), Cause> {
        if let Some(cause) = &self.broken {
            return Err(cause.clone());
        }
        let (caller, answer) = oneshot::channel();
        while self.waiting.contains_key(&self.next_id) {
            self.next_id = following(self.next_id);
        }
        let id = self.next_id;
        self.next_id = following(id);
        self.waiting.insert(id, Waiting { caller: Some(caller), sent: None });
        self.since.get_or_insert_with(Instant::now);
        Ok((id, answer))
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

    /// The caller has left. Tells how its call ended, for the caller to say.
    pub(crate) fn abandon(&mut self, id: u32) -> CallFault {
        let waiting = self.waiting.get_mut(&id);
        match waiting.map(|waiting| (waiting.sent, &mut waiting.caller)) {
            Some((Some(answers), caller)) => {
                *caller = None;
                self.abandoned += 1;
                if self.abandoned > ABANDONED {
                    self.fail(Cause::said("the server left too many calls unanswered"));
                }
                CallFault::Unanswered(if self.answers > answers { Cause::Slow } else { Cause::TimedOut })
            }
            Some((None, _)) => {
                self.remove(id);
                CallFault::NotSent(Cause::TimedOut)
            }
            None => CallFault::Unanswered(Cause::TimedOut),
        }
    }

    /// Hands an answer to its caller. An error closes the connection.
    pub(crate) fn answer(&mut self, response: Response) -> Result<(), Cause> {
        let Some(waiting) = self.remove(response.call_id) else {
            return Err(match response.result {
                // What a server says of the connection itself comes with an id that is no call's.
                Err(exception) if exception.class() == ACCESS_DENIED => Cause::security(exception.to_string()),
                Err(exception) => Cause::said(exception.to_string()),
                Ok(_) => Cause::said("an answer to a call that was not made"),
            });
        };
        self.answers += 1;
        match waiting.caller {
            // The caller may leave at this very moment.
            Some(caller) => drop(caller.send(response.result.map_err(CallFault::Refused))),
            None => self.abandoned -= 1,
        }
        Ok(())
    }

    /// An answer is not read, because it is too large. False if nobody waits for it.
    pub(crate) fn too_large(&mut self, id: u32, bytes: usize) -> bool {
        let Some(waiting) = self.remove(id) else { return false };
        match waiting.caller {
            Some(caller) => drop(caller.send(Err(CallFault::TooLarge(bytes)))),
            None => self.abandoned -= 1,
        }
        true
    }

    fn remove(&mut self, id: u32) -> Option<Waiting> {
        let waiting = self.waiting.remove(&id);
        if self.waiting.is_empty() {
            self.since = None;
        }
        waiting
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
            waiting.caller.map(|caller| caller.send(Err(fault)));
        }
        (self.since, self.abandoned) = (None, 0);
    }

    pub(crate) fn broken(&self) -> Option<&Cause> {
        self.broken.as_ref()
    }

    pub(crate) fn since(&self) -> Option<Instant> {
        self.since
    }

    /// How many calls wait for an answer; and to how many an answer will come that nobody waits for.
    pub(crate) fn in_flight(&self) -> (usize, usize) {
        (self.waiting.len() - self.abandoned, self.abandoned)
    }
}

/// The server takes ids for signed numbers, and uses negative ones for itself.
fn following(id: u32) -> u32 {
    if id >= i32::MAX as u32 { 0 } else { id + 1 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exception::Exception;

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
    fn an_abandoned_call_frees_its_caller_and_takes_its_answer_once() {
        let mut calls = Calls::default();
        let (unsent, _) = calls.begin().unwrap();
        assert!(matches!(calls.abandon(unsent), CallFault::NotSent(_)));
        assert!(!calls.sending(unsent));
        let (sent, _) = calls.begin().unwrap();
        calls.sending(sent);
        assert!(matches!(calls.abandon(sent), CallFault::Unanswered(Cause::TimedOut)));
        assert_eq!(calls.in_flight(), (0, 1));
        assert!(calls.answer(answer(sent)).is_ok());
        assert!(calls.answer(answer(sent)).is_err(), "a second answer to the same call");
        assert!(calls.answer(answer(77)).is_err(), "an answer to no call");
        assert_eq!(calls.since(), None);
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
    }

    #[test]
    fn too_many_unanswered_calls_end_the_connection() {
        let mut calls = Calls::default();
        for _ in 0..=ABANDONED {
            let (id, _) = calls.begin().unwrap();
            calls.sending(id);
            calls.abandon(id);
        }
        assert!(calls.broken().is_some());
    }
}
