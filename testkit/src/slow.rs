//! An asynchronous engine at the end of a bad line.

use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use futures_lite::future::yield_now;
use futures_lite::stream::{StreamExt, unfold};
use rowkey::nonblocking::{
    AsyncDatabase, AsyncStore, AsyncWideDatabase, AsyncWideStore, Batches, Blocking, StoreFuture, Unblock,
};
use rowkey::store::{Batch, CallOptions, CommitPoint, DatabaseId, Guarantees, NewTable, RowBatch, Scan, TableId, Walk};
use rowkey::wide::{Change, Column, Columns, Condition, Mutation, Row, TableSchema, WideGuarantees};
use rowkey::{Error, KeyRange, Memory};

/// A network engine for tests: an engine behind the threads of a pool, and a client that talks to it over a line that
/// delays, fails and cuts, by a seed. The client tries again, as a good client does: a request that does not arrive is
/// sent again; of a request whose answer is lost the answer is fetched, by a number that the server remembers; a scan
/// that is cut goes on after its last row. So its scans are no snapshots. Its futures need a tokio runtime with time.
pub struct Slow<T: ?Sized> {
    line: Line,
    options: CallOptions,
    server: Arc<T>,
}

impl<T: ?Sized> Clone for Slow<T> {
    fn clone(&self) -> Self {
        Self { line: self.line.clone(), options: self.options.clone(), server: Arc::clone(&self.server) }
    }
}

impl<T> Slow<Unblock<T>> {
    /// A line to an engine on a server.
    pub fn new(engine: T, seed: u64) -> Self {
        let line = Line(Arc::new(State { seed, sent: AtomicU64::new(0), open: AtomicU64::new(0) }));
        Self { line, options: CallOptions::new(), server: Arc::new(Unblock::new(engine)) }
    }
}

/// A database in memory at the end of a [`Slow`] line, in synchronous code.
pub fn over_a_line(seed: u64) -> Blocking<Slow<Unblock<Memory>>> {
    Blocking::new(Slow::new(Memory::new(), seed)).expect("two threads can be started")
}

impl<T: ?Sized> Slow<T> {
    fn on_same<U: ?Sized>(&self, server: Arc<U>) -> Slow<U> {
        Slow { line: self.line.clone(), options: self.options.clone(), server }
    }

    fn with(&self, options: &CallOptions) -> Self {
        Self { options: options.clone(), ..self.clone() }
    }

    /// The number of scans that are open on the server.
    pub fn open_scans(&self) -> u64 {
        self.line.0.open.load(Ordering::Acquire)
    }
}

#[derive(Clone)]
struct Line(Arc<State>);

struct State {
    seed: u64,
    /// Number of things that were sent, each with a fate of its own.
    sent: AtomicU64,
    open: AtomicU64,
}

impl Line {
    fn draw(&self) -> u64 {
        let number = self.0.sent.fetch_add(1, Ordering::Relaxed);
        xxhash_rust::xxh3::xxh3_64_with_seed(&number.to_be_bytes(), self.0.seed)
    }

    /// One of eight is lost.
    fn loses(&self) -> bool {
        self.draw().is_multiple_of(8)
    }

    async fn delay(&self) {
        match self.draw() % 256 {
            pause @ 0..=1 => tokio::time::sleep(Duration::from_millis(1 + pause)).await,
            2..=127 => yield_now().await,
            _ => {}
        }
    }

    /// On its way until it arrives.
    async fn way(&self) {
        self.delay().await;
        while self.loses() {
            self.delay().await;
        }
    }
}

impl<T: ?Sized + Send + Sync> Slow<T> {
    async fn call<R>(
        &self,
        doing: &'static str,
        table: &str,
        writes: Option<DatabaseId>,
        request: impl Future<Output = Result<R, Error>>,
    ) -> Result<R, Error> {
        if let Some(database) = writes {
            database.check_write([table])?;
        }
        let call = self.options.begin(doing, table)?;
        let commit = CommitPoint::default();
        let trip = async {
            self.line.way().await;
            if writes.is_some() {
                commit.pass();
            }
            let answer = request.await;
            self.line.way().await;
            answer
        };
        commit.outcome(table, call.bound(trip, tokio::time::sleep).await)?
    }

