//! The rules of families: the edits that they propose leave a valid file without the finding; limits and severities by
//! engine.

use rowkey_design::{CheckOptions, Date, Design, File, Finding, Rule, RuleKind, Severity};

fn parse(files: impl IntoIterator<Item = File>) -> Design {
    Design::parse(files).unwrap_or_else(|problems| panic!("{problems}"))
}

fn design(text: &str) -> Design {
    parse([File { name: "a.rowkey.toml".to_owned(), text: text.to_owned() }])
}

fn check(design: &Design) -> Vec<Finding> {
    design.check(&CheckOptions::new(Date { year: 2026, month: 1, day: 31 })).findings
}

/// Applies each edit of a rule's findings and checks that the finding has gone. Returns how many edits there were.
fn apply(rule: &str, text: &str) -> usize {
    let before = design(text);
    let found = check(&before);
    let of_rule: Vec<_> = found.iter().filter(|finding| finding.rule.id == rule).collect();
    assert!(!of_rule.is_empty(), "{rule} is silent on\n{text}");
    let mut edits = 0;
    for finding in of_rule {
        let remedy = finding.remedy.as_ref().unwrap_or_else(|| panic!("{rule} has no remedy"));
        if remedy.edits.is_empty() {
            continue;
        }
        edits += 1;
        let edited = before.files.edited(&remedy.edits);
        assert_ne!(edited[0].text, text);
        let still =
            |other: &&Finding| other.rule == finding.rule && other.of == finding.of && other.message == finding.message;
        let after = check(&parse(edited.clone()));
        assert_eq!(after.iter().find(still), None, "{}", edited[0].text);
    }
    edits
}

#[test]
fn each_edit_of_a_bad_design_cures_it() {
    let expected = ["F03", "F05", "F08", "F11", "F13"];
    let with_edits = |rule: &&Rule| {
        let (_, bad) = rule.page().split_once("\nBad:\n\n```toml\n").unwrap();
        apply(rule.id, bad.split_once("```").unwrap().0) > 0
    };
    let found: Vec<_> =
        Rule::all().filter(|rule| rule.kind == RuleKind::Family).filter(with_edits).map(|rule| rule.id).collect();
    assert_eq!(found, expected);
}

const TIMES: &str = "format = 1\n[table.metrics]\nkey = [\"metric: u32\", \"at: instant\"]\n";

/// A family and its options can be written in each of TOML's ways.
#[test]
fn keys_are_added_to_tables_however_they_are_written() {
    let columns = "columns = [\"n\"]\nsizes = { n = \"8 B\" }\n";
    for header in
        ["[table.metrics.family.v]", "[ table . metrics . family . \"v\" ] # values", "[table.metrics.family.'v']\r"]
    {
        assert_eq!(apply("F13", &format!("{TIMES}{header}\n{columns}")), 1, "{header}");
    }
    let inline = "columns = [\"n\"], sizes = { n = \"8 B\" } }\n";
    assert_eq!(apply("F13", &format!("{TIMES}family.v = {{ {inline}")), 1);
    assert_eq!(apply("F13", &format!("{TIMES}[table.metrics.family]\nv={{{inline}")), 1);
    assert_eq!(apply("F13", &format!("{TIMES}family.v.columns = [\"n\"]\nfamily.v.sizes.n = \"8 B\"\n")), 0);
    assert_eq!(apply("F13", &format!("{TIMES}[table.metrics.family.v]\nencoding = \"none\"\n{columns}")), 1);
    let hot = "key = [\"at: instant\"]\n[[table.t.write]]\nname = \"w\"\nrate = \"50k/s\"\n";
    assert_eq!(apply("H01", &format!("format = 1\n[table.t]\n{hot}")), 1);
    assert_eq!(apply("H01", &format!("format = 1\n[table.t.family.v]\n[table.t]\n{hot}")), 1);
}

