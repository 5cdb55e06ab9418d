//! `rowkey simulate`: loads by statistics, traces and logs; pages; lines of JSON; input that is not valid.

mod program;

use std::fs;
use std::path::Path;

use serde_json::Value as Json;

use self::program::{Run, rowkey};

const DESIGN: &str = r#"format = 1

[cluster.main]
engine = "hbase"
servers = 3
region.writes = "1k/s"

[table.visits]
key = ["at: instant", "host: text"]
stats.host = { distinct = 100, size = "6 B" }

[[table.visits.write]]
name = "visit"
rate = "5k/s"

[table.hosts]
key = ["host: text"]
rows = 100
"#;

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("visits.rowkey.toml"), DESIGN).unwrap();
    folder
}

fn simulate(folder: &Path, args: &[&str]) -> Run {
    let events: &[&str] = if args.contains(&"--events") { &[] } else { &["--events", "2000"] };
    rowkey(folder, &[&["simulate", "--once"], events, args, &["visits.rowkey.toml"]].concat(), b"")
}

fn lines(run: &Run) -> Vec<Json> {
    run.out.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"))).collect()
}

#[test]
fn what_saturates_is_said_first() {
    let folder = folder();
    let run = simulate(folder.path(), &[]);
    assert_eq!(run.status, Some(1), "{}", run.err);
    let first = run.out.lines().next().unwrap();
    assert!(first.starts_with("visits: Server ") && first.contains("saturates from the start"), "{first}");
    assert!(first.contains("up to 5k writes a second, and takes 1k") && first.contains("H01: "), "{first}");
    assert!(run.err.contains("note: hosts: nothing writes or reads"), "{}", run.err);
    for told in ["assumed: a region is split at", "regions at the end", "One server takes 1 000 writes/s"] {
        assert!(run.out.replace('\u{a0}', " ").contains(told), "{told}: {}", run.out);
    }
    assert!(run.out.lines().skip(1).all(|line| line.starts_with("assumed") || line.chars().count() <= 100));
}

#[test]
fn a_table_that_is_only_read_is_simulated() {
    let folder = folder();
    let text = r#"
format = 1
[cluster.c]
engine = "hbase"
servers = 4
region.reads = "1k/s"
[table.pages]
key = ["user: u64"]
rows = "100M"
stats.user = { distinct = "1M" }
[[table.pages.query]]
name = "page"
fix = ["user"]
rate = "2k/s"
skew.user = "one value 0.9"
"#;
    std::fs::write(folder.path().join("pages.rowkey.toml"), text).unwrap();
    let args = ["simulate", "--once", "--events", "10000", "pages.rowkey.toml"];
    let run = rowkey(folder.path(), &args, b"");
    let first = run.out.lines().next().unwrap();
    assert!(first.contains("reads a second, and takes 1k") && first.contains("H26: \"page\""), "{first} {}", run.err);
    assert!(
        run.out.contains("One server takes 1\u{a0}000 reads/s") || run.out.contains("takes 1 000 reads/s"),
        "{}",
        run.out
    );
    // Where nobody says what a server takes of them, reads are drawn too.
    let unsaid = text.replace("region.reads = \"1k/s\"\n", "");
    std::fs::write(folder.path().join("pages.rowkey.toml"), &unsaid).unwrap();
    let run = rowkey(folder.path(), &args, b"");
    let (told, drawn) = (run.out.lines().next().unwrap(), run.out.lines().filter(|line| line.ends_with("···")));
    assert!(told.starts_with("pages: Nothing to say of what is judged: ") && told.contains("Not judged: "), "{told}");
    assert!(drawn.count() > 0, "{}", run.out);
    let legend = "Nobody says how many reads one server takes: say `region.reads` of the cluster.";
    assert!(run.status == Some(0) && run.out.contains(legend), "{}", run.out);
    std::fs::write(folder.path().join("pages.rowkey.toml"), text).unwrap();
    let none =
        std::fs::read_to_string(folder.path().join("pages.rowkey.toml")).unwrap().replace("rows = \"100M\"\n", "");
    std::fs::write(folder.path().join("pages.rowkey.toml"), none).unwrap();
    let run = rowkey(folder.path(), &args, b"");
    assert!(run.status == Some(2) && run.err.contains("say how many it has, `rows = …`"), "{}", run.err);
    assert!(!run.err.contains("nothing writes"), "{}", run.err);
}

