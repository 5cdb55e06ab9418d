#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod cluster;
mod follow;
mod options;
mod reading;
mod servers;
mod timeline;

pub use self::cluster::Cluster;
pub use self::follow::{Follow, Latest};
pub use self::options::Options;
pub use self::reading::{Counts, Reading, RegionReading, ServerReading, ServerRun};
