//! The access log of the classics: rows under time + counter, and what they add up to by five minutes, hour, day, week, month.
//!
//!     cargo run --release --example access_log -- server1.log server2.log
//!     cargo run --release --example access_log -- --zone Asia/Kolkata --stop-after 3 access.log
//!
//! A row's key is the time, then a counter that keeps equal times apart and in their order. Of several servers each counts
//! for itself, its lines: nobody waits for a shared counter, and a server that died and writes its last lines again writes
//! the same rows. A salt in front spreads the newest rows, all of one time, over eight buckets; a scan merges them.
//!
//! Sums stand under kind of period + its start. Who has written rows leaves a mark at their five minutes, under an id of its
//! own. The roll-up takes a period with marks, sums it again whole, and in one batch writes the sums, takes away the marks that
//! it had read before, and marks the hour; hours mark days, days weeks and months. So it may be killed anywhere and started
//! again; rows that come late are a mark as any other; and a mark that came while it was reading stays. (Where a batch is
//! not one step, these three writes in this order do as well.) Tables in memory do not outlive a process, so `--stop-after`
//! has the roll-up die within it.

mod program;
mod report;
mod weblog;

use std::collections::BTreeMap;
use std::error::Error;
use std::io::{self, Write};
use std::num::NonZero;
use std::ops::Range;
use std::path::PathBuf;
use std::process::ExitCode;
use std::slice;

use clap::Parser;
use indicatif::HumanCount;
use jiff::Timestamp;
use jiff::tz::TimeZone;
use rowkey::ids::{Flake, FlakeIds};
use rowkey::store::Metered;
use rowkey::wide::{CellsDatabase, Columns, FamilySchema, Mutation, Row, TableSchema};
use rowkey::{Bucket, Memory, Postcard, RowKey, Seconds, Select, Table, WideTable, WriteBatch, civil};
use serde::{Deserialize, Serialize};
use weblog::combined::{Hit, Line};
use weblog::input::read_logs;

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

#[derive(RowKey, Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    FiveMinutes = 1,
    Hour = 2,
    Day = 3,
    /// From Monday.
    Week = 4,
    Month = 5,
}

#[derive(RowKey, Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Period {
    kind: Kind,
    start: Seconds,
}

/// That a period has to be summed again; the finest first.
#[derive(RowKey, Debug, PartialEq)]
struct Mark {
    period: Period,
    by: Flake,
}

/// What can be added up. How many visitors there were can't.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
struct Sums {
    hits: u64,
    /// Answers of status 400 and above.
    errors: u64,
    bytes: u64,
}

impl Sums {
    fn add(&mut self, other: Self) {
        let Self { hits, errors, bytes } = other;
        self.hits += hits;
        self.errors += errors;
        self.bytes = self.bytes.saturating_add(bytes);
    }
}

/// Stores web logs under time + counter and keeps their sums by period.
#[derive(Parser)]
struct Args {
    /// Logs of Apache or nginx in the "combined" format, plain or gzip, one a server; - is standard input
    #[arg(required = true)]
    logs: Vec<PathBuf>,
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

type Rows = WideTable<Access, CellsDatabase<Metered<Memory>>>;

struct Log {
    db: Metered<Memory>,
    rows: Rows,
    periods: Table<Period, Postcard<Sums>, Metered<Memory>>,
    marks: Table<Mark, (), Metered<Memory>>,
    ids: FlakeIds,
    zone: TimeZone,
    /// What the roll-up was seen to do.
    seen: Seen,
}

#[derive(Default)]
struct Seen {
    rows: u64,
    /// Rows of five minutes that were summed when they came.
    late: u64,
    summed: u64,
    /// Periods that were summed before.
    again: u64,
    /// Before which period it died, each time.
    stops: Vec<Period>,
}

impl Log {
    fn open(zone: &str) -> Result<Self, Box<dyn Error>> {
        let db = Metered::new(Memory::new());
        let schema = TableSchema::new().family("http", FamilySchema::new()).family("user", FamilySchema::new());
        Ok(Self {
            rows: WideTable::open(CellsDatabase::metered(&db), "access_log", &schema)?,
            periods: Table::open(db.clone(), "periods")?,
            marks: Table::open(db.clone(), "marks")?,
            ids: FlakeIds::new(0)?,
            zone: TimeZone::get(zone)?,
            seen: Seen::default(),
            db,
        })
    }

    /// Writes rows, then marks their periods: a writer that dies in between writes both again.
    fn write(&mut self, rows: Vec<(Access, Mutation)>) -> Result<(), Box<dyn Error>> {
        let mut periods = BTreeMap::<Period, u64>::new();
        for (Access { at, .. }, _) in &rows {
            *periods.entry(self.period(Kind::FiveMinutes, *at)?.0).or_default() += 1;
        }
        self.seen.rows += rows.len() as u64;
        self.rows.mutate_many(rows)?;
        let mut batch = WriteBatch::new();
        for (&period, count) in &periods {
            batch.put(&self.marks, &Mark { period, by: self.ids.next()? }, &())?;
            self.seen.late += if self.periods.get(&period)?.is_some() { *count } else { 0 };
        }
        Ok(batch.write(&self.db)?)
    }

