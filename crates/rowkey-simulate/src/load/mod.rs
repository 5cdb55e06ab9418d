//! The load: events in the order of time, from a design's statistics, from a trace, or from a log of keys.
//!
//! [`Drawn`] draws rows by the statistics that `check` counts with, and encodes their keys by the table's own layout:
//! the k-th row is made from its number, so that later reads and deletes are of rows that were written. [`Trace`] reads
//! what a program did, line by line. [`Log`] takes the keys of a file, and their times from the keys themselves.
//!
//! The same seed gives the same events on any machine. Ranks of Zipf's distribution are looked up in a table of 64-bit
//! whole numbers: shares are powers by `libm`, which is arithmetic alone, and are rounded down to whole numbers once.
//! Numbers that look random are whole ones, by the finalizer of SplitMix64. Times come by sums, products and square
//! roots, whose bits IEEE 754 says.

mod ahead;
mod clock;
mod columns;
mod counted;
mod csv_ends;
mod csv_lines;
mod drawn;
mod generated;
mod json_line;
mod line;
mod log;
mod made;
mod options;
mod pace;
mod portion;
mod puts;
mod reads;
mod sampled;
mod stored;
mod told;
mod trace;
mod turns;

use std::io;
use std::ops::ControlFlow;

use rowkey_design::internal::sample::SampleError;

pub use self::ahead::Ahead;
pub(crate) use self::counted::scale;
pub use self::drawn::Drawn;
pub use self::log::Log;
pub use self::options::Options;
pub(crate) use self::pace::Pace;
pub use self::sampled::{MOST_EVENTS, Sampled};
pub use self::stored::Stored;
pub use self::trace::Trace;
use crate::event::Event;

/// A source of events, in the order of time.
pub trait Load {
    /// Gives each event to `sink`, until it breaks.
    ///
    /// # Errors
    /// A line that is no event, a reader that fails, values that are no key. Events before it were given.
    fn events(&mut self, sink: &mut dyn FnMut(Event<'_>) -> ControlFlow<()>) -> Result<(), LoadError>;
}

/// The reason why there are no events, or no more.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LoadError {
    /// The design has no such table.
    #[error("the design has no table {0:?}")]
    NoTable(String),
    /// A text is no design.
    #[error("{0}")]
    Design(String),
    /// The keys that are made are others than those that were recorded.
    #[error("the keys have the digest {found}, not {said}: another version made them")]
    Other {
        /// The digest of the keys.
        found: String,
        /// That which is recorded.
        said: String,
    },
    /// Values that are drawn are not of the key.
    #[error("values that are drawn by the statistics are no key: {0}")]
    Values(#[from] rowkey::ValueError),
    /// A line is no event.
    #[error("line {line}, {place}: {reason}")]
    Line {
        /// Its number, from 1.
        line: u64,
        /// The place in it: a column.
        place: String,
        /// The text that was found there, and what was expected.
        reason: String,
    },
    /// The reader failed.
    #[error("line {line}: {error}")]
    Read {
        /// The line that was read, from 1.
        line: u64,
        /// The fault.
        error: io::Error,
    },
    /// The queries of a table have more ranges than can be simulated.
    #[error(
        "the queries of the table have {ranges} ranges together, of which {most} can be simulated: ask for fewer \
             values, parts or salt buckets, or leave queries out"
    )]
    TooManyRanges {
        /// Their number.
        ranges: u64,
        /// The most.
        most: u64,
    },
    /// There is nothing to simulate.
    #[error("{0}")]
    NoEvents(String),
}

impl From<SampleError> for LoadError {
    fn from(error: SampleError) -> Self {
        match error {
            SampleError::Io { line, error } => Self::Read { line, error },
            SampleError::Form { line, reason } => line::wrong(line, "the key", reason),
            SampleError::Long { line, .. } => line::too_long(line),
            other => Self::NoEvents(other.to_string()),
        }
    }
}
