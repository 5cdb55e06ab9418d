//! Rows are put, counters are counted, and rows that do not change are scanned, while a test makes faults.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use hbase_client::{Action, Client, ErrorKind, Increment, Options, Put, Scan, Table, TableSchema};

use crate::{cluster, create};

const TIMEOUT: Duration = Duration::from_secs(90);
/// The timeout of a call.
pub(super) const CALL: Duration = Duration::from_secs(4);
const FIXED: usize = 2000;

/// The results that the load saw.
#[derive(Debug, Default)]
struct Seen {
    /// Rows that each writer wrote, and those whose outcome is not known.
    written: Vec<(u64, Vec<u64>)>,
    /// The amount that was added to each counter, and the one that may have been.
    counted: Vec<(u64, u64)>,
    scans: u64,
}

pub(super) struct Load {
    pub(super) table: Table,
    over: Arc<AtomicBool>,
    slowest: Arc<AtomicU64>,
}

impl Load {
    /// A new table of a few regions, and a client with these options.
    pub(super) async fn start(name: &str, options: Options) -> (Client, Self) {
        Self::start_with(name, options, &["fixed00500", "fixed01000", "fixed01500"]).await
    }

    /// As `start`, with these splits among the rows that do not change.
    pub(super) async fn start_with(name: &str, options: Options, splits: &[&str]) -> (Client, Self) {
        cluster().start_missing().await;
        let client = Client::new(options.timeout(TIMEOUT).attempt_timeout(CALL)).unwrap();
        let splits = [&["c0", "c4"], splits, &["w0", "w1", "w2", "w3"]].concat();
        create(&client.admin(), &TableSchema::new(name).family("f"), &splits).await;
        let table = client.table(name);
        let fixed = (0..FIXED).map(|row| Action::from(Put::new(format!("fixed{row:05}")).value("f", "x", "1")));
        table.batch(fixed.collect()).await.into_iter().for_each(|result| drop(result.unwrap()));
        let load = Self { table, over: Arc::default(), slowest: Arc::default() };
        (client, load)
    }

    fn took(&self, began: Instant) {
        self.slowest.fetch_max(began.elapsed().as_millis() as u64, Ordering::Relaxed);
    }

    async fn write(&self, writer: u64) -> (u64, Vec<u64>) {
        let (mut next, mut unknown) = (0, Vec::new());
        while !self.over.load(Ordering::Relaxed) {
            let rows = next..next + 20;
            let put = |row| Action::from(Put::new(format!("w{writer}-{row:08}")).value("f", "x", "1"));
            let began = Instant::now();
            let results = self.table.batch(rows.clone().map(put).collect()).await;
            self.took(began);
            for (row, result) in rows.clone().zip(results) {
                match result {
                    Ok(_) => {}
                    Err(error) if error.kind() == ErrorKind::OutcomeUnknown => unknown.push(row),
                    Err(error) => panic!("writing: {error:?}"),
                }
            }
            next = rows.end;
        }
        (next, unknown)
    }

    async fn count(&self, counter: u64) -> (u64, u64) {
        let (mut sure, mut unknown) = (0, 0);
        while !self.over.load(Ordering::Relaxed) {
            let began = Instant::now();
            match self.table.increment(Increment::new(format!("c{counter}")).add("f", "n", 1)).await {
                Ok(_) => sure += 1,
                Err(error) if error.kind() == ErrorKind::OutcomeUnknown => unknown += 1,
                Err(error) => panic!("counting: {error:?}"),
            }
            self.took(began);
        }
        (sure, unknown)
    }

    async fn scan(&self) -> u64 {
        let mut scans = 0;
        while !self.over.load(Ordering::Relaxed) {
            let reverse = scans % 2 == 1;
            let scan = Scan::new().rows_per_call(100);
            let scan = match reverse {
                false => scan.start("fixed").stop_before("fixee"),
                true => scan.reverse().start_after("fixee").stop_with("fixed"),
            };
            let mut scanner = self.table.scan(scan);
            let mut rows = Vec::new();
            loop {
                let began = Instant::now();
                let Some(batch) = scanner.next_batch().await.expect("a scan goes on") else { break };
                self.took(began);
                rows.extend(batch.iter().map(|row| String::from_utf8(row.key().to_vec()).unwrap()));
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
            let mut expected: Vec<_> = (0..FIXED).map(|row| format!("fixed{row:05}")).collect();
            if reverse {
                expected.reverse();
            }
            assert_eq!(rows, expected);
            scans += 1;
        }
        scans
    }

    /// Runs the load while `faults` makes faults, and checks what came of it.
    pub(super) async fn run(self, faults: impl Future<Output = ()>) {
        let began = Instant::now();
        let writers = futures_util::future::join_all((0..4).map(|writer| self.write(writer)));
        let counters = futures_util::future::join_all((0..8).map(|counter| self.count(counter)));
        let scanners = futures_util::future::join_all((0..2).map(|_| self.scan()));
        let faults = async {
            tokio::time::sleep(Duration::from_secs(1)).await;
            faults.await;
            tokio::time::sleep(Duration::from_secs(1)).await;
            self.over.store(true, Ordering::Relaxed);
        };
        let (written, counted, scans, ()) = tokio::join!(writers, counters, scanners, faults);
        let seen = Seen { written, counted, scans: scans.into_iter().sum() };
        let slowest = Duration::from_millis(self.slowest.load(Ordering::Relaxed));
        assert!(slowest < TIMEOUT + Duration::from_secs(1), "an operation took {slowest:?}");
        self.check(&seen).await;
        let rows: u64 = seen.written.iter().map(|(rows, _)| rows).sum();
        let unknown: usize = seen.written.iter().map(|(_, unknown)| unknown.len()).sum();
        let counts: u64 = seen.counted.iter().map(|(sure, _)| sure).sum();
        let unsure: u64 = seen.counted.iter().map(|(_, unsure)| unsure).sum();
        println!(
            "{rows} rows ({unknown} not known), {counts} increments ({unsure} not known), {} scans, the slowest {slowest:?}; {:?}",
            seen.scans,
            began.elapsed()
        );
    }

    async fn check(&self, seen: &Seen) {
        for (writer, (rows, unknown)) in seen.written.iter().enumerate() {
            let scan = Scan::new().start(format!("w{writer}-")).stop_before(format!("w{writer}."));
            let mut scanner = self.table.scan(scan);
            let mut there = BTreeSet::new();
            while let Some(row) = scanner.next().await.unwrap() {
                there.insert(String::from_utf8(row.key().to_vec()).unwrap());
            }
            for row in (0..*rows).filter(|row| !unknown.contains(row)) {
                assert!(there.contains(&format!("w{writer}-{row:08}")), "an acknowledged row is lost");
            }
        }
        for (counter, (sure, unknown)) in seen.counted.iter().enumerate() {
            let row = self.table.get(format!("c{counter}")).await.unwrap();
            let value = row.value("f", "n").map_or(0, |value| u64::from_be_bytes(value.try_into().unwrap()));
            assert!((*sure..=sure + unknown).contains(&value), "{value} of {sure} and {unknown} that are not known");
        }
    }
}
