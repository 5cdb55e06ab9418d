//! A table of wide rows.

use std::collections::HashMap;
use std::sync::Arc;

use futures_util::stream::{StreamExt, TryStreamExt, iter};
use rowkey::clock::Clock;
use rowkey::error::RowErrors;
use rowkey::nonblocking::{AsyncWideStore, Batches, StoreFuture, empty_scan, refused_scan};
use rowkey::store::{Call, CallOptions, Scan, TableId};
use rowkey::wide::{
    ClockOf, Column, Columns, Condition, CounterTimes, Deletes, EditOrder, EmptyValues, Mutation, PageVersions,
    RepeatedCounters, Row, RowConditions, TableSchema, TimestampUnit, UntimedDeletes, UntimedPuts, WideGuarantees,
    WideLimits, check_mutation, counter_columns, counter_sums, not_a_counter,
};
use rowkey::{Error, ErrorKind};

use crate::BigtableError;
use crate::client::proto::read_modify_write_rule::Rule;
use crate::client::proto::{
    CheckAndMutateRowRequest, MutateRowRequest, MutateRowsRequest, ReadModifyWriteRowRequest, ReadModifyWriteRule,
    ReadRowsRequest, RowSet, SampleRowKeysRequest,
};
use crate::client::row_set::LONGEST_KEY;
use crate::client::{Client, Entries, EntryError};
use crate::code::Code;
use crate::edit::{changes, check_count, edits, hidden_by};
use crate::filter::{Reading, predicate};
use crate::scan::{batches, key_sets, not_asked_for};

/// The guarantees of Bigtable. The emulator has no split points.
pub(crate) fn guarantees(is_emulator: bool) -> WideGuarantees {
    let mut guarantees = WideGuarantees::none();
    guarantees.atomic_rows = true;
    guarantees.timestamps = Some(TimestampUnit::Microseconds.timestamps());
    guarantees.clock = Some(ClockOf::Process);
    guarantees.untimed_puts = Some(UntimedPuts::AtClock);
    guarantees.untimed_deletes = Some(UntimedDeletes::All);
    guarantees.put_after_delete = true;
    guarantees.edit_order = Some(EditOrder::AsGiven);
    guarantees.deletes = Some(Deletes::Erase);
    guarantees.deleted_for_good = true;
    guarantees.increment = true;
    guarantees.counter_times = Some(CounterTimes::AsPuts);
    guarantees.repeated_counters = Some(RepeatedCounters::Cumulative);
    guarantees.check_and_mutate = true;
    guarantees.empty_values = Some(EmptyValues::AsValues);
    guarantees.validated_first = true;
    guarantees.page_versions = Some(PageVersions::Newest);
    guarantees.page_empty_qualifier = true;
    guarantees.row_conditions = Some(RowConditions::OnRow);
    guarantees.pieces_under_conditions = true;
    guarantees.empty_reads = true;
    guarantees.split_points = !is_emulator;
    guarantees.limits = LIMITS;
    guarantees
}

/// <https://cloud.google.com/bigtable/quotas>
const LIMITS: WideLimits = WideLimits::none().row(LONGEST_KEY).qualifier(16 << 10).value(100 << 20);

/// The most bytes and edits of a MutateRows request. One row may have more.
const MOST_BYTES: usize = 8 << 20;
const MOST_ENTRIES: usize = 5_000;
/// The most requests of one call that are in flight at a time.
const IN_FLIGHT: usize = 4;

/// A table, opened.
#[derive(Clone)]
pub(crate) struct Table {
    pub(crate) client: Client,
    pub(crate) id: TableId,
    pub(crate) schema: Arc<TableSchema>,
    pub(crate) options: CallOptions,
    pub(crate) clock: Arc<dyn Clock>,
}

impl Table {
    fn name(&self) -> &str {
        self.id.name()
    }

    fn is_emulator(&self) -> bool {
        self.client.options().emulator.is_some()
    }

    fn full_name(&self) -> String {
        self.client.table_name(self.name())
    }

    fn check(&self, row: &[u8], mutation: &Mutation) -> Result<(), Error> {
        check_mutation(&self.id, row, mutation, &self.schema, &LIMITS)?;
        TimestampUnit::Microseconds.timestamps().check(mutation)
    }

    pub(crate) async fn read(&self, row: &[u8], columns: &Columns, call: &Call<'_>) -> Result<Row, Error> {
        if row.is_empty() {
            return Err(Error::EmptyKey);
        }
        let reading = Reading::new(columns, &self.schema)?.filter(|_| row.len() <= LONGEST_KEY);
        let Some(reading) = reading else { return Ok(Row::default()) };
        let rows = RowSet { row_keys: vec![row.to_vec()], row_ranges: Vec::new() };
        let mut found = None;
        self.each(rows, 1, &reading, call, |key, row| found = Some((key, row))).await?;
        match found {
            Some((key, _)) if key != row => Err(not_asked_for()),
            found => Ok(found.map(|(_, row)| row).unwrap_or_default()),
        }
    }

