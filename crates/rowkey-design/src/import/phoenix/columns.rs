//! The columns of tables as Phoenix's catalog has them: what sqlline prints for `!columns` or `!describe`, or for a
//! query of `SYSTEM.CATALOG`, as a table of lines or as CSV.

use std::ops::Range;

use indexmap::IndexMap;

use super::super::draft::{Draft, Splits};
use super::super::{Reading, lines};
use super::{Column, Wrong};

/// The separator of the cells of a line.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    /// `| a | b |`
    Table,
    /// `'a','b'`, or with double quotes, or none.
    Csv,
}

/// The columns that a text lists; none if no line of it is their header.
pub(super) fn read(text: &str, name: Option<&str>, reading: &mut Reading) -> Option<Vec<Draft>> {
    let mut all = lines(text);
    let header = all.by_ref().find_map(|(at, line)| {
        let form = if line.trim_start().starts_with('|') { Form::Table } else { Form::Csv };
        let cells: Vec<String> = cells(line, form)?.iter().map(|cell| heading(cell)).collect();
        let has = |name: &str| cells.iter().any(|cell| cell == name);
        let listed = has("COLUMN_NAME") && (has("TYPE_NAME") || has("DATA_TYPE") || has("TABLE_NAME"));
        listed.then(|| Header { form, cells, at: at..at + line.len() })
    })?;
    let mut tables: IndexMap<String, Table> = IndexMap::new();
    if let Err((at, message, help)) = header.tables(all, name, &mut tables) {
        reading.problem(at, message, help);
        return Some(Vec::new());
    }
    let mut drafts = Vec::new();
    for (name, table) in tables {
        match table.draft(name, &header) {
            Ok(draft) => drafts.push(draft),
            Err((at, message, help)) => reading.problem(at, message, help),
        }
    }
    Some(drafts)
}

struct Header {
    form: Form,
    cells: Vec<String>,
    at: Range<usize>,
}

/// The lines of one table.
#[derive(Default)]
struct Table {
    columns: Vec<Column>,
    /// Columns of the key: their place in it, name, and whether they are descending.
    key: Vec<(u32, String, bool)>,
    comments: Vec<String>,
    salt: Option<u32>,
}

impl Header {
    fn has(&self, name: &str) -> bool {
        self.cells.iter().any(|cell| cell == name)
    }

    /// A cell of a line; none if it is empty or null.
    fn cell<'c>(&self, cells: &'c [String], name: &str) -> Option<&'c str> {
        let cell = cells.get(self.cells.iter().position(|cell| cell == name)?)?.as_str();
        (!cell.is_empty() && !cell.eq_ignore_ascii_case("null")).then_some(cell)
    }

    fn tables<'t>(
        &self,
        lines: impl Iterator<Item = (usize, &'t str)>,
        name: Option<&str>,
        tables: &mut IndexMap<String, Table>,
    ) -> Result<(), Wrong> {
        if !self.has("TYPE_NAME") && !self.has("DATA_TYPE") {
            return Err((self.at.clone(), "there is no TYPE_NAME or DATA_TYPE in this list".to_owned(), WHOLE));
        }
        if !self.has("KEY_SEQ") && !self.has("COLUMN_FAMILY") {
            let message = "there is no KEY_SEQ in this list, so that it does not say which columns are the key";
            return Err((self.at.clone(), message.to_owned(), WHOLE));
        }
        for (start, line) in lines {
            let at = start..start + line.len();
            let Some(cells) = cells(line, self.form).filter(|cells| cells.len() > 1) else { continue };
            if cells.iter().zip(&self.cells).all(|(cell, head)| heading(cell) == *head) {
                // sqlline prints the header again after each hundred lines.
                continue;
            }
            if cells.len() != self.cells.len() {
                let message = format!("the header has {} cells, and this line {}", self.cells.len(), cells.len());
                return Err((at, message, WHOLE));
            }
            let table = self.cell(&cells, "TABLE_NAME").or(name).ok_or_else(|| {
                (at.clone(), "the list does not say the table's name".to_owned(), "name it with --name")
            })?;
            let schema = self.cell(&cells, "TABLE_SCHEM");
            let table = schema.map_or_else(|| table.to_owned(), |schema| format!("{schema}.{table}"));
            self.column(&cells, at, tables.entry(table).or_default())?;
        }
        Ok(())
    }

    fn column(&self, cells: &[String], at: Range<usize>, table: &mut Table) -> Result<(), Wrong> {
        let number = |name: &str| {
            let cell = self.cell(cells, name);
            let wrong = |_| (at.clone(), format!("{name} is no whole number from 0"), WHOLE);
            cell.map(|cell| cell.parse::<u32>().map_err(wrong)).transpose()
        };
        let Some(name) = self.cell(cells, "COLUMN_NAME") else {
            // The catalog has a line of the table itself, and others of its families and links.
            table.salt = table.salt.or(number("SALT_BUCKETS")?.filter(|buckets| *buckets > 0));
            return Ok(());
        };
        let family = self.cell(cells, "COLUMN_FAMILY");
        let ty = match (self.cell(cells, "TYPE_NAME"), self.cell(cells, "DATA_TYPE")) {
            (Some(name), _) => name.to_ascii_uppercase(),
            (None, Some(number)) => type_of(number).unwrap_or(number).to_owned(),
            (None, None) => return Err((at, format!("the list does not say the type of {name:?}"), WHOLE)),
        };
        let seq = number("KEY_SEQ")?;
        if seq.is_some() || (!self.has("KEY_SEQ") && family.is_none()) {
            let desc = number("SORT_ORDER")? == Some(DESC) || self.cell(cells, "ASC_OR_DESC") == Some("D");
            table.key.push((seq.unwrap_or(0), name.to_owned(), desc));
            if !self.has("TYPE_NAME") && ["TINYINT", "SMALLINT", "INTEGER", "BIGINT", "DATE", "TIME"].contains(&&*ty) {
                table.comments.push(format!(
                    "The type of {name} is read as {ty}. If it was declared as UNSIGNED, write u for i in its shape."
                ));
            }
        }
        let not_null = self.cell(cells, "NULLABLE") == Some("0");
        let len = self.cell(cells, "COLUMN_SIZE").map(str::to_owned);
        table.columns.push(Column { family: family.map(str::to_owned), name: name.to_owned(), ty, len, not_null, at });
        Ok(())
    }
}

