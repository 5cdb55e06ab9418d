//! Checks of a directory before the engine opens it.

use std::collections::BTreeSet;
use std::fs::{File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use lsm_tree::{AbstractTree, Guard, SequenceNumberCounter};
use xxhash_rust::xxh3::xxh3_128;

use crate::error::{FjallError, guarded};
use crate::files::{journal_number, journal_path};
use crate::journal::written;
use crate::journals::{self, Journals};
use crate::record::{self, Record};
use crate::strangers::is_stranger;

/// The result of the check of a directory.
#[derive(Default)]
pub(super) struct Checked {
    /// The first sequence number that is not used in the engine's list of tables. The engine continues from the rows
    /// only, which may be lower: an older entry would then hide a later one, and a table's number would have two names.
    pub(super) next: u64,
    pub(super) journals: Journals,
}

/// Checks a directory: refuses one that contains something else, and reports damage by which the engine would silently
/// lose rows. Cuts off what a crash left of writes that did not reach the disk; and with `truncate` also what is behind
/// damage of the journals.
pub(super) fn check(path: &Path, truncate: bool) -> Result<Checked, FjallError> {
    if !Found::list(path)?.begun {
        return Ok(Checked::default());
    }
    // Nothing is checked while another process writes. The engine takes the lock itself afterwards. The lock is the
    // first file of a new database: another process may just have begun to create one.
    let _lock = lock(path)?;
    let Found { version, journals, .. } = Found::list(path)?;
    let damaged = |what: &str| Err(FjallError::Damaged(what.to_owned()));
    let no_writes = || {
        let mut all = journals.iter().map(|&number| std::fs::read(journal_path(path, number)));
        all.try_fold(true, |none, journal| Ok(none && written(&journal?) == 0)).map_err(FjallError::Disk)
    };
    let tables = path.join("keyspaces");
    // It is written in two pieces, and synced only then.
    if version.is_none_or(|version| version.len() < VERSION || version.iter().all(|&byte| byte == 0)) {
        let unfinished = no_writes()? && is_empty(&tables).map_err(FjallError::Disk)?;
        if !unfinished {
            return damaged("its version is not there");
        }
        clear_unfinished(path, &journals).map_err(FjallError::Disk)?;
        return Ok(Checked::default());
    }
    if journals.is_empty() {
        return damaged("its journal is not there");
    }
    for table in directories(&tables)? {
        check_files(&table)?;
    }
    // Without the list of tables the engine takes every table for a leftover, and deletes it.
    let register = tables.join("0");
    let (registered, next) = match std::fs::exists(register.join("current")).map_err(FjallError::Disk)? {
        true => read_register(&register)?,
        false if journals == [0] && no_writes()? => (BTreeSet::new(), 0),
        false => return damaged("its register of tables is not there"),
    };
    // The engine takes a table without `current` for an unfinished one, and deletes it. But a table is listed only once
    // it is created, and its files are deleted only once it is no longer listed.
    for number in &registered {
        let table = tables.join(number.to_string());
        if !std::fs::exists(table.join("current")).map_err(FjallError::Disk)? {
            return damaged(&format!("the file `current` of {} is not there", table.display()));
        }
    }
    let journals = journals::check(path, &journals, &registered, truncate)?;
    Ok(Checked { next, journals })
}

/// Length of the file `version`.
const VERSION: usize = 4;

/// The contents of a database's directory.
struct Found {
    /// The file `version`, if there is one.
    version: Option<Vec<u8>>,
    journals: Vec<u64>,
    /// True if there is any file of the database.
    begun: bool,
}

impl Found {
    fn list(path: &Path) -> Result<Self, FjallError> {
        let mut found = Self { version: None, journals: Vec::new(), begun: false };
        let files = match std::fs::read_dir(path) {
            Ok(files) => files,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(found),
            Err(error) => return Err(FjallError::Disk(error)),
        };
        for file in files {
            let file = file.map_err(FjallError::Disk)?;
            let name = file.file_name();
            let name = name.to_string_lossy();
            match (&*name, journal_number(&name)) {
                ("version", _) => found.version = Some(std::fs::read(file.path()).map_err(FjallError::Disk)?),
                ("lock" | "keyspaces" | record::NAME | record::NEW, _) => {}
                (_, Some(number)) => found.journals.push(number),
                (name, _) if is_stranger(name) => continue,
                _ => return Err(FjallError::Foreign { path: path.to_owned(), found: name.into_owned() }),
            }
            found.begun = true;
        }
        found.journals.sort_unstable();
        Ok(found)
    }
}

/// The directories of tables. Any other directory in there makes the engine panic, and so abort.
fn directories(path: &Path) -> Result<Vec<PathBuf>, FjallError> {
    let mut all = Vec::new();
    let entries = std::fs::read_dir(path).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => FjallError::Damaged("its folder `keyspaces` is not there".to_owned()),
        _ => FjallError::Disk(error),
    })?;
    for entry in entries {
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
        for file in std::fs::read_dir(&files).map_err(FjallError::Disk)? {
            let file = file.map_err(FjallError::Disk)?;
            let name = file.file_name().to_string_lossy().into_owned();
            // The engine passes over these two, and takes any other name for damage.
            let is_passed_over = name == ".DS_Store" || name.starts_with("._");
            if !is_passed_over && name.parse::<u64>().is_err() {
                return Err(FjallError::Foreign { path: files, found: name });
            }
            if file.path().is_dir() {
                return damaged("a file");
            }
        }
    }
    let current = match std::fs::read(table.join("current")) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        current => current.map_err(FjallError::Disk)?,
    };
    let Some((version, Some((checksum, [0])))) =
        current.split_first_chunk().map(|(version, rest)| (version, rest.split_first_chunk()))
    else {
        return damaged("the file `current`");
    };
    let listed = table.join(format!("v{}", u64::from_le_bytes(*version)));
    let listed = match std::fs::read(listed) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return damaged("the list of the files"),
        listed => listed.map_err(FjallError::Disk)?,
    };
    match xxh3_128(&listed) == u128::from_le_bytes(*checksum) {
        true => Ok(()),
        false => damaged("the list of the files"),
    }
}

