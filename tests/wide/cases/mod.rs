//! The files of cases beside this one: what a wide-row store is asked, and what it answered. The headers of
//! `hbase.cases`, `hbase_more.cases` and `bigtable.cases` tell the grammar. Everything here prints as a file has it.

mod parse;
mod print;

use std::ops::Bound;

pub(crate) use parse::parse;

/// One case, which has a table of its own.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Case {
    pub(crate) name: String,
    pub(crate) families: Vec<Family>,
    pub(crate) steps: Vec<Asked>,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Family {
    pub(crate) name: Vec<u8>,
    pub(crate) versions: u32,
    pub(crate) min_versions: u32,
    /// In seconds.
    pub(crate) ttl: Option<u64>,
}

/// A step, the number of its line, and what was answered.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Asked {
    pub(crate) line: usize,
    pub(crate) step: Step,
    pub(crate) answer: Answer,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Step {
    /// All at once; a single put or delete too.
    Mutate {
        row: Vec<u8>,
        mutations: Vec<Mutation>,
    },
    /// Mutates if the newest cell of the column does as `Test` says.
    Check {
        row: Vec<u8>,
        column: Column,
        test: Test,
        mutations: Vec<Mutation>,
    },
    Increment {
        row: Vec<u8>,
        amounts: Vec<(Column, i64)>,
    },
    Get {
        row: Vec<u8>,
        read: Read,
    },
    Exists {
        row: Vec<u8>,
        read: Read,
    },
    Scan {
        span: Span,
        read: Read,
        /// Written, each in a call of its own, when the first row was read.
        meanwhile: Vec<Written>,
    },
    /// One call. Neighbours that write to one row are one mutation.
    Batch(Vec<Written>),
    /// Each in a call of its own, all in one millisecond.
    WithinMs(Vec<Written>),
    /// How far the clock of who asks is ahead, in milliseconds.
    Clock(i64),
    /// The rows with which the table's regions begin.
    Split(Vec<Vec<u8>>),
    Flush,
    MajorCompact,
}

/// A row, and what is written to it.
pub(crate) type Written = (Vec<u8>, Mutation);

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Mutation {
    Put { column: Column, at: Time, value: Vec<u8> },
    DeleteLatest { column: Column },
    DeleteVersion { column: Column, at: Time },
    DeleteColumn { column: Column, at: Time },
    DeleteFamily { family: Vec<u8>, at: Time },
    DeleteRow { at: Time },
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Test {
    Absent,
    /// The cell stands to the left of the operator.
    Value(Op, Vec<u8>),
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Op {
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

/// What a get or a scan wants of each row. No families and no columns are all of them.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Read {
    pub(crate) families: Vec<Vec<u8>>,
    pub(crate) columns: Vec<Column>,
    pub(crate) versions: Option<i64>,
    /// The first is included, the second is not.
    pub(crate) time: Option<(Time, Time)>,
    pub(crate) store_offset: Option<i64>,
    pub(crate) store_limit: Option<i64>,
    /// In the order in which they are asked.
    pub(crate) filters: Vec<Filter>,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Filter {
    /// The column's qualifier is the prefix; its family is read, as if `families` had it.
    Prefix(Column),
    /// From the column, included, to the qualifier, not included; an empty one is no bound. The family as above.
    Range(Column, Vec<u8>),
    Value(Op, Vec<u8>),
    Where {
        column: Column,
        op: Op,
        value: Vec<u8>,
        missing: bool,
        all_versions: bool,
    },
    FirstKeyOnly,
    Page {
        offset: i64,
        limit: i64,
    },
}

/// Which rows a scan reads. In reverse, `start` is the upper end.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Span {
    pub(crate) start: Bound<Vec<u8>>,
    pub(crate) stop: Bound<Vec<u8>>,
    pub(crate) reverse: bool,
    pub(crate) limit: Option<i64>,
    pub(crate) batch: Option<i64>,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Answer {
    /// A write went through.
    Done,
    /// No cell, no row.
    Nothing,
    Cells(Vec<Cell>),
    /// Batches of one row follow each other under its name.
    Rows(Vec<(Vec<u8>, Vec<Cell>)>),
    Counters(Vec<(Column, i64)>),
    Truth(bool),
    /// Of each mutation of a batch, in order: its row, and its error if it was refused.
    Each(Vec<(Vec<u8>, Option<Refusal>)>),
    Error(Refusal),
    /// It can't be asked there; why.
    Unsupported(String),
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Refusal {
    pub(crate) kind: String,
    pub(crate) message: String,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Cell {
    pub(crate) column: Column,
    pub(crate) at: Time,
    pub(crate) value: Vec<u8>,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Column {
    pub(crate) family: Vec<u8>,
    pub(crate) qualifier: Vec<u8>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Time {
    /// The clock of who writes.
    Server,
    /// In milliseconds.
    At(i64),
    /// In milliseconds from when the case began.
    Now(i64),
    /// In microseconds.
    Micros(i64),
    /// The clock of who asks, once it was put ahead.
    Clock,
}

/// What is wrong with a file, and in which line.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Error {
    pub(crate) line: usize,
    pub(crate) message: String,
}
