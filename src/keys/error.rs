//! The errors of decoding keys and of cursors.

use std::fmt;

use crate::keys::fingerprint::Fingerprint;

/// Why a [`Cursor`](crate::Cursor) is not valid here.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CursorError {
    /// The text is not a cursor: it is truncated, altered, or something else.
    #[error("the cursor is malformed: {0}")]
    Malformed(&'static str),
    /// The cursor is of a table whose keys have another layout.
    #[error("the cursor is of keys with fingerprint {found}, but this table's is {expected}")]
    OtherLayout {
        /// The cursor's fingerprint.
        found: Fingerprint,
        /// The table's fingerprint.
        expected: Fingerprint,
    },
    /// The cursor does not hold a key of this table.
    #[error("the cursor does not hold a key of this table")]
    NotAKey(#[source] DecodeError),
    /// The checkpoint is of another job, or of one over other tables: rows would be skipped.
    #[error("the checkpoint is of another job, or of other tables: start the job without it")]
    OtherJob,
    /// The cursor is of another scan: this one does not select its key.
    #[error("the cursor is outside the scan's ranges")]
    OutsideScan,
}

/// The error of `encode_into`: the buffer's length is not the key's width.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the key has {width} bytes, but the buffer has {found}")]
#[non_exhaustive]
pub struct WidthError {
    /// The key's width, in bytes.
    pub width: usize,
    /// The buffer's length, in bytes.
    pub found: usize,
}

/// Why bytes are not a valid key: which key and field, at which byte, what was found and what was expected.
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

/// The reason why the bytes are not a valid key.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DecodeReason {
    /// The key ends too early.
    #[error("the key ends here, expected {needed} more bytes")]
    Truncated {
        /// The number of missing bytes.
        needed: usize,
    },
    /// The key has more bytes after its last field.
    #[error("{left} bytes are left after the last field, from {found:02x} on")]
    Trailing {
        /// The number of bytes left.
        left: usize,
        /// The first of them.
        found: u8,
    },
    /// Text or bytes without the terminator that ends them, 00 (FF in a descending field).
    #[error("the terminator {terminator:02x} is missing")]
    Unterminated {
        /// The expected byte.
        terminator: u8,
    },
    /// Not a valid escape.
    #[error("found {found:02x} after the escape byte, expected {first:02x} or {second:02x}")]
    Escape {
        /// The byte found, as it is in the key.
        found: u8,
        /// The first of the two valid bytes.
        first: u8,
        /// The second of the two valid bytes.
        second: u8,
    },
    /// A byte that is not valid for its type.
    #[error("found {found:02x}, {expected}")]
    Byte {
        /// The byte found, as it is in the key.
        found: u8,
        /// The valid bytes, as in "a bool is 00 or 01".
        expected: String,
    },
    /// Text that is not UTF-8.
    #[error("the text is not UTF-8")]
    Utf8,
    /// A value that is not valid for its type.
    #[error("found {found}, {expected}")]
    Value {
        /// The value found.
        found: String,
        /// The valid values, as in "nanoseconds are below 1000000000".
        expected: &'static str,
    },
    /// The salt or digest before the fields is not that of the fields.
    #[error("found {kind} {found}, this key's is {expected}")]
    Lead {
        /// `salt` or `digest`.
        kind: &'static str,
        /// The bytes found, in hex.
        found: String,
        /// The bytes that the fields give, in hex.
        expected: String,
    },
    /// The field borrows, but its value is escaped in the key and has to be copied.
    #[error("the value is escaped, so it can't be borrowed: make the field a Cow")]
    NotBorrowable,
    /// Not a valid host path.
    #[error(transparent)]
    HostPath(#[from] crate::keys::host::HostPathError),
    /// Not a valid URL, or not in the one form that a URL has in a key.
    #[error("{0}")]
    Url(String),
    /// This field can't be read without the key's Rust type.
    #[error("{0}")]
    Unreadable(String),
}

impl DecodeError {
    #[cold]
    pub(crate) fn new(offset: usize, reason: DecodeReason) -> Self {
        Self(Box::new(DecodeErrorParts { key: String::new(), field: String::new(), offset, reason }))
    }

    /// The same error within a field of this name.
    #[cold]
    pub(crate) fn in_field(mut self, name: &str) -> Self {
        let inner = std::mem::take(&mut self.0.field);
        let dot = if inner.is_empty() || inner.starts_with('[') { "" } else { "." };
        self.0.field = format!("{name}{dot}{inner}");
        self
    }

    /// The same error within a key of this name.
    #[cold]
    pub(crate) fn in_key(mut self, name: &str) -> Self {
        self.0.key = name.to_owned();
        self
    }

    /// The key type's name.
    pub fn key(&self) -> &str {
        &self.0.key
    }

    /// The path to the field: names joined by dots, list items as `[n]`. Empty if the error is of the key as a whole.
    pub fn field(&self) -> &str {
        &self.0.field
    }

    /// The byte of the key, counted from 0, where the error is.
    pub fn offset(&self) -> usize {
        self.0.offset
    }

    /// The reason of the error.
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

/// A value as an error quotes it: its beginning, however long or deeply nested it is.
#[cold]
pub(crate) fn quoted(value: &dyn fmt::Display) -> String {
    const MOST: usize = 200;
    struct Bounded(String);
    impl fmt::Write for Bounded {
        fn write_str(&mut self, text: &str) -> fmt::Result {
            let mut fits = text.len().min(MOST - self.0.len());
            while !text.is_char_boundary(fits) {
                fits -= 1;
            }
            self.0.push_str(&text[..fits]);
            // The error ends the formatting of the rest.
            if fits < text.len() { Err(fmt::Error) } else { Ok(()) }
        }
    }
    let mut quoted = Bounded(String::new());
    match fmt::write(&mut quoted, format_args!("{value}")) {
        Ok(()) => quoted.0,
        Err(fmt::Error) => quoted.0 + "…",
    }
}

/// Bytes as HBase's shell shows them: printable ASCII unchanged, other bytes as in `\x00`.
pub(crate) struct Printable<'a>(pub(crate) &'a [u8]);

impl fmt::Display for Printable<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|&byte| match byte {
            b' '..=b'~' if byte != b'\\' => write!(f, "{}", char::from(byte)),
            _ => write!(f, "\\x{byte:02x}"),
        })
    }
}
