//! Lines of watched clusters alone: a simulated one does not merge regions, and all of it is known.

use serde::{Deserialize, Serialize};

use super::Key;

/// The part of a region's counts in an interval that is known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Known {
    /// All of them.
    #[default]
    All,
    /// A part: its server was silent for a while, and the counts are an even part of what it told later; or what came
    /// before the region was closed, as for a split or a move, was told by nobody and is missing.
    Part,
    /// None of them: no server told of it. The counts are 0.
    None,
}

impl Known {
    pub(super) const fn is_all(&self) -> bool {
        matches!(self, Self::All)
    }

    /// The part that is known of two intervals together.
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::All, Self::All) => Self::All,
            (Self::None, Self::None) => Self::None,
            _ => Self::Part,
        }
    }
}

/// Regions that became one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Merge {
    /// The time at which it was seen, in milliseconds.
    pub t_ms: u64,
    /// The first key of the region that they became.
    pub start: Key,
    /// The first keys of the others.
    pub others: Vec<Key>,
}

/// A table that was dropped and created again, or truncated: all its regions are new.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Recreation {
    /// The time at which it was seen, in milliseconds.
    pub t_ms: u64,
}

/// A server that ended and began again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Restart {
    /// The time at which it was seen, in milliseconds.
    pub t_ms: u64,
    /// Its number.
    pub server: u32,
}

/// A time in which a server, or the master, did not answer, or the master did not tell of the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Silence {
    /// The last time at which it had answered, in milliseconds.
    pub t_ms: u64,
    /// The time at which it answered again; or the end of the run, up to which it did not.
    pub until_ms: u64,
    /// The number of the server; none of the master.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub server: Option<u32>,
}
