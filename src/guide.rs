//! The guide: what to think of before the first row is written, and what to do when it was not enough.
//!
//! | page | for |
//! |---|---|
//! | [`choosing_a_key`] | from the questions to the fields, and their order |
//! | [`prefixes`] | asking: prefixes, ranges, pages |
//! | [`descending`] | newest first, and what else comes from the end |
//! | [`salting`] | keys that grow at one end, spread over buckets and read in one order |
//! | [`hashing`] | keys spread for good, for rows that are asked for one by one |
//! | [`wide_rows`] | families, versions, counters: what a row can have besides a value |
//! | [`on_disk`] | rows that outlive the process, and the machine |
//! | [`changing_a_key`] | what may change in place, what may not, and the way round |
//! | [`classics`] | what the books call it, what does it here, and the example |
//! | [`your_own_engine`] | a store of yours beneath the tables |
//! | [`from_the_hbase_shell`] | the same commands here, and whose bytes are the same |
//!
//! Every block of code in it is run by the tests.

#[doc = include_str!("guide/changing_a_key.md")]
pub mod changing_a_key {}

#[doc = include_str!("guide/choosing_a_key.md")]
pub mod choosing_a_key {}

#[doc = include_str!("guide/classics.md")]
pub mod classics {}

#[doc = include_str!("guide/descending.md")]
pub mod descending {}

#[doc = include_str!("guide/from_the_hbase_shell.md")]
pub mod from_the_hbase_shell {}

#[doc = include_str!("guide/hashing.md")]
pub mod hashing {}

#[doc = include_str!("guide/on_disk.md")]
pub mod on_disk {}

#[doc = include_str!("guide/prefixes.md")]
pub mod prefixes {}

#[doc = include_str!("guide/salting.md")]
pub mod salting {}

#[doc = include_str!("guide/your_own_engine.md")]
pub mod your_own_engine {}

#[doc = include_str!("guide/wide_rows.md")]
pub mod wide_rows {}
