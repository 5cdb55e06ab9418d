//! The load of one client process, which writes, counts and scans until it is told to end, and then checks.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use hbase_client::{Address, Client, Options};
use rowkey::clock::SystemClock;
use rowkey::nonblocking::Blocking;
use rowkey::store::CallOptions;
use rowkey::wide::{OneColumn, OneColumnDatabase};
use rowkey::{Error, ErrorKind};
use rowkey_hbase::HBase;
use rowkey_hbase_testkit::{Fault, Proxy};
use tokio::sync::Notify;

use super::counters::Counters;
use super::held::{Held, Late, Which};
use super::rows::{Plain, Rows, Wide};
use super::{counters, parcels, rows, seats};
use crate::{runtime, site};

/// The variable by which a process of the load knows the namespace and its own number.
pub(super) const LOAD: &str = "ROWKEY_HBASE_LOAD";

/// The timeout of a call, and that of an attempt of the client, which is shorter than some faults.
pub(super) const TIMEOUT: Duration = Duration::from_secs(4);
const ATTEMPT: Duration = Duration::from_secs(1);
/// The time by which a call may end after its deadline.
const GRACE: Duration = Duration::from_secs(1);

/// The delay of late requests, and that of a slow server's responses.
const LATE: Duration = Duration::from_secs(2);
const SLOW: Duration = Duration::from_millis(700);

/// The most memory that a process of the load may have, in KiB: some times what it has without faults.
const MOST: u64 = 100 << 10;

/// A database of plain tables in synchronous code.
pub(super) type Plains = OneColumnDatabase<Blocking<HBase>>;

/// The result of a write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Outcome {
    Written,
    Unknown,
    /// Nothing was written, and nothing will be.
    Refused,
}

/// The state that all parts of the load share.
#[derive(Default)]
pub(super) struct Load {
    over: AtomicBool,
    /// Milliseconds in which this process ran.
    ran: AtomicU64,
    slowest: AtomicU64,
    tally: Mutex<BTreeMap<String, u64>>,
}

impl Load {
    pub(super) fn is_over(&self) -> bool {
        self.over.load(Ordering::Relaxed)
    }

    pub(super) fn add(&self, what: impl Into<String>, number: u64) {
        *self.tally.lock().unwrap().entry(what.into()).or_default() += number;
    }

    /// Counts the time in which this process ran. In a process that got no processor for a while, calls end late by
    /// nobody's fault, so that while does not count.
    async fn run_clock(&self) {
        const STEP: Duration = Duration::from_millis(10);
        loop {
            let began = Instant::now();
            tokio::time::sleep(STEP).await;
            let took = began.elapsed().min(5 * STEP);
            self.ran.fetch_add(took.as_millis() as u64, Ordering::Relaxed);
        }
    }

    /// Returns what checks at the end of a call that it is not later than its deadline.
    fn timed(&self, timeout: Duration) -> impl Fn(&str) {
        let began = self.ran.load(Ordering::Relaxed);
        move |what| {
            let took = self.ran.load(Ordering::Relaxed) - began;
            self.slowest.fetch_max(took, Ordering::Relaxed);
            assert!(took <= (timeout + GRACE).as_millis() as u64, "{what} took {took} ms, and had {timeout:?}");
        }
    }

    pub(super) async fn within<T>(&self, what: &str, call: impl Future<Output = T>) -> T {
        let timed = self.timed(TIMEOUT);
        let result = call.await;
        timed(what);
        result
    }

    pub(super) fn blocking<T>(&self, what: &str, timeout: Duration, call: impl FnOnce() -> T) -> T {
        let timed = self.timed(timeout);
        let result = call();
        timed(what);
        result
    }

    /// The result of a read; `None` if the cluster was not there in time.
    pub(super) fn read<T>(&self, what: &str, result: Result<T, Error>) -> Option<T> {
        match result {
            Ok(read) => Some(read),
            Err(error) if matches!(error.kind(), ErrorKind::Busy | ErrorKind::DeadlineExceeded) => {
                self.add(format!("{what} refused"), 1);
                None
            }
            Err(error) => panic!("{what}: {error:?}"),
        }
    }

    /// Checks what was read of a row.
    pub(super) fn found<V: Clone + Debug + PartialEq>(
        &self,
        what: &str,
        row: impl Debug,
        held: &Held<V>,
        found: &Option<V>,
    ) {
        if held.check(&(what, row), found) == Which::Overtaken {
            self.add(format!("{what} hidden by a late write"), 1);
        }
    }

    /// The outcome of a write.
    pub(super) fn wrote(&self, what: &str, error: Option<&Error>) -> Outcome {
        let (outcome, word) = match error.map(Error::kind) {
            None => (Outcome::Written, "written"),
            Some(ErrorKind::OutcomeUnknown) => (Outcome::Unknown, "unknown"),
            Some(ErrorKind::Busy | ErrorKind::DeadlineExceeded) => (Outcome::Refused, "refused"),
            Some(_) => panic!("{what}: {error:?}"),
        };
        self.add(format!("{what} {word}"), 1);
        outcome
    }
}

