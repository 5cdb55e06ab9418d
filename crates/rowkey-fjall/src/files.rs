//! Names of a database's files, and their durability.

use std::collections::BTreeSet;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

pub(crate) fn journal_path(directory: &Path, number: u64) -> PathBuf {
    directory.join(format!("{number}.jnl"))
}

pub(crate) fn journal_number(name: &str) -> Option<u64> {
    let number = name.strip_suffix(".jnl")?;
    number.parse().ok().filter(|parsed: &u64| parsed.to_string() == number)
}

/// The numbers of the journals in a directory.
pub(crate) fn journal_numbers(directory: &Path) -> io::Result<BTreeSet<u64>> {
    let mut numbers = BTreeSet::new();
    for file in std::fs::read_dir(directory)? {
        numbers.extend(journal_number(&file?.file_name().to_string_lossy()));
    }
    Ok(numbers)
}

/// Makes the names in a directory durable.
pub(crate) fn sync_directory(path: &Path) -> io::Result<()> {
    match cfg!(unix) {
        true => File::open(path)?.sync_all(),
        // Elsewhere a directory can't be opened as a file.
        false => Ok(()),
    }
}
