//! Why bytes are not a key, and why a cursor is refused.

use std::fmt;

use crate::keys::fingerprint::Fingerprint;

/// Why a cursor is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CursorError {
    /// The text is no cursor: it was cut, altered, or never one.
    #[error("the cursor is malformed: {0}")]
    Malformed(&'static str),
    /// The cursor belongs to keys of another layout.
    #[error("the cursor is one of keys with fingerprint {found}, these have {expected}")]
    OtherLayout {
        /// The cursor's.
        found: Fingerprint,
        /// The table's.
        expected: Fingerprint,
    },
    /// The cursor does not hold a key of this table.
    #[error("the cursor's key is none")]
    NotAKey(#[source] DecodeError),
    /// The cursor's key is not among those that the scan selects.
    #[error("the cursor stands outside the scan's ranges")]
    OutsideScan,
}

/// A buffer for a key of fixed width has another length.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the key has {width} bytes, the buffer {found}")]
pub struct WidthError {
    /// The key's width.
    pub width: usize,
    /// The buffer's length.
    pub found: usize,
}

/// Why bytes are not a key: which key and field, at which byte, and what stood there.
///
/// ```
/// use rowkey::RowKey;
///
/// #[derive(RowKey, Debug)]
/// struct Reading {
///     sensor: u32,
///     valid: bool,
/// }
///
/// let error = Reading::decode(&[0, 0, 0, 1, 7]).unwrap_err();
/// assert_eq!(error.to_string(), "Reading.valid at byte 4: found 07, a bool is 00 or 01");
/// assert_eq!((error.key(), error.field(), error.offset()), ("Reading", "valid", 4));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DecodeError(Box<DecodeErrorParts>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct DecodeErrorParts {
    key: String,
    field: String,
    offset: usize,
    reason: DecodeReason,
}

/// What was wrong with the bytes of a key.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DecodeReason {
    /// The key ends too soon.
    #[error("the key ends here, {needed} more bytes were due")]
    Truncated {
        /// How many bytes are missing.
        needed: usize,
    },
    /// The key goes on behind its last field.
    #[error("{left} bytes are left over, from {found:02x} on")]
    Trailing {
        /// How many bytes are left.
        left: usize,
        /// The first of them.
        found: u8,
    },
    /// Text or bytes without the 00 (FF where descending) that ends them.
    #[error("the terminator {terminator:02x} is missing")]
    Unterminated {
        /// The byte that was due.
        terminator: u8,
    },
    /// Not a valid escape.
    #[error("found {found:02x} behind the escape byte, only {first:02x} and {second:02x} stand there")]
    Escape {
        /// What was found, as it stands in the key.
        found: u8,
        /// The first of the two that may stand there.
        first: u8,
        /// The second.
        second: u8,
    },
    /// A byte that its type does not have.
    #[error("found {found:02x}, {expected}")]
    Byte {
        /// What was found, as it stands in the key.
        found: u8,
        /// What may stand there.
        expected: String,
    },
    /// Text that is not UTF-8.
    #[error("the text is not UTF-8")]
    Utf8,
    /// A value that its type does not have.
    #[error("found {found}, {expected}")]
    Value {
        /// The value.
        found: String,
        /// What it should have been.
        expected: &'static str,
    },
    /// Salt or digest do not belong to the key.
    #[error("found {kind} {found}, this key's is {expected}")]
    Lead {
        /// `salt` or `digest`.
        kind: &'static str,
        /// What was found, in hex.
        found: String,
        /// What it should have been.
        expected: String,
    },
    /// Text or bytes that hold escapes can't be borrowed as they are.
    #[error("the value is escaped, so it can't be borrowed: make the field a Cow")]
    NotBorrowable,
    /// Not a valid host path.
    #[error(transparent)]
    HostPath(#[from] crate::keys::host::HostPathError),
    /// Not a valid URL, or not in the one form that a key has.
    #[error("{0}")]
    Url(String),
    /// A layout alone can't read this field.
    #[error("{0}")]
    Unreadable(String),
}

impl DecodeError {
    #[cold]
    pub(crate) fn new(offset: usize, reason: DecodeReason) -> Self {
        Self(Box::new(DecodeErrorParts { key: String::new(), field: String::new(), offset, reason }))
    }

    /// The same error, in a field of what was being read.
    #[cold]
    pub(crate) fn in_field(mut self, name: &str) -> Self {
        let inner = std::mem::take(&mut self.0.field);
        let dot = if inner.is_empty() || inner.starts_with('[') { "" } else { "." };
        self.0.field = format!("{name}{dot}{inner}");
        self
    }

    /// The same error, in a key of this name.
    #[cold]
    pub(crate) fn in_key(mut self, name: &str) -> Self {
        self.0.key = name.to_owned();
        self
    }

    /// The key type's name.
    pub fn key(&self) -> &str {
        &self.0.key
    }

    /// The path to the field, names joined by dots, list items as `[n]`; empty for the key as a whole.
    pub fn field(&self) -> &str {
        &self.0.field
    }

    /// The byte of the key, from 0, where it went wrong.
    pub fn offset(&self) -> usize {
        self.0.offset
    }

    /// What was wrong there.
    pub fn reason(&self) -> &DecodeReason {
        &self.0.reason
    }
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let DecodeErrorParts { key, field, offset, reason } = &*self.0;
        let dot = if key.is_empty() || field.is_empty() { "" } else { "." };
        let at = if key.is_empty() && field.is_empty() { "" } else { " " };
        write!(f, "{key}{dot}{field}{at}at byte {offset}: {reason}")
    }
}

impl std::error::Error for DecodeError {}

/// Bytes as lower-case hex.
pub(crate) struct Hex<'a>(pub(crate) &'a [u8]);

impl fmt::Display for Hex<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// Bytes as HBase's shell shows them: printable ASCII as it is, the rest as `\x00`.
pub(crate) struct Printable<'a>(pub(crate) &'a [u8]);

impl fmt::Display for Printable<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|&byte| match byte {
            b' '..=b'~' if byte != b'\\' => write!(f, "{}", char::from(byte)),
            _ => write!(f, "\\x{byte:02x}"),
        })
    }
}
