//! Reads the text of a design as far as it goes: where it ends, and the fields of tables on the way.

use super::place::{Place, Wanted};

/// A bracket or brace that is open.
struct Open {
    /// The keys that the path had outside of it.
    path: usize,
    /// Of a brace, the keys that are beside it.
    has: Option<Vec<String>>,
}

/// A text that is read from its start, be it TOML or not.
pub(super) struct Scan {
    place: Place,
    header: Vec<String>,
    open: Vec<Open>,
    /// The fields of tables, each with the name of the table: `host: text`.
    fields: Vec<(String, String)>,
}

impl Scan {
    pub(super) fn of(text: &str) -> Self {
        let mut scan = Self { place: Place::default(), header: Vec::new(), open: Vec::new(), fields: Vec::new() };
        let mut rest = text;
        while let Some(character) = rest.chars().next() {
            rest = match character {
                '#' => scan.comment(rest),
                '"' | '\'' => scan.string(rest),
                '[' if scan.is_at_header() => scan.header(rest),
                _ => {
                    scan.character(character);
                    &rest[character.len_utf8()..]
                }
            };
        }
        scan
    }

    pub(super) fn into_place(self) -> Place {
        self.place
    }

    /// The fields of a table.
    pub(super) fn fields_of(&self, table: &str) -> impl Iterator<Item = &str> {
        self.fields.iter().filter(move |(of, _)| of == table).map(|(_, field)| field.as_str())
    }

    fn is_at_header(&self) -> bool {
        self.place.wanted == Wanted::Key && self.open.is_empty() && self.place.word.is_empty()
    }

    fn comment<'t>(&mut self, rest: &'t str) -> &'t str {
        match rest.find('\n') {
            Some(end) => &rest[end..],
            None => self.prose(),
        }
    }

    /// The text ends where nothing of the format stands.
    fn prose(&mut self) -> &'static str {
        self.place.wanted = Wanted::Nothing;
        ""
    }

    fn string<'t>(&mut self, rest: &'t str) -> &'t str {
        let quote = &rest[..1];
        let many = quote.repeat(3);
        if let Some(within) = rest.strip_prefix(&many) {
            let Some(end) = Some(end_of(within, &many)).filter(|end| *end < within.len()) else { return self.prose() };
            self.place.word.push_str(&many);
            return &within[end + many.len()..];
        }
        let within = &rest[1..];
        let end = end_of(within, quote);
        let is_closed = within[end..].starts_with(quote);
        if let (Wanted::Value, [first, table, key]) = (self.place.wanted, self.place.path.as_slice())
            && (is_closed && first == "table" && key == "key")
        {
            self.fields.push((table.clone(), within[..end].to_owned()));
        }
        let length = 1 + end + usize::from(is_closed);
        self.place.word.push_str(&rest[..length]);
        &rest[length..]
    }

    fn header<'t>(&mut self, rest: &'t str) -> &'t str {
        let keys = rest.trim_start_matches('[');
        let end = keys.find([']', '\n']).unwrap_or(keys.len());
        let mut path = dotted(&keys[..end]);
        self.place = match end == keys.len() {
            true => {
                let word = path.pop().unwrap_or_default();
                let is_list = rest.starts_with("[[");
                Place { path, wanted: Wanted::Header, is_list, word, has: Vec::new() }
            }
            false => {
                self.header.clone_from(&path);
                Place { path, ..Place::default() }
            }
        };
        // What stands behind it on its line is a mistake, or a comment.
        keys[end..].trim_start_matches(']')
    }

    fn character(&mut self, character: char) {
        let is_value = self.place.wanted == Wanted::Value;
        match character {
            '\n' => self.end_of_line(),
            '=' if !is_value => {
                let keys = dotted(&std::mem::take(&mut self.place.word));
                self.place.has.extend(keys.first().cloned());
                self.place.path.extend(keys);
                self.place.wanted = Wanted::Value;
            }
            '{' if is_value => {
                let has = Some(std::mem::take(&mut self.place.has));
                self.open.push(Open { path: self.place.path.len(), has });
                self.at(Wanted::Key);
            }
            '[' if is_value => {
                self.open.push(Open { path: self.place.path.len(), has: None });
                self.at(Wanted::Value);
            }
            '}' | ']' => self.close(character == '}'),
            ',' => match self.open.last() {
                Some(Open { path, has: Some(_) }) => {
                    self.place.path.truncate(*path);
                    self.at(Wanted::Key);
                }
                _ => self.place.word.clear(),
            },
            _ if character.is_whitespace() => {
                if is_value {
                    self.place.word.clear();
                }
            }
            _ => self.place.word.push(character),
        }
    }

    fn at(&mut self, wanted: Wanted) {
        self.place.wanted = wanted;
        self.place.word.clear();
    }

    fn end_of_line(&mut self) {
        self.place.word.clear();
        if self.open.is_empty() {
            self.place.path.clone_from(&self.header);
            self.place.wanted = Wanted::Key;
        }
    }

    /// Closes the innermost brace, or bracket, with all in it that is open still.
    fn close(&mut self, is_brace: bool) {
        if let Some(at) = self.open.iter().rposition(|open| open.has.is_some() == is_brace) {
            let closed = self.open.drain(at..).next();
            if let Some(Open { path, has }) = closed {
                self.place.path.truncate(path);
                self.place.has = has.unwrap_or_else(|| std::mem::take(&mut self.place.has));
            }
        }
        self.at(Wanted::Value);
    }
}

/// The length of a string before its quotes; before the end of its line, if it has one quote and is not closed there.
fn end_of(text: &str, quotes: &str) -> usize {
    let (has_escapes, is_of_a_line) = (quotes.starts_with('"'), quotes.len() == 1);
    let mut is_escaped = false;
    let end = text.char_indices().find(|(at, character)| {
        let is_end = !is_escaped && text[*at..].starts_with(quotes) || is_of_a_line && *character == '\n';
        is_escaped = has_escapes && *character == '\\' && !is_escaped;
        is_end
    });
    end.map_or(text.len(), |(at, _)| at)
}

/// The keys of a dotted key, without quotes.
fn dotted(text: &str) -> Vec<String> {
    let (mut keys, mut quote) = (vec![String::new()], None);
    for character in text.trim().chars() {
        match (character, quote) {
            ('"' | '\'', None) => quote = Some(character),
            (_, Some(open)) if open == character => quote = None,
            ('.', None) => keys.push(String::new()),
            (_, None) if character.is_whitespace() => {}
            _ => keys.iter_mut().last().into_iter().for_each(|key| key.push(character)),
        }
    }
    keys
}
