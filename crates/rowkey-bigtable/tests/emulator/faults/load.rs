//! Many calls at once, each of which ends in time, with a right answer or with an error that says what is known.

use std::collections::BTreeMap;
use std::future::Future;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use futures_util::StreamExt;
use rowkey::nonblocking::{AsyncTable, AsyncWideDatabase, AsyncWideStore, AsyncWideTable};
use rowkey::store::{CallOptions, Cancel, Scan};
use rowkey::wide::{CellIter, Columns, Condition, FamilySchema, Mutation, OneColumn, OneColumnDatabase, TableSchema};
use rowkey::{Error, ErrorKind, KeyRange, RowKey};
use rowkey_bigtable::Bigtable;
use rowkey_testkit::Random;
use tokio::time::{sleep, timeout};

/// The timeout of handles that have one.
pub(crate) const TIMEOUT: Duration = Duration::from_millis(800);
/// Nothing takes as long, however busy the machine is.
pub(crate) const HANGS: Duration = Duration::from_secs(600);
/// The time after its bound within which a call ends on a busy machine, but no call that ends by another bound.
const SLACK: Duration = Duration::from_secs(30);
const ROWS: usize = 1500;
const SALTED: u32 = 400;

#[derive(RowKey, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[rowkey(salt(buckets = 16))]
pub(crate) struct Crash {
    #[rowkey(desc)]
    pub(crate) at: u64,
    pub(crate) id: u32,
}

/// The errors that a failure may end with.
pub(crate) fn assert_typed(error: &Error) {
    match error {
        Error::Rows(rows) => rows.iter().for_each(|row| assert_typed(row.error())),
        Error::OutcomeUnknown { source, .. } => assert_typed(source),
        _ => {
            let typed = [ErrorKind::Busy, ErrorKind::DeadlineExceeded, ErrorKind::Cancelled];
            assert!(typed.contains(&error.kind()), "{:?}: {error}\n{error:?}", error.kind());
        }
    }
}

/// Waits for a call that may take so long.
pub(crate) async fn within<T>(most: Option<Duration>, what: &str, call: impl Future<Output = T>) -> T {
    let began = Instant::now();
    let Ok(output) = timeout(HANGS, call).await else { panic!("{what} hangs") };
    let took = began.elapsed();
    assert!(most.is_none_or(|most| took <= most + SLACK), "{what} took {took:?}, its bound is {most:?}");
    output
}

/// Waits until it is so.
pub(crate) async fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let waiting = async {
        while !is_so() {
            sleep(Duration::from_millis(5)).await;
        }
    };
    assert!(timeout(HANGS, waiting).await.is_ok(), "{what}");
}

/// The fate of a write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    Written,
    Not,
    Unknown,
}

fn fate(result: Result<(), &Error>) -> Fate {
    match result {
        Ok(()) => Fate::Written,
        Err(error) => {
            assert_typed(error);
            if error.kind() == ErrorKind::OutcomeUnknown { Fate::Unknown } else { Fate::Not }
        }
    }
}

/// The operations that were done, and their results as far as they are known.
#[derive(Debug, Default)]
pub(crate) struct Known {
    pub(crate) scans: AtomicUsize,
    pub(crate) gets: AtomicUsize,
    pub(crate) failed_reads: AtomicUsize,
    pub(crate) failed_writes: AtomicUsize,
    /// Sums that increments returned.
    sums: Mutex<Vec<i64>>,
    unknown_increments: AtomicUsize,
    written: Mutex<BTreeMap<String, Fate>>,
    /// Of each writer: the last number that is written, and the last one that may be.
    last: Mutex<BTreeMap<u64, (i64, i64)>>,
    /// Of each writer by conditions: how often it succeeded, and how often that is not known.
    steps: Mutex<BTreeMap<u64, (usize, usize)>>,
}

fn locked<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn add(count: &AtomicUsize) {
    count.fetch_add(1, Ordering::Relaxed);
}