    /// A scan that is opened again after its last row when the line is cut. One with rows in pieces is not cut.
    fn batches(
        &self,
        table: &str,
        scan: &Scan,
        cuts: bool,
        open: impl Fn(&Scan) -> Batches + Send + Sync + 'static,
    ) -> Batches {
        let reading = Reading {
            line: self.line.clone(),
            options: self.options.clone(),
            table: table.into(),
            cuts,
            rest: Some(Walk::new(scan)),
            open: Open::of(&self.line, open(scan)),
            reopen: Box::new(open),
        };
        Box::pin(unfold(reading, Reading::next))
    }
}

/// A scan that is open on the server.
struct Open(Line, Batches);

impl Open {
    fn of(line: &Line, batches: Batches) -> Self {
        line.0.open.fetch_add(1, Ordering::AcqRel);
        Self(line.clone(), batches)
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        self.0.0.open.fetch_sub(1, Ordering::AcqRel);
    }
}

struct Reading {
    line: Line,
    options: CallOptions,
    table: Box<str>,
    cuts: bool,
    /// The rows that are left to read. `None` after the end.
    rest: Option<Walk>,
    open: Open,
    reopen: Box<dyn Fn(&Scan) -> Batches + Send + Sync>,
}

impl Reading {
    async fn next(mut self) -> Option<(Result<RowBatch, Error>, Self)> {
        let mut rest = self.rest.take()?;
        let read = match self.options.begin("scan", &self.table) {
            Ok(call) => {
                let trip = async {
                    self.line.way().await;
                    while self.cuts && self.line.loses() {
                        self.open = Open::of(&self.line, (self.reopen)(&rest.rest()));
                        self.line.way().await;
                    }
                    self.open.1.next().await
                };
                call.bound(trip, tokio::time::sleep).await
            }
            Err(ended) => Err(ended),
        };
        match read {
            Ok(None) => None,
            Ok(Some(Ok(batch))) => {
                rest.took_batch(&batch);
                self.rest = Some(rest);
                Some((Ok(batch), self))
            }
            Ok(Some(Err(error))) | Err(error) => Some((Err(error), self)),
        }
    }
}

fn of_line(server: Guarantees) -> Guarantees {
    server.snapshot_scans(false).slow_scans(true)
}

fn of_wide_line(mut server: WideGuarantees) -> WideGuarantees {
    server.snapshot_scans = false;
    server.slow_scans = true;
    server
}

/// Methods that are one request to the server.
macro_rules! requests {
    ($($doing:literal, $writes:expr, $table:expr; fn $method:ident(&$self:ident $(, $argument:ident: $type:ty = $owned:expr => $again:expr)*) -> $output:ty;)*) => {$(
        fn $method(&$self $(, $argument: $type)*) -> StoreFuture<'_, $output> {
            $(let $argument = $owned;)*
            let (writes, table): (Option<DatabaseId>, String) = ($writes, $table);
            Box::pin(async move {
                let request = async { $self.server.$method($($again),*).await };
                $self.call($doing, &table, writes, request).await
            })
        }
    )*};
}

fn slices(keys: &[Vec<u8>]) -> Vec<&[u8]> {
    keys.iter().map(Vec::as_slice).collect()
}

fn owned(keys: &[&[u8]]) -> Vec<Vec<u8>> {
    keys.iter().map(|key| key.to_vec()).collect()
}

impl<T: AsyncStore + ?Sized + 'static> AsyncStore for Slow<T> {
    fn id(&self) -> &TableId {
        self.server.id()
    }

    fn options(&self) -> &CallOptions {
        &self.options
    }

    fn with_options(&self, options: &CallOptions) -> Arc<dyn AsyncStore> {
        Arc::new(self.with(options))
    }

    fn guarantees(&self) -> Guarantees {
        of_line(self.server.guarantees())
    }

    fn scan(&self, scan: &Scan) -> Batches {
        let server = Arc::clone(&self.server);
        self.batches(self.server.id().name(), scan, true, move |scan| server.scan(scan))
    }

    fn increment(&self, key: &[u8], by: i64) -> StoreFuture<'_, i64> {
        let key = key.to_vec();
        Box::pin(async move {
            let (id, request) = (self.server.id(), async { self.server.increment(&key, by).await });
            self.call("increment", id.name(), Some(id.database()), request).await
        })
    }

    requests! {
        "get", None, self.id().name().to_owned();
            fn get(&self, key: &[u8] = key.to_vec() => &key) -> Option<Vec<u8>>;
        "get", None, self.id().name().to_owned();
            fn get_many(&self, keys: &[&[u8]] = owned(keys) => &slices(&keys)) -> Vec<Option<Vec<u8>>>;
        "write", Some(self.id().database()), self.id().name().to_owned();
            fn write(&self, batch: &Batch = batch.clone() => &batch) -> ();
        "compare-and-write", Some(self.id().database()), self.id().name().to_owned();
            fn compare_and_write(
                &self,
                key: &[u8] = key.to_vec() => &key,
                expected: Option<&[u8]> = expected.map(<[u8]>::to_vec) => expected.as_deref(),
                new: Option<&[u8]> = new.map(<[u8]>::to_vec) => new.as_deref()
            ) -> bool;
        "deletion of ranges", Some(self.id().database()), self.id().name().to_owned();
            fn delete_ranges(&self, ranges: &[KeyRange] = ranges.to_vec() => &ranges) -> ();
        "split points", None, self.id().name().to_owned();
            fn split_points(&self) -> Vec<Vec<u8>>;
    }
}

