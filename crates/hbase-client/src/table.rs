use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;
use tracing::Instrument;

use crate::batch::{self, Action, Outcome};
use crate::buffered::{BufferOptions, BufferedMutator};
use crate::condition::Condition;
use crate::core::{Core, Next, RegionCall, Repeat, nonce};
use crate::error::{Error, Result};
use crate::get::Get;
use crate::mutation::{Append, Delete, Increment, Mutation, Put};
use crate::options::bounded;
use crate::pb;
use crate::regions::{Entry, Location, Region, rows_of};
use crate::row::{CellBlock, Row};
use crate::rpc::{Answer, CallFault};
use crate::scan::{Scan, Scanner};
use crate::server::ServerName;
use crate::table_name::TableName;

/// A table of a cluster. Clones share the client's connections.
///
/// An operation ends before its [timeout](Self::with_timeout), which covers look-ups, retries and the pauses between them. A
/// future that is dropped leaves its call: the server may still carry it out.
#[derive(Clone)]
pub struct Table {
    core: Arc<Core>,
    name: TableName,
    timeout: Duration,
}

impl Table {
    pub(crate) fn new(core: Arc<Core>, name: TableName) -> Self {
        let timeout = core.options.timeout;
        Self { core, name, timeout }
    }

    /// The same table with operations that may take so long. Default: that of the client's options.
    #[must_use]
    pub fn with_timeout(&self, timeout: Duration) -> Self {
        Self { timeout: bounded(timeout), ..self.clone() }
    }

    /// Its name.
    pub fn name(&self) -> &TableName {
        &self.name
    }

    pub(crate) fn deadline(&self) -> Instant {
        Instant::now() + self.timeout
    }

    /// Reads a row, given by a [`Get`] or its key. A row that does not exist has no cells.
    ///
    /// # Errors
    ///
    /// If the table does not exist, or its server can't be asked in time.
    pub async fn get(&self, get: impl Into<Get>) -> Result<Row> {
        self.read(&get.into(), false).await.map(|(row, _)| row)
    }

    /// Whether a row, or what a [`Get`] reads of it, exists.
    ///
    /// # Errors
    ///
    /// As [`get`](Self::get).
    pub async fn exists(&self, get: impl Into<Get>) -> Result<bool> {
        self.read(&get.into(), true).await.map(|(_, exists)| exists)
    }

    async fn read(&self, get: &Get, only_existence: bool) -> Result<(Row, bool)> {
        get.check()?;
        let message = |location: &Location| pb::GetRequest {
            region: location.region.specifier(),
            get: get.to_pb(only_existence),
        };
        let read = |answer: &Answer| {
            let response: pb::GetResponse = answer.read()?;
            let exists = response.result.as_ref().is_some_and(pb::Result::exists);
            Ok((row_of(answer, get.row(), response.result.as_ref())?, exists))
        };
        let call = RegionCall {
            table: &self.name,
            row: get.row(),
            method: "Get",
            message,
            cells: &[],
            read,
            repeat: Repeat::Read,
            deadline: self.deadline(),
        };
        self.core.on_row(&call).await
    }

    /// Reads rows, each with a result of its own, in the order of the gets.
    pub async fn get_many<G: Into<Get>>(&self, gets: impl IntoIterator<Item = G>) -> Vec<Result<Row>> {
        let actions = gets.into_iter().map(|get| Action::Get(get.into())).collect();
        let outcomes = self.batch(actions).await;
        outcomes.into_iter().map(|outcome| outcome.map(|Outcome(row)| row)).collect()
    }

    /// Writes cells of a row. It is repeated if an answer is lost.
    ///
    /// # Errors
    ///
    /// If the table or a family does not exist, or its server can't be asked in time. The outcome is unknown if the write was
    /// sent, and neither it nor a repetition was answered in time.
    pub async fn put(&self, put: Put) -> Result<()> {
        self.mutate(put.into(), None).await.map(drop)
    }

    /// Deletes a row or parts of it. It is repeated if an answer is lost, unless it deletes a newest version.
    ///
    /// # Errors
    ///
    /// As [`put`](Self::put).
    pub async fn delete(&self, delete: Delete) -> Result<()> {
        self.mutate(delete.into(), None).await.map(drop)
    }

