//! `visitor_urls`: which pages a visitor saw, how often, which most, which last.

use std::cmp::Reverse;
use std::error::Error;
use std::io::Write;

use indicatif::HumanCount;
use rowkey::RowKey;
use rowkey::wide::{Cell, Columns, FamilySchema, Mutation, TableSchema};
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

pub(crate) struct Urls {
    db: Db,
    urls: Wide<Visitor>,
    /// The time of the view before: the log has seconds, and two views of one time would be one version of a column.
    last: std::cell::Cell<i64>,
}

impl Urls {
    pub(crate) fn open(db: &Db, cells: &Cells) -> Result<Self, Box<dyn Error>> {
        let schema = TableSchema::new()
            // A column for each URL. Each view puts it, and one version is kept. So the number of columns is the number
            // of pages.
            .family("seen", FamilySchema::new())
            .family("count", FamilySchema::new())
            // One column whose timestamps are counts: the newest version is the URL that was viewed most.
            .family("most", FamilySchema::new())
            .family("last", FamilySchema::new().max_versions(5));
        let urls = Wide::open(cells.clone(), "visitor_urls", &schema)?;
        Ok(Self { db: db.clone(), urls, last: std::cell::Cell::new(i64::MIN) })
    }

    pub(crate) fn add(&self, view: &View) -> Result<(), Box<dyn Error>> {
        let Some(path) = &view.path else { return Ok(()) };
        let visitor = Visitor { visitor: view.visitor.clone() };
        let count = self.urls.increment(&visitor, ("count", path.as_str()), 1)?;
        self.last.set(view.millis().max(self.last.get().saturating_add(1)));
        let seen = Mutation::new().put(("seen", path.as_str()), []).put_at("last:url", self.last.get(), path.as_str());
        Ok(self.urls.mutate(&visitor, &seen.put_at("most:url", count, path.as_str()))?)
    }

    pub(crate) fn tell(&self, out: &mut impl Write, visitor: &str, show: usize) -> Result<(), Box<dyn Error>> {
        let key = Visitor { visitor: visitor.to_owned() };
        let visitor = visitor.escape_debug();
        report::key(out, "The key of visitor_urls", &key)?;
        let mut drawn = Vec::new();
        for family in ["seen", "count", "most", "last"] {
            let row = self.urls.get(&key, &Columns::all().family(family).limit(2))?;
            for cell in row.cells() {
                let value = match family {
                    "count" => cell.read::<i64>()?.to_string(),
                    _ => String::from_utf8_lossy(cell.value).escape_debug().to_string(),
                };
                drawn.push([
                    visitor.to_string(),
                    format!("{family}:{}", url(&cell)),
                    cell.timestamp.to_string(),
                    value,
                ]);
            }
        }
        let titles = ["visitor", "family:column", "timestamp", "value"];
        report::table(out, "Table visitor_urls, some columns of a row", titles, drawn)?;

        let seen = |out: &mut _, title| {
            let query = Query::of(&self.db);
            let pages = self.urls.get(&key, &Columns::all().family("seen"))?.cells().count();
            query.returned(out, title, usize::from(pages > 0), pages)
        };
        seen(out, format!("Distinct URLs of {visitor}"))?;
        let dropped = self.urls.purge().run()?;
        let (kept, old) = (HumanCount(dropped.cells.kept), HumanCount(dropped.cells.old));
        writeln!(out, "\nA purge drops {old} versions that are no longer kept, and keeps {kept} cells")?;
        seen(out, format!("Distinct URLs of {visitor}, after the purge"))?;

        let query = Query::of(&self.db);
        let row = self.urls.get(&key, &Columns::all().family("count"))?;
        let counts = row.cells().map(|cell| Ok((Reverse(cell.read::<i64>()?), url(&cell))));
        let mut counts = counts.collect::<Result<Vec<_>, rowkey::Error>>()?;
        query.returned(out, format!("Views of {visitor} by URL"), usize::from(!counts.is_empty()), counts.len())?;
        counts.sort();
        list(out, show, counts.iter().map(|(count, url)| format!("{:>5}  {url}", count.0)))?;

        for (title, columns) in [
            ("The URL most viewed by", Columns::of("most:url")),
            ("The five latest URLs of", Columns::of("last:url").versions(5)),
        ] {
            let query = Query::of(&self.db);
            let row = self.urls.get(&key, &columns)?;
            query.returned(out, format!("{title} {visitor}"), usize::from(!row.is_empty()), row.cells().count())?;
            let line = |cell: Cell<'_>| {
                let url = String::from_utf8_lossy(cell.value).escape_debug().to_string();
                if cell.family == "most" { format!("{:>5}  {url}", cell.timestamp) } else { url }
            };
            list(out, usize::MAX, row.cells().map(line).collect::<Vec<_>>())?;
        }
        Ok(())
    }
}

fn url(cell: &Cell<'_>) -> String {
    String::from_utf8_lossy(cell.qualifier).escape_debug().to_string()
}
