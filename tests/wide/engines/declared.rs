//! Stores that declare what they do not keep, and the law that the suite names of each.

use std::sync::Arc;

use rowkey::clock::{Clock, SystemClock};
use rowkey::store::{CallOptions, Rows, Scan, TableId};
use rowkey::wide::{
    ClockOf, Column, Columns, Condition, DeleteLatest, Deletes, EditOrder, EmptyValues, Mutation, PageVersions,
    RepeatedCounters, Row, RowConditions, TableSchema, TimestampUnit, UntimedDeletes, UntimedPuts, WideGuarantees,
    WideStore,
};
use rowkey::{Error, conformance};
use rowkey_testkit::{assert_named, verdict};

use crate::engines::engine::Double;
use crate::engines::hbase::Hbase;
use crate::engines::{bigtable, cells, hbase};

/// A store that declares something else than it keeps.
struct Declares<W>(W, WideGuarantees);

fn declares<W: WideStore>(inner: W, change: impl Fn(&mut WideGuarantees)) -> Declares<W> {
    let mut guarantees = inner.guarantees();
    change(&mut guarantees);
    Declares(inner, guarantees)
}

impl<W: WideStore> WideStore for Declares<W> {
    fn id(&self) -> &TableId {
        self.0.id()
    }

    fn options(&self) -> &CallOptions {
        self.0.options()
    }

    fn with_options(&self, options: &CallOptions) -> Arc<dyn WideStore> {
        Arc::new(Declares(self.0.with_options(options), self.1))
    }

    fn guarantees(&self) -> WideGuarantees {
        self.1
    }

    fn schema(&self) -> &TableSchema {
        self.0.schema()
    }

    fn get(&self, row: &[u8], columns: &Columns) -> Result<Row, Error> {
        self.0.get(row, columns)
    }

    fn scan(&self, scan: &Scan, columns: &Columns) -> Box<dyn Rows> {
        self.0.scan(scan, columns)
    }

    fn mutate(&self, row: &[u8], mutation: &Mutation) -> Result<(), Error> {
        self.0.mutate(row, mutation)
    }

    fn increment(&self, row: &[u8], counters: &[(Column, i64)]) -> Result<Vec<i64>, Error> {
        self.0.increment(row, counters)
    }

    fn check_and_mutate(&self, row: &[u8], check: &Condition, mutation: &Mutation) -> Result<bool, Error> {
        self.0.check_and_mutate(row, check, mutation)
    }
}

/// A test for each: what the store is, what it declares, the law that has to be named.
macro_rules! named {
    ($($test:ident: $make:expr, $guarantees:ident.$field:ident = $value:expr => $law:literal,)*) => {$(
        #[test]
        fn $test() {
            let suite = || conformance::wide(|schema| declares($make(schema), |$guarantees| $guarantees.$field = $value));
            assert_named(verdict(suite), $law);
        }
    )*};
}

