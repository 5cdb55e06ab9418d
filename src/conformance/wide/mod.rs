//! The suite for authors of wide stores.

mod bounds;
mod columns;
mod databases;
mod laws;
mod making;
mod model;
mod program;
mod purge;
mod reentry;
mod scans;
mod threads;
mod times;
mod versions;
mod writes;

pub use self::model::{ModelCell, WideModel};
use crate::conformance::store::laws::Random;
use crate::wide::{TableSchema, WideDatabase, WideStore};

/// Checks a wide store. `make` returns a new empty store with these families each time.
///
/// ```
/// use rowkey::Memory;
/// use rowkey::wide::Cells;
///
/// rowkey::conformance::wide(|schema| Cells::open(&Memory::new(), "rows", schema).unwrap());
/// ```
///
/// It checks what [`WideGuarantees`](crate::wide::WideGuarantees) declares and no more. An operation that is not
/// declared must be refused with [`Error::Unsupported`](crate::Error::Unsupported). Clocks can't be injected, so expiry
/// is tested with timestamps that are days away from the system's time. Without timestamps, the laws of versions, scans
/// and the model are left out.
///
/// Laws of every store:
///
/// | law | what it says |
/// |---|---|
/// | `read-your-writes` | after a write has returned, every read sees it |
/// | `cells-sorted` | families sort by name, qualifiers by their bytes, the empty one first |
/// | `versions` | a read returns as many versions of a column as asked for, newest first |
/// | `older-write` | a put with an older timestamp does not become the newest version |
/// | `same-timestamp` | two writes to a column with one timestamp are one version, the later write |
/// | `family`, `column`, `prefix`, `qualifier-range` | a selection has these columns and no neighbour |
/// | `time-range` | versions from its start, inclusive, to its end, exclusive; applied before versions are counted |
/// | `value` | versions whose value passes the comparison; applied to what the family keeps, before versions asked for and columns are counted |
/// | `rows-where` | only rows for which the condition holds |
/// | `first-only` | only the first cell of each row |
/// | `column-limit`, `column-offset` | count columns, not cells, separately in each row |
/// | `piece` | no piece has more cells than asked for; all pieces together are the row |
/// | `delete` | each kind deletes what it names, up to its timestamp, and no neighbour; deleting what is absent is not an error |
/// | `rows-sorted`, `row-range`, `row-limit`, `batch-rows`, `batch-bytes`, `batch-cleared`, `ended` | as for plain stores; a reverse scan reverses rows, not cells; rows without a cell to return do not count |
/// | `skip-to` | after the hint, its row and all rows past it come |
/// | `first-at-or-after`, `exists`, `get-many`, `mutate-many` | agree with scans, gets and mutations |
/// | `empty-value`, `large-value` | are returned unchanged |
/// | `failed-rows` | of mutations with an invalid one nothing is written; or `Rows` names only that one, and the others are written |
/// | `empty-row`, `no-such-family`, `negative-timestamp` | are refused |
/// | `reentrant-write` | inside a closure of a write to the database each write is `Reentrant`, and changes nothing; reads return |
/// | `deadline`, `cancel` | a call after its handle's deadline, or with a cancelled token, is refused and changes nothing, as is each batch of a scan; other handles are not affected |
/// | `unsupported` | what is not declared is refused, and changes nothing |
/// | `model` | after any mutations, increments and checks every read and scan returns what [`WideModel`] returns |
///
/// Laws of stores that declare the guarantee:
///
/// | guarantee | law | what it says |
/// |---|---|---|
/// | [`atomic_rows`](crate::wide::WideGuarantees::atomic_rows) | `whole-mutation` | what is refused changes nothing; no reader sees part of a mutation |
/// | [`snapshot_scans`](crate::wide::WideGuarantees::snapshot_scans) | `snapshot` | a scan reads the table as it was when the scan was opened |
/// | [`timestamps`](crate::wide::WideGuarantees::timestamps) | `timestamp-range` | the first and the last are accepted; others are refused |
/// | [`clock`](crate::wide::WideGuarantees::clock) | `clock` | a write without a timestamp has that clock's time |
/// | [`untimed_puts`](crate::wide::WideGuarantees::untimed_puts) | `untimed-put` | what a put does to versions and deletes in the future |
/// | [`untimed_deletes`](crate::wide::WideGuarantees::untimed_deletes) | `untimed-delete` | what a delete does to versions in the future |
/// | [`put_after_delete`](crate::wide::WideGuarantees::put_after_delete) | `put-after-delete` | a put after a delete is returned, however soon it comes |
/// | [`edit_order`](crate::wide::WideGuarantees::edit_order) | `edit-order` | edits of one mutation take effect in order, or deletes last |
/// | [`deletes`](crate::wide::WideGuarantees::deletes) | `delete-marker`, `delete-once` | a delete hides later writes that are not newer, or does not |
/// | [`delete_family_until`](crate::wide::WideGuarantees::delete_family_until) | `delete` | deletes of a family and of a row up to a timestamp |
/// | [`delete_latest`](crate::wide::WideGuarantees::delete_latest) | `delete-latest`, `delete-latest-of-nothing` | deletes the newest version and uncovers the one before it; without a version, does what is declared |
/// | [`deleted_for_good`](crate::wide::WideGuarantees::deleted_for_good) | `deleted-for-good` | deleted data does not reappear with a purge: [`wide_purge`] |
/// | [`kept_on_read`](crate::wide::WideGuarantees::kept_on_read) | `max-versions`, `ttl`, `min-versions` | a read returns no more than the family keeps; without the guarantee, at least what it keeps |
/// | [`unkept_until_purge`](crate::wide::WideGuarantees::unkept_until_purge) | `unkept` | a delete of a newer version uncovers one that the family does not keep; after a purge it does not: [`wide_purge`] |
/// | [`increment`](crate::wide::WideGuarantees::increment) | `increment`, `counters-together`, `not-a-counter`, `lost-increment` | an absent counter is 0, sums wrap, eight bytes big-endian; several counters change atomically; no increment is lost among threads |
/// | [`repeated_counters`](crate::wide::WideGuarantees::repeated_counters) | `counters-twice` | the sums of a counter that is named twice |
/// | [`check_and_mutate`](crate::wide::WideGuarantees::check_and_mutate) | `check-and-mutate`, `lost-update` | writes if the newest version passes the check, and not otherwise; no update is lost among threads |
/// | [`empty_values`](crate::wide::WideGuarantees::empty_values) | `empty-check` | the same with empty values |
/// | [`validated_first`](crate::wide::WideGuarantees::validated_first) | `validated-first` | an invalid mutation is refused even if its check fails |
/// | [`page_versions`](crate::wide::WideGuarantees::page_versions) | `page-versions` | how many versions of a column a page has |
/// | [`page_empty_qualifier`](crate::wide::WideGuarantees::page_empty_qualifier) | `page-empty-qualifier` | a page counts the empty qualifier once |
/// | [`row_conditions`](crate::wide::WideGuarantees::row_conditions) | `row-condition` | a row's condition looks at the row, or at what is read of it |
/// | [`pieces_under_conditions`](crate::wide::WideGuarantees::pieces_under_conditions) | `piece-condition` | rows that pass a condition can be read in pieces |
/// | [`empty_reads`](crate::wide::WideGuarantees::empty_reads) | `empty-read` | a read that asks for nothing returns nothing |
/// | [`split_points`](crate::wide::WideGuarantees::split_points) | `split-points` | a table is split where it was asked to be |
/// | [`limits`](crate::wide::WideGuarantees::limits) | `limits` | keys, qualifiers and values of the maximum length are accepted, whatever their bytes; longer ones are accepted too, or are refused and change nothing |
///
/// # Panics
///
/// If a law fails.
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
        for seed in super::seeds() {
            program::random(&make(&schema), &mut Random(seed));
        }
    }
}

