//! OpenTSDB, whole: names as ids, a row an hour of a series, a column a point, and hours compacted into one cell.
//!
//!     cargo run --release --example metrics -- temperatures.tsv.gz --log access.log.gz
//!
//! A point is a value of a metric at a second, with tags. Its row is salt, metric, base hour, tags: the points of an hour stand
//! in one row, the hours of a metric side by side. Names are in a dictionary of their own, in keys are ids of three
//! bytes. Tags are sorted, so a series has one key an hour. The salt is taken over metric and tags: a series stays in one bucket,
//! and a metric that all write to at once is spread. A window of a metric is read in each bucket and merged; tags stand
//! behind the hour, so the other series' hours are read too and passed over. Who gives all tags reads one row an hour, in one
//! bucket. What OpenTSDB puts into the last four bits of a qualifier, a value's type and length, is left out: values are `f64`.
//!
//! A qualifier is a list of seconds, written raw, as its value is of numbers. A point is a list of one; an hour's points, all
//! in one cell, are those lists one behind the other. So who reads one form reads the other, and both in one row.

mod file;
mod program;
mod progress;
mod readings;
mod report;
mod weblog;

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::error::Error;
use std::io::{self, Write};
use std::ops::{ControlFlow, Range};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::Parser;
use indicatif::HumanCount;
use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use rowkey::ids::NameIds;
use rowkey::store::{Costs, Metered};
use rowkey::wide::{CellsDatabase, Column, Columns, FamilySchema, Mutation, Row, TableSchema};
use rowkey::{Bucket, List, Memory, RowKey, Seconds, WideTable};

/// An id out of the dictionary.
type Uid = [u8; 3];
/// Names and values, by name.
type Tags = List<(Uid, Uid)>;

/// OpenTSDB's row key.
#[derive(RowKey, Debug, Clone, PartialEq)]
#[rowkey(salt(buckets = 8, by(metric, tags)))]
struct SeriesHour {
    metric: Uid,
    /// Its first second, in four bytes: until 2106.
    hour: u32,
    #[rowkey(raw)]
    tags: Tags,
}

/// A qualifier: seconds within the hour, of one point or of many.
#[derive(RowKey)]
struct Offsets {
    #[rowkey(raw)]
    seconds: List<u16>,
}

/// A cell's value: those points' values.
#[derive(RowKey)]
struct Values {
    #[rowkey(raw)]
    values: List<f64>,
}

/// The one family.
const POINTS: &str = "t";
const DAY: u32 = 86_400;

/// Keeps metrics as OpenTSDB does, asks for days of them, and compacts their hours.
#[derive(Parser)]
struct Args {
    /// Lines of city, time and degrees Fahrenheit between tabs, plain or gzip; times are taken as UTC [default: a sample]
    path: Option<PathBuf>,
    /// Logs in the combined format, plain or gzip: hits and bytes of each second by status and method
    #[arg(long)]
    log: Vec<PathBuf>,
    /// The first day, in UTC [default: a metric's first]
    #[arg(long)]
    from: Option<Date>,
    /// How many days
    #[arg(long, default_value_t = 7, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    days: u32,
}

/// A metric's name, and tags in the order in which they are of interest.
type Series = (&'static str, Vec<(&'static str, String)>);
/// The points of each series: seconds since 1970, and values.
type Points = BTreeMap<Series, BTreeMap<u32, f64>>;

/// The tables, in which a row has the points of so many seconds: OpenTSDB's 3,600, unless something else is to be shown.
struct Tsdb<const WIDTH: u32> {
    db: Metered<Memory>,
    rows: WideTable<SeriesHour, CellsDatabase<Metered<Memory>>>,
    metrics: NameIds,
    tag_names: NameIds,
    tag_values: NameIds,
}

/// What is asked for: a metric in a window, of all series, those with a tag, or one; its points day by day, by a tag.
struct Ask {
    metric: Uid,
    window: Range<u32>,
    of: Of,
    by: Option<Uid>,
}

enum Of {
    All,
    With(Uid, Uid),
    One(Tags),
}

#[derive(Default, PartialEq)]
struct Answer {
    rows: usize,
    cells: usize,
    /// By the tag's value, and by day.
    days: BTreeMap<(Option<Uid>, u32), Summary>,
}

