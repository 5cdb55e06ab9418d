//! Checks of a directory before the engine opens it.

use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};
use std::time::Duration;

use lsm_tree::{AbstractTree, Guard, SequenceNumberCounter};
use xxhash_rust::xxh3::xxh3_128;

use crate::error::{FjallError, guarded};
use crate::journal;

/// Checks a directory: refuses one that contains something else, and reports damage by which the engine would silently
/// lose rows.
///
/// Returns the first sequence number that is not used in the engine's list of tables. The engine continues from the
/// rows only, which may be lower: an older entry would then hide a later one, and a table's number would have two
/// names.
pub(super) fn check(path: &Path) -> Result<u64, FjallError> {
    // Nothing is checked while another process writes. The engine takes the lock itself afterwards.
    let lock = lock(path)?;
    let mut found = Found::list(path)?;
    // The lock is the first file of a new database: another process has just begun to create one.
    let _lock = match lock.is_none() && found.begun {
        true => {
            let lock = self::lock(path)?;
            found = Found::list(path)?;
            lock
        }
        false => lock,
    };
    let Found { version, journals, begun } = found;
    if !begun {
        return Ok(0);
    }
    let journal = |number: &u64| path.join(format!("{number}.jnl"));
    let damaged = |what: String| Err(FjallError::Damaged(what));
    let (mut nothing, mut broken) = (true, None);
    for number in &journals {
        let written = journal::without_room(std::fs::read(journal(number)).map_err(FjallError::Disk)?);
        nothing &= written.is_empty();
        if let Err(place) = journal::check(&written) {
            broken = broken.or(Some((number, place)));
        }
    }
    let tables = path.join("keyspaces");
    if version.is_none_or(|len| len < VERSION) {
        let unfinished = nothing && is_empty(&tables).map_err(FjallError::Disk)?;
        if !unfinished {
            return damaged("its version is not there".to_owned());
        }
        clear_unfinished(path, journals.iter().map(journal)).map_err(FjallError::Disk)?;
        return Ok(0);
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
    for table in directories(&tables)? {
        check_files(&table)?;
    }
    // Without the list of tables the engine takes every table for a leftover, and deletes it.
    let register = tables.join("0");
    if !std::fs::exists(register.join("current")).map_err(FjallError::Disk)? {
        return match nothing && journals == [0] {
            true => Ok(0),
            false => damaged("its register of tables is not there".to_owned()),
        };
    }
    let (registered, next) = read_register(&register)?;
    // The engine takes a table without `current` for an unfinished one, and deletes it. But a table is listed only once
    // it is created, and its files are deleted only once it is no longer listed.
    for number in registered {
        let table = tables.join(number.to_string());
        if !std::fs::exists(table.join("current")).map_err(FjallError::Disk)? {
            return damaged(format!("the file `current` of {} is not there", table.display()));
        }
    }
    Ok(next)
}

/// Length of the file `version`.
const VERSION: u64 = 4;

/// What is in the directory of a database.
struct Found {
    /// Length of the file `version`, if there is one.
    version: Option<u64>,
    journals: Vec<u64>,
    /// Whether there are any files.
    begun: bool,
}

impl Found {
    fn list(path: &Path) -> Result<Self, FjallError> {
        let mut found = Self { version: None, journals: Vec::new(), begun: false };
        let files = match std::fs::read_dir(path) {
            Ok(files) => files,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(found),
            Err(error) => return Err(FjallError::Disk(error)),
        };
        for file in files {
            let file = file.map_err(FjallError::Disk)?;
            let name = file.file_name();
            let name = name.to_string_lossy();
            match (&*name, name.strip_suffix(".jnl").map(str::parse::<u64>)) {
                ("version", _) => found.version = Some(file.metadata().map_err(FjallError::Disk)?.len()),
                ("lock" | "keyspaces", _) => {}
                (_, Some(Ok(number))) => found.journals.push(number),
                _ => return Err(FjallError::Foreign { path: path.to_owned(), found: name.into_owned() }),
            }
            found.begun = true;
        }
        found.journals.sort_unstable();
        Ok(found)
    }
}

/// The directories of tables. Anything else in there makes the engine panic, and so abort.
fn directories(path: &Path) -> Result<Vec<PathBuf>, FjallError> {
    let mut all = Vec::new();
    for entry in std::fs::read_dir(path).map_err(FjallError::Disk)? {
        let entry = entry.map_err(FjallError::Disk)?;
        if entry.file_type().map_err(FjallError::Disk)?.is_file() {
            continue;
        }
        let name = entry.file_name();
        if name.to_str().is_none_or(|name| name.parse::<u64>().is_err()) {
            let found = name.to_string_lossy().into_owned();
            return Err(FjallError::Foreign { path: path.to_owned(), found });
        }
        all.push(entry.path());
    }
    Ok(all)
}

/// Checks the checksum of the list of a table's files, which the engine does not verify. With a wrong list, rows would
/// be missing or not visible.
fn check_files(table: &Path) -> Result<(), FjallError> {
    let damaged = |what: &str| Err(FjallError::Damaged(format!("{what} of {} is another one", table.display())));
    let files = table.join("tables");
    if !is_empty(&files).map_err(FjallError::Disk)? {
        for file in std::fs::read_dir(files).map_err(FjallError::Disk)? {
            if file.map_err(FjallError::Disk)?.path().is_dir() {
                return damaged("a file");
            }
        }
    }
    let current = match std::fs::read(table.join("current")) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        current => current.map_err(FjallError::Disk)?,
    };
    let Some((version, Some((checksum, [0])))) =
        current.split_first_chunk().map(|(version, rest)| (version, rest.split_first_chunk()))
    else {
        return damaged("the file `current`");
    };
    let listed = table.join(format!("v{}", u64::from_le_bytes(*version)));
    let listed = match std::fs::read(listed) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return damaged("the list of the files"),
        listed => listed.map_err(FjallError::Disk)?,
    };
    match xxh3_128(&listed) == u128::from_le_bytes(*checksum) {
        true => Ok(()),
        false => damaged("the list of the files"),
    }
}

/// The numbers of the tables, and the first sequence number after those of the list of tables.
fn read_register(path: &Path) -> Result<(Vec<u64>, u64), FjallError> {
    guarded(|| {
        let counter = SequenceNumberCounter::default;
        let register = lsm_tree::Config::new(path, counter(), counter()).open()?;
        let mut numbers = Vec::new();
        for entry in register.prefix(b"n", u64::MAX, None) {
            if let Ok(number) = entry.key()?[1..].try_into() {
                numbers.push(u64::from_be_bytes(number));
            }
        }
        Ok((numbers, register.get_highest_persisted_seqno().map_or(0, |last| last + 1)))
    })
}

fn is_empty(directory: &Path) -> std::io::Result<bool> {
    match std::fs::read_dir(directory) {
        Ok(mut files) => Ok(files.next().is_none()),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(true),
        Err(error) => Err(error),
    }
}

/// Takes the lock of a database, if the file exists. Whoever has it is the only one who has the database open.
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

/// Removes the files of a database whose creation was interrupted: `version`, which is written last, is not complete,
/// and there are no rows.
fn clear_unfinished(path: &Path, journals: impl Iterator<Item = PathBuf>) -> std::io::Result<()> {
    for journal in journals {
        std::fs::remove_file(journal)?;
    }
    match std::fs::remove_file(path.join("version")) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}
