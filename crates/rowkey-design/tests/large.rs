//! Large designs: checked, and searched for better keys, within the time and memory of a test.

use rowkey_design::{CheckOptions, Date, Design, File};

fn parse(text: String) -> Design {
    Design::parse([File { name: "a".to_owned(), text }]).unwrap_or_else(|problems| panic!("{problems}"))
}

#[test]
fn many_buckets_fields_and_queries() {
    let options = CheckOptions::new(Date { year: 2026, month: 1, day: 31 });
    let query = |i: usize, field: &str| format!("[[table.t.query]]\nname = \"q{i}\"\nfix = [\"{field}\"]\n");
    let buckets =
        "format = 1\n[table.t]\nkey = [\"a: u64\", \"b: u64\"]\nsalt = { buckets = 65536 }\nsplits = \"buckets\"\n";
    let salted = parse(buckets.to_owned() + &(0..4).map(|i| query(i, "a")).collect::<String>());
    let report = salted.check(&options);
    let q03 = report.findings.iter().find(|finding| finding.rule.id == "Q03").unwrap();
    assert!(q03.numbers.iter().any(|number| number.value == 65536.0), "{q03:?}");
    assert!(salted.suggest("t", &options).is_some());
    let fields: Vec<String> = (0..200).map(|i| format!("\"f{i}: u16\"")).collect();
    let text = format!("format = 1\n[table.t]\nkey = [{}]\n", fields.join(", "));
    let many = parse(text + &(0..20).map(|i| query(i, &format!("f{i}"))).collect::<String>());
    assert!(many.check(&options).count(rowkey_design::Severity::Error) >= 19);
    assert!(many.suggest("t", &options).unwrap().tried < 10_000);
}

fn options() -> CheckOptions {
    CheckOptions::new(Date { year: 2026, month: 1, day: 31 })
}

/// Time grows with the product of two sizes, and not faster: seconds, without optimisation.
#[test]
fn a_thousand_fields_of_a_thousand_queries() {
    let fields: Vec<String> = (0..1000).map(|i| format!("\"f{i}: u16\"")).collect();
    let queries = (0..1000).map(|i| format!("[[table.t.query]]\nname = \"q{i}\"\nfix = [\"f{i}\"]\n"));
    let text = format!("format = 1\n[table.t]\nkey = [{}]\n", fields.join(", "));
    let design = parse(text + &queries.collect::<String>());
    let report = design.check(&options());
    assert!(report.count(rowkey_design::Severity::Error) >= 999);
}

#[test]
fn a_search_over_hundreds_of_fields_and_queries_ends() {
    let fields: Vec<String> = (0..300).map(|i| format!("\"f{i}: u16\"")).collect();
    let queries =
        (0..300).map(|i| format!("[[table.t.query]]\nname = \"q{i}\"\nfix = [\"f{i}\"]\nrate = \"{}/s\"\n", i + 1));
    let text = format!("format = 1\n[table.t]\nkey = [{}]\n", fields.join(", "));
    let found = parse(text + &queries.collect::<String>()).suggest("t", &options()).unwrap();
    // What is tried is bounded; the field of the greatest rate is tried first.
    assert!(found.tried < 100, "{}", found.tried);
    let best = &found.candidates[0].table;
    let starts = std::iter::once(&best.layout).chain(&best.secondary).map(|layout| layout.fields()[0].name.as_str());
    assert!(starts.into_iter().any(|name| name == "f299"));
    assert!(best.secondary.len() <= 16);
}

/// Queries of many values have many ranges under each key that is tried: of fewer keys.
#[test]
fn a_search_for_queries_of_thousands_of_values_ends() {
    let tried = |values: usize| {
        let fields: Vec<String> = (0..5).map(|i| format!("\"f{i}: u64\"")).collect();
        let query = |i: usize| {
            let (fixed, other) = (i % 5, (i + 1 + i / 5) % 5);
            format!("[[table.t.query]]\nname = \"q{i}\"\nfix = [\"f{fixed}\"]\namong.f{other} = {values}\n")
        };
        let text = format!("format = 1\n[table.t]\nkey = [{}]\n", fields.join(", "));
        parse(text + &(0..10).map(query).collect::<String>()).suggest("t", &options()).unwrap().tried
    };
    assert!(tried(3) > 100 && 10 * 4096 * tried(1_000_000) < 10_000_000, "{} {}", tried(3), tried(1_000_000));
}

#[test]
fn a_thousand_families_of_a_thousand_queries() {
    let families = (0..1000).map(|i| {
        let query = format!("[[table.t.query]]\nname = \"q{i}\"\nfix = [\"a\"]\ncolumns = [\"c{i}\"]\n");
        format!("[table.t.family.c{i}]\ncolumns = [\"x{i}\"]\nbloom = \"row\"\n{query}")
    });
    let text = "format = 1\n[table.t]\nkey = [\"a: u16\"]\n".to_owned() + &families.collect::<String>();
    assert_eq!(parse(text).check(&options()).queries, 1000);
}

/// Each takes all writes at one place.
#[test]
fn a_thousand_hot_tables() {
    let table = |i: usize| {
        let write = format!("[[table.t{i}.write]]\nname = \"w\"\nrate = \"50k/s\"\norder = \"time\"\n");
        format!("[table.t{i}]\nkey = [\"at: i64\", \"a: u16\"]\nmeans.at = \"seconds\"\n{write}")
    };
    let text = "format = 1\n[cluster.c]\nengine = \"hbase\"\nservers = 9\n".to_owned();
    let report = parse(text + &(0..1000).map(table).collect::<String>()).check(&options());
    let hot = report.findings.iter().filter(|finding| finding.rule.id == "H01");
    assert_eq!(hot.count(), 1000);
}
