//! Queues: rows that are deleted as fast as they are put.

use rowkey_design::{CheckOptions, Date};

use super::{of_rules, parse, printed};

/// Rows that are deleted as fast as they are put do not add up.
#[test]
fn rows_of_a_queue_do_not_grow() {
    let notes = |deletes: &str| {
        let text = format!(
            "format = 1\n[table.j]\nkey = [\"due: instant\", \"job: u64\"]\nrows = \"5M\"\n[[table.j.write]]\n\
             name = \"enqueue\"\nrate = \"6k/s\"\n[[table.j.write]]\nname = \"done\"\nkind = \"delete\"\n{deletes}\n"
        );
        parse(&text).check(&CheckOptions::new(Date { year: 2026, month: 1, day: 31 })).notes.len()
    };
    assert_eq!((notes("rate = \"6k/s\""), notes("rate = \"5k/s\"")), (0, 0));
    // Nothing says how many, and so few leave most.
    assert_eq!((notes(""), notes("rate = \"100/s\"")), (0, 1));
}

/// A queue's jobs are not old rows: a TTL would lose those that are not done. DynamoDB has no markers of deleted rows.
#[test]
fn deletes_of_a_queue_are_one_finding() {
    let queue = |engine: &str, deletes: &str, limit: &str| {
        format!(
            "format = 1\n[cluster.c]\nengine = \"{engine}\"\n[table.q]\n\
             key = [\"queue: u32\", \"due: instant\", \"id: u64\"]\nstats.queue.distinct = 100\n\
             family.f.sizes.v = \"100 B\"\n[[table.q.write]]\nname = \"put\"\nrate = \"1k/s\"\norder = \"time\"\n\
             [[table.q.write]]\nname = \"done\"\nkind = \"delete\"\nrate = \"{deletes}\"\norder = \"time\"\n\
             [[table.q.query]]\nname = \"next\"\nfix = [\"queue\"]\norder = \"oldest\"\n{limit}\n"
        )
    };
    let rules = |engine: &str, deletes: &str, limit: &str| -> Vec<&str> {
        of_rules(&queue(engine, deletes, limit), &["F12", "H17"]).iter().map(|finding| finding.rule.id).collect()
    };
    for engine in ["cassandra", "hbase", "bigtable"] {
        assert_eq!(rules(engine, "1k/s", "limit = 10"), ["H17"], "{engine}");
        assert_eq!(rules(engine, "1k/s", ""), [""; 0], "{engine}");
        assert_eq!(rules(engine, "1/s", ""), ["F12"], "{engine}");
    }
    assert_eq!(rules("dynamodb", "1k/s", "limit = 10"), [""; 0]);
    let uncounted = "not counted for q: next: the deleted rows that it passes over, 1k/s of them (H17)";
    for (engine, limit, is_told) in
        [("hbase", "limit = 10", true), ("hbase", "", false), ("dynamodb", "limit = 10", false)]
    {
        assert_eq!(printed(&queue(engine, "1k/s", limit)).contains(uncounted), is_told, "{engine}, {limit}");
    }
    let found = of_rules(&queue("dynamodb", "1/s", ""), &["F12", "H17"]);
    assert_eq!(found.iter().map(|finding| finding.rule.id).collect::<Vec<_>>(), ["F12"]);
    assert!(!printed(&queue("dynamodb", "1/s", "")).contains("marker"));
    assert!(!printed(&queue("dynamodb", "1/s", "")).contains("compact"));
}

/// The cure of a queue's scan can be said in the file, by the words of the finding.
#[test]
fn a_queue_that_starts_where_it_stopped_is_no_finding() {
    let queue = |more: &str| {
        format!(
            "format = 1\n[cluster.c]\nengine = \"hbase\"\n[table.q]\nkey = [\"queue: u32\", \"due: instant\", \"id: u64\"]\n\
             [[table.q.write]]\nname = \"done\"\nkind = \"delete\"\nrate = \"1k/s\"\n\
             [[table.q.query]]\nname = \"next\"\nfix = [\"queue\"]\norder = \"oldest\"\nlimit = 10\n{more}"
        )
    };
    let [finding] = &of_rules(&queue(""), &["H17"])[..] else { panic!() };
    let cure = &finding.remedy.as_ref().unwrap().text;
    let (_, key) = cure.split_once('`').unwrap();
    let (key, _) = key.split_once('`').unwrap();
    assert_eq!(key, "range.due");
    assert_eq!(of_rules(&queue(&format!("{key} = \"5 min\"\n")), &["H17"]), []);
}
