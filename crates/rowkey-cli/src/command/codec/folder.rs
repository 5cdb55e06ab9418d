//! The folder of a package: what a run writes there, what it removes of an earlier one, and what it keeps.

use std::collections::BTreeSet;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use rowkey_codec::SourceFile;

use super::list::{self, List, digest};
use super::lock;
use crate::designs;
use crate::failure::Failure;

/// Why nothing is written.
#[derive(Debug, PartialEq, Eq)]
enum Refused {
    /// A link on the way to a file, which may lead out of the folder.
    Link(PathBuf),
    /// A file that this command did not write.
    Foreign(PathBuf),
    /// A file where a folder is to be.
    NoFolder(PathBuf),
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Link(link) => write!(f, "{} is a symbolic link", link.display())?,
            Self::Foreign(file) => write!(f, "{} is there, and not of this command", file.display())?,
            Self::NoFolder(file) => write!(f, "{} is no folder", file.display())?,
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
#[derive(Debug, Default)]
pub(super) struct Changes {
    /// The number of an earlier run's files that are removed.
    pub(super) removed: usize,
    /// Those that somebody changed since, which stay.
    pub(super) kept: Vec<Kept>,
}

/// A file that somebody changed since it was written.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Kept {
    file: PathBuf,
    due: Due,
}

/// The due of a kept file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Due {
    /// The text that was written.
    Same,
    /// Another text.
    New,
    /// To be removed.
    Gone,
}

impl Kept {
    /// True if the folder is not what the run is to write.
    pub(super) fn is_stale(&self) -> bool {
        self.due == Due::New
    }
}

impl fmt::Display for Kept {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self.due {
            Due::Same => "was changed since it was written: it is kept; remove it to have it anew",
            Due::New => {
                "was changed since it was written: it is kept, and lacks what is new; remove it to have it anew"
            }
            Due::Gone => "is of an earlier run, and changed since: it is not removed",
        };
        write!(f, "{} {what}", self.file.display())
    }
}

/// Writes all files, then removes those of an earlier run that are not among them; what somebody changed is kept.
///
/// # Errors
/// Another run is at work in the folder, or a file or a link of others is in the way: then nothing is changed. Or the
/// system refuses a change; the error says what was done before, and the next run does the rest.
pub(super) fn write(folder: &Path, files: &[SourceFile]) -> Result<Changes, Failure> {
    no_link(folder, lock::FILE)?;
    lock::alone(folder, || Plan::of(folder, files)?.carry_out())
}

/// The changes that are due, found without one.
#[derive(Debug)]
struct Plan<'a> {
    folder: &'a Path,
    before: List,
    /// The list when all is done.
    after: List,
    to_write: Vec<&'a SourceFile>,
    to_remove: Vec<String>,
    kept: Vec<Kept>,
}

impl<'a> Plan<'a> {
    fn of(folder: &'a Path, files: &'a [SourceFile]) -> Result<Self, Refused> {
        no_link(folder, list::FILE)?;
        let before = List::read(folder);
        let (after, to_write, to_remove, kept) = Default::default();
        let mut plan = Self { folder, before, after, to_write, to_remove, kept };
        for file in files {
            plan.wanted(file)?;
        }
        let new: BTreeSet<&str> = files.iter().map(|(path, _)| path.as_str()).collect();
        let old: Vec<_> = plan.before.0.keys().filter(|path| !new.contains(path.as_str())).cloned().collect();
        for path in old {
            plan.unwanted(path)?;
        }
        Ok(plan)
    }

    /// A file that is to be there.
    fn wanted(&mut self, file: &'a SourceFile) -> Result<(), Refused> {
        let (path, text) = file;
        no_link(self.folder, path)?;
        let target = self.folder.join(path);
        let mut above = target.ancestors().skip(1).take_while(|above| *above != self.folder);
        if let Some(file) = above.find(|above| above.is_file()) {
            return Err(Refused::NoFolder(file.to_owned()));
        }
        let due = digest(text.as_bytes());
        if target.symlink_metadata().is_err() {
            self.to_write.push(file);
            self.after.add(path, due);
            return Ok(());
        }
        let Some(written) = self.before.of(path) else { return Err(Refused::Foreign(target)) };
        match found(&target) {
            Some(found) if found == due => self.after.add(path, due),
            Some(found) if written.contains(&found) => {
                self.to_write.push(file);
                self.after.add(path, due);
            }
            _ => {
                self.after.0.insert(path.clone(), written.clone());
                let due = if written.contains(&due) { Due::Same } else { Due::New };
                self.kept.push(Kept { file: target, due });
            }
        }
        Ok(())
    }

    /// A file of an earlier run that is to be gone.
    fn unwanted(&mut self, path: String) -> Result<(), Refused> {
        no_link(self.folder, &path)?;
        let target = self.folder.join(&path);
        let Some(written) = self.before.0.get(&path).filter(|_| target.symlink_metadata().is_ok()) else {
            return Ok(());
        };
        if found(&target).is_some_and(|found| written.contains(&found)) {
            self.to_remove.push(path);
        } else {
            self.after.0.insert(path, written.clone());
            self.kept.push(Kept { file: target, due: Due::Gone });
        }
        Ok(())
    }

    fn carry_out(self) -> Result<Changes, Failure> {
        // Whichever of its two texts a file has if the run ends before the last one, it is of this command.
        let mut during = self.before.clone();
        for (path, text) in &self.to_write {
            during.add(path, digest(text.as_bytes()));
        }
        during.save(self.folder)?;
        let (mut written, mut removed) = (0, 0);
        if let Err(failure) = self.change(&mut written, &mut removed) {
            let Failure::Other(why) = failure else { return Err(failure) };
            let (to_write, to_remove) = (self.to_write.len(), self.to_remove.len());
            return Err(Failure::new(format!(
                "{why}: {written} of {to_write} files are written, {removed} of {to_remove} removed; the next run does \
                 the rest"
            )));
        }
        self.after.save(self.folder)?;
        Ok(Changes { removed, kept: self.kept })
    }

    /// Changes the folder, and counts.
    fn change(&self, written: &mut usize, removed: &mut usize) -> Result<(), Failure> {
        let has_new_case = |path: &String| self.to_write.iter().any(|(new, _)| new.eq_ignore_ascii_case(path));
        // Where case does not count, a file whose name changes in case alone would be removed after it is written.
        let (first, last): (Vec<_>, Vec<_>) = self.to_remove.iter().partition(|path| has_new_case(path));
        for path in first {
            remove(self.folder, path)?;
            *removed += 1;
        }
        for (path, text) in &self.to_write {
            put(self.folder, path, text)?;
            *written += 1;
        }
        for path in last {
            remove(self.folder, path)?;
            *removed += 1;
        }
        Ok(())
    }
}

/// The digest of a file; none of what is no file, or cannot be read.
fn found(target: &Path) -> Option<String> {
    fs::read(target).ok().map(|text| digest(&text))
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

/// Removes a file, with the folders that are empty then.
fn remove(folder: &Path, path: &str) -> Result<(), Failure> {
    let target = folder.join(path);
    let cannot = |error| Failure::new(format!("cannot remove {}: {error}", target.display()));
    fs::remove_file(&target).map_err(cannot)?;
    let above = target.ancestors().skip(1).take_while(|above| *above != folder);
    // A folder with other files in it stays.
    for above in above {
        if fs::remove_dir(above).is_err() {
            break;
        }
    }
    Ok(())
}
