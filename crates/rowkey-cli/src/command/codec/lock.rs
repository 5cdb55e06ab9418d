//! The lock of a folder: one run at a time.

use std::fs::{self, OpenOptions};
use std::io;
use std::path::Path;

use fd_lock::RwLock;

use crate::failure::Failure;

/// The file that is locked, and there during a run alone. A run that is killed leaves it, without its lock.
pub(super) const FILE: &str = ".rowkey-codec.lock";

/// Works on a folder, which is made if it is not there, while no other run does.
pub(super) fn alone<T>(folder: &Path, work: impl FnOnce() -> Result<T, Failure>) -> Result<T, Failure> {
    let path = folder.join(FILE);
    let cannot = |what: &Path, error| Failure::new(format!("cannot write {}: {error}", what.display()));
    fs::create_dir_all(folder).map_err(|error| cannot(folder, error))?;
    let file = OpenOptions::new().write(true).create(true).truncate(false).open(&path);
    let mut lock = RwLock::new(file.map_err(|error| cannot(&path, error))?);
    let held = match lock.try_write() {
        // Bytes are of a run that removed the file after this one had opened it: a third may have made it anew.
        Ok(file) if file.metadata().is_ok_and(|file| file.len() == 0) => Some(file),
        // A file system without locks.
        Err(error) if error.kind() == io::ErrorKind::Unsupported => None,
        Err(error) if error.kind() != io::ErrorKind::WouldBlock => return Err(cannot(&path, error)),
        Ok(_) | Err(_) => return Err(busy(folder, &path)),
    };
    let done = work();
    if let (Ok(()), Some(file)) = (fs::remove_file(&path), held) {
        _ = file.set_len(1);
    }
    done
}

fn busy(folder: &Path, file: &Path) -> Failure {
    Failure::new(format!(
        "another run is at work in {}: nothing is written; if none is, remove {}",
        folder.display(),
        file.display()
    ))
}
