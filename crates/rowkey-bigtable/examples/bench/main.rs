//! Measures the tables of this crate beside the raw calls of the generated client, and beside Google's client for Go,
//! on the emulator at `BIGTABLE_EMULATOR_HOST`. In each pass everybody runs once, in an order that goes round.
//!
//! ```sh
//! cargo run --release -p rowkey-bigtable --example bench [-- --passes 9 --rows 100000 --only scan --who raw]
//! ```
//!
//! It prints ratios of rates: at 1.2 rowkey does 1.2 times as many rows a second. `--who` runs only those whose
//! names have the text, for a profiler.

mod google;
mod ours;
mod raw;

use std::future::Future;
use std::path::Path;
use std::pin::Pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rowkey::RowKey;
use rowkey::nonblocking::{AsyncWideDatabase, AsyncWideTable};
use rowkey::wide::{FamilySchema, TableSchema};
use rowkey_bigtable::{Bigtable, BigtableOptions};

use self::google::Google;
use self::ours::Ours;
use self::raw::Raw;

pub(crate) type Failure = Box<dyn std::error::Error + Send + Sync>;

/// The keys: 16 buckets, and in each the visits of a user from the newest on.
#[derive(RowKey, Clone, Debug)]
#[rowkey(salt(buckets = 16))]
pub(crate) struct Visit {
    user: u64,
    #[rowkey(desc)]
    at: i64,
    page: u32,
}

pub(crate) const BUCKETS: usize = 16;
/// A key's bytes.
const LENGTH: usize = 21;

/// Each row has two cells, `d:count` and `d:note`, at the same time.
pub(crate) const FAMILY: &str = "d";
pub(crate) const COUNT: [u8; 8] = 7_u64.to_be_bytes();
pub(crate) const NOTE: [u8; 100] = [b'v'; 100];
/// Milliseconds since 1970.
pub(crate) const AT: i64 = 1_700_000_000_000;

/// Requests at once, and rows in each: what the tables of this crate make of one call with rows of two cells.
pub(crate) const IN_FLIGHT: usize = 4;
pub(crate) const ROWS_A_REQUEST: usize = 2_500;
/// The client's connections.
pub(crate) const CONNECTIONS: usize = 4;
/// The gets, one by one or at once.
const GETS: usize = 1_000;

/// The rows that were read, and their bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counted {
    pub(crate) rows: usize,
    /// Of all values.
    pub(crate) bytes: usize,
}

impl Counted {
    pub(crate) fn add(&mut self, other: Self) {
        self.rows += other.rows;
        self.bytes += other.bytes;
    }
}

/// The work that is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Work {
    /// All rows into an empty table, some in each call, and some calls at once.
    Load,
    /// All rows into an empty table, in one call for who can do it.
    LoadAtOnce,
    /// All rows, in the order of the keys for who can do it.
    Scan,
    /// All rows in one request, in the order of their bytes.
    Whole,
    Gets,
    Many,
}

pub(crate) type Answer<'a> = Pin<Box<dyn Future<Output = Result<(Duration, Counted), Failure>> + Send + 'a>>;

/// Somebody who does it.
pub(crate) trait Contender: Send {
    fn name(&self) -> String;
    fn run<'a>(&'a mut self, work: Work, table: &'a str) -> Answer<'a>;
}

/// Runs it as a task of its own, off the thread that waits.
pub(crate) async fn timed(
    run: impl Future<Output = Result<Counted, Failure>> + Send + 'static,
) -> Result<(Duration, Counted), Failure> {
    tokio::spawn(async move {
        let begun = Instant::now();
        let counted = run.await?;
        Ok((begun.elapsed(), counted))
    })
    .await?
}

/// Every n-th key, from the whole of the table.
pub(crate) fn some(visits: &[Visit]) -> impl Iterator<Item = &Visit> {
    visits.iter().step_by(visits.len().div_euclid(GETS).max(1)).take(GETS)
}

struct Settings {
    passes: usize,
    rows: usize,
    only: String,
    who: String,
}

fn settings() -> Result<Settings, Failure> {
    let mut settings = Settings { passes: 7, rows: 100_000, only: String::new(), who: String::new() };
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let mut value = || words.next().ok_or("an option needs a value");
        match word.as_str() {
            "--passes" => settings.passes = value()?.parse::<usize>()?.max(1),
            "--rows" => settings.rows = value()?.parse::<usize>()?.max(GETS),
            "--only" => settings.only = value()?,
            "--who" => settings.who = value()?,
            other => return Err(format!("no such option: {other}").into()),
        }
    }
    Ok(settings)
}

fn schema() -> TableSchema {
    TableSchema::new().family(FAMILY, FamilySchema::new())
}

