//! Measures this crate beside HBase's own client for Java, at the server whose folder is in `HBASE_CLIENT_TEST`
//! (`servers/hbase/start FOLDER` of the repository starts one). Needs Java 17. In each pass everybody runs once, in an
//! order that goes round.
//!
//! ```sh
//! HBASE_CLIENT_TEST=FOLDER cargo run --release -p hbase-client --example bench [-- --rows 1000000 --passes 5]
//! ```
//!
//! It prints the rate of each (least, median and most of the passes), the ratio of the medians, whether the ranges lie
//! apart, and the processor's time a row in microseconds, of the client and of the server. `--quick` is for a test of
//! the bench itself. `--only 'gets|1 caller'` takes the works whose names have one of the texts, `--who` the clients.
//! `--step` waits for a line of input before each pass.
//!
//! `--happybase PYTHON` adds happybase, of a Python that has it, through the Thrift gateway that
//! `servers/hbase/thrift FOLDER` starts. The gateway's time counts as the client's. It is slow: take fewer rows.
//!
//! ```sh
//! python3 -m venv VENV && VENV/bin/pip install happybase && servers/hbase/thrift FOLDER
//! HBASE_CLIENT_TEST=FOLDER cargo run --release -p hbase-client --example bench -- \
//!     --rows 100000 --passes 3 --happybase VENV/bin/python
//! ```

mod others;
mod ours;

use std::io::{BufRead, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use hbase_client::{Client, ErrorKind, Family, Options, TableSchema};

use self::others::Other;

pub(crate) type Failure = Box<dyn std::error::Error + Send + Sync>;

pub(crate) const REGIONS: u64 = 16;
/// Each row has one cell.
pub(crate) const FAMILY: &str = "f";
pub(crate) const QUALIFIER: &str = "q";
/// The timestamp of the first row. Each row's is later by one.
pub(crate) const AT: u64 = 1_700_000_000_000;
/// Counters that are incremented.
const COUNTERS: u64 = 1_000;

/// The work that is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Work {
    /// All rows into an empty table, by callers that wait for each batch.
    Load { callers: u64, rows: u64, batch: u64 },
    /// All rows, each cell of them read. As many scanners at once as there are regions, or one.
    Scan { scanners: u64, rows: u64, caching: u64 },
    /// Rows `of` a table, one by one.
    Gets { callers: u64, count: u64, of: u64 },
    /// Rows `of` a table, some in each call.
    Many { callers: u64, count: u64, of: u64, batch: u64 },
    /// Increments of a number of counters, one by one.
    Increments { callers: u64, count: u64, of: u64 },
}

impl Work {
    fn name(self) -> String {
        let callers = |callers| if callers == 1 { "1 caller".into() } else { format!("{callers} callers") };
        match self {
            Self::Load { callers: many, batch, .. } => format!("load, {batch} rows a call, {}", callers(many)),
            Self::Scan { scanners: 1, caching, .. } => format!("scan, caching {caching}"),
            Self::Scan { scanners, caching, .. } => format!("{scanners} scans at once, caching {caching}"),
            Self::Gets { callers: many, .. } => format!("gets, one by one, {}", callers(many)),
            Self::Many { callers: many, batch, .. } => format!("gets, {batch} a call, {}", callers(many)),
            Self::Increments { callers: many, .. } => format!("increments, {}", callers(many)),
        }
    }

    /// The rows that must have been read.
    fn expected(self) -> Counted {
        let read = |rows: &mut dyn Iterator<Item = u64>| {
            rows.fold(Counted::default(), |mut counted, n| {
                counted.add(Counted { rows: 1, sum: of_row(n) });
                counted
            })
        };
        match self {
            Self::Load { rows, .. } => Counted { rows, sum: 0 },
            Self::Scan { rows, .. } => read(&mut (0..rows)),
            Self::Gets { count, of, .. } | Self::Many { count, of, .. } => read(&mut (0..count).map(|i| some(i, of))),
            Self::Increments { count, .. } => Counted { rows: count, sum: 0 },
        }
    }
}

/// The rows that were read, and the sum of all bytes and timestamps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counted {
    pub(crate) rows: u64,
    pub(crate) sum: u64,
}

