//! HBase rows, emulated on a key-value store.

mod database;
mod entries;
mod key;
mod pending;
mod pick;
mod plan;
mod purge;
mod read;
mod refusals;
mod visible;
mod writer;

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

pub use self::database::CellsDatabase;
pub use self::key::{CellKey, Entry, Kind, Place, Version};
use self::plan::{Families, Plan};
pub use self::purge::PurgeCounts;
pub(crate) use self::purge::{Inside, Position, Purged};
use self::read::{CellRows, RowReader};
use self::writer::Writer;
use super::column::{Column, Columns, Condition};
use super::mutation::{Edit, Mutation};
use super::row::Row;
use super::schema::TableSchema;
use super::{
    ClockOf, CounterTimes, DeleteLatest, Deletes, EditOrder, EmptyValues, PageVersions, RepeatedCounters,
    RowConditions, TimestampUnit, UntimedDeletes, UntimedPuts, WideGuarantees, WideStore,
};
use crate::keys::clock::{Clock, SystemClock};
use crate::store::error::{Error, RowError, RowErrors};
use crate::store::options::{Within, failed};
use crate::store::{
    Atomicity, CallOptions, Guarantees, Rows, Scan, Store, TableId, TimeSlice, add_to_counter, check_key,
};

/// Emulates HBase rows on a key-value store: a [`WideStore`] over any [`Store`]. Each cell is one entry, with a
/// [`CellKey`].
#[doc(alias = "HTable")]
///
/// ```
/// use rowkey::Memory;
/// use rowkey::wide::{Cells, Columns, FamilySchema, Mutation, TableSchema, WideStore};
///
/// let schema = TableSchema::new().family("a", FamilySchema::new().max_versions(2));
/// let table = Cells::open(&Memory::new(), "table", &schema)?;
/// table.mutate(b"row", &Mutation::new().put_at("a:q", 1, "old").put_at("a:q", 2, "new"))?;
/// table.mutate(b"row", &Mutation::new().delete_latest("a:q"))?;
/// assert_eq!(table.get(b"row", &Columns::all())?.value("a:q"), Some(&b"old"[..]));
/// # Ok::<(), rowkey::Error>(())
/// ```
///
/// Families are not stored apart: all cells of a row are adjacent. A read of one row reads the chosen columns, plus
/// neighbours in the same few entries. A scan also reads the rows' other columns, and skips them only where they are
/// many. Put data that is scanned alone into another table.
///
/// A scan holds about [`Scan::batch_bytes`] bytes, plus the row that it reads: one [piece](Columns::piece) of it, or
/// the whole row in reverse or with a [condition on the row](Columns::rows_where).
///
/// Mutations of a row are atomic if the store's batches are. Increments, conditional mutations and
/// [`Mutation::delete_latest`] need the store's [transactions](crate::store::Guarantees::transactions).
///
/// A write without a timestamp has the clock's time and is the latest write ([semantics](super#semantics)), across
/// handles, restarts and steps of the clock. So it reads before it writes. A put reads the later versions of its
/// column, and the family's deletes. A delete of a family, or of the row, visits each of its columns, so its cost grows
/// with their number. Without [transactions](crate::store::Guarantees::transactions) it sees all writes that returned
/// before, and is not atomic with concurrent writes to the same columns. A mutation in which every edit has a timestamp
/// reads nothing.
///
/// With transactions, other writers of the store wait while a mutation reads: in the crate `rowkey-fjall` all writers
/// of the database. A delete of a row of 300,000 columns without a timestamp takes about a second there.
/// [`Mutation::delete_row_until`] hides the same, up to the timestamp that it is given, and takes microseconds.
/// [`mutate_many`](WideStore::mutate_many) writes as many mutations in one transaction as it can in some 10 ms.
pub struct Cells<S = Arc<dyn Store>> {
    store: S,
    families: Arc<Families>,
    clock: Arc<dyn Clock>,
}

