//! `CREATE TABLE` and `CREATE INDEX` of Phoenix, and the columns that its catalog has.

mod columns;
mod index;

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use super::Reading;
use super::cluster;
use super::draft::{Draft, Splits, bytes, period};
use super::sql::{Token, Word, tokens};

pub(super) fn read(text: &str, name: Option<&str>, reading: &mut Reading) -> Vec<Draft> {
    if let Some(drafts) = columns::read(text, name, reading) {
        return drafts;
    }
    let tokens = tokens(text, reading);
    let mut tables: Vec<Table> = Vec::new();
    for statement in tokens.split(|token| token.word == Word::Mark(';')) {
        let mut parser = Parser { rest: statement, end: statement.last().map_or(0..0, |token| token.at.clone()) };
        if let Err((at, message, help)) = parser.statement(&mut tables) {
            reading.problem(at, message, help);
        }
    }
    tables.into_iter().map(|table| table.draft).collect()
}

/// A table that is created, for indexes of it.
struct Table {
    draft: Draft,
    columns: Vec<Column>,
    /// The columns of its key, and whether they are descending.
    key: Vec<(String, bool)>,
}

type Wrong = (Range<usize>, String, &'static str);
type Parsed<T> = Result<T, Wrong>;

struct Parser<'t> {
    rest: &'t [Token],
    /// The last word, for what is missing after it.
    end: Range<usize>,
}

/// A column as it is declared.
#[derive(Clone)]
struct Column {
    family: Option<String>,
    name: String,
    ty: String,
    /// `n` of `BINARY(n)`.
    len: Option<String>,
    not_null: bool,
    at: Range<usize>,
}

