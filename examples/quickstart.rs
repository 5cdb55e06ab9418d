//! The tour: a struct becomes a key, rows are stored under it, and queries read no more rows than they return.
//!
//!     cargo run --example quickstart
//!     cargo run --example quickstart -- --path DIR
//!
//! The rows are hourly temperatures of two cities (`examples/data/`), kept twice: by city, for "what was it like there",
//! and by time, spread over buckets so that no server takes every write of the present hour. They are in memory, or in a
//! directory, where the next run finds them again.

mod program;

use std::error::Error;
use std::fmt::{self, Display};
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::str::FromStr;

use clap::Parser;
use rowkey::store::Database;
use rowkey::{Json, Memory, OwnedKey, RowKey, Table, TableScan, WriteBatch};
use rowkey_fjall::Fjall;

/// Stores temperatures under composite keys, and asks for them.
#[derive(Parser)]
struct Args {
    /// The directory where the rows are kept [default: they are in memory]
    #[arg(long)]
    path: Option<PathBuf>,
}

/// A city's readings, newest first.
#[derive(RowKey, Debug, Clone)]
struct Reading {
    city: String,
    #[rowkey(desc)]
    at: Hour,
}

/// The same readings of all cities by time, newest first, spread over eight buckets.
#[derive(RowKey, Debug, Clone)]
#[rowkey(salt(buckets = 8))]
struct ByTime {
    #[rowkey(desc)]
    at: Hour,
    city: String,
}

/// An hour on the clock of the place: these times have no zone. A struct nests in another as a field of it.
#[derive(RowKey, Debug, Clone, Copy, PartialEq)]
struct Hour {
    year: u16,
    month: u8,
    day: u8,
    hour: u8,
}

/// Values have a codec: text, bytes, JSON, postcard, or one of your own.
type Fahrenheit = Json<f64>;

fn tour(args: &Args, out: &mut impl Write) -> Result<(), Box<dyn Error>> {
    let db: Box<dyn Database> = match &args.path {
        Some(path) => Box::new(Fjall::open(path)?),
        None => Box::new(Memory::new()),
    };
    let readings: Table<Reading, Fahrenheit, _> = Table::open(&db, "readings")?;
    let by_time: Table<ByTime, Fahrenheit, _> = Table::open(&db, "by_time")?;

    if readings.first(..)?.is_some() {
        writeln!(out, "Found {} readings of two cities, by city and by time.", readings.count(..)?)?;
    } else {
        let mut batch = WriteBatch::new();
        for line in include_str!("data/temperatures.tsv").lines().skip(1) {
            let (city, at, fahrenheit) = parse(line)?;
            batch.put(&readings, &Reading { city: city.clone(), at }, &fahrenheit)?;
            batch.put(&by_time, &ByTime { at, city }, &fahrenheit)?;
        }
        batch.write(&db)?;
        writeln!(out, "Stored {} readings of two cities, by city and by time.", readings.count(..)?)?;
    }

    // What a key is made of.
    let key = Reading { city: "seattle".into(), at: hour(2, 14, 6) };
    writeln!(out, "\n{}", Reading::explain(&key.encode()))?;
    writeln!(out, "shape        {}", Reading::LAYOUT.shape())?;
    writeln!(out, "fingerprint  {}  (kept with the table, checked when it is opened)", readings.fingerprint())?;

    // A prefix takes the leading fields by name; it ends where the question ends.
    let seattle = || Reading::prefix().city("seattle");
    show(out, "Seattle, newest first", readings.scan(seattle()).limit(3))?;
    show(out, "Seattle, oldest first", readings.scan(seattle()).reverse().limit(3))?;

    // A range is in the order of time, though the bytes run backwards.
    let morning = hour(2, 14, 6)..hour(2, 14, 9);
    show(out, "Seattle, 14 February, from 6 until 9", readings.scan(seattle().at_range(morning)))?;

    // Several values at once: three point reads in one scan.
    let noons = [hour(1, 1, 12), hour(2, 1, 12), hour(3, 1, 12)];
    show(out, "Seattle, noon on the first of each month", readings.scan(seattle().at_in(noons)))?;

    // The salted table answers in one order too: its eight buckets are read side by side and merged. Each may hold all
    // that a limit asks for, so up to eight times as many rows are read.
    let noon = hour(2, 14, 12);
    show(
        out,
        "Both cities, 14 February, from noon until 2",
        by_time.scan(ByTime::prefix().at_range(noon..hour(2, 14, 14))),
    )?;
    show(out, "Both cities, newest first, merged from 8 buckets", by_time.scan(..).limit(4))?;

    // A page ends in a cursor: text that a client keeps and hands back.
    let first = by_time.scan(..).page(4)?;
    let cursor = first.next.ok_or("there is but one page")?.to_string();
    writeln!(out, "\nThe cursor behind these four\n  {cursor}")?;
    let second = by_time.scan(..).after(cursor.parse::<rowkey::Cursor>()?);
    show(out, "The next page, from that cursor", second.limit(4))
}

/// Runs a scan and prints its rows under what it took to find them.
fn show<K: OwnedKey + Display>(
    out: &mut impl Write,
    title: &str,
    mut scan: TableScan<K, Fahrenheit>,
) -> Result<(), Box<dyn Error>> {
    let rows: Vec<_> = scan.by_ref().collect::<Result<_, _>>()?;
    writeln!(out, "\n{title:50} {:>3} rows read, {} returned", scan.rows_read(), scan.rows_returned())?;
    for (key, Json(fahrenheit)) in rows {
        writeln!(out, "  {key}  {fahrenheit:.1} °F")?;
    }
    Ok(())
}

fn hour(month: u8, day: u8, hour: u8) -> Hour {
    Hour { year: 2010, month, day, hour }
}

/// `seattle<TAB>2010-02-14T06:00:00<TAB>39.4`
fn parse(line: &str) -> Result<(String, Hour, Fahrenheit), Box<dyn Error>> {
    let [city, at, fahrenheit] = line.split('\t').collect::<Vec<_>>()[..] else {
        return Err(format!("not a reading: {line:?}").into());
    };
    Ok((city.to_owned(), at.parse()?, Json(fahrenheit.parse()?)))
}

impl FromStr for Hour {
    type Err = std::num::ParseIntError;

    fn from_str(time: &str) -> Result<Self, Self::Err> {
        let part = |range| time.get(range).unwrap_or_default();
        let (year, month, day, hour) = (part(0..4), part(5..7), part(8..10), part(11..13));
        Ok(Self { year: year.parse()?, month: month.parse()?, day: day.parse()?, hour: hour.parse()? })
    }
}

impl Display for Hour {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{:02}-{:02} {:02}:00", self.year, self.month, self.day, self.hour)
    }
}

impl Display for Reading {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}  {:13}", self.at, self.city)
    }
}

impl Display for ByTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}  {:13}", self.at, self.city)
    }
}

fn main() -> ExitCode {
    program::exit(tour(&Args::parse(), &mut io::stdout().lock()))
}