#[tokio::main]
async fn main() -> Result<(), Failure> {
    let settings = settings()?;
    let host = std::env::var("BIGTABLE_EMULATOR_HOST").map_err(
        |_| "BIGTABLE_EMULATOR_HOST is not set: servers/bigtable/start starts an emulator and prints its address",
    )?;
    let instance = format!("bench{}", std::process::id());
    let db = Bigtable::connect(BigtableOptions::new("p", &instance).emulator(&host).connections(CONNECTIONS)).await?;
    let visits: Arc<[Visit]> = (0..settings.rows)
        .map(|n| Visit { user: n as u64 / 100, at: AT + n as i64 * 7_919 % 1_000_000, page: n as u32 })
        .collect();

    let mut ours = Ours::new(db.clone(), Arc::clone(&visits));
    AsyncWideTable::<Visit, _>::open(db.clone(), "visits", &schema()).await?;
    ours.run(Work::LoadAtOnce, "visits").await?;
    let raw = Raw::new(&host, db.client().clone(), Arc::clone(&visits)).await?;
    let mut contenders: Vec<Box<dyn Contender>> = vec![Box::new(ours), Box::new(raw)];
    let is_wanted = |name: &str| name.contains(&settings.who);
    if is_wanted(google::NAME) {
        match Google::build() {
            Ok(()) => {
                let keys: Vec<u8> = visits.iter().flat_map(Visit::encode).collect();
                for clients in [1, CONNECTIONS] {
                    contenders.push(Box::new(Google::start(&instance, &keys, clients).await?));
                }
            }
            Err(why) => println!("Google's client for Go is left out: {why}"),
        }
    }

    contenders.retain(|contender| is_wanted(&contender.name()));
    if contenders.is_empty() {
        return Err("nobody is left to run".into());
    }

    println!(
        "{} rows, {} passes: the rate of {} × that of the other (minimum, median, maximum)",
        settings.rows,
        settings.passes,
        contenders[0].name()
    );
    let cells = COUNT.len() + NOTE.len();
    let works = [
        (Work::Load, "load, 2500 rows a call, 4 calls at once", Counted { rows: settings.rows, bytes: 0 }),
        (Work::LoadAtOnce, "load, one call", Counted { rows: settings.rows, bytes: 0 }),
        (Work::Scan, "scan of 16 buckets", Counted { rows: settings.rows, bytes: settings.rows * cells }),
        (Work::Gets, "1000 gets, one by one", Counted { rows: GETS, bytes: GETS * cells }),
        (Work::Many, "1000 rows at once", Counted { rows: GETS, bytes: GETS * cells }),
    ];
    for (work, name, expected) in works {
        if !name.contains(&settings.only) {
            continue;
        }
        let mut runs: Vec<(usize, Work)> = (0..contenders.len()).map(|at| (at, work)).collect();
        if work == Work::Scan {
            runs.extend((1..contenders.len()).map(|at| (at, Work::Whole)));
        }
        let mut times: Vec<Vec<f64>> = vec![Vec::new(); runs.len()];
        // The first pass warms connections and processors, and is not counted.
        for pass in 0..=settings.passes {
            for turn in 0..runs.len() {
                let at = (pass + turn) % runs.len();
                let (who, work) = runs[at];
                let (took, counted) = run(&db, &mut *contenders[who], work, pass).await?;
                if counted != expected {
                    return Err(format!("{}: {counted:?} instead of {expected:?}", contenders[who].name()).into());
                }
                if pass > 0 {
                    times[at].push(took.as_secs_f64());
                }
            }
        }
        println!("\n{name}");
        if contenders.len() == 1 {
            times[0].sort_by(f64::total_cmp);
            println!("    {:.0} rows a second", expected.rows as f64 / times[0][settings.passes / 2]);
            continue;
        }
        for (&(who, work), of_other) in runs.iter().zip(&times).skip(1) {
            let mut ratios: Vec<f64> = of_other.iter().zip(&times[0]).map(|(other, ours)| other / ours).collect();
            ratios.sort_by(f64::total_cmp);
            let what = match work {
                Work::Scan => ", 16 ranges at once, not merged",
                Work::Whole => ", one request",
                _ => "",
            };
            let [least, median, most] = [0, ratios.len() / 2, ratios.len() - 1].map(|at| ratios[at]);
            println!("    {:<58} {least:>6.2} {median:>6.2} {most:>6.2}", contenders[who].name() + what);
        }
    }
    db.drop_table("visits").await?;
    google::clean();
    Ok(())
}

/// One run. A load has a table of its own.
async fn run(
    db: &Bigtable,
    contender: &mut dyn Contender,
    work: Work,
    pass: usize,
) -> Result<(Duration, Counted), Failure> {
    if !matches!(work, Work::Load | Work::LoadAtOnce) {
        return contender.run(work, "visits").await;
    }
    let table = format!("load{pass}");
    AsyncWideTable::<Visit, _>::open(db.clone(), &table, &schema()).await?;
    let result = contender.run(work, &table).await;
    db.drop_table(&table).await?;
    result
}

/// A folder of this crate.
pub(crate) fn folder(name: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}