impl<S: Clone> Clone for Cells<S> {
    fn clone(&self) -> Self {
        Self { store: self.store.clone(), families: Arc::clone(&self.families), clock: Arc::clone(&self.clock) }
    }
}

impl<S> fmt::Debug for Cells<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cells").field("schema", &self.families.schema).finish_non_exhaustive()
    }
}

impl<S: Store> Cells<S> {
    /// Wide rows over a store that contains nothing else. The schema is not stored.
    ///
    /// # Errors
    ///
    /// [`Error::Family`] if the schema is not valid.
    pub fn over(store: S, schema: TableSchema) -> Result<Self, Error> {
        schema.check()?;
        Ok(Self { store, families: Arc::new(Families::new(schema)), clock: Arc::new(SystemClock) })
    }

    /// Uses another clock. It may stand still, jump and step back. Default: the system's clock.
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// use rowkey::Memory;
    /// use rowkey::wide::{Cells, Columns, FamilySchema, Mutation, TableSchema, WideStore};
    ///
    /// let schema = TableSchema::new().family("a", FamilySchema::new().ttl(Duration::from_millis(10)));
    /// let table = Cells::open(&Memory::new(), "table", &schema)?.with_clock(|| 1_000);
    /// table.mutate(b"row", &Mutation::new().put("a:now", "").put_at("a:then", 990, ""))?;
    /// let columns = table.get(b"row", &Columns::all())?.to_map();
    /// assert_eq!(columns.into_keys().collect::<Vec<_>>(), ["a:now".into()], "what is 10 ms old has expired");
    /// # Ok::<(), rowkey::Error>(())
    /// ```
    #[must_use]
    pub fn with_clock(mut self, clock: impl Clock + 'static) -> Self {
        self.clock = Arc::new(clock);
        self
    }

    /// The store of the entries, whose keys are [`CellKey`]s.
    pub fn store(&self) -> &S {
        &self.store
    }

    fn plan(&self, columns: &Columns) -> Result<Plan, Error> {
        Plan::new(&self.families, columns, self.clock.now())
    }

    /// Reads a row by a scan of its entries.
    fn read(&self, row: &[u8], columns: &Columns, open: &dyn Fn(&Scan) -> Box<dyn Rows>) -> Result<Row, Error> {
        let plan = self.plan(columns)?;
        let few = if columns.families().is_empty() && !columns.first_only { 32 } else { 4 };
        let scan = Scan::new(plan.range_of(row).into_iter().collect()).batch_rows(few);
        Ok(Row::from_cells(RowReader::new(plan, open(&scan), &scan).into_cells()?))
    }

