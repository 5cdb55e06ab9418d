//! The access token that a client's requests share.
//!
//! A task of the client's runtime fetches it, one fetch at a time, whoever waits and however long: a call that ends
//! early ends its own wait alone. The task goes on as long as the client: it fetches the next token before the end of
//! the one that it has, and repeats what fails after a pause that grows. A failure is kept, and told to the calls that
//! have no token.

use std::error::Error as StdError;
use std::fmt;
use std::panic::AssertUnwindSafe;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use futures_util::FutureExt;
use rowkey::ErrorKind;
use rowkey_retry::Backoff;
use tokio::runtime::Handle;
use tokio::sync::{Notify, watch};
use tokio::time::{Instant, sleep_until, timeout};
use tonic::metadata::AsciiMetadataValue;
use tonic::{Code, Request, Status};

use crate::credentials::{Token, TokenError, TokenProvider};
use crate::trust::is_distrusted;

/// The longest time of a fetch.
const LONGEST_FETCH: Duration = Duration::from_secs(60);
const FIRST_PAUSE: Duration = Duration::from_millis(100);
const LONGEST_PAUSE: Duration = Duration::from_secs(10);
/// The time before its end at which a token is replaced: metadata servers give a new one about then. At most a fifth of
/// the token's life.
const AHEAD: Duration = Duration::from_secs(225);
/// Tokens with shorter lives are not fetched more often.
const SHORTEST_LIFE: Duration = Duration::from_secs(1);
/// The most refused tokens that are dropped within `DROPS_IN`. If the service refuses more, it is not the token's
/// fault.
const DROPS: usize = 3;
const DROPS_IN: Duration = Duration::from_secs(60);

/// The pauses between fetches that fail.
fn pauses() -> Backoff {
    Backoff::new(FIRST_PAUSE, LONGEST_PAUSE)
}

/// A client's token. Clones share it.
#[derive(Clone, Default)]
pub(super) struct Tokens(Option<Arc<Shared>>);

/// The number of the token that an attempt was sent with, from 1. It goes with the request, which is lost.
#[derive(Clone, Debug, Default)]
pub(super) struct Used(Arc<AtomicU64>);

struct Shared {
    runtime: Handle,
    provider: Arc<dyn TokenProvider>,
    quota_project: Option<String>,
    state: watch::Sender<State>,
    task: Mutex<Task>,
    /// Wakes the task when the token or the client was dropped.
    woken: Arc<Notify>,
}

#[derive(Default)]
struct State {
    token: Option<Held>,
    failure: Option<Failure>,
    /// The number of fetches that ended.
    fetches: u64,
}

#[derive(Default)]
struct Task {
    is_running: bool,
    /// The start of the fetch that is under way.
    fetching_since: Option<Instant>,
    /// True if a call has waited since the last fetch.
    is_wanted: bool,
    /// The times at which tokens were dropped.
    drops: Vec<Instant>,
}

#[derive(Clone)]
struct Held {
    number: u64,
    authorization: AsciiMetadataValue,
    quota_project: Option<AsciiMetadataValue>,
    /// Its end. `None`: it has none.
    until: Option<Instant>,
}

struct Failure {
    error: TokenError,
    backoff: Backoff,
    until: Instant,
}

impl State {
    fn usable(&self) -> Option<&Held> {
        self.token.as_ref().filter(|token| token.until.is_none_or(|until| Instant::now() < until))
    }

    /// The last failure, if the next fetch is not to be waited for.
    fn lasting(&self) -> Option<&TokenError> {
        let failure = self.failure.as_ref().filter(|failure| failure.error.kind() != ErrorKind::Busy)?;
        (Instant::now() < failure.until).then_some(&failure.error)
    }
}

impl Tokens {
    /// The tokens of a provider. They are fetched when one is needed.
    pub(super) fn of(runtime: Handle, provider: Arc<dyn TokenProvider>, quota_project: Option<String>) -> Self {
        let (state, _) = watch::channel(State::default());
        let (task, woken) = (Mutex::default(), Arc::default());
        Self(Some(Arc::new(Shared { runtime, provider, quota_project, state, task, woken })))
    }

    /// Writes a token into the headers. Waits for one if there is none: the future may be dropped at any time.
    pub(super) async fn authorize<Q>(&self, request: &mut Request<Q>) -> Result<(), Status> {
        let Some(shared) = &self.0 else { return Ok(()) };
        let held = shared.token().await.map_err(|error| status_of(&error))?;
        request.metadata_mut().insert("authorization", held.authorization);
        if let Some(project) = held.quota_project {
            request.metadata_mut().insert("x-goog-user-project", project);
        }
        if let Some(Used(number)) = request.extensions().get() {
            number.store(held.number, Ordering::Release);
        }
        Ok(())
    }

