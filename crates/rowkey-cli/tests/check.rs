//! `rowkey check` and its neighbours as a user runs them: exit statuses, forms of output, hostile files.

mod program;

use std::fs;
use std::process::Command;

use self::program::rowkey;

/// The first line of a formatted design.
const SCHEMA: &str = "#:schema ./rowkey.schema.json\n";

const BAD: &str = r#"format = 1

[table.visits]
key = ["at: instant", "host: text"]

[[table.visits.query]]
name = "one host"
fix = ["host"]
"#;

/// Two queries that no order of one key serves.
fn two_queries() -> String {
    format!("{BAD}\n[[table.visits.query]]\nname = \"one day\"\nrange = {{ at = \"1 day\" }}\n")
}

fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        fs::write(folder.path().join(name), text).unwrap();
    }
    folder
}

#[test]
fn findings_are_printed_as_rustc_does() {
    let folder = folder(&[("visits.rowkey.toml", &two_queries())]);
    let run = rowkey(folder.path(), &["check", "visits.rowkey.toml"], b"");
    assert_eq!((run.status, run.err.as_str()), (Some(1), ""));
    let expected = "\
error[Q01]: \"one host\" fixes no leading field of the key: each run is a full scan
  --> visits.rowkey.toml:6:1
   |
 6 | [[table.visits.query]]
   | ^^^^^^^^^^^^^^^^^^^^^^
";
    assert!(run.out.starts_with(expected), "{}", run.out);
    assert!(run.out.contains("+ [[table.visits.secondary]]\n"), "{}", run.out);
    assert!(run.out.ends_with("1 table, 2 queries: 1 error, 0 warnings, 0 notes, 0 allowed\n"), "{}", run.out);
}

#[test]
fn exit_statuses() {
    let good = BAD.replace("\"at: instant\", \"host: text\"", "\"host: text\", \"at: instant\"");
    let allow = |more: &str| {
        format!("{BAD}[[table.visits.allow]]\nrule = \"Q01\"\nof = \"one host\"\nwhy = \"a small table\"\n{more}")
    };
    let folder = folder(&[
        ("good.rowkey.toml", &good),
        ("bad.rowkey.toml", BAD),
        ("wrong.rowkey.toml", "format = 1\n[table.t]\nkey = [\"a: u46\"]\ncolour = 1\n"),
        ("allowed.rowkey.toml", &allow("until = 2030-01-01\n")),
        ("expired.rowkey.toml", &allow("until = 2020-01-01\n")),
        ("unused.rowkey.toml", &format!("{good}[[table.visits.allow]]\nrule = \"Q01\"\nwhy = \"x\"\n")),
        ("unknown.rowkey.toml", &format!("{good}[[table.visits.allow]]\nrule = \"Q99\"\nwhy = \"x\"\n")),
        ("empty.rowkey.toml", &format!("{good}[[table.visits.allow]]\nrule = \"Q01\"\nwhy = \" \"\n")),
    ]);
    let status =
        |args: &[&str]| rowkey(folder.path(), &[&["check", "--today", "2026-01-31"], args].concat(), b"").status;
    assert_eq!(status(&["good.rowkey.toml"]), Some(0));
    assert_eq!(status(&["bad.rowkey.toml"]), Some(1));
    assert_eq!(status(&["allowed.rowkey.toml"]), Some(0));
    assert_eq!(status(&["--deny", "error", "bad.rowkey.toml"]), Some(1));
    for wrong in ["wrong", "expired", "unused", "unknown", "empty", "absent"] {
        assert_eq!(status(&[&format!("{wrong}.rowkey.toml")]), Some(2), "{wrong}");
    }
    assert_eq!(status(&["--cluster", "prod", "good.rowkey.toml"]), Some(2));
    assert_eq!(status(&["--sample", "visits", "good.rowkey.toml"]), Some(2));
    assert_eq!(status(&[]), Some(2));
    let wrong = rowkey(folder.path(), &["check", "wrong.rowkey.toml"], b"");
    assert!(wrong.err.contains("wrong.rowkey.toml:3:8") && wrong.err.contains("unknown key `colour`"), "{}", wrong.err);
    assert!(wrong.err.ends_with("2 errors\n"), "{}", wrong.err);
}

