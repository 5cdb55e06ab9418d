//! Design files from what is there: a struct's layout, a wide table's schema, HBase's `describe` and `create`, Phoenix's
//! `CREATE TABLE` and `CREATE INDEX`, `cbt ls`, Terraform's resources.
//!
//! ```
//! use rowkey_design::internal::import::{Source, import};
//! use rowkey_design::{Design, File};
//!
//! let sql = "CREATE TABLE \"visits\" (\"at\" BIGINT NOT NULL, \"host\" VARCHAR NOT NULL, \"d\".\"v\" VARBINARY\n\
//!            CONSTRAINT \"pk\" PRIMARY KEY (\"at\" DESC, \"host\"));";
//! let text = import(File { name: "visits.sql".into(), text: sql.into() }, Source::Phoenix, None)?;
//! let design = Design::parse([File { name: "visits.rowkey.toml".into(), text }])?;
//! assert_eq!(design.tables["visits"].layout.shape(), "i64 desc, text raw");
//! # Ok::<(), rowkey_design::Problems>(())
//! ```

mod cbt;
mod cluster;
mod draft;
mod garbage;
pub(crate) mod hbase;
mod layout;
mod live;
mod number;
mod phoenix;
mod schema;
mod sql;
mod terraform;

use rowkey::LayoutBuf;

pub use self::live::{LiveFamily, LiveKey, LiveTable, of_cluster};
use crate::choice::choices;
use crate::problem::{File, Files, Problem, Problems, Span};
use crate::resolve::Design;

choices! {
    /// The kind of a text that a design file is made from.
    pub enum Source {
        /// A key's layout as JSON, from LayoutBuf::to_json.
        Layout = "layout",
        /// Output of describe 'TABLE' of HBase's shell, and of get_splits 'TABLE' after it; a table's line of the web
        /// interface; names of regions.
        ///
        /// Of one or many tables, of HBase 0.90 to 3.0. Lines may be broken at any width.
        Describe = "describe",
        /// Commands create and alter of HBase's shell.
        Shell = "shell",
        /// CREATE TABLE and CREATE INDEX of Apache Phoenix; or what sqlline printed for !columns TABLE, !describe TABLE, or a SELECT
        /// from SYSTEM.CATALOG, as a table or CSV.
        Phoenix = "phoenix",
        /// Output of cbt ls TABLE.
        Cbt = "cbt",
        /// Resources google_bigtable_table and google_bigtable_gc_policy of Terraform.
        Terraform = "terraform",
        /// The schema of a wide table as a program prints it: rowkey::wide::TableSchema, from WideDatabase::schema.
        Schema = "schema",
    }
}

/// Returns the text of a design file with the tables of a text. The name is for a table that the text does not name,
/// and for a layout in place of its struct's.
///
/// Parts that the text does not have are left out, or, of a key that it does not have, stand in for all keys:
/// `bytes raw`. Settings that a design has no word for become comments.
///
/// # Errors
/// If the text is not what it should be, or has what no design can say: each reason with its place.
pub fn import(file: File, source: Source, name: Option<&str>) -> Result<String, Problems> {
    import_with(file, source, name, &|path| Err(format!("{path}: no file can be read here")))
}

