//! Time series as OpenTSDB keeps them: rows under metric + base hour + tags, spread by a salt over metric and tags.
//!
//!     cargo run --release -p rowkey-studies -- temperatures --city seattle --day 2010-03-14
//!
//! The metric is an id of three bytes, the hour an instant rounded down, the tags pairs of ids, sorted; what is left of
//! a time is in the value. The salt leaves the time out, so a city's rows stay together in one bucket. Rows of a
//! window come from all buckets and are merged by hour. Tags come after the hour: a window of one tag reads
//! those of the others too, and passes over them. `metrics` has the same in a wide table, a column a point.

use std::error::Error;
use std::ffi::OsString;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::Parser;
use indicatif::HumanCount;
use jiff::Timestamp;
use jiff::civil::{Date, date};
use jiff::tz::TimeZone;
use rowkey::ids::NameIds;
use rowkey::{Bucket, Layout, List, Postcard, RowKey, Seconds, Table, civil};
use rowkey_studies::engine::Engine;
use rowkey_studies::output::report;
use rowkey_studies::series::readings;

/// OpenTSDB's row key.
#[derive(RowKey, Debug, Clone, PartialEq)]
#[rowkey(salt(buckets = 4, by(metric, tags)))]
struct Series {
    metric: Uid,
    hour: Hour,
    /// Names and values, by name.
    tags: List<(Uid, Uid)>,
}

/// An id out of a dictionary of names.
type Uid = [u8; 3];
type Hour = Bucket<Seconds, 3600>;

/// Within the hour, in seconds, and the value.
type Points = Vec<(u16, f64)>;

/// The keys of its tables.
pub(crate) const LAYOUTS: &[(&str, Layout)] = &[("tsdb", Series::LAYOUT)];

/// Keeps hourly temperatures as OpenTSDB would, and shows a day of them.
#[derive(Parser)]
struct Args {
    /// Lines of city, local time and degrees Fahrenheit between tabs, plain or gzip [default: a sample]
    path: Option<PathBuf>,
    /// The city whose day is shown alone
    #[arg(long, default_value = "seattle")]
    city: String,
    /// The day, of 23 hours where clocks are put forward
    #[arg(long, default_value_t = date(2010, 3, 14))]
    day: Date,
    /// The time zone of the input, as POSIX writes it
    #[arg(long, default_value = "PST8PDT,M3.2.0,M11.1.0")]
    zone: String,
}

fn run(args: &Args, on: &Engine, out: &mut impl Write) -> Result<(), Box<dyn Error>> {
    let zone = TimeZone::posix(&args.zone).map_err(|error| format!("--zone {}: {error}", args.zone))?;
    let db = on.open()?;
    let series: Table<Series, Postcard<Points>, _> = Table::open(db.clone(), "tsdb")?;
    let uids: NameIds = NameIds::open(&db, "uids", "")?;
    let metric = uids.id("temperature")?;
    let (unit, fahrenheit, city) = (uids.id("unit")?, uids.id("fahrenheit")?, uids.id("city")?);

    let mut count = 0;
    readings(args.path.as_deref(), |of_city, at, degrees| {
        let at = zone.to_ambiguous_timestamp(at).compatible()?;
        let (hour, rest) = Hour::split(Seconds::floor(at)?)?;
        let second = rest.as_secs() as u16;
        let mut tags = List(vec![(city, uids.id(of_city)?), (unit, fahrenheit)]);
        tags.sort();
        series.update(&Series { metric, hour, tags }, |points| {
            let mut points = points.map_or_else(Vec::new, |Postcard(points)| points);
            points.retain(|(other, _)| *other != second);
            points.push((second, degrees));
            points.sort_by_key(|(second, _)| *second);
            Some(Postcard(points))
        })?;
        count += 1;
        Ok(())
    })?;
    writeln!(out, "{} readings in {} rows, in 4 buckets", HumanCount(count), HumanCount(series.count(..)?))?;

    let shown = series.scan(..).limit(4).collect::<Result<Vec<_>, _>>()?;
    let name = |id: Uid| Ok::<_, Box<dyn Error>>(uids.name(id)?.unwrap_or_default());
    let row = |(Series { metric, hour, tags }, Postcard(points)): &(Series, Postcard<Points>)| {
        let tags = tags.iter().map(|(tag, value)| Ok(format!("  {}={}", name(*tag)?, name(*value)?)));
        let tags = tags.collect::<Result<String, Box<dyn Error>>>()?;
        let points: Vec<_> = points.iter().map(|(second, degrees)| format!("{second}: {degrees}")).collect();
        Ok([format!("{}  {}{tags}", name(*metric)?, Timestamp::try_from(hour.start())?), points.join(", ")])
    };
    if let Some((key, _)) = shown.first() {
        report::key(out, "The key of an hour of a series", key)?;
        let rows = shown.iter().map(row).collect::<Result<Vec<_>, Box<dyn Error>>>()?;
        report::table(out, "The table tsdb, its first rows", ["row key", "second: °F"], rows)?;
    }

    let day = civil::day::<Seconds>(args.day, &zone)?;
    if day.is_empty() {
        return Err(format!("there was no {} there", args.day).into());
    }
    let (first, last) = (Hour::floor(day.start)?, Hour::floor(Seconds(day.end.0 - 1))?);
    // The hours that have a part of the day; where it begins or ends within one, points are left out.
    let window = || Series::prefix().metric(metric).hour_range(first..=last);

    let uid = uids.find(&args.city)?;
    for (title, only) in [(args.city.as_str(), true), ("All cities", false)] {
        let query = report::Query::of(&db);
        let (mut rows, mut shown) = (0, Vec::new());
        for row in series.scan(window()) {
            let (Series { hour, tags, .. }, Postcard(points)) = row?;
            let Some(&(_, of_city)) = tags.iter().find(|(name, _)| *name == city) else { continue };
            if only && Some(of_city) != uid {
                continue;
            }
            rows += 1;
            for (second, degrees) in points {
                let at = hour.at(Duration::from_secs(second.into()))?;
                if day.contains(&at) {
                    let local = zone.to_datetime(Timestamp::try_from(at)?).strftime("%Y-%m-%d %H:%M").to_string();
                    shown.push(format!("{local}  {:13}  {degrees:>5.1} °F", name(of_city)?));
                }
            }
        }
        query.returned(out, format_args!("{title}, {}", args.day), rows, rows)?;
        shown.iter().try_for_each(|line| writeln!(out, "  {line}"))?;
    }
    Ok(())
}

/// Runs the study with these arguments, the first of which is its name.
pub(crate) fn main(args: Vec<OsString>) -> ExitCode {
    crate::study(args, run)
}
