//! Kinds of errors, for callers to match on.

use std::fmt;

use super::{Access, Error};

/// The kind of failure of an [`Error`]. Match on the kind to decide what to do, and on the variant to learn what
/// happened.
///
/// | kind | errors |
/// |---|---|
/// | `NotFound` | [`NoSuchTable`](Error::NoSuchTable), [`NoSuchFamily`](Error::NoSuchFamily) |
/// | `AlreadyExists` | [`TableExists`](Error::TableExists), [`SecondaryConflict`](Error::SecondaryConflict) |
/// | `PermissionDenied` | an engine's: no right to read, write or create a table |
/// | `Busy` | [`SecondaryBusy`](Error::SecondaryBusy); an engine's: locked, overloaded, a region that moves |
/// | `DeadlineExceeded` | [`DeadlineExceeded`](Error::DeadlineExceeded); an engine's timeouts |
/// | `Cancelled` | [`Cancelled`](Error::Cancelled) |
/// | `OutcomeUnknown` | [`OutcomeUnknown`](Error::OutcomeUnknown) |
/// | `Damaged` | [`Key`](Error::Key), [`Value`](Error::Value) and [`Cell`](Error::Cell) that were read, [`SecondaryDuplicate`](Error::SecondaryDuplicate), an engine's damaged files |
/// | `Unsupported` | [`Unsupported`](Error::Unsupported) |
/// | `InvalidInput` | [`EmptyKey`](Error::EmptyKey), [`TooLarge`](Error::TooLarge), [`CellTooLarge`](Error::CellTooLarge), [`Family`](Error::Family), [`Timestamp`](Error::Timestamp), [`ReservedName`](Error::ReservedName), [`SecondaryName`](Error::SecondaryName), [`SplitPoint`](Error::SplitPoint), [`TableOption`](Error::TableOption), [`Cursor`](Error::Cursor), [`Reentrant`](Error::Reentrant), [`OtherDatabase`](Error::OtherDatabase); [`Value`](Error::Value) and [`Cell`](Error::Cell) that were to be written |
/// | `Mismatch` | [`Layout`](Error::Layout), [`Fields`](Error::Fields), [`ValueCodec`](Error::ValueCodec), [`Schema`](Error::Schema), [`NotACounter`](Error::NotACounter), [`NotACounterCell`](Error::NotACounterCell), [`MigrationPhase`](Error::MigrationPhase), [`Migration`](Error::Migration), [`Moved`](Error::Moved), an engine's files of another program or version |
/// | `Partial` | [`Rows`](Error::Rows) |
/// | `Other` | any other error of an engine |
///
/// An [`Engine`](Error::Engine) error has the kind that its engine gave it, a [`Catalog`](Error::Catalog) error that of
/// its source.
///
/// With any kind but `OutcomeUnknown` and `Partial` nothing was written, and nothing will be; the one exception is
/// [`SecondaryDuplicate`](Error::SecondaryDuplicate). [The guide](crate::guide::errors) says for each kind what to do.
///
/// ```
/// use rowkey::store::Database;
/// use rowkey::{ErrorKind, Memory};
///
/// let error = Memory::new().open_table("users").err();
/// assert_eq!(error.map(|error| error.kind()), Some(ErrorKind::NotFound));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// It does not exist.
    NotFound,
    /// It exists already, or its key belongs to another row.
    AlreadyExists,
    /// The caller has no permission.
    PermissionDenied,
    /// It can't be done now, but may be later: another write is under way, or the engine is overloaded. Nothing was
    /// written. The same call can be repeated.
    Busy,
    /// The call took too long. Nothing was written. The same call can be repeated with more time.
    DeadlineExceeded,
    /// The caller cancelled the call. Nothing was written.
    Cancelled,
    /// It is unknown whether the write was applied. It may be applied later: in full or, if it is not one atomic write,
    /// in part. Writing again is safe if the write is idempotent: a put or a delete, not an increment or an update.
    OutcomeUnknown,
    /// Stored data can't be read, or contradicts itself.
    Damaged,
    /// The operation is not supported, usually by the store.
    Unsupported,
    /// The call is not valid: the program or its input has to change.
    InvalidInput,
    /// The table is something else: another layout, schema, codec or phase; not a counter.
    Mismatch,
    /// Some writes of the call failed, the others are applied: [`Error::Rows`] names those that failed.
    Partial,
    /// Any other failure.
    Other,
}

