//! The answers of a simulation.

use serde::{Deserialize, Serialize};

use super::Key;

/// The answer of a simulation about a table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Answer {
    /// The table, or secondary table.
    pub table: String,
    /// The answer in a sentence.
    pub sentence: String,
    /// The rules of `check` that the sentence quotes, by id, in its order.
    pub rules: Vec<String>,
    /// The first server that saturates, by writes or by reads; by both, by what lasts or lasts longer. None if none does.
    pub saturates: Option<Saturation>,
    /// The first server that saturates by the other of both.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub saturates_too: Option<Saturation>,
    /// The questions that `check` does not judge, as the design does not say what it takes: each with what to say.
    pub unjudged: Vec<String>,
    /// The writes a second, over all servers: on average. They are counted in `write_unit`.
    pub writes: f64,
    /// The part of the time of which the counts of a watched table's regions are known: its rates are those of that
    /// part. None where it is all, and of regions of which no server ever told.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub known: Option<f64>,
    /// The unit of writes, in which the design says what a server takes.
    pub write_unit: String,
    /// The reads a second, over all servers: on average. They are counted in `read_unit`.
    pub reads: f64,
    /// The unit of reads, in which the design says what a server takes.
    pub read_unit: String,
    /// The rows read a second, over all servers: on average. Those that are deleted count while they are passed over.
    pub rows_read: f64,
    /// The writes a second that the servers take before the first of them saturates: where the load goes to other regions
    /// from time to time, at the time at which a server is asked for most. None where one server takes all, or nothing is
    /// written.
    pub sustained: Option<Bars>,
    /// The writes a second that they take at first, before regions are split and moved, where it is less.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub sustained_at_first: Option<f64>,
    /// The reads a second that the servers take before the first of them saturates. None where it is not known what one
    /// takes,
    /// or nothing is read.
    pub sustained_reads: Option<Bars>,
    /// The part of the writes that the busiest server has in an interval, or at a moment where it is another one at others:
    /// the median of the second half of those with any.
    pub busiest_server: Bars,
    /// The part of the reads that are on the busiest server, in the same way; none if nothing is read.
    pub busiest_reader: Option<Bars>,
    /// The part of the writes that the hottest region has in an interval, or at a moment where it is another one at others:
    /// the median of the second half of those with any.
    pub hottest_region: Bars,
    /// The part of the reads that the hottest region has, in the same way; none if nothing is read.
    pub hottest_reader: Option<Bars>,
    /// The region that is written most; none if nothing is written.
    pub hottest_written: Option<HotRegion>,
    /// The region that is read most; none if nothing is read.
    pub hottest_read: Option<HotRegion>,
    /// Gini's coefficient of the writes of regions, or where nothing is written of their reads, from 0, even, to 1: the
    /// median of the
    /// second half of those with any.
    pub gini: f64,
    /// The regions at the end.
    pub regions: Regions,
    /// The part of a stored row's bytes that are its row key, in each of its cells. None of a watched table of which the design
    /// says no sizes of values.
    pub keys: Option<f64>,
    /// The part of the bytes that puts write that are row keys: of the design, or of a trace or log; none if there are no
    /// puts, and as of `keys`.
    pub keys_written: Option<f64>,
    /// The hours that all servers run.
    pub node_hours: f64,
    /// The part of these hours in which they write and read, at the rates that they take. None where these are not
    /// known.
    pub used: Option<f64>,
    /// The queries.
    pub queries: Vec<QueryAnswer>,
    /// The assumptions, where the design says nothing.
    pub assumed: Vec<String>,
    /// The restarts and silences of servers while a table was watched, and its recreations, in words.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub seen: Vec<String>,
}

/// The load of all tables of a cluster together, each of which is simulated alone.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AllTables {
    /// The answer in a sentence.
    pub sentence: String,
    /// True if the servers are asked for more than they take.
    pub saturates: bool,
    /// The greatest part of the writes that all servers take which is asked for at one time.
    pub writes: f64,
    /// The same of reads; 0 where it is not known what a server takes.
    pub reads: f64,
}

/// A number, and the least and the greatest of other seeds and of values that are somewhat more and less uneven.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bars {
    /// Of the run itself.
    pub of_run: f64,
    /// The least.
    pub least: f64,
    /// The greatest.
    pub greatest: f64,
}

/// The hottest region, in an interval in which it has its median part, by as many as the load is the same in.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HotRegion {
    /// Its first key.
    pub start: Key,
    /// Its first key as people read it: the fields that it has.
    pub label: String,
    /// The first key that is not in it; none of the last region.
    pub end: Option<Key>,
    /// That key as people read it.
    pub end_label: Option<String>,
    /// The number of its server.
    pub server: u32,
    /// The host and port of its server, where it has any.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub server_name: Option<String>,
    /// Its part of the writes, or of the reads.
    pub share: f64,
    /// The end of the last of them, in milliseconds.
    pub t_ms: u64,
}

/// A server that is asked for more than it takes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Saturation {
    /// True of reads, false of writes.
    pub reads: bool,
    /// Its number.
    pub server: u32,
    /// The end of the first step, or interval, in which it is, in milliseconds.
    pub t_ms: u64,
    /// The length of that step, or interval: it may be so much sooner.
    pub step_ms: u64,
    /// True if it passes: after the first tenth of the time with a load none is, or none at the end; and the load goes to
    /// no other regions, which saturate one again.
    pub passes: bool,
    /// The part of the time in which some server is.
    pub part: f64,
    /// The most writes, or reads, a second that a server is asked for, in the answer's unit of them.
    pub asked: f64,
    /// Those that it takes.
    pub takes: f64,
}

/// The regions of a table; of an engine that is not simulated, ranges of its keys.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Regions {
    /// Their number.
    pub count: u64,
    /// True if they are ranges between split points, and not what the engine makes of a table.
    pub are_ranges: bool,
    /// Those without a row.
    pub empty: u64,
    /// Those of a watched table of which nothing is known, as no server told of them in the whole run.
    #[serde(skip_serializing_if = "is_zero", default)]
    pub unknown: u64,
    /// The bytes of the files of the middle one.
    pub median_bytes: u64,
    /// The bytes of the files of the largest.
    pub most_bytes: u64,
}

const fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// A query, by the costs that `check` counts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct QueryAnswer {
    /// Its name.
    pub query: String,
    /// The rows that it reads for each that it returns; none if that is not known.
    pub read_per_returned: Option<f64>,
    /// True if it passes over deleted rows too, which are not counted: a queue's.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub passes_deleted: bool,
    /// The ranges that it seeks.
    pub seeks: u64,
    /// The servers that it asks at most; none if that is not known.
    pub servers: Option<f64>,
}
