//! Regions that get most of what is written or read: by split points that divide nothing, of small tables, of several
//! writes together; and what no rule can judge.

use rowkey_design::{CheckOptions, Date, Severity};

use super::{check, of_rules, parse, spoken};

const RULES: [&str; 4] = ["H09", "H10", "H24", "H26"];

/// A table of these ids, pre-split into this number of regions, evenly over the range of the type.
fn split(field: &str, more: &str, splits: &str, secondary: &str) -> String {
    format!(
        "format = 1\n[cluster.c]\nengine = \"hbase\"\nservers = 8\nregion.writes = \"10k/s\"\n[table.t]\n\
         key = [\"{field}\"]\n{more}\n{splits}\n[[table.t.write]]\nname = \"w\"\nrate = \"20k/s\"\norder = \"random\"\n\
         {secondary}"
    )
}

#[test]
fn split_points_that_leave_all_writes_in_one_region_are_found() {
    let uniform = "splits = { uniform = 16 }";
    let found = |field: &str, more: &str| spoken(&split(field, more, uniform, ""), &["H09", "H10"]);
    let named = |of: Option<&str>| vec![("H09", of.map(str::to_owned))];
    let types = ["u32", "u64", "u128", "i32", "i64", "bytes[4]", "bytes[8]"];
    for ty in types.into_iter().flat_map(|ty| [ty.to_owned(), format!("{ty} desc")]) {
        let field = format!("id: {ty}");
        assert_eq!(found(&field, "stats.id = { distinct = \"50k\" }"), named(None), "{field}");
        // Ids that are anywhere are in all regions, and so is what nothing is said of.
        assert_eq!(found(&field, "stats.id = { distinct = \"50k\" }\nmeans.id = \"random\""), [], "{field}");
        assert_eq!(found(&field, ""), [], "{field}");
    }
    // Two bytes are nearly full of fifty thousand values.
    assert_eq!(found("id: u16", "stats.id = { distinct = \"60k\" }"), []);
    // Points where the values are divide them.
    let keys = "splits = { keys = [\"00003000\", \"00006000\", \"00009000\"] }";
    assert_eq!(spoken(&split("id: u32", "stats.id = { distinct = \"50k\" }", keys, ""), &["H09", "H10"]), []);
    let few = keys.replace("\"00003000\", \"00006000\", ", "");
    assert_eq!(spoken(&split("id: u32", "stats.id = { distinct = \"50k\" }", &few, ""), &["H09"]), named(None));
    // A few points of many buckets leave the others in one.
    let salt = |points: &str| {
        let more = format!("salt = {{ buckets = 16 }}\nstats.id = {{ distinct = \"50k\" }}\nsplits = {points}");
        spoken(&split("id: u64", &more, "", ""), &["H09", "H10"])
    };
    assert_eq!(salt("\"buckets\""), []);
    assert_eq!(salt("{ keys = [\"01\", \"02\"] }"), named(None));
    // A secondary table has points of its own.
    let by = "[[table.t.secondary]]\nname = \"by\"\nkey = [\"of: u64\", \"id: u64\"]\nsplits = { uniform = 16 }\n";
    let more = "means.id = \"random\"\nstats.of = { distinct = 1000 }";
    assert_eq!(spoken(&split("id: u64", more, uniform, by), &["H09", "H10"]), named(Some("by")));
}

#[test]
fn the_writes_of_even_regions_are_told_as_even() {
    for regions in [2, 3, 7] {
        let splits = format!("splits = {{ uniform = {regions} }}");
        let text = split("id: u64", "means.id = \"random\"", &splits, "").replace("20k/s", "140k/s");
        let findings = check(&text, None);
        let found = findings.iter().find(|finding| finding.rule.id == "H09").expect("H09");
        let fullest = found.numbers.iter().find(|number| number.name == "writes of the fullest").expect("a number");
        assert!((fullest.value - 140_000.0 / f64::from(regions)).abs() < 1.0, "{regions}: {}", fullest.value);
    }
}

