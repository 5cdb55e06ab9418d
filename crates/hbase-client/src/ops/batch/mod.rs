//! Batches: actions of many rows in few calls, by server and region.

mod action;
mod answer;
mod parts;
mod refusals;
mod request;
mod rounds;
mod servers;
mod step;

use futures_util::future::join_all;
use futures_util::{FutureExt, StreamExt, stream};
use rowkey_retry::Idempotency;
use tokio::time::Instant;
use tracing::Instrument;

pub use self::action::{Action, Outcome, Write};
use self::answer::results;
pub(crate) use self::answer::row_outcome;
use self::parts::{Part, Regions, split};
use self::rounds::Rounds;
use self::servers::{by_server, in_order};
use self::step::{Doubted, Step, steps};
use crate::cluster::regions::{Place, SYSTEM_PRIORITY};
use crate::config::options::Options;
use crate::model::error::{CallFault, Cause, Error, Result};
use crate::model::table_name::TableName;
use crate::ops::executor::Executor;
use crate::ops::retry::RetryDecision;
use crate::rpc::{Answer, Payload};

/// Regions of a batch that are looked for at a time.
const LOCATED: usize = 256;

/// Carries out the actions. Those of one server do not wait for another one.
pub(crate) async fn run(
    executor: &Executor,
    table: &TableName,
    actions: &[Action],
    deadline: Instant,
) -> Vec<Result<Outcome>> {
    if let Err(error) = Executor::in_runtime() {
        return actions.iter().map(|_| Err(error.clone())).collect();
    }
    let span = tracing::debug_span!("hbase batch", %table, actions = actions.len());
    Batch { executor, table, deadline }.on_servers(actions).instrument(span).await
}

/// The calls of a batch.
#[derive(Clone, Copy)]
struct Batch<'a> {
    executor: &'a Executor,
    table: &'a TableName,
    deadline: Instant,
}

impl Batch<'_> {
    async fn on_servers(self, actions: &[Action]) -> Vec<Result<Outcome>> {
        let known = |row: &[u8]| self.executor.locator.cached(self.table, Place::At(row));
        let (regions, of_servers) = by_server(actions, known);
        let results = of_servers.iter().map(|of_server| async {
            let actions: Vec<_> = of_server.places.iter().map(|at| &actions[*at]).collect();
            self.in_rounds(&actions, regions.clone(), &of_server.known).await
        });
        in_order(&of_servers, join_all(results).await)
    }

    /// Sends the actions that may go, and then those that failed or were behind them, until all are done. `known`: the
    /// region of each, among `regions`.
    async fn in_rounds(self, actions: &[&Action], mut regions: Regions, mut known: &[usize]) -> Vec<Result<Outcome>> {
        let (steps, mut ready) = steps(actions);
        let mut rounds = Rounds::new(steps);
        // Each step has an outcome of its own.
        let mut attempts = self.executor.attempts(Idempotency::ReadOnly, self.deadline);
        while !ready.is_empty() {
            rounds.attempts = attempts.made();
            self.place(&ready, known, &mut regions, &mut rounds).await;
            known = &[];
            let Options { request_bytes: bytes, batch_calls: calls, .. } = self.executor.options;
            let of_servers = split(std::mem::take(&mut regions).into_parts(), |at| rounds.load(at), bytes, calls);
            let answers = join_all(of_servers.iter().map(|parts| self.send_all(&rounds.steps, parts))).await;
            let results = answers.into_iter().flatten().flat_map(|(part, answer)| results(part, actions, answer));
            rounds.settle(results, Instant::now(), |location, exception, idempotency| {
                self.executor.learn(location, exception, idempotency);
            });
            self.look_again(&mut rounds.doubted).await;
            if ready.iter().any(|at| matches!(rounds.steps[*at].result, Some(Ok(_)))) {
                attempts.progress();
            }
            let failed = std::mem::take(&mut rounds.failed);
            if let Some(next) = failed.next
                && attempts.wait(next).await.is_err()
            {
                rounds.give_up(failed.errors);
            }
            ready = rounds.following(ready);
        }
        rounds.results()
    }

    /// Puts the actions to those of their regions, of which those that are not `known` are looked for.
    async fn place(self, ready: &[usize], known: &[usize], regions: &mut Regions, rounds: &mut Rounds<'_>) {
        for some in ready.chunks(LOCATED) {
            if Instant::now() >= self.deadline {
                let late = || RetryDecision::fail(Error::unavailable(Cause::TimedOut).of_table(self.table));
                some.iter().for_each(|at| rounds.place(*at, Err(late()), regions));
                continue;
            }
            let mut unknown = Vec::new();
            for at in some.iter().copied() {
                let row: &[u8] = rounds.steps[at].action.row();
                let region = match known.get(at).copied().or_else(|| regions.of(row)) {
                    Some(region) => Ok(region),
                    // A region in the cache is found without a wait.
                    None => match self.executor.locate(self.table, Place::At(row), self.deadline).now_or_never() {
                        Some(located) => located.map(|location| regions.add(location)),
                        None => {
                            unknown.push((at, row));
                            continue;
                        }
                    },
                };
                rounds.place(at, region, regions);
            }
            let locate = |row| self.executor.locate(self.table, Place::At(row), self.deadline);
            let located = join_all(unknown.iter().map(|(_, row)| locate(*row))).await;
            for ((at, _), location) in unknown.into_iter().zip(located) {
                let region = location.map(|location| regions.add(location));
                rounds.place(at, region, regions);
            }
        }
    }

    /// Looks for the regions that are in doubt. Those that meta tells of are so no more.
    async fn look_again(self, doubted: &mut Doubted) {
        let again = doubted.iter().map(|(name, (location, since))| async move {
            self.executor.locator.look_again(location, *since, self.deadline).await.is_ok().then(|| name.clone())
        });
        let sure: Vec<_> = stream::iter(again.collect::<Vec<_>>()).buffer_unordered(LOCATED).collect().await;
        sure.into_iter().flatten().for_each(|name| drop(doubted.remove(&name)));
    }

    /// Sends the parts of one server, some at a time: the others are not encoded yet.
    async fn send_all<'p>(self, steps: &[Step<'_>], parts: &'p [Part]) -> Vec<(&'p Part, Result<Answer, CallFault>)> {
        let calls: Vec<_> = parts.iter().map(|part| async move { (part, self.send(steps, part).await) }).collect();
        stream::iter(calls).buffer_unordered(self.executor.options.batch_calls).collect().await
    }

    async fn send(self, steps: &[Step<'_>], part: &Part) -> Result<Answer, CallFault> {
        if Instant::now() >= self.deadline {
            return Err(CallFault::NotSent(Cause::TimedOut));
        }
        let message = request::message(part, steps, self.executor.nonce_group);
        let cells = request::cells(part, steps);
        let priority = self.table.is_system().then_some(SYSTEM_PRIORITY);
        let payload = Payload { cells: &cells, priority, ..Payload::new("Multi", &message) };
        let Some((location, _)) = part.regions.first() else { return Ok(Answer::default()) };
        let answer = self.executor.attempt(location, &payload, self.executor.call_deadline(self.deadline)).await;
        if matches!(answer, Err(CallFault::NotSent(Cause::Io { .. }))) {
            part.regions.iter().for_each(|(location, _)| self.executor.locator.forget(location));
        }
        answer
    }
}
