//! Where writes land.

use super::{check, of_rules, parse, spoken};

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
