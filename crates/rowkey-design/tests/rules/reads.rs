//! Where reads land, and how many they are.

use rowkey_design::{CheckOptions, Date, Design, File, Rule};

use super::{block, blocks, check, of_rules, parse};

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
        // Known rows are divided by it, and only those of the last seconds, 100 MB, are in one place.
        let get = "fix = [\"user\", \"at\"]";
        let (recent, any) = (rate(&format!("{get}\nrecent = \"5 s\""), "30k/s"), rate(get, "30k/s"));
        let by_time = key("\"at: instant desc\", \"user: u64\"");
        assert_eq!(found("bigtable", &by_time, &recent).is_some(), salt.is_empty());
        assert_eq!(found("bigtable", &by_time, &any), None);
        // Those of a minute are in six tablets of 200 MB.
        assert_eq!(found("bigtable", &by_time, &recent.replace("5 s", "1 min")), None);
    }
}

/// Rows that are asked for while they are new are the newest, be they read oldest first or not.
#[test]
fn hot_rows_are_named_by_their_age() {
    let told = |query: &str| {
        let text = format!(
            "format = 1\n[cluster.c]\nengine = \"bigtable\"\n[table.t]\nkey = [\"at: instant\", \"user: u64\"]\n\
             means.user = \"random\"\nfamily.f.ttl = \"30 days\"\nfamily.f.sizes.v = \"1 kB\"\n\
             [[table.t.write]]\nname = \"w\"\nrate = \"20k/s\"\n[[table.t.query]]\nname = \"q\"\nrate = \"30k/s\"\n{query}"
        );
        let found = check(&text, None).into_iter().find(|finding| finding.rule.id == "H26").unwrap().message;
        ["oldest rows", "newest rows", "first rows"].into_iter().find(|rows| found.contains(rows)).unwrap().to_owned()
    };
    let range = "range.at = \"5 s\"\nrecent = \"5 s\"\n";
    assert_eq!(told(&format!("{range}order = \"oldest\"")), "newest rows");
    assert_eq!(told(&format!("{range}order = \"newest\"")), "newest rows");
    assert_eq!(told("order = \"oldest\"\nlimit = 1"), "oldest rows");
}

#[test]
fn a_skew_is_of_what_the_query_asks_for() {
    let text = "format = 1\n[table.t]\nkey = [\"a: u8\", \"b: u8\"]\nquery = [{ name = \"q\", fix = [\"a\"], skew.b = \"one value\" }]";
    let problems = Design::parse([File { name: "a".to_owned(), text: text.to_owned() }]).unwrap_err();
    assert_eq!(problems.list.len(), 1);
    assert_eq!(problems.files.text(problems.list[0].place), "b");
    parse(&text.replace("skew.b", "skew.a"));
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
        parse(&text)
            .check(&CheckOptions::new(Date { year: 2026, month: 1, day: 31 }))
            .unjudged
            .into_iter()
            .map(|unjudged| unjudged.question)
            .collect::<Vec<_>>()
    };
    let stats = "stats.chat = { distinct = \"1M\", skew = \"zipf 0.9\" }";
    let told = unjudged("tikv", "", "");
    assert!(told.len() == 2 && told[0].contains("`region.reads`") && told[1].contains("`stats.chat"), "{told:?}");
    assert_eq!(unjudged("tikv", "region.reads = \"50k/s\"", stats), [""; 0]);
    assert_eq!(unjudged("bigtable", "", stats), [""; 0]);
    assert_eq!(unjudged("rocksdb", "", ""), [""; 0]);
}

/// A query that asks each bucket is held against all servers, where the design says how many there are and what each
/// takes: one finding, with the most buckets that they would take.
#[test]
fn reads_of_all_buckets_are_held_against_all_servers() {
    let bad = *blocks(Rule::named("H26").unwrap().page(), "Bad", "toml").last().unwrap();
    let told = |text: &str| {
        let found = of_rules(text, &["H14", "H26"]);
        assert!(found.len() <= 1, "{found:?}");
        found.into_iter().next().map(|finding| (finding.message, finding.remedy.unwrap().text))
    };
    let (message, cure) = told(bad).unwrap();
    let due = "\"newest of a user\" (50k/s) asks 40 salt buckets at each run, which is 2M/s reads: 20 servers can take 400k/s";
    assert_eq!(message, due);
    assert!(cure.contains("the salt of fields that the query fixes") && cure.contains("at most 8 buckets"), "{cure}");
    assert_eq!(told(&bad.replace("buckets = 40", "buckets = 8")), None);
    assert!(told(&bad.replace("buckets = 40", "buckets = 9")).is_some());
    let less = [("servers = 20", "servers = 100"), ("servers = 20\n", ""), ("region.reads = \"20k/s\"\n", "")];
    for (from, to) in less.into_iter().chain([("50k/s", "9k/s")]) {
        assert_eq!(told(&bad.replace(from, to)), None, "{from}");
    }
    // The newest of all, which no salt could know.
    let all = bad.replace("fix = [\"user\"]\n", "").replace("\"user: u64\", ", "").replace("50k/s", "15k/s");
    let (message, cure) = told(&all.replace("stats.user = { distinct = \"10M\" }\n", "")).unwrap();
    assert!(message.contains("40 salt buckets") && !cure.contains("fixes"), "{message}; {cure}");
}
