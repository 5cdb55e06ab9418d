//! The errors of stores and tables.
//!
//! Errors name tables, keys and columns, and describe what was found there, so keys appear in logs. They never contain
//! the value of a row or a [`Secret`](crate::Secret).

mod engine;
mod kind;
mod outcome;
mod rows;

use std::any::Any;
use std::fmt;

pub use self::engine::EngineError;
pub use self::kind::ErrorKind;
pub use self::outcome::CommitPoint;
use self::rows::Beginning;
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
///
/// Engines make it too, so the fields of a variant do not change: another error is another variant.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The key is empty. No sorted store accepts the empty key.
    #[error("the row key is empty")]
    EmptyKey,

    /// The value at `key` is not a counter.
    #[error("the value at key {} is not a counter: it has {len} bytes, a counter has 8", Hex(key))]
    NotACounter {
        /// The row's key.
        key: Vec<u8>,
        /// The length of the stored value.
        len: usize,
    },

    /// The table was created for keys of another layout.
    #[error("table {table:?} has keys of another layout\n  in the table: {stored}\n  given:        {given}")]
    Layout {
        /// The table's name.
        table: String,
        /// The shape that the table was created with.
        stored: String,
        /// The shape of the key type that it was opened with.
        given: String,
    },

    /// The table's keys have the same shape but other fields: in another order, in another unit, or renamed. The
    /// message says what to do about each.
    #[error("table {table:?} has keys with other fields: {differences}")]
    Fields {
        /// The table's name.
        table: String,
        /// The fields that differ, and how.
        differences: String,
    },

    /// The table was created with another value codec.
    #[error("table {table:?} has values of the codec {stored:?}, not {given:?}: {}", codec_cure(stored, given))]
    ValueCodec {
        /// The table's name.
        table: String,
        /// The codec of the table's values.
        stored: String,
        /// The codec that it was opened with.
        given: String,
    },

    /// The table does not exist.
    #[error("there is no table {0:?}")]
    NoSuchTable(String),

    /// The table to create exists already.
    #[error("table {0:?} already exists")]
    TableExists(String),

    /// The split points are not valid. Nothing was created.
    #[error("table {table:?}: split point {index} {what}")]
    SplitPoint {
        /// The table's name.
        table: String,
        /// The index of the split point, from 0.
        index: usize,
        /// The reason why it is invalid.
        what: &'static str,
    },

    /// The engine does not accept this option. Nothing was created.
    #[error("table {table:?} can't have the option {option:?}: {what}")]
    TableOption {
        /// The table's name.
        table: String,
        /// The option's name.
        option: String,
        /// The reason why it is refused. If the engine does not know the option, the options it does know.
        what: String,
    },

    /// The table's name is reserved for the crate's own tables.
    #[error("table name {0:?} is reserved: names that begin with \"rowkey.\" are for the crate's own tables")]
    ReservedName(String),

    /// A stored key does not decode as the table's key type.
    #[error("{} does not decode: {source}", StoredKey(table, key))]
    Key {
        /// The table's name. Empty if it is not known, as when a key is decoded by hand.
        table: String,
        /// The key. Empty if it is not known.
        key: Vec<u8>,
        /// The field that is invalid, and the reason.
        source: DecodeError,
    },

    /// A value can't be encoded or decoded.
    #[error("{} can't be {access}", StoredValue(table, key))]
    Value {
        /// The table's name.
        table: String,
        /// The row's key. Empty if the value was being written.
        key: Vec<u8>,
        /// The direction of the access: read or write.
        access: Access,
        /// The codec's error.
        source: CodecError,
    },

    /// The value of a cell can't be encoded or decoded.
    #[error("the value of column {column} can't be {access}")]
    Cell {
        /// The column.
        column: String,
        /// The direction of the access: read or write.
        access: Access,
        /// The codec's error.
        source: CodecError,
    },

    /// A key, a value or a name exceeds the engine's [`Limits`](crate::store::Limits). Nothing was written.
    #[error("{what} of {len} bytes{} is too large: the maximum is {max}", OfRow(table, key))]
    TooLarge {
        /// The thing that is too large: a key, a value, a table's name, a qualifier.
        what: &'static str,
        /// The table's name. Empty if it is not known.
        table: String,
        /// The first 256 bytes of the row's key. Empty if a table's name is too large.
        key: Vec<u8>,
        /// Its length in bytes.
        len: usize,
        /// The maximum length in bytes.
        max: usize,
    },

    /// The cell is larger than the format of rows allows.
    #[error("the cell of column {column} is too large: its value has {len} bytes")]
    CellTooLarge {
        /// The column.
        column: String,
        /// The value's length.
        len: usize,
    },

    /// The cell is not a counter.
    #[error("column {column} of row {} is not a counter: it has {len} bytes, a counter has 8", Printable(row))]
    NotACounterCell {
        /// The row's key.
        row: Vec<u8>,
        /// The column.
        column: String,
        /// The length of the stored value.
        len: usize,
    },

    /// The wide table has no such family.
    #[error("there is no family {family:?}; the families are {}", known.join(", "))]
    NoSuchFamily {
        /// The family that was asked for.
        family: String,
        /// The families of the table.
        known: Vec<String>,
    },

    /// The definition of a family is not valid.
    #[error("family {name:?}: {what}")]
    Family {
        /// The family's name.
        name: String,
        /// The reason why it is invalid.
        what: &'static str,
    },

    /// The store does not accept this timestamp: it is before 1970, or outside of the store's
    /// [range](crate::wide::Timestamps).
    #[error("timestamp {0} is out of range: timestamps are milliseconds since 1970")]
    Timestamp(i64),

    /// The wide table was created with another schema. The message lists the differences and which of them `alter` can
    /// apply.
    #[error("wide table {table:?} has another schema: {differences}")]
    Schema {
        /// The table's name.
        table: String,
        /// The differences.
        differences: String,
    },

    /// Two rows have the same key in a secondary table (a unique index). Nothing was written, or the write was undone.
    #[doc(alias = "unique")]
    #[error(
        "duplicate key {} in secondary table {table:?}: the row at key {} has it, so the row at key {} can't have it",
        Hex(key),
        Hex(holder),
        Hex(claimant)
    )]
    SecondaryConflict {
        /// The secondary table's name.
        table: String,
        /// The secondary key.
        key: Vec<u8>,
        /// The key of the primary row that has the secondary key.
        holder: Vec<u8>,
        /// The key of the primary row that was to get it.
        claimant: Vec<u8>,
    },

    /// Another write is about to give the key of a secondary table (a unique index) to another row, or was stopped on
    /// its way to it: whether the key is free is not known yet. Nothing was written, or the write was undone. Try
    /// again: a write that was stopped holds the key for [`write_timeout`](crate::secondary::Primary::write_timeout) at
    /// most. Only possible on a database without transactions.
    #[error(
        "key {} in secondary table {table:?} is being written: a write of the row at key {} claims it, so the row at key \
         {} has to wait",
        Hex(key),
        Hex(holder),
        Hex(claimant)
    )]
    SecondaryBusy {
        /// The secondary table's name.
        table: Box<str>,
        /// The secondary key.
        key: Vec<u8>,
        /// The key of the primary row whose write is under way.
        holder: Vec<u8>,
        /// The key of the primary row that was to get the secondary key.
        claimant: Vec<u8>,
    },

    /// Two rows were written with the same key in a secondary table. The write of one took longer than the timeout of
    /// writes, another row got the key meanwhile, and the first write could not be undone because the row or its old
    /// keys have changed. Only possible on a database without transactions. A verification reports the conflict until
    /// one of the rows is changed.
    #[error(
        "duplicate key {} in secondary table {table:?}: the row at key {} has it, and so has the row at key {}, whose \
         write took longer than the write timeout and can't be undone",
        Hex(key),
        Hex(holder),
        Hex(claimant)
    )]
    SecondaryDuplicate {
        /// The secondary table's name.
        table: Box<str>,
        /// The secondary key.
        key: Vec<u8>,
        /// The key of the primary row that has the secondary key.
        holder: Vec<u8>,
        /// The key of the primary row that was written with the same secondary key.
        claimant: Vec<u8>,
    },

    /// The secondary table can't have this name.
    #[error("table {primary:?} can't have a secondary table {secondary:?}: {what}")]
    SecondaryName {
        /// The primary table's name.
        primary: String,
        /// The name of the secondary table.
        secondary: String,
        /// The reason why the name is refused.
        what: &'static str,
    },

    /// The migration is in a phase that does not allow this step.
    #[error("migration {name:?} can't {step}: it is {phase}")]
    MigrationPhase {
        /// The migration's name.
        name: String,
        /// The step.
        step: &'static str,
        /// The phase of the migration.
        phase: crate::store::phase::Phase,
    },

    /// A migration of this name runs between other tables, or its stored state can't be read.
    #[error("migration {name:?}: {what}")]
    Migration {
        /// The migration's name.
        name: String,
        /// The reason of the error.
        what: String,
    },

    /// A write inside a closure that is itself part of a write to the same database: the body of a transaction, the
    /// closure of an update, the function that derives a row of a secondary table or converts a row of a migration. It
    /// writes nothing, and the outer write continues. Return the write from the closure, or write afterwards. Only
    /// writes of the closure's own thread are detected: a closure that waits for another thread which writes to the
    /// database may deadlock.
    #[doc(alias = "deadlock")]
    #[error(
        "can't write to {tables:?} inside a closure that is part of a write to the same database: return the write from \
         the closure, or write after it"
    )]
    Reentrant {
        /// The tables that were to be written.
        tables: Vec<String>,
    },

    /// A batch has writes to a table of another database. Nothing was written.
    #[error("the batch has writes to table {table:?} of another database: use one batch per database")]
    OtherDatabase {
        /// The table.
        table: String,
    },

    /// A migration has moved the table's rows to another table. The name stays refused until the migration is forgotten
    /// ([`Migration::forget`](crate::migrate::Migration::forget)).
    #[error("table {table:?} was moved to table {to:?} by migration {migration:?}")]
    Moved {
        /// The table, which was dropped.
        table: String,
        /// The table that has the rows now.
        to: String,
        /// The migration's name.
        migration: String,
    },

    /// The cursor is not valid for this scan.
    #[error(transparent)]
    Cursor(#[from] CursorError),

    /// The deadline or the timeout of the handle's [`CallOptions`](crate::store::CallOptions) has passed. Nothing was
    /// written, and nothing will be: a write of which that is not certain is [`OutcomeUnknown`](Self::OutcomeUnknown).
    /// Jobs and loads go on batch by batch: see [What is written](crate::store::CallOptions#what-is-written).
    #[error("deadline exceeded: {}", Doing(doing, table))]
    DeadlineExceeded {
        /// The operation.
        doing: &'static str,
        /// The table's name, or several. Empty if the operation is not on a table.
        table: String,
    },

    /// The [`Cancel`](crate::store::Cancel) token of the handle was cancelled. Nothing was written, as with
    /// [`DeadlineExceeded`](Self::DeadlineExceeded).
    #[error("cancelled: {}", Doing(doing, table))]
    Cancelled {
        /// The operation.
        doing: &'static str,
        /// The table's name, or several. Empty if the operation is not on a table.
        table: String,
    },

    /// The operation is not supported, usually by the store: see its [`Guarantees`](crate::store::Guarantees).
    #[error("not supported: {0}")]
    Unsupported(&'static str),

    /// Some writes of the call failed. These are not written, all others are.
    #[error(transparent)]
    Rows(Box<RowErrors>),

    /// It is unknown whether the write was applied: the connection broke before the response, the disk failed during
    /// the write, or an operation of several writes was stopped after the one that decides it. It may be applied later,
    /// and in part: read the rows, or repeat the write if it is idempotent.
    #[error("the outcome of the write to table {table:?} is unknown")]
    OutcomeUnknown {
        /// The table's name, or the names of several.
        table: String,
        /// The error after which the outcome is unknown.
        source: Box<Error>,
    },

    /// The engine failed while a table was opened, created or dropped. Its error may name a table of the crate's own,
    /// where layouts are stored. The [kind](Error::kind) is that of `source`.
    #[error("{doing} of table {table:?}: {source}")]
    Catalog {
        /// The operation.
        doing: &'static str,
        /// The table's name.
        table: String,
        /// The engine's error.
        source: Box<Error>,
    },

    /// The engine's own error: [`Error::engine_error`].
    #[error(transparent)]
    Engine(EngineError),
}

/// The direction of an access: read or write.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Access {
    /// It was being read.
    Read,
    /// It was being written.
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
    /// Adds the table and the key to an error of a key or a value that does not have them.
    #[cold]
    pub(crate) fn of_key(mut self, of_table: &str, of_key: &[u8]) -> Self {
        if let Self::Key { table, key, .. } | Self::Value { table, key, .. } = &mut self {
            if table.is_empty() {
                of_table.clone_into(table);
            }
            if key.is_empty() {
                of_key.clone_into(key);
            }
        }
        self
    }

    /// The error of a scan after a panic in it that the program caught.
    #[cold]
    pub(crate) fn unwound(table: &str, key: &[u8], what: &'static str) -> Self {
        let (table, key) = (table.to_owned(), key.to_vec());
        Self::Value { table, key, access: Access::Read, source: format!("{what} panicked").into() }
    }

    /// A panic of a thread, as an error for those who wait for the thread.
    pub(crate) fn panicked(what: &'static str, panic: &(dyn Any + Send)) -> Self {
        let message: &str = match (panic.downcast_ref::<&str>(), panic.downcast_ref::<String>()) {
            (Some(text), _) => text,
            (_, Some(text)) => text,
            _ => "no message",
        };
        Self::engine(format!("{what} panicked: {message}"))
    }
}

