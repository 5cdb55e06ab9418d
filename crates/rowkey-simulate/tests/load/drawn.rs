//! The events of a design.

use std::collections::BTreeSet;

use rowkey::Value;
use rowkey_simulate::load::{Drawn, Load, LoadError, Options};

use super::{Kept, all, design, designs, events};

fn decoded(text: &str, events: &[Kept]) -> Vec<Vec<Value>> {
    let layout = &design(text).tables["t"].layout;
    events.iter().map(|event| layout.decode(&event.key).unwrap()).collect()
}

#[test]
fn a_sequence_grows_and_a_time_is_that_of_its_event() {
    let text = "format = 1\n[table.t]\nkey = [\"id: u64\", \"at: instant\", \"ms: i64 desc\"]\nmeans = { id = \"sequence\", ms = \
                \"milliseconds\" }\n[[table.t.write]]\nname = \"w\"\nrate = \"100/s\"\n[[table.t.write]]\nname = \
                \"x\"\nrate = \"7/s\"\n";
    let of = events(text, &Options { seconds: 30.0, ..Options::default() });
    assert_eq!(of.len(), 3000 + 210);
    let rows = decoded(text, &of);
    let mut before = -1;
    for (event, values) in of.iter().zip(&rows) {
        let [Value::Unsigned(id), Value::Instant(seconds, nanos), Value::Signed(ms)] = values[..] else {
            panic!("{values:?}")
        };
        let since = seconds as u64 * 1000 + u64::from(nanos) / 1_000_000 - 1_767_225_600_000;
        assert_eq!((since, ms as u64 - 1_767_225_600_000), (event.t_ms, event.t_ms));
        assert!(id as i128 >= before, "{id} after {before}");
        before = id as i128;
    }
    assert!((3200..=3210).contains(&before), "{before}");
}

#[test]
fn what_is_deleted_or_read_was_written() {
    let text = "format = 1\n[table.t]\nkey = [\"user: text\", \"at: instant desc\"]\nsalt = { buckets = 4, by = [\"user\"] \
                }\nstats.user = { distinct = 50, skew = \"zipf 1\" }\n[[table.t.write]]\nname = \"put\"\nrate = \
                \"50/s\"\n[[table.t.write]]\nname = \"done\"\nkind = \"delete\"\nrate = \"40/s\"\n[[table.t.query]]\nname = \
                \"one\"\nfix = [\"user\", \"at\"]\nrate = \"10/s\"\n[[table.t.query]]\nname = \"of user\"\nfix = \
                [\"user\"]\norder = \"newest\"\nlimit = 5\nrate = \"5/s\"\n[[table.t.query]]\nname = \"all\"\nrate = \
                \"1/s\"\n";
    for most in [u64::MAX, 500] {
        let mut written = BTreeSet::new();
        let mut count = [0; 4];
        for event in events(text, &Options { seconds: 20.0, most, ..Options::default() }) {
            let row = event.key.clone();
            match event.op {
                "put" => _ = written.insert(row),
                "delete" | "get" => assert!(written.contains(&row), "{event:?}"),
                _ if event.key.is_empty() => assert_eq!(event.end, None),
                _ => assert!(written.range(row..event.end.clone().unwrap()).next().is_some(), "{event:?}"),
            }
            count[["put", "delete", "get", "scan"].iter().position(|op| *op == event.op).unwrap()] += event.weight;
        }
        // Runs before the first row find none.
        for (count, said) in count.into_iter().zip([1000, 800, 200, 120]) {
            assert!((said - 12..=said).contains(&count), "{count} of {said}");
        }
    }
}

#[test]
fn a_salted_read_asks_every_bucket() {
    let text = "format = 1\n[table.t]\nkey = [\"at: instant\", \"host: text\"]\nsalt = { buckets = 8 }\n[[table.t.write]]\nname = \
                \"w\"\nrate = \"10/s\"\n[[table.t.query]]\nname = \"last minute\"\nrange.at = \"1 min\"\nrate = \"1/s\"\n";
    let events = events(text, &Options { seconds: 10.0, ..Options::default() });
    let last = events.iter().filter(|event| event.op == "scan").map(|event| event.batch).max().unwrap();
    let leads: Vec<u8> = events.iter().filter(|event| event.batch == last).map(|event| event.key[0]).collect();
    assert_eq!(leads, (0..8).collect::<Vec<u8>>());
}

