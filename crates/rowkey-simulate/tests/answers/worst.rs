//! The sentence tells the worst: what lasts before what passes, warnings before notes, and what is not judged.

use rowkey_design::Report;
use rowkey_simulate::answer::{NOTHING, Together};
use rowkey_simulate::run::{Answer, Line};

use super::{answers, design, is_valid, options};

const USERS: &str = "\"user: u64\", \"at: instant\"";

/// Users who are written evenly, at first into one region, and a query of which one user has a part of the runs.
fn hot_reads(writes: &str, part: f64, more: &str) -> String {
    let stats = format!("means = {{ user = \"random\" }}\n{more}");
    let query = format!(
        "[[table.t.query]]\nname = \"page\"\nfix = [\"user\"]\norder = \"newest\"\nlimit = 10\nrate = \"20k/s\"\nskew.user = \"one value {part}\"\n"
    );
    let text = design(USERS, &stats, 8, writes) + &query;
    text.replace("region.writes", "region.reads = \"5k/s\"\nregion.writes")
}

fn of(text: &str) -> Answer {
    let found = answers(text, &super::Options { most: 100_000, ..options() }).remove(0);
    assert!(is_valid(&Line::Answer(Box::new(found.clone()))));
    found
}

#[test]
fn what_lasts_is_told_and_not_what_passes() {
    let found = of(&hot_reads("20k/s", 0.6, ""));
    let (worst, other) = (found.saturates.unwrap(), found.saturates_too.unwrap());
    assert!(worst.reads && !worst.passes && worst.part > 0.9, "{worst:?}");
    assert!(!other.reads && other.passes && other.part < 0.2, "{other:?}");
    assert!(
        found.sentence.contains("(100 rows of a scan are one), and takes 5k; the table takes"),
        "{}",
        found.sentence
    );
    assert!(!found.sentence.contains("writes a second") && !found.sentence.contains("until the table is split"));
    assert!(found.sentence.contains(" H26: \"page\""), "{}", found.sentence);
}

#[test]
fn a_warning_is_told_where_a_note_is_of_what_saturates() {
    // Even split points of uneven values are a note; the reads of one user are warned of.
    let key = "stats.user = { distinct = 1000, skew = \"one value 0.02\" }\nsplits = { uniform = 200 }";
    for (writes, reads) in [("1k/s", "5k/s"), ("30k/s", "5k/s"), ("30k/s", "50k/s")] {
        let text = hot_reads(writes, 0.6, key);
        let found = of(&text.replace("region.reads = \"5k/s\"", &format!("region.reads = \"{reads}\"")));
        let is_warned = reads == "5k/s";
        assert_eq!(found.rules.first().is_some_and(|rule| rule == "H26"), is_warned, "{:?}", found.rules);
        assert_eq!(found.sentence.contains("H26: "), is_warned, "{}", found.sentence);
        if let (Some(note), Some(warning)) = (found.sentence.find("H21: "), found.sentence.find("H26: ")) {
            assert!(warning < note, "{}", found.sentence);
        }
    }
}

#[test]
fn both_are_told_where_both_last() {
    let key = "\"at: instant\", \"host: text\"";
    let query = "[[table.t.query]]\nname = \"last\"\nfix = [\"at\"]\nrecent = \"1 min\"\nrate = \"9k/s\"\n";
    let text = design(key, "stats.host = { distinct = 1000 }", 8, "30k/s") + query;
    let found = of(&text.replace("region.writes", "region.reads = \"1k/s\"\nregion.writes"));
    let both = [found.saturates.as_ref().unwrap(), found.saturates_too.as_ref().unwrap()];
    assert!(both.iter().all(|saturation| !saturation.passes) && both[0].reads != both[1].reads, "{both:?}");
    for told in ["writes a second, and takes 10k", "and takes 1k; ", " Besides: Server ", "H01: ", "H26: "] {
        assert!(found.sentence.contains(told), "{told}: {}", found.sentence);
    }
}

#[test]
fn what_check_does_not_judge_is_said() {
    let text = hot_reads("1k/s", 0.6, "splits = { uniform = 16 }").replace("region.reads = \"5k/s\"\n", "");
    let found = of(&text);
    assert!(found.saturates.is_none() && found.unjudged.len() == 1, "{found:?}");
    assert!(found.sentence.starts_with(NOTHING), "{}", found.sentence);
    let told = format!(". Not judged: {}.", found.unjudged[0]);
    assert!(found.unjudged[0].contains("say `region.reads`") && found.sentence.ends_with(&told), "{}", found.sentence);
    // Another table's questions are its own.
    let other = text.split("[table.t]").nth(1).unwrap().split("[[table.t.query]]").next().unwrap();
    let both = format!("{text}[table.u]{}", other.replace("table.t", "table.u"));
    let all = answers(&both, &options());
    assert_eq!(all.iter().map(|answer| answer.unjudged.len()).collect::<Vec<_>>(), [1, 0]);
    assert!(all[1].sentence.starts_with("Nothing to say: "), "{}", all[1].sentence);
}

#[test]
fn all_tables_are_told_by_writes_and_reads() {
    let told = |writes, reads| {
        let found = Together { writes, reads, servers: 4.0, chance: 0.01 }.answer(&Report::default());
        assert!(is_valid(&Line::AllTables(found.clone())));
        (found.saturates, found.sentence)
    };
    for (writes, reads, what, servers) in [
        (1.35, 0.2, "135 % of the writes", 6),
        (0.35, 1.2, "120 % of the reads", 5),
        (1.1, 1.6, "110 % of the writes and 160 % of the reads", 7),
    ] {
        let due = format!(
            "All tables together saturate the servers: they ask for up to {what} that the servers take. H24: {servers} \
             servers take them, if the keys spread them evenly; or a cluster for some of the tables."
        );
        assert_eq!(told(writes, reads), (true, due));
    }
    let calm = "All tables together ask for up to 35 % of the writes that the servers take.".to_owned();
    assert_eq!(told(0.35, 0.0), (false, calm));
}

/// A cause that lasts is told before one that passes, and the servers that are needed with what more do not help.
#[test]
fn servers_that_are_too_few_are_told_with_what_else_lasts() {
    let unsplit = design("\"id: u64\"", "means.id = \"random\"", 4, "100k/s");
    let found = of(&unsplit);
    assert!(found.rules.contains(&"H10".to_owned()), "{:?}", found.rules);
    let at = |told: &str| found.sentence.find(told).unwrap_or_else(|| panic!("{told}: {}", found.sentence));
    assert!(at("H24: ") < at("10 servers take them") && at("10 servers take them") < at("Besides, H10: "));
    // Eight regions of more than one server takes each.
    let reads = "[[table.t.query]]\nname = \"q\"\nfix = [\"id\"]\nrate = \"100k/s\"\n";
    let split = "means.id = \"random\"\nrows = \"1M\"\nsplits = { uniform = 8 }";
    let text = design("\"id: u64\"", split, 4, "1/s") + reads;
    let found = of(&text.replace("region.writes", "region.reads = \"5k/s\"\nregion.writes"));
    for told in ["with these servers. ", " H24: ", "20 servers take them", "Besides, H26: \"t\" has 8 regions"] {
        assert!(found.sentence.contains(told), "{told}: {}", found.sentence);
    }
}
