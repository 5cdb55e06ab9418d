//! Events: rows that are written, deleted and read.

/// A row that is written, deleted or read, or as many as it stands for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Event<'e> {
    /// The time, in milliseconds since the first.
    pub t_ms: u64,
    /// The number of its call: events with the number of the event before come in the same batch.
    pub batch: u64,
    /// The operation.
    pub op: Op<'e>,
    /// The row key; of a scan its first.
    pub key: &'e [u8],
    /// The bytes that are written beside the key and the 20 bytes of a cell: the value; with several cells, what each
    /// has more.
    pub bytes: u64,
    /// The number of rows that it stands for: more than one where a sample stands for all.
    pub weight: u64,
}

/// An operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Op<'e> {
    /// A row is written.
    Put,
    /// A row is deleted.
    Delete,
    /// A row is read by its key.
    Get,
    /// The rows from the key to before this one are read, so many at most.
    Scan {
        /// The first key that is not read; none: to the end.
        end: Option<&'e [u8]>,
        /// The most rows.
        limit: Option<u64>,
        /// True if it begins with the last of them, and the key is that of the last it may come to.
        reverse: bool,
        /// The rows that it finds by the statistics, where there are too few of them for a sample to tell: it finds
        /// neither more nor less, and stops with them.
        few: Option<u64>,
        /// The rows that there can be by the statistics.
        most: Option<Most>,
    },
}

/// The rows of a range by the statistics, where one row may be written again and again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Most {
    /// The keys that it can have: if more is found, it is versions of rows.
    pub keys: u64,
    /// The rows that it has then.
    pub rows: u64,
}

/// The bytes that puts have, in all their cells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Written {
    /// Those of keys.
    pub(crate) keys: u64,
    /// All of them.
    pub(crate) all: u64,
}

impl Written {
    /// The part that is keys; none if nothing was put.
    pub(crate) fn part_of_keys(self) -> Option<f64> {
        (self.all > 0).then(|| self.keys as f64 / self.all as f64)
    }
}
