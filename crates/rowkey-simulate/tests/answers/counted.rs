//! A watched table is judged as it was counted: by its cluster, its regions and its load, where the design says none.

use rowkey_simulate::answer::{text, watched};

use super::*;

/// A design, with the text of its cluster and of its load.
fn text_of(key: &str, servers: u32, load: &str) -> String {
    format!(
        "format = 1\n[cluster.c]\nengine = \"hbase\"\nservers = {servers}\nregion = {{ writes = \"1k/s\", reads = \"1k/s\" }}\n\
         [table.t]\nkey = [{key}]\n{load}"
    )
}

const WRITE: &str = "[[table.t.write]]\nname = \"w\"\nrate = \"4k/s\"\n";

/// The answer of a design about a run that another one simulated, as if it were watched.
fn watched_by(design: &str, simulated: &str, change: impl FnOnce(&mut Run)) -> Answer {
    judged_by(Some(&CheckOptions::new(Date { year: 2026, month: 1, day: 31 })), design, simulated, change)
}

/// The same, by the rules of a check, if there is one.
fn judged_by(judge: Option<&CheckOptions>, design: &str, simulated: &str, change: impl FnOnce(&mut Run)) -> Answer {
    let parse = |text: &str| Design::parse([File { name: "t.rowkey.toml".to_owned(), text: text.to_owned() }]).unwrap();
    let check = CheckOptions::new(Date { year: 2026, month: 1, day: 31 });
    let (loaded, design) = (parse(simulated), parse(design));
    let mut run = Declared::of(&loaded, "t", None, &check).unwrap().simulate(&options(), |_| {}).unwrap();
    run.assumed.clear();
    change(&mut run);
    let mut declared = Declared::of(&design, "t", None, &check).unwrap();
    let costs = design.query_costs(&check).next().map(|(_, costs)| costs).unwrap_or_default();
    watched(&mut declared, &mut run, &design, judge, &costs)
}

const TIME: &str = "\"at: instant\", \"seq: u32\"";
const HASH: &str = "\"id: bytes[16]\"";

#[test]
fn a_design_without_a_write_has_the_rule_of_what_was_counted() {
    let loaded = text_of(TIME, 3, WRITE);
    let [with, without] = [&loaded, &text_of(TIME, 3, "")].map(|text| watched_by(text, &loaded, |_| {}));
    assert!(with.sentence.contains("H01: ") && without.sentence.contains("H01: "), "{}", without.sentence);
    let said = |answer: &Answer| answer.assumed.iter().any(|assumed| assumed.contains("say `[[table.t.write]]`"));
    assert_eq!([said(&with), said(&without)], [false, true], "{:?}", without.assumed);
}

#[test]
fn reads_without_a_query_are_judged_by_what_servers_take() {
    let query = "[[table.t.query]]\nname = \"q\"\nfix = [\"id\"]\nrate = \"40k/s\"\n";
    let stored = format!("rows = \"1M\"\n{query}");
    let without = watched_by(&text_of(HASH, 3, ""), &text_of(HASH, 3, &stored), |_| {});
    assert!(without.sentence.contains("H24: "), "{}", without.sentence);
    assert!(without.assumed.iter().any(|assumed| assumed.contains("say `[[table.t.query]]`")), "{:?}", without.assumed);
}

#[test]
fn the_servers_are_those_of_the_cluster() {
    let loaded = text_of(HASH, 1, &format!("splits = {{ uniform = 16 }}\n{WRITE}"));
    let of = |servers| watched_by(&text_of(HASH, servers, WRITE), &loaded, |_| {});
    let (one, eight) = (of(1), of(8));
    assert!(one.sentence.contains("H24: "), "{}", one.sentence);
    assert_eq!(one.sentence, eight.sentence);
    let due = "the cluster has 1 server, and the design says 8 servers: judged is by those of the cluster";
    assert!(eight.assumed.iter().any(|assumed| assumed == due), "{:?}", eight.assumed);
    assert!(one.assumed.iter().all(|assumed| !assumed.contains("the design says 1")), "{:?}", one.assumed);
}

#[test]
fn a_table_with_regions_is_not_told_that_it_has_one() {
    let loaded = text_of(HASH, 1, &format!("splits = {{ uniform = 16 }}\n{WRITE}"));
    let found = watched_by(&text_of(HASH, 1, WRITE), &loaded, |_| {});
    assert!(!found.rules.contains(&"H10".to_owned()) && !found.sentence.contains("H10"), "{}", found.sentence);
    // Even regions are no cause, and the server is told first.
    assert!(found.sentence.starts_with("Server 0 saturates"), "{}", found.sentence);
}

#[test]
fn parts_of_bytes_are_told_where_the_design_says_sizes() {
    let loaded = text_of(HASH, 1, WRITE);
    let bare = watched_by(&loaded, &loaded, |_| {});
    assert!(bare.keys.is_none() && bare.keys_written.is_none() && !text(&bare).contains("bytes that are row keys"));
    let sizes = format!("{WRITE}[table.t.family.f]\nsizes = {{ v = \"50 B\" }}\n");
    let said = watched_by(&text_of(HASH, 1, &sizes), &loaded, |_| {});
    assert!(said.keys.is_some() && said.keys_written.is_some() && text(&said).contains("bytes that are row keys"));
}

#[test]
fn what_was_not_judged_is_said_where_no_rule_knows_why() {
    let key = "\"number: dec[3 '|']\", \"at: dec[13]\"";
    let splits = "means = { at = \"milliseconds\" }\nsplits = { keys = [\"323530\", \"353030\", \"373530\"] }\n";
    let load = format!("{splits}{}", WRITE.replace("4k/s", "2k/s"));
    let hot = format!("stats.number = {{ distinct = 1000, skew = \"one value 0.8\" }}\n{load}");
    let found = watched_by(&text_of(key, 3, &load), &text_of(key, 3, &hot), |_| {});
    assert!(!found.unjudged.is_empty() && found.saturates.is_some(), "{}", found.sentence);
    assert!(found.sentence.contains("No rule of `check` knows why"), "{}", found.sentence);
    assert!(found.sentence.contains("Not judged: ") && found.sentence.contains("stats.number"), "{}", found.sentence);
}

/// Where no rule is judged, none is said not to know why.
#[test]
fn rules_that_are_not_judged_are_not_told() {
    let loaded = text_of(TIME, 3, WRITE);
    let found = judged_by(None, &loaded, &loaded, |_| {});
    assert!(found.saturates.is_some() && found.rules.is_empty(), "{}", found.sentence);
    assert!(found.sentence.contains(". Look at the hottest region"), "{}", found.sentence);
    assert!(!found.sentence.contains("rule") && !found.sentence.contains("check"), "{}", found.sentence);
}
