//! The service, asked over HTTP: as a program on fjall, HBase or Bigtable's emulator, and in this process on other
//! engines.

mod bigtable;
mod bounds;
mod hbase;
mod stops;
mod writes;

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader, Read};
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread::{panicking, sleep};
use std::time::{Duration, Instant};

use jiff::civil::Date;
use jiff::tz::TimeZone;
use rowkey::nonblocking::AsyncDatabase;
use rowkey_service::{Hit, Limits, Service, Visit};
use rowkey_studies::weblog::{Log, read_logs};
use serde_json::Value;
use tempfile::TempDir;
use tokio::net::TcpListener;
use tokio::runtime::Runtime;
use tokio::sync::oneshot;
use ureq::Agent;

/// Only a process that hangs takes as long.
const HANGS: Duration = Duration::from_secs(300);

/// The time of a request that is not to be late.
const PATIENT: u64 = HANGS.as_millis() as u64;

const LIMITS: Limits = Limits { requests: 64, timeout_ms: PATIENT, finish_ms: PATIENT };

/// The sample of a web log. The number of a line is the id of its visit.
static LOG: LazyLock<Vec<Visit>> = LazyLock::new(|| {
    let mut visits = Vec::new();
    let read = read_logs([Log::Sample], |line| {
        let (id, hit) = (visits.len() as u64, line.hit);
        let target = hit.request.as_deref().and_then(|request| request.split(' ').nth(1)).unwrap_or("-");
        let page = target.split('?').next().unwrap_or(target).to_owned();
        let hit = Hit { page, status: hit.status, size: hit.size, referrer: hit.referrer, agent: hit.agent };
        visits.push(Visit { id, visitor: line.visitor.to_owned(), at: line.at, hit });
        Ok(())
    });
    read.unwrap();
    visits
});

/// Where the program keeps the visits.
enum Place {
    Directory(TempDir),
    Instance(String),
    /// An hbase-site.xml, and a namespace.
    HBase(PathBuf, String),
}

impl Place {
    fn directory() -> Self {
        Self::Directory(tempfile::tempdir().unwrap())
    }

    /// An instance of Bigtable that nobody else has, on the emulator at BIGTABLE_EMULATOR_HOST.
    fn instance() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        std::env::var("BIGTABLE_EMULATOR_HOST").expect("BIGTABLE_EMULATOR_HOST is the address of an emulator");
        Self::Instance(format!("service{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed)))
    }

    /// Whether a request is stored whole or not at all.
    fn is_atomic(&self) -> bool {
        matches!(self, Self::Directory(_))
    }

    /// Waits until what a killed process has sent is applied.
    fn settle(&self) {
        if !matches!(self, Self::Directory(_)) {
            sleep(Duration::from_secs(1));
        }
    }

    fn start(&self, limits: &[&str]) -> Program {
        let mut command = Command::new(env!("CARGO_BIN_EXE_rowkey-service"));
        match self {
            Self::Directory(directory) => command.arg(directory.path()),
            Self::Instance(instance) => command.args(["--bigtable", &format!("p/{instance}")]),
            Self::HBase(site, namespace) => command.arg("--hbase").arg(site).args(["--namespace", namespace]),
        };
        Program::start(&mut command, limits)
    }
}

/// The service as a program. It is killed when this is dropped.
struct Program {
    child: Child,
    address: String,
}

impl Program {
    fn start(command: &mut Command, limits: &[&str]) -> Self {
        command.args(["--listen", "127.0.0.1:0"]);
        command.args(["--timeout-ms", &PATIENT.to_string()]).args(limits);
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().unwrap();
        let mut said = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut said).unwrap();
        let address = said.strip_prefix("listening at ").expect("an address").trim_end().to_owned();
        Self { child, address }
    }

    fn client(&self) -> Client {
        Client::new(&self.address)
    }

    fn terminate(&self) {
        let pid = self.child.id().to_string();
        assert!(Command::new("kill").args(["-s", "TERM", &pid]).status().unwrap().success());
    }

    fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    fn ended(&mut self) -> ExitStatus {
        until("the program ends", || self.child.try_wait().unwrap())
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The service in this process. It stops when this is dropped.
struct Served {
    address: String,
    stop: Option<oneshot::Sender<()>>,
    serving: Option<tokio::task::JoinHandle<()>>,
    runtime: Runtime,
}

impl Served {
    fn start<D: AsyncDatabase + Clone + 'static>(db: D, limits: Limits) -> Self {
        Self::start_on(async { db }, limits)
    }

    /// On a database that is connected to in the service's runtime.
    fn start_on<D: AsyncDatabase + Clone + 'static>(db: impl Future<Output = D>, limits: Limits) -> Self {
        let runtime = Runtime::new().unwrap();
        let (service, listener) = runtime.block_on(async {
            (Service::open(db.await, limits).await.unwrap(), TcpListener::bind("127.0.0.1:0").await.unwrap())
        });
        let address = listener.local_addr().unwrap().to_string();
        let (stop, stopped) = oneshot::channel();
        let serving = runtime.spawn(service.serve(listener, async { _ = stopped.await }));
        Self { address, stop: Some(stop), serving: Some(serving), runtime }
    }

    fn client(&self) -> Client {
        Client::new(&self.address)
    }

    fn stop(&mut self) {
        drop(self.stop.take());
    }

    fn has_ended(&self) -> bool {
        self.serving.as_ref().is_none_or(|serving| serving.is_finished())
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        self.stop();
        // A test that fails may leave requests that do not end.
        if let (Some(serving), false) = (self.serving.take(), panicking()) {
            _ = self.runtime.block_on(serving);
        }
    }
}

/// Asks until there is an answer.
fn until<T>(what: &str, mut ask: impl FnMut() -> Option<T>) -> T {
    let begun = Instant::now();
    loop {
        if let Some(answer) = ask() {
            return answer;
        }
        assert!(begun.elapsed() < HANGS, "{what}: it hangs");
        sleep(Duration::from_millis(5));
    }
}

/// A client with connections of its own.
struct Client {
    agent: Agent,
    address: String,
}

type Asked = Result<(u16, Value), ureq::Error>;

impl Client {
    fn new(address: &str) -> Self {
        let config = Agent::config_builder().http_status_as_error(false).timeout_global(Some(HANGS));
        Self { agent: config.build().into(), address: address.to_owned() }
    }

    fn ask(&self, path: &str, millis: Option<u64>) -> Asked {
        let mut request = self.agent.get(format!("http://{}{path}", self.address));
        if let Some(millis) = millis {
            request = request.header("request-timeout-ms", millis.to_string());
        }
        let mut response = request.call()?;
        let body = response.body_mut().read_to_string()?;
        Ok((response.status().as_u16(), serde_json::from_str(&body).unwrap_or(Value::String(body))))
    }

    /// The request to a service that has no reason to refuse it.
    fn get(&self, path: &str) -> Value {
        let (status, body) = self.ask(path, None).unwrap();
        assert_eq!(status, 200, "{path}: {body}");
        body
    }

    fn post(&self, visits: &[Visit], millis: u64) -> Asked {
        let request = self.agent.post(format!("http://{}/visits", self.address));
        let mut response = request.header("request-timeout-ms", millis.to_string()).send_json(visits)?;
        Ok((response.status().as_u16(), response.body_mut().read_json()?))
    }

    /// Posts visits in batches. Returns how many were new, and how many known.
    fn store(&self, visits: &[Visit], batch: usize) -> (u64, u64) {
        visits.chunks(batch).fold((0, 0), |(new, known), visits| {
            let (status, body) = self.post(visits, PATIENT).unwrap();
            assert!(status == 200 || status == 201, "{status}: {body}");
            (new + body["new"].as_u64().unwrap(), known + body["known"].as_u64().unwrap())
        })
    }

    fn stream(&self, visitor: &str) -> impl Read + use<> {
        let path = format!("http://{}/visitors/{}/visits.ndjson", self.address, segment(visitor));
        let response = self.agent.get(path).call().unwrap();
        assert_eq!(response.status(), 200);
        response.into_body().into_reader()
    }

    /// All visits of a visitor, as a stream.
    fn streamed(&self, visitor: &str) -> Vec<Visit> {
        let lines = BufReader::new(self.stream(visitor)).lines();
        lines.map(|line| serde_json::from_str(&line.unwrap()).unwrap()).collect()
    }

