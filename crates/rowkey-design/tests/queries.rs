//! The rules of queries beyond their pages: by engine, by a sample, of whole designs, of hostile ones.

use rowkey_design::internal::profile::{FieldProfile, Profile};
use rowkey_design::{CheckOptions, Date, Design, File, Finding, Report, Severity};

fn check(text: &str, profile: Option<Profile>) -> Report {
    let text = format!("format = 1\n{text}");
    let design = Design::parse([File { name: "a".into(), text }]).unwrap_or_else(|e| panic!("{e:.2000}"));
    let mut options = CheckOptions::new(Date { year: 2026, month: 1, day: 31 });
    for (name, profile) in design.tables.keys().zip(std::iter::repeat(profile)) {
        options = profile.into_iter().fold(options, |options, profile| options.profile(name, profile));
    }
    let mut report = design.check(&options);
    report.findings.retain(|finding| finding.rule.id.starts_with('Q'));
    report
}

fn found(text: &str) -> Vec<(&'static str, Severity)> {
    check(text, None).findings.iter().map(|finding| (finding.rule.id, finding.severity)).collect()
}

fn sampled(text: &str, profile: Profile) -> Vec<Finding> {
    check(text, Some(profile)).findings
}

use Severity::{Error, Note, Warning};

#[test]
fn the_worked_designs() {
    let text = include_str!("designs/three.rowkey.toml").replacen("format = 1", "", 1);
    let report = check(&text, None);
    let found: Vec<_> =
        report.findings.iter().map(|finding| (finding.rule.id, finding.of.as_deref(), finding.severity)).collect();
    // The hour is before the tags: a day of one series reads that of the metric's others too.
    let expected =
        [("Q04", Some("one series, a day"), Error), ("Q21", Some("one metric over all tags, an hour"), Warning)];
    assert_eq!(found, expected);
    assert_eq!(report.problems, []);
    assert_eq!(report.allowed.len(), 1);
}

#[test]
fn engines_with_transactions_are_a_note_or_silent() {
    let table =
        "[table.t]\nkey = [\"a: u8\", \"b: u8\"]\n[[table.t.write]]\nname = \"w\"\natomic = true\nupdates = [\"b\"]";
    for (engine, expected) in [
        ("hbase", vec![("Q20", Warning), ("Q16", Error)]),
        ("bigtable", vec![("Q20", Warning), ("Q16", Error)]),
        ("cockroachdb", vec![("Q20", Note)]),
        ("fjall", vec![("Q20", Note)]),
    ] {
        assert_eq!(found(&format!("[cluster.c]\nengine = \"{engine}\"\n{table}")), expected, "{engine}");
    }
    let page =
        "[table.t]\nkey = [\"a: u8\", \"b: u8\"]\n[[table.t.query]]\nname = \"q\"\nfix = [\"a\"]\natomic = true\nlimit";
    let dynamo = |limit: u32| found(&format!("[cluster.c]\nengine = \"dynamodb\"\n{page} = {limit}"));
    assert_eq!((dynamo(100), dynamo(101)), (vec![], vec![("Q16", Note)]));
}

/// A time or an id in bytes is a number that sorts right with its highest byte first.
#[test]
fn times_and_ids_in_bytes_are_no_native_numbers() {
    let of = |shape: &str, means: &str| {
        found(&format!(
            "[table.t]\nkey = [\"id: {shape}\"]\nmeans.id = \"{means}\"\n[[table.t.query]]\nname = \"q\"\nrange.id = 10\n"
        ))
    };
    for means in ["sequence", "snowflake", "milliseconds", "seconds"] {
        assert_eq!(of("bytes[8]", means), [], "{means}");
    }
    assert_eq!(of("bytes[8]", "native number"), [("Q08", Warning)]);
    assert_eq!(of("i64", "native number"), []);
}

/// A salt is proposed where the field that a query selects by grows, and with that reason.
#[test]
fn a_salt_is_proposed_with_its_reason() {
    let help = |query: &str| {
        let text =
            format!("[table.t]\nkey = [\"user: u64\", \"at: instant\"]\n[[table.t.query]]\nname = \"q\"\n{query}\n");
        let found = check(&text, None).findings.into_iter().find(|finding| finding.rule.id == "Q01");
        found.and_then(|finding| finding.remedy).unwrap().text
    };
    let column = help("where = [\"colour\"]");
    assert!(column.contains("begins with \"colour\"") && !column.contains("salt"), "{column}");
    let time = help("range.at = \"1 hour\"");
    assert!(time.contains("salt and then \"at\": as \"at\" grows"), "{time}");
}

