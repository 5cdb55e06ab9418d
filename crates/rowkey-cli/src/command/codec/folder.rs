//! The folder of a package: what a run writes there, and what it removes of an earlier one.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::fs;
use std::path::{Component, Path, PathBuf};

use rowkey_codec::SourceFile;
use xxhash_rust::xxh3::xxh3_64;

use crate::designs;
use crate::failure::Failure;

/// The file that lists those that were written, each behind the digest of its text.
const LIST: &str = ".rowkey-codec";

/// Why nothing is written.
#[derive(Debug, PartialEq, Eq)]
enum Refused {
    /// A link on the way to a file, which may lead out of the folder.
    Link(PathBuf),
    /// A file that this command did not write.
    Foreign(PathBuf),
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Link(link) => write!(f, "{} is a symbolic link", link.display())?,
            Self::Foreign(file) => write!(f, "{} is there, and not of this command", file.display())?,
        }
        f.write_str(": nothing is written")
    }
}

impl From<Refused> for Failure {
    fn from(refused: Refused) -> Self {
        Self::new(refused.to_string())
    }
}

/// A run's changes of its folder.
#[derive(Debug)]
pub(super) struct Changes {
    /// The files of an earlier run that are removed.
    pub(super) removed: usize,
    /// Those that somebody changed since, which stay.
    pub(super) kept: Vec<PathBuf>,
}

/// Writes all files, and removes those of an earlier run that are not among them; or changes nothing.
pub(super) fn write(folder: &Path, files: &[SourceFile]) -> Result<Changes, Failure> {
    no_link(folder, LIST)?;
    let before = listed(&fs::read_to_string(folder.join(LIST)).unwrap_or_default());
    let new: BTreeMap<String, String> =
        files.iter().map(|(path, text)| (path.clone(), digest(text.as_bytes()))).collect();
    for path in new.keys() {
        no_link(folder, path)?;
        let target = folder.join(path);
        if target.symlink_metadata().is_ok() && !before.contains_key(path) {
            return Err(Refused::Foreign(target).into());
        }
    }
    let old: BTreeMap<_, _> = before.into_iter().filter(|(path, _)| !new.contains_key(path)).collect();
    for path in old.keys() {
        no_link(folder, path)?;
    }
    // What is written next is of this command, even if the run ends before its last file.
    let all = old.iter().chain(&new).map(|(path, digest)| (path.clone(), digest.clone())).collect();
    save(folder, &all)?;
    // First, since a new file can have an old one's name in another case, or be below it.
    let kept = remove(folder, &old)?;
    for (path, text) in files {
        put(folder, path, text)?;
    }
    let removed = old.len() - kept.len();
    let listed: BTreeMap<_, _> = old.into_iter().filter(|(path, _)| kept.contains(path)).chain(new).collect();
    save(folder, &listed)?;
    Ok(Changes { removed, kept: kept.iter().map(|path| folder.join(path)).collect() })
}

/// The files of a list, and their digests: none of what an older program wrote. Only what lies within the folder.
fn listed(list: &str) -> BTreeMap<String, String> {
    let entry = |line: &str| match line.split_once("  ") {
        Some((digest, path)) => (path.to_owned(), digest.to_owned()),
        None => (line.to_owned(), String::new()),
    };
    let is_within = |path: &str| Path::new(path).components().all(|part| matches!(part, Component::Normal(_)));
    list.lines().map(entry).filter(|(path, _)| !path.is_empty() && is_within(path)).collect()
}

fn digest(text: &[u8]) -> String {
    format!("{:016x}", xxh3_64(text))
}

fn save(folder: &Path, files: &BTreeMap<String, String>) -> Result<(), Failure> {
    let list: String = files.iter().map(|(path, digest)| format!("{digest}  {path}\n")).collect();
    put(folder, LIST, &list)
}

fn put(folder: &Path, path: &str, text: &str) -> Result<(), Failure> {
    let target = folder.join(path);
    let cannot = |error| Failure::new(format!("cannot write {}: {error}", target.display()));
    target.parent().map_or(Ok(()), fs::create_dir_all).map_err(cannot)?;
    designs::write(&target, text)
}

/// Refuses a path with a link below the folder.
fn no_link(folder: &Path, path: &str) -> Result<(), Refused> {
    let mut place = folder.to_owned();
    for part in Path::new(path).components() {
        place.push(part);
        if place.symlink_metadata().is_ok_and(|found| found.is_symlink()) {
            return Err(Refused::Link(place));
        }
    }
    Ok(())
}

/// Removes files as they were written, with the folders that are empty then. Returns those that were changed.
fn remove(folder: &Path, files: &BTreeMap<String, String>) -> Result<BTreeSet<String>, Failure> {
    let mut kept = BTreeSet::new();
    for (path, written) in files {
        let target = folder.join(path);
        if target.symlink_metadata().is_err() {
            continue;
        }
        if !target.is_file() || fs::read(&target).map_or(true, |text| digest(&text) != *written) {
            kept.insert(path.clone());
            continue;
        }
        let cannot = |error| Failure::new(format!("cannot remove {}: {error}", target.display()));
        fs::remove_file(&target).map_err(cannot)?;
        let above = target.ancestors().skip(1).take_while(|above| *above != folder);
        // A folder with other files in it stays.
        for above in above {
            if fs::remove_dir(above).is_err() {
                break;
            }
        }
    }
    Ok(kept)
}
