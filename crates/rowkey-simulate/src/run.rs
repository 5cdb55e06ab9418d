//! A run: what a cluster did with a load, as lines of JSON, each an object with its `kind`.
//!
//! Simulated and recorded runs have the same lines, so that one can be held against the other: first the
//! [`Settings`]; then, in the order of `t_ms`, each [`Batch`] (a recording alone), [`Split`], [`Move`] and
//! [`Interval`]. A watched cluster also has each [`Merge`], [`Recreation`], [`Restart`] and [`Silence`]. `run.schema.json` of this crate
//! is the schema.

mod answer;
mod defaults;
mod timed;
mod watched;

use std::fmt;
use std::io::{self, BufRead, Write};

use data_encoding::HEXLOWER_PERMISSIVE;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

pub use self::answer::{AllTables, Answer, Bars, HotRegion, QueryAnswer, Regions, Saturation};
pub(crate) use self::timed::timed;
pub use self::watched::{Known, Merge, Recreation, Restart, Silence};

/// A line of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Line {
    /// The first line.
    Settings(Box<Settings>),
    /// Rows that were written by one call.
    Batch(Batch),
    /// A region that was split.
    Split(Split),
    /// A region that went to another server.
    Move(Move),
    /// Regions that became one.
    Merge(Merge),
    /// A table that was created anew.
    Recreation(Recreation),
    /// A server that began again.
    Restart(Restart),
    /// A time in which a server, or the master, did not answer.
    Silence(Silence),
    /// The regions at the end of an interval.
    Interval(Interval),
    /// The answers of a simulation: the last line of a table.
    Answer(Box<Answer>),
    /// The load of several tables together: the last line of all.
    AllTables(AllTables),
}

/// The cluster and the table of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// The version of these lines: 1.
    pub format: u32,
    /// The engine and its version, such as `hbase 2.6.4`; `simulated` of a simulated one.
    pub engine: String,
    /// The load in words, such as `sequential, steady`.
    pub load: String,
    /// The number of region servers.
    pub servers: u32,
    /// The size at which a region is split, in bytes: `MAX_FILESIZE` of the table or `hbase.hregion.max.filesize`.
    pub max_filesize: u64,
    /// The size of a memstore at which it is flushed, in bytes of heap: `hbase.hregion.memstore.flush.size`.
    pub flush_size: u64,
    /// The split policy.
    pub split_policy: SplitPolicy,
    /// The part of `max_filesize` by which it differs from region to region: `hbase.hregion.max.filesize.jitter`.
    pub jitter: f64,
    /// The period of the balancer in milliseconds; none if it is off.
    pub balancer_ms: Option<u64>,
    /// The period in which files that were compacted are let go, in milliseconds:
    /// `hbase.hfile.compaction.discharger.interval`. A daughter cannot split while it has files of its parent.
    pub discharger_ms: u64,
    /// The size below which files are always compacted, in bytes: `hbase.hstore.compaction.min.size`.
    pub compaction_min_size: u64,
    /// The size of a block of a file, in bytes.
    pub block_size: u64,
    /// The split points that the table was created with.
    pub splits: Vec<Key>,
    /// The rows written a second.
    pub rows_per_second: f64,
    /// The length of an interval in milliseconds.
    pub interval_ms: u64,
    /// The rows that each event of a simulated load stands for, where it is more than one: the rows of an interval are
    /// as near as those of a sample.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub rows_per_event: Option<u64>,
    /// The hosts and ports of the servers, by number, where they have any.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub server_names: Vec<String>,
    /// The keys of the batches, where these have none of their own: see [`Batch::rows`].
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub keys: Option<Generated>,
    /// The file with the keys of the batches, where it is one that several runs share: see [`Batch::rows`].
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub key_file: Option<KeyFile>,
}

/// A file of keys of one length, in the folder of the run: for each place in a key a line, with that byte of every key
/// in hex. Compressed, which it is if its name ends in `.gz`, it is a quarter of the size of one with a line a key.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KeyFile {
    /// The name of the file.
    pub name: String,
    /// The number of rows.
    pub rows: u64,
    /// The digest of all keys, as in [`Generated::digest`].
    pub digest: String,
}

/// Keys that are made rather than kept: those of a design with a seed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Generated {
    /// The design, as TOML.
    pub design: String,
    /// The seed.
    pub seed: u64,
    /// The number of rows.
    pub rows: u64,
    /// XXH3 of all keys, each after its length in four bytes, big-endian: another generator would give another.
    pub digest: String,
}

/// A split policy, by the last part of its class in HBase.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SplitPolicy {
    /// `SteppingSplitPolicy`, the default of HBase 2.
    Stepping,
    /// `IncreasingToUpperBoundRegionSplitPolicy`.
    Increasing,
    /// `ConstantSizeRegionSplitPolicy`.
    Constant,
    /// `DisabledRegionSplitPolicy`.
    Disabled,
}

/// Rows that one call wrote.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Batch {
    /// The time at which the call was answered, since the first, in milliseconds.
    pub t_ms: u64,
    /// The keys.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub keys: Vec<Key>,
    /// The number of rows, where they are the next of [`Settings::keys`] or [`Settings::key_file`].
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub rows: Option<u64>,
    /// The bytes of the value of each row.
    pub bytes: u64,
}

