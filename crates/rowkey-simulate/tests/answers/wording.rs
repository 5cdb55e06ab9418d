//! The words of facts.

use rowkey_simulate::answer::{facts, paragraph, text, text_within};
use rowkey_simulate::run::Answer;

use unicode_width::UnicodeWidthStr as _;

use super::{answers, design, options};

fn fact(found: &Answer, name: &str) -> String {
    let facts = facts(found);
    let value = facts.iter().find(|(fact, _)| fact == name).map(|(_, value)| value.clone());
    value.unwrap_or_else(|| panic!("{name}: {facts:?}"))
}

#[test]
fn keys_of_what_is_stored_and_of_what_is_written_are_two() {
    // A row has a thousand cells, each with the key; a put is one of them, and a row of another write is one cell.
    let families = "[table.t.family.m]\ncolumns = { name = \"at: u32\", per_row = 1000, value = \"8 B\" }\n\
                    [table.t.family.w]\ncolumns = [\"blob\"]\nsizes = { blob = \"100 KB\" }\n";
    let text = design("\"host: u64\"", "stats.host = { distinct = 1000 }", 2, "1k/s") + families;
    let of = |columns: &str| {
        let text = text.replace("rate = \"1k/s\"", &format!("rate = \"1k/s\"\ncolumns = [\"{columns}\"]"));
        answers(&text, &options()).remove(0)
    };
    let (cell, blob) = (of("m"), of("w"));
    assert_eq!(cell.keys, blob.keys);
    // By hand: a cell is key, family, qualifier, 20 bytes of lengths, time and type, and value.
    let [small, large] = [8.0 + 1.0 + 2.0 + 8.0, 8.0 + 1.0 + 4.0 + 100_000.0];
    let fixed = (8.0 / cell.keys_written.unwrap() - small).round();
    assert!((8.0..=24.0).contains(&fixed), "{fixed}");
    let stored = 1001.0 * 8.0 / (1000.0 * (small + fixed) + large + fixed);
    assert!((cell.keys.unwrap() - stored).abs() < 1e-9, "{:?} {stored}", cell.keys);
    assert!((blob.keys_written.unwrap() - 8.0 / (large + fixed)).abs() < 1e-9, "{blob:?}");
    assert_ne!(fact(&cell, "stored bytes that are row keys"), fact(&cell, "written bytes that are row keys"));
}

#[test]
fn lines_are_as_wide_as_the_terminal_and_have_all_words() {
    let queries = "[[table.t.query]]\nname = \"the newest events of one host of a table with a long name\"\n\
                   fix = [\"host\"]\nrate = \"300/s\"\n";
    let key = "stats.host = { distinct = 1000, size = \"8 B\" }";
    let text_of = design("\"host: text\", \"at: instant\"", key, 2, "30k/s") + queries;
    let mut found = answers(&text_of, &options()).remove(0);
    found.assumed.push(format!("a word of {} characters: \u{4e16}\u{754c}", "x".repeat(200)));
    let words = |text: &str| text.chars().filter(|c| !c.is_whitespace()).collect::<String>();
    let whole = text(&found);
    for columns in [1, 7, 20, 40, 59, 60, 80, 125, 200] {
        let told = text_within(&found, columns);
        assert_eq!(words(&told), words(&whole), "{columns}");
        for line in told.lines().chain(paragraph(&found.sentence, columns).lines()).filter(|_| columns >= 20) {
            assert!(line.width() <= columns, "{columns}: {line}");
        }
    }
}

#[test]
fn a_query_says_what_it_reads() {
    let queries = "[[table.t.query]]\nname = \"one\"\nfix = [\"host\", \"at\"]\n\
                   [[table.t.query]]\nname = \"begins\"\nstarts_with = { host = 3 }\n";
    let key = "rows = \"1M\"\nstats.host = { distinct = 1000, size = \"8 B\" }";
    let found = answers(&(design("\"host: text\", \"at: instant\"", key, 2, "1k/s") + queries), &options()).remove(0);
    assert!(fact(&found, "query \"one\"").starts_with("reads no more rows than it returns, 1 seek"));
    let told = "reads a number of rows that a sample of keys would tell, 1 seek";
    assert!(fact(&found, "query \"begins\"").starts_with(told), "{}", fact(&found, "query \"begins\""));
    let mut some = found.clone();
    some.queries[0].read_per_returned = Some(12.34);
    assert!(fact(&some, "query \"one\"").starts_with("reads 12.3 rows for each that it returns, 1 seek"));
}

#[test]
fn servers_that_are_just_enough_are_not_one_times_as_many() {
    let found = answers(&design("\"host: u64\"", "", 2, "1k/s"), &options()).remove(0);
    let told = |used| fact(&Answer { used: Some(used), ..found.clone() }, "node-hours");
    for (used, words) in [
        (0.004, ", under 1 % of them at work"),
        (0.5, ", 50 % of them at work"),
        (1.0, ", 100 % of them at work"),
        (1.04, ", 100 % of them at work"),
        (1.06, ", and work for 1.1 times as many"),
        (2.0, ", and work for 2 times as many"),
    ] {
        assert!(told(used).ends_with(words), "{used}: {}", told(used));
    }
}
