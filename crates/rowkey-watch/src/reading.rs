//! Readings: what the servers of a table counted until one moment.

use rowkey_simulate::run::Key;

/// The regions of a table at one moment. They lie side by side, from the first key to the last.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reading {
    /// The time since the first reading, in milliseconds.
    pub t_ms: u64,
    /// The regions, in the order of their keys.
    pub regions: Vec<RegionReading>,
    /// The servers of the cluster, as far as the master tells of them.
    pub servers: Vec<ServerReading>,
    /// True if no master answered.
    pub is_master_silent: bool,
}

/// A server at one moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerReading {
    /// The server.
    pub run: ServerRun,
    /// True if it did not answer in time.
    pub is_silent: bool,
}

/// A region at one moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RegionReading {
    /// The first key.
    pub start: Key,
    /// The region's number: a region that replaces others has a greater one.
    pub id: u64,
    /// The number of its last opening at a server: a later one is greater. None if it is not known.
    pub opening: Option<i64>,
    /// The time from the reading's to that of its counts, in milliseconds: a server may be slow to tell.
    pub late_ms: u64,
    /// The server that told of the region, and its counts; none if no server did.
    pub counts: Option<(ServerRun, Counts)>,
}

/// One run of a region server, from its start to its end.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ServerRun {
    /// The host and the port.
    pub address: String,
    /// The time of its start, in Unix milliseconds.
    pub start_code: u64,
}

/// The counts of a region since its server opened it, and its sizes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// The mutations made.
    pub writes: u64,
    /// The rows read, deleted and filtered ones too.
    pub reads: u64,
    /// The bytes of its files and its memstore.
    pub bytes: u64,
    /// The number of its files.
    pub files: u32,
}
