//! `rowkey init` with scripted answers and options: what it asks, what it writes, and what it never does.

mod program;

use std::fs;
use std::path::Path;

use rowkey_design::internal::design::Engine;

use self::program::{Run, rowkey};

/// Right answers, from the engine to the last query.
const ANSWERS: &str = "hbase\n10\nvisits\nhost: text, at: u64 desc\nmilliseconds\na visit: rate 50k/s\n\na host: \
                       fix host, order newest, limit 20\na day: range at 1 day\n\n";

fn init(folder: &Path, args: &[&str], input: &str) -> Run {
    rowkey(folder, &[&["init"], args].concat(), input.as_bytes())
}

fn written(folder: &Path, name: &str) -> String {
    fs::read_to_string(folder.join(format!("{name}.rowkey.toml"))).unwrap()
}

fn is_empty(folder: &Path) -> bool {
    fs::read_dir(folder).unwrap().next().is_none()
}

/// The text without its comments.
fn said(text: &str) -> String {
    text.lines().filter(|line| !line.starts_with('#')).map(|line| format!("{line}\n")).collect()
}

#[test]
fn answers_become_a_design_that_is_checked() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let run = init(folder, &[], ANSWERS);
    assert_eq!(run.status, Some(0), "{}", run.err);
    let text = written(folder, "visits");
    let expected = r#"format = 1

[cluster.main]
engine = "hbase"
servers = 10

[table.visits]
key = ["host: text", "at: u64 desc"]
means.at = "milliseconds"

[[table.visits.write]]
name = "a visit"
rate = "50k/s"

[[table.visits.query]]
name = "a host"
fix = ["host"]
order = "newest"
limit = 20

[[table.visits.query]]
name = "a day"
range = { at = "1 day" }

"#;
    assert_eq!(said(&text), expected);
    // What `check` says of it, and what can be done next.
    let (first, rest) = run.out.split_once("\n\n").unwrap();
    let (report, next) = rest.split_once("\nNext:\n").unwrap();
    assert_eq!(first, "wrote visits.rowkey.toml");
    assert_eq!(report, rowkey(folder, &["check", "visits.rowkey.toml"], b"").out);
    assert!(report.contains("error[Q01]: \"a day\""), "{report}");
    for line in next.lines() {
        let command = line.trim().split("  ").next().unwrap().strip_prefix("rowkey ").unwrap();
        let args: Vec<&str> = command.split(' ').collect();
        assert!(matches!(rowkey(folder, &args, b"").status, Some(0 | 1)), "{command}");
    }
}

/// A wrong answer is told as the reader of design files tells it, and asked for again.
#[test]
fn wrong_answers_are_asked_for_again() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let mut wrong = ANSWERS.to_owned();
    let answers = [
        ("hbase\n", "mysql\n", "\"mysql\" is none of the engines: hbase, bigtable"),
        ("10\n", "0\n", "expected"),
        ("10\n", "ten\n", "expected"),
        ("visits\n", "there\n", "there.rowkey.toml is there: take another name, or --force"),
        ("host: text, at", "\n", "an answer is needed"),
        ("host: text, at", "host: string\n", "`string` is not a type of the format; did you mean `text`?"),
        ("host: text, at", "a: ordered[text\n", "is not a shape"),
        ("milliseconds\n", "millis\n", "unknown meaning `millis`"),
        ("a visit", "50k/s\n", "\"50k/s\" has no name: write it as `NAME: rate 50k/s`"),
        ("a visit", "a visit: rate fast\n", "\"fast\""),
        ("a host", "q: fix hots\n", "there is no field \"hots\"; did you mean `host`?"),
        ("a host", "q: speed 3\n", "unknown key `speed`"),
        ("a day", "a host: fix host\n", "there is already a query \"a host\""),
    ];
    for (before, answer, _) in answers.iter().rev() {
        wrong.insert_str(wrong.find(before).unwrap(), answer);
    }
    fs::write(folder.join("there.rowkey.toml"), "").unwrap();
    let run = init(folder, &[], &wrong);
    assert_eq!(run.status, Some(0), "{}", run.err);
    for (_, _, told) in answers {
        assert!(run.err.contains(&format!("\n  {told}")) || run.err.contains(told), "{told}: {}", run.err);
    }
    let other = tempfile::tempdir().unwrap();
    init(other.path(), &[], ANSWERS);
    assert_eq!(written(folder, "visits"), written(other.path(), "visits"));
    assert_eq!(written(folder, "there"), "");
}

