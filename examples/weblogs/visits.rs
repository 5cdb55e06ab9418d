//! `visits`: what a visitor did, newest first.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::error::Error;
use std::io::Write;

use jiff::Timestamp;
use rowkey::wide::{Check, Columns, Compare, FamilySchema, Mutation, Row, TableSchema};
use rowkey::{RowKey, Seconds, Select, Selection};

use crate::report::{self, Query};
use crate::views::View;
use crate::{Db, LogTime, Wide, list};

/// A visit: the visitor, and the time reversed.
#[derive(RowKey, Debug, Clone, PartialEq)]
struct Visit {
    visitor: String,
    #[rowkey(desc)]
    at: Seconds,
    #[rowkey(desc)]
    line: u64,
}

pub(crate) struct Visits {
    db: Db,
    visits: Wide<Visit>,
}

const FAMILIES: [&str; 5] = ["page", "referer", "term", "product", "checkout"];

impl Visits {
    pub(crate) fn load(db: &Db, time: &LogTime, views: &[View]) -> Result<Self, Box<dyn Error>> {
        let schema = FAMILIES.iter().fold(TableSchema::new(), |schema, name| schema.family(*name, FamilySchema::new()));
        let visits = Wide::<Visit>::open(time.tables(db), "visits", &schema)?;
        for views in views.chunks(500) {
            visits.mutate_many(views.iter().map(|view| (key(view), columns(view))))?;
        }
        Ok(Self { db: db.clone(), visits })
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
        list(out, show, &rows.iter().map(line).collect::<Result<Vec<_>, jiff::Error>>()?)?;

        if let Some(searcher) = searcher {
            let title = format!("Search terms of {}", searcher.escape_debug());
            self.terms(out, &title, Visit::prefix().visitor(searcher).select(), show)?;
        }
        self.terms(out, "Search terms of all visitors", Selection::all(), show)?;
        writeln!(
            out,
            "In one ordered store the families of a row stand together, and are read; in HBase each has its own files."
        )?;

        // The products as they are, the referers of those that were taken whole alone.
        let taken = Check::value("checkout:bytes", Compare::GreaterOrEqual, []);
        let columns = Columns::all().family("product").family("checkout").family("referer").rows_where(taken);
        let query = Query::of(&self.db);
        let rows = self.visits.scan(.., columns).collect::<Result<Vec<_>, _>>()?;
        query.returned(out, "Checkouts, and where they came from", rows.len(), cells(&rows))?;
        let line = |(visit, row): &(Visit, Row)| {
            let [file, bytes, referer] =
                ["product:file", "checkout:bytes", "referer:url"].map(|column| text(row, column));
            format!("{}  {file}  {bytes} bytes  from {referer}", visit.visitor.escape_debug())
        };
        Ok(list(out, show, &rows.iter().map(line).collect::<Vec<_>>())?)
    }

    /// What was searched for in some visits, most often first: their family `term` alone.
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
        let mut terms = BTreeMap::<_, u64>::new();
        rows.iter().for_each(|(_, row)| *terms.entry(text(row, "term:text")).or_default() += 1);
        let mut terms: Vec<_> = terms.into_iter().map(|(term, count)| (Reverse(count), term)).collect();
        terms.sort();
        Ok(list(out, show, &terms.iter().map(|(count, term)| format!("{:>5}  {term}", count.0)).collect::<Vec<_>>())?)
    }

    /// The key and some rows: the visitor's latest, the first with a search term, the first with a checkout.
    fn draw(&self, out: &mut impl Write, visitor: &str) -> Result<(), Box<dyn Error>> {
        let has = |column| Columns::all().rows_where(Check::value(column, Compare::GreaterOrEqual, []));
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
        writeln!(
            out,
            "A product is a file that the site gives away, a checkout is one that was taken whole: it sells nothing."
        )?;
        Ok(())
    }
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

/// So much of a text is printed.
const TEXT: usize = 80;

/// A column's text on one line, `-` where there is none.
fn text(row: &Row, column: &str) -> String {
    row.value(column)
        .map_or_else(|| "-".to_owned(), |value| String::from_utf8_lossy(value).escape_debug().take(TEXT).collect())
}

fn cells<K>(rows: &[(K, Row)]) -> usize {
    rows.iter().map(|(_, row)| row.cells().count()).sum()
}
