//! What `rowkey check` prints in each format: against files of expected output, the standard of SARIF and the README.
//!
//! `ROWKEY_REWRITE=1 cargo test -p rowkey-cli --test formats` writes the expected output anew.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value as Json;

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures")
}

fn check(folder: &Path, args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_rowkey"));
    command.arg("check").args(["--today", "2026-01-31"]).args(args).current_dir(folder).output().unwrap()
}

fn out(folder: &Path, args: &[&str]) -> String {
    String::from_utf8(check(folder, args).stdout).unwrap()
}

fn json(folder: &Path, args: &[&str]) -> Json {
    serde_json::from_str(&out(folder, args)).unwrap()
}

#[test]
fn expected_output() {
    for format in ["text", "short", "json", "github"] {
        let printed = out(&fixtures(), &["--format", format, "visits.rowkey.toml"]);
        let path = fixtures().join(format!("visits.{format}.out"));
        if std::env::var_os("ROWKEY_REWRITE").is_some() {
            fs::write(&path, &printed).unwrap();
        }
        let expected = fs::read_to_string(&path).unwrap();
        assert_eq!(printed, expected, "{format}: if this is meant, run it with ROWKEY_REWRITE=1");
    }
}

/// The part of the output that stays when rules are added.
#[test]
fn one_finding_in_every_format() {
    let found = json(&fixtures(), &["--json", "visits.rowkey.toml"]);
    let finding = found["findings"].as_array().unwrap().iter().find(|finding| finding["rule"] == "Q01").unwrap();
    assert_eq!((&finding["of"], &finding["place"]["line"]), (&"a host's latest".into(), &21.into()));
    assert_eq!((&found["allowed"][0]["rule"], &found["allowed"][0]["until"]), (&"F06".into(), &"2030-12-31".into()));
    let read = &found["reads"][0];
    assert_eq!((&read["ranges"], &read["full_scan"], &read["servers"]), (&4.into(), &true.into(), &4.0.into()));
    let github = out(&fixtures(), &["--format", "github", "visits.rowkey.toml"]);
    assert!(github.contains("::error file=visits.rowkey.toml,line=21,col=1,title=Q01 "), "{github}");
    let text = out(&fixtures(), &["--color", "always", "visits.rowkey.toml"]);
    assert!(text.contains("\u{1b}[") && text.contains("Q01"), "{text}");
    assert!(!out(&fixtures(), &["visits.rowkey.toml"]).contains('\u{1b}'));
}

/// Every path of the JSON, without positions in arrays.
fn paths(json: &Json, path: &str, all: &mut BTreeSet<String>) {
    match json {
        Json::Object(object) => {
            for (name, value) in object {
                // The samples are by table.
                let name = if path == "samples" { "TABLE" } else { name };
                let path = if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
                all.insert(path.clone());
                paths(value, &path, all);
            }
        }
        Json::Array(array) => array.iter().for_each(|item| paths(item, &format!("{path}[]"), all)),
        _ => {}
    }
}