    /// All visits of a list, page by page. `between` is called after each page.
    fn paged(&self, list: &str, rows: usize, mut between: impl FnMut()) -> Vec<Visit> {
        let (mut visits, mut after) = (Vec::new(), String::new());
        loop {
            let mut page = self.get(&format!("{list}?rows={rows}{after}"));
            let found: Vec<Visit> = serde_json::from_value(page["visits"].take()).unwrap();
            assert!(found.len() <= rows);
            visits.extend(found);
            between();
            let Some(cursor) = page["next"].as_str() else { return visits };
            after = format!("&after={cursor}");
        }
    }

    fn hits(&self, page: &str, day: Date) -> usize {
        let counted = self.get(&format!("/pages/{}/hits?day={day}", segment(page)));
        counted["hits"].as_u64().unwrap() as usize
    }

    /// Reads what is stored of these visits' visitors and pages: by visitor and by page. Both agree.
    fn listed(&self, visits: &[Visit]) -> BTreeMap<u64, Visit> {
        let visitors: BTreeSet<_> = visits.iter().map(|visit| &visit.visitor).collect();
        let by_visitor = by_id(visitors.into_iter().flat_map(|visitor| self.streamed(visitor)));
        let pages: BTreeSet<_> = visits.iter().map(|visit| &visit.hit.page).collect();
        let by_page = pages.into_iter().flat_map(|page| self.paged(&of_page(page), 1000, || {}));
        let by_page = by_id(by_page);
        assert_eq!(by_visitor, by_page, "the visits, and those that the index names");
        by_page.values().for_each(|visit| assert_eq!(visit, &LOG[visit.id as usize]));
        by_page
    }

    /// As [`listed`](Self::listed), and the counters of these visits' pages and days agree with them. Returns the ids.
    fn stored(&self, visits: &[Visit]) -> BTreeSet<u64> {
        let listed = self.listed(visits);
        let stored = counts(listed.values());
        for (page, day) in counts(visits).into_keys() {
            let expected = stored.get(&(page, day)).copied().unwrap_or(0);
            assert_eq!(self.hits(page, day), expected, "{page} on {day}");
        }
        listed.into_keys().collect()
    }
}

fn by_id(visits: impl Iterator<Item = Visit>) -> BTreeMap<u64, Visit> {
    let mut found = BTreeMap::new();
    for visit in visits {
        assert!(found.insert(visit.id, visit).is_none(), "a visit is listed twice");
    }
    found
}

/// Visits of each page and day.
fn counts<'v>(visits: impl IntoIterator<Item = &'v Visit>) -> BTreeMap<(&'v str, Date), usize> {
    let mut counts = BTreeMap::new();
    for visit in visits {
        let day = visit.at.to_zoned(TimeZone::UTC).date();
        *counts.entry((&*visit.hit.page, day)).or_default() += 1;
    }
    counts
}

/// Visits in the order of a list: newest first.
fn newest_first<'v>(visits: impl IntoIterator<Item = &'v Visit>) -> Vec<Visit> {
    let mut visits: Vec<_> = visits.into_iter().cloned().collect();
    visits.sort_by(|a, b| b.at.cmp(&a.at).then_with(|| (&a.visitor, a.id).cmp(&(&b.visitor, b.id))));
    visits
}

/// The value that most visits have.
fn most_frequent(of: impl Fn(&'static Visit) -> &'static str) -> &'static str {
    let mut counts = BTreeMap::<_, usize>::new();
    LOG.iter().for_each(|visit| *counts.entry(of(visit)).or_default() += 1);
    counts.into_iter().max_by_key(|(_, count)| *count).unwrap().0
}

fn of_visitor(visitor: &str) -> String {
    format!("/visitors/{}/visits", segment(visitor))
}

fn of_page(page: &str) -> String {
    format!("/pages/{}/visits", segment(page))
}

/// A text as a segment of a path.
fn segment(text: &str) -> String {
    let escaped = |byte: u8| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => char::from(byte).to_string(),
        _ => format!("%{byte:02X}"),
    };
    text.bytes().map(escaped).collect()
}
