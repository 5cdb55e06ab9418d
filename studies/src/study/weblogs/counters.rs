//! `pages`: how often a page was viewed, by month, day and hour, and what it was like in the last ten minutes.

use std::error::Error;
use std::io::Write;
use std::time::Duration;

use indicatif::HumanCount;
use jiff::Timestamp;
use jiff::tz::TimeZone;
use rowkey::wide::{Cell, Column, Columns, FamilySchema, Mutation, Row, TableSchema};
use rowkey::{Bucket, RowKey, Seconds};
use rowkey_studies::engine::{Cells, Db};
use rowkey_studies::output::list;
use rowkey_studies::output::report::{self, Query};

use super::views::View;
use super::{LogTime, Wide};

/// A page's row; what lies under a path is a range of rows.
#[derive(RowKey, Debug, Clone, PartialEq)]
pub(super) struct Page {
    path: String,
}

/// A column of family `month`.
#[derive(RowKey)]
struct Month {
    year: i16,
    month: i8,
}

/// Columns of families `day` and `hour`.
type Day = Bucket<Seconds, 86_400>;
type Hour = Bucket<Seconds, 3_600>;

/// A column of family `recent`: an answer, whose bytes are its value.
#[derive(RowKey)]
struct Answer {
    #[rowkey(desc)]
    at: Seconds,
    line: u64,
}

const DAY: i64 = 86_400;

/// How many seconds the table keeps a counter after its last increment, and an [`Answer`] after it was written.
const LIVES: [(&str, Option<i64>); 4] =
    [("month", None), ("day", Some(30 * DAY)), ("hour", Some(DAY)), ("recent", Some(600))];

pub(crate) struct Counters {
    db: Db,
    time: LogTime,
    pages: Wide<Page>,
}

impl Counters {
    pub(crate) fn open(db: &Db, cells: &Cells, time: &LogTime) -> Result<Self, Box<dyn Error>> {
        let family = |seconds: Option<i64>| match seconds {
            Some(seconds) => FamilySchema::new().ttl(Duration::from_secs(seconds.unsigned_abs())),
            None => FamilySchema::new(),
        };
        let schema =
            LIVES.iter().fold(TableSchema::new(), |schema, (name, seconds)| schema.family(*name, family(*seconds)));
        let pages = Wide::open(cells.clone(), "pages", &schema)?;
        Ok(Self { db: db.clone(), time: time.clone(), pages })
    }

    pub(crate) fn add(&self, view: &View) -> Result<(), Box<dyn Error>> {
        let Some(path) = &view.path else { return Ok(()) };
        let page = Page { path: path.clone() };
        let date = Timestamp::from_second(view.at.0)?.to_zoned(TimeZone::UTC).date();
        let month = Month { year: date.year(), month: date.month() };
        let counters: [(Column, i64); 3] = [
            (("month", month.encode()).into(), 1),
            (("day", Day::floor(view.at)?.encode()).into(), 1),
            (("hour", Hour::floor(view.at)?.encode()).into(), 1),
        ];
        self.pages.increment_many(&page, &counters)?;
        let answer = Answer { at: view.at, line: view.line };
        let mutation =
            Mutation::new().put_at(("recent", answer.encode()), view.millis(), view.counted_bytes().to_be_bytes());
        Ok(self.pages.mutate(&page, &mutation)?)
    }

    /// What is there of a page at some time, if the calendar has it: how many counters of each family, and what they
    /// say.
    pub(crate) fn at(&self, out: &mut impl Write, path: &str, when: &str, at: Seconds) -> Result<(), Box<dyn Error>> {
        let Ok(instant) = Timestamp::from_second(at.0) else { return Ok(()) };
        self.time.set(at);
        let query = Query::of(&self.db);
        let row = self.pages.get(&Page { path: path.to_owned() }, &Columns::all())?;
        let title = format!("Counters of {} {when}, {}", path.escape_debug(), instant);
        query.returned(out, title, usize::from(!row.is_empty()), row.cells().count())?;
        for (family, _) in LIVES {
            let (count, sum) = sum(&row, family)?;
            if family == "recent" {
                let mean = if count == 0 { "none".to_owned() } else { format!("{:.1}", sum as f64 / count as f64) };
                writeln!(out, "  ten minutes  answers {count}  mean bytes {mean}")?;
            } else {
                writeln!(out, "  {family:5}  counters {count}  views {sum}")?;
            }
        }
        Ok(())
    }

    pub(crate) fn tell(
        &self,
        out: &mut impl Write,
        path: &str,
        under: &str,
        end: Seconds,
        show: usize,
    ) -> Result<(), Box<dyn Error>> {
        self.at(out, path, "at the end", end)?;
        let purged = self.pages.purge().run()?;
        let (kept, expired) = (HumanCount(purged.cells.kept), HumanCount(purged.cells.expired));
        writeln!(out, "\nA purge drops {expired} cells that have expired, and keeps {kept}")?;
        for (when, later) in [("purged", 0), ("a day later", DAY), ("30 days later", 30 * DAY)] {
            self.at(out, path, when, Seconds(end.0.saturating_add(later)))?;
        }

        let query = Query::of(&self.db);
        let rows = self.pages.scan(Page::prefix().path_starts_with(under), Columns::all().family("month"));
        let rows = rows.collect::<Result<Vec<_>, _>>()?;
        let cells = rows.iter().map(|(_, row)| row.cells().count()).sum();
        query.returned(out, format!("Pages under {}", under.escape_debug()), rows.len(), cells)?;
        let line = |(page, row): &(Page, Row)| Ok(format!("{:>5}  {}", sum(row, "month")?.1, page.path.escape_debug()));
        Ok(list(out, show, rows.iter().map(line).collect::<Result<Vec<_>, rowkey::Error>>()?)?)
    }

    /// The key, and the first columns of each family in a page's row.
    pub(crate) fn draw(&self, out: &mut impl Write, path: &str) -> Result<(), Box<dyn Error>> {
        let page = Page { path: path.to_owned() };
        report::key(out, "The key of pages", &page)?;
        let mut rows = Vec::new();
        for (family, seconds) in LIVES {
            let row = self.pages.get(&page, &Columns::all().family(family).limit(2))?;
            for cell in row.cells() {
                let column = column(&cell)?;
                let life = seconds.map_or_else(|| "for ever".to_owned(), |seconds| format!("{seconds} s"));
                rows.push([
                    path.escape_debug().to_string(),
                    family.into(),
                    life,
                    column,
                    cell.read::<i64>()?.to_string(),
                ]);
            }
        }
        report::table(out, "Table pages, some columns of a row", ["path", "family", "lives", "column", "value"], rows)
    }
}

/// A column's name, as its key is read.
fn column(cell: &Cell<'_>) -> Result<String, Box<dyn Error>> {
    let (name, at) = (cell.qualifier, |at: Seconds| Timestamp::from_second(at.0));
    Ok(match cell.family {
        "month" => {
            let Month { year, month } = Month::decode(name)?;
            format!("{year:04}-{month:02}")
        }
        "day" => at(Day::decode(name)?.start())?.to_string(),
        "hour" => at(Hour::decode(name)?.start())?.to_string(),
        _ => {
            let Answer { at: answered, line } = Answer::decode(name)?;
            format!("{} {line}", at(answered)?)
        }
    })
}

/// How many columns a family has, and what they add up to.
fn sum(row: &Row, family: &str) -> Result<(u64, i64), rowkey::Error> {
    row.family(family)
        .try_fold((0, 0_i64), |(count, sum), cell| Ok((count + 1, sum.saturating_add(cell.read::<i64>()?))))
}
