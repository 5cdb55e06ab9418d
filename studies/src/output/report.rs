//! The report of a study: its key, its table as the books draw it, and the rows that each query read and returned.

use std::error::Error;
use std::fmt;
use std::io::Write;

use comfy_table::{Table, presets};
use indicatif::HumanCount;
use rowkey::RowKey;
use rowkey::store::Costs;

use crate::engine::Db;

/// The picture of a key: its bytes by field.
pub fn key<K: RowKey>(out: &mut impl Write, what: &str, key: &K) -> Result<(), Box<dyn Error>> {
    Ok(write!(out, "\n{what}\n{}", K::explain(&key.encode()).picture())?)
}

/// Some rows of a table, drawn: the row key in the first column, then families, columns, values.
pub fn table<const N: usize>(
    out: &mut impl Write,
    what: &str,
    titles: [&str; N],
    rows: impl IntoIterator<Item = [String; N]>,
) -> Result<(), Box<dyn Error>> {
    let mut table = Table::new();
    table.load_style(presets::UTF8_FULL_CONDENSED).set_header(titles).add_rows(rows);
    Ok(writeln!(out, "\n{what}\n{}", table.lines().map(|line| line + "\n").collect::<String>().trim_end())?)
}

/// A query that is under way: what is read from now on, it reads.
pub struct Query<'d> {
    db: &'d Db,
    before: Costs,
}

impl<'d> Query<'d> {
    /// Begins a query: costs count from here.
    pub fn of(db: &'d Db) -> Self {
        Self { db, before: db.costs() }
    }

    /// The query's title, what it read, and what it returned; a plain row is one cell.
    pub fn returned(
        self,
        out: &mut impl Write,
        title: impl fmt::Display,
        rows: usize,
        cells: usize,
    ) -> Result<(), Box<dyn Error>> {
        let Costs { seeks, rows_read, cells_read, .. } = self.db.costs() - self.before;
        let (rows, cells) = (count(rows as u64, "row"), count(cells as u64, "cell"));
        let (seeks, rows_read, cells_read) = (count(seeks, "seek"), count(rows_read, "row"), count(cells_read, "cell"));
        writeln!(out, "\n{title}\n  read {rows_read}, {cells_read} in {seeks}; returned {rows}, {cells}")?;
        Ok(())
    }
}

/// `1 row`, `1,234 rows`
fn count(number: u64, what: &str) -> String {
    format!("{} {what}{}", HumanCount(number), if number == 1 { "" } else { "s" })
}