#[derive(PartialEq)]
struct Summary {
    points: u64,
    min: f64,
    max: f64,
    sum: f64,
}

impl<const WIDTH: u32> Tsdb<WIDTH> {
    fn open() -> Result<Self, Box<dyn Error>> {
        let db = Metered::new(Memory::new());
        let schema = TableSchema::new().family(POINTS, FamilySchema::new());
        let rows = WideTable::open(CellsDatabase::metered(&db), "tsdb", &schema)?;
        let names = |kind| NameIds::open(&db, "tsdb-uid", kind);
        let (metrics, tag_names, tag_values) = (names("metric")?, names("tagk")?, names("tagv")?);
        Ok(Self { db, rows, metrics, tag_names, tag_values })
    }

    fn ids(&self, (metric, tags): &Series) -> Result<(Uid, Tags), Box<dyn Error>> {
        let tag = |(name, value): &(&str, String)| Ok((self.tag_names.id(name)?, self.tag_values.id(value)?));
        let mut tags = tags.iter().map(tag).collect::<Result<Tags, Box<dyn Error>>>()?;
        tags.sort_unstable();
        Ok((self.metrics.id(metric)?, tags))
    }

    fn tag(&self, (name, value): &(Uid, Uid)) -> Result<String, Box<dyn Error>> {
        let [name, value] = [self.tag_names.name(*name)?, self.tag_values.name(*value)?].map(Option::unwrap_or_default);
        Ok(format!("{name}={value}"))
    }

    /// Writes points as they come, in the order of their times.
    fn write(&self, points: &[(&Series, u32, f64)]) -> Result<(), Box<dyn Error>> {
        for points in progress::progress(points.chunks(1000)) {
            let mut rows = Vec::with_capacity(points.len());
            for (series, at, value) in points {
                let (metric, tags) = self.ids(series)?;
                let (hour, rest) = Bucket::<Seconds, WIDTH>::split(Seconds(i64::from(*at)))?;
                rows.push((SeriesHour { metric, hour: hour.start().0.try_into()?, tags }, cell(rest, *value)?));
            }
            self.rows.mutate_many(rows)?;
        }
        Ok(())
    }

    fn ask(&self, ask: &Ask) -> Result<Answer, Box<dyn Error>> {
        let Ask { metric, ref window, ref of, by } = *ask;
        let (first, last) = (window.start - window.start % WIDTH, window.end.saturating_sub(1));
        let rows: Vec<_> = match of {
            Of::One(tags) => {
                let key = |hour| SeriesHour { metric, hour, tags: tags.clone() };
                let keys: Vec<_> = (first..=last).step_by(WIDTH as usize).map(key).collect();
                let rows = self.rows.get_many(&keys, &Columns::all())?;
                keys.into_iter().zip(rows).filter(|(_, row)| !row.is_empty()).collect()
            }
            _ => {
                let scan = self.rows.scan(SeriesHour::prefix().metric(metric).hour_range(first..=last), Columns::all());
                scan.collect::<Result<_, _>>()?
            }
        };
        let mut answer = Answer::default();
        for (SeriesHour { hour, tags, .. }, row) in rows {
            if matches!(of, Of::With(name, value) if !tags.contains(&(*name, *value))) {
                continue;
            }
            let group = by.and_then(|by| tags.iter().find(|(name, _)| *name == by)).map(|(_, value)| *value);
            for (offset, value) in points(&row)? {
                let at = hour.saturating_add(offset.into());
                if window.contains(&at) {
                    let new = Summary { points: 0, min: value, max: value, sum: 0.0 };
                    let day = answer.days.entry((group, at - at % DAY)).or_insert(new);
                    let Summary { points, min, max, sum } = day;
                    (*points, *min, *max, *sum) = (*points + 1, min.min(value), max.max(value), *sum + value);
                }
            }
            answer.rows += 1;
            answer.cells += row.cells().count();
        }
        Ok(answer)
    }

