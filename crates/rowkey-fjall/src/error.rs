//! Errors of the engine and the disk.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use rowkey::{Error, ErrorKind};

/// The error of opening or using a database.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FjallError {
    /// The database is open in another process, or was opened twice in this one.
    #[error("{} is locked: it is open in another process, or twice in this one", .0.display())]
    Locked(PathBuf),
    /// The directory, or a folder of the database in it, contains a file of something else.
    #[error("{} contains {found}, which is no file of a fjall database", .path.display())]
    Foreign {
        /// The directory.
        path: PathBuf,
        /// One of the files.
        found: String,
    },
    /// The database has keyspaces of another program.
    #[error("{} belongs to another program: it has the keyspace {keyspace:?}", .path.display())]
    OtherProgram {
        /// The directory.
        path: PathBuf,
        /// The keyspace that is not a table of this crate.
        keyspace: String,
    },
    /// The files are of another version of the engine.
    #[error("{} was written by another version of fjall", .0.display())]
    Version(PathBuf),
    /// A file is damaged or missing.
    #[error("the database is damaged: {0}")]
    Damaged(String),
    /// A journal is damaged, or one of several is missing.
    /// [`FjallOptions::truncate_damaged_journal`](crate::FjallOptions::truncate_damaged_journal) opens the database
    /// without the writes from there on.
    #[error("the database is damaged: its journal {} {what}; {}", file_name(.path), way_in(*.at, *.cut))]
    Journal {
        /// The journal.
        path: PathBuf,
        /// The kind of damage, as text.
        what: String,
        /// The number of bytes that can be read.
        at: u64,
        /// The length of what would be cut off: the bytes of writes from there on, in this journal and in later ones.
        cut: u64,
    },
    /// The operating system returned an error: no permission, no space, no directory.
    #[error("I/O error: {0}")]
    Disk(std::io::Error),
    /// An earlier write of the engine failed, perhaps in the background, as on a full disk. Committed rows can be read.
    /// Writes are refused until all handles are dropped and the database is opened again.
    #[error("an earlier write failed: the database refuses writes until it is opened again")]
    Failed,
    /// Any other error of the engine.
    #[error("fjall failed: {0}")]
    Engine(String),
}

impl FjallError {
    /// The kind of the error.
    pub fn kind(&self) -> ErrorKind {
        use std::io::ErrorKind as Io;
        match self {
            Self::Locked(_) => ErrorKind::Busy,
            Self::Foreign { .. } | Self::OtherProgram { .. } | Self::Version(_) => ErrorKind::Mismatch,
            Self::Damaged(_) | Self::Journal { .. } => ErrorKind::Damaged,
            Self::Disk(error) => match error.kind() {
                Io::PermissionDenied | Io::ReadOnlyFilesystem => ErrorKind::PermissionDenied,
                Io::NotFound => ErrorKind::NotFound,
                Io::InvalidData | Io::UnexpectedEof => ErrorKind::Damaged,
                Io::WouldBlock | Io::Interrupted | Io::ResourceBusy => ErrorKind::Busy,
                _ => ErrorKind::Other,
            },
            Self::Failed | Self::Engine(_) => ErrorKind::Other,
        }
    }

    /// The error of a write to tables. The engine writes to its journal first. If that fails, the write may be in the
    /// journal, or get there when a buffer is flushed later, and is replayed when the database is opened again. So the
    /// outcome is unknown.
    #[cold]
    pub(super) fn of_write<'t>(self, tables: impl IntoIterator<Item = &'t str>) -> Error {
        match self {
            Self::Failed => self.into(),
            error => Error::OutcomeUnknown {
                table: tables.into_iter().collect::<Vec<_>>().join(", "),
                source: Box::new(error.into()),
            },
        }
    }
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

fn way_in(at: u64, cut: u64) -> String {
    let opens = "`FjallOptions::truncate_damaged_journal` opens it";
    match cut {
        0 => format!("{opens} as it is"),
        _ => format!("{opens} and cuts off {cut} bytes of writes, from byte {at} of this journal on"),
    }
}

impl From<FjallError> for Error {
    fn from(error: FjallError) -> Self {
        Self::engine_of(error.kind(), error)
    }
}

impl From<fjall::Error> for FjallError {
    fn from(error: fjall::Error) -> Self {
        use fjall::Error as E;
        match error {
            E::Io(error) => Self::Disk(error),
            E::Storage(fjall::LsmError::Io(error)) => Self::Disk(error),
            E::Poisoned => Self::Failed,
            E::Storage(error) => Self::Damaged(error.to_string()),
            E::JournalRecovery(error) => Self::Damaged(error.to_string()),
            E::Decompress(_) | E::InvalidTrailer | E::InvalidTag(_) | E::Unrecoverable => {
                Self::Damaged(error.to_string())
            }
            other => Self::Engine(other.to_string()),
        }
    }
}

/// Runs what may panic in the engine: damaged files make it panic in some places.
pub(super) fn guarded<T>(run: impl FnOnce() -> Result<T, fjall::Error>) -> Result<T, FjallError> {
    match catch_unwind(AssertUnwindSafe(run)) {
        Ok(result) => Ok(result?),
        Err(panic) => {
            let message: &str = match (panic.downcast_ref::<&str>(), panic.downcast_ref::<String>()) {
                (Some(text), _) => text,
                (_, Some(text)) => text,
                _ => "no message",
            };
            Err(FjallError::Damaged(format!("fjall panicked: {message}")))
        }
    }
}