named! {
    hbase_takes_the_last_timestamp: hbase, of.timestamps = Some(TimestampUnit::Milliseconds.timestamps()) => "timestamp-range",
    bigtable_takes_milliseconds: bigtable, of.timestamps = Some(TimestampUnit::Milliseconds.timestamps()) => "timestamp-range",
    cells_takes_no_timestamp: cells, of.timestamps = None => "unsupported",
    hbase_in_microseconds: hbase, of.timestamps = of.timestamps.map(|mut timestamps| {
        timestamps.unit = TimestampUnit::Microseconds;
        timestamps
    }) => "timestamp-range",
    hbase_with_another_clock: ahead, of.clock = Some(ClockOf::Process) => "clock",
    hbase_with_a_clock_days_ahead: days_ahead, of.clock = Some(ClockOf::Server) => "clock",
    hbase_writes_the_latest: hbase, of.untimed_puts = Some(UntimedPuts::Latest) => "untimed-put",
    bigtable_writes_the_latest: bigtable, of.untimed_puts = Some(UntimedPuts::Latest) => "untimed-put",
    cells_writes_at_the_clock: cells, of.untimed_puts = Some(UntimedPuts::AtClock) => "untimed-put",
    hbase_deletes_all: hbase, of.untimed_deletes = Some(UntimedDeletes::All) => "untimed-delete",
    bigtable_deletes_until_the_clock: bigtable, of.untimed_deletes = Some(UntimedDeletes::UntilClock) => "untimed-delete",
    cells_deletes_until_the_clock: cells, of.untimed_deletes = Some(UntimedDeletes::UntilClock) => "untimed-delete",
    hbase_has_a_put_after_a_delete: stopped, of.put_after_delete = true => "put-after-delete",
    hbase_in_order: hbase, of.edit_order = Some(EditOrder::AsGiven) => "edit-order",
    bigtable_with_deletes_last: bigtable, of.edit_order = Some(EditOrder::DeletesLast) => "edit-order",
    cells_with_deletes_last: cells, of.edit_order = Some(EditOrder::DeletesLast) => "edit-order",
    hbase_erases: hbase, of.deletes = Some(Deletes::Erase) => "delete-once",
    bigtable_hides: bigtable, of.deletes = Some(Deletes::Hide) => "delete-marker",
    cells_erases: cells, of.deletes = Some(Deletes::Erase) => "delete-once",
    bigtable_deletes_families_until: bigtable, of.delete_family_until = true => "delete",
    hbase_deletes_no_families_until: hbase, of.delete_family_until = false => "unsupported",
    bigtable_deletes_the_latest: bigtable, of.delete_latest = Some(DeleteLatest::OfWhatIsThere) => "delete-latest",
    hbase_deletes_no_latest: hbase, of.delete_latest = None => "unsupported",
    hbase_deletes_what_is_there: hbase, of.delete_latest = Some(DeleteLatest::OfWhatIsThere) => "delete-latest-of-nothing",
    cells_marks_nothing: cells, of.delete_latest = Some(DeleteLatest::MarksNothing) => "delete-latest-of-nothing",
    bigtable_keeps_on_read: bigtable, of.kept_on_read = true => "max-versions",
    what_is_to_be_kept_is_lost: forgetful, of.kept_on_read = false => "max-versions",
    compacted_hbase_keeps_until_a_purge: compacted, of.unkept_until_purge = true => "unkept",
    hbase_does_not_count: hbase, of.increment = false => "unsupported",
    hbase_counts_on: hbase, of.repeated_counters = Some(RepeatedCounters::Cumulative) => "counters-twice",
    bigtable_counts_anew: bigtable, of.repeated_counters = Some(RepeatedCounters::Independent) => "counters-twice",
    cells_counts_anew: cells, of.repeated_counters = Some(RepeatedCounters::Independent) => "counters-twice",
    hbase_does_not_check: hbase, of.check_and_mutate = false => "unsupported",
    hbase_takes_empty_values: hbase, of.empty_values = Some(EmptyValues::AsValues) => "empty-check",
    bigtable_takes_none: bigtable, of.empty_values = Some(EmptyValues::AsAbsent) => "empty-check",
    hbase_validates_first: hbase, of.validated_first = true => "validated-first",
    bigtable_validates_first: bigtable, of.validated_first = true => "validated-first",
    hbase_has_all_versions_in_a_page: hbase, of.page_versions = Some(PageVersions::AsAsked) => "page-versions",
    cells_has_the_newest_in_a_page: cells, of.page_versions = Some(PageVersions::Newest) => "page-versions",
    hbase_pages_over_the_empty_qualifier: hbase, of.page_empty_qualifier = true => "page-empty-qualifier",
    hbase_has_conditions_on_rows: hbase, of.row_conditions = Some(RowConditions::OnRow) => "row-condition",
    bigtable_has_conditions_on_reads: bigtable, of.row_conditions = Some(RowConditions::OnRead) => "row-condition",
    hbase_has_pieces_under_conditions: hbase, of.pieces_under_conditions = true => "piece-condition",
    cells_has_no_pieces_under_conditions: cells, of.pieces_under_conditions = false => "unsupported",
    hbase_reads_nothing: hbase, of.empty_reads = true => "empty-read",
    bigtable_reads_nothing: bigtable, of.empty_reads = true => "empty-read",
}

fn ahead(schema: &TableSchema) -> Double<Hbase> {
    hbase(schema).with_clock(|| SystemClock.now() + 1000)
}

fn days_ahead(schema: &TableSchema) -> Double<Hbase> {
    hbase(schema).with_clock(|| SystemClock.now() + 2 * 24 * 60 * 60 * 1000)
}

/// All that is written has one time.
fn stopped(schema: &TableSchema) -> Double<Hbase> {
    let now = SystemClock.now();
    hbase(schema).with_clock(move || now)
}

/// Of a family that keeps three versions it keeps one.
fn forgetful(schema: &TableSchema) -> Double<Hbase> {
    let mut schema = schema.clone();
    for family in schema.families.values_mut().filter(|family| family.max_versions == 3) {
        family.max_versions = 1;
    }
    hbase(&schema)
}

fn compacted(schema: &TableSchema) -> Double<Hbase> {
    let store = hbase(schema);
    store.engine(|engine, _| engine.compacts_all = true);
    store
}

#[test]
fn what_comes_back_is_named() {
    let make = |schema: &_| {
        let store = hbase(schema);
        store.engine(|engine, _| engine.flushes_deletes = true);
        declares(store, |of| of.deleted_for_good = true)
    };
    let suite = || conformance::wide_purge(make, |store| store.0.engine(|engine, now| engine.major_compact(now)));
    assert_named(verdict(suite), "deleted-for-good");
    let make = |schema: &_| declares(cells(schema), |of| of.unkept_until_purge = true);
    assert_named(verdict(|| conformance::wide_purge(make, |_| {})), "unkept");
    let lossy = |schema: &_| hbase(schema);
    let drops = |store: &Double<Hbase>| drop(store.mutate(b"r", &Mutation::new().delete_column("b:now")));
    assert_named(verdict(|| conformance::wide_purge(lossy, drops)), "purge");
}
