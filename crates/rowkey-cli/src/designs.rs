//! Reads the files of a design, of which one may be standard input.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::fs;
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use rowkey_design::{Date, Design, File};

use crate::failure::Failure;

/// True if a path is standard input.
pub(crate) fn is_stdin(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// Standard input, which can be read once.
pub(crate) fn stdin() -> Result<io::StdinLock<'static>, Failure> {
    Ok(unlocked_stdin()?.lock())
}

/// The same, for another thread.
pub(crate) fn unlocked_stdin() -> Result<io::Stdin, Failure> {
    static IS_READ: AtomicBool = AtomicBool::new(false);
    match IS_READ.swap(true, Ordering::Relaxed) {
        false => Ok(io::stdin()),
        true => Err(Failure::new("standard input is to be read twice: give a file in place of one of the two")),
    }
}

/// Reads a design from files, and from all `*.rowkey.toml` of folders.
pub(crate) fn read(paths: &[PathBuf]) -> Result<Design, Failure> {
    let files = files(paths)?;
    let files = files.iter().map(|path| file(path)).collect::<Result<Vec<_>, _>>()?;
    Ok(Design::parse(files)?)
}

/// Refuses the name of a cluster that a design has not.
pub(crate) fn has_cluster(design: &Design, cluster: Option<&str>) -> Result<(), Failure> {
    let Some(cluster) = cluster.filter(|cluster| !design.clusters.contains_key(*cluster)) else { return Ok(()) };
    let known: Vec<&str> = design.clusters.keys().map(String::as_str).collect();
    Err(Failure::new(format!("there is no cluster {cluster:?}; the design has: {}", known.join(", "))))
}

/// The files of a design: those named, and all `*.rowkey.toml` of folders, each once.
pub(crate) fn files(paths: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
    let mut files = Vec::new();
    for path in paths {
        if path.is_dir() && !is_stdin(path) {
            let inside = of_folder(path)?;
            if inside.is_empty() {
                return Err(Failure::new(format!(
                    "{} has no file *.rowkey.toml; `rowkey init` writes one",
                    path.display()
                )));
            }
            files.extend(inside);
        } else {
            files.push(path.clone());
        }
    }
    Ok(once(files))
}

/// Each file once.
pub(crate) fn once(mut files: Vec<PathBuf>) -> Vec<PathBuf> {
    let mut seen = HashSet::new();
    files.retain(|path| match path.canonicalize() {
        Ok(whole) if !is_stdin(path) => seen.insert(whole),
        _ => !is_stdin(path) || seen.insert(path.clone()),
    });
    files
}

/// Writes a new file, whole or not at all; none that is there.
pub(crate) fn create(path: &Path, text: &str) -> Result<(), Failure> {
    let cannot = |error| Failure::new(format!("cannot write {}: {error}", path.display()));
    let mut new = fs::File::create_new(path).map_err(cannot)?;
    new.write_all(text.as_bytes()).and_then(|()| new.sync_all()).map_err(|error| {
        let _ = fs::remove_file(path);
        cannot(error)
    })
}

/// Writes a file whole or not at all: beside it, then in its place.
pub(crate) fn write(path: &Path, text: &str) -> Result<(), Failure> {
    let cannot = |error| Failure::new(format!("cannot write {}: {error}", path.display()));
    let path = target(path).map_err(cannot)?;
    // A device or a pipe is written to: a file in its place would be another thing.
    if path.exists() && !path.is_file() {
        let opened = fs::OpenOptions::new().write(true).open(&path);
        return opened.and_then(|mut file| file.write_all(text.as_bytes()).and_then(|()| file.flush())).map_err(cannot);
    }
    let beside = beside(&path);
    let mut new = fs::File::create_new(&beside).map_err(cannot)?;
    let written = new.write_all(text.as_bytes()).and_then(|()| {
        if let Ok(old) = path.metadata() {
            new.set_permissions(old.permissions())?;
        }
        new.sync_all()?;
        fs::rename(&beside, &path)
    });
    written.map_err(|error| {
        // What is left beside is of no use to anybody.
        let _ = fs::remove_file(&beside);
        cannot(error)
    })
}

/// Tries whether a file can be written: an error now saves work that would be in vain. Nothing is changed.
pub(crate) fn try_write(path: &Path) -> Result<(), Failure> {
    let cannot = |error: io::Error| Failure::new(format!("cannot write {}: {error}", path.display()));
    let path = target(path).map_err(cannot)?;
    if path.is_dir() {
        return Err(cannot(io::ErrorKind::IsADirectory.into()));
    }
    // To open a pipe may be to wait for who reads it.
    if path.exists() && !path.is_file() {
        return Ok(());
    }
    let beside = beside(&path);
    fs::File::create_new(&beside).and_then(|_| fs::remove_file(&beside)).map_err(cannot)
}

/// True if two paths lead to one file, which may not be there yet.
#[cfg(feature = "hbase")]
pub(crate) fn are_same(first: &Path, second: &Path) -> bool {
    match (target(first), target(second)) {
        (Ok(first), Ok(second)) => first == second,
        _ => first == second,
    }
}

/// The most links one after another.
const LINKS: usize = 40;

/// The file that a path leads to: a link stays, and that file is written, or made.
fn target(path: &Path) -> io::Result<PathBuf> {
    let mut path = path.to_owned();
    for _ in 0..LINKS {
        match path.canonicalize() {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            found => return found,
        }
        match path.read_link() {
            Ok(next) => path = folder(&path).join(next),
            Err(_) => return new_file(&path),
        }
    }
    Err(io::Error::other("it is a link to a link, and so on without an end"))
}