impl Parser<'_> {
    fn statement(&mut self, tables: &mut Vec<Table>) -> Parsed<()> {
        if self.next_is("ALTER") {
            let help = "write what it changes into CREATE TABLE, or import the columns by !columns";
            return Err((self.at(), "ALTER is not read".to_owned(), help));
        }
        if !self.keyword("CREATE") {
            return Ok(());
        }
        if self.next_is("VIEW") {
            return Err((self.at(), "a view has no key of its own".to_owned(), "import the table that it is of"));
        }
        let is_local = self.keyword("LOCAL");
        _ = self.keyword("UNCOVERED");
        if self.keyword("INDEX") {
            return self.index(is_local, tables);
        }
        _ = self.keyword("IMMUTABLE");
        if self.keyword("TABLE") {
            tables.push(self.table()?);
        }
        Ok(())
    }

    fn at(&self) -> Range<usize> {
        self.rest.first().map_or(self.end.clone(), |token| token.at.clone())
    }

    fn table(&mut self) -> Parsed<Table> {
        self.if_not_exists()?;
        let mut draft = Draft { name: self.qualified()?, ..Draft::default() };
        let (mut columns, mut key) = (Vec::new(), Vec::new());
        self.expect('(')?;
        loop {
            if self.keyword("CONSTRAINT") {
                self.name()?;
                self.primary_key(&mut key)?;
            } else if self.next_is("PRIMARY") {
                self.primary_key(&mut key)?;
            } else {
                self.column(&mut columns, &mut key)?;
            }
            // Phoenix wants no comma before a constraint.
            if !self.mark(',') && !self.next_is("CONSTRAINT") {
                break;
            }
        }
        self.expect(')')?;
        draft.fields(&columns, &key)?;
        draft.families(&columns, &key);
        self.options(&mut draft)?;
        self.ended()?;
        Ok(Table { draft, columns, key })
    }

    fn if_not_exists(&mut self) -> Parsed<()> {
        if self.keyword("IF") && !(self.keyword("NOT") && self.keyword("EXISTS")) {
            return Err(self.expected("NOT EXISTS"));
        }
        Ok(())
    }

    /// A name, with its schema.
    fn qualified(&mut self) -> Parsed<String> {
        let mut name = self.name()?;
        while self.mark('.') {
            name = format!("{name}.{}", self.name()?);
        }
        Ok(name)
    }

    fn ended(&self) -> Parsed<()> {
        if let Some(token) = self.rest.first() {
            return Err((
                token.at.clone(),
                "this is not an option of a table".to_owned(),
                "end the statement with `;`",
            ));
        }
        Ok(())
    }

    fn column(&mut self, columns: &mut Vec<Column>, key: &mut Vec<(String, bool)>) -> Parsed<()> {
        let at = self.at();
        let first = self.name()?;
        let (family, name) = if self.mark('.') { (Some(first), self.name()?) } else { (None, first) };
        let ty = self.name()?;
        let mut len = None;
        if self.mark('(') {
            len = Some(self.number()?);
            if self.mark(',') {
                self.number()?;
            }
            self.expect(')')?;
        }
        let not_null = self.keyword("NOT");
        if (not_null || self.next_is("NULL")) && !self.keyword("NULL") {
            return Err(self.expected("NULL"));
        }
        if self.keyword("PRIMARY") {
            if !self.keyword("KEY") {
                return Err(self.expected("KEY"));
            }
            let desc = self.keyword("DESC");
            _ = !desc && self.keyword("ASC");
            key.push((name.clone(), desc));
        }
        columns.push(Column { family, name, ty, len, not_null, at });
        Ok(())
    }

    fn primary_key(&mut self, key: &mut Vec<(String, bool)>) -> Parsed<()> {
        if !(self.keyword("PRIMARY") && self.keyword("KEY")) {
            return Err(self.expected("PRIMARY KEY"));
        }
        self.expect('(')?;
        loop {
            let name = self.name()?;
            let desc = self.keyword("DESC");
            _ = !desc && self.keyword("ASC");
            _ = self.keyword("ROW_TIMESTAMP");
            key.push((name, desc));
            if !self.mark(',') {
                return self.expect(')');
            }
        }
    }

    /// Reads `SPLIT ON (…)`, if it is next.
    fn splits(&mut self) -> Parsed<Option<Splits>> {
        if !self.keyword("SPLIT") {
            return Ok(None);
        }
        if !self.keyword("ON") {
            return Err(self.expected("ON"));
        }
        Ok(Some(Splits::Keys(self.split_points()?)))
    }

    fn options(&mut self, draft: &mut Draft) -> Parsed<()> {
        let mut encoded = true;
        while let Some(token) = self.rest.first().cloned() {
            if let Some(splits) = self.splits()? {
                draft.splits = splits;
                continue;
            }
            let (family, option, value) = self.option()?;
            match option.as_str() {
                "COLUMN_ENCODED_BYTES" => encoded = value != "0" && !value.eq_ignore_ascii_case("none"),
                "SALT_BUCKETS" if value == "0" => {}
                "SALT_BUCKETS" => {
                    let buckets: u32 = value.parse().map_err(|_| number_expected(&token, &value))?;
                    draft.settings.push(("salt", format!("{{ buckets = {buckets}, hash = \"java\" }}")));
                    draft.splits = Splits::Buckets;
                }
                _ => draft.option(family.as_deref(), &option, &value, &token)?,
            }
        }
        if encoded {
            let comment = "Phoenix numbers the columns of this table: their qualifiers are not the names here";
            draft.comments.push(comment.to_owned());
        }
        Ok(())
    }

    /// Reads `family.OPTION = value`.
    fn option(&mut self) -> Parsed<(Option<String>, String, String)> {
        let first = self.name()?;
        let (family, option) = if self.mark('.') { (Some(first), self.name()?) } else { (None, first) };
        self.expect('=')?;
        let value = match self.rest.first().map(|token| &token.word) {
            Some(Word::Bare(text) | Word::Text(text) | Word::Quoted(text) | Word::Number(text)) => text.clone(),
            _ => return Err(self.expected("a value")),
        };
        self.rest = &self.rest[1..];
        _ = self.mark(',');
        Ok((family, option, value))
    }

    fn split_points(&mut self) -> Parsed<Vec<Vec<u8>>> {
        let mut points = Vec::new();
        self.expect('(')?;
        loop {
            match self.rest.first().map(|token| &token.word) {
                Some(Word::Bytes(bytes)) => points.push(bytes.clone()),
                Some(Word::Text(text)) => points.push(text.clone().into_bytes()),
                _ => return Err(self.expected("X'0102' or 'text'")),
            }
            self.rest = &self.rest[1..];
            if !self.mark(',') {
                self.expect(')')?;
                return Ok(points);
            }
        }
    }

    fn next_is(&self, word: &str) -> bool {
        matches!(self.rest.first(), Some(Token { word: Word::Bare(bare), .. }) if bare == word)
    }

    fn keyword(&mut self, word: &str) -> bool {
        let there = self.next_is(word);
        self.rest = &self.rest[usize::from(there)..];
        there
    }

    fn mark(&mut self, mark: char) -> bool {
        let there = self.rest.first().is_some_and(|token| token.word == Word::Mark(mark));
        self.rest = &self.rest[usize::from(there)..];
        there
    }

    fn expect(&mut self, mark: char) -> Parsed<()> {
        if self.mark(mark) { Ok(()) } else { Err(self.expected(&format!("`{mark}`"))) }
    }

    fn name(&mut self) -> Parsed<String> {
        match self.rest.split_first() {
            Some((Token { word: Word::Bare(name) | Word::Quoted(name), .. }, rest)) => {
                self.rest = rest;
                Ok(name.clone())
            }
            _ => Err(self.expected("a name")),
        }
    }

    fn number(&mut self) -> Parsed<String> {
        match self.rest.split_first() {
            Some((Token { word: Word::Number(number), .. }, rest)) => {
                self.rest = rest;
                Ok(number.clone())
            }
            _ => Err(self.expected("a number")),
        }
    }

    fn expected(&self, what: &str) -> Wrong {
        (self.at(), format!("expected {what}"), "write it as Phoenix takes it")
    }
}

