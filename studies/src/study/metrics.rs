//! OpenTSDB, whole: names as ids, a row an hour of a series, a column a point, and hours compacted into one cell.
//!
//!     cargo run --release -p rowkey-studies -- metrics temperatures.tsv.gz --log access.log.gz --every 6
//!
//! A point is a value of a metric at a second, with tags. Its row is salt, metric, base hour, tags: the points of an
//! hour stand in one row, the hours of a metric side by side. Names are in a dictionary of their own; in keys stand
//! their ids of three bytes. Tags are sorted, so a series has one key an hour. The salt is taken over metric and tags:
//! a series stays in one bucket, and a metric that many write at once is spread. A window of a metric is read in each
//! bucket and merged; tags come after the hour, so the hours of other series are read too and passed over. Who gives
//! all tags reads one bucket.
//!
//! Points are downsampled: count, minimum, mean, maximum and sum of each day, or of a number of hours, counted from
//! 1970 on.
//!
//! An hour that is over is compacted: one cell holds its points. Readings of each hour have one cell an hour anyway;
//! what compaction saves is shown of a log's hits and bytes of each second.
//!
//! Row keys, qualifiers and values are OpenTSDB's, byte by byte, each value an `f64`: on HBase, OpenTSDB reads these
//! rows, and the study reads its. The dictionary is one of `rowkey`: the ids are the same numbers, if names are added
//! in the same order.

use std::collections::BTreeMap;
use std::error::Error;
use std::ffi::OsString;
use std::io::Write;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use indicatif::HumanCount;
use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use rowkey::wide::{CellKey, Columns};
use rowkey::{Layout, RowKey, Table};
use rowkey_studies::engine::{Db, Engine};
use rowkey_studies::output::{progress, report};
use rowkey_studies::series::readings;
use rowkey_studies::series::tsdb::{Ask, DAY, Of, Points, Series, SeriesHour, Summary, Tsdb, points};
use rowkey_studies::weblog::{Log, read_logs};

/// The keys of its tables.
pub(crate) const LAYOUTS: &[(&str, Layout)] = &[("tsdb", SeriesHour::LAYOUT)];

/// Keeps metrics as OpenTSDB does, asks for days of them, downsampled, and compacts their hours.
#[derive(Parser)]
struct Args {
    /// Lines of city, time and degrees Fahrenheit between tabs, plain or gzip; times are taken as UTC
    /// [default: a sample]
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
    /// How many hours' points are summed up in a line
    #[arg(long, default_value_t = 24, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    every: u32,
}

/// Asks, and shows what it cost and the sums: of each group by its name.
fn show(out: &mut impl Write, tsdb: &Tsdb<3600>, title: &str, ask: &Ask) -> Result<(), Box<dyn Error>> {
    let query = report::Query::of(&tsdb.db);
    let answer = tsdb.ask(ask)?;
    query.returned(out, title, answer.rows, answer.cells)?;
    let mut lines = Vec::new();
    let format = if ask.every.is_multiple_of(DAY) { "%Y-%m-%d" } else { "%Y-%m-%d %H:%M" };
    for ((group, from), Summary { points, min, max, sum }) in answer.sums {
        let group = ask.by.zip(group).map(|tag| tsdb.tag(&tag)).transpose()?;
        let (group, mean) = (group.map_or_else(String::new, |group| group + "  "), sum / points as f64);
        let from = utc(from, format)?;
        lines.push(format!("{group}{from}  {points} points  min {min:.1}  mean {mean:.1}  max {max:.1}  sum {sum:.1}"));
    }
    lines.sort();
    lines.iter().try_for_each(|line| writeln!(out, "  {line}"))?;
    Ok(())
}

/// All points in the order of their times.
fn in_time(points: &Points) -> Vec<(&Series, u32, f64)> {
    let each = |(series, points)| BTreeMap::iter(points).map(move |(at, value)| (series, *at, *value));
    let mut all: Vec<_> = points.iter().flat_map(each).collect();
    all.sort_by_key(|(_, at, _)| *at);
    all
}

/// Writes points as they come.
fn write(tsdb: &Tsdb<3600>, points: &[(&Series, u32, f64)]) -> Result<(), Box<dyn Error>> {
    progress(points.chunks(1000)).try_for_each(|points| tsdb.write(points))
}

fn run(args: &Args, on: &Engine, out: &mut impl Write) -> Result<(), Box<dyn Error>> {
    let all = load(args, out)?;
    let db = on.open()?;
    let tsdb = Tsdb::<3600>::open(db.clone(), "tsdb")?;
    write(&tsdb, &in_time(&all))?;
    let Some((first, _)) = tsdb.rows.scan(.., Columns::all()).next().transpose()? else {
        return Ok(writeln!(out, "There are no points.")?);
    };
    report::key(out, "The key of an hour of a series", &first)?;
    let titles = ["row key", "t: seconds within the hour = value"];
    report::table(out, "The table tsdb, its first rows", titles, drawn(&tsdb)?)?;
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
        let days = format!("{metric}, {} days from {}", args.days, utc(*window.start(), "%Y-%m-%d")?);
        let (metric, tags) = tsdb.ids(series)?;
        let ask = |of, by| Ask { metric, window: window.clone(), of, by, every: args.every * 3600 };
        show(out, &tsdb, &days, &ask(Of::All, None))?;
        if let Some((name, value)) = series.1.first() {
            let (by, only) = (tsdb.tag_names.id(name)?, tsdb.tag_values.id(value)?);
            show(out, &tsdb, &format!("{days}, {name}={value}"), &ask(Of::With(by, only), None))?;
            let all_tags = tags.iter().map(|tag| tsdb.tag(tag)).collect::<Result<Vec<_>, _>>()?.join(" ");
            show(out, &tsdb, &format!("{days}, all tags: {all_tags}"), &ask(Of::One(tags), None))?;
            show(out, &tsdb, &format!("{days}, by {name}"), &ask(Of::All, Some(by)))?;
        }
        // Readings of each hour are one cell of an hour's row anyway.
        if series.0 != TEMPERATURE {
            compaction(out, &db, series.0, &points, window)?;
        }
    }
    Ok(())
}

