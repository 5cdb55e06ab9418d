//! Rates that change, values that are asked for most, samples, and the options of a load.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use rowkey::Value;
use rowkey_design::internal::facts::KeyFacts;
use rowkey_design::internal::load::{Rates, WriteLoad};
use rowkey_design::internal::sample::Profiler;
use rowkey_simulate::load::{Drawn, LoadError, Options};

use super::{all, design, events};

fn visits(write: &str, query: &str) -> String {
    format!(
        "format = 1\n[table.t]\nkey = [\"host: text\", \"at: instant\"]\nstats.host = {{ distinct = 1000, skew = \
         \"zipf 1\" }}\n[[table.t.write]]\nname = \"w\"\n{write}\n{query}"
    )
}

/// The share of the most frequent of some keys.
fn busiest<'k>(keys: impl Iterator<Item = &'k [u8]>) -> f64 {
    let mut counts: BTreeMap<&[u8], u64> = BTreeMap::new();
    keys.for_each(|key| *counts.entry(key).or_default() += 1);
    let all: u64 = counts.values().sum();
    counts.values().max().map_or(0.0, |most| *most as f64 / all as f64)
}

/// The host of a key: what is before the time.
fn host(key: &[u8]) -> &[u8] {
    key.split(|byte| *byte == 0).next().unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn rows_come_as_the_rate_goes(rate in 1u32..20, more in 0u32..40, by_day: bool, minutes in 5u32..30) {
        let peak = f64::from(rate) * (1.0 + f64::from(more) / 20.0);
        let shape = if by_day { "by day".to_owned() } else { format!("bursts of {minutes} min every 90 min") };
        let text = visits(&format!("rate = \"{rate}/min\"\npeak = \"{peak:.2}/min\"\nshape = \"{shape}\""), "");
        let (design, days) = (design(&text), 2.0);
        let rates = Rates::of_write(&design.tables["t"].table.write[0]).unwrap();
        let options = Options { seconds: days * 86_400.0, ..Options::default() };
        let times: Vec<f64> = events(&text, &options).iter().map(|event| event.t_ms as f64 / 1000.0).collect();
        prop_assert!(times.is_sorted());
        // In each part of a period there are as many rows as the rate is high.
        let mut start = 0.0;
        'parts: loop {
            for piece in rates.period() {
                let end = start + piece.seconds;
                if end > options.seconds {
                    break 'parts;
                }
                let within = times.iter().filter(|time| (start..end).contains(time)).count() as f64;
                let said = piece.seconds * (piece.from + piece.to) / 2.0;
                prop_assert!((within - said).abs() < 2.5, "{} of {} in {:?}", within, said, piece);
                start = end;
            }
        }
    }
}

#[test]
fn reads_ask_for_what_is_asked_for_most() {
    let query = |lines: &str| format!("[[table.t.query]]\nname = \"q\"\nfix = [\"host\"]\nrate = \"50/s\"\n{lines}\n");
    let options = Options { seconds: 100.0, ..Options::default() };
    let share = |lines: &str| {
        let events = events(&visits("rate = \"50/s\"", &query(lines)), &options);
        busiest(events.iter().filter(|event| event.op == "scan").map(|event| &*event.key))
    };
    // Of 1000 values by Zipf, the first has 1 / 7.49.
    assert!((share("") - 0.1336).abs() < 0.03, "{}", share(""));
    assert!((share("skew.host = \"one value 0.4\"") - 0.4).abs() < 0.03);
    assert!(share("skew.host = \"uniform\"") < 0.01);
    assert_eq!(share("skew.host = \"one value\""), 1.0);
}

#[test]
fn recent_rows_are_recent() {
    let text = "format = 1\n[table.t]\nkey = [\"at: instant\"]\n[[table.t.write]]\nname = \"w\"\nrate = \
                \"50/s\"\n[[table.t.query]]\nname = \"q\"\nfix = [\"at\"]\nrecent = \"2 s\"\nrate = \"20/s\"\n";
    let layout = &design(text).tables["t"].layout;
    let mut oldest = 0;
    for event in events(text, &Options { seconds: 60.0, ..Options::default() }).iter().filter(|event| event.op == "get")
    {
        let Value::Instant(seconds, nanos) = layout.decode(&event.key).unwrap()[0] else { panic!("an instant") };
        let age = event.t_ms as i64 + 1_767_225_600_000 - seconds * 1000 - i64::from(nanos) / 1_000_000;
        assert!((0..=2020).contains(&age), "{age}");
        oldest = oldest.max(age);
    }
    assert!(oldest > 1500, "{oldest}");
}