type Plain = AsyncTable<Crash, String, OneColumnDatabase<Bigtable>>;
type Wide = AsyncWideTable<Crash, Bigtable>;

/// Tables that calls are made on.
#[derive(Clone)]
pub(crate) struct Tables {
    pub(crate) fixed: Arc<dyn AsyncWideStore>,
    written: Arc<dyn AsyncWideStore>,
    wide: Arc<Wide>,
    plain: Arc<Plain>,
}

fn key(n: usize) -> Vec<u8> {
    format!("k{n:05}").into_bytes()
}

fn value(n: usize) -> String {
    format!("{n}.").repeat(1 + n * 7919 % 100)
}

fn crashes() -> impl Iterator<Item = Crash> {
    (0..SALTED).map(|id| Crash { at: u64::from(SALTED - id / 3), id })
}

fn text(crash: &Crash) -> String {
    value(crash.id as usize)
}

impl Tables {
    pub(crate) async fn open(db: &Bigtable) -> Result<Self, Error> {
        let schema = TableSchema::new().family("a", FamilySchema::new()).family("b", FamilySchema::new());
        Ok(Self {
            fixed: db.table("fixed", &schema).await?,
            written: db.table("written", &schema).await?,
            wide: Arc::new(AsyncWideTable::open(db.clone(), "wide", &schema).await?),
            plain: Arc::new(AsyncTable::open(OneColumn::database(db.clone()), "plain").await?),
        })
    }

    /// Writes the rows that are read, and that nobody writes later.
    pub(crate) async fn fill(&self) -> Result<(), Error> {
        let row = |n| (key(n), Mutation::new().put_at("a:v", 1, value(n)).put_at("b:n", 2, n.to_string()));
        self.fixed.mutate_many(&(0..ROWS).map(row).collect::<Vec<_>>()).await?;
        let all: Vec<Crash> = crashes().collect();
        let rows = all.iter().map(|crash| (crash, Mutation::new().put("a:v", text(crash))));
        self.wide.mutate_many(rows).await?;
        let puts = all.iter().map(|crash| async move { self.plain.put(crash, &text(crash)).await });
        futures_util::stream::iter(puts).buffer_unordered(32).collect::<Vec<_>>().await.into_iter().collect()
    }

    fn with_options(&self, options: &CallOptions) -> Self {
        Self {
            fixed: self.fixed.with_options(options),
            written: self.written.with_options(options),
            wide: Arc::new(self.wide.with_options(options)),
            plain: Arc::new(self.plain.with_options(options)),
        }
    }
}

/// A scan of some of the rows that nobody writes, and which these are, in its order.
pub(crate) fn drawn(random: &mut Random) -> (Scan, Vec<usize>) {
    let [one, other] = [0, 0].map(|_| random.below(ROWS as u64) as usize);
    let rows = match random.below(3) {
        0 => 0..ROWS,
        _ => one.min(other)..one.max(other) + 1,
    };
    let reverse = random.chance(2);
    let limit = random.chance(2).then(|| 1 + random.below(ROWS as u64));
    let Some(range) = KeyRange::new(key(rows.start), Some(key(rows.end))) else { panic!("{rows:?}") };
    let scan = Scan::new(vec![range]).reverse(reverse).limit(limit).batch_rows(random.one_of(&[1, 7, 256]));
    let mut expected: Vec<usize> = rows.collect();
    if reverse {
        expected.reverse();
    }
    expected.truncate(limit.map_or(usize::MAX, |limit| limit as usize));
    (scan, expected)
}

/// Calls that are made until they are to stop.
pub(crate) struct Load {
    pub(crate) tables: Tables,
    pub(crate) known: Known,
    stop: AtomicBool,
}

/// The work of a worker.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Work {
    Scans,
    Merges,
    Gets,
    Writes,
    Increments,
    Conditions,
}

