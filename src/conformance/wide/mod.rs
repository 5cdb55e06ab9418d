//! The suite that the author of a wide store runs on a backend of their own.

mod bounds;
mod columns;
mod databases;
mod laws;
mod making;
mod model;
mod purge;
mod reentry;
mod scans;
mod threads;
mod times;
mod versions;
mod writes;

use crate::conformance::store::laws::Random;
use crate::wide::{TableSchema, WideDatabase, WideStore};

/// Holds a wide store to its laws. `make` answers an empty one with the families that it is given.
///
/// ```
/// use rowkey::Memory;
/// use rowkey::wide::Cells;
///
/// rowkey::conformance::wide(|schema| Cells::open(&Memory::new(), "rows", schema).unwrap());
/// ```
///
/// It asks for what [`WideGuarantees`](crate::wide::WideGuarantees) declares and no more; an operation that is not declared has to be
/// refused with [`Error::Unsupported`](crate::Error::Unsupported). Clocks can't be injected: what it says of expiry, it
/// says of timestamps that are days away from the system's time. Without timestamps the laws of versions, scans and the model
/// are not asked.
///
/// These hold for every store:
///
/// | law | what it says |
/// |---|---|
/// | `read-your-writes` | after a write has returned, every read sees it |
/// | `cells-sorted` | families by name, qualifiers by their bytes, the empty one first |
/// | `versions` | as many versions of a column come as are asked for, newest first |
/// | `older-write` | what is put under an older timestamp does not become the newest |
/// | `same-timestamp` | two writes to a column under one timestamp are one version, the later |
/// | `family`, `column`, `prefix`, `qualifier-range` | a selection has these columns and no neighbour |
/// | `time-range` | versions from its start on, before its end; before versions are counted |
/// | `value` | versions whose value compares so: of those that the family keeps, before versions asked for and columns are counted |
/// | `rows-where` | rows for which it holds |
/// | `first-only` | the first cell of each row |
/// | `column-limit`, `column-offset` | they count columns, not cells, in each row anew |
/// | `piece` | no piece has more cells; all pieces together are the row |
/// | `delete` | each kind takes what it names, up to its timestamp, and no neighbour; of what is absent it is no error |
/// | `rows-sorted`, `row-range`, `row-limit`, `batch-rows`, `batch-bytes`, `batch-cleared`, `ended` | as for plain stores; a reverse scan reverses rows, not cells; rows of which nothing comes do not count |
/// | `skip-to` | after the hint, its row and all beyond it come |
/// | `first-at-or-after`, `exists`, `get-many`, `mutate-many` | they answer as scans, gets and mutations do |
/// | `empty-value`, `large-value` | they come back as they were |
/// | `failed-rows` | of mutations of which one is not valid nothing is written; or `Rows` names that one alone, and the others are |
/// | `empty-row`, `no-such-family`, `negative-timestamp` | are refused |
/// | `reentrant-write` | inside a closure of a write to the database each write is `Reentrant`, and changes nothing; reads return |
/// | `deadline`, `cancel` | a call of a handle whose deadline has passed, or whose token is cancelled, is refused and changes nothing, each batch of a scan too; other handles go on |
/// | `unsupported` | what is not declared is refused, and changes nothing |
/// | `model` | after any mutations every read and scan answers as a list of cells and markers would |
///
/// And these for a store that declares the guarantee:
///
/// | guarantee | law | what it says |
/// |---|---|---|
/// | [`atomic_rows`](crate::wide::WideGuarantees::atomic_rows) | `whole-mutation` | what is refused changes nothing; no reader sees a mutation in part |
/// | [`snapshot_scans`](crate::wide::WideGuarantees::snapshot_scans) | `snapshot` | a scan shows the table as it was when it was opened |
/// | [`timestamps`](crate::wide::WideGuarantees::timestamps) | `timestamp-range` | the first and the last come back; others are refused |
/// | [`clock`](crate::wide::WideGuarantees::clock) | `clock` | a write without a timestamp has that clock's time |
/// | [`untimed_puts`](crate::wide::WideGuarantees::untimed_puts) | `untimed-put` | what a put does to versions and deletes of the future |
/// | [`untimed_deletes`](crate::wide::WideGuarantees::untimed_deletes) | `untimed-delete` | what a delete does to versions of the future |
/// | [`put_after_delete`](crate::wide::WideGuarantees::put_after_delete) | `put-after-delete` | a put after a delete is there, however soon |
/// | [`edit_order`](crate::wide::WideGuarantees::edit_order) | `edit-order` | edits of one mutation take effect in their order, or deletes last |
/// | [`deletes`](crate::wide::WideGuarantees::deletes) | `delete-marker`, `delete-once` | a delete hides what is written later and is not newer, or does not |
/// | [`delete_family_until`](crate::wide::WideGuarantees::delete_family_until) | `delete` | those of a family and of a row, too |
/// | [`delete_latest`](crate::wide::WideGuarantees::delete_latest) | `delete-latest`, `delete-latest-of-nothing` | the newest version goes, the one before it is the newest then; where nothing is, what is declared |
/// | [`deleted_for_good`](crate::wide::WideGuarantees::deleted_for_good) | `deleted-for-good` | what was deleted does not come back with a purge: [`wide_purge`] |
/// | [`kept_on_read`](crate::wide::WideGuarantees::kept_on_read) | `max-versions`, `ttl`, `min-versions` | no more than the family keeps is read; without the guarantee, what it keeps is read at least |
/// | [`unkept_until_purge`](crate::wide::WideGuarantees::unkept_until_purge) | `unkept` | a delete of a newer version uncovers one that the family does not keep; after a purge it does not: [`wide_purge`] |
/// | [`increment`](crate::wide::WideGuarantees::increment) | `increment`, `counters-together`, `not-a-counter`, `lost-increment` | an absent counter is 0, sums wrap, eight bytes big-endian; several are added to as one; none is lost among threads |
/// | [`repeated_counters`](crate::wide::WideGuarantees::repeated_counters) | `counters-twice` | the sums of a counter that comes twice |
/// | [`check_and_mutate`](crate::wide::WideGuarantees::check_and_mutate) | `check-and-mutate`, `lost-update` | writes if the newest version compares so, or is absent, and not otherwise; no update is lost among threads |
/// | [`empty_values`](crate::wide::WideGuarantees::empty_values) | `empty-check` | the same of empty values |
/// | [`validated_first`](crate::wide::WideGuarantees::validated_first) | `validated-first` | a mutation that is not valid is refused under a check that fails |
/// | [`page_versions`](crate::wide::WideGuarantees::page_versions) | `page-versions` | how many versions of a column a page has |
/// | [`page_empty_qualifier`](crate::wide::WideGuarantees::page_empty_qualifier) | `page-empty-qualifier` | a page counts the empty qualifier once |
/// | [`row_conditions`](crate::wide::WideGuarantees::row_conditions) | `row-condition` | a row's condition looks at the row, or at what is read of it |
/// | [`pieces_under_conditions`](crate::wide::WideGuarantees::pieces_under_conditions) | `piece-condition` | rows that a condition picks come in pieces |
/// | [`empty_reads`](crate::wide::WideGuarantees::empty_reads) | `empty-read` | a read that asks for nothing returns nothing |
/// | [`split_points`](crate::wide::WideGuarantees::split_points) | `split-points` | a table is split where it was made to be |
/// | [`limits`](crate::wide::WideGuarantees::limits) | `limits` | what is as long comes back, whatever its bytes; what is longer does too, or is refused and changes nothing |
///
/// # Panics
///
/// Where a law does not hold.
#[track_caller]
pub fn wide<S: WideStore>(make: impl Fn(&TableSchema) -> S) {
    let limited = laws::table();
    let guarantees = make(&limited).guarantees();
    let schema = if guarantees.kept_on_read { limited.clone() } else { laws::unlimited() };
    let on_a_new_one = |laws: fn(&dyn WideStore)| laws(&make(&schema));
    let timed = guarantees.timestamps.is_some();
    on_a_new_one(columns::order);
    on_a_new_one(writes::values);
    on_a_new_one(times::clock);
    if timed {
        on_a_new_one(versions::kept);
        on_a_new_one(columns::versions);
        on_a_new_one(columns::empty_qualifier);
        versions::limits(&make(&limited));
        versions::expiry(&make(&limited));
        on_a_new_one(versions::deletes);
        on_a_new_one(versions::latest);
        on_a_new_one(versions::covered);
        on_a_new_one(times::puts);
        on_a_new_one(times::deletes);
    }
    on_a_new_one(times::range);
    on_a_new_one(columns::nothing);
    on_a_new_one(columns::rows_where);
    on_a_new_one(versions::in_order);
    if timed {
        on_a_new_one(scans::order);
        on_a_new_one(scans::many);
        on_a_new_one(scans::snapshots);
    }
    on_a_new_one(writes::limits);
    on_a_new_one(writes::refusals);
    on_a_new_one(writes::failed_rows);
    on_a_new_one(writes::counters);
    on_a_new_one(writes::checks);
    on_a_new_one(writes::validated);
    on_a_new_one(threads::atomic_rows);
    on_a_new_one(threads::increments);
    on_a_new_one(threads::updates);
    on_a_new_one(reentry::writes);
    on_a_new_one(bounds::deadlines);
    on_a_new_one(bounds::cancels);
    // Last, as it takes the longest.
    if timed {
        for seed in 0..4 {
            model::model(&make(&schema), &mut Random(seed));
        }
    }
}

