//! Stores and databases: the bundled ones, merges of scans, writes that fail in part, bounds of calls, writes within
//! writes.

mod batch_merge;
mod bounds;
mod conforming;
mod failed_rows;
mod merge;
mod merge_case;
mod reentry;
mod walk;
