//! The access log of the classics: rows under time + counter, and what they add up to by five minutes, hour, day, week
//! and month.
//!
//!     cargo run --release -p rowkey-studies -- access_log server1.log server2.log
//!     cargo run --release -p rowkey-studies -- access_log --zone Asia/Kolkata --stop-after 3 access.log
//!
//! A row's key is the time, then a counter that keeps equal times apart and in their order. Of several servers each
//! counts for itself, its lines: nobody waits for a shared counter, and a server that died and writes its last lines
//! again writes the same rows. A salt in front spreads the newest rows, all of one time, over eight buckets; a scan
//! merges them.
//!
//! Sums of rows are kept by period, in a table of its own: rollup/mod.rs says how that is killed anywhere and
//! goes on, and how it takes rows that come late. Tables in memory do not outlive a process, so `--stop-after` has the
//! roll-up die within it, again and again, with more rows written in between.

mod rollup;

use std::collections::BTreeMap;
use std::error::Error;
use std::ffi::OsString;
use std::io::Write;
use std::num::NonZero;
use std::ops::Range;
use std::process::ExitCode;

use clap::Parser;
use indicatif::HumanCount;
use jiff::Timestamp;
use jiff::tz::TimeZone;
use rollup::{Kind, Period, RollUp, Sums};
use rowkey::wide::{Columns, FamilySchema, Mutation, Row, TableSchema};
use rowkey::{Layout, Postcard, RowKey, Seconds, Select, WideTable};
use rowkey_studies::engine::{Db, Engine, Wide};
use rowkey_studies::output::{list, report};
use rowkey_studies::weblog::{Hit, Line, Logs, read_logs};

/// A request.
#[derive(RowKey, Debug, Clone, PartialEq)]
#[rowkey(salt(buckets = 8))]
struct Access {
    at: Seconds,
    /// Which of the logs.
    server: u16,
    /// The counter: the server's requests, from 0.
    count: u32,
}

/// The keys of its tables.
pub(crate) const LAYOUTS: &[(&str, Layout)] =
    &[("access_log", Access::LAYOUT), ("periods", rollup::Period::LAYOUT), ("marks", rollup::Mark::LAYOUT)];

/// Stores web logs under time + counter and keeps their sums by period.
#[derive(Parser)]
struct Args {
    #[command(flatten)]
    logs: Logs,
    /// The time zone of days, weeks and months
    #[arg(long, default_value = "UTC")]
    zone: String,
    /// After how many rows the roll-up runs, each time
    #[arg(long, default_value = "500")]
    every: NonZero<usize>,
    /// The roll-up dies after so many batches, each time, and is started again when more rows were written
    #[arg(long)]
    stop_after: Option<NonZero<u64>>,
    /// How many rows of an answer are printed
    #[arg(long, default_value_t = 5)]
    show: usize,
}

type Rows = WideTable<Access, Wide>;

struct Log {
    db: Db,
    rows: Rows,
    rollup: RollUp<Db>,
    count: u64,
    /// Rows of five minutes that were summed when they came.
    late: u64,
    /// Before which period the roll-up died, each time.
    stops: Vec<Period>,
}

impl Log {
    fn open(db: Db, zone: &str) -> Result<Self, Box<dyn Error>> {
        let schema = TableSchema::new().family("http", FamilySchema::new()).family("user", FamilySchema::new());
        Ok(Self {
            rows: WideTable::open(db.wide(), "access_log", &schema)?,
            rollup: RollUp::open(db.clone(), TimeZone::get(zone)?)?,
            db,
            count: 0,
            late: 0,
            stops: Vec::new(),
        })
    }

    /// Writes rows, then marks their periods (a writer that dies in between writes both again), then rolls up.
    fn write(&mut self, rows: Vec<(Access, Mutation)>, batches: Option<NonZero<u64>>) -> Result<(), Box<dyn Error>> {
        let times: Vec<Seconds> = rows.iter().map(|(Access { at, .. }, _)| *at).collect();
        self.count += rows.len() as u64;
        self.rows.mutate_many(rows)?;
        self.late += self.rollup.mark(&times)?;
        self.roll_up(batches)
    }

    fn roll_up(&mut self, batches: Option<NonZero<u64>>) -> Result<(), Box<dyn Error>> {
        let stopped = self.rollup.run(batches, |range| sum(&self.rows, range))?;
        self.stops.extend(stopped);
        Ok(())
    }
}

/// The sums of rows.
fn sum(rows: &Rows, range: Range<Seconds>) -> Result<Sums, Box<dyn Error>> {
    let mut sums = Sums::default();
    for row in rows.scan(Access::prefix().at_range(range), Columns::of("http:status").column("http:bytes")) {
        let (_, row) = row?;
        let error = row.read::<i64>("http:status")?.is_some_and(|status| status >= 400);
        let bytes = row.read::<i64>("http:bytes")?.unwrap_or(0);
        sums.add(Sums { hits: 1, errors: error.into(), bytes: bytes.try_into()? });
    }
    Ok(sums)
}