const WORK: [Work; 6] = [Work::Scans, Work::Merges, Work::Gets, Work::Writes, Work::Increments, Work::Conditions];

/// A handle for a call, and how long the call may take.
struct Bounded {
    tables: Tables,
    most: Option<Duration>,
}

impl Load {
    pub(crate) fn new(tables: Tables) -> Arc<Self> {
        Arc::new(Self { tables, known: Known::default(), stop: AtomicBool::new(false) })
    }

    /// Works until `until` ends, each kind of work in so many tasks.
    pub(crate) async fn run(self: &Arc<Self>, tasks: u64, seed: u64, until: impl Future<Output = ()>) {
        let work = |id: u64| {
            let (load, work) = (Arc::clone(self), WORK[(id % WORK.len() as u64) as usize]);
            tokio::spawn(async move {
                let mut random = Random(seed ^ id << 32);
                load.work(work, id, &mut random).await;
            })
        };
        let workers: Vec<_> = (0..tasks * WORK.len() as u64).map(work).collect();
        until.await;
        self.stop.store(true, Ordering::Relaxed);
        for worker in workers {
            if let Err(error) = worker.await {
                std::panic::resume_unwind(error.into_panic());
            }
        }
    }

    fn goes_on(&self) -> bool {
        !self.stop.load(Ordering::Relaxed)
    }

    /// Without bounds, with a timeout, or with a token that is cancelled soon.
    fn bounded(&self, random: &mut Random) -> Bounded {
        match random.below(4) {
            0 => Bounded { tables: self.tables.clone(), most: None },
            1 => {
                let (cancel, after) = (Cancel::new(), Duration::from_millis(random.below(400)));
                let options = CallOptions::new().cancel(&cancel);
                tokio::spawn(async move {
                    sleep(after).await;
                    cancel.cancel();
                });
                Bounded { tables: self.tables.with_options(&options), most: Some(after) }
            }
            _ => {
                let options = CallOptions::new().timeout(TIMEOUT);
                Bounded { tables: self.tables.with_options(&options), most: Some(TIMEOUT) }
            }
        }
    }

    async fn work(&self, work: Work, id: u64, random: &mut Random) {
        match work {
            Work::Scans => self.scans(random).await,
            Work::Merges => self.merges(random).await,
            Work::Gets => self.gets(random).await,
            Work::Writes => self.writes(id, random).await,
            Work::Increments => self.increments(random).await,
            Work::Conditions => self.conditions(id, random).await,
        }
    }

    async fn scans(&self, random: &mut Random) {
        while self.goes_on() {
            let Bounded { tables, most } = self.bounded(random);
            let (scan, expected) = drawn(random);
            // Some scans are dropped early.
            let wanted = if random.chance(4) { random.below(300) as usize } else { usize::MAX };
            match self.scan(&*tables.fixed, &scan, &expected, wanted, most).await {
                Ok(()) => add(&self.known.scans),
                Err(error) => self.failed_read(&error),
            }
        }
    }

    /// Scans until so many rows have come, and checks each.
    pub(crate) async fn scan(
        &self,
        store: &dyn AsyncWideStore,
        scan: &Scan,
        expected: &[usize],
        wanted: usize,
        most: Option<Duration>,
    ) -> Result<(), Error> {
        let (mut batches, mut at) = (store.scan(scan, &Columns::all()), 0);
        while at < wanted {
            match within(most, "a batch", batches.next()).await {
                None => {
                    assert_eq!(at, expected.len(), "rows are missing: {scan:?}");
                    return Ok(());
                }
                Some(Ok(batch)) => {
                    for (row, cells) in batch.iter() {
                        let n = *expected.get(at).unwrap_or_else(|| panic!("a row too much: {scan:?}"));
                        let found: Vec<(String, i64, &[u8])> = CellIter::new(cells)
                            .map(|cell| (cell.column().to_string(), cell.timestamp, cell.value))
                            .collect();
                        let (value, number) = (value(n), n.to_string());
                        let right = [("a:v".to_owned(), 1, value.as_bytes()), ("b:n".to_owned(), 2, number.as_bytes())];
                        assert_eq!((row, found.as_slice()), (key(n).as_slice(), right.as_slice()), "{scan:?}");
                        at += 1;
                    }
                }
                Some(Err(error)) => {
                    let after = within(most, "the end after an error", batches.next()).await;
                    assert!(after.is_none(), "something comes after {error}");
                    return Err(error);
                }
            }
        }
        Ok(())
    }

