//! A directory before the engine opens it.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

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
    let journal = |number: &u64| path.join(format!("{number}.jnl"));
    let damaged = |what: String| Err(FjallError::Damaged(what));
    journals.sort_unstable();
    let written = journals.iter().map(|number| std::fs::read(journal(number)).map(journal::without_room));
    let written = written.collect::<std::io::Result<Vec<_>>>().map_err(FjallError::Disk)?;
    let nothing = written.iter().all(Vec::is_empty);
    let tables = path.join("keyspaces");
    if version.unwrap_or(0) == 0 {
        let unfinished = nothing && is_empty(&tables).map_err(FjallError::Disk)?;
        if !unfinished {
            return damaged("its version is not there".to_owned());
        }
        return clear_unfinished(path, journals.iter().map(journal)).map_err(|error| match error.kind() {
            std::io::ErrorKind::WouldBlock => FjallError::Locked(path.to_owned()),
            _ => FjallError::Disk(error),
        });
    }
    if journals.is_empty() {
        return damaged("its journal is not there".to_owned());
    }
    if let Some(pair) = journals.windows(2).find(|pair| pair[1] - pair[0] > 1) {
        return damaged(format!("its journal {}.jnl is not there", pair[0] + 1));
    }
    let mut used = BTreeSet::new();
    for (number, written) in journals.iter().zip(&written) {
        if let Err(place) = journal::tables_written(written, &mut used) {
            return damaged(format!("its journal {number}.jnl is broken in the write that begins at byte {place}"));
        }
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

/// Takes away what was left of a database whose making was killed: it has no `version` yet, which comes last, and nothing was
/// written.
fn clear_unfinished(path: &Path, journals: impl Iterator<Item = PathBuf>) -> std::io::Result<()> {
    let Ok(lock) = std::fs::File::options().write(true).open(path.join("lock")) else { return Ok(()) };
    #[expect(clippy::incompatible_msrv, reason = "the engine needs a later Rust than the crate")]
    lock.try_lock()?;
    for journal in journals {
        std::fs::remove_file(journal)?;
    }
    match std::fs::remove_file(path.join("version")) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}