/// Levels of rules by options win over those of the file, and are what fails and what every form shows.
#[test]
fn levels_of_rules() {
    let levelled = format!("{BAD}[rules]\nQ01 = \"warning\"\n");
    let folder = folder(&[("bad.rowkey.toml", BAD), ("levelled.rowkey.toml", &levelled)]);
    let run = |args: &[&str]| rowkey(folder.path(), &[&["check"], args].concat(), b"");
    let severity = |args: &[&str]| {
        let run = run(&[args, &["--json"]].concat());
        let json: serde_json::Value = serde_json::from_str(&run.out).unwrap();
        let found = json["findings"].as_array().unwrap().iter().find(|found| found["rule"] == "Q01");
        (run.status, found.map(|found| found["severity"].as_str().unwrap().to_owned()))
    };
    let is = |status, severity: &str| (Some(status), Some(severity.to_owned()));
    assert_eq!(severity(&["bad.rowkey.toml"]), is(1, "error"));
    assert_eq!(severity(&["levelled.rowkey.toml"]), is(1, "warning"));
    assert_eq!(severity(&["--deny", "error", "levelled.rowkey.toml"]), is(0, "warning"));
    assert_eq!(severity(&["--deny", "error,q01", "levelled.rowkey.toml"]), is(1, "error"));
    assert_eq!(severity(&["--note", "Q01", "levelled.rowkey.toml"]), is(0, "note"));
    assert_eq!(severity(&["--warn", "H10,Q01", "bad.rowkey.toml"]), is(1, "warning"));
    assert_eq!(severity(&["--allow", "Q01", "levelled.rowkey.toml"]), (Some(0), None));
    let shown = |format: &str, args: &[&str]| run(&[&["--format", format, "levelled.rowkey.toml"], args].concat()).out;
    assert!(shown("github", &[]).starts_with("::warning file=levelled.rowkey.toml,line=6,"));
    assert!(shown("text", &["--allow", "Q01"]).contains("allowed Q01 visits \"one host\": an option of this check\n"));
    let sarif: serde_json::Value = serde_json::from_str(&shown("sarif", &["--allow", "Q01"])).unwrap();
    assert_eq!(sarif["runs"][0]["results"][0]["suppressions"][0]["kind"], "external");
    let off = levelled.replace("\"warning\"", "\"allow\"");
    fs::write(folder.path().join("levelled.rowkey.toml"), off).unwrap();
    let at = "allowed Q01 visits \"one host\": `rules`, at levelled.rowkey.toml:10:1\n";
    assert!(shown("text", &[]).contains(at), "{}", shown("text", &[]));
    let sarif: serde_json::Value = serde_json::from_str(&shown("sarif", &[])).unwrap();
    assert_eq!(sarif["runs"][0]["results"][0]["suppressions"][0]["kind"], "inSource");
    for (args, said) in [
        (["--allow", "X9"], "there is no rule \"X9\""),
        (["--deny", "D01"], "D01 compares two designs"),
        (["--warn=Q01", "--deny=Q01"], "the options give Q01 two levels: warning and error"),
        (["--deny=note", "--deny=error"], "--deny names two severities"),
    ] {
        let run = run(&[&args[..], &["bad.rowkey.toml"]].concat());
        assert!(run.status == Some(2) && run.err.contains(said), "{args:?}: {}", run.err);
    }
}

#[test]
fn two_allows_of_one_finding_are_named_as_such() {
    let allow = "[[table.visits.allow]]\nrule = \"Q01\"\nof = \"one host\"\nwhy = \"x\"\n";
    let other = "[[table.visits.allow]]\nrule = \"Q01\"\nof = \"host\"\nwhy = \"x\"\n";
    let folder = folder(&[("a.rowkey.toml", &format!("{BAD}{allow}{allow}{other}"))]);
    let run = rowkey(folder.path(), &["check", "--format", "short", "a.rowkey.toml"], b"");
    assert_eq!(run.status, Some(2));
    let same =
        "a.rowkey.toml:14:8: error: this `allow` is of the same as that at a.rowkey.toml:10:8; remove one of them\n";
    assert!(
        run.out.contains(same) && run.out.contains(":18:8: error: nothing of \"host\" is found by Q01"),
        "{}",
        run.out
    );
    assert_eq!(run.out.matches("error: ").count(), 2, "{}", run.out);
}

#[test]
fn forms_for_programs() {
    let folder = folder(&[("a b,%.rowkey.toml", BAD)]);
    let run = |format: &str| rowkey(folder.path(), &["check", "--format", format, "a b,%.rowkey.toml"], b"").out;
    let json: serde_json::Value = serde_json::from_str(&run("json")).unwrap();
    let finding = &json["findings"][0];
    assert_eq!((&finding["rule"], &finding["severity"]), (&"Q01".into(), &"error".into()));
    assert_eq!((&finding["place"]["line"], &json["summary"]["errors"]), (&6.into(), &1.into()));
    let sarif: serde_json::Value = serde_json::from_str(&run("sarif")).unwrap();
    let result = &sarif["runs"][0]["results"][0];
    assert_eq!(
        (&sarif["version"], &result["ruleId"], &result["level"]),
        (&"2.1.0".into(), &"Q01".into(), &"error".into())
    );
    let location = &result["locations"][0]["physicalLocation"];
    assert_eq!(location["artifactLocation"]["uri"], "a%20b%2C%25.rowkey.toml");
    assert_eq!(location["region"]["startLine"], 6);
    assert!(sarif["runs"][0]["tool"]["driver"]["rules"].as_array().unwrap().len() > 50);
    let github = run("github");
    assert!(github.starts_with("::error file=a b%2C%25.rowkey.toml,line=6,col=1,title=Q01 a query"), "{github}");
    assert_eq!(github.lines().count(), 1);
}

/// Characters that a terminal interprets or does not show: controls of ASCII and of Latin-1, marks that turn text,
/// characters without width.
fn hostile(c: char) -> bool {
    (c.is_control() && c != '\n')
        || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
}

