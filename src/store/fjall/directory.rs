//! A directory before the engine opens it.

use std::collections::BTreeSet;
use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::{FjallError, journal};

/// A directory that has something else in it is left as it is, and what the engine would lose without a word is told.
pub(super) fn check(path: &Path) -> Result<(), FjallError> {
    let files = match std::fs::read_dir(path) {
        Ok(files) => files,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(FjallError::Disk(error)),
    };
    let (mut version, mut journals) = (None, Vec::new());
    for file in files {
        let file = file.map_err(FjallError::Disk)?;
        let name = file.file_name();
        let name = name.to_string_lossy();
        match (&*name, name.strip_suffix(".jnl").map(str::parse::<u64>)) {
            ("version", _) => version = Some(file.metadata().map_err(FjallError::Disk)?.len()),
            ("lock" | "keyspaces", _) => {}
            (_, Some(Ok(number))) => journals.push(number),
            _ => return Err(FjallError::Foreign { path: path.to_owned(), found: name.into_owned() }),
        }
    }
    // While another process writes there is nothing to be seen. The engine takes the lock for itself afterwards.
    let _lock = lock(path)?;
    let journal = |number: &u64| path.join(format!("{number}.jnl"));
    let damaged = |what: String| Err(FjallError::Damaged(what));
    journals.sort_unstable();
    let (mut nothing, mut used, mut broken) = (true, BTreeSet::new(), None);
    for number in &journals {
        let written = journal::without_room(std::fs::read(journal(number)).map_err(FjallError::Disk)?);
        nothing &= written.is_empty();
        if let Err(place) = journal::tables_written(&written, &mut used) {
            broken = broken.or(Some((number, place)));
        }
    }
    let tables = path.join("keyspaces");
    if version.unwrap_or(0) == 0 {
        let unfinished = nothing && is_empty(&tables).map_err(FjallError::Disk)?;
        if !unfinished {
            return damaged("its version is not there".to_owned());
        }
        return clear_unfinished(path, journals.iter().map(journal)).map_err(FjallError::Disk);
    }
    if journals.is_empty() {
        return damaged("its journal is not there".to_owned());
    }
    if let Some(pair) = journals.windows(2).find(|pair| pair[1] - pair[0] > 1) {
        return damaged(format!("its journal {}.jnl is not there", pair[0] + 1));
    }
    if let Some((number, place)) = broken {
        return damaged(format!("its journal {number}.jnl is broken in the write that begins at byte {place}"));
    }
    // A table that has no `current` is taken for one whose making was killed, and dropped.
    for table in directories(&tables).map_err(FjallError::Disk)? {
        let number = table.file_name().and_then(|name| name.to_str()?.parse().ok());
        let files = is_empty(&table.join("tables")).map_err(FjallError::Disk)?;
        let used = !files || number.is_some_and(|number: u64| used.contains(&number));
        if used && !std::fs::exists(table.join("current")).map_err(FjallError::Disk)? {
            return damaged(format!("the file `current` of {} is not there", table.display()));
        }
    }
    // Without its register the engine takes every table for left over, and drops it.
    let there = std::fs::exists(tables.join("0").join("current")).map_err(FjallError::Disk)?;
    match there || (nothing && journals == [0]) {
        true => Ok(()),
        false => damaged("its register of tables is not there".to_owned()),
    }
}

fn directories(path: &Path) -> std::io::Result<Vec<PathBuf>> {
    let mut all = Vec::new();
    for entry in std::fs::read_dir(path)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            all.push(entry.path());
        }
    }
    Ok(all)
}

fn is_empty(directory: &Path) -> std::io::Result<bool> {
    match std::fs::read_dir(directory) {
        Ok(mut files) => Ok(files.next().is_none()),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(true),
        Err(error) => Err(error),
    }
}

/// The lock of a database, if it is there: who has it is the only one who has the database open.
#[expect(clippy::incompatible_msrv, reason = "the engine needs a later Rust than the crate")]
fn lock(path: &Path) -> Result<Option<File>, FjallError> {
    let Ok(lock) = File::options().read(true).write(true).open(path.join("lock")) else { return Ok(None) };
    // As long as the engine itself waits for a database that is being closed.
    for _ in 0..3 {
        match lock.try_lock() {
            Ok(()) => return Ok(Some(lock)),
            Err(TryLockError::WouldBlock) => std::thread::sleep(Duration::from_millis(100)),
            Err(TryLockError::Error(error)) => return Err(FjallError::Disk(error)),
        }
    }
    Err(FjallError::Locked(path.to_owned()))
}

/// Takes away what was left of a database whose making was killed: it has no `version` yet, which comes last, and nothing was
/// written.
fn clear_unfinished(path: &Path, journals: impl Iterator<Item = PathBuf>) -> std::io::Result<()> {
    for journal in journals {
        std::fs::remove_file(journal)?;
    }
    match std::fs::remove_file(path.join("version")) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}
