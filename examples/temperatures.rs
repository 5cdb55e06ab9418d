//! Time series as OpenTSDB keeps them: rows under metric + base hour + tags, spread by a salt over metric and tags.
//!
//!     cargo run --release --example temperatures -- --city seattle --day 2010-03-14
//!
//! The metric is an id of three bytes, the hour an instant rounded down, the tags pairs of ids, sorted; what is left of
//! a time stands in the value. The salt leaves the time out, so a city's rows stay together in one bucket. Rows of a
//! window come from all buckets and are merged by hour. Tags stand behind the hour: a window of one tag reads
//! those of the others too, and passes over them.

mod file;
mod program;

use std::error::Error;
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use indicatif::HumanCount;
use jiff::Timestamp;
use jiff::civil::{Date, DateTime, date};
use jiff::tz::TimeZone;
use rowkey::encode::{Encoding, Reader, Sink, Writer};
use rowkey::{Bucket, DecodeError, List, Memory, Postcard, RowKey, Seconds, Table, civil};

/// OpenTSDB's row key.
#[derive(RowKey, Debug, Clone, PartialEq)]
#[rowkey(salt(buckets = 4, by(metric, tags)))]
struct Series {
    #[rowkey(with = U24)]
    metric: Uid,
    hour: Hour,
    /// Ids of names and values, by name.
    tags: List<([u8; 3], [u8; 3])>,
}

type Hour = Bucket<Seconds, 3600>;

/// Within the hour, in seconds, and the value.
type Points = Vec<(u16, f64)>;

/// An id of 24 bits; [`Uids`] gives out no others.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Uid([u8; 3]);

struct U24;

impl Encoding<Uid> for U24 {
    const SHAPE: &'static str = "u24";
    const WIDTH: Option<usize> = Some(3);

    fn encode<S: Sink>(id: &Uid, w: &mut Writer<'_, S>) {
        w.array(id.0);
    }

    fn decode(r: &mut Reader<'_>) -> Result<Uid, DecodeError> {
        r.array().map(Uid)
    }
}

/// Names and their ids, from 1 in the order in which they came.
#[derive(Default)]
struct Uids(Vec<String>);

impl Uids {
    fn id(&mut self, name: &str) -> Result<[u8; 3], Box<dyn Error>> {
        let at = self.0.iter().position(|known| known == name).unwrap_or_else(|| {
            self.0.push(name.to_owned());
            self.0.len() - 1
        });
        match u32::try_from(at + 1)?.to_be_bytes() {
            [0, a, b, c] => Ok([a, b, c]),
            _ => Err("there are no more ids of three bytes".into()),
        }
    }

    fn name(&self, [a, b, c]: [u8; 3]) -> &str {
        let id = u32::from_be_bytes([0, a, b, c]) as usize;
        id.checked_sub(1).and_then(|at| self.0.get(at)).map_or("unknown", String::as_str)
    }
}

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

const SAMPLE: &[u8] = include_bytes!("data/temperatures.tsv");

fn run(args: &Args, out: &mut impl Write) -> Result<(), Box<dyn Error>> {
    let zone = TimeZone::posix(&args.zone).map_err(|error| format!("--zone {}: {error}", args.zone))?;
    let series: Table<Series, Postcard<Points>, _> = Table::open(Memory::new(), "tsdb")?;
    let mut uids = Uids::default();
    let metric = Uid(uids.id("temperature")?);
    let (unit, fahrenheit, city) = (uids.id("unit")?, uids.id("fahrenheit")?, uids.id("city")?);
    let tags = |of_city| {
        let mut tags = List(vec![(city, of_city), (unit, fahrenheit)]);
        tags.sort();
        tags
    };

    let (text, name) = file::text(args.path.as_deref(), SAMPLE)?;
    let mut readings = 0;
    for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.is_empty()) {
        let Some((of_city, at, value)) = parse(line) else {
            if number == 0 {
                continue;
            }
            return Err(format!("{name}:{}: not city, time, degrees: {line:?}", number + 1).into());
        };
        let at = zone.to_ambiguous_timestamp(at).compatible()?;
        let (hour, rest) = Hour::split(Seconds::floor(at)?)?;
        let point = (rest.as_secs() as u16, value);
        let key = Series { metric, hour, tags: tags(uids.id(of_city)?) };
        series.update(&key, |points| {
            let mut points = points.map_or_else(Vec::new, |Postcard(points)| points);
            points.retain(|(seconds, _)| *seconds != point.0);
            points.push(point);
            points.sort_by_key(|(seconds, _)| *seconds);
            Some(Postcard(points))
        })?;
        readings += 1;
    }
    let rows = series.count(..)?;
    writeln!(out, "{} readings in {} rows, in 4 buckets", HumanCount(readings), HumanCount(rows))?;
    if let Some((key, _)) = series.first(..)? {
        writeln!(out, "\n{}", Series::explain(&key.encode()))?;
    }

    let day = civil::day::<Seconds>(args.day, &zone)?;
    if day.is_empty() {
        return Err(format!("there was no {} there", args.day).into());
    }
    let (first, last) = (Hour::floor(day.start)?, Hour::floor(Seconds(day.end.0 - 1))?);
    // The hours that have a part of the day; where it begins or ends within one, points are left out.
    let window = || Series::prefix().metric(metric).hour_range(first..=last);

    let uid = uids.0.iter().position(|name| *name == args.city).map(|_| uids.id(&args.city)).transpose()?;
    for (title, only) in [(args.city.as_str(), true), ("All cities", false)] {
        let mut scan = series.scan(window());
        let mut shown = Vec::new();
        for row in scan.by_ref() {
            let (Series { hour, tags, .. }, Postcard(points)) = row?;
            let Some(&(_, of_city)) = tags.iter().find(|(name, _)| *name == city) else { continue };
            if only && Some(of_city) != uid {
                continue;
            }
            for (seconds, value) in points {
                let at = hour.at(std::time::Duration::from_secs(seconds.into()))?;
                if day.contains(&at) {
                    let local = zone.to_datetime(Timestamp::try_from(at)?).strftime("%Y-%m-%d %H:%M").to_string();
                    shown.push(format!("{local}  {:13}  {value:>5.1} °F", uids.name(of_city)));
                }
            }
        }
        writeln!(out, "\n{title}, {}", args.day)?;
        writeln!(out, "{} rows read, {} returned", HumanCount(scan.rows_read()), HumanCount(shown.len() as u64))?;
        shown.iter().try_for_each(|row| writeln!(out, "  {row}"))?;
    }
    Ok(())
}

/// `seattle<TAB>2010-02-14T06:00:00<TAB>39.4`
fn parse(line: &str) -> Option<(&str, DateTime, f64)> {
    let [city, at, value] = line.split('\t').collect::<Vec<_>>()[..] else { return None };
    Some((city, at.parse().ok()?, value.parse().ok()?))
}

fn main() -> ExitCode {
    let mut out = io::BufWriter::new(io::stdout().lock());
    program::exit(run(&Args::parse(), &mut out).and_then(|()| Ok(out.flush()?)))
}