impl ErrorKind {
    /// Returns whether the same call may succeed if it is repeated after a pause, and takes effect once: only `Busy`.
    ///
    /// After `DeadlineExceeded` and `Cancelled` nothing was written either, so a repeat is as safe; whether to give the
    /// call more time is the caller's decision. After `OutcomeUnknown` the write may have been applied. With `Partial`
    /// each row has its own error.
    pub const fn is_retryable(self) -> bool {
        matches!(self, Self::Busy)
    }
}

impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NotFound => "not found",
            Self::AlreadyExists => "already exists",
            Self::PermissionDenied => "permission denied",
            Self::Busy => "busy",
            Self::DeadlineExceeded => "deadline exceeded",
            Self::Cancelled => "cancelled",
            Self::OutcomeUnknown => "outcome unknown",
            Self::Damaged => "damaged",
            Self::Unsupported => "unsupported",
            Self::InvalidInput => "invalid input",
            Self::Mismatch => "mismatch",
            Self::Partial => "partial",
            Self::Other => "other",
        })
    }
}

impl Error {
    /// The kind of the error.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::NoSuchTable(_) | Self::NoSuchFamily { .. } => ErrorKind::NotFound,
            Self::TableExists(_) | Self::SecondaryConflict { .. } => ErrorKind::AlreadyExists,
            Self::DeadlineExceeded { .. } => ErrorKind::DeadlineExceeded,
            Self::Cancelled { .. } => ErrorKind::Cancelled,
            Self::SecondaryBusy { .. } => ErrorKind::Busy,
            Self::OutcomeUnknown { .. } => ErrorKind::OutcomeUnknown,
            Self::Value { access: Access::Read, .. }
            | Self::Cell { access: Access::Read, .. }
            | Self::Key { .. }
            | Self::SecondaryDuplicate { .. } => ErrorKind::Damaged,
            Self::Unsupported(_) => ErrorKind::Unsupported,
            Self::Value { access: Access::Write, .. }
            | Self::Cell { access: Access::Write, .. }
            | Self::EmptyKey
            | Self::TooLarge { .. }
            | Self::CellTooLarge { .. }
            | Self::Family { .. }
            | Self::Timestamp(_)
            | Self::ReservedName(_)
            | Self::SecondaryName { .. }
            | Self::SplitPoint { .. }
            | Self::TableOption { .. }
            | Self::Cursor(_)
            | Self::Reentrant { .. }
            | Self::OtherDatabase { .. } => ErrorKind::InvalidInput,
            Self::Layout { .. }
            | Self::Fields { .. }
            | Self::ValueCodec { .. }
            | Self::Schema { .. }
            | Self::NotACounter { .. }
            | Self::NotACounterCell { .. }
            | Self::MigrationPhase { .. }
            | Self::Migration { .. }
            | Self::Moved { .. } => ErrorKind::Mismatch,
            Self::Rows(_) => ErrorKind::Partial,
            Self::Engine(error) => error.kind(),
            Self::Catalog { source, .. } => source.kind(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::error::Error as _;

    use super::*;
    use crate::keys::error::{CursorError, DecodeError, DecodeReason};
    use crate::store::error::RowErrors;
    use crate::store::phase::Phase;

    /// Its number, from 0 without gaps; a variant that is added is missed here, and then in `samples`.
    fn number(error: &Error) -> usize {
        match error {
            Error::EmptyKey => 0,
            Error::NotACounter { .. } => 1,
            Error::Layout { .. } => 2,
            Error::Fields { .. } => 3,
            Error::ValueCodec { .. } => 4,
            Error::NoSuchTable(_) => 5,
            Error::TableExists(_) => 6,
            Error::ReservedName(_) => 7,
            Error::Key { .. } => 8,
            Error::Value { .. } => 9,
            Error::Cell { .. } => 10,
            Error::CellTooLarge { .. } => 11,
            Error::NotACounterCell { .. } => 12,
            Error::NoSuchFamily { .. } => 13,
            Error::Family { .. } => 14,
            Error::Timestamp(_) => 15,
            Error::Schema { .. } => 16,
            Error::SecondaryConflict { .. } => 17,
            Error::SecondaryDuplicate { .. } => 18,
            Error::SecondaryName { .. } => 19,
            Error::MigrationPhase { .. } => 20,
            Error::Migration { .. } => 21,
            Error::Reentrant { .. } => 22,
            Error::OtherDatabase { .. } => 23,
            Error::Moved { .. } => 24,
            Error::Cursor(_) => 25,
            Error::Unsupported(_) => 26,
            Error::Engine(_) => 27,
            Error::Rows(_) => 28,
            Error::TooLarge { .. } => 29,
            Error::OutcomeUnknown { .. } => 30,
            Error::SplitPoint { .. } => 31,
            Error::TableOption { .. } => 32,
            Error::DeadlineExceeded { .. } => 33,
            Error::Cancelled { .. } => 34,
            Error::SecondaryBusy { .. } => 35,
            Error::Catalog { .. } => 36,
        }
    }

    const VARIANTS: usize = 37;

    fn samples() -> Vec<(Error, ErrorKind)> {
        use ErrorKind::*;
        let name = || "t".to_owned();
        let lost = || Error::engine_of(Busy, "lost");
        let decode = || DecodeError::new(0, DecodeReason::Utf8);
        let value = |access| Error::Value { table: name(), key: vec![1], access, source: "codec".into() };
        let cell = |access| Error::Cell { column: name(), access, source: "codec".into() };
        let mut rows = RowErrors::new(2);
        rows.push(0, "t", b"k", lost());
        vec![
            (Error::EmptyKey, InvalidInput),
            (Error::NotACounter { key: vec![1], len: 2 }, Mismatch),
            (Error::Layout { table: name(), stored: name(), given: name() }, Mismatch),
            (Error::Fields { table: name(), differences: name() }, Mismatch),
            (Error::ValueCodec { table: name(), stored: name(), given: name() }, Mismatch),
            (Error::NoSuchTable(name()), NotFound),
            (Error::TableExists(name()), AlreadyExists),
            (Error::ReservedName(name()), InvalidInput),
            (decode().into(), Damaged),
            (value(Access::Read), Damaged),
            (value(Access::Write), InvalidInput),
            (cell(Access::Read), Damaged),
            (cell(Access::Write), InvalidInput),
            (Error::CellTooLarge { column: name(), len: 1 }, InvalidInput),
            (Error::NotACounterCell { row: vec![1], column: name(), len: 1 }, Mismatch),
            (Error::NoSuchFamily { family: name(), known: vec![name()] }, NotFound),
            (Error::Family { name: name(), what: "" }, InvalidInput),
            (Error::Timestamp(-1), InvalidInput),
            (Error::Schema { table: name(), differences: name() }, Mismatch),
            (
                Error::SecondaryConflict { table: name(), key: vec![1], holder: vec![1], claimant: vec![1] },
                AlreadyExists,
            ),
            (
                Error::SecondaryDuplicate { table: "t".into(), key: vec![1], holder: vec![1], claimant: vec![1] },
                Damaged,
            ),
            (Error::SecondaryBusy { table: "t".into(), key: vec![1], holder: vec![1], claimant: vec![1] }, Busy),
            (Error::Catalog { doing: "opening", table: name(), source: Box::new(lost()) }, Busy),
            (Error::SecondaryName { primary: name(), secondary: name(), what: "" }, InvalidInput),
            (Error::MigrationPhase { name: name(), step: "", phase: Phase::Copying }, Mismatch),
            (Error::Migration { name: name(), what: name() }, Mismatch),
            (Error::Reentrant { tables: vec![name()] }, InvalidInput),
            (Error::OtherDatabase { table: name() }, InvalidInput),
            (Error::Moved { table: name(), to: name(), migration: name() }, Mismatch),
            (CursorError::OutsideScan.into(), InvalidInput),
            (Error::Unsupported("x"), Unsupported),
            (Error::engine("words"), Other),
            (Error::engine_of(PermissionDenied, "words"), PermissionDenied),
            (Error::Rows(Box::new(rows)), Partial),
            (Error::TooLarge { what: "key", table: name(), key: vec![1], len: 2, max: 1 }, InvalidInput),
            (Error::OutcomeUnknown { table: name(), source: Box::new(lost()) }, OutcomeUnknown),
            (Error::SplitPoint { table: name(), index: 0, what: "" }, InvalidInput),
            (Error::TableOption { table: name(), option: name(), what: name() }, InvalidInput),
            (Error::DeadlineExceeded { doing: "get", table: name() }, DeadlineExceeded),
            (Error::Cancelled { doing: "get", table: name() }, Cancelled),
        ]
    }

    #[test]
    fn every_variant_has_its_kind() {
        let mut seen = [false; VARIANTS];
        for (error, kind) in samples() {
            seen[number(&error)] = true;
            assert_eq!(error.kind(), kind, "{error:?}");
            assert_eq!(kind.is_retryable(), kind == ErrorKind::Busy);
            assert!(!error.to_string().is_empty() && !kind.to_string().is_empty());
        }
        assert_eq!(seen, [true; VARIANTS], "a variant without a sample");
    }

    #[test]
    fn what_has_a_cause_says_it() {
        for (error, _) in samples() {
            let has = matches!(number(&error), 8 | 9 | 10 | 28 | 30 | 36);
            assert_eq!(error.source().is_some(), has, "{error:?}");
        }
    }

    /// Every kind; one that is added is missed here, and then in the list.
    fn kinds() -> [ErrorKind; 13] {
        use ErrorKind::*;
        let all = [
            NotFound,
            AlreadyExists,
            PermissionDenied,
            Busy,
            DeadlineExceeded,
            Cancelled,
            OutcomeUnknown,
            Damaged,
            Unsupported,
            InvalidInput,
            Mismatch,
            Partial,
            Other,
        ];
        for (at, kind) in all.iter().enumerate() {
            let number = match kind {
                NotFound => 0,
                AlreadyExists => 1,
                PermissionDenied => 2,
                Busy => 3,
                DeadlineExceeded => 4,
                Cancelled => 5,
                OutcomeUnknown => 6,
                Damaged => 7,
                Unsupported => 8,
                InvalidInput => 9,
                Mismatch => 10,
                Partial => 11,
                Other => 12,
            };
            assert_eq!(number, at);
        }
        all
    }

    /// The table of kinds in the guide is what the code says.
    #[test]
    fn the_guide_says_of_each_kind_what_the_code_says() {
        let guide = include_str!("../../guide/errors.md");
        let rows = guide.lines().filter(|line| line.starts_with("| `"));
        let cells = |line: &str| line.split('|').map(|cell| cell.trim().to_owned()).skip(1).take(3).collect::<Vec<_>>();
        let rows: Vec<Vec<String>> = rows.map(cells).collect();
        assert_eq!(rows.len(), kinds().len());
        for kind in kinds() {
            let row = rows.iter().find(|row| row[0] == format!("`{kind:?}`"));
            let row = row.unwrap_or_else(|| panic!("{kind} is not in the guide"));
            assert_eq!(row[2] == "yes", kind.is_retryable(), "{kind}");
            let may_be_written = matches!(kind, ErrorKind::OutcomeUnknown | ErrorKind::Partial);
            assert_eq!(!row[1].starts_with("nothing"), may_be_written, "{kind}");
        }
    }
}