/// Returns the text of a design file, as [`import`] does. The function reads a file that the text names, such as that of
/// `SPLITS_FILE`, or says why it cannot.
///
/// # Errors
/// As of [`import`].
pub fn import_with(
    file: File,
    source: Source,
    name: Option<&str>,
    named: &dyn Fn(&str) -> Result<String, String>,
) -> Result<String, Problems> {
    let mut files = Files::default();
    let mut reading = Reading { file: files.add(file.clone()), problems: Vec::new() };
    let mut drafts = match source {
        Source::Layout => layout::read(&file.text, name, &mut reading),
        Source::Describe => hbase::describe(&file.text, name, &mut reading),
        Source::Shell => hbase::shell(&file.text, named, &mut reading),
        Source::Phoenix => phoenix::read(&file.text, name, &mut reading),
        Source::Cbt => cbt::read(&file.text, name, &mut reading),
        Source::Terraform => terraform::read(&file.text, &mut reading),
        Source::Schema => schema::read(&file.text, name, &mut reading),
    };
    if drafts.is_empty() && reading.problems.is_empty() {
        let (what, how) = match source {
            Source::Layout => ("layout", "write it with LayoutBuf::to_json"),
            Source::Describe => ("description of a family", "paste what describe 'TABLE' printed"),
            Source::Shell => ("command create", "write create 'TABLE', 'FAMILY'"),
            Source::Phoenix => {
                ("CREATE TABLE or list of columns", "write the statement, or what sqlline printed for !columns")
            }
            Source::Cbt => ("list of families", "paste what cbt ls TABLE printed"),
            Source::Terraform => ("resource google_bigtable_table", "paste the file that declares the table"),
            Source::Schema => ("line of a schema", "paste what TableSchema prints"),
        };
        reading.problem(0..0, format!("there is no {what} in this text"), how);
    }
    if reading.problems.is_empty() {
        let text = draft::text(cluster::toml(&mut drafts, None).as_deref(), &drafts);
        match Design::parse([File { name: "imported".to_owned(), text: text.clone() }]) {
            Ok(_) => return Ok(text),
            Err(problems) => {
                for problem in problems.list {
                    let message = format!("a design cannot say this: {}", problem.message);
                    reading.problem(0..0, message, problem.help.unwrap_or_default());
                }
            }
        }
    }
    Err(Problems { files, list: reading.problems })
}

/// Returns the text of a design file with one table of this layout; `means` has the words for fields, by name.
///
/// # Errors
/// If no design can say the layout.
pub(crate) fn of_layout(
    layout: &LayoutBuf,
    table: &str,
    means: &[(&str, &str)],
    comments: Vec<String>,
) -> Result<String, Problems> {
    let mut files = Files::default();
    let mut reading =
        Reading { file: files.add(File { name: table.to_owned(), text: String::new() }), problems: Vec::new() };
    let draft = layout::draft(layout, table, means, comments, &mut reading);
    if !reading.problems.is_empty() {
        return Err(Problems { files, list: reading.problems });
    }
    let text = draft::text(None, &[draft]);
    Design::parse([File { name: format!("{table}.rowkey.toml"), text: text.clone() }])?;
    Ok(text)
}

/// A text while it is read.
struct Reading {
    file: usize,
    problems: Vec<Problem>,
}

impl Reading {
    fn problem(&mut self, at: std::ops::Range<usize>, message: impl Into<String>, help: impl Into<String>) {
        let help = Some(help.into()).filter(|help| !help.is_empty());
        let place = Span { file: self.file, start: at.start, end: at.end };
        self.problems.push(Problem { place, message: message.into(), help });
    }
}

/// True if a line is one that HBase's shell prints after an answer: how long it took, its value, the next prompt.
pub(crate) fn of_shell(line: &str) -> bool {
    let prompt = || {
        let rest = line.strip_prefix("hbase")?;
        let rest = rest.strip_prefix("(main)").unwrap_or(rest).strip_prefix(':')?;
        let (number, _) = rest.split_once('>')?;
        Some(number.contains(':') && number.bytes().all(|byte| byte.is_ascii_digit() || byte == b':'))
    };
    let took = || Some(line.strip_prefix("Took ")?.trim_end().strip_suffix(" seconds")?.parse::<f64>().is_ok());
    line.starts_with("=> ") || took() == Some(true) || prompt() == Some(true)
}

/// The lines of a text, each with the place of its first byte, without CR at its end.
fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut start = 0;
    text.split_inclusive('\n').map(move |line| {
        let at = start;
        start += line.len();
        let line = line.strip_suffix('\n').unwrap_or(line);
        (at, line.strip_suffix('\r').unwrap_or(line))
    })
}