fn run(args: &Args, on: &Engine, out: &mut impl Write) -> Result<(), Box<dyn Error>> {
    let mut log = Log::open(on.open()?, &args.zone)?;
    for (server, log_file) in args.logs.each().into_iter().enumerate() {
        let server = u16::try_from(server)?;
        let (mut count, mut rows) = (0, Vec::new());
        let summary = read_logs([log_file], |line| {
            let at = Seconds::floor(line.at)?;
            // The calendar has to have all of its periods.
            [Kind::Week, Kind::Month].into_iter().try_for_each(|kind| log.rollup.period(kind, at).map(drop))?;
            rows.push((Access { at, server, count }, columns(line)?));
            count = count.checked_add(1).ok_or("the log has too many lines")?;
            if rows.len() == args.every.get() {
                log.write(std::mem::take(&mut rows), args.stop_after)?;
            }
            Ok(())
        })?;
        writeln!(out, "{log_file}: {summary}")?;
        log.write(rows, args.stop_after)?;
    }
    while !log.rollup.is_done()? {
        log.roll_up(args.stop_after)?;
    }
    let first = log.rows.scan(.., Columns::all()).limit(3).collect::<Result<Vec<_>, _>>()?;
    let Some((row, _)) = first.first() else { return Ok(()) };

    report::key(out, "The key of a row", row)?;
    report::key(out, "The key of what a day adds up to", &log.rollup.period(Kind::Day, row.at)?.0)?;
    let drawn = first.iter().map(|(key, row)| {
        let column = |name: &str| row.read::<String>(name).map(|text| drawn(&text.unwrap_or_default()));
        let number =
            |name: &str| row.read::<i64>(name).map(|number| number.map_or_else(String::new, |n| n.to_string()));
        let columns = [column("http:ip")?, column("http:request")?, number("http:status")?, number("http:bytes")?];
        let [ip, request, status, bytes] = columns;
        Ok([log.name(key)?, ip, request, status, bytes, column("user:login")?, column("user:agent")?])
    });
    let titles = ["row key", "http:ip", "http:request", "http:status", "http:bytes", "user:login", "user:agent"];
    report::table(out, "access_log", titles, drawn.collect::<Result<Vec<_>, Box<dyn Error>>>()?)?;
    let drawn = [Kind::FiveMinutes, Kind::Hour, Kind::Day, Kind::Week, Kind::Month].into_iter().map(|kind| {
        let period = log.rollup.period(kind, row.at)?.0;
        let Postcard(Sums { hits, errors, bytes }) = log.rollup.periods.get(&period)?.unwrap_or_default();
        Ok([format!("{kind:?} {}", log.time(period.start)?), hits.to_string(), errors.to_string(), bytes.to_string()])
    });
    let drawn = drawn.collect::<Result<Vec<_>, Box<dyn Error>>>()?;
    report::table(out, "periods", ["row key", "hits", "errors", "bytes"], drawn)?;

    let counts = [log.count, log.late, log.rollup.summed, log.rollup.again];
    let [rows, late, summed, again] = counts.map(HumanCount);
    writeln!(out, "\n{rows} rows, {late} of them late, for periods that were summed already")?;
    writeln!(out, "{summed} times a period was summed, {again} times again")?;
    for Period { kind, start } in &log.stops {
        writeln!(out, "stopped before {kind:?} {}", log.time(*start)?)?;
    }
    log.ask(args.show, out)
}

/// A request's columns; what it has not is no column.
fn columns(Line { visitor, hit, .. }: Line<'_>) -> Result<Mutation, Box<dyn Error>> {
    let Hit { user, request, status, size, referrer, agent } = hit;
    let mut columns =
        Mutation::new().put("http:ip", visitor).put_value("http:bytes", &i64::try_from(size).unwrap_or(i64::MAX))?;
    if let Some(status) = status {
        columns = columns.put_value("http:status", &i64::from(status))?;
    }
    let texts = [("http:request", request), ("http:referrer", referrer), ("user:login", user), ("user:agent", agent)];
    for (column, text) in texts.into_iter().filter_map(|(column, text)| Some((column, text?))) {
        columns = columns.put(column, text);
    }
    Ok(columns)
}

