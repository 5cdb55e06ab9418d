mod parts;

use std::collections::HashMap;
use std::sync::Arc;

use futures_util::future::join_all;
use futures_util::{FutureExt, StreamExt, stream};
use tokio::time::Instant;

use self::parts::{CALLS, Part, Regions, split};
use crate::cause::Cause;
use crate::core::{Attempts, Core, Next, Repeat, doubt, next, nonce};
use crate::error::{Error, Result};
use crate::exception::{Exception, Reaction};
use crate::get::Get;
use crate::mutation::Mutation;
use crate::pb;
use crate::regions::{Location, Place, SYSTEM_PRIORITY};
use crate::row::{CellBlock, Row};
use crate::rpc::{Answer, CallFault, Payload};
use crate::server::ServerName;
use crate::table_name::TableName;

/// A part of a batch.
#[derive(Debug, Clone)]
pub enum Action {
    /// Reads a row.
    Get(Get),
    /// Changes a row.
    Mutate(Mutation),
}

impl Action {
    fn row(&self) -> &[u8] {
        match self {
            Self::Get(get) => get.row(),
            Self::Mutate(mutation) => mutation.row(),
        }
    }

    fn check(&self) -> Result<()> {
        match self {
            Self::Get(get) => get.check(),
            Self::Mutate(mutation) => mutation.check(),
        }
    }

    fn repeat(&self) -> Repeat {
        match self {
            Self::Get(_) => Repeat::Read,
            Self::Mutate(mutation) => mutation.repeat(),
        }
    }

    fn as_put(&self) -> Option<&Mutation> {
        match self {
            Self::Mutate(mutation) if mutation.is_put() => Some(mutation),
            _ => None,
        }
    }

    fn cells(&self) -> &[u8] {
        match self {
            Self::Get(_) => &[],
            Self::Mutate(mutation) => mutation.cells(),
        }
    }
}

impl<T: Into<Mutation>> From<T> for Action {
    fn from(mutation: T) -> Self {
        Self::Mutate(mutation.into())
    }
}

impl From<Get> for Action {
    fn from(get: Get) -> Self {
        Self::Get(get)
    }
}

/// What a part of a batch returned: the row that was read, or the new values of an increment or an append.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Outcome(pub Row);

/// Regions of a batch that are looked for at a time.
const LOCATED: usize = 256;

/// Puts of one row are sent as one, up to so many bytes.
const JOINED: usize = 256 << 10;

/// Puts that went together and are refused are sent again in so many groups: one of them may have no family.
const APART: usize = 16;

/// One action on its way, or several puts of a row: the first one of these.
struct Step<'a> {
    action: &'a Action,
    /// The action on the same row that goes after this one.
    then: Option<usize>,
    /// The put that goes with this one, as a part of it.
    next: Option<usize>,
    nonce: Option<u64>,
    unanswered: Option<Arc<Location>>,
    result: Option<Result<Outcome>>,
}

