//! Measures typed tables in HBase beside the client beneath them, and beside HBase's own client for Java, at the
//! server whose folder `servers/hbase/start FOLDER` of the repository made. Needs Java 17. In each pass everybody runs
//! once, in an order that goes round.
//!
//! ```sh
//! cargo run --release -p rowkey-hbase --example hbase_bench -- FOLDER \
//!     [--rows 1000000 --passes 5 --only scan --who typed]
//! ```
//!
//! It prints rates (minimum, median, maximum of the passes) and ratios to the first of each work: at 1.2 that one does
//! 1.2 times as many rows a second. `--who` runs only those whose names have the text, for a profiler; `--keep` keeps
//! the table for the next run, which `--kept` uses.

mod client;
mod events;
mod java;
mod typed;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use hbase_client::{Client, Options};
use rowkey::nonblocking::{AsyncTable, AsyncWideDatabase, AsyncWideTable};
use rowkey::splits::Splits;
use rowkey::store::NewTable;
use rowkey::wide::{FamilySchema, OneColumn, OneColumnDatabase, TableSchema};
use rowkey::{OwnedKey, RowKey};
use rowkey_hbase::HBase;

use self::events::{Salted, Sequential};
use self::java::Java;

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

pub(crate) const BUCKETS: u8 = 16;
/// A key's bytes.
pub(crate) const LENGTH: usize = 21;
/// Each row has one cell, `v:`, as a plain table's have.
pub(crate) const FAMILY: &str = "v";
pub(crate) const VALUE: [u8; 100] = [b'v'; 100];
const WIDE: &str = "bench_visits";
const PLAIN: &str = "bench_plain";
const LOADED: &str = "bench_load";
/// Rows in each call of a load, and calls at once.
const BATCH: usize = 1_000;
const CALLERS: usize = 4;
const GETS: usize = 10_000;
/// Rows in each call of gets.
const MANY: usize = 100;

/// The rows that were read, and the bytes of their keys and values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counted {
    pub(crate) rows: usize,
    pub(crate) bytes: usize,
}

impl Counted {
    pub(crate) fn add(&mut self, other: Self) {
        self.rows += other.rows;
        self.bytes += other.bytes;
    }
}

impl std::iter::Sum for Counted {
    fn sum<I: Iterator<Item = Self>>(all: I) -> Self {
        all.fold(Self::default(), |mut sum, counted| {
            sum.add(counted);
            sum
        })
    }
}

/// The work that is measured, each by the contenders that can do it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Who {
    /// A wide table.
    Wide,
    /// A plain table: one column of a wide one.
    Plain,
    /// A wide table whose rows are lent.
    WideLent,
    /// A plain table whose rows are lent.
    PlainLent,
    /// The client beneath; for a scan, sixteen scanners of this many rows a call, merged in one task.
    Client(u32),
    /// Sixteen scanners in tasks of their own.
    Unmerged(u32),
    /// Java's sixteen scanners, merged in one thread.
    Java(u32),
    /// A key that begins with the time.
    Sequential,
    /// The same with a salt.
    Salted,
}