    /// Sums all periods that are marked; or dies after some batches, and what it was about to write is lost.
    fn roll_up(&mut self, batches: Option<NonZero<u64>>) -> Result<(), Box<dyn Error>> {
        let mut left = batches.map_or(u64::MAX, NonZero::get);
        while let Some((Mark { period, .. }, ())) = self.marks.first(..)? {
            let marks = self.marks.keys(Mark::prefix().period(period)).collect::<Result<Vec<_>, _>>()?;
            let range = self.period(period.kind, period.start)?.1;
            let sums = self.sum(period.kind, range.clone())?;
            let mut batch = WriteBatch::new();
            match sums.hits {
                // Of an hour that is of two days, one may have no row.
                0 => batch.delete(&self.periods, &period),
                _ => batch.put(&self.periods, &period, &Postcard(sums))?,
            };
            for period in self.coarser(period.kind, range)? {
                batch.put(&self.marks, &Mark { period, by: self.ids.next()? }, &())?;
            }
            for mark in &marks {
                batch.delete(&self.marks, mark);
            }
            if left == 0 {
                self.seen.stops.push(period);
                return Ok(());
            }
            left -= 1;
            self.seen.summed += 1;
            self.seen.again += u64::from(self.periods.get(&period)?.is_some());
            batch.write(&self.db)?;
        }
        Ok(())
    }

    /// The period of this kind that has the instant, and from when to when it is.
    fn period(&self, kind: Kind, at: Seconds) -> Result<(Period, Range<Seconds>), Box<dyn Error>> {
        let of = |start: Seconds, seconds| start..Seconds(start.0 + seconds);
        let date = || civil::date_of(at, &self.zone);
        let range = match kind {
            Kind::FiveMinutes => of(Bucket::<_, 300>::floor(at)?.start(), 300),
            Kind::Hour => of(Bucket::<_, 3600>::floor(at)?.start(), 3600),
            Kind::Day => civil::day(date()?, &self.zone)?,
            Kind::Week => civil::week(date()?, &self.zone)?,
            Kind::Month => civil::month(date()?, &self.zone)?,
        };
        Ok((Period { kind, start: range.start }, range))
    }

    /// What a period adds up to: of rows, or of the periods that it is made of.
    fn sum(&self, kind: Kind, range: Range<Seconds>) -> Result<Sums, Box<dyn Error>> {
        let on = |seconds| range.start.0 % seconds == 0 && range.end.0 % seconds == 0;
        let parts = match kind {
            Kind::FiveMinutes => None,
            Kind::Hour => Some(Kind::FiveMinutes),
            Kind::Day if on(3600) => Some(Kind::Hour),
            // Where clocks are not whole hours from UTC; long ago, not even whole minutes.
            Kind::Day if on(300) => Some(Kind::FiveMinutes),
            Kind::Day => None,
            Kind::Week | Kind::Month => Some(Kind::Day),
        };
        let Some(kind) = parts else { return self.sum_rows(range) };
        let mut sums = Sums::default();
        for part in self.periods.scan(Period::prefix().kind(kind).start_range(range)) {
            sums.add(part?.1.0);
        }
        Ok(sums)
    }

    fn sum_rows(&self, range: Range<Seconds>) -> Result<Sums, Box<dyn Error>> {
        let mut sums = Sums::default();
        let columns = Columns::of("http:status").column("http:bytes");
        for row in self.rows.scan(Access::prefix().at_range(range), columns) {
            let (_, row) = row?;
            let error = row.read::<i64>("http:status")?.is_some_and(|status| status >= 400);
            let bytes = row.read::<i64>("http:bytes")?.unwrap_or(0);
            sums.add(Sums { hits: 1, errors: error.into(), bytes: bytes.try_into()? });
        }
        Ok(sums)
    }