#[test]
fn lines_of_json_are_a_run() {
    let folder = folder();
    let run = simulate(folder.path(), &["--json", "--for", "2 h"]);
    let lines = lines(&run);
    let schema = serde_json::from_str(include_str!("../../rowkey-simulate/run.schema.json")).unwrap();
    let schema = jsonschema::validator_for(&schema).unwrap();
    for line in &lines {
        assert!(schema.is_valid(line), "{line}");
    }
    assert_eq!((&lines[0]["kind"], &lines[0]["servers"]), (&Json::from("settings"), &Json::from(3)));
    let intervals: Vec<&Json> = lines.iter().filter(|line| line["kind"] == "interval").collect();
    let written: u64 = intervals
        .iter()
        .flat_map(|interval| interval["servers"].as_array().unwrap())
        .map(|server| server["writes"].as_u64().unwrap())
        .sum();
    assert_eq!(written, 2 * 3600 * 5000);
    for interval in &intervals {
        let regions = interval["regions"].as_array().unwrap();
        assert_eq!(regions[0]["start"], "");
        assert!(regions.is_sorted_by_key(|region| region["start"].as_str().unwrap()));
    }
    let times: Vec<u64> = lines.iter().filter_map(|line| line["t_ms"].as_u64()).collect();
    assert!(times.is_sorted());
    let answer = lines.last().unwrap();
    assert_eq!((&answer["kind"], &answer["table"]), (&Json::from("answer"), &Json::from("visits")));
    assert_eq!(simulate(folder.path(), &["--json", "--for", "2 h"]).out, run.out);
    assert_ne!(simulate(folder.path(), &["--json", "--for", "2 h", "--seed", "9"]).out, run.out);
}

#[test]
fn a_trace_is_put_on_the_cluster() {
    let folder = folder();
    let row = |n: u64| format!("{},put,2026-01-01T00:00:{:02}Z,host{n},50\n", n * 100, n / 10);
    let csv: String = std::iter::once("t_ms,op,at,host,bytes\n".to_owned()).chain((0..300).map(row)).collect();
    fs::write(folder.path().join("trace.csv"), &csv).unwrap();
    let args = ["--table", "visits", "--trace", "trace.csv", "--json"];
    let run = simulate(folder.path(), &args);
    let lines = lines(&run);
    let last = lines.iter().rfind(|line| line["kind"] == "interval").unwrap();
    assert_eq!(last["regions"][0]["rows"], 300, "{}", run.err);
    // Ten rows a second, and not the five thousand of the design; the page says it too.
    let text = simulate(folder.path(), &["--table", "visits", "--trace", "trace.csv", "--html", "trace.html"]);
    assert!(text.status == Some(0) && text.out.starts_with("visits: Nothing to say: "), "{}", text.out);
    let page = fs::read_to_string(folder.path().join("trace.html")).unwrap();
    let json = lines.last().unwrap()["assumed"].to_string();
    let empty = "the table is empty before the first event of the trace";
    for told in [&text.out, &page, &json] {
        assert!(told.contains(empty), "{told}");
    }
    assert!(page.contains("visits by its trace") && !page.contains("by its design"));
    assert_eq!(lines[0]["load"], "visits by its trace");
    assert!((lines[0]["rows_per_second"].as_f64().unwrap() - 10.0).abs() < 1.0, "{}", lines[0]);
    for (from, to, said) in [
        ("\n100,put", "\n100,putt", "line 3, column 2 (`op`): \"putt\""),
        ("\n200,put", "\n50,put", "line 4"),
        (
            "\n100,put,2026",
            "\n100,put,yesterday",
            "line 3, column 3 (`at`): \"yesterday-01-01T00:00:00Z\" is not of its type, instant: write seconds since 1970",
        ),
        (",host299,50", ",\"host299,50", "line 301, column 4 (`host`): a quote is opened here, and never closed"),
        (",host1,50", ",\"host1,50", "line 3, column 4 (`host`): a quote is opened here, and never closed"),
        ("t_ms,op", "t_ms,what", "`what`"),
        ("t_ms,op", "op,op", "column 2 (`op`): there is this column already"),
        ("\n100,put,2026-01-01T00:00:00Z", "\n100,put,", "line 3, the fields: `at` is missing"),
    ] {
        fs::write(folder.path().join("trace.csv"), csv.replacen(from, to, 1)).unwrap();
        let run = simulate(folder.path(), &args);
        assert_eq!((run.status, run.out.as_str()), (Some(2), ""), "{to}");
        assert!(run.err.contains("trace.csv: ") && run.err.contains(said), "{to}: {}", run.err);
    }
    fs::write(folder.path().join("trace.csv"), "t_ms,op,key\n0,put,00\n").unwrap();
    let run = simulate(folder.path(), &args);
    assert!(run.status == Some(2) && run.err.contains("line 2"), "{}", run.err);
    for empty in ["", "t_ms,op,key\n"] {
        fs::write(folder.path().join("trace.csv"), empty).unwrap();
        let run = simulate(folder.path(), &args);
        assert!(run.status == Some(2) && run.err.contains("no events"), "{}", run.err);
    }
}

