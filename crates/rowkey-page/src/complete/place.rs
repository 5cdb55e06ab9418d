//! The place in a design where something is to be completed: the path of keys to it, and what of it is there.

/// The thing that is to be completed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wanted {
    Key,
    Header,
    Value,
}

/// A place in a design.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Place {
    /// The keys from the top to it.
    pub(super) path: Vec<String>,
    pub(super) wanted: Wanted,
    /// True in a header of two brackets.
    pub(super) is_list: bool,
    /// The beginning that is there.
    pub(super) word: String,
    /// The keys that are beside it already.
    pub(super) has: Vec<String>,
}

impl Place {
    /// That at the end of a text.
    pub(super) fn of(before: &str) -> Self {
        let (mut path, mut has) = (Vec::new(), Vec::new());
        let (above, line) = before.rsplit_once('\n').unwrap_or(("", before));
        if let Some(header) = line.trim_start().strip_prefix('[').filter(|header| !header.contains(']')) {
            let keys = header.trim_start_matches('[');
            let mut path = dotted(keys);
            let word = path.pop().unwrap_or_default();
            return Self { path, wanted: Wanted::Header, is_list: header.starts_with('['), word, has };
        }
        let mut open = 0;
        for line in above.lines() {
            let line = line.trim();
            if let Some(header) = line.strip_prefix('[').filter(|_| open == 0)
                && let Some((keys, _)) = header.trim_start_matches('[').split_once(']')
            {
                (path, has) = (dotted(keys), Vec::new());
            } else if let Some((key, _)) = line.split_once('=').filter(|_| open == 0) {
                has.extend(dotted(key).into_iter().next());
            }
            // Of a value of several lines the keys within are not told apart from those beside it.
            open = (open + depth(line)).max(0);
        }
        let mut place = Self { path, wanted: Wanted::Key, is_list: false, word: String::new(), has };
        place.read(line);
        place
    }

    /// Follows a line of keys and values to its end.
    fn read(&mut self, line: &str) {
        // What the path and the keys beside were outside of each brace.
        let mut outer = Vec::new();
        let mut quote = None;
        for character in line.chars() {
            if quote.is_some() || matches!(character, '"' | '\'') {
                quote = match quote {
                    None => Some(character),
                    Some(open) if open == character => None,
                    still => still,
                };
                self.word.push(character);
                continue;
            }
            match character {
                '=' if self.wanted == Wanted::Key => {
                    let keys = dotted(&std::mem::take(&mut self.word));
                    self.has.extend(keys.first().cloned());
                    outer.push((self.path.len(), None));
                    self.path.extend(keys);
                    self.wanted = Wanted::Value;
                }
                '{' => {
                    outer.push((self.path.len(), Some(std::mem::take(&mut self.has))));
                    (self.wanted, self.word) = (Wanted::Key, String::new());
                }
                '}' => {
                    // The value before it, then the brace.
                    while let Some((length, has)) = outer.pop() {
                        self.path.truncate(length);
                        if let Some(has) = has {
                            self.has = has;
                            break;
                        }
                    }
                    (self.wanted, self.word) = (Wanted::Value, String::new());
                }
                ',' => {
                    self.word.clear();
                    let is_in_braces = outer.iter().any(|(_, has)| has.is_some());
                    if let Some((length, None)) = outer.last().filter(|_| is_in_braces && !self.in_brackets(line)) {
                        self.path.truncate(*length);
                        outer.pop();
                        self.wanted = Wanted::Key;
                    }
                }
                '[' | ']' => self.word.clear(),
                ' ' | '\t' => {
                    if self.wanted == Wanted::Value {
                        self.word.clear();
                    }
                }
                '#' => return,
                _ => self.word.push(character),
            }
        }
        self.word = self.word.trim_start().to_owned();
    }

    /// True if the line has a bracket that is open at its end.
    fn in_brackets(&self, line: &str) -> bool {
        let (open, close) = (line.matches('[').count(), line.matches(']').count());
        open > close
    }
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

/// The brackets and braces that a line opens, less those that it closes.
fn depth(line: &str) -> i32 {
    let mut quote = None;
    line.chars().fold(0, |depth, character| match (character, quote) {
        ('"' | '\'', None) => {
            quote = Some(character);
            depth
        }
        (_, Some(open)) => {
            if open == character {
                quote = None;
            }
            depth
        }
        ('[' | '{', None) => depth + 1,
        (']' | '}', None) => depth - 1,
        _ => depth,
    })
}
