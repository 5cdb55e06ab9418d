//! Who came, and when: a web log as rows under visitor + newest first.
//!
//!     cargo run --release --example visits -- access.log access.log.1.gz
//!
//! One key answers four questions, each by reading about the rows that it returns: the busiest visitors, all visits of
//! one of them, the latest, and those within a window of time.

mod program;
mod weblog;

use std::error::Error;
use std::io::{self, Write};
use std::ops::Bound;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use indicatif::HumanCount;
use jiff::{SignedDuration, Timestamp};
use rowkey::{Memory, Postcard, RowKey, Table, TableScan};
use weblog::combined::Hit;
use weblog::input::read_logs;

/// A visitor's requests, newest first.
#[derive(RowKey, Debug, Clone, PartialEq)]
struct Visit {
    visitor: String,
    #[rowkey(desc)]
    at: i64, // Unix seconds
    /// The request's place in the input: it keeps those of one second apart, the later one first.
    #[rowkey(desc)]
    line: u64,
}

/// Visitors, the busiest first.
#[derive(RowKey, Debug, Clone, PartialEq)]
struct Rank {
    #[rowkey(desc)]
    visits: u64,
    visitor: String,
}

/// Stores web logs in a sorted table and asks it who came, and when.
#[derive(Parser)]
struct Args {
    /// Logs of Apache or nginx in the "combined" format, plain or gzip; - is standard input
    #[arg(required = true)]
    logs: Vec<PathBuf>,
    /// Whose visits are shown [default: those of the busiest]
    #[arg(long)]
    visitor: Option<String>,
    /// The window's start, to the second, as 2015-05-18T06:00Z [default, without --to: a day before the latest visit]
    #[arg(long)]
    from: Option<Timestamp>,
    /// The window's end, itself outside
    #[arg(long)]
    to: Option<Timestamp>,
    /// How many rows of an answer are printed
    #[arg(long, default_value_t = 5)]
    show: usize,
}

fn run(args: &Args, out: &mut impl Write) -> Result<(), Box<dyn Error>> {
    let db = Memory::new();
    let visits: Table<Visit, Postcard<Hit>, _> = Table::open(&db, "visits")?;
    let counters: Table<String, i64, _> = Table::open(&db, "counters")?;

    let mut line = 0;
    let summary = read_logs(&args.logs, |found| {
        line += 1;
        let visitor = found.visitor.to_owned();
        counters.increment(&visitor, 1)?;
        visits.put(&Visit { visitor, at: found.at.as_second(), line }, &Postcard(found.hit))?;
        Ok(())
    })?;
    writeln!(out, "{summary}")?;

    // What is asked for most must stand in a key: the counts become one, in a table of their own.
    let ranks: Table<Rank, (), _> = Table::open(&db, "ranks")?;
    for counter in counters.scan(..) {
        let (visitor, visits) = counter?;
        ranks.put(&Rank { visits: visits.try_into()?, visitor }, &())?;
    }
    writeln!(out, "{} visits by {} visitors", HumanCount(line), HumanCount(ranks.count(..)?))?;

    let mut scan = ranks.scan(..).limit(args.show as u64);
    let busiest: Vec<Rank> = scan.by_ref().map(|row| Ok(row?.0)).collect::<Result<_, rowkey::Error>>()?;
    title(out, "Busiest visitors", scan.rows_read(), scan.rows_returned())?;
    for Rank { visits, visitor } in &busiest {
        writeln!(out, "  {:>7}  {visitor}", HumanCount(*visits).to_string())?;
    }

    let Some(visitor) = args.visitor.clone().or_else(|| Some(busiest.into_iter().next()?.visitor)) else {
        return Ok(());
    };
    let theirs = || Visit::prefix().visitor(&visitor);
    answer(out, args.show, &format!("All of {visitor}"), visits.scan(theirs()))?;
    answer(out, args.show, &format!("The latest of {visitor}"), visits.scan(theirs()).limit(1))?;

    let latest = visits.first(theirs())?.map(|(visit, _)| Timestamp::from_second(visit.at)).transpose()?;
    let from = match (args.from, args.to) {
        (None, None) => latest.and_then(|at| at.checked_sub(SignedDuration::from_hours(24)).ok()),
        (from, _) => from,
    };
    let window = (
        from.map_or(Bound::Unbounded, |at| Bound::Included(at.as_second())),
        args.to.map_or(Bound::Unbounded, |at| Bound::Excluded(at.as_second())),
    );
    let from = from.map_or_else(String::new, |at| format!(" from {at}"));
    let to = args.to.map_or_else(|| " on".to_owned(), |at| format!(" until {at}"));
    let what = format!("{visitor}{from}{to}");
    answer(out, args.show, &what, visits.scan(theirs().at_range(window)))
}

/// Runs a scan and prints its first rows under what it took to find them.
fn answer(
    out: &mut impl Write,
    show: usize,
    what: &str,
    mut scan: TableScan<Visit, Postcard<Hit>>,
) -> Result<(), Box<dyn Error>> {
    let mut shown = Vec::new();
    for row in scan.by_ref() {
        let row = row?;
        if shown.len() < show {
            shown.push(row);
        }
    }
    title(out, what, scan.rows_read(), scan.rows_returned())?;
    for (Visit { at, .. }, Postcard(Hit { request, status, size, .. })) in &shown {
        let at = Timestamp::from_second(*at)?;
        let status = status.map_or_else(|| "-".to_owned(), |status| status.to_string());
        let request = request.as_deref().unwrap_or("-").escape_debug();
        writeln!(out, "  {at}  {status:>3}  {:>11}  {request}", HumanCount(*size).to_string())?;
    }
    match scan.rows_returned() - shown.len() as u64 {
        0 => Ok(()),
        more => Ok(writeln!(out, "  and {} more", HumanCount(more))?),
    }
}

fn title(out: &mut impl Write, what: &str, read: u64, returned: u64) -> io::Result<()> {
    writeln!(out, "\n{what}\n  {} rows read, {} returned", HumanCount(read), HumanCount(returned))
}

fn main() -> ExitCode {
    program::exit(run(&Args::parse(), &mut io::stdout().lock()))
}