/// The error of a key that was decoded by hand: table and key are not known.
impl From<DecodeError> for Error {
    #[cold]
    fn from(source: DecodeError) -> Self {
        Self::Key { table: String::new(), key: Vec::new(), source }
    }
}

/// An operation and its table, as far as they are known.
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

/// A value and its key, as far as it is known.
struct StoredValue<'a>(&'a str, &'a [u8]);

impl fmt::Display for StoredValue<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self(table, []) => write!(f, "a value of table {table:?}"),
            Self(table, key) => write!(f, "the value of table {table:?} at key {}", Hex(key)),
        }
    }
}

/// A table and a key, as far as they are known.
struct OfRow<'a>(&'a str, &'a [u8]);

impl fmt::Display for OfRow<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(table, key) = *self;
        if !table.is_empty() {
            write!(f, " in table {table:?}")?;
        }
        // The length stands before it: of a long key only the first bytes are here.
        if key.is_empty() { Ok(()) } else { write!(f, " at key {}", Beginning(key)) }
    }
}

/// The advice about another codec.
fn codec_cure(stored: &str, given: &str) -> &'static str {
    const CLAIMS: &str = "claims";
    match (stored, given) {
        (CLAIMS, _) => "it is a secondary table; read it through `Primary::secondary`",
        (_, CLAIMS) => "it is not a secondary table; give the secondary table another name",
        _ => {
            "open it with that codec; if the new codec reads the same bytes, or all values were rewritten, call \
              `rowkey::catalog::change_codec`"
        }
    }
}
