//! `rowkey fmt`: one form of design files, with every comment where it was.
//!
//! Keys have no indentation and one space on either side of `=`; there is at most one empty line in a row, and none at
//! the beginning; arrays and inline tables of one line have one space after each comma; items of arrays of many lines
//! have two spaces before them, and a comma after each. Headers and dotted keys have no blanks around their dots. All
//! lines end as the first does: with CR LF, or with LF. A byte order mark stays: an editor that wrote one may want it.
//! The first line names the schema of the file, by which editors complete and check it.
//!
//! Text in quotes, the order of keys, and an inline table over several lines are never touched.

use std::ops::Range;

use toml_edit::{Array, Decor, DocumentMut, InlineTable, Item, RawString, Table, Value};

use crate::problem::{File, Files, Problem, Problems, Span};

/// The name of the JSON Schema of design files where it lies beside them.
pub const SCHEMA_FILE: &str = "rowkey.schema.json";

/// The word of the comment that names the schema of a file of TOML to Taplo and the editors that use it.
const SCHEMA_WORD: &str = "#:schema ";

/// The text of a design file, whose first line names its schema.
///
/// A file that names another keeps that, and one without keys has none.
pub(crate) fn with_schema(text: &str, newline: &str) -> String {
    let mut before = text.lines().map(str::trim).take_while(|line| line.is_empty() || line.starts_with('#'));
    let is_named = before.by_ref().any(|line| line.starts_with(SCHEMA_WORD));
    let has_keys = text.lines().any(|line| !line.trim().is_empty() && !line.trim().starts_with('#'));
    let line = if is_named || !has_keys { String::new() } else { format!("{SCHEMA_WORD}./{SCHEMA_FILE}{newline}") };
    line + text
}

/// Returns the text of a file in the one form.
///
/// # Errors
/// If it is not TOML.
///
/// ```
/// use rowkey_design::{File, format};
///
/// let text = "format=1 # the first\n\n\n[table.visits]\n  key=[ \"host: text\",\"at: i64\" ]\n".to_owned();
/// let formatted = format(&File { name: "visits.rowkey.toml".into(), text })?;
/// assert_eq!(formatted, r#"#:schema ./rowkey.schema.json
/// format = 1 # the first
///
/// [table.visits]
/// key = ["host: text", "at: i64"]
/// "#);
/// # Ok::<(), rowkey_design::Problems>(())
/// ```
pub fn format(file: &File) -> Result<String, Problems> {
    let (mark, text) = match file.text.strip_prefix(MARK) {
        Some(text) => (MARK, text),
        None => ("", &*file.text),
    };
    let mut document: DocumentMut = text.parse().map_err(|error: toml_edit::TomlError| {
        let span = error.span().unwrap_or(0..0);
        let place = Span { file: 0, start: mark.len() + span.start, end: mark.len() + span.end };
        let mut files = Files::default();
        files.add(file.clone());
        Problems { files, list: vec![Problem { place, message: error.message().to_owned(), help: None }] }
    })?;
    table(document.as_table_mut());
    let trailing = lines(&format!("{}\n", raw(document.trailing())), "");
    let trailing = trailing.trim_end_matches('\n');
    document.set_trailing(if trailing.is_empty() { String::new() } else { format!("{trailing}\n") });
    let formatted = document.to_string();
    let formatted = formatted.trim_start_matches('\n');
    let end = if formatted.is_empty() || formatted.ends_with('\n') { "" } else { "\n" };
    let first_line = text.split_inclusive('\n').next().unwrap_or("");
    let newline = if first_line.ends_with("\r\n") { "\r\n" } else { "\n" };
    Ok(mark.to_owned() + &with_schema(&lines_ended(&format!("{formatted}{end}"), newline), newline))
}

const MARK: &str = "\u{feff}";

/// The text with other ends of lines, but for those in strings, which are of their values.
fn lines_ended(text: &str, newline: &str) -> String {
    let mut strings = Vec::new();
    if text.contains("\"\"\"") || text.contains("'''") {
        if let Ok(document) = toml_edit::Document::parse(text) {
            document.iter().for_each(|(_, item)| strings_of(item, &mut strings));
        }
        strings.sort_unstable_by_key(|string| string.start);
    }
    let between = |range| text.get(range).unwrap_or("").replace("\r\n", "\n").replace('\n', newline);
    let (mut ended, mut done) = (String::new(), 0);
    for string in strings {
        ended += &between(done..string.start);
        done = string.end;
        ended += text.get(string).unwrap_or("");
    }
    ended + &between(done..text.len())
}

/// The places of strings of many lines.
fn strings_of(item: &Item, strings: &mut Vec<Range<usize>>) {
    match item {
        Item::Value(value) => strings_in(value, strings),
        Item::Table(table) => table.iter().for_each(|(_, item)| strings_of(item, strings)),
        Item::ArrayOfTables(tables) => {
            tables.iter().flat_map(Table::iter).for_each(|(_, item)| strings_of(item, strings));
        }
        Item::None => {}
    }
}