impl<T: AsyncDatabase + ?Sized + 'static> Slow<T> {
    async fn open(
        &self,
        table: &str,
        writes: bool,
        request: impl Future<Output = Result<Arc<dyn AsyncStore>, Error>>,
    ) -> Result<Arc<dyn AsyncStore>, Error> {
        let writes = writes.then(|| self.server.id());
        Ok(Arc::new(self.on_same(self.call("opening", table, writes, request).await?)))
    }
}

impl<T: AsyncDatabase + ?Sized + 'static> AsyncDatabase for Slow<T> {
    fn id(&self) -> DatabaseId {
        self.server.id()
    }

    fn options(&self) -> &CallOptions {
        &self.options
    }

    fn with_options(&self, options: &CallOptions) -> Arc<dyn AsyncDatabase> {
        Arc::new(self.with(options))
    }

    fn guarantees(&self) -> Guarantees {
        of_line(self.server.guarantees())
    }

    fn table(&self, name: &str) -> StoreFuture<'_, Arc<dyn AsyncStore>> {
        let name = name.to_owned();
        Box::pin(async move { self.open(&name, true, async { self.server.table(&name).await }).await })
    }

    fn open_table(&self, name: &str) -> StoreFuture<'_, Arc<dyn AsyncStore>> {
        let name = name.to_owned();
        Box::pin(async move { self.open(&name, false, async { self.server.open_table(&name).await }).await })
    }

    fn create_table(&self, name: &str, new: &NewTable) -> StoreFuture<'_, Arc<dyn AsyncStore>> {
        let (name, new) = (name.to_owned(), new.clone());
        Box::pin(async move { self.open(&name, true, async { self.server.create_table(&name, &new).await }).await })
    }

    fn write(&self, batches: &[(&str, &Batch)]) -> StoreFuture<'_, ()> {
        let batches: Vec<_> = batches.iter().map(|&(name, batch)| (name.to_owned(), batch.clone())).collect();
        Box::pin(async move {
            let batches: Vec<_> = batches.iter().map(|(name, batch)| (name.as_str(), batch)).collect();
            let tables = batches.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ");
            self.call("write", &tables, Some(self.server.id()), async { self.server.write(&batches).await }).await
        })
    }

    requests! {
        "list of tables", None, String::new(); fn tables(&self) -> Vec<String>;
        "drop", Some(AsyncDatabase::id(self)), name.to_owned();
            fn drop_table(&self, name: &str = name.to_owned() => &name) -> ();
    }
}

