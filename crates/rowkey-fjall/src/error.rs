//! What goes wrong on a disk.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;

use rowkey::{Error, ErrorKind};

/// Why a directory, or what is in it, can't be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FjallError {
    /// Another process, or another handle that was opened by itself, has it open.
    #[error("{} is locked: it is open in another process, or twice in this one", .0.display())]
    Locked(PathBuf),
    /// There are files in it, and they are no database.
    #[error("{} has files of something else in it ({found}), and is no fjall database", .path.display())]
    Foreign {
        /// The directory.
        path: PathBuf,
        /// One of the files.
        found: String,
    },
    /// It is a fjall database that others have made tables in.
    #[error("{} is a fjall database of another program: it has a keyspace {keyspace:?}", .path.display())]
    OtherProgram {
        /// The directory.
        path: PathBuf,
        /// The keyspace that is no table of ours.
        keyspace: String,
    },
    /// Its files are of another version of the engine.
    #[error("{} was written by another version of fjall", .0.display())]
    Version(PathBuf),
    /// A file is damaged, or is not there.
    #[error("the database is damaged: {0}")]
    Damaged(String),
    /// The system refused: no permission, no space, no directory.
    #[error("the disk refused: {0}")]
    Disk(std::io::Error),
    /// The engine could not write before, perhaps in the background, as on a full disk. What was answered is kept and can be
    /// read, but nothing more is taken until all handles are dropped and the database is opened anew.
    #[error("the engine could not write before: the database takes no more until it is opened anew")]
    Failed,
    /// The engine failed in a way of its own.
    #[error("fjall failed: {0}")]
    Engine(String),
}

impl FjallError {
    /// What sort of failure it is.
    pub fn kind(&self) -> ErrorKind {
        use std::io::ErrorKind as Io;
        match self {
            Self::Locked(_) => ErrorKind::Busy,
            Self::Foreign { .. } | Self::OtherProgram { .. } | Self::Version(_) => ErrorKind::Mismatch,
            Self::Damaged(_) => ErrorKind::Damaged,
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

    /// The error of a write to tables. The engine writes to its journal first; where that fails, the journal may have the write
    /// all the same, or get it when a buffer is emptied later, and show it when the database is opened anew.
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

/// Runs what may panic in the engine: damaged files make it do so in places.
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
