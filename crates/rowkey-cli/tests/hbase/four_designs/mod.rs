//! Four designs under one load. What is watched is what the load generator counted, while a region moves, is split and
//! merged, and its server is killed; and once that is over, it is as the simulation of the design has it.
//! `servers/hbase/test-watch` runs this: ROWKEY_WATCH_SECONDS is the length of each load.

mod compare;
mod design;
mod faults;
mod load;

use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, Command};
use std::time::{Duration, Instant};

use hbase_client::{Admin, TableSchema};
use rowkey_hbase_testkit::{Cluster, spread};
use rowkey_simulate::recording::Run;
use rowkey_simulate::run::{Answer, Line};

use self::compare::{gaps_are_told, is_as_simulated, shares_are_those_of};
use self::design::{DESIGNS, Designed};
use self::load::Load;
use crate::{client, drop_table, first_reading, folder, interrupt, page, watch};

/// The length of a load.
fn length() -> Duration {
    let seconds = std::env::var("ROWKEY_WATCH_SECONDS").ok().and_then(|seconds| seconds.parse().ok());
    Duration::from_secs(seconds.unwrap_or(180))
}

/// A run with its answer.
struct Told {
    run: Run,
    answer: Answer,
}

impl Told {
    fn of(lines: &str) -> Self {
        let run = Run::read(lines.as_bytes()).unwrap();
        let answer = lines.lines().find_map(|line| match serde_json::from_str(line).unwrap() {
            Line::Answer(answer) => Some(*answer),
            _ => None,
        });
        Self { run, answer: answer.expect("an answer") }
    }
}

/// A run of `rowkey watch`, until it is interrupted.
struct Watching {
    child: Child,
    _stderr: BufReader<ChildStderr>,
    name: String,
}

impl Watching {
    fn start(folder: &Path, table: &str, name: &str) -> Self {
        let [html, json] = ["html", "jsonl"].map(|end| format!("{name}.{end}"));
        let args = ["--for", "1 day", "--every", "3s", "--html", &html, "--json", &json, &file(table), table];
        let mut child = watch(folder, &args);
        let _stderr = first_reading(&mut child);
        Self { child, _stderr, name: name.to_owned() }
    }

    fn end(self, folder: &Path) -> Told {
        interrupt(&self.child);
        let output = self.child.wait_with_output().unwrap();
        let out = String::from_utf8(output.stdout).unwrap();
        assert!(matches!(output.status.code(), Some(0 | 1)), "{:?}: {out}", output.status);
        let read = |end: &str| std::fs::read_to_string(folder.join(format!("{}.{end}", self.name))).unwrap();
        let told = Told::of(&read("jsonl"));
        page::is_of(&read("html"), &told.run);
        assert!(out.starts_with(&format!("{}: {}", told.answer.table, told.answer.sentence)), "{out}");
        told
    }
}

fn file(table: &str) -> String {
    format!("{table}.rowkey.toml")
}

/// The folder of a table's pages, which stay there to be looked at beside each other.
fn pages(table: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("watch").join(table);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// A simulated run of the design under so many times its load, with a page beside those that are watched.
fn simulated(folder: &Path, table: &str, times: f64) -> Told {
    let mut command = Command::new(env!("CARGO_BIN_EXE_rowkey"));
    command.args(["simulate", "--once", "--for", "3 min", "--times", &format!("{times:.3}"), "--json"]);
    let output = command.args(["--html", "simulated.html", &file(table)]).current_dir(folder).output().unwrap();
    assert!(matches!(output.status.code(), Some(0 | 1)), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(folder.join("simulated.html").exists());
    Told::of(&String::from_utf8(output.stdout).unwrap())
}

/// A new table, split as the simulated one.
async fn create(admin: &Admin, designed: &Designed, simulated: &Told) {
    drop_table(admin, designed.table).await;
    let splits = simulated.run.settings.splits.iter().map(|split| &split.0);
    admin.create(&TableSchema::new(designed.table).family("f"), splits).await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs a server"]
async fn shares_are_those_of_the_load_and_of_the_simulation() {
    let chosen = std::env::var("ROWKEY_WATCH_DESIGNS").unwrap_or_default();
    for designed in DESIGNS.iter().filter(|designed| chosen.is_empty() || chosen.contains(designed.table)) {
        is_watched(designed).await;
    }
}

async fn is_watched(designed: &'static Designed) {
    let (client, cluster, folder) = (client(), Cluster::new(folder()), pages(designed.table));
    let (folder, table) = (folder.as_path(), client.table(designed.table));
    std::fs::write(folder.join(file(designed.table)), designed.text()).unwrap();
    let before = simulated(folder, designed.table, 1.0);
    create(&client.admin(), designed, &before).await;

    let whole = Watching::start(folder, designed.table, "whole");
    let load = Load::start(designed, table.clone());
    let begun = Instant::now();
    // The first part is undisturbed.
    tokio::time::sleep(length() / 6).await;
    let made = faults::make(&client, &cluster, designed, &load).await;
    spread(&client, &table, 0).await;
    faults::all_are_open(&client.admin(), &table).await;

    let pause = load.paused().await;
    let (from, steady) = (load.counts(), Watching::start(folder, designed.table, "steady"));
    drop(pause);
    let at = Instant::now();
    tokio::time::sleep((length() / 3).max(length().saturating_sub(begun.elapsed()))).await;
    let seconds = at.elapsed().as_secs_f64();
    let counts = load.end().await;
    let (steady, whole) = (steady.end(folder), whole.end(folder));

    println!("{}: {} rows, {:.0} s; {}", designed.table, counts.rows(), begun.elapsed().as_secs_f64(), made.words());
    println!("  {}", whole.answer.sentence);
    let regions = &before.run.settings.splits;
    shares_are_those_of(&counts.by(regions), &whole.run, designed.table, "through faults");
    made.are_told(&whole.run);
    gaps_are_told(&whole.run);

    let since = counts.since(&from);
    shares_are_those_of(&since.by(regions), &steady.run, designed.table, "steady");
    let simulated = simulated(folder, designed.table, since.rows() as f64 / seconds / designed.rate());
    is_as_simulated(&steady, &simulated, designed.table);
    drop_table(&client.admin(), designed.table).await;
}