/// Names, values and lines of files that would move the cursor, turn the direction of text, or end a line are shown,
/// not sent.
#[test]
fn hostile_text_is_shown_and_not_sent() {
    let escaped = "\\u001b[31m\\u202e\\u0007\\u009b2J\\u200b\\n::error::x";
    let named = BAD.replace("\"one host\"", &format!("\"{escaped}\""));
    let raw = "\u{1b}[31m \u{9b}2J \u{202e} \u{2067} \u{200b} \u{200f} \u{feff} \u{2028} \u{7f} \u{8}";
    let long = "a".repeat(1 << 20);
    let folder = folder(&[
        ("named.rowkey.toml", &named),
        ("table.rowkey.toml", &BAD.replace("visits", &format!("\"{escaped}\""))),
        ("raw.rowkey.toml", &format!("format = 1\n[table.t]\nkey = [\"a: {raw}\"]\n")),
        ("raw_key.rowkey.toml", &format!("format = 1\n\"{raw}\" = 1\n")),
        ("comment.rowkey.toml", &format!("format = 1\n[table.t]\nkey = [\"a: u46\"] # {}\n", &raw[5..])),
        ("long.rowkey.toml", &format!("format = 1\n[table.t]\nkey = [\"{long}\"]\n")),
        ("lines.rowkey.toml", &format!("format = 1\n[table.t]\nkey = [\"a: u46\"]\n{}", "x = 1\n".repeat(3))),
        ("deep.rowkey.toml", &format!("format = 1\nx = {}\n", "[".repeat(100_000))),
        ("shape.rowkey.toml", &format!("format = 1\n[table.t]\nkey = [\"a: {}\"]\n", "option<".repeat(100_000))),
        ("\u{1b}[31m\u{202e}.rowkey.toml", BAD),
    ]);
    let mut names: Vec<_> = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names.len(), 10);
    for name in names {
        let name = name.to_str().unwrap();
        for format in ["text", "short", "github", "json", "sarif"] {
            let run = rowkey(folder.path(), &["check", "--format", format, name], b"");
            assert!(matches!(run.status, Some(1 | 2)), "{name:?}");
            let said = run.out + &run.err;
            assert!(!said.contains(hostile), "{name:?}: {said:?}");
            let most = if format == "json" || format == "sarif" { usize::MAX } else { 20_000 };
            assert!(!said.is_empty() && said.len() < most, "{name:?}: {}", said.len());
            if format == "github" {
                assert!(
                    said.lines().all(|line| line.starts_with("::error file=") || line.starts_with("::notice file="))
                );
            }
        }
    }
    // In JSON as JSON has it: what a program reads is the name as it is.
    let run = rowkey(folder.path(), &["check", "--json", "named.rowkey.toml"], b"");
    assert!(run.out.contains(r"\u001b[31m\u202e\u0007\u009b2J\u200b\n::error::x"), "{}", run.out);
    let of = &serde_json::from_str::<serde_json::Value>(&run.out).unwrap()["findings"][0]["of"];
    assert_eq!(of, "\u{1b}[31m\u{202e}\u{7}\u{9b}2J\u{200b}\n::error::x");
    let old = named.replace("\"at: instant\", \"host: text\"", "\"host: text\", \"at: instant\"");
    fs::write(folder.path().join("old.rowkey.toml"), old).unwrap();
    let run = rowkey(folder.path(), &["diff", "--json", "old.rowkey.toml", "named.rowkey.toml"], b"");
    assert!(run.out.contains(r"\u202e") && !run.out.contains(hostile), "{}{}", run.out, run.err);
    let run = rowkey(folder.path(), &["check", "--format", "\u{1b}[31m\u{202e}"], b"");
    assert!(run.status == Some(2) && !run.err.contains(hostile), "{:?}", run.err);
    let run = rowkey(folder.path(), &["check", "a\u{1b}[31m\nb\u{202e}"], b"");
    assert_eq!((run.status, run.err.lines().count()), (Some(2), 1), "{:?}", run.err);
    assert!(!run.err.contains(hostile), "{:?}", run.err);
}

