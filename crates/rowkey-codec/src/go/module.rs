//! Paths of modules, and what they say: as the command `go` checks them.

use super::standard::{NO_IMPORT, STANDARD};
use crate::Package;
use crate::ir::Refusal;
use crate::names::{Case, DEVICE, GO, is_device};

const NO_PATH: &str = "it is no path of a module of Go, as `example.com/keys` is";
const OF_GO: &str = "Go keeps paths that begin so for itself: take another, as `example.com/keys`";
const VENDOR: &str = "Go imports nothing from a path with the part `vendor`";
const VERSION: &str = "Go takes a major version at the end of a path from 2 on, as in `example.com/keys/v2`, or with \
                       a dot after `gopkg.in/`, where it has to be, as in `gopkg.in/keys.v1`";

/// The path of a package's module: its name, if that is one.
pub(super) fn path(package: &Package) -> Result<String, Refusal> {
    let is_path = package.name.contains('/') || is_element(&package.name);
    let path = if is_path { package.name.clone() } else { Case::Flat.of(&package.name) };
    match refused(&path) {
        Some(why) => Err(Refusal { place: "the package".to_owned(), what: path, why }),
        None => Ok(path),
    }
}

/// Why Go has no module of this path.
fn refused(path: &str) -> Option<&'static str> {
    let first = path.split('/').next().unwrap_or_default();
    let is_host = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b'-' | b'.');
    if !path.split('/').all(is_element) || (first.contains('.') && !first.bytes().all(is_host)) {
        return Some(NO_PATH);
    }
    if path.split('/').any(is_device) {
        return Some(DEVICE);
    }
    // Where case does not count in names of files, other case finds the standard library too.
    if NO_IMPORT.contains(&path) || STANDARD.contains(&first.to_ascii_lowercase().as_str()) {
        return Some(OF_GO);
    }
    if path.split('/').any(|part| part == "vendor") {
        return Some(VENDOR);
    }
    (!has_good_version(path)).then_some(VERSION)
}

/// Returns whether a path can have this part.
fn is_element(part: &str) -> bool {
    let is_good = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'~');
    let is_first = |char: char| char.is_ascii_alphanumeric() || char == '_';
    // As Windows shortens long names.
    let stem = part.split('.').next().unwrap_or_default();
    let is_short_name = stem.rsplit_once('~').is_some_and(|(_, number)| is_number(number));
    part.bytes().all(is_good) && part.starts_with(is_first) && !part.ends_with('.') && !is_short_name
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// The part of a path before its major version, and that.
fn split(path: &str) -> Option<(&str, &str)> {
    let (path, joint) = match path.starts_with(GOPKG) {
        true => (path.strip_suffix("-unstable").unwrap_or(path), '.'),
        false => (path, '/'),
    };
    let (before, version) = path.rsplit_once(joint)?;
    version.strip_prefix('v').filter(|number| is_number(number)).map(|number| (before, number))
}

/// The host whose paths have their version behind a dot.
const GOPKG: &str = "gopkg.in/";

fn has_good_version(path: &str) -> bool {
    match split(path) {
        Some((_, number)) if path.starts_with(GOPKG) => number == "0" || !number.starts_with('0'),
        Some((_, number)) => number != "1" && !number.starts_with('0'),
        None if path.starts_with(GOPKG) => false,
        // `v2.1` is none.
        None => {
            let last = path.rsplit_once('/').and_then(|(_, last)| last.strip_prefix('v'));
            !last.is_some_and(|last| is_number(&last.replace('.', "")))
        }
    }
}

/// The tag of a module's version: that of the package, but for a major version that the path has.
pub(super) fn tag(path: &str) -> String {
    let version = Package::version();
    match (split(path), version.split_once('.')) {
        (Some((_, major)), Some((_, minor))) => format!("v{major}.{minor}"),
        _ => format!("v{version}"),
    }
}

/// The name of a module's package: the last part of its path but a version, in small letters and digits.
pub(super) fn package(path: &str) -> String {
    let before = split(path).map_or(path, |(before, _)| before);
    let name = Case::Flat.of(before.rsplit('/').next().unwrap_or(before));
    // A package of the name `documentation` is left out by `go build`, and `init` is no name that can be imported.
    let is_taken = matches!(name.as_str(), "rowkey" | "main" | "init" | "documentation");
    if is_taken || GO.reserved.contains(&name.as_str()) { name + "keys" } else { name }
}
