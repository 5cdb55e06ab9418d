//! Problems of a design file, and places in it.

use std::fmt;
use std::ops::{Deref, Range};

/// A part of the text of one of a design's files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    /// The file: an index into [`Files`].
    pub file: usize,
    /// The first byte.
    pub start: usize,
    /// The byte after the last.
    pub end: usize,
}

impl Span {
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
    /// Its place in the file.
    pub place: Span,
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
pub struct Files {
    files: Vec<File>,
    /// The starts of the lines of each: a file of many lines can have many findings.
    lines: Vec<Vec<usize>>,
    /// True if all tables of each are in the braces of `table = {`.
    in_braces: Vec<bool>,
}

impl Files {
    pub(crate) fn add(&mut self, file: File) -> usize {
        let after_newlines = file.text.match_indices('\n').map(|(newline, _)| newline + 1);
        self.lines.push(std::iter::once(0).chain(after_newlines).collect());
        let is_braced = |line: &str| {
            let rest = ["table", "\"table\"", "'table'"].iter().find_map(|key| line.trim_start().strip_prefix(key));
            rest.is_some_and(|rest| rest.trim_start().starts_with('='))
        };
        // A key of the whole file comes before all headers.
        let mut before_headers = file.text.lines().take_while(|line| !line.trim_start().starts_with('['));
        self.in_braces.push(before_headers.any(is_braced));
        self.files.push(file);
        self.files.len() - 1
    }

    /// True if the tables of a file are in braces, where none can have a section.
    pub(crate) fn in_braces(&self, place: Span) -> bool {
        self.in_braces.get(place.file) == Some(&true)
    }

    /// The files, in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &File> {
        self.files.iter()
    }

    /// The file that a place is in.
    pub fn file(&self, place: Span) -> Option<&File> {
        self.files.get(place.file)
    }

    /// The text at a place; empty where the place is not of these files.
    pub fn text(&self, place: Span) -> &str {
        self.file(place).and_then(|file| file.text.get(place.range())).unwrap_or("")
    }

    /// The start of a place, as `name:line:column`.
    pub(crate) fn position(&self, place: Span) -> String {
        let (line, column) = self.line_and_column(place);
        format!("{}:{line}:{column}", self.file(place).map_or("", |file| &file.name))
    }

    /// The line and the column of a place's first byte, both from 1; a column counts characters, as an editor does:
    /// without a byte order mark.
    pub fn line_and_column(&self, place: Span) -> (usize, usize) {
        let (Some(lines), Some(file)) = (self.lines.get(place.file), self.file(place)) else { return (1, 1) };
        let line = lines.partition_point(|&start| start <= place.start);
        let start = line.checked_sub(1).and_then(|line| lines.get(line)).copied().unwrap_or(0);
        let before = file.text.get(start..place.start).unwrap_or("");
        let before = if start == 0 { before.trim_start_matches('\u{feff}') } else { before };
        (line.max(1), before.chars().count() + 1)
    }
}

/// One thing that is wrong in a design file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Its place.
    pub place: Span,
    /// The problem.
    pub message: String,
    /// A correction.
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
            let newline = if i == 0 { "" } else { "\n" };
            write!(f, "{newline}{}: {}", self.files.position(problem.place), problem.message)?;
            if let Some(help) = &problem.help {
                write!(f, "; {help}")?;
            }
        }
        Ok(())
    }
}
