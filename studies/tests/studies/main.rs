//! The studies, run as a user runs them: what they print is what plain code finds over the same input.

mod access_log;
mod actions;
mod autocomplete;
mod boundaries;
mod cities;
mod combined;
mod crash_reports;
mod designs;
mod four_designs;
mod friends;
mod hbase;
mod homepages;
mod inbound;
mod inbox;
mod ip_country;
mod links;
mod locations;
mod metrics;
mod next_record;
mod places;
mod samples;
mod students;
mod temperatures;
mod tiles;
mod visits;
mod weblogs;

use std::ffi::OsStr;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};

use flate2::read::GzDecoder;
use jiff::Timestamp;
use rowkey_studies::sample;

/// How a program ended, and what it said.
struct Run {
    status: ExitStatus,
    stdout: String,
    stderr: String,
}

/// The studies of src/study.
const PROGRAMS: [&str; 22] = [
    "access_log",
    "actions",
    "autocomplete",
    "boundaries",
    "cities",
    "crash_reports",
    "four_designs",
    "friends",
    "homepages",
    "inbound",
    "inbox",
    "ip_country",
    "links",
    "locations",
    "make_log",
    "metrics",
    "next_record",
    "students",
    "temperatures",
    "tiles",
    "visits",
    "weblogs",
];

const NONE: [&str; 0] = [];

fn program(name: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_rowkey-studies"));
    command.arg(name);
    command
}

fn run(name: &str, args: &[impl AsRef<OsStr>], stdin: &[u8]) -> Run {
    let mut command = program(name);
    command.args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    std::thread::scope(|scope| {
        // A program that ends before it has read all is no failure of the test.
        scope.spawn(move || drop(input.write_all(stdin)));
        let output = child.wait_with_output().unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        Run { status: output.status, stdout: text(output.stdout), stderr: text(output.stderr) }
    })
}

/// The output of a run that has to succeed.
fn output(name: &str, args: &[impl AsRef<OsStr>]) -> String {
    let run = run(name, args, b"");
    assert!(run.status.success(), "{}", run.stderr);
    assert_eq!(run.stderr, "");
    run.stdout
}

/// `study | head`: the output is closed early.
fn nobody_reads(name: &str, args: &[impl AsRef<OsStr>]) {
    let (reader, writer) = io::pipe().unwrap();
    drop(reader);
    let child = program(name).args(args).stdin(Stdio::null()).stdout(writer).stderr(Stdio::piped()).spawn();
    let output = child.unwrap().wait_with_output().unwrap();
    assert_eq!(String::from_utf8(output.stderr).unwrap(), "");
    assert!(output.status.success());
}

/// The output of a query: its cost, and the lines below.
#[derive(Debug)]
struct Told<'o> {
    rows_read: u64,
    cells_read: u64,
    seeks: u64,
    /// Rows returned.
    rows: u64,
    /// Cells returned.
    cells: u64,
    lines: Vec<&'o str>,
}

/// The answer to the query of this title.
fn told<'o>(output: &'o str, title: &str) -> Told<'o> {
    let mut lines = output.lines().skip_while(|line| *line != title).skip(1);
    let counts = lines.next().unwrap_or_else(|| panic!("no {title:?} in\n{output}"));
    let numbers: Vec<_> = counts.split(' ').filter(|word| word.starts_with(|c: char| c.is_ascii_digit())).collect();
    let [rows_read, cells_read, seeks, rows, cells] = numbers[..] else { panic!("{counts:?} tells no costs") };
    let [rows_read, cells_read, seeks, rows, cells] = [rows_read, cells_read, seeks, rows, cells].map(number);
    let lines = lines.take_while(|line| line.starts_with("  ")).map(str::trim).collect();
    Told { rows_read, cells_read, seeks, rows, cells, lines }
}

/// `1,234`
fn number(text: &str) -> u64 {
    text.replace(',', "").parse().unwrap_or_else(|_| panic!("{text:?} is no number"))
}

/// The place of a file in a folder of this process alone: under load the tests run several times at once.
fn place(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(std::process::id().to_string());
    std::fs::create_dir_all(&folder).unwrap();
    folder.join(name)
}

fn temporary(name: &str, content: &[u8]) -> PathBuf {
    let path = place(name);
    std::fs::write(&path, content).unwrap();
    path
}

/// A line of a log, as plain code understands it.
#[derive(Debug, Clone, PartialEq)]
struct Visit {
    visitor: String,
    at: Timestamp,
    size: u64,
    request: String,
}

/// A file of the folder that `ROWKEY_DATA` names, if there is one.
fn data(name: &str) -> Option<PathBuf> {
    let Some(folder) = std::env::var_os("ROWKEY_DATA") else {
        eprintln!("skipped for {name}: ROWKEY_DATA names no folder");
        return None;
    };
    assert!(Path::new(&folder).is_dir(), "ROWKEY_DATA names {}, which is not a folder", Path::new(&folder).display());
    let path = Path::new(&folder).join(name);
    let there = path.exists();
    if !there {
        eprintln!("skipped: there is no {}", path.display());
    }
    there.then_some(path)
}

/// Data of one's own: the file, and its text.
fn real(name: &str) -> Option<(PathBuf, String)> {
    let path = data(name)?;
    let text = unpacked(&std::fs::read(&path).unwrap());
    Some((path, text))
}

