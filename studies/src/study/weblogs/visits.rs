//! `visits`: what a visitor did, newest first.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::error::Error;
use std::io::{self, Write};

use jiff::Timestamp;
use rowkey::wide::{Columns, Compare, Condition, FamilySchema, Mutation, Row, TableSchema};
use rowkey::{RowKey, Seconds, Select, Selection, Table, WriteBatch};
use rowkey_studies::engine::{Cells, Db};
use rowkey_studies::output::list;
use rowkey_studies::output::report::{self, Query};

use super::Wide;
use super::views::View;

/// A visit: the visitor, and the time reversed.
#[derive(RowKey, Debug, Clone, PartialEq)]
pub(super) struct Visit {
    visitor: String,
    #[rowkey(desc)]
    at: Seconds,
    #[rowkey(desc)]
    line: u64,
}

/// A value in one of the families that few visits have, and a visit that has it, the latest first: who asks all
/// visitors for a value reads these rows, and not all visits.
#[derive(RowKey, Debug, Clone, PartialEq)]
pub(super) struct ByValue {
    family: String,
    value: String,
    #[rowkey(desc)]
    at: Seconds,
    #[rowkey(desc)]
    line: u64,
    visitor: String,
}

pub(crate) struct Visits {
    db: Db,
    visits: Wide<Visit>,
    by_value: Table<ByValue, (), Db>,
}

const FAMILIES: [&str; 5] = ["page", "referer", "term", "product", "checkout"];

/// So much of a text is printed.
const TEXT: usize = 80;

impl Visits {
    pub(crate) fn load(db: &Db, cells: &Cells, views: &[View]) -> Result<Self, Box<dyn Error>> {
        let schema = FAMILIES.iter().fold(TableSchema::new(), |schema, name| schema.family(*name, FamilySchema::new()));
        let visits = Wide::<Visit>::open(cells.clone(), "visits", &schema)?;
        let by_value = Table::open(db.clone(), "visits.by_value")?;
        for views in views.chunks(500) {
            visits.mutate_many(views.iter().map(|view| (key(view), columns(view))))?;
            let mut batch = WriteBatch::new();
            for view in views {
                let taken = view.product().filter(|_| view.checkout().is_some());
                for (family, value) in [("term", view.term.as_deref()), ("checkout", taken)] {
                    let Some(value) = value else { continue };
                    let (Visit { visitor, at, line }, family, value) = (key(view), family.to_owned(), value.to_owned());
                    batch.put(&by_value, &ByValue { family, value, at, line, visitor }, &())?;
                }
            }
            batch.write(db)?;
        }
        Ok(Self { db: db.clone(), visits, by_value })
    }

    pub(crate) fn tell(
        &self,
        out: &mut impl Write,
        visitor: &str,
        searcher: Option<&str>,
        show: usize,
    ) -> Result<(), Box<dyn Error>> {
        self.draw(out, visitor)?;
        let (theirs, visitor) = (Visit::prefix().visitor(visitor), visitor.escape_debug());

        let query = Query::of(&self.db);
        let rows = self.visits.scan(theirs, Columns::all()).collect::<Result<Vec<_>, _>>()?;
        query.returned(out, format!("All visits of {visitor}"), rows.len(), cells(&rows))?;
        let line = |(visit, row): &(Visit, Row)| {
            let [path, status, referer] = ["page:path", "page:status", "referer:url"].map(|column| text(row, column));
            Ok(format!("{}  {status}  {path}  from {referer}", Timestamp::from_second(visit.at.0)?))
        };
        list(out, show, rows.iter().map(line).collect::<Result<Vec<_>, jiff::Error>>()?)?;

        if let Some(searcher) = searcher {
            let theirs = Visit::prefix().visitor(searcher).select();
            self.terms(out, &format!("Search terms of {}", searcher.escape_debug()), theirs, show)?;
        }
        self.terms(out, "Search terms of all visitors", Selection::all(), show)?;
        let why =
            "In one ordered store a visit's families stand together, and are read; in HBase each has files of its own.";
        writeln!(out, "{why}")?;

        let with = |family| self.by_value.keys(ByValue::prefix().family(family));
        let query = Query::of(&self.db);
        let found = with("term").collect::<Result<Vec<_>, _>>()?;
        query.returned(out, "Search terms of all visitors, by value", found.len(), found.len())?;
        list_terms(out, found.iter().map(|found| found.value.as_str()), show)?;

        let query = Query::of(&self.db);
        let found = with("checkout").collect::<Result<Vec<_>, _>>()?;
        let keys = found.into_iter().map(|ByValue { visitor, at, line, .. }| Visit { visitor, at, line });
        let keys: Vec<_> = keys.collect();
        let columns = Columns::all().family("product").family("checkout").family("referer");
        let rows: Vec<_> =
            self.visits.get_many(&keys, &columns)?.into_iter().zip(keys).map(|(row, key)| (key, row)).collect();
        query.returned(out, "Checkouts by value, and where they came from", rows.len(), cells(&rows))?;
        let line = |(visit, row): &(Visit, Row)| {
            let [file, bytes, referer] =
                ["product:file", "checkout:bytes", "referer:url"].map(|column| text(row, column));
            format!("{file}  {bytes} bytes  {}  from {referer}", visit.visitor.escape_debug())
        };
        Ok(list(out, show, rows.iter().map(line))?)
    }