/// A finding says that a number is not known where it has none, and nowhere else.
#[test]
fn what_is_not_known_has_no_number() {
    let mut told = [0; 2];
    for rows in ["", "rows = \"1G\"\n"] {
        for asks in ["", "limit = 20\n", "returns = 5\n", "limit = 20\nreturns = 5\n", "limit = \"2G\"\n"] {
            let text = format!(
                "[table.t]\nkey = [\"a: u32\", \"b: u64\"]\n{rows}stats.a.distinct = 10\n[[table.t.query]]\nname = \"q\"\nfix = [\"a\"]\nwhere = [\"c\"]\n{asks}"
            );
            for finding in check(&text, None).findings.iter().filter(|finding| finding.rule.id == "Q04") {
                for (i, what) in ["reads", "returns"].into_iter().enumerate() {
                    let number = ["rows read", "rows returned"][i];
                    let unknown =
                        finding.message.split_once("; how many it").is_some_and(|(_, rest)| rest.contains(what));
                    told[i] += usize::from(unknown);
                    let is_there = finding.numbers.iter().any(|of| of.name == number);
                    assert_eq!(unknown, !is_there, "{text}{}", finding.message);
                }
            }
        }
    }
    assert!(told.iter().all(|&count| count > 0), "{told:?}");
}

#[test]
fn increments_by_engine() {
    let table = "[table.t]\nkey = [\"a: u8\"]\n[[table.t.write]]\nname = \"w\"\nkind = \"increment\"";
    assert_eq!(found(table), [("Q18", Note)]);
    assert_eq!(found(&format!("[cluster.c]\nengine = \"fjall\"\n{table}")), []);
    assert_eq!(found(&format!("{table}\napproximate = true")), []);
}