/// Wherever the input ends before the last question, nothing is there afterwards; and no input makes it ask for ever.
#[test]
fn an_end_in_the_middle_writes_nothing() {
    let lines: Vec<&str> = ANSWERS.split_inclusive('\n').collect();
    for end in 1..lines.len() {
        let folder = tempfile::tempdir().unwrap();
        let run = init(folder.path(), &[], &lines[..end].concat());
        let is_last = end >= 7;
        assert_eq!(run.status, Some(if is_last { 0 } else { 2 }), "{end}: {}", run.err);
        assert_eq!(is_empty(folder.path()), !is_last, "{end}");
        assert!(is_last || run.err.contains("nothing is written\n"), "{}", run.err);
    }
    // Of the last question too, where its last answer was wrong.
    let folder = tempfile::tempdir().unwrap();
    let run = init(folder.path(), &[], &ANSWERS.replace("a day: range at 1 day\n\n", "a day: range on 1 day\n"));
    assert!(run.status == Some(2) && is_empty(folder.path()), "{}", run.err);
    for (input, told) in [
        ("y\n".repeat(1000), "20 wrong answers to "),
        ("a".repeat(1 << 20), "a line has no end"),
        ("\u{1b}[31m\n".repeat(30), "20 wrong answers to "),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let run = init(folder.path(), &[], &input);
        assert!(run.status == Some(2) && run.err.contains(told) && !run.err.contains('\u{1b}'), "{}", run.err);
        assert!(is_empty(folder.path()));
    }
    let folder = tempfile::tempdir().unwrap();
    let run = rowkey(folder.path(), &["init"], b"\xff\n");
    assert!(run.status == Some(2) && run.err.contains("a line is not UTF-8"), "{}", run.err);
}

