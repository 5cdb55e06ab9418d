//! The conformance suite for authors of engines (feature `conformance`).
//!
//! ```
//! # use rowkey::Memory as MyDatabase;
//! rowkey::conformance::database(MyDatabase::new);
//! ```
//!
//! It panics at the first law that fails, and prints the law's name, the operation, the actual and the expected result.
//! It checks what [`Guarantees`](crate::store::Guarantees) declares and no more. An operation that is not declared must
//! be refused with [`Error::Unsupported`](crate::Error::Unsupported), not done in part. Random tests are deterministic:
//! the law `model` makes 4 random programs, or as many as the environment variable `ROWKEY_CONFORMANCE_SEEDS` says.
//!
//! Laws about concurrent callers do not rely on lucky timing. Callers continue until enough calls have begun while
//! another was running. In the body of a transaction, after its reads, another thread makes a competing call. A store
//! may block that call, or let it through and call the body again. A timeout breaks no law, so a slow store passes too.
//!
//! [`wide`] and [`wide_database`] check wide stores, and with the feature `async` [`async_database`] and
//! [`async_wide_database`] asynchronous ones; their laws are listed there. [`WideModel`] is the model that they
//! use, for random tests of your own. The laws of plain stores and
//! databases:
//!
//! | law | what it says |
//! |---|---|
//! | `read-your-writes` | after a write has returned, every read sees it |
//! | `sorted` | a scan's rows are in ascending order of their key bytes, without duplicates |
//! | `reverse` | a reverse scan's rows are in descending order |
//! | `no-end` | a range without an end runs to the end of the table |
//! | `no-range` | a scan of no range has no rows |
//! | `start-inclusive`, `end-exclusive` | a range contains its start and not its end |
//! | `point` | the range of one key contains that key, and not keys that begin with it |
//! | `every-range` | a scan has the rows of all its ranges: adjacent ones, empty ones, many |
//! | `long-bounds` | the bounds of a range, and a key to look up, may be longer than the maximum key length |
//! | `limit` | a scan has as many rows as its limit, if there are as many |
//! | `batch-rows` | a batch has at most as many rows as asked for; the scan's rows do not depend on it |
//! | `batch-bytes` | a batch ends with the row that reaches the bytes asked for, and has at least one row; the scan's rows do not depend on it |
//! | `batch-cleared` | rows that were in the batch before are removed |
//! | `ended` | a scan ends, and then returns empty batches |
//! | `skip-to` | after the hint, its key and all rows past it come, in order, each once; rows before it may come |
//! | `snapshot` | a scan reads the table as it was when the scan was opened (if declared) |
//! | `empty-key` | a write of the empty key is `EmptyKey` and changes nothing else; reading it returns `None` or `EmptyKey` |
//! | `empty-value` | an empty value is a value |
//! | `large-value` | a value of 64 KiB, or of the maximum length, is returned unchanged |
//! | `failed-rows` | of a batch with an invalid write nothing is written; or `Rows` names only that write, and the others are written |
//! | `limits` | a key, a value, a table's name of the declared length is accepted; one byte more is `TooLarge`, and changes nothing (values of up to 16 MiB) |
//! | `batch-order` | of two writes to a key in one batch the later wins |
//! | `delete` | a deleted row is not returned; deleting an absent row is not an error |
//! | `delete-ranges` | the rows in the ranges are deleted, all others stay |
//! | `get-many` | values are returned in the order of the keys, one for each |
//! | `increment` | an absent counter is 0, the sum wraps, the value is eight bytes, big-endian (if declared) |
//! | `not-a-counter` | a value of another length is refused, and not changed (if increments are declared) |
//! | `compare-and-write` | writes if the value is the expected one and not otherwise (if declared) |
//! | `transaction` | the body reads current data, and the batch it returns is written; if the body fails, or a key is empty, nothing is written (if declared) |
//! | `reentrant-write` | inside a transaction's body, or another closure of a write, each write to the database is `Reentrant`, without waiting, and changes nothing; the transaction continues |
//! | `body-reads` | inside the body, reads through other handles return the data from before the transaction |
//! | `body-panics` | if the body panics nothing is written, and the store stays usable (if transactions are declared) |
//! | `deadline` | a call after its handle's deadline is `DeadlineExceeded` and changes nothing, as is each batch of a scan; new options replace old ones; other handles are not affected |
//! | `cancel` | a call of a handle with a cancelled token is `Cancelled` and changes nothing; an open scan ends; a transaction cancelled in its body writes nothing |
//! | `waits-in-bounds` | calls that wait for the body of another transaction end by their timeout and by their token (if transactions are declared) |
//! | `same-id` | an id does not change; a table's id is its database's id and its name |
//! | `unsupported` | what is not declared is refused |
//! | `model` | after any writes every scan and get returns what a sorted map would |
//! | `lost-increment`, `lost-update` | no concurrent increment, no concurrent compare-and-write is lost (if declared) |
//! | `lost-transaction` | rows and ranges that a transaction read are not written by others before it has written (if declared) |
//! | `whole-batch` | no scan reads part of a batch (if batches are atomic and scans are snapshots) |
//! | `one-table` | handles of one name are one table |
//! | `isolated` | no table returns, or deletes, the rows of another, whatever their names |
//! | `tables` | tables are listed, sorted, once they are opened |
//! | `open-absent` | opening a table that does not exist is `NoSuchTable` and does not create it; an existing one is opened as it is |
//! | `create-existing` | creating a table that exists is `TableExists` and does not change it |
//! | `create-once` | of several threads that create one table at once, one succeeds |
//! | `create-refused` | split points that are empty, unsorted or repeated, and unknown options, are refused before anything is created |
//! | `split-points` | a table is split where it was asked to be (if declared); its rows are read as those of any other table |
//! | `drop-table` | a dropped table and its rows are gone, and no other |
//! | `write-makes-tables` | a write across tables creates those that do not exist |
//! | `batch-across-tables` | a batch across tables is atomic (if declared) |
//! | `transaction-across-tables` | views come in the order of the names, and twice for a table named twice; all tables are written or none, and no other transaction reads a part (if declared) |

// With `laws` alone, what the documentation names is not there.
#![cfg_attr(not(feature = "conformance"), allow(rustdoc::broken_intra_doc_links))]

#[cfg(feature = "laws")]
#[doc(hidden)]
pub mod laws;
#[cfg(all(feature = "conformance", feature = "async"))]
mod nonblocking;
#[cfg(feature = "conformance")]
mod store;
#[cfg(feature = "conformance")]
mod wide;

/// The seeds of the law `model`.
#[cfg(feature = "conformance")]
fn seeds() -> std::ops::Range<u64> {
    let count = std::env::var("ROWKEY_CONFORMANCE_SEEDS").ok().and_then(|count| count.parse().ok());
    0..count.unwrap_or(4)
}

#[cfg(all(feature = "conformance", feature = "async"))]
pub use self::nonblocking::{async_database, async_wide_database};
#[cfg(feature = "conformance")]
pub use self::store::{database, store};
#[cfg(feature = "conformance")]
pub use self::wide::{ModelCell, WideModel, wide, wide_database, wide_purge};
