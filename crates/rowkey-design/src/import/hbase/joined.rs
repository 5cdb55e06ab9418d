//! Texts that HBase's shell broke at the width of a terminal, joined.
//!
//! The shell breaks after a fixed number of characters, wherever that is, and fills lines with blanks. What is pasted
//! may have lost blanks at the ends of lines, or at their beginnings. Between words a blank is nothing; within a name
//! it is a character. There a break is exact where the lines show that none is lost.

use std::ops::Range;

/// A line of a text, and the place of its first byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Line<'t> {
    pub(super) at: usize,
    pub(super) text: &'t str,
}

impl Line<'_> {
    pub(super) fn place(&self) -> Range<usize> {
        self.at..self.at + self.text.len()
    }

    pub(super) fn is_blank(&self) -> bool {
        self.text.trim().is_empty()
    }

    fn indent(&self) -> usize {
        self.text.bytes().take_while(|byte| *byte == b' ').count()
    }

    pub(super) fn len(&self) -> usize {
        self.text.chars().count()
    }
}

/// Lines that were one.
pub(super) struct Row<'t> {
    lines: Vec<Line<'t>>,
    pub(super) text: String,
    /// The places in the text at which the lines begin.
    starts: Vec<usize>,
    /// True unless blanks at the beginnings of lines may have been removed.
    leading: bool,
    /// True if each line has all its blanks.
    filled: bool,
    /// The lines that end within a word, so that no blank is lost there.
    ends_in_word: Vec<usize>,
}

impl<'t> Row<'t> {
    /// Joins lines. Those after the first may be indented more than it: by one blank too in a table of two columns.
    /// Lines that all have as many characters as lines that are filled with blanks are joined as they are.
    pub(super) fn of(lines: &[Line<'t>], of_two_columns: bool, filled: Option<usize>) -> Self {
        let is_text = |line: &Line<'_>| !line.is_blank();
        let (first, last) = (lines.iter().position(is_text), lines.iter().rposition(is_text));
        // A line of blanks between others is of the text.
        let lines = first.zip(last).map_or(&[][..], |(first, last)| &lines[first..=last]);
        let base = lines.first().map_or(0, Line::indent);
        let rest = lines.iter().skip(1).filter(|line| is_text(line));
        let least = rest.map(Line::indent).min().unwrap_or(base);
        let filled = least >= base && lines.iter().all(|line| Some(line.len()) == filled);
        let hangs = !filled && least > base && (of_two_columns || least > base + 1);
        let mut row = Self {
            lines: Vec::new(),
            text: String::new(),
            starts: Vec::new(),
            leading: true,
            filled,
            ends_in_word: Vec::new(),
        };
        for (i, line) in lines.iter().enumerate() {
            let wanted = if i > 0 && hangs { least } else { base };
            let removed = wanted.min(line.indent());
            row.leading &= removed == wanted && !hangs;
            let last = i + 1 == lines.len();
            let text = &line.text[removed..];
            // More blanks than one may fill the line: whether one of them is of the text, the line does not say.
            let text = if !last && !filled && text.ends_with("  ") { text.trim_end() } else { text };
            row.lines.push(Line { at: line.at + removed, text });
            row.starts.push(row.text.len());
            row.text.push_str(if last { text.trim_end() } else { text });
        }
        row
    }

    /// The place in the source of a place in the joined text.
    pub(super) fn place(&self, at: Range<usize>) -> Range<usize> {
        let start = self.source(at.start);
        // A text over a break ends where its first line does.
        let line_end = self.line_of(at.start).map_or(start, |i| self.lines[i].place().end);
        start..self.source(at.end).clamp(start, line_end.max(start))
    }

    fn line_of(&self, at: usize) -> Option<usize> {
        self.starts.partition_point(|start| *start <= at).checked_sub(1)
    }

    fn source(&self, at: usize) -> usize {
        self.line_of(at).map_or(0, |i| self.lines[i].at + (at - self.starts[i]).min(self.lines[i].text.len()))
    }

    /// The breaks within a place: each as the line before it, and where it is in the joined text.
    fn breaks(&self, at: &Range<usize>) -> impl Iterator<Item = (usize, usize)> {
        let at = at.clone();
        let starts = self.starts.iter().copied().enumerate().skip(1);
        starts.map(|(i, start)| (i - 1, start)).filter(move |(_, start)| (at.start..=at.end).contains(start))
    }

    /// Notes that a place has no blanks: a break strictly within it lost none.
    pub(super) fn is_word(&mut self, at: &Range<usize>) {
        // A number and its unit may have lost the blank between them.
        let alike = |before: char, after: char| {
            (before.is_ascii_digit() && after.is_ascii_digit())
                || (before.is_alphabetic() || before == '_') && (after.is_alphabetic() || after == '_')
                || (before, after) == ('=', '>')
        };
        let is_within = |start: usize| {
            let (before, after) = self.text.split_at_checked(start).unwrap_or_default();
            before.chars().next_back().zip(after.chars().next()).is_some_and(|(before, after)| alike(before, after))
        };
        let breaks = self.breaks(at).filter(|(_, start)| *start > at.start && *start < at.end);
        let within: Vec<usize> = breaks.filter(|(_, start)| is_within(*start)).map(|(line, _)| line).collect();
        self.ends_in_word.extend(within);
    }

    /// The word at a place, which has no blanks at breaks.
    pub(super) fn word(&self, at: &Range<usize>) -> String {
        let mut word = String::new();
        let mut start = at.start;
        let ends = self.breaks(at).map(|(_, at)| at).chain([at.end]);
        for end in ends {
            let part = self.text.get(start..end).unwrap_or("");
            let part = if start == at.start { part } else { part.trim_start() };
            word.push_str(if end == at.end { part } else { part.trim_end() });
            start = end;
        }
        word
    }

    /// The text at a place, with a line break where blanks may be missing, and whether it has such.
    pub(super) fn exact(&self, at: &Range<usize>, width: Width) -> (String, bool) {
        let (mut text, mut doubtful) = (String::new(), false);
        let mut start = at.start;
        for (line, place) in self.breaks(at) {
            text.push_str(self.text.get(start..place).unwrap_or(""));
            start = place;
            if !self.is_exact(line, width) {
                doubtful = true;
                text.push('\n');
            }
        }
        text.push_str(self.text.get(start..at.end).unwrap_or(""));
        (text, doubtful)
    }

    /// True if no blank is lost between a line and the next.
    fn is_exact(&self, line: usize, width: Width) -> bool {
        let is_whole = |i: usize| i + 1 < self.lines.len() && Some(self.lines[i].len()) == width.characters;
        self.filled || is_whole(line) && (width.leading || is_whole(line + 1))
    }
}

/// The width at which a shell broke its lines, as far as they show it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Width {
    characters: Option<usize>,
    /// True if blanks at the beginnings of lines are there.
    leading: bool,
}