    /// Asks, and shows what it cost and the days: of each group by its name.
    fn show(&self, out: &mut impl Write, title: &str, ask: &Ask) -> Result<(), Box<dyn Error>> {
        let query = report::Query::of(&self.db);
        let answer = self.ask(ask)?;
        query.returned(out, title, answer.rows, answer.cells)?;
        let mut lines = Vec::new();
        for ((group, day), Summary { points, min, max, sum }) in answer.days {
            let group = match ask.by.zip(group) {
                Some(tag) => self.tag(&tag)? + "  ",
                None => String::new(),
            };
            let mean = sum / points as f64;
            lines.push((
                group,
                day,
                format!("{points:>5} points  min {min:.1}  mean {mean:.1}  max {max:.1}  sum {sum:.1}"),
            ));
        }
        lines.sort();
        for (group, day, line) in lines {
            writeln!(out, "  {group}{}  {line}", utc(day, "%Y-%m-%d")?)?;
        }
        Ok(())
    }

    /// Puts the points of each row into one cell, each row by itself and as one write; how many rows that changed.
    fn compact(&self) -> Result<usize, Box<dyn Error>> {
        let mut changed = Vec::new();
        for row in self.rows.scan(.., Columns::all()) {
            let (key, row) = row?;
            changed.extend(compacted(&row)?.map(|mutation| (key, mutation)));
        }
        let count = changed.len();
        self.rows.mutate_many(changed)?;
        Ok(count)
    }
}

fn cell(rest: Duration, value: f64) -> Result<Mutation, Box<dyn Error>> {
    let seconds = List(vec![rest.as_secs().try_into()?]);
    Ok(Mutation::new().put((POINTS, Offsets { seconds }.encode()), Values { values: List(vec![value]) }.encode()))
}

/// The points of a row, whether each is a cell or one cell has many. Of several for one second the newest counts.
fn points(row: &Row) -> Result<BTreeMap<u16, f64>, Box<dyn Error>> {
    let mut cells: Vec<_> = row.cells().collect();
    // A point beside a compacted cell of its millisecond came while that was made.
    cells.sort_by_key(|cell| (cell.timestamp, Reverse(cell.qualifier.len())));
    let mut points = BTreeMap::new();
    for cell in cells {
        let (seconds, values) = (Offsets::decode(cell.qualifier)?.seconds.0, Values::decode(cell.value)?.values.0);
        if seconds.len() != values.len() {
            return Err(format!("{} has {} values for {} seconds", cell.column(), values.len(), seconds.len()).into());
        }
        points.extend(seconds.into_iter().zip(values));
    }
    Ok(points)
}

/// What makes one cell of a row; none if it is one. The cell is as old as the newest that it is made of, and only what was
/// read is deleted: a point that comes meanwhile stays, and counts.
fn compacted(row: &Row) -> Result<Option<Mutation>, Box<dyn Error>> {
    let newest = row.cells().map(|cell| cell.timestamp).max();
    let Some(newest) = newest.filter(|_| row.cells().nth(1).is_some()) else { return Ok(None) };
    let (seconds, values) = points(row)?.into_iter().unzip();
    let whole = Column::from((POINTS, Offsets { seconds: List(seconds) }.encode()));
    let parts = row.cells().filter(|cell| cell.qualifier != whole.qualifier);
    let gone = parts.fold(Mutation::new(), |gone, cell| gone.delete_column_until(cell.column(), cell.timestamp));
    Ok(Some(gone.put_at(whole, newest, Values { values: List(values) }.encode())))
}

/// All points in the order of their times.
fn in_time(points: &Points) -> Vec<(&Series, u32, f64)> {
    let each = |(series, points)| BTreeMap::iter(points).map(move |(at, value)| (series, *at, *value));
    let mut all: Vec<_> = points.iter().flat_map(each).collect();
    all.sort_by_key(|(_, at, _)| *at);
    all
}