impl Counted {
    pub(crate) fn add(&mut self, other: Self) {
        self.rows += other.rows;
        self.sum = self.sum.wrapping_add(other.sum);
    }
}

/// The name of a region's first key.
pub(crate) fn bucket(region: u64) -> u8 {
    b"0123456789abcdef"[(region % REGIONS) as usize]
}

/// A hexadecimal digit, which is the region's, and a decimal number.
pub(crate) fn key(n: u64) -> [u8; 32] {
    let mut key = [b'0'; 32];
    key[0] = bucket(n);
    decimal(&mut key[1..], n);
    key
}

/// A decimal number.
pub(crate) fn value(n: u64) -> [u8; 20] {
    let mut value = [b'0'; 20];
    decimal(&mut value, n * 7919);
    value
}

fn decimal(digits: &mut [u8], mut n: u64) {
    for digit in digits.iter_mut().rev() {
        *digit = b'0' + (n % 10) as u8;
        n /= 10;
    }
}

/// One of the rows, far from the one before.
pub(crate) fn some(i: u64, rows: u64) -> u64 {
    i * 7919 % rows
}

pub(crate) fn sum(bytes: &[u8]) -> u64 {
    bytes.iter().map(|byte| u64::from(*byte)).sum()
}

fn of_row(n: u64) -> u64 {
    sum(&key(n)) + sum(FAMILY.as_bytes()) + sum(QUALIFIER.as_bytes()) + sum(&value(n)) + AT + n
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Who {
    Ours,
    Java,
    /// Its scanners read ahead, which they do not by default.
    Prefetching,
    Happybase,
}

impl Who {
    fn name(self) -> &'static str {
        match self {
            Self::Ours => "hbase-client",
            Self::Java => "java",
            Self::Prefetching => "java, prefetching",
            Self::Happybase => "happybase",
        }
    }
}

struct Settings {
    rows: u64,
    passes: usize,
    /// Gets one by one; ten times as many in batches.
    gets: u64,
    increments: u64,
    only: String,
    who: String,
    step: bool,
    /// A Python that has happybase.
    happybase: Option<PathBuf>,
}

fn settings() -> Result<Settings, Failure> {
    let mut settings = Settings {
        rows: 1_000_000,
        passes: 5,
        gets: 10_000,
        increments: 5_000,
        only: String::new(),
        who: String::new(),
        step: false,
        happybase: None,
    };
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let mut value = || words.next().ok_or("an option needs a value");
        match word.as_str() {
            "--rows" => settings.rows = value()?.parse::<u64>()?.max(1),
            "--passes" => settings.passes = value()?.parse::<usize>()?.max(1),
            "--gets" => settings.gets = value()?.parse()?,
            "--increments" => settings.increments = value()?.parse()?,
            "--only" => settings.only = value()?,
            "--who" => settings.who = value()?,
            "--step" => settings.step = true,
            "--happybase" => settings.happybase = Some(value()?.into()),
            "--quick" => {
                settings = Settings { rows: 2_000, passes: 1, gets: 100, increments: 100, ..settings };
            }
            other => return Err(format!("no such option: {other}").into()),
        }
    }
    Ok(settings)
}

fn works(settings: &Settings) -> Vec<Work> {
    let (rows, batch, gets) = (settings.rows, 1000, settings.gets);
    let loads = [1, 4, 16].map(|callers| Work::Load { callers, rows, batch });
    let scans = [(1, 1000), (1, 5000), (REGIONS, 1000), (REGIONS, 5000)];
    let scans = scans.map(|(scanners, caching)| Work::Scan { scanners, rows, caching });
    let others = [
        Work::Gets { callers: 1, count: gets, of: rows },
        Work::Gets { callers: 16, count: gets * 2, of: rows },
        Work::Many { callers: 1, count: gets * 10, of: rows, batch: 100 },
        Work::Many { callers: 1, count: gets * 10, of: rows, batch },
        Work::Increments { callers: 1, count: settings.increments, of: COUNTERS },
        Work::Increments { callers: 16, count: settings.increments * 4, of: COUNTERS },
    ];
    let works = loads.into_iter().chain(scans).chain(others);
    let wanted = |work: &Work| settings.only.split('|').any(|text| work.name().contains(text));
    works.filter(wanted).collect()
}