/// A file that is not there, in a folder that has to be.
fn new_file(path: &Path) -> io::Result<PathBuf> {
    // A path that ends with a separator is a folder's.
    let ends_with = |name: &&OsStr| path.as_os_str().as_encoded_bytes().ends_with(name.as_encoded_bytes());
    let name = path.file_name().filter(ends_with).ok_or(io::ErrorKind::NotFound)?;
    Ok(folder(path).canonicalize()?.join(name))
}

/// The folder of a file.
fn folder(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// The path of a file that is written, before it is put in its place.
fn beside(path: &Path) -> PathBuf {
    let mut beside = path.as_os_str().to_owned();
    beside.push(format!(".{}.new", std::process::id()));
    PathBuf::from(beside)
}

/// The most bytes by which a file's kind is known.
const BEGINNING: u64 = 256;

/// Refuses to write a file over anything but one of its kind, which has this first line, or an empty one: over a file
/// of the design, or any other.
pub(crate) fn may_replace(path: &Path, designs: &[PathBuf], first_line: &str, kind: &str) -> Result<(), Failure> {
    may_replace_if(path, designs, kind, |start| {
        matches!(start.strip_prefix(first_line.as_bytes()), Some([b'\n', ..] | [b'\r', b'\n', ..]))
    })
}

/// The same of a file that is known by its beginning.
pub(crate) fn may_replace_if(
    path: &Path,
    designs: &[PathBuf],
    kind: &str,
    is_of_kind: impl Fn(&[u8]) -> bool,
) -> Result<(), Failure> {
    let refused =
        |why: &str| Err(Failure::new(format!("{} {why}: nothing is written; name another file", path.display())));
    if is_stdin(path) {
        return refused("is standard input");
    }
    // What is not there can be written; a pipe or a device loses nothing.
    if !path.is_file() {
        return Ok(());
    }
    let cannot = |error| Failure::new(format!("cannot read {}: {error}", path.display()));
    let target = path.canonicalize().map_err(cannot)?;
    if files(designs)?.iter().any(|file| !is_stdin(file) && file.canonicalize().is_ok_and(|file| file == target)) {
        return refused("is a file of the design");
    }
    let mut start = Vec::new();
    fs::File::open(path).map_err(cannot)?.take(BEGINNING).read_to_end(&mut start).map_err(cannot)?;
    match is_of_kind(&start) {
        true => Ok(()),
        false => refused(&format!("is there, and no {kind}")),
    }
}

/// All regular files `*.rowkey.toml` of a folder.
pub(crate) fn of_folder(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let cannot = |error| Failure::new(format!("cannot read {}: {error}", folder.display()));
    let mut files = Vec::new();
    for entry in folder.read_dir().map_err(cannot)? {
        let path = entry.map_err(cannot)?.path();
        // Neither a folder nor a pipe, whose end may never come; what a link does not lead to is an error when it is
        // read.
        let regular = || path.metadata().map_or(true, |found| found.is_file());
        if path.to_string_lossy().ends_with(".rowkey.toml") && regular() {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

/// A design file is written by people: a longer one is something else, or has no end.
const LONGEST: u64 = 64 << 20;

/// Reads one file's text.
pub(crate) fn file(path: &Path) -> Result<File, Failure> {
    if is_stdin(path) {
        return of("<stdin>".to_owned(), stdin()?);
    }
    let name = path.display().to_string();
    let file = fs::File::open(path).map_err(|error| Failure::new(format!("cannot read {name}: {error}")))?;
    of(name, file)
}

/// Reads a text, whose end may never come.
pub(crate) fn of(name: String, source: impl io::Read) -> Result<File, Failure> {
    let mut bytes = Vec::new();
    let read = source.take(LONGEST + 1).read_to_end(&mut bytes);
    read.map_err(|error| Failure::new(format!("cannot read {name}: {error}")))?;
    short_enough(&name, bytes.len() as u64)?;
    text(name, bytes)
}

/// Refuses what is too long for a design file.
pub(crate) fn short_enough(name: &str, bytes: u64) -> Result<(), Failure> {
    if bytes > LONGEST {
        return Err(Failure::new(format!(
            "{name} has more than {LONGEST} bytes: no design or description of one is as long"
        )));
    }
    Ok(())
}

/// A file of some bytes, which have to be UTF-8.
pub(crate) fn text(name: String, bytes: Vec<u8>) -> Result<File, Failure> {
    let text = String::from_utf8(bytes).map_err(|error| {
        let valid = error.utf8_error().valid_up_to();
        let (before, rest) = error.as_bytes().split_at(valid);
        let before = String::from_utf8_lossy(before);
        let line = before.rsplit('\n').next().unwrap_or("");
        let column = line.trim_start_matches('\u{feff}').chars().count() + 1;
        let byte = rest.first().copied().unwrap_or(0);
        let line = before.matches('\n').count() + 1;
        Failure::new(format!("{name}:{line}:{column}: the byte {byte:#04x} is not UTF-8; save the file as UTF-8"))
    })?;
    Ok(File { name, text })
}

/// The day in UTC.
pub(crate) fn today() -> Date {
    let today = jiff::Timestamp::now().to_zoned(jiff::tz::TimeZone::UTC).date();
    date(today).unwrap_or(Date { year: 0, month: 1, day: 1 })
}

/// A day as design files have it; none before the year 0.
pub(crate) fn date(date: jiff::civil::Date) -> Option<Date> {
    let [month, day] = [date.month(), date.day()].map(i8::cast_unsigned);
    Some(Date { year: u16::try_from(date.year()).ok()?, month, day })
}
