//! Errors of operations that make several calls: what they say was written, and of which table.
//!
//! Such an operation has a point of no return: the call by which it is decided. Before, nothing of it is written, and
//! never will be. After, it takes place, or has, whoever completes it. An error of one of its calls says nothing about
//! the operation, so it is translated here.

use std::sync::atomic::{AtomicBool, Ordering};

use super::Error;
use crate::store::catalog::RESERVED;

/// The point of no return of a write, and what its errors mean before and after. For authors of engines.
///
/// Before it an error means that nothing was written, and nothing will be. After it the outcome is not known:
/// [`Error::OutcomeUnknown`]. An engine of a server passes it when it sends a write, and an engine that deletes in
/// pieces with the first piece.
///
/// ```
/// use rowkey::Error;
/// use rowkey::store::CommitPoint;
///
/// let (commit, refused) = (CommitPoint::default(), || Err::<(), _>(Error::engine("connection refused")));
/// assert!(matches!(commit.outcome("users", refused()), Err(Error::Engine(_))));
/// commit.pass(); // the request is sent
/// assert!(matches!(commit.outcome("users", refused()), Err(Error::OutcomeUnknown { .. })));
/// # assert!(commit.is_passed() && commit.outcome("users", Ok(())).is_ok());
/// ```
#[derive(Debug, Default)]
pub struct CommitPoint(AtomicBool);

