//! Each rule's page: complete, fires on its bad design, silent on its good one; and each edit that a rule proposes
//! cures.

use rowkey_design::internal::forms::KeyForm;
use rowkey_design::internal::sample;
use rowkey_design::{CheckOptions, Date, Design, File, Finding, Fix, Impact, Rule, RuleKind, diff};

fn parse(text: &str) -> Design {
    let file = File { name: "a.rowkey.toml".to_owned(), text: text.to_owned() };
    Design::parse([file]).unwrap_or_else(|problems| panic!("{problems}\n{text}"))
}

/// The findings of a design, and of a sample of its first table's keys, in hex.
fn check(text: &str, keys: Option<&str>) -> Vec<Finding> {
    let design = parse(text);
    let mut options = CheckOptions::new(Date { year: 2026, month: 1, day: 31 });
    if let Some(keys) = keys {
        let (name, table) = design.tables.first().unwrap();
        let read = |line: &str, key: &mut Vec<u8>| {
            key.extend(KeyForm::Hex.parse(line, &table.layout).map_err(|error| error.to_string())?);
            Ok(())
        };
        let profile = sample::read_by(keys.as_bytes(), read, &table.layout, None, |_, _| {}).unwrap();
        options = options.profile(name, profile);
    }
    let report = design.check(&options);
    assert_eq!(report.problems, []);
    report.findings
}

/// The code block of a page after a heading.
fn block<'p>(page: &'p str, heading: &str, language: &str) -> Option<&'p str> {
    let (_, rest) = page.split_once(&format!("\n{heading}:\n\n```{language}\n"))?;
    rest.split_once("```").map(|(block, _)| block)
}

fn with_pages() -> impl Iterator<Item = &'static Rule> {
    // Rules of changes compare two designs; they have a test of their own.
    Rule::all().filter(|rule| !rule.kind.compares())
}

#[test]
fn each_page_is_complete() {
    for rule in Rule::all() {
        let page = rule.page();
        assert!(page.starts_with(&format!("## {} {}\n", rule.id, rule.title)), "{}: {page:.80}", rule.id);
        for part in ["Condition", "Consequence", "Fix", "Source", "Known false positives"] {
            assert!(page.contains(&format!("\n**{part}.** ")), "{} has no {part}", rule.id);
        }
    }
}

#[test]
fn each_rule_fires_on_its_bad_design_and_not_on_its_good_one() {
    for rule in with_pages() {
        let fires = |heading: &str| {
            let design = block(rule.page(), heading, "toml").unwrap_or_else(|| panic!("{} has no {heading}", rule.id));
            let sample = block(rule.page(), &format!("{heading} sample, in hex"), "text");
            check(design, sample).into_iter().find(|finding| finding.rule == rule)
        };
        let found = fires("Bad").unwrap_or_else(|| panic!("{} is silent on its bad design", rule.id));
        assert!(!found.message.contains("Located"), "{}", found.message);
        assert_eq!(fires("Good"), None, "{} fires on its good design", rule.id);
    }
}

/// After its edits the design is valid and the finding is gone: with and without a newline at the end, and with more
/// tables after it.
#[test]
fn each_edit_cures() {
    let mut edited = Vec::new();
    for rule in with_pages() {
        let bad = block(rule.page(), "Bad", "toml").unwrap();
        let more =
            format!("{bad}\n[table.other]\nkey = [\"z: u8\"]\n[[table.other.query]]\nname = \"z\"\nfix = [\"z\"]");
        for text in [bad, bad.trim_end(), &more] {
            let of_rule = check(text, None).into_iter().filter(|finding| finding.rule == rule);
            for finding in of_rule {
                let edits = finding.remedy.as_ref().map_or(&[][..], |remedy| &remedy.edits);
                if edits.is_empty() {
                    continue;
                }
                let after = &parse(text).files.edited(edits)[0].text;
                let same =
                    |other: &Finding| other.rule == rule && other.of == finding.of && other.table == finding.table;
                let still = check(after, None).into_iter().find(same);
                assert_eq!(still, None, "{}\n{after}", rule.id);
                edited.push(rule.id);
            }
        }
    }
    edited.dedup();
    assert!(edited.len() >= 20, "{edited:?}");
}

/// Edits are as safe as their rule says: those of `Fix::Safe` change nothing that stored rows depend on.
#[test]
fn edits_are_as_safe_as_their_rule_says() {
    let options = CheckOptions::new(Date { year: 2026, month: 1, day: 31 });
    for rule in with_pages() {
        let bad = block(rule.page(), "Bad", "toml").unwrap();
        for finding in check(bad, block(rule.page(), "Bad sample, in hex", "text")) {
            let edits = finding.remedy.as_ref().map_or(&[][..], |remedy| &remedy.edits);
            if edits.is_empty() {
                continue;
            }
            let (old, id) = (parse(bad), finding.rule.id);
            let changes = diff(&old, &parse(&old.files.edited(edits)[0].text), &options, 1.0);
            let worst = changes.iter().map(|change| change.class).max().unwrap_or(Impact::Safe);
            match finding.rule.fix {
                Fix::Safe => assert!(worst <= Impact::AfterCompaction, "{id}: {changes:?}"),
                Fix::Unsafe => {}
                fix => panic!("{id} has edits, and its fix is {fix:?}"),
            }
        }
    }
}