#[test]
fn lines_and_columns_are_those_of_an_editor() {
    let folder = folder(&[
        ("crlf.rowkey.toml", "format = 1\r\n[table.t]\r\n\tkey\t=\t[\"a: u46\"]\r\n"),
        ("mark.rowkey.toml", "\u{feff}format = 2\n"),
        ("wide.rowkey.toml", "format = 1\n\"\u{65e5}\u{e9}\u{1f600}\u{200b}\u{9b}\" = { x = 1 } # \u{e9}\n"),
    ]);
    for (name, bytes, place) in [
        ("bytes", &b"format = 1\n# \xc3\xa9 \xff\n"[..], "2:5: the byte 0xff is not UTF-8"),
        ("first", &b"\xef\xbb\xbf\x80"[..], "1:1: the byte 0x80 is not UTF-8"),
        ("cut", &b"format = 1\n\xe6\x97"[..], "2:1: the byte 0xe6 is not UTF-8"),
        ("zero", &b"format = 1\n[table.t]\nkey = [\"a: u64\"]\0\n"[..], "3:17: "),
    ] {
        let file = format!("{name}.rowkey.toml");
        fs::write(folder.path().join(&file), bytes).unwrap();
        let run = rowkey(folder.path(), &["check", "--format", "short", &file], b"");
        let said = run.out + &run.err;
        assert!(run.status == Some(2) && said.contains(&format!("{file}:{place}")), "{name}: {said}");
    }
    let said = |file: &str| rowkey(folder.path(), &["check", file], b"").err;
    let crlf = said("crlf.rowkey.toml");
    assert!(crlf.contains("crlf.rowkey.toml:3:9\n") && crlf.contains("3 |     key    =    [\"a: u46\"]\n"), "{crlf}");
    let mark = said("mark.rowkey.toml");
    assert!(mark.contains("mark.rowkey.toml:1:10\n") && mark.contains("1 | format = 2\n"), "{mark}");
    let wide = said("wide.rowkey.toml");
    assert!(wide.contains("2 | \"\u{65e5}\u{e9}\u{1f600}\u{fffd}\u{fffd}\" = { x = 1 } # \u{e9}\n"), "{wide}");
}

#[test]
fn edits_are_written_where_they_are_asked_for() {
    let folder = folder(&[("visits.rowkey.toml", &two_queries())]);
    let read = || fs::read_to_string(folder.path().join("visits.rowkey.toml")).unwrap();
    assert_eq!(rowkey(folder.path(), &["check", "."], b"").status, Some(1));
    assert_eq!(read(), two_queries());
    // A note is below what is denied.
    let run = rowkey(folder.path(), &["check", "--fix", "."], b"");
    assert_eq!((run.status, run.err.as_str()), (Some(0), ""));
    assert!(run.out.starts_with("fixed error[Q01] of visits in ./visits.rowkey.toml: "), "{}", run.out);
    assert!(run.out.contains("\nvisits_by_host: one host  1 "), "{}", run.out);
    assert!(read().starts_with(&two_queries()) && read().contains("serves = [\"one host\"]"), "{}", read());
    let fixed = read();
    let run =
        rowkey(folder.path(), &["check", "--fix", "--json", "visits.rowkey.toml", ".", "visits.rowkey.toml"], b"");
    assert_eq!((run.status, read()), (Some(0), fixed));
    let json: serde_json::Value = serde_json::from_str(&run.out).unwrap();
    assert_eq!(json["reads"][0]["secondary"], "visits_by_host");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    let run = rowkey(folder.path(), &["check", "--fix", "--sample", "visits=-", "."], b"");
    assert_eq!(run.status, Some(2), "{}", run.err);
}

#[test]
fn a_sample_from_standard_input() {
    let text = "format = 1\n[table.t]\nkey = [\"user: u64\"]\nsplits = { uniform = 4 }\n";
    let folder = folder(&[("t.rowkey.toml", text)]);
    let keys: String = (0..2000u64).map(|user| format!("{user:016x}\n")).collect::<String>() + "00\n";
    let run = rowkey(folder.path(), &["check", "--sample", "t=-", "t.rowkey.toml"], keys.as_bytes());
    assert_eq!(run.status, Some(1), "{}", run.err);
    assert!(
        run.out.starts_with("sample of t: 2001 keys, 2k different, 1 do not decode, 1 B to 8 B a key\n"),
        "{}",
        run.out
    );
    for rule in ["H09", "Q10"] {
        assert!(run.out.contains(&format!("[{rule}]")), "{rule}: {}", run.out);
    }
    let run = rowkey(folder.path(), &["check", "--sample", "t=-", "t.rowkey.toml"], b"0g\n");
    assert_eq!(
        (run.status, run.err.as_str()),
        (Some(2), "error: standard input: line 1: byte 1: 'g' is not a hex digit\n")
    );
}

/// A file that is reached by a link is written where it is, and stays as readable as it was.
#[cfg(unix)]
#[test]
fn links_and_permissions_stay() {
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    let folder = folder(&[("real", &two_queries())]);
    let real = folder.path().join("real");
    fs::set_permissions(&real, fs::Permissions::from_mode(0o600)).unwrap();
    symlink("real", folder.path().join("visits.rowkey.toml")).unwrap();
    let run = rowkey(folder.path(), &["check", "--fix", "visits.rowkey.toml"], b"");
    assert_eq!((run.status, run.err.as_str()), (Some(0), ""));
    assert!(fs::read_to_string(&real).unwrap().contains("visits_by_host"));
    assert_eq!(fs::metadata(&real).unwrap().permissions().mode() & 0o777, 0o600);
    assert!(fs::symlink_metadata(folder.path().join("visits.rowkey.toml")).unwrap().is_symlink());
}