impl CommitPoint {
    /// Passes it: from here on the operation takes place, or part of it does.
    pub fn pass(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Returns whether it was passed.
    pub fn is_passed(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// The result of the call that decides the operation. If its outcome is unknown, so is the operation's. If it has
    /// succeeded, the caller knows what that means.
    ///
    /// # Errors
    ///
    /// That of the call.
    pub fn decided<T>(&self, result: Result<T, Error>) -> Result<T, Error> {
        if result.as_ref().is_err_and(|error| matches!(error, Error::OutcomeUnknown { .. } | Error::Rows(_))) {
            self.pass();
        }
        result
    }

    /// The result of the operation on `table`, of which a call returned `result`.
    ///
    /// # Errors
    ///
    /// [`Error::OutcomeUnknown`] after the point, of whichever error; before it the call's error.
    pub fn outcome<T>(&self, table: &str, result: Result<T, Error>) -> Result<T, Error> {
        result.map_err(|error| if self.is_passed() { error.after_commit(table) } else { error.before_commit() })
    }
}

impl Error {
    /// The error of an operation on `table` that has passed its point of no return.
    #[cold]
    pub(crate) fn after_commit(self, table: &str) -> Self {
        let source = match self {
            Self::OutcomeUnknown { source, .. } => source,
            other => Box::new(other),
        };
        Self::OutcomeUnknown { table: table.to_owned(), source }
    }

    /// The error of an operation that has not reached its point of no return. A call before that, such as the one that
    /// takes a lock, may have an unknown outcome. The operation has none: nothing of it is written.
    #[cold]
    pub(crate) fn before_commit(self) -> Self {
        match self {
            Self::OutcomeUnknown { source, .. } => source.before_commit(),
            Self::Rows(rows) => rows.into_first().before_commit(),
            other => other,
        }
    }

    /// Names `table` in place of the crate's own tables.
    #[cold]
    pub(crate) fn naming(mut self, of_table: &str) -> Self {
        match &mut self {
            Self::DeadlineExceeded { table, .. } | Self::Cancelled { table, .. } | Self::TooLarge { table, .. } => {
                name(table, of_table);
            }
            Self::OutcomeUnknown { table, source } => {
                name(table, of_table);
                let inner = std::mem::replace(&mut **source, Self::EmptyKey);
                **source = inner.naming(of_table);
            }
            Self::Reentrant { tables } => {
                for table in tables {
                    name(table, of_table);
                }
            }
            _ => {}
        }
        self
    }

    /// The error of an operation that opens, creates or drops `table`. The catalog's table is the crate's own, and an
    /// engine's error may name no table or the catalog's.
    #[cold]
    pub(crate) fn of_catalog(self, doing: &'static str, table: &str) -> Self {
        match self {
            Self::Engine(_) => Self::Catalog { doing, table: table.to_owned(), source: Box::new(self) },
            Self::Rows(rows) => rows.into_first().of_catalog(doing, table),
            // The catalog's key is a byte longer than the table's name.
            Self::TooLarge { table: of, len, max, .. } if of.starts_with(RESERVED) => Self::TooLarge {
                what: "a table's name",
                table: table.to_owned(),
                key: Vec::new(),
                len: len.min(table.len()),
                max: max.saturating_sub(1),
            },
            Self::DeadlineExceeded { table: of, .. } if of.starts_with(RESERVED) => {
                Self::DeadlineExceeded { doing, table: table.to_owned() }
            }
            Self::Cancelled { table: of, .. } if of.starts_with(RESERVED) => {
                Self::Cancelled { doing, table: table.to_owned() }
            }
            Self::OutcomeUnknown { source, .. } => {
                let source = Box::new(source.of_catalog(doing, table));
                Self::OutcomeUnknown { table: table.to_owned(), source }
            }
            other => other.naming(table),
        }
    }
}

/// Names `of_table` where `table`, one name or several, is the crate's own.
fn name(table: &mut String, of_table: &str) {
    if table.split(", ").any(|table| table.starts_with(RESERVED)) {
        let others: Vec<&str> = table.split(", ").filter(|table| !table.starts_with(RESERVED)).collect();
        *table = if others.is_empty() { of_table.to_owned() } else { others.join(", ") };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::error::ErrorKind;

    fn late(table: &str) -> Error {
        Error::DeadlineExceeded { doing: "get", table: table.to_owned() }
    }

    fn unknown(table: &str) -> Error {
        Error::OutcomeUnknown { table: table.to_owned(), source: Box::new(late(table)) }
    }

    #[test]
    fn an_error_says_what_became_of_the_operation() {
        let kind = |commit: &CommitPoint, error| commit.outcome::<()>("t", Err(error)).map_err(|error| error.kind());
        let (late_kind, unknown_kind) = (Err(ErrorKind::DeadlineExceeded), Err(ErrorKind::OutcomeUnknown));
        let commit = CommitPoint::default();
        for error in [late("u"), unknown("u"), unknown("u").after_commit("v")] {
            assert_eq!(kind(&commit, error), late_kind);
        }
        assert!(commit.decided::<()>(Err(late("u"))).is_err() && commit.decided(Ok(())).is_ok());
        assert_eq!(kind(&commit, unknown("u")), late_kind);
        assert!(commit.decided::<()>(Err(unknown("u"))).is_err());
        assert_eq!(kind(&commit, late("u")), unknown_kind);
        let Err(Error::OutcomeUnknown { table, source }) = commit.outcome::<()>("t", Err(unknown("u"))) else {
            panic!()
        };
        assert_eq!((table.as_str(), source.kind()), ("t", ErrorKind::DeadlineExceeded));
        assert!(commit.outcome("t", Ok(())).is_ok());
    }

    #[test]
    fn an_error_of_opening_names_the_table() {
        let of = |error: Error| error.of_catalog("opening", "users").to_string();
        assert_eq!(of(late("rowkey.layouts")), r#"deadline exceeded: opening, table "users""#);
        assert_eq!(of(late("users")), r#"deadline exceeded: get, table "users""#);
        assert_eq!(of(unknown("rowkey.layouts")), r#"the outcome of the write to table "users" is unknown"#);
        let Error::OutcomeUnknown { source, .. } = unknown("rowkey.layouts").of_catalog("opening", "users") else {
            panic!()
        };
        assert_eq!(source.to_string(), r#"deadline exceeded: opening, table "users""#);
        assert_eq!(of(Error::engine("no right to read table rowkey.layouts")), {
            r#"opening of table "users": no right to read table rowkey.layouts"#
        });
        let reentrant = Error::Reentrant { tables: vec!["rowkey.layouts".to_owned()] };
        assert!(of(reentrant).contains(r#"["users"]"#));
    }

    #[test]
    fn the_crates_own_tables_are_not_named() {
        assert_eq!(late("rowkey.migrations").naming("new").to_string(), r#"deadline exceeded: get, table "new""#);
        let several = late("rowkey.migrations, old, new").naming("new").to_string();
        assert_eq!(several, r#"deadline exceeded: get, table "old, new""#);
    }
}
