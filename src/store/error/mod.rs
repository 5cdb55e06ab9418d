//! What can go wrong, and how it is said.
//!
//! Errors name tables, keys and columns, and say what was found there; so keys stand in logs. They hold no value of a row, and
//! never a [`Secret`](crate::Secret).

mod engine;
mod kind;
mod rows;

use std::any::Any;
use std::fmt;

pub use self::engine::EngineError;
pub use self::kind::ErrorKind;
use self::rows::Short;
pub use self::rows::{RowError, RowErrors};
use crate::keys::error::{CursorError, DecodeError, Hex, Printable};

/// The error of a value codec.
pub type CodecError = Box<dyn std::error::Error + Send + Sync>;

/// The result of every operation on a store or a table.
///
/// ```
/// use rowkey::{Memory, Result, Table};
///
/// fn greet(names: &Table<u64, String, Memory>, user: u64) -> Result<String> {
///     Ok(names.get(&user)?.map_or("Hello!".into(), |name| format!("Hello {name}!")))
/// }
/// # let names = Table::open(Memory::new(), "names")?;
/// # assert_eq!(greet(&names, 7)?, "Hello!");
/// # Ok::<(), rowkey::Error>(())
/// ```
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// The error of every operation on a store or a table. [`kind`](Error::kind) says what to do about it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A key of no bytes: no sorted store takes one.
    #[error("the row key is empty")]
    EmptyKey,

    /// The value at `key` is no counter.
    #[error("the value at key {} is no counter: it has {len} bytes, a counter has 8", Hex(key))]
    NotACounter {
        /// The row's key.
        key: Vec<u8>,
        /// The length of what is there.
        len: usize,
    },

    /// The table was made for keys of another layout.
    #[error("table {table:?} has keys of another layout\n  in the table: {stored}\n  given:        {given}")]
    Layout {
        /// The table's name.
        table: String,
        /// The shape that the table was opened with first.
        stored: String,
        /// The shape of the key type it was opened with now.
        given: String,
    },

    /// The table has keys of the same shape, whose fields are others: in another order, in another unit, or renamed. It says
    /// what to do for each.
    #[error("the fields of the keys of table {table:?}: {differences}")]
    Fields {
        /// The table's name.
        table: String,
        /// Which fields differ, and how.
        differences: String,
    },

    /// The table has values of another codec.
    #[error("table {table:?} has values of the codec {stored:?}, not {given:?}: {}", codec_cure(stored, given))]
    ValueCodec {
        /// The table's name.
        table: String,
        /// The codec of the table's values.
        stored: String,
        /// The codec of the values that it was opened with.
        given: String,
    },

    /// There is no such table.
    #[error("there is no table {0:?}")]
    NoSuchTable(String),

    /// The table that was to be made is there.
    #[error("there is a table {0:?} already")]
    TableExists(String),

    /// A table can't be made with such split points; nothing was made.
    #[error("table {table:?} can't be split so: split point {index} {what}")]
    SplitPoint {
        /// The table's name.
        table: String,
        /// Which one, from 0.
        index: usize,
        /// What is wrong with it.
        what: &'static str,
    },

    /// A table can't be made with such an option; nothing was made.
    #[error("table {table:?} can't have the option {option:?}: {what}")]
    TableOption {
        /// The table's name.
        table: String,
        /// The option's name.
        option: String,
        /// What is wrong with it; of one that the engine does not know, those that it does.
        what: String,
    },

    /// The name is one that a database keeps for itself.
    #[error(
        "a table can't be called {0:?}: names that begin with \"rowkey.\" are for what a database keeps of its tables"
    )]
    ReservedName(String),

    /// A stored key does not decode as a key of its table.
    #[error("{} does not decode: {source}", StoredKey(table, key))]
    Key {
        /// The table's name; empty where it is not known, as of a key that was decoded by hand.
        table: String,
        /// The key; empty where it is not known.
        key: Vec<u8>,
        /// Which field is wrong, and why.
        source: DecodeError,
    },

    /// A value can't be written, or read.
    #[error("{} can't be {access}", StoredValue(table, key))]
    Value {
        /// The table's name.
        table: String,
        /// The row's key; empty if the value was to be written.
        key: Vec<u8>,
        /// Whether it was to be read or written.
        access: Access,
        /// What its codec says.
        source: CodecError,
    },

    /// A cell's value can't be written, or read.
    #[error("the value of column {column} can't be {access}")]
    Cell {
        /// The column.
        column: String,
        /// Whether it was to be read or written.
        access: Access,
        /// What its codec says.
        source: CodecError,
    },

    /// A key, a value or a name is larger than the engine takes ([`Limits`](crate::store::Limits)); nothing was written.
    #[error("{what} of {len} bytes{}, where {max} are the most", OfRow(table, key))]
    TooLarge {
        /// What it is: a key, a value, a table's name, a qualifier.
        what: &'static str,
        /// The table's name; empty where it is not known.
        table: String,
        /// The row's key, at most its first 256 bytes; empty of a table's name.
        key: Vec<u8>,
        /// How long it is.
        len: usize,
        /// How long it may be.
        max: usize,
    },

    /// A cell is larger than a row can hold.
    #[error("the cell of column {column} is too large: its value has {len} bytes")]
    CellTooLarge {
        /// The column.
        column: String,
        /// The value's length.
        len: usize,
    },

    /// A cell is no counter.
    #[error("column {column} of row {} is no counter: it has {len} bytes, a counter has 8", Printable(row))]
    NotACounterCell {
        /// The row's key.
        row: Vec<u8>,
        /// The column.
        column: String,
        /// The length of what is there.
        len: usize,
    },

    /// A wide table has no such family.
    #[error("there is no family {family:?}, there is {}", known.join(", "))]
    NoSuchFamily {
        /// The family asked for.
        family: String,
        /// Those that there are.
        known: Vec<String>,
    },

    /// No wide table can have such a family.
    #[error("family {name:?}: {what}")]
    Family {
        /// Its name.
        name: String,
        /// What is wrong with it.
        what: &'static str,
    },

    /// A timestamp that the store does not take: before 1970, or beyond its [range](crate::wide::Timestamps).
    #[error("the store takes no timestamp {0}: they are milliseconds since 1970")]
    Timestamp(i64),

    /// A wide table has another schema; its differences, and which of them a table with rows can have.
    #[error("wide table {table:?} has another schema: {differences}")]
    Schema {
        /// The table's name.
        table: String,
        /// What would have to change.
        differences: String,
    },

    /// Two rows claim one key of a secondary table; nothing was written, or it was taken back.
    #[error(
        "key {} of secondary table {table:?} belongs to the row at key {}, the row at key {} can't have it too",
        Hex(key),
        Hex(holder),
        Hex(claimant)
    )]
    SecondaryConflict {
        /// The secondary table's name.
        table: String,
        /// The secondary key.
        key: Vec<u8>,
        /// The key of the primary row that has it, or is about to.
        holder: Vec<u8>,
        /// The key of the primary row that was to have it.
        claimant: Vec<u8>,
    },

    /// Two rows have one key of a secondary table: the write of one took longer than the time-out of writes, another row
    /// was given the key meanwhile, and the first row could not be taken back, as it or its old keys were changed since. Only
    /// on a database without transactions. Until one of the rows is changed, a verification names it as a conflict.
    #[error(
        "key {} of secondary table {table:?} belongs to the row at key {}, and the row at key {} has it too: \
         its write took too long and can't be taken back",
        Hex(key),
        Hex(holder),
        Hex(claimant)
    )]
    SecondaryDuplicate {
        /// The secondary table's name.
        table: Box<str>,
        /// The secondary key.
        key: Vec<u8>,
        /// The key of the primary row to which the secondary key belongs.
        holder: Vec<u8>,
        /// The key of the primary row that was written and has it too.
        claimant: Vec<u8>,
    },

    /// A secondary table can't have this name.
    #[error("table {primary:?} can't have a secondary table {secondary:?}: {what}")]
    SecondaryName {
        /// The primary table's name.
        primary: String,
        /// The name that the secondary table was to have.
        secondary: String,
        /// What is wrong with it.
        what: &'static str,
    },

    /// A migration is in a phase that does not allow the step.
    #[error("migration {name:?} can't {step}: it is {phase}")]
    MigrationPhase {
        /// The migration's name.
        name: String,
        /// What was asked of it.
        step: &'static str,
        /// Where it is.
        phase: crate::store::phase::Phase,
    },

    /// A migration was begun between other tables, or what is kept of it can't be read.
    #[error("migration {name:?}: {what}")]
    Migration {
        /// The migration's name.
        name: String,
        /// What is wrong with it.
        what: String,
    },

    /// A write inside a closure that is itself part of a write to the same database: the body of a transaction, the closure of
    /// an update, what derives a row of a secondary table or converts one of a migration. Nothing is written by it; the
    /// transaction or the update goes on. It is returned in the closure's own thread: a closure that waits for another
    /// thread which writes there may wait for ever.
    #[error(
        "no write to {tables:?} inside a closure that is part of a write to the same database: return it from the closure, or \
         write after it"
    )]
    Reentrant {
        /// The tables that were to be written.
        tables: Vec<String>,
    },

    /// A batch has writes to a table of another database than the one that it was to be written to; nothing was written.
    #[error(
        "the batch writes to table {table:?} of another database than the one that it is written to: take a batch for each \
         database, and write it there"
    )]
    OtherDatabase {
        /// The table.
        table: String,
    },

    /// A migration has moved the table's rows to another one; the name is refused until the migration is forgotten
    /// ([`Migration::forget`](crate::migrate::Migration::forget)).
    #[error("table {table:?} was moved to table {to:?} by migration {migration:?}")]
    Moved {
        /// The table that was dropped.
        table: String,
        /// The table that has its rows.
        to: String,
        /// The migration's name.
        migration: String,
    },

    /// A cursor is refused.
    #[error(transparent)]
    Cursor(#[from] CursorError),

    /// The deadline of the handle's [`CallOptions`](crate::store::CallOptions) has passed, or the call's time-out: this call has
    /// written nothing. [What is written](crate::store::CallOptions#what-is-written) by an operation of several calls, they say.
    #[error("deadline exceeded: {}", Doing(doing, table))]
    DeadlineExceeded {
        /// What was being done.
        doing: &'static str,
        /// The table's name, or several; empty where the call is not of a table.
        table: String,
    },

    /// The [`Cancel`](crate::store::Cancel) token of the handle is cancelled: this call has written nothing, as
    /// [`DeadlineExceeded`](Self::DeadlineExceeded) says.
    #[error("cancelled: {}", Doing(doing, table))]
    Cancelled {
        /// What was being done.
        doing: &'static str,
        /// The table's name, or several; empty where the call is not of a table.
        table: String,
    },

    /// The store does not have what was asked of it; its [`Guarantees`](crate::store::Guarantees) say so.
    #[error("this store has no {0}")]
    Unsupported(&'static str),

    /// Some writes of a call failed: these are not written, all others are.
    #[error(transparent)]
    Rows(Box<RowErrors>),

    /// Whether a write is in is not known: the connection broke before the answer came, or the disk failed while it was
    /// written. It may be read later.
    #[error("it is not known whether the write to table {table:?} is in")]
    OutcomeUnknown {
        /// The table's name; of several, all of them.
        table: String,
        /// What went wrong.
        source: Box<Error>,
    },

    /// The engine failed, and says so in its own words: [`Error::engine_error`].
    #[error(transparent)]
    Engine(EngineError),
}

/// Whether something was to be read or written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Access {
    /// It is stored.
    Read,
    /// It was to be stored.
    Write,
}