    /// Drops the token of an attempt that the service refused. Returns whether the next attempt may get another one.
    pub(super) fn refused(&self, used: &Used) -> bool {
        let number = used.0.load(Ordering::Acquire);
        number > 0 && self.0.as_ref().is_some_and(|shared| shared.refused(number))
    }

    /// The status of what was not sent before its time ended, if it waited for a token.
    pub(super) fn lateness(&self, code: Code) -> Option<Status> {
        let error = self.0.as_ref()?.absence()?;
        Some(without_token(code, &error))
    }
}

impl Shared {
    fn task(&self) -> MutexGuard<'_, Task> {
        self.task.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn token(self: &Arc<Self>) -> Result<Held, TokenError> {
        let mut states = self.state.subscribe();
        let mut before = None;
        loop {
            {
                let state = states.borrow_and_update();
                if let Some(held) = state.usable() {
                    return Ok(held.clone());
                }
                if let Some(error) = state.lasting() {
                    return Err(error.clone());
                }
                let before = *before.get_or_insert(state.fetches);
                if let Some(failure) = state.failure.as_ref().filter(|_| state.fetches != before) {
                    return Err(failure.error.clone());
                }
            }
            self.want();
            // The sender is in `self`.
            let _ = states.changed().await;
        }
    }

    /// The reason why there is no token now.
    fn absence(&self) -> Option<TokenError> {
        let fetching_since = self.task().fetching_since;
        let state = self.state.borrow();
        if state.usable().is_some() {
            return None;
        }
        let failure = state.failure.as_ref().map(|failure| &failure.error);
        let Some(since) = fetching_since else { return failure.cloned() };
        let time = since.elapsed().as_secs_f64();
        let before = failure.map(|error| format!(", after {error}")).unwrap_or_default();
        Some(TokenError::unavailable(format!("being fetched for {time:.1} s{before}")))
    }

    /// Has a token fetched, if that is not under way.
    fn want(self: &Arc<Self>) {
        let mut task = self.task();
        task.is_wanted = true;
        let was_running = std::mem::replace(&mut task.is_running, true);
        if !was_running {
            task.fetching_since = Some(Instant::now());
        }
        drop(task);
        if !was_running {
            // A runtime that has ended drops it at once.
            let running = Running(Arc::downgrade(self));
            self.runtime.spawn(running.run(Arc::clone(&self.woken)));
        }
    }

    fn refused(self: &Arc<Self>, number: u64) -> bool {
        let is_held = |state: &State| state.token.as_ref().is_some_and(|token| token.number == number);
        if !is_held(&self.state.borrow()) {
            return true;
        }
        let mut task = self.task();
        task.drops.retain(|drop| drop.elapsed() < DROPS_IN);
        if task.drops.len() == DROPS {
            return false;
        }
        let is_dropped = self.state.send_if_modified(|state| is_held(state) && state.token.take().is_some());
        if is_dropped {
            task.drops.push(Instant::now());
        }
        drop(task);
        self.woken.notify_one();
        true
    }

    /// Takes what a fetch gave. Returns when the next one is, or `None` if it is to be asked for.
    fn fetched(&self, fetched: Result<Token, TokenError>) -> Option<Instant> {
        let held = fetched.and_then(|token| self.held(&token).map(|held| (held, token.lifetime)));
        let now = Instant::now();
        let mut next = None;
        // The task's end comes before what the calls are told, as they ask for the next one.
        let mut task = self.task();
        (task.is_wanted, task.fetching_since) = (false, None);
        self.state.send_modify(|state| {
            state.fetches += 1;
            match held {
                Ok((held, lifetime)) => {
                    let ahead = |lifetime: Duration| lifetime.saturating_sub(AHEAD.min(lifetime / 5));
                    next = lifetime.and_then(|lifetime| now.checked_add(ahead(lifetime)));
                    state.token = Some(held);
                    state.failure = None;
                }
                Err(error) => {
                    let mut backoff = state.failure.take().map_or_else(pauses, |failure| failure.backoff);
                    let until = now + backoff.next_backoff();
                    let is_needed = error.kind() == ErrorKind::Busy || state.usable().is_some();
                    next = is_needed.then_some(until);
                    state.failure = Some(Failure { error, backoff, until });
                }
            }
            task.is_running = next.is_some();
        });
        next
    }

