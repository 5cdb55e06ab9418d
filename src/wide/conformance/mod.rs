//! The suite that the author of a wide store runs on a backend of their own.

mod bounds;
mod columns;
mod databases;
mod laws;
mod making;
mod model;
mod reentry;
mod scans;
mod threads;
mod versions;
mod writes;

use super::{TableSchema, WideDatabase, WideStore};
use crate::store::conformance::laws::Random;

/// Holds a wide store to its laws. `make` answers an empty one with the families that it is given.
///
/// ```
/// use rowkey::Memory;
/// use rowkey::wide::Cells;
///
/// rowkey::conformance::wide(|schema| Cells::open(&Memory::new(), "rows", schema).unwrap());
/// ```
///
/// It asks for what [`WideGuarantees`](crate::wide::WideGuarantees) declares and no more; what is not declared has to be
/// refused with [`Error::Unsupported`](crate::Error::Unsupported). Clocks can't be injected: what it says of expiry, it
/// says of timestamps that are days away from the system's time.
///
/// | law | what it says |
/// |---|---|
/// | `read-your-writes` | after a write has returned, every read sees it; a put after a delete is there, however soon |
/// | `cells-sorted` | families by name, qualifiers by their bytes, the empty one first |
/// | `versions` | as many versions of a column come as are asked for, newest first |
/// | `max-versions` | no more than the family keeps |
/// | `older-write` | what is put under an older timestamp does not become the newest |
/// | `same-timestamp` | two writes to a column under one timestamp are one version, the later |
/// | `family`, `column`, `prefix`, `qualifier-range` | a selection has these columns and no neighbour |
/// | `time-range` | versions from its start on, before its end; before versions are counted |
/// | `value` | versions whose value compares so: of those that the family keeps, before versions asked for and columns are counted |
/// | `rows-where` | rows for which it holds, whatever else is read of them |
/// | `first-only` | the first cell of each row |
/// | `column-limit`, `column-offset` | they count columns, not cells, in each row anew |
/// | `piece` | no piece has more cells; all pieces together are the row |
/// | `delete` | each kind takes what it names, up to its timestamp, and no neighbour; of what is absent it is no error |
/// | `delete-latest` | the newest version goes, the one before it is the newest then (if declared) |
/// | `edit-order` | edits of one mutation take effect in their order |
/// | `delete-marker` | a delete hides what is written later and is not newer (if declared) |
/// | `ttl`, `min-versions` | what has expired is not read, but for the least number of versions kept |
/// | `rows-sorted`, `row-range`, `row-limit`, `batch-rows`, `batch-bytes`, `batch-cleared`, `ended` | as for plain stores; a reverse scan reverses rows, not cells; rows of which nothing comes do not count |
/// | `skip-to` | after the hint, its row and all beyond it come |
/// | `snapshot` | a scan shows the table as it was when it was opened (if declared) |
/// | `first-at-or-after`, `exists`, `get-many`, `mutate-many` | they answer as scans, gets and mutations do |
/// | `empty-value`, `large-value` | they come back as they were |
/// | `failed-rows` | of mutations of which one is not valid nothing is written; or `Rows` names that one alone, and the others are |
/// | `empty-row`, `no-such-family`, `negative-timestamp` | are refused |
/// | `whole-mutation` | what is refused changes nothing; no reader sees a mutation in part (if declared) |
/// | `increment`, `counters-together`, `not-a-counter` | an absent counter is 0, sums wrap, eight bytes big-endian; several are added to as one (if declared) |
/// | `check-and-mutate` | writes if the newest version compares so, or is absent, and not otherwise (if declared) |
/// | `lost-increment`, `lost-update` | nothing is lost among threads (if declared) |
/// | `reentrant-write` | inside a closure of a write to the database each write is `Reentrant`, and changes nothing; reads return |
/// | `deadline`, `cancel` | a call of a handle whose deadline has passed, or whose token is cancelled, is refused and changes nothing, each batch of a scan too; other handles go on |
/// | `unsupported` | what is not declared is refused, and changes nothing |
/// | `model` | after any mutations every read and scan answers as a list of cells and markers would |
///
/// # Panics
///
/// Where a law does not hold.
#[track_caller]
pub fn wide<S: WideStore>(make: impl Fn(&TableSchema) -> S) {
    let schema = laws::table();
    let on_a_new_one = |laws: fn(&dyn WideStore)| laws(&make(&schema));
    on_a_new_one(columns::order);
    on_a_new_one(writes::values);
    on_a_new_one(versions::kept);
    on_a_new_one(columns::versions);
    on_a_new_one(columns::rows_where);
    on_a_new_one(versions::deletes);
    on_a_new_one(versions::in_order);
    on_a_new_one(versions::markers);
    on_a_new_one(versions::expiry);
    on_a_new_one(scans::order);
    on_a_new_one(scans::many);
    on_a_new_one(scans::snapshots);
    on_a_new_one(writes::refusals);
    on_a_new_one(writes::failed_rows);
    on_a_new_one(writes::counters);
    on_a_new_one(writes::checks);
    for seed in 0..4 {
        model::model(&make(&schema), &mut Random(seed));
    }
    on_a_new_one(threads::atomic_rows);
    on_a_new_one(threads::increments);
    on_a_new_one(threads::updates);
    on_a_new_one(reentry::writes);
    on_a_new_one(bounds::deadlines);
    on_a_new_one(bounds::cancels);
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
    wide(|schema| laws::done("schema-kept", make().table("a", schema)));
    databases::schemas(&make());
    databases::tables(&make());
    making::open_absent(&make());
    making::create_existing(&make());
    making::create_refused(&make());
    making::create_once(&make());
    making::split_points(&make());
    reentry::tables(&make());
    bounds::of_a_database(&make());
}
