//! Batches: actions of many rows in few calls, by server and region.

mod action;
mod answer;
mod parts;
mod refusals;
mod step;

use std::collections::HashMap;
use std::sync::Arc;

use futures_util::future::join_all;
use futures_util::{FutureExt, StreamExt, stream};
use rowkey_retry::Idempotency;
use tokio::time::Instant;
use tracing::Instrument;

pub use self::action::{Action, Outcome, Write};
use self::answer::results;
pub(crate) use self::answer::row_outcome;
use self::parts::{CALLS, Load, Part, Regions, split};
use self::refusals::{Refusals, of_several};
use self::step::{Doubted, Failed, Step, following, result_of, steps, together};
use crate::cluster::regions::{Place, SYSTEM_PRIORITY};
use crate::model::error::{CallFault, Cause, Error, Result};
use crate::model::mutation::Mutation;
use crate::model::region::Location;
use crate::model::server::ServerName;
use crate::model::table_name::TableName;
use crate::ops::executor::{Executor, doubt};
use crate::ops::retry::RetryDecision;
use crate::pb;
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
    on_servers(executor, table, actions, deadline).instrument(span).await
}

async fn on_servers(
    executor: &Executor,
    table: &TableName,
    actions: &[Action],
    deadline: Instant,
) -> Vec<Result<Outcome>> {
    let (regions, of_servers) = by_server(executor, table, actions);
    let results = of_servers.iter().map(|of_server| async {
        let actions: Vec<_> = of_server.places.iter().map(|at| &actions[*at]).collect();
        in_rounds(executor, table, &actions, regions.clone(), &of_server.known, deadline).await
    });
    let mut results = join_all(results).await;
    if let [all] = &mut results[..] {
        return std::mem::take(all);
    }
    let mut all: Vec<_> = actions.iter().map(|_| None).collect();
    let places = of_servers.iter().flat_map(|of_server| &of_server.places);
    for (at, result) in places.zip(results.into_iter().flatten()) {
        all[*at] = Some(result);
    }
    all.into_iter().map(result_of).collect()
}

/// Actions that are on one server, as far as is known.
#[derive(Default)]
struct OfServer {
    /// Their places in the batch.
    places: Vec<usize>,
    /// The region of each, if it is known.
    known: Vec<usize>,
}

/// The regions of the actions, and the actions on each server; all together, if it is not known without a look-up where
/// one of them is: actions on one row stay together.
fn by_server(executor: &Executor, table: &TableName, actions: &[Action]) -> (Regions, Vec<OfServer>) {
    let mut regions = Regions::default();
    // Of each region, which of the servers has it.
    let mut at_server: Vec<usize> = Vec::new();
    let mut servers: Vec<(ServerName, OfServer)> = Vec::new();
    for (at, action) in actions.iter().enumerate() {
        let region = match regions.of(action.row()) {
            Some(region) => region,
            None => match executor.locator.cached(table, Place::At(action.row())) {
                Some(location) => regions.add(location),
                None => {
                    let all = OfServer { places: (0..actions.len()).collect(), known: Vec::new() };
                    return (Regions::default(), vec![all]);
                }
            },
        };
        if region == at_server.len() {
            let server = &regions.location(region).server;
            let known = servers.iter().position(|(known, _)| known == server);
            at_server.push(known.unwrap_or(servers.len()));
            if known.is_none() {
                servers.push((server.clone(), OfServer::default()));
            }
        }
        let (_, of_server) = &mut servers[at_server[region]];
        of_server.places.push(at);
        of_server.known.push(region);
    }
    (regions, servers.into_iter().map(|(_, of_server)| of_server).collect())
}

