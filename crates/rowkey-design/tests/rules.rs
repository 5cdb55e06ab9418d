//! Each rule's page: complete, fires on its bad design, silent on its good one; and each edit that a rule proposes
//! cures.

use proptest::prelude::*;
use rowkey_design::internal::forms::KeyForm;
use rowkey_design::internal::profile::{FieldProfile, Profile};
use rowkey_design::internal::report::{self, Format, Styles};
use rowkey_design::internal::sample;
use rowkey_design::{AllowedBy, CheckOptions, Date, Design, File, Finding, Fix, Impact, Level, Rule, RuleKind, diff};

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

/// A design with this number of servers in each of its clusters, and one more cluster where it has none.
fn with_servers(text: &str, servers: u32) -> String {
    let lines = text.lines().filter(|line| !line.starts_with("servers ="));
    let said = format!("servers = {servers}");
    let lines = lines.flat_map(|line| [Some(line), line.starts_with("[cluster.").then_some(said.as_str())]);
    let text: Vec<&str> = lines.flatten().collect();
    match text.iter().any(|line| line.starts_with("[cluster.") && !line.contains(".region]")) {
        true => text.join("\n"),
        false => text.join("\n").replacen(
            "format = 1\n",
            &format!("format = 1\n[cluster.c]\nengine = \"hbase\"\n{said}\n"),
            1,
        ),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    /// More servers make no finding milder, but for those that there are too few for the writes, or for the regions.
    #[test]
    fn more_servers_make_no_finding_milder(page in any::<prop::sample::Index>(), few in 1u32..64, more in 1u32..64) {
        let rules: Vec<_> = with_pages().filter(|rule| !rule.page().contains(".region]")).collect();
        let bad = block(page.get(&rules).page(), "Bad", "toml").unwrap();
        let found = |servers| {
            let found = check(&with_servers(bad, servers), None);
            found.into_iter().filter(|finding| !["H11", "H24"].contains(&finding.rule.id)).collect::<Vec<_>>()
        };
        let (few, more) = (few.min(more), few.max(more));
        let of_more = found(more);
        for finding in found(few) {
            let same = of_more.iter().find(|other| other.rule == finding.rule && other.of == finding.of);
            prop_assert!(same.is_some_and(|same| same.severity >= finding.severity), "{few} and {more}: {finding:?}\n{bad}");
        }
    }
}

/// Where the file says no servers, `check` and `suggest` assume the same, and say so once; one process needs none.
#[test]
fn one_number_of_servers_is_assumed() {
    let design = |cluster: &str, rate: &str| {
        format!(
            "format = 1\n{cluster}[table.t]\nkey = [\"at: instant\", \"id: u64\"]\nrows = \"1G\"\nstats.id.distinct = \"1M\"\n\
             [[table.t.write]]\nname = \"w\"\norder = \"time\"\n{rate}[[table.t.query]]\nname = \"q\"\nfix = [\"id\"]\nlimit = 5\n"
        )
    };
    let assumed = |cluster: &str, rate: &str| {
        let text = design(cluster, rate);
        let printed = printed(&text);
        let servers =
            check(&text, None).into_iter().flat_map(|finding| finding.numbers).find(|number| number.name == "servers");
        (
            printed.matches("assumed: the cluster has ").count(),
            printed.matches("assumed: the cluster has 8 servers").count(),
            servers.map(|servers| servers.value),
        )
    };
    // Once by each command.
    assert_eq!(assumed("", ""), (2, 2, Some(8.0)));
    assert_eq!(assumed("[cluster.c]\nengine = \"tikv\"\n", "rate = \"20k/s\"\n"), (2, 2, Some(8.0)));
    assert_eq!(assumed("", "rate = \"200k/s\"\n"), (2, 0, Some(20.0)));
    assert_eq!(assumed("[cluster.c]\nengine = \"hbase\"\nservers = 3\n", ""), (0, 0, Some(3.0)));
    assert_eq!(assumed("[cluster.c]\nengine = \"rocksdb\"\n", ""), (0, 0, None));
}

/// What a check and the suggestions print of a design.
fn printed(text: &str) -> String {
    let design = parse(text);
    let options = CheckOptions::new(Date { year: 2026, month: 1, day: 31 });
    let report = design.check(&options);
    let mut printed = report::report(Format::Text, &design, &options, &report, Styles::Plain);
    for table in design.tables.keys() {
        printed += &report::suggestions_as_text(&design.suggest(table, &options).unwrap());
    }
    printed
}

/// One of a thing is not several; no number has more digits than a person reads; and without a sample there are no
/// bytes of keys, for nobody gave their values.
#[test]
fn numbers_are_such_as_people_read() {
    let things = ["place", "range", "row", "server", "bucket", "table", "key", "call", "region", "even one"];
    let random = "format = 1\n[cluster.c]\nengine = \"hbase\"\nservers = 1\n[table.t]\n\
                  key = [\"id: bytes[16]\", \"at: i64\"]\nmeans = { id = \"uuid4\", at = \"milliseconds\" }\n\
                  [[table.t.write]]\nname = \"w\"\nrate = \"50k/s\"\norder = \"time\"\n\
                  [[table.t.query]]\nname = \"q\"\nrange.at = \"1 hour\"\n";
    let bad = with_pages().map(|rule| block(rule.page(), "Bad", "toml").unwrap());
    let mut places = 0;
    for text in bad.chain([random]) {
        let printed = printed(text);
        places += printed.matches("over 100k places").count();
        for thing in things {
            let wrong = printed.find(&format!(" 1 {thing}s"));
            assert_eq!(wrong.map(|at| &printed[at..]), None, "{text}");
        }
        for line in printed.lines().filter(|line| !text.contains(line.trim_start_matches(|c: char| !c.is_alphabetic())))
        {
            let words = line.split(|c: char| !c.is_ascii_alphanumeric());
            let long =
                words.into_iter().find(|word| word.len() >= 8 && word.bytes().all(|byte| byte.is_ascii_hexdigit()));
            assert_eq!(long.filter(|word| !text.contains(word)), None, "{line}\n{text}");
            let great = line.split_whitespace().find(|word| {
                word.strip_suffix('T').is_some_and(|number| number.len() > 3 && number.parse::<f64>().is_ok())
            });
            assert_eq!(great, None, "{line}\n{text}");
        }
    }
    assert!(places > 0);
}

/// A small share is told with as many digits as it needs, and one that is not counted exactly with no more than are
/// known.
#[test]
fn a_small_share_is_not_zero() {
    let told = |exact: bool, share: f64| {
        let mut field = FieldProfile::default();
        (field.name, field.exact, field.p_max, field.distinct) = ("a".into(), exact, share, 1e4);
        let mut profile = Profile::default();
        (profile.keys, profile.fields) = (10_000, vec![field]);
        let design = parse("format = 1\n[table.t]\nkey = [\"a: u64\"]\n");
        let options = CheckOptions::new(Date { year: 2026, month: 1, day: 31 }).profile("t", profile);
        let report = design.check(&options);
        let text = report::report(Format::Text, &design, &options, &report, Styles::Plain);
        let line = text.lines().find(|line| line.starts_with("a ")).unwrap().to_owned();
        line.split("  ").map(str::trim).find(|cell| cell.ends_with('%')).unwrap().to_owned()
    };
    let exact = [0.5, 0.0123, 0.0011, 0.00004, 1e-9].map(|share| told(true, share));
    assert_eq!(exact, ["50.0 %", "1.2 %", "0.11 %", "0.0040 %", "0.00000010 %"]);
    assert_eq!([0.5, 0.0011].map(|share| told(false, share)), ["50.0 %", "under 0.6 %"]);
}

/// The oldest rows are no cache's: the cure of H14 is by the order.
#[test]
fn the_cure_of_many_calls_is_by_the_order() {
    let bad = block(Rule::named("H14").unwrap().page(), "Bad", "toml").unwrap();
    let cure = |text: &str| {
        let found = check(text, None).into_iter().find(|finding| finding.rule.id == "H14");
        found.and_then(|finding| finding.remedy).unwrap().text
    };
    assert!(cure(bad).contains("newest"));
    assert!(!cure(&bad.replace("order = \"newest\"", "order = \"oldest\"")).contains("newest"));
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

/// A write of some columns is as many bytes as these columns have, and the split is at the engine's own size.
#[test]
fn ten_minutes_of_writes_are_of_the_columns_that_are_written() {
    let bytes = |engine: &str, columns: &str| {
        let text = format!(
            "format = 1\n[cluster.c]\nengine = \"{engine}\"\n[table.t]\nkey = [\"id: u64\"]\nmeans.id = \"random\"\n\
             family.d = {{ columns = [\"body\", \"read\"], sizes = {{ body = \"100 kB\", read = \"8 B\" }} }}\n\
             [[table.t.write]]\nname = \"w\"\nrate = \"40k/s\"\norder = \"random\"\ncolumns = {columns}\n"
        );
        let found = check(&text, None).into_iter().find(|finding| finding.rule.id == "H10")?;
        let number = |name: &str| found.numbers.iter().find(|number| number.name == name).map(|number| number.value);
        number("bytes in ten minutes").zip(number("size of the first split"))
    };
    let mib = 1_048_576.0;
    let (puts, cell) = (40e3 * 600.0, 8.0 + 1.0 + 4.0 + 20.0);
    assert_eq!(bytes("hbase", "[\"read\"]"), Some((puts * (cell + 8.0), 256.0 * mib)));
    assert_eq!(bytes("hbase", "[]"), Some((puts * (2.0 * cell + 100_008.0), 256.0 * mib)));
    assert_eq!(bytes("tikv", "[\"d:read\"]"), Some((puts * (cell + 8.0), 256.0 * mib)));
    // Nothing says when it splits.
    assert_eq!(bytes("bigtable", "[]"), None);
}

/// A level is the severity of all findings of its rule and of no others: an option's before a table's, and this before
/// the design's.
#[test]
fn a_level_is_the_severity_of_a_rule() {
    let today = Date { year: 2026, month: 1, day: 31 };
    let of_rule = |rule: &'static Rule, text: &str, options: &CheckOptions| {
        let report = parse(text).check(options);
        let (of_rule, others): (Vec<_>, Vec<_>) = report.findings.into_iter().partition(|found| found.rule == rule);
        let allowed: Vec<_> = report.allowed.into_iter().map(|allowed| (allowed.finding.rule, allowed.by)).collect();
        (of_rule, others.into_iter().map(|found| (found.rule.id, found.severity)).collect::<Vec<_>>(), allowed)
    };
    let mut tried = 0;
    for rule in with_pages().filter(|rule| !rule.page().contains("Bad sample, in hex")) {
        let bad = block(rule.page(), "Bad", "toml").unwrap();
        let plain = CheckOptions::new(today);
        let (found, others, _) = of_rule(rule, bad, &plain);
        for level in Level::ALL {
            let expected = |(levelled, same, allowed): (Vec<Finding>, Vec<_>, Vec<(&Rule, AllowedBy)>), by: &str| {
                assert_eq!(same, others, "{} {level}", rule.id);
                let severities: Vec<_> = levelled.iter().map(|found| Some(found.severity)).collect();
                let all = vec![level.severity(); found.len()];
                assert_eq!(severities, if *level == Level::Allow { vec![] } else { all }, "{} {level}", rule.id);
                let count = if *level == Level::Allow { found.len() } else { 0 };
                assert_eq!(allowed.len(), count, "{} {level}", rule.id);
                assert!(allowed.iter().all(|(of, how)| *of == rule && how.word() == by), "{allowed:?}");
            };
            let levels = format!("{bad}\n[rules]\n{} = \"{level}\"\n", rule.id);
            expected(of_rule(rule, &levels, &plain), "rules");
            tried += 1;
            // A table in braces takes no section.
            if bad.contains("\n[table]\n") {
                continue;
            }
            let other = if *level == Level::Error { Level::Allow } else { Level::Error };
            let design = parse(bad);
            let tables = design.tables.keys().map(|name| format!("[table.{name}.rules]\n{} = \"{level}\"\n", rule.id));
            let tables = tables.collect::<String>() + &format!("[rules]\n{} = \"{other}\"\n", rule.id);
            expected(of_rule(rule, &format!("{bad}\n{tables}"), &plain), "rules");
            let both = format!("{bad}\n{}", tables.replace(&format!("\"{level}\""), &format!("\"{other}\"")));
            expected(of_rule(rule, &both, &plain.clone().level(rule, *level)), "option");
        }
    }
    assert!(tried > 150, "{tried}");
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

/// A salt of the time, whose buckets each query asks: one finding, whose edit cures what others would say.
#[test]
fn one_salt_makes_one_finding() {
    let text = "format = 1\n[cluster.c]\nengine = \"hbase\"\nservers = 10\n[table.t]\n\
                key = [\"user: text\", \"at: instant\"]\nstats.user.distinct = \"1M\"\n\
                salt = { buckets = 16, by = [\"at\"] }\n[[table.t.write]]\nname = \"w\"\nrate = \"100k/s\"\n\
                [[table.t.query]]\nname = \"one user\"\nfix = [\"user\"]\nonline = \"10 ms\"\n";
    let of_salt = |text: &str| -> Vec<&str> {
        let found = check(text, None).into_iter().map(|finding| finding.rule.id);
        found.filter(|id| ["H06", "H07", "H08", "Q03", "Q07"].contains(id)).collect()
    };
    assert_eq!(of_salt(text), ["H07"]);
    assert_eq!(of_salt(&text.replace("by = [\"at\"]", "by = [\"user\"]")), [""; 0]);
    // Where the users are few, the salt of the time is what is wrong.
    assert_eq!(of_salt(&text.replace("\"1M\"", "30")), ["H08", "Q03"]);
}

/// No rule speaks of reads whose limit nobody knows, and of values whose number nobody says: both are told.
#[test]
fn what_no_rule_can_judge_is_told() {
    let unjudged = |engine: &str, region: &str, stats: &str| {
        let text = format!(
            "format = 1\n[cluster.c]\nengine = \"{engine}\"\n{region}\n[table.t]\nkey = [\"chat: u64\", \"at: instant\"]\n\
             {stats}\n[[table.t.write]]\nname = \"w\"\nrate = \"20k/s\"\n\
             [[table.t.query]]\nname = \"q\"\nfix = [\"chat\"]\nrate = \"5k/s\"\nskew.chat = \"zipf 1\"\n"
        );
        parse(&text).check(&CheckOptions::new(Date { year: 2026, month: 1, day: 31 })).unjudged
    };
    let stats = "stats.chat = { distinct = \"1M\", skew = \"zipf 0.9\" }";
    let told = unjudged("tikv", "", "");
    assert!(told.len() == 2 && told[0].contains("`region.reads`") && told[1].contains("`stats.chat"), "{told:?}");
    assert_eq!(unjudged("tikv", "region.reads = \"50k/s\"", stats), [""; 0]);
    assert_eq!(unjudged("bigtable", "", stats), [""; 0]);
    assert_eq!(unjudged("rocksdb", "", ""), [""; 0]);
}

/// A rule and what it is of.
type Spoken = (&'static str, Option<String>);

/// The findings of some rules.
fn of_rules(text: &str, rules: &[&str]) -> Vec<Finding> {
    check(text, None).into_iter().filter(|finding| rules.contains(&finding.rule.id)).collect()
}

fn spoken(text: &str, rules: &[&str]) -> Vec<Spoken> {
    of_rules(text, rules).into_iter().map(|finding| (finding.rule.id, finding.of)).collect()
}

/// A secondary table gets the writes of its table: its own key says where they land.
#[test]
fn a_hot_value_of_a_secondary_table_is_found() {
    let text = |engine: &str, key: &str, skew: &str| {
        let distinct = if skew == "uniform" { 3 } else { 200 };
        format!(
            "format = 1\n[cluster.c]\nengine = \"{engine}\"\nservers = 20\nregion.writes = \"1k/s\"\n[table.o]\n\
             key = [\"id: bytes[16]\"]\nmeans.id = \"uuid4\"\n\
             stats.country = {{ distinct = {distinct}, skew = \"{skew}\" }}\n[[table.o.write]]\nname = \"w\"\norder = \"random\"\nrate = \"8k/s\"\n\
             [[table.o.secondary]]\nname = \"by\"\nkey = [{key}]\n"
        )
    };
    let of = |rule| vec![(rule, Some("by".to_owned()))];
    let hot = |engine: &str, key: &str, skew: &str| {
        let text = text(engine, key, skew);
        for finding in of_rules(&text, &["H04", "H05"]) {
            let place = parse(&text).files.text(finding.place).to_owned();
            assert!(key.contains(&place), "{place}");
            assert!(finding.remedy.unwrap().edits.is_empty(), "the table's own salt");
        }
        spoken(&text, &["H04", "H05"])
    };
    for (engine, key) in [
        ("dynamodb", "\"country: text\", \"id: bytes[16]\""),
        ("dynamodb", "\"country: text\", \"at: instant\", \"id: bytes[16]\""),
        ("hbase", "\"country: text\", \"at: instant\", \"id: bytes[16]\""),
    ] {
        assert_eq!(hot(engine, key, "one value 0.6"), of("H04"), "{engine} {key}");
        assert_eq!(hot(engine, key, "one value 0.1"), [], "{engine} {key}");
    }
    // Ranges divide a value whose rows follow in any order.
    assert_eq!(hot("hbase", "\"country: text\", \"id: bytes[16]\"", "one value 0.6"), []);
    for engine in ["hbase", "dynamodb", "cassandra", "bigtable", "cockroachdb"] {
        assert_eq!(
            hot(engine, "\"country: text\", \"at: instant\", \"id: bytes[16]\"", "uniform"),
            of("H05"),
            "{engine}"
        );
    }
}

/// A salt divides what its fields tell apart: a value alone is in one bucket, whatever their number.
#[test]
fn a_salt_that_divides_nothing_hides_no_hot_value() {
    let hot = |engine: &str, key: &str, lead: &str, order: &str| {
        let text = format!(
            "format = 1\n[cluster.c]\nengine = \"{engine}\"\nregion.writes = \"1k/s\"\n[table.t]\n\
             key = [{key}]\n{lead}\nstats.doc = {{ distinct = \"1M\", skew = \"one value 0.5\" }}\n[[table.t.write]]\nname = \"w\"\n\
             order = \"{order}\"\nrate = \"4k/s\"\n"
        );
        let found = of_rules(&text, &["H04", "H06", "H08"]);
        assert!(found.len() < 2, "{found:?}");
        // Where a salt is the cure, it cures.
        for finding in found.iter().filter(|finding| finding.rule.id == "H04") {
            let edits = finding.remedy.as_ref().map_or(&[][..], |remedy| &remedy.edits);
            if !edits.is_empty() {
                let after = &parse(&text).files.edited(edits)[0].text;
                assert_eq!(of_rules(after, &["H04"]), [], "{after}");
            }
        }
        found.iter().any(|finding| finding.rule.id == "H04")
    };
    let leads = ["", "salt = { buckets = 8 }", "hashed = { bytes = 4 }"];
    for engine in ["dynamodb", "hbase"] {
        for lead in leads {
            assert!(hot(engine, "\"doc: u64\"", lead, "random"), "{engine} {lead}");
        }
        assert!(hot(engine, "\"doc: u64\", \"at: instant\"", "", "time"), "{engine}");
        assert!(!hot(engine, "\"doc: u64\", \"at: instant\"", "salt = { buckets = 8 }", "time"), "{engine}");
    }
    assert!(hot("dynamodb", "\"doc: u64\", \"at: instant\"", "salt = { buckets = 8, by = [\"doc\"] }", "random"));
    // What is the same in all rows divides none.
    let constant = "means.kind = \"constant\"\nsalt = { buckets = 8 }";
    assert!(hot("dynamodb", "\"doc: u64\", \"kind: u8\"", constant, "random"));
}

/// Many values, one of which is too frequent, keep all servers busy: it alone is what is wrong.
#[test]
fn uneven_values_are_not_few() {
    let found = |distinct: u32, skew: &str, rate: &str| {
        let text = format!(
            "format = 1\n[cluster.c]\nengine = \"hbase\"\nservers = 15\nregion.writes = \"10k/s\"\n[table.e]\n\
             key = [\"tenant: u32\", \"at: instant\"]\nstats.tenant = {{ distinct = {distinct}, skew = \"{skew}\" }}\n\
             [[table.e.write]]\nname = \"in\"\nrate = \"{rate}\"\norder = \"time\"\n"
        );
        check(&text, None).into_iter().map(|f| f.rule.id).filter(|id| ["H04", "H05"].contains(id)).collect::<Vec<_>>()
    };
    assert_eq!(found(5000, "one value 0.5", "80k/s"), ["H04"]);
    assert_eq!(found(5000, "zipf 1.5", "80k/s"), ["H04"]);
    assert_eq!(found(5000, "uniform", "80k/s"), [""; 0]);
    // However even four values were, they would keep four servers busy.
    assert_eq!(found(4, "one value 0.5", "80k/s"), ["H05"]);
    assert_eq!(found(4, "uniform", "80k/s"), ["H05"]);
    // Ten even ones would do.
    assert_eq!(found(10, "uniform", "80k/s"), [""; 0]);
    assert_eq!(found(10, "one value 0.9", "80k/s"), ["H04"]);
}

/// The rate that a finding shows is what is more than a server takes.
#[test]
fn the_rate_that_is_shown_is_the_one_that_is_compared() {
    let text = "format = 1\n[cluster.c]\nengine = \"cockroachdb\"\nregion.writes = \"10k/s\"\n[table.j]\n\
                key = [\"due: instant\", \"job: bytes[16]\"]\nmeans.job = \"uuid4\"\nrows = \"5M\"\n\
                [[table.j.write]]\nname = \"enqueue\"\nrate = \"6k/s\"\norder = \"time\"\n[[table.j.write]]\n\
                name = \"done\"\nkind = \"delete\"\nrate = \"6k/s\"\norder = \"time\"\n";
    let found = of_rules(text, &["H01"]);
    let [found] = &found[..] else { panic!("{found:?}") };
    assert!(found.message.contains("12k/s") && !found.message.contains("6k/s"), "{}", found.message);
    let number = |name: &str| found.numbers.iter().find(|number| number.name == name).unwrap().value;
    assert!(number("writes at the peak") > number("writes that one server takes"));
}

/// Rows that are deleted as fast as they are put do not add up.
#[test]
fn rows_of_a_queue_do_not_grow() {
    let notes = |deletes: &str| {
        let text = format!(
            "format = 1\n[table.j]\nkey = [\"due: instant\", \"job: u64\"]\nrows = \"5M\"\n[[table.j.write]]\n\
             name = \"enqueue\"\nrate = \"6k/s\"\n[[table.j.write]]\nname = \"done\"\nkind = \"delete\"\n{deletes}\n"
        );
        parse(&text).check(&CheckOptions::new(Date { year: 2026, month: 1, day: 31 })).notes.len()
    };
    assert_eq!((notes("rate = \"6k/s\""), notes("rate = \"5k/s\"")), (0, 0));
    // Nothing says how many, and so few leave most.
    assert_eq!((notes(""), notes("rate = \"100/s\"")), (0, 1));
}

/// A queue's jobs are not old rows: a TTL would lose those that are not done. DynamoDB has no markers of deleted rows.
#[test]
fn deletes_of_a_queue_are_one_finding() {
    let queue = |engine: &str, deletes: &str, limit: &str| {
        format!(
            "format = 1\n[cluster.c]\nengine = \"{engine}\"\n[table.q]\n\
             key = [\"queue: u32\", \"due: instant\", \"id: u64\"]\nstats.queue.distinct = 100\n\
             family.f.sizes.v = \"100 B\"\n[[table.q.write]]\nname = \"put\"\nrate = \"1k/s\"\norder = \"time\"\n\
             [[table.q.write]]\nname = \"done\"\nkind = \"delete\"\nrate = \"{deletes}\"\norder = \"time\"\n\
             [[table.q.query]]\nname = \"next\"\nfix = [\"queue\"]\norder = \"oldest\"\n{limit}\n"
        )
    };
    let rules = |engine: &str, deletes: &str, limit: &str| -> Vec<&str> {
        of_rules(&queue(engine, deletes, limit), &["F12", "H17"]).iter().map(|finding| finding.rule.id).collect()
    };
    for engine in ["cassandra", "hbase", "bigtable"] {
        assert_eq!(rules(engine, "1k/s", "limit = 10"), ["H17"], "{engine}");
        assert_eq!(rules(engine, "1k/s", ""), [""; 0], "{engine}");
        assert_eq!(rules(engine, "1/s", ""), ["F12"], "{engine}");
    }
    assert_eq!(rules("dynamodb", "1k/s", "limit = 10"), [""; 0]);
    let found = of_rules(&queue("dynamodb", "1/s", ""), &["F12", "H17"]);
    assert_eq!(found.iter().map(|finding| finding.rule.id).collect::<Vec<_>>(), ["F12"]);
    assert!(!printed(&queue("dynamodb", "1/s", "")).contains("marker"));
    assert!(!printed(&queue("dynamodb", "1/s", "")).contains("compact"));
}

/// DynamoDB counts a write of an item by its kilobytes.
#[test]
fn large_items_are_many_write_units() {
    let found = |engine: &str, size: &str, rate: &str| {
        let text = format!(
            "format = 1\n[cluster.c]\nengine = \"{engine}\"\nregion.writes = \"1k/s\"\n[table.t]\nkey = [\"doc: u64\"]\n\
             stats.doc = {{ distinct = \"1M\", skew = \"one value 0.5\" }}\nfamily.f.sizes.v = \"{size}\"\n\
             [[table.t.write]]\nname = \"w\"\norder = \"random\"\nrate = \"{rate}\"\n"
        );
        !of_rules(&text, &["H04"]).is_empty()
    };
    assert!(found("dynamodb", "100 kB", "500/s"));
    assert!(!found("dynamodb", "100 B", "500/s"));
    assert!(!found("dynamodb", "100 kB", "10/s"));
    assert!(!found("hbase", "100 kB", "500/s"));
}

/// A finding speaks of what its engine has.
#[test]
fn findings_use_the_words_of_their_engine() {
    let of = |rule: &str, text: &str| {
        let found = of_rules(text, &[rule]).pop()?;
        Some(format!("{}; {}; {:?}", found.message, found.remedy.unwrap().text, found.numbers))
    };
    let constant = |engine: &str| {
        let text = format!(
            "format = 1\n[cluster.c]\nengine = \"{engine}\"\n[table.t]\nkey = [\"v: u8\", \"user: u64\"]\n\
             means.v = \"constant\"\n"
        );
        of("H20", &text).unwrap()
    };
    assert!(constant("hbase").contains("split points") && constant("hbase").contains("cell"));
    assert!(!constant("dynamodb").contains("split points") && !constant("dynamodb").contains("cell"));
    let growing = |engine: &str| {
        let seconds = if engine == "dynamodb" { "means.at = \"seconds\"\n" } else { "" };
        let text = format!(
            "format = 1\n[cluster.c]\nengine = \"{engine}\"\nservers = 4\nregion.writes = \"1k/s\"\n[table.t]\n\
             key = [\"at: u64\", \"user: u64\"]\nstats.at.grows = true\n{seconds}\
             [[table.t.write]]\nname = \"w\"\nrate = \"90k/s\"\norder = \"time\"\n"
        );
        (of("H01", &text).unwrap(), of("H24", &text), of("H23", &text))
    };
    for (engine, word) in [("hbase", "region"), ("cockroachdb", "range"), ("bigtable", "tablet"), ("tikv", "region")] {
        let (first, few, _) = growing(engine);
        assert!(first.contains(&format!("last {word}")) && few.is_some(), "{engine}: {first}");
    }
    let (first, few, _) = growing("dynamodb");
    assert!(first.contains("partition") && few.is_none(), "{first}");
    // Another finding says what is wrong with the key.
    assert_eq!(growing("hbase").2, None);
}

/// The high zeros of a number are not left out by leaving a field out.
#[test]
fn zeros_of_a_number_are_no_field() {
    let text = "format = 1\n[table.t]\nkey = [\"user: u64\"]\n";
    let keys: String = (1..200u64).map(|user| format!("{:016x}\n", user * 7)).collect();
    let found = check(text, Some(&keys)).into_iter().find(|finding| finding.rule.id == "H20").unwrap();
    assert!(!found.remedy.unwrap().text.contains("leave it out"));
}

/// A counter is hot by its own writes, not by those of other rows.
#[test]
fn one_row_is_hot_by_its_own_writes() {
    let found = |counter: &str| {
        let text = format!(
            "format = 1\n[cluster.c]\nengine = \"hbase\"\nregion.writes = \"10k/s\"\n[table.t]\nkey = [\"id: u64\"]\n\
             means.id = \"random\"\n[[table.t.write]]\nname = \"put\"\nrate = \"20k/s\"\norder = \"random\"\n\
             [[table.t.write]]\nname = \"count\"\nrate = \"{counter}\"\norder = \"one row\"\n"
        );
        spoken(&text, &["H12"])
    };
    assert_eq!((found("1/s"), found("20k/s").len()), (vec![], 1));
}

/// DynamoDB compacts nothing: expired items go by themselves.
#[test]
fn a_shorter_ttl_is_told_in_the_words_of_the_engine() {
    let told = |engine: &str| {
        let design = |ttl: &str| {
            parse(&format!(
                "format = 1\n[cluster.c]\nengine = \"{engine}\"\n[table.t]\nkey = [\"id: u64\"]\n\
                 family.f.ttl = \"{ttl}\"\n"
            ))
        };
        let options = CheckOptions::new(Date { year: 2026, month: 1, day: 31 });
        let changes = diff(&design("90 days"), &design("30 days"), &options, 1.0);
        changes.into_iter().find(|change| change.rule.id == "D07").unwrap().message
    };
    assert!(told("hbase").contains("compaction") && !told("dynamodb").contains("compaction"));
}
