//! Where things are: the active master, `hbase:meta`, and regions.

pub(crate) mod regions;
pub(crate) mod registry;
mod zookeeper;