    async fn merges(&self, random: &mut Random) {
        let mut sorted: Vec<Crash> = crashes().collect();
        sorted.sort_by_key(|crash| (std::cmp::Reverse(crash.at), crash.id));
        while self.goes_on() {
            let Bounded { tables, most } = self.bounded(random);
            let reverse = random.chance(2);
            let limit = if random.chance(2) { 1 + random.below(u64::from(SALTED)) } else { u64::MAX };
            let mut expected = sorted.clone();
            if reverse {
                expected.reverse();
            }
            expected.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
            // A merge may wait for a batch of each bucket.
            let most = most.map(|most| most * 2);
            let mut found = Vec::new();
            let result = if random.chance(2) {
                let mut rows = tables.wide.scan(.., Columns::all()).limit(limit);
                if reverse {
                    rows = rows.reverse();
                }
                loop {
                    match within(most, "a merged row", rows.next()).await {
                        None => break Ok(()),
                        Some(Ok((crash, row))) => {
                            assert_eq!(row.value("a:v"), Some(text(&crash).as_bytes()));
                            found.push(crash);
                        }
                        Some(Err(error)) => break Err(error),
                    }
                }
            } else {
                let mut rows = tables.plain.scan(..).limit(limit);
                if reverse {
                    rows = rows.reverse();
                }
                loop {
                    match within(most, "a merged row", rows.next()).await {
                        None => break Ok(()),
                        Some(Ok((crash, value))) => {
                            assert_eq!(value, text(&crash));
                            found.push(crash);
                        }
                        Some(Err(error)) => break Err(error),
                    }
                }
            };
            match result {
                Ok(()) => {
                    assert_eq!(found, expected);
                    add(&self.known.scans);
                }
                Err(error) => {
                    assert_eq!(found, expected[..found.len()], "before {error}");
                    self.failed_read(&error);
                }
            }
        }
    }

    fn failed_read(&self, error: &Error) {
        assert_typed(error);
        assert!(!matches!(error.kind(), ErrorKind::OutcomeUnknown | ErrorKind::Partial), "a read: {error}");
        add(&self.known.failed_reads);
    }

    async fn gets(&self, random: &mut Random) {
        while self.goes_on() {
            let Bounded { tables, most } = self.bounded(random);
            // Every third row is not there.
            let asked: Vec<usize> =
                (0..1 + random.below(40)).map(|_| random.below(ROWS as u64 * 3 / 2) as usize).collect();
            let keys: Vec<Vec<u8>> = asked.iter().map(|n| key(*n)).collect();
            let expected = |n: usize| (n < ROWS).then(|| value(n));
            let columns = Columns::of("a:v");
            let result = if random.chance(2) {
                let found = within(most, "a get", tables.fixed.get(&keys[0], &columns)).await;
                found.map(|row| vec![row])
            } else {
                let keys: Vec<&[u8]> = keys.iter().map(Vec::as_slice).collect();
                within(most, "a get of many", tables.fixed.get_many(&keys, &columns)).await
            };
            match result {
                Ok(rows) => {
                    for (row, n) in rows.iter().zip(&asked) {
                        assert_eq!(row.value("a:v"), expected(*n).as_deref().map(str::as_bytes), "{n}");
                    }
                    add(&self.known.gets);
                }
                Err(error) => self.failed_read(&error),
            }
        }
    }