    /// Reads rows, at most `rows_limit` if that is not 0, and calls `take` with each.
    async fn each(
        &self,
        rows: RowSet,
        rows_limit: i64,
        reading: &Reading,
        call: &Call<'_>,
        mut take: impl FnMut(Vec<u8>, Row),
    ) -> Result<(), Error> {
        let request = ReadRowsRequest {
            table_name: self.full_name(),
            rows: Some(rows),
            rows_limit,
            filter: Some(reading.filter.clone()),
            ..ReadRowsRequest::default()
        };
        let (mut stream, mut ends) = (self.client.read_at_once(request), Vec::new());
        while let Some(row) = stream.next(call).await? {
            let mut cells = Vec::new();
            reading.cells(&row, usize::MAX, &mut cells, &mut ends)?;
            take(row.key, Row::from_cells(cells));
        }
        Ok(())
    }

    pub(crate) async fn write(&self, row: Vec<u8>, mutation: &Mutation, call: &Call<'_>) -> Result<(), Error> {
        let mutations = edits(mutation, self.clock.now())?;
        if mutations.is_empty() {
            return Ok(());
        }
        let request =
            MutateRowRequest { table_name: self.full_name(), row_key: row, mutations, ..MutateRowRequest::default() };
        self.client.mutate_row(request, call).await
    }

    /// The writes as requests. The entries of a request are applied in any order, so all writes to a row are one entry.
    fn groups(&self, rows: &[(Vec<u8>, Mutation)]) -> Result<Vec<Group>, Error> {
        rows.iter().try_for_each(|(row, mutation)| self.check(row, mutation))?;
        let mut places: HashMap<&[u8], usize> = HashMap::with_capacity(rows.len());
        // The entry of each write, and the index of the write.
        let mut writes: Vec<(usize, usize)> = Vec::with_capacity(rows.len());
        for (index, (row, mutation)) in rows.iter().enumerate() {
            if !mutation.is_empty() {
                let next = places.len();
                writes.push((*places.entry(row).or_insert(next), index));
            }
        }
        if places.len() < writes.len() {
            writes.sort_unstable();
        }
        let new_group = || {
            let head = MutateRowsRequest {
                table_name: self.full_name(),
                app_profile_id: self.client.options().app_profile.clone(),
                ..MutateRowsRequest::default()
            };
            Group { entries: Entries::new(head), writes: Vec::new() }
        };
        let (mut groups, mut edits): (Vec<Group>, usize) = (Vec::new(), 0);
        let mut entry = Vec::new();
        for of_entry in writes.chunk_by(|(one, _), (other, _)| one == other) {
            for (_, index) in of_entry {
                for change in changes(&rows[*index].1) {
                    entry.push(change?);
                }
            }
            check_count(entry.len())?;
            let Some((_, first)) = of_entry.first() else { continue };
            let row = &rows[*first].0;
            let len = Entries::entry_len(row, &entry);
            let is_full =
                |group: &Group| group.entries.bytes() + len > MOST_BYTES || edits + entry.len() > MOST_ENTRIES;
            if groups.last().is_none_or(is_full) {
                groups.push(new_group());
                edits = 0;
            }
            let Some(group) = groups.last_mut() else { continue };
            let in_group = group.entries.len();
            group.writes.extend(of_entry.iter().map(|(_, index)| (in_group, *index)));
            group.entries.push(row, &entry);
            edits += entry.len();
            entry.clear();
        }
        Ok(groups)
    }

    async fn write_groups(&self, total: usize, mut groups: Vec<Group>, call: &Call<'_>) -> Result<(), Error> {
        let (now, alone) = (self.clock.now(), groups.len() == 1);
        groups.iter_mut().for_each(|group| group.entries.stamp(now));
        let send = |Group { entries, writes }: Group| async move {
            let entries = Arc::new(entries);
            (self.client.mutate_entries(&entries, call).await, entries, writes)
        };
        let mut failed: Vec<(usize, Vec<u8>, Arc<Error>)> = Vec::new();
        let mut sent = iter(groups).map(send).buffer_unordered(IN_FLIGHT);
        while let Some((result, entries, writes)) = sent.next().await {
            let mut add = |entry: usize, error: Arc<Error>| {
                let first = writes.partition_point(|(of, _)| *of < entry);
                let of_entry = writes[first..].iter().take_while(|(of, _)| *of == entry);
                let key = entries.row_key(entry);
                failed.extend(of_entry.map(|(_, index)| (*index, key.to_vec(), Arc::clone(&error))));
            };
            match result {
                // Nothing of the call was written.
                Err(error) if alone => return Err(error),
                Err(error) => {
                    let error = Arc::new(error);
                    (0..entries.len()).for_each(|entry| add(entry, Arc::clone(&error)));
                }
                Ok(failed) => failed.into_iter().for_each(|EntryError { index, error }| add(index, Arc::new(error))),
            }
        }
        failed.sort_unstable_by_key(|(index, ..)| *index);
        let mut errors = RowErrors::new(total);
        failed.into_iter().for_each(|(index, key, error)| errors.push(index, self.name(), &key, error));
        errors.into_result()
    }