/// Each bad design of a query has the finding of its page and no other of its kind.
#[test]
fn one_hazard_is_one_finding() {
    for rule in Rule::all().filter(|rule| rule.kind == RuleKind::Query) {
        let bad = block(rule.page(), "Bad", "toml").unwrap();
        let findings = check(bad, block(rule.page(), "Bad sample, in hex", "text"));
        let rules = findings.iter().map(|finding| finding.rule).filter(|rule| rule.kind == RuleKind::Query);
        assert_eq!(rules.map(|rule| rule.id).collect::<Vec<_>>(), [rule.id], "{bad}");
    }
}

/// H10 is of secondary tables too: they take as many writes as the table.
#[test]
fn a_secondary_table_without_split_points_is_found() {
    let text = "format = 1\n[cluster.c]\nengine = \"hbase\"\nservers = 10\n[table.t]\nkey = [\"id: u64\", \"of: u64\"]\n\
                means = { id = \"random\", of = \"digest\" }\nsplits = { uniform = 10 }\nfamily.f.sizes.v = \"1 kB\"\n\
                [[table.t.write]]\nname = \"put\"\nrate = \"2k/s\"\norder = \"random\"\n\
                [[table.t.secondary]]\nname = \"by_of\"\nkey = [\"of: u64\", \"id: u64\"]\n";
    let unsplit = |text: &str| {
        let found = check(text, None).into_iter().filter(|finding| finding.rule.id == "H10");
        found.collect::<Vec<_>>()
    };
    let found = unsplit(text);
    let [finding] = &found[..] else { panic!("{found:?}") };
    assert_eq!((finding.of.as_deref(), finding.severity), (Some("by_of"), rowkey_design::Severity::Warning));
    let design = parse(text);
    assert_eq!(design.files.text(finding.place), "\"by_of\"");
    let after = &design.files.edited(&finding.remedy.as_ref().unwrap().edits)[0].text;
    assert!(after.contains("[[table.t.secondary]]\nsplits = { uniform = 10 }\n"), "{after}");
    assert_eq!(unsplit(after), []);
    let both: Vec<_> =
        unsplit(&text.replace("splits = { uniform = 10 }\n", "")).into_iter().map(|found| found.of).collect();
    assert_eq!(both, [None, Some("by_of".to_owned())]);
    assert_eq!(unsplit(&text.replace("2k/s", "200/s")), []);
}

/// A row that everybody reads, the newest rows, a celebrity: on each engine with what it takes.
#[test]
fn reads_of_one_place_are_held_against_what_a_server_takes() {
    let found = |engine: &str, key: &str, query: &str| {
        let text = format!(
            "format = 1\n[cluster.c]\nengine = \"{engine}\"\n[table.t]\nkey = [{key}]\n\
             stats = {{ user = {{ distinct = \"1M\" }} }}\nfamily.f.ttl = \"30 days\"\nfamily.f.sizes.v = \"1 kB\"\n\
             [[table.t.write]]\nname = \"w\"\nrate = \"20k/s\"\n[[table.t.query]]\nname = \"q\"\n{query}"
        );
        let found = check(&text, None).into_iter().find(|finding| finding.rule.id == "H26");
        found.map(|finding| finding.numbers.iter().find(|number| number.name.contains("busiest")).unwrap().value)
    };
    let by_user = "\"user: u64\", \"at: instant desc\"";
    let one = "fix = [\"user\"]\norder = \"newest\"\nlimit = 1\nskew.user = \"one value 0.3\"";
    let rate = |query: &str, rate: &str| format!("{query}\nrate = \"{rate}\"");
    // 30 % of them are of one user.
    assert_eq!(found("bigtable", by_user, &rate(one, "60k/s")), Some(18_000.0));
    assert_eq!(found("bigtable", by_user, &rate(one, "50k/s")), None);
    assert_eq!(found("dynamodb", by_user, &rate(one, "50k/s")), Some(15_000.0));
    // No number is documented, and one process has no other server.
    assert_eq!(found("hbase", by_user, &rate(one, "500k/s")), None);
    assert_eq!(found("fjall", by_user, &rate(one, "500k/s")), None);
    // The newest rows of all: a salt does not divide them, for each run reads every bucket.
    let newest = rate("order = \"newest\"\nlimit = 1", "30k/s");
    for salt in ["", "\nsalt = { buckets = 16 }"] {
        let key = |fields: &str| format!("{fields}]{salt}\nabout = \"\"\nmeans = {{ user = \"random\" }}\n#");
        assert!(found("bigtable", &key("\"at: instant desc\", \"user: u64\""), &newest).is_some(), "{salt}");
        // Known rows are divided by it, and only those of the last minute are in one place.
        let get = "fix = [\"user\", \"at\"]";
        let (recent, any) = (rate(&format!("{get}\nrecent = \"1 min\""), "30k/s"), rate(get, "30k/s"));
        let by_time = key("\"at: instant desc\", \"user: u64\"");
        assert_eq!(found("bigtable", &by_time, &recent).is_some(), salt.is_empty());
        assert_eq!(found("bigtable", &by_time, &any), None);
        // Those of a day are in many regions.
        assert_eq!(found("bigtable", &by_time, &recent.replace("1 min", "1 day")), None);
    }
}

#[test]
fn a_skew_is_of_what_the_query_asks_for() {
    let text = "format = 1\n[table.t]\nkey = [\"a: u8\", \"b: u8\"]\nquery = [{ name = \"q\", fix = [\"a\"], skew.b = \"one value\" }]";
    let problems = Design::parse([File { name: "a".to_owned(), text: text.to_owned() }]).unwrap_err();
    assert_eq!(problems.list.len(), 1);
    assert_eq!(problems.files.text(problems.list[0].place), "b");
    parse(&text.replace("skew.b", "skew.a"));
}
