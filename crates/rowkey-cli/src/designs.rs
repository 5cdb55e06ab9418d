//! Reads the files of a design.

use std::path::{Path, PathBuf};

use rowkey_design::design::Date;
use rowkey_design::{Design, File};

use crate::failure::Failure;

/// Reads a design from files, and from all `*.rowkey.toml` of folders.
pub(crate) fn read(paths: &[PathBuf]) -> Result<Design, Failure> {
    let files = files(paths)?;
    let files = files.iter().map(|path| file(path)).collect::<Result<Vec<_>, _>>()?;
    Ok(Design::parse(files)?)
}

/// The files of a design: those named, and all `*.rowkey.toml` of folders.
pub(crate) fn files(paths: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
    let mut files = Vec::new();
    for path in paths {
        if path.is_dir() {
            files.extend(of_folder(path)?);
        } else {
            files.push(path.clone());
        }
    }
    Ok(files)
}

/// Writes a file whole or not at all: beside it, then in its place.
pub(crate) fn write(path: &Path, text: &str) -> Result<(), Failure> {
    let cannot = |error| Failure::new(format!("cannot write {}: {error}", path.display()));
    let mut beside = path.as_os_str().to_owned();
    beside.push(format!(".{}.new", std::process::id()));
    let beside = PathBuf::from(beside);
    let written = std::fs::write(&beside, text).and_then(|()| {
        if let Ok(old) = path.metadata() {
            std::fs::set_permissions(&beside, old.permissions())?;
        }
        std::fs::rename(&beside, path)
    });
    written.map_err(|error| {
        // What is left beside is of no use to anybody.
        let _ = std::fs::remove_file(&beside);
        cannot(error)
    })
}

/// Reads a day of the command line.
pub(crate) fn day(text: &str) -> Result<Date, String> {
    let day: jiff::civil::Date = text.parse().map_err(|_| "write it as 2026-01-31".to_owned())?;
    date(day).ok_or_else(|| "years run from 0 to 9999".to_owned())
}

fn of_folder(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let cannot = |error| Failure::new(format!("cannot read {}: {error}", folder.display()));
    let mut files = Vec::new();
    for entry in folder.read_dir().map_err(cannot)? {
        let path = entry.map_err(cannot)?.path();
        if path.to_string_lossy().ends_with(".rowkey.toml") {
            files.push(path);
        }
    }
    if files.is_empty() {
        return Err(Failure::new(format!("{} has no file *.rowkey.toml", folder.display())));
    }
    files.sort();
    Ok(files)
}

/// Reads one file's text.
pub(crate) fn file(path: &Path) -> Result<File, Failure> {
    let text = std::fs::read_to_string(path)
        .map_err(|error| Failure::new(format!("cannot read {}: {error}", path.display())))?;
    Ok(File { name: path.display().to_string(), text })
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