/// One run of a work.
#[derive(Clone, Copy)]
struct Run {
    took: Duration,
    /// Of the processor, if the system tells.
    client: Option<Duration>,
    server: Option<Duration>,
}

struct Bench {
    client: Client,
    java: Other,
    happybase: Option<Other>,
    /// The server's process.
    server: Option<u32>,
    increments: u64,
}

const TABLE: &str = "bench";
const COUNTS: &str = "bench_counts";
const LOADED: &str = "bench_load";

impl Bench {
    async fn create(&self, table: &str) -> Result<(), Failure> {
        self.remove(table).await?;
        let splits = (1..REGIONS).map(|region| [bucket(region)]);
        let schema = TableSchema::new(table).family(Family::new(FAMILY));
        self.client.admin().create(&schema, splits).await?;
        // Everybody knows the regions before the clock runs.
        Ok(self.client.table(table).regions().await.map(drop)?)
    }

    async fn remove(&self, table: &str) -> Result<(), Failure> {
        match self.client.admin().disable(table).await {
            Err(error) if error.kind() == ErrorKind::TableNotFound => return Ok(()),
            Err(error) if error.kind() == ErrorKind::TableDisabled => {}
            result => result?,
        }
        Ok(self.client.admin().drop(table).await?)
    }

    async fn run(&mut self, who: Who, work: Work) -> Result<Run, Failure> {
        let table = match work {
            Work::Load { .. } => LOADED,
            Work::Increments { .. } => COUNTS,
            _ => TABLE,
        };
        if table == LOADED {
            self.create(table).await?;
        }
        let other = match who {
            Who::Ours => None,
            Who::Java | Who::Prefetching => Some(&mut self.java),
            Who::Happybase => self.happybase.as_mut(),
        };
        let processes = other.as_ref().map_or_else(|| vec![std::process::id()], |other| other.processes());
        let of_client = || processes.iter().map(|process| busy(Some(*process))).sum::<Option<Duration>>();
        let before = (of_client(), busy(self.server));
        let (took, counted) = match other {
            None => tokio::spawn(ours::run(work, self.client.table(table))).await??,
            Some(other) => other.run(work, table, who == Who::Prefetching).await?,
        };
        let after = (of_client(), busy(self.server));
        if counted != work.expected() {
            return Err(format!("{}, {}: {counted:?}, not {:?}", who.name(), work.name(), work.expected()).into());
        }
        if let Work::Increments { count, .. } = work {
            self.increments += count;
        }
        let spent = |before: Option<Duration>, after: Option<Duration>| after?.checked_sub(before?);
        Ok(Run { took, client: spent(before.0, after.0), server: spent(before.1, after.1) })
    }

    /// All increments are in the counters.
    async fn check_counters(&self) -> Result<(), Failure> {
        let mut rows = self.client.table(COUNTS).scan(hbase_client::Scan::new());
        let mut counted = 0;
        while let Some(row) = rows.next().await? {
            let value = row.value(FAMILY, QUALIFIER).and_then(|value| value.try_into().ok());
            counted += value.map_or(0, u64::from_be_bytes);
        }
        match counted == self.increments {
            true => Ok(()),
            false => Err(format!("{counted} increments were counted, not {}", self.increments).into()),
        }
    }
}

/// The time that a process has had of the processors. Linux tells in hundredths of a second.
fn busy(process: Option<u32>) -> Option<Duration> {
    let text = std::fs::read_to_string(format!("/proc/{}/stat", process?)).ok()?;
    // The name of the program, in parentheses, may have spaces.
    let fields: Vec<&str> = text.get(text.rfind(')')? + 2..)?.split(' ').collect();
    let ticks: u64 = fields.get(11)?.parse::<u64>().ok()? + fields.get(12)?.parse::<u64>().ok()?;
    Some(Duration::from_millis(ticks * 10))
}