/// The decompressed bytes of a gzip file.
fn unpacked(bytes: &[u8]) -> String {
    let mut text = String::new();
    GzDecoder::new(bytes).read_to_string(&mut text).unwrap();
    text
}

/// The sample log and, where there is one, a log of one's own: the file, and its lines.
fn log_files() -> Vec<(String, String)> {
    let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/access.log.gz");
    let files = [Some((sample, unpacked(sample::ACCESS_LOG))), real("access.log.gz")].into_iter().flatten();
    files.map(|(path, log)| (path.to_str().unwrap().to_owned(), log)).collect()
}

/// The same with a study's arguments: it takes the sample if it is given no log.
fn logs() -> Vec<(Vec<String>, String)> {
    log_files()
        .into_iter()
        .enumerate()
        .map(|(nth, (path, log))| (Vec::from_iter((nth > 0).then_some(path)), log))
        .collect()
}

/// Their lines as visits.
fn visits(log: &str) -> Vec<Visit> {
    let visit = |line: &str| {
        let words: Vec<_> = line.split(' ').collect();
        let parts: Vec<_> = line.split('"').collect();
        let time = format!("{} {}", &words[3][1..], &words[4][..5]);
        Visit {
            visitor: words[0].to_owned(),
            at: Timestamp::strptime("%d/%b/%Y:%H:%M:%S %z", time).unwrap(),
            size: parts[2].split(' ').nth(2).unwrap().parse().unwrap_or(0),
            request: parts[1].to_owned(),
        }
    };
    log.lines().map(visit).collect()
}

/// Where malformed lines stand in [`made_log`], and why they are refused.
const MALFORMED: [(&[u8], &str); 7] = [
    (b"", "the line is empty"),
    (b"10.0.0.1 - - [01/May/2015:00:00:00 +0000] \"GET / HTTP/1.1\" 200", "the line ends before the size"),
    (
        b"10.0.0.1 - - [32/May/2015:00:00:00 +0000] \"GET / HTTP/1.1\" 200 1 \"-\" \"-\"",
        "the time is \"32/May/2015:00:00:00 +0000\"",
    ),
    (b"10.0.0.1 - - [01/May/2015:00:00:00 +0000] \"GET / HTTP/1.1\\\" 200 1 \\\"-", "the request has no closing quote"),
    (b"10.0.0.1 - - [01/May/2015:00:00:00 +0000] \"GET /\" two 1 \"-\" \"-\"", "the status is \"two\""),
    (
        b"\xff\xfe\x00 - - [01/May/2015:00:00:00 +0000] \"GET /\" 200 1 \"-\" \"-\"",
        "the visitor is \"\u{fffd}\u{fffd}\\0\"",
    ),
    (b"# a comment", "the line ends before the time"),
];

/// Some hundred visits, in no order, many at the same second, with a malformed line now and then.
fn made_log() -> (Vec<u8>, Vec<Visit>) {
    let visitors = ["10.0.0.1", "10.0.0.10", "10.0.0.2", "2001:db8::7", "crawler.example.org", "::1"];
    let (mut log, mut visits) = (Vec::new(), Vec::new());
    let mut random = 1u64;
    let mut below = |n: u64| {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (random >> 33) % n
    };
    for i in 0..700 {
        if i % 100 == 7 {
            log.extend_from_slice(MALFORMED[i / 100].0);
            log.push(b'\n');
        }
        let visitor = visitors[below(6).min(below(6)) as usize];
        let (day, hour, minute, second) = (1 + below(3), below(6) * 4, below(2) * 30, 7);
        let (offset, zone) = [(0, "+0000"), (2 * 3600, "+0200"), (-27_000, "-0730")][below(3) as usize];
        let local: Timestamp = format!("2015-05-{day:02}T{hour:02}:{minute:02}:{second:02}Z").parse().unwrap();
        let at = Timestamp::from_second(local.as_second() - offset).unwrap();
        let (size, written) = if below(5) == 0 { (0, "-".to_owned()) } else { (i as u64, i.to_string()) };
        let (request, logged): (String, Vec<u8>) = match below(4) {
            0 => ("-".into(), b"-".into()),
            1 => (format!("GET /\"{i}\" HTTP/1.1"), format!("GET /\\\"{i}\\x22 HTTP/1.1").into()),
            2 => (format!("GET /{i}\u{fffd} HTTP/1.1"), [format!("GET /{i}").as_bytes(), b"\xff HTTP/1.1"].concat()),
            _ => (format!("GET /{i} HTTP/1.1"), format!("GET /{i} HTTP/1.1").into()),
        };
        let user = ["-", "ada", "Ada [the] first"][below(3) as usize];
        let start = format!("{visitor} - {user} [{day:02}/May/2015:{hour:02}:{minute:02}:{second:02} {zone}] \"");
        log.extend_from_slice(start.as_bytes());
        log.extend_from_slice(&logged);
        let end = if below(2) == 0 { "\r\n" } else { "\n" };
        log.extend_from_slice(format!("\" 200 {written} \"-\" \"Agent \\\"{i}\\\" \\\\\" more{end}").as_bytes());
        visits.push(Visit { visitor: visitor.to_owned(), at, size, request });
    }
    (log, visits)
}