    /// Writes mutations. The time is read inside the transaction, so it is never older than an earlier write's.
    fn apply<'m>(&self, rows: impl Iterator<Item = (&'m [u8], &'m Mutation)> + Clone) -> Result<(), Error> {
        let store = Within::one_call(&self.store as &dyn Store);
        let mut edits = rows.clone().flat_map(|(_, mutation)| mutation.edits());
        if edits.clone().all(|edit| edit.timestamp().is_some()) {
            let written = store.write(&writer::timed(&self.families, rows.clone()));
            let writer_of = |entry: &RowError| writer::writer_of_timed(&self.families, rows.clone(), entry.index());
            let entries_of =
                || rows.clone().map(|(_, mutation)| writer::timed_entries_of(&self.families, mutation)).collect();
            return self.of_rows(written, rows.clone(), |entry| writer_of(entry).into_iter().collect(), entries_of);
        }
        if store.guarantees().transactions {
            return self.transact_some(&*store, rows);
        }
        if edits.any(|edit| matches!(edit, Edit::DeleteVersion { at: None, .. })) {
            return Err(Error::Unsupported("transactions"));
        }
        if store.guarantees().batch >= Atomicity::Table {
            let mut writer = Writer::new(&self.families, &*store, self.clock.now());
            rows.clone().try_for_each(|(row, mutation)| writer.mutate(row, mutation))?;
            return store.write(&writer.into_batch());
        }
        let mut writer = Writer::new(&self.families, &*store, self.clock.now()).noting_writers();
        for (index, (row, mutation)) in rows.clone().enumerate() {
            writer.begin(index);
            writer.mutate(row, mutation)?;
        }
        let (batch, writers) = writer.into_batch_and_writers();
        let written = store.write(&batch);
        let mutations = rows.clone().count();
        let entries_of = || {
            let mut entries = vec![0; mutations];
            writers.values().flatten().for_each(|mutation| entries[*mutation] += 1);
            entries
        };
        self.of_rows(written, rows, |entry| writers.get(entry.key()).cloned().unwrap_or_default(), entries_of)
    }

    /// Writes mutations, some in each transaction, as others wait for it. After one that fails, the rest is not
    /// written.
    fn transact_some<'m>(
        &self,
        store: &dyn Store,
        rows: impl Iterator<Item = (&'m [u8], &'m Mutation)> + Clone,
    ) -> Result<(), Error> {
        let mut left = rows.clone();
        let mut done = 0;
        loop {
            let (mut after, mut took, mut more) = (left.clone(), 0, false);
            let written = store.transact(&mut |view| {
                (after, took, more) = (left.clone(), 0, false);
                let (slice, mut writer) = (TimeSlice::begin(), Writer::new(&self.families, view, self.clock.now()));
                loop {
                    let before = after.clone();
                    let Some((row, mutation)) = after.next() else { break };
                    if took > 0 && slice.is_over() {
                        (after, more) = (before, true);
                        break;
                    }
                    writer.mutate(row, mutation)?;
                    took += 1;
                }
                Ok(writer.into_batch())
            });
            match written {
                Ok(()) if !more => return Ok(()),
                Ok(()) => (left, done) = (after, done + took),
                Err(error) if done == 0 => return Err(error),
                Err(error) => {
                    let (mut failed, error) = (RowErrors::new(rows.clone().count()), Arc::new(error));
                    for (index, (row, _)) in rows.enumerate().skip(done) {
                        failed.push(index, self.store.id().name(), row, Arc::clone(&error));
                    }
                    return failed.into_result();
                }
            }
        }
    }
}

impl<S: Store> WideStore for Cells<S> {
    fn id(&self) -> &TableId {
        self.store.id()
    }

    fn options(&self) -> &CallOptions {
        self.store.options()
    }

    fn with_options(&self, options: &CallOptions) -> Arc<dyn WideStore> {
        let (families, clock) = (Arc::clone(&self.families), Arc::clone(&self.clock));
        Arc::new(Cells { store: self.store.with_options(options), families, clock })
    }

    fn guarantees(&self) -> WideGuarantees {
        over(self.store.guarantees())
    }

    fn schema(&self) -> &TableSchema {
        &self.families.schema
    }

    fn get(&self, row: &[u8], columns: &Columns) -> Result<Row, Error> {
        check_key(row)?;
        let store = Within::one_call(&self.store as &dyn Store);
        self.read(row, columns, &|scan| store.scan(scan))
    }

    fn scan(&self, scan: &Scan, columns: &Columns) -> Box<dyn Rows> {
        match self.plan(columns) {
            Ok(plan) => Box::new(CellRows::new(plan, scan, &self.store)),
            Err(error) => failed(error),
        }
    }

    fn mutate(&self, row: &[u8], mutation: &Mutation) -> Result<(), Error> {
        self.check(row, mutation)?;
        self.apply(std::iter::once((row, mutation)))
    }

    fn mutate_many(&self, rows: &[(Vec<u8>, Mutation)]) -> Result<(), Error> {
        rows.iter().try_for_each(|(row, mutation)| self.check(row, mutation))?;
        self.apply(rows.iter().map(|(row, mutation)| (row.as_slice(), mutation)))
    }