/// A region that was split.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Split {
    /// The time at which it was decided, in milliseconds.
    pub t_ms: u64,
    /// The region's first key.
    pub start: Key,
    /// The split point: the first key of the upper daughter.
    pub at: Key,
    /// The region's files at the decision, where they are known, the oldest first.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub files: Vec<StoreFile>,
}

/// A file of a region.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StoreFile {
    /// Its size on disk.
    pub bytes: u64,
    /// Its first key and its last.
    pub first: Key,
    /// Its last key.
    pub last: Key,
    /// The first keys of its blocks, as its index has them: the shortest that separate each from the block before.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub blocks: Vec<Key>,
    /// True if it is half of a file of the parent: such a region can't be split.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub is_reference: bool,
}

/// A region that went to another server.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Move {
    /// The time, in milliseconds.
    pub t_ms: u64,
    /// The region's first key.
    pub start: Key,
    /// The number of the server that had it.
    pub from: u32,
    /// The number of the server that has it.
    pub to: u32,
}

/// The regions at the end of an interval.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Interval {
    /// The end of the interval, in milliseconds.
    pub t_ms: u64,
    /// The regions, in the order of their keys.
    pub regions: Vec<Region>,
    /// The servers, by number.
    pub servers: Vec<Server>,
}

/// A region at the end of an interval.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Region {
    /// The first key.
    pub start: Key,
    /// The number of its server.
    pub server: u32,
    /// The rows in it; 0 in a watched cluster, whose servers do not tell it.
    pub rows: u64,
    /// The writes in the interval, as those of [`Server`].
    pub rows_this_interval: u64,
    /// The reads in the interval, as those of [`Server`].
    #[serde(skip_serializing_if = "is_zero", default)]
    pub reads_this_interval: u64,
    /// The bytes of its files.
    pub bytes: u64,
    /// The number of its files.
    pub files: u32,
    /// The part of its counts that is known.
    #[serde(skip_serializing_if = "Known::is_all", default)]
    pub known: Known,
}

fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// A server in an interval: what it wrote and read.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Server {
    /// The writes, in the unit in which the design says what a server takes: rows; of DynamoDB, write units.
    pub writes: u64,
    /// The reads, in the unit in which the design says what a server takes: a row by its key, or the start of a range
    /// in a region, is one, and each row after the first a hundredth; of DynamoDB, read units. Cut to whole ones.
    pub reads: u64,
    /// The rows that were read, as HBase counts read requests: deleted ones, which it passes over, count too.
    #[serde(skip_serializing_if = "is_zero", default)]
    pub rows_read: u64,
}

impl Server {
    pub(crate) const fn add(&mut self, more: &Self) {
        self.writes = self.writes.saturating_add(more.writes);
        self.reads = self.reads.saturating_add(more.reads);
        self.rows_read = self.rows_read.saturating_add(more.rows_read);
    }

    pub(crate) const fn since(&self, before: &Self) -> Self {
        Self {
            writes: self.writes - before.writes,
            reads: self.reads - before.reads,
            rows_read: self.rows_read - before.rows_read,
        }
    }
}

/// A row key, in hex as text.
#[derive(Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key(pub Vec<u8>);

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", data_encoding::HEXLOWER.encode(&self.0))
    }
}

impl Serialize for Key {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&data_encoding::HEXLOWER.encode_display(&self.0))
    }
}

impl<'de> Deserialize<'de> for Key {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<str>::deserialize(deserializer)?;
        HEXLOWER_PERMISSIVE.decode(text.as_bytes()).map(Self).map_err(serde::de::Error::custom)
    }
}

/// A line that can't be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// It is no line of a run.
    #[error("line {line}: {reason}")]
    Line {
        /// Its number, from 1.
        line: u64,
        /// The reason, with the column.
        reason: String,
    },
    /// The reader failed.
    #[error("line {line} cannot be read: {error}")]
    Read {
        /// Its number, from 1.
        line: u64,
        /// The fault.
        error: io::Error,
    },
}

/// Reads the lines of a run, one by one; empty ones are left out.
pub fn read(reader: impl BufRead) -> impl Iterator<Item = Result<Line, RunError>> {
    read_numbered(reader).map(|line| line.map(|(_, line)| line))
}

/// Reads the lines of a run, each with its number from 1; empty ones are left out.
pub(crate) fn read_numbered(reader: impl BufRead) -> impl Iterator<Item = Result<(u64, Line), RunError>> {
    (1..).zip(reader.lines()).filter_map(|(line, text)| {
        let text = match text {
            Ok(text) if text.trim().is_empty() => return None,
            Ok(text) => text,
            Err(error) => return Some(Err(RunError::Read { line, error })),
        };
        let read = serde_json::from_str(&text).map_err(|error| RunError::Line { line, reason: error.to_string() });
        Some(read.map(|text| (line, text)))
    })
}

/// Writes a line.
///
/// # Errors
///
/// Of the writer.
pub fn write(mut writer: impl Write, line: &Line) -> io::Result<()> {
    serde_json::to_writer(&mut writer, line)?;
    writer.write_all(b"\n")
}