#[test]
fn what_values_are_taken_for_is_said_with_the_finding() {
    let text = split("id: u64", "stats.id = { distinct = \"50k\" }", "splits = { uniform = 16 }", "");
    let found = of_rules(&text, &["H09"]).remove(0);
    let witness = found.witness.join("; ");
    assert!(witness.contains("`means.id = \"random\"`") && found.severity == Severity::Warning, "{found:?}");
}

#[test]
fn a_region_of_small_rows_is_found_by_their_number() {
    // Ten minutes of ten bytes each are less than two memstores.
    let text = |rate: &str, servers: u32| {
        format!(
            "format = 1\n[cluster.c]\nengine = \"hbase\"\nservers = {servers}\nregion.writes = \"10k/s\"\n[table.t]\n\
             key = [\"id: u64\"]\nmeans.id = \"random\"\n[[table.t.write]]\nname = \"w\"\nrate = \"{rate}\"\norder = \
             \"random\"\n"
        )
    };
    assert_eq!(spoken(&text("12k/s", 4), &["H10"]).len(), 1);
    assert_eq!(spoken(&text("9k/s", 4), &["H10"]).len(), 0);
}

/// Two writes, each of which a server takes: by their key, the places of both are one.
fn both(key: &str, more: &str, first: (&str, &str), second: (&str, &str)) -> String {
    let write = |name: &str, (rate, order): (&str, &str)| {
        format!("[[table.t.write]]\nname = \"{name}\"\nrate = \"{rate}\"\norder = \"{order}\"\n")
    };
    format!(
        "format = 1\n[cluster.c]\nengine = \"hbase\"\nservers = 8\nregion.writes = \"10k/s\"\n[table.t]\nkey = [{key}]\n\
         {more}\n{}{}",
        write("one", first),
        write("two", second)
    )
}

#[test]
fn writes_of_the_same_places_are_added() {
    let found = |text: &str, rules: &[&str]| spoken(text, rules).into_iter().map(|(id, _)| id).collect::<Vec<_>>();
    let key = "\"user: u32\", \"at: instant\"";
    let hot = "stats.user = { distinct = 5000, skew = \"one value 0.6\" }\nsplits = { keys = [\"00000100\"] }";
    let of = |rate: &str| found(&both(key, hot, (rate, "time"), (rate, "time")), &["H04"]);
    assert_eq!((of("10k/s"), of("8k/s")), (vec!["H04"], vec![]));
    // Three even values: each has a third of both.
    let few = "stats.user = { distinct = 3 }\nsplits = { keys = [\"00000001\", \"00000002\"] }";
    let of = |rate: &str| found(&both(key, few, (rate, "time"), (rate, "time")), &["H05"]);
    assert_eq!((of("16k/s"), of("14k/s")), (vec!["H05"], vec![]));
    // Four buckets.
    let salt = "salt = { buckets = 4 }\nstats.user = { distinct = \"1M\" }\nsplits = \"buckets\"";
    let of = |rate: &str| found(&both(key, salt, (rate, "time"), (rate, "time")), &["H06"]);
    assert_eq!((of("24k/s"), of("16k/s")), (vec!["H06"], vec![]));
    // Rows that are one are elsewhere, but in the region of the others where there is but one.
    let text = both("\"id: u64\"", "means.id = \"random\"", ("6k/s", "one row"), ("6k/s", "one row"));
    assert_eq!(found(&text, &["H10", "H12"]), ["H10"]);
}

/// A cluster each server of which takes 10k reads a second.
fn read(engine: &str, table: &str, queries: &[(&str, &str)]) -> String {
    let queries = queries
        .iter()
        .enumerate()
        .map(|(at, (rate, query))| format!("[[table.t.query]]\nname = \"q{at}\"\nrate = \"{rate}\"\n{query}\n"));
    format!(
        "format = 1\n[cluster.c]\nengine = \"{engine}\"\nservers = 8\nregion.reads = \"10k/s\"\n[table.t]\n{table}\n{}",
        queries.collect::<String>()
    )
}

