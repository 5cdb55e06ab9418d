//! Packages and their links: the packages of a Debian index, and which of them depends on which.

use std::collections::BTreeMap;
use std::error::Error;
use std::io::Write;
use std::path::PathBuf;

use indicatif::HumanCount;
use rowkey::RowKey;

use crate::{input, sample};

/// Where packages and links come from.
#[derive(clap::Args)]
pub struct Files {
    /// Packages as tab-separated name, version, section, installed KiB, plain or gzip [default: a sample of 2,000]
    #[arg(long, requires = "links")]
    packages: Option<PathBuf>,
    /// Links as tab-separated package and the package it depends on, plain or gzip [default: those of the sample]
    #[arg(long, requires = "packages")]
    links: Option<PathBuf>,
}

/// The metadata of a package.
pub struct Package {
    /// As Debian writes it.
    pub version: String,
    /// The section: `libs`, `net`.
    pub section: String,
    /// The installed size.
    pub installed_kib: u64,
}

/// All of the files: packages by name, and each link once, from a package to one that it depends on, sorted.
pub struct Index {
    /// By name.
    pub packages: BTreeMap<String, Package>,
    /// From, to.
    pub links: Vec<(String, String)>,
}

/// Whether links lead out of a package, to what it depends on, or into it.
#[derive(RowKey, Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// The packages that it depends on.
    #[rowkey(tag = 0)]
    Out,
    /// The packages that depend on it.
    #[rowkey(tag = 1)]
    In,
}

/// Some package's links, one way.
#[derive(RowKey, Debug, Clone, PartialEq)]
pub struct End {
    /// Whose links.
    pub package: String,
    /// Which of them.
    pub way: Way,
}

/// A link as an edge list has it, once at either end: a row of its own.
#[derive(RowKey, Debug, Clone, PartialEq)]
pub struct Link {
    /// This end.
    pub end: End,
    /// The package at the other end.
    pub other: String,
}

impl Link {
    /// The two rows of a link.
    pub fn both(from: &str, to: &str) -> [Self; 2] {
        let row =
            |package: &str, way, other: &str| Self { end: End { package: package.into(), way }, other: other.into() };
        [row(from, Way::Out, to), row(to, Way::In, from)]
    }
}

/// Reads both files. Of two entries of one package the later one counts.
pub fn read(files: &Files, out: &mut impl Write) -> Result<Index, Box<dyn Error>> {
    let mut index = Index { packages: BTreeMap::new(), links: Vec::new() };
    let (text, from) = input::text(files.packages.as_deref(), sample::PACKAGES)?;
    for (number, line) in lines(&text, "package\tversion\tsection\tinstalled_kib") {
        let what = "a package is name, version, section and installed KiB, with tabs between them";
        let [name, version, section, kib] = line.split('\t').collect::<Vec<_>>()[..] else {
            return Err(format!("{from}:{number}: {what}: {line:?}").into());
        };
        let Some(installed_kib) = kib.parse().ok().filter(|_| !name.is_empty()) else {
            return Err(format!("{from}:{number}: {what}: {line:?}").into());
        };
        let package = Package { version: version.to_owned(), section: section.to_owned(), installed_kib };
        index.packages.insert(name.to_owned(), package);
    }
    writeln!(out, "{} packages of {from}", HumanCount(index.packages.len() as u64))?;

    let (text, from) = input::text(files.links.as_deref(), sample::PACKAGE_LINKS)?;
    for (number, line) in lines(&text, "package\tdepends_on") {
        let ends = line
            .split_once('\t')
            .filter(|(package, other)| !package.is_empty() && !other.is_empty() && !other.contains('\t'));
        let Some((package, other)) = ends else {
            return Err(format!("{from}:{number}: a link is two packages with a tab between them: {line:?}").into());
        };
        index.links.push((package.to_owned(), other.to_owned()));
    }
    index.links.sort();
    index.links.dedup();
    writeln!(out, "{} links of {from}", HumanCount(index.links.len() as u64))?;
    Ok(index)
}

/// The lines with something in them, numbered from 1, but not the titles.
fn lines<'t>(text: &'t str, titles: &'t str) -> impl Iterator<Item = (usize, &'t str)> {
    (1..).zip(text.lines()).filter(move |(_, line)| !line.is_empty() && *line != titles)
}