/// The numbers of the tables, and the first sequence number after those of the list of tables.
fn read_register(path: &Path) -> Result<(BTreeSet<u64>, u64), FjallError> {
    guarded(|| {
        let counter = SequenceNumberCounter::default;
        let register = lsm_tree::Config::new(path, counter(), counter()).open()?;
        let mut numbers = BTreeSet::new();
        for entry in register.prefix(b"n", u64::MAX, None) {
            if let Ok(number) = entry.key()?[1..].try_into() {
                numbers.insert(u64::from_be_bytes(number));
            }
        }
        Ok((numbers, register.get_highest_persisted_seqno().map_or(0, |last| last + 1)))
    })
}

fn is_empty(directory: &Path) -> io::Result<bool> {
    let files = match std::fs::read_dir(directory) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(true),
        files => files?,
    };
    for file in files {
        if !is_stranger(&file?.file_name().to_string_lossy()) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Takes the lock of a database; whoever has it is the only one who has the database open. The file is empty, so a copy
/// of the directory may lack it.
fn lock(path: &Path) -> Result<File, FjallError> {
    let mut options = File::options();
    let lock = options.read(true).write(true).create(true).truncate(false).open(path.join("lock"));
    let lock = lock.map_err(FjallError::Disk)?;
    // As long as the engine itself waits for a database that is being closed.
    for _ in 0..3 {
        match lock.try_lock() {
            Ok(()) => return Ok(lock),
            Err(TryLockError::WouldBlock) => std::thread::sleep(Duration::from_millis(100)),
            Err(TryLockError::Error(error)) => return Err(FjallError::Disk(error)),
        }
    }
    Err(FjallError::Locked(path.to_owned()))
}

/// Removes the files of a database whose creation was interrupted: `version`, which is written last, is not complete,
/// and there are no rows.
fn clear_unfinished(path: &Path, journals: &[u64]) -> io::Result<()> {
    Record::remove(path)?;
    for &journal in journals {
        std::fs::remove_file(journal_path(path, journal))?;
    }
    match std::fs::remove_file(path.join("version")) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}