#[test]
fn samples_that_cannot_be_read() {
    let text = "format = 1\n[table.t]\nkey = [\"user: u64\"]\nsample = \"keys\"\n";
    let folder = folder(&[("t.rowkey.toml", text), ("good", "0000000000000001\n"), ("bad", "00\n0g\n")]);
    let run = |args: &[&str]| rowkey(folder.path(), &[&["check", "t.rowkey.toml"], args].concat(), b"00\n");
    let absent = run(&[]);
    assert_eq!((absent.status, absent.out.contains("note: keys is not there")), (Some(0), true), "{}", absent.out);
    assert_eq!(run(&["--sample", "t=good"]).status, Some(0));
    // A fault in a file that the design names is shown where it names it.
    fs::copy(folder.path().join("bad"), folder.path().join("keys")).unwrap();
    let bad = run(&["--format", "short"]);
    assert_eq!(bad.status, Some(2));
    assert!(
        bad.out.starts_with("t.rowkey.toml:4:10: error: keys: line 2: byte 1: 'g' is not a hex digit\n"),
        "{}",
        bad.out
    );
    for (arguments, said) in [
        (&["--sample", "t=absent"][..], "cannot read absent: "),
        (&["--sample", "x=good"], "there is no table \"x\"; the design has: t\n"),
        (&["--sample", "t=good", "--sample", "t=-"], "comes after another sample"),
    ] {
        let run = run(arguments);
        assert!(run.status == Some(2) && run.err.contains(said) && run.err.lines().count() == 1, "{}", run.err);
    }
}

#[test]
fn rules_help_completions_and_man_pages() {
    let folder = tempfile::tempdir().unwrap();
    let run = |args: &[&str]| rowkey(folder.path(), args, b"");
    assert!(run(&["rule", "h05"]).out.starts_with("## H05 fewer values before the time field than servers\n"));
    assert!(run(&["rule", "--list"]).out.lines().count() > 50);
    assert_eq!(run(&["rule", "X1"]).status, Some(2));
    let wrong = run(&["rule", "h5"]);
    assert_eq!(wrong.status, Some(2));
    assert!(wrong.err.contains("did you mean H05 ("), "{}", wrong.err);
    let rule: serde_json::Value = serde_json::from_str(&run(&["rule", "H10", "--json"]).out).unwrap();
    assert_eq!((&rule["severity"]["hbase"], &rule["severity"]["fjall"]), (&"warning".into(), &"note".into()));
    let help = run(&["--help"]).out;
    let commands = [
        "init",
        "check",
        "rule",
        "suggest",
        "explain",
        "ddl",
        "infer",
        "import",
        "diff",
        "fmt",
        "schema",
        "completions",
        "man",
    ];
    let mut place = 0;
    for command in commands {
        // In the order of use, each on a line.
        let at = help.find(&format!("\n  {command} ")).unwrap();
        assert!(at > place && help[at + 1..].lines().next().unwrap().len() <= 100, "{command}: {help}");
        assert!(
            help[at + 1..].lines().nth(1).unwrap().starts_with("  ")
                && !help[at + 1..].lines().nth(1).unwrap().starts_with("   "),
            "{command}: {help}"
        );
        place = at;
        assert!(help.contains(&format!("\n  {command} ")), "{command}: {help}");
        let help = run(&[command, "--help"]).out;
        assert!(help.contains("Example") && help.contains(&format!("rowkey {command}")), "{help}");
    }
    for shell in ["bash", "zsh", "fish"] {
        assert!(run(&["completions", shell]).out.contains("rowkey"), "{shell}");
    }
    assert_eq!(run(&["man", "."]).status, Some(0));
    assert!(fs::read_to_string(folder.path().join("rowkey-check.1")).unwrap().starts_with(".ie"));
    let schema: serde_json::Value = serde_json::from_str(&run(&["schema"]).out).unwrap();
    assert!(schema["properties"]["table"].is_object());
}

#[test]
fn fmt_and_diff() {
    let folder =
        folder(&[("a.rowkey.toml", "format=1 # one\n[table.t]\nkey=[\"a: u64\"]\nfamily.f.ttl = \"9 days\"\n")]);
    let run = |args: &[&str]| rowkey(folder.path(), args, b"");
    let read = || fs::read_to_string(folder.path().join("a.rowkey.toml")).unwrap();
    assert_eq!(run(&["fmt", "--check", "."]).status, Some(1));
    let formatted = run(&["fmt", "."]);
    assert_eq!(formatted.status, Some(0));
    assert!(formatted.err.contains("`rowkey schema > ./rowkey.schema.json` writes it"), "{}", formatted.err);
    assert_eq!(run(&["fmt", "--check", "."]).status, Some(0));
    assert_eq!(
        read(),
        SCHEMA.to_owned() + "format = 1 # one\n[table.t]\nkey = [\"a: u64\"]\nfamily.f.ttl = \"9 days\"\n"
    );
    assert_eq!(run(&["diff", "--write-lock", "rowkey.lock", "a.rowkey.toml"]).status, Some(0));
    assert_eq!(run(&["diff", "--lock", "rowkey.lock", "a.rowkey.toml"]).status, Some(0));
    let git = |args: &[&str]| {
        let identity = ["-c", "user.name=a", "-c", "user.email=a@example.org"];
        let done = Command::new("git").args(identity).args(args).current_dir(folder.path()).output().unwrap();
        assert!(done.status.success(), "{done:?}");
    };
    git(&["init", "-q"]);
    git(&["add", "."]);
    git(&["commit", "-qm", "first"]);
    assert_eq!(run(&["diff", "--against", "git:HEAD", "."]).status, Some(0));
    fs::write(folder.path().join("a.rowkey.toml"), read().replace("u64", "i64").replace("9 days", "8 days")).unwrap();
    let changed = run(&["diff", "--against", "git:HEAD", "a.rowkey.toml"]);
    assert_eq!((changed.status, changed.err.as_str()), (Some(1), ""));
    assert!(
        changed.out.contains("D07 data loss t \"f\": ") && changed.out.contains("D01 rewrite t: "),
        "{}",
        changed.out
    );
    assert_eq!(run(&["diff", "--lock", "rowkey.lock", "a.rowkey.toml"]).status, Some(1));
    for revision in ["main", "git:", "git:--help", "git:nothing"] {
        assert_eq!(run(&["diff", "--against", revision, "."]).status, Some(2), "{revision}");
    }
}

