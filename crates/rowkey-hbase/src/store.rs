//! A table of wide rows.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use hbase_client as hbase;
use hbase_client::{Action, Outcome, RowMutations, Write};
use rowkey::error::RowErrors;
use rowkey::nonblocking::{AsyncWideStore, Batches, StoreFuture, empty_scan, refused_scan};
use rowkey::store::{Call, CallOptions, Scan, TableId};
use rowkey::wide::{
    Column, Columns, Condition, Edit, Mutation, Row, TableSchema, WideGuarantees, check_mutation, counter_columns,
    counter_sums, not_a_counter,
};
use rowkey::{Error, ErrorKind};
use tokio::time::sleep;

use crate::call::{until_cancelled, within};
use crate::condition::{evaluated, is_still};
use crate::edit::Edits;
use crate::error::error;
use crate::guarantees::{LIMITS, TIMESTAMPS, guarantees};
use crate::reading::{Reading, row};
use crate::scan::{LONGEST_KEY, Made, batches};
use crate::stamps::Stamps;

/// A table, opened.
#[derive(Clone, Debug)]
pub(crate) struct Table {
    pub(crate) table: hbase::Table,
    pub(crate) id: TableId,
    pub(crate) schema: Arc<TableSchema>,
    pub(crate) options: CallOptions,
    pub(crate) stamps: Stamps,
}

/// The time after a delete in which a put could have the delete's timestamp.
const MILLISECOND: Duration = Duration::from_millis(1);

impl Table {
    fn name(&self) -> &str {
        self.id.name()
    }

    fn scan_as(&self, made: Made, scan: &Scan, columns: &Columns) -> Batches {
        match Reading::new(columns, &self.schema) {
            Err(error) => refused_scan(error),
            Ok(None) => empty_scan(self.options.clone(), self.name()),
            Ok(Some(reading)) => batches(&self.table, &self.options, self.name(), scan, made, &reading),
        }
    }

    fn check(&self, row: &[u8], mutation: &Mutation) -> Result<(), Error> {
        check_mutation(&self.id, row, mutation, &self.schema, &LIMITS)?;
        let is_latest = |edit: &Edit| matches!(edit, Edit::DeleteVersion { at: None, .. });
        if !self.stamps.is_server() && mutation.edits().iter().any(is_latest) {
            return Err(Error::Unsupported("deletes of a column's newest version, on HBase with another clock"));
        }
        TIMESTAMPS.check(mutation)
    }

    fn edits(&self, row: &[u8], mutation: &Mutation) -> Result<Edits, Error> {
        let families: Vec<&str> = self.schema.families.keys().map(String::as_str).collect();
        Edits::of(row, mutation, &families)
    }

    fn within(&self, call: &Call<'_>) -> hbase::Table {
        within(&self.table, call)
    }

    async fn read(&self, key: &[u8], columns: &Columns, call: &Call<'_>) -> Result<Row, Error> {
        if key.is_empty() {
            return Err(Error::EmptyKey);
        }
        let reading = Reading::new(columns, &self.schema)?.filter(|_| key.len() <= LONGEST_KEY);
        let Some(reading) = reading else { return Ok(Row::default()) };
        let found = call.bound(self.within(call).get(reading.get(key)), sleep).await?;
        row(&found.map_err(|told| error(self.name(), told, call))?)
    }

    async fn written<T>(&self, write: impl Future<Output = T>, call: &Call<'_>) -> Result<T, Error> {
        until_cancelled(self.name(), write, call).await
    }

    /// Lets the millisecond of a delete pass, in which it hides what is put by anyone.
    async fn settle(&self, deletes: bool) {
        if deletes && self.stamps.is_server() {
            sleep(MILLISECOND).await;
        }
    }

    async fn write(&self, edits: Edits, call: &Call<'_>) -> Result<(), Error> {
        let deletes = edits.hides_what_comes;
        let mutations = self.stamps.stamp(edits.into_mutations(), deletes, None)?;
        if mutations.is_empty() {
            return Ok(());
        }
        let table = self.within(call);
        let write = table.mutate_row(RowMutations::new(mutations).allow_hidden());
        self.written(write, call).await?.map_err(|told| error(self.name(), told, call))?;
        self.settle(deletes).await;
        Ok(())
    }

