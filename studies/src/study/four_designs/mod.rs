//! One table's key in four designs: the same web log under each, what its questions cost to read, and how its writes
//! spread.
//!
//!     cargo run --release -p rowkey-studies -- four_designs access.log
//!
//! Where the time leads, a window of time is one run of rows, and every write goes to the end of the table, to one
//! region. A salt gives the table eight ends: a window is eight runs, merged. The visitor promoted in front of the time
//! keeps one visitor's visits together and everybody's apart. A digest in front spreads best, and leaves no run of
//! anything: a row whose key is known is found, all else is a scan of the whole table.
//!
//! Regions are split by what can be known before the writes: of the salt and of the digest it is the design, of the
//! other two it is the keys of the log's first quarter. The writes that are counted are those of the rest.

mod figure;

use std::collections::BTreeMap;
use std::error::Error;
use std::ffi::OsString;
use std::io::Write;
use std::ops::Range;
use std::process::ExitCode;

use clap::Parser;
use figure::{Measured, REGIONS};
use jiff::Timestamp;
use rowkey::splits::{Splits, SplitsError};
use rowkey::{Bucket, Layout, OwnedKey, Postcard, RowKey, Seconds, Select, Selection, Table, WriteBatch};
use rowkey_studies::engine::{Db, Engine};
use rowkey_studies::output::{list, progress, report};
use rowkey_studies::weblog::{Hit, Logs, read_logs};

/// A visit, whatever the design; in order of time.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Visit {
    at: Seconds,
    visitor: String,
    /// The visit's place in the input: it keeps those of one visitor and one second apart.
    line: u64,
}

#[derive(RowKey)]
struct Sequential {
    at: Seconds,
    visitor: String,
    line: u64,
}

#[derive(RowKey)]
#[rowkey(salt(buckets = 8))]
struct Salted {
    at: Seconds,
    visitor: String,
    line: u64,
}

#[derive(RowKey)]
struct Promoted {
    visitor: String,
    at: Seconds,
    line: u64,
}

#[derive(RowKey)]
#[rowkey(hashed(bytes = 16))]
struct Randomised {
    at: Seconds,
    visitor: String,
    line: u64,
}

/// A design: the rows of a visit, the regions, the queries.
trait Design: OwnedKey + From<Visit> + Into<Visit> {
    const NAME: &'static str;
    /// Whether rows that were written last are the last of the table.
    const BY_TIME: bool;

    fn splits(past: &[(Visit, Postcard<Hit>)]) -> Result<Splits, SplitsError>;
    /// The least that has all visits of a window of time.
    fn window(at: Range<Seconds>) -> Selection<Self>;
    /// The least that has all visits of a visitor in a window of time.
    fn theirs(visitor: &str, at: Range<Seconds>) -> Selection<Self>;
}

macro_rules! design {
    ($key:ident, $name:literal, by_time: $by_time:literal, $splits:expr, $window:expr, $theirs:expr) => {
        impl From<Visit> for $key {
            fn from(Visit { at, visitor, line }: Visit) -> Self {
                Self { at, visitor, line }
            }
        }

        impl From<$key> for Visit {
            fn from($key { at, visitor, line }: $key) -> Self {
                Self { at, visitor, line }
            }
        }

        impl Design for $key {
            const NAME: &'static str = $name;
            const BY_TIME: bool = $by_time;

            fn splits(past: &[(Visit, Postcard<Hit>)]) -> Result<Splits, SplitsError> {
                ($splits)(past)
            }

            fn window(at: Range<Seconds>) -> Selection<Self> {
                ($window)(at)
            }

            fn theirs(visitor: &str, at: Range<Seconds>) -> Selection<Self> {
                ($theirs)(visitor, at)
            }
        }
    };
}
design!(
    Sequential, "sequential", by_time: true, by_past::<Self>,
    |at| Self::prefix().at_range(at),
    |_, at| Self::prefix().at_range(at)
);
design!(
    Salted, "salted", by_time: true, |_| Splits::of_buckets::<Self>(),
    |at| Self::prefix().at_range(at),
    |_, at| Self::prefix().at_range(at)
);
design!(
    Promoted, "promoted", by_time: false, by_past::<Self>,
    |_| (..).select(),
    |visitor, at| Self::prefix().visitor(visitor).at_range(at)
);
design!(
    Randomised, "randomised", by_time: false, |_| Splits::of_key::<Self>(REGIONS as u32),
    |_| (..).select(),
    |_, _| (..).select()
);

/// Regions with as many of the past's rows each.
fn by_past<K: Design>(past: &[(Visit, Postcard<Hit>)]) -> Result<Splits, SplitsError> {
    let sample = past.iter().map(|(visit, _)| (K::from(visit.clone()).encode(), 1));
    Splits::from_sample(REGIONS.min(past.len()) as u32, sample)
}