/// A lock file replaces a lock file, and nothing else.
#[test]
fn a_lock_file_replaces_no_other_file() {
    let design = "format = 1\n[table.t]\nkey = [\"a: u64\"]\n";
    let folder = folder(&[("a.rowkey.toml", design), ("other.txt", "mine\n"), ("empty", "")]);
    fs::create_dir(folder.path().join("d")).unwrap();
    fs::write(folder.path().join("d/b.rowkey.toml"), design).unwrap();
    let read = |name: &str| fs::read_to_string(folder.path().join(name)).unwrap();
    let lock = |lock: &str, design: &str| rowkey(folder.path(), &["diff", "--write-lock", lock, design], b"");
    for (target, design, why) in [
        ("a.rowkey.toml", "a.rowkey.toml", "is a file of the design"),
        ("d/../a.rowkey.toml", "a.rowkey.toml", "is a file of the design"),
        ("d/b.rowkey.toml", "d", "is a file of the design"),
        ("d/b.rowkey.toml", "a.rowkey.toml", "no lock file"),
        ("other.txt", "a.rowkey.toml", "no lock file"),
        ("empty", "a.rowkey.toml", "no lock file"),
    ] {
        let before = read(target);
        let run = lock(target, design);
        assert_eq!((run.status, run.out.as_str()), (Some(2), ""), "{target}");
        assert!(run.err.contains(why) && run.err.contains("nothing is written"), "{target}: {}", run.err);
        assert_eq!(read(target), before);
    }
    assert_eq!(lock("rowkey.lock", "a.rowkey.toml").status, Some(0));
    let written = read("rowkey.lock");
    // Its own input: a lock file is a design too.
    assert_eq!(lock("rowkey.lock", "rowkey.lock").status, Some(2));
    // As git may have checked it out, and of another design.
    fs::write(folder.path().join("rowkey.lock"), written.replace('\n', "\r\n").replace("u64", "i64")).unwrap();
    assert_eq!(lock("rowkey.lock", "a.rowkey.toml").status, Some(0));
    assert_eq!(read("rowkey.lock"), written);
}

/// A table in braces takes no section: what `--fix` writes is valid, and cures.
#[test]
fn edits_fit_tables_of_every_form() {
    let key = "key = [\"at: instant\", \"host: text\"]";
    // No order of one key serves both.
    let query =
        "query = [{ name = \"one host\", fix = [\"host\"] }, { name = \"one day\", range = { at = \"1 day\" } }]";
    for table in [
        format!("[table]\nvisits = {{ {key}, {query} }}\n"),
        format!("[table]\nvisits = {{\n  # a comment\n  {key},\n  {query},\n}}\n"),
        format!("table = {{ # a comment\n  visits = {{\n    {key}, {query} }}\n}}\n"),
        format!("table.visits = {{ {key}, {query} }}\n"),
        format!("[table]\nvisits.{key}\nvisits.{query}\n"),
        format!("[table]\n  [ table . \"visits\" ] # c\n{key}\n{query}"),
    ] {
        let folder = folder(&[("a.rowkey.toml", &format!("format = 1\n{table}"))]);
        let before = rowkey(folder.path(), &["check", "a.rowkey.toml"], b"");
        assert!(before.status == Some(1) && before.out.contains("error[Q01]"), "{table}{}", before.err);
        let fixed = rowkey(folder.path(), &["check", "--fix", "a.rowkey.toml"], b"");
        assert!(fixed.out.starts_with("fixed error[Q01]") && fixed.status == Some(0), "{table}{}", fixed.out);
        let text = fs::read_to_string(folder.path().join("a.rowkey.toml")).unwrap();
        assert!(text.contains("visits_by_host"), "{text}");
    }
    // Neither a section nor a key: the cure is said in words alone.
    let taken = format!("table = {{ visits = {{ {key}, secondary = [], {query}, unique = \"upsert\" }} }}\n");
    let dotted = format!("table = {{ visits.{key}, visits.{query} }}\n");
    let with_another = taken.replace("[], ", "[{ name = \"x\", key = [\"at: instant\", \"host: text\"] }], ");
    for table in [with_another, dotted] {
        let folder = folder(&[("a.rowkey.toml", &format!("format = 1\n{table}"))]);
        let run = rowkey(folder.path(), &["check", "--json", "a.rowkey.toml"], b"");
        let json: serde_json::Value =
            serde_json::from_str(&run.out).unwrap_or_else(|_| panic!("{}{}", run.out, run.err));
        let findings = json["findings"].as_array().unwrap();
        let finding = findings.iter().find(|finding| finding["rule"] == "Q01").unwrap_or_else(|| panic!("{}", run.out));
        assert_eq!(finding["remedy"]["edits"], serde_json::json!([]), "{}", run.out);
    }
}