impl fmt::Display for Access {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Read => "read",
            Self::Write => "written",
        })
    }
}

impl Error {
    /// The same error, of this key of this table, if it is one of a key that does not say so itself.
    #[cold]
    pub(crate) fn of_key(mut self, of_table: &str, of_key: &[u8]) -> Self {
        if let Self::Key { table, key, .. } = &mut self {
            if table.is_empty() {
                of_table.clone_into(table);
            }
            if key.is_empty() {
                of_key.clone_into(key);
            }
        }
        self
    }

    /// What a panic in a thread is to those who wait for it.
    pub(crate) fn panicked(what: &'static str, panic: &(dyn Any + Send)) -> Self {
        let message: &str = match (panic.downcast_ref::<&str>(), panic.downcast_ref::<String>()) {
            (Some(text), _) => text,
            (_, Some(text)) => text,
            _ => "no message",
        };
        Self::engine(format!("{what} panicked: {message}"))
    }
}

/// A key that was decoded by hand: table and key are not known.
impl From<DecodeError> for Error {
    #[cold]
    fn from(source: DecodeError) -> Self {
        Self::Key { table: String::new(), key: Vec::new(), source }
    }
}

/// What was being done, and to which table, as far as that is known.
struct Doing<'a>(&'a str, &'a str);