/// Carries out the actions. Those of one server do not wait for another one.
pub(crate) async fn run(core: &Core, table: &TableName, actions: &[Action], deadline: Instant) -> Vec<Result<Outcome>> {
    let (regions, of_servers) = by_server(core, table, actions);
    let results = of_servers.iter().map(|of_server| async {
        let actions: Vec<_> = of_server.places.iter().map(|at| &actions[*at]).collect();
        in_rounds(core, table, &actions, regions.clone(), &of_server.known, deadline).await
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

/// Each action has a result in the end.
fn result_of(result: Option<Result<Outcome>>) -> Result<Outcome> {
    result.unwrap_or_else(|| Err(Error::malformed("a result")))
}

/// Actions that are on one server, as far as is known.
#[derive(Default)]
struct OfServer {
    /// Their places in the batch.
    places: Vec<usize>,
    /// The region of each, if it is known.
    known: Vec<usize>,
}

/// The regions of the actions, and the actions on each server; all together, if it is not known without a look-up where one of
/// them is: actions on one row stay together.
fn by_server(core: &Core, table: &TableName, actions: &[Action]) -> (Regions, Vec<OfServer>) {
    let mut regions = Regions::default();
    // Of each region, which of the servers has it.
    let mut at_server: Vec<usize> = Vec::new();
    let mut servers: Vec<(ServerName, OfServer)> = Vec::new();
    for (at, action) in actions.iter().enumerate() {
        let region = match regions.of(action.row()) {
            Some(region) => region,
            None => match core.locator.cached(table, Place::At(action.row())) {
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

/// Sends the actions that may go, and then those that failed or were behind them, until all are done. `known`: the region of each,
/// among `regions`.
async fn in_rounds(
    core: &Core,
    table: &TableName,
    actions: &[&Action],
    mut regions: Regions,
    mut known: &[usize],
    deadline: Instant,
) -> Vec<Result<Outcome>> {
    let (mut steps, mut ready) = steps(actions);
    let mut attempts = Attempts::new(core, deadline);
    // Regions whose server left something unanswered, and when.
    let mut doubted: Doubted = HashMap::new();
    let late = || Next::Never(Error::unavailable(Cause::TimedOut).of_table(table));
    while !ready.is_empty() {
        let mut failed = Failed::default();
        let locate = |at: usize| core.locate(table, Place::At(actions[at].row()), deadline);
        for some in ready.chunks(LOCATED) {
            let mut unknown = Vec::new();
            if Instant::now() >= deadline {
                some.iter().for_each(|at| steps[*at].failed(*at, late(), &mut failed, attempts.made));
                continue;
            }
            for at in some.iter().copied() {
                match known.get(at).copied().or_else(|| regions.of(actions[at].row())) {
                    Some(region) => steps[at].place(at, region, &mut regions, &doubted, &mut failed, attempts.made),
                    // What is in the cache is found without a wait.
                    None => match locate(at).now_or_never() {
                        Some(Ok(location)) => {
                            let region = regions.add(location);
                            steps[at].place(at, region, &mut regions, &doubted, &mut failed, attempts.made);
                        }
                        Some(Err(next)) => steps[at].failed(at, next, &mut failed, attempts.made),
                        None => unknown.push(at),
                    },
                }
            }
            let located = join_all(unknown.iter().map(|at| locate(*at))).await;
            for (at, location) in unknown.into_iter().zip(located) {
                match location {
                    Ok(location) => {
                        let region = regions.add(location);
                        steps[at].place(at, region, &mut regions, &doubted, &mut failed, attempts.made);
                    }
                    Err(next) => steps[at].failed(at, next, &mut failed, attempts.made),
                }
            }
        }
        let size = |at: usize| together(&steps, at).map(|at| actions[at].cells().len() + actions[at].row().len()).sum();
        let of_servers = split(std::mem::take(&mut regions).into_parts(), size, core.options.batch_bytes);
        known = &[];
        let answers = join_all(of_servers.iter().map(|parts| send_all(core, table, &steps, parts, deadline))).await;
        for (part, answer) in answers.into_iter().flatten() {
            for (location, at, result) in results(part, actions, answer) {
                let step = &mut steps[at];
                match result {
                    Ok(outcome) => step.result = Some(Ok(outcome)),
                    Err(fault) => {
                        match &fault {
                            fault if fault.is_open() => {
                                let has_nonce = step.action.repeat() == Repeat::WhereItIs;
                                if has_nonce || fault.doubts_server() {
                                    let since = if has_nonce { Instant::now() } else { doubt() };
                                    let doubted = doubted.entry(location.region.name().clone());
                                    let (_, known) = doubted.or_insert_with(|| (location.clone(), since));
                                    *known = since.max(*known);
                                }
                                step.unanswered.get_or_insert_with(|| location.clone());
                            }
                            CallFault::Refused(exception) => core.learn(location, exception, step.action.repeat()),
                            _ => {}
                        }
                        let next = next(fault, step.action.repeat());
                        let next = next.map(|error| error.at(location, step.action.row()));
                        step.failed(at, next, &mut failed, attempts.made);
                    }
                }
            }
        }
        let again = doubted.iter().map(|(name, (location, since))| async move {
            core.locator.look_again(location, *since, deadline).await.is_ok().then(|| name.clone())
        });
        let sure: Vec<_> = stream::iter(again.collect::<Vec<_>>()).buffer_unordered(LOCATED).collect().await;
        sure.into_iter().flatten().for_each(|name| drop(doubted.remove(&name)));
        if ready.iter().any(|at| matches!(steps[*at].result, Some(Ok(_)))) {
            attempts.went_on();
        }
        if let Some(next) = failed.next
            && attempts.wait(next).await.is_err()
        {
            for (at, error) in failed.errors {
                steps[at].result = Some(Err(error.after(attempts.made)));
            }
        }
        ready = ready.into_iter().filter_map(|at| following(&mut steps, at)).collect();
    }
    steps.into_iter().map(|step| result_of(step.result)).collect()
}

/// What failed in a round and is to be tried again.
#[derive(Default)]
struct Failed {
    errors: Vec<(usize, Error)>,
    next: Option<Next>,
}

type Doubted = HashMap<bytes::Bytes, (Arc<Location>, Instant)>;

impl Step<'_> {
    /// Whether it was sent, not answered, and may not be sent to where the region is now.
    fn has_moved(&self, location: &Location) -> bool {
        let reopened = self.unanswered.as_ref().is_some_and(|before| **before != *location);
        reopened && self.action.repeat() == Repeat::WhereItIs
    }

    /// Puts the action to those of its region, unless it may not be sent there.
    fn place(
        &mut self,
        at: usize,
        region: usize,
        regions: &mut Regions,
        doubted: &Doubted,
        failed: &mut Failed,
        attempts: u32,
    ) {
        let location = regions.location(region);
        let has_nonce = self.unanswered.is_some() && self.action.repeat() == Repeat::WhereItIs;
        if has_nonce && doubted.contains_key(location.region.name()) {
            let next = Next::unreachable(Cause::said("it is not known whether the region has moved"));
            let next = next.map(|error| error.at(location, self.action.row()));
            self.failed(at, next, failed, attempts);
        } else if self.has_moved(location) {
            let moved = CallFault::Unanswered(Cause::said("the region has moved since"));
            let error = Error::of_call(moved, true).at(location, self.action.row());
            self.result = Some(Err(error.after(attempts)));
        } else {
            regions.put(region, at);
        }
    }

    fn failed(&mut self, at: usize, next: Next, failed: &mut Failed, attempts: u32) {
        let unknown = self.unanswered.is_some() && self.action.repeat() != Repeat::Read;
        match next.map(|error| if unknown { error.outcome_unknown() } else { error }) {
            Next::Never(error) => self.result = Some(Err(error.after(attempts))),
            next => {
                let (Next::Now(error) | Next::Later { error, .. } | Next::Never(error)) = &next;
                failed.errors.push((at, error.clone()));
                // The longest wait that any action needs is the wait of all.
                let longer = match (&failed.next, &next) {
                    (None, _) | (Some(Next::Now(_)), _) => true,
                    (Some(Next::Later { overloaded: false, .. }), Next::Later { overloaded, .. }) => *overloaded,
                    _ => false,
                };
                if longer {
                    failed.next = Some(next);
                }
            }
        }
    }
}

/// The last step on a row.
struct Last {
    at: usize,
    /// Of the puts that go together.
    bytes: usize,
}

/// The steps of a batch, and those of them that go first.
fn steps<'a>(actions: &[&'a Action]) -> (Vec<Step<'a>>, Vec<usize>) {
    let mut last: HashMap<&[u8], Last> = HashMap::with_capacity(actions.len());
    let mut steps: Vec<Step<'a>> = Vec::with_capacity(actions.len());
    let mut first = Vec::new();
    for (at, action) in actions.iter().copied().enumerate() {
        let step = Step {
            action,
            then: None,
            next: None,
            nonce: matches!(action, Action::Mutate(mutation) if mutation.is_read_modify()).then(nonce),
            unanswered: None,
            result: action.check().err().map(Err),
        };
        // A wrong one is not sent, so others go before and after each other as if it were not there.
        if step.result.is_none() {
            let bytes = action.cells().len();
            match last.get_mut(action.row()) {
                Some(last) if last.bytes + bytes <= JOINED && joins(actions, last.at, action) => {
                    steps[last.at].next = Some(at);
                    (last.at, last.bytes) = (at, last.bytes + bytes);
                }
                Some(last) => {
                    steps[last.at].then = Some(at);
                    *last = Last { at, bytes };
                }
                None => {
                    last.insert(action.row(), Last { at, bytes });
                    first.push(at);
                }
            }
        }
        steps.push(step);
    }
    (steps, first)
}

/// What goes next on the row of a step: the step itself, if it has no result yet; otherwise the one after it. Puts that went
/// together have one result, unless it was refused: then they go again in smaller groups.
fn following(steps: &mut [Step<'_>], at: usize) -> Option<usize> {
    let result = match &steps[at].result {
        None => return Some(at),
        Some(_) if steps[at].next.is_none() => return steps[at].then,
        Some(result) => result.clone(),
    };
    let group: Vec<usize> = together(steps, at).collect();
    let refused =
        matches!(&result, Err(error) if error.exception().is_some_and(|told| told.reaction() == Reaction::Fail));
    if !refused {
        group.iter().for_each(|of| steps[*of].result = Some(result.clone()));
        return group.last().and_then(|last| steps[*last].then);
    }
    let unanswered = steps[at].unanswered.clone();
    let smaller = group.len().div_ceil(APART);
    for (last, after) in group.iter().zip(&group[1..]).skip(smaller - 1).step_by(smaller) {
        steps[*last].next = None;
        steps[*last].then = Some(*after);
        // The group that was not answered had this one too.
        steps[*after].unanswered = unanswered.clone();
    }
    steps[at].result = None;
    Some(at)
}

/// Whether both are puts that can be one.
fn joins(actions: &[&Action], before: usize, action: &Action) -> bool {
    let puts = actions[before].as_put().zip(action.as_put());
    puts.is_some_and(|(before, put)| before.durability() == put.durability())
}

/// A step, and those that go with it.
fn together(steps: &[Step<'_>], at: usize) -> impl Iterator<Item = usize> {
    std::iter::successors(Some(at), |at| steps[*at].next)
}

/// Sends the parts of one server, some at a time: the others are not encoded yet.
async fn send_all<'p>(
    core: &Core,
    table: &TableName,
    steps: &[Step<'_>],
    parts: &'p [Part],
    deadline: Instant,
) -> Vec<(&'p Part, Result<Answer, CallFault>)> {
    let calls: Vec<_> = parts.iter().map(|part| send(core, table, steps, part, deadline)).collect();
    stream::iter(calls).buffer_unordered(CALLS).collect().await
}

async fn send<'p>(
    core: &Core,
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
            Action::Mutate(mutation) => {
                let mut mutation = mutation.to_pb(steps[*at].nonce);
                if steps[*at].next.is_some() {
                    let of_all = together(steps, *at).filter_map(|at| steps[at].action.as_put()).map(Mutation::count);
                    mutation.associated_cell_count = i32::try_from(of_all.sum::<u32>()).ok();
                }
                pb::Action { index, mutation: Some(mutation), get: None }
            }
        }
    };
    let region = |(location, actions): &(Arc<Location>, Vec<usize>)| pb::RegionAction {
        region: location.region.specifier(),
        action: actions.iter().enumerate().map(of).collect(),
        ..Default::default()
    };
    let message = pb::MultiRequest {
        region_action: part.regions.iter().map(region).collect(),
        nonce_group: Some(core.nonce_group),
    };
    let actions = part.regions.iter().flat_map(|(_, actions)| actions);
    let cells = actions.flat_map(|at| together(steps, *at)).map(|at| steps[at].action.cells());
    let cells: Vec<_> = cells.filter(|cells| !cells.is_empty()).collect();
    let priority = table.is_system().then_some(SYSTEM_PRIORITY);
    let payload = Payload { cells: &cells, priority, ..Payload::new("Multi", &message) };
    let Some((location, _)) = part.regions.first() else { return (part, Ok(Answer::default())) };
    let answer = core.attempt(location, &payload, core.call_deadline(deadline)).await;
    if matches!(answer, Err(CallFault::NotSent(Cause::Io { .. }))) {
        part.regions.iter().for_each(|(location, _)| core.locator.forget(location));
    }
    (part, answer)
}

type OneResult<'p> = (&'p Arc<Location>, usize, Result<Outcome, CallFault>);

/// The result of each action, by its place in the batch.
fn results<'p>(part: &'p Part, of: &[&Action], answer: Result<Answer, CallFault>) -> Vec<OneResult<'p>> {
    let all = |fault: &CallFault| -> Vec<OneResult<'p>> {
        let mut results = Vec::new();
        for (location, actions) in &part.regions {
            results.extend(actions.iter().map(|at| (location, *at, Err(fault.clone()))));
        }
        results
    };
    let read = answer.and_then(|answer| Ok((answer.read::<pb::MultiResponse>()?, CellBlock(answer.cells))));
    let (response, mut block) = match read {
        Ok((response, _)) if response.region_action_result.len() != part.regions.len() => {
            return all(&CallFault::Malformed("the results of a batch"));
        }
        Ok(read) => read,
        Err(fault) => return all(&fault),
    };
    let mut results = Vec::new();
    for ((location, actions), result) in part.regions.iter().zip(response.region_action_result) {
        let mut outcomes: Vec<Option<Result<Outcome, CallFault>>> = vec![None; actions.len()];
        if let Some(exception) = &result.exception {
            outcomes.fill(Some(Err(CallFault::Refused(named(exception)))));
        }
        for one in &result.result_or_exception {
            let Some((place, at)) = outcomes.get_mut(one.index() as usize).zip(actions.get(one.index() as usize))
            else {
                continue;
            };
            // Cells are taken in the order of the results, whatever their actions are.
            *place = match (&one.exception, &one.result) {
                (Some(exception), _) => Some(Err(CallFault::Refused(named(exception)))),
                (None, Some(result)) => Some(match block.row_at(of[*at].row(), result) {
                    Some(row) => Ok(Outcome(row)),
                    None => Err(CallFault::Malformed("the cells of a row")),
                }),
                (None, None) => None,
            };
        }
        let missing = || Err(CallFault::Malformed("the results of a batch"));
        let outcomes = outcomes.into_iter().map(|outcome| outcome.unwrap_or_else(missing));
        results.extend(actions.iter().zip(outcomes).map(|(at, outcome)| (location, *at, outcome)));
    }
    results
}

/// Reads the answer to mutations of one row, which succeed or fail together. False if their condition does not hold.
pub(crate) fn row_was_changed(answer: &Answer) -> Result<bool, CallFault> {
    let response: pb::MultiResponse = answer.read()?;
    let result = response.region_action_result.first().ok_or(CallFault::Malformed("the result of a batch"))?;
    let failed = result.exception.as_ref().or_else(|| {
        let mut results = result.result_or_exception.iter();
        results.find_map(|one| one.exception.as_ref())
    });
    match failed {
        Some(exception) => Err(CallFault::Refused(named(exception))),
        None => Ok(result.processed.or(response.processed).unwrap_or(true)),
    }
}

fn named(exception: &pb::NameBytesPair) -> Exception {
    Exception::named(&exception.name, exception.value())
}
