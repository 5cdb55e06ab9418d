//! The case studies' keys, searched for: from a naive key of the same fields `suggest` finds the key that the texts
//! recommend, and before a study's own key it puts another only where it says by which numbers.
//!
//! The texts: Big Data for Chimps, "HBase Data Modeling" (Chimps); Flurry on composite keys (Flurry); Evan Liu's HBase
//! case studies (cases); HBase: The Definitive Guide, chapter 9 (book). `docs/design-advice.md` has their advice line
//! by line.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use rowkey_design::internal::suggest::{Candidate, Suggestions, described};
use rowkey_design::{CheckOptions, Date, Design, File};
use toml_edit::{Array, DocumentMut, Value};

/// A table of a study, the key that a text recommends for it, and which text. Where the study's own key differs in a
/// field that no query depends on, the key here is the plainer one.
const RECOMMENDED: [(&str, &str, &str, &str); 27] = [
    // Book: a salt before the time, and Chimps: time reversed puts the newest first.
    ("access_log", "access_log", "salt(8), at desc, server, count", "book, Chimps"),
    // Cases: summaries by period; what a query fixes goes first.
    ("access_log", "periods", "kind, start", "cases, Flurry"),
    ("actions", "actions", "user, at desc, event", "book"),
    ("autocomplete", "names", "name, id", "Chimps"),
    // Chimps: a byte for the type, then the id.
    ("boundaries", "regions", "kind, id", "Chimps"),
    ("cities", "places", "at, id", "Chimps"),
    // Socorro: sixteen buckets, newest first, merged.
    ("crash_reports", "reports", "salt(16), at desc, id", "book"),
    // The four designs: salted where the window of time is asked, the field before the time where a visitor is.
    ("four_designs", "sequential", "salt(8), at, visitor, line", "book"),
    ("four_designs", "salted", "salt(8), at, visitor, line", "book"),
    ("four_designs", "promoted", "visitor, at, line", "book, Chimps"),
    ("four_designs", "randomised", "salt(8), at, visitor, line", "book"),
    // Cases, Chimps: an edge list is a range of one end.
    ("friends", "links", "end, other", "cases, Chimps"),
    ("homepages", "found", "host, nth desc", "Chimps"),
    ("inbound", "inbound", "name, from, at desc, line", "Chimps"),
    ("inbound", "senders", "name, domain", "Flurry"),
    // A row a message, the newest first in the user's range.
    ("inbox", "parts", "user, at desc, message, part", "book"),
    ("inbox", "index", "user, index", "book"),
    ("links", "edges", "end, other", "Chimps"),
    ("links", "sharded", "package, shard", "Chimps"),
    ("links", "sections", "section, package", "Flurry"),
    ("links", "snapshots", "day desc, package", "book"),
    ("locations", "names", "name, location", "cases"),
    // Cases: n:m as two tables. The third of the study is in the order of a column, which is no field of this key.
    ("students", "enrolments", "student, term, course + 1 secondary table", "cases"),
    ("tiles", "places", "at, id", "Chimps"),
    ("visits", "visits", "visitor, at desc, line", "Chimps"),
    ("weblogs", "visits", "visitor, at, line", "Chimps"),
    ("weblogs", "ip_hours", "ip, hour", "Chimps"),
];

/// A table of a study, the key that is put before the text's, and what is said of the text's.
const ANOTHER: [(&str, &str, &str, &str); 5] = [
    // The study's rows are in the order of time, to be summed; Chimps reverses the time where the latest are asked.
    ("access_log", "access_log", "salt(8), at desc, server, count", r#""the latest ten" scans in reverse"#),
    // The book's first and last design are there for what they are bad at.
    (
        "four_designs",
        "sequential",
        "salt(8), at, visitor, line",
        "its writes land in 1 place at once, which take 2k of 4k writes/s",
    ),
    (
        "four_designs",
        "randomised",
        "salt(8), at, visitor, line",
        r#""an hour" reads the whole table in 1 range, and 4.32M in 8 with the first"#,
    ),
    // OpenTSDB keeps one table, and reads all series of a metric for one; the studies' designs allow it in so many
    // words.
    (
        "metrics",
        "tsdb",
        "metric, hour, tags + 1 secondary table",
        r#""one series, a day" reads 12k rows in 8 ranges, and 24 in 1 with the first"#,
    ),
    (
        "temperatures",
        "tsdb",
        "metric, hour, tags + 1 secondary table",
        r#""a day of one city" reads 259k rows in 4 ranges, and 26 in 1 with the first"#,
    ),
];

/// The designs of the studies, by name.
fn texts() -> BTreeMap<String, String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../studies/designs");
    let names = fs::read_dir(&folder).unwrap().map(|file| file.unwrap().file_name().into_string().unwrap());
    let studies = names.filter_map(|name| name.strip_suffix(".rowkey.toml").map(str::to_owned));
    studies
        .map(|name| (name.clone(), fs::read_to_string(folder.join(format!("{name}.rowkey.toml"))).unwrap()))
        .collect()
}