impl Width {
    /// Of rows of one output.
    pub(super) fn of(rows: &[&Row<'_>]) -> Self {
        let whole =
            || rows.iter().flat_map(|row| row.lines.split_last().map_or(&[][..], |(_, whole)| whole)).map(Line::len);
        let longest = whole().max();
        let lasts = rows.iter().filter_map(|row| row.lines.last());
        let padded: Vec<usize> = lasts.filter(|line| line.text.ends_with(' ')).map(Line::len).collect();
        let is_padded = !padded.is_empty()
            && longest.is_none_or(|longest| padded.iter().copied().chain(whole()).all(|len| len == longest));
        if is_padded {
            return Self { characters: longest, leading: true };
        }
        let kept = rows.iter().all(|row| row.leading);
        let begins = |line: &Line<'_>| line.text.starts_with(' ');
        let leading = kept && rows.iter().any(|row| row.lines.iter().skip(1).any(begins));
        // A first line begins with no blank, so that its length is whole.
        let proofs = |row: &&Row<'_>| {
            let proofs = row.ends_in_word.iter().filter(|line| leading || **line == 0);
            proofs.map(|line| row.lines[*line].len()).collect::<Vec<_>>()
        };
        let proved: Vec<usize> = rows.iter().flat_map(proofs).collect();
        let characters = longest.filter(|longest| !proved.is_empty() && proved.iter().all(|len| len == longest));
        Self { characters, leading }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row<'t>(texts: &[&'t str]) -> Row<'t> {
        let lines: Vec<Line<'t>> = texts.iter().map(|text| Line { at: 0, text }).collect();
        Row::of(&lines, false, None)
    }

    #[test]
    fn a_blank_that_may_be_lost_is_doubt() {
        // Lines of eight characters.
        let mut trimmed = row(&["abcdefgh", "ijkl", "mnopqrst", "uv"]);
        assert_eq!(trimmed.text, "abcdefghijklmnopqrstuv");
        let all = 0..trimmed.text.len();
        assert_eq!(trimmed.exact(&all, Width::of(&[&trimmed])), ("abcdefgh\nijkl\nmnopqrst\nuv".to_owned(), true));
        trimmed.is_word(&(6..10));
        let width = Width::of(&[&trimmed]);
        assert_eq!(width, Width { characters: Some(8), leading: false });
        assert_eq!(trimmed.exact(&all, width).0, "abcdefgh\nijkl\nmnopqrst\nuv");
        // Of lines that are filled with blanks none is missing.
        let padded = row(&["abcdefgh", "ij klmn ", "uv      "]);
        let width = Width::of(&[&padded]);
        assert_eq!(padded.exact(&(0..padded.text.len()), width), ("abcdefghij klmn uv".to_owned(), false));
    }

    #[test]
    fn indentation_is_no_part_of_a_text() {
        assert_eq!(row(&["  {a", "   => 'b", "  c'}  "]).text, "{a => 'bc'}");
        assert_eq!(row(&["{ab", "    c =>", "     d}"]).text, "{abc => d}");
    }
}
