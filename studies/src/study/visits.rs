//! Who came, and when: a web log as rows under visitor + newest first.
//!
//!     cargo run --release -p rowkey-studies -- visits access.log access.log.1.gz
//!
//! The visitor is the first field, so all visits of one visitor are one range of rows. The time is descending, so the
//! latest visit is the range's first row, and a window of time is a range within it; the line keeps two visits of one
//! second apart. Who came most is no question to that key: the counts stand in a key of their own, the largest first.
//! Each query reads the rows that it returns and no others.

use std::error::Error;
use std::ffi::OsString;
use std::io::Write;
use std::ops::Bound;
use std::process::ExitCode;

use clap::Parser;
use indicatif::HumanCount;
use jiff::{SignedDuration, Timestamp};
use rowkey::{Layout, Postcard, RowKey, Select, Selection, Table};
use rowkey_studies::engine::{Db, Engine};
use rowkey_studies::output::list;
use rowkey_studies::output::report::{self, Query};
use rowkey_studies::weblog::{Hit, Logs, read_logs};

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

/// The keys of its tables.
pub(crate) const LAYOUTS: &[(&str, Layout)] =
    &[("visits", Visit::LAYOUT), ("counters", <String as RowKey>::LAYOUT), ("ranks", Rank::LAYOUT)];

/// Stores web logs in a sorted table and asks it who came, and when.
#[derive(Parser)]
struct Args {
    #[command(flatten)]
    logs: Logs,
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

type Visits = Table<Visit, Postcard<Hit>, Db>;

fn run(args: &Args, on: &Engine, out: &mut impl Write) -> Result<(), Box<dyn Error>> {
    let db = on.open()?;
    let visits: Visits = Table::open(db.clone(), "visits")?;
    let counters: Table<String, i64, _> = Table::open(db.clone(), "counters")?;

    let mut line = 0;
    let summary = read_logs(args.logs.each(), |found| {
        line += 1;
        let visitor = found.visitor.to_owned();
        counters.increment(&visitor, 1)?;
        visits.put(&Visit { visitor, at: found.at.as_second(), line }, &Postcard(found.hit))?;
        Ok(())
    })?;
    writeln!(out, "{summary}")?;

    // What is asked for most must stand in a key: the counts become one, in a table of their own.
    let ranks: Table<Rank, (), _> = Table::open(db.clone(), "ranks")?;
    for counter in counters.scan(..) {
        let (visitor, visits) = counter?;
        ranks.put(&Rank { visits: visits.try_into()?, visitor }, &())?;
    }
    writeln!(out, "{} visits by {} visitors", HumanCount(line), HumanCount(ranks.count(..)?))?;

    let Some((first, ())) = ranks.first(..)? else { return Ok(()) };
    report::key(out, "The key of the busiest visitor", &first)?;
    let visitor = args.visitor.as_deref().unwrap_or(&first.visitor);
    let theirs = || Visit::prefix().visitor(visitor);
    drawn(out, &visits, theirs())?;

    let query = Query::of(&db);
    let busiest: Vec<Rank> = ranks.scan(..).limit(args.show as u64).keys().collect::<Result<_, _>>()?;
    query.returned(out, "Busiest visitors", busiest.len(), busiest.len())?;
    for Rank { visits, visitor } in &busiest {
        writeln!(out, "  {:>7}  {visitor}", HumanCount(*visits).to_string())?;
    }

    let show = |out: &mut _, what: &str, select, limit| answer(out, &visits, args.show, what, select, limit);
    show(out, &format!("All of {visitor}"), theirs().select(), u64::MAX)?;
    show(out, &format!("The latest of {visitor}"), theirs().select(), 1)?;

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
    show(out, &what, theirs().at_range(window), u64::MAX)
}

/// The key and the first rows of some visits, as they stand in the table.
fn drawn(out: &mut impl Write, visits: &Visits, some: impl Select<Visit>) -> Result<(), Box<dyn Error>> {
    let rows = visits.scan(some).limit(3).collect::<Result<Vec<_>, _>>()?;
    let Some((latest, _)) = rows.first() else { return Ok(()) };
    report::key(out, "The key of a visit", latest)?;
    let drawn = rows.iter().map(|(Visit { visitor, at, line }, Postcard(hit))| {
        let status = hit.status.map_or_else(|| "-".to_owned(), |status| status.to_string());
        let request: String = hit.request.as_deref().unwrap_or("-").escape_debug().take(60).collect();
        Ok([format!("{visitor}  {}  {line}", Timestamp::from_second(*at)?), status, hit.size.to_string(), request])
    });
    let drawn = drawn.collect::<Result<Vec<_>, jiff::Error>>()?;
    report::table(out, "Table visits", ["visitor  at  line", "status", "size", "request"], drawn)
}

/// Runs a query and prints its first rows under what it took to find them.
fn answer(
    out: &mut impl Write,
    visits: &Visits,
    show: usize,
    what: &str,
    select: Selection<Visit>,
    limit: u64,
) -> Result<(), Box<dyn Error>> {
    let query = Query::of(visits.database());
    let rows = visits.scan(select).limit(limit).collect::<Result<Vec<_>, _>>()?;
    query.returned(out, what, rows.len(), rows.len())?;
    let line = |(Visit { at, .. }, Postcard(Hit { request, status, size, .. })): &(Visit, Postcard<Hit>)| {
        let at = Timestamp::from_second(*at)?;
        let status = status.map_or_else(|| "-".to_owned(), |status| status.to_string());
        let request = request.as_deref().unwrap_or("-").escape_debug();
        Ok(format!("{at}  {status:>3}  {:>11}  {request}", HumanCount(*size).to_string()))
    };
    Ok(list(out, show, rows.iter().map(line).collect::<Result<Vec<_>, jiff::Error>>()?)?)
}

/// Runs the study with these arguments, the first of which is its name.
pub(crate) fn main(args: Vec<OsString>) -> ExitCode {
    crate::study(args, run)
}