fn parse(text: &str) -> Design {
    let file = File { name: "a.rowkey.toml".to_owned(), text: text.to_owned() };
    Design::parse([file]).unwrap_or_else(|problems| panic!("{problems}\n{text}"))
}

fn suggest(text: &str, table: &str) -> Suggestions {
    parse(text).suggest(table, &CheckOptions::new(Date { year: 2026, month: 1, day: 31 })).unwrap()
}

/// The design with a table's fields backwards, ascending, unsalted, without secondary tables. Queries by what is a
/// field of a secondary table alone are left out.
fn naive(text: &str, table: &str) -> String {
    let mut document: DocumentMut = text.parse().unwrap();
    let found = document["table"][table].as_table_mut().unwrap();
    for word in ["salt", "hashed", "secondary", "splits", "allow"] {
        found.remove(word);
    }
    let fields: Vec<String> =
        found["key"].as_array().unwrap().iter().map(|field| field.as_str().unwrap().into()).collect();
    let bare = fields.iter().rev().map(|field| field.trim_end_matches(" desc").trim_end_matches(" raw"));
    found["key"] = toml_edit::value(Value::from(bare.collect::<Array>()));
    let known = |name: &Value| fields.iter().any(|field| field.split(':').next() == name.as_str());
    if let Some(queries) = found.get_mut("query").and_then(|queries| queries.as_array_of_tables_mut()) {
        queries.retain(|query| {
            let fixed = query.get("fix").and_then(|fixed| fixed.as_array());
            fixed.is_none_or(|fixed| fixed.iter().all(known))
        });
    }
    document.to_string()
}

fn current(suggestions: &Suggestions) -> (usize, &Candidate) {
    suggestions.candidates.iter().enumerate().find(|(_, candidate)| candidate.current).unwrap()
}

#[test]
fn from_a_naive_key_it_finds_the_one_that_the_texts_recommend() {
    let texts = texts();
    let mut wrong = Vec::new();
    for (study, table, key, text) in RECOMMENDED {
        let naive = suggest(&naive(&texts[study], table), table);
        let first = described(&naive.candidates[0].table);
        if first != key || naive.candidates[0].current {
            wrong.push(format!("{study} {table}: {first}, and not {key} ({text})"));
        }
    }
    assert_eq!(wrong, Vec::<String>::new(), "{wrong:#?}");
}

/// The naive key is never kept where the study's own is one of those tried and is cheaper.
#[test]
fn no_study_is_told_a_key_that_costs_more_than_its_own() {
    for (study, text) in texts() {
        for table in parse(&text).tables.values().filter(|table| table.table.key.len() > 1) {
            let (own, found) = (suggest(&text, &table.name), suggest(&naive(&text, &table.name), &table.name));
            let (own, first) = (&current(&own).1.score, &found.candidates[0].score);
            // In the order of the key is another order in the naive one.
            let by_key = |query: &rowkey_design::internal::design::Query| {
                query.order.as_deref() == Some(&rowkey_design::internal::design::QueryOrder::Key)
            };
            if table.table.query.iter().any(|query| by_key(query)) {
                continue;
            }
            let name = format!("{study} {}: {}", table.name.value, described(&found.candidates[0].table));
            assert!(first.refused <= own.refused + 0.01, "{name}\n{first:#?}\n{own:#?}");
            assert!(first.work <= 1.02 * own.work, "{name}\n{first:#?}\n{own:#?}");
            assert!(first.unordered <= own.unordered, "{name}\n{first:#?}\n{own:#?}");
        }
    }
}

#[test]
fn before_a_studys_own_key_it_puts_another_only_with_its_numbers() {
    let mut another = ANOTHER.to_vec();
    for (study, text) in texts() {
        for table in parse(&text).tables.keys() {
            let found = suggest(&text, table);
            let (index, own) = current(&found);
            let first = described(&found.candidates[0].table);
            match another.iter().position(|(of, named, ..)| *of == study && named == table) {
                None => assert_eq!(
                    index,
                    0,
                    "{study} {table}: {first} before {}: {:?}",
                    described(&own.table),
                    found.reasons
                ),
                Some(listed) => {
                    let (.., key, why) = another.remove(listed);
                    assert_eq!(first, key, "{study} {table}");
                    let reason = &found.reasons[index.checked_sub(1).expect("another is first")];
                    assert!(reason.ends_with(&format!(": {why}")), "{study} {table}: {reason}");
                }
            }
        }
    }
    assert_eq!(another, []);
}
