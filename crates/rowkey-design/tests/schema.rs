//! The JSON Schema of design files: it takes what the reader takes, and refuses what the reader refuses.

use std::fs;
use std::path::Path;

use proptest::prelude::*;
use rowkey_design::internal::design;
use rowkey_design::{CheckOptions, Date, Design, File, Severity};
use serde_json::{Value, json};

fn validator() -> jsonschema::Validator {
    jsonschema::validator_for(&design::json_schema()).unwrap()
}

/// TOML as JSON: a day as text.
fn to_json(text: &str) -> Value {
    fn value(item: &toml_edit::Value) -> Value {
        match item {
            toml_edit::Value::String(text) => text.value().as_str().into(),
            toml_edit::Value::Integer(number) => (*number.value()).into(),
            toml_edit::Value::Float(number) => json!(number.value()),
            toml_edit::Value::Boolean(truth) => (*truth.value()).into(),
            toml_edit::Value::Datetime(day) => day.value().to_string().into(),
            toml_edit::Value::Array(items) => items.iter().map(value).collect(),
            toml_edit::Value::InlineTable(keys) => {
                keys.iter().map(|(key, item)| (key.to_owned(), value(item))).collect::<serde_json::Map<_, _>>().into()
            }
        }
    }
    fn item(item: &toml_edit::Item) -> Value {
        match item {
            toml_edit::Item::None => Value::Null,
            toml_edit::Item::Value(it) => value(it),
            toml_edit::Item::Table(keys) => table(keys),
            toml_edit::Item::ArrayOfTables(tables) => tables.iter().map(table).collect(),
        }
    }
    fn table(table: &toml_edit::Table) -> Value {
        table.iter().map(|(key, it)| (key.to_owned(), item(it))).collect::<serde_json::Map<_, _>>().into()
    }
    table(text.parse::<toml_edit::DocumentMut>().unwrap().as_table())
}

fn reads(text: &str) -> bool {
    Design::parse([File { name: "a".to_owned(), text: text.to_owned() }]).is_ok()
}

#[test]
fn every_design_of_the_repository_is_valid() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let validator = validator();
    let mut read = 0;
    for folder in ["tests/designs", "../../studies/designs", "../../docs/simulation"] {
        for entry in fs::read_dir(root.join(folder)).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_some_and(|extension| extension == "toml") {
                let json = to_json(&fs::read_to_string(&path).unwrap());
                let faults: Vec<String> = validator.iter_errors(&json).map(|fault| fault.to_string()).collect();
                assert_eq!(faults, [""; 0], "{}", path.display());
                read += 1;
            }
        }
    }
    assert!(read > 10);
}