/// Checks what a purge removes and what it keeps: `purge`, `unkept` and `deleted-for-good`. `purge` removes what no
/// read returns any more, in the engine's way: [`Cells::purge`](crate::wide::Cells::purge), or a flush and a major
/// compaction.
///
/// ```
/// use rowkey::Memory;
/// use rowkey::wide::Cells;
///
/// rowkey::conformance::wide_purge(
///     |schema| Cells::open(&Memory::new(), "rows", schema).unwrap(),
///     |cells| drop(cells.purge().run().unwrap()),
/// );
/// ```
///
/// # Panics
///
/// If a law fails.
#[track_caller]
pub fn wide_purge<S: WideStore>(make: impl Fn(&TableSchema) -> S, purge: impl Fn(&S)) {
    purge::purge(&make(&laws::table()), &purge);
}

/// Checks a database of wide tables, and the tables that it opens. `make` returns a new empty database each time.
///
/// | law | what it says |
/// |---|---|
/// | `schema-kept` | a table's schema is returned as it was given |
/// | `other-schema` | a table does not open with another schema; the error names each difference |
/// | `alter` | changes that are possible in place are made and returned, and rows stay |
/// | `alter-refused` | if one change is not possible, none is made |
/// | `one-table` | handles of one name are one table |
/// | `open-absent`, `create-existing`, `create-once`, `create-refused`, `split-points` | as for plain databases; a table opens with its schema or not at all |
/// | `tables`, `isolated`, `drop-table`, `same-id` | as for plain databases |
/// | `reentrant-write` | inside a closure of a write no table is created, altered or dropped: `Reentrant` |
/// | `deadline`, `cancel` | as for a store; tables have the options of the database that opened them |
///
/// # Panics
///
/// If one of these laws, or of those of [`wide`], fails.
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
