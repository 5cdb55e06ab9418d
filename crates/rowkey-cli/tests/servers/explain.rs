//! What `rowkey explain` prints to be pasted into HBase's shell, and what it reads of what the shell prints.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use rowkey::{KeyRange, LayoutBuf, Value};
use rowkey_design::internal::quote;
use rowkey_testkit::hbase::from_binary;
use serde_json::Value as Json;

use super::hbase::scanned;
use super::{Numbers, design, file, path, programs, rowkey};

/// Held by a test that creates the table `events.1`.
static TABLE: Mutex<()> = Mutex::new(());

/// Whether a key is one of a query's rows.
type Wanted<'k> = Box<dyn Fn(&[u8]) -> bool + 'k>;

fn json(args: &[&str]) -> Json {
    serde_json::from_str(&rowkey(args)).expect("JSON")
}

/// A new table as `rowkey ddl` creates it, and a row for each key: its value is the key in hex.
fn filled(design: &str, table: &str, keys: &BTreeSet<Vec<u8>>) -> String {
    let name = quote::jruby(table.as_bytes());
    let mut script = format!("if exists({name}) then disable({name}); drop({name}) end\n");
    script += &rowkey(&["ddl", "--for", "hbase", "--table", table, design]);
    for key in keys {
        script += &format!("put {name}, {}, \"f:q\", {:?}\n", quote::jruby(key), hex(key));
    }
    script
}