const WHOLE: &str = "print all columns: `!set maxwidth 10000` in sqlline before `!columns`, or SELECT TABLE_SCHEM, \
                     TABLE_NAME, COLUMN_NAME, COLUMN_FAMILY, SqlTypeName(DATA_TYPE) AS TYPE_NAME, COLUMN_SIZE, NULLABLE, KEY_SEQ, SORT_ORDER, \
                     SALT_BUCKETS FROM SYSTEM.CATALOG";

/// `SORT_ORDER` of the catalog: 1 is descending, 2 ascending.
const DESC: u32 = 1;

impl Table {
    fn draft(mut self, name: String, header: &Header) -> Result<Draft, Wrong> {
        let mut draft = Draft { name, comments: self.comments, ..Draft::default() };
        if self.key.is_empty() {
            let message = format!("no column of {:?} is in the key", draft.name);
            return Err((header.at.clone(), message, WHOLE));
        }
        self.key.sort_by_key(|(seq, ..)| *seq);
        if self.key.windows(2).any(|pair| pair[0].0 == pair[1].0) {
            let message = format!("the list does not say the order of the key of {:?}", draft.name);
            return Err((header.at.clone(), message, WHOLE));
        }
        if !header.has("SORT_ORDER") && !header.has("ASC_OR_DESC") {
            draft.comments.push("The list has no SORT_ORDER: add `desc` to fields that are descending.".to_owned());
        }
        match self.salt {
            Some(buckets) => {
                draft.settings.push(("salt", format!("{{ buckets = {buckets}, hash = \"java\" }}")));
                draft.splits = Splits::Buckets;
            }
            None if header.has("SALT_BUCKETS") => {}
            None => draft.comments.push(
                "The list has no SALT_BUCKETS: if the table has, add salt = { buckets = N, hash = \"java\" }."
                    .to_owned(),
            ),
        }
        draft.comments.push(
            "Phoenix numbers the columns of a table without COLUMN_ENCODED_BYTES=0: then qualifiers are not these names."
                .to_owned(),
        );
        let key: Vec<(String, bool)> = self.key.into_iter().map(|(_, name, desc)| (name, desc)).collect();
        // A column of the key has no family, whatever else has its name.
        draft.fields(&self.columns, &key)?;
        draft.families(&self.columns, &key);
        Ok(draft)
    }
}

/// A name of the header; that of a function without another name is what it gives.
fn heading(cell: &str) -> String {
    let name = cell.to_ascii_uppercase();
    if name == "SQLTYPENAME(DATA_TYPE)" { "TYPE_NAME".to_owned() } else { name }
}

/// Returns the cells of a line, or `None` if the line is not a row of a list.
fn cells(line: &str, form: Form) -> Option<Vec<String>> {
    match form {
        Form::Table => {
            let inside = line.trim().strip_prefix('|')?.strip_suffix('|')?;
            Some(inside.split('|').map(|cell| cell.trim().to_owned()).collect())
        }
        Form::Csv => {
            let (mut cells, mut cell, mut quote) = (Vec::new(), String::new(), None);
            let mut characters = line.trim().chars().peekable();
            while let Some(c) = characters.next() {
                match (quote, c) {
                    (Some(open), c) if c == open && characters.peek() == Some(&c) => {
                        characters.next();
                        cell.push(c);
                    }
                    (Some(open), c) if c == open => quote = None,
                    (None, '\'' | '"') if cell.trim().is_empty() => {
                        cell.clear();
                        quote = Some(c);
                    }
                    (None, ',' | '\t') => cells.push(std::mem::take(&mut cell).trim().to_owned()),
                    (_, c) => cell.push(c),
                }
            }
            cells.push(cell.trim().to_owned());
            Some(cells)
        }
    }
}

/// The type of a number of JDBC, or one of Phoenix's own.
fn type_of(number: &str) -> Option<&'static str> {
    const TYPES: &[(&str, &str)] = &[
        ("-6", "TINYINT"),
        ("-5", "BIGINT"),
        ("-3", "VARBINARY"),
        ("-2", "BINARY"),
        ("1", "CHAR"),
        ("3", "DECIMAL"),
        ("4", "INTEGER"),
        ("5", "SMALLINT"),
        ("6", "FLOAT"),
        ("8", "DOUBLE"),
        ("9", "UNSIGNED_INT"),
        ("10", "UNSIGNED_LONG"),
        ("11", "UNSIGNED_TINYINT"),
        ("12", "VARCHAR"),
        ("13", "UNSIGNED_SMALLINT"),
        ("14", "UNSIGNED_FLOAT"),
        ("15", "UNSIGNED_DOUBLE"),
        ("16", "BOOLEAN"),
        ("18", "UNSIGNED_TIME"),
        ("19", "UNSIGNED_DATE"),
        ("20", "UNSIGNED_TIMESTAMP"),
        ("91", "DATE"),
        ("92", "TIME"),
        ("93", "TIMESTAMP"),
    ];
    TYPES.iter().find(|(known, _)| *known == number).map(|(_, name)| *name)
}
