//! What goes wrong on a disk.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;

use crate::error::Error;

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
    /// A key has more than 65,535 bytes, a table's name more than 254, a value more than 1 GiB.
    #[error("{what} of {len} bytes, where {most} are the most")]
    TooLong {
        /// A key, a table's name or a value.
        what: &'static str,
        /// How long it is.
        len: usize,
        /// How long it may be.
        most: usize,
    },
    /// The engine failed in a way of its own.
    #[error("fjall failed: {0}")]
    Engine(String),
}

impl From<FjallError> for Error {
    fn from(error: FjallError) -> Self {
        Self::engine(error)
    }
}

impl From<::fjall::Error> for FjallError {
    fn from(error: ::fjall::Error) -> Self {
        use ::fjall::Error as E;
        match error {
            E::Io(error) => Self::Disk(error),
            E::Storage(::fjall::LsmError::Io(error)) => Self::Disk(error),
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
pub(super) fn guarded<T>(run: impl FnOnce() -> Result<T, ::fjall::Error>) -> Result<T, FjallError> {
    match catch_unwind(AssertUnwindSafe(run)) {
        Ok(result) => Ok(result?),
        Err(panic) => Err(FjallError::Damaged(Error::panicked("fjall", &*panic).to_string())),
    }
}