/// The days asked for; none where there are no points.
fn window(args: &Args, points: &Points) -> Result<Option<RangeInclusive<u32>>, Box<dyn Error>> {
    let first = points.values().filter_map(|points| points.first_key_value()).map(|(at, _)| *at).min();
    let start = match args.from {
        Some(from) => {
            let start =
                from.to_zoned(TimeZone::UTC).ok().and_then(|start| start.timestamp().as_second().try_into().ok());
            Some(start.ok_or_else(|| format!("--from {from} is not from 1970 to 2106"))?)
        }
        None => first.map(|at| at - at % DAY),
    };
    let last = |start: u32| args.days.checked_mul(DAY).map_or(u32::MAX, |seconds| start.saturating_add(seconds - 1));
    Ok(start.map(|start| start..=last(start)))
}

type Step<'s> = (&'s str, &'s dyn Fn() -> Result<(), Box<dyn Error>>);

/// The cost of the same query before and after the rows are compacted, and where points come in again after that.
fn compaction(
    out: &mut impl Write,
    db: &Db,
    metric: &'static str,
    points: &Points,
    window: RangeInclusive<u32>,
) -> Result<(), Box<dyn Error>> {
    let table = format!("tsdb.{metric}");
    let tsdb = Tsdb::<3600>::open(db.clone(), &table)?;
    points.keys().try_for_each(|series| tsdb.ids(series).map(drop))?;
    // No server tells how many cells it has stored.
    let entries =
        tsdb.db.cells().map(|_| Table::<CellKey<'static>, Vec<u8>, _>::open(db.clone(), &table)).transpose()?;
    let points = in_time(points);
    let ask = Ask { metric: tsdb.metrics.id(metric)?, window, of: Of::All, by: None, every: DAY };
    let steps: [Step<'_>; 6] = [
        ("a cell a point", &|| write(&tsdb, &points)),
        ("compacted", &|| tsdb.compact()),
        ("and purged", &|| Ok(tsdb.purge()?)),
        ("compacted once more", &|| tsdb.compact()),
        ("the first tenth sent again", &|| write(&tsdb, points.get(..points.len() / 10).unwrap_or_default())),
        ("compacted and purged", &|| tsdb.compact().and_then(|()| Ok(tsdb.purge()?))),
    ];
    let (mut lines, mut answers) = (Vec::new(), Vec::new());
    for (step, run) in steps {
        let before = tsdb.db.costs();
        run()?;
        let ran = tsdb.db.costs();
        entries.as_ref().map(|entries| entries.count(..)).transpose()?;
        let counted = tsdb.db.costs();
        answers.push(tsdb.ask(&ask)?.sums);
        let (written, stored, read) = (ran - before, counted - ran, tsdb.db.costs() - counted);
        let numbers = [written.cells_written, read.cells_read, read.bytes_read];
        let [written, cells_read, bytes_read] = numbers.map(|number| HumanCount(number).to_string());
        let known = |number| entries.as_ref().map_or_else(|| "-".to_owned(), |_| HumanCount(number).to_string());
        let [cells, bytes] = [stored.cells_read, stored.bytes_read].map(known);
        lines.push([step.to_owned(), written, cells, bytes, cells_read, bytes_read]);
    }
    let titles = ["", "cells written", "cells stored", "bytes stored", "cells read", "bytes read"];
    report::table(out, &format!("{metric} in rows of hours, and what the first query reads"), titles, lines)?;
    if answers.iter().any(|answer| Some(answer) != answers.first()) {
        return Err(format!("{metric}: the answers differ").into());
    }
    Ok(writeln!(out, "  the answer is the same each time")?)
}

/// The first rows, drawn.
fn drawn(tsdb: &Tsdb<3600>) -> Result<Vec<[String; 2]>, Box<dyn Error>> {
    let mut rows = Vec::new();
    for row in tsdb.rows.scan(.., Columns::all()).limit(3) {
        let (key, row) = row?;
        let tags = key.tags.iter().map(|tag| tsdb.tag(tag)).collect::<Result<Vec<_>, _>>()?.join(" ");
        let metric = tsdb.metrics.name(key.metric)?.unwrap_or_default();
        let points = points(&row)?;
        let mut cells: Vec<_> = points.iter().take(4).map(|(at, value)| format!("{} = {value}", at / 1000)).collect();
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
    readings(args.path.as_deref(), |city, at, degrees| {
        let at = at.to_zoned(TimeZone::UTC)?.timestamp().as_second();
        let at = u32::try_from(at).map_err(|_| "the time is not from 1970 to 2106")?;
        let tags = vec![("city", city.to_owned()), ("unit", "fahrenheit".to_owned())];
        points.entry((TEMPERATURE, tags)).or_default().insert(at, degrees);
        count += 1;
        Ok(())
    })?;
    writeln!(out, "{} readings, their times taken as UTC", HumanCount(count))?;
    if args.log.is_empty() {
        return Ok(points);
    }
    let summary = read_logs(args.log.iter().map(|path| Log::File(path)), |line| {
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

/// Runs the study with these arguments, the first of which is its name.
pub(crate) fn main(args: Vec<OsString>) -> ExitCode {
    crate::study(args, run)
}