fn number_expected(token: &Token, value: &str) -> Wrong {
    (token.at.clone(), format!("{value:?} is not the value of this option"), "write a whole number")
}

impl Draft {
    fn fields(&mut self, columns: &[Column], key: &[(String, bool)]) -> Parsed<()> {
        let without = columns.iter().filter(|column| column.family.is_none());
        let by_name: HashMap<&str, &Column> = without.map(|column| (column.name.as_str(), column)).collect();
        let mut fields = Vec::new();
        for (name, desc) in key {
            let Some(column) = by_name.get(name.as_str()) else {
                let at = columns.first().map_or(0..0, |column| column.at.clone());
                return Err((at, format!("the key has {name:?}, which is no column"), "declare it"));
            };
            fields.push((*column, *desc));
        }
        self.key = key_of(&fields)?;
        let mut means = Vec::new();
        for (column, _) in fields {
            let name = &column.name;
            if !column.not_null && key.len() > 1 {
                self.comments.push(format!("Phoenix takes NULL for {name}, and writes it as an empty text"));
            }
            // Its bytes are those of a number of milliseconds since 1970.
            if ["DATE", "TIME", "UNSIGNED_DATE", "UNSIGNED_TIME"].contains(&&*column.ty) {
                means.push(format!("{} = \"milliseconds\"", crate::quote::toml_key(name)));
                self.comments.push(format!("Phoenix's type of {name} is {}", column.ty));
            }
        }
        if !means.is_empty() {
            self.settings.push(("means", format!("{{ {} }}", means.join(", "))));
        }
        Ok(())
    }

    fn families(&mut self, columns: &[Column], key: &[(String, bool)]) {
        let key: HashSet<&str> = key.iter().map(|(name, _)| name.as_str()).collect();
        for column in columns {
            if column.family.is_none() && key.contains(column.name.as_str()) {
                continue;
            }
            // Phoenix's own name for the family of columns without one.
            let family = self.family(column.family.as_deref().unwrap_or("0"));
            family.columns.push(column.name.clone());
            if column.ty != "VARBINARY" {
                family.comments.push(format!("Phoenix's type of {} is {}", column.name, column.ty));
            }
        }
    }