    /// What was searched for in some visits: their family `term` alone.
    fn terms(
        &self,
        out: &mut impl Write,
        title: &str,
        visits: Selection<Visit>,
        show: usize,
    ) -> Result<(), Box<dyn Error>> {
        let query = Query::of(&self.db);
        let rows = self.visits.scan(visits, Columns::all().family("term")).collect::<Result<Vec<_>, _>>()?;
        query.returned(out, title, rows.len(), cells(&rows))?;
        let terms = rows.iter().map(|(_, row)| row.read::<String>("term:text").map(Option::unwrap_or_default));
        let terms = terms.collect::<Result<Vec<_>, _>>()?;
        Ok(list_terms(out, terms.iter().map(String::as_str), show)?)
    }

    /// The key and some rows: the visitor's latest, the first with a search term, the first with a checkout.
    fn draw(&self, out: &mut impl Write, visitor: &str) -> Result<(), Box<dyn Error>> {
        let has = |column| Columns::all().rows_where(Condition::value(column, Compare::GreaterOrEqual, []));
        let mut rows = Vec::new();
        rows.extend(self.visits.scan(Visit::prefix().visitor(visitor), Columns::all()).next().transpose()?);
        rows.extend(self.visits.scan(.., has("term:text")).next().transpose()?);
        rows.extend(self.visits.scan(.., has("checkout:bytes")).next().transpose()?);
        if let Some((visit, _)) = rows.first() {
            report::key(out, "The key of visits", visit)?;
        }
        let drawn = rows.iter().map(|(visit, row)| {
            let key =
                format!("{} {} {}", visit.visitor.escape_debug(), Timestamp::from_second(visit.at.0)?, visit.line);
            let families = FAMILIES.map(|family| {
                let cells = row.family(family).map(|cell| {
                    let value: String = cell.value.escape_ascii().to_string().chars().take(TEXT / 2).collect();
                    format!("{}={value}", cell.qualifier.escape_ascii())
                });
                cells.collect::<Vec<_>>().join("\n")
            });
            let [page, referer, term, product, checkout] = families;
            Ok([key, page, referer, term, product, checkout])
        });
        let drawn = drawn.collect::<Result<Vec<_>, jiff::Error>>()?;
        report::table(
            out,
            "Table visits",
            ["visitor at line", "page", "referer", "term", "product", "checkout"],
            drawn,
        )?;
        writeln!(out, "A product is a file that the site gives away, a checkout is one that was taken whole.")?;

        let rows = self.by_value.keys(..).take(3).collect::<Result<Vec<_>, _>>()?;
        let Some(first) = rows.first() else { return Ok(()) };
        report::key(out, "The key of visits.by_value", first)?;
        let drawn = rows.iter().map(|ByValue { family, value, at, line, visitor }| {
            let at = Timestamp::from_second(at.0)?.to_string();
            Ok([family.clone(), short(value), at, line.to_string(), visitor.escape_debug().to_string()])
        });
        let drawn = drawn.collect::<Result<Vec<_>, jiff::Error>>()?;
        report::table(out, "Table visits.by_value", ["family", "value", "at", "line", "visitor"], drawn)
    }
}

/// The terms, each once, the most frequent first.
fn list_terms<'t>(out: &mut impl Write, terms: impl Iterator<Item = &'t str>, show: usize) -> io::Result<()> {
    let mut counts = BTreeMap::<_, u64>::new();
    terms.for_each(|term| *counts.entry(term).or_default() += 1);
    let mut counts: Vec<_> = counts.into_iter().map(|(term, count)| (Reverse(count), term)).collect();
    counts.sort();
    let line = |(count, term): &(Reverse<u64>, &str)| format!("{:>5}  {}", count.0, short(term));
    list(out, show, counts.iter().map(line))
}

fn key(view: &View) -> Visit {
    Visit { visitor: view.visitor.clone(), at: view.at, line: view.line }
}

fn columns(view: &View) -> Mutation {
    let cells = [
        ("page:path", view.path.clone()),
        ("page:status", view.status.map(|status| status.to_string())),
        ("page:bytes", Some(view.bytes.to_string())),
        ("referer:url", view.referer.clone()),
        ("term:text", view.term.clone()),
        ("product:file", view.product().map(str::to_owned)),
        ("checkout:bytes", view.checkout().map(|bytes| bytes.to_string())),
    ];
    let there = cells.into_iter().filter_map(|(column, value)| Some((column, value?)));
    there.fold(Mutation::new(), |mutation, (column, value)| mutation.put_at(column, view.millis(), value))
}

/// A text on one line, no longer than is printed well.
fn short(text: &str) -> String {
    text.escape_debug().take(TEXT).collect()
}

/// A column's text, or `-` without one.
fn text(row: &Row, column: &str) -> String {
    row.value(column).map_or_else(|| "-".to_owned(), |value| short(&String::from_utf8_lossy(value)))
}

fn cells<K>(rows: &[(K, Row)]) -> usize {
    rows.iter().map(|(_, row)| row.cells().count()).sum()
}