#[test]
fn a_small_table_that_all_read_is_found() {
    let table = |rows: &str| format!("key = [\"name: text\"]\nrows = \"{rows}\"\nfamily.f.sizes.v = \"100 B\"");
    let found =
        |engine: &str, rows: &str, queries: &[(&str, &str)]| spoken(&read(engine, &table(rows), queries), &RULES);
    let (get, all) = ("fix = [\"name\"]", "");
    for queries in
        [&[("50k/s", get)][..], &[("50k/s", all)], &[("6k/s", get), ("6k/s", get)], &[("6k/s", get), ("6k/s", all)]]
    {
        assert_eq!(found("hbase", "20", queries), [("H26", None)], "{queries:?}");
    }
    assert_eq!(found("hbase", "20", &[("9k/s", get)]), []);
    // A large one is in many regions.
    assert_eq!(found("hbase", "2G", &[("50k/s", get)]), []);
    // An engine that splits by load divides twenty rows, but not three.
    assert_eq!(found("tikv", "20", &[("50k/s", get)]), []);
    assert_eq!(found("tikv", "3", &[("50k/s", get)]), [("H26", None)]);
    // More than all servers take is said to be so.
    assert_eq!(found("hbase", "2G", &[("90k/s", get)]), [("H24", None)]);
}

#[test]
fn reads_of_the_same_place_are_added() {
    let table = "key = [\"author: u64\", \"at: instant desc\"]\nrows = \"1G\"\nstats.author = { distinct = \"10M\" }\n\
                 family.f.sizes.v = \"1 kB\"";
    let page = "fix = [\"author\"]\norder = \"newest\"\nlimit = 1\nskew.author = \"one value 0.3\"";
    let get = "fix = [\"author\", \"at\"]\nskew.author = \"one value 0.3\"";
    let found = |queries: &[(&str, &str)]| {
        check(&read("hbase", table, queries), None)
            .into_iter()
            .filter(|finding| finding.rule.id == "H26")
            .collect::<Vec<_>>()
    };
    assert_eq!(found(&[("20k/s", page)]), []);
    let both = found(&[("20k/s", page), ("20k/s", page)]);
    assert!(matches!(&both[..], [one] if one.message.contains("\"q0\", \"q1\" together make 12k/s reads")), "{both:?}");
    // A hot author's rows are one place, of which the newest are a part, and single rows are others.
    assert_eq!(found(&[("20k/s", page), ("20k/s", get)]), []);
    // The first rows of a table are one place too.
    assert_eq!(found(&[("12k/s", "limit = 1")]).len(), 1);
}

#[test]
fn tables_of_one_cluster_are_added() {
    let table = |name: &str, rate: &str| {
        format!(
            "[table.{name}]\nkey = [\"id: u64\"]\nmeans.id = \"random\"\nrows = \"1G\"\nsplits = {{ uniform = 64 }}\n\
             [[table.{name}.write]]\nname = \"w\"\nrate = \"{rate}\"\norder = \"random\"\n[[table.{name}.query]]\n\
             name = \"q\"\nfix = [\"id\"]\nrate = \"{rate}\"\n"
        )
    };
    let found = |engine: &str, more: &str, rates: &[&str]| {
        let tables = rates.iter().enumerate().map(|(at, rate)| table(&format!("t{at}"), rate));
        let text = format!(
            "format = 1\n[cluster.c]\nengine = \"{engine}\"\nservers = 4\n{more}\n{}",
            tables.collect::<String>()
        );
        let found = of_rules(&text, &["H24"]).into_iter();
        found
            .map(|finding| (finding.table, finding.message.split(", most").next().unwrap().to_owned()))
            .collect::<Vec<_>>()
    };
    let writes = "region.writes = \"10k/s\"";
    let told = |table: &str, what: &str| {
        vec![(table.to_owned(), format!("all 3 tables together ask for 120 % of the {what} that 4 servers can take"))]
    };
    assert_eq!(found("hbase", writes, &["12k/s", "20k/s", "16k/s"]), told("t1", "writes"));
    assert_eq!(found("hbase", writes, &["12k/s", "12k/s", "12k/s"]), []);
    // A table that alone asks for too much is said to.
    assert_eq!(found("hbase", writes, &["50k/s", "20k/s"]).len(), 1);
    let reads = "region.writes = \"1M/s\"\nregion.reads = \"10k/s\"";
    assert_eq!(found("hbase", reads, &["16k/s", "16k/s", "16k/s"]), told("t0", "reads"));
    assert_eq!(found("dynamodb", writes, &["12k/s", "20k/s", "16k/s"]), []);
}