impl Who {
    fn name(self, work: Work) -> String {
        match (self, work) {
            (Self::Wide, _) => "typed wide table".into(),
            (Self::Plain, _) => "typed plain table".into(),
            (Self::WideLent, _) => "typed wide table, rows lent".into(),
            (Self::PlainLent, _) => "typed plain table, rows lent".into(),
            (Self::Client(rows), Work::Scan) => format!("hbase-client, merged, {rows} rows a call"),
            (Self::Client(_), _) => "hbase-client".into(),
            (Self::Unmerged(rows), _) => format!("hbase-client, not merged, {rows} rows a call"),
            (Self::Java(rows), _) => format!("java, merged, {rows} rows a call"),
            (Self::Sequential, _) => "a key that begins with the time".into(),
            (Self::Salted, _) => "a salted key".into(),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Work {
    Load,
    Scan,
    Gets,
    Many,
    Events,
}

const WORKS: [(Work, &str, &[Who]); 5] = [
    (Work::Load, "load, 1000 rows a call, 4 calls at once", &[Who::Wide, Who::Plain, Who::Client(0)]),
    (
        Work::Scan,
        "scan of 16 buckets in the order of the key",
        &[
            Who::Wide,
            Who::Plain,
            Who::WideLent,
            Who::PlainLent,
            Who::Client(256),
            Who::Client(1000),
            Who::Unmerged(256),
            Who::Unmerged(1000),
            Who::Java(1000),
        ],
    ),
    (Work::Gets, "gets, one by one, 16 callers", &[Who::Wide, Who::Plain, Who::Client(0)]),
    (Work::Many, "gets, 100 rows a call, 4 callers", &[Who::Wide, Who::Plain, Who::Client(0)]),
    (Work::Events, "puts in the order of time, 8 regions, 100 rows a call, 8 callers", &[Who::Sequential, Who::Salted]),
];

struct Settings {
    folder: PathBuf,
    rows: usize,
    passes: usize,
    only: String,
    who: String,
    keep: bool,
    kept: bool,
}

fn settings() -> Result<Settings, Failure> {
    let mut words = std::env::args().skip(1);
    let folder = words.next().ok_or("give the folder of `servers/hbase/start FOLDER`")?.into();
    let mut settings = Settings {
        folder,
        rows: 1_000_000,
        passes: 5,
        only: String::new(),
        who: String::new(),
        keep: false,
        kept: false,
    };
    while let Some(word) = words.next() {
        let mut value = || words.next().ok_or("an option needs a value");
        match word.as_str() {
            "--rows" => settings.rows = value()?.parse::<usize>()?.max(1),
            "--passes" => settings.passes = value()?.parse::<usize>()?.max(1),
            "--only" => settings.only = value()?,
            "--who" => settings.who = value()?,
            "--keep" => settings.keep = true,
            "--kept" => settings.kept = true,
            other => return Err(format!("no such option: {other}").into()),
        }
    }
    Ok(settings)
}

pub(crate) struct Bench {
    client: Client,
    db: HBase,
    plain: OneColumnDatabase<HBase>,
    visits: Arc<[Visit]>,
}

pub(crate) type WideVisits = AsyncWideTable<Visit, HBase>;
pub(crate) type PlainVisits = AsyncTable<Visit, Vec<u8>, OneColumnDatabase<HBase>>;

fn schema() -> TableSchema {
    TableSchema::new().family(FAMILY, FamilySchema::new())
}

impl Bench {
    async fn wide(&self, table: &str) -> Result<WideVisits, Failure> {
        Ok(AsyncWideTable::open_existing(self.db.clone(), table, &schema()).await?)
    }

    async fn plain(&self, table: &str) -> Result<PlainVisits, Failure> {
        Ok(AsyncTable::open_existing(self.plain.clone(), table).await?)
    }

    /// An empty table with a region for each bucket.
    async fn create(&self, table: &str, plain: bool) -> Result<(), Failure> {
        let new = NewTable::new().splits(&Splits::of_buckets::<Visit>()?);
        if !plain {
            return self.create_of::<Visit>(table, &new).await.map(drop);
        }
        self.db.drop_table(table).await?;
        PlainVisits::create(self.plain.clone(), table, &new).await?;
        self.know(table).await
    }

    async fn create_of<K: RowKey>(&self, table: &str, new: &NewTable) -> Result<AsyncWideTable<K, HBase>, Failure> {
        self.db.drop_table(table).await?;
        let created = AsyncWideTable::create(self.db.clone(), table, &schema(), new).await?;
        self.know(table).await?;
        Ok(created)
    }

    /// Where the regions are is known before the clock runs.
    async fn know(&self, table: &str) -> Result<(), Failure> {
        Ok(self.client.table(table).regions().await.map(drop)?)
    }

    /// Puts of events, each caller's in the order of time.
    async fn put_events<K: OwnedKey + Clone + Send + Sync + 'static>(
        &self,
        events: &[K],
        regions: &NewTable,
    ) -> Result<(Duration, Counted), Failure> {
        let table = self.create_of::<K>(LOADED, regions).await?;
        timed(typed::load(table, calls(events, 8, MANY))).await
    }

    async fn run(&self, who: Who, work: Work, java: &mut Option<Java>) -> Result<(Duration, Counted), Failure> {
        let rows = self.visits.len();
        match who {
            Who::Sequential => return self.put_events(&Sequential::events(rows), &Sequential::regions()).await,
            Who::Salted => return self.put_events(&Salted::events(rows), &Salted::regions()?).await,
            _ => {}
        }
        let table = match (work, who) {
            (Work::Load, who) => {
                self.create(LOADED, who == Who::Plain).await?;
                LOADED
            }
            (_, Who::Plain | Who::PlainLent) => PLAIN,
            _ => WIDE,
        };
        let raw = self.client.table(table);
        let calls = || match work {
            Work::Load => calls(&self.visits, CALLERS, BATCH),
            Work::Gets => calls(&some(&self.visits), 16, 1),
            _ => calls(&some(&self.visits), CALLERS, MANY),
        };
        match (work, who) {
            (_, Who::Java(rows)) => java.as_mut().ok_or("Java is not started")?.scan(table, rows).await,
            (Work::Load, Who::Wide) => timed(typed::load(self.wide(table).await?, calls())).await,
            (Work::Load, Who::Plain) => timed(typed::load_plain(self.plain(table).await?, calls())).await,
            (Work::Load, _) => timed(client::load(raw, calls())).await,
            (Work::Scan, Who::Wide) => timed(typed::scan(self.wide(table).await?)).await,
            (Work::Scan, Who::WideLent) => timed(typed::scan_lent(self.wide(table).await?)).await,
            (Work::Scan, Who::PlainLent) => timed(typed::scan_plain_lent(self.plain(table).await?)).await,
            (Work::Scan, Who::Plain) => timed(typed::scan_plain(self.plain(table).await?)).await,
            (Work::Scan, Who::Client(rows)) => timed(client::merged(raw, rows)).await,
            (Work::Scan, Who::Unmerged(rows)) => timed(client::unmerged(raw, rows)).await,
            (_, Who::Wide | Who::WideLent) => timed(typed::gets(self.wide(table).await?, calls())).await,
            (_, Who::Plain | Who::PlainLent) => timed(typed::gets_plain(self.plain(table).await?, calls())).await,
            (_, _) => timed(client::gets(raw, calls())).await,
        }
    }
}

/// Runs it as a task of its own, off the thread that waits.
async fn timed(
    run: impl Future<Output = Result<Counted, Failure>> + Send + 'static,
) -> Result<(Duration, Counted), Failure> {
    tokio::spawn(async move {
        let begun = Instant::now();
        let counted = run.await?;
        Ok((begun.elapsed(), counted))
    })
    .await?
}

/// The rows of each caller, and of each of its calls.
pub(crate) type Calls<K = Visit> = Vec<Vec<Vec<K>>>;

/// Each caller has every n-th call.
fn calls<K: Clone>(keys: &[K], callers: usize, rows: usize) -> Calls<K> {
    let of = |caller| keys.chunks(rows).skip(caller).step_by(callers).map(<[K]>::to_vec).collect();
    (0..callers).map(of).collect()
}

/// The sum of the counts of all tasks.
pub(crate) async fn in_tasks(
    tasks: impl IntoIterator<Item = impl Future<Output = Result<Counted, Failure>> + Send + 'static>,
) -> Result<Counted, Failure> {
    let tasks: Vec<_> = tasks.into_iter().map(tokio::spawn).collect();
    let mut counted = Counted::default();
    for task in tasks {
        counted.add(task.await??);
    }
    Ok(counted)
}

/// Each caller is a task, which makes one call after the other.
pub(crate) async fn callers<K, C>(
    calls: Calls<K>,
    call: impl Fn(Vec<K>) -> C + Clone + Send + 'static,
) -> Result<Counted, Failure>
where
    K: Send + 'static,
    C: Future<Output = Result<Counted, Failure>> + Send,
{
    in_tasks(calls.into_iter().map(|calls| {
        let call = call.clone();
        async move {
            let mut counted = Counted::default();
            for visits in calls {
                counted.add(call(visits).await?);
            }
            Ok(counted)
        }
    }))
    .await
}

/// Rows from the whole of the table.
fn some(visits: &[Visit]) -> Vec<Visit> {
    (0..GETS.min(visits.len())).map(|at| visits[at * 7_919 % visits.len()].clone()).collect()
}

fn expected(work: Work, rows: usize) -> Counted {
    let rows = match work {
        Work::Load | Work::Events => return Counted { rows, bytes: 0 },
        Work::Scan => rows,
        Work::Gets | Work::Many => GETS.min(rows),
    };
    Counted { rows, bytes: rows * (LENGTH + VALUE.len()) }
}

#[tokio::main]
async fn main() -> Result<(), Failure> {
    let settings = settings()?;
    let client = Client::new(Options::from_site(settings.folder.join("conf/hbase-site.xml"))?)?;
    let db = HBase::connect(client.clone()).await?;
    let at = |n: usize| 1_700_000_000_000 + (n as i64 * 7_919) % 1_000_000;
    let visits = (0..settings.rows).map(|n| Visit { user: n as u64 / 100, at: at(n), page: n as u32 });
    let bench = Bench { client, db: db.clone(), plain: OneColumn::database(db.clone()), visits: visits.collect() };
    if !settings.kept {
        bench.create(WIDE, false).await?;
        bench.create(PLAIN, true).await?;
        typed::load(bench.wide(WIDE).await?, calls(&bench.visits, CALLERS, BATCH)).await?;
        typed::load_plain(bench.plain(PLAIN).await?, calls(&bench.visits, CALLERS, BATCH)).await?;
        for table in [WIDE, PLAIN] {
            bench.client.admin().flush(table).await?;
        }
    }
    let mut java = None;
    println!("{} rows, {} passes", settings.rows, settings.passes);
    for (work, name, contenders) in WORKS {
        let is_wanted = |who: &Who| who.name(work).contains(&settings.who);
        let contenders: Vec<_> = contenders.iter().copied().filter(is_wanted).collect();
        if contenders.is_empty() || !name.contains(&settings.only) {
            continue;
        }
        if java.is_none() && contenders.iter().any(|who| matches!(who, Who::Java(_))) {
            java = Some(Java::start(&settings.folder)?);
        }
        let expected = expected(work, settings.rows);
        let mut times = vec![Vec::new(); contenders.len()];
        // The first pass warms connections and processors, and is not counted.
        for pass in 0..=settings.passes {
            for turn in 0..contenders.len() {
                let at = (pass + turn) % contenders.len();
                let (took, counted) = bench.run(contenders[at], work, &mut java).await?;
                if counted != expected {
                    let who = contenders[at].name(work);
                    return Err(format!("{who}: {counted:?} instead of {expected:?}").into());
                }
                if pass > 0 {
                    times[at].push(took.as_secs_f64());
                }
            }
        }
        print(name, expected.rows, &contenders.iter().map(|who| who.name(work)).collect::<Vec<_>>(), &times);
    }
    for table in [LOADED, WIDE, PLAIN] {
        if table == LOADED || !settings.keep {
            db.drop_table(table).await?;
        }
    }
    Ok(())
}

/// The rates in thousands of rows a second, and the ratio of the first's to each.
fn print(work: &str, rows: usize, who: &[String], times: &[Vec<f64>]) {
    let range = |values: &mut dyn Iterator<Item = f64>| {
        let mut values: Vec<f64> = values.collect();
        values.sort_by(f64::total_cmp);
        [0, values.len() / 2, values.len() - 1].map(|at| values[at])
    };
    println!("\n{work}\n{:<46} {:>26} {:>24}", "", "1000 rows a second", "the first's ratio to it");
    for (who, of_it) in who.iter().zip(times) {
        let [least, median, most] = range(&mut of_it.iter().map(|seconds| rows as f64 / seconds / 1000.0));
        print!("{who:<46} {least:>8.1} {median:>8.1} {most:>8.1}");
        let [least, median, most] = range(&mut of_it.iter().zip(&times[0]).map(|(other, first)| other / first));
        println!(" {least:>8.2} {median:>7.2} {most:>7.2}");
    }
}