const DESIGNS: [&str; 4] = [Sequential::NAME, Salted::NAME, Promoted::NAME, Randomised::NAME];
/// Rows that are written in one batch.
const BATCH: usize = 500;

/// The keys of its tables.
pub(crate) const LAYOUTS: &[(&str, Layout)] = &[
    ("sequential", Sequential::LAYOUT),
    ("salted", Salted::LAYOUT),
    ("promoted", Promoted::LAYOUT),
    ("randomised", Randomised::LAYOUT),
];

/// Stores a web log under four designs of its key, and shows what each reads and where each writes.
#[derive(Parser)]
struct Args {
    #[command(flatten)]
    logs: Logs,
    /// Windows of time in which writes are counted by region
    #[arg(long, default_value_t = 12, value_parser = clap::value_parser!(u16).range(1..))]
    windows: u16,
    /// How many rows of an answer are printed
    #[arg(long, default_value_t = 3)]
    show: usize,
}

/// The queries of every design.
struct Questions {
    /// An hour of everybody.
    window: Range<Seconds>,
    visitor: String,
    /// A day of the visitor.
    theirs: Range<Seconds>,
    one: Visit,
}

const NEWEST: usize = 20;

impl Questions {
    /// The busiest hour, the busiest visitor on their latest day, and the visit in the middle. Of equals the first.
    fn of(visits: &[(Visit, Postcard<Hit>)]) -> Result<Option<Self>, Box<dyn Error>> {
        let (mut hours, mut visitors) = (BTreeMap::<_, u64>::new(), BTreeMap::<_, (u64, Seconds)>::new());
        for (Visit { at, visitor, .. }, _) in visits {
            *hours.entry(Bucket::<_, 3600>::floor(*at)?.start()).or_default() += 1;
            let theirs = visitors.entry(visitor).or_insert((0, *at));
            *theirs = (theirs.0 + 1, *at);
        }
        let hour = hours.iter().rev().max_by_key(|(_, count)| **count);
        let busiest = visitors.iter().rev().max_by_key(|(_, (count, _))| *count);
        let (Some((&hour, _)), Some((&visitor, &(_, latest))), Some((one, _))) =
            (hour, busiest, visits.get(visits.len() / 2))
        else {
            return Ok(None);
        };
        let day = Bucket::<_, 86_400>::floor(latest)?.start();
        Ok(Some(Self {
            window: hour..Seconds(hour.0 + 3600),
            visitor: visitor.clone(),
            theirs: day..Seconds(day.0 + 86_400),
            one: one.clone(),
        }))
    }
}

fn run(args: &Args, on: &Engine, out: &mut impl Write) -> Result<(), Box<dyn Error>> {
    let mut visits = Vec::new();
    let summary = read_logs(args.logs.each(), |found| {
        let (at, visitor) = (Seconds::floor(found.at)?, found.visitor.to_owned());
        visits.push((Visit { at, visitor, line: visits.len() as u64 }, Postcard(found.hit)));
        Ok(())
    })?;
    writeln!(out, "{summary}")?;
    // A log has visits as they were answered, and there may be several.
    visits.sort_by(|(a, _), (b, _)| a.cmp(b));
    let Some(questions) = Questions::of(&visits)? else { return Ok(()) };
    let (past, rest) = visits.split_at(visits.len().div_ceil(4));
    let splits = [Sequential::splits(past)?, Salted::splits(past)?, Promoted::splits(past)?, Randomised::splits(past)?];

    picture::<Sequential>(out, &questions.one)?;
    picture::<Salted>(out, &questions.one)?;
    picture::<Promoted>(out, &questions.one)?;
    picture::<Randomised>(out, &questions.one)?;
    let drawn = visits.iter().step_by(visits.len().div_ceil(4)).map(|(visit, Postcard(hit))| {
        let row = format!("{} {} {}", time(visit.at)?, visit.visitor, visit.line);
        let [a, b, c, d] = regions(visit, &splits).map(|region| (region + 1).to_string());
        let request = hit.request.as_deref().unwrap_or("-").escape_debug().take(40).collect();
        Ok([row, request, hit.size.to_string(), a, b, c, d])
    });
    let [a, b, c, d] = DESIGNS;
    let titles = ["row key: time, visitor, line", "hit:request", "hit:size", a, b, c, d];
    let drawn = drawn.collect::<Result<Vec<_>, Box<dyn Error>>>()?;
    report::table(out, "The table, and the region of each row under each design", titles, drawn)?;

    let (db, mut answers) = (on.open()?, Vec::new());
    let measured = [
        measure::<Sequential>(out, args, &db, &visits, &questions, &mut answers)?,
        measure::<Salted>(out, args, &db, &visits, &questions, &mut answers)?,
        measure::<Promoted>(out, args, &db, &visits, &questions, &mut answers)?,
        measure::<Randomised>(out, args, &db, &visits, &questions, &mut answers)?,
    ];
    let writes: Vec<_> = rest.iter().map(|(visit, _)| (visit.at.0, regions(visit, &splits))).collect();
    let at_work = figure::spread(out, DESIGNS, args.windows, &writes)?;
    figure::figure(out, DESIGNS, &measured, at_work)
}