    async fn write_many(&self, rows: Vec<Option<Edits>>, keys: &[Vec<u8>], call: &Call<'_>) -> Result<(), Error> {
        let (total, writes) = (rows.len(), rows.iter().flatten().count());
        let mut failed: Vec<(usize, Error)> = Vec::new();
        for Round { writes, deletes } in rounds(rows, keys, &self.stamps) {
            let (indices, edits): (Vec<_>, Vec<_>) = writes.into_iter().unzip();
            let action = |edits: Edits| {
                let deletes = edits.hides_what_comes;
                let mut mutations = self.stamps.stamp(edits.into_mutations(), deletes, None)?;
                Ok(Action::Write(match mutations.len() {
                    1 => Write::Mutation(mutations.swap_remove(0)),
                    _ => Write::Row(RowMutations::new(mutations).allow_hidden()),
                }))
            };
            let actions = edits.into_iter().map(action).collect::<Result<_, Error>>()?;
            let outcomes = self.written(self.within(call).batch(actions), call).await?;
            let of_round = indices.into_iter().zip(outcomes);
            failed.extend(
                of_round.filter_map(|(index, outcome)| Some((index, error(self.name(), outcome.err()?, call)))),
            );
            self.settle(deletes).await;
        }
        failed.sort_unstable_by_key(|(index, _)| *index);
        // Nothing was written, and for one reason.
        let kind = failed.first().map(|(_, error)| error.kind());
        let is_whole = failed.len() == writes && failed.iter().all(|(_, error)| Some(error.kind()) == kind);
        if is_whole && kind != Some(ErrorKind::OutcomeUnknown) {
            return failed.into_iter().next().map_or(Ok(()), |(_, error)| Err(error));
        }
        let mut errors = RowErrors::new(total);
        for (index, error) in failed {
            errors.push(index, self.name(), &keys[index], error);
        }
        errors.into_result()
    }

    async fn add(&self, key: &[u8], counters: &[(Column, i64)], call: &Call<'_>) -> Result<Vec<i64>, Error> {
        let mut sums: HashMap<&Column, i64> = HashMap::with_capacity(counters.len());
        for (column, by) in counters {
            let sum = sums.entry(column).or_default();
            *sum = sum.wrapping_add(*by);
        }
        if sums.is_empty() {
            return Ok(Vec::new());
        }
        let increment = sums.iter().fold(hbase::Increment::new(key), |increment, (column, by)| {
            increment.add(&column.family, &column.qualifier, *by)
        });
        let table = self.within(call);
        let added = match self.written(table.increment(increment), call).await? {
            Ok(added) => added,
            Err(told) if told.kind() == hbase::ErrorKind::NotACounter => {
                let not_a_counter = self.not_a_counter(key, counters, call).await;
                return Err(not_a_counter.unwrap_or_else(|| error(self.name(), told, call)));
            }
            Err(told) => return Err(error(self.name(), told, call)),
        };
        let sum = |column: &Column| {
            let value = added.value(&column.family, &column.qualifier)?;
            Some(i64::from_be_bytes(value.try_into().ok()?))
        };
        counter_sums(counters, sum).ok_or_else(|| Error::OutcomeUnknown {
            table: self.name().to_owned(),
            source: Box::new(Error::engine("HBase: a counter's new value did not come")),
        })
    }

    /// The first of the columns whose value is not a counter, after an increment was refused.
    async fn not_a_counter(&self, key: &[u8], counters: &[(Column, i64)], call: &Call<'_>) -> Option<Error> {
        not_a_counter(key, counters, &self.read(key, &counter_columns(counters), call).await.ok()?)
    }