    /// An option of one family, or of all.
    fn option(&mut self, family: Option<&str>, option: &str, value: &str, token: &Token) -> Parsed<()> {
        if let Some(family) = family {
            self.family(family);
        }
        let number = || value.parse::<u64>().map_err(|_| number_expected(token, value));
        let word = format!("\"{}\"", value.to_ascii_lowercase());
        let (key, toml) = match option {
            "TTL" if value.eq_ignore_ascii_case("forever") => return Ok(()),
            "TTL" => ("ttl", period(number()?.saturating_mul(1000))),
            "VERSIONS" => ("versions", number()?.to_string()),
            "MIN_VERSIONS" => ("min_versions", number()?.to_string()),
            "COMPRESSION" => ("compression", word),
            "DATA_BLOCK_ENCODING" if word == "\"none\"" => return Ok(()),
            "DATA_BLOCK_ENCODING" => ("encoding", word),
            "BLOOMFILTER" if word == "\"row\"" => return Ok(()),
            "BLOOMFILTER" => ("bloom", word),
            "BLOCKSIZE" => ("block", bytes(number()?)),
            "IN_MEMORY" => ("in_memory", value.to_ascii_lowercase()),
            "IS_MOB" => return Ok(()),
            "MOB_THRESHOLD" => ("mob", bytes(number()?)),
            _ => {
                if !cluster::take(self, option, value) {
                    self.comments.push(format!("A design has no key for {option}={value}"));
                }
                return Ok(());
            }
        };
        match family {
            Some(family) => self.family(family).option(key, toml),
            None => self.families.iter_mut().for_each(|family| family.option(key, toml.clone())),
        }
        Ok(())
    }
}

/// The fields of a key, of its columns and whether they are descending.
fn key_of(columns: &[(&Column, bool)]) -> Parsed<Vec<String>> {
    let mut fields = Vec::new();
    for (i, (column, desc)) in columns.iter().enumerate() {
        let (shape, ended) = shape(column)?;
        let last = i + 1 == columns.len();
        let desc = if *desc { " desc" } else { "" };
        let raw = if last && ended && desc.is_empty() { " raw" } else { "" };
        let name = &column.name;
        if name.is_empty() || name.contains(|c: char| c == ':' || c.is_whitespace()) {
            let message = format!("a design takes no field named {name:?}");
            return Err((column.at.clone(), message, "a field's name has no `:` and no white space"));
        }
        fields.push(format!("{name}: {shape}{desc}{raw}"));
    }
    Ok(fields)
}

/// The shape of a column's bytes in a key, and whether they have an end of their own before other columns.
fn shape(column: &Column) -> Parsed<(String, bool)> {
    let len = || {
        let help = "write how many bytes it has";
        column.len.clone().ok_or((column.at.clone(), format!("{} has no length", column.ty), help))
    };
    let fixed = |shape: &str| Ok((shape.to_owned(), false));
    match column.ty.as_str() {
        "TINYINT" => fixed("i8"),
        "SMALLINT" => fixed("i16"),
        "INTEGER" => fixed("i32"),
        "BIGINT" | "DATE" | "TIME" => fixed("i64"),
        "UNSIGNED_TINYINT" => fixed("u8"),
        "UNSIGNED_SMALLINT" => fixed("u16"),
        "UNSIGNED_INT" => fixed("u32"),
        "UNSIGNED_LONG" | "UNSIGNED_DATE" | "UNSIGNED_TIME" => fixed("u64"),
        "BOOLEAN" => fixed("bool"),
        "BINARY" => Ok((format!("bytes[{}]", len()?), false)),
        "CHAR" => Ok((format!("char[{}]", len()?), false)),
        "VARCHAR" => Ok(("text".to_owned(), true)),
        "VARBINARY" => Ok(("bytes".to_owned(), true)),
        "DECIMAL" => Ok(("decimal".to_owned(), true)),
        other => {
            let help = "a design has no field with its bytes: import the table by `describe` of HBase's shell";
            Err((column.at.clone(), format!("no field has the bytes of {}", crate::quote::terminal(other)), help))
        }
    }
}