fn picture<K: Design>(out: &mut impl Write, visit: &Visit) -> Result<(), Box<dyn Error>> {
    report::key(out, &format!("The {} key of a visit", K::NAME), &K::from(visit.clone()))
}

/// The region that a visit is in, under each design.
fn regions(visit: &Visit, splits: &[Splits; DESIGNS.len()]) -> [usize; DESIGNS.len()] {
    let [a, b, c, d] = splits;
    [
        a.region_of(&Sequential::from(visit.clone()).encode()),
        b.region_of(&Salted::from(visit.clone()).encode()),
        c.region_of(&Promoted::from(visit.clone()).encode()),
        d.region_of(&Randomised::from(visit.clone()).encode()),
    ]
}

/// Writes all visits under a design and asks it everything. All designs must return what the first one returns.
fn measure<K: Design>(
    out: &mut impl Write,
    args: &Args,
    db: &Db,
    visits: &[(Visit, Postcard<Hit>)],
    Questions { window, visitor, theirs, one }: &Questions,
    answers: &mut Vec<Vec<Visit>>,
) -> Result<Measured, Box<dyn Error>> {
    let table: Table<K, Postcard<Hit>, _> = Table::open(db.clone(), K::NAME)?;
    let opened = db.costs();
    for some in progress(visits.chunks(BATCH)) {
        let mut batch = WriteBatch::new();
        for (visit, hit) in some {
            batch.put(&table, &K::from(visit.clone()), hit)?;
        }
        batch.write(db)?;
    }
    let written = db.costs() - opened;

    let mut reads = Vec::new();
    let mut ask = |title: String, run: &dyn Fn() -> Result<Vec<Visit>, rowkey::Error>| -> Result<(), Box<dyn Error>> {
        let (query, before) = (report::Query::of(db), db.costs());
        let found = run()?;
        let costs = db.costs() - before;
        query.returned(out, format!("{}: {title}", K::NAME), found.len(), found.len())?;
        match answers.get(reads.len()) {
            None => {
                let line = |Visit { at, visitor, line }: &Visit| Ok(format!("{}  {visitor}  line {line}", time(*at)?));
                list(out, args.show, found.iter().map(line).collect::<Result<Vec<_>, jiff::Error>>()?)?;
            }
            Some(answer) if *answer == found => writeln!(out, "  the same visits")?,
            Some(_) => return Err(format!("{}: {title}: other visits than under the first design", K::NAME).into()),
        }
        reads.push((costs, found.len()));
        answers.extend((answers.len() < reads.len()).then_some(found));
        Ok(())
    };
    // Rows beside those asked for are passed over here; where the key has another order, it is made here.
    let scan = |selection: Selection<K>, keep: &dyn Fn(&Visit) -> bool| {
        let visits = table.keys(selection).map(|key| key.map(Into::into));
        let mut found: Vec<Visit> =
            visits.filter(|visit| visit.as_ref().map_or(true, keep)).collect::<Result<_, _>>()?;
        found.sort();
        Ok(found)
    };

    ask(format!("the hour from {}", time(window.start)?), &|| {
        scan(K::window(window.clone()), &|visit| window.contains(&visit.at))
    })?;
    ask(format!("{visitor} on the day from {}", time(theirs.start)?), &|| {
        scan(K::theirs(visitor, theirs.clone()), &|visit| visit.visitor == *visitor && theirs.contains(&visit.at))
    })?;
    ask(format!("the visit of line {}", one.line), &|| {
        Ok(table.get(&K::from(one.clone()))?.map(|_| one.clone()).into_iter().collect())
    })?;
    ask(format!("the newest {NEWEST}"), &|| match K::BY_TIME {
        // Twenty rows of eight buckets are two or three of each: small batches read few that are not returned.
        true => {
            let newest = table.scan(..).reverse().limit(NEWEST as u64).batch_rows(3).keys();
            newest.map(|key| key.map(Into::into)).collect()
        }
        false => scan((..).select(), &|_| true).map(|all: Vec<Visit>| all.into_iter().rev().take(NEWEST).collect()),
    })?;
    Ok(Measured { written, reads })
}

fn time(at: Seconds) -> Result<String, jiff::Error> {
    Ok(Timestamp::from_second(at.0)?.to_string())
}

/// Runs the study with these arguments, the first of which is its name.
pub(crate) fn main(args: Vec<OsString>) -> ExitCode {
    crate::study(args, run)
}
