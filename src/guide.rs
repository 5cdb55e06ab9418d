//! The guide: how to design a key, and what to do when it has to change.
//!
//! | page | topic |
//! |---|---|
//! | [`choosing_a_key`] | from the queries to the fields and their order |
//! | [`prefixes`] | queries: prefixes, ranges, pages |
//! | [`descending`] | newest first |
//! | [`salting`] | spread keys that grow at one end, and still scan them in order |
//! | [`hashing`] | spread rows that are read one at a time |
//! | [`wide_rows`] | families, columns, versions, counters |
//! | `in_async_code` (features `unblock` and `tokio`) | an embedded engine in a service, a network engine in synchronous code; how long a call may block |
//! | [`in_hbase`] | keep rows in HBase: a first server, a first program, the case studies there |
//! | [`on_disk`] | keep rows on disk: durability, backups, errors |
//! | [`errors`] | what an error says was written, and what may be repeated |
//! | [`your_table_is_there_already`] | read a table that another program keeps |
//! | [`changing_a_key`] | which changes are safe, and how to migrate for the others |
//! | [`your_own_engine`] | write an engine, step by step |
//! | `your_own_async_engine` (features `async` and `memory`) | write the client of a server, a whole one |
//! | [`classics`] | the ideas of the HBase literature, and a study of each |
//! | [`from_the_hbase_shell`] | shell commands, Java calls and their counterparts |
//! | [`mod@format`] | every byte of a key |
//!
//! The tests run every block of code in the guide.
#![cfg(feature = "tables")]

#[doc = include_str!("guide/changing_a_key.md")]
pub mod changing_a_key {}

#[doc = include_str!("guide/choosing_a_key.md")]
pub mod choosing_a_key {}

#[doc = include_str!("guide/classics.md")]
pub mod classics {}

#[doc = include_str!("guide/descending.md")]
pub mod descending {}

#[doc = include_str!("guide/errors.md")]
pub mod errors {}

#[doc = include_str!("../FORMAT.md")]
pub mod format {}

#[doc = include_str!("guide/from_the_hbase_shell.md")]
pub mod from_the_hbase_shell {}

#[doc = include_str!("guide/hashing.md")]
pub mod hashing {}

#[cfg(all(feature = "unblock", feature = "tokio"))]
#[doc = include_str!("guide/in_async_code.md")]
pub mod in_async_code {}

#[doc = include_str!("guide/in_hbase.md")]
pub mod in_hbase {}

#[doc = include_str!("guide/on_disk.md")]
pub mod on_disk {}

#[doc = include_str!("guide/prefixes.md")]
pub mod prefixes {}

#[doc = include_str!("guide/salting.md")]
pub mod salting {}

#[doc = include_str!("guide/wide_rows.md")]
pub mod wide_rows {}

#[cfg(all(feature = "async", feature = "memory"))]
#[doc = include_str!("guide/your_own_async_engine.md")]
pub mod your_own_async_engine {}

#[doc = include_str!("guide/your_own_engine.md")]
pub mod your_own_engine {}

#[doc = include_str!("guide/your_table_is_there_already.md")]
pub mod your_table_is_there_already {}