    async fn add(&self, row: &[u8], counters: &[(Column, i64)], call: &Call<'_>) -> Result<Vec<i64>, Error> {
        let rule = |(Column { family, qualifier }, by): &(Column, i64)| ReadModifyWriteRule {
            family_name: family.clone(),
            column_qualifier: qualifier.clone(),
            rule: Some(Rule::IncrementAmount(*by)),
        };
        if counters.is_empty() {
            return Ok(Vec::new());
        }
        check_count(counters.len())?;
        // The emulator keeps the first additions of a request that it refuses; the service keeps none.
        if self.is_emulator()
            && counters.len() > 1
            && let Some(error) = self.not_counters(row, counters, call).await
        {
            return Err(error);
        }
        let request = ReadModifyWriteRowRequest {
            table_name: self.full_name(),
            row_key: row.to_vec(),
            rules: counters.iter().map(rule).collect(),
            ..ReadModifyWriteRowRequest::default()
        };
        let written = match self.client.read_modify_write_row(request, call).await {
            Ok(written) => written,
            // No server was reached, or it was too busy to look.
            Err(error)
                if error.engine_error::<BigtableError>().is_some_and(|told| told.code() == Code::Unavailable) =>
            {
                return Err(error);
            }
            // The emulator refuses with a code that would leave the outcome unknown.
            Err(error) if error.kind() == ErrorKind::OutcomeUnknown && !self.is_emulator() => return Err(error),
            Err(error) => return Err(self.not_counters(row, counters, call).await.unwrap_or(error)),
        };
        let mut sums: HashMap<(&str, &[u8]), i64> = HashMap::new();
        for family in &written.families {
            for column in &family.columns {
                let value = column.cells.first().and_then(|cell| cell.value.as_slice().try_into().ok());
                let Some(value) = value else { return Err(self.unknown("a counter's new value is not a counter")) };
                sums.insert((&family.name, &column.qualifier), i64::from_be_bytes(value));
            }
        }
        let sum = |Column { family, qualifier }: &Column| sums.get(&(family.as_str(), qualifier.as_slice())).copied();
        counter_sums(counters, sum).ok_or_else(|| self.unknown("a counter's new value did not come"))
    }

    /// The error of a write whose response says less than it has to.
    fn unknown(&self, what: &'static str) -> Error {
        Error::OutcomeUnknown { table: self.name().to_owned(), source: Box::new(Error::engine(what)) }
    }

    /// The first of the columns whose value is not a counter, after an increment was refused.
    async fn not_counters(&self, row: &[u8], counters: &[(Column, i64)], call: &Call<'_>) -> Option<Error> {
        not_a_counter(row, counters, &self.read(row, &counter_columns(counters), call).await.ok()?)
    }

    pub(crate) async fn write_if(
        &self,
        row: &[u8],
        check: &Condition,
        mutation: &Mutation,
        call: &Call<'_>,
    ) -> Result<bool, Error> {
        let now = self.clock.now();
        let mutations: Vec<_> = hidden_by(check, mutation, now).into_iter().chain(edits(mutation, now)?).collect();
        check_count(mutations.len())?;
        if mutations.is_empty() {
            // The service refuses a request without mutations.
            let stored = self.read(row, &Columns::of(&check.column), call).await?;
            return Ok(check.holds(stored.value(&check.column)));
        }
        let asks_presence = check.value.is_some();
        let (true_mutations, false_mutations) =
            if asks_presence { (mutations, Vec::new()) } else { (Vec::new(), mutations) };
        let request = CheckAndMutateRowRequest {
            table_name: self.full_name(),
            row_key: row.to_vec(),
            predicate_filter: Some(predicate(check)?),
            true_mutations,
            false_mutations,
            ..CheckAndMutateRowRequest::default()
        };
        Ok(self.client.check_and_mutate_row(request, call).await? == asks_presence)
    }
}

/// A request, and which writes of the call are in its entries: pairs of both indexes, in the order of the entries.
struct Group {
    entries: Entries,
    writes: Vec<(usize, usize)>,
}

impl AsyncWideStore for Table {
    fn id(&self) -> &TableId {
        &self.id
    }

    fn options(&self) -> &CallOptions {
        &self.options
    }

    fn with_options(&self, options: &CallOptions) -> Arc<dyn AsyncWideStore> {
        Arc::new(Self { options: options.clone(), ..self.clone() })
    }