#[test]
fn both_refuse_a_mistake() {
    let validator = validator();
    let table = |more: &str| format!("format = 1\n[table.t]\nkey = [\"a: u64\"]\n{more}");
    assert!(reads(&table("")) && validator.is_valid(&to_json(&table(""))));
    for mistake in [
        "colour = 3",
        "keep = \"always\"",
        "salt = { buckets = \"4\" }",
        "salt = { by = [\"a\"] }",
        "means.a = \"miles\"",
        "family.f.ttl = 5",
        "family.f.ttl = \"5 fortnights\"",
        "family.f.compression = \"zip\"",
        "family.f.versions = -1",
        "splits = \"bucket\"",
        "[[table.t.write]]\nrate = \"5/s\"",
        "[[table.t.write]]\nname = \"w\"\nrate = \"5\"",
        "[[table.t.write]]\nname = \"w\"\norder = \"timely\"",
        "[[table.t.query]]\nname = \"q\"\nfix = \"a\"",
        "[[table.t.query]]\nname = \"q\"\nlimit = \"2X\"",
        "[[table.t.allow]]\nrule = \"Q01\"",
        "stats.a = { skew = \"normal\" }",
        "stats.a = { skew = \"zipf 1.2.3\" }",
        "stats.a = { skew = \"zipf 11\" }",
        "stats.a = { skew = \"zipf 1e0\" }",
        "stats.a = { skew = \"one value 1.1\" }",
        "stats.a = { skew = \"one value .5\" }",
        "stats.a = { skew = \"one value 30 %\" }",
        "family.f.versions = 0",
        "family.f.versions = 1.5",
        "family.f.versions = 4294967296",
        "family.f.ttl = \"0 s\"",
        "family.f.ttl = \"0.0000001 ms\"",
        "family.f.ttl = \"100000 years\"",
        "family.f.ttl = \"-1 s\"",
        "family.f.block = \"0 B\"",
        "family.f.block = \"0.5 B\"",
        "family.f.sizes.v = \"0.0001 kB\"",
        "family.f.sizes.v = \"1000000000000000000000 B\"",
        "family.f.sizes.v = -1",
        "family.f.columns = { name = \"n: u8\", per_row = 0 }",
        "family.f.columns = { name = \"n: u8\", max = 1.5 }",
        "salt = { buckets = 0 }",
        "salt = { buckets = 65537 }",
        "hashed = { bytes = 17 }",
        "hashed = { bytes = 0 }",
        "splits = { uniform = 0 }",
        "splits = { sample = \"s\", regions = 0 }",
        "rows = -1",
        "rows = 0",
        "rows = 1.5",
        "rows = \"1.5\"",
        "rows = \"0.0M\"",
        "rows = \"1.0001k\"",
        "rows = 1e300",
        "rows = \"1__0\"",
        "stats.a = { distinct = 0 }",
        "stats.a = { distinct = 0.5 }",
        "[[table.t.write]]\nname = \"w\"\nrate = \"0/s\"",
        "[[table.t.write]]\nname = \"w\"\npeak = \"-5/s\"",
        "[[table.t.query]]\nname = \"q\"\nlimit = 0",
        "[[table.t.query]]\nname = \"q\"\nlimit = 1.5",
        "[[table.t.query]]\nname = \"q\"\noffset = -1",
        "[[table.t.query]]\nname = \"q\"\nonline = \"0 ms\"",
        "[[table.t.query]]\nname = \"q\"\nrange = { a = \"0 s\" }",
        "[[table.t.query]]\nname = \"q\"\nrange = { a = 0 }",
        "[[table.t.query]]\nname = \"q\"\namong = { a = 1.5 }",
        "[[table.t.query]]\nname = \"q\"\nstarts_with = { a = 0 }",
        "[[table.t.query]]\nname = \"q\"\nhit_rate = 1.5",
        "[[table.t.query]]\nname = \"q\"\nhit_rate = -0.1",
        "[[table.t.query]]\nname = \"q\"\nbudget = { ranges = 0 }",
        "[[table.t.query]]\nname = \"q\"\nbudget = { read_per_returned = 0.5 }",
        "[cluster.c]\nengine = \"hbase\"\nservers = 0",
        "[cluster.c]\nengine = \"hbase\"\nheap = \"0 B\"",
        "[cluster.c]\nengine = \"hbase\"\nregion.writes = \"0/s\"",
    ] {
        let text = table(mistake);
        assert!(!reads(&text), "the reader takes {mistake}");
        assert!(!validator.is_valid(&to_json(&text)), "the schema takes {mistake}");
    }
}

/// Values that JSON cannot hold are refused by the reader alone.
#[test]
fn no_number_is_infinite_or_none() {
    for number in ["nan", "inf", "-inf", "1e400"] {
        for key in ["rows", "family.f.versions", "salt.buckets", "stats.a.distinct"] {
            assert!(
                !reads(&format!("format = 1\n[table.t]\nkey = [\"a: u64\"]\n{key} = {number}\n")),
                "{key} {number}"
            );
        }
    }
}

#[test]
fn both_take_the_least_and_the_most() {
    let validator = validator();
    for good in [
        "family.f.versions = 1\nfamily.f.min_versions = 0",
        "family.f.versions = 4.0",
        "family.f.ttl = \"0.000001 ms\"",
        "family.f.ttl = \"9999.999999 years\"",
        "family.f.sizes.v = \"0 B\"",
        "family.f.block = \"0.001 kB\"",
        "family.f.columns = { name = \"n: u8\", per_row = 0.5 }",
        "salt = { buckets = 65536 }",
        "rows = \"999_999_999_999T\"",
        "rows = 1e24",
        "rows = \"1.5k\"",
        "stats.a = { skew = \"zipf 10.0\" }",
        "stats.a = { skew = \"one value\" }",
        "stats.a = { skew = \"one value 0.30\" }",
        "stats.a = { skew = \"one value 1.0\" }",
        "[[table.t.query]]\nname = \"q\"\noffset = 0\nhit_rate = 1",
        "[[table.t.write]]\nname = \"w\"\nrate = \"0.001/day\"",
    ] {
        let text = format!("format = 1\n[table.t]\nkey = [\"a: u64\"]\n{good}");
        assert!(reads(&text), "the reader refuses {good}");
        assert!(validator.is_valid(&to_json(&text)), "the schema refuses {good}");
    }
}