    async fn write_if(
        &self,
        key: &[u8],
        condition: &Condition,
        change: Change,
        call: &Call<'_>,
    ) -> Result<bool, Error> {
        let Change { edits, removes_checked } = change;
        let column = &condition.column;
        if edits.is_empty() {
            let stored = self.read(key, &Columns::of(column), call).await?;
            // As HBase does, an empty value is taken for an absent one.
            let is_there = |value: &&[u8]| condition.value.is_some() || !value.is_empty();
            return Ok(condition.holds(stored.value(column).filter(is_there)));
        }
        let is_stamped_here = !self.stamps.is_server();
        if condition.value.is_some() && (removes_checked || is_stamped_here) {
            return self.write_over(key, condition, &edits, removes_checked, call).await;
        }
        let Some(evaluated) = evaluated(condition) else { return Ok(false) };
        let deletes = edits.hides_what_comes;
        let mutations = self.stamps.stamp(edits.into_mutations(), deletes, None)?;
        let applied = self.checked(&evaluated, mutations, call).await?;
        self.settle(applied && deletes).await;
        Ok(applied)
    }

    /// Writes over a cell for which the condition holds, if it is still the newest: with a time that is no earlier. The
    /// removal of that column has the time of the cell, and so hides nothing that comes later.
    async fn write_over(
        &self,
        key: &[u8],
        condition: &Condition,
        edits: &Edits,
        removes: bool,
        call: &Call<'_>,
    ) -> Result<bool, Error> {
        let Column { family, qualifier } = &condition.column;
        loop {
            let stored = self.read(key, &Columns::of(&condition.column), call).await?;
            let Some(cell) = stored.cell(&condition.column) else { return Ok(false) };
            if !condition.holds(Some(cell.value)) {
                return Ok(false);
            }
            let still = is_still(&cell)?;
            let mutations = match u64::try_from(cell.timestamp) {
                Ok(at) if removes => {
                    // What is put after the removal has a later time than the cell.
                    self.stamps.remove(cell.timestamp);
                    sleep(MILLISECOND).await;
                    call.check()?;
                    vec![hbase::Delete::new(key).column_until(family, qualifier, at).at_most_once().into()]
                }
                _ => {
                    let deletes = edits.hides_what_comes;
                    self.stamps.stamp(edits.clone().into_mutations(), deletes, Some(cell.timestamp))?
                }
            };
            if self.checked(&still, mutations, call).await? {
                return Ok(true);
            }
        }
    }

    /// Makes the changes if the condition holds. Returns whether it did.
    async fn checked(
        &self,
        condition: &hbase::Condition,
        mutations: Vec<hbase::Mutation>,
        call: &Call<'_>,
    ) -> Result<bool, Error> {
        let (table, mutations) = (self.within(call), RowMutations::new(mutations).allow_hidden());
        let written = self.written(table.check_and_mutate(condition, mutations), call).await?;
        let Outcome { applied, .. } = written.map_err(|told| error(self.name(), told, call))?;
        Ok(applied)
    }
}

/// The change of a row under a condition.
struct Change {
    edits: Edits,
    /// True if it removes the column of the condition, and nothing else.
    removes_checked: bool,
}

/// Writes that can be sent together, each with its index.
#[derive(Default)]
struct Round {
    writes: Vec<(usize, Edits)>,
    /// True if the millisecond of a delete has to pass after it.
    deletes: bool,
}

