//! Findings speak of what their engine has.

use rowkey_design::{CheckOptions, Date, diff};

use super::{of_rules, parse};

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

/// What is hashed is not split at a key, so no split point is right or wrong there.
#[test]
fn split_points_of_hashed_partitions_are_noted_alone() {
    for splits in ["{ uniform = 8 }", "{ hex = 16 }", "{ keys = [\"ff\"] }"] {
        let report = |engine: &str| {
            let text = format!(
                "format = 1\n[cluster.c]\nengine = \"{engine}\"\nservers = 1\n[table.t]\n\
                 key = [\"user: u32\", \"at: instant\"]\nsplits = {splits}\nrows = \"1M\"\n\
                 stats.user = {{ distinct = 20, skew = \"one value 0.6\" }}\n"
            );
            parse(&text).check(&CheckOptions::new(Date { year: 2026, month: 1, day: 31 }))
        };
        let is_noted =
            |engine: &str| report(engine).notes.iter().any(|note| note.message.contains("takes no split points"));
        let finds = |engine: &str| report(engine).findings.iter().any(|found| ["H09", "H21"].contains(&found.rule.id));
        for engine in ["dynamodb", "cassandra"] {
            assert!(is_noted(engine) && !finds(engine), "{engine} {splits}");
        }
        assert!(!is_noted("hbase") && finds("hbase"), "{splits}");
    }
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
