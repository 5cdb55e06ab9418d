//! The suite that a store's author runs on a backend of their own (feature `conformance`).
//!
//! ```
//! # use rowkey::Memory as MyDatabase;
//! rowkey::conformance::database(MyDatabase::new);
//! ```
//!
//! It panics at the first law that does not hold, with the law's name, what was done, what came and what should have
//! come. It asks for what [`Guarantees`](super::Guarantees) declares and no more; what is not declared has to be
//! refused with [`Error::Unsupported`](crate::Error::Unsupported), not done by halves. Its random tests draw the same
//! numbers every time.
//!
//! Laws of concurrent callers do not hope for a race. Callers go on until enough calls have begun while another was
//! running. In the body of a transaction, after it has read, another thread calls what competes with it. A store may hold that
//! up, or let it through and call the body again. A wait that is over breaks no law, so a slow store passes too.
//!
//! [`wide`] and [`wide_database`] hold wide stores to theirs, which they list. Those of plain stores and databases:
//!
//! | law | what it says |
//! |---|---|
//! | `read-your-writes` | after a write has returned, every read sees it |
//! | `sorted` | a scan's rows ascend in the order of their bytes, none twice |
//! | `reverse` | a reverse scan's rows descend |
//! | `no-end` | a range without an end runs to the end of the table |
//! | `no-range` | a scan of no range has no row |
//! | `start-inclusive`, `end-exclusive` | a range holds its start and not its end |
//! | `point` | the range of one key holds that key, and not those that begin with it |
//! | `every-range` | a scan has the rows of all its ranges, adjacent, empty of rows, or many |
//! | `long-bounds` | the bounds of a range, and a key that is asked for, may be longer than any key can be |
//! | `limit` | a scan has as many rows as its limit, if there are as many |
//! | `batch-rows` | a batch has at most as many rows as were asked for, and the scan the same rows whatever that is |
//! | `batch-bytes` | a batch ends with the row by which it reaches the bytes that were asked for, one row at least, and the scan has the same rows whatever that is |
//! | `batch-cleared` | rows that were in the batch before are gone |
//! | `ended` | a scan ends, and answers empty batches from then on |
//! | `skip-to` | after the hint, its key and all beyond it come, in order, each once; what is before may come or not |
//! | `snapshot` | a scan shows the table as it was when it was opened (if declared) |
//! | `empty-key` | a write of the empty key is `EmptyKey` and changes nothing else; reading it answers `None` or `EmptyKey` |
//! | `empty-value` | an empty value is a value |
//! | `large-value` | 64 KiB of value, or what the limits allow, come back as they were |
//! | `failed-rows` | of a batch with a write that is not valid nothing is written; or `Rows` names that write alone, and the others are |
//! | `limits` | a key, a value, a table's name of the declared length is taken; one byte more is `TooLarge`, and changes nothing (values of up to 16 MiB) |
//! | `batch-order` | of two writes to a key in one batch the later holds |
//! | `delete` | a deleted row is gone, to delete an absent one is no error |
//! | `delete-ranges` | the rows in the ranges go, all others stay |
//! | `get-many` | values come in the order of the keys asked for, one for each |
//! | `increment` | an absent counter is 0, the sum wraps, the value is eight bytes, big-endian (if declared) |
//! | `not-a-counter` | a value of another length is refused, and left alone (if increments are declared) |
//! | `compare-and-write` | writes if the value is the expected one and not otherwise (if declared) |
//! | `transaction` | the body reads what is there, and what it answers is written; where it fails, or a key is empty, nothing is (if declared) |
//! | `reentrant-write` | inside a transaction's body, or another closure of a write, each write to the database is `Reentrant`, soon, and changes nothing; the transaction goes on |
//! | `body-reads` | there, reads by other handles return, and show what was there before |
//! | `body-panics` | after a body that panicked nothing of it is written, and all works as before (if transactions are declared) |
//! | `deadline` | a call of a handle whose deadline has passed is `DeadlineExceeded` and changes nothing, each batch of a scan too; options replace those from before, and other handles go on |
//! | `cancel` | a call of a handle whose token is cancelled is `Cancelled` and changes nothing; an open scan ends; a transaction that is cancelled in its body writes nothing |
//! | `waits-in-bounds` | calls that wait for the body of another transaction end by their time-out and by their token (if transactions are declared) |
//! | `same-id` | an id stays as it is, and a table's is its database's and its name |
//! | `unsupported` | what is not declared is refused |
//! | `model` | after any writes every scan and get answers as a sorted map would |
//! | `lost-increment`, `lost-update` | no concurrent increment, no concurrent compare-and-write is lost (if declared) |
//! | `lost-transaction` | what a transaction read, in rows and ranges, is not written by others before it has written (if declared) |
//! | `whole-batch` | no scan sees a batch in part (if batches are atomic and scans are snapshots) |
//! | `one-table` | handles of one name are one table |
//! | `isolated` | no table sees, or deletes, the rows of another, whatever their names |
//! | `tables` | tables are listed, sorted, from their opening on |
//! | `open-absent` | a table that is not there is not opened, `NoSuchTable`, and not made; one that is there is opened as it is |
//! | `create-existing` | a table that is there is not made, `TableExists`, and left as it is |
//! | `create-once` | of several threads that make one table at once one does |
//! | `create-refused` | split points that are empty, unsorted or repeated, and options that there are not, are refused before anything is made |
//! | `split-points` | a table is split where it was made to be (if declared); its rows are read as those of one that is not |
//! | `drop-table` | a dropped table is gone with its rows, and no other is |
//! | `write-makes-tables` | a write across tables makes those that are not there |
//! | `batch-across-tables` | a batch across tables is seen whole in each (if declared) |
//! | `transaction-across-tables` | views come in the order of the names, a table named twice comes twice; all tables are written or none, and no other transaction sees a part (if declared) |