#[test]
fn a_sample_is_drawn_from_with_its_pairs() {
    let text = "format = 1\n[table.t]\nkey = [\"site: text\", \"page: u32\", \"at: i64\"]\nmeans.at = \
                \"seconds\"\n[[table.t.write]]\nname = \"w\"\nrate = \"1k/s\"\norder = \"time\"\n";
    let design = design(text);
    let table = &design.tables["t"];
    let mut profiler = Profiler::new(&table.layout, None);
    let mut pairs = BTreeSet::new();
    for row in 0..2000_u32 {
        // Half of the rows are of one site, and each site has its own pages.
        let site = if row % 2 == 0 { 0 } else { row % 37 };
        let page = 100 * site + row % 3;
        let values = [Value::Text(format!("s{site}")), Value::Unsigned(page.into()), Value::Signed(row.into())];
        pairs.insert(format!("{:?}", &values[..2]));
        profiler.add(&table.layout.encode(&values).unwrap());
    }
    let profile = profiler.finish();
    let options = Options { seconds: 10.0, ..Options::default() };
    let drawn = all(&mut Drawn::new(&design, "t", None, None, Some(&profile), &options).unwrap());
    let rows: Vec<_> = drawn.iter().map(|event| table.layout.decode(&event.key).unwrap()).collect();
    assert!(rows.iter().all(|row| pairs.contains(&format!("{:?}", &row[..2]))));
    let of_site = rows.iter().filter(|row| row[0] == Value::Text("s0".to_owned())).count() as f64 / rows.len() as f64;
    let key = KeyFacts::of(table, Some(&profile));
    assert!((of_site - key.fields[0].spread.unwrap().p_max).abs() < 0.02, "{of_site}");
    assert!(WriteLoad::of(&table.table.write[0], &key).places.is_some());
}

#[test]
fn options_do_what_they_say() {
    let text = visits("rate = \"100/s\"\nshape = \"by day\"", "[[table.t.query]]\nname = \"q\"\nrate = \"1/s\"\n");
    let of = |options: Options| events(&text, &options);
    let default = Options { seconds: 3600.0, ..Options::default() };
    let rows = |options: Options| of(options).iter().filter(|event| event.op == "put").count();
    let once = rows(default.clone());
    assert!((2 * once).abs_diff(rows(Options { times: 2.0, ..default.clone() })) < 3);
    assert_eq!(rows(Options { rows: Some(500), ..default.clone() }), 500);
    assert!(of(Options { writes_alone: true, ..default.clone() }).iter().all(|event| event.op == "put"));
    let most = |skew| {
        busiest(
            of(Options { skew, ..default.clone() })
                .iter()
                .filter(|event| event.op == "put")
                .map(|event| host(&event.key)),
        )
    };
    let (less, same, more) = (most(-0.2), most(0.0), most(0.2));
    assert!(less + 0.02 < same && same + 0.02 < more, "{less} {same} {more}");
    let mut calls: BTreeMap<u64, usize> = BTreeMap::new();
    for event in of(Options { rows_per_call: 7, rows: Some(700), writes_alone: true, ..default.clone() }) {
        *calls.entry(event.batch).or_default() += 1;
    }
    assert!(calls.len() == 100 && calls.values().all(|rows| *rows == 7), "{calls:?}");
    let design = design(&text);
    let drawn = Drawn::new(&design, "t", None, None, None, &default).unwrap();
    assert_eq!(drawn.assumed, ["the rate of \"w\" is 200/s at its peak: say `peak = …`"]);
    let alone = super::design(
        "format = 1\n[table.t]\nkey = [\"a: u64\"]\n[[table.t.write]]\nname = \"w\"\nkind = \"delete\"\n",
    );
    let rows = Options { rows: Some(5), ..default };
    assert!(matches!(Drawn::new(&alone, "t", None, None, None, &rows), Err(LoadError::NoEvents(_))));
}