    /// Rows that are written once, and a row whose number grows.
    async fn writes(&self, id: u64, random: &mut Random) {
        let register = format!("register {id}").into_bytes();
        let (mut next, mut number) = (0, 0);
        while self.goes_on() {
            let Bounded { tables, most } = self.bounded(random);
            let keys: Vec<String> = (0..1 + random.below(50)).map(|n| format!("once {id} {:06}", next + n)).collect();
            next += keys.len() as u64;
            let rows: Vec<_> =
                keys.iter().map(|key| (key.clone().into_bytes(), Mutation::new().put("a:v", key.as_str()))).collect();
            let result = within(most, "writes", tables.written.mutate_many(&rows)).await;
            {
                let mut written = locked(&self.known.written);
                let of_call = match &result {
                    // Some are written, and some are not: each row has its own error.
                    Err(Error::Rows(_)) => Fate::Written,
                    other => fate(other.as_ref().copied()),
                };
                written.extend(keys.iter().map(|key| (key.clone(), of_call)));
                if let Err(Error::Rows(rows)) = &result {
                    for row in rows.iter() {
                        assert_eq!(row.key(), keys[row.index()].as_bytes());
                        written.insert(keys[row.index()].clone(), fate(Err(row.error())));
                    }
                }
            }
            if result.is_err() {
                add(&self.known.failed_writes);
            }
            number += 1;
            let put = Mutation::new().put_at("a:n", number, number.to_string());
            let result = within(most, "a write", tables.written.mutate(&register, &put)).await;
            {
                let mut last = locked(&self.known.last);
                let (written, may_be) = last.entry(id).or_default();
                match fate(result.as_ref().copied()) {
                    Fate::Written => (*written, *may_be) = (number, number),
                    Fate::Unknown => *may_be = number,
                    Fate::Not => {}
                }
            }
            let read = within(most, "a get", tables.written.get(&register, &Columns::all())).await;
            match read {
                Ok(row) => self.check_register(id, row.value("a:n")),
                Err(error) => self.failed_read(&error),
            }
        }
    }

    fn check_register(&self, id: u64, value: Option<&[u8]>) {
        let found = value.map_or(0, |value| str::from_utf8(value).unwrap().parse::<i64>().unwrap());
        let (written, may_be) = locked(&self.known.last).get(&id).copied().unwrap_or_default();
        assert!((written..=may_be).contains(&found), "{found}, of {written} to {may_be}");
    }

    async fn increments(&self, random: &mut Random) {
        while self.goes_on() {
            let Bounded { tables, most } = self.bounded(random);
            let counters = [("a:count".into(), 1)];
            let result = within(most, "an increment", tables.written.increment(b"counter", &counters)).await;
            match result {
                Ok(sums) => locked(&self.known.sums).extend(sums),
                Err(error) => {
                    add(&self.known.failed_writes);
                    if fate(Err(&error)) == Fate::Unknown {
                        add(&self.known.unknown_increments);
                    }
                }
            }
        }
    }

    /// A number that grows by one if it is what it was: nobody else writes it.
    async fn conditions(&self, id: u64, random: &mut Random) {
        let row = format!("step {id}").into_bytes();
        let (mut number, mut is_sure) = (0_i64, true);
        while self.goes_on() {
            let Bounded { tables, most } = self.bounded(random);
            if !is_sure {
                match within(most, "a get", tables.written.get(&row, &Columns::all())).await {
                    Ok(row) => {
                        // A write whose outcome is not known may still come. Then the next condition fails.
                        number = row.value("a:step").map_or(0, |value| str::from_utf8(value).unwrap().parse().unwrap());
                    }
                    Err(error) => {
                        self.failed_read(&error);
                        continue;
                    }
                }
            }
            let is_as_before = match number {
                0 => Condition::absent("a:step"),
                _ => Condition::equal("a:step", number.to_string()),
            };
            let put = Mutation::new().delete_column("a:step").put("a:step", (number + 1).to_string());
            let call = tables.written.check_and_mutate(&row, &is_as_before, &put);
            let result = within(most, "a conditional write", call).await;
            let mut steps = locked(&self.known.steps);
            let (succeeded, unknown) = steps.entry(id).or_default();
            match result {
                Ok(true) => {
                    *succeeded += 1;
                    number += 1;
                }
                Ok(false) => assert!(!is_sure, "another one has written what nobody writes: {number}"),
                Err(error) => {
                    add(&self.known.failed_writes);
                    if fate(Err(&error)) == Fate::Unknown {
                        *unknown += 1;
                        is_sure = false;
                    }
                }
            }
        }
    }