fn strings_in(value: &Value, strings: &mut Vec<Range<usize>>) {
    match value {
        Value::String(_) => strings.extend(value.span()),
        Value::Array(items) => items.iter().for_each(|value| strings_in(value, strings)),
        Value::InlineTable(keys) => keys.iter().for_each(|(_, value)| strings_in(value, strings)),
        _ => {}
    }
}

fn raw(raw: &RawString) -> &str {
    raw.as_str().unwrap_or("")
}

fn prefix(decor: &Decor) -> String {
    decor.prefix().map_or(String::new(), |raw| self::raw(raw).to_owned())
}

fn suffix(decor: &Decor) -> String {
    decor.suffix().map_or(String::new(), |raw| self::raw(raw).to_owned())
}

/// Comments and empty lines before something: no indentation but this, one empty line in a row.
fn lines(before: &str, indentation: &str) -> String {
    let mut out = String::new();
    let all: Vec<&str> = before.split('\n').map(|line| line.trim_matches([' ', '\t', '\r'])).collect();
    let (_, whole) = all.split_last().unwrap_or((&"", &[]));
    let mut was_empty = false;
    for line in whole {
        if !(line.is_empty() && was_empty) {
            if !line.is_empty() {
                out += indentation;
                out += line;
            }
            out.push('\n');
        }
        was_empty = line.is_empty();
    }
    out + indentation
}

/// The rest of a line after something: a comment, as far from it as it was, or nothing.
fn after(text: &str) -> &str {
    text.trim_end_matches([' ', '\t', '\r'])
}

fn table(table: &mut Table) {
    let names: Vec<String> = table.iter().map(|(name, _)| name.to_owned()).collect();
    for name in names {
        let is_value = table.get(&name).is_some_and(Item::is_value);
        if is_value && let Some(mut key) = table.key_mut(&name) {
            let before = lines(&prefix(key.leaf_decor()), "");
            key.dotted_decor_mut().clear();
            let decor = key.leaf_decor_mut();
            decor.set_prefix(before);
            decor.set_suffix(" ");
        } else if let Some(mut key) = table.key_mut(&name) {
            // Of a header, or before a dot. Comments are the table's, or those of the last key.
            key.leaf_decor_mut().clear();
            key.dotted_decor_mut().clear();
        }
        match table.get_mut(&name) {
            Some(Item::Value(value)) => {
                inside(value);
                let comment = after(&suffix(value.decor())).to_owned();
                let decor = value.decor_mut();
                decor.set_prefix(" ");
                decor.set_suffix(comment);
            }
            Some(Item::Table(inner)) => {
                header(inner.decor_mut());
                self::table(inner);
            }
            Some(Item::ArrayOfTables(items)) => {
                for inner in items.iter_mut() {
                    header(inner.decor_mut());
                    self::table(inner);
                }
            }
            _ => {}
        }
    }
}

fn header(decor: &mut Decor) {
    let (before, comment) = (lines(&prefix(decor), ""), after(&suffix(decor)).to_owned());
    decor.set_prefix(before);
    decor.set_suffix(comment);
}

fn inside(value: &mut Value) {
    match value {
        Value::Array(items) => array(items),
        Value::InlineTable(keys) => inline(keys),
        _ => {}
    }
}

fn array(items: &mut Array) {
    let long = |decor: &Decor| prefix(decor).contains('\n') || suffix(decor).contains('\n');
    let many = items.iter().any(|item| long(item.decor())) || raw(items.trailing()).contains('\n');
    items.iter_mut().for_each(inside);
    if !many {
        return items.fmt();
    }
    // A comment between an item and its comma goes after the comma, and the last item has a comma.
    items.set_trailing_comma(!items.is_empty());
    let mut carried = String::new();
    for item in items.iter_mut() {
        let before = carried + &prefix(item.decor());
        carried = suffix(item.decor());
        if !carried.contains('#') {
            carried.clear();
        }
        let (own, rest) = before.split_once('\n').unwrap_or(("", &before));
        let before = format!("{}\n{}", after(own), lines(rest, "  "));
        let decor = item.decor_mut();
        decor.set_prefix(before);
        decor.set_suffix("");
    }
    let trailing = carried + raw(items.trailing());
    let (own, rest) = trailing.split_once('\n').unwrap_or(("", ""));
    let rest = lines(rest, "  ");
    items.set_trailing(format!("{}\n{}", after(own), rest.strip_suffix("  ").unwrap_or(&rest)));
}

fn inline(keys: &mut InlineTable) {
    let commented = keys.to_string().contains('\n');
    for (_, value) in keys.iter_mut() {
        inside(value);
    }
    // A table over several lines, which TOML 1.1 has, stays as it is.
    if !commented {
        keys.fmt();
    }
}
