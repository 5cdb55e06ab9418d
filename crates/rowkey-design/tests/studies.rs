//! The designs of the case studies (`studies/designs`): their keys are those of the studies' structs, and checks are
//! silent on the good ones and name what the bad ones are bad at.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use rowkey::LayoutBuf;
use rowkey_design::{CheckOptions, Date, Design, File, Report, Rule, Severity};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../studies/designs")
}

/// Each study's design.
fn designs() -> BTreeMap<String, Design> {
    let files = fs::read_dir(folder()).unwrap().map(|file| file.unwrap().file_name().into_string().unwrap());
    let studies: Vec<String> = files.filter_map(|name| name.strip_suffix(".rowkey.toml").map(str::to_owned)).collect();
    let read = |study: String| {
        let name = format!("{study}.rowkey.toml");
        let text = fs::read_to_string(folder().join(&name)).unwrap();
        let design = Design::parse([File { name, text }]).unwrap_or_else(|problems| panic!("{problems}"));
        (study, design)
    };
    studies.into_iter().map(read).collect()
}

/// The layouts of the studies' structs, by study and table: what `rowkey-studies layouts` prints, which a test of the
/// studies compares with the file.
fn derived() -> BTreeMap<(String, String), LayoutBuf> {
    let text = fs::read_to_string(folder().join("layouts.jsonl")).unwrap();
    let read = |line: &str| {
        let line: serde_json::Value = serde_json::from_str(line).unwrap();
        let name = |key: &str| line[key].as_str().unwrap().to_owned();
        ((name("study"), name("table")), LayoutBuf::from_json(&line["layout"].to_string()).unwrap())
    };
    text.lines().map(read).collect()
}

#[test]
fn each_key_is_that_of_the_struct() {
    let mut derived = derived();
    for (study, design) in designs() {
        for table in design.tables.values() {
            let secondaries = table.table.secondary.iter().map(|secondary| &secondary.name).zip(&table.secondary);
            for (name, layout) in [(&table.name, &table.layout)].into_iter().chain(secondaries) {
                let key = (study.clone(), name.to_string());
                let of_struct = derived.remove(&key).unwrap_or_else(|| panic!("{key:?} is of no struct"));
                assert_eq!(layout.shape(), of_struct.shape(), "{key:?}");
                let names = |layout: &LayoutBuf| -> Vec<String> {
                    layout.fields().iter().map(|field| field.name.clone()).collect()
                };
                // A key that is one value, or a struct without names, has none to compare.
                if !names(&of_struct).iter().any(|name| name.starts_with('_')) {
                    assert_eq!(names(layout), names(&of_struct), "{key:?}");
                }
            }
        }
    }
    assert_eq!(derived.keys().collect::<Vec<_>>(), Vec::<&(String, String)>::new(), "structs without a design");
}

fn check(design: &Design) -> Report {
    design.check(&CheckOptions::new(Date { year: 2026, month: 1, day: 31 }))
}

/// The warnings and errors, each with table and what it is of.
fn found(report: &Report) -> Vec<String> {
    let name = |finding: &rowkey_design::Finding| {
        let of = finding.of.as_ref().map_or(String::new(), |of| format!(" {of:?}"));
        format!("{} {}{of}: {}", finding.rule.id, finding.table, finding.message)
    };
    report.findings.iter().filter(|finding| finding.severity > Severity::Note).map(name).collect()
}

#[test]
fn checks_are_silent_on_the_good_designs() {
    let mut all = Vec::new();
    for (study, design) in designs().into_iter().filter(|(study, _)| study != "four_designs") {
        let report = check(&design);
        all.extend(report.problems.iter().map(|problem| format!("{study}: {problem:?}")));
        all.extend(found(&report).into_iter().map(|found| format!("{study}: {found}")));
    }
    assert_eq!(all, Vec::<String>::new(), "{all:#?}");
}

/// The key that begins with the time: every write goes to one region. The hashed one: a window of time is a full scan.
#[test]
fn checks_name_what_the_bad_designs_are_bad_at() {
    let designs = designs();
    let report = check(&designs["four_designs"]);
    assert_eq!(report.problems, []);
    let of = |table: &str, rule: &str| {
        let is = |finding: &&rowkey_design::Finding| finding.table == table && finding.rule.id == rule;
        report.findings.iter().find(is).map(|finding| finding.severity)
    };
    assert_eq!(of("randomised", "Q13"), Some(Severity::Error), "{:#?}", found(&report));
    let bad = |finding: &&rowkey_design::Finding| finding.severity > Severity::Note;
    for table in ["salted", "promoted"] {
        let findings = report.findings.iter().filter(bad);
        assert_eq!(findings.filter(|finding| finding.table == table).count(), 0, "{:#?}", found(&report));
    }
    if Rule::named("H01").is_some() {
        assert!(of("sequential", "H01") > Some(Severity::Note), "{:#?}", found(&report));
        for table in ["salted", "promoted", "randomised"] {
            assert_eq!(of(table, "H01"), None, "{:#?}", found(&report));
        }
    }
}
