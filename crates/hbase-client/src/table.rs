//! Tables: operations on rows.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use crate::model::condition::Condition;
use crate::model::error::Result;
use crate::model::get::Get;
use crate::model::mutation::{Append, Delete, Increment, Mutation, Put};
use crate::model::region::Region;
use crate::model::row::Row;
use crate::model::row_mutations::RowMutations;
use crate::model::scan::Scan;
use crate::model::server::ServerName;
use crate::model::table_name::TableName;
use crate::ops::batch::{self, Action, Outcome};
use crate::ops::buffered::{BufferOptions, BufferedMutator};
use crate::ops::executor::{Executor, nonce};
use crate::ops::regions::{openings_of, regions_of};
use crate::ops::request::RegionRequest;
use crate::ops::rows::{GetRow, MutateAtOnce, MutateRow};
use crate::ops::scan::Scanner;
use crate::time::bounded;

/// A table of a cluster. Clones share the client's connections.
///
/// An operation ends before its [timeout](Self::with_timeout), which covers look-ups, retries and the pauses between
/// them. A future that is dropped leaves its call: the server may still carry it out.
#[derive(Clone)]
#[doc(alias = "AsyncTable")]
pub struct Table {
    executor: Arc<Executor>,
    name: TableName,
    timeout: Duration,
}

impl Table {
    pub(crate) fn new(executor: Arc<Executor>, name: TableName) -> Self {
        let timeout = executor.options.timeout;
        Self { executor, name, timeout }
    }

    /// The same table with this timeout of operations. Default: that of the client's options.
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

    async fn call<Q: RegionRequest>(&self, row: &[u8], request: &Q) -> Result<Q::Output> {
        let (_, output) = self.executor.on_row(&self.name, row, request, self.deadline()).await?;
        Ok(output)
    }

    /// Reads a row, given by a [`Get`] or its key. A row that does not exist has no cells.
    ///
    /// # Errors
    ///
    /// If the table does not exist, or its server can't be asked in time.
    pub async fn get(&self, get: impl Into<Get>) -> Result<Row> {
        self.read(&get.into(), false).await.map(|(row, _)| row)
    }

    /// Returns whether a row exists, or the part of it that a [`Get`] reads.
    ///
    /// # Errors
    ///
    /// As [`get`](Self::get).
    pub async fn exists(&self, get: impl Into<Get>) -> Result<bool> {
        self.read(&get.into(), true).await.map(|(_, exists)| exists)
    }

    async fn read(&self, get: &Get, only_existence: bool) -> Result<(Row, bool)> {
        get.check()?;
        self.call(get.row(), &GetRow { get, only_existence }).await
    }

    /// Reads rows, each with a result of its own, in the order of the gets.
    pub async fn get_many<G: Into<Get>>(&self, gets: impl IntoIterator<Item = G>) -> Vec<Result<Row>> {
        let actions = gets.into_iter().map(|get| Action::Get(get.into())).collect();
        let outcomes = self.batch(actions).await;
        outcomes.into_iter().map(|outcome| outcome.map(|outcome| outcome.row)).collect()
    }

    /// Writes cells of a row. It is retried if a response is lost.
    ///
    /// # Errors
    ///
    /// If the table or a family does not exist, or its server can't be asked in time. The outcome is unknown if the
    /// write was sent, and neither it nor a repetition was answered in time.
    pub async fn put(&self, put: Put) -> Result<()> {
        self.mutate(&put.into(), None).await.map(drop)
    }

    /// Deletes a row or parts of it. It is retried if a response is lost, unless it deletes a newest version.
    ///
    /// # Errors
    ///
    /// As [`put`](Self::put).
    pub async fn delete(&self, delete: Delete) -> Result<()> {
        self.mutate(&delete.into(), None).await.map(drop)
    }

    /// Adds to counters, and returns their new values.
    ///
    /// The call has a nonce, so a server does not count it twice. A server knows a nonce as long as it has the region
    /// open. If a response was lost and the region has been opened elsewhere since, the call is not retried, and its
    /// outcome is unknown.
    ///
    /// # Errors
    ///
    /// As [`put`](Self::put). A value that is not of eight bytes is refused.
    pub async fn increment(&self, increment: Increment) -> Result<Row> {
        self.mutate(&increment.into(), None).await.map(|outcome| outcome.row)
    }

    /// Appends to values, and returns the new ones. It is repeated as [`increment`](Self::increment) is.
    ///
    /// # Errors
    ///
    /// As [`put`](Self::put).
    pub async fn append(&self, append: Append) -> Result<Row> {
        self.mutate(&append.into(), None).await.map(|outcome| outcome.row)
    }

