//! The table of two columns that `describe` of HBase 0.9 prints: the description, broken, and in its first line whether
//! the table is enabled.

use super::joined::Line;

/// The heading: where its second column begins, in characters.
#[derive(Clone, Copy)]
pub(super) struct Heading {
    indent: usize,
    second: usize,
}

impl Heading {
    /// Reads `DESCRIPTION      ENABLED`.
    pub(super) fn of(line: &str) -> Option<Self> {
        let words: Vec<&str> = line.split_whitespace().collect();
        let indent = line.len() - line.trim_start().len();
        (words == ["DESCRIPTION", "ENABLED"]).then(|| Self { indent, second: line.find("ENABLED").unwrap_or(0) })
    }

    /// The characters of a line of the first column that is filled with blanks: one blank is between the columns.
    pub(super) fn first(self) -> usize {
        self.second - 1
    }
}

/// Returns the lines without the word of the second column: each way to take it out, the certain one alone if the
/// heading shows it.
pub(super) fn without_state<'t>(lines: &[Line<'t>], heading: Option<Heading>) -> Vec<Vec<Line<'t>>> {
    if let Some(cut) = heading.and_then(|heading| cut(lines, heading)) {
        return vec![cut];
    }
    let mut ways = if heading.is_some() { Vec::new() } else { vec![lines.to_vec()] };
    for (i, line) in lines.iter().enumerate() {
        for word in [" true", " false"] {
            for (at, _) in line.text.match_indices(word).take(8) {
                let after = at + word.len();
                if line.text[after..].starts_with(|c: char| c != ' ') {
                    continue;
                }
                let mut way = lines.to_vec();
                way[i].text = line.text[..at].trim_end();
                // A web page may have made one line of all.
                let rest = line.text[after..].trim_start();
                if !rest.is_empty() {
                    way.insert(i + 1, Line { at: line.at + line.text.len() - rest.len(), text: rest });
                }
                ways.push(way);
            }
        }
        if ways.len() > 16 {
            break;
        }
    }
    ways
}

/// Cuts lines at the second column, if its word and nothing else is there.
fn cut<'t>(lines: &[Line<'t>], heading: Heading) -> Option<Vec<Line<'t>>> {
    let mut cut = Vec::with_capacity(lines.len());
    for (i, line) in lines.iter().enumerate() {
        let at = |column: usize| line.text.char_indices().nth(column).map_or(line.text.len(), |(at, _)| at);
        let (first, second) = (at(heading.first()), at(heading.second));
        let state = line.text[second..].trim();
        let is_state = if i == 0 { ["true", "false"].contains(&state) } else { state.is_empty() };
        let begins = i > 0 || line.text.len() - line.text.trim_start().len() == heading.indent + 1;
        if !is_state || !begins || !line.text[first..second].trim().is_empty() {
            return None;
        }
        cut.push(Line { at: line.at, text: &line.text[..first] });
    }
    Some(cut)
}