#[test]
fn other_edits_cure_too() {
    let family = |options: &str| format!("{TIMES}keep = \"forever\"\n[table.metrics.family.v]\n{options}\n");
    assert_eq!(apply("F08", &family("min_versions = 3")), 1);
    assert_eq!(apply("F08", &family("min_versions = 3\nttl = \"1 day\"")), 1);
    assert_eq!(apply("F08", &family("min_versions = 3\nversions = 2\nttl = \"1 day\"")), 1);
    assert_eq!(apply("F06", &family("sizes = { dump = \"300 kB\" }")), 1);
    let queries = "[[table.metrics.query]]\nname = \"q\"\n";
    assert_eq!(apply("F11", &family(&format!("bloom = \"row\"\n{queries}"))), 1);
    assert_eq!(apply("F11", &family(&format!("bloom = \"rowcol\"\n{queries}fix = [\"metric\", \"at\"]"))), 1);
    assert_eq!(apply("F11", &family(&format!("bloom = \"none\"\n{queries}fix = [\"metric\", \"at\"]"))), 1);
}

/// A rule's severity in a design, if it fires.
fn severity(rule: &str, text: &str) -> Option<Severity> {
    check(&design(text)).iter().find(|finding| finding.rule.id == rule).map(|finding| finding.severity)
}

#[test]
fn limits_are_those_of_the_engine() {
    let key = |engine: &str, bytes: &str| {
        let text = format!(
            "format = 1\n[cluster.c]\nengine = \"{engine}\"\n[table.t]\nkey = [\"a: u8\", \"b: text\"]\nstats.b.size.max = \"{bytes}\"\n"
        );
        severity("F05", &text)
    };
    for (engine, fits, too_long) in [
        ("hbase", "32766 B", "32767 B"),
        ("bigtable", "4095 B", "4096 B"),
        ("foundationdb", "9999 B", "10 kB"),
        ("fjall", "65534 B", "65535 B"),
        // The sort key.
        ("dynamodb", "1024 B", "1025 B"),
    ] {
        assert_eq!(key(engine, fits), None, "{engine}");
        assert_eq!(key(engine, too_long), Some(Severity::Error), "{engine}");
    }
    assert_eq!(key("rocksdb", "1 GB"), None);

    let value = |engine: &str, bytes: &str| {
        let text = format!(
            "format = 1\n[cluster.c]\nengine = \"{engine}\"\n[table.t]\nkey = [\"a: u8\"]\nfamily.f = {{ mob = \"100 kB\", sizes = {{ v = {{ p50 = \"1 B\", max = \"{bytes}\" }} }} }}\n"
        );
        severity("F06", &text)
    };
    for (engine, fits, warned, too_large) in [
        ("hbase", "10 MiB", None, "11 MiB"),
        ("bigtable", "10 MiB", Some("11 MiB"), "101 MiB"),
        ("dynamodb", "399 KiB", None, "400 KiB"),
        ("foundationdb", "100 kB", None, "100001 B"),
        ("tikv", "6 MiB", None, "7 MiB"),
        ("cockroachdb", "63 MiB", None, "64 MiB"),
        ("fjall", "1 GiB", None, "2 GiB"),
    ] {
        assert_eq!(value(engine, fits), None, "{engine}");
        assert!(warned.is_none_or(|warned| value(engine, warned) == Some(Severity::Warning)), "{engine}");
        assert_eq!(value(engine, too_large), Some(Severity::Error), "{engine}");
    }
    // Of a row: many values, each of which would do.
    let row = "format = 1\n[cluster.c]\nengine = \"bigtable\"\n[table.t]\nkey = [\"a: u8\"]\nfamily.f = { columns = { name = \"c: u64\", per_row = 10, max = 1_000_000, value = \"1 kB\" } }\n";
    assert_eq!(severity("F06", row), Some(Severity::Error));
}

/// A row of small values is its cells: each has the key, the family, the column, and 20 bytes in HBase.
#[test]
fn a_row_is_as_large_as_its_cells() {
    let row = |engine: &str, most: f64| {
        let text = format!(
            "format = 1\n[cluster.c]\nengine = \"{engine}\"\n[table.t]\nkey = [\"a: u64\"]\nfamily.f = {{ columns = {{ name = \"c: u32\", per_row = 10, max = {most:.0}, value = \"8 B\" }} }}\n"
        );
        severity("F06", &text)
    };
    let gib = 1024f64.powi(3);
    // 8 B of key, 1 of the family's name, 4 of the column's, 20, and 8 of the value.
    assert_eq!((row("hbase", gib / 41.0 - 1.0), row("hbase", gib / 41.0 + 1.0)), (None, Some(Severity::Error)));
    let limit = gib / 4.0 / 12.0;
    assert_eq!(
        (row("bigtable", limit - 1.0), row("bigtable", limit + 1.0)),
        (Some(Severity::Warning), Some(Severity::Error))
    );
}