/// The commands of the test to this process.
struct Told {
    load: Arc<Load>,
    proxy: Proxy,
    /// The steps of the migration.
    steps: Sender<String>,
    check: Notify,
}

impl Told {
    fn does(&self, line: &str) {
        let fault = match line.split_once(' ').unwrap_or((line, "")) {
            ("cut", bytes) => Fault { cut_after: Some(1..bytes.parse().unwrap()), ..Fault::default() },
            ("late", bytes) => {
                Fault { cut_after: Some(1..bytes.parse().unwrap()), late: Some(LATE), ..Fault::default() }
            }
            ("slow", port) => {
                let server = Address::new("127.0.0.1", port.parse().unwrap());
                Fault { slow: Some((server, SLOW)), ..Fault::default() }
            }
            ("well", _) => Fault::default(),
            ("step", step) => return self.steps.send(step.to_owned()).unwrap(),
            ("end", _) => return self.load.over.store(true, Ordering::Relaxed),
            ("check", _) => return self.check.notify_one(),
            _ => panic!("{line}"),
        };
        self.proxy.set(fault);
        self.proxy.close();
    }
}

/// Not a test, but what the test starts twice.
#[test]
#[ignore = "is started by another test"]
fn of_a_process() {
    let Ok(given) = std::env::var(LOAD) else { return };
    // A part that fails ends all.
    std::panic::set_hook(Box::new(|panic| {
        eprintln!("a process of the load: {panic}");
        std::process::exit(1);
    }));
    println!();
    let (namespace, number) = given.split_once(' ').unwrap();
    run(namespace, number.parse().unwrap());
}

fn run(namespace: &str, process: u16) {
    let (runtime, load, proxy) = (runtime(), Arc::new(Load::default()), Proxy::default());
    let options = Options::from_site(site()).unwrap().attempt_timeout(ATTEMPT).read_timeout(2 * ATTEMPT);
    let client = {
        let _inside = runtime.enter();
        Client::new(proxy.options(options)).unwrap()
    };
    let database = runtime.block_on(HBase::connect(client)).unwrap().in_namespace(namespace);
    let handle = runtime.handle().clone();
    let plains = OneColumn::database(Blocking::on(database.clone(), move |future| drop(handle.spawn(future))));
    let (steps, to_step) = channel();
    let told = Arc::new(Told { load: Arc::clone(&load), proxy: proxy.clone(), steps, check: Notify::new() });
    let ticking = Arc::clone(&load);
    runtime.spawn(async move { ticking.run_clock().await });
    let (wide, plain, counters) = runtime.block_on(async {
        let plain = Plain::open(OneColumn::database(database.clone().with_clock(SystemClock))).await;
        (Wide::open(database.clone()).await, plain, Counters::open(&database).await)
    });
    let (seats, parcels) = (seats::Seats::open(&plains), parcels::Parcels::open(&plains));

    let listening = Arc::clone(&told);
    std::thread::spawn(move || {
        std::io::stdin().lines().for_each(|line| listening.does(&line.unwrap()));
        // The test has ended.
        std::process::exit(1);
    });
    println!("begins");
    let (step_load, stepped) = (&load, &parcels);
    let (sat, sent, (wide_held, plain_held, counted, (), ())) = std::thread::scope(|scope| {
        let sat = scope.spawn(|| seats.write(&load, process));
        let sent = scope.spawn(|| parcels.write(&load, process));
        scope.spawn(|| seats.read(&load));
        scope.spawn(move || stepped.step(step_load, &to_step));
        let rest = runtime.block_on(async {
            tokio::join!(
                rows::write_all(&load, &wide, process, Late::Hides),
                rows::write_all(&load, &plain, process, Late::IsNothing),
                counters::count(&load, &counters),
                rows::scan_all(&load, &wide),
                rows::scan_all(&load, &plain),
            )
        });
        (sat.join().unwrap(), sent.join().unwrap(), rest)
    });
    println!("ended");
    runtime.block_on(told.check.notified());
    runtime.block_on(async {
        wide.check(&load, &wide_held).await;
        plain.check(&load, &plain_held).await;
    });
    seats.check(&load, &sat);
    parcels.check(&load, &sent);
    println!("counted {}", counters::line(&counted));
    load.add("late connections", proxy.late());
    load.add("slowest ms", load.slowest.load(Ordering::Relaxed));
    let peak = peak();
    assert!(peak < MOST, "{peak} KiB");
    load.add("peak KiB", peak);
    let tally = load.tally.lock().unwrap();
    let tally: Vec<_> = tally.iter().map(|(what, number)| format!("{what} {number}")).collect();
    println!("checked {}", tally.join(", "));
}

/// The most memory that this process had, in KiB.
fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("the peak");
    line.trim_end_matches("kB").trim().parse().unwrap()
}

/// The options of the load's calls.
pub(super) fn in_time() -> CallOptions {
    CallOptions::new().timeout(TIMEOUT)
}