    /// The periods that a period is part of. An hour may be of two days.
    fn coarser(&self, kind: Kind, range: Range<Seconds>) -> Result<Vec<Period>, Box<dyn Error>> {
        let last = Seconds(range.end.0 - 1);
        let of = match kind {
            Kind::FiveMinutes => vec![(Kind::Hour, range.start)],
            Kind::Hour => vec![(Kind::Day, range.start), (Kind::Day, last)],
            Kind::Day => vec![(Kind::Week, range.start), (Kind::Month, range.start)],
            Kind::Week | Kind::Month => vec![],
        };
        let mut periods = of.into_iter().map(|(kind, at)| Ok(self.period(kind, at)?.0)).collect::<Result<Vec<_>, _>>();
        if let Ok(periods) = &mut periods {
            periods.dedup();
        }
        periods
    }
}

fn run(args: &Args, out: &mut impl Write) -> Result<(), Box<dyn Error>> {
    let mut log = Log::open(&args.zone)?;
    for (server, path) in args.logs.iter().enumerate() {
        let server = u16::try_from(server)?;
        let (mut count, mut rows) = (0, Vec::new());
        let summary = read_logs(slice::from_ref(path), |line| {
            rows.push((Access { at: Seconds::floor(line.at)?, server, count }, columns(line)?));
            count = count.checked_add(1).ok_or("the log has too many lines")?;
            if rows.len() == args.every.get() {
                log.write(std::mem::take(&mut rows))?;
                log.roll_up(args.stop_after)?;
            }
            Ok(())
        })?;
        writeln!(out, "{}: {summary}", path.display())?;
        log.write(rows)?;
        log.roll_up(args.stop_after)?;
    }
    while log.marks.first(..)?.is_some() {
        log.roll_up(args.stop_after)?;
    }
    let first = log.rows.scan(.., Columns::all()).limit(3).collect::<Result<Vec<_>, _>>()?;
    let Some((row, _)) = first.first() else { return Ok(()) };

    report::key(out, "The key of a row", row)?;
    report::key(out, "The key of what a day adds up to", &log.period(Kind::Day, row.at)?.0)?;
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
        let period = log.period(kind, row.at)?.0;
        let Postcard(Sums { hits, errors, bytes }) = log.periods.get(&period)?.unwrap_or(Postcard(Sums::default()));
        Ok([format!("{kind:?} {}", log.time(period.start)?), hits.to_string(), errors.to_string(), bytes.to_string()])
    });
    let drawn = drawn.collect::<Result<Vec<_>, Box<dyn Error>>>()?;
    report::table(out, "periods", ["row key", "hits", "errors", "bytes"], drawn)?;

    let Seen { rows, late, summed, again, stops } = &log.seen;
    let [rows, late, summed, again] = [rows, late, summed, again].map(|count| HumanCount(*count));
    writeln!(out, "\n{rows} rows, {late} of them late, for periods that were summed already")?;
    writeln!(out, "{summed} times a period was summed, {again} times again")?;
    for Period { kind, start } in stops {
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
        for row in self.periods.scan(Period::prefix().kind(Kind::FiveMinutes)) {
            let (period, Postcard(sums)) = row?;
            if busiest.is_none_or(|(_, most)| most.hits < sums.hits) {
                busiest = Some((period, sums));
            }
        }
        query.returned(out, "The busiest five minutes", busiest.iter().len(), busiest.iter().len())?;
        let Some((Period { start, .. }, sums)) = busiest else { return Ok(()) };
        self.print(out, start, sums)?;

        let window = self.period(Kind::FiveMinutes, start)?.1;
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
            let (Period { start, .. }, range) = self.period(whole, start)?;
            let title = format!("{title} from {}", self.time(start)?);
            self.sums(out, &title, Period::prefix().kind(parts).start_range(range))?;
        }
        self.sums(out, "The weeks", Period::prefix().kind(Kind::Week))?;
        self.sums(out, "The months", Period::prefix().kind(Kind::Month))?;

        // The same without a roll-up.
        let (day, range) = self.period(Kind::Day, start)?;
        let query = report::Query::of(&self.db);
        let sums = self.sum_rows(range)?;
        query.returned(out, format!("The day from {}, by its rows", self.time(day.start)?), 1, 1)?;
        self.print(out, day.start, sums)
    }

    /// Asks for rows, prints the first of them, and answers all.
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
        for (key, row) in found.iter().take(show) {
            let (ip, request) = (row.read::<String>("http:ip")?, row.read::<String>("http:request")?);
            let bytes = HumanCount(row.read::<i64>("http:bytes")?.unwrap_or(0).try_into()?);
            let request = request.as_deref().unwrap_or("-").escape_debug();
            writeln!(out, "  {}  {}  {bytes} bytes  {request}", self.name(key)?, ip.unwrap_or_default())?;
        }
        if let more @ 1.. = found.len().saturating_sub(show) {
            writeln!(out, "  and {} more", HumanCount(more as u64))?;
        }
        Ok(found)
    }

    /// Asks for what periods add up to.
    fn sums(&self, out: &mut impl Write, title: &str, periods: impl Select<Period>) -> Result<(), Box<dyn Error>> {
        let query = report::Query::of(&self.db);
        let found = self.periods.scan(periods).collect::<Result<Vec<_>, _>>()?;
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
        Ok(Timestamp::try_from(at)?.to_zoned(self.zone.clone()).strftime("%Y-%m-%dT%H:%M:%S%:z").to_string())
    }
}

/// As much of a text as a drawn table has room for.
fn drawn(text: &str) -> String {
    text.escape_debug().take(30).collect()
}

fn main() -> ExitCode {
    let mut out = io::BufWriter::new(io::stdout().lock());
    program::exit(run(&Args::parse(), &mut out).and_then(|()| Ok(out.flush()?)))
}