/// The writes of a batch, one round after another: a put that a server stamps comes in a later round than a delete of
/// its row before it.
fn rounds(rows: Vec<Option<Edits>>, keys: &[Vec<u8>], stamps: &Stamps) -> Vec<Round> {
    let apart = stamps.is_server() && rows.iter().flatten().any(|edits| edits.hides_what_comes);
    // Of each row the round of its last write, and whether something is deleted in that.
    let mut last: HashMap<&[u8], (usize, bool)> = HashMap::new();
    let mut rounds: Vec<Round> = Vec::new();
    for (index, (edits, key)) in rows.into_iter().zip(keys).enumerate() {
        let Some(edits) = edits else { continue };
        let mut at = 0;
        if apart {
            let (round, deleted) = last.entry(key).or_default();
            if *deleted && edits.is_hideable {
                (*round, *deleted) = (*round + 1, false);
            }
            *deleted |= edits.hides_what_comes;
            at = *round;
        }
        if rounds.len() <= at {
            rounds.resize_with(at + 1, Round::default);
        }
        rounds[at].deletes |= edits.hides_what_comes;
        rounds[at].writes.push((index, edits));
    }
    rounds
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
        guarantees(self.stamps.clock())
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
        let (keys, columns): (Vec<Vec<u8>>, _) = (rows.iter().map(|row| row.to_vec()).collect(), columns.clone());
        Box::pin(async move {
            let call = self.options.begin("get", self.name())?;
            if keys.iter().any(Vec::is_empty) {
                return Err(Error::EmptyKey);
            }
            let mut found = vec![Row::default(); keys.len()];
            let Some(reading) = Reading::new(&columns, &self.schema)? else { return Ok(found) };
            let asked = keys.iter().zip(&mut found).filter(|(key, _)| key.len() <= LONGEST_KEY);
            let (gets, places): (Vec<_>, Vec<_>) = asked.map(|(key, place)| (reading.get(key), place)).unzip();
            let answers = call.bound(self.within(&call).get_many(gets), sleep).await?;
            for (place, answer) in places.into_iter().zip(answers) {
                *place = row(&answer.map_err(|told| error(self.name(), told, &call))?)?;
            }
            Ok(found)
        })
    }

    fn scan(&self, scan: &Scan, columns: &Columns) -> Batches {
        let made = columns.piece.map_or(Made::Rows, |cells| Made::Pieces(cells.get()));
        self.scan_as(made, scan, columns)
    }

    fn scan_values(&self, scan: &Scan, column: &Column) -> Batches {
        self.scan_as(Made::Values, scan, &Columns::of(column))
    }

    fn mutate(&self, row: &[u8], mutation: &Mutation) -> StoreFuture<'_, ()> {
        let edits = self.check(row, mutation).and_then(|()| self.edits(row, mutation));
        Box::pin(async move {
            self.id.check_write()?;
            let edits = edits?;
            let call = self.options.begin("mutation", self.name())?;
            self.write(edits, &call).await
        })
    }

    fn mutate_many(&self, rows: &[(Vec<u8>, Mutation)]) -> StoreFuture<'_, ()> {
        let checked = rows.iter().try_for_each(|(row, mutation)| self.check(row, mutation));
        let edits = checked.and_then(|()| {
            let edits = |(row, mutation): &(Vec<u8>, Mutation)| {
                (!mutation.is_empty()).then(|| self.edits(row, mutation)).transpose()
            };
            rows.iter().map(edits).collect::<Result<Vec<_>, Error>>()
        });
        let keys: Vec<Vec<u8>> = rows.iter().map(|(row, _)| row.clone()).collect();
        Box::pin(async move {
            self.id.check_write()?;
            let edits = edits?;
            let call = self.options.begin("mutation", self.name())?;
            self.write_many(edits, &keys, &call).await
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
        let (key, condition) = (row.to_vec(), check.clone());
        let valid = self.schema.require(&condition.column.family).and_then(|_| self.check(row, mutation));
        let removes_checked = matches!(
            mutation.edits(),
            [Edit::DeleteColumn { column, until: None }] if *column == check.column
        );
        let change = valid.and_then(|()| self.edits(row, mutation)).map(|edits| Change { edits, removes_checked });
        Box::pin(async move {
            self.id.check_write()?;
            let change = change?;
            let call = self.options.begin("check-and-mutate", self.name())?;
            self.write_if(&key, &condition, change, &call).await
        })
    }

    fn split_points(&self) -> StoreFuture<'_, Vec<Vec<u8>>> {
        Box::pin(async move {
            let call = self.options.begin("split points", self.name())?;
            let regions = call.bound(self.within(&call).regions(), sleep).await?;
            let regions = regions.map_err(|told| error(self.name(), told, &call))?;
            let starts = regions.iter().map(|(region, _)| region.start().to_vec());
            Ok(starts.filter(|start| !start.is_empty()).collect())
        })
    }
}