#[test]
fn a_log_has_the_times_of_its_keys() {
    let folder = folder();
    let line = |n: u64| format!("[\"2026-01-01T00:{:02}:{:02}Z\",\"host{}\"]\t80\n", n / 60, n % 60, n % 7);
    fs::write(folder.path().join("log.txt"), (0..600).rev().map(line).collect::<String>()).unwrap();
    let run = simulate(folder.path(), &["--table", "visits", "--log", "log.txt", "--form", "json", "--json"]);
    let lines = lines(&run);
    let last = lines.iter().rfind(|line| line["kind"] == "interval").unwrap();
    assert_eq!((&last["regions"][0]["rows"], &last["t_ms"]), (&Json::from(600), &Json::from(599_001)));
}

#[test]
fn a_page_has_the_picture_and_replaces_no_other_file() {
    let folder = folder();
    let run = simulate(folder.path(), &["--html", "visits.html"]);
    assert_eq!(run.status, Some(1), "{}", run.err);
    let page = fs::read_to_string(folder.path().join("visits.html")).unwrap();
    assert!(page.contains("<svg") && page.contains("saturates from the start") && page.contains("8 MiB"));
    fs::write(folder.path().join("mine.html"), "<!DOCTYPE html>\n<p>mine").unwrap();
    let run = simulate(folder.path(), &["--html", "mine.html"]);
    assert!(run.status == Some(2) && run.err.contains("mine.html"), "{}", run.err);
    assert_eq!(fs::read_to_string(folder.path().join("mine.html")).unwrap(), "<!DOCTYPE html>\n<p>mine");
}

#[test]
fn what_is_not_there_is_refused() {
    let folder = folder();
    fs::write(folder.path().join("empty.txt"), "").unwrap();
    fs::write(folder.path().join("trace.csv"), "t_ms,op,key\n").unwrap();
    for (args, said) in [
        (&["--table", "nothing"][..], "there is no table \"nothing\""),
        (&["--table", "hosts"], "there is no load to simulate"),
        (&["--table", "visits", "--trace", "."], "error: . is a folder: name the file in it"),
        (&["--table", "visits", "--log", "."], "error: . is a folder: name the file in it"),
        (&["--cluster", "other"], "there is no cluster \"other\""),
        (
            &["--trace", "trace.csv"],
            "name the table that the events are of, --table NAME: the design has visits, hosts",
        ),
        (&["--for", "0 s"], "from 1 s to 100 years"),
        (&["--times=-1"], "a number above 0"),
        (&["--times", "-1"], "a number above 0"),
        (&["--table", "visits", "--log", "trace.csv"], "is not a hex digit; a trace is given by --trace"),
        (&["--table", "visits", "--log", "empty.txt"], "the log has no keys"),
    ] {
        let run = simulate(folder.path(), args);
        assert!(run.status == Some(2) && run.err.contains(said), "{args:?}: {} {}", run.err, run.out);
    }
    let run = rowkey(folder.path(), &["simulate", "--like", "run.jsonl"], b"");
    assert!(run.status == Some(2) && run.err.contains("run.jsonl"), "{}", run.err);
}