/// A table where `middle` is not fixed: reads for each returned are its distinct values.
fn filtered(middle: &str, query: &str) -> Vec<(&'static str, Severity)> {
    found(&format!(
        "[table.t]\nkey = [\"a: u32\", \"m: u32\", \"b: u32\", \"c: u64\"]\nrows = \"1M\"
stats = {{ a = {{ distinct = 100 }}, m = {{ distinct = 100 }}, b = {{ distinct = \"{middle}\" }} }}
[[table.t.query]]\nname = \"q\"\nfix = [\"a\", \"b\"]\n{query}"
    ))
}

#[test]
fn reads_for_each_row_returned() {
    assert_eq!(filtered("10", ""), []);
    assert_eq!(filtered("12", ""), [("Q04", Warning)]);
    assert_eq!(filtered("1100", ""), [("Q04", Error)]);
    assert_eq!(filtered("7", "online = \"1 s\""), [("Q04", Warning)]);
    assert_eq!(filtered("110", "online = \"1 s\""), [("Q04", Error)]);
    assert_eq!(filtered("1100", "batch = true"), []);
    assert_eq!(filtered("1100", "budget = { read_per_returned = 2000 }"), []);
    assert_eq!(filtered("5", "budget = { read_per_returned = 2 }"), [("Q04", Warning)]);
    assert_eq!(filtered("5", "budget = { read_per_returned = 2 }\nbatch = true"), [("Q04", Warning)]);
    // What a column leaves is said by `returns`, or not known.
    assert_eq!(filtered("1", "where = [\"colour\"]\nreturns = \"9k\""), []);
    assert_eq!(filtered("1", "where = [\"colour\"]\nreturns = 5"), [("Q04", Error)]);
    assert_eq!(filtered("1", "where = [\"colour\"]"), [("Q04", Note)]);
}

#[test]
fn a_secondary_table_with_the_column_serves_the_filter() {
    let table = |secondary: &str| {
        found(&format!(
            "[table.t]\nkey = [\"a: u32\", \"b: u32\"]\n[[table.t.query]]\nname = \"q\"\nfix = [\"a\"]\nwhere = [\"colour\"]\n{secondary}"
        ))
    };
    assert_eq!(table(""), [("Q04", Note)]);
    let secondary =
        "[[table.t.secondary]]\nname = \"s\"\nkey = [\"a: u32\", \"colour: text\", \"b: u32\"]\nserves = [\"q\"]";
    assert_eq!(table(secondary), []);
}

#[test]
fn orders() {
    let order = |key: &str, query: &str| {
        found(&format!("[table.t]\nkey = [{key}]\n[[table.t.query]]\nname = \"q\"\nfix = [\"a\"]\n{query}"))
    };
    let (up, down) = ("\"a: u32\", \"t: instant\"", "\"a: u32\", \"t: instant desc\"");
    assert_eq!(order(up, "order = \"oldest\""), []);
    assert_eq!(order(down, "order = \"newest\"\nlimit = 10"), []);
    assert_eq!(order(up, "order = \"newest\""), [("Q02", Note)]);
    // One call to the server.
    assert_eq!(order(up, "order = \"newest\"\nlimit = 10"), []);
    assert_eq!(order("\"a: u32\", \"b: u32\", \"t: instant\"", "order = \"oldest\"\nlimit = 10"), [("Q02", Warning)]);
    assert_eq!(order("\"a: u32\", \"b: u32\", \"t: instant\"", "order = \"oldest\"\nlimit = 10\nbatch = true"), []);
    // Several values are merged.
    assert_eq!(
        order("\"a: u32\", \"b: u32\", \"t: instant\"", "order = \"oldest\"\nlimit = 10\namong = { b = 3 }"),
        []
    );
}

#[test]
fn a_sample_shows_what_the_layout_does_not() {
    let key = |bytes: &str| bytes.as_bytes().to_vec();
    let text = "[table.t]\nkey = [\"name: text raw\"]\n[[table.t.query]]\nname = \"q\"\nrange = { name = 10 }";
    assert_eq!(sampled(text, Profile::default()), []);

    let mut profile = Profile::default();
    profile.prefixes = Some((key("bob"), key("bobby")));
    let findings = sampled(text, profile);
    assert_eq!((findings[0].rule.id, findings[0].severity), ("Q06", Warning));
    assert_eq!(findings[0].witness, ["626f62 is the beginning of 626f626279"]);

    let mut profile = Profile::default();
    profile.case = Some((key("Ada"), key("ada")));
    assert_eq!(sampled(text, profile)[0].rule.id, "Q12");

    let mut profile = Profile::default();
    (profile.repeated, profile.twice) = (0.3, Some(key("bob")));
    assert_eq!(sampled(text, profile.clone())[0].rule.id, "Q11");
    assert_eq!(sampled(&text.replacen("[table.t]", "[table.t]\nunique = \"upsert\"", 1), profile), []);

    let mut field = FieldProfile::default();
    field.name = "name".into();
    field.uneven_decimal = true;
    let mut profile = Profile::default();
    profile.fields = vec![field.clone()];
    let findings = sampled(text, profile.clone());
    assert_eq!((findings[0].rule.id, findings[0].severity), ("Q07", Warning));
    let equality = text.replace("range = { name = 10 }", "among = { name = 10 }");
    assert_eq!(
        sampled(&equality, profile).iter().map(|f| (f.rule.id, f.severity)).collect::<Vec<_>>(),
        [("Q07", Note)]
    );

    field.uneven_decimal = false;
    let times = |times: &[&str]| {
        let mut field = field.clone();
        field.top = times.iter().map(|time| ((*time).to_owned(), 0.1)).collect();
        let mut profile = Profile::default();
        profile.fields = vec![field];
        sampled(text, profile).iter().map(|finding| finding.rule.id).collect::<Vec<_>>()
    };
    assert_eq!(times(&["2026-01-31T10:00:00Z", "2026-02-01T11:30:00Z"]), [] as [&str; 0]);
    assert_eq!(times(&["2026-01-31T10:00:00+01:00", "2026-07-01T11:30:00+02:00"]), ["Q09"]);
    assert_eq!(times(&["2026-01-31", "31.01.2026"]), ["Q09"]);
    assert_eq!(times(&["room 12", "room 7"]), [] as [&str; 0]);
}

#[test]
fn a_sample_counts_the_rows_of_a_query() {
    // Of 100 hosts one has half of the rows.
    let text = "[table.t]\nkey = [\"metric: u16\", \"host: u16\", \"at: u32\"]\nrows = \"1M\"
[[table.t.query]]\nname = \"q\"\nfix = [\"metric\"]\nwhere = [\"at\"]";
    let mut profile = Profile::default();
    profile.keys = 10_000;
    for i in 0..10_000u32 {
        let host = if i % 2 == 0 { 0 } else { i / 2 % 100 };
        let key = [&7u16.to_be_bytes()[..], &(host as u16).to_be_bytes(), &i.to_be_bytes()].concat();
        profile.sample.push(key);
    }
    profile.sample.sort();
    let findings = sampled(text, profile);
    assert_eq!((findings[0].rule.id, findings[0].severity), ("Q04", Error));
    let read = findings[0].numbers.iter().find(|number| number.name == "rows read").unwrap().value;
    assert!((read - 1e6).abs() < 1e4, "{read}");
}

#[test]
fn hostile_designs_are_checked() {
    let huge = "9".repeat(12) + "T";
    let mut text = format!(
        "[cluster.c]\nengine = \"hbase\"\nservers = 4294967295\n[table.\"a\\\" #{{x}}\"]
key = [\"a: u8\", \"b: text\", \"t: i64\"]\nsalt = {{ buckets = 65536 }}\nsplits = {{ uniform = 4294967295 }}\nrows = \"{huge}\"
means = {{ t = \"snowflake\" }}\nstats = {{ a = {{ distinct = 1 }}, b = {{ distinct = \"{huge}\", skew = \"zipf 10\" }} }}\n"
    );
    for i in 0..20 {
        text += &format!(
            "[[table.\"a\\\" #{{x}}\".query]]\nname = \"{i}\"\nfix = [\"a\"]\namong = {{ b = \"{huge}\" }}\nrange = {{ t = \"{huge}\" }}\norder = \"newest\"\nlimit = 1\noffset = \"{huge}\"\nbudget = {{ ranges = 1, read_per_returned = 1 }}\n"
        );
    }
    let report = check(&text, None);
    assert!(report.findings.iter().all(|finding| finding.numbers.iter().all(|number| !number.value.is_nan())));
}

/// The text after the edits of every finding that has some, one finding at a time.
#[track_caller]
fn edits_cure(text: &str, expected: &[&str]) {
    let report = check(text, None);
    let whole = format!("format = 1\n{text}");
    let mut cured = Vec::new();
    for finding in &report.findings {
        let mut edits = finding.remedy.as_ref().map(|remedy| remedy.edits.clone()).unwrap_or_default();
        edits.sort_by_key(|edit| std::cmp::Reverse(edit.place));
        let mut mended = whole.clone();
        for edit in &edits {
            mended.replace_range(edit.place.range(), &edit.text);
        }
        if edits.is_empty() {
            continue;
        }
        let left = check(mended.strip_prefix("format = 1\n").unwrap(), None);
        let same = |left: &&Finding| left.rule == finding.rule && left.of == finding.of;
        assert_eq!(left.findings.iter().find(same), None, "{mended}");
        cured.push(finding.rule.id);
    }
    assert_eq!(cured, expected, "{text}");
}

#[test]
fn edits_of_files_as_people_write_them() {
    // Comments, a trailing comma, other tables, names in quotes.
    let query = "[[table.\"a.b \\\"c\\\"\".query]]\nname = \"by host\" # why\nfix = [\"host\"]\n";
    let other = "[[table.\"a.b \\\"c\\\"\".query]]\nname = \"by time\"\nrange = { at = \"1 day\" }\n";
    let table =
        "[table.\"a.b \\\"c\\\"\"]\nkey = [\n  \"at: instant\", # when\n  'host: text',   # who\n  \"n: u8\",\n]\n";
    edits_cure(&format!("{table}{query}[table.z]\nkey = [\"a: u8\"]"), &["Q01"]);
    // The other query would be a full scan: a secondary table.
    edits_cure(&format!("{table}{query}{other}[table.z]\nkey = [\"a: u8\"] # end"), &["Q01"]);
    // A table in one line takes a key and no section.
    edits_cure(
        "[table]\nt = { key = [\"at: instant\", \"host: text\"], query = [{ name = \"q\", fix = [\"host\"] }] }",
        &["Q01"],
    );
    edits_cure(
        "[table]\nt = { key = [\"at: instant\", \"h: text\"], query = [{ name = \"q\", fix = [\"h\"] }, { name = \"r\", range = { at = \"1 h\" } }] }",
        &["Q01"],
    );
    // A limit would be another question.
    edits_cure(
        "[table.t]\nkey = [\"a: u32\", \"at: instant\"]\nstats = { a = { distinct = 1000, rows_per = { max = \"9M\" } } }\nquery = [{ name = \"q\", fix = [\"a\"] }]",
        &[],
    );
    // A raw field that is no more the last.
    edits_cure(
        "[table.t]\nkey = [\"a: u32\", \"b: u32\", \"c: bytes raw\"]\n[[table.t.query]]\nname = \"q\"\nfix = [\"a\", \"c\"]",
        &["Q04"],
    );
    // A salt whose fields are named, in a block of its own.
    edits_cure(
        "[table.t]\nkey = [\"a: u32\", \"b: u32\"]\n[table.t.salt]\nbuckets = 16\nby = [\"a\", # first\n \"b\"]\n[[table.t.query]]\nname = \"q\"\nfix = [\"a\"]\nonline = \"1 s\"",
        &["Q03"],
    );
    edits_cure(
        "[table.t]\nkey = [\"a: u32\", \"b: u32\"]\n[table.t.salt]\nbuckets = 16\n[[table.t.query]]\nname = \"q\"\nfix = [\"a\"]\nonline = \"1 s\"",
        &["Q03"],
    );
    // A digest of more fields than the query fixes.
    edits_cure(
        "[table.t]\nkey = [\"a: u32\", \"b: u32\", \"c: u32\"]\nhashed = { bytes = 2, by = [\"a\", \"b\"] }\n[[table.t.query]]\nname = \"q\"\nfix = [\"a\"]",
        &["Q13"],
    );
    // The order: forward and back, and in a secondary table where others need the key as it is.
    edits_cure(
        "[table.t]\nkey = [\"a: u32\", \"t: instant\"]\n[[table.t.query]]\nname = \"q\"\nfix = [\"a\"]\norder = \"newest\"",
        &["Q02"],
    );
    edits_cure(
        "[table.t]\nkey = [\"a: u32\", \"b: u32\", \"t: instant\"]\n[[table.t.query]]\nname = \"q\"\nfix = [\"a\"]\norder = \"newest\"\nlimit = 5\n[[table.t.query]]\nname = \"r\"\nfix = [\"a\", \"b\"]\nrange = { t = \"1 h\" }\norder = \"oldest\"",
        &["Q02"],
    );
    // A secondary table that is there already.
    for serves in ["serves = [\"r\"]", ""] {
        edits_cure(
            &format!(
                "[table.t]\nkey = [\"a: u32\", \"b: u32\"]\n[[table.t.query]]\nname = \"q\"\nfix = [\"c\"]\n[[table.t.query]]\nname = \"r\"\nfix = [\"c\", \"a\"]\n[[table.t.secondary]]\nname = \"s\"\nkey = [\"c: text\", \"a: u32\", \"b: u32\"]\n{serves}"
            ),
            if serves.is_empty() { &["Q01", "Q04"] } else { &["Q01"] },
        );
    }
    edits_cure(
        "[table.t]\nkey = [\"a: u32\", \"b: u32\"]\n[[table.t.query]]\nname = \"q\"\nfix = [\"c\"]\n[[table.t.secondary]]\nname = \"s\"\nkey = [\"c: text\", \"a: u32\", \"b: u32\"]\nserves = []",
        &[],
    );
    // Rows of one moment.
    edits_cure(
        "[table.t]\nkey = [\"a: u32\", \"t: i64 desc\"]\nmeans = { t = \"seconds\" }\nstats = { a = { distinct = 10 } }\n[[table.t.write]]\nname = \"w\"\nrate = \"100/s\"",
        &["Q11"],
    );
}

#[test]
fn the_probability_of_equal_keys_beside_a_time() {
    let message = |at: &str, means: &str, rate: &str, more: &str| {
        let text = format!(
            "[table.t]\nkey = [\"user: u32\", \"at: {at} desc\"]\nrows = \"10G\"\nkeep = \"forever\"\nmeans.user = \"random\"\n{means}\n{more}\n[[table.t.write]]\nname = \"w\"\nrate = \"{rate}\"\norder = \"time\""
        );
        let findings = check(&text, None).findings;
        findings.iter().find(|finding| finding.message.contains("random bits")).map(|finding| {
            assert!(finding.remedy.as_ref().unwrap().edits.is_empty());
            finding.message.split("probability of ").nth(1).unwrap().split(',').next().unwrap().to_owned()
        })
    };
    let (millis, nanos) = ("means.at = \"milliseconds\"", "means.at = \"nanoseconds\"");
    // 1 - exp(-rows * rate * unit / 2 / 2^32)
    assert_eq!(message("i64", millis, "1k/s", "").as_deref(), Some("0.69"));
    assert_eq!(message("i64", millis, "100/s", "").as_deref(), Some("0.11"));
    assert_eq!(message("i64", "means.at = \"seconds\"", "1/day", "").as_deref(), Some("1 in 74.2k"));
    assert_eq!(message("i64", nanos, "100/s", ""), None);
    assert_eq!(message("instant", "", "100/s", ""), None);
    assert_eq!(message("i64", millis, "1k/s", "stats.user = { distinct = 10_000 }"), None);
}

/// A secondary table is the cure only where it reads less than the table itself.
#[test]
fn no_cure_is_the_tables_own_key() {
    let table = "[table.a]\nkey = [\"host: text\", \"at: i64 desc\", \"kind: u8\"]\nmeans.at = \"seconds\"\nrows = \"1M\"\n\
        [table.a.stats]\nhost = { distinct = 100 }\nkind = { distinct = 10 }\n[[table.a.query]]\nname = \"q\"\nreturns = 5\n";
    let cure = |rule: &str, query: &str| {
        // Which hinders another order of the key.
        let other = "[[table.a.query]]\nname = \"h\"\nfix = [\"host\"]\nreturns = 10_000\n";
        let report = check(&format!("{table}{query}\n{other}"), None);
        let finding = report.findings.into_iter().find(|finding| finding.rule.id == rule).unwrap();
        let remedy = finding.remedy.unwrap();
        (finding.message, remedy.text, remedy.edits.len())
    };
    let (_, text, edits) = cure("Q04", "among = { host = 3 }\nrange = { kind = 2 }");
    assert!(text.starts_with("put the fields that the query fixes first") && edits == 2, "{text}");
    let (_, text, edits) = cure("Q01", "among = { at = 3 }");
    assert!(text.contains("begins with a salt and then \"at\"") && edits == 0, "{text}");
    let (_, text, edits) = cure("Q01", "fix = [\"kind\"]");
    assert!(text.starts_with("add a secondary table whose key begins with the fields") && edits == 1, "{text}");
    let (message, text, edits) = cure("Q01", "");
    assert!(text.starts_with("say `batch = true`") && edits == 0, "{text}");
    assert!(message.ends_with("each run is a full scan of 1M rows"), "{message}");
    let (message, ..) = cure("Q01", "fix = [\"kind\"]\nlimit = 2");
    assert!(message.ends_with("until 2 match, 400k rows of 1M rows"), "{message}");
}

/// Q19 says that a key is one row's without a field: not where rows share what is left.
#[test]
fn a_field_that_rows_need_is_not_unused() {
    let unused = |more: &str, profile: Option<Profile>| {
        let text = format!("[table.t]\nkey = [\"user: u64\", \"at: instant desc\"]\nmeans.user = \"sequence\"\n{more}");
        check(&text, profile).findings.iter().any(|finding| finding.rule.id == "Q19")
    };
    let query = "[[table.t.query]]\nname = \"q\"\nfix = [\"user\"]\n";
    for (stats, is_unused) in [
        ("", true),
        ("rows = \"1G\"\n", true),
        ("rows = \"1G\"\nstats.user = { distinct = \"1G\" }\n", true),
        ("rows = \"1G\"\nstats.user = { distinct = \"50M\" }\n", false),
        // How many rows there are is not said.
        ("stats.user = { distinct = \"50M\" }\n", false),
        ("stats.user.rows_per.p50 = 20\n", false),
        ("stats.user.rows_per.max = 1\n", true),
    ] {
        assert_eq!(unused(&format!("{stats}{query}"), None), is_unused, "{stats}");
    }
    for (asked, is_unused) in [("limit = 20", false), ("returns = 20", false), ("limit = 1", true)] {
        assert_eq!(unused(&format!("{query}{asked}\n"), None), is_unused, "{asked}");
    }
    let sample = |users: f64| {
        let mut user = FieldProfile::default();
        (user.name, user.distinct) = ("user".to_owned(), users);
        let mut profile = Profile::default();
        (profile.keys, profile.distinct, profile.fields) = (10_000, 10_000.0, vec![user]);
        Some(profile)
    };
    assert_eq!([unused(query, sample(9_900.0)), unused(query, sample(500.0))], [true, false]);
}

/// A change that would alter the query's result is advice without an edit: an offset, a limit.
#[test]
fn another_question_is_no_edit() {
    let table = "[table.t]\nkey = [\"user: u64\", \"at: instant desc\"]\nrows = \"1G\"\nstats.user = { distinct = 10 }\n\
                 [[table.t.query]]\nname = \"q\"\nfix = [\"user\"]\n";
    for (rule, more) in [("Q05", "limit = 20\noffset = 1000\n"), ("Q21", "online = \"1 s\"\n")] {
        let report = check(&format!("{table}{more}"), None);
        let finding = report.findings.iter().find(|finding| finding.rule.id == rule);
        let remedy = finding.and_then(|finding| finding.remedy.as_ref()).unwrap_or_else(|| panic!("{report:?}"));
        assert_eq!(remedy.edits, [], "{rule}");
    }
}

#[test]
fn a_constant_needs_no_value_and_selects_nothing_alone() {
    let table = "[cluster.c]\nengine = \"tikv\"\n[table.t]\nrows = 1000000000\n\
                 key = [\"kind: const['t']\", \"table: i64\", \
                 \"record: const['_r']\", \"row: i64\"]\n[[table.t.query]]\nname = \"q\"\n";
    let full_scan = |query: &str| found(&format!("{table}{query}")).contains(&("Q01", Error));
    assert!(!full_scan("fix = [\"table\"]"));
    assert!(!full_scan("fix = [\"table\"]\nrange = { row = 1000 }"));
    assert!(!full_scan("range = { table = 2 }"));
    assert!(full_scan("where = [\"row\"]"));
    assert!(full_scan("fix = [\"row\"]"));
}

#[test]
fn text_before_a_delimiter_has_beginnings() {
    let refused = |field: &str| {
        let text = format!(
            "format = 1\n[table.t]\nkey = [\"a: {field}\", \"b: u8\"]\n\
             [[table.t.query]]\nname = \"q\"\nstarts_with = {{ a = 3 }}"
        );
        Design::parse([File { name: "a".into(), text }]).is_err()
    };
    for field in ["text", "text['#']", "text[8]", "char[8]"] {
        assert!(!refused(field), "{field}");
    }
    for field in ["reversed['#']", "dec[8]", "date['yyyyMMdd']", "utf[java]"] {
        assert!(refused(field), "{field}");
    }
    let found = found(
        "[table.t]\nrows = 1000000\nkey = [\"a: text['#']\", \"b: dec[10]\"]\n\
         [[table.t.query]]\nname = \"q\"\nstarts_with = { a = 3 }",
    );
    assert!(!found.iter().any(|(rule, _)| *rule == "Q01"), "{found:?}");
}

/// Another order of the key is no cure where it changes what another query reads first.
#[test]
fn an_edit_keeps_what_a_query_reads_first() {
    let mended = |order: &str| {
        let text = format!(
            "[cluster.c]\nengine = \"tikv\"\n[table.b]\n\
             key = [\"game: u32\", \"score: u64 desc\", \"player: u64\"]\nrows = \"300M\"\n\
             stats = {{ game = {{ distinct = 50 }}, player = {{ distinct = \"100M\" }} }}\n\
             [[table.b.query]]\nname = \"top\"\nfix = [\"game\"]\nlimit = 100\n{order}\n\
             [[table.b.query]]\nname = \"one\"\nfix = [\"game\", \"player\"]\nlimit = 1\n"
        );
        let remedy = check(&text, None).findings[0].remedy.clone().unwrap();
        let [edit, ..] = &remedy.edits[..] else { panic!("{remedy:?}") };
        edit.text.clone()
    };
    assert!(mended("order = \"key\"").contains("[[table.b.secondary]]"));
    assert!(mended("order = \"newest\"").contains("[[table.b.secondary]]"));
    assert_eq!(mended(""), "\"player: u64\"");
}

/// The severity, the message and the cure of a rule's finding, and what its edits change.
fn told(text: &str, rule: &str) -> Option<(Severity, String, String, Vec<String>)> {
    let finding = check(text, None).findings.into_iter().find(|finding| finding.rule.id == rule)?;
    let remedy = finding.remedy?;
    let edits = remedy.edits.iter().map(|edit| format!("format = 1\n{text}")[edit.place.range()].to_owned());
    Some((finding.severity, finding.message, remedy.text, edits.collect()))
}

/// The cure of a query that a hashed partition key keeps from its rows.
#[test]
fn the_partition_key_of_an_index_is_what_a_query_fixes() {
    let table = "[cluster.c]\nengine = \"dynamodb\"\n[table.t]\nkey = [\"a: u32\", \"b: u32\"]\nrows = \"1G\"\n\
                 [[table.t.secondary]]\nname = \"s\"\nkey = [\"b: u32\", \"a: u32\"]\npartition = [\"b\", \"a\"]\n";
    let of = |query: &str| told(&format!("{table}{query}"), "Q01").unwrap();
    let (_, message, cure, edits) = of("serves = [\"q\"]\n[[table.t.query]]\nname = \"q\"\nfix = [\"b\"]");
    assert!(message.contains("fixes \"b\" of the partition key, and not \"a\""), "{message}");
    assert!(cure.contains("secondary table \"s\" be \"b\" alone"), "{cure}");
    assert_eq!(edits, [", \"a\""]);
    let (.., cure, _) = of("[[table.t.query]]\nname = \"q\"\nwhere = [\"user\"]\nreturns = 3");
    assert!(cure.contains("whose partition key is \"user\", and"), "{cure}");
    let by_email = table.replace("partition = [\"b\", \"a\"]", "").replace("b: u32\", \"a: u32\"]\n\nname", "");
    let by_email = by_email.replace("key = [\"b: u32\", \"a: u32\"]", "key = [\"email: text\", \"a: u32\"]");
    for serves in ["serves = [\"q\"]", ""] {
        let text = format!("{by_email}{serves}\n[[table.t.query]]\nname = \"q\"\nstarts_with.email = 4\nlimit = 10");
        let (.., cure, _) = told(&text, "Q01").unwrap();
        assert!(cure.contains("the secondary table \"s\" be a salt alone"), "{cure}");
    }
    // Where there is no such index, it is one with a salt alone.
    let (.., cure, _) = of("[[table.t.query]]\nname = \"q\"\nrange.b = 10");
    assert!(cure.contains("\"s\" be a salt alone"), "{cure}");
}

/// Partitions of a day are asked in turn: no full scan, and where a range says how many days, no finding.
#[test]
fn days_in_a_partition_key_are_asked_in_turn() {
    let of = |engine: &str, query: &str| {
        let text = format!(
            "[cluster.c]\nengine = \"{engine}\"\n[table.p]\nkey = [\"author: u64\", \"day: u32\", \"at: instant desc\"]\n\
             partition = [\"author\", \"day\"]\nmeans.day = \"time bucket\"\nstats.day.bucket = \"1 day\"\n\
             stats.author.distinct = 1000\nrows = \"3G\"\nfamily.f.ttl = \"1 year\"\n\
             [[table.p.query]]\nname = \"q\"\nlimit = 20\n{query}"
        );
        told(&text, "Q01").or(told(&text, "Q02"))
    };
    let newest = "fix = [\"author\"]\norder = \"newest\"";
    for engine in ["cassandra", "dynamodb"] {
        let (severity, message, cure, _) = of(engine, newest).unwrap();
        assert_eq!((severity, message.contains("full scan")), (Warning, false), "{message}");
        assert!(cure.contains("`among.day = 7`"), "{cure}");
        for days in ["among.day = 7", "range.day = 7", "range.at = \"7 days\""] {
            assert_eq!(of(engine, &format!("{newest}\n{days}")), None, "{days}");
        }
        // Nobody knows the authors.
        assert_eq!(of(engine, "range.at = \"7 days\"").map(|found| found.0), Some(Error));
    }
}

/// A selection has no more rows than the fields of the key have values.
#[test]
fn rows_are_no_more_than_keys() {
    let text = |rest: &str| {
        format!(
            "[table.c]\nkey = [\"ad: u64\", \"hour: u32\"{rest}]\nmeans.hour = \"time bucket\"\n\
             stats.hour.bucket = \"1 h\"\nstats.ad = {{ distinct = 1000, skew = \"one value 0.5\" }}\nrows = \"1G\"\n\
             family.f.ttl = \"1 year\"\n[[table.c.query]]\nname = \"week\"\nfix = [\"ad\"]\nrange.hour = 168\n"
        )
    };
    let notes = |text: &str| check(text, None).notes.len();
    assert_eq!((told(&text(""), "Q21"), notes(&text(""))), (None, 1));
    let open = text(", \"user: u64\"");
    assert_eq!((told(&open, "Q21").is_some(), notes(&open)), (true, 0));
}

/// The advice on increments and on rows that change together is the engine's.
#[test]
fn writes_are_told_what_their_engine_does() {
    let table = "[table.t]\nkey = [\"a: u8\", \"b: u8\"]\n[[table.t.write]]\nname = \"w\"\n";
    let of =
        |engine: &str, write: &str, rule| told(&format!("[cluster.c]\nengine = \"{engine}\"\n{table}{write}"), rule);
    let nonce = |engine: &str| of(engine, "kind = \"increment\"", "Q18").map(|found| found.2.contains("nonce"));
    let engines = ["hbase", "bigtable", "dynamodb", "cassandra"];
    assert_eq!(engines.map(nonce), [Some(true), Some(false), Some(false), Some(false)]);
    let atomic = |engine: &str| of(engine, "atomic = true", "Q16").map(|found| found.0);
    assert_eq!(engines.map(atomic).map(|found| found.is_some()), [true, true, false, true]);
}