fn run(args: &Args, out: &mut impl Write) -> Result<(), Box<dyn Error>> {
    let all = load(args, out)?;
    let tsdb = Tsdb::<3600>::open()?;
    tsdb.write(&in_time(&all))?;
    let Some((first, _)) = tsdb.rows.scan(.., Columns::all()).next().transpose()? else {
        return Ok(writeln!(out, "There are no points.")?);
    };
    report::key(out, "The key of an hour of a series", &first)?;
    report::table(
        out,
        "The table tsdb, its first rows",
        ["row key", "t: seconds within the hour = value"],
        drawn(&tsdb)?,
    )?;
    let mut names = Vec::new();
    for (kind, ids) in [("metric", &tsdb.metrics), ("tagk", &tsdb.tag_names), ("tagv", &tsdb.tag_values)] {
        let named = ids.starting("", 4)?.into_iter();
        names.extend(named.map(|(name, [a, b, c])| [kind.to_owned(), name, format!("{a:02x} {b:02x} {c:02x}")]));
    }
    report::table(out, "The dictionary tsdb-uid, the first names of each kind", ["kind", "name", "id"], names)?;

    let mut metrics: BTreeMap<&str, Points> = BTreeMap::new();
    for (series, points) in all {
        metrics.entry(series.0).or_default().insert(series, points);
    }
    for (metric, points) in metrics {
        let Some(((series, _), window)) = points.first_key_value().zip(window(args, &points)?) else { continue };
        let days = format!("{metric}, {} days from {}", args.days, utc(window.start, "%Y-%m-%d")?);
        let (metric, tags) = tsdb.ids(series)?;
        let ask = |of, by| Ask { metric, window: window.clone(), of, by };
        tsdb.show(out, &days, &ask(Of::All, None))?;
        if let Some((name, value)) = series.1.first() {
            let (by, only) = (tsdb.tag_names.id(name)?, tsdb.tag_values.id(value)?);
            tsdb.show(out, &format!("{days}, {name}={value}"), &ask(Of::With(by, only), None))?;
            let all_tags = tags.iter().map(|tag| tsdb.tag(tag)).collect::<Result<Vec<_>, _>>()?.join(" ");
            tsdb.show(out, &format!("{days}, all tags: {all_tags}"), &ask(Of::One(tags), None))?;
            tsdb.show(out, &format!("{days}, by {name}"), &ask(Of::All, Some(by)))?;
        }
        // Readings of each hour fill one cell of an hour's row.
        if series.0 == TEMPERATURE {
            compaction::<{ DAY / 2 }>(out, series.0, "half days", &points, window)?;
        } else {
            compaction::<3600>(out, series.0, "hours", &points, window)?;
        }
    }
    Ok(())
}

/// The days asked for; none where there are no points.
fn window(args: &Args, points: &Points) -> Result<Option<Range<u32>>, Box<dyn Error>> {
    let first = points.values().filter_map(|points| points.first_key_value()).map(|(at, _)| *at).min();
    let start = match args.from {
        Some(from) => Some(u32::try_from(from.to_zoned(TimeZone::UTC)?.timestamp().as_second())?),
        None => first.map(|at| at - at % DAY),
    };
    Ok(start.map(|start| start..start.saturating_add(args.days.saturating_mul(DAY))))
}

/// What the same question costs before and after the rows are compacted, and where points come in again behind that.
fn compaction<const WIDTH: u32>(
    out: &mut impl Write,
    metric: &'static str,
    rows: &str,
    points: &Points,
    window: Range<u32>,
) -> Result<(), Box<dyn Error>> {
    let tsdb = Tsdb::<WIDTH>::open()?;
    let points = in_time(points);
    let ask = Ask { metric: tsdb.metrics.id(metric)?, window, of: Of::All, by: None };
    let costs = |run: &mut dyn FnMut() -> Result<(), Box<dyn Error>>| -> Result<Costs, Box<dyn Error>> {
        let before = tsdb.db.costs();
        run()?;
        Ok(tsdb.db.costs() - before)
    };
    let purge = || tsdb.rows.purge(None, |_| ControlFlow::Continue(()));
    let steps: [(&str, &dyn Fn() -> Result<(), Box<dyn Error>>); 6] = [
        ("a cell a point", &|| tsdb.write(&points)),
        ("compacted", &|| tsdb.compact().map(drop)),
        ("and purged", &|| Ok(purge().map(drop)?)),
        ("compacted once more", &|| tsdb.compact().map(drop)),
        ("the last tenth sent again", &|| tsdb.write(&points[points.len() - points.len() / 10..])),
        ("compacted and purged", &|| tsdb.compact().and_then(|_| Ok(purge().map(drop)?))),
    ];
    let (mut lines, mut answers) = (Vec::new(), Vec::new());
    for (step, run) in steps {
        let written = costs(&mut || run())?;
        let stored = costs(&mut || Ok(tsdb.rows.count(..).map(drop)?))?;
        let read = costs(&mut || Ok(answers.push(tsdb.ask(&ask)?.days)))?;
        let numbers = [written.cells_written, stored.cells_read, stored.bytes_read, read.cells_read, read.bytes_read];
        let [written, cells, bytes, cells_read, bytes_read] = numbers.map(|number| HumanCount(number).to_string());
        lines.push([step.to_owned(), written, cells, bytes, cells_read, bytes_read]);
    }
    let titles = ["", "cells written", "cells stored", "bytes stored", "cells read", "bytes read"];
    report::table(out, &format!("{metric} in rows of {rows}, and what the first query reads"), titles, lines)?;
    let same = answers.windows(2).all(|two| two[0] == two[1]);
    writeln!(out, "  {}", if same { "the answer is the same each time" } else { "the answers differ" })?;
    Ok(())
}