#[test]
fn the_readme_names_every_field_of_the_json() {
    let readme = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md")).unwrap();
    let section = readme.split_once("\n## JSON\n").unwrap().1.split("\n## ").next().unwrap();
    let rows = section.lines().filter_map(|line| line.strip_prefix("| `")?.split_once("` |"));
    let documented: BTreeSet<String> = rows.map(|(path, _)| path.to_owned()).collect();
    let folder = tempfile::tempdir().unwrap();
    let text = fs::read_to_string(fixtures().join("visits.rowkey.toml")).unwrap();
    let sampled = text.replace("format = 1\n", "format = 1\ntable.s.key = [\"a: u32\"]\n")
        + "[[table.visits.allow]]\nrule = \"H19\"\nwhy = \"x\"\n";
    fs::write(folder.path().join("a.rowkey.toml"), sampled).unwrap();
    fs::write(folder.path().join("keys"), "00000001\n00000002\n00\n").unwrap();
    let mut printed = BTreeSet::new();
    paths(&json(folder.path(), &["--json", "--sample", "s=keys", "a.rowkey.toml"]), "", &mut printed);
    // Where a sample and the file differ.
    let differs = "format = 1\n[table.t]\nkey = [\"a: u32\"]\nstats.a = { distinct = \"1M\" }\n";
    fs::write(folder.path().join("b.rowkey.toml"), differs).unwrap();
    let keys: String = (0..5000).map(|i| format!("{:08x}\n", i % 10)).collect();
    fs::write(folder.path().join("keys"), keys).unwrap();
    paths(&json(folder.path(), &["--json", "--sample", "t=keys", "b.rowkey.toml"]), "", &mut printed);
    // A place, and what a finding has, are documented once.
    let of_place = |path: &str| path.split('.').rev().nth(1) == Some("place");
    let within = |path: &&String| {
        let finding = path.replace("allowed[]", "findings[]");
        documented.contains(*path) || documented.contains(&finding) || of_place(path)
    };
    let undocumented: Vec<_> = printed.iter().filter(|path| !within(path)).collect();
    assert!(undocumented.is_empty(), "{undocumented:?}");
    let gone: Vec<_> = documented.difference(&printed).collect();
    assert!(gone.is_empty(), "{gone:?}");
}

/// The schema is that of the OASIS Standard of SARIF 2.1.0, as the crate `serde-sarif` 0.8.0 has it.
#[test]
fn sarif_is_valid_by_its_standard() {
    let folder = tempfile::tempdir().unwrap();
    let text = fs::read_to_string(fixtures().join("visits.rowkey.toml")).unwrap();
    let allow = "[[table.visits.allow]]\nrule = \"H19\"\nwhy = \"x\"\n";
    for (name, text) in [
        ("found", text.clone()),
        ("fault", format!("{text}{allow}")),
        ("wrong", "format = 1\ncolour = 1\n[table.t]\nkey = [\"a: u46\"]\n".to_owned()),
        ("empty", String::new()),
        ("clean", "format = 1\n[table.t]\nkey = [\"a: u64\"]\n".to_owned()),
        ("é 日,%#?", text.replace('\n', "\r\n")),
    ] {
        fs::write(folder.path().join(format!("{name}.rowkey.toml")), text).unwrap();
    }
    let mut schema: Json =
        serde_json::from_str(&fs::read_to_string(fixtures().join("sarif-2.1.0.schema.json")).unwrap()).unwrap();
    // The standard's pattern of a language has a bracket that opens nowhere. Logs of ours name none.
    for of in ["run", "toolComponent"] {
        schema["definitions"][of]["properties"]["language"].as_object_mut().unwrap().remove("pattern").unwrap();
    }
    // Places are URIs of files: their format counts.
    let schema = jsonschema::options().should_validate_formats(true).build(&schema).unwrap();
    for name in ["found", "fault", "wrong", "empty", "clean", "é 日,%#?"] {
        let log = json(folder.path(), &["--format", "sarif", &format!("{name}.rowkey.toml")]);
        schema.validate(&log).unwrap_or_else(|error| panic!("{name}: {error}"));
        let mut broken = log.clone();
        broken["runs"][0]["results"] = serde_json::json!([{"level": "bad"}]);
        assert!(!schema.is_valid(&broken), "{name}");
        let mut broken = log.clone();
        broken["runs"][0]["artifacts"] = serde_json::json!([{"location": {"uri": "a b"}}]);
        assert!(!schema.is_valid(&broken), "{name}");
    }
    let allowed = ["--format", "sarif", "--allow", "Q01", "--write-baseline", "known", "found.rowkey.toml"];
    schema.validate(&json(folder.path(), &allowed)).unwrap();
    let gone = json(folder.path(), &["--format", "sarif", "--baseline", "known", "clean.rowkey.toml"]);
    schema.validate(&gone).unwrap();
    assert!(!gone["runs"][0]["invocations"][0]["toolConfigurationNotifications"].as_array().unwrap().is_empty());
    let log = json(folder.path(), &["--format", "sarif", "found.rowkey.toml"]);
    let results = log["runs"][0]["results"].as_array().unwrap();
    let of = |rule: &str| results.iter().find(|result| result["ruleId"] == rule).unwrap();
    let replacement = &of("H06")["fixes"][0]["artifactChanges"][0]["replacements"][0];
    let region = serde_json::json!({"startLine": 10, "startColumn": 20, "endLine": 10, "endColumn": 21});
    assert_eq!(replacement["deletedRegion"], region, "the number in `buckets = 4`");
    assert!(replacement["insertedContent"]["text"].as_str().unwrap().parse::<u32>().unwrap() >= 10, "{replacement}");
    let region = &of("Q01")["locations"][0]["physicalLocation"]["region"];
    assert_eq!(
        (&region["startLine"], &region["startColumn"], &region["endColumn"]),
        (&21.into(), &1.into(), &23.into())
    );
    let offset = region["byteOffset"].as_u64().unwrap() as usize;
    assert!(text[offset..].starts_with("[[table.visits.query]]"));
    let suppression = &of("F06")["suppressions"][0];
    assert_eq!(suppression["kind"], "inSource");
    assert!(
        suppression["justification"].as_str().unwrap().ends_with("within a day (until 2030-12-31)"),
        "{suppression}"
    );
}