/// Holds a wide store to the laws of what a purge takes and leaves: `purge`, `unkept` and `deleted-for-good`. `purge` drops what
/// nobody can read any more, in the way of the engine: [`Cells::purge`](crate::wide::Cells::purge), a flush and a major compaction.
///
/// ```
/// use std::ops::ControlFlow;
///
/// use rowkey::Memory;
/// use rowkey::wide::Cells;
///
/// rowkey::conformance::wide_purge(
///     |schema| Cells::open(&Memory::new(), "rows", schema).unwrap(),
///     |cells| drop(cells.purge(None, |_| ControlFlow::Continue(())).unwrap()),
/// );
/// ```
///
/// # Panics
///
/// Where a law does not hold.
#[track_caller]
pub fn wide_purge<S: WideStore>(make: impl Fn(&TableSchema) -> S, purge: impl Fn(&S)) {
    purge::purge(&make(&laws::table()), &purge);
}

/// Holds a database of wide tables, and the tables that it opens, to their laws. `make` answers an empty one each time.
///
/// | law | what it says |
/// |---|---|
/// | `schema-kept` | a table's schema comes back as it was given |
/// | `other-schema` | a table is not opened with another; the refusal names each difference |
/// | `alter` | what can be altered in place is, rows stay, and the changes are told |
/// | `alter-refused` | where something can't, nothing is altered |
/// | `one-table` | handles of one name are one table |
/// | `open-absent`, `create-existing`, `create-once`, `create-refused`, `split-points` | as for plain databases; a table is opened with its schema or not at all |
/// | `tables`, `isolated`, `drop-table`, `same-id` | as for plain databases |
/// | `reentrant-write` | inside a closure of a write no table is made, altered or dropped: `Reentrant` |
/// | `deadline`, `cancel` | as of a store; the tables that are opened have the options of the database |
///
/// # Panics
///
/// Where a law of these, or of [`wide`], does not hold.
#[track_caller]
pub fn wide_database<D: WideDatabase>(make: impl Fn() -> D) {
    databases::schemas(&make());
    databases::tables(&make());
    making::open_absent(&make());
    making::create_existing(&make());
    making::create_refused(&make());
    making::create_once(&make());
    making::split_points(&make());
    reentry::tables(&make());
    bounds::of_a_database(&make());
    // Last, as they take the longest.
    wide(|schema| laws::done("schema-kept", make().table("a", schema)));
}
