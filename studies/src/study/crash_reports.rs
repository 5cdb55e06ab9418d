//! Mozilla's crash reports, as their collector Socorro kept them in HBase: by time, without one server taking all the
//! writes.
//!
//!     cargo run --release -p rowkey-studies -- crash_reports
//!     cargo run --release -p rowkey-studies -- crash_reports --log access.log.gz
//!
//! Keys that begin with the time send every new row to one end of the table, so to one server. A salt, one hex digit
//! that is made from the key, spreads them over sixteen regions; a scan opens all sixteen and merges what they have, so
//! the newest reports still come in one order, a page at a time.

use std::cmp::Reverse;
use std::error::Error;
use std::ffi::OsString;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use indicatif::HumanCount;
use jiff::Timestamp;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{RngCore, SeedableRng};
use rowkey::splits::Splits;
use rowkey::{Layout, Postcard, RowKey, Table, WriteBatch};
use rowkey_studies::engine::{Db, Engine};
use rowkey_studies::output::report::{self, Query};
use rowkey_studies::weblog::{Log, Summary, read_logs};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// A crash report: in each of sixteen buckets, and over all of them, newest first.
#[derive(RowKey, Debug, Clone, PartialEq)]
#[rowkey(salt(buckets = 16, format = hex))]
struct Report {
    #[rowkey(desc)]
    at: i64, // Unix milliseconds
    id: Uuid,
}

/// The same key without its salt, to see what it would have done.
#[derive(RowKey)]
struct Unsalted {
    #[rowkey(desc)]
    at: i64,
    id: Uuid,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Crash {
    signature: String,
    /// Bytes of its dump.
    size: u64,
}

type Rows = Vec<(Report, Crash)>;

/// The keys of its tables.
pub(crate) const LAYOUTS: &[(&str, Layout)] = &[("reports", Report::LAYOUT)];

/// Stores crash reports under salted keys, reads them newest first, and shows what the salt is for.
#[derive(Parser)]
struct Args {
    /// Takes times and sizes from a web log in the "combined" format, plain or gzip; may be given more than once
    #[arg(long)]
    log: Vec<PathBuf>,
    /// Rows a page
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u16).range(1..))]
    page_size: u16,
    /// How many pages are printed
    #[arg(long, default_value_t = 2)]
    pages: usize,
    /// Windows of time in which writes are counted by region
    #[arg(long, default_value_t = 12, value_parser = clap::value_parser!(u16).range(1..))]
    windows: u16,
}

const SEED: u64 = 2012;
const REPORTS: usize = 20_000;
/// Rows that are written in one batch.
const BATCH: usize = 1000;
const REGIONS: usize = 16;
const SIGNATURES: [&str; 5] =
    ["OOM | small", "js::gc::MarkStack::drain", "nsDocShell::Destroy", "mozalloc_abort", "hang | PluginInstance"];

fn run(args: &Args, on: &Engine, out: &mut impl Write) -> Result<(), Box<dyn Error>> {
    let reports = if args.log.is_empty() {
        writeln!(out, "{} crash reports, all made up, with seed {SEED}", HumanCount(REPORTS as u64))?;
        made_up()
    } else {
        let (reports, summary) = from_logs(&args.log)?;
        writeln!(out, "{summary}")?;
        let count = HumanCount(reports.len() as u64);
        writeln!(out, "{count} crash reports, times and sizes from the log, all else made up with seed {SEED}")?;
        reports
    };
    let Some((key, _)) = reports.first() else { return Ok(()) };
    report::key(out, "The key of \"reports\"", key)?;

    let table: Table<Report, Postcard<Crash>, _> = Table::open(on.open()?, "reports")?;
    for reports in reports.chunks(BATCH) {
        let mut batch = WriteBatch::new();
        for (key, crash) in reports {
            batch.put(&table, key, &Postcard(crash.clone()))?;
        }
        batch.write(table.database())?;
    }
    draw(out, &table)?;
    spread(out, args.windows, &reports.iter().map(|(key, _)| key).collect::<Vec<_>>())?;
    let paged = pages(out, args, &table)?;

    let mut sorted = reports;
    sorted.sort_by_key(|(key, _)| (Reverse(key.at), key.id));
    if paged != sorted {
        return Err("the pages are not what a sort of all rows gives".into());
    }
    writeln!(out, "Put together they are exactly what a sort of all rows gives.")?;
    Ok(())
}

/// A few rows as they stand in the table, of several buckets.
fn draw(out: &mut impl Write, table: &Table<Report, Postcard<Crash>, Db>) -> Result<(), Box<dyn Error>> {
    let mut rows = Vec::new();
    for row in table.scan(..).limit(4) {
        let (key, Postcard(Crash { signature, size })) = row?;
        let bucket = char::from(key.encode()[0]);
        let (at, id) = (Timestamp::from_millisecond(key.at)?, key.id.to_string());
        rows.push([bucket.to_string(), format!("{at:.3}"), id, signature, HumanCount(size).to_string()]);
    }
    rows.sort();
    let titles = ["row key: salt", "at, desc", "id", "signature", "size"];
    report::table(out, "The table \"reports\", the newest rows as they stand in it", titles, rows)?;
    Ok(writeln!(out)?)
}

