//! Changes of a design file: where a new key goes, and the files after them.

use crate::design::Allow;
use crate::finding::Edit;
use crate::problem::{File, Files, Located, Span};

impl File {
    /// The file after edits of it, which are sorted.
    pub(crate) fn edited<'e>(&self, edits: impl IntoIterator<Item = &'e Edit>) -> Self {
        let (mut text, mut done) = (String::new(), 0);
        for edit in edits {
            if let Some(before) = self.text.get(done..edit.place.start)
                && self.text.get(edit.place.range()).is_some()
            {
                text += before;
                text += &edit.text;
                done = edit.place.end;
            }
        }
        text += self.text.get(done..).unwrap_or("");
        Self { name: self.name.clone(), text }
    }
}

impl Files {
    /// The files after some edits. An edit that overlaps one before it, or is of none of the files, is left out.
    ///
    /// ```
    /// use rowkey_design::{Design, Edit, File, Span};
    ///
    /// let text = "format = 1\n[table.visits]\nkey = [\"host: text\"]\n";
    /// let design = Design::parse([File { name: "visits.rowkey.toml".into(), text: text.into() }])?;
    /// let at = text.find("host").unwrap();
    /// let edit = Edit { place: Span { file: 0, start: at, end: at + 4 }, text: "visitor".into() };
    /// assert_eq!(design.files.edited(&[edit])[0].text, text.replace("host", "visitor"));
    /// # Ok::<(), rowkey_design::Problems>(())
    /// ```
    pub fn edited(&self, edits: &[Edit]) -> Vec<File> {
        let mut edits: Vec<&Edit> = edits.iter().collect();
        edits.sort_by_key(|edit| edit.place);
        let of_file = |index| edits.iter().copied().filter(move |edit| edit.place.file == index);
        self.iter().enumerate().map(|(index, file)| file.edited(of_file(index))).collect()
    }

    /// The edit that adds a key to the table whose name is at a place: after its header, or first between its braces.
    /// None where the table has neither, as in `family.t.ttl = "1 day"`.
    pub(crate) fn key_added(&self, name: Span, key: &str, value: &str) -> Option<Edit> {
        let text = &self.file(name)?.text;
        let rest = text.get(name.end..)?;
        let after = rest.trim_start_matches([' ', '\t']);
        let insert = |rest: &str, new: String| {
            let at = text.len() - rest.len();
            Some(Edit { place: Span { file: name.file, start: at, end: at }, text: new })
        };
        if after.starts_with(']') {
            let line_end = after.find(['\n', '\r']).unwrap_or(after.len());
            return insert(&after[line_end..], format!("\n{key} = {value}"));
        }
        let inside = after.strip_prefix('=')?.trim_start_matches([' ', '\t']).strip_prefix('{')?;
        let empty = inside.trim_start().starts_with('}');
        insert(inside, if empty { format!(" {key} = {value} ") } else { format!(" {key} = {value},") })
    }

    /// The edit that adds a key to a write or a query: an item of an array of tables, or of an array.
    pub(crate) fn key_added_to_item(&self, item: Span, key: &str, value: &str) -> Option<Edit> {
        let text = self.text(item);
        let insert = |offset: usize, new: String| {
            let at = item.start + offset;
            Some(Edit { place: Span { start: at, end: at, ..item }, text: new })
        };
        match text.strip_prefix('{') {
            Some(inside) if inside.trim_start().starts_with('}') => insert(1, format!(" {key} = {value} ")),
            Some(_) => insert(1, format!(" {key} = {value},")),
            None => {
                let rest = self.file(item)?.text.get(item.start..)?;
                let line_end = rest.find(['\n', '\r']).unwrap_or(rest.len());
                text.starts_with('[').then(|| insert(line_end, format!("\n{key} = {value}")))?
            }
        }
    }

    /// The edit that adds an item to an array of tables, as the form of the table that has it takes it: a section at
    /// the end of the file, `[[path.key]]`; or a key in braces. None where a table in braces has that key already, or
    /// takes neither.
    pub(crate) fn item_added(
        &self,
        table: Span,
        path: &str,
        key: &str,
        has_key: bool,
        lines: &[String],
    ) -> Option<Edit> {
        let text = &self.file(table)?.text;
        let line = text.get(..table.start)?.rsplit('\n').next()?;
        if !line.trim_start().starts_with('[') {
            if !text.get(table.end..)?.trim_start().starts_with('.') {
                let items = format!("[{{ {} }}]", lines.join(", "));
                return if has_key { None } else { self.key_added(table, key, &items) };
            }
            // A dotted key takes a section, unless it is in the braces of another table.
            if self.in_braces(table) {
                return None;
            }
        }
        let newline = if text.ends_with('\n') { "" } else { "\n" };
        let place = Span { start: text.len(), end: text.len(), ..table };
        Some(Edit { place, text: format!("{newline}\n[[{path}.{key}]]\n{}\n", lines.join("\n")) })
    }
    /// The edit that takes an `allow` away: its section, or its table in braces with the comma.
    pub(crate) fn allow_removed(&self, allow: &Located<Allow>) -> Edit {
        let text = self.file(allow.place).map_or("", |file| &file.text);
        let (before, after) = (|at: usize| text.get(..at).unwrap_or(""), |at: usize| text.get(at..).unwrap_or(""));
        let place = |start, end| Edit { place: Span { start, end, ..allow.place }, text: String::new() };
        let Span { start, end, .. } = allow.place;
        if self.text(allow.place).starts_with('{') {
            let rest = after(end).trim_start();
            return match rest.strip_prefix(',') {
                Some(rest) => place(start, text.len() - rest.trim_start_matches([' ', '\t']).len()),
                None => match before(start).trim_end().strip_suffix(',') {
                    Some(before) => place(before.len(), end),
                    None => place(start, end),
                },
            };
        }
        // To the end of the line of its last value: what follows is before another section.
        let values = [
            Some(allow.rule.place),
            Some(allow.why.place),
            allow.of.as_ref().map(|of| of.place),
            allow.until.as_ref().map(|until| until.place),
        ];
        let last = values.into_iter().flatten().map(|value| value.end).max().unwrap_or(end).max(end);
        let line_end = after(last).find('\n').map_or(text.len(), |line| last + line + 1);
        let start = before(start).rfind('\n').map_or(0, |line| line + 1);
        // The empty line before it goes with it.
        let blank = ["\n\r\n", "\n\n"].into_iter().find(|blank| before(start).ends_with(blank));
        place(start - blank.map_or(0, |blank| blank.len() - 1), line_end)
    }
}
