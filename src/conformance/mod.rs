//! The suite that a store's author runs on a backend of their own (feature `conformance`).
//!
//! ```
//! # use rowkey::Memory as MyDatabase;
//! rowkey::conformance::database(MyDatabase::new);
//! ```
//!
//! It panics at the first law that does not hold, with the law's name, what was done, what came and what should have
//! come. It asks for what [`Guarantees`](crate::store::Guarantees) declares and no more; what is not declared has to be
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

#[cfg(feature = "laws")]
#[doc(hidden)]
pub mod laws;
#[cfg(feature = "conformance")]
mod store;
#[cfg(feature = "conformance")]
mod wide;

#[cfg(feature = "conformance")]
pub use self::store::{database, store};
#[cfg(feature = "conformance")]
pub use self::wide::{wide, wide_database, wide_purge};