/// The first rows, drawn.
fn drawn(tsdb: &Tsdb<3600>) -> Result<Vec<[String; 2]>, Box<dyn Error>> {
    let mut rows = Vec::new();
    for row in tsdb.rows.scan(.., Columns::all()).limit(3) {
        let (key, row) = row?;
        let tags = key.tags.iter().map(|tag| tsdb.tag(tag)).collect::<Result<Vec<_>, _>>()?.join(" ");
        let metric = tsdb.metrics.name(key.metric)?.unwrap_or_default();
        let points = points(&row)?;
        let mut cells: Vec<_> = points.iter().take(4).map(|(offset, value)| format!("{offset} = {value}")).collect();
        cells.extend((points.len() > 4).then(|| format!("and {} more", points.len() - 4)));
        rows.push([format!("{metric}  {}  {tags}", utc(key.hour, "%Y-%m-%d %H:%M")?), cells.join("\n")]);
    }
    Ok(rows)
}

fn utc(at: u32, format: &str) -> Result<String, jiff::Error> {
    Ok(Timestamp::from_second(at.into())?.strftime(format).to_string())
}

const TEMPERATURE: &str = "temperature";

/// All points. Of two readings of a second the later counts; hits and bytes of a second are summed.
fn load(args: &Args, out: &mut impl Write) -> Result<Points, Box<dyn Error>> {
    let (mut points, mut count) = (Points::new(), 0);
    readings::readings(args.path.as_deref(), |city, at, degrees| {
        let at = at.to_zoned(TimeZone::UTC)?.timestamp().as_second();
        let at = u32::try_from(at).map_err(|_| "the time is not from 1970 to 2106")?;
        let tags = vec![("city", city.to_owned()), ("unit", "fahrenheit".to_owned())];
        points.entry((TEMPERATURE, tags)).or_default().insert(at, degrees);
        count += 1;
        Ok(())
    })?;
    writeln!(out, "{} readings", HumanCount(count))?;
    if args.log.is_empty() {
        return Ok(points);
    }
    let summary = weblog::input::read_logs(&args.log, |line| {
        let at = u32::try_from(line.at.as_second()).map_err(|_| "a time is not from 1970 to 2106")?;
        let status = line.hit.status.map_or_else(|| "-".to_owned(), |status| status.to_string());
        let request = line.hit.request.as_deref().unwrap_or_default();
        let method = request.split(' ').next().filter(|method| !method.is_empty()).unwrap_or("-");
        for (metric, value) in [("web.hits", 1.0), ("web.bytes", line.hit.size as f64)] {
            let tags = vec![("status", status.clone()), ("method", method.to_owned())];
            *points.entry((metric, tags)).or_default().entry(at).or_insert(0.0) += value;
        }
        Ok(())
    })?;
    writeln!(out, "{summary}")?;
    Ok(points)
}

fn main() -> ExitCode {
    let mut out = io::BufWriter::new(io::stdout().lock());
    program::exit(run(&Args::parse(), &mut out).and_then(|()| Ok(out.flush()?)))
}