    /// Checks what is there at the end, through another client.
    pub(crate) async fn check(&self, db: &Bigtable) {
        let tables = Tables::open(db).await.unwrap();
        for reverse in [false, true] {
            let mut all: Vec<usize> = (0..ROWS).collect();
            if reverse {
                all.reverse();
            }
            let scan = Scan::all().reverse(reverse);
            self.scan(&*tables.fixed, &scan, &all, usize::MAX, None).await.unwrap();
        }
        let written = locked(&self.known.written).clone();
        let mut batches = tables.written.scan(&Scan::new(vec![KeyRange::prefix("once")]), &Columns::all());
        let mut found = BTreeMap::new();
        while let Some(batch) = batches.next().await {
            for (row, cells) in batch.unwrap().iter() {
                let cells: Vec<Vec<u8>> = CellIter::new(cells).map(|cell| cell.value.to_vec()).collect();
                found.insert(String::from_utf8(row.to_vec()).unwrap(), cells);
            }
        }
        for (key, fate) in &written {
            let cells = found.remove(key);
            match (fate, &cells) {
                (Fate::Written | Fate::Unknown, Some(cells)) => assert_eq!(*cells, [key.as_bytes()], "{key}"),
                (Fate::Not | Fate::Unknown, None) => {}
                _ => panic!("{key}: {fate:?}, and there is {cells:?}"),
            }
        }
        assert!(found.is_empty(), "nobody wrote {found:?}");
        let ids: Vec<u64> = locked(&self.known.last).keys().copied().collect();
        for id in ids {
            let row = tables.written.get(format!("register {id}").as_bytes(), &Columns::all()).await.unwrap();
            self.check_register(id, row.value("a:n"));
        }
        let row = tables.written.get(b"counter", &Columns::all()).await.unwrap();
        let sum = row.value("a:count").map_or(0, |value| i64::from_be_bytes(value.try_into().unwrap()));
        let mut sums = locked(&self.known.sums).clone();
        let unknown = self.known.unknown_increments.load(Ordering::Relaxed);
        assert!(
            (sums.len()..=sums.len() + unknown).contains(&(sum as usize)),
            "{sum}, of {} and {unknown}",
            sums.len()
        );
        sums.sort_unstable();
        let acknowledged = sums.len();
        sums.dedup();
        assert_eq!(sums.len(), acknowledged, "a sum came twice");
        let steps = locked(&self.known.steps).clone();
        for (id, (succeeded, unknown)) in steps {
            let row = tables.written.get(format!("step {id}").as_bytes(), &Columns::all()).await.unwrap();
            let number: usize = row.value("a:step").map_or(0, |value| str::from_utf8(value).unwrap().parse().unwrap());
            assert!((succeeded..=succeeded + unknown).contains(&number), "{number}, of {succeeded} and {unknown}");
        }
        println!(
            "{} scans, {} gets, {} failed reads, {} writes, {acknowledged} increments, {} failed writes; {unknown} of the increments unknown",
            self.known.scans.load(Ordering::Relaxed),
            self.known.gets.load(Ordering::Relaxed),
            self.known.failed_reads.load(Ordering::Relaxed),
            written.len(),
            self.known.failed_writes.load(Ordering::Relaxed),
        );
    }
}