#[test]
fn one_row_is_one_and_sorted_rows_are_sorted() {
    let text = |order: &str| {
        format!(
            "format = 1\n[table.t]\nkey = [\"host: text\", \"at: instant\"]\nstats.host = {{ distinct = 100 \
             }}\n[[table.t.write]]\nname = \"w\"\nrate = \"100/s\"\norder = \"{order}\"\n"
        )
    };
    let options = Options { seconds: 20.0, ..Options::default() };
    let keys = |order| events(&text(order), &options).into_iter().map(|event| event.key).collect::<Vec<_>>();
    let one = keys("one row");
    assert!(one.len() == 2000 && one.iter().all(|key| *key == one[0]));
    let sorted = keys("key");
    assert!(sorted.is_sorted() && sorted.first() < sorted.last());
    assert!(!keys("time").is_sorted());
}

#[test]
fn the_same_seed_gives_the_same_events() {
    let of = |seed| {
        let (_, design) = designs().remove(0);
        let table = design.tables.keys().next().unwrap().clone();
        let options = Options { seed, seconds: 5.0, ..Options::default() };
        all(&mut Drawn::new(&design, &table, None, None, None, &options).unwrap())
    };
    assert_eq!(of(7), of(7));
    assert_ne!(of(7), of(8));
}

#[test]
fn weighted_events_have_the_shares_of_all() {
    let mut compared = 0;
    for (path, design) in designs() {
        for (name, table) in &design.tables {
            if table.table.write.is_empty() {
                continue;
            }
            let puts = |most| {
                let options = Options { seconds: 60.0, most, writes_alone: true, ..Options::default() };
                let cluster = design.clusters.values().next().map(|cluster| &cluster.value);
                let mut drawn = Drawn::new(&design, name, None, cluster, None, &options).unwrap();
                let mut events = all(&mut drawn);
                events.retain(|event| event.op == "put");
                (events, drawn.count())
            };
            let (row_by_row, rows) = puts(200_000);
            if row_by_row.len() < 20_000 || row_by_row.iter().any(|event| event.weight > 1) {
                continue;
            }
            let (weighted, _) = puts(rows / 8);
            assert!(weighted.len() < row_by_row.len() / 6, "{path} {name}");
            let weight = |events: &[Kept]| events.iter().map(|event| event.weight).sum::<u64>();
            assert!(weight(&weighted).abs_diff(weight(&row_by_row)) < 64, "{path} {name}");
            let mut keys: Vec<_> = row_by_row.iter().map(|event| &event.key).collect();
            keys.sort();
            let splits: Vec<_> = (1..16).map(|part| keys[part * keys.len() / 16].clone()).collect();
            let shares = |events: &[Kept]| {
                let mut shares = [0.0; 16];
                for event in events {
                    let region = splits.partition_point(|split| *split <= event.key);
                    shares[region] += event.weight as f64 / rows as f64;
                }
                shares
            };
            for (all, some) in shares(&row_by_row).into_iter().zip(shares(&weighted)) {
                assert!((all - some).abs() < 0.01, "{path} {name}: {all} {some}");
            }
            compared += 1;
        }
    }
    assert!(compared > 5, "{compared}");
}

#[test]
fn nothing_to_do_is_told() {
    let of = |text: &str, table: &str| {
        Drawn::new(&design(text), table, None, None, None, &Options::default()).err().map(|error| error.to_string())
    };
    let text = "format = 1\n[table.t]\nkey = [\"a: u64\"]\n";
    let told = of(text, "t").unwrap();
    assert!(told.ends_with("nothing writes or reads \"t\": say `[[table.t.write]]`"), "{told}");
    let told = of(&text.replace("table.t", "table.\"a:b\""), "a:b").unwrap();
    assert!(told.ends_with("say `[[table.\"a:b\".write]]`"), "{told}");
    assert_eq!(of(text, "u").as_deref(), Some("the design has no table \"u\""));
    let stopped = |after: usize| {
        let text = format!("{text}[[table.t.write]]\nname = \"w\"\nrate = \"10/s\"\n");
        let (design, mut given) = (design(&text), 0);
        let mut drawn = Drawn::new(&design, "t", None, None, None, &Options::default()).unwrap();
        let ended: Result<(), LoadError> = drawn.events(&mut |_| {
            given += 1;
            if given == after { std::ops::ControlFlow::Break(()) } else { std::ops::ControlFlow::Continue(()) }
        });
        (ended.is_ok(), given)
    };
    assert_eq!(stopped(3), (true, 3));
}
