//! Work on many rows by several threads: scans over split points, bulk loads.
//!
//! [`ParallelScan`] reads ranges side by side, in their order or as they come; the ranges are [`Splits`](crate::splits::Splits)'
//! or any others. [`BulkLoad`] writes in batches. Neither holds more than a few batches a thread, both can be stopped, and where they end,
//! by themselves or not, no thread of theirs is left.
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
