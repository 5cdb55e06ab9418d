//! Large designs: checked, and searched for better keys, within the time and memory of a test.

use rowkey_design::design::Date;
use rowkey_design::{CheckOptions, Design, File};

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