/// The first error of a design, without its place.
fn refused(run: &Run) -> String {
    let told = [run.err.as_str(), &run.out].concat();
    told.lines().find(|line| line.starts_with("error: ")).unwrap_or_default().to_owned()
}

#[test]
fn what_check_refuses_is_refused() {
    let folder = folder();
    let path = folder.path().join("visits.rowkey.toml");
    let (key, host) = ("key = [\"at: instant\", \"host: text\"]\n", "[table.hosts]\n");
    let allow = |rule: &str| format!("[[table.hosts.allow]]\nrule = \"{rule}\"\nwhy = \"x\"\n");
    for (after, more) in [
        (key, "splits = \"buckets\"\n".to_owned()),
        (key, "splits = { uniform = 65537 }\n".to_owned()),
        (key, "splits = { keys = [\"\"] }\n".to_owned()),
        (key, "splits = { keys = [\"01\", \"01\"] }\n".to_owned()),
        (key, "splits = { keys = [\"0\"] }\n".to_owned()),
        (key, "family.f.ttl = \"1 ms\"\n".to_owned()),
        (key, "family.f.block = \"1 B\"\n".to_owned()),
        // A design is refused as a whole, whichever of its tables is simulated.
        (host, "family.f.ttl = \"1 ms\"\n".to_owned()),
        ("rows = 100\n", allow("H99")),
        ("rows = 100\n", allow("H01")),
    ] {
        fs::write(&path, DESIGN.replacen(after, &format!("{after}{more}"), 1)).unwrap();
        let check = rowkey(folder.path(), &["check", "visits.rowkey.toml"], b"");
        let run = simulate(folder.path(), &["--table", "visits", "--html", "page.html"]);
        assert_eq!((check.status, run.status, run.out.as_str()), (Some(2), Some(2), ""), "{more}: {}", check.out);
        assert_eq!(refused(&check), refused(&run), "{more}");
        assert!(!refused(&run).is_empty() && !folder.path().join("page.html").exists(), "{more}: {}", run.err);
    }
    // It is refused as it is, and not as its rates are run: at a thousandth of them nothing is found to be allowed.
    let allowed = "[[table.visits.allow]]\nrule = \"H24\"\nwhy = \"x\"\n";
    fs::write(&path, DESIGN.to_owned() + allowed).unwrap();
    assert_ne!(rowkey(folder.path(), &["check", "visits.rowkey.toml"], b"").status, Some(2));
    let run = simulate(folder.path(), &["--times", "0.001"]);
    assert_eq!(run.status, Some(0), "{} {}", run.err, run.out);
}