#[test]
fn an_instance_of_bigtable_has_a_thousand_tables() {
    let tables = |n: usize| {
        let tables: String = (0..n).map(|i| format!("[table.t{i}]\nkey = [\"a: u{}\"]\n", 8 << (i % 4))).collect();
        format!("format = 1\n[cluster.c]\nengine = \"bigtable\"\n{tables}")
    };
    assert_eq!(severity("F15", &tables(36)), None);
    assert_eq!(severity("F15", &tables(40)), Some(Severity::Warning));
    assert_eq!(severity("F15", &tables(1001)), Some(Severity::Error));
}

/// FAST_DIFF writes a row's key once: what it leaves decides, not the plain cells.
#[test]
fn encoding_changes_the_share_of_keys() {
    let cells = |options: &str| {
        format!(
            "{TIMES}keep = \"forever\"\n[table.metrics.family.v]\n{options}columns = {{ name = \"second: u16\", per_row = 3600, value = \"8 B\" }}\n"
        )
    };
    assert_eq!(severity("F13", &cells("")), Some(Severity::Warning));
    assert_eq!(severity("F04", &cells("")), None);
    assert_eq!(severity("F13", &cells("encoding = \"fast_diff\"\n")), None);
    assert_eq!(severity("F13", &cells("compression = \"zstd\"\n")), None);
}

/// A design whose numbers multiply to more than a number can be, and whose names are not for a terminal.
#[test]
fn great_numbers_and_hostile_names() {
    let most = "1000000000000000000000000";
    let text = format!(
        "format = 1\n[table.t]\nkey = [\"a: text\"]\n[table.t.family.\"\\u001b]0;\"]\n\
         columns = {{ name = \"\\u001b[2J: text\", per_row = \"999999999999.999T\", max = {most}.0, value = \"9 PB\" }}\n\
         sizes = {{ \"\\u001b[2J\" = \"999999999999 PB\" }}\nversions = 4294967295\nmin_versions = 4294967295\n\
         [[table.t.query]]\nname = \"\\u0007\"\n"
    );
    for engine in ["hbase", "bigtable", "dynamodb", "cockroachdb", "fjall"] {
        let design = design(&format!("{text}[cluster.c]\nengine = \"{engine}\"\n"));
        for finding in check(&design) {
            assert!(finding.numbers.iter().all(|number| number.value.is_finite()), "{finding:?}");
            let said = [vec![finding.message], finding.witness].concat().concat();
            assert!(!said.contains(char::is_control), "{} {said:?}", finding.rule.id);
        }
    }
    let digits = format!("{TIMES}rows = \"{}\"\n", "9".repeat(400));
    assert!(Design::parse([File { name: "a".to_owned(), text: digits }]).is_err());
}