/// Faults of a file that is no design are printed where a program looks for findings.
#[test]
fn faults_in_every_format() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("wrong.rowkey.toml"), "format = 1\n[table.t]\nkey = [\"a: u46\"]\n").unwrap();
    let wrong = |format: &str| {
        let run = check(folder.path(), &["--format", format, "wrong.rowkey.toml"]);
        assert_eq!(run.status.code(), Some(2), "{format}");
        (String::from_utf8(run.stdout).unwrap(), String::from_utf8(run.stderr).unwrap())
    };
    let (said, fault) = wrong("text");
    assert!(said.is_empty() && fault.contains("--> wrong.rowkey.toml:3:8") && fault.ends_with("1 error\n"), "{fault}");
    let expected = "wrong.rowkey.toml:3:8: error: `u46` is not a type of the format; did you mean `u16`?\n1 error\n";
    assert_eq!(wrong("short"), (expected.to_owned(), String::new()));
    let json: Json = serde_json::from_str(&wrong("json").0).unwrap();
    assert_eq!((&json["problems"][0]["place"]["line"], &json["summary"]["problems"]), (&3.into(), &1.into()));
    let sarif: Json = serde_json::from_str(&wrong("sarif").0).unwrap();
    assert_eq!(sarif["runs"][0]["invocations"][0]["executionSuccessful"], false);
    assert!(wrong("github").0.starts_with("::error file=wrong.rowkey.toml,line=3,col=8,title=design file::`u46`"));
}

/// A reader that goes away is no error and no panic, and the exit status is that of what was found.
#[test]
fn closed_pipes() {
    let run = |args: &[&str], closed_too: bool| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_rowkey"));
        let pipes = command.args(args).current_dir(fixtures()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = pipes.spawn().unwrap();
        drop(child.stdout.take());
        let stderr = child.stderr.take().filter(|_| !closed_too);
        let said = stderr.map_or(String::new(), |stderr| std::io::read_to_string(stderr).unwrap());
        (child.wait().unwrap().code(), said)
    };
    // More than a pipe holds.
    assert_eq!(run(&["check", "--format", "sarif", "visits.rowkey.toml"], false), (Some(1), String::new()));
    assert_eq!(run(&["rule", "--list", "--json"], false), (Some(0), String::new()));
    assert_eq!(run(&["check", "absent"], true), (Some(2), String::new()));
}