    fn held(&self, token: &Token) -> Result<Held, TokenError> {
        let invalid =
            |what: &str| TokenError::new(ErrorKind::InvalidInput, format!("{what} does not fit into a header"));
        let header = |text: &str, what: &str| AsciiMetadataValue::try_from(text).map_err(|_| invalid(what));
        let mut authorization = header(&format!("Bearer {}", token.value), "the token")?;
        authorization.set_sensitive(true);
        let quota_project = self.quota_project.as_ref().or(token.quota_project.as_ref());
        let quota_project = quota_project.filter(|project| !project.is_empty());
        let quota_project = quota_project.map(|project| header(project, "the quota project")).transpose()?;
        if token.lifetime.is_some_and(|lifetime| lifetime < SHORTEST_LIFE) {
            return Err(TokenError::unavailable("the token that was fetched has expired, or does at once"));
        }
        let until = token.lifetime.and_then(|lifetime| Instant::now().checked_add(lifetime));
        let number = self.state.borrow().fetches + 1;
        Ok(Held { number, authorization, quota_project, until })
    }
}

/// One fetch. A provider that panics has failed, and is asked again as after other failures.
async fn fetch(provider: &dyn TokenProvider) -> Result<Token, TokenError> {
    let fetching = AssertUnwindSafe(async { timeout(LONGEST_FETCH, provider.token()).await }).catch_unwind();
    match fetching.await {
        Ok(Ok(fetched)) => fetched,
        Ok(Err(_)) => Err(TokenError::unavailable(format!("the token was not fetched within {LONGEST_FETCH:?}"))),
        Err(panic) => {
            let said = panic.downcast_ref::<&str>().copied();
            let said = said.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
            let said = said.map(|said| format!(": {said}")).unwrap_or_default();
            Err(TokenError::new(ErrorKind::Other, format!("the provider of tokens panicked{said}")))
        }
    }
}

/// The task that fetches tokens. It is dropped before its end if the runtime ends: then the calls that wait are told.
struct Running(Weak<Shared>);

impl Running {
    async fn run(mut self, woken: Arc<Notify>) {
        let begun = |shared: Arc<Shared>| {
            shared.task().fetching_since = Some(Instant::now());
            Arc::clone(&shared.provider)
        };
        while let Some(provider) = self.0.upgrade().map(begun) {
            let fetched = fetch(&*provider).await;
            drop(provider);
            let Some(next) = self.0.upgrade().and_then(|shared| shared.fetched(fetched)) else { break };
            if !self.wait(next, &woken).await {
                break;
            }
        }
        self.0 = Weak::new();
    }

    /// Waits for the next fetch. Returns whether there is to be one.
    async fn wait(&self, next: Instant, woken: &Notify) -> bool {
        loop {
            let is_due = tokio::select! {
                () = sleep_until(next) => true,
                () = woken.notified() => false,
            };
            let Some(shared) = self.0.upgrade() else { return false };
            let mut task = shared.task();
            let has_token = shared.state.borrow().usable().is_some();
            if is_due {
                // Without a token the next call asks for it.
                task.is_running = has_token || task.is_wanted;
                return task.is_running;
            }
            if !has_token {
                return true;
            }
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let Some(shared) = self.0.upgrade() else { return };
        {
            let mut task = shared.task();
            (task.is_running, task.fetching_since) = (false, None);
        }
        shared.state.send_modify(|state| {
            state.fetches += 1;
            let error = TokenError::new(ErrorKind::Other, "the client's runtime has ended");
            state.failure = Some(Failure { error, backoff: pauses(), until: Instant::now() });
        });
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        self.woken.notify_one();
    }
}

impl fmt::Debug for Tokens {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Tokens")
    }
}

fn status_of(error: &TokenError) -> Status {
    without_token(if error.kind() == ErrorKind::Busy { Code::Unavailable } else { Code::Unauthenticated }, error)
}

fn without_token(code: Code, error: &TokenError) -> Status {
    let mut status = Status::new(code, "no access token");
    status.set_source(Arc::new(error.clone()));
    status
}

/// The kind of a failure without which nothing was sent: there was no token, or no agreement on TLS.
pub(crate) fn kind_before(status: &Status) -> Option<ErrorKind> {
    let source = status.source()?;
    match source.downcast_ref::<TokenError>() {
        Some(error) => Some(error.kind()),
        None => is_distrusted(source).then_some(ErrorKind::Other),
    }
}

#[cfg(test)]
mod tests;