/// The same by options, asked nothing; and where standard input is empty.
#[test]
fn options_answer_too() {
    let (asked, given) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    init(asked.path(), &[], ANSWERS);
    let options = [
        "visits",
        "--engine=HBase",
        "--servers=10",
        "--key=host: text, at: u64 desc",
        "--means=at=milliseconds",
        "--write=a visit: rate 50k/s",
        "--query=a host: fix host, order newest, limit 20",
        "--query=a day: range at 1 day",
    ];
    let yes = init(given.path(), &[&options[..], &["--yes"]].concat(), "");
    assert_eq!((yes.status, yes.err.as_str()), (Some(0), ""));
    assert_eq!(written(given.path(), "visits"), written(asked.path(), "visits"));
    let namespaced = init(given.path(), &["ns:t", "--yes", "--key", "a: u64"], "");
    assert!(namespaced.status == Some(0) && written(given.path(), "ns_t").contains("[table.\"ns:t\"]\n"));
    // Never over a file that is there, unless that is asked for.
    fs::write(given.path().join("visits.rowkey.toml"), "mine").unwrap();
    let again = init(given.path(), &options, "");
    assert!(again.status == Some(2) && again.err.contains("visits.rowkey.toml is there"), "{}", again.err);
    assert_eq!(written(given.path(), "visits"), "mine");
    assert_eq!(init(given.path(), &[&options[..], &["--force"]].concat(), "").status, Some(0));
    assert_eq!(written(given.path(), "visits"), written(asked.path(), "visits"));
    for (args, told) in [
        (&["a", "--yes"][..], "--key is needed"),
        (&["a", "--yes", "--key", "a: string"], "--key: `string` is not a type of the format; did you mean `text`?"),
        (&["a", "--yes", "--key", "a: u64", "--means", "b=random"], "--means: there is no field \"b\""),
        (&["a", "--yes", "--key", "a: u64", "--means", "a"], "--means: \"a\" is not FIELD=MEANING"),
        (&["a", "--yes", "--key", "a: u64", "--query", "q: fix b"], "--query: there is no field \"b\""),
        (&["a", "--yes", "--key", "a: u64", "--engine", "x"], "--engine: \"x\" is none of the engines"),
        (
            &["n:a", "--yes", "--key", "a: u64", "--engine", "bigtable"],
            "a name as TABLE: Bigtable takes no table named",
        ),
        (&["a", "--from-keys", "absent"], "cannot read absent"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let run = init(folder.path(), args, "");
        assert!(run.status == Some(2) && run.err.contains(told), "{args:?}: {}", run.err);
        assert!(is_empty(folder.path()), "{args:?}");
    }
}

/// On every engine the file is valid and formatted as it is, and so it is with all that it offers.
#[test]
fn what_is_offered_is_valid() {
    let keys =
        ["host: text, at: instant desc", "id: u64", "(a, b", "is_new: bool, tag: enum[2], x: option<u8>, c: 'a, b'"];
    let mut tried = 0;
    for engine in Engine::ALL {
        for key in keys {
            let folder = tempfile::tempdir().unwrap();
            let folder = folder.path();
            let columns = ["--write=w: columns v", "--query=q: columns v w, where x", "--query=r: columns f:w"];
            let columns = &columns[..tried % 4];
            let args = ["t", "--yes", "--engine", engine.word(), "--key", key];
            let run = init(folder, &[&args[..], columns].concat(), "");
            if run.status == Some(2) {
                assert!(is_empty(folder));
                continue;
            }
            let text = written(folder, "t");
            let more: String = text
                .lines()
                .map(|line| match line.strip_prefix('#') {
                    Some(offered) if !offered.starts_with([' ', ':']) => format!("{offered}\n"),
                    _ => format!("{line}\n"),
                })
                .collect();
            assert!(more.lines().filter(|line| line.contains(" = ")).count() > 7, "{more}");
            fs::write(folder.join("more.rowkey.toml"), more).unwrap();
            for name in ["t", "more"] {
                let file = format!("{name}.rowkey.toml");
                let run = rowkey(folder, &["check", &file], b"");
                assert!(matches!(run.status, Some(0 | 1)), "{}{}", run.err, run.out);
                assert_eq!(rowkey(folder, &["fmt", "--check", &file], b"").status, Some(0), "{text}");
            }
            tried += 1;
        }
    }
    assert!(tried >= 2 * Engine::ALL.len(), "{tried}");
}

#[test]
fn it_begins_with_what_is_there() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let key = |i: u64| {
        let host = ["bonn", "lyon", "oslo", "pisa", "turin", "vienna"][i as usize * 7 % 6];
        let at = (1_700_000_000_000 + i * 1_234_567).to_be_bytes();
        let bytes = host.bytes().chain([0]).chain(at);
        bytes.map(|byte| format!("{byte:02x}")).collect::<String>() + "\n"
    };
    fs::write(folder.join("keys"), (0..400).map(key).collect::<String>()).unwrap();
    let run = init(folder, &["--from-keys", "keys"], "bigtable\n3\nvisits\na visit: rate 5k/s\n\none: fix name\n\n");
    assert_eq!(run.status, Some(0), "{}", run.err);
    let text = written(folder, "visits");
    assert!(text.contains("engine = \"bigtable\"") && text.contains("# Inferred from keys: "), "{text}");
    assert!(text.contains("rate = \"5k/s\"") && text.contains("fix = [\"name\"]"), "{text}");
    let inferred = rowkey(folder, &["infer", "--name", "visits", "--out", "inferred", "keys"], b"");
    assert_eq!(inferred.status, Some(0));
    let fields = |text: &str| text.lines().find(|line| line.starts_with("key = ")).map(str::to_owned);
    assert_eq!(fields(&text), fields(&fs::read_to_string(folder.join("inferred")).unwrap()));

    let shell = "create 'users', {NAME => 'v', TTL => 86400}\ncreate 'groups', 'f'\n";
    let run = init(folder, &["--from", "shell", "--from-schema", "-"], shell);
    assert_eq!(run.status, Some(0), "{}", run.err);
    let imported = rowkey(folder, &["import", "--from", "shell"], shell.as_bytes()).out;
    let text = written(folder, "users");
    let tables = |text: &str| text.split_once("\n[table.users]").unwrap().1.to_owned();
    assert_eq!(tables(&text), tables(&imported));
    fs::write(folder.join("one.rb"), "create 'one', 'f'\n").unwrap();
    let run = init(folder, &["--from", "shell", "--from-schema", "one.rb", "--query", "all: fix row", "--yes"], "");
    assert!(run.status == Some(0) && written(folder, "one").contains("fix = [\"row\"]"), "{}", run.err);
    fs::write(folder.join("none"), "").unwrap();
    for args in [&["a", "--from-keys", "none"][..], &["a", "--from", "shell", "--from-schema", "none"]] {
        let run = init(folder, args, "");
        assert_eq!((run.status, folder.join("a.rowkey.toml").exists()), (Some(2), false), "{}", run.err);
    }
}
