//! What is wrong in a design file, and where.

use std::fmt;
use std::ops::{Deref, Range};

/// A part of the text of one of a design's files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// The file: an index into [`Files`].
    pub file: usize,
    /// The first byte.
    pub start: usize,
    /// The byte after the last.
    pub end: usize,
}

impl Place {
    /// The bytes of the file.
    pub fn range(self) -> Range<usize> {
        self.start..self.end
    }
}

/// A value, and where the file has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Located<T> {
    /// The value.
    pub value: T,
    /// Where the file has it.
    pub place: Place,
}

impl<T> Deref for Located<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}

/// A design's file: its name, for messages, and its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    /// The name, as a message shows it.
    pub name: String,
    /// The text.
    pub text: String,
}

/// The files of a design, which places refer to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Files(Vec<File>);

impl Files {
    pub(crate) fn add(&mut self, file: File) -> usize {
        self.0.push(file);
        self.0.len() - 1
    }

    /// The files, in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &File> {
        self.0.iter()
    }

    /// The file that a place is in.
    pub fn file(&self, place: Place) -> Option<&File> {
        self.0.get(place.file)
    }

    /// The text at a place; empty where the place is not of these files.
    pub fn text(&self, place: Place) -> &str {
        self.file(place).and_then(|file| file.text.get(place.range())).unwrap_or("")
    }

    /// The line and the column of a place's first byte, both from 1; a column counts characters.
    pub fn line_and_column(&self, place: Place) -> (usize, usize) {
        let before = self.file(place).and_then(|file| file.text.get(..place.start)).unwrap_or("");
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        (before.matches('\n').count() + 1, before[line_start..].chars().count() + 1)
    }
}

/// One thing that is wrong in a design file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Where it is.
    pub place: Place,
    /// What is wrong.
    pub message: String,
    /// What to write instead.
    pub help: Option<String>,
}

/// Everything that is wrong in the files of a design.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problems {
    /// The files.
    pub files: Files,
    /// The problems, by place.
    pub list: Vec<Problem>,
}

impl std::error::Error for Problems {}

/// One line a problem: `name:line:column: message; help`.
impl fmt::Display for Problems {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, problem) in self.list.iter().enumerate() {
            let name = self.files.file(problem.place).map_or("", |file| &file.name);
            let (line, column) = self.files.line_and_column(problem.place);
            let newline = if i == 0 { "" } else { "\n" };
            write!(f, "{newline}{name}:{line}:{column}: {}", problem.message)?;
            if let Some(help) = &problem.help {
                write!(f, "; {help}")?;
            }
        }
        Ok(())
    }
}