/// Reads the table page by page, newest first over all buckets, and prints the first few.
fn pages(
    out: &mut impl Write,
    args: &Args,
    table: &Table<Report, Postcard<Crash>, Db>,
) -> Result<Rows, Box<dyn Error>> {
    let mut all = Vec::new();
    let (mut cursor, mut number) = (None, 0);
    let whole = Query::of(table.database());
    loop {
        let query = Query::of(table.database());
        // Ten rows from sixteen buckets are hardly one from each: small batches read little that is not returned.
        let page = table.scan(..).after(cursor).batch_rows(2).page(args.page_size.into())?;
        number += 1;
        if number <= args.pages {
            query.returned(out, format_args!("Page {number}"), page.rows.len(), page.rows.len())?;
            for (Report { at, id }, Postcard(Crash { signature, size })) in &page.rows {
                let at = Timestamp::from_millisecond(*at)?;
                writeln!(out, "  {at:.3}  {id}  {:>11}  {signature}", HumanCount(*size).to_string())?;
            }
        }
        all.extend(page.rows.into_iter().map(|(key, Postcard(crash))| (key, crash)));
        cursor = page.next;
        if cursor.is_none() {
            break;
        }
    }
    whole.returned(out, format_args!("All {} pages", HumanCount(number as u64)), all.len(), all.len())?;
    Ok(all)
}

/// Who takes the writes: in each of some windows of time, the share that goes to the busiest of sixteen regions.
fn spread(out: &mut impl Write, windows: u16, keys: &[&Report]) -> Result<(), Box<dyn Error>> {
    let salted = Splits::of_buckets::<Report>()?;
    // Without a salt, sixteen regions with as many rows each.
    let unsalted_key = |key: &Report| Unsalted { at: key.at, id: key.id }.encode();
    let mut sorted: Vec<_> = keys.iter().map(|key| unsalted_key(key)).collect();
    sorted.sort();
    let mut quantiles: Vec<_> = (1..REGIONS).map(|i| sorted[i * sorted.len() / REGIONS].clone()).collect();
    quantiles.dedup();
    let unsalted = Splits::new(quantiles)?;

    let (first, last) = keys.iter().fold((i64::MAX, i64::MIN), |(a, b), key| (a.min(key.at), b.max(key.at)));
    let width = (last - first) / i64::from(windows) + 1;
    let mut windows = vec![([0u64; REGIONS], [0u64; REGIONS]); windows.into()];
    for key in keys {
        let (with, without) = &mut windows[((key.at - first) / width) as usize];
        with[salted.region_of(&key.encode())] += 1;
        without[unsalted.region_of(&unsalted_key(key))] += 1;
    }

    let even = 100.0 / REGIONS as f64;
    writeln!(out, "Share of the writes that the busiest of {REGIONS} regions takes (even: {even} %)")?;
    writeln!(out, "  from                  writes   unsalted     salted")?;
    for (start, (with, without)) in (first..).step_by(width as usize).zip(&windows) {
        let start = Timestamp::from_millisecond(start)?;
        let writes = with.iter().sum();
        let share = |regions: &[u64]| match writes {
            0 => "-".to_owned(),
            _ => format!("{:.1} %", 100.0 * regions.iter().copied().max().unwrap_or(0) as f64 / writes as f64),
        };
        let (salted, unsalted, writes) = (share(with), share(without), HumanCount(writes).to_string());
        writeln!(out, "  {start:.0}  {writes:>6}  {unsalted:>9}  {salted:>9}")?;
    }
    writeln!(out, "Unsalted, the regions are split as only hindsight can: of a live table the newest takes 100 %.")?;
    Ok(())
}

/// Three days of reports, more by day than by night.
fn made_up() -> Rows {
    const DAY: u64 = 86_400_000;
    let start = 1_335_830_400_000; // 2012-05-01T00:00Z
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(SEED);
    let mut reports = Vec::with_capacity(REPORTS);
    while reports.len() < REPORTS {
        let at = rng.next_u64() % (3 * DAY);
        // From a fifth of the noon's rate at midnight, evenly up and down again.
        let noon = DAY / 2 - (at % DAY).abs_diff(DAY / 2);
        if rng.next_u64() % DAY < DAY / 5 + noon * 8 / 5 {
            let size = 10_000 + rng.next_u64() % 90_000;
            reports.push(report(start + at as i64, size, &mut rng));
        }
    }
    reports
}

fn from_logs(logs: &[PathBuf]) -> Result<(Rows, Summary), Box<dyn Error>> {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(SEED);
    let mut reports = Vec::new();
    let summary = read_logs(logs.iter().map(|path| Log::File(path)), |line| {
        reports.push(report(line.at.as_millisecond(), line.hit.size, &mut rng));
        Ok(())
    })?;
    Ok((reports, summary))
}

fn report(at: i64, size: u64, rng: &mut Xoshiro256PlusPlus) -> (Report, Crash) {
    let mut id = [0; 16];
    rng.fill_bytes(&mut id);
    let id = uuid::Builder::from_random_bytes(id).into_uuid();
    let signature = SIGNATURES[rng.next_u64() as usize % SIGNATURES.len()].to_owned();
    (Report { at, id }, Crash { signature, size })
}

/// Runs the study with these arguments, the first of which is its name.
pub(crate) fn main(args: Vec<OsString>) -> ExitCode {
    crate::study(args, run)
}