/// The pages' known false positives, and the differences by engine.
#[test]
fn nearest_neighbours() {
    let on = |engine: &str, rest: &str| format!("format = 1\n[cluster.c]\nengine = \"{engine}\"\n[table.t]\n{rest}");
    let families = |n: usize, ttl: bool| {
        let ttl = |i| if ttl { format!("ttl = \"{} days\"\n", i + 1) } else { String::new() };
        (0..n).map(|i| format!("[table.t.family.f{i}]\n{}", ttl(i))).collect::<String>()
    };
    let key = "key = [\"user: u64\"]\n";
    let columns = |columns: &str| format!("{key}[table.t.family.f]\ncolumns = {{ {columns} }}\n");
    let delete = |order: &str, family: &str| {
        format!(
            "key = [\"at: instant\"]\n[table.t.family.f]\n{family}\n[[table.t.write]]\nname = \"d\"\nkind = \"delete\"\n{order}\n"
        )
    };
    let cases = [
        ("F01", "hbase", format!("{key}{}", families(3, false)), None),
        ("F01", "hbase", format!("{key}{}", families(4, false)), Some(Severity::Warning)),
        ("F01", "hbase", format!("{key}{}", families(4, true)), Some(Severity::Note)),
        ("F01", "bigtable", format!("{key}{}", families(100, false)), None),
        ("F01", "bigtable", format!("{key}{}", families(101, false)), Some(Severity::Warning)),
        ("F01", "fjall", format!("{key}{}", families(101, false)), None),
        ("F07", "hbase", format!("{key}family.f.versions = 100\n"), None),
        ("F07", "bigtable", format!("{key}family.f.versions = 101\n"), Some(Severity::Note)),
        ("F08", "hbase", format!("{key}family.f = {{ timestamp = \"custom\" }}\n"), None),
        ("F08", "fjall", format!("{key}family.f = {{ timestamp = \"custom\", ttl = \"1 day\" }}\n"), None),
        ("F08", "hbase", format!("{key}family.f = {{ min_versions = 1 }}\n"), Some(Severity::Warning)),
        ("F08", "hbase", format!("{key}family.f = {{ min_versions = 2, ttl = \"1 day\" }}\n"), Some(Severity::Error)),
        ("F09", "hbase", columns("name = \"a: u64\""), Some(Severity::Warning)),
        ("F09", "foundationdb", columns("name = \"a: u64\""), Some(Severity::Note)),
        ("F09", "hbase", columns("name = \"a: u16\""), None),
        ("F09", "hbase", columns("name = \"a: (u8, u8)\""), None),
        ("F09", "hbase", columns("name = \"a: u64\"").replace("user: u64", "user: u64\", \"day: instant"), None),
        ("F10", "hbase", delete("", ""), None),
        ("F12", "hbase", delete("order = \"time\"", ""), Some(Severity::Warning)),
        ("F12", "hbase", delete("", ""), None),
        ("F12", "hbase", delete("order = \"time\"", "ttl = \"1 day\""), None),
        ("F12", "foundationdb", delete("order = \"time\"", ""), None),
    ];
    for (rule, engine, rest, expected) in cases {
        assert_eq!(severity(rule, &on(engine, &rest)), expected, "{rule} {engine}\n{rest}");
    }
}

/// Each number of seconds that is one of milliseconds, and the other way round; and lengths that people mean.
#[test]
fn a_ttl_whose_unit_looks_wrong() {
    let found = |engine: &str, ttl: &str| {
        let text = format!(
            "format = 1\n[cluster.c]\nengine = \"{engine}\"\n[table.t]\nkey = [\"k: u64\"]\n[table.t.family.f]\nttl = \"{ttl}\"\n"
        );
        let design = Design::parse([File { name: "a".into(), text }]).unwrap_or_else(|e| panic!("{e}"));
        let report = design.check(&CheckOptions::new(Date { year: 2026, month: 1, day: 31 }));
        let mut found = report.findings.into_iter().filter(|finding| finding.rule.id == "F16");
        found.next().map(|finding| (finding.severity, finding.remedy.unwrap().text))
    };
    // Six hours are 250 days in the other unit, which people mean too.
    let hours = [1, 24, 7 * 24, 30 * 24, 90 * 24, 365 * 24];
    for hours in hours {
        assert_eq!(found("hbase", &format!("{} s", hours * 3600)), None, "{hours} h in seconds");
        assert_eq!(found("hbase", &format!("{} ms", hours * 3_600_000u64)), None, "{hours} h in milliseconds");
        let (severity, cure) = found("bigtable", &format!("{} s", hours * 3_600_000u64)).expect("milliseconds");
        assert_eq!(severity, Severity::Warning);
        let meant = cure.split('"').nth(1).unwrap();
        assert_eq!(found("bigtable", meant), None, "{cure}");
        assert!(found("dynamodb", &format!("{} ms", hours * 3600)).is_some(), "{hours} h in seconds, as milliseconds");
    }
    for meant in ["1000 days", "2 years", "13 months", "10 years", "20 years", "90 s", "500 ms", "180000 ms"] {
        assert_eq!(found("cassandra", meant), None, "{meant}");
    }
    assert!(found("hbase", "2147483647 s").unwrap().1.contains("keep = \"forever\""));
    assert_eq!(found("cassandra", "21 years").unwrap().0, Severity::Error);
    assert_eq!(found("bigtable", "21 years").unwrap().0, Severity::Warning);
}
