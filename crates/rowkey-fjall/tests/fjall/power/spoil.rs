//! Damage of one file.

use std::fs;
use std::path::{Path, PathBuf};

use super::Random;

fn files(directory: &Path, all: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(directory).expect("a directory") {
        let path = entry.expect("an entry").path();
        match path.is_dir() {
            true => files(&path, all),
            false => all.push(path),
        }
    }
    all.sort();
}

/// Damages a file of a database, as often as not a journal. Says how.
pub(super) fn spoil(random: &mut Random, directory: &Path) -> String {
    const PAGE: usize = 4096;
    let mut all = Vec::new();
    files(directory, &mut all);
    let is_journal = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "jnl");
    let wants_journal = random.below(2) == 0;
    all.retain(|path| is_journal(path) == wants_journal && fs::metadata(path).expect("a file").len() > 0);
    if all.is_empty() {
        return "nothing".to_owned();
    }
    let path = &all[random.below(all.len())];
    let mut bytes = fs::read(path).expect("a file");
    let written = bytes.iter().rposition(|&byte| byte != 0).map_or(1, |last| last + 1);
    let (at, other) = (random.below(written), random.below(written));
    let how = match random.below(if wants_journal { 6 } else { 2 }) {
        0 | 1 => {
            bytes[at] ^= 1 << random.below(8);
            "a bit"
        }
        2 => {
            bytes.truncate(at);
            "cut off"
        }
        3 => {
            let page = at / PAGE * PAGE;
            let end = bytes.len().min(page + PAGE);
            bytes[page..end].fill(0);
            "a page of zeros"
        }
        4 => {
            let (page, other) = (at / PAGE * PAGE, other / PAGE * PAGE);
            let len = PAGE.min(bytes.len() - page.max(other));
            bytes.copy_within(other..other + len, page);
            "another page"
        }
        _ => {
            let end = bytes.len().min(at + 1 + other % 64);
            bytes[at..end].iter_mut().for_each(|byte| *byte = random.below(256) as u8);
            "other bytes"
        }
    };
    fs::write(path, bytes).expect("a file");
    format!("{}: {how} at byte {at}", path.display())
}
