//! Changes: each rule of changes is found between the two designs of its page, and not in the good one; a lock file is
//! a design that differs in nothing.

use rowkey_design::{CheckOptions, Date, Design, Difference, Engine, File, Impact, Rule, RuleKind, diff, lock};

fn parse(text: &str) -> Design {
    let file = File { name: "a.rowkey.toml".to_owned(), text: text.to_owned() };
    Design::parse([file]).unwrap_or_else(|problems| panic!("{problems}\n{text}"))
}

fn changes(old: &str, new: &str) -> Vec<Difference> {
    diff(&parse(old), &parse(new), &CheckOptions::new(Date { year: 2026, month: 1, day: 31 }), 10_000.0)
}

/// The text of its lock file.
fn locked(text: &str) -> String {
    lock(&parse(text)).text
}

fn block<'p>(page: &'p str, heading: &str) -> &'p str {
    let (_, rest) = page.split_once(&format!("\n{heading}:\n\n```toml\n")).unwrap_or_else(|| panic!("{page}"));
    rest.split_once("```").unwrap().0
}

#[test]
fn each_rule_of_changes_is_found_and_its_neighbour_is_not() {
    let rules: Vec<_> = Rule::all().filter(|rule| rule.kind.compares()).collect();
    assert_eq!(rules.len(), 13);
    for rule in rules {
        let (old, new, good) = (block(rule.page(), "Old"), block(rule.page(), "New"), block(rule.page(), "Good"));
        let found = |new: &str| changes(old, new).into_iter().any(|change| change.rule == rule);
        assert!(found(new), "{}: {:?}", rule.id, changes(old, new));
        assert!(!found(good), "{}: {:?}", rule.id, changes(old, good));
    }
}