    fn guarantees(&self) -> WideGuarantees {
        guarantees(self.is_emulator())
    }

    fn schema(&self) -> &TableSchema {
        &self.schema
    }

    fn get(&self, row: &[u8], columns: &Columns) -> StoreFuture<'_, Row> {
        let (row, columns) = (row.to_vec(), columns.clone());
        Box::pin(async move {
            let call = self.options.begin("get", self.name())?;
            self.read(&row, &columns, &call).await
        })
    }

    fn get_many(&self, rows: &[&[u8]], columns: &Columns) -> StoreFuture<'_, Vec<Row>> {
        let (rows, columns): (Vec<Vec<u8>>, _) = (rows.iter().map(|row| row.to_vec()).collect(), columns.clone());
        Box::pin(async move {
            let call = self.options.begin("get", self.name())?;
            if rows.iter().any(Vec::is_empty) {
                return Err(Error::EmptyKey);
            }
            let mut asked: Vec<Vec<u8>> = rows.iter().filter(|row| row.len() <= LONGEST_KEY).cloned().collect();
            asked.sort_unstable();
            asked.dedup();
            let Some(reading) = Reading::new(&columns, &self.schema)? else {
                return Ok(vec![Row::default(); rows.len()]);
            };
            let read = |set: RowSet| {
                let (reading, call) = (&reading, &call);
                async move {
                    let mut found = Vec::with_capacity(set.row_keys.len());
                    self.each(set, 0, reading, call, |key, row| found.push((key, row))).await?;
                    Ok::<_, Error>(found)
                }
            };
            let sets = iter(key_sets(asked.into_iter())).map(read).buffer_unordered(IN_FLIGHT);
            let found: HashMap<Vec<u8>, Row> = sets.try_collect::<Vec<_>>().await?.into_iter().flatten().collect();
            Ok(rows.iter().map(|row| found.get(row).cloned().unwrap_or_default()).collect())
        })
    }

    fn scan(&self, scan: &Scan, columns: &Columns) -> Batches {
        match Reading::new(columns, &self.schema) {
            Err(error) => refused_scan(error),
            Ok(None) => empty_scan(self.options.clone(), self.name()),
            Ok(Some(reading)) => {
                let piece = columns.piece.map(std::num::NonZeroUsize::get);
                batches(&self.client, &self.options, self.name(), scan, piece, reading)
            }
        }
    }

    fn mutate(&self, row: &[u8], mutation: &Mutation) -> StoreFuture<'_, ()> {
        let (row, mutation) = (row.to_vec(), mutation.clone());
        Box::pin(async move {
            self.id.check_write()?;
            self.check(&row, &mutation)?;
            let call = self.options.begin("mutation", self.name())?;
            self.write(row, &mutation, &call).await
        })
    }

    fn mutate_many(&self, rows: &[(Vec<u8>, Mutation)]) -> StoreFuture<'_, ()> {
        // As requests they are a copy already.
        let (total, groups) = (rows.len(), self.groups(rows));
        Box::pin(async move {
            self.id.check_write()?;
            let groups = groups?;
            let call = self.options.begin("mutation", self.name())?;
            self.write_groups(total, groups, &call).await
        })
    }

    fn increment(&self, row: &[u8], counters: &[(Column, i64)]) -> StoreFuture<'_, Vec<i64>> {
        let (row, counters) = (row.to_vec(), counters.to_vec());
        Box::pin(async move {
            self.id.check_write()?;
            let puts = counters.iter().fold(Mutation::new(), |puts, (column, _)| puts.put(column, []));
            self.check(&row, &puts)?;
            let call = self.options.begin("increment", self.name())?;
            self.add(&row, &counters, &call).await
        })
    }

    fn check_and_mutate(&self, row: &[u8], check: &Condition, mutation: &Mutation) -> StoreFuture<'_, bool> {
        let (row, condition, mutation) = (row.to_vec(), check.clone(), mutation.clone());
        Box::pin(async move {
            self.id.check_write()?;
            self.schema.require(&condition.column.family)?;
            self.check(&row, &mutation)?;
            let call = self.options.begin("check-and-mutate", self.name())?;
            self.write_if(&row, &condition, &mutation, &call).await
        })
    }

    fn split_points(&self) -> StoreFuture<'_, Vec<Vec<u8>>> {
        Box::pin(async move {
            let call = self.options.begin("split points", self.name())?;
            let request = SampleRowKeysRequest { table_name: self.full_name(), ..SampleRowKeysRequest::default() };
            let samples = self.client.sample_row_keys(request, &call).await?;
            let mut points: Vec<_> =
                samples.into_iter().map(|sample| sample.row_key).filter(|key| !key.is_empty()).collect();
            points.sort_unstable();
            points.dedup();
            Ok(points)
        })
    }
}