#[tokio::main]
async fn main() -> Result<(), Failure> {
    let settings = settings()?;
    let folder = std::env::var_os("HBASE_CLIENT_TEST")
        .map(PathBuf::from)
        .ok_or("HBASE_CLIENT_TEST is not set: `servers/hbase/start FOLDER` starts a server, and this is its folder")?;
    let mut bench = Bench {
        client: Client::new(Options::from_site(folder.join("conf/hbase-site.xml"))?)?,
        java: Other::java(&folder)?,
        happybase: settings.happybase.as_ref().map(|python| Other::happybase(python, &folder)).transpose()?,
        server: process(&folder.join("hbase.pid")),
        increments: 0,
    };
    let works = works(&settings);
    if works.iter().any(|work| matches!(work, Work::Scan { .. } | Work::Gets { .. } | Work::Many { .. })) {
        bench.create(TABLE).await?;
        ours::run(Work::Load { callers: 4, rows: settings.rows, batch: 1000 }, bench.client.table(TABLE)).await?;
        bench.java.flush(TABLE).await?;
    }
    bench.create(COUNTS).await?;

    let whos = |work: &Work| {
        let scan = matches!(work, Work::Scan { .. });
        let all = [Who::Ours, Who::Java, Who::Prefetching, Who::Happybase];
        let can = |who: &Who| match who {
            Who::Ours | Who::Java => true,
            Who::Prefetching => scan,
            Who::Happybase => settings.happybase.is_some(),
        };
        let wanted = |who: &Who| can(who) && settings.who.split('|').any(|text| who.name().contains(text));
        all.into_iter().filter(wanted).collect::<Vec<_>>()
    };
    let mut runs: Vec<Vec<(Who, Vec<Run>)>> =
        works.iter().map(|work| whos(work).into_iter().map(|who| (who, Vec::new())).collect()).collect();
    // The first pass warms connections, Java's compiler and the server, and is not counted.
    for pass in 0..=settings.passes {
        eprintln!("pass {pass} of {}", settings.passes);
        if settings.step {
            std::io::stdin().lock().read_line(&mut String::new())?;
        }
        for (work, of_work) in works.iter().zip(&mut runs) {
            for turn in 0..of_work.len() {
                let at = (pass + turn) % of_work.len();
                let (who, of_one) = &mut of_work[at];
                let run = bench.run(*who, *work).await?;
                if pass > 0 {
                    of_one.push(run);
                }
            }
        }
    }
    bench.check_counters().await?;
    for table in [TABLE, COUNTS, LOADED] {
        bench.remove(table).await?;
    }
    println!("{} rows in {REGIONS} regions, {} passes", settings.rows, settings.passes);
    for (work, of_work) in works.iter().zip(&runs) {
        print(*work, of_work)?;
    }
    Ok(())
}

/// The process that a script has started and written down.
pub(crate) fn process(file: &Path) -> Option<u32> {
    std::fs::read_to_string(file).ok()?.trim().parse().ok()
}

fn print(work: Work, runs: &[(Who, Vec<Run>)]) -> Result<(), Failure> {
    let mut out = std::io::stdout().lock();
    let rows = work.expected().rows as f64;
    let rates = |runs: &[Run]| {
        let mut rates: Vec<f64> = runs.iter().map(|run| rows / run.took.as_secs_f64()).collect();
        rates.sort_by(f64::total_cmp);
        [0, rates.len() / 2, rates.len() - 1].map(|at| rates[at])
    };
    let micros = |runs: &[Run], of: fn(&Run) -> Option<Duration>| {
        let total: Option<Duration> = runs.iter().map(of).sum();
        total.map_or("-".into(), |total| format!("{:.2}", total.as_secs_f64() * 1e6 / rows / runs.len() as f64))
    };
    writeln!(out, "\n{}", work.name())?;
    for (who, of_one) in runs {
        let [least, median, most] = rates(of_one);
        let (client, server) = (micros(of_one, |run| run.client), micros(of_one, |run| run.server));
        write!(out, "    {:<18} {least:>9.0} {median:>9.0} {most:>9.0}/s", who.name())?;
        write!(out, "   client {client:>7} µs, server {server:>7} µs")?;
        if let Some((Who::Ours, ours)) = runs.first()
            && *who != Who::Ours
        {
            let [our_least, our_median, our_most] = rates(ours);
            let verdict = match (our_least > most, our_most < least) {
                (true, _) => "ahead",
                (_, true) => "behind",
                _ => "within the spread",
            };
            write!(out, "   ratio {:.2}, {verdict}", our_median / median)?;
        }
        writeln!(out)?;
    }
    Ok(())
}