/// Sends the actions that may go, and then those that failed or were behind them, until all are done. `known`: the
/// region of each, among `regions`.
async fn in_rounds(
    executor: &Executor,
    table: &TableName,
    actions: &[&Action],
    mut regions: Regions,
    mut known: &[usize],
    deadline: Instant,
) -> Vec<Result<Outcome>> {
    let (mut steps, mut ready) = steps(actions);
    // Each step has an outcome of its own.
    let mut attempts = executor.attempts(Idempotency::ReadOnly, deadline);
    // Regions whose server left something unanswered, and when.
    let mut doubted: Doubted = HashMap::new();
    let mut refusals = Refusals::default();
    let late = || RetryDecision::fail(Error::unavailable(Cause::TimedOut).of_table(table));
    while !ready.is_empty() {
        let mut failed = Failed::default();
        let locate = |at: usize| executor.locate(table, Place::At(actions[at].row()), deadline);
        for some in ready.chunks(LOCATED) {
            let mut unknown = Vec::new();
            if Instant::now() >= deadline {
                some.iter().for_each(|at| steps[*at].failed(*at, late(), &mut failed, attempts.made()));
                continue;
            }
            for at in some.iter().copied() {
                let region = match known.get(at).copied().or_else(|| regions.of(actions[at].row())) {
                    Some(region) => Ok(region),
                    // A region in the cache is found without a wait.
                    None => match locate(at).now_or_never() {
                        Some(located) => located.map(|location| regions.add(location)),
                        None => {
                            unknown.push(at);
                            continue;
                        }
                    },
                };
                steps[at].place(at, region, &mut regions, &doubted, &mut failed, attempts.made());
            }
            let located = join_all(unknown.iter().map(|at| locate(*at))).await;
            for (at, location) in unknown.into_iter().zip(located) {
                let region = location.map(|location| regions.add(location));
                steps[at].place(at, region, &mut regions, &doubted, &mut failed, attempts.made());
            }
        }
        let load = |at: usize| Load {
            bytes: together(&steps, at).map(|at| actions[at].size()).sum(),
            most: steps[at].most(),
            at_once: actions[at].is_at_once(),
        };
        let of_servers = split(std::mem::take(&mut regions).into_parts(), load, executor.options.batch_bytes);
        known = &[];
        let answers = join_all(of_servers.iter().map(|parts| send_all(executor, table, &steps, parts, deadline))).await;
        let mut refused = Vec::new();
        for (part, answer) in answers.into_iter().flatten() {
            for one in results(part, actions, answer) {
                let (at, location, step) = (one.at, one.location, &mut steps[one.at]);
                match one.result {
                    Err(_) if of_several(&one).is_some() => refused.push(one),
                    Ok(outcome) => {
                        refusals.made(location, step);
                        step.result = Some(Ok(outcome));
                    }
                    Err(fault) => {
                        if matches!(&fault, CallFault::Refused(told) if told.is_unknown()) {
                            step.suspect(one.suspects);
                        }
                        match &fault {
                            fault if fault.may_have_executed() => {
                                let has_nonce =
                                    step.action.idempotency() == Idempotency::Nonce && fault.delay().is_some();
                                if has_nonce || fault.doubts_server() {
                                    let since = if has_nonce { Instant::now() } else { doubt() };
                                    let doubted = doubted.entry(location.region.name().clone());
                                    let (_, known) = doubted.or_insert_with(|| (location.clone(), since));
                                    *known = since.max(*known);
                                }
                                step.left_unanswered(location);
                            }
                            CallFault::Refused(exception) => {
                                executor.learn(location, exception, step.action.idempotency())
                            }
                            _ => {}
                        }
                        let next = step.decision(fault, location);
                        step.failed(at, next, &mut failed, attempts.made());
                    }
                }
            }
        }
        refusals.judge(refused, &mut steps, &mut failed, attempts.made());
        let again = doubted.iter().map(|(name, (location, since))| async move {
            executor.locator.look_again(location, *since, deadline).await.is_ok().then(|| name.clone())
        });
        let sure: Vec<_> = stream::iter(again.collect::<Vec<_>>()).buffer_unordered(LOCATED).collect().await;
        sure.into_iter().flatten().for_each(|name| drop(doubted.remove(&name)));
        if ready.iter().any(|at| matches!(steps[*at].result, Some(Ok(_)))) {
            attempts.progress();
        }
        if let Some(next) = failed.next
            && attempts.wait(next).await.is_err()
        {
            for (at, error) in failed.errors {
                steps[at].give_up(error.after(attempts.made()));
            }
        }
        ready = ready.into_iter().filter_map(|at| following(&mut steps, at)).collect();
    }
    steps.into_iter().map(|step| result_of(step.result)).collect()
}

/// Sends the parts of one server, some at a time: the others are not encoded yet.
async fn send_all<'p>(
    executor: &Executor,
    table: &TableName,
    steps: &[Step<'_>],
    parts: &'p [Part],
    deadline: Instant,
) -> Vec<(&'p Part, Result<Answer, CallFault>)> {
    let calls: Vec<_> = parts.iter().map(|part| send(executor, table, steps, part, deadline)).collect();
    stream::iter(calls).buffer_unordered(CALLS).collect().await
}

async fn send<'p>(
    executor: &Executor,
    table: &TableName,
    steps: &[Step<'_>],
    part: &'p Part,
    deadline: Instant,
) -> (&'p Part, Result<Answer, CallFault>) {
    if Instant::now() >= deadline {
        return (part, Err(CallFault::NotSent(Cause::TimedOut)));
    }
    let of = |(index, at): (usize, &usize)| {
        let index = u32::try_from(index).ok();
        match steps[*at].action {
            Action::Get(get) => pb::Action { index, get: Some(get.to_pb(false)), mutation: None },
            Action::Write(write) => {
                let mutation = write.mutations().first().map(|mutation| {
                    let mut mutation = mutation.to_pb(steps[*at].nonce);
                    if steps[*at].next.is_some() {
                        let puts = together(steps, *at).filter_map(|at| steps[at].action.as_put());
                        mutation.associated_cell_count = i32::try_from(puts.map(Mutation::count).sum::<u32>()).ok();
                    }
                    mutation
                });
                pb::Action { index, mutation, get: None }
            }
        }
    };
    let region = |(location, actions): &(Arc<Location>, Vec<usize>)| {
        let region = location.region.specifier();
        let at_once = actions.first().and_then(|at| steps[*at].action.at_once());
        match at_once {
            Some((action, condition)) => {
                let atomic = (action.len() > 1 || condition.is_none()).then_some(true);
                pb::RegionAction { region, atomic, action, condition }
            }
            None => {
                pb::RegionAction { region, action: actions.iter().enumerate().map(of).collect(), ..Default::default() }
            }
        }
    };
    let message = pb::MultiRequest {
        region_action: part.regions.iter().map(region).collect(),
        nonce_group: Some(executor.nonce_group),
    };
    let actions = part.regions.iter().flat_map(|(_, actions)| actions);
    let cells = actions.flat_map(|at| together(steps, *at)).flat_map(|at| steps[at].action.cells());
    let cells: Vec<_> = cells.collect();
    let priority = table.is_system().then_some(SYSTEM_PRIORITY);
    let payload = Payload { cells: &cells, priority, ..Payload::new("Multi", &message) };
    let Some((location, _)) = part.regions.first() else { return (part, Ok(Answer::default())) };
    let answer = executor.attempt(location, &payload, executor.call_deadline(deadline)).await;
    if matches!(answer, Err(CallFault::NotSent(Cause::Io { .. }))) {
        part.regions.iter().for_each(|(location, _)| executor.locator.forget(location));
    }
    (part, answer)
}