    /// Adds to counters, and returns their new values.
    ///
    /// The call has a nonce, so a server does not count it twice. A server knows a nonce as long as it has the region open. If
    /// an answer was lost and the region has been opened elsewhere since, the call is not repeated, and its outcome is unknown.
    ///
    /// # Errors
    ///
    /// As [`put`](Self::put). A value that is not of eight bytes is refused.
    pub async fn increment(&self, increment: Increment) -> Result<Row> {
        self.mutate(increment.into(), None).await.map(|(row, _)| row)
    }

    /// Appends to values, and returns the new ones. It is repeated as [`increment`](Self::increment) is.
    ///
    /// # Errors
    ///
    /// As [`put`](Self::put).
    pub async fn append(&self, append: Append) -> Result<Row> {
        self.mutate(append.into(), None).await.map(|(row, _)| row)
    }

    /// Changes a row if a condition holds for it, and returns whether it did. It is not repeated if its answer is lost.
    ///
    /// # Errors
    ///
    /// As [`put`](Self::put).
    pub async fn check_and_mutate(&self, condition: &Condition, mutation: impl Into<Mutation>) -> Result<bool> {
        self.mutate(mutation.into(), Some(condition)).await.map(|(_, done)| done)
    }

    async fn mutate(&self, mutation: Mutation, condition: Option<&Condition>) -> Result<(Row, bool)> {
        mutation.check()?;
        condition.map_or(Ok(()), Condition::check)?;
        let repeat = if condition.is_some() { Repeat::Never } else { mutation.repeat() };
        let nonce = (repeat == Repeat::WhereItIs).then(nonce);
        let message = |location: &Location| pb::MutateRequest {
            region: location.region.specifier(),
            mutation: mutation.to_pb(nonce),
            condition: condition.map(|condition| condition.to_pb(mutation.row())),
            nonce_group: nonce.map(|_| self.core.nonce_group),
        };
        let read = |answer: &Answer| {
            let response: pb::MutateResponse = answer.read()?;
            // Only a condition leaves a row as it is.
            if condition.is_none() && response.processed == Some(false) {
                return Err(CallFault::Malformed("the result of a write"));
            }
            Ok((row_of(answer, mutation.row(), response.result.as_ref())?, response.processed()))
        };
        let call = RegionCall {
            table: &self.name,
            row: mutation.row(),
            method: "Mutate",
            message,
            cells: &[mutation.cells()],
            read,
            repeat,
            deadline: self.deadline(),
        };
        self.core.on_row(&call).await
    }

    /// Changes a row by several mutations at once: others see all of them or none. They must be of one row, and increments and
    /// appends must be of columns that no other of them names.
    ///
    /// # Errors
    ///
    /// As [`put`](Self::put).
    pub async fn mutate_row(&self, mutations: impl IntoIterator<Item = Mutation>) -> Result<()> {
        self.mutate_row_if(mutations, None).await.map(drop)
    }

    /// Changes a row by several mutations at once if a condition holds, and returns whether it did. It is not repeated if
    /// its answer is lost.
    ///
    /// # Errors
    ///
    /// As [`put`](Self::put).
    pub async fn check_and_mutate_row(
        &self,
        condition: &Condition,
        mutations: impl IntoIterator<Item = Mutation>,
    ) -> Result<bool> {
        self.mutate_row_if(mutations, Some(condition)).await
    }

    async fn mutate_row_if(
        &self,
        mutations: impl IntoIterator<Item = Mutation>,
        condition: Option<&Condition>,
    ) -> Result<bool> {
        let mutations: Vec<Mutation> = mutations.into_iter().collect();
        let Some(first) = mutations.first() else { return Err(Error::invalid("no mutations")) };
        for mutation in &mutations {
            mutation.check()?;
            if mutation.row() != first.row() {
                return Err(Error::invalid("mutations of one row have several"));
            }
        }
        condition.map_or(Ok(()), Condition::check)?;
        Mutation::check_together(&mutations)?;
        let always = mutations.iter().all(|mutation| mutation.repeat() == Repeat::Always);
        let repeat = if always && condition.is_none() { Repeat::Always } else { Repeat::Never };
        let action = |mutation: &Mutation| pb::Action { mutation: Some(mutation.to_pb(None)), ..Default::default() };
        let message = |location: &Location| pb::MultiRequest {
            region_action: vec![pb::RegionAction {
                region: location.region.specifier(),
                atomic: Some(true),
                action: mutations.iter().map(action).collect(),
                condition: condition.map(|condition| condition.to_pb(first.row())),
            }],
            nonce_group: None,
        };
        let cells: Vec<_> = mutations.iter().map(Mutation::cells).collect();
        let call = RegionCall {
            table: &self.name,
            row: first.row(),
            method: "Multi",
            message,
            cells: &cells,
            read: batch::row_was_changed,
            repeat,
            deadline: self.deadline(),
        };
        self.core.on_row(&call).await
    }