/// A salt and another order of the key each cure what the other does: one is written, and what is left is checked
/// again.
#[test]
fn edits_of_one_table_are_not_made_at_once() {
    let text = "format = 1\n[cluster.c]\nengine = \"hbase\"\nservers = 10\n[table.log]\nkey = [\"at: instant\", \"host: u32\"]\nrows = \"1G\"\nkeep = \"forever\"\nsplits = { uniform = 10 }\nstats.host = { distinct = 5_000 }\nmeans.host = \"random\"\n[table.log.family.f]\n[[table.log.write]]\nname = \"w\"\nrate = \"50k/s\"\norder = \"time\"\n[[table.log.query]]\nname = \"an hour of a host\"\nfix = [\"host\"]\nrange = { at = \"1 hour\" }\nrate = \"10/s\"\n";
    let folder = folder(&[("log.rowkey.toml", text)]);
    let found = rowkey(folder.path(), &["check", "--format", "short", "log.rowkey.toml"], b"");
    assert!(found.out.contains("error[H01]") && found.out.contains("error[Q04]"), "{}", found.out);
    let fixed = rowkey(folder.path(), &["check", "--fix", "log.rowkey.toml"], b"");
    assert_eq!((fixed.status, fixed.err.as_str()), (Some(0), ""), "{}", fixed.out);
    assert_eq!(fixed.out.matches("fixed ").count(), 1, "{}", fixed.out);
    let after = fs::read_to_string(folder.path().join("log.rowkey.toml")).unwrap();
    assert_eq!(after, text.replace("\"at: instant\", \"host: u32\"", "\"host: u32\", \"at: instant\""));
}

/// The order of the key that cures one finding cures another too, which is allowed: its `allow` goes, whatever its
/// form.
#[test]
fn what_is_mended_is_allowed_no_more() {
    let table = "format = 1\n[cluster.c]\nengine = \"hbase\"\nservers = 10\n[table.log]\nkey = [\"at: instant\", \"host: u32\"]\n\
                 rows = \"1G\"\nkeep = \"forever\"\nsplits = { uniform = 10 }\nstats.host = { distinct = 5_000 }\nmeans.host = \"random\"\n";
    let rest = "[table.log.family.f]\n[[table.log.write]]\nname = \"w\"\nrate = \"50k/s\"\norder = \"time\"\n\
                [[table.log.query]]\nname = \"an hour\"\nfix = [\"host\"]\nrange = { at = \"1 hour\" }\nrate = \"10/s\"\n";
    let other = "[[table.log.allow]]\nrule = \"D01\"\nwhy = \"it stays\"\n";
    let (one, two) = ("{ rule = \"H01\", why = \"known\" }", "{ rule = \"D01\", why = \"it stays\" }");
    let section = "[[table.log.allow]]\nrule = \"H01\"\nwhy = \"\"\"\n[known]\n\"\"\" # so\n";
    for (allow, left, after) in [
        (String::new(), String::new(), format!("\n{section}# end")),
        (String::new(), String::new(), format!("\n{section}")),
        (String::new(), String::new(), format!("{section}\n{other}")),
        (String::new(), String::new(), format!("{other}\r\n{section}")),
        (format!("allow = [{one}]\n"), "allow = []\n".to_owned(), String::new()),
        (format!("allow = [{one}, {two}]\n"), format!("allow = [{two}]\n"), String::new()),
        (format!("allow = [{two}, {one}]\n"), format!("allow = [{two}]\n"), String::new()),
        (format!("allow = [\n  {two},\n  {one},\n]\n"), format!("allow = [\n  {two},\n  \n]\n"), String::new()),
    ] {
        let text = format!("{table}{allow}{rest}{after}");
        let folder = folder(&[("log.rowkey.toml", &text)]);
        let found = rowkey(folder.path(), &["check", "--format", "short", "log.rowkey.toml"], b"");
        assert!(found.out.contains("error[Q04]") && !found.out.contains("[H01]"), "{text}{}{}", found.out, found.err);
        let fixed = rowkey(folder.path(), &["check", "--fix", "log.rowkey.toml"], b"");
        assert_eq!((fixed.status, fixed.err.as_str()), (Some(0), ""), "{text}{}", fixed.out);
        let said = "removed the allow of H01 for log in log.rowkey.toml, which is found no more; it said: ";
        assert!(fixed.out.lines().filter(|line| line.starts_with(said)).count() == 1, "{}", fixed.out);
        let due = format!("{table}{left}{rest}{}", after.replace(&format!("\n{section}"), "").replace(section, ""));
        let due = due.replace("\"at: instant\", \"host: u32\"", "\"host: u32\", \"at: instant\"");
        let is = fs::read_to_string(folder.path().join("log.rowkey.toml")).unwrap();
        let lines = |text: &str| text.replace('\r', "").trim_end().to_owned();
        assert_eq!(lines(&is), lines(&due), "{text}");
    }
}

