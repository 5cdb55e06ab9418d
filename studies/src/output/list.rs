//! The lines of an answer.

use std::fmt::Display;
use std::io::{self, Write};

use indicatif::HumanCount;

/// Prints the first lines of an answer, and how many more there are.
pub fn list(
    out: &mut impl Write,
    show: usize,
    lines: impl IntoIterator<Item: Display, IntoIter: ExactSizeIterator>,
) -> io::Result<()> {
    let mut lines = lines.into_iter();
    for line in lines.by_ref().take(show) {
        writeln!(out, "  {line}")?;
    }
    match lines.len() {
        0 => Ok(()),
        more => writeln!(out, "  and {} more", HumanCount(more as u64)),
    }
}