#[test]
fn each_cause_of_what_no_rule_judges_is_told() {
    let told = |engine: &str, region: &str, table: &str, query: &str| {
        let text = format!(
            "format = 1\n[cluster.c]\nengine = \"{engine}\"\n{region}\n[table.t]\n{table}\n[[table.t.query]]\n\
             name = \"q\"\n{query}\n"
        );
        let report = parse(&text).check(&CheckOptions::new(Date { year: 2026, month: 1, day: 31 }));
        report.unjudged.into_iter().map(|unjudged| unjudged.question).collect::<Vec<_>>()
    };
    let (takes, key) = ("region.reads = \"1k/s\"", "key = [\"id: u64\", \"at: instant\"]");
    let one = |found: Vec<String>, say: &str| assert!(found.len() == 1 && found[0].contains(say), "{say}: {found:?}");
    one(told("hbase", takes, key, "fix = [\"id\"]"), "say their `rate`");
    one(told("hbase", "", key, "fix = [\"id\"]\nrate = \"5k/s\""), "say `region.reads`");
    let rows = format!("{key}\nrows = \"1M\"");
    one(told("bigtable", takes, &rows, "fix = [\"id\"]\nrate = \"5k/s\""), "`stats.id = { distinct = …");
    let known = format!("{key}\nstats.id = {{ distinct = \"1M\" }}");
    one(told("hbase", takes, &known, "fix = [\"id\"]\nrate = \"5k/s\""), "say `rows`");
    assert_eq!(told("rocksdb", "", key, "fix = [\"id\"]\nrate = \"5k/s\""), [""; 0]);
    // Of a secondary table too.
    let by = "key = [\"a: bytes[16]\"]\nmeans.a = \"uuid4\"\nwrite = [{ name = \"w\", rate = \"20k/s\" }]\n\
              secondary = [{ name = \"by\", key = [\"id: u64\", \"a: bytes[16]\"] }]";
    let found = told("hbase", takes, by, "fix = [\"a\"]\nrate = \"5/s\"");
    assert!(found.iter().any(|line| line.contains("of \"by\" is hot") && line.contains("stats.id")), "{found:?}");
}

/// A server that takes all writes, as the file says, takes those of a table that is not split yet.
#[test]
fn a_new_table_that_one_server_takes_is_no_finding() {
    let found = |writes: &str, rate: &str| {
        let text = format!(
            "format = 1\n[cluster.c]\nengine = \"hbase\"\nservers = 20\n{writes}\n[table.t]\nkey = [\"url: text\"]\n\
             stats.url = {{ distinct = \"2G\" }}\nfamily.f.sizes.v = \"20 kB\"\n[[table.t.write]]\nname = \"w\"\n\
             rate = \"{rate}\"\norder = \"random\"\n"
        );
        spoken(&text, &["H10"]).len()
    };
    let said = "region.writes = \"10k/s\"";
    assert_eq!((found(said, "3k/s"), found(said, "12k/s"), found("", "3k/s")), (0, 1, 1));
    assert_eq!(found("region.writes = \"2k/s\"", "3k/s"), 1);
}