/// A folder's pipes are not waited for. One that is named is read.
#[cfg(unix)]
#[test]
fn a_folder_is_its_regular_files() {
    let folder = folder(&[("visits.rowkey.toml", &format!("{SCHEMA}{BAD}"))]);
    let pipe = folder.path().join("a.rowkey.toml");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    fs::create_dir(folder.path().join("b.rowkey.toml")).unwrap();
    let run = |args: &[&str]| rowkey(folder.path(), args, b"");
    let found = run(&["check", "--format", "short", "."]);
    assert_eq!((found.status, found.err.as_str()), (Some(1), ""));
    assert!(found.out.ends_with("1 table, 1 query: 1 error, 0 warnings, 0 notes, 0 allowed\n"), "{}", found.out);
    assert_eq!(run(&["fmt", "--check", "."]).status, Some(0));
    let writer = std::thread::spawn(move || fs::write(pipe, BAD));
    assert_eq!(run(&["check", "a.rowkey.toml"]).status, Some(1));
    writer.join().unwrap().unwrap();
    fs::remove_file(folder.path().join("visits.rowkey.toml")).unwrap();
    assert!(run(&["check", "."]).err.contains("has no file *.rowkey.toml"));
    // A link to nothing is no pipe: it is said.
    std::os::unix::fs::symlink("nothing", folder.path().join("c.rowkey.toml")).unwrap();
    assert!(run(&["check", "."]).err.contains("cannot read ./c.rowkey.toml"));
}

/// A design that comes from a pipe is the same as in a file, and its places have a name.
#[test]
fn a_design_from_standard_input() {
    let text = &format!("{BAD}\n[table.visits.family.f]\n");
    let folder = folder(&[("a.rowkey.toml", text)]);
    let piped = |args: &[&str], text: &str| rowkey(folder.path(), args, text.as_bytes());
    for args in [
        &["check", "X"][..],
        &["check", "--format", "short", "X"],
        &["check", "--json", "X"],
        &["suggest", "X", "visits"],
        &["ddl", "--for", "hbase", "X"],
        &["explain", "X", "visits", "--query", "one host", "host=bonn"],
        &["fmt", "--check", "X"],
        &["diff", "a.rowkey.toml", "X"],
        &["diff", "X", "a.rowkey.toml"],
    ] {
        let with = |name: &str| args.iter().map(|arg| arg.replace('X', name)).collect::<Vec<_>>();
        let run = |name: &str, text| piped(&with(name).iter().map(String::as_str).collect::<Vec<_>>(), text);
        let (file, pipe) = (run("a.rowkey.toml", ""), run("-", text));
        let named = |text: &str| text.replace("a.rowkey.toml", "<stdin>");
        assert_eq!(
            (pipe.status, &pipe.out, &pipe.err),
            (file.status, &named(&file.out), &named(&file.err)),
            "{args:?}"
        );
        assert_ne!(pipe.status, Some(2), "{args:?}: {}", pipe.err);
    }
    let wrong = piped(&["check", "-"], "format = 1\ncolour = 1\n");
    assert!(wrong.status == Some(2) && wrong.err.contains("--> <stdin>:2:1\n"), "{}", wrong.err);
    let formatted = piped(&["fmt", "-"], "format=1\n\n\n\n[table.t]\n key=[\"a: u64\"]\n");
    assert_eq!(
        (formatted.status, formatted.out),
        (Some(0), format!("{SCHEMA}format = 1\n\n[table.t]\nkey = [\"a: u64\"]\n"))
    );
    for (args, said) in [
        (&["check", "--fix", "-"][..], "--fix writes into files: give a file instead of standard input"),
        (&["check", "-", "--sample", "visits=-"], "standard input is to be read twice"),
        (&["diff", "-", "-"], "standard input is to be read twice"),
        (&["explain", "-", "visits", "-"], "standard input is to be read twice"),
        (&["check", "-", "--baseline", "-"], "standard input is to be read twice"),
        (&["fmt", "-", "a.rowkey.toml"], "fmt prints standard input, and writes files: give it alone"),
    ] {
        let run = piped(args, BAD);
        assert!(
            run.status == Some(2) && run.err.contains(said) && run.out.is_empty(),
            "{args:?}: {}{}",
            run.err,
            run.out
        );
    }
    // Twice the same is once, as of files.
    assert_eq!(piped(&["check", "-", "-"], BAD).out, piped(&["check", "-"], BAD).out);
    assert!(!folder.path().join("-").exists());
}
