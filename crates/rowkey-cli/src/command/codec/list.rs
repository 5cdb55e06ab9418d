//! The list of the files that were written to a folder, each behind the digest of its text.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Component, Path};

use xxhash_rust::xxh3::xxh3_64;

use crate::designs;
use crate::failure::Failure;

/// The file of the list.
pub(super) const FILE: &str = ".rowkey-codec";

/// The files that were written, and the digests of their texts: of one that a run was about to write both.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct List(pub(super) BTreeMap<String, BTreeSet<String>>);

impl List {
    /// The list of a folder: only what lies within it.
    pub(super) fn read(folder: &Path) -> Self {
        let is_within = |path: &str| Path::new(path).components().all(|part| matches!(part, Component::Normal(_)));
        let mut list = Self::default();
        for line in fs::read_to_string(folder.join(FILE)).unwrap_or_default().lines() {
            let (digest, path) = line.split_once("  ").unwrap_or(("", line));
            if !path.is_empty() && is_within(path) {
                list.add(path, digest.to_owned());
            }
        }
        list
    }

    /// Adds a text of a file.
    pub(super) fn add(&mut self, path: &str, digest: String) {
        self.0.entry(path.to_owned()).or_default().insert(digest);
    }

    /// The digests of a file, which some file systems have in letters of another case.
    pub(super) fn of(&self, path: &str) -> Option<&BTreeSet<String>> {
        let in_another_case = || self.0.iter().find(|(listed, _)| listed.eq_ignore_ascii_case(path));
        self.0.get(path).or_else(|| in_another_case().map(|(_, digests)| digests))
    }

    /// Writes the list.
    pub(super) fn save(&self, folder: &Path) -> Result<(), Failure> {
        let lines = self.0.iter().flat_map(|(path, of)| of.iter().map(move |digest| format!("{digest}  {path}\n")));
        designs::write(&folder.join(FILE), &lines.collect::<String>())
    }
}

/// The digest of a text, whatever ends its lines: a version control may change that.
pub(super) fn digest(text: &[u8]) -> String {
    let text: Vec<u8> = text.iter().copied().filter(|byte| *byte != b'\r').collect();
    format!("{:016x}", xxh3_64(&text))
}