mod between;
pub(crate) mod bounds;
mod databases;
pub(crate) mod laws;
pub(crate) mod making;
pub(crate) mod meetings;
mod reentry;
pub(crate) mod refusals;
mod scans;
mod skips;
mod threads;
mod transactions;
mod writes;

use self::laws::Random;
use super::{Database, Store};
pub use crate::wide::conformance::{wide, wide_database, wide_purge};

/// Holds a store to its laws. `make` answers an empty one each time.
///
/// ```
/// use rowkey::Memory;
/// use rowkey::store::Database;
///
/// rowkey::conformance::store(|| Memory::new().table("rows").unwrap());
/// ```
///
/// # Panics
///
/// Where a law does not hold.
#[track_caller]
pub fn store<S: Store + 'static>(make: impl Fn() -> S) {
    let on_a_new_one = |laws: fn(&dyn Store)| laws(&make());
    on_a_new_one(scans::bounds);
    on_a_new_one(scans::ranges);
    on_a_new_one(scans::long_bounds);
    on_a_new_one(scans::reverse);
    on_a_new_one(scans::limits);
    on_a_new_one(scans::batches);
    on_a_new_one(skips::skips);
    on_a_new_one(writes::empty_key);
    on_a_new_one(refusals::failed_rows);
    on_a_new_one(refusals::limits);
    on_a_new_one(writes::values);
    on_a_new_one(writes::order);
    on_a_new_one(writes::deletes);
    on_a_new_one(writes::get_many);
    on_a_new_one(writes::increments);
    on_a_new_one(writes::compare_and_write);
    on_a_new_one(transactions::transactions);
    on_a_new_one(scans::snapshots);
    for seed in 0..4 {
        writes::model(&make(), &mut Random(seed));
    }
    on_a_new_one(threads::increments);
    on_a_new_one(threads::updates);
    on_a_new_one(threads::batches);
    on_a_new_one(between::one_table);
    on_a_new_one(transactions::threads);
    reentry::in_a_store(make());
    on_a_new_one(bounds::deadlines);
    on_a_new_one(bounds::cancels);
    on_a_new_one(bounds::waits);
}

/// Holds a database, and the tables that it opens, to their laws. `make` answers an empty one each time.
///
/// A name that the engine has no room for may be refused, `a`, `ab` and `b` not.
///
/// # Panics
///
/// Where a law does not hold.
#[track_caller]
pub fn database<D: Database + 'static>(make: impl Fn() -> D) {
    store(|| laws::done("one-table", make().table("a")));
    let on_a_new_one = |laws: fn(&dyn Database)| laws(&make());
    on_a_new_one(databases::names);
    on_a_new_one(databases::isolation);
    on_a_new_one(databases::drops);
    on_a_new_one(making::open_absent);
    on_a_new_one(making::create_existing);
    on_a_new_one(making::create_refused);
    on_a_new_one(making::create_once);
    on_a_new_one(making::split_points);
    on_a_new_one(databases::writes);
    on_a_new_one(refusals::failed_rows_across_tables);
    on_a_new_one(refusals::limits_of_names);
    on_a_new_one(databases::threads);
    on_a_new_one(transactions::across_tables);
    reentry::in_a_database(make());
    on_a_new_one(between::across_tables);
    on_a_new_one(transactions::threads_across_tables);
    on_a_new_one(bounds::of_a_database);
    on_a_new_one(bounds::waits_across_tables);
}