#[test]
fn recordings_that_are_none_are_told_or_bounded() {
    let folder = folder();
    let settings = |interval: u64| {
        format!(
            r#"{{"kind":"settings","format":1,"engine":"hbase","load":"x","servers":1,"max_filesize":1,"flush_size":1,"split_policy":"stepping","jitter":0.0,"balancer_ms":null,"discharger_ms":1,"compaction_min_size":0,"block_size":1,"splits":[],"rows_per_second":1.0,"interval_ms":{interval}}}"#
        )
    };
    let batch = |t_ms: u64| format!(r#"{{"kind":"batch","t_ms":{t_ms},"keys":["00"],"bytes":1}}"#);
    let like = |names: &[&str]| rowkey(folder.path(), &[&["simulate", "--like"], names].concat(), b"");
    for (name, interval, last) in [("a", 1, u64::MAX), ("c", 5000, 100)] {
        let text = format!("{}\n{}\n{}\n", settings(interval), batch(0), batch(last));
        fs::write(folder.path().join(format!("{name}.jsonl")), text).unwrap();
        let run = like(&[&format!("{name}.jsonl")]);
        assert!(run.status.is_some_and(|status| status < 2), "{name}: {:?} {}", run.status, run.err);
    }
    fs::write(folder.path().join("b.jsonl"), settings(0)).unwrap();
    let run = like(&["b.jsonl"]);
    assert!(run.status == Some(2) && run.err.contains("b.jsonl: line 1: `interval_ms` is 0"), "{}", run.err);
    let run = like(&["a.jsonl", "c.jsonl"]);
    assert!(run.status == Some(2) && run.err.contains("c.jsonl is of another load or cluster"), "{}", run.err);
    let run = rowkey(folder.path(), &["simulate", "--like", "c.jsonl", "--times", "2"], b"");
    assert!(run.status == Some(2) && run.err.contains("cannot be used with"), "{}", run.err);
}

#[test]
fn tables_of_one_cluster_are_added() {
    let folder = folder();
    let table = |name: &str| {
        format!(
            "[table.{name}]\nkey = [\"host: text\"]\nsalt = {{ buckets = 16 }}\nsplits = \"buckets\"\n\
             stats.host = {{ distinct = 1000000 }}\n[[table.{name}.write]]\nname = \"w\"\nrate = \"2k/s\"\n"
        )
    };
    let of = |tables: &str| {
        let text = format!("{}{tables}", DESIGN.split("[table.visits]").next().unwrap());
        fs::write(folder.path().join("visits.rowkey.toml"), text).unwrap();
        let run = simulate(folder.path(), &["--events", "50000", "--for", "1 h"]);
        (run.status, run.out.lines().next().unwrap_or_default().to_owned(), run.out.matches("Alone it is fine").count())
    };
    let json = || {
        let run = simulate(folder.path(), &["--events", "50000", "--for", "1 h", "--json"]);
        let last = lines(&run).pop().unwrap();
        let schema = serde_json::from_str(include_str!("../../rowkey-simulate/run.schema.json")).unwrap();
        assert!(jsonschema::validator_for(&schema).unwrap().is_valid(&last), "{last}");
        last
    };
    let (status, first, calm) = of(&(table("one") + &table("two")));
    assert!(status == Some(1) && calm == 2, "{status:?}, {calm}");
    assert!(first.starts_with("All tables together saturate the servers: they ask for up to 13"), "{first}");
    assert!(first.contains(" H24: 4 servers take them, "), "{first}");
    let last = json();
    assert_eq!((&last["kind"], &last["sentence"]), (&Json::from("all_tables"), &Json::from(first)));
    assert!(last["saturates"] == true && (1.3..1.4).contains(&last["writes"].as_f64().unwrap()), "{last}");
    let args = ["--events", "50000", "--for", "1 h", "--html", "all.html"];
    assert_eq!(simulate(folder.path(), &args).status, Some(1));
    assert!(fs::read_to_string(folder.path().join("all.html")).unwrap().contains("All tables together saturate"));
    // Two that are not too much are in the numbers alone.
    let (status, first, _) = of(&(table("one") + &table("two")).replace("2k/s", "200/s"));
    assert!(status == Some(0) && first.starts_with("one: "), "{first}");
    assert!(json()["saturates"] == false && (0.1..0.2).contains(&json()["writes"].as_f64().unwrap()));
    // Reads of a key by its host, each of one bucket.
    let read = |name: &str| {
        let text = table(name).replace("2k/s", "200/s");
        format!("{text}[[table.{name}.query]]\nname = \"q\"\nfix = [\"host\"]\nrate = \"2k/s\"\n")
    };
    let (status, first, _) = of(&("region.reads = \"1k/s\"\n".to_owned() + &read("one") + &read("two")));
    assert!(status == Some(1) && first.starts_with("All tables together saturate the servers"), "{status:?}, {first}");
    assert!(first.contains("13") && first.contains("of the reads"), "{first}");
    let (status, first, calm) = of(&table("one"));
    assert!(status == Some(0) && calm == 0 && first.starts_with("one: Nothing to say: "), "{status:?}, {first}");
    assert_eq!(json()["kind"], "answer");
}

#[test]
fn more_of_all_is_judged_by_what_is_run() {
    let folder = folder();
    let of = |times: &str| simulate(folder.path(), &["--for", "1 h", "--times", times]);
    let (calm, hot) = (of("0.1"), of("2"));
    assert!(calm.status == Some(0) && calm.out.starts_with("visits: Nothing to say: "), "{}", calm.out);
    assert!(hot.out.contains("(10k/s at the peak)") && !hot.out.contains("5k/s at the peak"), "{}", hot.out);
}