impl<T: AsyncWideStore + ?Sized + 'static> AsyncWideStore for Slow<T> {
    fn id(&self) -> &TableId {
        self.server.id()
    }

    fn options(&self) -> &CallOptions {
        &self.options
    }

    fn with_options(&self, options: &CallOptions) -> Arc<dyn AsyncWideStore> {
        Arc::new(self.with(options))
    }

    fn guarantees(&self) -> WideGuarantees {
        of_wide_line(self.server.guarantees())
    }

    fn schema(&self) -> &TableSchema {
        self.server.schema()
    }

    fn scan(&self, scan: &Scan, columns: &Columns) -> Batches {
        let (server, columns) = (Arc::clone(&self.server), columns.clone());
        let cuts = columns.piece.is_none();
        self.batches(self.server.id().name(), scan, cuts, move |scan| server.scan(scan, &columns))
    }

    requests! {
        "get", None, self.id().name().to_owned();
            fn get(&self, row: &[u8] = row.to_vec() => &row, columns: &Columns = columns.clone() => &columns) -> Row;
        "get", None, self.id().name().to_owned();
            fn get_many(
                &self,
                rows: &[&[u8]] = owned(rows) => &slices(&rows),
                columns: &Columns = columns.clone() => &columns
            ) -> Vec<Row>;
        "mutation", Some(self.id().database()), self.id().name().to_owned();
            fn mutate(
                &self,
                row: &[u8] = row.to_vec() => &row,
                mutation: &Mutation = mutation.clone() => &mutation
            ) -> ();
        "mutation", Some(self.id().database()), self.id().name().to_owned();
            fn mutate_many(&self, rows: &[(Vec<u8>, Mutation)] = rows.to_vec() => &rows) -> ();
        "increment", Some(self.id().database()), self.id().name().to_owned();
            fn increment(
                &self,
                row: &[u8] = row.to_vec() => &row,
                counters: &[(Column, i64)] = counters.to_vec() => &counters
            ) -> Vec<i64>;
        "check-and-mutate", Some(self.id().database()), self.id().name().to_owned();
            fn check_and_mutate(
                &self,
                row: &[u8] = row.to_vec() => &row,
                check: &Condition = check.clone() => &check,
                mutation: &Mutation = mutation.clone() => &mutation
            ) -> bool;
        "split points", None, self.id().name().to_owned();
            fn split_points(&self) -> Vec<Vec<u8>>;
    }
}

impl<T: AsyncWideDatabase + ?Sized + 'static> Slow<T> {
    async fn open_wide(
        &self,
        table: &str,
        writes: bool,
        request: impl Future<Output = Result<Arc<dyn AsyncWideStore>, Error>>,
    ) -> Result<Arc<dyn AsyncWideStore>, Error> {
        let writes = writes.then(|| self.server.id());
        Ok(Arc::new(self.on_same(self.call("opening", table, writes, request).await?)))
    }
}

impl<T: AsyncWideDatabase + ?Sized + 'static> AsyncWideDatabase for Slow<T> {
    fn id(&self) -> DatabaseId {
        self.server.id()
    }

    fn options(&self) -> &CallOptions {
        &self.options
    }

    fn with_options(&self, options: &CallOptions) -> Arc<dyn AsyncWideDatabase> {
        Arc::new(self.with(options))
    }

    fn guarantees(&self) -> WideGuarantees {
        of_wide_line(self.server.guarantees())
    }

    fn table(&self, name: &str, schema: &TableSchema) -> StoreFuture<'_, Arc<dyn AsyncWideStore>> {
        let (name, schema) = (name.to_owned(), schema.clone());
        Box::pin(async move { self.open_wide(&name, true, async { self.server.table(&name, &schema).await }).await })
    }

    fn open_table(&self, name: &str, schema: &TableSchema) -> StoreFuture<'_, Arc<dyn AsyncWideStore>> {
        let (name, schema) = (name.to_owned(), schema.clone());
        Box::pin(
            async move { self.open_wide(&name, false, async { self.server.open_table(&name, &schema).await }).await },
        )
    }

    fn create_table(
        &self,
        name: &str,
        schema: &TableSchema,
        new: &NewTable,
    ) -> StoreFuture<'_, Arc<dyn AsyncWideStore>> {
        let (name, schema, new) = (name.to_owned(), schema.clone(), new.clone());
        Box::pin(async move {
            self.open_wide(&name, true, async { self.server.create_table(&name, &schema, &new).await }).await
        })
    }

    requests! {
        "schema", None, name.to_owned();
            fn schema(&self, name: &str = name.to_owned() => &name) -> Option<TableSchema>;
        "alteration", Some(AsyncWideDatabase::id(self)), name.to_owned();
            fn alter(
                &self,
                name: &str = name.to_owned() => &name,
                schema: &TableSchema = schema.clone() => &schema
            ) -> Vec<Change>;
        "list of tables", None, String::new(); fn tables(&self) -> Vec<String>;
        "drop", Some(AsyncWideDatabase::id(self)), name.to_owned();
            fn drop_table(&self, name: &str = name.to_owned() => &name) -> ();
    }
}