#[test]
fn every_key_is_described() {
    fn described(schema: &Value, path: &str, undescribed: &mut Vec<String>) {
        if !schema.is_object() {
            return;
        }
        for (key, property) in schema["properties"].as_object().into_iter().flatten() {
            let path = format!("{path}.{key}");
            if property["description"].as_str().is_none_or(str::is_empty) {
                undescribed.push(path.clone());
            }
            described(property, &path, undescribed);
        }
        for part in ["items", "additionalProperties"] {
            described(&schema[part], path, undescribed);
        }
        for choice in schema["anyOf"].as_array().into_iter().flatten() {
            described(choice, path, undescribed);
        }
    }
    let mut undescribed = Vec::new();
    described(&design::json_schema(), "", &mut undescribed);
    assert_eq!(undescribed, [""; 0]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    /// Rates, sizes, times and counts: the reader and the schema agree on any text.
    #[test]
    fn units_are_the_same_for_both(
        text in r"[0-9._]{1,4} {0,2}(B|kB|KiB|PB|PiB|b|ms|s|secs?|minutes?|mins|hours?|h|hs|days|d|years?|k|M|T|k/s|/day|M / h|/hour)?"
    ) {
        let schema = design::json_schema();
        let tables = &schema["properties"]["table"]["additionalProperties"]["properties"];
        let family = &tables["family"]["additionalProperties"]["properties"];
        for (what, line, schema) in [
            ("a size", format!("family.f.block = {text:?}"), &family["block"]),
            ("a time", format!("family.f.ttl = {text:?}"), &family["ttl"]),
            ("a rate", format!("write = [{{ name = \"w\", rate = {text:?} }}]"), &tables["write"]["items"]["properties"]["rate"]),
            ("a count", format!("rows = {text:?}"), &tables["rows"]),
        ] {
            let design = format!("format = 1\n[table.t]\nkey = [\"a: u64\"]\n{line}\n");
            let valid = jsonschema::validator_for(schema).unwrap().is_valid(&Value::from(text.as_str()));
            prop_assert_eq!(reads(&design), valid, "{} {:?}", what, text);
        }
    }
}

/// 8.2 times a million is no whole number in binary: the decimals count.
#[test]
fn counts_with_decimals_are_whole() {
    for thousandths in (37..10_000).step_by(37) {
        for unit in ["k", "M", "G", "T"] {
            let text = format!("{}.{:03}{unit}", thousandths / 1000, thousandths % 1000);
            assert!(reads(&format!("format = 1\n[table.t]\nkey = [\"a: u64\"]\nrows = {text:?}\n")), "{text}");
        }
    }
}

/// `docs/design-file.md` has every key as it is. `ROWKEY_REWRITE=1` writes it anew.
#[test]
fn the_page_of_all_keys_is_printed_as_it_stands() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/design-file.md");
    let page = design::reference();
    if std::env::var_os("ROWKEY_REWRITE").is_some() {
        fs::write(&path, &page).unwrap();
    }
    assert_eq!(fs::read_to_string(path).unwrap(), page, "if this is meant, run it with ROWKEY_REWRITE=1");
}

/// The example of the page is a design, in which `check` finds no error.
#[test]
fn the_example_of_the_page_is_a_good_design() {
    let page = design::reference();
    let (_, rest) = page.split_once("```toml\n").unwrap();
    let (text, _) = rest.split_once("```").unwrap();
    let design = Design::parse([File { name: "a.rowkey.toml".to_owned(), text: text.to_owned() }]);
    let design = design.unwrap_or_else(|problems| panic!("{problems}"));
    let report = design.check(&CheckOptions::new(Date { year: 2026, month: 1, day: 31 }));
    let severe = report.findings.iter().filter(|finding| finding.severity >= Severity::Warning);
    assert_eq!(severe.map(|finding| &finding.message).collect::<Vec<_>>(), [""; 0]);
    assert!(report.problems.is_empty() && report.notes.is_empty());
}