#[test]
fn runs_of_a_query_that_are_few_are_not_joined_into_one() {
    let text = visits("rate = \"10k/s\"", "[[table.t.query]]\nname = \"q\"\nrate = \"1/min\"\nrange.at = \"1 min\"");
    let of = |text: &str| events(text, &Options { most: 20_000, ..Options::default() });
    let events = of(&text);
    let scans: Vec<_> = events.iter().filter(|event| event.op == "scan").map(|event| event.weight).collect();
    // The first finds nothing.
    assert_eq!((scans.len(), scans.iter().sum::<u64>()), (59, 59));
    assert!(events.len() - scans.len() <= 20_000, "{}", events.len());
    // Beside a query that runs often too.
    let often = "[[table.t.query]]\nname = \"often\"\nrate = \"1k/s\"\nfix = [\"host\"]\nlimit = 1";
    let seldom = of(&format!("{text}\n{often}")).iter().filter(|event| event.op == "scan" && event.weight == 3).count();
    assert_eq!(seldom, 19);
    // Of many runs and few rows, and the other way round, there are enough of both.
    for (rows, runs) in [(1, 100), (100, 1)] {
        let query = format!("[[table.t.query]]\nname = \"q\"\nrate = \"{runs}k/s\"\nfix = [\"host\"]\nlimit = 1");
        let events = of(&visits(&format!("rate = \"{rows}k/s\""), &query));
        for op in ["put", "scan"] {
            let of_op: Vec<_> = events.iter().filter(|event| event.op == op).map(|event| event.weight).collect();
            let due = 3_600_000 * if op == "put" { rows } else { runs };
            assert!(of_op.len() > 2000, "{op}: {} of {}", of_op.len(), events.len());
            assert!(of_op.iter().sum::<u64>().abs_diff(due) < due / 100, "{op}");
        }
        assert!(events.len() <= 2 * 20_020, "{}", events.len());
    }
}

#[test]
fn texts_begin_as_those_of_a_sample_do() {
    let text = "format = 1\n[table.t]\nkey = [\"name: text\"]\n[[table.t.write]]\nname = \"w\"\nrate = \"1k/s\"\n";
    let design = design(text);
    let table = &design.tables["t"];
    let mut profiler = Profiler::new(&table.layout, None);
    for row in 0..2000 {
        let name = format!("{}{row}", if row % 3 == 0 { "a" } else { "b" });
        profiler.add(&table.layout.encode(&[Value::Text(name)]).unwrap());
    }
    let profile = profiler.finish();
    let options = Options { seconds: 10.0, ..Options::default() };
    let drawn = all(&mut Drawn::new(&design, "t", None, None, Some(&profile), &options).unwrap());
    let of = |first| drawn.iter().filter(|event| event.key[0] == first).count() as f64 / drawn.len() as f64;
    assert!((of(b'a') - 1.0 / 3.0).abs() < 0.02 && (of(b'b') - 2.0 / 3.0).abs() < 0.02, "{}", of(b'a'));
}

#[test]
fn the_ranges_of_a_query_are_bounded_and_stand_for_all() {
    const BUCKETS: u64 = 65_536;
    let text = format!(
        "format = 1\n[table.t]\nkey = [\"a: u32\", \"at: instant\"]\nsalt = {{ buckets = {BUCKETS} }}\n\
         stats.a.distinct = 100\n[[table.t.write]]\nname = \"w\"\nrate = \"100/s\"\n\
         [[table.t.query]]\nname = \"q\"\nfix = [\"a\"]\nrate = \"50/s\"\n"
    );
    for most in [5000, 20_000] {
        let options = Options { most, seconds: 3600.0, ..Options::default() };
        let scans: Vec<_> = events(&text, &options).into_iter().filter(|event| event.op == "scan").collect();
        assert!((most / 2..2 * most).contains(&(scans.len() as u64)), "{}", scans.len());
        let all: u64 = scans.iter().map(|event| event.weight).sum();
        let expected = 3600 * 50 * BUCKETS;
        assert!(all.abs_diff(expected) < expected / 20, "{all} {expected}");
        // Those of each minute are of buckets from all over the table.
        let minutes = scans.chunk_by(|a, b| a.t_ms / 60_000 == b.t_ms / 60_000);
        for minute in minutes.filter(|minute| minute.len() >= 40) {
            let low = minute.iter().filter(|event| event.key[0] < 128).count() as f64 / minute.len() as f64;
            assert!((0.2..0.8).contains(&low), "{low}");
        }
    }
}

/// Random rows of a key that grows are new ones, which is said.
#[test]
fn an_order_that_is_not_taken_is_assumed() {
    let assumed = |means: &str| {
        let text = format!(
            "format = 1\n[table.t]\nkey = [\"id: u64\"]\n{means}\nrows = \"1M\"\n\
             [[table.t.write]]\nname = \"place\"\nrate = \"9/s\"\n\
             [[table.t.write]]\nname = \"pay\"\nrate = \"9/s\"\norder = \"random\"\n"
        );
        let design = design(&text);
        let drawn = Drawn::new(&design, "t", None, None, None, &Options { seconds: 60.0, ..Options::default() });
        drawn.unwrap().assumed
    };
    let due = "\"pay\" writes new rows at the end, not random ones, as \"id\" grows: if it does not, say \
               `stats.id.grows = false`";
    assert_eq!(assumed("means.id = \"sequence\""), [due]);
    assert_eq!(assumed("means.id = \"random\""), [""; 0]);
}
