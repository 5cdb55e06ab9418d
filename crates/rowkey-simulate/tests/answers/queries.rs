//! Queries of a run: what they are told to read, and the rules that say why they saturate a server.

use rowkey_simulate::answer::facts;
use rowkey_simulate::run::{Answer, Line};
use rowkey_simulate::simulation::Options;

use super::{answers, design, is_valid, options};

fn of(text: &str) -> Answer {
    answers(text, &options()).remove(0)
}

fn query(found: &Answer, name: &str) -> String {
    let name = format!("query {name:?}");
    facts(found).into_iter().find(|(fact, _)| *fact == name).unwrap().1
}

/// A queue, the jobs of which are deleted where they are read.
fn queue(delete: &str) -> String {
    let write = "[[table.t.write]]\nname = \"done\"\nkind = \"delete\"\nrate = \"500/s\"\norder = \"time\"\n";
    let query = "[[table.t.query]]\nname = \"next\"\norder = \"oldest\"\nlimit = 10\nrate = \"50/s\"\n";
    let more = "means = { at = \"milliseconds\" }\nrows = 10000";
    design("\"at: i64\", \"n: u32\"", more, 4, "500/s") + if delete.is_empty() { "" } else { write } + query
}

#[test]
fn a_queue_is_said_to_pass_over_what_is_deleted() {
    let (queue, table) = (of(&queue("500/s")), of(&queue("")));
    assert!(queue.rows_read > 100_000.0 && queue.rules.contains(&"H17".to_owned()), "{queue:?}");
    let told = query(&queue, "next");
    assert!(told.contains("; beside deleted rows, which it passes over (H17): all queries read "), "{told}");
    assert!(!query(&table, "next").contains("deleted"), "{}", query(&table, "next"));
    assert!(queue.queries[0].passes_deleted && !table.queries[0].passes_deleted);
    assert!(is_valid(&Line::Answer(Box::new(queue))));
}

#[test]
fn a_query_of_one_region_asks_one_server() {
    assert!(query(&of(&queue("500/s")), "next").contains(", 1 seek, 1 server; "));
    let text = design("\"user: u64\"", "means = { user = \"random\" }", 8, "12k/s");
    let large = of(&(text + "[[table.t.query]]\nname = \"all\"\n"));
    assert!(large.regions.count > 1 && query(&large, "all").contains("servers unknown"), "{large:?}");
}

/// Full scans are on all regions: no place is hot, and the rule is that of the scan.
#[test]
fn scans_that_saturate_are_said_to_be_full() {
    let text = "format = 1\n[cluster.c]\nengine = \"hbase\"\nservers = 4\nregion.reads = \"10k/s\"\n[table.t]\n\
                key = [\"host: u64\", \"at: instant\"]\nmeans.host = \"random\"\nrows = \"1M\"\n\
                stats.host = { distinct = 1000 }\nsplits = { uniform = 4 }\n";
    let scan = |rate: &str| format!("{text}[[table.t.query]]\nname = \"scan\"\nfix = [\"at\"]\nrate = \"{rate}\"\n");
    let hot = of(&scan("5/s"));
    assert!(hot.saturates.as_ref().is_some_and(|saturation| saturation.reads), "{}", hot.sentence);
    assert!(hot.sentence.contains("Q01: ") && !hot.sentence.contains("No rule"), "{}", hot.sentence);
    // A rule of what one run costs warns of no load; and it is no reason where other queries read more.
    let calm = of(&scan("1/day"));
    assert!(calm.saturates.is_none() && !calm.rules.contains(&"Q01".to_owned()), "{:?}", calm.rules);
    let get = "[[table.t.query]]\nname = \"get\"\nfix = [\"host\", \"at\"]\nrate = \"200k/s\"\n";
    let other = of(&(scan("1/h") + get));
    assert!(other.saturates.is_some() && !other.sentence.contains("Q01: "), "{}", other.sentence);
}

/// A run of few events reads some of the ranges and stands for all: each range is read as often as the others.
#[test]
fn ranges_that_runs_read_in_turn_are_read_alike() {
    let query =
        "[[table.t.query]]\nname = \"last minute\"\nrange = { at = \"1 min\" }\nrecent = \"1 min\"\nrate = \"3/min\"\n";
    let text = design(
        "\"at: i64\", \"id: u64\"",
        "means = { at = \"milliseconds\", id = \"random\" }\nkeep = \"forever\"\nsplits = \"buckets\"\n\
         salt = { buckets = 12 }",
        6,
        "12k/s",
    );
    for most in [20_000, 30_000, 50_000, 70_000, 100_000] {
        let options = Options { most, ..Options::default() };
        let found = super::answers_once(&(text.clone() + query), &options).remove(0);
        let [server, region] = [found.busiest_reader, found.hottest_reader].map(|share| share.unwrap().of_run);
        assert!((server * 6.0 - 1.0).abs() < 0.1 && (region * 12.0 - 1.0).abs() < 0.2, "{most}: {server}, {region}");
    }
}