    fn increment(&self, row: &[u8], counters: &[(Column, i64)]) -> Result<Vec<i64>, Error> {
        check_key(row)?;
        let limits = self.store.guarantees().limits;
        for (column, _) in counters {
            self.families.schema.require(&column.family)?;
            self.check_entry(row, &column.family, Some(&column.qualifier), &limits)?;
        }
        let mut sums = Vec::new();
        self.store.transact(&mut |view| {
            sums.clear();
            let mut writer = Writer::new(&self.families, view, self.clock.now());
            writer.row(row);
            for (column, by) in counters {
                let (before, value) = writer.newest(column)?.unzip();
                let sum = add_to_counter(row, value.as_deref(), *by).map_err(|error| not_a_counter(error, column))?;
                writer.put_counter(column, before, sum)?;
                sums.push(sum);
            }
            Ok(writer.into_batch())
        })?;
        Ok(sums)
    }

    fn check_and_mutate(&self, row: &[u8], check: &Condition, mutation: &Mutation) -> Result<bool, Error> {
        self.check(row, mutation)?;
        let mut holds = false;
        self.store.transact(&mut |view| {
            let mut writer = Writer::new(&self.families, view, self.clock.now());
            writer.row(row);
            let newest = writer.newest(&check.column)?;
            holds = check.holds(newest.as_ref().map(|(_, value)| value.as_slice()));
            if holds {
                writer.mutate(row, mutation)?;
            }
            Ok(writer.into_batch())
        })?;
        Ok(holds)
    }

    fn split_points(&self) -> Result<Vec<Vec<u8>>, Error> {
        let points = self.store.split_points()?;
        let mut rows: Vec<Vec<u8>> = points.iter().map(|point| self.row_at(point)).collect::<Result<_, _>>()?;
        rows.dedup();
        rows.retain(|row| !row.is_empty());
        Ok(rows)
    }
}

impl<S: Store> Cells<S> {
    /// The row in which a region of entries begins.
    fn row_at(&self, point: &[u8]) -> Result<Vec<u8>, Error> {
        let (part, mut row) = (CellKey::row_of(point), Vec::new());
        let part = if part.ends_with(&[0]) { Cow::Borrowed(part) } else { [part, &[0]].concat().into() };
        let read = CellKey::read_row(&part, &mut row);
        read.map_err(|error| Error::from(error).of_key(self.store.id().name(), point))?;
        Ok(row)
    }
}

fn not_a_counter(error: Error, column: &Column) -> Error {
    match error {
        Error::NotACounter { key, len } => Error::NotACounterCell { row: key, column: column.to_string(), len },
        other => other,
    }
}

fn over(beneath: Guarantees) -> WideGuarantees {
    let transactions = beneath.transactions;
    WideGuarantees {
        // A row is read by a scan, so this needs snapshots.
        atomic_rows: beneath.batch >= Atomicity::Table && beneath.snapshot_scans,
        snapshot_scans: beneath.snapshot_scans,
        slow_scans: beneath.slow_scans,
        timestamps: Some(TimestampUnit::Milliseconds.timestamps()),
        clock: Some(ClockOf::Process),
        untimed_puts: Some(UntimedPuts::Latest),
        untimed_deletes: Some(UntimedDeletes::All),
        put_after_delete: true,
        edit_order: Some(EditOrder::AsGiven),
        deletes: Some(Deletes::Hide),
        delete_family_until: true,
        delete_latest: transactions.then_some(DeleteLatest::OfWhatIsThere),
        deleted_for_good: true,
        kept_on_read: true,
        unkept_until_purge: true,
        increment: transactions,
        counter_times: transactions.then_some(CounterTimes::AsPuts),
        repeated_counters: transactions.then_some(RepeatedCounters::Cumulative),
        check_and_mutate: transactions,
        empty_values: transactions.then_some(EmptyValues::AsValues),
        validated_first: transactions,
        page_versions: Some(PageVersions::AsAsked),
        page_empty_qualifier: true,
        row_conditions: Some(RowConditions::OnRow),
        pieces_under_conditions: true,
        empty_reads: true,
        split_points: beneath.split_points,
        limits: refusals::wide_limits(&beneath.limits),
    }
}
