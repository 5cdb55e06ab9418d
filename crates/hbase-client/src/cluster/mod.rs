//! Locations in the cluster: of the active master, of `hbase:meta`, and of regions.

pub(crate) mod regions;
pub(crate) mod registry;
mod zookeeper;
