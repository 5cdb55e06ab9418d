//! Work on many rows: jobs that can be stopped and resumed, parallel scans, bulk loads.
//!
//! A [`Job`] goes over the rows of tables in batches: it verifies or rebuilds an index, copies, verifies or repairs a
//! migration, or purges dead cells. It reports what it has done, and resumes from a [`Checkpoint`].
//!
//! [`ParallelScan`] reads ranges with several threads, in order or interleaved; the ranges are those of
//! [`Splits`](crate::splits::Splits) or any others. [`BulkLoad`] writes in batches with several threads. Both buffer a
//! few batches per thread, can be stopped, and join all their threads when they end or are dropped.
//!
//! ```
//! use rowkey::jobs::{BulkLoad, ParallelScan};
//! use rowkey::splits::{Splits, Weight};
//! use rowkey::store::Database;
//! use rowkey::{KeyRange, Memory};
//!
//! let store = Memory::new().table("squares")?;
//! let squares = (0..10_000u32).map(|n| Ok((n.to_be_bytes(), (n * n).to_be_bytes())));
//! assert_eq!(BulkLoad::to_store(&store).threads(2).run(squares)?.writes, 10_000);
//!
//! let splits = Splits::from_store(8, &store, &KeyRange::all(), Weight::Rows)?;
//! let mut scan = ParallelScan::rows(store, splits.ranges()).threads(2).start();
//! let rows: usize = scan.by_ref().map(|batch| batch.map(|batch| batch.len())).sum::<Result<_, _>>()?;
//! assert_eq!((rows, scan.progress().ranges_done), (10_000, 8));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod load;
mod scan;
mod typed;

pub use self::load::{BulkLoad, LoadError, Loaded};
pub use self::scan::{ParallelIter, ParallelScan, Scanned};
pub use super::job::{Checkpoint, Difference, DifferenceKind, Job, Progress, Report};