#[test]
fn classes() {
    let of = |key: &str, rest: &str| format!("format = 1\n[table.t]\nkey = [{key}]\n{rest}");
    let class = |old: &str, new: &str| changes(old, new).iter().map(|change| change.class).max();
    let key = r#""from: u64", "to: u64""#;
    assert_eq!(class(&of(key, ""), &of(key, "")), None);
    // The fingerprint is the same, and the values are exchanged.
    assert_eq!(class(&of(key, ""), &of(r#""to: u64", "from: u64""#, "")), Some(Impact::SilentCorruption));
    assert_eq!(class(&of(key, ""), &of(r#""from: u64", "dest: u64""#, "")), Some(Impact::Safe));
    assert_eq!(class(&of(key, ""), &of(r#""from: u64""#, "")), Some(Impact::Rewrite));
    let salted = of(key, "salt = { buckets = 4, by = [\"from\"] }\n");
    assert_eq!(class(&of(key, "salt = { buckets = 4 }\n"), &salted), Some(Impact::Rewrite));
    let partition = |fields: &str| of(key, &format!("partition = [{fields}]\n"));
    assert_eq!(class(&of(key, ""), &partition(r#""from""#)), None);
    assert_eq!(class(&of(key, ""), &partition(r#""from", "to""#)), Some(Impact::Rewrite));
    assert_eq!(class(&locked(&partition(r#""from", "to""#)), &of(key, "")), Some(Impact::Rewrite));
    assert_eq!(class("format = 1\n", &of(key, "")), Some(Impact::Safe));
    assert_eq!(class(&of(key, ""), "format = 1\n"), Some(Impact::DataLoss));
    let enums = |variants: &str| of(&format!("\"kind: option<enum{{{variants}}}>\""), "");
    assert_eq!(class(&enums("1: (u8)"), &enums("1: (u8), 2: ()")), Some(Impact::Safe));
    assert_eq!(class(&enums("1: (u8), 2: ()"), &enums("1: (), 2: ()")), Some(Impact::SilentCorruption));
}

/// Another engine: all rows are copied, and what it does not do is said, of what the design asks for.
#[test]
fn another_engine_copies_all_rows() {
    let of = |engine: &str, family: &str| {
        format!(
            "format = 1\n[cluster.c]\nengine = \"{engine}\"\n[table.t]\nkey = [\"a: u64\"]\nrows = \"36M\"\n\
             [table.t.family.f]\nsizes.v = \"100 B\"\n{family}"
        )
    };
    let told = |engine: &str, family: &str| {
        let found = changes(&of("hbase", family), &of(engine, family));
        let found: Vec<_> = found.into_iter().filter(|change| change.rule.id == "D13").collect();
        assert!(found.len() <= 1 && found.iter().all(|change| change.class == Impact::Rewrite), "{found:?}");
        found.into_iter().next()
    };
    for engine in Engine::ALL {
        let Some(change) = told(engine.word(), "") else {
            assert_eq!(*engine, Engine::HBase);
            continue;
        };
        assert!(change.message.starts_with(&format!("the engine was hbase and is {engine}: ")), "{}", change.message);
        let keeps = change.message.ends_with("keys keep their bytes and their order");
        let sorts = ![Engine::DynamoDb, Engine::Cassandra, Engine::Cockroach].contains(engine);
        assert_eq!(keeps, sorts, "{}", change.message);
        assert!(change.plan[2].starts_with("copy 36M rows, ") && change.plan[2].ends_with(": 1 h at 10k rows/s"));
    }
    let lost = |engine: &str, family: &str| told(engine, family).unwrap().message.split("; ").skip(2).count();
    let kept = "ttl = \"1 day\"\nversions = 3\ncompression = \"snappy\"\n";
    for (engine, count) in [("bigtable", 2), ("dynamodb", 2), ("cassandra", 1), ("cockroachdb", 1), ("tikv", 2)] {
        assert_eq!(lost(engine, kept), count, "{engine}");
    }
    // Designs without a cluster, as lock files are, have no engine.
    let without = "format = 1\n[table.t]\nkey = [\"a: u64\"]\n";
    assert_eq!(changes(without, &of("bigtable", "")).iter().filter(|change| change.rule.id == "D13").count(), 0);
}

#[test]
fn a_rewrite_has_a_plan() {
    let old = "format = 1\n[table.t]\nkey = [\"a: u64\"]\nrows = \"36M\"\nfamily.f.sizes.v = \"100 B\"\n";
    let new = old.replace("u64", "i64");
    let change = changes(old, &new).remove(0);
    assert_eq!((change.rule.id, change.class), ("D01", Impact::Rewrite));
    assert_eq!(
        change.plan[0],
        format!(
            "from {} to {}",
            parse(old).tables["t"].layout.fingerprint(),
            parse(&new).tables["t"].layout.fingerprint()
        )
    );
    assert!(
        change.plan[2].starts_with("backfill 36M rows, ") && change.plan[2].ends_with(": 1 h at 10k rows/s"),
        "{:?}",
        change.plan
    );
}

#[test]
fn what_the_new_design_allows() {
    let old = "format = 1\n[table.t]\nkey = [\"a: u64\"]\nfamily.f.ttl = \"1 day\"\nfamily.g.ttl = \"1 day\"\n";
    // An `allow` of a change names what is gone.
    let gone = "format = 1\n[table.t]\nkey = [\"a: u64\"]\nfamily.f.ttl = \"1 day\"\n[[table.t.allow]]\nrule = \"D06\"\nof = \"g\"\nwhy = \"copied\"\n";
    assert_eq!(changes(old, gone)[0].allowed.as_deref(), Some("copied"));
    let level = format!("{}rules.D06 = \"allow\"\n", old.replace("family.g.ttl = \"1 day\"\n", ""));
    assert_eq!(changes(old, &level)[0].allowed.as_deref(), Some("`rules`, at a.rowkey.toml:5:7"));
}

#[test]
fn a_lock_file_is_the_design_it_locks() {
    for text in [
        include_str!("designs/three.rowkey.toml"),
        "format = 1\n[table.\"a b\"]\nkey = [\"x: text\", \"y: u8 desc\"]\nhashed = { bytes = 3, by = [\"x\"] }\nfamily.f = { ttl = \"5 days\", versions = 3, min_versions = 1 }\n",
        "format = 1\n[table.t]\nkey = [\"x: text\"]\nsalt = { buckets = 7, hash = \"md5\", format = \"hex\" }\nfamily.f.timestamp = \"custom\"\n",
    ] {
        let design = parse(text);
        let locked = parse(&lock(&design).text);
        let options = CheckOptions::new(Date { year: 2026, month: 1, day: 31 });
        let mut differences = diff(&locked, &design, &options, 1.0);
        differences.retain(|change| change.rule.kind == RuleKind::Change);
        assert_eq!(differences, []);
        // A fingerprint that was changed is a fault of the file.
        let wrong = lock(&design).text.replacen("fingerprint = \"", "fingerprint = \"0", 1);
        let problems = Design::parse([File { name: "rowkey.lock".into(), text: wrong }]).unwrap_err();
        assert!(problems.to_string().contains("the fingerprint of this key is "), "{problems}");
    }
}

#[test]
fn a_lock_file_sees_meanings_and_columns() {
    let old = "format = 1\n[table.t]\nkey = [\"at: i64\", \"id: u64\"]\nmeans = { at = \"milliseconds\", id = \"random\" }\n\
               family.f = { ttl = \"0.0015 ms\", columns = [\"a b\", \"c\"] }\nfamily.g.columns = { name = \"n: u16\" }\n";
    let text = lock(&parse(old)).text;
    let against = |new: &str, lock: &str| {
        let options = CheckOptions::new(Date { year: 2026, month: 1, day: 31 });
        let mut found = diff(&parse(lock), &parse(new), &options, 1.0);
        found.retain(|change| change.rule.kind == RuleKind::Change);
        found
            .into_iter()
            .map(|change| (change.class, change.rule.id, change.of.unwrap_or_default()))
            .collect::<Vec<_>>()
    };
    assert_eq!(against(old, &text), []);
    let change = |from: &str, to: &str| against(&old.replace(from, to), &text);
    assert_eq!(change("milliseconds", "seconds"), [(Impact::SilentCorruption, "D01", "at".to_owned())]);
    // Under another name too.
    let renamed = old.replace("at: i64", "when: i64").replace("at = \"milliseconds", "when = \"seconds");
    assert!(against(&renamed, &text).contains(&(Impact::SilentCorruption, "D01", "when".to_owned())));
    assert_eq!(change("\"c\"", "\"d\""), [(Impact::Rewrite, "D04", "f".to_owned())]);
    assert_eq!(change(", \"c\"", ""), [(Impact::Safe, "D04", "f".to_owned())]);
    assert_eq!(change("\"c\"", "\"c\", \"d\""), [(Impact::Safe, "D08", "f".to_owned())]);
    assert_eq!(change("n: u16", "n: u32"), [(Impact::Rewrite, "D01", "g".to_owned())]);
    assert_eq!(change("0.0015 ms", "0.0014 ms"), [(Impact::DataLoss, "D07", "f".to_owned())]);
    // A lock file of an older release has neither.
    let older: String = text
        .lines()
        .filter(|line| !line.starts_with("columns") && !line.contains("means]"))
        .filter(|line| !line.starts_with("at =") && !line.starts_with("id ="))
        .map(|line| format!("{line}\n"))
        .collect();
    assert!(!older.contains("means") && older.len() < text.len());
    assert_eq!(change("milliseconds", "milliseconds"), []);
    assert_eq!(against(&old.replace("milliseconds", "seconds").replace("\"c\"", "\"d\""), &older), []);
}
