#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod cluster;
mod follow;
mod reading;

pub use self::cluster::Cluster;
pub use self::follow::{Follow, Merge};
pub use self::reading::{Counts, Reading, RegionReading, ServerRun};