    /// Reads many rows in the order of their keys.
    ///
    /// Each region is read as it was when its scanner was opened. The timeout is that of each answer: a scan of any length may
    /// go on as long as its servers answer.
    ///
    /// # Panics
    ///
    /// Outside of a tokio runtime.
    pub fn scan(&self, scan: Scan) -> Scanner {
        Scanner::start(self.core.clone(), self.name.clone(), scan, self.timeout)
    }

    /// The regions in the order of their keys, each with the server that has it now. The client remembers them, so that no
    /// look-ups are needed afterwards.
    ///
    /// # Errors
    ///
    /// If the table does not exist, or `hbase:meta` can't be read in time.
    pub async fn regions(&self) -> Result<Vec<(Region, Option<ServerName>)>> {
        let (first, behind) = rows_of(&self.name);
        let scan = Scan::new().start(first).stop_before(behind).family("info");
        let mut rows = Scanner::start(self.core.clone(), TableName::meta(), scan, self.timeout);
        let (mut regions, asked) = (Vec::new(), Instant::now());
        while let Some(row) = rows.next().await? {
            let Some(entry) = Entry::of(&row).filter(|entry| !entry.gone && *entry.region.table() == self.name) else {
                continue;
            };
            let location = entry.location();
            let server = location.as_ref().map(|location| location.server.clone());
            location.into_iter().for_each(|location| self.core.locator.learn(location, asked));
            regions.push((entry.region, server));
        }
        if regions.is_empty() {
            let missing = self.core.locator.absent(&self.name).await;
            return Err(Next::missing(missing, &self.name).into_error());
        }
        Ok(regions)
    }

    /// Reads and changes rows in few calls: those of one server together, up to
    /// [`batch_bytes`](crate::Options::batch_bytes). A hundred actions or more on one server go in about four calls at once.
    /// Each action has a result of its own, in the order of the actions; only those that failed for a while are sent again.
    ///
    /// Actions on one row are carried out one after the other, in their order; puts that follow each other, as one put. Others
    /// have no order. One that fails does not keep back those behind it; if its outcome is not known, it may be carried out after them.
    /// HBase stamps them with its time in milliseconds, and a delete hides a put of the same millisecond, also a
    /// later one: see [`Delete`].
    pub async fn batch(&self, actions: Vec<Action>) -> Vec<Result<Outcome>> {
        self.batch_of(&actions).await
    }

    pub(crate) async fn batch_of(&self, actions: &[Action]) -> Vec<Result<Outcome>> {
        let span = tracing::debug_span!("hbase batch", table = %self.name, actions = actions.len());
        batch::run(&self.core, &self.name, actions, self.deadline()).instrument(span).await
    }

    /// Gathers writes, and sends many in one call.
    ///
    /// # Panics
    ///
    /// Outside of a tokio runtime.
    pub fn buffered_mutator(&self, options: BufferOptions) -> BufferedMutator {
        BufferedMutator::start(self.clone(), options)
    }
}

/// The row of an answer with one result.
fn row_of(answer: &Answer, key: &[u8], result: Option<&pb::Result>) -> Result<Row, CallFault> {
    let row = result.map_or(Some(Row::default()), |result| CellBlock(answer.cells.clone()).row_at(key, result));
    row.ok_or(CallFault::Malformed("the cells of a row"))
}

impl fmt::Debug for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Table").field("name", &self.name).field("timeout", &self.timeout).finish_non_exhaustive()
    }
}