impl fmt::Display for Doing<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(doing, table) = *self;
        if table.is_empty() { f.write_str(doing) } else { write!(f, "{doing}, table {table:?}") }
    }
}

/// A key and its table, as far as they are known.
struct StoredKey<'a>(&'a str, &'a [u8]);

impl fmt::Display for StoredKey<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(table, key) = *self;
        match key {
            [] => f.write_str("a key")?,
            key => write!(f, "key {}", Hex(key))?,
        }
        if table.is_empty() { Ok(()) } else { write!(f, " of table {table:?}") }
    }
}

/// A value, by its key if that is known.
struct StoredValue<'a>(&'a str, &'a [u8]);

impl fmt::Display for StoredValue<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self(table, []) => write!(f, "a value of table {table:?}"),
            Self(table, key) => write!(f, "the value of table {table:?} at key {}", Hex(key)),
        }
    }
}

/// In which table, at which key, as far as they are known.
struct OfRow<'a>(&'a str, &'a [u8]);

impl fmt::Display for OfRow<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(table, key) = *self;
        if !table.is_empty() {
            write!(f, " in table {table:?}")?;
        }
        if key.is_empty() { Ok(()) } else { write!(f, " at key {}", Short(key)) }
    }
}

/// What to do about values of another codec.
fn codec_cure(stored: &str, given: &str) -> &'static str {
    const CLAIMS: &str = "claims";
    match (stored, given) {
        (CLAIMS, _) => "it is a secondary table, read it through `Primary::secondary`",
        (_, CLAIMS) => "it is not a secondary table, give that another name",
        _ => "open it with that, or say that the bytes are the same or rewritten, by `rowkey::catalog::change_codec`",
    }
}