impl Log {
    fn ask(&self, show: usize, out: &mut impl Write) -> Result<(), Box<dyn Error>> {
        let query = report::Query::of(&self.db);
        let mut busiest: Option<(Period, Sums)> = None;
        for row in self.rollup.periods.scan(Period::prefix().kind(Kind::FiveMinutes)) {
            let (period, Postcard(sums)) = row?;
            if busiest.is_none_or(|(_, most)| most.hits < sums.hits) {
                busiest = Some((period, sums));
            }
        }
        query.returned(out, "The busiest five minutes", busiest.iter().len(), busiest.iter().len())?;
        let Some((Period { start, .. }, sums)) = busiest else { return Ok(()) };
        self.print(out, start, sums)?;

        let window = self.rollup.period(Kind::FiveMinutes, start)?.1;
        let from = self.time(start)?;
        let rows = self.rows(out, show, &format!("The rows of the five minutes from {from}"), |rows| {
            rows.scan(Access::prefix().at_range(window), Columns::all()).collect()
        })?;
        // The second with most rows, of equals the first.
        let mut seconds = BTreeMap::<Seconds, u64>::new();
        rows.iter().for_each(|(Access { at, .. }, _)| *seconds.entry(*at).or_default() += 1);
        if let Some((&second, _)) = seconds.iter().rev().max_by_key(|(_, count)| **count) {
            self.rows(out, show, &format!("The rows of one second, {}", self.time(second)?), |rows| {
                rows.scan(Access::prefix().at(second), Columns::all()).collect()
            })?;
        }
        self.rows(out, show, "The latest ten rows, the last first", |rows| {
            // Of each bucket one or two: small batches read few that are not returned.
            rows.scan(.., Columns::all()).reverse().limit(10).batch_rows(2).collect()
        })?;

        for (title, parts, whole) in [
            ("The five minutes of the hour", Kind::FiveMinutes, Kind::Hour),
            ("The hours of the day", Kind::Hour, Kind::Day),
            ("The days of the month", Kind::Day, Kind::Month),
        ] {
            let (Period { start, .. }, range) = self.rollup.period(whole, start)?;
            let title = format!("{title} from {}", self.time(start)?);
            self.sums(out, &title, Period::prefix().kind(parts).start_range(range))?;
        }
        self.sums(out, "The weeks", Period::prefix().kind(Kind::Week))?;
        self.sums(out, "The months", Period::prefix().kind(Kind::Month))?;

        // The same without a roll-up.
        let (day, range) = self.rollup.period(Kind::Day, start)?;
        let query = report::Query::of(&self.db);
        let sums = sum(&self.rows, range)?;
        query.returned(out, format!("The day from {}, by its rows", self.time(day.start)?), 1, 1)?;
        self.print(out, day.start, sums)
    }

    /// Asks for rows, prints the first of them, and returns all.
    fn rows(
        &self,
        out: &mut impl Write,
        show: usize,
        title: &str,
        ask: impl FnOnce(&Rows) -> Result<Vec<(Access, Row)>, rowkey::Error>,
    ) -> Result<Vec<(Access, Row)>, Box<dyn Error>> {
        let query = report::Query::of(&self.db);
        let found = ask(&self.rows)?;
        query.returned(out, title, found.len(), found.iter().map(|(_, row)| row.cells().count()).sum())?;
        let line = |(key, row): &(Access, Row)| {
            let (ip, request) = (row.read::<String>("http:ip")?, row.read::<String>("http:request")?);
            let bytes = HumanCount(row.read::<i64>("http:bytes")?.unwrap_or(0).try_into()?);
            let request = request.as_deref().unwrap_or("-").escape_debug();
            Ok(format!("{}  {}  {bytes} bytes  {request}", self.name(key)?, ip.unwrap_or_default()))
        };
        list(out, show, found.iter().map(line).collect::<Result<Vec<_>, Box<dyn Error>>>()?)?;
        Ok(found)
    }

    /// Asks for what periods add up to.
    fn sums(&self, out: &mut impl Write, title: &str, periods: impl Select<Period>) -> Result<(), Box<dyn Error>> {
        let query = report::Query::of(&self.db);
        let found = self.rollup.periods.scan(periods).collect::<Result<Vec<_>, _>>()?;
        query.returned(out, title, found.len(), found.len())?;
        found.into_iter().try_for_each(|(Period { start, .. }, Postcard(sums))| self.print(out, start, sums))
    }

    fn print(
        &self,
        out: &mut impl Write,
        start: Seconds,
        Sums { hits, errors, bytes }: Sums,
    ) -> Result<(), Box<dyn Error>> {
        let [hits, errors, bytes] = [hits, errors, bytes].map(HumanCount);
        Ok(writeln!(out, "  {}  {hits} hits  {errors} errors  {bytes} bytes", self.time(start)?)?)
    }

    fn name(&self, Access { at, server, count }: &Access) -> Result<String, Box<dyn Error>> {
        Ok(format!("{} {server}.{count}", self.time(*at)?))
    }

    /// An instant as clocks in the zone show it.
    fn time(&self, at: Seconds) -> Result<String, Box<dyn Error>> {
        Ok(Timestamp::try_from(at)?.to_zoned(self.rollup.zone.clone()).strftime("%Y-%m-%dT%H:%M:%S%:z").to_string())
    }
}

/// As much of a text as a drawn table has room for.
fn drawn(text: &str) -> String {
    text.escape_debug().take(30).collect()
}

/// Runs the study with these arguments, the first of which is its name.
pub(crate) fn main(args: Vec<OsString>) -> ExitCode {
    crate::study(args, run)
}