fn hex(key: &[u8]) -> String {
    key.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn key(layout: &LayoutBuf, user: &str, kind: u16, at: i64) -> Vec<u8> {
    let values = [Value::Text(user.to_owned()), Value::Unsigned(kind.into()), Value::Signed(at.into())];
    layout.encode(&values).expect("a key")
}

/// The parts of what a script prints, each after the line that says its number.
fn parts(printed: &str, count: usize) -> Vec<&str> {
    let mut rest = printed;
    let mut parts = Vec::new();
    for i in 0..=count {
        let (before, after) = rest.split_once(&format!("\npart {i}\n")).expect("the number of a part");
        parts.push(before);
        rest = after;
    }
    parts.remove(0);
    parts
}

/// The command with the start row as a prefix in place of start and stop row.
fn as_prefix(command: &str) -> String {
    let (before, after) = command.split_once("{STARTROW => ").expect("a start row");
    let end = after.find(", STOPROW => ").or(after.rfind('}')).expect("the end of the start row");
    format!("{before}{{ROWPREFIXFILTER => {}}}", &after[..end])
}

#[test]
#[ignore = "needs HBase: run servers/test-tools"]
fn pasted_queries_find_their_rows_and_a_prefix_does_where_explain_says_so() {
    let _table = TABLE.lock().unwrap_or_else(PoisonError::into_inner);
    let file = path("explain.rowkey.toml").display().to_string();
    let design = design(file.as_ref());
    let table = "events.1";
    let layout = &design.tables[table].layout;
    let users = ["", " ", "a", "a#{1+1}", "ab", "b ", "b \"", "b\u{0}", "é", "\u{10ffff}"];
    let kinds = [0, 1, 0x2320, 0xfeff, 0xffff];
    let times = [i64::MIN, -5, 0, 7, 50, 99, 100, i64::MAX];
    let mut numbers = Numbers(11);
    let keys: BTreeSet<_> =
        (0..250).map(|_| key(layout, numbers.pick(&users), numbers.pick(&kinds), numbers.pick(&times))).collect();
    let decoded = |key: &[u8]| match &layout.decode(key).expect("a key")[..] {
        [Value::Text(user), Value::Unsigned(kind), Value::Signed(at)] => (user.clone(), *kind as u16, *at as i64),
        other => panic!("{other:?}"),
    };
    let given = |user: &str| format!("user={}", Json::from(user));
    let mut script = filled(&file, table, &keys);
    let mut expected = Vec::new();
    let (mut same, mut different) = (0, 0);
    for query in ["one", "of a user", "of a kind", "a while", "users that begin so", "some kinds", "the oldest first"] {
        for _ in 0..6 {
            let (user, kind, at) = decoded(&numbers.pick(&keys.iter().cloned().collect::<Vec<_>>()));
            let other = numbers.pick(&kinds);
            // A text of one character has a beginning of one.
            let begins: String = user.chars().take(1).collect();
            let (given, wanted): (Vec<String>, Wanted<'_>) = match query {
                "one" => (
                    vec![given(&user), format!("kind={kind}"), format!("at={at}")],
                    Box::new(move |key| decoded(key) == (user.clone(), kind, at)),
                ),
                "of a user" => (vec![given(&user)], Box::new(move |key| decoded(key).0 == user)),
                "a while" => (
                    vec![given(&user), format!("kind={kind}"), "at=0..100".to_owned()],
                    Box::new(move |key| {
                        let (of, named, at) = decoded(key);
                        of == user && named == kind && (0..100).contains(&at)
                    }),
                ),
                "users that begin so" => {
                    (vec![given(&begins)], Box::new(move |key| decoded(key).0.starts_with(&begins)))
                }
                "some kinds" => (
                    vec![given(&user), format!("kind={kind}"), format!("kind={other}")],
                    Box::new(move |key| {
                        let (of, named, _) = decoded(key);
                        of == user && (named == kind || named == other)
                    }),
                ),
                _ => (
                    vec![given(&user), format!("kind={kind}")],
                    Box::new(move |key| {
                        let (of, named, _) = decoded(key);
                        of == user && named == kind
                    }),
                ),
            };
            let mut args = vec!["explain", &file, table, "--json", "--query", query];
            args.extend(given.iter().map(String::as_str));
            let plan = json(&args);
            let wanted: BTreeSet<_> = keys.iter().filter(|key| wanted(key)).cloned().collect();
            script += &format!("puts \"\\npart {}\"\n", expected.len());
            let ranges = plan["ranges"].as_array().expect("ranges");
            for range in ranges {
                script += &format!("{}\n", range["hbase"].as_str().expect("a command"));
            }
            expected.push((format!("{query} {given:?}"), wanted));
            // With the start row as a prefix: the rows that begin with it, which are the range's where explain says so.
            for range in
                ranges.iter().filter(|range| range["hbase"].as_str().is_some_and(|it| it.contains("{STARTROW")))
            {
                let start = from_binary(range["start"].as_str().expect("a key"));
                let stop = range["stop"].as_str().map(from_binary);
                let range_itself = KeyRange::new(start.clone(), stop).expect("a range");
                let begin: BTreeSet<_> = keys.iter().filter(|key| key.starts_with(&start)).cloned().collect();
                let in_range: BTreeSet<_> = keys.iter().filter(|key| range_itself.contains(key)).cloned().collect();
                if range["prefix"] == true {
                    assert_eq!(begin, in_range, "{query} {given:?}");
                    same += begin.len();
                } else {
                    different += usize::from(begin != in_range);
                }
                script += &format!("puts \"\\npart {}\"\n", expected.len());
                script += &format!("{}\n", as_prefix(range["hbase"].as_str().expect("a command")));
                expected.push((format!("as a prefix: {query} {given:?}"), begin));
            }
        }
    }
    script += &format!("puts \"\\npart {}\"\n", expected.len());
    let printed = programs().shell(&script);
    for (part, (name, wanted)) in parts(&printed, expected.len()).into_iter().zip(&expected) {
        // A get prints no key, and the value is the key.
        let found = if name.starts_with("one ") {
            let values = part.lines().filter_map(|line| line.split_once(", value="));
            values.map(|(_, value)| bytes_of_hex(value.trim())).collect()
        } else {
            scanned(part)
        };
        assert_eq!(found, *wanted, "{name}\n{part}");
    }
    assert!(same > 50 && different > 3, "prefixes are told from ranges: {same} {different}");
}

fn bytes_of_hex(text: &str) -> Vec<u8> {
    (0..text.len() / 2).map(|i| u8::from_str_radix(&text[2 * i..2 * i + 2], 16).expect("hex")).collect()
}

/// The start key of the region that HBase says a key is in.
fn located(part: &str) -> Vec<u8> {
    let (_, after) = part.split_once("STARTKEY => '").expect("a start key");
    from_binary(after.split_once("', ENDKEY").expect("its end").0)
}

#[test]
#[ignore = "needs HBase: run servers/test-tools"]
fn list_regions_and_get_splits_say_whose_keys_are_in_each() {
    let _table = TABLE.lock().unwrap_or_else(PoisonError::into_inner);
    let path = path("explain.rowkey.toml").display().to_string();
    let design = design(path.as_ref());
    for table in ["events.1", "salted"] {
        let layout = &design.tables[table].layout;
        let name = quote::jruby(table.as_bytes());
        let keys: BTreeSet<Vec<u8>> = match table {
            "events.1" => ["", "a", "b ", "b | ", "é", "\u{10ffff}"].map(|user| key(layout, user, 1, 7)).into(),
            _ => ["a", "b", "c", "d", "e", "f"]
                .map(|user| layout.encode(&[Value::Text(user.to_owned()), Value::Unsigned(3)]).expect("a key"))
                .into(),
        };
        let mut script = filled(&path, table, &keys);
        script += &format!("puts \"\\npart 0\"\nlist_regions {name}\nputs \"\\npart 1\"\nget_splits {name}\n");
        for (i, key) in keys.iter().enumerate() {
            // Other commands take bytes; this one takes them as the shell prints them.
            let printed = quote::jruby(quote::hbase_binary(key).as_bytes());
            script += &format!("puts \"\\npart {}\"\nlocate_region {name}, {printed}\n", i + 2);
        }
        script += &format!("puts \"\\npart {}\"\n", keys.len() + 2);
        let printed = programs().shell(&script);
        let parts = parts(&printed, keys.len() + 2);
        let regions = |text: &str, form: &str| -> Vec<Json> {
            let list = file(text);
            let list = list.path().display().to_string();
            let regions = json(&["explain", &path, table, "--json", "--form", form, "--regions", &list]);
            regions.as_array().expect("a list").clone()
        };
        let start = |region: &Json| region["start"]["shell"].as_str().map_or(Vec::new(), from_binary);
        let listed = regions(parts[0], "hex");
        let starts: Vec<_> = listed.iter().map(start).collect();
        let split: Vec<_> = regions(parts[1], "shell").iter().map(start).collect();
        assert_eq!(starts, split, "{}\n{}", parts[0], parts[1]);
        let ends: Vec<_> =
            listed.iter().map(|region| region["end"]["shell"].as_str().map_or(Vec::new(), from_binary)).collect();
        assert_eq!(starts[1..], ends[..ends.len() - 1], "{}", parts[0]);
        for (key, part) in keys.iter().zip(&parts[2..]) {
            let region = starts.partition_point(|start| start <= key) - 1;
            assert_eq!(starts[region], located(part), "{key:?} {part}");
        }
        if table == "events.1" {
            let points = ["20", "61007c20", "6220", "62207c20000001800000000000", "c3a900ffff7fffffffffffffff", "ff"];
            assert_eq!(starts[1..], points.map(bytes_of_hex), "{}", parts[0]);
            // Of the fifth region: a whole key.
            let fields = &listed[5]["start"]["fields"];
            let told: Vec<_> = fields.as_array().expect("fields").iter().map(|field| &field["value"]).collect();
            assert_eq!(told, ["\"é\"", "65535", "0"], "{fields}");
            let cut = &listed[2]["start"]["fields"][1];
            assert_eq!((&cut["field"], &cut["value"]), (&"kind".into(), &"31776".into()), "{cut}");
        } else {
            assert_eq!(listed.len(), 5, "{}", parts[0]);
            let buckets: Vec<_> = listed[1..].iter().map(|region| region["start"]["fields"][0].clone()).collect();
            for (i, bucket) in buckets.iter().enumerate() {
                assert!(
                    bucket["value"].as_str().is_some_and(|value| value.starts_with(&(i + 1).to_string())),
                    "{bucket}"
                );
            }
        }
    }
}