    /// Changes a row if a condition holds for it: by a mutation, or by several at once. Returns whether it did, and the
    /// new values of increments and appends. It is not retried if its response is lost.
    ///
    /// ```no_run
    /// # async fn example(table: hbase_client::Table) -> hbase_client::Result<()> {
    /// use hbase_client::{Compare, Condition, Increment};
    ///
    /// let open = Condition::value("f", "state", Compare::Equal, "open");
    /// let counted = table.check_and_mutate(&open, Increment::new("ada").add("f", "visits", 1)).await?;
    /// if counted.applied {
    ///     println!("{:?}", counted.row.value("f", "visits"));
    /// }
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// As [`put`](Self::put), and as [`mutate_row`](Self::mutate_row) if there are several mutations.
    #[doc(alias = "checkAndMutate")]
    pub async fn check_and_mutate(&self, condition: &Condition, mutations: impl Into<RowMutations>) -> Result<Outcome> {
        self.all_of(&mutations.into(), Some(condition)).await
    }

    async fn all_of(&self, mutations: &RowMutations, condition: Option<&Condition>) -> Result<Outcome> {
        match mutations.mutations() {
            [mutation] => self.mutate(mutation, condition).await,
            _ => self.at_once(mutations, condition).await,
        }
    }

    async fn mutate(&self, mutation: &Mutation, condition: Option<&Condition>) -> Result<Outcome> {
        mutation.check()?;
        condition.map_or(Ok(()), Condition::check)?;
        let nonce = mutation.is_read_modify().then(|| (self.executor.nonce_group, nonce()));
        self.call(mutation.row(), &MutateRow { mutation, condition, nonce }).await
    }

    /// Changes a row by several mutations at once: others see all of them or none. Returns the new values of increments
    /// and appends. The mutations must be of one row, increments and appends of columns that no other of them names,
    /// and a delete without a timestamp must not cover what another of them writes: HBase stamps both with the same
    /// millisecond, and the write would be lost. [`RowMutations`] says what to send instead.
    ///
    /// # Errors
    ///
    /// As [`put`](Self::put). Mutations that can't be made at once are [`Invalid`](crate::ErrorKind::Invalid), and
    /// nothing is sent.
    #[doc(alias = "mutateRow")]
    pub async fn mutate_row(&self, mutations: impl Into<RowMutations>) -> Result<Row> {
        self.all_of(&mutations.into(), None).await.map(|outcome| outcome.row)
    }

    async fn at_once(&self, mutations: &RowMutations, condition: Option<&Condition>) -> Result<Outcome> {
        mutations.check()?;
        condition.map_or(Ok(()), Condition::check)?;
        self.call(mutations.row(), &MutateAtOnce { mutations, condition }).await
    }

    /// Reads many rows in the order of their keys.
    ///
    /// Each region is read as it was when its scanner was opened. The timeout is that of each response: a scan of any
    /// length may go on as long as its servers answer. Outside of a tokio runtime, its first row is an error.
    #[doc(alias = "getScanner")]
    pub fn scan(&self, scan: Scan) -> Scanner {
        Scanner::start(self.executor.clone(), self.name.clone(), scan, self.timeout)
    }

    /// The regions in the order of their keys, each with the server that has it now. The client remembers them, so that
    /// no look-ups are needed afterwards.
    ///
    /// # Errors
    ///
    /// If the table does not exist, or `hbase:meta` can't be read in time.
    pub async fn regions(&self) -> Result<Vec<(Region, Option<ServerName>)>> {
        regions_of(&self.executor, &self.name, self.deadline()).await
    }

    /// All regions, in the order of their keys, each with the number of its last opening at a server: a later opening
    /// has a greater one. The column `info:seqnumDuringOpen` of `hbase:meta`; 0 of a region that was never opened.
    ///
    /// # Errors
    ///
    /// As [`regions`](Self::regions).
    pub async fn openings(&self) -> Result<Vec<(Region, i64)>> {
        openings_of(&self.executor, &self.name, self.deadline()).await
    }

    /// Reads and changes rows in few calls: those of one server together, up to
    /// [`request_bytes`](crate::Options::request_bytes). A hundred actions or more on one server go in about four calls at
    /// once, or in [`calls_per_batch`](crate::Options::calls_per_batch). Each action has a result of its own, in the order of the actions; only those that failed for a while are
    /// sent again.
    ///
    /// Actions on one row are carried out one after the other, in their order; puts that follow each other, as one put.
    /// Others have no order. One that fails does not keep back those behind it; if its outcome is not known, it may be
    /// carried out after them. HBase stamps them with its time in milliseconds, and a delete hides a put, increment or
    /// append of the same millisecond, also a later one, which is acknowledged all the same. A delete and a write of
    /// one row in one batch often have the same millisecond: give timestamps of your own, see [`Delete`].
    pub async fn batch(&self, actions: Vec<Action>) -> Vec<Result<Outcome>> {
        batch::run(&self.executor, &self.name, &actions, self.deadline()).await
    }

    /// Gathers writes, and sends many in one call. Outside of a tokio runtime, it takes no writes.
    #[doc(alias = "getBufferedMutator")]
    pub fn buffered_mutator(&self, options: BufferOptions) -> BufferedMutator {
        BufferedMutator::start(self.executor.clone(), self.name.clone(), self.timeout, options)
    }
}

impl fmt::Debug for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Table").field("name", &self.name).field("timeout", &self.timeout).finish_non_exhaustive()
    }
}
