//! `journeys`: a visitor's way through the site as a graph.

use std::cmp::Reverse;
use std::error::Error;
use std::io::Write;
use std::time::Duration;

use rowkey::wide::{Columns, FamilySchema, Mutation, Row, TableSchema};
use rowkey::{RowKey, Select};
use rowkey_studies::engine::{Cells, Db};
use rowkey_studies::output::list;
use rowkey_studies::output::report::{self, Query};

use super::Wide;
use super::views::View;

/// A visitor's row.
#[derive(RowKey, Debug, Clone, PartialEq)]
pub(super) struct Visitor {
    visitor: String,
}

/// An edge, the name of a column that counts: from a page to the next. Those from one page are a range of columns.
#[derive(RowKey, Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Step {
    from: String,
    to: String,
}

/// The timeout of a session: a page view after a longer pause begins another one.
const SESSION: Duration = Duration::from_secs(30 * 60);

pub(crate) struct Journeys {
    db: Db,
    journeys: Wide<Visitor>,
}

impl Journeys {
    pub(crate) fn open(db: &Db, cells: &Cells) -> Result<Self, Box<dyn Error>> {
        let schema = TableSchema::new()
            // Where the visitor is: it expires when the session does.
            .family("now", FamilySchema::new().ttl(SESSION))
            .family("entry", FamilySchema::new())
            .family("step", FamilySchema::new());
        Ok(Self { db: db.clone(), journeys: Wide::open(cells.clone(), "journeys", &schema)? })
    }

    pub(crate) fn add(&self, view: &View) -> Result<(), Box<dyn Error>> {
        let Some(to) = view.page() else { return Ok(()) };
        let visitor = Visitor { visitor: view.visitor.clone() };
        let column = match self.journeys.get(&visitor, &Columns::of("now:page"))?.read("now:page")? {
            Some(from) => ("step", Step { from, to: to.to_owned() }.encode()),
            None => ("entry", to.as_bytes().to_vec()),
        };
        self.journeys.increment(&visitor, column, 1)?;
        Ok(self.journeys.mutate(&visitor, &Mutation::new().put_at("now:page", view.millis(), to))?)
    }

    pub(crate) fn tell(&self, out: &mut impl Write, visitor: &str, show: usize) -> Result<(), Box<dyn Error>> {
        let key = Visitor { visitor: visitor.to_owned() };
        let visitor = visitor.escape_debug();
        report::key(out, "The key of journeys", &key)?;
        let mut drawn = Vec::new();
        for family in ["now", "entry", "step"] {
            let row = self.journeys.get(&key, &Columns::all().family(family).limit(2))?;
            if let Some(step) = row.qualifiers::<Step>("step").next() {
                report::key(out, "The name of a column in its family step", &step?)?;
            }
            for cell in row.cells() {
                let (name, value) = match family {
                    "step" => {
                        let Step { from, to } = Step::decode(cell.qualifier)?;
                        (format!("{} -> {}", from.escape_debug(), to.escape_debug()), cell.read::<i64>()?.to_string())
                    }
                    "entry" => (text(cell.qualifier), cell.read::<i64>()?.to_string()),
                    _ => (text(cell.qualifier), text(cell.value)),
                };
                drawn.push([visitor.to_string(), family.to_owned(), name, value]);
            }
        }
        let titles = ["visitor", "family", "column", "value"];
        report::table(out, "Table journeys, some columns of a row", titles, drawn)?;

        let query = Query::of(&self.db);
        let row = self.journeys.get(&key, &Columns::all().family("entry"))?;
        let entries = row.cells().map(|cell| Ok((Reverse(cell.read::<i64>()?), text(cell.qualifier))));
        let mut entries = entries.collect::<Result<Vec<_>, rowkey::Error>>()?;
        query.returned(out, format!("Where {visitor} came in"), usize::from(!row.is_empty()), entries.len())?;
        entries.sort();
        list(out, show, entries.iter().map(|(count, page)| format!("{:>5}  {page}", count.0)))?;

        let query = Query::of(&self.db);
        let row = self.journeys.get(&key, &Columns::all().family("step"))?;
        let mut steps = steps(&row)?;
        query.returned(out, format!("The journey of {visitor}"), usize::from(!row.is_empty()), steps.len())?;
        steps.sort();
        list(out, show, steps.iter().map(edge))?;

        let Some((_, Step { from, .. })) = steps.first() else { return Ok(()) };
        let query = Query::of(&self.db);
        let columns = Columns::all().qualifiers_in("step", Step::prefix().from(from).ranges());
        let row = self.journeys.get(&key, &columns)?;
        let mut next = self::steps(&row)?;
        let title = format!("Where {visitor} went from {}", from.escape_debug());
        query.returned(out, title, usize::from(!row.is_empty()), next.len())?;
        next.sort();
        Ok(list(out, show, next.iter().map(edge))?)
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).escape_debug().to_string()
}

/// The edges of a row with their counts, to be sorted by these.
fn steps(row: &Row) -> Result<Vec<(Reverse<i64>, Step)>, rowkey::Error> {
    row.family("step").map(|cell| Ok((Reverse(cell.read()?), Step::decode(cell.qualifier)?))).collect()
}

fn edge((count, Step { from, to }): &(Reverse<i64>, Step)) -> String {
    format!("{:>5}  {} -> {}", count.0, from.escape_debug(), to.escape_debug())
}
